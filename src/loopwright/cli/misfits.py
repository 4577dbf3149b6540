"""Says what of a call's arguments does not fit the schema of its tool, as a run would tell the model.

Owns the names and the types of the top level only: what a run's own check refuses beyond that depends on the tool.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.reading import OPEN
from loopwright.protocols.schemas import Schema, accepts, describe, properties, required

_KINDS: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
_INTEGER, _NUMBER = re.compile(r"[+-]?\d{1,300}"), re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,3})?")
_SHOWN = 80
"""Characters of a wrong value that are repeated."""


def misfit(call: Call, tools: Mapping[str, ToolSpec]) -> str:
    """Why the tool would refuse the arguments of a call; empty where they fit or its parameters are not known."""
    tool = tools.get(call.tool)
    schema = {} if tool is None else tool.parameters
    known = properties(schema)
    if call.state == "rejected" or "properties" not in schema or known == {OPEN: {}}:
        return ""
    missing = [
        f"{name}: missing, expected {describe(known[name], schema)}"
        for name in required(schema)
        if name not in call.arguments
    ]
    given = (_wrong(name, value, known, schema) for name, value in call.arguments.items())
    return "; ".join([*missing, *filter(None, given)])


def _wrong(name: str, value: Any, known: Mapping[str, Schema], schema: Schema) -> str:
    """What is wrong with one argument; empty where nothing is."""
    if name not in known:
        listed = ", ".join(known) or "none"
        more = schema.get("additionalProperties", False) is not False
        return "" if more else f"{name}: there is no such parameter. The parameters are: {listed}"
    if _fits(known[name], value, schema):
        return ""
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}… ({len(shown)} characters)"
    return f"{name}: got {shown}, expected {describe(known[name], schema)}"


def _fits(part: Schema, value: Any, schema: Schema) -> bool:
    """Whether a value has a type of the part; a number in quotation marks and a whole float are taken for numbers."""
    whole = isinstance(value, float) and value.is_integer()
    number, integer = accepts(part, "number", schema), accepts(part, "integer", schema)
    if isinstance(value, str) and ((number and _NUMBER.fullmatch(value)) or (integer and _INTEGER.fullmatch(value))):
        return True
    kind = _KINDS[type(value)]
    return accepts(part, kind, schema) or (kind == "integer" and number) or (whole and integer)
