"""The loop: `apply` says what an event means, `due` says what is owed now.

Both are pure and know no provider, clock, file, socket or event loop; every run, whatever it speaks to and however it
is driven, is decided here. `apply` changes the state in place, in time that does not grow with the run; nobody else may
hold it. `due` changes nothing. The laws that hold for both are stated and tested in `tests/core/test_core_laws.py`.
"""

from typing import Literal, assert_never

from loopwright.core import outside
from loopwright.core.commands import AskModel, AskPerson, Command, Record, RunTool
from loopwright.core.drift import CONTEXT_LOST
from loopwright.core.errors import IllegalEvent
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    CancelAsked,
    ContextCondensed,
    ContextLost,
    Event,
    LetterRefused,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    NoteKind,
    PersonSaid,
    RunEnded,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.limits import OFFER_BYTES, Ledger, shortened, size
from loopwright.core.messages import Kind, Outcome, ToolSpec, Turn, Way
from loopwright.core.refusal import cancelled, closed, refuse, unanswered
from loopwright.core.state import LEGAL, LEGAL_CALL, OWED, Open, State, ledger_of, started_of

FAILURES = 3
"""Questions in a row that may get lost before the run fails."""
_NOTES: dict[Kind, NoteKind] = {"empty": "empty", "thought": "thinking"}
"""What is said to a reply without call and answer; to any other kind, that it is unreadable."""


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
        case NoteAdded() | WaySwitched() | ContextLost() | ContextCondensed():
            _tell(state, event)
        case RunResumed() | RunForked() | PersonSaid() | CancelAsked() | LetterRefused():
            outside.came(state, event)
        case RunEnded():
            state.phase, state.outcome = "over", event.outcome
        case _:
            assert_never(event)
    state.events += 1
    ledger = ledger_of(state)
    ledger.elapsed = max(ledger.elapsed, event.elapsed)
    return state


def _start(state: State, event: RunStarted) -> None:
    state.phase, state.started, state.way, state.attended = "ready", event, event.way, event.attended
    state.tools = {tool.name: tool for tool in event.tools}
    state.consent.begin(event)
    state.ledger = Ledger(event.limits, event.price, event.settings.max_tokens, event.opening_bytes)
    state.weight.begin(event.limits.context, event.opening_bytes)
    state.ledger.offer = OFFER_BYTES if event.reader else 0


def _ask(state: State, event: ModelAsked) -> None:
    if event.number != ledger_of(state).number + 1:
        raise IllegalEvent(f"question {event.number} cannot follow question {ledger_of(state).number}")
    if state.outcome is not None:
        raise IllegalEvent(f"question {event.number} cannot follow: the run is about to end")
    if state.closing and not event.closing:
        raise IllegalEvent(f"the run is closing ({state.closing}): only a closing question may follow")
    ledger_of(state).ask(event.worst)
    state.weight.ask()
    state.phase, state.asked, state.closing = "asking", event, event.closing


def _reply(state: State, event: ModelReplied) -> None:
    turn = event.turn
    if len(turn.calls) > started_of(state).limits.calls_per_turn:
        raise IllegalEvent(f"a reply with {len(turn.calls)} calls must be sent back, not opened")
    if any(call.id != f"{ledger_of(state).number}.{n}" for n, call in enumerate(turn.calls, 1)):
        raise IllegalEvent("the calls of a reply are numbered by its question: 3.1, 3.2, …")
    _count(state, event)
    state.weight.reply(turn, event.usage)
    state.phase, state.failures = "ready", 0
    if turn.calls:
        state.phase, state.unreadable = "acting", 0
        state.open = _open(state, turn)
    elif turn.answer is not None:
        _answer(state, turn.answer)
    elif state.closing:
        state.outcome = Outcome("stopped", None, state.closing)
    else:
        _unreadable(state, turn)
    _consider_switch(state, turn)


def _count(state: State, event: ModelReplied) -> None:
    ledger = ledger_of(state)
    # Many servers leave the tools out of a closing question, so that its count is lower for good reason.
    expected = 0 if state.closing else state.kept.counted(event.usage, ledger.grown)
    ledger.settle(event.usage, event.turn)
    if expected and state.kept.lost > 1:
        state.outcome = Outcome("stopped", None, CONTEXT_LOST)
    elif expected:
        state.warning = ContextLost(expected=expected, counted=event.usage.input_tokens)


