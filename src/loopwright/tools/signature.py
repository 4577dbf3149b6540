"""What arguments a function takes: their JSON Schema, and the check of what a model sent.

Owns the way from a signature to a schema and from a model's arguments to Python values. Nothing here calls the
function.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast, get_type_hints

from loopwright.core.errors import UsageError
from loopwright.tools.result import Unshowable, encoded

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

_NUMBER = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,3})?")
_SHOWN = 80
"""Characters of a wrong value that are repeated to the model."""


class InvalidArguments(Exception):
    """The arguments of a call do not fit the tool. The model's fault; the text tells it what to send instead."""


class Parameters:
    """The parameters of one function."""

    def __init__(self, adapter: "TypeAdapter[Any]", schema: dict[str, Any]) -> None:
        self._adapter = adapter
        self.schema = schema
        """JSON Schema of type object."""
        self._names: tuple[str, ...] = tuple(schema["properties"])

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them; those left out are not in it.

        Nothing is guessed: a string that spells a number and a whole float are the only values that are taken for
        another type, because nothing is lost by it.

        Raises:
            InvalidArguments: they do not fit; the text says which, what was wrong and what is expected
        """
        from pydantic import ValidationError

        try:
            return self._validate(arguments)
        except ValidationError as wrong:
            mended = _mended(arguments, wrong.errors(include_url=False, include_context=False))
            if mended is None:
                raise InvalidArguments(self._told(wrong)) from None
        try:
            return self._validate(mended)
        except ValidationError as wrong:
            raise InvalidArguments(self._told(wrong)) from None

    def _validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            text = json.dumps(arguments, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            text = bytes(encoded(arguments))
        except (TypeError, ValueError, RecursionError) as raised:
            raise InvalidArguments(f"the arguments are not JSON ({raised})") from None
        return cast("dict[str, Any]", self._adapter.validate_json(text, strict=True))

    def _told(self, wrong: Any) -> str:
        by_parameter: dict[str, list[ErrorDetails]] = {}
        for detail in wrong.errors(include_url=False):
            by_parameter.setdefault(str(detail["loc"][0]) if detail["loc"] else "", []).append(detail)
        return "; ".join(self._sentence(name, details) for name, details in by_parameter.items())

    def _sentence(self, name: str, details: "list[ErrorDetails]") -> str:
        first = details[0]
        if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
            return self._unknown(name)
        schema: dict[str, Any] = self.schema["properties"].get(name, {})
        if first["type"] == "missing" and len(first["loc"]) == 1:
            return f"{name}: missing, expected {_expected(schema)}{_meaning(schema)}"
        if all(len(detail["loc"]) == 1 for detail in details[:1]) and _is_about_type(first["type"]):
            optional = name not in self.schema.get("required", ())
            leave = "; leave it out for the default" if first["input"] is None and optional else ""
            return f"{name}: got {_shown(first['input'])}, expected {_expected(schema)}{leave}"
        return "; ".join(dict.fromkeys(_inner(detail) for detail in details))

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, self._names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        known = ", ".join(self._names) if self._names else "none"
        return f"{name}: there is no such parameter{hint} The parameters are: {known}"


def parameters_of(function: Callable[..., Any], described: Mapping[str, str], *, method: bool = False) -> Parameters:
    """Read the parameters of a function; `described` are their descriptions, `method` leaves the first one out.

    Raises:
        UsageError: a parameter cannot be offered to a model; the text says which and what to do
    """
    signature = list(_signature(function).parameters.values())
    offered = signature[1:] if method else signature
    for parameter in offered:
        _refuse_odd_kinds(function, parameter)
    unknown = sorted(set(described) - {parameter.name for parameter in signature})
    if unknown:
        raise UsageError(
            f"{_place(function)}: the docstring describes {', '.join(unknown)}, which the function does not take; "
            "correct the name in the docstring"
        )
    hints = _hints(function)
    for parameter in offered:
        if parameter.name not in hints:
            raise UsageError(
                f"{_place(function)}: parameter {parameter.name!r} has no type; write one, such as "
                f"`{parameter.name}: str`, so that the model knows what to send"
            )
    return _parameters(function, offered, hints, described)


def _parameters(
    function: Callable[..., Any],
    offered: "list[inspect.Parameter]",
    hints: Mapping[str, Any],
    described: Mapping[str, str],
) -> Parameters:
    from pydantic import ConfigDict, TypeAdapter, with_config
    from pydantic.errors import PydanticUserError
    from pydantic_core import SchemaError
    from typing_extensions import TypedDict

    fields: dict[str, Any] = {}
    for parameter in offered:
        kind = _described(hints[parameter.name], described.get(parameter.name, ""))
        fields[parameter.name] = kind if parameter.default is parameter.empty else NotRequired[kind]
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    try:
        adapter = TypeAdapter(with_config(config)(TypedDict("Arguments", fields)))  # type: ignore[operator]
        schema = adapter.json_schema(by_alias=True)
    except (PydanticUserError, SchemaError, TypeError, NameError, RecursionError) as raised:
        reason = str(raised).splitlines()[0] if str(raised) else type(raised).__name__
        raise UsageError(
            f"{_place(function)}: a parameter has a type that cannot be offered to a model ({reason}); "
            "use str, int, float, bool, Literal, Enum, list, dict, a dataclass, a TypedDict or a pydantic model"
        ) from raised
    return Parameters(adapter, _tidy(schema, offered))


def _described(hint: Any, description: str) -> Any:
    """A hint with a description, unless it brings its own."""
    from pydantic import Field

    if not description or any(getattr(part, "description", None) for part in getattr(hint, "__metadata__", ())):
        return hint
    return Annotated[hint, Field(description=description)]


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError) as raised:
        raise UsageError(
            f"{_place(function)} has no signature that can be read ({raised}); "
            "wrap it in a function with typed parameters"
        ) from raised


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    source: Any = inspect.unwrap(function)
    while hasattr(source, "func") and not inspect.isroutine(source):
        source = source.func
    if not inspect.isroutine(source):
        source = type(source).__call__
    try:
        return get_type_hints(source, include_extras=True)
    except Exception as raised:
        raise UsageError(
            f"{_place(function)}: a type in its signature cannot be resolved ({raised}); "
            "import or define it at the top of the module, outside of functions and `if TYPE_CHECKING`"
        ) from raised


def _refuse_odd_kinds(function: Callable[..., Any], parameter: inspect.Parameter) -> None:
    what = {
        parameter.VAR_POSITIONAL: "collects any number of values; take a list instead",
        parameter.VAR_KEYWORD: "collects any names; name each parameter, or take a dict",
        parameter.POSITIONAL_ONLY: "can only be given by position, and models give names; remove the `/`",
    }.get(parameter.kind)
    if what:
        raise UsageError(f"{_place(function)}: parameter {parameter.name!r} {what}")


def _place(function: Callable[..., Any]) -> str:
    return f"tool {getattr(function, '__qualname__', None) or repr(function)}"


# The schema without noise


def _tidy(schema: dict[str, Any], offered: "list[inspect.Parameter]") -> dict[str, Any]:
    definitions: dict[str, Any] = schema.pop("$defs", {})
    recursive: set[str] = set()
    properties: dict[str, Any] = {}
    for parameter in offered:
        own = _inlined(schema["properties"][parameter.name], definitions, (), recursive)
        properties[parameter.name] = _with_default(own, parameter)
    tidy: dict[str, Any] = {"type": "object", "properties": properties}
    required = [parameter.name for parameter in offered if parameter.default is parameter.empty]
    if required:
        tidy["required"] = required
    if recursive:
        tidy["$defs"] = {
            name: _inlined(definitions[name], definitions, (name,), recursive) for name in sorted(recursive)
        }
    return tidy


def _inlined(node: Any, definitions: dict[str, Any], above: tuple[str, ...], recursive: set[str]) -> Any:
    """`node` with references replaced by what they refer to, without titles; a type that holds itself stays one."""
    if isinstance(node, list):
        return [_inlined(item, definitions, above, recursive) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    parts = cast("dict[str, Any]", node)
    reference = parts.get("$ref")
    if isinstance(reference, str):
        name = reference.removeprefix("#/$defs/")
        if name in above or name in recursive:
            recursive.add(name)
            return parts
        beside = {key: part for key, part in parts.items() if key != "$ref"}
        return _inlined({**definitions[name], **beside}, definitions, (*above, name), recursive)
    return {
        key: _by_name(part, definitions, above, recursive)
        if key in ("properties", "patternProperties")
        else _inlined(part, definitions, above, recursive)
        for key, part in parts.items()
        if not (key == "title" and isinstance(part, str)) and not (key == "additionalProperties" and part is False)
    }


def _by_name(named: dict[str, Any], definitions: dict[str, Any], above: tuple[str, ...], recursive: set[str]) -> Any:
    return {name: _inlined(part, definitions, above, recursive) for name, part in named.items()}


def _with_default(schema: dict[str, Any], parameter: inspect.Parameter) -> dict[str, Any]:
    """The schema of a parameter with its default, where that says anything to a model."""
    if parameter.default is parameter.empty:
        return schema
    if parameter.default is None:
        return _without_null(schema)
    try:
        return {**schema, "default": json.loads(bytes(encoded(parameter.default)))}
    except Unshowable:
        return schema


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Leaving an argument out says the same as null, and is simpler for a model."""
    choices: list[dict[str, Any]] = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) != 1:
        return {**schema, "anyOf": choices} if choices else schema
    return {**choices[0], **{key: part for key, part in schema.items() if key != "anyOf"}}


