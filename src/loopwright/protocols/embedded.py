"""The short prompt and the grammar that the embedded model was trained on, word for word.

Owns the forms that the adapter knows: the tool list, the question, the observations, and the grammar that keeps every
reply readable. Anything else said to that model is new to it, so nothing here may be reworded without training again.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from loopwright.core.messages import Result, ToolSpec
from loopwright.protocols.envelope import envelope, observation
from loopwright.protocols.grammar import literal, rules_text
from loopwright.protocols.schemas import Schema, properties, required, types

ASKED_TO = "Reply with Thought and Action, or Thought and Final Answer."
CLOSING = "Reply with Thought and Final Answer."
NETWORK, UNREACHED = "NetworkError:", "no answer: the network cannot be reached"


class Trained(Struct, frozen=True):
    """A tool as it stood in the training data."""

    description: str
    parameters: tuple[str, ...]
    observed: tuple[str, ...] = ()
    """The fields of its results, in order; empty where they were plain text."""


TRAINED: Mapping[str, Trained] = {
    "get_current_weather": Trained("weather in a city", ("city",), ("city", "temperature", "precipitation_mm", "unit")),
    "convert_currency": Trained(
        "convert money",
        ("amount", "from_currency", "to_currency"),
        ("amount", "from_currency", "to_currency", "converted_amount", "rate"),
    ),
    "calculator": Trained("arithmetic", ("expression",)),
    "get_time": Trained("current date and time", ("timezone",)),
    "search": Trained("look up a fact", ("query",)),
}

_RULES = {
    "line": "[^\\n]{1,300}",
    "str": r'"\"" [^"\\\n]{1,80} "\""',
    "cur": '"\\"" [A-Z] [A-Z] [A-Z] "\\""',
    "num": '[0-9]{1,9} ("." [0-9]{1,6})?',
    "bool": '"true" | "false"',
    "list": '"[" (item (", " item)*)? "]"',
    "item": "str | num | bool",
}
_KINDS = {"number": "num", "integer": "num", "boolean": "bool", "array": "list"}


def system_prompt(tools: Sequence[ToolSpec], trained: Mapping[str, Trained] = TRAINED) -> str:
    """The tool list and the one sentence about the form."""
    if not tools:
        return CLOSING
    lines = (f"- {tool.name} {_shape(tool, trained)}: {_description(tool, trained)}" for tool in tools)
    return "\n".join(("Tools:", *lines, ASKED_TO))


def question(task: str) -> str:
    """The task as the user's message."""
    return f"Question: {task}"


def observed(tool: str, result: Result, trained: Mapping[str, Trained] = TRAINED) -> str:
    """A result as the model knows it: the fields that it was trained on, JSON with a space behind comma and colon.

    That the network failed is said in one sentence, because from host names and socket errors the model concludes that
    it did not rain; and notes are left out, because of "31 days old" it makes a part of the answer. The journal has all
    of it, and so has the screen.
    """
    if result.status != "ok":
        if result.error.startswith(NETWORK):
            result = replace(result, error=f"{NETWORK} {UNREACHED}")
        return json.dumps(msgspec.json.decode(envelope(result)), ensure_ascii=False)
    known = trained.get(tool)
    if known:
        result = replace(result, note="")
    data: object = msgspec.json.decode(result.data)
    if isinstance(data, dict):
        fields = cast("dict[str, Any]", data)
        if known and known.observed and all(name in fields for name in known.observed):
            fields = {name: fields[name] for name in known.observed}
        data = fields
    if not isinstance(data, str):
        result = replace(result, data=Raw(json.dumps(data, ensure_ascii=False).encode()))
    return observation(result)


def grammar_of(tools: Sequence[ToolSpec], trained: Mapping[str, Trained] = TRAINED, *, closing: bool = False) -> str:
    """The grammar of one reply; only the final answer where it is the last."""
    final = '"Final Answer: " line'
    if closing or not tools:
        return rules_text({"root": f'"Thought: " line "\\n" {final}', "line": _RULES["line"]})
    calls = " | ".join(_call(tool, trained) for tool in tools)
    return rules_text({"root": f'"Thought: " line "\\n" ("Action: " (call) | {final})', "call": calls, **_RULES})


def _call(tool: ToolSpec, trained: Mapping[str, Trained]) -> str:
    parts = _parameters(tool, trained)
    pairs = (f"{literal(json.dumps(name) + ': ')} {_rule(name, parts[name], tool.parameters)}" for name in parts)
    joined = ' ", " '.join(pairs)
    return f'{literal(tool.name + " {")} {joined} "}}"'


def _rule(name: str, part: Schema, root: Schema) -> str:
    kind = _kind(part, root)
    if kind == "string" and name.endswith("currency"):
        return "cur"
    return _KINDS.get(kind, "str")


def _parameters(tool: ToolSpec, trained: Mapping[str, Trained]) -> dict[str, Schema]:
    """The parameters that are shown: those of the training, or else those that must be given."""
    known, parts, needed = trained.get(tool.name), properties(tool.parameters), required(tool.parameters)
    names = needed
    if known and set(needed) <= set(known.parameters) <= set(parts):
        names = list(known.parameters)
    return {name: parts[name] for name in names}


def _shape(tool: ToolSpec, trained: Mapping[str, Trained]) -> str:
    parts = _parameters(tool, trained).items()
    return "{" + ", ".join(f"{json.dumps(name)}: {_kind(part, tool.parameters)}" for name, part in parts) + "}"


def _kind(part: Schema, root: Schema) -> str:
    return next((kind for kind in types(part, root) if kind != "null"), "string")


def _description(tool: ToolSpec, trained: Mapping[str, Trained]) -> str:
    known = trained.get(tool.name)
    return known.description if known else tool.description.strip().partition("\n")[0]
