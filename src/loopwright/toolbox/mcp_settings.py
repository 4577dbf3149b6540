"""What a person sets about one MCP server, and where its secrets come from.

Owns the settings and what is wrong with them. Nothing here starts, connects to or knows the protocol of a server, and
no value of a secret is in a setting: it is named, and read from the environment when the server is started.
"""

import re
import shlex
from collections.abc import Mapping
from typing import get_args
from urllib.parse import urlsplit

from msgspec import Struct, field

from loopwright.core.errors import UsageError
from loopwright.core.messages import Effect
from loopwright.toolbox.fetch import is_this_machine

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LIKE_A_SECRET = re.compile(r"(?i)(?:^|[-_])(?:token|secret|password|passwd|apikey|api[-_]key|key|auth|bearer)(?:=|$)")
EVERY = "*"


class McpServer(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One server: a command that is started, or an address that is connected to.

    Raises:
        ValueError: the settings do not fit together; the text says which and what to do
    """

    command: str = ""
    """A program; it is started without a shell."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])
    """Variables for it, beside the few that every program needs (PATH, HOME …). It gets no others, so no keys."""
    env_from: tuple[str, ...] = ()
    """Names of variables of our own environment that it gets as well."""
    cwd: str = ""
    """The folder that it is started in; the working folder if empty."""
    url: str = ""
    """Address of a server that speaks streamable HTTP."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    headers_from: dict[str, str] = field(default_factory=dict[str, str])
    """Headers whose value is in an environment variable: the header's name, and the variable's."""
    bearer_from: str = ""
    """The environment variable that holds a token for ``Authorization: Bearer``."""
    allow: tuple[str, ...] | None = None
    """The tools that are offered, by the server's own names; all of them if None."""
    effects: dict[str, Effect] = field(default_factory=dict[str, Effect])
    """What tools do, by the server's own names, or ``*`` for all others; counts before what the server says."""
    trust_hints: bool = False
    """Whether the server is believed when it says that a tool only reads, so that such a tool runs without asking."""
    trusted_output: bool = False
    """Whether what its tools return was not written by others."""
    start_seconds: float = 30.0
    """How long the server may take until it has said what its tools are."""
    timeout: float = 120.0
    """Seconds that one call may take."""
    max_chars: int = 20_000
    """Characters of one result that the model is shown."""

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ValueError("an MCP server has either a command or a url")
        if self.url:
            _check_url(self.url)
        _check_fit(self)
        for name in (*self.env, *self.env_from, *self.headers_from.values(), *filter(None, (self.bearer_from,))):
            if not _VARIABLE.fullmatch(name):
                raise ValueError(f"{name!r} is no name of an environment variable")
        for tool, effect in self.effects.items():
            if effect not in get_args(Effect):
                raise ValueError(f"effect of {tool} is {effect!r}; it is one of {', '.join(get_args(Effect))}")
        for name, value in (("start_seconds", self.start_seconds), ("timeout", self.timeout)):
            if not value > 0:
                raise ValueError(f"{name} is {value}; it must be above 0")
        if self.max_chars < 1:
            raise ValueError(f"max_chars is {self.max_chars}; it must be above 0")

    @property
    def place(self) -> str:
        """The server in a few words, as a person would write it; never a value of ``env`` or ``headers``."""
        return self.url or shlex.join((self.command, *self.args))

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that are given to it."""
        return tuple(dict.fromkeys((*self.env_from, *self.headers_from.values(), *filter(None, (self.bearer_from,)))))


def server_of(text: str) -> McpServer:
    """The server that a person names in one text: a command with arguments, or an address.

    Raises:
        UsageError: it is neither, or holds what looks like a secret, which would end up in the journal
    """
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return made({"url": text}, "given by its address")  # the text may hold a secret
    try:
        words = shlex.split(text)
    except ValueError as wrong:
        raise UsageError(
            f"the MCP server {text!r} is no command that can be read ({wrong}); check the quotes"
        ) from None
    if not words:
        raise UsageError("an MCP server is a command with its arguments, or an address that begins with https://")
    if secret := next((word for word in words[1:] if _LIKE_A_SECRET.search(word)), None):
        raise UsageError(
            f"the MCP server {words[0]!r} is given {secret.partition('=')[0]!r} on its command line, which is written "
            "into the journal; name the server in loopwright.toml and the secret's variable in its env_from"
        )
    return made({"command": words[0], "args": tuple(words[1:])}, words[0])


def made(fields: Mapping[str, object], name: str) -> McpServer:
    """A server of settings.

    Raises:
        UsageError: they do not fit together
    """
    try:
        return McpServer(**fields)  # pyright: ignore[reportArgumentType]
    except ValueError as wrong:
        raise UsageError(f"MCP server {name}: {wrong}") from None


def given(server: McpServer, variables: Mapping[str, str], name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The variables and the headers that a server gets, with the values of its secrets.

    Args:
        server: whose settings name them
        variables: where the values are
        name: of the server, for the person

    Raises:
        UsageError: a variable that is named is not set
    """

    def value_of(variable: str) -> str:
        value = variables.get(variable, "")
        if not value.strip():
            raise UsageError(f"MCP server {name!r} needs the environment variable {variable}, which is not set")
        return value.strip()

    env = {**server.env, **{variable: value_of(variable) for variable in server.env_from}}
    headers = {**server.headers, **{header: value_of(variable) for header, variable in server.headers_from.items()}}
    if server.bearer_from:
        headers["Authorization"] = f"Bearer {value_of(server.bearer_from)}"
    if broken := next((header for header, value in headers.items() if not _is_header(header, value)), None):
        raise UsageError(f"MCP server {name!r}: the header {broken!r} cannot be sent; it must be one line of ASCII")
    return env, headers


def _is_header(name: str, value: str) -> bool:
    return (
        f"{name}{value}".isascii() and value.isprintable() and bool(re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name))
    )


def _check_fit(server: McpServer) -> None:
    of_commands = (server.args, server.env, server.env_from, server.cwd)
    of_addresses = (server.headers, server.headers_from, server.bearer_from)
    if server.url and any(of_commands):
        raise ValueError("args, env, env_from and cwd are for a server with a command, not for one with a url")
    if server.command and any(of_addresses):
        raise ValueError(
            "headers, headers_from and bearer_from are for a server with a url, not for one with a command"
        )
    if server.variables and server.url.startswith("http:") and not is_this_machine(urlsplit(server.url).hostname or ""):
        raise ValueError("a secret is not sent over http, where everybody on the way reads it; use an https address")
    if any("\0" in text for text in (server.command, *server.args, *server.env.values(), server.cwd)):
        raise ValueError("a text holds a NUL byte")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        raise ValueError(f"{url!r} is no address") from None
    if not known:
        raise ValueError(f"{url!r} is no address; it must begin with https:// or http://")
    if parts.username is not None or parts.password is not None:
        raise ValueError("the url holds a user or a password; name a variable with bearer_from or headers_from instead")
    if secret := next((part for part in parts.query.split("&") if _LIKE_A_SECRET.search(part)), None):
        raise ValueError(
            f"the url holds {secret.partition('=')[0]!r}, which would be written down; "
            "name a variable with bearer_from or headers_from instead"
        )
