"""The seam of the journals: an append-only list of events a run, keyed by (run, sequence number)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from msgspec import Struct

from loopwright.core.events import Event
from loopwright.core.inbox import Letter, Received
from loopwright.core.messages import OutcomeStatus

NONE: Mapping[str, bytes] = MappingProxyType({})
"""No contents beside the events."""


class RunSummary(Struct, frozen=True):
    """A line of the list of runs."""

    run_id: str
    task: str
    model: str
    started_at: float
    last_at: float
    events: int
    status: OutcomeStatus | None
    """None while the run is not over."""
    paused: bool
    """Whether the last driver stopped on purpose."""
    answer: str | None
    damaged: str = ""
    """Why the run cannot be read; its other fields say nothing then but its id and number of events."""
    parent: str = ""
    """The run that it was forked from; empty where it began by itself."""
    after: int = 0
    """How many events it shares with its parent."""


def taken(run_id: str, seq: int) -> str:
    """What a Conflict says when a number is taken already."""
    if seq == 1:
        return f"the journal has a run of the name {run_id} already: give another name, or resume that run"
    return f"another process is working on run {run_id}: event {seq} is there already, so this one stops"


def unknown_run(run_id: str) -> str:
    """What an UnknownRun says when no event of a run is here."""
    return f"no run {run_id} in this journal"


def not_shared(parent: str, after: int) -> str:
    """What an UnknownRun says when the parent of a fork has fewer events than are to be shared."""
    return f"run {parent} has no event {after}, up to which it was to be shared"


def held_by_another(run_id: str) -> str:
    """What a Conflict says when somebody holds the lease of a run."""
    return f"another process is working on run {run_id}: wait until it is done, or end it"


def taken_over(run_id: str) -> str:
    """What a Conflict says when the lease of a run was lost."""
    return f"another process took run {run_id} over, so this one stops"


def unknown_content(name: str) -> str:
    """What a JournalError says when a content is referred to, or asked for, that is not there."""
    return f"the journal has no content {name}"


def gap(run_id: str, seq: int) -> str:
    """What a Conflict says when a number before is missing."""
    return f"run {run_id}: number {seq} would leave a gap; there is no number {seq - 1}"


class Journal(Protocol):
    """Facts on disk. Every store passes `loopwright.testing.journal_suite`.

    Those of loopwright have `Archive`, `Leases` and `Inbox` as well.
    """

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        """Append events as numbers seq, seq+1, …, all or none, durable on return.

        The first event of a run is `RunStarted` as number 1, or `RunForked` as the number behind those that it shares;
        then the events of its parent up to there are events of the fork as well, stored once.

        Args:
            run_id: of the run
            seq: number of the first of them
            events: what happened
            contents: what they refer to (artifacts, results before they were cut), by its SHA-256 in hexadecimal; each
                is stored once, and with the events or not at all. What is stored already may be left out.

        Raises:
            Conflict: a number is taken already, or would leave a gap
            UnknownRun: the parent of a fork is not here, or has fewer events than are to be shared
            JournalError: the store refused (disk full, locked, not a journal), or an event refers to what is not there;
                nothing was written
        """
        ...

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """The events of a run with numbers above `after`, in order; those that it shares with its parent included.

        Raises:
            UnknownRun: no event of this run is here
        """
        ...

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs first; those that cannot be read as `damaged`, so that they hide no others."""
        ...

    async def close(self) -> None:
        """Release files and connections; appending afterwards raises JournalError."""
        ...


class Damage(Struct, frozen=True):
    """The first place of a run that is not as it was written."""

    seq: int
    """Number of the event."""
    what: str
    """What is wrong there, in words."""


class Link(Struct, frozen=True):
    """One row of a run, as it is audited."""

    run_id: str
    seq: int
    digest: bytes
    """32 bytes."""
    row: bytes
    """As it is stored. In a fork the first rows are those of its parent, with the parent's id."""
    bodies: tuple[str, ...]
    """The hashes of the large bodies that the row names, in hexadecimal."""


@runtime_checkable
class Archive(Protocol):
    """What a journal keeps beside the events, and the proof that nothing was changed. Every store has this too."""

    async def content(self, digest: str) -> bytes:
        """The content of this SHA-256 in hexadecimal, as it was written.

        Raises:
            JournalError: it is not there, or not as it was written
        """
        ...

    async def rows(self, run_id: str) -> list[Link]:
        """The rows of a run as they are stored.

        Raises:
            UnknownRun: no event of this run is here
        """
        ...

    async def damage(self, run_id: str) -> Damage | None:
        """The first event that is missing or not as it was written, or whose content is; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        ...


class Lease(Struct, frozen=True):
    """Leave to work on a run, for a time."""

    run_id: str
    token: int
    """Grows with every taking, so that an old lease is never taken for a new one."""


@runtime_checkable
class Leases(Protocol):
    """Who works on a run. A lease ends by itself when its holder is gone or does not renew it.

    It keeps others from beginning; what keeps a run single is its key: whoever takes a run over appends at once, so
    that the next append of a holder who lost the lease, and does not know it yet, is a `Conflict`.
    """

    async def take(self, run_id: str, seconds: float) -> Lease:
        """Hold the run for so many seconds; it need not exist yet.

        Raises:
            Conflict: somebody holds it whose time is not up and whose process is not known to be dead
            JournalError: the store refused
        """
        ...

    async def renew(self, lease: Lease, seconds: float) -> None:
        """Hold it for so many seconds from now.

        Raises:
            Conflict: somebody else took the run meanwhile
            JournalError: the store refused
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Let go of the run; nothing happens where somebody else has it by now.

        Raises:
            JournalError: the store refused
        """
        ...


@runtime_checkable
class Inbox(Protocol):
    """What comes to a run from outside: from another process, a viewer, an API. Nothing is ever taken out of it."""

    async def send(self, run_id: str, letter: Letter) -> int:
        """Put a letter into the inbox of a run, durable on return; gives its number.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the store refused, or the letter holds what JSON cannot carry or what no letter can say
        """
        ...

    async def inbox(self, run_id: str, after: int = 0) -> list[Received]:
        """The letters to a run with numbers above `after`, in the order in which they came.

        One that cannot be read is among them, as `Unreadable`.

        Raises:
            JournalError: the store refused
        """
        ...
