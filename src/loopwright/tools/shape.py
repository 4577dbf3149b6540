"""Whether arguments fit a JSON Schema that somebody else wrote.

Owns the check of what a model sent against a schema that came with the tool: of a server, of a document, of another
library. The schema is not trusted: what is not understood is let pass (the tool's own side checks again), no pattern of
it is run, no address in it is followed, and no schema keeps the check busy for long. `tools.signature` checks the
arguments of functions.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import Any, cast

Schema = dict[str, Any]

STEPS = 20_000
"""Places of schemas that are looked at in one check; what is behind them passes."""
HOPS = 16
"""References that are followed in a row."""
_SHOWN = 80
"""Characters of a wrong value that are repeated to the model."""
_NUMBER = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,3})?")
_KINDS: dict[str, str] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def misfit(arguments: Mapping[str, Any], schema: Schema) -> str:
    """What is wrong with the arguments, in words for the model; empty where nothing is found.

    All parameters are looked at, and the first fault of each is told: ``city: missing, expected a string``.
    """
    check = _Check(schema)
    faults = list[str]()
    named = check.properties(schema)
    for name in check.required(schema):
        if name not in arguments:
            faults.append(f"{name}: missing, expected {_expected(named.get(name, {}))}{_meaning(named.get(name, {}))}")
    for name, value in arguments.items():
        if name in named:
            fault = check.fault(value, named[name], name)
        elif named and not check.open_ended(schema):
            fault = _unknown(name, tuple(named))
        else:
            fault = ""
        faults += [fault] if fault else []
    return "; ".join(faults)


def mended(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The arguments with strings that spell a number, and whole floats, as numbers where only these are wanted.

    Nothing is guessed: no other value is taken for another type.
    """
    named = _Check(schema).properties(schema)
    return {name: _as_number(value, named.get(name, {})) for name, value in arguments.items()}


