"""A journal's Postgres server: reached, its tables made and recognised, and its errors put into words.

Owns the connections, the tables with their version, and the waiting while the server is away. No event passes through
here.

Connections belong to the event loop that made them; each loop has a few of its own, which are kept between two uses.
Errors never show the password: the address is shown without it, and what PostgreSQL's client library says of an address
that it cannot read is not passed on.
"""

import asyncio
import math
import os
import socket
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from threading import Lock
from typing import Any, LiteralString, TypeVar

from loopwright.core.errors import JournalError, MissingExtra, UsageError
from loopwright.journal.location import place_of

try:
    import psycopg
    from psycopg import AsyncConnection, sql
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.errors import UniqueViolation
    from psycopg.pq import TransactionStatus
except ImportError as missing:
    raise MissingExtra(
        f"a journal on a Postgres server needs the package psycopg ({missing.msg.splitlines()[0]}): "
        "pip install 'loopwright[postgres]'"
    ) from None

__all__ = ["Connection", "Lost", "Server", "UniqueViolation"]

Found = TypeVar("Found")
Connection = AsyncConnection[Any]

VERSION = 1
"""The version of the tables, which they say themselves."""
CONNECTIONS = 8
"""How many an event loop has at most; more appends at once wait for one of them."""
ALLOWANCE = 1.0
"""Seconds for which an answer is waited for beyond the patience, so that the server itself can say what keeps it."""
SLOWEST = 1_000_000
"""Bytes a second at which large appends are still waited for."""

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5
_LOCK = 0x4C57_7231_0000_0001
"""The advisory lock under which tables are made."""
_USUAL: Mapping[str, str] = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "application_name": "loopwright",
    "client_encoding": "UTF8",
}
"""So that the end of a server that can no longer say so is noticed, and texts are texts whatever the database's own
encoding; the address may say otherwise."""
_SECRETS = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")
_SHORTEST_MASKED = 4
"""A secret that is shorter would be found in ordinary words, and be given away by what is missing there."""
_ELSEWHERE = "Set LOOPWRIGHT_JOURNAL to keep the journal in another place."

# Codes: PostgreSQL documentation, Appendix A.
_SHUTTING_DOWN = frozenset({"57P01", "57P02", "57P03", "57P05"})
_ELSEWHERE_NOW = frozenset({"25006"})
"""The server only answers questions now; another of the address may have taken its place."""
_PASSING = frozenset({"40001", "40P01", "53300"}) | _SHUTTING_DOWN | _ELSEWHERE_NOW
_SOON = ("starting up", "too many clients", "too many connections", "shutting down")
"""What a server says that is there, and will take a connection in a moment."""
_EXPLAINED: Mapping[str, str] = {
    "53100": "the server's disk is full; nothing was written",
    "53200": "the server has not enough memory for this; nothing was written",
    "54": "this is more than the server can take at once; nothing was written",
    "55P03": "somebody else has kept the tables locked for too long; nothing was written",
    "57014": "the server or somebody there stopped the statement; nothing was written",
    "25006": "the server takes nothing new: it is a copy of another one, or was told so",
    "42501": (
        "this user may not do that there. Let the owner of the database run CREATE SCHEMA {schema} AUTHORIZATION the "
        "user, or name another schema or database"
    ),
    "42P07": "the schema {schema} has other tables, which were left as they are. Name another schema",
    "42P01": "the tables in the schema {schema} are not there, or not all of them",
    "3F000": "the schema {schema} is not there any more",
}
"""By the code, else by its first two digits."""

_TABLES: tuple[LiteralString, ...] = (
    "CREATE TABLE {schema}.journal (version integer NOT NULL)",
    """CREATE TABLE {schema}.runs (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key bytea NOT NULL UNIQUE, name bytea NOT NULL,
        parent bigint, after bigint NOT NULL)""",
    """CREATE TABLE {schema}.events (
        run bigint NOT NULL, seq bigint NOT NULL, event bytea NOT NULL, digest bytea NOT NULL, nonce bigint NOT NULL,
        PRIMARY KEY (run, seq))""",
    "CREATE TABLE {schema}.bodies (hash bytea PRIMARY KEY, content bytea NOT NULL)",
    """CREATE TABLE {schema}.leases (
        key bytea PRIMARY KEY, token bigint NOT NULL, until timestamptz NOT NULL, holder text NOT NULL,
        nonce bigint NOT NULL)""",
    """CREATE TABLE {schema}.inbox (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL, at double precision NOT NULL,
        letter bytea NOT NULL, nonce bigint NOT NULL UNIQUE)""",
    "CREATE INDEX inbox_of_run ON {schema}.inbox (run, number)",
)
# A key is the SHA-256 of a run's id, which may be any text, of any length; a nonce is a number by which a writer knows
# its own row again after it lost the connection. Where the server or its user waits for no disk, an append does.
_HELLO = """SELECT to_regclass(%(table)s) IS NOT NULL, set_config('lock_timeout', %(patience)s, false),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END"""


