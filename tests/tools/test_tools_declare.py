"""How functions become tools: schema, description, validation, and what is refused."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from loopwright.core.errors import UsageError
from loopwright.core.messages import Result
from loopwright.tools.declare import FunctionTool, tool
from loopwright.tools.signature import in_words


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: float
    y: float = 0.0


class Row(TypedDict):
    name: str
    count: int


class Order(BaseModel):
    title: str
    points: list[Point] = []


class Tree(BaseModel):
    value: int
    children: list["Tree"] = []


@tool
async def forecast(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius", days: int = 1) -> str:
    """Weather of the next days.

    Args:
        city: name of the city
        unit: unit of the
            temperature
    """
    return f"{city} {unit} {days}"


def by_numpy(city: str, days: int = 1) -> str:
    """Weather of the next days.

    Parameters
    ----------
    city : str
        name of the city
    days
        how many
    """
    return city * days


def by_sphinx(city: str, days: int = 1) -> str:
    """Weather of the next days.

    :param city: name of the city
    :param int days: how many
    :returns: the weather
    """
    return city * days


@tool
def shapes(
    color: Color = Color.RED,
    point: Point | None = None,
    rows: list[Row] | None = None,
    order: Order | None = None,
    prices: dict[str, float] | None = None,
    level: Annotated[int, Field(ge=1, le=5, description="from 1 to 5")] = 3,
    ratio: float = 1.0,
    exact: bool = False,
) -> str:
    """Takes all shapes."""
    return repr((color, point, rows, order, prices, level, ratio, exact))


def shown(result: Result) -> Any:
    assert result.status == "ok", result.error
    return json.decode(result.data)


def noise(schema: dict[str, Any]) -> list[str]:
    """Keywords that say nothing to a model, anywhere but among names of parameters."""
    found = [key for key in schema if key in ("title", "$ref", "$defs", "additionalProperties") and schema[key]]
    inner: list[Any] = [*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", ())]
    return found + [one for part in inner if part for one in noise(part)]


def test_schema_and_description_come_from_the_function() -> None:
    assert forecast.spec.name == "forecast"
    assert forecast.spec.description == "Weather of the next days."
    assert forecast.spec.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "name of the city"},
            "unit": {
                "type": "string",
                "enum": ["celsius", "fahrenheit"],
                "description": "unit of the temperature",
                "default": "celsius",
            },
            "days": {"type": "integer", "default": 1},
        },
        "required": ["city"],
    }


@pytest.mark.parametrize(("function", "returned"), [(by_numpy, ""), (by_sphinx, "\n\nReturns: the weather")])
def test_any_style_of_docstring_is_understood(function: Any, returned: str) -> None:
    made = tool(function)
    properties = made.spec.parameters["properties"]
    assert made.spec.description == "Weather of the next days." + returned
    assert properties["city"]["description"] == "name of the city"
    assert properties["days"] == {"type": "integer", "description": "how many", "default": 1}


def test_plain_tools_read_and_repeat_and_others_do_not() -> None:
    assert (forecast.spec.effect, forecast.spec.repeatable) == ("read", True)

    @tool(effect="send", timeout=3, max_chars=10, pollable=True, accepts_repaired=True, name="mail-1")
    def send(to: str) -> None:
        """Sends."""

    spec = send.spec
    assert (spec.name, spec.effect, spec.repeatable, spec.timeout, spec.max_chars) == ("mail-1", "send", False, 3, 10)
    assert spec.pollable
    assert spec.accepts_repaired
    assert tool(effect="write", repeatable=True)(by_numpy).spec.repeatable


async def test_a_tool_is_still_the_function() -> None:
    assert await forecast("Athens", days=2) == "Athens celsius 2"
    assert forecast.__doc__ is not None


def test_the_schema_has_no_references_and_no_titles() -> None:
    schema = shapes.spec.parameters
    assert noise(schema) == ["additionalProperties"], "only that of the dict, which says what its values are"
    assert "title" in schema["properties"]["order"]["properties"]
    assert schema["properties"]["point"]["properties"]["x"] == {"type": "number"}
    assert "required" not in schema


async def test_a_parameter_may_be_called_title() -> None:
    @tool
    def name_it(title: str, schema: str, model_config: str, self_: int = 0) -> str:
        """Names something."""
        return title + schema + model_config

    assert list(name_it.spec.parameters["properties"]) == ["title", "schema", "model_config", "self_"]
    assert shown(await name_it.run({"title": "a", "schema": "b", "model_config": "c"})) == "abc"


async def test_a_type_that_holds_itself_keeps_a_reference() -> None:
    @tool
    def grow(tree: Tree) -> int:
        """Grows."""
        return len(tree.children)

    assert "Tree" in grow.spec.parameters["$defs"]
    assert shown(await grow.run({"tree": {"value": 1, "children": [{"value": 2}]}})) == 1


async def test_the_function_gets_python_values() -> None:
    sent = {
        "color": "blue",
        "point": {"x": 1},
        "rows": [{"name": "a", "count": 2}],
        "order": {"title": "t", "points": [{"x": 3, "y": 4}]},
        "prices": {"tea": 2},
        "level": 5,
        "exact": True,
    }
    assert shown(await shapes.run(sent)) == repr(
        (
            Color.BLUE,
            Point(1.0),
            [{"name": "a", "count": 2}],
            Order(title="t", points=[Point(3.0, 4.0)]),
            {"tea": 2.0},
            5,
            1.0,
            True,
        )
    )


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "city: missing, expected a string (name of the city)"),
        ({"city": 3}, "city: got 3, expected a string"),
        ({"city": None}, "city: got null, expected a string"),
        ({"city": "A", "unit": "kelvin"}, "unit: got 'kelvin', expected one of 'celsius', 'fahrenheit'"),
        (
            {"city": "A", "unit": None},
            "unit: got null, expected one of 'celsius', 'fahrenheit'; leave it out for the default",
        ),
        ({"city": "A", "days": "many"}, "days: got 'many', expected an integer"),
        ({"city": "A", "days": True}, "days: got true, expected an integer"),
        ({"city": "A", "days": 1.5}, "days: got 1.5, expected an integer"),
        ({"city": "A", "days": "1.5"}, "days: got 1.5, expected an integer"),
        (
            {"city": "A", "day": 1},
            "day: there is no such parameter; did you mean 'days'? The parameters are: city, unit, days",
        ),
        ({"city": "A", "x": 1}, "x: there is no such parameter. The parameters are: city, unit, days"),
        (
            {"days": "many"},
            "city: missing, expected a string (name of the city); days: got 'many', expected an integer",
        ),
    ],
)
async def test_wrong_arguments_are_told_in_words(sent: dict[str, Any], told: str) -> None:
    result = await forecast.run(sent)
    assert (result.status, result.error) == ("error", f"InvalidArguments: {told}")


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"level": 0}, "level: got 0, but it should be greater than or equal to 1"),
        ({"point": {"x": "a"}}, "point.x: got 'a', but it should be a valid number"),
        ({"point": {"x": 1, "z": 2}}, "point.z: there is no such field"),
        ({"rows": [{"name": "a"}]}, "rows[0].count: missing"),
        ({"rows": [{"name": "a", "count": 1, "x": 1}]}, "rows[0].x: there is no such field"),
        ({"exact": "yes"}, "exact: got 'yes', expected true or false"),
        ({"exact": 1}, "exact: got 1, expected true or false"),
        ({"ratio": "nan"}, "ratio: got 'nan', expected a number"),
        ({"ratio": float("inf")}, "ratio: got Infinity, but it should be a finite number"),
        ({"ratio": False}, "ratio: got false, expected a number"),
    ],
)
async def test_what_lies_within_is_told_with_its_place(sent: dict[str, Any], told: str) -> None:
    assert (await shapes.run(sent)).error == f"InvalidArguments: {told}"


@pytest.mark.parametrize(
    ("sent", "ratio"),
    [("100", 100.0), (" 2.5 ", 2.5), ("-1e3", -1000.0), (7, 7.0)],
)
async def test_text_that_spells_a_number_is_one(sent: Any, ratio: float) -> None:
    @tool
    def take(ratio: float, by_name: dict[str, float] | None = None) -> float:
        """Takes a number."""
        return ratio + (by_name or {}).get("more", 0)

    assert shown(await take.run({"ratio": sent})) == ratio
    assert shown(await take.run({"ratio": sent, "by_name": {"more": "1"}})) == ratio + 1


async def test_a_whole_float_is_an_integer() -> None:
    assert shown(await forecast.run({"city": "A", "days": 3.0})) == "A celsius 3"
    assert shown(await forecast.run({"city": "A", "days": "3"})) == "A celsius 3"


async def test_text_for_text_or_number_stays_text() -> None:
    @tool
    def either(value: str | int, number: int | float = 0) -> str:
        """Takes either."""
        return repr((value, number))

    assert shown(await either.run({"value": "12", "number": "12"})) == "('12', 12)"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
some_parameter = st.sampled_from(list(shapes.spec.parameters["properties"])) | st.text(max_size=5)


@given(st.dictionaries(some_parameter, anything, max_size=4))
async def test_no_arguments_crash_a_tool(sent: dict[str, Any]) -> None:
    result = await shapes.run(sent)
    assert result.status == "ok" or result.error.startswith("InvalidArguments: ")


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
async def test_numbers_arrive_unchanged(number: float) -> None:
    @tool
    def echo(number: float) -> bool:
        """Compares."""
        return number == expected

    expected = float(number) if abs(number) < 1e300 else number
    result = await echo.run({"number": number})
    assert result.status == "error" or shown(result) is True


class Account:
    def __init__(self, owner: str) -> None:
        self.owner = owner

    @tool
    async def balance(self, currency: str) -> str:
        """Balance of the account."""
        return f"{self.owner} {currency}"

    def plain(self, currency: str) -> str:
        """Balance of the account."""
        return f"{self.owner} {currency}"


async def test_methods_are_tools_of_their_instance() -> None:
    ada, bob = Account("Ada"), Account("Bob")
    assert shown(await ada.balance.run({"currency": "EUR"})) == "Ada EUR"
    assert shown(await bob.balance.run({"currency": "EUR"})) == "Bob EUR"
    assert shown(await tool(ada.plain).run({"currency": "EUR"})) == "Ada EUR"
    assert list(ada.balance.spec.parameters["properties"]) == ["currency"]
    assert "is a method" in (await Account.balance.run({"currency": "EUR"})).error


async def test_partials_and_callables_are_tools() -> None:
    def add(left: int, right: int) -> int:
        """Adds."""
        return left + right

    made: FunctionTool[..., Any] = tool(name="add_two")(functools.partial(add, right=2))
    assert shown(await made.run({"left": 1})) == 3

    class Doubler:
        async def __call__(self, number: int) -> int:
            """Doubles."""
            return 2 * number

    doubler: FunctionTool[..., Any] = tool(Doubler())
    assert not doubler.blocking
    assert shown(await doubler.run({"number": 4})) == 8


def test_a_function_is_read_once() -> None:
    assert tool(by_numpy).spec.parameters is tool(by_numpy).spec.parameters


untyped: Any = eval("lambda city: city", {})
untyped.__name__, untyped.__qualname__, untyped.__doc__ = "untyped", "untyped", "Doc."
unresolved: Any = eval("lambda city: city", {})
unresolved.__name__, unresolved.__doc__, unresolved.__annotations__ = "unresolved", "Doc.", {"city": "Nowhere"}


def many(*cities: str) -> str:
    """Doc."""
    return "".join(cities)


def names(**cities: str) -> str:
    """Doc."""
    return "".join(cities)


def by_position(city: str, /) -> str:
    """Doc."""
    return city


def odd_type(city: object.__class__) -> str:
    """Doc."""
    return str(city)


def undocumented(city: str) -> str:
    return city


def misdocumented(city: str) -> str:
    """Doc.

    Args:
        town: name
    """
    return city


def yields(city: str) -> Any:
    """Doc."""
    yield city


REFUSED: list[tuple[Any, str]] = [
    (untyped, "parameter 'city' has no type; write one, such as `city: str`"),
    (many, "take a list instead"),
    (names, "name each parameter, or take a dict"),
    (by_position, "remove the `/`"),
    (odd_type, "a type that cannot be offered to a model"),
    (unresolved, "cannot be resolved"),
    (undocumented, "has no docstring; write one"),
    (misdocumented, "the docstring describes town"),
    (yields, "return a list instead"),
    (lambda: None, "cannot be the name of a tool"),
    (forecast, "is a tool already"),
    (Account, "takes a function"),
    ("text", "takes a function"),
]


@pytest.mark.parametrize(("function", "told"), REFUSED)
def test_what_cannot_be_a_tool_is_refused_with_what_to_do(function: Any, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        tool(function)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": "with space"}, "cannot be the name"),
        ({"name": "x" * 65}, "at most 64"),
        ({"effect": "destroy"}, "is no effect"),
        ({"timeout": 0}, "must be above 0"),
        ({"max_chars": -1}, "must be above 0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        tool(**options)(by_numpy)


async def test_a_description_stands_in_for_a_docstring() -> None:
    made: FunctionTool[..., str] = tool(description="Gives the city back.")(undocumented)
    assert made.spec.description == "Gives the city back."


async def test_arguments_that_are_no_json_are_told() -> None:
    assert (await forecast.run({"city": object()})).error.startswith("InvalidArguments: the arguments are not JSON")
    assert shown(await forecast.run({"city": "a\ud800"})) == "a\ufffd celsius 1"


def test_a_note_in_a_docstring_stays_in_the_description() -> None:
    def read(city: str) -> int:
        """Reads.

        Args:
            city: name

        Note:
            Slow at night.

        Raises:
            ValueError: never told to a model
        """
        return len(city)

    assert tool(read).spec.description == "Reads.\n\nNote: Slow at night."


def test_a_default_without_a_form_is_left_out_of_the_schema() -> None:
    missing = object()

    @tool
    def find(city: str, fallback: int = missing) -> str:  # type: ignore[assignment] # pyright: ignore[reportArgumentType]
        """Finds."""
        return f"{city} {fallback is missing}"

    assert find.spec.parameters["properties"]["fallback"] == {"type": "integer"}
    assert find(city="A") == "A True"


def test_several_choices_without_null_stay_choices() -> None:
    @tool
    def find(key: int | str | None = None) -> str:
        """Finds."""
        return str(key)

    assert find.spec.parameters["properties"]["key"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}


async def test_expectations_are_told_in_words() -> None:
    @tool
    def find(key: int | str, places: list[Annotated[int, Field(ge=1)]], at: Point) -> str:
        """Finds."""
        return f"{key} {places} {at}"

    told = (await find.run({})).error
    assert told == (
        "InvalidArguments: key: missing, expected an integer or a string; places: missing, expected a list of which "
        "each is an integer (at least 1); at: missing, expected an object with x, y"
    )


def test_a_free_form_tool_takes_one_command() -> None:
    @tool(free_form=True)
    def act(command: str) -> str:
        """Acts."""
        return command

    assert act.spec.free_form
    assert not tool(plain).spec.free_form


def plain(command: str) -> str:
    """Acts."""
    return command


def two(a: str, b: str) -> str:
    """Acts."""
    return a + b


def number(a: int) -> int:
    """Acts."""
    return a


def optional(a: str = "look") -> str:
    """Acts."""
    return a


def none() -> str:
    """Acts."""
    return ""


@pytest.mark.parametrize("function", [two, number, optional, none])
def test_a_free_form_tool_that_takes_anything_else_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match=f"{function.__name__} is free_form .* exactly one parameter"):
        tool(free_form=True)(function)


def test_a_bound_of_one_is_written_in_the_singular() -> None:
    assert in_words({"type": "string", "minLength": 1, "maxLength": 9}) == (
        "a string (at least 1 character, at most 9 characters)"
    )
    assert in_words({"type": "integer", "minimum": 1}) == "an integer (at least 1)"
