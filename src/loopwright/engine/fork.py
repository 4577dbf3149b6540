"""Forks: another run that shares what happened up to a place, and goes on differently from there.

Owns where a fork may begin, and the facts that it begins with. Reads a history and makes events; writes nothing, and
runs nothing: the driver goes on from what is made here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Raw, Struct
from msgspec.json import encode
from msgspec.structs import replace

from loopwright.core.errors import IllegalEvent, UsageError
from loopwright.core.events import CallEnded, Event, ModelAsked, ModelReplied, RunForked, RunStarted
from loopwright.core.limits import MESSAGE_BYTES, size
from loopwright.core.loop import apply
from loopwright.core.messages import Result, Turn, Usage, is_text, unwritable
from loopwright.core.state import State, ledger_of
from loopwright.engine.history import fold
from loopwright.engine.ports import Model
from loopwright.engine.results import finished
from loopwright.engine.speak import conversation_of
from loopwright.journal.base import NONE

Arguments = Mapping[str, dict[str, Any]]
SHOWN_PLACES = 12
"""Numbers that a refusal names."""


class Change(Struct, frozen=True, kw_only=True):
    """What goes differently in a fork. At most one of observation, reply and arguments."""

    observation: Result | None = None
    """What a call is answered with, in place of what the tool gave."""
    reply: Turn | None = None
    """What the model said, in place of its own reply."""
    arguments: Arguments | None = None
    """Other arguments for calls of a reply, by the ids of the calls."""
    say: str = ""
    """What a person says to the model there."""
    fresh: bool = False
    """Whether the limits count anew, and the task of the rules is what is said."""
    by: str = ""
    """Who changes it."""


class Forked(Struct, frozen=True):
    """How a fork begins."""

    shared: tuple[Event, ...]
    """What it shares with its parent."""
    events: tuple[Event, ...]
    """Its own first events, from `RunForked` on; without times."""
    contents: Mapping[str, bytes] = NONE
    """What they refer to, by hash."""


def observation_of(value: object) -> Result:
    """What a person gives for an observation: a result, or the text that the model is shown.

    Raises:
        UsageError: it is neither
    """
    if isinstance(value, Result):
        return value
    if isinstance(value, str) and is_text(value):
        return Result(data=Raw(encode(value)))
    raise UsageError(f"observation is of type {type(value).__name__}; pass a text, or a Result")


def change_of(
    observation: object, reply: object, arguments: object, say: str, by: str, *, fresh: bool = False
) -> Change:
    """What goes differently, checked.

    Raises:
        UsageError: more than one thing is to be changed, or one of them is of another type
    """
    if sum(value is not None for value in (observation, reply, arguments)) > 1:
        raise UsageError("change one thing: the observation, the reply, or the arguments of calls")
    if reply is not None and not isinstance(reply, Turn):
        raise UsageError(f"reply is of type {type(reply).__name__}; pass a Turn")
    return Change(
        observation=None if observation is None else observation_of(observation),
        reply=reply,
        arguments=None if arguments is None else _arguments_of(arguments),
        say=say,
        by=by,
        fresh=fresh,
    )


def _arguments_of(arguments: object) -> Arguments:
    named = dict(cast("Mapping[object, object]", arguments)) if isinstance(arguments, Mapping) else None
    if not named or not all(isinstance(value, dict) for value in named.values()):
        raise UsageError('arguments must name calls with their new arguments, like {"3.1": {"city": "Oslo"}}')
    if wrong := unwritable(named, "arguments"):
        raise UsageError(f"{wrong}, which JSON cannot carry")
    return cast("Arguments", named)


def place_of(history: Sequence[Event], at: int | None, change: Change) -> int:
    """How many events a fork shares that goes differently from event `at` on.

    A question whose reply is not shared is not shared either, unless the fork gives the reply: the model is asked anew.

    Args:
        history: of the parent
        at: number of the event that goes differently, from 2; None for behind the last one
        change: what goes differently

    Raises:
        UsageError: it cannot go so differently there; the text names the numbers where it could
    """
    if at is None:
        if not change.say:
            raise UsageError("say where the fork begins: the number of the event that is to go differently")
        at = len(history) + 1
    if at < 2 or at > len(history) + 1:
        raise UsageError(
            f"there is no event {at} to go differently: give a number from 2 to {len(history)}"
            + (f", or {len(history) + 1} to go on behind the last one" if len(history) > 1 else "")
        )
    if change.observation is not None:
        _check_kind(history, at, CallEnded, "an observation", "the results of calls are")
        return at - 1
    if change.reply is not None or change.arguments is not None:
        _check_kind(history, at, ModelReplied, "a reply", "the replies are")
        return at - 1
    after = _settled(history, at - 1)
    _check_going_on(history, after, change)
    return after


def _check_kind(history: Sequence[Event], at: int, kind: type, what: str, there: str) -> None:
    if at <= len(history) and isinstance(history[at - 1], kind):
        return
    places = [number for number, event in enumerate(history, 1) if isinstance(event, kind)]
    found = type(history[at - 1]).__name__ if at <= len(history) else "the end"
    known = f"{there} {_numbers(places)}" if places else "this run has none"
    raise UsageError(f"event {at} is {found}, so there is not {what} to change; {known}")


def _settled(history: Sequence[Event], after: int) -> int:
    """The place before a question that waits there for its reply."""
    return max(number for number, state in _states(history[:after]) if state.phase != "asking")


def _check_going_on(history: Sequence[Event], after: int, change: Change) -> None:
    """Refuse to say something within a turn, and to go on behind an answer with nothing said."""
    state = fold(history[:after])
    if change.say and state.phase not in ("ready", "over"):
        places = [number + 1 for number, each in _states(history) if each.phase in ("ready", "over")]
        raise UsageError(
            f"nothing can be said at event {after + 1}, while calls are open; it can at {_numbers(places)}"
        )
    outcome = state.outcome
    if not change.say and outcome is not None and outcome.status == "answered":
        raise UsageError(
            f"the run is answered before event {after + 1}: say something to go on, or fork before the answer"
        )


def _states(history: Sequence[Event]) -> Iterator[tuple[int, State]]:
    """The number of each event and the state after it; the same state all along, which changes."""
    state = State()
    for number, event in enumerate(history, 1):
        state = apply(state, event)
        yield number, state


def _numbers(places: Sequence[int]) -> str:
    shown = ", ".join(map(str, places[:SHOWN_PLACES]))
    return f"{shown}, …" if len(places) > SHOWN_PLACES else shown


def fork(
    history: Sequence[Event],
    after: int,
    started: RunStarted,
    parent: str,
    change: Change,
    *,
    model: Model,
    images: Mapping[str, bytes] = NONE,
) -> Forked:
    """How the fork begins: its rules, and what is changed.

    Args:
        history: of the parent
        after: how many of its events are shared; see `place_of`
        started: the rules from there on, with the id and the task of the new run
        parent: its id
        change: what goes differently
        model: who is asked from there on
        images: that the model was shown, by their digests

    Raises:
        UsageError: it cannot go so differently there
    """
    shared = tuple(history[:after])
    told = conversation_of(started, started.way, model, shared, images)
    rules = replace(started, opening_bytes=told.opening_bytes)
    own = list[Event]()
    state = fold(shared)
    begins = RunForked(
        started=rules,
        parent=parent,
        after=after,
        say=change.say,
        fresh=change.fresh,
        context_bytes=told.request_bytes + _answered_bytes(shared, state),
    )
    contents = dict[str, bytes]()
    try:
        state = apply(state, begins)
        own.append(begins)
        for event, kept in _changed(history, after, state, change, model):
            state = apply(state, event)
            own.append(event)
            contents.update(kept)
    except IllegalEvent as error:
        raise UsageError(f"the run cannot go differently there: {error}") from None
    return Forked(shared, tuple(own), contents)


def _answered_bytes(shared: Sequence[Event], state: State) -> int:
    """Bytes of results of a turn whose other calls are open: the next request tells all of them."""
    asked = state.asked.number if state.open and state.asked is not None else 0
    mine = [event.result for event in shared if isinstance(event, CallEnded) and _question(event) == asked]
    return sum(2 * len(encode(result)) + MESSAGE_BYTES for result in mine)


def _question(event: CallEnded) -> int:
    number = event.call_id.partition(".")[0]
    return int(number) if number.isdecimal() else 0


def _changed(
    history: Sequence[Event], after: int, state: State, change: Change, model: Model
) -> Iterator[tuple[Event, Mapping[str, bytes]]]:
    """What the person gives, and what the parent knows of the calls beside it. `state` moves on with what is given."""
    if change.observation is not None:
        ended = cast("CallEnded", history[after])
        yield _given(ended.call_id, change.observation, state, change, model)
        for beside in _beside(history[after + 1 :], state):
            yield beside, NONE
    if change.reply is not None or change.arguments is not None:
        yield _replied(cast("ModelReplied", history[after]), state, change), NONE


def _given(
    call_id: str, result: Result, state: State, change: Change, model: Model
) -> tuple[CallEnded, Mapping[str, bytes]]:
    """The observation, cut and kept like one of the tool's."""
    item = state.open.get(call_id)
    if item is None or state.started is None:
        raise UsageError(f"call {call_id} is not open there")
    room = ledger_of(state).room(len(state.open), fenced=not item.tool.trusted_output)
    shows = model.capabilities.images
    done = finished(result, call_id, item.tool, room=room, reader=state.started.reader, images=shows)
    return CallEnded(call_id=call_id, result=done.result, how="given", whole=done.whole, by=change.by), done.contents


