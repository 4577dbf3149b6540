"""The seam of the journals: an append-only list of events a run, keyed by (run, sequence number)."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from loopwright.core.events import Event
from loopwright.core.messages import OutcomeStatus


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


class Journal(Protocol):
    """Facts on disk. Every store passes `loopwright.testing.journal_suite`."""

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        """Append events as numbers seq, seq+1, … (the first of a run is 1), all or none, durable on return.

        Raises:
            Conflict: a number is taken already, or would leave a gap
            JournalError: the store refused (disk full, locked, not a journal); nothing was written
        """
        ...

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """The events of a run with numbers above `after`, in order.

        Raises:
            UnknownRun: no event of this run is here
        """
        ...

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs first."""
        ...

    async def close(self) -> None:
        """Release files and connections; appending afterwards raises JournalError."""
        ...
