"""One door for every event: what cannot follow is refused, and leaves everything as it was."""

import runpy
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import pytest
from core_runs import asked, begun, ended, fold, question, replied, started, unread
from core_world import folded, histories
from hypothesis import given, settings
from msgspec.structs import replace

from loopwright.core import events as ev
from loopwright.core.errors import IllegalEvent
from loopwright.core.loop import apply
from loopwright.core.messages import Call, Limits, Outcome, Turn
from loopwright.core.state import LEGAL, LEGAL_CALL, OWED, Phase, Stage, State, ledger_of, started_of

CALL_EVENTS = (ev.CallStarted, ev.CallEnded, ev.ApprovalAsked, ev.ApprovalGiven)
EVENTS: tuple[ev.Event, ...] = (
    started(),
    ev.RunResumed(attended=True),
    ev.RunPaused(),
    asked(),
    replied(1, "read"),
    ev.ModelFailed(failure="network", message="gone", lost=True),
    begun(),
    ended(how="unknown"),
    ev.ApprovalAsked(call_id="1.1"),
    ev.ApprovalGiven(call_id="1.1", allowed=True),
    ev.NoteAdded(kind="empty"),
    ev.WaySwitched(way="text", reason="refused"),
    ev.ContextLost(expected=5000, counted=4096),
    ev.ContextCondensed(covers=("1.1",)),
    ev.PersonSaid(text="hurry", by="anna", inbox=1),
    ev.CancelAsked(by="anna", inbox=2),
    ev.LetterRefused(inbox=3, why="no call waits for it"),
    ev.RunEnded(outcome=Outcome("failed")),
)


def forked(state: State, **fields: Any) -> ev.RunForked:
    """A fork that begins where the run is now."""
    return ev.RunForked(started=started(run_id="f"), parent="r", after=state.events, **fields)


ACTING = (started(), asked(), replied(1, "pay"))
ASKED = (*ACTING, ev.ApprovalAsked(call_id="1.1"))
RUNNING = (started(), asked(), replied(1, "once"), begun())

PHASES: dict[Phase, State] = {
    "new": fold(),
    "ready": fold(started()),
    "asking": fold(started(), asked()),
    "acting": fold(*ACTING),
    "over": fold(started(), ev.RunEnded(outcome=Outcome("failed"))),
}
STAGES: dict[Stage, State] = {
    "owed": fold(*ACTING),
    "asked": fold(*ASKED),
    "allowed": fold(*ASKED, ev.ApprovalGiven(call_id="1.1", allowed=True)),
    "denied": fold(*ASKED, ev.ApprovalGiven(call_id="1.1", allowed=False)),
    "running": fold(*RUNNING),
    "doubt": fold(*RUNNING, ev.RunResumed(attended=True)),
}


def refused(state: State, event: ev.Event) -> bool:
    """Whether the event is refused; if so, nothing may have changed."""
    tried = deepcopy(state)
    try:
        apply(tried, event)
    except IllegalEvent:
        assert tried == state
        return True
    assert tried.events == state.events + 1
    return False


def test_the_cases_here_are_all_there_are() -> None:
    assert {*(type(event) for event in EVENTS), ev.RunForked} == set(get_args(ev.Event))
    assert set(PHASES) == set(LEGAL) == set(get_args(Phase))
    assert set(STAGES) == set(LEGAL_CALL) == set(get_args(Stage))
    assert {phase: state.phase for phase, state in PHASES.items()} == {phase: phase for phase in LEGAL}
    assert {stage: state.open["1.1"].stage for stage, state in STAGES.items()} == {stage: stage for stage in LEGAL_CALL}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("phase", LEGAL)
def test_in_every_phase_only_what_the_table_holds_may_follow(phase: Phase, event: ev.Event) -> None:
    if not isinstance(event, LEGAL[phase]):
        assert refused(PHASES[phase], event)
    elif not isinstance(event, CALL_EVENTS):
        assert not refused(PHASES[phase], event)


@pytest.mark.parametrize("phase", LEGAL)
def test_a_fork_may_begin_wherever_a_run_has_begun_and_nowhere_else(phase: Phase) -> None:
    state = PHASES[phase]
    assert refused(state, forked(state)) == (phase == "new")
    assert refused(state, replace(forked(state), after=state.events + 1))
    assert refused(state, forked(state, say="hurry")) == (phase not in ("ready", "over"))
    assert refused(state, forked(state, fresh=True)) == (phase not in ("ready", "over"))