# What was wrong, in words


def _is_about_type(kind: str) -> bool:
    return kind.endswith(("_type", "_parsing", "_error", "_from_float")) and kind not in (
        "value_error",
        "assertion_error",
    )


def _inner(detail: "ErrorDetails") -> str:
    place = _path(detail["loc"])
    if detail["type"] == "missing":
        return f"{place}: missing"
    if detail["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{place}: there is no such field"
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    message = message[:1].lower() + message[1:]
    return f"{place}: got {_shown(detail['input'])}, but {message.removeprefix('input ')}".replace(
        "but should", "but it should"
    )


def _path(parts: tuple[int | str, ...]) -> str:
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or "the arguments"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        text = repr(value)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError):
            text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


_WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
    "format": "in the format {}",
}


def in_words(schema: Mapping[str, Any]) -> str:
    """What values a schema takes, in words: ``a number (at least 1)``."""
    reference = str(schema.get("$ref", ""))
    return _expected(schema.get("$defs", {}).get(reference.rpartition("/")[2], {}) if reference else schema)


def _expected(schema: Mapping[str, Any]) -> str:
    """A schema in words."""
    if "const" in schema:
        return _shown(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(_shown(one) for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_expected(one) for one in schema["anyOf"]))
    words = _WORDS.get(str(schema.get("type")), "a value of another type")
    if schema.get("type") == "array" and "items" in schema:
        words += f" of which each is {_expected(schema['items'])}"
    if schema.get("type") == "object" and schema.get("properties"):
        words += f" with {', '.join(schema['properties'])}"
    bounds = [_bound(text, schema[key]) for key, text in _BOUNDS.items() if key in schema]
    return f"{words} ({', '.join(bounds)})" if bounds else words