def _answer(state: State, answer: str) -> None:
    cause = state.closing or (state.outcome.reason if state.outcome else "")
    hasty = started_of(state).require_action and state.tools and not ledger_of(state).admitted
    if hasty and not cause and not state.pressed:
        state.pressed, state.unreadable = True, 0
        state.note = NoteAdded(kind="act_first")
    else:
        state.outcome = Outcome("partial" if cause else "answered", answer, cause)


def _consider_switch(state: State, turn: Turn) -> None:
    reason = state.manner.heard(turn, state.way)
    way: Way = "text" if state.way == "native" else "native"
    started = started_of(state)
    if reason and not state.closing and (started.may_switch if way == "text" else started.may_return):
        state.switch = WaySwitched(way=way, reason=reason)


def _unreadable(state: State, turn: Turn) -> None:
    state.unreadable += 1
    if state.unreadable >= started_of(state).limits.unreadable:
        state.closing = "unreadable"
    else:
        problem = shortened(turn.problem, ledger_of(state).remark())
        state.note = NoteAdded(kind=_NOTES.get(turn.kind, "unreadable"), detail=problem)


def _open(state: State, turn: Turn) -> dict[str, Open]:
    """The calls of a turn, each with the reason why it does not run, if there is one; decided once, in order."""
    ledger, found = ledger_of(state), dict[str, Open]()
    before, last_question = ledger.admitted, bool(state.closing or state.outcome)
    for call in turn.calls:
        tool = state.tools.get(call.tool) or ToolSpec(call.tool)
        verdict = state.consent.judge(call, tool)
        refusal = closed(call) if last_question else refuse(call, state.tools, state.guard, ledger, verdict)
        found[call.id] = Open(call, tool, refusal, verdict=verdict)
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
    may_switch = started_of(state).may_switch and state.way == "native"
    if event.failure == "tools_refused" and may_switch:
        state.manner.refused()
        state.switch = WaySwitched(way="text", reason=shortened(event.message, ledger.remark()))
    elif not event.lost or state.failures >= FAILURES:
        state.outcome = Outcome("failed", None, event.message)


def _tell(state: State, event: NoteAdded | WaySwitched | ContextLost | ContextCondensed) -> None:
    ledger = ledger_of(state)
    match event:
        case NoteAdded():
            state.note = None
            ledger.tell(event.detail)
            state.weight.add(size(event.detail))
            # Behind what a user says, many servers leave out what the model thought before.
            state.kept.forget()
        case WaySwitched():
            state.way, state.switch, state.unreadable = event.way, None, 0
            state.manner.switched()
            state.kept.forget()
            # The reason is for people; what the model is told anew is the beginning, in other words.
            ledger.tell("")
            ledger.context += started_of(state).opening_bytes
        case ContextLost():
            state.warning = None
        case ContextCondensed():
            state.weight.condensed(event)
            state.kept.forget()
            _read_on(state)
        case _:
            assert_never(event)


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
            _permit(state, item, event)
        case CallEnded():
            _answered(state, item, event)
        case _:
            assert_never(event)
    if isinstance(event, CallEnded | ApprovalGiven):
        outside.take(state, event.inbox)


def _permit(state: State, item: Open, event: ApprovalGiven) -> None:
    if event.digest and event.digest != state.consent.digest(item.allowed):
        raise IllegalEvent(f"ApprovalGiven cannot follow: it is about another call than {event.call_id}")
    if event.arguments is not None and item.doubtful:
        raise IllegalEvent(f"ApprovalGiven cannot change {event.call_id}: it may have run already as it is")
    item.stage, item.said, item.by = ("allowed" if event.allowed else "denied"), event.reason, event.by or "a person"
    if event.allowed and event.arguments is not None:
        item.changed = event.arguments
        if state.consent.judge(item.allowed, item.tool).permission == "deny":
            item.stage, item.said = "denied", "the policy does not allow what it was changed to"
    if not item.doubtful and item.stage == "allowed":
        state.consent.said(event, item.call, item.allowed, item.verdict)


