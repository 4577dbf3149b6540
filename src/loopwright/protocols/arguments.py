"""Turns what a model wrote as a tool's input into arguments, by the tool's JSON Schema: strict, repaired or rejected.

Owns the step from text to named arguments. Reading JSON and what counts as a repair is `repair`; whether the values are
valid is checked where the tool runs. A name or a value that was not written is never made up.
"""

import ast
import re
from typing import Any, cast

import msgspec

from loopwright.core.messages import ToolSpec
from loopwright.protocols.labels import Problems
from loopwright.protocols.repair import Arguments, fit_schema, read_arguments, read_value
from loopwright.protocols.schemas import accepts, properties, required, shape

UNKNOWN = "input"
"""The name that the input of an unknown tool gets; such a call never runs."""

_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("״", "״"))
_KEYWORD = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)")
_CALL_LENGTH = 20_000
"""Characters of a call in Python's form that are read; longer ones are asked for as JSON."""


def read_input(text: str, spec: ToolSpec | None, problems: Problems) -> Arguments:
    """The arguments in `text`, which is one JSON object, or the one value that the tool needs.

    Args:
        text: the input, complete, without label, fence and surrounding blanks
        spec: the tool, or None where no tool has that name
        problems: why arguments are rejected, in words for the model
    """
    if text.startswith("{"):
        read = read_arguments(text)
        if read.arguments is not None:
            return fit_schema(read, spec.parameters) if spec else read
        if spec is None or text[1:].lstrip()[:1] in ('"', "'", "\\", "}") or not _sole(spec):
            return read if spec else Arguments({UNKNOWN: text}, "strict", "")
    if spec is None:
        return Arguments({UNKNOWN: text} if text else {}, "strict", "")
    keyword = _KEYWORD.match(text)
    if keyword is not None and keyword[1] in properties(spec.parameters):
        return read_python(text, spec, problems)
    return _one_value(text, spec, problems)


def read_python(text: str, spec: ToolSpec | None, problems: Problems) -> Arguments:
    """The arguments between the brackets of a call in Python's form: ``x=1, y="a"``, or one value."""
    if not _KEYWORD.match(text):
        return read_input(text, spec, problems)
    named = _keywords(text)
    if named is None:
        wanted = shape(spec.parameters) if spec else "{...}"
        return Arguments(None, "rejected", problems.expected.format(shape=wanted))
    return Arguments(named, "strict", "")


def _sole(spec: ToolSpec) -> str:
    """The only parameter of a tool, or the only one that it cannot do without; empty if that is not one."""
    names = list(properties(spec.parameters))
    if len(names) != 1:
        names = required(spec.parameters)
    return names[0] if len(names) == 1 else ""


def _one_value(text: str, spec: ToolSpec, problems: Problems) -> Arguments:
    name, known = _sole(spec), properties(spec.parameters)
    if not text:
        return Arguments({}, "strict", "")
    if not known:
        blank = text.strip("\"'`.()").lower() in ("", "none", "null", "n/a", "no input", "no arguments", "{}")
        return Arguments({}, "strict", "") if blank else Arguments(None, "rejected", problems.no_arguments)
    if not name:
        if text.lower() in ("none", "null", "n/a") and not required(spec.parameters):
            return Arguments({}, "strict", "")
        return Arguments(None, "rejected", problems.expected.format(shape=shape(spec.parameters)))
    if accepts(known[name], "string", spec.parameters):
        return Arguments({name: _unquoted(text)}, "strict", "")
    value = read_value(text)
    if value.state == "rejected":
        return Arguments(None, "rejected", problems.expected.format(shape=shape(spec.parameters)))
    return Arguments({name: value.value}, value.state, value.reason)


def _unquoted(text: str) -> str:
    """The text without quotes around the whole of it."""
    if text.startswith('"'):
        try:
            return msgspec.json.decode(text.encode("utf-8", "surrogatepass"), type=str)
        except (msgspec.DecodeError, UnicodeError):
            pass
    for left, right in _QUOTES:
        inside = text[1:-1]
        if len(text) > 1 and text[0] == left and text[-1] == right and left not in inside and right not in inside:
            return inside
    return text


def _keywords(text: str) -> dict[str, Any] | None:
    """The named arguments of a Python call with literal values; None if it is anything else."""
    if len(text) > _CALL_LENGTH:
        return None
    try:
        call = ast.parse(f"f({text}\n)", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not all(keyword.arg for keyword in call.keywords):
            return None
        named = {cast("str", keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        msgspec.json.encode(named)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None
    return named if len(named) == len(call.keywords) and _is_json(named) else None


def _is_json(value: Any) -> bool:
    """Whether a value is one that JSON has, all through: no bytes, sets, tuples or complex numbers."""
    if isinstance(value, dict):
        return all(isinstance(k, str) and _is_json(v) for k, v in cast("dict[object, object]", value).items())
    if isinstance(value, list):
        return all(_is_json(item) for item in cast("list[object]", value))
    return value is None or isinstance(value, (str, int, float, bool))
