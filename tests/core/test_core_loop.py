"""What follows from what, case by case."""

import pytest
from core_runs import (
    READ,
    answered,
    asked,
    begun,
    ended,
    fold,
    outcome,
    person,
    question,
    record,
    replied,
    started,
    tool_run,
    unread,
)
from msgspec import Raw

from loopwright.core import events as ev
from loopwright.core.commands import Record, RunTool
from loopwright.core.loop import FAILURES, due
from loopwright.core.messages import Call, Limits, Outcome, Price, Result, Settings, Turn, Usage
from loopwright.core.state import State, ledger_of

LOST = ev.ModelFailed(failure="timeout", message="no reply in 60 s", lost=True)
REFUSED = ev.ModelFailed(failure="tools_refused", message="tools are not supported")


def answer(state: State) -> ev.CallEnded:
    event = record(state)
    assert isinstance(event, ev.CallEnded)
    return event


def test_a_question_an_action_and_an_answer() -> None:
    assert question(fold(started())) == asked(1)
    acting = (started(), asked(), replied(1, "read"))
    assert tool_run(fold(*acting)).tool == READ
    assert due(fold(*acting, begun())) == ()
    done = (*acting, begun(), ended(), asked(2))
    assert question(fold(*done[:-1])) == asked(2)
    assert due(fold(*done)) == ()
    assert outcome(fold(*done, answered("42"))) == Outcome("answered", "42")
    over = fold(*done, answered("42"), ev.RunEnded(outcome=Outcome("answered", "42")))
    assert over.phase == "over"
    assert over.events == 8
    assert due(over) == ()


def test_calls_of_one_turn_run_side_by_side_and_end_in_any_order() -> None:
    events = (started(), asked(), replied(1, "read", "once", "read"))
    commands = due(fold(*events))
    assert [command.call.id for command in commands if isinstance(command, RunTool)] == ["1.1", "1.2", "1.3"]
    events = (*events, begun("1.3"), begun("1.1"), ended("1.3"))
    assert tool_run(fold(*events)).call.id == "1.2"
    events = (*events, begun("1.2"), ended("1.2"), ended("1.1"))
    assert question(fold(*events)).number == 2


def test_the_clock_of_a_run_never_goes_back() -> None:
    state = fold(started(elapsed=3.0), asked(elapsed=9.0), ev.RunResumed(elapsed=4.0))
    assert state.ledger is not None
    assert state.ledger.elapsed == 9.0


def test_a_pause_changes_nothing_but_the_count() -> None:
    for events in ((started(),), (started(), asked()), (started(), asked(), replied(1, "read"))):
        paused, running = fold(*events, ev.RunPaused()), fold(*events)
        assert paused.events == running.events + 1
        paused.events -= 1
        assert paused == running


# --- replies that are no answer and no call


def test_a_reply_that_cannot_be_read_is_answered_by_a_note_that_names_the_problem() -> None:
    events = (started(), asked(), unread("the arguments of read were cut"))
    note = ev.NoteAdded(kind="unreadable", detail="the arguments of read were cut")
    assert record(fold(*events)) == note
    assert question(fold(*events, note)) == asked(2)


def test_an_empty_reply_is_told_apart() -> None:
    assert record(fold(started(), asked(), ev.ModelReplied(turn=Turn()))) == ev.NoteAdded(kind="empty")


def test_a_thought_alone_is_no_step() -> None:
    state = fold(started(), asked(), ev.ModelReplied(turn=Turn(thought="hm", text="hm")))
    assert record(state) == ev.NoteAdded(kind="thinking")


def test_after_a_set_number_in_a_row_the_run_closes() -> None:
    note = ev.NoteAdded(kind="unreadable")
    events = (started(Limits(unreadable=3)), asked(), unread(), note, asked(2), unread(), note, asked(3))
    assert question(fold(*events, unread())) == asked(4, "unreadable")
    acted = (*events, replied(3, "read"), begun("3.1"), ended("3.1"), asked(4), unread())
    assert isinstance(record(fold(*acted)), ev.NoteAdded)


def test_what_a_note_repeats_of_a_long_problem_fits_the_budget() -> None:
    broke = fold(started(Limits(tokens=3_800)), asked(), unread("é" * 5000))
    rich = fold(started(Limits()), asked(), unread("é" * 5000))
    short, long = record(broke), record(rich)
    assert isinstance(short, ev.NoteAdded)
    assert isinstance(long, ev.NoteAdded)
    assert len(short.detail.encode()) <= 60
    assert 1_990 < len(long.detail.encode()) <= 2_000
    assert short.detail.endswith("…")