def _check_call(state: State, item: Open, event: CallStarted | CallEnded | ApprovalAsked | ApprovalGiven) -> None:
    if not isinstance(event, LEGAL_CALL[item.stage]):
        raise IllegalEvent(f"{type(event).__name__} cannot follow while call {event.call_id} is {item.stage}")
    wanted = OWED.get(type(event))
    if wanted is not None and not isinstance(_due_call(state, item), wanted):
        raise IllegalEvent(f"{type(event).__name__} cannot follow: it is not what call {event.call_id} is owed")
    if isinstance(event, CallEnded | ApprovalGiven):
        outside.check_letter(state, event.inbox)
    if isinstance(event, CallEnded) and event.how == "ran" and item.stage != "running":
        raise IllegalEvent(f"CallEnded cannot follow: call {event.call_id} did not run")


def _answered(state: State, item: Open, event: CallEnded) -> None:
    del state.open[item.call.id]
    ledger = ledger_of(state)
    ledger.observe(event.result, fenced=not item.tool.trusted_output)
    state.weight.answer(event.call_id, event.result)
    if event.whole is not None and event.whole.readable:
        _read_on(state)
    ledger.ran += event.how == "ran"
    state.consent.ended(event, item.call, item.tool, item.verdict)
    state.guard.ended(item.call, event.result, pollable=item.tool.pollable, withheld=event.how == "withheld")
    if not state.open:
        _turn_over(state)


def _read_on(state: State) -> None:
    """Once the model was told how to read on in a result, the tool for that is one of its tools."""
    reader = started_of(state).reader
    if reader is not None:
        state.told, state.tools[reader.name] = True, reader
        ledger_of(state).offered()


def _turn_over(state: State) -> None:
    state.phase, verdict = "ready", state.guard.turn_over()
    if outside.is_cancelled(state):
        return
    if state.asked is not None and state.asked.closing:
        state.outcome = Outcome("stopped", None, state.closing)
    elif verdict == "close":
        state.closing, state.switch = state.closing or "no_progress", None
    elif verdict and not state.closing:
        state.note = NoteAdded(kind=verdict)


def due(state: State) -> tuple[Command, ...]:
    """What is owed now: nothing when the run is over, or while all that is owed is in flight."""
    if state.phase == "acting":
        return tuple(command for item in state.open.values() if (command := _due_call(state, item)))
    if state.phase != "ready":
        return ()
    end = RunEnded(outcome=state.outcome) if state.outcome is not None else None
    owed = state.warning or end or state.switch or state.note or state.weight.owed()
    return (Record(owed) if owed is not None else _due_question(state),)


def _due_question(state: State) -> Command:
    ledger = ledger_of(state)
    grant = ledger.grant(state.closing)
    if isinstance(grant, str):
        least = f"; it takes a limit of at least {ledger.least_tokens():,}" if grant == "tokens" else ""
        reason = grant if ledger.asks else f"{grant}: the limit does not pay for a single question{least}"
        return Record(RunEnded(outcome=Outcome("stopped", None, reason)))
    number = ledger.number + 1
    asked = ModelAsked(number=number, closing=grant.closing, max_tokens=grant.max_tokens, worst=grant.worst)
    return AskModel(asked, grant.until)


def _due_call(state: State, item: Open) -> Command | None:
    call, tool, ledger = item.call, item.tool, ledger_of(state)
    if item.stage in ("running", "asked"):
        return None
    if outside.is_cancelled(state):
        return Record(cancelled(call, doubtful=item.doubtful))
    if item.refusal is not None and not item.doubtful:
        return Record(CallEnded(call_id=call.id, result=item.refusal.result, how=item.refusal.how))
    always = state.consent.always(call, item.verdict) if item.verdict.permission == "ask" else ""
    about, denied, why = _question(item, always), item.stage == "denied", item.verdict.why
    if denied or item.refusal is not None or (about and not state.attended):
        said = item.said if denied else why
        return Record(unanswered(call, ledger, doubtful=item.doubtful, asked=denied, said=said))
    if about:
        return AskPerson(item.allowed, tool, about, ledger.work_until(), why, state.consent.digest(item.allowed))
    room = ledger.room(len(state.open), fenced=not tool.trusted_output)
    by, edited = item.by or always or item.verdict.by, item.changed is not None
    return RunTool(item.allowed, tool, room, ledger.work_until(), by, edited)


def _question(item: Open, always: str) -> Literal["approval", "doubt"] | None:
    """What a person must be asked before the call may run."""
    asks = item.verdict.permission == "ask" and not always
    if item.stage == "doubt":  # nobody allowed it in this run where it began in the parent of a fork
        return None if item.tool.repeatable and (item.by or not asks) else "doubt"
    return "approval" if item.stage == "owed" and asks else None
