"""The tools of any MCP server: `mcp_tools`.

Owns how servers are named, and the tool that stands for one of theirs. The connection is in `mcp_server`, what a server
says of its tools in `mcp_listing`. The package `mcp` is loaded when the first server is used.

    async with mcp_tools("mcp-server-time", trust_hints=True) as tools:
        result = await Agent("openai:gpt-4.1-mini", tools=tools).run("What time is it in Tokyo?")
"""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.errors import MissingExtra, UsageError
from loopwright.core.messages import Result, ToolSpec
from loopwright.toolbox.foreign import marked
from loopwright.toolbox.mcp_listing import Listed, Offered, offered
from loopwright.toolbox.mcp_progress import Progress
from loopwright.toolbox.mcp_settings import McpServer, server_of
from loopwright.tools.result import error
from loopwright.tools.shape import mended, misfit

if TYPE_CHECKING:
    from loopwright.toolbox.mcp_server import Connection

_RUNNERS = frozenset({"npx", "bunx", "uvx", "uv", "pipx", "node", "deno", "bun", "python", "python3", "docker", "env"})
"""Programs that only start the server: its name is in their arguments."""
_PASSED_OVER = frozenset({"run", "exec", "tool", "dlx", "-m", "-y", "--yes", "-i", "--rm", "-p", "--package", "--from"})
_ORIGIN = 24
"""Characters of a server's name in the names of its tools."""


class McpTool(Struct, frozen=True):
    """A tool of a server. Satisfies `engine.ports.Tool` while its server is connected."""

    spec: ToolSpec
    name: str
    """What the server calls it."""
    connection: "Connection"

    def __repr__(self) -> str:
        return f"<tool {self.spec.name} of MCP server {self.connection.name}>"

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine."""
        return misfit(mended(arguments, self.spec.parameters), self.spec.parameters)

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Call the tool on its server."""
        sent = mended(arguments, self.spec.parameters)
        if wrong := misfit(sent, self.spec.parameters):
            return error(f"InvalidArguments: {wrong}")
        return await self.connection.call(self.name, sent)


@asynccontextmanager
async def mcp_tools(
    *servers: str | McpServer,
    named: Mapping[str, McpServer] | None = None,
    variables: Mapping[str, str] | None = None,
    notice: Callable[[str], None] | None = None,
    watch: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> AsyncGenerator[list[McpTool], None]:
    """Start or reach MCP servers, and give their tools as long as the context is open.

    A tool of a server asks before it runs, whatever the server says of it, unless the settings say what it does
    (``effects={"get_current_time": "read"}``) or that the server is believed (``trust_hints=True``). What it returns
    counts as written by others, unless ``trusted_output=True``. A server that dies during a call makes that call fail
    and is started again for the next one. Processes are ended with all that they started when the context is left.

    Args:
        servers: commands with their arguments, addresses (``https://…``), or settings
        named: servers by the name that their tools' names begin with; others are named after their command or host
        variables: where the values of secrets are that the settings name; the environment if None
        notice: is told, in a line, what a person should know: a tool that is left out, a server that is started again
        watch: is told how far calls are
        settings: fields of `McpServer` for servers that are given as text

    Raises:
        MissingExtra: the package `mcp` is not installed
        UsageError: a server cannot be started or reached, or what it lists cannot be offered
    """
    connection_of = _connections()
    chosen = named_servers(servers, named or {}, settings)
    known = os.environ if variables is None else variables
    told, seen = notice or _ignored, watch or _ignored
    connections = [connection_of(name, server, known, notice=told, watch=seen) for name, server in chosen.items()]
    try:
        tools = list[McpTool]()
        for one, listed in zip(connections, await _all_open(connections), strict=True):
            for offer in offered(listed, one.name, one.server, told):
                tools.append(_named_apart(offer, one, tools))
        yield tools
    finally:
        await asyncio.gather(*(one.close() for one in connections))


async def _all_open(connections: "Sequence[Connection]") -> "list[list[Listed]]":
    """What all servers list; they are started side by side.

    Raises:
        UsageError: of the first that cannot be used, in their order
    """
    found = await asyncio.gather(*(one.open() for one in connections), return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if not isinstance(one, BaseException)]


def named_servers(
    servers: Sequence[str | McpServer], named: Mapping[str, McpServer], settings: Mapping[str, Any]
) -> dict[str, McpServer]:
    """All servers by their names.

    Raises:
        UsageError: a setting is not known, or a name cannot be one
    """
    found = dict[str, McpServer]()
    for name, server in named.items():
        if not re.fullmatch(rf"[a-zA-Z0-9_-]{{1,{_ORIGIN}}}", name):
            raise UsageError(
                f"MCP server {name!r} cannot be called so: a name has letters, digits, _ and -, at most {_ORIGIN}"
            )
        found[name] = server
    for given in servers:
        server = _with_settings(given, settings) if isinstance(given, str) else given
        base = name = name_of(server)
        number = 2
        while name in found:
            name, number = f"{base}_{number}", number + 1
        found[name] = server
    return found


def name_of(server: McpServer) -> str:
    """A short name for a server: of its program or package, or of its host."""
    if server.url:
        labels = (urlsplit(server.url).hostname or "").split(".")
        whole = next((label for label in labels if label not in ("www", "mcp", "api")), labels[0])
    else:
        whole = _package((server.command, *server.args))
    plain_name = re.sub(r"[^a-zA-Z0-9_-]+", "_", whole).strip("_-")
    if not re.search(r"[a-zA-Z]", plain_name):
        return "server"
    for word in ("mcp-server-", "server-", "mcp-", "mcp_server_", "server_", "mcp_"):
        plain_name = plain_name.removeprefix(word)
    for word in ("-mcp-server", "-server", "-mcp", "_mcp_server", "_server", "_mcp"):
        plain_name = plain_name.removesuffix(word)
    return plain_name[:_ORIGIN].strip("_-") or "server"


def _package(words: Sequence[str]) -> str:
    """The word of a command that says what is run."""
    for word in words:
        base = PurePath(word).name
        known = re.sub(r"[\d.]+$", "", base) in _RUNNERS or base in _RUNNERS
        if word == "-c":
            break
        if not known and word not in _PASSED_OVER and not word.startswith("-"):
            return re.sub(r"(@[\w.^~-]+|\.(?:py|js|mjs|ts|exe))$", "", base) or base
    return PurePath(words[0]).name


def _with_settings(text: str, settings: Mapping[str, Any]) -> McpServer:
    try:
        return replace(server_of(text), **settings)
    except (TypeError, ValueError) as wrong:
        raise UsageError(f"MCP server {text!r}: {wrong}") from None


def _named_apart(offer: Offered, connection: "Connection", before: Sequence[McpTool]) -> McpTool:
    """The tool, under another name where one before it has the same."""
    spec = offer.spec
    if any(one.spec.name == spec.name for one in before):
        spec = replace(spec, name=marked(spec.name, f"{connection.name} {offer.name}"))
    return McpTool(spec, offer.name, connection)


def _connections() -> Callable[..., "Connection"]:
    try:
        from loopwright.toolbox.mcp_server import Connection
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("mcp", "mcp_types", "httpx2", "anyio"):
            raise
        raise MissingExtra("MCP servers need the package mcp: pip install 'loopwright[mcp]'") from None

    def make(name: str, server: McpServer, variables: Mapping[str, str], **told: Any) -> Connection:
        return Connection(name, server, variables, **told)

    return make


def _ignored(_: object) -> None:
    """Nobody wants to know."""