# --- closing


def test_an_answer_to_the_closing_question_is_partial_and_names_the_limit() -> None:
    events = (started(Limits(model_calls=1)), asked(1, "model_calls"), answered("as far as I know, 42"))
    assert question(fold(*events[:1])) == asked(1, "model_calls")
    assert outcome(fold(*events)) == Outcome("partial", "as far as I know, 42", "model_calls")


@pytest.mark.parametrize("reply", [unread(), ev.ModelReplied(turn=Turn()), ev.ModelReplied(turn=Turn(text="t"))])
def test_a_closing_reply_without_an_answer_stops_the_run(reply: ev.ModelReplied) -> None:
    events = (started(Limits(model_calls=1)), asked(1, "model_calls"), reply)
    assert outcome(fold(*events)) == Outcome("stopped", None, "model_calls")


def test_calls_of_a_closing_reply_are_answered_and_none_runs() -> None:
    events = (started(Limits(model_calls=1)), asked(1, "model_calls"), replied(1, "read", "once"))
    refusals = [command.event for command in due(fold(*events)) if isinstance(command, Record)]
    assert len(refusals) == 2
    state = fold(*events, *refusals)
    assert outcome(state) == Outcome("stopped", None, "model_calls")
    assert state.ledger is not None
    assert (state.ledger.admitted, state.ledger.steps, state.ledger.ran) == (0, 0, 0)


def test_a_closing_question_that_gets_lost_is_asked_again_while_it_may_be() -> None:
    events = (started(Limits(model_calls=2)), asked(1), unread(), ev.NoteAdded(kind="unreadable"))
    assert question(fold(*events)) == asked(2, "model_calls")
    assert outcome(fold(*events, asked(2, "model_calls"), LOST)) == Outcome("stopped", None, "model_calls")
    more = (started(Limits(unreadable=1)), asked(1), unread(), asked(2, "unreadable"), LOST)
    assert question(fold(*more)) == asked(3, "unreadable")


def test_a_closing_question_that_fails_for_good_fails_the_run_which_can_be_resumed() -> None:
    failed = ev.ModelFailed(failure="auth", message="wrong key")
    events = (started(Limits(unreadable=1)), asked(1), unread(), asked(2, "unreadable"), failed)
    end = outcome(fold(*events))
    assert end == Outcome("failed", None, "wrong key")
    assert question(fold(*events, ev.RunEnded(outcome=end), ev.RunResumed())) == asked(3, "unreadable")


def test_no_tool_call_allowed_still_lets_the_model_answer_or_close() -> None:
    begin = started(Limits(tool_calls=0))
    assert outcome(fold(begin, asked(), answered())) == Outcome("answered", "42")
    events = (begin, asked(), replied(1, "read"))
    refusal = answer(fold(*events))
    assert refusal.how == "refused"
    assert "limit of tool_calls" in refusal.result.error
    assert question(fold(*events, refusal)) == asked(2, "tool_calls")


def test_no_step_allowed_is_the_same() -> None:
    events = (started(Limits(steps=0)), asked(), replied(1, "read"))
    assert question(fold(*events, answer(fold(*events)))) == asked(2, "steps")


def test_after_the_last_step_the_model_may_still_answer_as_usual() -> None:
    events = (started(Limits(steps=1)), asked(), replied(1, "read", "read"), begun(), ended(), begun("1.2"))
    assert question(fold(*events, ended("1.2"))) == asked(2)
    assert outcome(fold(*events, ended("1.2"), asked(2), answered())).status == "answered"


def test_the_calls_of_a_turn_that_the_limit_allows_run_and_the_others_are_refused() -> None:
    events = (started(Limits(tool_calls=2)), asked(), replied(1, "read", "nonsense", "read", "read"))
    kinds = [type(command).__name__ for command in due(fold(*events))]
    assert kinds == ["RunTool", "Record", "RunTool", "Record"]


def test_a_budget_that_does_not_even_pay_the_closing_question_stops_the_run() -> None:
    state = fold(started(Limits(tokens=1)))
    least = f"{ledger_of(state).least_tokens():,}"
    assert outcome(state) == Outcome(
        "stopped", None, f"tokens: the limit does not pay for a single question; it takes a limit of at least {least}"
    )
    priced = started(Limits(cost=1e-9), price=Price(1, 1))
    assert outcome(fold(priced)).reason == "cost: the limit does not pay for a single question"


# --- calls in doubt, approvals


