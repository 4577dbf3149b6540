"""A journal that lives as long as the process: for tests, notebooks and embedding.

Owns a dictionary of rows. No file. It stores the same rows as the durable journals do, so that whatever they refuse
is refused here too.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

from loopwright.core.errors import Conflict, JournalError, UnknownRun
from loopwright.core.events import Event
from loopwright.journal import chain, wire
from loopwright.journal.base import NONE, Damage, Link, RunSummary, gap, taken, unknown_content


class MemoryJournal:
    """Facts in memory; safe to use from several threads and event loops of one process."""

    def __init__(self) -> None:
        self._runs: dict[str, list[tuple[bytes, bytes]]] = {}
        self._bodies: dict[str, bytes] = {}
        self._claimed: set[str] = set()
        self._lock = Lock()
        self._closed = False

    @contextmanager
    def claim(self, run_id: str) -> Generator[None]:
        """Hold a run for as long as the context lasts.

        Raises:
            Conflict: another task of this process holds it
        """
        with self._lock:
            if run_id in self._claimed:
                raise Conflict(f"another task is working on run {run_id}: wait until it is done, or cancel it")
            self._claimed.add(run_id)
        try:
            yield
        finally:
            with self._lock:
                self._claimed.discard(run_id)

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        """Append events as numbers seq, seq+1, …, and the `contents` that they refer to, all or none.

        Raises:
            Conflict: a number is taken already, or would leave a gap
            JournalError: the journal is closed, or an event cannot be written, or refers to what is not there
            IllegalEvent: a run does not begin with its own start
        """
        self._check_open()
        packed = wire.pack(run_id, seq, events, contents)
        if not packed:
            return
        with self._lock:
            known = self._runs.get(run_id, [])
            if seq != len(known) + 1:
                raise Conflict(taken(run_id, seq) if seq <= len(known) else gap(run_id, seq))
            self._check_known(packed)
            digest = known[-1][1] if known else chain.start(run_id)
            added: list[tuple[bytes, bytes]] = []
            for item in packed:
                digest = chain.follow(digest, item.row)
                added.append((item.row, digest))
                self._bodies.update(item.bodies)
            self._runs.setdefault(run_id, known).extend(added)

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """The events of a run with numbers above `after`, in order.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the journal is closed, or a newer version wrote the run
        """
        rows = self._rows(run_id)
        wire.check_format(run_id, rows[0][0])
        return [wire.unpack(row, self._bodies.__getitem__) for row, _ in rows[max(after, 0) :]]

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs first; those that cannot be read as `damaged`."""
        self._check_open()
        with self._lock:
            newest = list(reversed(self._runs.items()))[: max(limit, 0)]
            shown = [(run_id, rows[0][0], rows[-1][0], len(rows)) for run_id, rows in newest]
        return [wire.listed(run_id, first, last, count) for run_id, first, last, count in shown]

    async def rows(self, run_id: str) -> list[Link]:
        """The rows of a run as they are stored, for an audit.

        Raises:
            UnknownRun: no event of this run is here
        """
        return [
            Link(run_id, seq, digest, row, wire.body_hashes(row))
            for seq, (row, digest) in enumerate(self._rows(run_id), start=1)
        ]

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
        return chain.inspect(await self.rows(run_id), self._bodies.get)

    async def verify(self, run_id: str) -> int | None:
        """The number of the first event of a run that is not as it was written; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        return chain.verify(await self.rows(run_id), self._bodies.get)

    async def close(self) -> None:
        """Refuse everything from now on."""
        self._closed = True

    def _rows(self, run_id: str) -> list[tuple[bytes, bytes]]:
        self._check_open()
        with self._lock:
            if run_id not in self._runs:
                raise UnknownRun(f"no run {run_id} in this journal")
            return list(self._runs[run_id])

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