def _beside(later: Sequence[Event], state: State) -> Iterator[CallEnded]:
    """How the other open calls of the turn ended in the parent: they need not run again.

    A call that was about to run there, and had not begun where the fork begins, is given its result; one that ended
    without having run is decided anew.
    """
    for event in later:
        if not state.open or isinstance(event, ModelAsked | RunForked):
            return
        item = state.open.get(event.call_id) if isinstance(event, CallEnded) else None
        if not isinstance(event, CallEnded) or item is None or event.how not in ("ran", "given"):
            continue
        if item.stage == "running":
            yield replace(event, inbox=0)
        else:
            yield replace(event, inbox=0, how="given", by=event.by or "the parent of this run")


def _replied(event: ModelReplied, state: State, change: Change) -> ModelReplied:
    """The reply that the fork gives in place of the model's."""
    asked, started = state.asked, state.started
    if asked is None or started is None:
        raise UsageError("no question waits for a reply there")
    turn = change.reply if change.reply is not None else _with_arguments(event.turn, change.arguments or {}, state)
    if turn.kind == "empty":
        raise UsageError("the reply is empty: give it a call, an answer, or a thought")
    if wrong := unwritable([call.arguments for call in turn.calls], "the arguments of the reply"):
        raise UsageError(f"{wrong}, which JSON cannot carry")
    made = tuple(call if call.text else replace(call, text=encode(call.arguments).decode()) for call in turn.calls)
    most = started.limits.calls_per_turn
    if len(made) > most:
        raise UsageError(f"the reply has {len(made)} calls; at most {most} are allowed in one")
    turn = replace(turn, calls=made).numbered(asked.number, most)
    return ModelReplied(turn=turn, usage=_usage(event, turn, asked), by=change.by or "a person")


