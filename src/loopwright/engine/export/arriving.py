"""Puts a run that came from a file into a journal.

Owns what becomes of its name and of the runs that it was forked from. Which events a file holds is `lines`' and
`from_messages`'.

A run that was forked shares what happened before with its parents. The journal may have these already, with the same
events: then they are shared again. Else the part of each that is shared is stored as a run of its own under its old
name, paused at its end, so that nobody takes it for the whole.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.errors import UnknownRun, UsageError
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CancelAsked,
    Event,
    LetterRefused,
    ModelAsked,
    PersonSaid,
    RunEnded,
    RunForked,
    RunPaused,
    RunStarted,
)
from loopwright.core.loop import apply
from loopwright.core.state import State
from loopwright.engine.export.lines import Carried, name_of, referred
from loopwright.engine.given import run_id_of
from loopwright.journal.base import Journal


class Segment(Struct, frozen=True):
    """The events that belong to one run of a lineage."""

    run_id: str
    first: int
    """Number of the first of them."""
    events: tuple[Event, ...]


class Arrived(Struct, frozen=True):
    """What a journal has of a run that came from a file."""

    run_id: str
    events: int
    parents: tuple[str, ...] = ()
    """Runs that were stored as far as this one shares them."""
    shared: tuple[str, ...] = ()
    """Runs that were there already."""


async def arrive(journal: Journal, carried: Carried, name: str = "") -> Arrived:
    """Store a run, and of its parents what is not there.

    Args:
        journal: where to
        carried: what came
        name: another name for it; its parents keep theirs

    Raises:
        UsageError: the name is taken, cannot be one, or a parent of this name has other events
        JournalError: the store refused; the run is not there then, of its parents some may be
    """
    events = renamed(carried.events, run_id_of(name)) if name else carried.events
    run_id = name_of(events)
    if await _known(journal, run_id) is not None:
        raise UsageError(f"the journal has a run {run_id!r} already: give this one another name with --as NAME")
    *parents, own = lineage(events)
    kept = _unchanged if _is_over(events) else _unposted
    stored, shared = list[str](), list[str]()
    for parent in parents:
        if await _is_there(journal, parent, own):
            shared.append(parent.run_id)
            continue
        await _append(journal, parent, carried.contents, (*kept(parent.events), *_pause(parent, run_id)))
        stored.append(parent.run_id)
    await _append(journal, own, carried.contents, kept(own.events))
    return Arrived(run_id, len(events), tuple(stored), tuple(shared))


def lineage(events: Sequence[Event]) -> list[Segment]:
    """The runs that have a part in a run, the oldest first and the run itself last, each with its own events.

    A fork that shares nothing of its parent but what that shares itself is taken for one of the run that this is of.

    Raises:
        UsageError: two of the runs have the same name
    """
    starts = [seq for seq, event in enumerate(events) if isinstance(event, RunStarted | RunForked)]
    found = list[Segment]()
    for first, end in zip(starts, [*starts[1:], len(events)], strict=True):
        begun, *rest = events[first:end]
        if isinstance(begun, RunForked):
            begun = replace(begun, parent=found[-1].run_id)
        found.append(Segment(name_of([begun]), first + 1, (begun, *rest)))
    names = [segment.run_id for segment in found]
    if len(set(names)) < len(names):
        raise UsageError(f"a run cannot be forked from one of the same name: {', '.join(map(repr, names))}")
    return found


def renamed(events: Sequence[Event], name: str) -> tuple[Event, ...]:
    """The same run under another name.

    Approvals are bound to the run that they were given in, so they are bound to the new name. Digests of requests are
    left out: a request may hold marks that are made of the name.
    """
    own = max(seq for seq, event in enumerate(events) if isinstance(event, RunStarted | RunForked))
    before, after, found = State(), State(), list[Event]()
    for seq, event in enumerate(events):
        new = event if seq < own else _named(event, name, before, after)
        before, after = apply(before, event), apply(after, new)
        found.append(new)
    return tuple(found)


def _named(event: Event, name: str, before: State, after: State) -> Event:
    match event:
        case RunStarted():
            return replace(event, run_id=name)
        case RunForked():
            return replace(event, started=replace(event.started, run_id=name))
        case ModelAsked():
            return replace(event, request="")
        case ApprovalAsked() | ApprovalGiven() if event.call_id in before.open:
            bound = before.consent.digest(before.open[event.call_id].allowed)
            fitting = after.consent.digest(after.open[event.call_id].allowed)
            return replace(event, digest=fitting) if event.digest == bound else event
        case _:
            return event


def _is_over(events: Sequence[Event]) -> bool:
    return isinstance(last := events[-1], RunEnded) and last.outcome.status != "failed"


def _unchanged(events: Sequence[Event]) -> Sequence[Event]:
    return events


def _unposted(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events without the numbers of letters: another journal counts its own, and the run may get some of these."""
    posted = ApprovalGiven | CallEnded | PersonSaid | CancelAsked | LetterRefused
    own = tuple(replace(event, after=0) if isinstance(event, ApprovalAsked) else event for event in events)
    return tuple(replace(event, inbox=0) if isinstance(event, posted) else event for event in own)


async def _known(journal: Journal, run_id: str) -> list[Event] | None:
    try:
        return await journal.read(run_id)
    except UnknownRun:
        return None


async def _is_there(journal: Journal, parent: Segment, own: Segment) -> bool:
    """Whether the journal has the part of a parent that is shared.

    Raises:
        UsageError: it has another run of this name
    """
    known = await _known(journal, parent.run_id)
    if known is None:
        return False
    last = parent.first + len(parent.events) - 1
    if tuple(known[parent.first - 1 : last]) != parent.events:
        raise UsageError(
            f"run {own.run_id!r} was forked from {parent.run_id!r}, and the journal has another run of that name: "
            "import it into another journal with --journal FILE"
        )
    return True


def _pause(parent: Segment, child: str) -> tuple[Event, ...]:
    """What is written behind a part of a run, unless it ends there."""
    last = parent.events[-1]
    if isinstance(last, RunEnded):
        return ()
    reason = f"imported as far as run {child} shares it"
    return (RunPaused(at=last.at, elapsed=last.elapsed, reason=reason),)


async def _append(journal: Journal, segment: Segment, contents: Mapping[str, bytes], events: Sequence[Event]) -> None:
    used = {digest for event in events for digest in referred(event)}
    own = {digest: content for digest, content in contents.items() if digest in used}
    await journal.append(segment.run_id, segment.first, events, own)
