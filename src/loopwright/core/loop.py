"""The loop: `apply` says what an event means, `due` says what is owed now.

Both are pure and know no provider, clock, file, socket or event loop; every run, whatever it speaks to and however it
is driven, is decided here. `apply` changes the state in place, in time that does not grow with the run; nobody else may
hold it. `due` changes nothing. The laws that hold for both are stated and tested in `tests/core/test_core_laws.py`.
"""

from typing import Literal, assert_never

from msgspec import Struct, field

from loopwright.core.commands import AskModel, AskPerson, Command, Record, RunTool
from loopwright.core.errors import IllegalEvent
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.limits import Ledger, shortened
from loopwright.core.messages import Call, Outcome, ToolSpec, Turn, Way
from loopwright.core.progress import Guard
from loopwright.core.refusal import Refusal, closed, refuse, unanswered

Phase = Literal["new", "ready", "asking", "acting", "over"]
Stage = Literal["owed", "asked", "allowed", "denied", "running", "doubt"]

LEGAL: dict[Phase, tuple[type, ...]] = {
    "new": (RunStarted,),
    "ready": (ModelAsked, NoteAdded, WaySwitched, RunEnded, RunPaused, RunResumed),
    "asking": (ModelReplied, ModelFailed, RunPaused, RunResumed),
    "acting": (CallStarted, CallEnded, ApprovalAsked, ApprovalGiven, RunPaused, RunResumed),
    "over": (RunResumed,),
}
"""Which events may follow in which phase. The picture in the documentation is drawn from this table."""

LEGAL_CALL: dict[Stage, tuple[type, ...]] = {
    "owed": (CallStarted, CallEnded, ApprovalAsked),
    "asked": (ApprovalGiven,),
    "allowed": (CallStarted,),
    "denied": (CallEnded,),
    "running": (CallEnded,),
    "doubt": (CallStarted, CallEnded, ApprovalAsked),
}
"""The same for one call while the phase is acting."""

OWED: dict[type, type] = {CallStarted: RunTool, ApprovalAsked: AskPerson}
"""What must be due for a call before these may be written down: nothing runs, and nobody is asked, on a whim."""

FAILURES = 3
"""Questions in a row that may get lost before the run fails."""


class Open(Struct):
    """A call that is not answered yet."""

    call: Call
    tool: ToolSpec
    refusal: Refusal | None = None
    stage: Stage = "owed"
    doubtful: bool = False
    """Whether nobody knows if it ran already."""
    said: str = ""
    """What the person said who denied it."""


