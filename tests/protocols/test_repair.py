"""Arguments are strict, repaired or rejected; nothing is invented, dropped or closed up."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.protocols.repair import CUT, Arguments, fit_schema, read_arguments, read_value

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(), values, max_size=5)


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_nothing_at_all_means_no_arguments(text: str) -> None:
    assert read_arguments(text) == Arguments({}, "strict", "")


@given(objects)
def test_json_objects_are_strict(arguments: dict[str, Any]) -> None:
    assert read_arguments(json.dumps(arguments)) == Arguments(arguments, "strict", "")


@given(objects, st.data())
def test_cut_anywhere_never_runs(arguments: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(arguments)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert read_arguments(cut).state == "rejected"
    assert read_arguments(text, complete=False) == Arguments(None, "rejected", CUT)


@given(objects)
def test_python_literals_lose_nothing(arguments: dict[str, Any]) -> None:
    read = read_arguments(repr(arguments))
    assert read.arguments in (arguments, None)  # a python string may hold half of a character, or escapes JSON lacks


@given(st.text() | st.text(alphabet="{}[]\"'\\:,aTn1 \n`ux"))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    read = read_arguments(text)
    assert (read.arguments is None) == (read.state == "rejected")
    assert bool(read.reason) == (read.state != "strict")


@given(st.text(alphabet="{}[]\"':,aTn1 \n`"))
def test_no_character_of_the_content_is_lost(text: str) -> None:
    read = read_arguments(text)
    if read.arguments:
        assert {c for c in text if c in "an1"} <= set(json.dumps(read.arguments) + "n")


REPAIRED: list[tuple[str, dict[str, Any], str]] = [
    ("{'pages': ['Ginger beer'], 'query': ''}", {"pages": ["Ginger beer"], "query": ""}, "rewritten"),
    ("{'a': 'say \"hi\"', 'b': \"it's\", 'c': 'it\\'s'}", {"a": 'say "hi"', "b": "it's", "c": "it's"}, "rewritten"),
    ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}, "rewritten"),
    ('{"key": "a", "limit": 3,}', {"key": "a", "limit": 3}, "comma"),
    ('{"a": [1, 2, ]}', {"a": [1, 2]}, "comma"),
    ('```json\n{"a": 1}\n```', {"a": 1}, "fence"),
    ("```\n{'a': 1}```", {"a": 1}, "fence"),
    (r'"{\"a\": 1}"', {"a": 1}, "wrapped"),
    (json.dumps(json.dumps(json.dumps({"a": "é"}))), {"a": "é"}, "wrapped"),
    ('"{"filepath":"src/a.ts"}"', {"filepath": "src/a.ts"}, "quotes around"),
    (r"{\"task\": \"The player" + "'" + r"s first hour\"}", {"task": "The player's first hour"}, "escaped"),
    ('{"text": "line one\nline two\tend"}', {"text": "line one\nline two\tend"}, "rewritten"),
    (r'{"pattern": "\d+\.x"}', {"pattern": r"\d+\.x"}, "rewritten"),
    (r"{'sign': '\x41\u00e9\\\U0001f600'}", {"sign": "Aé\\😀"}, "rewritten"),
    ("{“city”: “Paris”}", {"city": "Paris"}, "rewritten"),
    ("{city: 'Paris', $max-size: 3}", {"city": "Paris", "$max-size": 3}, "rewritten"),
    ('{"a": 1, "a": 1}', {"a": 1}, "twice"),
    ("null", {}, "null"),
    ("None", {}, "null"),
]


@pytest.mark.parametrize(("text", "arguments", "why"), REPAIRED)
def test_marks_are_repaired_and_noted(text: str, arguments: dict[str, Any], why: str) -> None:
    read = read_arguments(text)
    assert (read.arguments, read.state) == (arguments, "repaired")
    assert why in read.reason


REJECTED = [
    ('{"path": "a.txt", "content": "line1', "inside a string"),
    ('{"path": "a.txt", "content": "line1"', "last bracket"),
    ("[1", "last bracket"),
    ('{"a": 1]', "expected"),
    ('{"a": 1}{"b": 2}', "trailing"),
    ('{"a": 1} and so on', "trailing"),
    ('Sure: {"a": 1}', "not a JSON object"),
    ("just words", "not a JSON object"),
    ('{"a": 1, "a": 2}', "occurs twice"),
    ("[1]", "an array"),
    ("3", "a number"),
    ("3.5", "a number"),
    ("true", "true or false"),
    ('"text"', "a string"),
    ("{,}", "not valid"),
    ("[1,,2]", "not valid"),
    ("{'a': 'it's'}", "inside a string"),
    ('{"a": NaN}', "not valid"),
    ('{"a": word}', "not valid"),
    ('{"a": 1 /* c */}', "not valid"),
    ('{"a": "\\u12"}', "unicode"),
    ('{"a": "\\x4"}', "not valid"),
    ('{"a": "\\Uffffffff"}', "not valid"),
    ('{"a": "\\U12"}', "not valid"),
    ('{"a": "\ud800"}', "half of a character"),
    (r"{\"a\": \q}", "not valid"),
    ('```json\n{"a": 1', "not a JSON object"),
    ("[" * 100_000, "too deeply"),
    ('{"a":' * 100_000, "too deeply"),
    (json.dumps(json.dumps(json.dumps(json.dumps(json.dumps({"a": 1}))))), "a string"),
    (json.dumps(json.dumps("words")), "a string"),
]


@pytest.mark.parametrize(("text", "why"), REJECTED)
def test_what_would_be_a_guess_is_rejected_with_the_reason(text: str, why: str) -> None:
    read = read_arguments(text)
    assert (read.arguments, read.state) == (None, "rejected")
    assert why in read.reason


def test_values_of_any_kind_can_be_read() -> None:
    assert read_value("[1, 2]").value == [1, 2]
    assert read_value('"[1, 2]"').value == [1, 2]
    assert read_value('"words"').value == "words"
    assert read_value("[1, 2").state == "rejected"


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "range": {"type": "array", "items": {"type": "integer"}},
        "text": {"type": "string"},
        "either": {"anyOf": [{"type": "string"}, {"type": "array"}]},
        "maybe": {"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}]},
        "one": {"oneOf": [{"type": ["object", "null"]}]},
        "free": {},
        "odd": True,
        "loop": {"$ref": "#/$defs/Loop"},
    },
    "$defs": {"Point": {"type": "object"}, "Loop": {"$ref": "#/$defs/Loop"}},
}

FITTED = [
    ("range", "[3, 40]", [3, 40]),
    ("maybe", '{"x": 1}', {"x": 1}),
    ("one", "{'x': 1}", {"x": 1}),
    ("text", "[3, 40]", None),
    ("either", "[3, 40]", None),
    ("free", "[3, 40]", None),
    ("odd", "[3, 40]", None),
    ("loop", "[3, 40]", None),
    ("unknown", "[3, 40]", None),
    ("range", "[3, 40", None),
    ("range", '{"x": 1}', None),
    ("range", "3, 40", None),
]


@pytest.mark.parametrize(("name", "text", "value"), FITTED)
def test_json_text_is_decoded_only_where_the_schema_wants_no_text(name: str, text: str, value: Any) -> None:
    read = fit_schema(Arguments({name: text, "n": 1}, "strict", ""), SCHEMA)
    if value is None:
        assert read == Arguments({name: text, "n": 1}, "strict", "")
    else:
        assert read == Arguments({name: value, "n": 1}, "repaired", f"JSON text was decoded in: {name}")


def test_fitting_keeps_earlier_reasons_and_leaves_rejected_arguments_alone() -> None:
    assert fit_schema(Arguments({"range": "[]"}, "repaired", "first"), SCHEMA).reason.startswith("first; JSON text")
    rejected = Arguments(None, "rejected", "why")
    assert fit_schema(rejected, SCHEMA) is rejected


@pytest.mark.parametrize(("depth", "state"), [(150, "strict"), (250, "rejected"), (100_000, "rejected")])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_arguments_nested_too_deeply_are_rejected_before_anything_else_meets_them(
    depth: int, state: str, brackets: str
) -> None:
    start, end = ("[", "]") if brackets == "[]" else ('{"a":', "}")
    inner = start * depth + "1" + end * depth
    assert read_arguments(f'{{"a":{inner}}}').state == state


def test_arguments_may_be_as_wide_as_they_like() -> None:
    wide: list[Any] = [[1], {"b": []}] * 400
    assert read_arguments(json.dumps({"a": wide})).arguments == {"a": wide}
