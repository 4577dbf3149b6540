"""What comes to a run from outside the loop: another driver, a fork, a person's words, a cancellation.

Owns what these do to the state. `loop.apply` calls it for its events; nothing here is ever due.
"""

from typing import assert_never

from msgspec.structs import replace

from loopwright.core.drift import Kept, Manner
from loopwright.core.errors import IllegalEvent
from loopwright.core.events import CancelAsked, LetterRefused, PersonSaid, RunForked, RunResumed
from loopwright.core.limits import OFFER_BYTES, TELLING_BYTES, Ledger, size
from loopwright.core.messages import Outcome
from loopwright.core.progress import Guard
from loopwright.core.refusal import refuse
from loopwright.core.state import Open, State, ledger_of, started_of

Outside = RunResumed | RunForked | PersonSaid | CancelAsked | LetterRefused


def came(state: State, event: Outside) -> None:
    """What the event does to the state.

    Raises:
        IllegalEvent: it cannot be now, or its letter was taken before
    """
    match event:
        case RunResumed():
            _resume(state, event)
        case RunForked():
            _fork(state, event)
        case PersonSaid():
            check_letter(state, event.inbox)
            _hear(state, event)
            take(state, event.inbox)
        case CancelAsked():
            check_letter(state, event.inbox)
            _cancel(state, event)
            take(state, event.inbox)
        case LetterRefused():
            check_letter(state, event.inbox)
            take(state, event.inbox)
        case _:
            assert_never(event)


def check_letter(state: State, number: int) -> None:
    """Look whether a letter may be taken.

    Raises:
        IllegalEvent: it was taken before
    """
    if number in state.taken:
        raise IllegalEvent(f"letter {number} was taken before")


def take(state: State, number: int) -> None:
    """Remember that a letter was taken; 0 is none."""
    if number:
        state.taken.add(number)


def unheard(state: State, text: str) -> str:
    """Why these words of a person cannot be told to the model now; empty where they can."""
    if state.outcome is not None:
        return "the run is about to end"
    owed = size(state.note.detail) if state.note is not None else 0
    room = ledger_of(state).room(1) - TELLING_BYTES - owed
    if size(text) > room:
        return f"the words are {size(text):,} bytes long, and the limits leave room for {max(0, room):,}"
    return ""


def is_cancelled(state: State) -> bool:
    """Whether the run is to end because somebody wanted it to."""
    return state.outcome is not None and state.outcome.status == "cancelled"


def _resume(state: State, event: RunResumed) -> None:
    """Another driver goes on: what was in flight is lost or in doubt."""
    if state.phase == "over":
        if state.outcome is None or state.outcome.status != "failed":
            raise IllegalEvent("RunResumed cannot follow: the run ended, and not by a failure")
        state.outcome = None
    if state.phase == "asking":
        ledger_of(state).forfeit()
    state.phase = "acting" if state.open else "ready"
    state.attended, state.failures = event.attended, 0
    _interrupt(state)


def _fork(state: State, event: RunForked) -> None:
    """Go on as another run, under its rules. What was in flight is as it was; a driver takes it over by `resume`."""
    if event.after != state.events:
        raise IllegalEvent(f"RunForked cannot follow: it is to stand behind event {event.after}, not {state.events}")
    if (event.say or event.fresh) and state.phase not in ("ready", "over"):
        raise IllegalEvent(f"RunForked cannot say anything while the run is {state.phase}")
    if state.phase == "over":
        state.phase, state.note = "ready", None
    state.switch, state.warning, state.outcome = None, None, None  # how the parent ended, or would have, holds there
    _count_on(state, event)
    _rule(state, event)
    _judge_anew(state)


def _hear(state: State, event: PersonSaid) -> None:
    """Words of a person: part of what the model is told from now on."""
    if why := unheard(state, event.text):
        raise IllegalEvent(f"PersonSaid cannot follow: {why}")
    ledger_of(state).tell(event.text)
    state.weight.add(size(event.text))
    state.kept.forget()  # behind what a user says, many servers leave out what the model thought before
    state.consent.heard(event.text)


