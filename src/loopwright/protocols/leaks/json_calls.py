"""Reads calls written as JSON: ``{"name": ..., "arguments": ...}`` and its relatives, one, several or in a wrapper.

Owns which keys make an object a call. Where such JSON stands, and whether it counts there, is decided elsewhere.
"""

import re
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.arguments import read_input
from loopwright.protocols.balance import value_end
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.leaks.found import (
    NAMELESS,
    SCHEMA,
    UNREADABLE,
    Found,
    Specs,
    broken_off,
    made,
    refused,
    rejected,
    tool_name,
)
from loopwright.protocols.repair import Arguments, fit_schema, read_arguments, read_value
from loopwright.protocols.schemas import properties

_NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
_ARGUMENT_KEYS = (
    "arguments",
    "parameters",
    "args",
    "params",
    "kwargs",
    "tool_args",
    "tool_arguments",
    "tool_parameters",
)
_INPUT_KEYS = ("input", "tool_input", "action_input")
_BESIDE = ("id", "type", "index", "call_id", "tool_call_id", "thought", "thoughts", "reasoning")
"""Keys that may stand beside the call."""
_IDENTITY_KEYS = ("id", "tool_call_id", "call_id")
_LISTS = ("tool_calls", "tool_uses", "function_calls", "calls")
_WRAPPERS = ("tool_call", "function_call", "function", "action")
_DEPTH = 3
"""How many objects may lie around the one that names the tool."""
_PARALLEL = "multi_tool_use.parallel"

NAMED = re.compile(rf"""[{{\[\s]*+["'](?:{"|".join(_NAME_KEYS)})["']\s*+:\s*+["']([^"'\n]{{1,100}})["']""")
"""The beginning of JSON that names a tool, for what cannot be decoded."""

_FENCE = re.compile(r"```[\w+-]*[ \t]*\r?\n?\s*+")
_FENCE_END = re.compile(r"\s*+```")


class Written(Struct, frozen=True):
    """A call object, before its arguments are read."""

    name: str
    value: Raw
    free: bool = False
    """Whether the arguments may be the one value that the tool needs."""
    identity: str = ""
    reason: str = ""
    """Why it must not run."""


def calls_in(source: str, specs: Specs) -> list[Call] | None:
    """The calls of one JSON value; None if it is no call, or not only calls.

    JSON that cannot be decoded is a rejected call if it names a tool.
    """
    decoded = read_value(source)
    if decoded.state == "rejected":
        named = NAMED.match(source)
        return [refused(tool_name(named[1], specs), source, decoded.reason)] if named else None
    strict = decoded.state == "strict"
    raw = Raw(source.encode() if strict else msgspec.json.encode(decoded.value))
    written = _written(raw)
    if not written:
        return None
    state = Arguments({}, decoded.state, decoded.reason)
    return [_call(item, state, "" if strict else source, specs) for item in written]


def read_json(text: str, position: int, specs: Specs) -> Found:
    """The calls of the JSON that begins at `position`; what does not end, or is no call, is a problem."""
    end = value_end(text, position)
    source = text[position : end if end >= 0 else None]
    if end < 0:
        named = NAMED.match(source)
        if named is None:
            return Found(len(text), problem=UNREADABLE)
        return Found(len(text), (broken_off(refused(tool_name(named[1], specs), source, _cut(source))),))
    calls = calls_in(source, specs)
    return Found(end, problem=NAMELESS) if calls is None else Found(end, tuple(calls))


def read_object(text: str, position: int, spec: ToolSpec | None) -> tuple[Arguments, str, int]:
    """The arguments that begin at `position`, in a code fence or not: as read, as written, and where they end.

    An object that does not end is rejected, and nothing behind it is read.
    """
    fence = _FENCE.match(text, position)
    start = fence.end() if fence else position
    end = value_end(text, start) if text[start : start + 1] == "{" else -1
    if end < 0:
        return rejected(_cut(text[start:])), text[start:], len(text)
    source = text[start:end]
    read = read_arguments(source)
    if fence:
        close = _FENCE_END.match(text, end)
        if close is None:
            return rejected("the code fence around the arguments is not closed"), source, len(text)
        end = close.end()
    return (fit_schema(read, spec.parameters) if spec else read), source, end


