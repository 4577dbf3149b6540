"""Reads what a tool's JSON Schema says about its parameters, and tells it in a line that a model understands.

Owns the reading of schemas for the text protocol. Validation is done where the tool runs.
"""

import json
from typing import Any, cast

Schema = dict[str, Any]

_DEPTH = 4
"""How deep a type is spelled out in a tool's line."""
_REFERENCES = 8
"""How many references are followed in a row."""


def properties(schema: Schema) -> dict[str, Schema]:
    """The parameters by name."""
    found = schema.get("properties")
    if not isinstance(found, dict):
        return {}
    return {name: _as_schema(part) for name, part in cast("dict[str, Any]", found).items()}


def required(schema: Schema) -> list[str]:
    """The names of the parameters that must be given, in the order of the schema."""
    wanted = schema.get("required")
    names = cast("list[Any]", wanted) if isinstance(wanted, list) else []
    return [name for name in properties(schema) if name in names]


def resolve(part: Schema, root: Schema) -> Schema:
    """The schema behind a reference into ``$defs``; the part itself where there is none."""
    for _ in range(_REFERENCES):
        reference = part.get("$ref")
        if not isinstance(reference, str):
            break
        part = _as_schema(_as_schema(root.get("$defs")).get(reference.rpartition("/")[2]))
    return part


def choices(part: Schema, root: Schema) -> list[Schema]:
    """The alternatives that a part allows; just itself where it names none."""
    part = resolve(part, root)
    found = part.get("anyOf") or part.get("oneOf")
    if not isinstance(found, list):
        return [part]
    return [resolve(_as_schema(choice), root) for choice in cast("list[Any]", found)]


def types(part: Schema, root: Schema) -> list[str]:
    """The JSON types that a part allows, as far as it names them."""
    found: list[str] = []
    for choice in choices(part, root):
        named = choice.get("type")
        found += cast("list[str]", named) if isinstance(named, list) else [named] if isinstance(named, str) else []
    return found


def accepts(part: Schema, kind: str, root: Schema) -> bool:
    """Whether a part allows values of a JSON type; one that names no type allows all."""
    found = types(part, root)
    if found:
        return kind in found
    values = [value for choice in choices(part, root) for value in _values(choice)]
    return not values or kind != "string" or any(isinstance(value, str) for value in values)


def shape(schema: Schema) -> str:
    """The arguments of a tool in one line: ``{"city": string, "unit"?: "celsius" | "fahrenheit"}``."""
    return _object(schema, schema, 0)


def describe(part: Schema, root: Schema, depth: int = 0) -> str:
    """The type of a part in words: ``string``, ``integer | null``, ``[number]``, ``"a" | "b"``."""
    found = dict.fromkeys(_simple(choice, root, depth) for choice in choices(part, root))
    return " | ".join(found)


def _simple(part: Schema, root: Schema, depth: int) -> str:
    values = _values(part)
    if values:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
    named = part.get("type")
    if isinstance(named, list):
        return " | ".join(_simple({**part, "type": kind}, root, depth) for kind in cast("list[Any]", named))
    if named == "array" and depth < _DEPTH:
        return f"[{describe(_as_schema(part.get('items')), root, depth + 1)}]"
    if named == "object" and depth < _DEPTH and properties(part):
        return _object(part, root, depth + 1)
    return named if isinstance(named, str) else "any"


def _object(part: Schema, root: Schema, depth: int) -> str:
    needed = required(part)
    entries = (
        f"{json.dumps(name, ensure_ascii=False)}{'' if name in needed else '?'}: {describe(inner, root, depth)}"
        for name, inner in properties(part).items()
    )
    return "{" + ", ".join(entries) + "}"


def _values(part: Schema) -> list[Any]:
    if "const" in part:
        return [part["const"]]
    values = part.get("enum")
    return cast("list[Any]", values) if isinstance(values, list) else []


def _as_schema(part: object) -> Schema:
    return cast("Schema", part) if isinstance(part, dict) else {}
