"""What follows when a run drifts: another way of speaking, an answer that is sent back, a transcript that shrinks."""

from random import Random

import msgspec
import pytest
from core_runs import answered, asked, begun, ended, fold, outcome, question, record, replied, started, tool_run, unread
from core_world import beginning, chances, folded, histories, limits, played
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from loopwright.core import events as ev
from loopwright.core.commands import Record
from loopwright.core.drift import (
    BYTES_A_TOKEN,
    CONTEXT_LOST,
    LEAKS,
    MISSES,
    SLACK,
    SLACK_SHARE,
    SWITCHES,
    UNCACHED_SHARE,
    Kept,
)
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Limits, Outcome, Result, ToolSpec, Turn, Usage
from loopwright.core.state import State

generated = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
History = tuple[ev.Event, ...]

NOTE = ev.NoteAdded(kind="unreadable", detail="no call and no answer")
EMPTY = ev.NoteAdded(kind="empty")
MISSED = "the replies keep missing the format"
LEAKED = "calls keep arriving inside the text"
TO_TEXT = ev.WaySwitched(way="text", reason=MISSED)
TO_NATIVE = ev.WaySwitched(way="native", reason=MISSED)
TOOLS_REFUSED = ev.ModelFailed(failure="tools_refused", message="tools are not supported")


def broken(number: int, tool: str = "read") -> Call:
    return Call(tool, text=f"{{{number}", state="rejected", reason="the arguments were cut")


def leaking(number: int, *calls: Call) -> ev.ModelReplied:
    made = calls or (Call("read", {"n": number}),)
    return ev.ModelReplied(turn=Turn(calls=made, text="<tool_call>", leaked=True).numbered(number, 32))


def carried_out(history: History) -> History:
    """The history, and all that is due up to the next question, calls run at once and give the same result."""
    state, events = fold(*history), list(history)
    while (command := next(iter(due(state)), None)) is not None and not hasattr(command, "asked"):
        fact: History
        if isinstance(command, Record):
            fact = (command.event,)
        else:
            name = tool_run(state).call.id
            fact = (begun(name), ended(name, Result(data=Raw(b"1"))))
        for event in fact:
            apply(state, event)
            events.append(event)
    return tuple(events)


def after(history: History, *replies: ev.ModelReplied) -> History:
    """The history with each of these replies to a question of its own, and all that follows but the next question."""
    for reply in replies:
        history = carried_out((*history, question(fold(*history)), reply))
    return history


def notes(history: History) -> list[ev.NoteAdded]:
    return [event for event in history if isinstance(event, ev.NoteAdded)]


def switches(history: History) -> list[ev.WaySwitched]:
    return [event for event in history if isinstance(event, ev.WaySwitched)]


def losses(history: History) -> list[ev.ContextLost]:
    return [event for event in history if isinstance(event, ev.ContextLost)]


# --- the way of speaking


@pytest.mark.parametrize(
    "replies",
    [
        (unread(), unread()),
        (ev.ModelReplied(turn=Turn()), ev.ModelReplied(turn=Turn())),
        (unread(), ev.ModelReplied(turn=Turn(thought="hm", text="hm"))),
        (replied(1, broken(1)), replied(2, broken(2), broken(3))),
        (replied(1, broken(1)), unread()),
        (
            ev.ModelReplied(turn=Turn(calls=(broken(1),), answer="42").numbered(1, 32)),
            ev.ModelReplied(turn=Turn(calls=(broken(2),), answer="42").numbered(2, 32)),
        ),
    ],
    ids=["unreadable", "empty", "thoughts", "rejected calls", "one of each", "rejected calls before an answer"],
)
def test_two_replies_in_a_row_that_miss_the_format_bring_the_run_to_text(replies: History) -> None:
    events: History = (started(may_switch=True),)
    for number, reply in enumerate(replies, 1):
        assert isinstance(reply, ev.ModelReplied)
        assert len(switches(events)) == 0
        events = after(events, reply)
        assert fold(*events).way == ("text" if number == MISSES else "native")
    assert switches(events) == [TO_TEXT]
    assert question(fold(*events)) == asked(3)


