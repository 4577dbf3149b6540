"""Gives text between tags its type by the tool's JSON Schema.

Owns the rule that a string keeps its text to the character, and that anything else is one JSON value of the type that
the schema names. Where a value begins and ends is the business of the forms.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from loopwright.core.messages import ToolSpec
from loopwright.protocols.leaks.found import rejected
from loopwright.protocols.repair import Arguments, read_value
from loopwright.protocols.schemas import Schema, accepts, properties, types

_LITERALS: dict[str, Any] = {"True": True, "False": False, "None": None}
"""Templates print Python's own literals into such text, so they are no repair."""
_TYPES: dict[object, tuple[str, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    list: ("array",),
    dict: ("object",),
    type(None): ("null",),
}


class Pair(Struct, frozen=True):
    """One parameter as it was written."""

    name: str
    text: str
    kind: str = ""
    """What the form itself says: ``text`` or ``json``; empty where it says nothing."""


def typed_arguments(pairs: Iterable[Pair], spec: ToolSpec | None) -> Arguments:
    """The arguments of these pairs, each with the type that the schema gives it; a name may occur once."""
    arguments: dict[str, Any] = {}
    notes: list[str] = []
    schema: Schema = spec.parameters if spec else {}
    parts = properties(schema)
    for pair in pairs:
        if pair.name in arguments:
            return rejected(f"the parameter {pair.name!r} was given twice; send the call again")
        value, note = _typed(pair, parts.get(pair.name), schema)
        arguments[pair.name] = value
        notes += [note] if note else []
    return Arguments(arguments, "repaired" if notes else "strict", "; ".join(dict.fromkeys(notes)))


def own_lines(text: str) -> str:
    """The text without the line breaks that put it on lines of its own; every other character is part of it."""
    for mark in ("\r\n", "\n"):
        if text.startswith(mark) and text.endswith(mark) and len(text) >= 2 * len(mark):
            return text[len(mark) : -len(mark)]
    return "" if text in ("\n", "\r\n") else text


def _typed(pair: Pair, part: Schema | None, schema: Schema) -> tuple[Any, str]:
    """The value of a pair and what had to be repaired in it; text that is no value of its type stays text.

    Whoever checks the arguments refuses such text and says so.
    """
    if part is None or not types(part, schema):
        return _untyped(pair, part, schema)
    if accepts(part, "string", schema):
        return pair.text, ""
    bare = pair.text.strip()
    if bare in _LITERALS:
        value, note = _LITERALS[bare], ""
    else:
        decoded = read_value(bare)
        value, note = decoded.value, decoded.reason
        if decoded.state == "rejected":
            return pair.text, ""
    fits = any(kind in types(part, schema) for kind in _TYPES.get(_class(value), ()))
    return (value, note) if fits else (pair.text, "")


def _class(value: object) -> type:
    return type(value)


def _untyped(pair: Pair, part: Schema | None, schema: Schema) -> tuple[Any, str]:
    """Without a type in the schema the form decides, if it says anything; else text is text."""
    wants_json = part is not None and not accepts(part, "string", schema)
    if pair.kind != "json" and not wants_json:
        return pair.text, ""
    decoded = read_value(pair.text)
    return (pair.text, "") if decoded.state == "rejected" else (decoded.value, decoded.reason)
