"""How a function becomes a tool, and what a tool gives back. Pure."""
