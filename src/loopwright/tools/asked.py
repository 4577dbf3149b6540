"""Tools that a person answers: a declaration without a body.

Owns the declaration, and how what a person says becomes a result of the declared kind. Who is asked, and how, is the
engine's part.
"""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints, overload

from loopwright.core.errors import UsageError
from loopwright.core.messages import Effect, Result, ToolSpec
from loopwright.tools.declare import tool
from loopwright.tools.result import error, result_of
from loopwright.tools.signature import in_words

if TYPE_CHECKING:
    from pydantic import TypeAdapter

NOBODY = "NobodyThere: nobody is there to answer; go on without it, or say in the answer what is missing"
_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")


class AskedTool:
    """A tool without code. Satisfies `engine.ports.Tool`; the engine puts a person's answer in the place of `run`."""

    def __init__(self, function: Callable[..., Any], declared: Any) -> None:
        self._declared = declared
        self._answers: TypeAdapter[Any] = _answers_of(function)
        self._schema = self._answers.json_schema()
        self.spec: ToolSpec = declared.spec
        self.expects = "yes or no" if self._schema.get("type") == "boolean" else in_words(self._schema)
        """What kind of answer there must be, in words for the person."""
        self.__name__, self.__module__, self.__doc__ = self.spec.name, function.__module__, function.__doc__

    def __repr__(self) -> str:
        return f"<tool {self.spec.name}, answered by a person>"

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine."""
        return str(self._declared.check(arguments))

    async def run(self, arguments: dict[str, Any]) -> Result:
        """What there is where nobody can be asked."""
        del arguments
        return error(NOBODY)

    def answered(self, said: object) -> Result:
        """The result that an answer is: a text as it was typed, or a value.

        A result with the error ``UnusableAnswer`` where it is not what the tool's return type asks for.
        """
        if isinstance(said, Result):
            return said
        try:
            return result_of(self._value(said))
        except ValueError as wrong:
            told = str(wrong) if not hasattr(wrong, "errors") else f"{said!r} is not {self.expects}"
            return error(f"UnusableAnswer: {told}")

    def _value(self, said: object) -> Any:
        if not isinstance(said, str):
            return self._answers.validate_python(said)
        text = said.strip()
        if not text:
            raise ValueError("the answer is empty")
        choices = _choices(self._schema)
        if choices:
            named = {str(choice).casefold(): choice for choice in choices}
            return self._answers.validate_json(json.dumps(named.get(text.casefold(), text)))
        match self._schema.get("type"):
            case "string":
                return self._answers.validate_python(text)
            case "boolean":
                return self._answers.validate_python(_agreed(text))
            case "object" | "array" | None:
                return self._answers.validate_json(text)
            case _:
                return self._answers.validate_strings(text)


@overload
def person_tool(function: Callable[..., Any], /) -> AskedTool: ...


@overload
def person_tool(
    *,
    effect: Effect = "read",
    name: str = "",
    description: str = "",
    timeout: float | None = None,
    trusted_output: bool = True,
) -> Callable[[Callable[..., Any]], AskedTool]: ...


def person_tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    effect: Effect = "read",
    name: str = "",
    description: str = "",
    timeout: float | None = None,
    trusted_output: bool = True,
) -> Any:
    """Declare a tool that a person answers: a function with parameters, a docstring and a return type, and no body.

    >>> @person_tool
    ... def taste(dish: str) -> Literal["bland", "fine", "salty"]:
    ...     \"\"\"Taste a dish.\"\"\"

    The model calls it like any tool. Its arguments are checked, the person sees them, and what the person answers is
    checked against the return type (text where there is none) and becomes the result.

    Args:
        function: the function, where the decorator is used without parentheses
        effect: what the person does to the world by it: read, write, delete, send, pay or execute
        name: otherwise the function's name
        description: what the model and the person are told; otherwise the docstring
        timeout: seconds that the answer is waited for
        trusted_output: False where the person passes on what others wrote

    Raises:
        UsageError: the function cannot be a tool, or has a body; the text says why and what to do
    """

    def declare(given: Callable[..., Any]) -> AskedTool:
        declared = tool(
            effect=effect, name=name, description=description, timeout=timeout, trusted_output=trusted_output
        )(given)
        code = getattr(given, "__code__", None)
        if code is None or code.co_code not in _EMPTY:
            raise UsageError(
                f"a person answers the tool {declared.spec.name}, so its body would never run: leave the docstring or "
                "`...` alone, or use `@tool`"
            )
        return AskedTool(given, declared)

    return declare if function is None else declare(function)


def _answers_of(function: Callable[..., Any]) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    kind = get_type_hints(function, include_extras=True).get("return", str)
    try:
        adapter = TypeAdapter[Any](str if kind in (Any, type(None)) else kind)
        adapter.json_schema()
    except PydanticUserError as raised:
        reason = str(raised).splitlines()[0]
        raise UsageError(
            f"a person cannot answer with what {function.__qualname__} returns ({reason}); use str, int, float, bool, "
            "Literal, Enum, list, dict or a dataclass"
        ) from raised
    return adapter


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    """The values that an answer must be one of; none where it may be any."""
    reference = str(schema.get("$ref", ""))
    if reference:
        schema = schema.get("$defs", {}).get(reference.rpartition("/")[2], {})
    return list(schema.get("enum", [schema["const"]] if "const" in schema else []))


def _agreed(text: str) -> bool:
    if text.lower() not in (*_YES, *_NO):
        raise ValueError(f"{text!r} is not yes or no")
    return text.lower() in _YES


def _nothing() -> None: ...


def _documented() -> None:
    """Nothing."""


async def _nothing_async() -> None: ...


async def _documented_async() -> None:
    """Nothing."""


_EMPTY = frozenset(empty.__code__.co_code for empty in (_nothing, _documented, _nothing_async, _documented_async))
"""What functions without a body compile to."""
