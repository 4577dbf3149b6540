"""The words of a run: what they refuse, and what they say of themselves."""

import pytest

from loopwright.core.errors import LoopwrightError, ModelError, UnknownRun, UsageError
from loopwright.core.messages import Call, Kind, Limits, Turn, Usage

CALLS = (Call("read"), Call("read"))


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        (Turn(calls=CALLS, answer="42"), "action"),
        (Turn(answer="", text=""), "final"),
        (Turn(), "empty"),
        (Turn(problem="nothing came"), "empty"),
        (Turn(text="hm", problem="no label"), "malformed"),
        (Turn(thought="hm"), "thought"),
    ],
)
def test_what_a_reply_is(turn: Turn, kind: Kind) -> None:
    assert turn.kind == kind


def test_the_calls_of_a_reply_are_numbered_by_its_question() -> None:
    assert [call.id for call in Turn(calls=CALLS).numbered(7, 2).calls] == ["7.1", "7.2"]


def test_a_reply_with_too_many_calls_is_a_problem_and_runs_none() -> None:
    turn = Turn(calls=CALLS, text="t").numbered(7, 1)
    assert turn == Turn(text="t", problem="2 calls in one reply; at most 1 are allowed")


def test_usage_adds_up() -> None:
    both = Usage(1, 2, 1, 0.5) + Usage(10, 20, 5, 0.25, estimated=True)
    assert both == Usage(11, 22, 6, 0.75, estimated=True)
    assert both.tokens == 33


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", -1),
        ("model_calls", 0),
        ("tool_calls", -1),
        ("tokens", 0),
        ("calls_per_turn", 0),
        ("unreadable", 0),
        ("cost", 0.0),
        ("cost", float("nan")),
        ("seconds", -1.0),
    ],
)
def test_limits_that_make_no_sense_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"limit {name} is "):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_limits_may_be_small_or_missing() -> None:
    assert Limits(steps=0, tool_calls=0, model_calls=1, tokens=1, cost=1e-9, seconds=1e-9)
    assert Limits(steps=None, model_calls=None, tool_calls=None)


def test_errors_say_whose_fault_it_was() -> None:
    error = ModelError("timeout", "no reply in 60 s", lost=True)
    assert (error.failure, error.message, error.lost, str(error)) == (
        "timeout",
        "no reply in 60 s",
        True,
        "no reply in 60 s",
    )
    assert isinstance(error, LoopwrightError)
    assert not isinstance(error, UsageError)
    assert issubclass(UnknownRun, UsageError)