def _with_arguments(turn: Turn, arguments: Arguments, state: State) -> Turn:
    """The turn with other arguments for some of its calls; text and opaque parts that hold the old ones go."""
    known = [call.id for call in turn.calls]
    if strange := [name for name in arguments if name not in known]:
        there = f"its calls are {', '.join(known)}" if known else "it has no calls"
        raise UsageError(f"the reply has no call {', '.join(strange)}; {there}")
    calls = tuple(
        replace(call, arguments=new, text=encode(new).decode(), state="strict", reason="")
        if (new := arguments.get(call.id)) is not None
        else call
        for call in turn.calls
    )
    text = turn.text if state.way == "native" and not turn.leaked else ""
    return replace(turn, calls=calls, text=text, opaque=b"")


def _usage(event: ModelReplied, turn: Turn, asked: ModelAsked) -> Usage:
    """What the question took in the parent; with room for a reply that is longer than what was set aside."""
    written = size(turn.text) + size(turn.thought) + size(turn.answer or "")
    written += sum(size(call.text) + MESSAGE_BYTES for call in turn.calls)
    if not asked.worst.output_tokens or written <= asked.worst.output_tokens:
        return replace(event.usage, estimated=True)
    return Usage(max(event.usage.input_tokens, asked.worst.input_tokens), written, 0, event.usage.cost)
