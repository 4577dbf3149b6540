"""The facts of runs, on disk."""