class Lost(JournalError):
    """The connection was lost after something had been asked for, and the server did not come back in time."""


class _Away(Exception):
    """An attempt failed: in words, whether to try again, and whether what was asked for may have been done."""

    def __init__(self, text: str, *, passing: bool = False, lost: bool = False) -> None:
        super().__init__(text)
        self.passing = passing
        self.lost = lost


class _Connections:
    """Those of one event loop."""

    def __init__(self) -> None:
        self.free = asyncio.Semaphore(CONNECTIONS)
        self.idle: list[Connection] = []

    def drop(self) -> None:
        """Close all that nobody uses; needs no event loop."""
        while self.idle:
            connection = self.idle.pop()
            connection.pgconn.finish()


class Server:
    """A few connections to one schema, which is made at the first use.

    Args:
        conninfo: an address or ``key=value`` pairs (PostgreSQL documentation, 34.1.1 "Connection Strings")
        schema: where the tables are
        patience: seconds to wait, all in all, while the server is away or busy

    Raises:
        UsageError: `conninfo` cannot be read; the text shows nothing of it
    """

    def __init__(self, conninfo: str, schema: str, patience: float) -> None:
        options = _read(conninfo)
        self.shown = _shown(options)
        self._schema = schema
        self._secrets = [str(options[name]) for name in _SECRETS if options.get(name)]
        waited = {"connect_timeout": str(max(2, math.ceil(patience)))}
        self._conninfo = make_conninfo("", **{**_USUAL, **waited, **options})
        self._patience = patience
        self._loops: dict[asyncio.AbstractEventLoop, _Connections] = {}
        self._lock = Lock()
        self._process = os.getpid()
        self._reached = False
        self._closed = False

    def statement(self, text: LiteralString) -> bytes:
        """An SQL statement, with the name of the schema put in for ``{schema}``."""
        return sql.SQL(text).format(schema=sql.Identifier(self._schema)).as_bytes()

    async def use(self, action: Callable[[Connection], Awaitable[Found]], size: int = 0) -> Found:
        """Do something that does no harm when it is done again, until it is known to be done.

        Args:
            action: given a connection in which each statement is a transaction of its own
            size: bytes that it sends or asks for, as far as known; so much longer may it take

        Raises:
            Lost: the connection was lost while the action went on, perhaps when it was done already
            JournalError: the server is not there, or refused; nothing was done
        """
        give_up = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        doubt = False
        while True:
            try:
                async with self._connection() as connection:
                    return await self._attempt(action, connection, self._patience + ALLOWANCE + size / SLOWEST)
            except _Away as away:
                doubt = doubt or away.lost
                if not away.passing or time.monotonic() >= give_up:
                    raise (Lost if doubt else JournalError)(str(away)) from None
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def close(self) -> None:
        """Close the connections; those in use are closed when their use is over."""
        self._closed = True
        with self._lock:
            if self._process == os.getpid():
                for connections in self._loops.values():
                    connections.drop()
            self._loops.clear()

    async def _attempt(
        self, action: Callable[[Connection], Awaitable[Found]], connection: Connection, seconds: float
    ) -> Found:
        late = False

        def give_up() -> None:
            nonlocal late
            late = True
            _cut_off(connection)

        watch = asyncio.get_running_loop().call_later(seconds, give_up)
        try:
            return await action(connection)
        except psycopg.Error as error:
            if late:
                await connection.close()
                said = f"the journal {self.shown} did not answer for {seconds:.1f} seconds"
                raise _Away(said, passing=True, lost=True) from None
            state = error.sqlstate or ""
            lost = connection.closed or state[:2] == "08" or state in _SHUTTING_DOWN
            if lost or state in _ELSEWHERE_NOW:
                await connection.close()
            raise _Away(self._explain(error, lost=lost), passing=lost or state in _PASSING, lost=lost) from error
        finally:
            watch.cancel()

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[Connection]:
        connections = self._connections()
        async with connections.free:
            connection = connections.idle.pop() if connections.idle else await self._open()
            try:
                yield connection
            finally:
                if connection.closed:
                    connections.drop()  # most likely they have all lost the server
                elif self._closed or connection.info.transaction_status != TransactionStatus.IDLE:
                    await connection.close()
                else:
                    connections.idle.append(connection)

    def _connections(self) -> _Connections:
        if self._closed:
            raise JournalError(f"the journal {self.shown} is closed")
        if self._process != os.getpid():
            raise JournalError(f"the journal {self.shown} was open when this process forked; open another one here")
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._loops:
                for over in [one for one in self._loops if one.is_closed()]:
                    self._loops.pop(over).drop()
                self._loops[loop] = _Connections()
            return self._loops[loop]

    async def _open(self) -> Connection:
        try:
            connection = await AsyncConnection[Any].connect(self._conninfo, autocommit=True)
        except (psycopg.Error, OSError) as error:
            said = " ".join(str(error).split())
            passing = self._reached or any(word in said for word in _SOON)
            raise _Away(
                self._masked(f"cannot reach the journal {self.shown}: {said}. {_ELSEWHERE}"), passing=passing
            ) from None
        try:
            await self._prepare(connection)
        except psycopg.Error as error:
            lost = connection.closed
            await connection.close()
            raise _Away(self._explain(error, lost=lost), passing=lost or error.sqlstate in _PASSING) from error
        except BaseException:
            await connection.close()
            raise
        self._reached = True
        return connection

    async def _prepare(self, connection: Connection) -> None:
        """Set what an append needs, and see to the tables.

        Raises:
            JournalError: a newer version made them, or they are others
        """
        table = sql.Identifier(self._schema, "journal").as_string()
        asked = {"table": table, "patience": f"{math.ceil(self._patience * 1000)}ms"}
        cursor = await connection.execute(_HELLO, asked)
        there = await cursor.fetchone()
        if not (there and there[0]):
            await self._create(connection, table)
        cursor = await connection.execute(self.statement("SELECT version FROM {schema}.journal"))
        found = await cursor.fetchone()
        version = found[0] if found else 0
        if version > VERSION:
            raise JournalError(
                f"the journal {self.shown} was made by a newer version of loopwright (tables {version}; this version "
                f"knows {VERSION}). Upgrade loopwright to use it."
            )

    async def _create(self, connection: Connection, table: str) -> None:
        """Make schema and tables in one transaction, by one process at a time."""
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            asked = {"table": table, "schema": sql.Identifier(self._schema).as_string()}
            cursor = await connection.execute(
                "SELECT to_regclass(%(table)s) IS NOT NULL, to_regnamespace(%(schema)s) IS NOT NULL", asked
            )
            tables, schema = await cursor.fetchone() or (False, False)
            if tables:  # another process was faster
                return
            if not schema:
                await connection.execute(self.statement("CREATE SCHEMA {schema}"))
            for text in _TABLES:
                await connection.execute(self.statement(text))
            await connection.execute(self.statement("INSERT INTO {schema}.journal (version) VALUES (1)"))

    def _explain(self, error: psycopg.Error, *, lost: bool) -> str:
        """What went wrong, and what to do about it."""
        said = " ".join((error.diag.message_primary or str(error)).split())
        state = error.sqlstate or ""
        other = "the connection was lost" if lost else "it refused"
        text = _EXPLAINED.get(state) or _EXPLAINED.get(state[:2]) or other
        return self._masked(f"the journal {self.shown}: {text.format(schema=self._schema)} ({said})")

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            if len(secret) >= _SHORTEST_MASKED:
                text = text.replace(secret, "***")
        return text


def _cut_off(connection: Connection) -> None:
    """Let whoever waits for an answer see that none will come; a server that hangs could not be asked to stop."""
    with suppress(OSError), socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM) as there:
        there.shutdown(socket.SHUT_RDWR)


def _read(conninfo: str) -> dict[str, Any]:
    place_of(conninfo)  # says more of an address that cannot be read
    try:
        return dict(conninfo_to_dict(conninfo))
    except psycopg.Error:
        raise UsageError(
            "the address of the journal cannot be read: it is postgresql://user@host:port/database, perhaps with "
            "?name=value behind it, by the names of PostgreSQL's client library"
        ) from None


def _shown(options: Mapping[str, Any]) -> str:
    """Where the server is, without the password."""
    host = options.get("host") or options.get("hostaddr") or ""
    if "/" in str(host):
        name = f"postgresql:///{options.get('dbname') or ''}?host={host}"
        return f"{name}&port={options['port']}" if options.get("port") else name
    user, port = options.get("user"), options.get("port")
    where = f"{f'{user}@' if user else ''}{host}{f':{port}' if port else ''}"
    return f"postgresql://{where}/{options.get('dbname') or ''}"
