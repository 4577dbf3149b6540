"""What an OpenAPI document says of an API: its operations, with their parameters and bodies.

Owns the reading of documents of OpenAPI 3.0 and 3.1 (https://spec.openapis.org/oas/latest.html). References are
followed within the document only. Nothing here sends a request to the API.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from msgspec import Struct

from loopwright.core.errors import MissingExtra, UsageError
from loopwright.toolbox.fetch import is_this_machine
from loopwright.toolbox.foreign import Unfit, plain, plain_schema
from loopwright.toolbox.settings import offline
from loopwright.tools.shape import Schema

Place = Literal["path", "query", "header", "cookie"]
METHODS = ("get", "head", "post", "put", "patch", "delete")
LARGEST = 10 << 20
"""Bytes of a document."""
SECONDS = 30.0
_DEPTH, _NODES = 24, 20_000
"""Levels, and parts in all, that references may lead to in one schema."""
_NOISE = frozenset({"example", "examples", "xml", "externalDocs", "discriminator", "deprecated", "contentEncoding"})
_NOT_OFFERED = frozenset({"authorization", "accept", "content-type", "host", "cookie", "content-length", "connection"})
"""Headers that are not the model's to set; the first three are passed over by the specification itself."""


class Parameter(Struct, frozen=True):
    """Where an argument goes."""

    argument: str
    """What the model calls it."""
    name: str
    """What the API calls it."""
    place: Place
    style: str
    explode: bool


class Operation(Struct, frozen=True):
    """One operation of an API."""

    id: str
    method: str
    """In lower case."""
    path: str
    description: str
    schema: Schema
    """JSON Schema of the arguments."""
    parameters: tuple[Parameter, ...] = ()
    body: str = ""
    """The media type of the argument ``body``; empty where there is none."""

    @property
    def title(self) -> str:
        """Method and path, as documents write them: ``GET /pets/{id}``."""
        return f"{self.method.upper()} {self.path}"


def read_document(source: Mapping[str, Any] | Path | str) -> tuple[dict[str, Any], str]:
    """A document, and the address that it came from, which is empty where it came from none.

    Args:
        source: the document itself, a path to a file in JSON or YAML, or its address. An address is waited for.

    Raises:
        MissingExtra: it is YAML, and the package `pyyaml` is not installed
        UsageError: it cannot be had, or is no document of OpenAPI 3
    """
    if isinstance(source, Mapping):
        return _checked(dict(source), "the document"), ""
    text = str(source)
    if text.startswith(("http://", "https://")):
        return _checked(_decoded(_fetched(text), text), text), text
    try:
        content = Path(source).read_bytes()
    except OSError as failed:
        raise UsageError(f"cannot read the OpenAPI document {text}: {failed.strerror}") from None
    return _checked(_decoded(content, text), text), ""


def server_address(document: Mapping[str, Any], origin: str) -> str:
    """The address that a document gives for its API, resolved against where it came from; empty where it gives none."""
    servers: object = document.get("servers")
    first: object = cast("list[Any]", servers)[0] if isinstance(servers, list) and servers else None
    url: object = cast("dict[str, Any]", first).get("url") if isinstance(first, dict) else None
    if not isinstance(url, str) or "{" in url:
        return ""
    found = urljoin(origin, url) if origin else url
    return found if found.startswith(("http://", "https://")) else ""


def operations(document: Mapping[str, Any]) -> Iterator[Operation | tuple[str, str]]:
    """All operations in the order of the document; one that cannot be offered as its title and why."""
    paths = _table(document.get("paths"))
    for path, item in paths.items():
        shared = _resolved(_table(item), document)
        for method in METHODS:
            if method in shared:
                yield _operation(path, method, _table(shared[method]), shared, document)


