"""Arguments against a JSON Schema that somebody else wrote."""

import time
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.tools.shape import mended, misfit

CITY = {"type": "string", "description": "name of the city"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": CITY,
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 2},
        "place": {"$ref": "#/$defs/Place"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}], "items": {"type": "null"}},
    },
    "required": ["city"],
    "$defs": {
        "Place": {
            "type": "object",
            "properties": {"lat": {"type": "number", "exclusiveMinimum": -90}, "inside": {"$ref": "#/$defs/Place"}},
            "required": ["lat"],
            "additionalProperties": False,
        }
    },
}


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"type": "string", "minLength": 1}, "", "x: got '', expected at least 1 character"),
        ({"type": "string", "minLength": 2}, "", "x: got '', expected at least 2 characters"),
        ({"type": "array", "maxItems": 1}, [1, 2], "x: got [1, 2], expected at most 1 item"),
    ],
)
def test_one_is_written_in_the_singular(schema: dict[str, Any], value: Any, told: str) -> None:
    assert misfit({"x": value}, {"type": "object", "properties": {"x": schema}}) == told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"city": "Oulu"}, ""),
        ({"city": "Oulu", "days": 7, "tags": ["a"], "either": None, "pair": ["a", True, None]}, ""),
        ({"city": "Oulu", "place": {"lat": 1, "inside": {"lat": 2.5}}}, ""),
        ({}, "city: missing, expected a string (name of the city)"),
        ({"city": 1}, "city: got 1, expected a string"),
        ({"city": "Oulu", "days": 8}, "days: got 8, expected at most 7"),
        ({"city": "Oulu", "days": True}, "days: got true, expected an integer"),
        ({"city": "Oulu", "days": 1.5}, "days: got 1.5, expected an integer"),
        ({"city": "Oulu", "unit": "kelvin"}, "unit: got 'kelvin', expected one of 'celsius', 'fahrenheit'"),
        ({"city": "Oulu", "tags": ["long"]}, "tags[0]: got 'long', expected at most 3 characters"),
        ({"city": "Oulu", "tags": ["a", "b", "c"]}, 'tags: got ["a", "b", "c"], expected at most 2 items'),
        ({"city": "Oulu", "place": {}}, "place.lat: missing"),
        ({"city": "Oulu", "place": {"lat": -90}}, "place.lat: got -90, expected more than -90"),
        ({"city": "Oulu", "place": {"lat": 1, "lon": 2}}, "place.lon: there is no such field"),
        ({"city": "Oulu", "place": {"lat": 1, "inside": {"lat": "x"}}}, "place.inside.lat: got 'x', expected a number"),
        ({"city": "Oulu", "either": "x"}, "either: got 'x', expected an integer or null"),
        ({"city": "Oulu", "pair": ["a", "b"]}, "pair[1]: got 'b', expected true or false"),
        ({"city": "Oulu", "pair": ["a", True, 1]}, "pair[2]: got 1, expected null"),
        (
            {"citty": "Oulu", "city": "x"},
            "citty: there is no such parameter; did you mean 'city'? "
            "The parameters are: city, days, unit, tags, place, either, pair",
        ),
    ],
)
def test_the_first_fault_of_each_parameter_is_told(arguments: dict[str, Any], told: str) -> None:
    assert misfit(arguments, SCHEMA) == told


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": True, "properties": {"a": {}}},
        {"type": "object", "patternProperties": {"^x": {}}, "properties": {"a": {}}},
        {"type": "object"},
        {"type": "object", "properties": {"b": {"type": "unheard of"}}},
        {"type": "object", "properties": {"b": {"$ref": "http://127.0.0.1:9/"}}},
        {"type": "object", "properties": {"b": {"$ref": "#/properties/b"}}},
        {"type": "object", "properties": {"b": {"$ref": "#/nowhere/at/all"}}},
        {"type": "object", "properties": {"b": {"pattern": "^(a+)+$", "type": "string"}}},
        {"type": "object", "properties": {"b": {"type": ["integer", "string"]}}},
        {"type": "object", "properties": {"b": {"enum": "no list"}, "c": "no schema"}},
        {"type": "object", "properties": "nothing", "required": 5},
        {"type": "object", "properties": {"b": {"minimum": "one", "items": 3, "anyOf": {}}}},
    ],
)
def test_what_is_not_understood_passes(schema: dict[str, Any]) -> None:
    assert misfit({"b": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}, schema) == ""


def test_a_schema_that_doubles_at_every_step_keeps_nobody_busy() -> None:
    definitions = {f"s{n}": {"anyOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(60)}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/s0"}}, "$defs": {**definitions, "s60": {}}}
    began = time.process_time()
    assert misfit({"a": 1}, schema) == ""
    assert time.process_time() - began < 10


def test_a_long_value_is_not_repeated_whole() -> None:
    told = misfit({"city": ["x" * 1_000]}, SCHEMA)
    assert len(told) < 200
    assert told.endswith("characters), expected a string")


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("12", "integer", 12),
        (" -3 ", "integer", -3),
        (4.0, "integer", 4),
        ("4.0", "integer", 4),
        ("4.5", "integer", "4.5"),
        ("4.5", "number", 4.5),
        ("1e2", "number", 100.0),
        ("1e999", "number", "1e999"),
        ("12", "string", "12"),
        ("twelve", "integer", "twelve"),
        (True, "integer", True),
        ("12", ["integer", "string"], "12"),
    ],
)
def test_only_what_spells_a_number_becomes_one(value: object, kind: object, expected: object) -> None:
    found = mended({"a": value}, {"type": "object", "properties": {"a": {"type": kind}}})["a"]
    assert (found, type(found)) == (expected, type(expected))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
keywords = st.sampled_from(
    ["type", "properties", "items", "anyOf", "allOf", "$ref", "enum", "const", "required", "minimum", "maxItems"]
)
schemas = st.recursive(
    json_values | st.sampled_from(["object", "string", "#", "#/properties/a", "integer"]),
    lambda inner: st.dictionaries(keywords | st.text(max_size=3), inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=3), json_values, max_size=3), schemas)
def test_no_schema_breaks_the_check(arguments: dict[str, Any], schema: Any) -> None:
    inside: dict[str, Any] = {"type": "object", "properties": {"a": schema}}
    whole = cast("dict[str, Any]", schema) if isinstance(schema, dict) else inside
    assert isinstance(misfit(mended(arguments, whole), whole), str)
