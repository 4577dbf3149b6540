"""The default journal: one SQLite file, for any number of processes, threads and event loops of one machine.

Owns the transactions. The file itself is made and recognised in `sqlite_file`, rows are written in `wire`.

An append is one transaction, done at once on the thread that asks: it costs tens of microseconds, less than it takes
to hand it to another thread and back, and a cancelled append is either done or not begun. Only where another process
holds the file is there a wait, and that one leaves the event loop free.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

from loopwright.core.errors import Conflict, JournalError, UnknownRun, UsageError
from loopwright.core.events import Event
from loopwright.journal import chain, claims, wire
from loopwright.journal.base import NONE, Damage, Link, RunSummary, gap, taken, unknown_content
from loopwright.journal.sqlite_file import Survives, explain, is_busy, open_file

Found = TypeVar("Found")

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.025

_DIGEST = "SELECT digest FROM events WHERE run_id = ? AND seq = ?"
_INSERT = "INSERT INTO events (run_id, seq, row, digest) VALUES (?, ?, ?, ?)"
_INSERT_BODY = "INSERT OR IGNORE INTO bodies (hash, content) VALUES (?, ?)"
_INSERT_RUN = "INSERT INTO runs (run_id) VALUES (?)"
# Whoever edits a journal by hand may leave text where bytes were; an audit must get as far as saying so.
_ROW = "SELECT CAST(row AS BLOB) FROM events WHERE run_id = ? AND seq = ?"
_ROWS = "SELECT seq, CAST(digest AS BLOB), CAST(row AS BLOB) FROM events WHERE run_id = ? AND seq > ? ORDER BY seq"
_BODY = "SELECT CAST(content AS BLOB) FROM bodies WHERE hash = ?"
# LEFT JOIN keeps SQLite to this order, the newest runs, then two look-ups by key for each, and loses no damaged run.
_RUNS = """
    SELECT runs.run_id, CAST(first.row AS BLOB), coalesce(last.seq, 0), CAST(last.row AS BLOB)
    FROM runs
    LEFT JOIN events AS first ON first.run_id = runs.run_id AND first.seq = 1
    LEFT JOIN events AS last ON last.run_id = runs.run_id AND last.seq =
        (SELECT seq FROM events WHERE run_id = runs.run_id ORDER BY seq DESC LIMIT 1)
    ORDER BY runs.number DESC LIMIT ?"""


class SqliteJournal:
    """Facts in one SQLite file.

    Args:
        path: the file; made with its folder at first use, readable by its owner only. Beside it SQLite keeps
            ``-wal`` and ``-shm`` while the journal is open, and these belong to it: copy all three or none. A folder
            ``.locks`` has an empty file for each run that is worked on; it need not be copied.
        survives: what an append that has returned outlives. ``kill`` (the default): the end of the process, however
            sudden, SIGKILL included. A power cut or a crash of the operating system may take the latest appends of
            all runs, newest first, back to the last time the disk was waited for (about every 4 MB of appends); what
            is left is whole and in order, but a tool that had started may look as if it had not. ``power_cut``: that
            too, as far as the disk keeps its word; each append then waits for the disk, and the event loop with it.
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

    @contextmanager
    def claim(self, run_id: str) -> Generator[None]:
        """Hold a run against every other process and task, for as long as the context lasts or this process lives.

        Raises:
            Conflict: another one holds it
            JournalError: the folder of the claims cannot be written
        """
        with ExitStack() as stack:
            try:
                stack.enter_context(claims.held(self.path.with_name(f"{self.path.name}.locks"), run_id))
            except OSError as error:
                raise explain(error, self.path) from error
            yield

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        """Append events as numbers seq, seq+1, …, all or none, durable on return (see `survives`).

        The `contents` that they refer to are stored in the same transaction, each once in the file.

        Raises:
            Conflict: a number is taken already, or would leave a gap
            JournalError: disk full, file locked for too long, damaged, closed, or an event that cannot be written, or
                refers to what is not there
            IllegalEvent: a run does not begin with its own start
        """
        packed = wire.pack(run_id, seq, events, contents)
        await self._when_free(lambda connection: _write(connection, run_id, seq, packed))

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """The events of a run with numbers above `after`, in order.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the file cannot be read, or a newer version wrote the run
        """
        return await self._when_free(lambda connection: _read(connection, run_id, after))

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs first, those that cannot be read as `damaged`; two look-ups a run, however many there are."""
        found: list[tuple[str, bytes | None, int, bytes | None]] = await self._when_free(
            lambda connection: connection.execute(_RUNS, (max(limit, 0),)).fetchall()
        )
        return [wire.listed(run_id, first, last, count) for run_id, first, count, last in found]

    async def rows(self, run_id: str) -> list[Link]:
        """The rows of a run as they are stored, for an audit.

        Raises:
            UnknownRun: no event of this run is here
        """
        return await self._when_free(lambda connection: _links(connection, run_id))

    async def content(self, digest: str) -> bytes:
        """The content of this SHA-256 in hexadecimal.

        Raises:
            JournalError: it is not there, or not as it was written, or the file cannot be read
        """
        content = await self._when_free(lambda connection: _body(connection, digest))
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
        return await self._when_free(
            lambda connection: chain.inspect(_links(connection, run_id), lambda name: _body(connection, name))
        )

    async def verify(self, run_id: str) -> int | None:
        """The number of the first event of a run that is not as it was written; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        return await self._when_free(
            lambda connection: chain.verify(_links(connection, run_id), lambda name: _body(connection, name))
        )

    async def close(self) -> None:
        """Close the file; what comes later raises JournalError."""
        with self._lock:
            self._closed = True
            if self._opened is not None and self._process == os.getpid():
                self._opened.close()
                self._opened = None

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
                    raise explain(error, self.path) from error
            except OSError as error:
                raise explain(error, self.path) from error
            except UnicodeEncodeError as error:
                raise UnknownRun(f"no run can have the id {error.object!r}: it is not text") from error
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


