"""What others wrote about their tools, made fit to be shown to a model and a person.

Owns names, descriptions and schemas that come from outside: of a server, of a document, of another library. They are
not trusted: signs that are not seen, that turn the direction of writing or command a terminal are taken out, and no
line of theirs stands alone, so that none can pass for a line of the prompt. Nothing here decides what a tool may do.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any, cast

import msgspec

from loopwright.core.messages import unwritable
from loopwright.tools.shape import Schema

NAME = 64
"""Characters of a tool's name that every provider takes."""
DESCRIPTION = 2_000
"""Characters of a description that the model is shown."""
SCHEMA = 40_000
"""Bytes of a schema, as JSON text, that a tool may have."""
MOST_TOOLS = 128
"""Tools that every provider takes in one request."""
_SEEN = frozenset({"L", "M", "N", "P", "S", "Z"})
_MARK = 6
"""Hexadecimal digits that tell names apart which would be the same."""


class Unfit(Exception):
    """A tool cannot be offered to a model; the text says why."""


def plain(text: str, most: int = DESCRIPTION) -> str:
    """The text in one line, without signs that are not seen; what is left out behind `most` characters is counted."""
    seen = "".join(sign if unicodedata.category(sign)[0] in _SEEN or sign.isspace() else "" for sign in text)
    line = " ".join(seen.split())
    return line if len(line) <= most else f"{line[:most].rstrip()} … ({len(line) - most} more characters left out)"


def plain_schema(schema: object) -> Schema:
    """A schema of type object with texts in one line each.

    Raises:
        Unfit: it is none, is too large, too deep, or holds what JSON cannot carry
    """
    if not isinstance(schema, dict):
        raise Unfit("its parameters are not described by a JSON Schema")
    found = cast("Schema", schema)
    if found.get("type", "object") != "object":
        raise Unfit(f"its parameters are of type {plain(repr(found['type']), 40)}, not an object")
    if wrong := unwritable(found, "its schema"):
        raise Unfit(plain(wrong, 200))
    if len(msgspec.json.encode(found)) > SCHEMA:
        raise Unfit(f"its schema has more than {SCHEMA} bytes")
    named: object = found.get("properties")
    properties: Schema = (
        {name: _plain_part(part) for name, part in cast("Schema", named).items() if _is_name(name)}
        if isinstance(named, dict)
        else {}
    )
    rest = {key: _plain_part(part) for key, part in found.items() if key not in ("$schema", "title", "description")}
    return {**rest, "type": "object", "properties": properties}


def tool_name(origin: str, name: str) -> str:
    """A name that providers take, of where a tool is from and what it is called there.

    One that is too long is cut, and ends with a mark made of the whole of it, so that it is the same every time.
    """
    whole = f"{origin}_{name}" if origin else name
    sound = re.sub(r"[^a-zA-Z0-9_-]+", "_", whole).strip("_") or "tool"
    return sound if len(sound) <= NAME else marked(sound, whole)


def tool_names(origin: str, names: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """A name for each of these, no two alike and none of those taken, which does not depend on their order."""
    sound = [tool_name(origin, name) for name in names]
    return [
        one if sound.count(one) == 1 and one not in taken else marked(one, f"{origin}_{name}")
        for one, name in zip(sound, names, strict=True)
    ]


def marked(name: str, whole: str) -> str:
    """The name with a mark that is made of a text."""
    digest = hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:_MARK]
    return f"{name[: NAME - _MARK - 1]}_{digest}"


def _is_name(name: str) -> bool:
    """Whether a parameter's name can be shown as it is; a tool that needs another one cannot be called."""
    if not name or len(name) > NAME * 2 or plain(name) != name:
        raise Unfit(f"it has a parameter of the odd name {plain(repr(name), 80)}")
    return True


def _plain_part(part: Any, key: str = "") -> Any:
    """A part of a schema with its descriptions in one line; values that may be sent stay as they are."""
    if isinstance(part, list):
        return [_plain_part(item) for item in cast("list[Any]", part)]
    if isinstance(part, dict):
        parts = cast("Schema", part)
        return {
            name: inner if name in ("enum", "const", "default") else _plain_part(inner, name)
            for name, inner in parts.items()
            if not (name == "title" and isinstance(inner, str) and key not in ("properties", "$defs"))
        }
    return plain(part) if isinstance(part, str) and key in ("description", "title", "$comment") else part
