"""The default journal: one SQLite file, for any number of processes, threads and event loops of one machine.

Owns the transactions. The file itself is made and recognised in `sqlite_file`; what is asked of it is in `sqlite_rows`
and `sqlite_outside`, rows are written in `wire`.

An append is one transaction, done at once on the thread that asks: it costs tens of microseconds, less than it takes
to hand it to another thread and back, and a cancelled append is either done or not begun. Only where another process
holds the file is there a wait, and that one leaves the event loop free. Where each append waits for the disk, that is
different: then they go through `sqlite_group`, which lets all that wait at the same time wait once.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

from loopwright.core.errors import JournalError, UsageError
from loopwright.core.events import Event, RunForked
from loopwright.core.inbox import Letter, Received
from loopwright.journal import chain, sqlite_bodies, sqlite_outside, sqlite_rows, wire
from loopwright.journal.base import NONE, Damage, Lease, Link, RunSummary, unknown_content
from loopwright.journal.sqlite_file import Survives, in_words, is_busy, open_file
from loopwright.journal.sqlite_group import GroupCommit

Found = TypeVar("Found")

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.025


class SqliteJournal:
    """Facts in one SQLite file.

    Args:
        path: the file; made with its folder at first use, readable by its owner only. Beside it SQLite keeps
            ``-wal`` and ``-shm`` while the journal is open, and these belong to it: copy all three or none.
        survives: what an append that has returned outlives. ``kill`` (the default; ``synchronous=NORMAL``): the end of
            the process, however sudden, SIGKILL included. A power cut or a crash of the operating system may take the
            latest appends of all runs, newest first, back to the last time the disk was waited for (about every 4 MB
            of appends); what is left is whole and in order, but a tool that had started may look as if it had not.
            ``power_cut`` (``synchronous=FULL``): that too, as far as the disk keeps its word; each append then waits
            for the disk, on a thread of its own, and those of several runs wait together.
        patience: seconds to wait, all in all, while another process holds the file.

    The file is opened at first use. A journal that was used before the process forked cannot be used in the child.
    """

    def __init__(self, path: str | os.PathLike[str], *, survives: Survives = "kill", patience: float = 10.0) -> None:
        if os.fspath(path) == ":memory:":
            raise UsageError("a journal in memory is a MemoryJournal()")
        self.path = Path(path).absolute()
        self._survives: Survives = survives
        self._patience = patience
        self._lock = Lock()
        self._opened: sqlite3.Connection | None = None
        self._process = 0
        self._closed = False
        together = survives == "power_cut"
        self._group = GroupCommit(lambda: open_file(self.path, survives), self.path, patience) if together else None

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        """Append events as numbers seq, seq+1, …, all or none, durable on return (see `survives`).

        The `contents` that they refer to are stored in the same transaction, each once in the file.

        Raises:
            Conflict: a number is taken already, or would leave a gap
            UnknownRun: the parent of a fork is not here, or has fewer events than are to be shared
            JournalError: disk full, file locked for too long, damaged, closed, or an event that cannot be written, or
                refers to what is not there
            IllegalEvent: a run does not begin with its own start
        """
        packed = wire.pack(run_id, seq, events, contents)
        if packed:
            fork = events[0] if isinstance(events[0], RunForked) else None
            await self._change(lambda connection: sqlite_rows.write(connection, run_id, seq, packed, fork))

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """The events of a run with numbers above `after`, in order; those that it shares with its parent included.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the file cannot be read, or a newer version wrote the run
        """
        return await self._when_free(lambda connection: sqlite_rows.read(connection, run_id, after))

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs first, those that cannot be read as `damaged`; two look-ups a run, however many there are."""
        found: list[tuple[str, bytes | None, int, bytes | None]] = await self._when_free(
            lambda connection: connection.execute(sqlite_rows.RUNS, (max(limit, 0),)).fetchall()
        )
        return [wire.listed(run_id, first, last, count) for run_id, first, count, last in found]

    async def rows(self, run_id: str) -> list[Link]:
        """The rows of a run as they are stored, for an audit; those that it shares with its parent first.

        Raises:
            UnknownRun: no event of this run is here
        """
        return await self._when_free(lambda connection: sqlite_rows.links(connection, run_id))

    async def content(self, digest: str) -> bytes:
        """The content of this SHA-256 in hexadecimal.

        Raises:
            JournalError: it is not there, or not as it was written, or the file cannot be read
        """
        content = await self._when_free(lambda connection: sqlite_bodies.find(connection, digest))
        if content is None:
            raise JournalError(unknown_content(digest))
        if not chain.is_content(content, digest):
            raise JournalError(f"the content {digest} in {self.path} is not as it was written")
        return content

    async def damage(self, run_id: str) -> Damage | None:
        """The first event that is missing or not as it was written, or whose content is; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        return await self._when_free(lambda connection: sqlite_rows.damage(connection, run_id))

    async def verify(self, run_id: str) -> int | None:
        """The number of the first event of a run that is not as it was written; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        found = await self.damage(run_id)
        return None if found is None else found.seq

    async def take(self, run_id: str, seconds: float) -> Lease:
        """Hold the run for so many seconds by this machine's clock; it need not exist yet.

        Raises:
            Conflict: somebody holds it whose time is not up and whose process is not known to be dead
            JournalError: as for `append`
        """
        return await self._change(lambda connection: sqlite_outside.take(connection, run_id, seconds))

    async def renew(self, lease: Lease, seconds: float) -> None:
        """Hold it for so many seconds from now.

        Raises:
            Conflict: somebody else took the run meanwhile
            JournalError: as for `append`
        """
        await self._change(lambda connection: sqlite_outside.renew(connection, lease, seconds))

    async def release(self, lease: Lease) -> None:
        """Let go of the run; nothing happens where somebody else has it by now.

        Raises:
            JournalError: as for `append`
        """
        await self._change(lambda connection: sqlite_outside.release(connection, lease))

    async def send(self, run_id: str, letter: Letter) -> int:
        """Put a letter into the inbox of a run, durable on return (see `survives`); gives its number.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: as for `append`, or the letter holds what JSON cannot carry
        """
        row = wire.pack_letter(letter)
        return await self._change(lambda connection: sqlite_outside.send(connection, run_id, row))

    async def inbox(self, run_id: str, after: int = 0) -> list[Received]:
        """The letters to a run with numbers above `after`, in the order in which they came.

        Raises:
            JournalError: the file cannot be read, or a letter cannot
        """
        return await self._when_free(lambda connection: sqlite_outside.inbox(connection, run_id, after))

    async def close(self) -> None:
        """Close the file; what comes later raises JournalError."""
        if self._group is not None:
            await self._group.close()
        with self._lock:
            self._closed = True
            if self._opened is not None and self._process == os.getpid():
                self._opened.close()
                self._opened = None

    async def _change(self, action: Callable[[sqlite3.Connection], Found]) -> Found:
        """Do something in a transaction."""
        if self._group is not None:
            return await self._group.do(action)
        return await self._when_free(lambda connection: _in_transaction(connection, action))

    async def _when_free(self, action: Callable[[sqlite3.Connection], Found]) -> Found:
        """Do something with the file, again and again while another process holds it."""
        give_up = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            try:
                with self._lock:
                    return action(self._connection())
            except sqlite3.Error as error:
                if not is_busy(error) or time.monotonic() >= give_up:
                    raise in_words(error, self.path) from error
            except (OSError, UnicodeEncodeError) as error:
                raise in_words(error, self.path) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _connection(self) -> sqlite3.Connection:
        if self._closed:
            raise JournalError(f"the journal {self.path} is closed")
        if self._opened is None:
            self._opened = open_file(self.path, self._survives)
            self._process = os.getpid()
        elif self._process != os.getpid():
            raise JournalError(f"the journal {self.path} was open when this process forked; open another one here")
        return self._opened


def _in_transaction(connection: sqlite3.Connection, action: Callable[[sqlite3.Connection], Found]) -> Found:
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = action(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise
    return found