def _cancel(state: State, event: CancelAsked) -> None:
    """The run ends as soon as its open calls are answered; none of them runs any more."""
    if state.outcome is not None:
        raise IllegalEvent("CancelAsked cannot follow: the run is about to end")
    if state.phase == "asking":
        ledger_of(state).forfeit()
        state.phase = "ready"
    by = event.by or "somebody"
    state.outcome = Outcome("cancelled", None, f"{by}: {event.reason}" if event.reason else by)
    _interrupt(state)


def _interrupt(state: State) -> None:
    """Calls that were running are in doubt; what was asked about them has to be asked again."""
    for item in state.open.values():
        if item.stage == "running":
            item.stage, item.doubtful = "doubt", True
        elif item.stage == "asked" or (item.stage == "allowed" and is_cancelled(state)):
            item.stage = "doubt" if item.doubtful else "owed"


def _count_on(state: State, event: RunForked) -> None:
    """Go on with the ledger under the limits of the fork, or begin a new one where they count anew."""
    before, old, new = ledger_of(state), started_of(state), event.started
    context = before.context + max(0, new.opening_bytes - old.opening_bytes)
    if new.way != state.way:  # everything is said over again in the other way
        context = before.context + TELLING_BYTES + new.opening_bytes
    if new.model != old.model:  # another model may count more tokens, but never more than bytes
        context = max(context, event.context_bytes)
    if state.told and new.reader is not None and old.reader is None:
        context += OFFER_BYTES
    if state.asked is not None and state.asked.closing:  # the request for a last answer stands in the transcript
        context += TELLING_BYTES
    ledger = Ledger(new.limits, new.price, new.settings.max_tokens, context, first=before.first + before.asks)
    if not event.fresh:
        ledger = before
        ledger.limits, ledger.price, ledger.max_tokens, ledger.context = (
            new.limits,
            new.price,
            new.settings.max_tokens,
            context,
        )
    ledger.offer = OFFER_BYTES if new.reader is not None and not state.told else 0
    state.weight.limit = new.limits.context
    state.weight.bytes += max(0, new.opening_bytes - old.opening_bytes)
    if event.say:
        ledger.tell(event.say)
        state.weight.add(size(event.say))
    state.ledger = ledger


def _rule(state: State, event: RunForked) -> None:
    """Take over the rules of the fork."""
    new = event.started
    state.started, state.way, state.attended = new, new.way, new.attended
    state.tools = {tool.name: tool for tool in new.tools}
    if state.told and new.reader is not None:
        state.tools[new.reader.name] = new.reader
    state.consent.fork(new, event.say)
    state.manner, state.kept = Manner(), Kept()
    state.closing, state.unreadable, state.failures = "", 0, 0
    state.asked = replace(state.asked, closing="") if state.asked is not None else None
    if event.fresh:
        state.guard, state.pressed = Guard(), False


def _judge_anew(state: State) -> None:
    """Judge the open calls by the rules of the fork. What was refused stays refused; what a person allowed in the
    parent is asked about again."""
    ledger = ledger_of(state)
    admitted = any(item.refusal is None for item in state.open.values())
    ledger.steps -= admitted  # so that a step that has begun is not refused for being the last
    for item in state.open.values():
        item.tool = state.tools.get(item.call.tool) or item.tool
        if item.stage in ("asked", "allowed", "denied"):
            item.stage = "doubt" if item.doubtful else "owed"
            item.said, item.changed = "", None
        item.by = ""
        item.verdict = state.consent.judge(item.allowed, item.tool)
        if item.refusal is None:
            _refuse_anew(state, item)
    ledger.steps += admitted


def _refuse_anew(state: State, item: Open) -> None:
    ledger, begun = ledger_of(state), item.doubtful or item.stage == "running"
    ledger.admitted -= not begun
    refusal = refuse(item.allowed, state.tools, state.guard, ledger, item.verdict)
    if refusal is None:
        ledger.admitted += not begun
    elif not begun or (refusal.how != "withheld" and not refusal.limit):  # it began within the limits
        item.refusal, state.closing = refusal, state.closing or refusal.limit
