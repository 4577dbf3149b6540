"""The operations of an HTTP API as tools, read off its OpenAPI document: `openapi_tools`.

Owns the requests: where arguments go, what the secret is, how much is read, and what an answer means. The document is
read in `openapi_document`.
"""

import asyncio
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast, get_args
from urllib.parse import quote, urlencode, urlsplit

from msgspec import Struct, field

from loopwright.core.errors import UsageError
from loopwright.core.messages import Effect, Result, ToolSpec
from loopwright.toolbox.fetch import is_this_machine
from loopwright.toolbox.foreign import MOST_TOOLS, plain, tool_names
from loopwright.toolbox.openapi_document import Operation, Parameter, operations, read_document, server_address
from loopwright.toolbox.settings import offline
from loopwright.tools.artifact import Artifact
from loopwright.tools.result import error, not_found, ok
from loopwright.tools.shape import mended, misfit

EFFECTS: dict[str, Effect] = {"get": "read", "head": "read", "delete": "delete"}
"""What a method does (RFC 9110, 9.2); all others write."""
LARGEST = 2_000_000
"""Bytes of an answer that are read."""
TOLD = 2_000
"""Characters of a refusal that the model is told."""
SECRET = 8
"""Characters from which on a secret is taken out of what an API says; a shorter one stands in too much else."""
_MASK = "[key]"


class Secrets(Struct, frozen=True):
    """Which environment variables hold what an API wants as proof; never their values."""

    bearer_from: str = ""
    headers_from: dict[str, str] = field(default_factory=dict[str, str])
    query_from: dict[str, str] = field(default_factory=dict[str, str])
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def __repr__(self) -> str:
        return f"Secrets({self.bearer_from!r}, {self.headers_from!r}, {self.query_from!r})"

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self.bearer_from or self.headers_from or self.query_from)

    def value(self, variable: str) -> str:
        """The value of a variable.

        Raises:
            UsageError: it is not set, or can be no header
        """
        found = self.variables.get(variable, "").strip()
        if not found:
            raise UsageError(f"the environment variable {variable} is not set, which the API's secret is read from")
        if not (found.isascii() and found.isprintable()):
            raise UsageError(
                f"the environment variable {variable} holds what cannot be sent: it must be ASCII in one line"
            )
        return found

    @property
    def headers(self) -> dict[str, str]:
        """The headers with their values."""
        found = {header: self.value(variable) for header, variable in self.headers_from.items()}
        return {**found, "Authorization": f"Bearer {self.value(self.bearer_from)}"} if self.bearer_from else found

    @property
    def query(self) -> list[tuple[str, str]]:
        """The parts of the query with their values."""
        return [(name, self.value(variable)) for name, variable in self.query_from.items()]

    def without(self, text: str) -> str:
        """The text with a mark in place of every secret, which some servers repeat."""
        named = (self.bearer_from, *self.headers_from.values(), *self.query_from.values())
        for value in (self.value(variable) for variable in named if variable):
            if len(value) < SECRET:
                continue
            for written in (value, json.dumps(value)[1:-1], quote(value, safe="")):
                text = text.replace(written, _MASK)
        return text