def test_a_thought_alone_misses_the_format_only_natively() -> None:
    thought, told = ev.ModelReplied(turn=Turn(thought="hm", text="hm")), ev.NoteAdded(kind="thinking")
    natively = after((started(may_switch=True),), thought, thought)
    assert switches(natively) == [TO_TEXT]
    events = (started(way="text", may_return=True), asked(), thought, told, asked(2), thought, told)
    assert question(fold(*events)) == asked(3)
    assert question(fold(*events, asked(3), thought)) == asked(4, "unreadable")


@pytest.mark.parametrize(
    "between",
    [
        replied(2, "read"),
        replied(2, broken(1), Call("read", {"n": 1})),
        replied(2, Call("read", {}, state="repaired", reason="it was cut")),
        replied(2, "no such tool"),
    ],
    ids=["a call", "a call beside a broken one", "a repaired call that is sent back", "a call that is refused"],
)
def test_a_reply_that_keeps_to_the_format_forgives_the_miss_before(between: ev.ModelReplied) -> None:
    events = after((started(may_switch=True),), unread(), between, unread())
    assert switches(events) == []
    assert switches(after(events, unread())) == [TO_TEXT]


def test_calls_that_arrive_in_the_text_twice_bring_the_run_to_text_after_they_ran() -> None:
    events = after((started(may_switch=True),), leaking(1), replied(2, "read"))
    assert switches(events) == []
    events = (*events, asked(3), leaking(3))
    assert LEAKS == 2
    assert tool_run(fold(*events)).call.id == "3.1"
    events = (*events, begun("3.1"), ended("3.1"))
    assert record(fold(*events)) == ev.WaySwitched(way="text", reason=LEAKED)


def test_without_leave_to_switch_nothing_changes() -> None:
    for replies in ((unread(), unread()), (leaking(1), leaking(2))):
        events = after((started(may_return=True),), *replies)
        assert switches(events) == []
        assert fold(*events).way == "native"


def test_a_run_in_text_form_goes_on_natively_only_with_leave_to_return() -> None:
    stays = after((started(way="text", may_switch=True),), unread(), unread())
    assert switches(stays) == []
    returns = after((started(way="text", may_return=True),), unread(), unread())
    assert switches(returns) == [TO_NATIVE]
    assert fold(*returns).way == "native"


def test_calls_in_the_text_are_no_reason_to_leave_text_form() -> None:
    events = after((started(way="text", may_return=True),), leaking(1), leaking(2), leaking(3))
    assert switches(events) == []


def test_the_way_changes_a_set_number_of_times_and_then_the_run_closes() -> None:
    events = after((started(may_switch=True, may_return=True),), *[unread()] * 7)
    assert switches(events) == [TO_TEXT, TO_NATIVE]
    assert len(switches(events)) == SWITCHES
    assert question(fold(*events)) == asked(8, "unreadable")


def test_replies_are_counted_anew_in_the_other_way() -> None:
    events = after((started(Limits(unreadable=3), may_switch=True),), *[unread()] * 4)
    assert fold(*events).unreadable == 2
    assert question(fold(*events)) == asked(5)
    assert question(fold(*after(events, unread()))) == asked(6, "unreadable")
    both = after((started(may_switch=True, may_return=True),), unread(), unread(), unread(), replied(4, "read"))
    assert switches(after(both, unread())) == [TO_TEXT]


def test_the_note_that_is_owed_is_told_once_in_the_new_way() -> None:
    events = after((started(may_switch=True),), unread(), unread())
    assert events[-2:] == (TO_TEXT, NOTE)
    assert notes(events) == [NOTE, NOTE]
    assert notes(after((started(may_switch=True),), *[ev.ModelReplied(turn=Turn())] * 2)) == [EMPTY, EMPTY]


def test_a_warning_of_the_guard_is_not_lost_in_a_switch() -> None:
    same = Call("read", {"n": 0})
    events = after((started(may_switch=True),), leaking(1, same), leaking(2, same))
    assert events[-2:] == (ev.WaySwitched(way="text", reason=LEAKED), ev.NoteAdded(kind="repeating"))


def test_a_run_that_closes_does_not_change_its_way() -> None:
    by_unreadable = after((started(Limits(unreadable=2), may_switch=True),), unread(), unread())
    assert question(fold(*by_unreadable)) == asked(3, "unreadable")
    by_limit = after((started(Limits(tool_calls=1), may_switch=True),), leaking(1), leaking(2))
    assert question(fold(*by_limit)) == asked(3, "tool_calls")
    last = (*after((started(Limits(model_calls=2), may_switch=True),), unread()), asked(2, "model_calls"), unread())
    assert outcome(fold(*last)) == Outcome("stopped", None, "model_calls")


