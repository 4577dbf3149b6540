"""Replay: goes through a run again, and looks whether the same would be decided, asked and read today.

Owns what is derived again and what is taken as it is: the loop's own decisions and the requests are derived; what came
from outside (replies, results of tools, words of people, failures) is taken. Asks nobody, runs nothing, writes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.json import decode, encode
from msgspec.json import format as indented
from msgspec.structs import replace

from loopwright.core.commands import AskModel, AskPerson, Command, Record, RunTool
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
    ModelAsked,
    ModelReplied,
    NoteAdded,
    RunEnded,
    RunForked,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.loop import apply, due
from loopwright.core.messages import Turn
from loopwright.core.state import State
from loopwright.engine.drive import begin
from loopwright.engine.given import MODEL
from loopwright.engine.ports import Model
from loopwright.engine.speak import conversation_of
from loopwright.engine.waiting import AGAIN
from loopwright.journal.base import NONE
from loopwright.protocols.conversation import Conversation

ModelOf = Callable[[RunStarted], Model | None]
"""Who was asked under these rules; None where that is not known here."""

_DECIDED = (ModelAsked, CallStarted, ApprovalAsked, NoteAdded, WaySwitched, ContextLost, ContextCondensed, RunEnded)
"""What only the loop causes. `CallEnded` is the loop's where the call did not run."""


class Divergence(Struct, frozen=True):
    """The first place where a run would go differently today. Both sides in full, as JSON text."""

    event: int
    """Number of the event."""
    what: Literal["decision", "request"]
    recorded: str
    """The event as it is written down; for a request, what its digest is of is not kept, so this is the event too."""
    derived: str
    """What would be decided there, or the body of the request that would be sent."""
    new: tuple[str, ...] = ()
    """For a request: its messages since the last one that was the same, as they would be sent."""


class Reread(Struct, frozen=True):
    """A stored reply that is read differently today."""

    event: int
    recorded: str
    """The turn as it was understood, as JSON text."""
    derived: str
    """The turn as it would be, or why there would be none."""


class Replay(Struct, frozen=True):
    """What a replay found."""

    events: int
    """Events that were gone through."""
    requests: int
    """Requests that were derived again and are the same."""
    skipped: tuple[str, ...] = ()
    """What could not be compared, and why, in words."""
    divergence: Divergence | None = None
    reread: tuple[Reread, ...] = ()
    replies: int = 0
    """Stored replies that were read again."""

    @property
    def same(self) -> bool:
        """Whether everything that was compared is the same."""
        return self.divergence is None and not self.reread


def replay(
    history: Sequence[Event],
    model: Model | ModelOf,
    *,
    replies: bool = False,
    images: Mapping[str, bytes] = NONE,
) -> Replay:
    """Go through a run up to the first event that would be another today.

    Every part of a forked run is gone through under its own rules.

    Args:
        history: the run
        model: who was asked, or what gives it for the rules of each part; its transport is not used
        replies: whether the stored replies are read again, too; then all that are read differently are listed
        images: that the model was shown, by their digests
    """
    going = _Going(model, images, replies=replies)
    divergence = None
    for number, event in enumerate(history, 1):
        divergence = going.compare(number, event) or going.follow(number, event)
        if divergence is not None:
            break
    return Replay(
        events=going.events,
        requests=going.requests,
        skipped=going.skipped(),
        divergence=divergence,
        reread=tuple(going.reread),
        replies=going.replies,
    )


class _Seen(Struct):
    """The messages of the last request that agreed, and what could not be compared."""

    messages: int = 0
    unasked: list[int] = field(default_factory=list[int])
    """Questions whose request has no digest."""
    unknown: list[int] = field(default_factory=list[int])
    """Questions to a model that is not known."""
    given: int = 0
    """Replies that a person gave."""
    bare: int = 0
    """Replies whose bytes are not there."""


