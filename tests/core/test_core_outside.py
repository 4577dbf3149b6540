"""What comes to a run from outside: words of a person, the wish to end it, and forks under other rules."""

from typing import Any

from core_runs import (
    ONCE,
    PAY,
    READ,
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
from loopwright.core.commands import Record
from loopwright.core.limits import OFFER_BYTES, TELLING_BYTES
from loopwright.core.loop import apply, due
from loopwright.core.messages import Limits, Outcome, Result, ToolSpec, Usage, Whole
from loopwright.core.outside import unheard
from loopwright.core.rules import Rule
from loopwright.core.state import State, ledger_of

FETCH = ToolSpec("fetch", trusted_output=False)
READER = ToolSpec("read_more")
SHARED = (started(), asked())
CUT = ev.CallEnded(call_id="1.1", result=Result(data=Raw(b"[1]")), whole=Whole("ab", 90, "rows", readable=True))


def forked(*events: ev.Event, say: str = "", fresh: bool = False, context_bytes: int = 0, **rules: Any) -> State:
    """A run that shares these events and goes on under these rules."""
    fields: dict[str, Any] = {"run_id": "f"} | rules
    state, began = fold(*events), started(**fields)
    fork = ev.RunForked(started=began, parent="r", after=len(events), say=say, fresh=fresh, context_bytes=context_bytes)
    return apply(state, fork)


def answers(state: State) -> list[tuple[str, str]]:
    """How the calls are answered that do not run, and with what."""
    ends = [command.event for command in due(state) if isinstance(command, Record)]
    return [(end.how, end.result.error) for end in ends if isinstance(end, ev.CallEnded)]


def test_words_of_a_person_are_part_of_every_later_request() -> None:
    before = fold(started())
    after = fold(started(), ev.PersonSaid(text="hurry"))
    assert ledger_of(after).context == ledger_of(before).context + TELLING_BYTES + len("hurry")


def test_words_are_heard_as_long_as_the_closing_answer_can_be_paid_after_them() -> None:
    state = fold(started(Limits(tokens=6000), opening_bytes=100), asked(), unread("w" * 60, usage=Usage(100, 10)))
    most = next(n for n in range(6000) if unheard(state, "w" * n)) - 1
    apply(state, ev.PersonSaid(text="w" * most))
    apply(state, record(state))
    assert question(state).closing == "tokens"


def test_a_cancelled_run_answers_its_calls_and_ends() -> None:
    state = fold(*SHARED, replied(1, "once", "read", "pay"), begun("1.1"), ev.ApprovalAsked(call_id="1.3"))
    apply(state, ev.CancelAsked(by="anna", reason="too dear"))
    how = [how for how, _ in answers(state)]
    assert how == ["unknown", "cancelled", "cancelled"]
    for command in due(state):
        assert isinstance(command, Record)
        apply(state, command.event)
    assert outcome(state) == Outcome("cancelled", None, "anna: too dear")


def test_what_a_cancelled_question_may_have_cost_counts_as_spent() -> None:
    state = fold(started(), asked(1, worst=Usage(100, 50)), ev.CancelAsked())
    assert ledger_of(state).spent == Usage(100, 50)
    assert outcome(state) == Outcome("cancelled", None, "somebody")


def test_the_rules_of_a_fork_hold_for_calls_that_its_parent_had_allowed() -> None:
    events = (*SHARED, replied(1, "once"))
    assert tool_run(fold(*events)).call.id == "1.1"
    assert answers(forked(*events, rules=(Rule("deny", tool="once"),)))[0][0] == "denied"
    assert person(forked(*events, rules=(Rule("ask", tool="once"),))).call.id == "1.1"
    assert answers(forked(*events, tools=(READ,)))[0][1].startswith("UnknownTool:")


def test_what_was_allowed_by_a_person_is_asked_about_again_in_a_fork() -> None:
    allowed = ev.ApprovalGiven(call_id="1.1", allowed=True, by="anna", scope="tool")
    events = (*SHARED, replied(1, "pay"), ev.ApprovalAsked(call_id="1.1"), allowed)
    assert tool_run(fold(*events)).by == "anna"
    assert person(forked(*events)).about == "approval"


def test_a_call_in_doubt_that_the_fork_does_not_allow_runs_no_more() -> None:
    resumed = ev.RunResumed(attended=True)
    events = (*SHARED, replied(1, "read"), begun(), resumed)
    assert tool_run(forked(*events)).call.id == "1.1"
    denied = forked(*events, rules=(Rule("deny", tool="read"),))
    assert answers(denied) == [
        ("unknown", "UnknownOutcome: the work was interrupted while the call ran; it may have happened or not")
    ]
    assert person(forked(*events, rules=(Rule("ask", tool="read"),))).about == "doubt"


def test_a_fork_with_fewer_calls_refuses_those_that_have_not_begun() -> None:
    events = (*SHARED, replied(1, "read", "once", "read"), begun("1.1"))
    state = forked(*events, limits=Limits(tool_calls=2))
    assert [how for how, _ in answers(state)] == ["refused"]
    assert (ledger_of(state).admitted, state.closing) == (2, "tool_calls")
    within = forked(*events, limits=Limits(tool_calls=1, steps=1))
    assert state.open["1.1"].refusal is None
    assert [how for how, _ in answers(within)] == ["refused", "refused"]
    assert ledger_of(forked(*events, limits=Limits(steps=1))).steps == 1


def test_a_fork_goes_on_where_its_parent_was_about_to_end() -> None:
    for before in ((*SHARED, ev.ModelFailed(failure="auth", message="no")), (started(), ev.CancelAsked())):
        assert isinstance(record(fold(*before)), ev.RunEnded)
        assert question(forked(*before)).closing == ""


def test_a_fork_in_the_last_reply_of_a_run_that_closed_is_not_its_last() -> None:
    events = (started(), asked(1, "steps"), replied(1, "read"))
    state = forked(*events)
    apply(state, record(state))
    assert (question(state).number, question(state).closing) == (2, "")


def test_a_fork_counts_all_that_its_requests_say() -> None:
    events = (started(opening_bytes=100), asked(), ev.ModelFailed(failure="network", message="", lost=True))
    context = ledger_of(fold(*events)).context
    wider = forked(*events, opening_bytes=150, say="and now?")
    assert ledger_of(wider).context == context + 50 + TELLING_BYTES + len("and now?")
    other_way = forked(*events, opening_bytes=150, way="text")
    assert ledger_of(other_way).context == context + 150 + TELLING_BYTES
    other_model = forked(*events, opening_bytes=100, model="other", context_bytes=9000)
    assert ledger_of(other_model).context == 9000
    closing = (started(opening_bytes=100), asked(1, "steps"), ev.ModelFailed(failure="network", message="", lost=True))
    assert ledger_of(forked(*closing, opening_bytes=100)).context == context + TELLING_BYTES


def test_a_fork_can_read_on_where_its_parent_was_told_how() -> None:
    cut = (started(reader=READER), asked(), replied(1, "read"), begun(), CUT)
    assert "read_more" in forked(*cut, reader=READER).tools
    assert "read_more" not in forked(*cut, reader=None).tools
    without = (*cut, ev.RunForked(started=started(run_id="f"), parent="r", after=5))
    context = ledger_of(fold(*without)).context
    again = forked(*without, run_id="g", reader=READER)
    assert "read_more" in again.tools
    assert (ledger_of(again).context, ledger_of(again).offer) == (context + OFFER_BYTES, 0)
    assert ledger_of(forked(*SHARED, reader=READER)).offer == OFFER_BYTES


def test_each_turn_of_a_conversation_has_the_limits_anew_and_goes_on_counting() -> None:
    over = (*SHARED, replied(1, "read"), begun(), ended(), asked(2), ev.ModelFailed(failure="auth", message="no"))
    over = (*over, ev.RunEnded(outcome=Outcome("failed", None, "no")))
    state = forked(*over, say="again", fresh=True, limits=Limits(model_calls=2, tool_calls=1))
    assert (ledger_of(state).asks, ledger_of(state).admitted, ledger_of(state).number) == (0, 0, 2)
    assert question(state).number == 3


def test_text_of_others_in_the_parent_taints_the_fork_whatever_its_tools_are() -> None:
    events = (started(tools=(FETCH, ONCE, PAY)), asked(), replied(1, "fetch"), begun(), ended())
    state = forked(*events, tools=(ONCE, PAY), say="go on")
    assert (state.consent.watching, state.consent.read) == (True, "fetch 1.1")
    apply(state, question(state))
    apply(state, replied(2, "once"))
    assert "text of others" in person(state).why