def _bound(text: str, value: Any) -> str:
    told = text.format(value)
    return told.removesuffix("s") if value == 1 and told.endswith((" characters", " items")) else told


def _meaning(schema: Mapping[str, Any]) -> str:
    description = str(schema.get("description", ""))
    return f" ({description})" if description else ""


# Values that are taken for another type, because nothing is lost


def _mended(arguments: Mapping[str, Any], wrong: "list[ErrorDetails]") -> dict[str, Any] | None:
    """The arguments with strings that spell numbers as numbers, where numbers are wanted; None if there are none."""
    places = [detail["loc"] for detail in wrong if detail["type"] in ("int_type", "float_type", "int_from_float")]
    mended: dict[str, Any] | None = None
    for place in places:
        if mended is None:
            mended = cast("dict[str, Any]", json.loads(bytes(encoded(arguments))))
        if not _mend(mended, place):
            return None
    return mended


def _mend(value: Any, place: tuple[int | str, ...]) -> bool:
    """Put a number where `place` leads, as far as it leads; its end may name a choice rather than a place."""
    holder, last = None, None
    for part in place:
        if not _holds(value, part):
            break
        holder, last, value = value, part, value[part]
    number = _spelled(value)
    if holder is None or number is None:
        return False
    holder[last] = number
    return True


def _holds(value: Any, part: int | str) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(cast("list[Any]", value))


def _spelled(value: Any) -> int | float | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return None
    text = value.strip()
    if text.lstrip("+-").isdigit():
        return int(text)
    number = float(text)
    return int(number) if number.is_integer() else number
