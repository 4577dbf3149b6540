"""The text protocol as JSON: one object a reply, for endpoints that keep a reply to a JSON Schema.

Owns the schema that is made from the tools, how such a reply is read, and how a turn is written back. What is said
about the form is data of the language in `json_sentences`; whoever does not keep to the form is read by `react_reply`.

A reply is ``{"thought": …, "step": {"action": NAME, "action_input": {…}}}`` or ``{"thought": …, "step":
{"final_answer": …}}``. The choice stands one level down because the outermost schema may hold none. Without ``step``
around it, it is read as well.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.envelope import writable
from loopwright.protocols.json_sentences import sentences_of
from loopwright.protocols.labels import ENGLISH, Labels
from loopwright.protocols.react_invented import is_invented
from loopwright.protocols.repair import Arguments, fit_schema, read_arguments
from loopwright.protocols.schemas import Schema, choices, properties, required, resolve, types
from loopwright.protocols.speech import Constraint
from loopwright.protocols.thinking import without_thinking

THOUGHT, STEP, ACTION, INPUT, FINAL = "thought", "step", "action", "action_input", "final_answer"
SCHEMA_NAME = "step"
LAST = '{"thought": "...", "step": {"final_answer": "..."}}'
FORMS = f'{{"thought": "...", "step": {{"action": "tool", "action_input": {{"argument": "value"}}}}}}\n{LAST}'
"""Both kinds of step, one a line."""

_DEPTH = 5
"""How deep the schema of a tool's arguments is spelled out; below that any value will do."""
_PLAIN = frozenset({"string", "number", "integer", "boolean", "null"})
_TEXT: Schema = {"type": "string"}
_NULL: Schema = {"type": "null"}
_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_DECODER = json.JSONDecoder()
_OPEN_ANSWER = re.compile(rf'"{FINAL}"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_HALF_ESCAPE = re.compile(r"(?:\\u(?:[dD][89abAB][0-9a-fA-F]{2}|[0-9a-fA-F]{0,3}))+$")
_KINDS: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


class ReplySchema(Struct, frozen=True):
    """The schema of one reply."""

    schema: Schema
    strict: bool
    """Whether all of it is as the strict modes want it: every object closed, every key required, every value typed."""


def reply_schema(tools: Sequence[ToolSpec], *, closing: bool = False) -> ReplySchema:
    """The schema of one reply: a thought, then one call or the final answer; only the answer where it is the last.

    What a tool may be called without is a key all the same, whose value may be null. Ranges, patterns and formats are
    left out: not every endpoint knows them, and the arguments are checked where the tool runs. Source for what strict
    modes take: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
    """
    made = _Made()
    steps = [] if closing else [made.call(tool) for tool in tools]
    steps.append(_closed({FINAL: _TEXT}))
    step = steps[0] if len(steps) == 1 else {"anyOf": steps}
    return ReplySchema(_closed({THOUGHT: _TEXT, STEP: step}), made.strict)


class _Made:
    """Schemas in the making, and whether all of them are strict so far."""

    def __init__(self) -> None:
        self.strict = True
        self._root: Schema = {}

    def call(self, tool: ToolSpec) -> Schema:
        """The schema of a call of this tool."""
        self._root = tool.parameters
        arguments = self._object(tool.parameters, 0)
        return _closed({ACTION: {"type": "string", "enum": [tool.name]}, INPUT: arguments})

    def _part(self, part: Schema, depth: int) -> Schema:
        found = [self._one(choice, depth) for choice in choices(part, self._root)]
        made = found[0] if len(found) == 1 else {"anyOf": found}
        about = part.get("description")
        return {**made, "description": about} if isinstance(about, str) and about else made

    def _one(self, part: Schema, depth: int) -> Schema:
        values, kind = _values_of(part), part.get("type")
        if values is not None:
            return self._values(values)
        if isinstance(kind, list):
            return {"anyOf": [self._one({**part, "type": one}, depth) for one in cast("list[Any]", kind)]}
        if kind in _PLAIN:
            return {"type": kind}
        if depth < _DEPTH and kind == "object" and (properties(part) or _is_closed(part)):
            return self._object(part, depth + 1)
        if depth < _DEPTH and kind == "array" and isinstance(part.get("items"), dict):
            return {"type": "array", "items": self._part(part["items"], depth + 1)}
        self.strict = False
        return {"type": kind} if kind in ("object", "array") else {}

    def _values(self, values: list[Any]) -> Schema:
        """Strict modes want the type of the values beside them, one only."""
        kinds = dict.fromkeys(_kind(value) for value in values)
        self.strict = self.strict and "" not in kinds
        if "" in kinds:
            return {"enum": values}
        found: list[Schema] = [
            {"type": kind, "enum": [value for value in values if _kind(value) == kind]} for kind in kinds
        ]
        return found[0] if len(found) == 1 else {"anyOf": found}

    def _object(self, part: Schema, depth: int) -> Schema:
        needed = required(part)
        if part.get("additionalProperties"):
            self.strict = False
            return {"type": "object"}
        found = {name: self._part(inner, depth) for name, inner in properties(part).items()}
        for name, inner in properties(part).items():
            if name not in needed and not _takes_null(inner, self._root):
                found[name] = {"anyOf": [found[name], _NULL]}
        return _closed(found)


def _kind(value: object) -> str:
    """The JSON type of a plain value; empty for others."""
    return _KINDS.get(type(value), "")


def _takes_null(part: Schema, root: Schema) -> bool:
    """Whether null is a value of the part; one that says nothing of its values takes any."""
    if found := types(part, root):
        return "null" in found
    said = [values for choice in choices(part, root) if (values := _values_of(choice)) is not None]
    return any(None in values for values in said) or not said


def _values_of(part: Schema) -> list[Any] | None:
    """The values that a part names; None where it names none."""
    values: object = [part["const"]] if "const" in part else part.get("enum")
    return cast("list[Any]", values) if isinstance(values, list) else None


def _is_closed(part: Schema) -> bool:
    return part.get("additionalProperties") is False


def _closed(parts: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}


def fields(constraint: Constraint, tools: Sequence[ToolSpec], *, closing: bool = False) -> dict[str, Any]:
    """The fields of a request that keep its reply to this form; none for endpoints that are not asked in this way.

    Sources: https://docs.vllm.ai/en/latest/features/structured_outputs/ (since 0.12 in place of ``guided_json``) and
    https://platform.openai.com/docs/api-reference/chat/create (``response_format``).
    """
    if constraint == "structured_outputs":
        return {"structured_outputs": {"json": reply_schema(tools, closing=closing).schema}}
    if constraint == "json_schema":
        made = reply_schema(tools, closing=closing)
        described = {"name": SCHEMA_NAME, "strict": made.strict, "schema": made.schema}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    return {}


def read(
    text: str, tools: Sequence[ToolSpec], *, labels: Labels = ENGLISH, cut: bool = False, closing: bool = False
) -> Turn | None:
    """Understand a reply that is one JSON object of this form; None where it is not. Never raises.

    A self-written observation behind the object is cut off. A reply that was cut at its limit is none of this form,
    even where it looks whole; only where it is the last one, its answer counts as far as it goes.
    """
    shown, thinking, closed = without_thinking(text)
    whole = _without_rest(_bare(shown), labels)
    if cut and closing and (answer := _cut_answer(whole)):
        return Turn(answer=answer, text=whole, reasoning=thinking)
    fields = None if cut or not closed else _fields(whole)
    if fields is None:
        return None
    step = _fields(_written(fields, STEP)) if STEP in fields else fields
    known = {tool.name: tool for tool in tools}
    if step is None or not _in_form(step, known, nested=STEP in fields):
        return None
    turn = Turn(thought=_text(fields.get(THOUGHT)).strip(), text=whole, reasoning=thinking)
    if _written(step, FINAL) and (_observes({**fields, **step}, labels) or is_invented(turn.thought, labels)):
        return replace(turn, problem=labels.problems.invented)
    return _understood(turn, step, known, labels)


def _cut_answer(text: str) -> str:
    """The answer in an object that broke off inside of it, as far as it goes; empty where there is none."""
    found = _OPEN_ANSWER.search(text) if text.startswith("{") else None
    return _text(Raw(f'"{_HALF_ESCAPE.sub("", found[1])}"'.encode())).strip() if found else ""


def _in_form(step: dict[str, Raw], tools: dict[str, ToolSpec], *, nested: bool) -> bool:
    """Whether a step is one of this form. Without ``step`` around it, a call of what is no tool is a habit of another
    form, which the reader of text knows."""
    if not ({ACTION, FINAL} & step.keys()):
        return False
    return nested or not _written(step, ACTION) or _text(step[ACTION]).strip() in tools


def _observes(fields: dict[str, Raw], labels: Labels) -> bool:
    """Whether one of the fields is an observation, which only a tool can give."""
    words = {word.casefold() for word in (*labels.observation, *ENGLISH.observation)}
    words |= {f"{word}s" for word in words}
    return any(name.strip().casefold() in words and _written(fields, name) for name in fields)


def _understood(turn: Turn, step: dict[str, Raw], tools: dict[str, ToolSpec], labels: Labels) -> Turn:
    action, final = _text(step.get(ACTION)).strip(), _written(step, FINAL)
    if action and final:
        return replace(turn, problem=sentences_of(labels.language).both)
    if action:
        return replace(turn, calls=(_call(tools.get(action) or ToolSpec(action), _written(step, INPUT)),))
    answer = (_text(step[FINAL]) if final.startswith('"') else final).strip()
    if answer:
        return replace(turn, answer=answer)
    return replace(turn, problem=labels.problems.empty_answer if FINAL in step else labels.problems.no_tool)


def _call(tool: ToolSpec, text: str) -> Call:
    read = fit_schema(read_arguments(text), tool.parameters)
    if read.arguments is not None:
        read = Arguments(without_nulls(read.arguments, tool.parameters), read.state, read.reason)
    return Call(tool.name, read.arguments or {}, text=text, state=read.state, reason=read.reason)


def without_nulls(arguments: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """The arguments without what was left out: a null where the schema asks for nothing and takes no null."""
    return _kept(arguments, schema, schema)


def _kept(value: dict[str, Any], part: Schema, root: Schema) -> dict[str, Any]:
    parts, needed = properties(part), required(part)
    left_out = {name for name in parts if name not in needed and not _takes_null(parts[name], root)}
    return {
        name: _inner(inner, parts.get(name, {}), root)
        for name, inner in value.items()
        if inner is not None or name not in left_out
    }


def _inner(value: Any, part: Schema, root: Schema) -> Any:
    part = resolve(part, root)
    if isinstance(value, list) and isinstance(part.get("items"), dict):
        return [_inner(item, part["items"], root) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        shapes = [choice for choice in choices(part, root) if properties(choice)]
        return _kept(cast("dict[str, Any]", value), shapes[0], root) if len(shapes) == 1 else cast("Any", value)
    return cast("Any", value)


def written(turn: Turn) -> str:
    """A turn in this form. A reply holds one step, so a turn with several calls becomes several objects, one a line."""
    steps = [{ACTION: call.tool, INPUT: _input(call)} for call in turn.calls]
    if not steps and turn.answer is not None:
        steps = [{FINAL: turn.answer}]
    shown = [{THOUGHT: "" if number else turn.thought, STEP: step} for number, step in enumerate(steps)]
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in shown) or turn.thought


def _input(call: Call) -> Any:
    return call.text if call.state == "rejected" else call.arguments


def _bare(text: str) -> str:
    """The text without a code fence around all of it."""
    text = writable(text.strip())
    fenced = _FENCE.fullmatch(text)
    return fenced[1].strip() if fenced else text


def _without_rest(text: str, labels: Labels) -> str:
    """The object at the beginning, where nothing follows but an observation that the model wrote itself."""
    try:
        _, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return text
    rest = text[end:].lstrip("\n `*#").casefold()
    return text[:end] if rest.startswith(tuple(label.casefold() for label in labels.observation)) else text


def _fields(text: str) -> dict[str, Raw] | None:
    """The fields of a JSON object as they are written; None where it is none, or names one of them twice."""
    try:
        fields = msgspec.json.decode(text.encode(), type=dict[str, Raw])
        named = json.loads(text, object_pairs_hook=len)
    except (ValueError, RecursionError):
        return None
    return fields if named == len(fields) else None


def _written(fields: dict[str, Raw], name: str) -> str:
    """A field as JSON text; empty where it is missing or null."""
    text = bytes(fields.get(name, b"")).decode().strip()
    return "" if text == "null" else text


def _text(raw: Raw | None) -> str:
    """The text of a field; empty where it holds none."""
    try:
        return msgspec.json.decode(raw or b"", type=str)
    except ValueError:
        return ""
