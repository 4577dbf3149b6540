"""Makes a GBNF grammar of the text protocol from the tools, so that a constrained reply can always be read.

Owns the grammar only (https://github.com/ggml-org/llama.cpp/tree/master/grammars). Labels come from the language.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from loopwright.core.messages import ToolSpec
from loopwright.protocols.labels import Labels
from loopwright.protocols.schemas import Schema, choices, properties, required, resolve

_DEPTH = 6
"""How deep objects are spelled out; below that any object will do."""

_JSON = {
    "line": "[^\\n]+",
    "text": 'line ("\\n"+ line)*',
    "string": '"\\"" char* "\\""',
    "char": r'[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})',
    "number": '"-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?',
    "integer": '"-"? ("0" | [1-9] [0-9]{0,15})',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "array": '"[" (value (", " value)*)? "]"',
    "object": '"{" (string ": " value (", " string ": " value)*)? "}"',
    "value": "string | number | boolean | null | array | object",
}

_BOUNDED = {"line": "[^\\n]{1,400}", "text": "line", "string": r'"\"" char{0,400} "\""'}
"""For a small model, which may not find an end by itself: everything is one line, and of a length that can be waited
for."""


def literal(text: str) -> str:
    """A text as GBNF quotes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def rules_text(rules: dict[str, str]) -> str:
    """Rules as a grammar, one on each line."""
    return "".join(f"{name} ::= {rule}\n" for name, rule in rules.items())


def grammar_of(tools: Sequence[ToolSpec], labels: Labels, *, closing: bool = False, short: bool = False) -> str:
    """The grammar of one reply: a thought, then actions or the final answer; only the answer where it is the last.

    A short reply has one action at most, and answers and texts of a line.
    """
    basis = _JSON | _BOUNDED if short else _JSON
    thought, final = literal(f"{labels.thought[0]}: "), literal(f"{labels.final[0]}: ")
    if closing or not tools:
        return rules_text({"root": f'{thought} line "\\n" {final} text', "line": basis["line"], "text": basis["text"]})
    action, more = literal(f"{labels.action[0]}: "), literal(f"\n{labels.action[0]}: ")
    others = "" if short else f" ({more} call)*"
    rules = {
        "root": f'{thought} line "\\n" ({action} call{others} | {final} text)',
        "call": " | ".join(f"tool-{number}" for number in range(len(tools))),
    }
    for number, tool in enumerate(tools):
        arguments = _Arguments(tool.parameters, f"tool-{number}")
        rules[f"tool-{number}"] = f"{literal(tool.name + ' ')} {arguments.object(tool.parameters, 0)}"
        rules |= arguments.rules
    return rules_text(rules | basis)


class _Arguments:
    """The rules that one tool's arguments need, while they are made."""

    def __init__(self, root: Schema, name: str) -> None:
        self.rules: dict[str, str] = {}
        self._root = root
        self._name = name

    def object(self, part: Schema, depth: int) -> str:
        """An expression for an object: the keys that must be there, then any of the others, in the schema's order."""
        parts, needed = properties(part), required(part)
        pairs = {
            key: f"{literal(json.dumps(key, ensure_ascii=False) + ': ')} {self._value(inner, depth)}"
            for key, inner in parts.items()
        }
        optional = [pairs[key] for key in parts if key not in needed]
        if needed:
            inside = ' ", " '.join(pairs[key] for key in needed)
            others = " ".join(f'(", " {pair})?' for pair in optional)
            return f'"{{" {inside} {others} "}}"'
        return f'"{{" {self._any_of(optional)} "}}"'

    def _any_of(self, pairs: list[str]) -> str:
        """An expression for some of the pairs in their order, with commas between: the first, or one behind it."""
        starts = [
            " ".join([pair, *(f'(", " {other})?' for other in pairs[number + 1 :])])
            for number, pair in enumerate(pairs)
        ]
        return f"({' | '.join(starts)})?" if starts else ""

    def _value(self, part: Schema, depth: int) -> str:
        """A rule for a value that the part allows."""
        expressions = dict.fromkeys(self._one(choice, depth) for choice in choices(part, self._root))
        if len(expressions) == 1:
            return next(iter(expressions))
        return self._rule(" | ".join(expressions))

    def _one(self, part: Schema, depth: int) -> str:
        part = resolve(part, self._root)
        values = [part["const"]] if "const" in part else part.get("enum")
        if isinstance(values, list):
            wanted = cast("list[Any]", values)
            return self._rule(" | ".join(literal(json.dumps(value, ensure_ascii=False)) for value in wanted))
        kind = part.get("type")
        if isinstance(kind, list):
            kinds = cast("list[Any]", kind)
            return self._rule(" | ".join(self._one({**part, "type": one}, depth) for one in kinds))
        if kind == "object" and properties(part) and depth < _DEPTH:
            return self._rule(self.object(part, depth + 1))
        if kind == "array" and isinstance(part.get("items"), dict) and depth < _DEPTH:
            item = self._value(part["items"], depth + 1)
            return self._rule(f'"[" ({item} (", " {item})*)? "]"')
        return kind if isinstance(kind, str) and kind in _JSON else "value"

    def _rule(self, expression: str) -> str:
        name = f"{self._name}-{len(self.rules)}"
        self.rules[name] = expression
        return name
