"""The pure heart: what a run is, what follows from it, and what is owed next."""
