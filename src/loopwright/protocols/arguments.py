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
from loopwright.protocols.python_literals import NoValue, named_values, parsed
from loopwright.protocols.repair import Arguments, fit_schema, read_arguments, read_value
from loopwright.protocols.schemas import accepts, properties, required, shape

UNKNOWN = "input"
"""The name that the input of an unknown tool gets; such a call never runs."""

_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("״", "״"))
_KEYWORD = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)")


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
    expected = problems.expected.format(shape=shape(spec.parameters) if spec else "{...}")
    try:
        named = _keywords(text)
    except NoValue as error:
        return Arguments(None, "rejected", str(error) or expected)
    if named is None:
        return Arguments(None, "rejected", expected)
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
    """The named arguments of a Python call with literal values; None if it is anything else.

    Raises:
        NoValue: a value that JSON has not, or a name twice
    """
    tree = parsed(f"f({text}\n)")
    statement = tree.body[0] if tree and len(tree.body) == 1 else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
    return named_values(cast("ast.Call", call)) if plain else None