def _write(connection: sqlite3.Connection, run_id: str, seq: int, packed: Sequence[wire.Packed]) -> None:
    if not packed:
        return
    execute = connection.execute
    execute("BEGIN IMMEDIATE")
    try:
        digest = _digest_before(connection, run_id, seq)
        if seq == 1:
            execute(_INSERT_RUN, (run_id,))
        for number, item in enumerate(packed, start=seq):
            digest = chain.follow(digest, item.row)
            for name, content in item.bodies.items():
                execute(_INSERT_BODY, (bytes.fromhex(name), content))
            for name in item.known:
                if not _is_stored(connection, name):
                    raise JournalError(unknown_content(name))
            execute(_INSERT, (run_id, number, item.row, digest))
        execute("COMMIT")
    except BaseException as error:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                execute("ROLLBACK")
        if isinstance(error, sqlite3.IntegrityError):
            raise Conflict(taken(run_id, seq)) from error
        raise


def _digest_before(connection: sqlite3.Connection, run_id: str, seq: int) -> bytes:
    if seq == 1:
        return chain.start(run_id)
    before: tuple[bytes] | None = connection.execute(_DIGEST, (run_id, seq - 1)).fetchone()
    if before is None:
        raise Conflict(gap(run_id, seq))
    return before[0]


def _read(connection: sqlite3.Connection, run_id: str, after: int) -> list[Event]:
    first: tuple[bytes] | None = connection.execute(_ROW, (run_id, 1)).fetchone()
    if first is None:
        raise UnknownRun(f"no run {run_id} in this journal")
    wire.check_format(run_id, first[0])

    def content(name: str) -> bytes:
        body = _body(connection, name)
        if body is None:
            raise JournalError(f"run {run_id} is damaged: the journal has lost the content {name}")
        return body

    after = max(after, 0)
    found: list[tuple[int, bytes, bytes]] = connection.execute(_ROWS, (run_id, after)).fetchall()
    for expected, (seq, _, _) in enumerate(found, start=after + 1):
        if seq != expected:
            raise JournalError(f"run {run_id} is damaged: the journal has lost event {expected}")
    return [wire.unpack(row, content) for _, _, row in found]


def _links(connection: sqlite3.Connection, run_id: str) -> list[Link]:
    found: list[tuple[int, bytes, bytes]] = connection.execute(_ROWS, (run_id, 0)).fetchall()
    if not found:
        raise UnknownRun(f"no run {run_id} in this journal")
    return [Link(run_id, seq, digest, row, wire.body_hashes(row)) for seq, digest, row in found]


def _body(connection: sqlite3.Connection, name: str) -> bytes | None:
    found: tuple[bytes] | None = connection.execute(_BODY, (_key(name),)).fetchone()
    return found[0] if found else None


def _is_stored(connection: sqlite3.Connection, name: str) -> bool:
    return connection.execute("SELECT 1 FROM bodies WHERE hash = ?", (_key(name),)).fetchone() is not None


def _key(name: str) -> bytes:
    """The key of a body; for a name that is no hash, one that nothing has."""
    try:
        return bytes.fromhex(name)
    except ValueError:
        return b""