def test_a_repeatable_call_in_doubt_runs_again() -> None:
    events = (started(), asked(), replied(1, "read"), begun(), ev.RunResumed())
    assert tool_run(fold(*events)).call.id == "1.1"
    assert due(fold(*events, begun())) == ()


def test_a_call_that_may_not_repeat_runs_again_only_if_a_person_says_so() -> None:
    events = (started(), asked(), replied(1, "once"), begun(), ev.RunResumed(attended=True))
    assert person(fold(*events)).about == "doubt"
    events = (*events, ev.ApprovalAsked(call_id="1.1"))
    assert due(fold(*events)) == ()
    assert tool_run(fold(*events, ev.ApprovalGiven(call_id="1.1", allowed=True))).call.id == "1.1"
    no = ev.ApprovalGiven(call_id="1.1", allowed=False, reason="I saw the mail leave")
    refused = answer(fold(*events, no))
    assert refused.how == "unknown"
    assert refused.result.error.startswith("UnknownOutcome: ")
    assert refused.result.error.endswith(": I saw the mail leave")


def test_leave_that_was_given_for_one_more_start_does_not_hold_for_the_next_crash() -> None:
    events = (started(), asked(), replied(1, "once"), begun(), ev.RunResumed(attended=True))
    events = (*events, ev.ApprovalAsked(call_id="1.1"), ev.ApprovalGiven(call_id="1.1", allowed=True))
    assert tool_run(fold(*events, ev.RunResumed(attended=False))).call.id == "1.1"
    events = (*events, begun(), ev.RunResumed(attended=True))
    assert person(fold(*events)).about == "doubt"
    asked_again = (*events, ev.ApprovalAsked(call_id="1.1"), ev.RunResumed(attended=True))
    assert person(fold(*asked_again)).about == "doubt"


def test_a_call_in_doubt_that_nobody_can_be_asked_about_is_answered_as_unknown() -> None:
    events = (started(), asked(), replied(1, "once"), begun(), ev.RunResumed(attended=False))
    end = answer(fold(*events))
    assert (end.how, end.result.status) == ("unknown", "error")
    state = fold(*events, end)
    assert question(state).number == 2
    assert state.ledger is not None
    assert (state.ledger.admitted, state.ledger.ran) == (1, 0)


def test_a_tool_that_needs_an_approval_waits_for_it() -> None:
    events = (started(), asked(), replied(1, "pay", "read"))
    about, run = due(fold(*events))
    assert not isinstance(about, RunTool)
    assert isinstance(run, RunTool)
    events = (*events, ev.ApprovalAsked(call_id="1.1"))
    assert tool_run(fold(*events)).call.id == "1.2"
    no = ev.ApprovalGiven(call_id="1.1", allowed=False, by="eva", reason="too dear")
    end = answer(fold(*events, begun("1.2"), no))
    assert end.how == "denied"
    assert end.result.error == "Denied: the call did not run, a person said no: too dear"
    yes = ev.ApprovalGiven(call_id="1.1", allowed=True)
    assert tool_run(fold(*events, begun("1.2"), yes)).call.id == "1.1"


def test_a_question_to_a_person_is_asked_again_after_a_crash_and_an_answer_is_kept() -> None:
    events = (started(), asked(), replied(1, "pay"), ev.ApprovalAsked(call_id="1.1"))
    assert person(fold(*events, ev.RunResumed(attended=True))).about == "approval"
    yes = ev.ApprovalGiven(call_id="1.1", allowed=True)
    assert tool_run(fold(*events, yes, ev.RunResumed(attended=False))).call.id == "1.1"


def test_without_anybody_to_ask_it_is_denied() -> None:
    end = answer(fold(started(attended=False), asked(), replied(1, "pay")))
    assert end.how == "denied"
    assert "nobody is there to ask" in end.result.error
    assert person(fold(started(attended=False), asked(), replied(1, "pay"), ev.RunResumed(attended=True)))


# --- failures


def test_a_lost_reply_is_asked_for_again_until_too_many_were_lost() -> None:
    events: tuple[ev.Event, ...] = (started(),)
    for number in range(1, FAILURES):
        events = (*events, asked(number), LOST)
        assert question(fold(*events)) == asked(number + 1)
    events = (*events, asked(FAILURES), LOST)
    assert outcome(fold(*events)) == Outcome("failed", None, "no reply in 60 s")


def test_a_reply_in_between_forgives_the_losses_before() -> None:
    events = (started(), asked(1), LOST, asked(2), LOST, asked(3), replied(3, "read"), begun("3.1"), ended("3.1"))
    assert question(fold(*events, asked(4), LOST)) == asked(5)