class State(Struct):
    """Where a run stands: all that `due` needs, and nothing that grows with the run but the guard's memory."""

    phase: Phase = "new"
    started: RunStarted | None = None
    ledger: Ledger | None = None
    guard: Guard = field(default_factory=Guard)
    tools: dict[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    open: dict[str, Open] = field(default_factory=dict[str, Open])
    way: Way = "native"
    attended: bool = False
    asked: ModelAsked | None = None
    """The last question."""
    closing: str = ""
    """Why the run is closing: a limit or a cause; empty while it is not."""
    note: NoteAdded | None = None
    """A reminder that is owed to the model."""
    switch: WaySwitched | None = None
    outcome: Outcome | None = None
    """How the run ends, or ended."""
    unreadable: int = 0
    failures: int = 0
    events: int = 0


def apply(state: State, event: Event) -> State:
    """The state after `event`.

    Raises:
        IllegalEvent: the event cannot follow; the state is as it was
    """
    if not isinstance(event, LEGAL[state.phase]):
        raise IllegalEvent(f"{type(event).__name__} cannot follow while the run is {state.phase}")
    match event:
        case RunStarted():
            _start(state, event)
        case RunResumed():
            _resume(state, event)
        case RunPaused():
            pass
        case ModelAsked():
            _ask(state, event)
        case ModelReplied():
            _reply(state, event)
        case ModelFailed():
            _fail(state, event)
        case CallStarted() | CallEnded() | ApprovalAsked() | ApprovalGiven():
            _act(state, event)
        case NoteAdded():
            state.note = None
            ledger_of(state).tell(event.detail)
        case WaySwitched():
            state.way, state.switch = event.way, None
            ledger_of(state).tell(event.reason)
            ledger_of(state).context += started_of(state).opening_bytes
        case RunEnded():
            state.phase, state.outcome = "over", event.outcome
        case _:
            assert_never(event)
    state.events += 1
    ledger = ledger_of(state)
    ledger.elapsed = max(ledger.elapsed, event.elapsed)
    return state


def started_of(state: State) -> RunStarted:
    """The first event; there is one in every phase but new."""
    if state.started is None:
        raise IllegalEvent("the run has not started")
    return state.started


def ledger_of(state: State) -> Ledger:
    """The ledger; there is one in every phase but new."""
    if state.ledger is None:
        raise IllegalEvent("the run has not started")
    return state.ledger


def _start(state: State, event: RunStarted) -> None:
    state.phase, state.started, state.way, state.attended = "ready", event, event.way, event.attended
    state.tools = {tool.name: tool for tool in event.tools}
    state.ledger = Ledger(event.limits, event.price, event.settings.max_tokens, event.opening_bytes)


def _resume(state: State, event: RunResumed) -> None:
    if state.phase == "over":
        if state.outcome is None or state.outcome.status != "failed":
            raise IllegalEvent("RunResumed cannot follow: the run ended, and not by a failure")
        state.outcome = None
    if state.phase == "asking":
        ledger_of(state).forfeit()
    state.phase = "acting" if state.open else "ready"
    state.attended, state.failures = event.attended, 0
    for item in state.open.values():
        if item.stage == "running":
            item.stage, item.doubtful = "doubt", True
        elif item.stage == "asked":
            item.stage = "doubt" if item.doubtful else "owed"


def _ask(state: State, event: ModelAsked) -> None:
    if event.number != ledger_of(state).asks + 1:
        raise IllegalEvent(f"question {event.number} cannot follow question {ledger_of(state).asks}")
    if state.outcome is not None:
        raise IllegalEvent(f"question {event.number} cannot follow: the run is about to end")
    if state.closing and not event.closing:
        raise IllegalEvent(f"the run is closing ({state.closing}): only a closing question may follow")
    ledger_of(state).ask(event.worst)
    state.phase, state.asked, state.closing = "asking", event, event.closing


def _reply(state: State, event: ModelReplied) -> None:
    turn = event.turn
    if len(turn.calls) > started_of(state).limits.calls_per_turn:
        raise IllegalEvent(f"a reply with {len(turn.calls)} calls must be sent back, not opened")
    if any(call.id != f"{ledger_of(state).asks}.{n}" for n, call in enumerate(turn.calls, 1)):
        raise IllegalEvent("the calls of a reply are numbered by its question: 3.1, 3.2, …")
    ledger_of(state).settle(event.usage, turn)
    state.phase, state.failures = "ready", 0
    if turn.calls:
        state.phase, state.unreadable = "acting", 0
        state.open = _open(state, turn)
    elif turn.answer is not None:
        state.outcome = Outcome("partial" if state.closing else "answered", turn.answer, state.closing)
    elif state.closing:
        state.outcome = Outcome("stopped", None, state.closing)
    else:
        _unreadable(state, turn)


def _unreadable(state: State, turn: Turn) -> None:
    state.unreadable += 1
    if state.unreadable >= started_of(state).limits.unreadable:
        state.closing = "unreadable"
    else:
        problem = shortened(turn.problem, ledger_of(state).remark())
        state.note = NoteAdded(kind="empty" if turn.kind == "empty" else "unreadable", detail=problem)


def _open(state: State, turn: Turn) -> dict[str, Open]:
    """The calls of a turn, each with the reason why it does not run, if there is one; decided once, in order."""
    ledger, found = ledger_of(state), dict[str, Open]()
    before, last_question = ledger.admitted, bool(state.closing)
    for call in turn.calls:
        refusal = closed(call) if last_question else refuse(call, state.tools, state.guard, ledger)
        found[call.id] = Open(call, state.tools.get(call.tool) or ToolSpec(call.tool), refusal)
        ledger.admitted += refusal is None
        state.closing = state.closing or (refusal.limit if refusal else "")
    ledger.steps += ledger.admitted > before
    return found


def _fail(state: State, event: ModelFailed) -> None:
    ledger = ledger_of(state)
    if event.lost:
        ledger.forfeit()
    else:
        ledger.release()
    state.phase = "ready"
    state.failures += 1
    if event.failure == "tools_refused" and started_of(state).may_switch and state.way == "native":
        state.switch = WaySwitched(way="text", reason=shortened(event.message, ledger.remark()))
    elif not event.lost or state.failures >= FAILURES:
        state.outcome = Outcome("failed", None, event.message)


def _act(state: State, event: CallStarted | CallEnded | ApprovalAsked | ApprovalGiven) -> None:
    item = state.open.get(event.call_id)
    if item is None:
        raise IllegalEvent(f"{type(event).__name__}: no open call {event.call_id}")
    _check_call(state, item, event)
    match event:
        case CallStarted():
            item.stage = "running"
        case ApprovalAsked():
            item.stage = "asked"
        case ApprovalGiven():
            item.stage, item.said = ("allowed" if event.allowed else "denied"), event.reason
        case CallEnded():
            _answered(state, item, event)
        case _:
            assert_never(event)


def _check_call(state: State, item: Open, event: CallStarted | CallEnded | ApprovalAsked | ApprovalGiven) -> None:
    if not isinstance(event, LEGAL_CALL[item.stage]):
        raise IllegalEvent(f"{type(event).__name__} cannot follow while call {event.call_id} is {item.stage}")
    wanted = OWED.get(type(event))
    if wanted is not None and not isinstance(_due_call(state, item), wanted):
        raise IllegalEvent(f"{type(event).__name__} cannot follow: it is not what call {event.call_id} is owed")
    if isinstance(event, CallEnded) and event.how == "ran" and item.stage != "running":
        raise IllegalEvent(f"CallEnded cannot follow: call {event.call_id} did not run")


def _answered(state: State, item: Open, event: CallEnded) -> None:
    del state.open[item.call.id]
    ledger = ledger_of(state)
    ledger.observe(event.result)
    ledger.ran += event.how == "ran"
    state.guard.ended(item.call, event.result, pollable=item.tool.pollable, withheld=event.how == "withheld")
    if not state.open:
        _turn_over(state)


def _turn_over(state: State) -> None:
    state.phase = "ready"
    verdict = state.guard.turn_over()
    if state.asked is not None and state.asked.closing:
        state.outcome = Outcome("stopped", None, state.closing)
    elif verdict == "close":
        state.closing = state.closing or "no_progress"
    elif verdict and not state.closing:
        state.note = NoteAdded(kind=verdict)


def due(state: State) -> tuple[Command, ...]:
    """What is owed now: nothing when the run is over, or while all that is owed is in flight."""
    if state.phase == "acting":
        return tuple(command for item in state.open.values() if (command := _due_call(state, item)))
    if state.phase != "ready":
        return ()
    if state.outcome is not None:
        return (Record(RunEnded(outcome=state.outcome)),)
    owed = state.switch or state.note
    return (Record(owed) if owed is not None else _due_question(state),)


def _due_question(state: State) -> Command:
    ledger = ledger_of(state)
    grant = ledger.grant(state.closing)
    if isinstance(grant, str):
        return Record(RunEnded(outcome=Outcome("stopped", None, grant)))
    number = ledger.asks + 1
    asked = ModelAsked(number=number, closing=grant.closing, max_tokens=grant.max_tokens, worst=grant.worst)
    return AskModel(asked, grant.until)


def _due_call(state: State, item: Open) -> Command | None:
    call, tool, ledger = item.call, item.tool, ledger_of(state)
    if item.stage in ("running", "asked"):
        return None
    if item.refusal is not None:
        return Record(CallEnded(call_id=call.id, result=item.refusal.result, how=item.refusal.how))
    about = _question(item)
    if item.stage == "denied" or (about and not state.attended):
        return Record(unanswered(call, ledger, doubtful=item.doubtful, asked=item.stage == "denied", said=item.said))
    if about:
        return AskPerson(call, tool, about, ledger.work_until())
    return RunTool(call, tool, ledger.room(len(state.open)), ledger.work_until())


def _question(item: Open) -> Literal["approval", "doubt"] | None:
    """What a person must be asked before the call may run."""
    if item.stage == "doubt":
        return None if item.tool.repeatable else "doubt"
    return "approval" if item.stage == "owed" and item.tool.permission == "ask" else None