class _Going:
    """A replay under way."""

    def __init__(self, find: Model | ModelOf, images: Mapping[str, bytes], *, replies: bool) -> None:
        self.events, self.requests, self.replies = 0, 0, 0
        self.reread: list[Reread] = []
        self._find, self._images, self._reads = find, images, replies
        self._state = State()
        self._owed: dict[str, list[Command]] = {}
        """What was owed at any time since the calls were last touched: facts are decided together, and written down
        one after the other."""
        self._history: list[Event] = []
        self._rules: RunStarted | None = None
        self._model: Model | None = None
        self._told: Conversation | None = None
        self._seen = _Seen()

    def compare(self, number: int, event: Event) -> Divergence | None:
        """Look whether the loop would cause this event now, and send this request."""
        owed = due(self._state) if self._state.phase != "new" else ()
        for command in owed:
            if (call_id := _about(command)) and command not in self._owed.setdefault(call_id, []):
                self._owed[call_id].append(command)
        if not _is_decided(event):
            return None
        about = event.call_id if isinstance(event, CallStarted | CallEnded | ApprovalAsked) else ""
        candidates = self._owed.get(about, []) if about else list(owed)
        if _is_owed(event, candidates):
            return self._compare_request(number, event) if isinstance(event, ModelAsked) else None
        shown = [_shown(_fact(command)) for command in candidates or owed]
        return Divergence(number, "decision", _shown(event), "\n".join(shown) or "nothing: no event of the loop is due")

    def follow(self, number: int, event: Event) -> Divergence | None:
        """Go on to behind the event."""
        if isinstance(event, ModelReplied) and self._reads:
            self._read(number, event)
        try:
            self._state = apply(self._state, event)
        except IllegalEvent as error:
            return Divergence(number, "decision", _shown(event), f"nothing of the kind: {error}")
        self.events = number
        self._history.append(event)
        self._forget(event)
        self._tell(event)
        return None

    def skipped(self) -> tuple[str, ...]:
        """What could not be compared, in words."""
        seen, found = self._seen, list[str]()
        if seen.unasked:
            found.append(f"the requests of {_questions(seen.unasked)}: an older version wrote no digest of them")
        if seen.unknown:
            found.append(f"the requests of {_questions(seen.unknown)}: it is not known here how that model is asked")
        if self._reads and seen.given:
            found.append(f"{seen.given} of the replies, which a person gave")
        if self._reads and seen.bare:
            found.append(f"{seen.bare} of the replies, whose bytes cannot be read here")
        return tuple(found)

    def _compare_request(self, number: int, asked: ModelAsked) -> Divergence | None:
        told, seen = self._told, self._seen
        if told is None or not asked.request:
            (seen.unknown if told is None else seen.unasked).append(asked.number)
            return None
        if told.digest(asked) == asked.request:
            self.requests += 1
            seen.messages = len(told.messages)
            return None
        body = told.request(asked, stream=True)
        new = tuple(text.decode("utf-8", "replace") for text in told.messages[seen.messages :])
        return Divergence(number, "request", _shown(asked), _pretty(body), new)

    def _forget(self, event: Event) -> None:
        """What was owed before is not owed any more behind this."""
        if isinstance(event, CallStarted | ApprovalAsked | ApprovalGiven | CallEnded):
            self._owed.pop(event.call_id, None)
        elif isinstance(event, RunResumed | RunForked | CancelAsked | ModelReplied):
            self._owed.clear()

    def _tell(self, event: Event) -> None:
        """What the model is told of it; from the beginning where the rules or the way of speaking change."""
        match event:
            case RunStarted():
                self._begin(event)
            case RunForked():
                self._begin(event.started)
            case RunResumed() if any(text.startswith(MODEL) for text in event.changed):
                self._model = self._told = None
            case WaySwitched() if self._model is not None:
                self._build(event.way)
            case ContextCondensed() if self._told is not None:
                self._build(self._state.way)
            case _ if self._told is not None:
                self._told.add(event, self._images)
            case _:
                pass

    def _begin(self, rules: RunStarted) -> None:
        self._rules, self._told = rules, None
        self._model = self._find if isinstance(self._find, Model) else self._find(rules)
        if self._model is not None:
            self._build(rules.way)

    def _build(self, way: Literal["native", "text"]) -> None:
        if self._rules is not None and self._model is not None:
            self._seen.messages = 0
            self._told = conversation_of(self._rules, way, self._model, self._history, self._images)

    def _read(self, number: int, event: ModelReplied) -> None:
        told, asked = self._told, self._state.asked
        if event.by:
            self._seen.given += 1
            return
        if told is None or asked is None or self._rules is None or not event.raw:
            self._seen.bare += 1
            return
        self.replies += 1
        reader = told.reader(stream=not event.raw.lstrip().startswith((b"{", b"[")))
        reader.feed(event.raw)
        reply = reader.close()
        turn = told.read(reply, closing=bool(asked.closing))
        turn = turn.numbered(asked.number, self._rules.limits.calls_per_turn)
        if reply.error or not reply.complete:
            wrong = reply.error or "the reply ended before it was complete"
            self.reread.append(Reread(number, _json(event.turn), f"no reply: {wrong}"))
        elif _written(turn) != _written(event.turn):
            self.reread.append(Reread(number, _json(event.turn), _json(turn)))


def _is_decided(event: Event) -> bool:
    """Whether the loop causes the event, and not the world."""
    return isinstance(event, _DECIDED) or (isinstance(event, CallEnded) and event.how not in ("ran", "given"))


def _is_owed(event: Event, owed: Sequence[Command]) -> bool:
    """Whether one of the commands is performed by writing down this event."""
    if any(_bare(_fact(command), event) == _bare(event, event) for command in owed):
        return True
    # A tool that does not take the arguments says so itself, before the call or instead of it.
    refused = isinstance(event, CallEnded) and event.how == "refused"
    return refused and not any(isinstance(command, Record) for command in owed)


def _fact(command: Command) -> Event:
    """What is written down where the command is performed."""
    match command:
        case Record():
            return command.event
        case AskModel():
            return command.asked
        case RunTool() | AskPerson():
            return begin(command)


def _bare(event: Event, recorded: Event) -> Event:
    """The event without what is not decided: times, digests, letters, and what older versions did not write down."""
    event = replace(event, at=0.0, elapsed=0.0)
    match event, recorded:
        case ModelAsked(), _:
            return replace(event, request="")
        case CallStarted(), CallStarted(by=""):
            return replace(event, by="")
        case ApprovalAsked(), ApprovalAsked(digest=""):
            return replace(event, why="", digest="", after=0)
        case ApprovalAsked(), _:
            return replace(event, after=0, why=event.why.removeprefix(AGAIN).removeprefix("; "))
        case _:
            return event


def _about(command: Command) -> str:
    """The call that a command is about; empty where it is about none."""
    match command:
        case RunTool() | AskPerson():
            return command.call.id
        case Record():
            return command.event.call_id if isinstance(command.event, CallEnded) else ""
        case AskModel():
            return ""


def _questions(numbers: Sequence[int]) -> str:
    return f"question {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} questions"


def _written(turn: Turn) -> Any:
    return decode(encode(turn))


def _json(value: object) -> str:
    return _pretty(encode(value))


def _shown(event: Event) -> str:
    """An event as JSON text, without the bytes that a provider sent."""
    if isinstance(event, ModelReplied):
        event = replace(event, raw=b"")
    return _json(event)


def _pretty(body: bytes) -> str:
    return bytes(indented(body, indent=2)).decode("utf-8", "replace") if body else ""