def test_a_failed_run_can_be_resumed_and_goes_on() -> None:
    failed = ev.ModelFailed(failure="overloaded", message="busy")
    events = (started(), asked(1), failed)
    events = (*events, ev.RunEnded(outcome=outcome(fold(*events))), ev.RunResumed())
    assert question(fold(*events)) == asked(2)
    assert outcome(fold(*events, asked(2), answered())) == Outcome("answered", "42")


def test_a_crash_while_asking_counts_the_worst_as_spent() -> None:
    worst = Usage(500, 1000, 0, 0.25)
    state = fold(started(), asked(worst=worst), ev.RunResumed())
    assert state.ledger is not None
    assert (state.ledger.spent, state.ledger.reserved) == (worst, Usage())
    assert question(state).number == 2


def test_a_question_that_no_one_worked_on_costs_nothing() -> None:
    failed = ev.ModelFailed(failure="auth", message="wrong key")
    state = fold(started(), asked(worst=Usage(500, 1000)), failed)
    assert state.ledger is not None
    assert state.ledger.spent + state.ledger.reserved == Usage()


def test_an_endpoint_that_refuses_tools_is_spoken_to_in_text() -> None:
    events = (started(may_switch=True, opening_bytes=1000), asked(), REFUSED)
    switch = ev.WaySwitched(way="text", reason="tools are not supported")
    assert record(fold(*events)) == switch
    assert record(fold(*events, ev.RunResumed())) == switch
    state = fold(*events, switch)
    assert state.way == "text"
    assert state.ledger is not None
    assert state.ledger.context >= 2000
    assert question(state) == asked(2)
    assert outcome(fold(*events, switch, asked(2), REFUSED)).status == "failed"


def test_a_long_reason_for_a_switch_does_not_eat_the_closing_question() -> None:
    refused = ev.ModelFailed(failure="tools_refused", message="é" * 3000)
    events = (started(Limits(tokens=4_000, calls_per_turn=2), may_switch=True, opening_bytes=180), asked(), refused)
    switch = record(fold(*events))
    assert isinstance(switch, ev.WaySwitched)
    assert question(fold(*events, switch)).closing == "tokens"


def test_a_reason_that_fits_is_still_no_part_of_what_the_model_is_told() -> None:
    refused = ev.ModelFailed(failure="tools_refused", message="é" * 1000)
    limits, most = Limits(tokens=5_476, calls_per_turn=1), Settings(max_tokens=500)
    events = (started(limits, settings=most, may_switch=True, opening_bytes=1041), asked(), refused)
    assert question(fold(*events, record(fold(*events)))).closing == "tokens"


def test_without_leave_to_switch_a_refusal_of_tools_is_a_failure() -> None:
    assert outcome(fold(started(), asked(), REFUSED)) == Outcome("failed", None, "tools are not supported")


# --- going round in circles


def same(number: int) -> tuple[ev.Event, ...]:
    call = Call("read", {"q": "same"})
    return (asked(number), replied(number, call), begun(f"{number}.1"), ended(f"{number}.1", Result(data=Raw(b"1"))))


def test_going_round_in_circles_is_told_then_withheld_then_closed() -> None:
    events = (started(), *same(1))
    assert question(fold(*events)).number == 2
    events = (*events, *same(2))
    note = record(fold(*events))
    assert note == ev.NoteAdded(kind="repeating")
    events = (*events, note)
    for number in (3, 4):
        events = (*events, *same(number)[:2])
        end = answer(fold(*events))
        assert end.how == "withheld"
        events = (*events, end)
    assert question(fold(*events)) == asked(5, "no_progress")


def test_a_limit_that_was_met_comes_before_the_guard() -> None:
    events: tuple[ev.Event, ...] = (started(Limits(tool_calls=2)), *same(1), *same(2), ev.NoteAdded(kind="repeating"))
    events = (*events, asked(3), replied(3, Call("read", {"q": "new"})))
    state = fold(*events, answer(fold(*events)))
    assert question(state) == asked(4, "tool_calls")


def test_failing_the_same_way_again_and_again_is_told() -> None:
    events: tuple[ev.Event, ...] = (started(),)
    for number in (1, 2, 3):
        failed = Result("error", error=f"Timeout: after {number} s")
        events = (*events, asked(number), replied(number, "read"), begun(f"{number}.1"), ended(f"{number}.1", failed))
    assert record(fold(*events)) == ev.NoteAdded(kind="failing")
