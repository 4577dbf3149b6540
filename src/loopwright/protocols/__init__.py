"""How a transcript is spoken and a reply is understood. Pure."""