class _Check:
    """One check of one call: what it may still look at, and where references lead."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._left = STEPS

    def properties(self, schema: Schema) -> dict[str, Schema]:
        found = self._behind(schema).get("properties")
        return (
            {name: _schema(part) for name, part in cast("dict[str, Any]", found).items()}
            if isinstance(found, dict)
            else {}
        )

    def required(self, schema: Schema) -> list[str]:
        found = self._behind(schema).get("required")
        return [name for name in cast("list[Any]", found) if isinstance(name, str)] if isinstance(found, list) else []

    def open_ended(self, schema: Schema) -> bool:
        """Whether an object may have members that the schema does not name."""
        schema = self._behind(schema)
        return schema.get("additionalProperties") not in (None, False) or bool(
            {"patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if"} & schema.keys()
        )

    def fault(self, value: Any, schema: Schema, where: str) -> str:
        """The first thing that is wrong with a value."""
        self._left -= 1
        if self._left < 0:
            return ""
        schema = self._behind(schema)
        for check in (self._kind, self._choice, self._bounds, self._members, self._items, self._all):
            if wrong := check(value, schema, where):
                return wrong
        return ""

    def _behind(self, schema: Schema) -> Schema:
        """The schema behind a reference within the document; what leads elsewhere allows everything."""
        for _ in range(HOPS):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            found: Any = self._root if reference.startswith("#") else {}
            for part in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
                name = part.replace("~1", "/").replace("~0", "~")
                found = _schema(found).get(name)
            schema = _schema(found)
        return {}

    def _kind(self, value: Any, schema: Schema, where: str) -> str:
        kinds = _kinds(schema)
        if not kinds or any(_is(value, kind) for kind in kinds):
            return ""
        return f"{where}: got {_told(value)}, expected {_expected(schema)}"

    def _choice(self, value: Any, schema: Schema, where: str) -> str:
        choices = [schema["const"]] if "const" in schema else schema.get("enum")
        if not isinstance(choices, list) or any(_same(value, one) for one in cast("list[Any]", choices)):
            return ""
        return f"{where}: got {_told(value)}, expected {_expected(schema)}"

    def _bounds(self, value: Any, schema: Schema, where: str) -> str:
        size = len(cast("Sequence[Any]", value)) if isinstance(value, str | list) else value
        for key, (kind, unit, fits) in _BOUNDS.items():
            bound = schema.get(key)
            if _is(value, kind) and _is(bound, "number") and not fits(size, bound):
                return f"{where}: got {_told(value)}, expected {_told_bound(unit, bound)}"
        return ""

    def _members(self, value: Any, schema: Schema, where: str) -> str:
        if not isinstance(value, dict):
            return ""
        members, named = cast("dict[str, Any]", value), self.properties(schema)
        if missing := next((name for name in self.required(schema) if name not in members), ""):
            return f"{where}.{missing}: missing"
        rest = schema.get("additionalProperties")
        for name, member in members.items():
            if name not in named and rest is False:
                return f"{where}.{name}: there is no such field"
            if wrong := self.fault(member, named.get(name, _schema(rest)), f"{where}.{name}"):
                return wrong
        return ""

    def _items(self, value: Any, schema: Schema, where: str) -> str:
        if not isinstance(value, list):
            return ""
        first = schema.get("prefixItems")
        ahead = cast("list[Any]", first) if isinstance(first, list) else []
        rest = _schema(schema.get("items"))
        for number, item in enumerate(cast("list[Any]", value)):
            part = _schema(ahead[number]) if number < len(ahead) else rest
            if part and (wrong := self.fault(item, part, f"{where}[{number}]")):
                return wrong
        return ""

    def _all(self, value: Any, schema: Schema, where: str) -> str:
        for part in _schemas(schema.get("allOf")):
            if wrong := self.fault(value, part, where):
                return wrong
        for key in ("anyOf", "oneOf"):
            wrongs = [self.fault(value, part, where) for part in _schemas(schema.get(key))]
            if wrongs and all(wrongs):
                fitting = [wrong for wrong in wrongs if not wrong.startswith(f"{where}: got")]
                return fitting[0] if fitting else f"{where}: got {_told(value)}, expected {_expected(schema)}"
        return ""


_Fits = Callable[[Any, Any], bool]
_BOUNDS: dict[str, tuple[str, str, _Fits]] = {
    "minimum": ("number", "at least {}", lambda value, bound: value >= bound),
    "maximum": ("number", "at most {}", lambda value, bound: value <= bound),
    "exclusiveMinimum": ("number", "more than {}", lambda value, bound: value > bound),
    "exclusiveMaximum": ("number", "less than {}", lambda value, bound: value < bound),
    "minLength": ("string", "at least {} characters", lambda length, bound: length >= bound),
    "maxLength": ("string", "at most {} characters", lambda length, bound: length <= bound),
    "minItems": ("array", "at least {} items", lambda length, bound: length >= bound),
    "maxItems": ("array", "at most {} items", lambda length, bound: length <= bound),
}


def _told_bound(unit: str, bound: Any) -> str:
    told = unit.format(bound)
    return told.removesuffix("s") if bound == 1 and told.endswith((" characters", " items")) else told


def _schema(value: Any) -> Schema:
    return cast("Schema", value) if isinstance(value, dict) else {}


def _schemas(value: Any) -> list[Schema]:
    return [_schema(part) for part in cast("list[Any]", value)] if isinstance(value, list) else []


def _kinds(schema: Schema) -> list[str]:
    named = schema.get("type")
    kinds = cast("list[Any]", named) if isinstance(named, list) else [named]
    known = [kind for kind in kinds if isinstance(kind, str) and kind in _KINDS]
    if schema.get("nullable") is True and known:  # as OpenAPI 3.0 writes it
        known.append("null")
    return known if len(known) >= len(kinds) else []


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "integer":
            return _is(value, "number") and (isinstance(value, int) or value.is_integer())
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _same(one: Any, other: Any) -> bool:
    """Equality as JSON has it, where true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _as_number(value: Any, schema: Schema) -> Any:
    kinds = set(_kinds(schema))
    if not kinds & {"integer", "number"} or "string" in kinds:
        return value
    if isinstance(value, float) and value.is_integer() and "number" not in kinds:
        return int(value)
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return value
    text = value.strip()
    if text.lstrip("+-").isdigit():
        return int(text)
    number = float(text)
    if "number" in kinds:
        return number if isfinite(number) else value
    return int(number) if isfinite(number) and number.is_integer() else value


def _unknown(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"{name}: there is no such parameter{hint} The parameters are: {', '.join(known)}"


def _expected(schema: Schema) -> str:
    """A schema in words."""
    if "const" in schema:
        return _told(schema["const"])
    if isinstance(schema.get("enum"), list):
        return "one of " + ", ".join(_told(one) for one in schema["enum"])
    choices = [*_schemas(schema.get("anyOf")), *_schemas(schema.get("oneOf"))]
    if choices:
        return " or ".join(dict.fromkeys(_expected(one) for one in choices))
    return " or ".join(_KINDS[kind] for kind in _kinds(schema)) or "another value"


def _meaning(schema: Schema) -> str:
    description = schema.get("description")
    return f" ({description})" if isinstance(description, str) and description else ""


def _told(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