class OpenApiTool(Struct, frozen=True):
    """One operation. Satisfies `engine.ports.Tool`."""

    spec: ToolSpec
    operation: Operation
    base_url: str
    headers: dict[str, str]
    secrets: Secrets
    seconds: float
    max_bytes: int

    def __repr__(self) -> str:
        return f"<tool {self.spec.name}: {self.operation.title}>"

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine."""
        given = self._given(arguments)
        return misfit(given, self.spec.parameters) or _unsendable(self.operation, given)

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Send the request. Whatever happens is the result; only CancelledError passes."""
        given = self._given(arguments)
        if wrong := self.check(arguments):
            return error(f"InvalidArguments: {wrong}")
        try:
            return await self._sent(given)
        except UsageError as unset:
            return error(f"NotConfigured: {unset}")

    def _given(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments; a parameter that is null, and need not be given, is not given."""
        must = self.spec.parameters.get("required", ())
        given = {name: value for name, value in arguments.items() if value is not None or name in (*must, "body")}
        return mended(given, self.spec.parameters)

    async def _sent(self, arguments: dict[str, Any]) -> Result:
        import aiohttp
        from yarl import URL

        host = urlsplit(self.base_url).hostname or ""
        here = is_this_machine(host)
        if offline() and not here:
            return error(f"NetworkError: {host} is not reached, because LOOPWRIGHT_OFFLINE is set")
        url = URL(_url(self.base_url, self.operation, arguments, self.secrets.query), encoded=True)
        body, media = _body(self.operation, arguments)
        headers = {"Accept": "application/json", **self.headers, **_headers(self.operation, arguments)}
        headers.update({"Content-Type": media} if body is not None else {}, **self.secrets.headers)
        timeout = aiohttp.ClientTimeout(total=self.seconds)
        try:
            async with (
                aiohttp.ClientSession(
                    timeout=timeout, trust_env=not here, cookie_jar=aiohttp.DummyCookieJar()
                ) as session,
                session.request(self.operation.method, url, data=body, headers=headers, allow_redirects=False) as got,
            ):
                content = await _read(got.content, self.max_bytes)
                return self._told(got.status, got.content_type, got.headers.get("Location", ""), content)
        except TimeoutError:
            return error(f"NetworkError: {host} did not answer within {self.seconds:g} s{self._doubt}")
        except (aiohttp.ClientError, OSError, ValueError) as raised:
            return error(f"NetworkError: {self.secrets.without(f'{host} cannot be reached ({raised})')}{self._doubt}")

    @property
    def _doubt(self) -> str:
        return "" if self.spec.effect == "read" else "; the call may have taken effect"

    def _told(self, status: int, media: str, location: str, content: bytes) -> Result:
        """What an answer means."""
        title = self.operation.title
        if len(content) > self.max_bytes:
            return error(f"ServiceError: {title} answered with more than {self.max_bytes} bytes, status {status}")
        if 200 <= status < 300:
            return ok(self._value(media, content), note="" if status == 200 else f"status {status}")
        said = plain(self.secrets.without(content.decode("utf-8", "replace")), TOLD)
        if status in (404, 410):
            return not_found(f"{title} answered with status {status}{f': {said}' if said else ''}")
        if 300 <= status < 400:
            where = plain(self.secrets.without(location), 200)
            return error(
                f"ServiceError: {title} answered with status {status} and leads to {where}, which is not followed"
            )
        return error(f"ServiceError: {title} answered with status {status}{f': {said}' if said else ''}")

    def _value(self, media: str, content: bytes) -> Any:
        """What a body holds."""
        if not content:
            return None
        try:
            text = self.secrets.without(content.decode())
        except UnicodeDecodeError:
            return Artifact(content, media_type=media if "/" in media else "")
        if media == "application/json" or media.endswith("+json"):
            try:
                value = json.loads(text)
                return json.loads(self.secrets.without(json.dumps(value, ensure_ascii=False)))  # however it was written
            except (ValueError, RecursionError):
                return text
        return text


def openapi_tools(
    document: Mapping[str, Any] | Path | str,
    *,
    base_url: str | None = None,
    operations: Iterable[str] | None = None,
    prefix: str = "",
    effects: Mapping[str, Effect] | None = None,
    headers: Mapping[str, str] | None = None,
    bearer_from: str = "",
    headers_from: Mapping[str, str] | None = None,
    query_from: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    timeout: float = 30.0,
    max_bytes: int = LARGEST,
    max_chars: int = 20_000,
    trusted_output: bool = False,
    notice: Callable[[str], None] | None = None,
) -> list[OpenApiTool]:
    """The operations of an HTTP API as tools.

    GET and HEAD read, DELETE deletes, everything else writes and so asks first; `effects` says it where that is wrong,
    such as a POST that only searches or one that sends or pays. Arguments are the parameters of the operation, and
    `body`. Redirects are not followed. A secret is read from its variable when a call is made; it goes only to an
    address that the caller named, and where the API repeats it, it is taken out of the result.

    Args:
        document: the document itself, a path to a file in JSON or YAML, or its address, which is waited for
        base_url: where the API is; otherwise as the document says, which is not enough where there is a secret
        operations: which of them, by operationId or as ``GET /pets/{id}``; otherwise all
        prefix: what the tools' names begin with
        effects: what operations do, named as in `operations`
        headers: sent with every request; no secrets, they are shown where the tool is
        bearer_from: the environment variable that holds a token for ``Authorization: Bearer``
        headers_from: headers whose value is in an environment variable: the header's name, and the variable's
        query_from: the same for parts of the query
        variables: where the values of secrets are; the environment if None
        timeout: seconds a call may take
        max_bytes: bytes of an answer; a larger one is an error
        max_chars: characters of one result that the model is shown
        trusted_output: whether what the API returns was not written by others
        notice: is told what is left out and why; a warning otherwise

    Raises:
        MissingExtra: the document is YAML, and the package `pyyaml` is not installed
        UsageError: the document cannot be had or read, an operation is not in it, or a secret has no address
    """
    found, origin = read_document(document)
    secrets = Secrets(
        bearer_from, dict(headers_from or {}), dict(query_from or {}), os.environ if variables is None else variables
    )
    base = _base(base_url, server_address(found, origin), secrets)
    known, unfit = _sorted_out(found)
    chosen = _chosen(known, unfit, operations)
    for title, why in unfit.items() if operations is None else ():
        left_out = f"the operation {plain(title, 120)} is left out, because {why}"
        if notice is None:
            warnings.warn(left_out, stacklevel=2)
        else:
            notice(left_out)
    if len(chosen) > MOST_TOOLS:
        raise UsageError(
            f"the document has {len(chosen)} operations, and models take at most {MOST_TOOLS} tools; name those that "
            f"are wanted with operations=[{chosen[0].id!r}, …]"
        )
    effect_of = _effects(known, effects or {})
    names = tool_names(prefix, [operation.id for operation in chosen])
    return [
        OpenApiTool(
            ToolSpec(
                name=name,
                description=operation.description,
                parameters=_offered(operation, secrets),
                effect=(effect := effect_of.get(operation.title) or EFFECTS.get(operation.method, "write")),
                repeatable=effect == "read",
                timeout=timeout,
                max_chars=max_chars,
                trusted_output=trusted_output,
                trusted_description=trusted_output,
            ),
            operation,
            base,
            dict(headers or {}),
            secrets,
            timeout,
            max_bytes,
        )
        for name, operation in zip(names, chosen, strict=True)
    ]


def _base(named: str | None, said: str, secrets: Secrets) -> str:
    if named is None and secrets.any:
        raise UsageError(
            "name the API's address with base_url: a secret goes only to an address that you name yourself"
        )
    base = named or said
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"the document does not say where the API is ({base!r}); name it with base_url='https://…'")
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError("base_url is an address without user, query and fragment; secrets are named with bearer_from")
    if secrets.any and parts.scheme == "http" and not is_this_machine(parts.hostname):
        raise UsageError("a secret is not sent over http, where everybody on the way reads it; use an https address")
    return base.rstrip("/")


def _sorted_out(document: Mapping[str, Any]) -> tuple[dict[str, Operation], dict[str, str]]:
    """The operations by title, and why others cannot be offered."""
    known, unfit = dict[str, Operation](), dict[str, str]()
    for one in operations(document):
        if isinstance(one, Operation):
            known[one.title] = one
        else:
            unfit[one[0]] = one[1]
    return known, unfit


def _chosen(
    known: Mapping[str, Operation], unfit: Mapping[str, str], wanted: Iterable[str] | None
) -> Sequence[Operation]:
    if wanted is None:
        return list(known.values())
    return [_named(name, known, unfit) for name in dict.fromkeys(wanted)]


def _named(name: str, known: Mapping[str, Operation], unfit: Mapping[str, str]) -> Operation:
    """The operation of an id or a title.

    Raises:
        UsageError: there is none, or it cannot be offered
    """
    for operation in known.values():
        if name in (operation.id, operation.title):
            return operation
    if name in unfit:
        raise UsageError(f"the operation {name} cannot be offered, because {unfit[name]}")
    names = [word for one in known.values() for word in (one.id, one.title)]
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {plain(', '.join(names), 300)}"
    raise UsageError(f"the document has no operation {name!r}; {hint}")


def _effects(known: Mapping[str, Operation], effects: Mapping[str, Effect]) -> dict[str, Effect]:
    if strange := next((effect for effect in effects.values() if effect not in get_args(Effect)), None):
        raise UsageError(f"{strange!r} is no effect; it is one of {', '.join(get_args(Effect))}")
    return {_named(name, known, {}).title: effect for name, effect in effects.items()}


def _offered(operation: Operation, secrets: Secrets) -> dict[str, Any]:
    """The parameters that the model gives: not those that a secret is."""
    held = {("header", name.lower()) for name in secrets.headers_from} | {
        ("query", name) for name in secrets.query_from
    }
    hidden = {
        one.argument
        for one in operation.parameters
        if (one.place, one.name.lower() if one.place == "header" else one.name) in held
    }
    schema = operation.schema
    properties = {name: part for name, part in schema["properties"].items() if name not in hidden}
    required = [name for name in schema.get("required", ()) if name not in hidden]
    kept = {key: part for key, part in schema.items() if key not in ("properties", "required")}
    return {**kept, "properties": properties, **({"required": required} if required else {})}


# Where arguments go (OpenAPI 3.1, 4.8.12.3 "Style Values")


def _url(base: str, operation: Operation, arguments: Mapping[str, Any], secret: Sequence[tuple[str, str]]) -> str:
    pairs = list[tuple[str, str]]()
    for one in operation.parameters:
        if one.place == "query" and one.argument in arguments:
            pairs += _pairs(one, arguments[one.argument])
    path = quote(_path(operation, arguments), safe="/%,:@!$&()*+;=~")
    query = urlencode([*pairs, *secret], quote_via=quote)
    return f"{base}{path}{f'?{query}' if query else ''}"


def _headers(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, str]:
    given = [(one, arguments[one.argument]) for one in operation.parameters if one.argument in arguments]
    found = {one.name: _joined(value, one) for one, value in given if one.place == "header"}
    cookies = [f"{one.name}={quote(_joined(value, one))}" for one, value in given if one.place == "cookie"]
    return {**found, "Cookie": "; ".join(cookies)} if cookies else found


def _body(operation: Operation, arguments: Mapping[str, Any]) -> tuple[bytes | None, str]:
    if not operation.body or "body" not in arguments:
        return None, ""
    value = arguments["body"]
    if operation.body == "text/plain":
        return _word(value).encode(), "text/plain; charset=utf-8"
    if operation.body == "application/x-www-form-urlencoded":
        members = cast("dict[str, Any]", value) if isinstance(value, dict) else {"value": value}
        pairs = [(name, _word(one)) for name, many in members.items() for one in _each(many)]
        return urlencode(pairs).encode(), operation.body
    return json.dumps(value, ensure_ascii=False).encode(), operation.body


def _each(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _unsendable(operation: Operation, arguments: Mapping[str, Any]) -> str:
    """What of arguments that fit the schema cannot stand where it goes."""
    for one in operation.parameters:
        if one.argument not in arguments:
            continue
        text = _joined(arguments[one.argument], one)
        if one.place == "path" and not text:
            return f"{one.argument}: it is a part of the address, so it must not be empty"
        if one.place in ("header", "cookie") and not (text.isascii() and text.isprintable()):
            return f"{one.argument}: it is sent in a header, so it must be ASCII in one line"
    if {".", ".."} & set(_path(operation, arguments).split("/")):
        return "the arguments would lead to another address, because a part of the path would be . or .."
    return ""


def _path(operation: Operation, arguments: Mapping[str, Any]) -> str:
    """The path with its arguments, each as one part of it whatever is in it."""
    path = operation.path
    for one in operation.parameters:
        if one.place == "path" and one.argument in arguments:
            path = path.replace(f"{{{one.name}}}", quote(_joined(arguments[one.argument], one), safe=","))
    return path


def _pairs(one: Parameter, value: Any) -> list[tuple[str, str]]:
    """The parts of a query that a value is."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        if one.style == "deepObject":
            return [(f"{one.name}[{name}]", _word(part)) for name, part in members]
        if one.explode:
            return [(name, _word(part)) for name, part in members]
    if isinstance(value, list) and one.explode:
        return [(one.name, _word(part)) for part in cast("list[Any]", value)]
    return [(one.name, _joined(value, one))]


def _joined(value: Any, one: Parameter) -> str:
    """A value as one text."""
    between = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(one.style, ",")
    if isinstance(value, list):
        return between.join(map(_word, cast("list[Any]", value)))
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        equal = "=" if one.explode else between
        return between.join(f"{name}{equal}{_word(part)}" for name, part in members)
    return _word(value)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


async def _read(content: Any, most: int) -> bytes:
    """The body, and a byte more than is allowed where there is more."""
    parts = bytearray()
    try:
        async for part in content.iter_any():
            parts += part
            if len(parts) > most:
                return bytes(parts[: most + 1])
    except asyncio.IncompleteReadError as broken:
        raise OSError("the connection broke") from broken
    return bytes(parts)
