"""One driver a run at a time: a run is held before anything is asked or done, and let go at the end.

Owns how a journal is asked for it, and for how long. What keeps a run single all the same is the key of its events: a
driver that was frozen past its lease stops at its next append.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from loopwright.journal.base import Journal, Lease, Leases

SECONDS = 30.0
"""How long a run is held; its driver renews that while it lives."""
RENEW_AFTER = SECONDS / 3


@asynccontextmanager
async def held(journal: Journal, run_id: str) -> AsyncGenerator[Lease | None]:
    """Hold a run for as long as the context lasts, where the journal keeps leases; else None.

    Raises:
        Conflict: on entering, when another driver works on the run
        JournalError: the journal refused
    """
    if not isinstance(journal, Leases):
        yield None
        return
    lease = await journal.take(run_id, SECONDS)
    try:
        yield lease
    finally:
        with suppress(Exception):  # it ends by itself, and what is going on now matters more
            await journal.release(lease)
