"""The letters of a run and its lease, while a driver works on it.

Owns the one task that looks after both: it renews the lease, looks into the inbox now and then, and interrupts the
driver when the run is to end or is lost. What a letter does to the run is the driver's to write down.
"""

import asyncio
from collections.abc import Callable, Container

from loopwright.core.errors import JournalError
from loopwright.core.inbox import Answer, Approve, Cancel, Received, Say, Unreadable
from loopwright.engine.lease import RHYTHM, Rhythm
from loopwright.journal.base import Inbox, Journal, Lease, Leases


class Post:
    """What came for a run and was not taken yet.

    Args:
        journal: whose inbox it is
        run_id: of the run
        taken: numbers of letters that the run has taken
        rhythm: how often there is something to look after
    """

    def __init__(
        self, journal: Journal, run_id: str, taken: Callable[[], Container[int]], rhythm: Rhythm = RHYTHM
    ) -> None:
        self.lost: Exception | None = None
        """Why this driver must stop: another one took the run, or nobody looks after its lease any more."""
        self.letters: list[Received] = []
        """Cancellations, words of people, what cannot be read, and what is about no call that anybody waits for."""
        self._inbox = journal if isinstance(journal, Inbox) else None
        self._journal = journal
        self._run_id = run_id
        self._taken = taken
        self._rhythm = rhythm
        self.seen = 0
        """Number of the newest letter that was fetched."""
        self._looking = asyncio.Lock()  # two looks at once would fetch the same letters
        self._awaited: dict[str, asyncio.Future[Received]] = {}

    async def look(self) -> bool:
        """Fetch what came since; whether that is to interrupt the driver: somebody wants the run to end."""
        async with self._looking:
            return await self._fetch()

    async def look_again(self) -> None:
        """Fetch all letters anew that the run has not taken: it is not known what became of those in hand."""
        async with self._looking:
            self.letters, self.seen = [], 0
            await self._fetch()

    async def _fetch(self) -> bool:
        if self._inbox is None:
            return False
        urgent = False
        for received in await self._inbox.inbox(self._run_id, self.seen):
            self.seen = received.number
            if received.number not in self._taken():
                urgent = self._sort(received) or urgent
        return urgent

    async def letter(self, call_id: str) -> Received:
        """The next letter about a call: an approval or an answer. Waits for it."""
        for received in self.letters:
            if isinstance(received.letter, Approve | Answer) and received.letter.call_id == call_id:
                self.letters.remove(received)
                return received
        future = self._awaited[call_id] = asyncio.get_running_loop().create_future()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # it came in the same moment; it must not get lost
                self.letters.append(future.result())
            raise
        finally:
            del self._awaited[call_id]

    def has(self, call_id: str) -> bool:
        """Whether a letter about the call is here already."""
        return any(isinstance(one.letter, Approve | Answer) and one.letter.call_id == call_id for one in self.letters)

    async def tend(self, lease: Lease | None, interrupt: Callable[[], object]) -> None:
        """Renew the lease and look into the inbox until cancelled, or until the run is lost."""
        clock, leases = asyncio.get_running_loop(), self._journal if isinstance(self._journal, Leases) else None
        due = clock.time() + self._rhythm.renew_after
        while True:
            await asyncio.sleep(self._rhythm.look)
            try:
                if lease is not None and leases is not None and clock.time() >= due:
                    await leases.renew(lease, self._rhythm.lease)
                    due = clock.time() + self._rhythm.renew_after
                if await self.look():
                    interrupt()
            except JournalError:
                continue  # the driver meets it at its next append, or it passes
            except Exception as lost:  # noqa: BLE001 - raised by the driver, which must not go on unattended
                self.lost = lost
                interrupt()
                return

    def _sort(self, received: Received) -> bool:
        """Give a letter to whoever waits for it, or keep it."""
        letter = received.letter
        match letter:
            case Approve() | Answer():
                future = self._awaited.get(letter.call_id)
                if future is not None and not future.done():
                    future.set_result(received)
                else:
                    self.letters.append(received)
                return False
            case Say() | Unreadable() | Cancel():
                self.letters.append(received)
                return isinstance(letter, Cancel)
