"""Whether a call is taken for the one that was wanted, and no other."""

from typing import Any

import pytest

from loopwright.core.messages import Result
from training.evaluation.calls import (
    AnyOf,
    Anything,
    Calculates,
    Holds,
    InZone,
    Made,
    Wanted,
    is_wanted,
    missing,
    same,
)

SAME: tuple[tuple[Any, Any], ...] = (
    ("EUR", "eur"),
    ("Malmö", "malmo"),
    ("The Gilded Heron", "gilded heron"),
    (75, 75.0),
    (62.5, "62.50"),
    (True, True),
    ([310, 45], [310.0, 45]),
    (AnyOf(("ZQ 118", "ZQ118")), "zq118"),
    (Calculates(391), "17 * 23"),
    (Calculates(391), "23*17 + 0"),
    (Calculates(423), "18% of 2350"),
    (Holds(("ferry", "time|long")), "how long is the ferry"),
    (InZone("Asia/Tokyo"), "Tokyo"),
    (InZone("Asia/Tokyo"), "UTC+9"),
    (Anything(), "whatever"),
)

DIFFERENT: tuple[tuple[Any, Any], ...] = (
    ("EUR", "USD"),
    ("EUR", 5),
    (75, 57),
    (75, "many"),
    (75, None),
    (1, True),
    (True, 1),
    ([310, 45], [45, 310]),
    ([310, 45], [310]),
    ([310], "310"),
    (AnyOf(("ZQ 118", "ZQ118")), "ZQ 119"),
    (Calculates(391), "17 + 23"),
    (Calculates(391), "391 what"),
    (Calculates(391), 391),
    (Holds(("ferry", "time|long")), "ferry"),
    (InZone("Asia/Tokyo"), "Asia/Seoul/Gangnam"),
    (InZone("Asia/Tokyo"), "Lisbon"),
    (Anything(), None),
)


@pytest.mark.parametrize(("wanted", "given"), SAME)
def test_an_argument_is_the_same(wanted: Any, given: Any) -> None:
    assert same(wanted, given)


@pytest.mark.parametrize(("wanted", "given"), DIFFERENT)
def test_an_argument_is_another(wanted: Any, given: Any) -> None:
    assert not same(wanted, given)


def made(tool: str, status: Any = "ok", **arguments: Any) -> Made:
    return Made(tool, arguments, Result(status=status))


def test_a_city_may_be_followed_by_its_country() -> None:
    wanted = Wanted("get_current_weather", {"city": "Cork"})
    assert is_wanted(wanted, made("get_current_weather", city="Cork, Ireland"))
    assert not is_wanted(wanted, made("get_current_weather", city="Corkstown"))


def test_a_call_that_failed_or_went_to_another_tool_or_lacks_an_argument_is_not_it() -> None:
    wanted = Wanted("get_current_weather", {"city": "Cork"})
    assert not is_wanted(wanted, made("get_current_weather", "error", city="Cork"))
    assert not is_wanted(wanted, made("weather", city="Cork"))
    assert not is_wanted(wanted, made("get_current_weather"))
    assert is_wanted(
        Wanted("get_current_weather", {"city": "Cork"}, ""), made("get_current_weather", "error", city="Cork")
    )


def test_one_call_counts_once() -> None:
    wanted = Wanted("calculator", {"expression": Calculates(4)})
    assert missing([wanted, wanted], [made("calculator", expression="2 + 2")]) == [wanted]
    assert missing([wanted], [made("calculator", expression="1 + 1"), made("calculator", expression="2 + 2")]) == []