def _operation(
    path: str, method: str, said: dict[str, Any], shared: dict[str, Any], document: Mapping[str, Any]
) -> Operation | tuple[str, str]:
    title = f"{method.upper()} {path}"
    try:
        named = _parameters([*_list(shared.get("parameters")), *_list(said.get("parameters"))], document)
        media, body, needed = _body(said.get("requestBody"), document)
        properties = {parameter.argument: schema for parameter, schema, _ in named}
        required = [parameter.argument for parameter, _, must in named if must]
        if media:
            properties["body"] = body
            required += ["body"] if needed else []
        schema: Schema = {"type": "object", "properties": properties}
        missing = set(re.findall(r"{([^{}]+)}", path)) - {one.name for one, _, _ in named if one.place == "path"}
        if missing:
            raise Unfit(f"its path has {', '.join(sorted(missing))}, which its parameters do not describe")
        words = [str(said.get(key) or shared.get(key) or "") for key in ("summary", "description")]
        return Operation(
            id=str(said.get("operationId") or title),
            method=method,
            path=path,
            description=plain(". ".join(word.strip().rstrip(".") for word in words if word.strip())) or title,
            schema=plain_schema({**schema, "required": required} if required else schema),
            parameters=tuple(parameter for parameter, _, _ in named),
            body=media,
        )
    except Unfit as unfit:
        return title, str(unfit)


def _parameters(said: list[Any], document: Mapping[str, Any]) -> list[tuple[Parameter, Schema, bool]]:
    """Parameters with their schemas and whether they must be given; those of an operation replace those of its path."""
    by_place: dict[tuple[str, str], dict[str, Any]] = {}
    for one in said:
        parameter = _resolved(_table(one), document)
        by_place[str(parameter.get("in")), str(parameter.get("name"))] = parameter
    found = list[tuple[Parameter, Schema, bool]]()
    taken = set[str]({"body"})
    for (place, name), parameter in by_place.items():
        must = parameter.get("required") is True
        if place == "header" and name.lower() in _NOT_OFFERED:
            continue
        if place not in ("path", "query", "header", "cookie"):
            raise Unfit(
                f"it has a parameter {plain(name, 80)!r} in {plain(place, 40)!r}, which is no place of OpenAPI 3"
            )
        sound = re.sub(r"[^a-zA-Z0-9_.-]+", "_", name).strip("_") or "value"
        argument = f"{place}_{sound}" if sound in taken else sound
        taken.add(argument)
        usual = {"path": "simple", "header": "simple"}.get(place, "form")
        style = str(parameter.get("style") or usual)
        explode = parameter.get("explode")
        schema = _inlined(parameter.get("schema") or _content(parameter.get("content")), document)
        if text := parameter.get("description"):
            schema = {**schema, "description": str(text)}
        exploded = explode if isinstance(explode, bool) else style == "form"
        found.append((Parameter(argument, name, place, style, exploded), schema, must))
    return found


def _body(said: object, document: Mapping[str, Any]) -> tuple[str, Schema, bool]:
    """Media type, schema and need of a body; an empty media type where there is none."""
    body = _resolved(_table(said), document)
    content = _table(body.get("content"))
    if not content:
        return "", {}, False
    for media in content:
        kind = media.partition(";")[0].strip().lower()
        if kind in ("application/json", "application/x-www-form-urlencoded", "text/plain") or kind.endswith("+json"):
            schema = _inlined(_table(content[media]).get("schema"), document)
            if text := body.get("description"):
                schema.setdefault("description", str(text))
            return kind, schema, body.get("required") is True
    raise Unfit(f"its body is {plain(', '.join(content), 80)}; only JSON, forms and plain text can be sent")


def _content(said: object) -> object:
    """The schema of a parameter that is written as content."""
    return next((_table(media).get("schema") for media in _table(said).values()), None)


def _inlined(said: object, document: Mapping[str, Any]) -> Schema:
    """A schema with references replaced by what they lead to, in the words of JSON Schema.

    A type that holds itself is left open where it does so again; the API checks it.
    """
    left = _NODES

    def of(node: Any, above: tuple[str, ...]) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Unfit("its schema is too large")
        if isinstance(node, list):
            return [of(item, above) for item in cast("list[Any]", node)]
        if not isinstance(node, dict):
            return node
        parts = cast("dict[str, Any]", node)
        reference = parts.get("$ref")
        if isinstance(reference, str):
            if reference in above or len(above) >= _DEPTH:
                return {}
            return of(_pointed(reference, document), (*above, reference))
        return _plainly({name: of(part, above) for name, part in parts.items() if name not in _NOISE})

    found = of(said if isinstance(said, dict) else {}, ())
    return cast("Schema", found)


