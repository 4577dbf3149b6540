"""Events in a journal's SQLite file: how they are written and read, and how a fork finds what it shares.

Owns the statements about runs and events; their bodies are in `sqlite_bodies`. Whoever calls has the connection, and
the transaction where something is written; no lock, no waiting, no letters and leases.

A fork has its parent's id and the number of the last shared event in the table of runs. It is read by going up from
parent to parent. What such a line would be damaged by, a parent that is lost or that descends from the fork, ends it:
then the first events are missing, which is what the audit says.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from loopwright.core.errors import Conflict, JournalError, UnknownRun
from loopwright.core.events import Event, RunForked
from loopwright.journal import chain, sqlite_bodies, wire
from loopwright.journal.base import Damage, Link, gap, not_shared, taken, unknown_content, unknown_run

_END = 2**63 - 1

_ORIGIN = "SELECT CAST(parent AS TEXT), CAST(after AS INTEGER) FROM runs WHERE run_id = ? ORDER BY number DESC LIMIT 1"
_DIGEST = "SELECT digest FROM events WHERE run_id = ? AND seq = ?"
_IS_THERE = "SELECT 1 FROM events WHERE run_id = ? LIMIT 1"
_INSERT = "INSERT INTO events (run_id, seq, row, digest) VALUES (?, ?, ?, ?)"
_INSERT_RUN = "INSERT INTO runs (run_id, parent, after) VALUES (?, ?, ?)"
# Whoever edits a journal by hand may leave text where bytes were; an audit must get as far as saying so.
_ROW = "SELECT CAST(row AS BLOB) FROM events WHERE run_id = ? AND seq = ?"
_ROWS = """SELECT seq, CAST(digest AS BLOB), CAST(row AS BLOB) FROM events
    WHERE run_id = ? AND seq > ? AND seq <= ? ORDER BY seq"""
# LEFT JOIN keeps SQLite to this order, the newest runs, then two look-ups by key for each, and loses no damaged run.
RUNS = """
    SELECT runs.run_id, CAST(first.row AS BLOB), coalesce(last.seq, 0), CAST(last.row AS BLOB)
    FROM runs
    LEFT JOIN events AS first ON first.run_id = runs.run_id AND first.seq = runs.after + 1
    LEFT JOIN events AS last ON last.run_id = runs.run_id AND last.seq =
        (SELECT seq FROM events WHERE run_id = runs.run_id ORDER BY seq DESC LIMIT 1)
    ORDER BY runs.number DESC LIMIT ?"""


class Segment(NamedTuple):
    """The rows of one run that are events of a run: its own, or shared with a run that descends from it."""

    run_id: str
    after: int
    """Number before its own first row."""
    upto: int
    """Number of the last row that counts."""
    parent: str | None


def write(
    connection: sqlite3.Connection, run_id: str, seq: int, packed: Sequence[wire.Packed], fork: RunForked | None
) -> None:
    """Append rows as numbers seq, seq+1, … of a run; the first of them begins it as this fork, where one is given.

    Raises:
        Conflict: a number is taken already, or would leave a gap
        UnknownRun: the parent of a fork is not here, or has fewer events than are to be shared
        JournalError: a row refers to what is not there
    """
    digest = _digest_before(connection, run_id, seq, fork)
    execute = connection.execute
    try:
        if seq == 1 or fork is not None:
            execute(_INSERT_RUN, (run_id, fork.parent if fork else None, seq - 1))
        for number, item in enumerate(packed, start=seq):
            digest = chain.follow(digest, item.row)
            for name, content in item.bodies.items():
                sqlite_bodies.store(connection, name, content)
            for name in item.known:
                if not sqlite_bodies.is_stored(connection, name):
                    raise JournalError(unknown_content(name))
            execute(_INSERT, (run_id, number, item.row, digest))
    except sqlite3.IntegrityError as error:
        raise Conflict(taken(run_id, seq)) from error


def _digest_before(connection: sqlite3.Connection, run_id: str, seq: int, fork: RunForked | None) -> bytes:
    if (fork is not None or seq == 1) and is_run(connection, run_id):
        raise Conflict(taken(run_id, 1))
    if fork is not None:
        return _digest_of(connection, fork.parent, fork.after)
    if seq == 1:
        return chain.start(run_id)
    before: tuple[bytes] | None = connection.execute(_DIGEST, (run_id, seq - 1)).fetchone()
    if before is None:
        raise Conflict(gap(run_id, seq))
    return before[0]


def _digest_of(connection: sqlite3.Connection, run_id: str, seq: int) -> bytes:
    """The digest of an event that a fork shares."""
    if not is_run(connection, run_id):
        raise UnknownRun(unknown_run(run_id))
    for segment in _upwards(connection, run_id):
        if segment.after < seq:
            found: tuple[bytes] | None = connection.execute(_DIGEST, (segment.run_id, seq)).fetchone()
            if found is not None:
                return found[0]
            break
    raise UnknownRun(not_shared(run_id, seq))


def is_run(connection: sqlite3.Connection, run_id: str) -> bool:
    """Whether an event of its own of this run is here."""
    return connection.execute(_IS_THERE, (run_id,)).fetchone() is not None


def read(connection: sqlite3.Connection, run_id: str, after: int) -> list[Event]:
    """The events of a run with numbers above `after`, the shared ones included.

    Raises:
        UnknownRun: no event of this run is here
        JournalError: a newer version wrote the run, or it is damaged
    """
    segments = list(_upwards(connection, run_id))
    first: tuple[bytes] | None = connection.execute(_ROW, (run_id, segments[0].after + 1)).fetchone()
    if first is None:
        raise UnknownRun(unknown_run(run_id))
    wire.check_format(run_id, first[0])

    def content(name: str) -> bytes:
        found = sqlite_bodies.find(connection, name)
        if found is None:
            raise JournalError(f"run {run_id} is damaged: the journal has lost the content {name}")
        return found

    after = max(after, 0)
    rows = list(_rows(connection, segments, after))
    for expected, (_, seq, _, _) in enumerate(rows, start=after + 1):
        if seq != expected:
            raise JournalError(f"run {run_id} is damaged: the journal has lost event {expected}")
    return [wire.unpack(row, content) for _, _, _, row in rows]


def links(connection: sqlite3.Connection, run_id: str) -> list[Link]:
    """The rows of a run as they are stored, the shared ones first.

    Raises:
        UnknownRun: no event of this run is here
    """
    if not is_run(connection, run_id):
        raise UnknownRun(unknown_run(run_id))
    found = _rows(connection, list(_upwards(connection, run_id)), 0)
    return [Link(owner, seq, digest, row, wire.body_hashes(row)) for owner, seq, digest, row in found]


def damage(connection: sqlite3.Connection, run_id: str) -> Damage | None:
    """The first event that is missing or not as it was written, or whose content is.

    Raises:
        UnknownRun: no event of this run is here
    """
    origins = {each.run_id: (each.parent or "", each.after) for each in _upwards(connection, run_id)}
    line = chain.Line(run_id, origins)
    return chain.inspect(links(connection, run_id), lambda name: sqlite_bodies.find(connection, name), line)


def _upwards(connection: sqlite3.Connection, run_id: str) -> Iterator[Segment]:
    """A run, then those whose events it shares, each once."""
    upto, seen = _END, set[str]()
    current: str | None = run_id
    while current is not None and current not in seen:
        seen.add(current)
        origin: tuple[str | None, int] = connection.execute(_ORIGIN, (current,)).fetchone() or (None, 0)
        parent, after = origin
        yield Segment(current, after, upto, parent)
        current, upto = parent, min(upto, after)


def _rows(
    connection: sqlite3.Connection, segments: Sequence[Segment], after: int
) -> Iterator[tuple[str, int, bytes, bytes]]:
    """Run, number, digest and bytes of the rows above a number, in their order."""
    for segment in reversed(segments):
        if segment.upto > after:
            for seq, digest, row in connection.execute(_ROWS, (segment.run_id, after, segment.upto)):
                yield segment.run_id, seq, digest, row
