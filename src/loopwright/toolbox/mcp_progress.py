"""How far a call of an MCP server is, as the server says. Owns the one value; shown it is elsewhere."""

from msgspec import Struct


class Progress(Struct, frozen=True):
    """How far a call is, as its server says."""

    server: str
    """The server's name."""
    tool: str
    """As the server calls it."""
    done: float
    total: float | None = None
    """How much there is, if that is known; in the unit of `done`."""
    message: str = ""
    """What the server says of it, in one line."""
