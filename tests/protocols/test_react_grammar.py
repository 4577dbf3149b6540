"""The grammars: what they allow can be read, and what cannot be read they do not allow."""

import json
import re
from typing import Any

import pytest

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols import embedded
from loopwright.protocols.grammar import grammar_of
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.react_reply import read_text

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[\w-]+|\{\d+,\d+\}|[()|*+?]|\s+')
DEPTH = 8


def matches(grammar: str, text: str) -> bool:
    """Whether a GBNF grammar allows a text; recursion is followed a few levels deep."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.strip().split("\n"))
    return re.fullmatch(regex(rules, "root", 0), text) is not None


def regex(rules: dict[str, str], name: str, depth: int) -> str:
    if depth > DEPTH:
        return "(?!)"
    parts: list[str] = []
    for token in TOKEN.findall(rules[name]):
        if token[0] == '"':
            written = re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], token[1:-1])
            parts.append(f"(?:{re.escape(written)})")
        elif token in rules:
            parts.append(f"(?:{regex(rules, token, depth + 1)})")
        elif not token.isspace():
            parts.append(token)
    return "".join(parts)


def spec(name: str, properties: dict[str, Any], required: list[str], **more: Any) -> ToolSpec:
    return ToolSpec(name, parameters={"type": "object", "properties": properties, "required": required, **more})


TOOLS = [
    spec("weather", {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}}, ["city"]),
    spec("options", {"a": {"type": "integer"}, "b": {"type": "boolean"}, "c": {"type": ["number", "null"]}}, []),
    spec("now", {}, []),
    spec(
        "deep",
        {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "fixed": {"const": "x y"},
            "free": {},
            "bag": {"type": "object"},
        },
        ["items", "either", "fixed", "free", "bag"],
        **{"$defs": {"Item": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}}},
    ),
]
CALLS = [
    Call("weather", {"city": 'Oslo "x"'}),
    Call("weather", {"city": "Oslo", "unit": "celsius"}),
    Call("options", {}),
    Call("options", {"a": 1}),
    Call("options", {"b": True, "c": -1.5}),
    Call("options", {"a": 1, "c": None}),
    Call("now", {}),
    Call("deep", {"items": [{"id": 1}, {"id": 2}], "either": None, "fixed": "x y", "free": [1, "a"], "bag": {"k": 1}}),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: json.dumps(call.arguments))
def test_allows_every_call_and_it_reads_back(call: Call) -> None:
    text = f"Thought: a\nAction: {call.tool} {json.dumps(call.arguments)}"
    assert matches(grammar_of(TOOLS, ENGLISH), text)
    (read,) = read_text(text, TOOLS).calls
    assert (read.tool, read.arguments, read.state) == (call.tool, call.arguments, "strict")


def test_allows_several_actions_and_an_answer() -> None:
    grammar = grammar_of(TOOLS, ENGLISH)
    assert matches(grammar, "Thought: a\nAction: now {}\nAction: now {}")
    assert matches(grammar, "Thought: a\nFinal Answer: b\n\nc")


@pytest.mark.parametrize(
    "text",
    [
        "Thought: a\nAction: other {}",
        'Thought: a\nAction: weather {"unit": "celsius"}',
        'Thought: a\nAction: weather {"city": "Oslo", "unit": "kelvin"}',
        'Thought: a\nAction: options {, "c": 1}',
        'Thought: a\nAction: weather {"city": "Oslo"}\nFinal Answer: b',
        "Thought: a",
        "Final Answer: b",
    ],
)
def test_allows_nothing_else(text: str) -> None:
    assert not matches(grammar_of(TOOLS, ENGLISH), text)


@pytest.mark.parametrize("grammar", [grammar_of(TOOLS, ENGLISH, closing=True), grammar_of([], ENGLISH)])
def test_the_last_reply_is_an_answer(grammar: str) -> None:
    assert matches(grammar, "Thought: a\nFinal Answer: b")
    assert not matches(grammar, "Thought: a\nAction: now {}")


def test_objects_that_refer_to_themselves_end() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    tool = ToolSpec("tree", parameters={**node, "$defs": {"Node": node}})
    assert matches(grammar_of([tool], ENGLISH), 'Thought: a\nAction: tree {"next": {"next": {}}}')


CITY = {"type": "string"}
EMBEDDED = [
    ToolSpec(
        "get_current_weather",
        "Weather in a city.\n\nNow and today.",
        {
            "type": "object",
            "properties": {"city": CITY, "unit": {"enum": ["celsius", "fahrenheit"], "default": "celsius"}},
            "required": ["city"],
        },
    ),
    spec(
        "convert_currency",
        {"amount": {"type": "number"}, "from_currency": CITY, "to_currency": CITY},
        ["amount", "from_currency", "to_currency"],
    ),
]


def test_the_prompt_of_the_embedded_model() -> None:
    assert embedded.system_prompt(EMBEDDED) == (
        "Tools:\n"
        '- get_current_weather {"city": string, "unit"?: "celsius" | "fahrenheit"}: Weather in a city\n'
        '- convert_currency {"amount": number, "from_currency": string, "to_currency": string}\n'
        "Reply with Thought and Action, or Thought and Final Answer."
    )
    assert embedded.question("Does it rain?") == "Question: Does it rain?"
    assert embedded.system_prompt([]) == embedded.CLOSING


@pytest.mark.parametrize(
    ("description", "shown"),
    [
        ("Count words.\n\nSlowly.", "Count words"),
        ("Look up\na fact", "Look up a fact"),
        ("Is it 1.5? Or more.", "Is it 1.5?"),
        (f"{'word ' * 30}. More.", "word " * 11 + "word"),
        (f"Weather: now, and {'later ' * 30}", "Weather: now"),
        (f"Look it up; {'often ' * 30}", "Look it up"),
        (f"At 12:30 {'x' * 80}", "At 12:30"),
        ("x" * 130, "x" * 60),
    ],
)
def test_the_embedded_model_is_shown_the_first_sentence(description: str, shown: str) -> None:
    assert embedded.described(description) == shown


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ('Thought: a\nAction: get_current_weather {"city": "Athens"}', True),
        ('Thought: a\nAction: get_current_weather {"city": "Athens", "unit": "fahrenheit"}', True),
        ('Thought: a\nAction: get_current_weather {"city": "Athens", "unit": "kelvin"}', False),
        ('Thought: a\nAction: convert_currency {"amount": 100, "from_currency": "EUR", "to_currency": "USD"}', True),
        ("Thought: a\nFinal Answer: b", True),
        ('Thought: a\nAction: get_current_weather {"city": "A"}\nAction: get_current_weather {"city": "B"}', False),
        ('Thought: a\nAction: get_current_weather {"city": "A\\"}', False),
        (f'Thought: a\nAction: get_current_weather {{"city": "{"A" * 401}"}}', False),
        (f"Thought: {'a' * 401}\nFinal Answer: b", False),
        ("Thought: a\nFinal Answer: b\nc", False),
    ],
)
def test_the_grammar_of_a_short_reply(text: str, allowed: bool) -> None:
    assert matches(grammar_of(EMBEDDED, ENGLISH, short=True), text) == allowed


def test_the_grammar_of_a_short_last_reply() -> None:
    for grammar in (grammar_of(EMBEDDED, ENGLISH, closing=True, short=True), grammar_of([], ENGLISH, short=True)):
        assert matches(grammar, "Thought: a\nFinal Answer: b")
        assert not matches(grammar, "Thought: a\nFinal Answer: b\nc")
        assert not matches(grammar, 'Thought: a\nAction: get_current_weather {"city": "Athens"}')
