"""Tools that are ready to use."""
