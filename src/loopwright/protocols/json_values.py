"""JSON from others and for others: decoded leniently, looked at without trust, encoded so that it can always be sent.

Owns the step from a JSON value of unknown shape to a typed one. What a value means is the business of the dialects.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec

from loopwright.protocols.envelope import writable

_DEEPEST = 500
"""Levels of nesting in what is decoded at all."""

_HALF = re.compile(r"[\ud800-\udfff]")

Choice = TypeVar("Choice")

MOST = 10**15
"""A count or price that is not below this is none."""


def decoded(data: bytes) -> Any:
    """The JSON value of these bytes; None if they are none, or nested deeper than encoders can bear.

    What the strict decoder refuses is tried again, because some servers cut characters in two, or write bare control
    characters. Then texts may hold halves of surrogate pairs, which also stand for bytes that are no character, and
    numbers may be infinite or none.
    """
    try:
        value = _decoded(data)
    except (ValueError, RecursionError):
        return None
    deep = data.count(b"[") + data.count(b"{") > _DEEPEST and is_deeper(value, _DEEPEST)
    return None if deep else value


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return json.loads(data.decode("utf-8", "surrogateescape"), strict=False)


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested in a value more than so many levels deep."""
    level: list[Any] = [value]
    for _ in range(levels):
        inner = [list(cast("dict[str, Any]", item).values()) if isinstance(item, dict) else item for item in level]
        level = [item for found in inner if isinstance(found, list) for item in cast("list[Any]", found)]
        if not level:
            return False
    return True


def encoded(value: Any) -> bytes:
    """A value as JSON in UTF-8; halves of surrogate pairs are replaced."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_writable(value))


def argument_text(value: Any) -> str:
    """The arguments of a call that came as a value, as JSON text.

    With a number that JSON has not, such as infinity, the text is no JSON either: so the call is rejected, and does not
    run with nothing in the place of the number. Halves of characters are written as `with_halves` does.
    """
    try:
        text = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return with_halves(json.dumps(value, ensure_ascii=False))
    if "null" not in text:
        return text
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(value, ensure_ascii=False)
    return text


def with_halves(text: str) -> str:
    """The JSON text of arguments so that it can be written down, with halves of surrogate pairs as JSON escapes them.

    They are not replaced: the call is rejected for them, and does not run with a character that nobody wrote.
    """
    if text.isascii():
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", joined)


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return [_writable(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {writable(key): _writable(item) for key, item in cast("dict[str, Any]", value).items()}
    return value


def is_object(text: str) -> bool:
    """Whether a text is one JSON object."""
    try:
        msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if value.__class__ is dict else {}  # asked for every piece of every reply, so without a cast


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, a list of it if it is an object, else an empty list."""
    if value.__class__ is list:
        return value
    return [value] if value.__class__ is dict else []


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list; what is none is an empty one."""
    return [item if item.__class__ is dict else {} for item in as_list(value)]


def chosen(choices: Sequence[Choice], index_of: Callable[[Choice], object], *, whole: bool) -> list[Choice]:
    """The one of several answers to the same question that counts, as a list of none or one.

    It is the first with the index 0, or without any; in a whole body, which holds all of them, else the first.
    """
    for index in (0, None):
        for choice in choices:
            if index_of(choice) == index:
                return [choice]
    return list(choices[:1]) if whole else []


def as_text(value: object) -> str:
    """The value if it is text, else none; a number becomes text, because ids are numbers somewhere."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def as_count(value: object) -> int:
    """The value if it is a count of tokens, else 0."""
    return int(value) if isinstance(value, int | float) and 0 <= value < MOST else 0
