"""Tools that a person answers: their declaration, and how an answer becomes a result."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from msgspec import json
from pydantic import Field

from loopwright.core.errors import UsageError
from loopwright.tools.asked import AskedTool, person_tool
from loopwright.tools.result import not_found


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Size:
    width: int
    height: int


def returning(kind: Any) -> AskedTool:
    def measure(thing: str) -> Any:
        """Measure a thing."""

    measure.__annotations__["return"] = kind
    return person_tool(measure)


@pytest.mark.parametrize(
    ("kind", "said", "value"),
    [
        (str, " two words ", "two words"),
        (Any, "x", "x"),
        (None, "x", "x"),
        (int, "12", 12),
        (float, "1.5", 1.5),
        (bool, "Yes", True),
        (bool, "n", False),
        (Literal["bland", "salty"], "SALTY", "salty"),
        (Literal[1, 2], "2", 2),
        (Colour, "Blue", "blue"),
        (date, "2026-11-30", "2026-11-30"),
        (list[int], "[1, 2]", [1, 2]),
        (Size, '{"width": 1, "height": 2}', {"width": 1, "height": 2}),
        (int | None, "null", None),
        (int, 7, 7),
        (str, "7", "7"),
        (Size, {"width": 1, "height": 2}, {"width": 1, "height": 2}),
        (Annotated[int, Field(ge=1)], "3", 3),
    ],
)
def test_an_answer_becomes_a_value_of_the_return_type(kind: Any, said: object, value: Any) -> None:
    result = returning(kind).answered(said)
    assert result.status == "ok", result.error
    assert json.decode(result.data) == value


@pytest.mark.parametrize(
    ("kind", "said", "told"),
    [
        (str, "  ", "the answer is empty"),
        (int, "twelve", "'twelve' is not an integer"),
        (int, "1.5", "'1.5' is not an integer"),
        (bool, "maybe", "'maybe' is not yes or no"),
        (Literal["bland", "salty"], "hot", "'hot' is not one of 'bland', 'salty'"),
        (Colour, "green", "'green' is not one of 'red', 'blue'"),
        (Annotated[int, Field(ge=1)], "0", "'0' is not an integer (at least 1)"),
        (int, "x" * 3, "'xxx' is not an integer"),
        (int, [1], "[1] is not an integer"),
        (list[int], "1, 2", "'1, 2' is not a list of which each is an integer"),
    ],
)
def test_an_answer_of_another_kind_is_refused_with_what_is_wanted(kind: Any, said: object, told: str) -> None:
    assert returning(kind).answered(said).error == f"UnusableAnswer: {told}"


def test_a_result_stays_one() -> None:
    assert returning(int).answered(not_found("no such thing")) == not_found("no such thing")


@pytest.mark.parametrize(
    ("kind", "expects"), [(bool, "yes or no"), (int, "an integer"), (str, "a string"), (Colour, "one of 'red', 'blue'")]
)
def test_what_is_expected_is_said_in_words(kind: Any, expects: str) -> None:
    assert returning(kind).expects == expects


async def test_it_is_a_tool_like_any_with_arguments_that_are_checked() -> None:
    @person_tool(effect="pay", name="pay_cash", timeout=60, trusted_output=False)
    def pay(amount: int) -> bool:  # pyright: ignore[reportReturnType]
        """Pay in cash.

        Args:
            amount: euros
        """

    spec = pay.spec
    assert (spec.name, spec.effect, spec.timeout, spec.repeatable) == ("pay_cash", "pay", 60, False)
    assert spec.trusted_output is False
    assert spec.parameters["properties"] == {"amount": {"type": "integer", "description": "euros"}}
    assert pay.check({"amount": 1}) == ""
    assert pay.check({"amount": "much"}) == "amount: got 'much', expected an integer"
    assert (await pay.run({"amount": 1})).error.startswith("NobodyThere: nobody is there to answer")
    assert repr(pay) == "<tool pay_cash, answered by a person>"


def bodies() -> list[Callable[..., Any]]:
    def says(x: int) -> int:
        """Do."""
        return x

    def works(x: int) -> None:
        """Do."""
        print(x)

    class Thing:
        def __call__(self, x: int) -> None:
            """Do."""

    return [says, works, Thing()]


@pytest.mark.parametrize("function", bodies(), ids=["returns", "prints", "object"])
def test_a_body_would_never_run_so_there_must_be_none(function: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="its body would never run"):
        person_tool(function)


def empty() -> list[Callable[..., Any]]:
    def dots(x: int) -> int: ...

    def passes(x: int, y: str = "a") -> None:
        pass

    async def later(x: int) -> int: ...

    return [dots, passes, later]


@pytest.mark.parametrize("function", empty(), ids=["dots", "pass", "async"])
def test_functions_without_a_body_are_fine(function: Callable[..., Any]) -> None:
    assert person_tool(description="Ask.")(function).spec.description == "Ask."


def test_what_no_person_can_answer_with_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="a person cannot answer with what"):
        returning(Callable[[], int])