def _cut(source: str) -> str:
    """Why arguments that do not end are rejected."""
    read = read_arguments(source)
    return read.reason if read.state == "rejected" else UNREADABLE


def _written(raw: Raw, depth: int = 0) -> list[Written]:
    """The call objects of a JSON value; empty if there is anything else in it."""
    if bytes(raw).lstrip()[:1] == b"[":
        found = (
            [_written(item, depth + 1) for item in msgspec.json.decode(raw, type=list[Raw])] if depth < _DEPTH else []
        )
        return [item for items in found for item in items] if all(found) else []
    if bytes(raw).lstrip()[:1] != b"{" or depth > _DEPTH:
        return []
    fields = msgspec.json.decode(raw, type=dict[str, Raw])
    inner = _inner(fields)
    if inner is not None:
        return _identified(_written(inner, depth + 1), fields)
    one = _one(fields)
    if one is not None and one.name == _PARALLEL:
        return _written(one.value, depth + 1)
    return [one] if one else []


def _inner(fields: dict[str, Raw]) -> Raw | None:
    """What an object only wraps: a list of calls, or one call."""
    rest = [key for key in fields if key not in _BESIDE]
    if len(rest) != 1:
        return None
    key = rest[0]
    start = bytes(fields[key]).lstrip()[:1]
    if (key in _LISTS and start == b"[") or (key in _WRAPPERS and start == b"{"):
        return fields[key]
    return None


def _identified(found: list[Written], fields: dict[str, Raw]) -> list[Written]:
    identity = _identity(fields)
    if len(found) != 1 or found[0].identity or not identity:
        return found
    return [msgspec.structs.replace(found[0], identity=identity)]


def _identity(fields: dict[str, Raw]) -> str:
    return next((text for key in _IDENTITY_KEYS if key in fields and (text := _text(fields[key]))), "")


def _one(fields: dict[str, Raw]) -> Written | None:
    names = [key for key in _NAME_KEYS if key in fields]
    values = [key for key in (*_ARGUMENT_KEYS, *_INPUT_KEYS) if key in fields]
    others = set(fields) - {*names, *values, *_BESIDE}
    name = _text(fields[names[0]]) if len(names) == 1 else ""
    if not name or others or (not values and names[0] in ("action", "function")):
        return None
    if len(values) > 1:
        return Written(name, Raw(b"{}"), reason=f"it has both {values[0]!r} and {values[1]!r}; send the call again")
    value = fields[values[0]] if values else Raw(b"null")
    return Written(name, value, free=bool(values) and values[0] in _INPUT_KEYS, identity=_identity(fields))


def _text(raw: Raw) -> str:
    value: object = msgspec.json.decode(raw)
    return value if isinstance(value, str) else ""


def _call(written: Written, state: Arguments, source: str, specs: Specs) -> Call:
    """The call of an object; `source` is what was written where that had to be repaired."""
    tool = tool_name(written.name, specs)
    spec = specs.get(tool)
    value: Any = msgspec.json.decode(written.value)
    text = source or (value if isinstance(value, str) else bytes(written.value).decode())
    if written.reason:
        return refused(tool, text, written.reason)
    read = _arguments(value, spec, free=written.free)
    if read.arguments is not None and state.state == "repaired":
        notes = dict.fromkeys(note for note in (state.reason, read.reason) if note)
        read = Arguments(read.arguments, "repaired", "; ".join(notes))
    return made(tool, read, text, written.identity)


def _arguments(value: Any, spec: ToolSpec | None, *, free: bool) -> Arguments:
    if value is None:
        return Arguments({}, "strict", "")
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        if _is_schema(given, spec):
            return rejected(SCHEMA)
        read = Arguments(given, "strict", "")
        return fit_schema(read, spec.parameters) if spec else read
    if free:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        return read_input(text.strip(), spec, ENGLISH.problems)
    read = read_arguments(value if isinstance(value, str) else msgspec.json.encode(value).decode())
    return fit_schema(read, spec.parameters) if spec and read.arguments is not None else read


def _is_schema(given: dict[str, Any], spec: ToolSpec | None) -> bool:
    """Whether an object is a JSON Schema of parameters, and not values for parameters of such names."""
    known = properties(spec.parameters) if spec else {}
    return given.get("type") == "object" and isinstance(given.get("properties"), dict) and "properties" not in known
