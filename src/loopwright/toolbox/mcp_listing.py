"""From what an MCP server says of its tools to what the model and the loop know of them.

Owns the mapping of the server's list to `ToolSpec`. Nothing here starts, connects to or calls a server.

What a server says of itself is a hint, and the protocol's own rule is never to decide by it (MCP 2025-11-25, "Tool
Annotations"). So a hint can make a tool stricter; that a tool *only reads*, and so runs without asking, or may be
repeated, counts where the person's settings say so: by `effects`, or by `trust_hints` for the whole server.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Protocol

from msgspec import Struct

from loopwright.core.errors import UsageError
from loopwright.core.messages import Effect, ToolSpec
from loopwright.toolbox.foreign import MOST_TOOLS, Unfit, plain, plain_schema, tool_names
from loopwright.toolbox.mcp_settings import EVERY, McpServer
from loopwright.tools.shape import Schema


class Hints(Protocol):
    """What a server says of a tool beside its name: `mcp_types.ToolAnnotations`."""

    read_only_hint: bool | None
    destructive_hint: bool | None
    idempotent_hint: bool | None
    open_world_hint: bool | None


class Listed(Struct, frozen=True):
    """One tool as the server lists it."""

    name: str
    description: str
    schema: Schema
    hints: Hints | None = None


class Offered(Struct, frozen=True):
    """One tool as it is offered to the model."""

    spec: ToolSpec
    name: str
    """What the server calls it."""


def offered(listed: Sequence[Listed], origin: str, server: McpServer, notice: Callable[[str], None]) -> list[Offered]:
    """The tools to offer, of those that the server lists.

    Args:
        listed: in the order of the server
        origin: name of the server, which the tools' names begin with
        server: its settings
        notice: is told what is left out, and why

    Raises:
        UsageError: the settings name a tool that is not listed, or there are more tools than a model takes
    """
    by_name: dict[str, Listed] = {}
    for one in listed:
        if one.name in by_name:
            notice(f"MCP server {origin} lists {plain(one.name, 80)!r} twice; the first one is used")
        by_name.setdefault(one.name, one)
    _check_named(server, by_name, origin)
    wanted = [one for one in by_name.values() if server.allow is None or one.name in server.allow]
    if len(wanted) > MOST_TOOLS:
        raise UsageError(
            f"MCP server {origin} lists {len(wanted)} tools, and models take at most {MOST_TOOLS}; name those that are "
            f"wanted in loopwright.toml: [mcp.{origin}] allow = [{plain(repr(wanted[0].name), 80)}, …]"
        )
    names = tool_names(origin, [one.name for one in wanted])
    found = list[Offered]()
    for name, one in zip(names, wanted, strict=True):
        try:
            found.append(Offered(spec_of(one, name, server), one.name))
        except Unfit as unfit:
            notice(f"MCP server {origin}: {plain(one.name, 80)!r} is left out, because {unfit}")
    return found


def spec_of(listed: Listed, name: str, server: McpServer) -> ToolSpec:
    """The tool as the loop knows it, under this name.

    Raises:
        Unfit: no model can call it
    """
    effect = effect_of(listed, server)
    idempotent = server.trust_hints and listed.hints is not None and listed.hints.idempotent_hint is True
    return ToolSpec(
        name=name,
        description=plain(listed.description) or plain(listed.name),
        parameters=plain_schema(listed.schema),
        effect=effect,
        repeatable=effect == "read" or idempotent,
        timeout=server.timeout,
        max_chars=server.max_chars,
        trusted_output=server.trusted_output,
        trusted_description=server.trusted_output,
    )


def effect_of(listed: Listed, server: McpServer) -> Effect:
    """What a tool does: as the settings say, else as the server says where that makes it stricter, else it writes."""
    named = server.effects.get(listed.name) or server.effects.get(EVERY)
    if named is not None:
        return named
    hints = listed.hints
    if hints is None:
        return "write"
    if hints.read_only_hint is True:
        return "read" if server.trust_hints else "write"
    if hints.destructive_hint is True:
        return "delete"
    return "send" if hints.open_world_hint is True else "write"


def _check_named(server: McpServer, listed: dict[str, Listed], origin: str) -> None:
    for name in (*(server.allow or ()), *(name for name in server.effects if name != EVERY)):
        if name not in listed:
            near = get_close_matches(name, listed, n=1)
            hint = f"did you mean {plain(near[0], 80)!r}?" if near else f"it has {_some(list(listed))}"
            raise UsageError(f"MCP server {origin} has no tool {name!r}; {hint}")


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(plain(name, 80) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown or "none"
