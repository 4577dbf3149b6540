"""A journal that lives as long as the process: for tests, notebooks and embedding.

Owns dictionaries of rows, leases and letters. No file. It stores the same rows as the durable journals do, so that
whatever they refuse is refused here too.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock

from msgspec import Struct, field

from loopwright.core.errors import Conflict, JournalError, UnknownRun
from loopwright.core.events import Event, RunForked
from loopwright.core.inbox import Letter, Received
from loopwright.journal import chain, wire
from loopwright.journal.base import (
    NONE,
    Damage,
    Lease,
    Link,
    RunSummary,
    gap,
    held_by_another,
    not_shared,
    taken,
    taken_over,
    unknown_content,
    unknown_run,
)


class _Run(Struct):
    """The rows of a run, each with its digest; and whose rows stand before them."""

    parent: str = ""
    after: int = 0
    rows: list[tuple[bytes, bytes]] = field(default_factory=list[tuple[bytes, bytes]])

    @property
    def last(self) -> int:
        """Number of its newest event."""
        return self.after + len(self.rows)


class MemoryJournal:
    """Facts in memory; safe to use from several threads and event loops of one process."""

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}
        self._bodies: dict[str, bytes] = {}
        self._leases: dict[str, tuple[Lease, float]] = {}
        self._letters: list[tuple[str, float, bytes]] = []
        self._lock = Lock()
        self._closed = False

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        """Append events as numbers seq, seq+1, …, and the `contents` that they refer to, all or none.

        Raises:
            Conflict: a number is taken already, or would leave a gap
            UnknownRun: the parent of a fork is not here, or has fewer events than are to be shared
            JournalError: the journal is closed, or an event cannot be written, or refers to what is not there
            IllegalEvent: a run does not begin with its own start
        """
        self._check_open()
        packed = wire.pack(run_id, seq, events, contents)
        if not packed:
            return
        with self._lock:
            run, digest = self._place(run_id, seq, events[0])
            self._check_known(packed)
            added: list[tuple[bytes, bytes]] = []
            for item in packed:
                digest = chain.follow(digest, item.row)
                added.append((item.row, digest))
                self._bodies.update(item.bodies)
            self._runs.setdefault(run_id, run).rows.extend(added)

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """The events of a run with numbers above `after`, in order; those that it shares with its parent included.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the journal is closed, or a newer version wrote the run
        """
        links = await self.rows(run_id)
        wire.check_format(run_id, self._runs[run_id].rows[0][0])
        return [wire.unpack(link.row, self._bodies.__getitem__) for link in links[max(after, 0) :]]

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs first; those that cannot be read as `damaged`."""
        self._check_open()
        with self._lock:
            newest = list(reversed(self._runs.items()))[: max(limit, 0)]
            shown = [(run_id, run.rows[0][0], run.rows[-1][0], run.last) for run_id, run in newest]
        return [wire.listed(run_id, first, last, count) for run_id, first, last, count in shown]

    async def rows(self, run_id: str) -> list[Link]:
        """The rows of a run as they are stored, for an audit; those that it shares with its parent first.

        Raises:
            UnknownRun: no event of this run is here
        """
        self._check_open()
        with self._lock:
            if run_id not in self._runs:
                raise UnknownRun(unknown_run(run_id))
            return self._links(run_id)

    async def content(self, digest: str) -> bytes:
        """The content of this SHA-256 in hexadecimal.

        Raises:
            JournalError: it is not there, or not as it was written
        """
        self._check_open()
        content = self._bodies.get(digest)
        if content is None:
            raise JournalError(unknown_content(digest))
        if not chain.is_content(content, digest):
            raise JournalError(f"the content {digest} is not as it was written")
        return content

    async def damage(self, run_id: str) -> Damage | None:
        """The first event that is missing or not as it was written, or whose content is; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        links = await self.rows(run_id)
        origins = {name: (self._runs[name].parent, self._runs[name].after) for name in self._lineage(run_id)}
        return chain.inspect(links, self._bodies.get, chain.Line(run_id, origins))

    async def verify(self, run_id: str) -> int | None:
        """The number of the first event of a run that is not as it was written; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        found = await self.damage(run_id)
        return None if found is None else found.seq

    async def take(self, run_id: str, seconds: float) -> Lease:
        """Hold the run for so many seconds; it need not exist yet.

        Raises:
            Conflict: somebody holds it whose time is not up
        """
        self._check_open()
        now = time.monotonic()
        with self._lock:
            held, until = self._leases.get(run_id, (Lease(run_id, 0), now))
            if now < until:
                raise Conflict(held_by_another(run_id))
            lease = Lease(run_id, held.token + 1)
            self._leases[run_id] = (lease, now + seconds)
            return lease

    async def renew(self, lease: Lease, seconds: float) -> None:
        """Hold it for so many seconds from now.

        Raises:
            Conflict: somebody else took the run meanwhile
        """
        self._check_open()
        if not self._hold(lease, time.monotonic() + seconds):
            raise Conflict(taken_over(lease.run_id))

    async def release(self, lease: Lease) -> None:
        """Let go of the run; nothing happens where somebody else has it by now."""
        self._check_open()
        self._hold(lease, float("-inf"))

    async def send(self, run_id: str, letter: Letter) -> int:
        """Put a letter into the inbox of a run; gives its number.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the journal is closed, or the letter holds what JSON cannot carry
        """
        self._check_open()
        row = wire.pack_letter(letter)
        with self._lock:
            if run_id not in self._runs:
                raise UnknownRun(unknown_run(run_id))
            self._letters.append((run_id, time.time(), row))
            return len(self._letters)

    async def inbox(self, run_id: str, after: int = 0) -> list[Received]:
        """The letters to a run with numbers above `after`, in the order in which they came."""
        self._check_open()
        with self._lock:
            letters = list(enumerate(self._letters, start=1))[max(after, 0) :]
        return [Received(number, at, wire.unpack_letter(row)) for number, (to, at, row) in letters if to == run_id]

    async def close(self) -> None:
        """Refuse everything from now on."""
        self._closed = True

    def _place(self, run_id: str, seq: int, first: Event) -> tuple[_Run, bytes]:
        """The run that events go to, and the digest that stands before them."""
        run = self._runs.get(run_id)
        if run is None:
            if isinstance(first, RunForked):
                return _Run(first.parent, first.after), self._shared(first.parent, first.after)
            if seq == 1:
                return _Run(), chain.start(run_id)
            raise Conflict(gap(run_id, seq))
        if isinstance(first, RunForked) or seq <= run.last:
            raise Conflict(taken(run_id, 1 if isinstance(first, RunForked) else seq))
        if seq != run.last + 1:
            raise Conflict(gap(run_id, seq))
        return run, run.rows[-1][1]

    def _shared(self, parent: str, after: int) -> bytes:
        """The digest of the last event that a fork shares."""
        if parent not in self._runs:
            raise UnknownRun(unknown_run(parent))
        run = self._runs[parent]
        while run.parent and after <= run.after:
            run = self._runs[run.parent]
        if after > run.last:
            raise UnknownRun(not_shared(parent, after))
        return run.rows[after - run.after - 1][1]

    def _links(self, run_id: str) -> list[Link]:
        found: list[list[Link]] = []
        upto = self._runs[run_id].last
        for name in self._lineage(run_id):
            run = self._runs[name]
            own = run.rows[: max(upto - run.after, 0)]
            found.append(
                [
                    Link(name, seq, digest, row, wire.body_hashes(row))
                    for seq, (row, digest) in enumerate(own, start=run.after + 1)
                ]
            )
            upto = min(upto, run.after)
        return [link for links in reversed(found) for link in links]

    def _lineage(self, run_id: str) -> Iterator[str]:
        """A run, then its parents."""
        while run_id:
            yield run_id
            run_id = self._runs[run_id].parent

    def _hold(self, lease: Lease, until: float) -> bool:
        with self._lock:
            if self._leases.get(lease.run_id, (None, 0.0))[0] != lease:
                return False
            self._leases[lease.run_id] = (lease, until)
            return True

    def _check_known(self, packed: Sequence[wire.Packed]) -> None:
        given = set[str]()
        for item in packed:
            given.update(item.bodies)
            for name in item.known:
                if name not in given and name not in self._bodies:
                    raise JournalError(unknown_content(name))

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError("the journal is closed")
