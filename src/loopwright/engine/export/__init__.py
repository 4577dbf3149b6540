"""Runs as files, for people and for other programs, and back from two of these forms."""
