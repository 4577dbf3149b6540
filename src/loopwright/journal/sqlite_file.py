"""A journal's SQLite file: made, recognised, opened, and its errors put into words.

Owns the file's permissions, identity, version and tables. No event passes through here.

Nothing is changed in a file that is not a journal: its header is read through an immutable connection first, which
takes no lock and leaves no file beside it.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Literal

from loopwright.core.errors import JournalError, UnknownRun

Survives = Literal["kill", "power_cut"]

APPLICATION = 0x4C577231
"""The file's `application_id`: "LWr1"."""
VERSION = 2
"""The file's `user_version`: the version of its tables. 2: leases, letters, forks, compressed bodies."""
PAGE = 4096
"""Bytes of a page of a new file."""
WAL = 4_000_000
"""Bytes of the write-ahead log after which it is moved into the file and the disk is waited for."""

# Rows stand in the order of their arrival, so that pages are filled to their end; the key is an index of its own.
_TABLES = (
    """CREATE TABLE events (
        run_id TEXT NOT NULL, seq INTEGER NOT NULL, row BLOB NOT NULL, digest BLOB NOT NULL, UNIQUE (run_id, seq))""",
    "CREATE TABLE bodies (hash BLOB NOT NULL PRIMARY KEY, content BLOB NOT NULL)",
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, run_id TEXT NOT NULL)",
)
_SINCE_2 = (
    "ALTER TABLE bodies ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE runs ADD COLUMN parent TEXT",
    "ALTER TABLE runs ADD COLUMN after INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX run_ids ON runs (run_id)",
    """CREATE TABLE leases (
        run_id TEXT NOT NULL PRIMARY KEY, token INTEGER NOT NULL, until REAL NOT NULL, seconds REAL NOT NULL,
        holder TEXT NOT NULL) WITHOUT ROWID""",
    "CREATE TABLE inbox (number INTEGER PRIMARY KEY, run_id TEXT NOT NULL, at REAL NOT NULL, letter BLOB NOT NULL)",
    "CREATE INDEX inbox_runs ON inbox (run_id)",
)
"""What tables of version 1 lack. Their table of events stays as it is: it is the same but for how it is laid out."""

# Closing a descriptor of a file drops every POSIX lock that the process holds on it, so no thread may make the file
# while another one opens it.
_making = Lock()


def open_file(path: Path, survives: Survives) -> sqlite3.Connection:
    """Open the journal at `path`, made if it is not there. Never waits for a lock.

    Raises:
        JournalError: the file is something else, or a newer version made it
        sqlite3.Error: SQLite refused, perhaps because another process is just making the file
        OSError: the file or its folder cannot be made
    """
    with _making:
        _make(path)
    if path.stat().st_size:
        _recognise(path)
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, path)
        # In WAL mode NORMAL writes each commit to the system before it returns, but waits for the disk only now and
        # then; FULL waits for it at every commit.
        connection.execute(f"PRAGMA synchronous = {'FULL' if survives == 'power_cut' else 'NORMAL'}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {WAL // _number(connection, 'page_size')}")
    except BaseException:
        connection.close()
        raise
    return connection


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection held a lock, so that trying again may help."""
    return _primary_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def explain(error: sqlite3.Error | OSError, path: Path) -> JournalError:
    """What went wrong, and what to do about it."""
    if isinstance(error, OSError):
        return JournalError(f"cannot open the journal {path}: {error.strerror or error}. {_ELSEWHERE}")
    match _primary_code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return JournalError(f"another process keeps the journal {path} locked; wait until it is done, or end it")
        case sqlite3.SQLITE_FULL:
            return JournalError(f"no room is left for the journal {path}; free some space on its disk and resume")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return JournalError(f"the journal {path} and its folder must be writable ({error}). {_ELSEWHERE}")
        case sqlite3.SQLITE_NOTADB:
            return _foreign(path)
        case sqlite3.SQLITE_CORRUPT:
            return JournalError(
                f"the journal {path} is damaged ({error}); restore it from a copy, or move it away and save what can "
                f"be saved with: sqlite3 {path} .recover"
            )
        case sqlite3.SQLITE_IOERR:
            return JournalError(f"the disk of the journal {path} failed ({error}); check it and its free space")
        case _:
            return JournalError(f"the journal {path} refused: {error}")


def in_words(error: Exception, path: "os.PathLike[str]") -> Exception:
    """The error that a caller of the journal sees."""
    match error:
        case sqlite3.Error() | OSError():
            explained: Exception = explain(error, Path(path))
        case UnicodeEncodeError():
            explained = UnknownRun(f"no run can have the id {error.object!r}: it is not text")
        case _:
            return error
    explained.__cause__ = error
    return explained


_ELSEWHERE = "Set LOOPWRIGHT_JOURNAL to keep the journal in another place."


def _primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _make(path: Path) -> None:
    """Journals hold private text: nobody else may read them."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return


def _recognise(path: Path) -> None:
    """Refuse what is surely not a journal.

    A journal that is being tidied up by another process, or was when that process died, can look damaged to a
    connection that takes no lock. So damage is left to the true connection to judge.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            if _number(connection, "application_id") != APPLICATION:
                raise _foreign(path)
    except sqlite3.DatabaseError as error:
        if _primary_code(error) == sqlite3.SQLITE_NOTADB:
            raise


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    if _number(connection, "application_id") != APPLICATION:
        _create(connection, path)
    elif _number(connection, "user_version") < VERSION:
        _bring_up_to_date(connection)
    version = _number(connection, "user_version")
    if version > VERSION:
        raise JournalError(
            f"the journal {path} was made by a newer version of loopwright (tables {version}; this version knows "
            f"{VERSION}). Upgrade loopwright to use it."
        )
    connection.execute("PRAGMA journal_mode = WAL")


def _create(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables in one transaction of the rollback kind, so that the file's own header tells what it is."""
    connection.execute(f"PRAGMA page_size = {PAGE}")  # nothing happens where the file has pages already
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _number(connection, "application_id") != APPLICATION:  # else another process was faster
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise _foreign(path)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            for statement in _TABLES + _SINCE_2:
                connection.execute(statement)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Add what the tables of an earlier version lack, all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _number(connection, "user_version") < VERSION:  # else another process was faster
            for statement in _SINCE_2:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _foreign(path: Path) -> JournalError:
    return JournalError(f"{path} is not a loopwright journal; it was left as it is. Give another path.")