def test_a_switch_that_is_owed_is_dropped_when_the_guard_closes_the_run() -> None:
    same = Call("read", {"n": 0})
    events = after((started(may_switch=True),), replied(1, same), replied(2, same), leaking(3, same))
    events = after(events, leaking(4, same))
    assert switches(events) == []
    assert question(fold(*events)) == asked(5, "no_progress")


def test_an_endpoint_that_refused_tools_is_never_spoken_to_natively_again() -> None:
    events = carried_out((started(may_switch=True, may_return=True), asked(), TOOLS_REFUSED))
    assert switches(events) == [ev.WaySwitched(way="text", reason="tools are not supported")]
    events = after(events, unread(), unread(), unread())
    assert len(switches(events)) == 1
    assert question(fold(*events)) == asked(5, "unreadable")


def test_tools_that_are_refused_after_the_last_switch_bring_the_run_to_text_for_good() -> None:
    events = after((started(may_switch=True, may_return=True),), *[unread()] * 4)
    assert fold(*events).way == "native"
    events = carried_out((*events, asked(5), TOOLS_REFUSED))
    assert [switch.way for switch in switches(events)] == ["text", "native", "text"]
    assert len(switches(after(events, unread(), unread()))) == SWITCHES + 1


def test_tools_that_are_refused_on_the_way_back_bring_the_run_to_text_for_good() -> None:
    events = after((started(way="text", may_switch=True, may_return=True),), unread(), unread())
    events = carried_out((*events, asked(3), TOOLS_REFUSED))
    assert [switch.way for switch in switches(events)] == ["native", "text"]
    assert len(switches(after(events, unread(), unread()))) == SWITCHES


def test_a_switch_that_is_owed_survives_a_crash() -> None:
    events = (*after((started(may_switch=True),), unread()), asked(2), unread(), ev.RunResumed())
    assert record(fold(*events)) == TO_TEXT


@generated
@given(histories(most=100))
def test_the_way_changes_only_with_leave_and_never_too_often(events: History) -> None:
    """A fork counts anew, in the way that its rules name."""
    rules, refused, changes = None, 0, 0
    for state, event in folded(events):
        match event:
            case ev.RunStarted() | ev.RunForked():
                rules, refused, changes = (event if isinstance(event, ev.RunStarted) else event.started), 0, 0
            case ev.ModelFailed(failure="tools_refused"):
                refused = 1
            case ev.WaySwitched():
                changes += 1
                assert event.way != state.way
                assert rules is not None
                assert rules.may_switch if event.way == "text" else rules.may_return
                assert changes <= SWITCHES + refused
            case _:
                pass


@generated
@given(histories(most=100))
def test_the_way_changes_while_the_run_closes_only_if_tools_are_refused(events: History) -> None:
    for state, event in folded(events):
        if isinstance(event, ev.WaySwitched) and event.reason in (MISSED, LEAKED):
            assert not state.closing
            assert state.outcome is None


@generated
@given(histories(most=100))
def test_every_note_that_is_owed_is_told_once_before_the_next_question(events: History) -> None:
    for state, event in folded(events):
        if isinstance(event, ev.NoteAdded):
            assert state.note is not None
            assert (event.kind, event.detail) == (state.note.kind, state.note.detail)
        elif isinstance(event, ev.ModelAsked):
            assert (state.note, state.switch, state.warning) == (None, None, None)


# --- an answer before anything was done


def test_an_answer_before_any_tool_was_used_is_sent_back_once() -> None:
    events = (started(require_action=True), asked(), answered("41"))
    assert record(fold(*events)) == ev.NoteAdded(kind="act_first")
    events = carried_out(events)
    assert question(fold(*events)) == asked(2)
    assert outcome(fold(*events, asked(2), answered("42"))) == Outcome("answered", "42")


def test_nothing_is_sent_back_unless_it_is_asked_for() -> None:
    assert outcome(fold(started(), asked(), answered())) == Outcome("answered", "42")


def test_an_answer_after_a_call_is_taken() -> None:
    events = after((started(require_action=True),), replied(1, "read"))
    assert outcome(fold(*events, asked(2), answered())) == Outcome("answered", "42")


