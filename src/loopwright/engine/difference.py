"""Where two runs part, and how differently they end.

Owns what counts as a difference: times, tokens of the same words, names of runs and a provider's own ids do not. Reads
histories only.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.json import encode
from msgspec.json import format as indented
from msgspec.structs import replace

from loopwright.core.events import (
    CallEnded,
    Event,
    ModelAsked,
    ModelReplied,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
)
from loopwright.core.messages import Call, Result, Usage
from loopwright.core.state import State, ledger_of
from loopwright.engine.history import fold, rules_of


class Parting(Struct, frozen=True):
    """The first events that differ, with their numbers; empty where a run has none there."""

    left: int
    right: int
    left_event: str
    """As JSON text."""
    right_event: str


class Ending(Struct, frozen=True):
    """How a run ended, and what it took; status is empty while it is not over."""

    run_id: str
    status: str
    answer: str | None
    reason: str
    steps: int
    calls: int
    usage: Usage
    seconds: float


class Made(Struct, frozen=True):
    """A call of one run."""

    call_id: str
    tool: str
    arguments: str
    """As JSON text."""
    how: str
    """How it came to its result; empty while it has none."""
    result: str
    """As JSON text; empty while there is none."""


class Pair(Struct, frozen=True):
    """The calls at the same place of both runs; None where a run has no further one."""

    left: Made | None
    right: Made | None
    differs: tuple[str, ...]
    """What of them is not the same: tool, arguments, result; or call, where one is missing."""


class Difference(Struct, frozen=True):
    """Two runs beside each other."""

    shared: int
    """Events that both begin with: of one run, where one is a fork of the other, or both are."""
    kin: bool
    """Whether they share these because they are one run up to there."""
    parting: Parting | None
    """None where nothing differs."""
    calls: tuple[Pair, ...]
    """The calls that differ."""
    left: Ending
    right: Ending

    @property
    def same(self) -> bool:
        """Whether nothing differs but times."""
        return self.parting is None


def difference(left: Sequence[Event], right: Sequence[Event]) -> Difference:
    """Two runs beside each other.

    Args:
        left: all events of the one
        right: all events of the other
    """
    ones, others = _compared(left), _compared(right)
    parting, shared = None, 0
    for place in range(max(len(ones), len(others))):
        one = ones[place] if place < len(ones) else (len(left) + 1, None)
        other = others[place] if place < len(others) else (len(right) + 1, None)
        if _bare(one[1]) != _bare(other[1]):
            parting = Parting(one[0], other[0], _json(one[1]), _json(other[1]))
            break
        shared = place + 1
    kin = _kinship(left, right)
    return Difference(
        shared=kin or shared,
        kin=bool(kin),
        parting=parting,
        calls=_pairs(_made(left), _made(right)),
        left=_ending(left),
        right=_ending(right),
    )


def _kinship(left: Sequence[Event], right: Sequence[Event]) -> int:
    """How many events both have in common as one run."""
    if rules_of(left[:1]).run_id != rules_of(right[:1]).run_id:
        return 0
    for number, (one, other) in enumerate(zip(left, right, strict=False), 1):
        if encode(one) != encode(other):
            return number - 1
    return min(len(left), len(right))


def _compared(history: Sequence[Event]) -> list[tuple[int, Event | None]]:
    """The events that say how a run went, with numbers; that it was interrupted, or forked as it was, does not."""
    found = list[tuple[int, Event | None]]()
    for number, event in enumerate(history, 1):
        silent = isinstance(event, RunPaused | RunResumed)
        if isinstance(event, RunForked) and not event.say:
            silent = _ruled(event.started) == _ruled(rules_of(history[: number - 1]))
        found += [] if silent else [(number, event)]
    return found


def _ruled(rules: RunStarted) -> RunStarted:
    """The rules without the name of the run, and what follows from who works on it."""
    return replace(rules, run_id="", recipe={}, opening_bytes=0, attended=False, at=0.0, elapsed=0.0)


def _bare(event: Event | None) -> bytes:
    """The event without what differs between two runs that go the same way, as JSON."""
    match event:
        case None:
            return b""
        case RunStarted():
            event = _ruled(event)
        case RunForked():
            event = replace(event, started=_ruled(event.started), context_bytes=0)
        case ModelAsked():
            event = replace(event, request="", worst=Usage(), max_tokens=None)
        case ModelReplied():
            calls = tuple(replace(call, provider_id="") for call in event.turn.calls)
            turn = replace(event.turn, calls=calls, opaque=b"")
            event = replace(event, turn=turn, usage=Usage(), raw=b"", seconds=0.0)
        case CallEnded():
            event = replace(event, seconds=0.0, inbox=0)
        case _:
            pass
    return encode(replace(event, at=0.0, elapsed=0.0))


def _made(history: Sequence[Event]) -> list[Made]:
    ended = {event.call_id: event for event in history if isinstance(event, CallEnded)}
    turns = (event.turn for event in history if isinstance(event, ModelReplied))
    return [_one(call, ended.get(call.id)) for turn in turns for call in turn.calls]


def _one(call: Call, ended: CallEnded | None) -> Made:
    arguments = call.text if call.state == "rejected" else encode(call.arguments).decode()
    how, result = (ended.how, _result(ended.result)) if ended is not None else ("", "")
    return Made(call.id, call.tool, arguments, how, result)


def _result(result: Result) -> str:
    return encode(result).decode()


def _pairs(left: Sequence[Made], right: Sequence[Made]) -> tuple[Pair, ...]:
    """The calls at the same place that differ."""
    found = list[Pair]()
    for place in range(max(len(left), len(right))):
        one = left[place] if place < len(left) else None
        other = right[place] if place < len(right) else None
        if one is None or other is None:
            found.append(Pair(one, other, ("call",)))
            continue
        parts = ("tool", "arguments", "result")
        differs = tuple(part for part in parts if getattr(one, part) != getattr(other, part))
        found += [Pair(one, other, differs)] if differs else []
    return tuple(found)


def _ending(history: Sequence[Event]) -> Ending:
    state: State = fold(history)
    outcome, ledger = state.outcome if state.phase == "over" else None, ledger_of(state)
    return Ending(
        run_id=rules_of(history).run_id,
        status=outcome.status if outcome is not None else "",
        answer=outcome.answer if outcome is not None else None,
        reason=outcome.reason if outcome is not None else "",
        steps=ledger.steps,
        calls=ledger.ran,
        usage=ledger.spent,
        seconds=ledger.elapsed,
    )


def _json(event: Event | None) -> str:
    """An event as JSON text, without the bytes that a provider sent."""
    if event is None:
        return ""
    if isinstance(event, ModelReplied):
        event = replace(event, raw=b"")
    return bytes(indented(encode(event), indent=2)).decode()
