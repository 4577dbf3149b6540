"""One driver a run at a time: a run is held before anything is asked or done, and let go at the end.

Owns how a journal is asked for it, and for how long. What keeps a run single all the same is the key of its events: a
driver that was frozen past its lease stops at its next append.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from msgspec import Struct

from loopwright.journal.base import Journal, Lease, Leases


class Rhythm(Struct, frozen=True):
    """How a driver looks after its run, in seconds."""

    lease: float = 30.0
    """How long a run is held; its driver renews that while it lives."""
    look: float = 0.5
    """Between two looks into the inbox: how late a letter may be."""

    @property
    def renew_after(self) -> float:
        """Between two renewals of the lease."""
        return self.lease / 3


RHYTHM = Rhythm()


@asynccontextmanager
async def held(journal: Journal, run_id: str, seconds: float = RHYTHM.lease) -> AsyncGenerator[Lease | None]:
    """Hold a run for as long as the context lasts, where the journal keeps leases; else None.

    Raises:
        Conflict: on entering, when another driver works on the run
        JournalError: the journal refused
    """
    if not isinstance(journal, Leases):
        yield None
        return
    lease = await journal.take(run_id, seconds)
    try:
        yield lease
    finally:
        with suppress(Exception):  # it ends by itself, and what is going on now matters more
            await journal.release(lease)