@pytest.mark.parametrize(
    "call", [Call("nonsense"), Call("deny"), broken(1)], ids=["no such tool", "denied by the policy", "rejected"]
)
def test_calls_that_were_all_refused_are_no_action(call: Call) -> None:
    events = after((started(require_action=True),), replied(1, call))
    assert record(fold(*events, asked(2), answered())) == ev.NoteAdded(kind="act_first")


def test_without_tools_an_answer_is_an_answer() -> None:
    assert outcome(fold(started(require_action=True, tools=()), asked(), answered())).status == "answered"


def test_the_closing_answer_is_never_sent_back() -> None:
    events = (started(Limits(model_calls=1), require_action=True), asked(1, "model_calls"), answered())
    assert outcome(fold(*events)) == Outcome("partial", "42", "model_calls")


def test_a_hasty_answer_could_be_read() -> None:
    """It ends a row of replies that could not, and of those that missed the format."""
    events = after((started(Limits(unreadable=2), require_action=True),), unread(), answered(), unread())
    assert isinstance(events[-1], ev.NoteAdded)
    assert question(fold(*events)) == asked(4)
    events = after((started(require_action=True, may_switch=True),), unread(), answered(), unread())
    assert switches(events) == []


def test_a_hasty_answer_that_brings_a_switch_is_sent_back_behind_it() -> None:
    hasty = ev.ModelReplied(turn=Turn(answer="42", text="42", leaked=True))
    events = after((started(require_action=True, may_switch=True),), leaking(1, broken(1)), hasty)
    assert events[-2:] == (ev.WaySwitched(way="text", reason=LEAKED), ev.NoteAdded(kind="act_first"))


@generated
@given(histories(most=100))
def test_an_answer_is_sent_back_at_most_once_and_never_after_an_action(events: History) -> None:
    """Once in each turn of a conversation."""
    pressed = acted = closed = False
    for state, event in folded(events):
        match event:
            case ev.RunForked():
                pressed, acted, closed = pressed and not event.fresh, acted and not event.fresh, False
            case ev.NoteAdded(kind="act_first"):
                assert not pressed
                assert not acted
                assert not closed
                pressed = True
            case ev.CallStarted():
                acted = True
            case ev.ModelAsked(closing=closing) if closing:
                closed = True
            case ev.ModelReplied(turn=turn) if turn.answer is not None and state.started is not None:
                assert state.started.require_action or state.note is None
            case _:
                pass


# --- a transcript that shrinks


def counted(number: int, tokens: int, *calls: Call | str) -> ev.ModelReplied:
    return replied(number, *(calls or ("read",)), usage=Usage(tokens, 10))


def observed(name: str, written: int = 4) -> History:
    return (begun(name), ended(name, Result(data=Raw(b"1" * written))))


def test_a_count_that_shrinks_is_written_down_and_the_run_goes_on() -> None:
    events = (started(), asked(1), counted(1, 5000), *observed("1.1"), asked(2), counted(2, 4096), *observed("2.1"))
    assert record(fold(*events)) == ev.ContextLost(expected=5000, counted=4096)
    events = carried_out(events)
    assert question(fold(*events)) == asked(3)
    events = after(events, counted(3, 5010), counted(4, 4096), counted(5, 5020))
    assert losses(events) == [
        ev.ContextLost(expected=5000, counted=4096),
        ev.ContextLost(expected=5010, counted=4096),
    ]
    assert question(fold(*events)) == asked(6), "only counts that are lower in a row stop the run"


def test_a_count_without_what_the_cache_had_is_no_loss() -> None:
    events = after((started(),), counted(1, 5000), counted(2, 60), counted(3, 5100), counted(4, 90), counted(5, 70))
    assert losses(events) == []


def test_a_count_that_does_not_grow_with_what_was_added_is_written_down() -> None:
    long = BYTES_A_TOKEN * 1000
    events = (started(), asked(1), counted(1, 5000), *observed("1.1", long), asked(2), counted(2, 5000))
    assert record(fold(*events, *observed("2.1"))) == ev.ContextLost(expected=6000, counted=5000)