@pytest.mark.parametrize("kind", CALL_EVENTS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("stage", LEGAL_CALL)
def test_at_every_stage_of_a_call_only_what_the_table_holds_may_follow(stage: Stage, kind: type[ev.Event]) -> None:
    event = next(event for event in EVENTS if isinstance(event, kind))
    if kind not in LEGAL_CALL[stage]:
        assert refused(STAGES[stage], event)
    elif kind not in OWED:
        assert not refused(STAGES[stage], event)


@settings(max_examples=60, deadline=None)
@given(histories())
def test_whatever_is_refused_leaves_the_state_as_it_was(events: tuple[ev.Event, ...]) -> None:
    for state, happened in folded(events):
        for event in (*EVENTS, forked(state, fresh=True), happened):
            illegal = refused(state, event)
            assert illegal or isinstance(event, LEGAL[state.phase])


@settings(max_examples=60, deadline=None)
@given(histories())
def test_no_letter_is_taken_twice(events: tuple[ev.Event, ...]) -> None:
    for state, happened in folded(events):
        if not state.taken:
            continue
        number = min(state.taken)
        letters = (
            ev.PersonSaid(text="", inbox=number),
            ev.CancelAsked(inbox=number),
            ev.LetterRefused(inbox=number, why=""),
        )
        for event in letters:
            assert refused(state, event)
        if isinstance(happened, ev.ApprovalGiven | ev.CallEnded):
            assert refused(state, replace(happened, inbox=number))


@pytest.mark.parametrize(
    ("history", "event", "reason"),
    [
        ((started(),), asked(2), "question 2 cannot follow question 0"),
        ((started(), asked(), unread()), asked(1), "question 1 cannot follow question 1"),
        ((started(Limits(unreadable=1)), asked(), unread()), asked(2), "the run is closing (unreadable)"),
        (
            (started(), asked(), ev.ModelFailed(failure="auth", message="no")),
            asked(2),
            "question 2 cannot follow: the run is about to end",
        ),
        ((started(), asked()), replied(2, "read"), "numbered by its question"),
        ((started(), asked()), ev.ModelReplied(turn=Turn(calls=(Call("read"),))), "numbered by its question"),
        ((started(Limits(calls_per_turn=1)), asked()), replied(1, "read", "read"), "2 calls must be sent back"),
        (ACTING, begun("1.2"), "CallStarted: no open call 1.2"),
        ((*RUNNING, ended()), ended(), "CallEnded cannot follow while the run is ready"),
        (ASKED, ev.ApprovalAsked(call_id="1.1"), "ApprovalAsked cannot follow while call 1.1 is asked"),
        (ACTING, begun(), "not what call 1.1 is owed"),
        ((started(attended=False), asked(), replied(1, "pay")), ev.ApprovalAsked(call_id="1.1"), "not what call 1.1"),
        ((started(), asked(), replied(1, "nonsense")), begun(), "not what call 1.1 is owed"),
        ((started(), asked(), replied(1, "deny")), begun(), "not what call 1.1 is owed"),
        ((*RUNNING, ev.RunResumed(attended=True)), begun(), "not what call 1.1 is owed"),
        ((*RUNNING, ev.RunResumed(attended=True)), ended(), "call 1.1 did not run"),
        (ACTING, ended(), "call 1.1 did not run"),
        ((started(), ev.CancelAsked()), ev.CancelAsked(), "the run is about to end"),
        ((started(), ev.CancelAsked()), ev.PersonSaid(text="no"), "the run is about to end"),
        ((started(Limits(tokens=4000)),), ev.PersonSaid(text="é" * 2000), "are 4,000 bytes long, and the limits leave"),
        ((started(), ev.LetterRefused(inbox=5, why="")), ev.CancelAsked(inbox=5), "letter 5 was taken before"),
        ((started(), ev.RunEnded(outcome=Outcome("stopped"))), ev.RunResumed(), "and not by a failure"),
        ((started(), ev.RunEnded(outcome=Outcome("answered", "42"))), ev.RunResumed(), "and not by a failure"),
    ],
    ids=lambda case: case if isinstance(case, str) else None,
)
def test_what_cannot_follow_is_refused_with_the_reason(
    history: tuple[ev.Event, ...], event: ev.Event, reason: str
) -> None:
    state = fold(*history)
    before = deepcopy(state)
    with pytest.raises(IllegalEvent) as caught:
        apply(state, event)
    assert reason in str(caught.value)
    assert state == before


def test_a_run_that_has_not_started_has_no_beginning_and_no_ledger() -> None:
    with pytest.raises(IllegalEvent, match="has not started"):
        started_of(State())
    with pytest.raises(IllegalEvent, match="has not started"):
        ledger_of(State())


def test_what_is_due_is_always_legal() -> None:
    assert not refused(PHASES["ready"], question(PHASES["ready"]))


ROOT = Path(__file__).resolve().parents[2]
DRAWING: Mapping[str, Any] = runpy.run_path(str(ROOT / "scripts" / "draw_states.py"))


def test_the_picture_in_the_documentation_is_up_to_date() -> None:
    assert (ROOT / "docs" / "states.md").read_text(encoding="utf-8") == DRAWING["page"]()


def test_the_picture_shows_every_event_of_the_tables() -> None:
    for name, table in (("run_edges", LEGAL), ("call_edges", LEGAL_CALL)):
        edges: dict[tuple[str, str], list[str]] = DRAWING[name]()
        drawn = {(start, event) for (start, _), events in edges.items() for event in events}
        for start, events in table.items():
            assert {(start, event.__name__) for event in events} <= drawn
