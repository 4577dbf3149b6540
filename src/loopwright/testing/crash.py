"""A journal in front of which, or behind which, the process ends: for tests of resuming.

Owns the moment and the manner of the crash. It stores nothing itself.
"""

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Literal, Never

from loopwright.core.events import Event
from loopwright.core.inbox import Letter, Received
from loopwright.journal.base import NONE, Archive, Damage, Inbox, Journal, Lease, Leases, Link, RunSummary


class Crash(BaseException):
    """The process is meant to be dead from here on. Not an Exception, so that no handler mistakes it for a failure."""


class CrashAt:
    """A journal that crashes at its nth append.

    Args:
        journal: where the events go
        append: which append crashes, from 1; 0 for none, to count how many there are
        when: ``before`` the events are stored, or ``after``, so that they are but the writer never hears of it
        how: ``raise`` raises `Crash`, and again at every later use, as a dead process writes nothing;
            ``kill`` ends this process by SIGKILL
    """

    def __init__(
        self,
        journal: Journal,
        append: int = 0,
        when: Literal["before", "after"] = "before",
        how: Literal["raise", "kill"] = "raise",
    ) -> None:
        self.appends = 0
        """Appends seen so far, the one that crashed included."""
        self.crashed = False
        self._journal = journal
        self._at = append
        self._when = when
        self._how = how
        self._held: list[Lease] = []

    async def take(self, run_id: str, seconds: float) -> Lease:
        """Hold a run of the journal; a crash lets go of it, as the end of a process does."""
        self._stay_dead()
        lease = await self._leases.take(run_id, seconds)
        self._held.append(lease)
        return lease

    async def renew(self, lease: Lease, seconds: float) -> None:
        """Hold it for longer."""
        self._stay_dead()
        await self._leases.renew(lease, seconds)

    async def release(self, lease: Lease) -> None:
        """Let go of it."""
        self._stay_dead()
        await self._leases.release(lease)

    async def send(self, run_id: str, letter: Letter) -> int:
        """Put a letter into the inbox of a run of the journal."""
        self._stay_dead()
        return await self._letters.send(run_id, letter)

    async def inbox(self, run_id: str, after: int = 0) -> list[Received]:
        """The letters to a run of the journal."""
        self._stay_dead()
        return await self._letters.inbox(run_id, after)

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        """Append to the journal, or crash.

        Raises:
            Crash: this is the append to crash at, or a later one
        """
        self._stay_dead()
        self.appends += 1
        due = self.appends == self._at
        if due and self._when == "before":
            await self._crash()
        await self._journal.append(run_id, seq, events, contents)
        if due:
            await self._crash()

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """Read from the journal."""
        self._stay_dead()
        return await self._journal.read(run_id, after)

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """List the runs of the journal."""
        self._stay_dead()
        return await self._journal.runs(limit)

    async def content(self, digest: str) -> bytes:
        """A content of the journal."""
        self._stay_dead()
        return await self._archive.content(digest)

    async def rows(self, run_id: str) -> list[Link]:
        """The rows of a run of the journal."""
        self._stay_dead()
        return await self._archive.rows(run_id)

    async def damage(self, run_id: str) -> Damage | None:
        """Check a run of the journal."""
        self._stay_dead()
        return await self._archive.damage(run_id)

    @property
    def _archive(self) -> Archive:
        if not isinstance(self._journal, Archive):
            raise TypeError("the journal keeps no contents")
        return self._journal

    @property
    def _leases(self) -> Leases:
        if not isinstance(self._journal, Leases):
            raise TypeError("the journal keeps no leases")
        return self._journal

    @property
    def _letters(self) -> Inbox:
        if not isinstance(self._journal, Inbox):
            raise TypeError("the journal keeps no letters")
        return self._journal

    async def close(self) -> None:
        """Leave the journal open after a crash, as a dead process would; else close it."""
        if not self.crashed:
            await self._journal.close()

    def _stay_dead(self) -> None:
        if self.crashed:
            raise Crash(f"crashed at append {self._at}; nothing runs any more")

    async def _crash(self) -> Never:
        if self._how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        self.crashed = True
        for lease in self._held:
            await self._leases.release(lease)
        raise Crash(f"crashed {self._when} append {self._at}")