def test_what_is_added_little_by_little_adds_up() -> None:
    events = after((started(),), counted(1, 5000))
    for number in (2, 3, 4):
        assert losses(events) == []
        events = (*events[:-2], *observed(f"{number - 1}.1", BYTES_A_TOKEN * 400))
        events = after(events, counted(number, 5000))
    assert losses(events) == [ev.ContextLost(expected=6200, counted=5000)]


def lost_once() -> History:
    return after((started(),), counted(1, 5000), counted(2, 4000))


def test_the_second_time_the_run_stops_and_says_what_to_do() -> None:
    events = lost_once()
    assert len(losses(events)) == 1
    events = (*events, asked(3), unread(usage=Usage(3000)))
    assert outcome(fold(*events)) == Outcome("stopped", None, CONTEXT_LOST)
    assert "num_ctx" in CONTEXT_LOST
    assert "--ctx-size" in CONTEXT_LOST
    over = carried_out(events)
    assert fold(*over).phase == "over"
    assert len(losses(over)) == 1
    assert notes(over) == []


def test_calls_of_a_run_that_is_about_to_stop_do_not_run() -> None:
    events = carried_out((*lost_once(), asked(3), counted(3, 3000, "read", "once")))
    ends = [event for event in events if isinstance(event, ev.CallEnded) and event.call_id.startswith("3.")]
    assert [end.how for end in ends] == ["refused", "refused"]
    assert events[-1] == ev.RunEnded(outcome=Outcome("stopped", None, CONTEXT_LOST))


def test_an_answer_that_comes_with_the_second_loss_is_kept_as_partial() -> None:
    for begin in (started(), started(require_action=True)):
        answer = ev.ModelReplied(turn=Turn(answer="42"), usage=Usage(3000))
        events = (begin, *lost_once()[1:], asked(3), answer)
        assert outcome(fold(*events)) == Outcome("partial", "42", CONTEXT_LOST)


def test_a_loss_that_comes_with_the_answer_is_still_written_down() -> None:
    answer = ev.ModelReplied(turn=Turn(answer="42"), usage=Usage(4000))
    events = carried_out((*after((started(),), counted(1, 5000)), asked(2), answer))
    assert events[-2:] == (
        ev.ContextLost(expected=5000, counted=4000),
        ev.RunEnded(outcome=Outcome("answered", "42")),
    )


def test_a_warning_that_is_owed_survives_a_crash() -> None:
    events = (*after((started(),), counted(1, 5000)), asked(2), unread(usage=Usage(4000)), ev.RunResumed())
    assert record(fold(*events)) == ev.ContextLost(expected=5000, counted=4000)


@pytest.mark.parametrize(
    "usage",
    [Usage(3000, estimated=True), Usage(0), Usage(int(5000 * (1 - SLACK_SHARE)) - SLACK), Usage(5000)],
    ids=["estimated", "not counted", "slack", "equal"],
)
def test_a_count_that_says_nothing_is_no_loss(usage: Usage) -> None:
    events = after((started(),), counted(1, 5000))
    events = after(events, ev.ModelReplied(turn=Turn(calls=(Call("read"),)).numbered(2, 32), usage=usage))
    assert losses(events) == []


def test_what_was_not_counted_is_not_compared_with() -> None:
    for unknown in (Usage(9000, estimated=True), Usage(0)):
        reply = ev.ModelReplied(turn=Turn(calls=(Call("read"),)).numbered(2, 32), usage=unknown)
        assert losses(after((started(),), counted(1, 5000), reply, counted(3, 100))) == []


def test_behind_a_switch_the_count_starts_anew() -> None:
    events = after((started(may_switch=True),), counted(1, 5000, broken(1)), counted(2, 5000, broken(2)))
    assert len(switches(events)) == 1
    assert losses(after(events, counted(3, 100))) == []


def test_behind_a_note_the_count_starts_anew() -> None:
    """Chat templates leave out what the model thought before the last thing that a user said."""
    events = after((started(),), counted(1, 5000), unread(usage=Usage(6000)))
    assert losses(after(events, counted(3, 4000))) == []


def test_a_closing_question_without_its_tools_is_no_loss() -> None:
    events = after((started(Limits(model_calls=2)),), counted(1, 5000))
    answer = ev.ModelReplied(turn=Turn(answer="42"), usage=Usage(1000))
    events = carried_out((*events, asked(2, "model_calls"), answer))
    assert events[-1] == ev.RunEnded(outcome=Outcome("partial", "42", "model_calls"))
    assert losses(events) == []


