"""The progress guard, turn by turn."""

import pytest
from msgspec import Raw

from loopwright.core.messages import Call, Result
from loopwright.core.progress import CLOSE_FAILING, CLOSE_STALE, TELL_FAILING, TELL_STALE, Guard, fingerprint, signature

A, B, C = (Call("read", {"q": name}) for name in "abc")
ONE, TWO = Result(data=Raw(b"1")), Result(data=Raw(b"2"))


def turn(guard: Guard, *answers: tuple[Call, Result], pollable: bool = False, withheld: bool = False) -> str:
    for call, result in answers:
        guard.ended(call, result, pollable=pollable, withheld=withheld)
    return guard.turn_over()


def failed(kind: str, text: str = "") -> Result:
    return Result("error", error=f"{kind}: {text}")


def test_the_same_call_with_the_same_result_is_told_then_withheld_then_closes() -> None:
    guard = Guard()
    assert [turn(guard, (A, ONE)) for _ in range(2)] == ["", "repeating"]
    assert guard.withholds(A)
    assert [turn(guard, (A, ONE), withheld=True) for _ in range(2)] == ["", "close"]
    assert (TELL_STALE, CLOSE_STALE) == (1, 3)


def test_a_b_a_b_is_noticed_too() -> None:
    guard = Guard()
    assert [turn(guard, (call, ONE)) for call in (A, B, A, B)] == ["", "", "repeating", ""]
    assert guard.withholds(A)
    assert guard.withholds(B)
    assert not guard.withholds(C)
    assert turn(guard, (A, ONE)) == "close"


def test_a_new_result_or_a_new_call_beside_it_is_progress() -> None:
    guard = Guard()
    assert [turn(guard, (A, ONE)), turn(guard, (A, TWO)), turn(guard, (A, TWO), (B, ONE))] == ["", "", ""]
    assert not guard.withholds(A)


def test_something_new_gives_leave_to_repeat_once_more() -> None:
    guard = Guard()
    turn(guard, (A, ONE))
    assert turn(guard, (A, ONE)) == "repeating"
    assert guard.withholds(A)
    assert turn(guard, (B, ONE)) == ""
    assert not guard.withholds(A)
    assert turn(guard, (A, ONE)) == "repeating"


def test_a_call_whose_result_changed_is_not_withheld() -> None:
    guard = Guard()
    for result in (ONE, ONE, TWO):
        turn(guard, (A, result))
    turn(guard, (B, ONE))
    turn(guard, (B, ONE))
    assert guard.stale == TELL_STALE
    assert not guard.withholds(A)


def test_pollable_calls_may_repeat_for_ever() -> None:
    guard = Guard()
    assert {turn(guard, (A, ONE), pollable=True) for _ in range(20)} == {""}
    assert not guard.seen


def test_a_withheld_call_brings_nothing_new_and_does_not_forget_what_it_brought() -> None:
    guard = Guard()
    turn(guard, (A, ONE))
    turn(guard, (A, ONE))
    turn(guard, (A, failed("Withheld")), withheld=True)
    assert guard.seen[signature(A)].result == fingerprint(ONE)
    assert guard.stale == 2


def test_failing_in_one_way_again_and_again_is_told_then_closes() -> None:
    guard = Guard()
    calls = [Call("read", {"n": number}) for number in range(5)]
    verdicts = [turn(guard, (call, failed("Timeout", str(call.arguments)))) for call in calls]
    assert verdicts == ["", "", "failing", "", "close"]
    assert (TELL_FAILING, CLOSE_FAILING) == (2, 4)


@pytest.mark.parametrize(
    "other",
    [(Call("read", {"n": 9}), ONE), (Call("other", {"n": 9}), failed("Timeout")), (A, failed("NotFound"))],
    ids=["a success", "another tool", "another error"],
)
def test_what_ends_failing(other: tuple[Call, Result]) -> None:
    guard = Guard()
    for number in range(2):
        turn(guard, (Call("read", {"n": number}), failed("Timeout")))
    assert guard.failing == 1
    assert turn(guard, other) == ""
    assert guard.failing == 0


def test_one_success_beside_failures_is_no_failing_turn() -> None:
    guard = Guard()
    for number in range(6):
        call = Call("read", {"n": number})
        assert turn(guard, (call, failed("Timeout")), (Call("other", {"n": number}), ONE)) == ""


def test_not_found_is_no_failure() -> None:
    guard = Guard()
    assert {turn(guard, (Call("read", {"n": n}), Result("not_found", error="x: y"))) for n in range(9)} == {""}


def test_calls_are_the_same_whatever_the_order_and_writing_of_their_arguments() -> None:
    one = Call("t", {"a": 1, "b": {"c": 2, "d": 3}}, text='{"a":1}')
    assert signature(one) == signature(Call("t", {"b": {"d": 3, "c": 2}, "a": 1}, id="9.1", provider_id="x"))
    assert signature(one) != signature(Call("u", one.arguments))
    assert signature(Call("t", {"a": 1})) != signature(Call("t", {"a": "1"}))
    assert signature(Call("t", {"a": 2**70})) == signature(Call("t", {"a": 2**70}))


def test_rejected_calls_are_told_apart_by_what_was_written() -> None:
    cut, other = (Call("t", text=text, state="rejected") for text in ('{"a": 1', '{"a": 2'))
    assert signature(cut) != signature(other)
    assert signature(cut) == signature(Call("t", text=cut.text, state="rejected", reason="differs"))
    assert signature(Call("\ud800", text="\ud800", state="rejected"))


def test_results_are_told_apart_by_every_part() -> None:
    results = [
        ONE,
        TWO,
        Result("not_found", ONE.data),
        Result(data=ONE.data, error="e"),
        Result(data=ONE.data, note="e"),
    ]
    assert len({fingerprint(result) for result in results}) == len(results)
    assert fingerprint(ONE) == fingerprint(Result(data=Raw(b"1")))