def _plainly(parts: dict[str, Any]) -> dict[str, Any]:
    """What OpenAPI 3.0 writes in its own way, as JSON Schema has it; what the API alone fills in is left out."""
    if parts.pop("nullable", None) is True and isinstance(parts.get("type"), str):
        parts["type"] = [parts["type"], "null"]
    for key in ("exclusiveMinimum", "exclusiveMaximum"):
        if isinstance(parts.get(key), bool):
            bound = parts.pop("minimum" if key == "exclusiveMinimum" else "maximum", None) if parts.pop(key) else None
            parts.update({key: bound} if bound is not None else {})
    named = _table(parts.get("properties"))
    if named:
        filled_in = {name for name, part in named.items() if _table(part).get("readOnly") is True}
        parts["properties"] = {name: _without_marks(part) for name, part in named.items() if name not in filled_in}
        parts["required"] = [name for name in _list(parts.get("required")) if name not in filled_in]
    return parts


def _without_marks(part: Any) -> Any:
    """A member without what OpenAPI says of requests and responses."""
    if not isinstance(part, dict):
        return part
    return {key: one for key, one in cast("dict[str, Any]", part).items() if key not in ("readOnly", "writeOnly")}


def _resolved(said: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    for _ in range(8):
        reference = said.get("$ref")
        if not isinstance(reference, str):
            return said
        said = _table(_pointed(reference, document))
    raise Unfit("its references lead in a circle")


def _pointed(reference: str, document: Mapping[str, Any]) -> Any:
    """What a reference within the document leads to (RFC 6901).

    Raises:
        Unfit: it leads elsewhere, or nowhere
    """
    if not reference.startswith("#/"):
        raise Unfit(f"it refers to {plain(reference, 80)!r}, which is outside of the document")
    found: Any = document
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or name not in found:
            raise Unfit(f"it refers to {plain(reference, 80)!r}, which is not there")
        found = cast("Mapping[str, Any]", found)[name]
    return found


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _checked(document: object, where: str) -> dict[str, Any]:
    found = _table(document)
    version = str(found.get("openapi") or "")
    if not version.startswith("3."):
        old = " of version 2; convert it to version 3" if "swagger" in found else ""
        raise UsageError(f"{where} is no OpenAPI document{old or ' that begins with openapi: 3.…'}")
    if not _table(found.get("paths")):
        raise UsageError(f"{where} describes no operations: it has no paths")
    return found


def _decoded(content: bytes, where: str) -> object:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{where} is not UTF-8 text") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as no_json:
        if text.lstrip().startswith("{"):
            raise UsageError(f"{where} is not JSON that can be read: {no_json}") from None
    try:
        import yaml
    except ModuleNotFoundError:
        raise MissingExtra(f"{where} is YAML, which needs the package pyyaml: pip install pyyaml") from None
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as no_yaml:
        raise UsageError(f"{where} is neither JSON nor YAML that can be read: {no_yaml}") from None


def _fetched(url: str) -> bytes:
    host = urlsplit(url).hostname or ""
    here = is_this_machine(host)
    if offline() and not here:
        raise UsageError(f"{url} is not fetched, because LOOPWRIGHT_OFFLINE is set")
    opener = build_opener(*([ProxyHandler({})] if here else []))
    request = Request(url, headers={"Accept": "application/json, application/yaml"})  # noqa: S310 - http(s) alone
    try:
        with opener.open(request, timeout=SECONDS) as got:
            content: bytes = got.read(LARGEST + 1)
    except (URLError, OSError, ValueError) as failed:
        raise UsageError(f"cannot fetch the OpenAPI document {url}: {plain(str(failed), 200)}") from None
    if len(content) > LARGEST:
        raise UsageError(f"the OpenAPI document {url} has more than {LARGEST >> 20} MiB")
    return content
