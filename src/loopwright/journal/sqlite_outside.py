"""Leases and letters in a journal's SQLite file.

Owns the statements about them, and when a lease holds. Whoever calls has the connection and the transaction.

A lease is a row with the time until which it holds, by the machine's clock, and its holder. It ends at that time, or
when its holder is known to be dead. A clock that was put back must not let it hold for ever: one whose end lies further
ahead than twice the time that it was taken for holds no more.
"""

import sqlite3
import time

from loopwright.core.errors import Conflict, UnknownRun
from loopwright.core.inbox import Received
from loopwright.journal import wire
from loopwright.journal.base import Lease, held_by_another, taken_over, unknown_run
from loopwright.journal.holder import is_dead, this_process
from loopwright.journal.sqlite_rows import is_run

_LEASE = "SELECT token, until, seconds, holder FROM leases WHERE run_id = ?"
_TAKE = "INSERT OR REPLACE INTO leases (run_id, token, until, seconds, holder) VALUES (?, ?, ?, ?, ?)"
_RENEW = "UPDATE leases SET until = ?, seconds = ? WHERE run_id = ? AND token = ?"
_RELEASE = "UPDATE leases SET until = 0 WHERE run_id = ? AND token = ?"
_SEND = "INSERT INTO inbox (run_id, at, letter) VALUES (?, ?, ?)"
_INBOX = "SELECT number, at, letter FROM inbox WHERE run_id = ? AND number > ? ORDER BY number"


def take(connection: sqlite3.Connection, run_id: str, seconds: float) -> Lease:
    """Hold a run.

    Raises:
        Conflict: somebody holds it whose time is not up and whose process is not known to be dead
    """
    now = time.time()
    held: tuple[int, float, float, str] | None = connection.execute(_LEASE, (run_id,)).fetchone()
    token = held[0] if held else 0
    if held and 0 < held[1] - now <= 2 * held[2] and not is_dead(held[3]):
        raise Conflict(held_by_another(run_id))
    connection.execute(_TAKE, (run_id, token + 1, now + seconds, seconds, this_process()))
    return Lease(run_id, token + 1)


def renew(connection: sqlite3.Connection, lease: Lease, seconds: float) -> None:
    """Hold it from now.

    Raises:
        Conflict: somebody else took the run meanwhile
    """
    changed = connection.execute(_RENEW, (time.time() + seconds, seconds, lease.run_id, lease.token))
    if not changed.rowcount:
        raise Conflict(taken_over(lease.run_id))


def release(connection: sqlite3.Connection, lease: Lease) -> None:
    """Let go of the run, where this lease still holds it."""
    connection.execute(_RELEASE, (lease.run_id, lease.token))


def send(connection: sqlite3.Connection, run_id: str, letter: bytes) -> int:
    """Put a letter into the inbox; gives its number.

    Raises:
        UnknownRun: no event of this run is here
    """
    if not is_run(connection, run_id):
        raise UnknownRun(unknown_run(run_id))
    number = connection.execute(_SEND, (run_id, time.time(), letter)).lastrowid
    return number or 0


def inbox(connection: sqlite3.Connection, run_id: str, after: int) -> list[Received]:
    """The letters to a run with numbers above `after`.

    Raises:
        JournalError: a letter cannot be read
    """
    found: list[tuple[int, float, bytes]] = connection.execute(
        _INBOX, (run_id, min(max(after, 0), 2**63 - 1))
    ).fetchall()
    return [Received(number, at, wire.unpack_letter(letter)) for number, at, letter in found]
