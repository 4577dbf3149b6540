"""JSON from others and for others: decoded leniently, looked at without trust, encoded so that it can always be sent.

Owns the step from a JSON value of unknown shape to a typed one. What a value means is the business of the dialects.
"""

import json
from typing import Any, cast

import msgspec

from loopwright.protocols.envelope import writable

MOST = 10**15
"""A count or price that is not below this is none."""


def decoded(data: bytes) -> Any:
    """The JSON value of these bytes; None if they are none.

    What the strict decoder refuses is tried again, because some servers cut characters in two, or write bare control
    characters.
    """
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        return None
    except msgspec.DecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"), strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def encoded(value: Any) -> bytes:
    """A value as JSON in UTF-8; halves of surrogate pairs are replaced."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_writable(value))


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


def as_text(value: object) -> str:
    """The value if it is text, else none; a number becomes text, because ids are numbers somewhere."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def as_count(value: object) -> int:
    """The value if it is a count of tokens, else 0."""
    return int(value) if isinstance(value, int | float) and 0 <= value < MOST else 0
