"""A journal on a Postgres server, for any number of processes on any number of machines.

Owns what is asked of the server and when. The statements are in `postgres_statements`; the server is reached, and its
tables are made, in `postgres_server`; rows are written in `wire`.

An append is one statement, which is one round trip and one transaction: the server looks for the event before, follows
the hash chain from there, and stores all or nothing; appends of several runs share their wait for the disk there (group
commit). Each append has a number of its own, its nonce. Where the connection is lost before the server said that it was
done, the same statement is sent again: if the row is there by then, its nonce says whose it is.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.errors import Conflict, JournalError, UnknownRun
from loopwright.core.events import Event, RunForked
from loopwright.core.inbox import Letter, Received
from loopwright.journal import chain, wire
from loopwright.journal import postgres_statements as statements
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
from loopwright.journal.holder import is_dead, this_process
from loopwright.journal.postgres_server import Connection, Lost, Server, UniqueViolation

LARGEST = 900_000_000
"""Bytes that one append may have; PostgreSQL takes no message of a gigabyte."""
_TOGETHER = 16_000_000
"""Bytes of bodies that are fetched at once, where only some are needed at a time."""
_END = 2**63 - 1


class _Write(Struct, frozen=True):
    """An append, as it is sent."""

    run_id: str
    seq: int
    first: bool
    fork: RunForked | None
    values: dict[str, Any]
    size: int


class PostgresJournal:
    """Facts on a Postgres server, version 12 or newer.

    Args:
        conninfo: ``postgresql://user:password@host:port/database``, or what else PostgreSQL's client library takes
            (PostgreSQL documentation, 34.1.1 "Connection Strings"). What it leaves open, such as the password, comes
            from the variables and files of that library: PGPASSWORD, ``~/.pgpass``, ``service=…``.
        schema: holds the tables, which are made with it at the first use; nobody but its owner may read it.
        patience: seconds to wait, all in all, while the server is away, starts again, or is held up. A server that was
            never reached is not waited for.

    An append that has returned outlives the server's power cut, as far as its disk keeps its word and it waits for it
    (`fsync`); `synchronous_commit` is turned on where it was off. A lease ends by the server's clock, or when its
    process was on this machine and is dead; whoever goes on with the run of another machine waits until its time is up.

    It can be used from several event loops, processes and threads; not in a process that was forked after it was made.
    Each event loop has at most 8 connections.

    Raises:
        UsageError: `conninfo` cannot be read
        MissingExtra: on import, when the package `psycopg` is not installed
    """

    def __init__(self, conninfo: str, *, schema: str = "loopwright", patience: float = 10.0) -> None:
        self._server = Server(conninfo, schema, patience)
        self._texts: dict[str, bytes] = {}

    def __repr__(self) -> str:
        return f"PostgresJournal({self._server.shown!r})"

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        """Append events as numbers seq, seq+1, …, all or none, durable on return.

        The `contents` that they refer to are stored in the same transaction, each once in the schema.

        Raises:
            Conflict: a number is taken already, or would leave a gap
            UnknownRun: the parent of a fork is not here, or has fewer events than are to be shared
            JournalError: the server is away or refused, or an event cannot be written, or refers to what is not there;
                nothing was written. Where the connection was lost in the middle and the server did not come back, that
                is not known, and the text says so.
            IllegalEvent: a run does not begin with its own start
        """
        packed = wire.pack(run_id, seq, events, contents)
        if not packed:
            return
        write = _writing(run_id, seq, events, packed)
        doubt = False

        async def attempt(connection: Connection) -> None:
            nonlocal doubt
            again, doubt = doubt, True
            await self._write(connection, write, again=again)

        try:
            await self._server.use(attempt, write.size)
        except Lost as lost:
            last = seq + len(packed) - 1
            which = f"event {seq}" if last == seq else f"events {seq} to {last}"
            raise JournalError(
                f"{lost}. Whether {which} of run {run_id} were written is not known; reading the run again will tell"
            ) from lost

    async def read(self, run_id: str, after: int = 0) -> list[Event]:
        """The events of a run with numbers above `after`, in order; those that it shares with its parent included.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the server is away or refused, a newer version wrote the run, or it is damaged
        """
        after = max(after, 0)
        found = await self._rows(statements.READ, key=_key(run_id), after=min(after, _END))
        first = next((row for _, row, is_first in found if is_first), None)
        if first is None:
            raise UnknownRun(unknown_run(run_id))
        wire.check_format(run_id, first)
        rows = [(seq, row) for seq, row, _ in found if seq > after]
        for expected, (seq, _) in enumerate(rows, start=after + 1):
            if seq != expected:
                raise JournalError(f"run {run_id} is damaged: the journal has lost event {expected}")
        bodies = await self._bodies({name for _, row in rows for name in wire.body_hashes(row)})

        def content(name: str) -> bytes:
            if name not in bodies:
                raise JournalError(f"run {run_id} is damaged: the journal has lost the content {name}")
            return bodies[name]

        return [wire.unpack(row, content) for _, row in rows]

    async def runs(self, limit: int = 50) -> list[RunSummary]:
        """The newest runs first, those that cannot be read as `damaged`; two look-ups a run, however many there are."""
        found = await self._rows(statements.RUNS, limit=min(max(limit, 0), _END))
        return [wire.listed(name.decode(), first, last, count) for name, first, count, last in found]

    async def rows(self, run_id: str) -> list[Link]:
        """The rows of a run as they are stored, for an audit.

        Raises:
            UnknownRun: no event of this run is here
        """
        found = await self._rows(statements.LINKS, key=_key(run_id))
        if not found:
            raise UnknownRun(unknown_run(run_id))
        return [Link(name.decode(), seq, digest, row, wire.body_hashes(row)) for name, seq, digest, row in found]

    async def content(self, digest: str) -> bytes:
        """The content of this SHA-256 in hexadecimal.

        Raises:
            JournalError: it is not there, or not as it was written, or the server is away or refused
        """
        content = (await self._bodies({digest})).get(digest)
        if content is None:
            raise JournalError(unknown_content(digest))
        if not chain.is_content(content, digest):
            raise JournalError(f"the content {digest} in {self._server.shown} is not as it was written")
        return content

    async def damage(self, run_id: str) -> Damage | None:
        """The first event that is missing or not as it was written, or whose content is; None if all is well.

        Raises:
            UnknownRun: no event of this run is here
        """
        links = await self.rows(run_id)
        names = list(dict.fromkeys(name for link in links for name in link.bodies))
        wrong: dict[str, bytes | None] = {}
        for some in await self._portions(names):
            bodies = await self._bodies(set(some))
            wrong.update((name, bodies.get(name)) for name in some if not chain.is_content(bodies.get(name), name))
        suspect = [replace(link, bodies=tuple(name for name in link.bodies if name in wrong)) for link in links]
        found = await self._rows(statements.ORIGINS, key=_key(run_id))
        origins = {name.decode(): ((parent or b"").decode(), after) for name, parent, after in found}
        return chain.inspect(suspect, wrong.get, chain.Line(run_id, origins))

    async def take(self, run_id: str, seconds: float) -> Lease:
        """Hold the run for so many seconds by the server's clock; it need not exist yet.

        Raises:
            Conflict: somebody holds it whose time is not up, and whose process is not known to be dead
            JournalError: the server is away or refused
        """
        values = {"key": _key(run_id), "seconds": seconds, "holder": this_process(), "nonce": _nonce()}
        found = await self._rows(statements.TAKE, **values, dead=0)
        held = [] if found else await self._rows(statements.HELD, key=values["key"])
        if held and is_dead(held[0][1]):
            found = await self._rows(statements.TAKE, **values, dead=held[0][0])
        if found:
            return Lease(run_id, found[0][0])
        wait = f"; where its machine is gone, the run is free in {max(1, round(held[0][2]))} seconds" if held else ""
        raise Conflict(f"{held_by_another(run_id)}{wait}")

    async def renew(self, lease: Lease, seconds: float) -> None:
        """Hold it for so many seconds from now, by the server's clock.

        Raises:
            Conflict: somebody else took the run meanwhile
            JournalError: the server is away or refused
        """
        if not await self._rows(statements.RENEW, key=_key(lease.run_id), seconds=seconds, token=lease.token):
            raise Conflict(taken_over(lease.run_id))

    async def release(self, lease: Lease) -> None:
        """Let go of the run; nothing happens where somebody else has it by now.

        Raises:
            JournalError: the server is away or refused
        """
        await self._rows(statements.RELEASE, key=_key(lease.run_id), token=lease.token)

    async def send(self, run_id: str, letter: Letter) -> int:
        """Put a letter into the inbox of a run, durable on return; gives its number.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the server is away or refused, or the letter holds what JSON cannot carry
        """
        values = {"key": _key(run_id), "letter": wire.pack_letter(letter), "nonce": _nonce()}
        try:
            found = await self._rows(statements.SEND, **values) or await self._rows(
                statements.SENT, nonce=values["nonce"]
            )
        except Lost as lost:
            raise JournalError(f"{lost}. Whether the letter to run {run_id} arrived is not known") from lost
        if not found:
            raise UnknownRun(unknown_run(run_id))
        return found[0][0]

    async def inbox(self, run_id: str, after: int = 0) -> list[Received]:
        """The letters to a run with numbers above `after`, in the order in which they came.

        Raises:
            JournalError: the server is away or refused, or a letter cannot be read
        """
        found = await self._rows(statements.INBOX, key=_key(run_id), after=min(max(after, 0), _END))
        return [Received(number, at, wire.unpack_letter(letter)) for number, at, letter in found]

    async def close(self) -> None:
        """Close the connections; what comes later raises JournalError."""
        self._server.close()

    async def _write(self, connection: Connection, write: _Write, *, again: bool) -> None:
        """Send an append; where it was sent before, it may be there already."""
        values = write.values
        if write.fork is not None:
            values = {**values, **await self._shared(connection, write.fork)}
        try:
            cursor = await connection.execute(
                self._text(statements.BEGIN if write.first else statements.GO_ON), values, binary=True
            )
        except UniqueViolation:
            if again and await self._is_ours(connection, write):
                return
            raise Conflict(taken(write.run_id, 1 if write.first else write.seq)) from None
        written, missing = await cursor.fetchone() or (0, None)
        if missing is not None:
            raise JournalError(unknown_content(missing))
        if not written:
            raise Conflict(gap(write.run_id, write.seq))

    async def _is_ours(self, connection: Connection, write: _Write) -> bool:
        cursor = await connection.execute(self._text(statements.IS_OURS), write.values)
        return await cursor.fetchone() is not None

    async def _shared(self, connection: Connection, fork: RunForked) -> dict[str, Any]:
        """Where the chain of a fork goes on from."""
        values = {"key": _key(fork.parent), "seq": fork.after}
        cursor = await connection.execute(self._text(statements.SHARED), values, binary=True)
        number, digest = await cursor.fetchone() or (None, None)
        if number is None:
            raise UnknownRun(unknown_run(fork.parent))
        if digest is None:
            raise UnknownRun(not_shared(fork.parent, fork.after))
        return {"parent": number, "before": digest}

    async def _rows(self, text: LiteralString, **values: Any) -> list[tuple[Any, ...]]:
        """What one statement finds."""

        async def ask(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = await connection.execute(self._text(text), values, binary=True)
            return await cursor.fetchall() if cursor.description else []

        return await self._server.use(ask, sum(len(value) for value in values.values() if isinstance(value, bytes)))

    async def _bodies(self, names: set[str]) -> dict[str, bytes]:
        """Those of these contents that are here."""
        found: dict[str, bytes] = {}
        for some in await self._portions(sorted(names)):
            rows = await self._rows(statements.BODIES, hashes=[_hash(name) for name in some])
            found.update((digest.hex(), content) for digest, content in rows)
        return found

    async def _portions(self, names: Sequence[str]) -> list[list[str]]:
        """The names in portions whose contents are not too large to be fetched together."""
        if not names:
            return []
        found = await self._rows(statements.SIZES, hashes=[_hash(name) for name in names])
        sizes = {digest.hex(): size for digest, size in found}
        portions: list[list[str]] = [[]]
        size = 0
        for name in names:
            size += sizes.get(name, 0)
            if size > _TOGETHER and portions[-1]:
                portions.append([])
                size = sizes.get(name, 0)
            portions[-1].append(name)
        return portions

    def _text(self, text: LiteralString) -> bytes:
        if text not in self._texts:
            self._texts[text] = self._server.statement(text)
        return self._texts[text]


def _writing(run_id: str, seq: int, events: Sequence[Event], packed: Sequence[wire.Packed]) -> _Write:
    fork = events[0] if isinstance(events[0], RunForked) else None
    bodies: dict[str, bytes] = {}
    known: list[str] = []
    for item in packed:
        bodies.update(item.bodies)
        known += [name for name in item.known if name not in bodies]
    size = sum(len(item.row) for item in packed) + sum(map(len, bodies.values()))
    if size > LARGEST:
        raise JournalError(f"these events of run {run_id} have {size} bytes; one append may have {LARGEST}")
    names = sorted(bodies)  # in the same order everywhere, so that no two appends wait for each other
    values = {
        "key": _key(run_id),
        "name": run_id.encode(),
        "seq": seq,
        "rows": [item.row for item in packed],
        "hashes": [bytes.fromhex(name) for name in names],
        "contents": [bodies[name] for name in names],
        "known": [_hash(name) for name in known],
        "nonce": _nonce(),
        "parent": None,
        "before": chain.start(run_id),
    }
    return _Write(run_id, seq, wire.begins(seq, events), fork, values, size)


def _nonce() -> int:
    return secrets.randbits(63)


def _key(run_id: str) -> bytes:
    """The key of a run.

    Raises:
        UnknownRun: no run can have this id
    """
    try:
        return chain.start(run_id)
    except UnicodeEncodeError as error:
        raise UnknownRun(f"no run can have the id {run_id!r}: it is not text") from error


def _hash(name: str) -> bytes:
    """The key of a body; for a name that is no hash, one that nothing has."""
    try:
        return bytes.fromhex(name)
    except ValueError:
        return b""