def test_a_question_that_got_lost_does_not_hide_what_was_added() -> None:
    gone = ev.ModelFailed(failure="network", message="gone", lost=True)
    events = (started(), asked(1), counted(1, 5000), *observed("1.1", BYTES_A_TOKEN * 1000), asked(2), gone)
    events = after((*events, asked(3), ev.RunResumed()), replied(4, "read", usage=Usage(5000)))
    assert losses(events) == [ev.ContextLost(expected=6000, counted=5000)]


@given(st.lists(st.tuples(st.integers(0, 50_000), st.integers(0, 5_000))), st.integers(1, 100_000))
def test_counts_that_grow_with_what_is_sent_never_warn(steps: list[tuple[int, int]], first: int) -> None:
    kept, tokens = Kept(), first
    assert kept.counted(Usage(tokens), 0) == 0
    for written, more in steps:
        tokens += -(-written // BYTES_A_TOKEN) + more
        assert kept.counted(Usage(tokens), written) == 0
    assert kept.lost == 0


@given(st.lists(st.integers(0, 10_000), min_size=1), st.integers(1, 100_000))
def test_a_server_that_keeps_a_fixed_part_is_noticed_once_more_was_added(written: list[int], window: int) -> None:
    kept, added = Kept(), 0
    for grown in [0, *written]:
        added += grown // BYTES_A_TOKEN
        slack = SLACK + SLACK_SHARE * (window + added)
        if window < (window + added) * UNCACHED_SHARE:
            return
        if kept.counted(Usage(window), grown):
            assert added > slack
            return
        assert added <= slack


@settings(generated, max_examples=300)
@given(histories(most=100, honest=True))
def test_a_run_whose_server_counts_honestly_never_warns(events: History) -> None:
    assert losses(events) == []
    assert fold(*events).kept.lost == 0


@generated
@given(histories(most=100))
def test_a_second_loss_in_a_row_ends_the_run(events: History) -> None:
    for state, event in folded(events):
        if state.kept.lost > 1:
            assert not isinstance(event, ev.ModelAsked | ev.CallStarted | ev.ApprovalAsked)


# --- all of it together


@settings(generated, max_examples=100)
@given(chances())
def test_a_run_that_may_do_all_of_this_ends(chance: Random) -> None:
    begin = msgspec.structs.replace(
        beginning(chance, limits(chance)), may_switch=True, may_return=True, require_action=True
    )
    bounded = msgspec.structs.replace(begin.limits, model_calls=20, steps=8, tool_calls=12)
    events = played(chance, msgspec.structs.replace(begin, limits=bounded), 4000, trouble=False)
    assert isinstance(events[-1], ev.RunEnded)


# --- journals from before


@pytest.mark.parametrize(
    ("row", "event"),
    [
        (
            b'{"type":"run_started","run_id":"r","task":"t","model":"m","may_switch":true,"tools":[{"name":"read"}]}',
            ev.RunStarted(run_id="r", task="t", model="m", may_switch=True, tools=(ToolSpec("read"),)),
        ),
        (
            b'{"type":"model_replied","turn":{"answer":"42","text":"42"},"usage":{"input_tokens":3}}',
            ev.ModelReplied(turn=Turn(answer="42", text="42"), usage=Usage(3)),
        ),
        (b'{"type":"note_added","kind":"empty"}', ev.NoteAdded(kind="empty")),
    ],
    ids=["run_started", "model_replied", "note_added"],
)
def test_events_that_were_written_without_the_new_fields_are_read(row: bytes, event: ev.Event) -> None:
    assert msgspec.json.decode(row, type=ev.Event) == event
    for name in (b"may_return", b"require_action", b"examples", b"observation_role", b"leaked"):
        assert name not in msgspec.json.encode(event)


def test_a_run_from_before_asks_for_nothing_new() -> None:
    begin = msgspec.json.decode(b'{"type":"run_started","run_id":"r","task":"t","model":"m"}', type=ev.RunStarted)
    assert (begin.may_return, begin.require_action, begin.examples, begin.observation_role) == (
        False,
        False,
        (),
        "user",
    )
    state = State()
    for event in (begin, asked(), answered()):
        apply(state, event)
    assert outcome(state) == Outcome("answered", "42")
