"""Writing together: what many runs append at the same time waits for the disk once.

Owns a thread, while there is something to write, and its turn at the file. What is written, and how an error is put
into words, is given.

Everything that waits when the file is free is one transaction, each piece of work in a savepoint of its own, so that
the failure of one undoes that one alone. The thread gives its answers to an event loop all at once, so that the runs of
that loop come with their next events at once too, and these are together again.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from msgspec import Struct

from loopwright.core.errors import JournalError
from loopwright.journal.sqlite_file import in_words, is_busy

Found = TypeVar("Found")

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.025

Work = Callable[[sqlite3.Connection], Any]


class _Job(Struct, eq=False):
    work: Work
    give_up: float
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[Any]"


class _Answer(Struct):
    """What became of a job."""

    job: _Job
    found: Any = None
    error: Exception | None = None


class GroupCommit:
    """Work on one file, done by a thread of its own.

    Args:
        connect: opens the file, in that thread
        path: of the file, for what errors say
        patience: seconds that a piece of work waits at most while another process holds the file
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], path: "os.PathLike[str]", patience: float) -> None:
        self._connect = connect
        self._path = path
        self._patience = patience
        self._lock = Lock()
        self._waiting: list[_Job] = []
        self._thread: Thread | None = None
        self._opened: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._closed = False

    async def do(self, work: Callable[[sqlite3.Connection], Found]) -> Found:
        """Do the work in a transaction; on return it is committed. Cancelled, it is done to its end or not begun.

        Raises:
            JournalError: the file refused, is closed, or was open when this process forked
            Exception: whatever the work raises; then nothing of it is written
        """
        loop = asyncio.get_running_loop()
        job = _Job(work, time.monotonic() + self._patience, loop, loop.create_future())
        with self._lock:
            self._check_open()
            self._waiting.append(job)
        loop.call_soon(self._start)  # after all that this turn of the loop still has to append
        try:
            return cast("Found", await asyncio.shield(job.done))
        except asyncio.CancelledError:
            if not self._withdraw(job):
                await _finished(job.done)
            raise

    async def close(self) -> None:
        """Finish what was begun and close the file; what comes later raises JournalError."""
        with self._lock:
            self._closed = True
        if self._process != os.getpid():
            return
        self._start()
        if (thread := self._thread) is not None:
            await asyncio.to_thread(thread.join)
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _check_open(self) -> None:
        if self._closed:
            raise JournalError(f"the journal {self._path} is closed")
        if self._process != os.getpid():
            raise JournalError(f"the journal {self._path} was open when this process forked; open another one here")

    def _start(self) -> None:
        with self._lock:
            if self._waiting and self._thread is None:
                # No daemon: the end of the program waits for a commit that was begun.
                self._thread = Thread(target=self._work, name="loopwright journal")
                self._thread.start()

    def _withdraw(self, job: _Job) -> bool:
        """Take a job back, unless it was begun."""
        with self._lock:
            if job not in self._waiting:
                return False
            self._waiting.remove(job)
            return True

    def _work(self) -> None:
        while (connection := self._begin()) is not None:
            with self._lock:
                jobs, self._waiting = self._waiting, []
            _tell(self._commit(connection, jobs))

    def _begin(self) -> sqlite3.Connection | None:
        """A connection with a transaction; None, and the end of the thread, where nothing waits any more."""
        pause = _FIRST_PAUSE
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return None
            try:
                if self._opened is None:
                    self._opened = self._connect()
                self._opened.execute("BEGIN IMMEDIATE")
            except (sqlite3.Error, OSError, JournalError) as error:
                busy = isinstance(error, sqlite3.Error) and is_busy(error)
                late = self._taken_out(time.monotonic() if busy else float("inf"))
                _tell([_Answer(job, error=in_words(error, self._path)) for job in late])
            else:
                return self._opened
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _taken_out(self, until: float) -> list[_Job]:
        """Those whose patience ends by then; they wait no longer."""
        with self._lock:
            late = [job for job in self._waiting if job.give_up <= until]
            self._waiting = [job for job in self._waiting if job.give_up > until]
            return late

    def _commit(self, connection: sqlite3.Connection, jobs: Sequence[_Job]) -> list[_Answer]:
        try:
            answers = [self._attempt(connection, job) for job in jobs]
            connection.execute("COMMIT")
        except sqlite3.Error:
            _roll_back(connection)  # of a full disk, for one: then each by itself, and what still fits is written
            return [self._alone(connection, job) for job in jobs]
        return answers

    def _attempt(self, connection: sqlite3.Connection, job: _Job) -> _Answer:
        """Do a job within the transaction.

        Raises:
            sqlite3.Error: the transaction is over, with all that was in it
        """
        connection.execute("SAVEPOINT job")
        try:
            answer = _Answer(job, job.work(connection))
        except Exception as error:  # it goes to whoever waits for this job, and to nobody else.
            if not connection.in_transaction and isinstance(error, sqlite3.Error):
                raise
            connection.execute("ROLLBACK TO job")
            answer = _Answer(job, error=in_words(error, self._path))
        connection.execute("RELEASE job")
        return answer

    def _alone(self, connection: sqlite3.Connection, job: _Job) -> _Answer:
        try:
            connection.execute("BEGIN IMMEDIATE")
            found = job.work(connection)
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001  As above.
            _roll_back(connection)
            return _Answer(job, error=in_words(error, self._path))
        return _Answer(job, found)


def _roll_back(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _tell(answers: Sequence[_Answer]) -> None:
    """Give the answers, all of a loop in one of its turns."""
    loops: dict[asyncio.AbstractEventLoop, list[_Answer]] = {}
    for answer in answers:
        loops.setdefault(answer.job.loop, []).append(answer)
    for loop, those in loops.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits there any more
            loop.call_soon_threadsafe(_settle, those)


def _settle(answers: Sequence[_Answer]) -> None:
    for answer in answers:
        done = answer.job.done
        if done.done():
            continue
        if answer.error is None:
            done.set_result(answer.found)
        else:
            done.set_exception(answer.error)


async def _finished(done: "asyncio.Future[Any]") -> None:
    """Wait for it, however often that is cancelled, and leave what came of it."""
    while not done.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([done])
    if not done.cancelled():
        done.exception()
