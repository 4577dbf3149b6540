"""The journal on a Postgres server, against the suite that every store passes, and what only a server can do to it."""

import asyncio
import os
import secrets
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar, LiteralString
from urllib.parse import quote

import psycopg
import pytest
from msgspec import Raw
from postgres_relay import Moment, Relay
from psycopg import sql

from loopwright.core.errors import Conflict, JournalError, MissingExtra, UnknownRun, UsageError
from loopwright.core.events import CallEnded, CallStarted, Event, NoteAdded, RunForked, RunStarted
from loopwright.core.inbox import Approve, Cancel, Say
from loopwright.core.messages import Content, Result
from loopwright.journal.base import Damage
from loopwright.journal.opened import journal_at
from loopwright.journal.postgres import PostgresJournal
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing.journal_process import contents_of, story, tell
from loopwright.testing.journal_suite import DurableJournalSuite
from loopwright.testing.postgres_server import USER, VARIABLE, NoPostgres, PostgresServer


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        started = PostgresServer()
    except NoPostgres as reason:
        pytest.skip(f"no Postgres server: {reason}")
    with started, pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, started.address)
        yield started


@pytest.fixture
def schema() -> str:
    return f'no "word" {secrets.token_hex(4)}'


@pytest.mark.usefixtures("server")
class TestPostgresJournal(DurableJournalSuite):
    opener: ClassVar[str] = "loopwright.testing.postgres_server:journal_in"


def start(run_id: str) -> RunStarted:
    return RunStarted(run_id=run_id, task=f"task of {run_id}", model="openai:small")


def note(detail: str) -> NoteAdded:
    return NoteAdded(kind="empty", detail=detail)


def order(server: PostgresServer, schema: str, text: LiteralString) -> list[tuple[Any, ...]]:
    """Do something behind the journal's back."""
    with psycopg.connect(server.address, autocommit=True) as connection:
        done = connection.execute(sql.SQL(text).format(schema=sql.Identifier(schema)))
        return done.fetchall() if done.description else []


async def begun(journal: PostgresJournal, run_id: str = "a") -> PostgresJournal:
    await journal.append(run_id, 1, [start(run_id)])
    return journal


# What is done behind the journal's back


@pytest.mark.parametrize(
    ("text", "run_id", "damage"),
    [
        (
            "UPDATE {schema}.events SET run = -run WHERE run IN (SELECT number FROM {schema}.runs WHERE name <> 'a'); "
            "UPDATE {schema}.events SET run = (SELECT sum(number) FROM {schema}.runs WHERE name <> 'a') + run "
            "WHERE run < 0",
            "f",
            Damage(3, "it begins run g, and stands where another run begins"),
        ),
        (
            "UPDATE {schema}.runs SET name = 'x' WHERE name = 'f'",
            "f",
            Damage(3, "it begins run f, and stands where another run begins"),
        ),
        (
            "UPDATE {schema}.runs SET name = 'g' WHERE name = 'f'",
            "f",
            Damage(3, "it begins run f, and stands where another run begins"),
        ),
        (
            "UPDATE {schema}.runs SET after = 1 WHERE name = 'a'",
            "a",
            Damage(1, "it begins run a elsewhere than the list of runs says"),
        ),
        (
            "UPDATE {schema}.runs SET parent = NULL WHERE name = 'f'",
            "f",
            Damage(1, "it is missing"),
        ),
        (
            "DELETE FROM {schema}.events WHERE run = (SELECT number FROM {schema}.runs WHERE name = 'f')",
            "f",
            Damage(3, "it is missing"),
        ),
        (
            "DELETE FROM {schema}.runs WHERE name = 'f'; UPDATE {schema}.runs SET key = sha256('f') WHERE name = 'g'",
            "f",
            Damage(5, "it is missing"),
        ),
    ],
    ids=["swapped", "renamed", "renamed to another", "no beginning", "no parent", "all its events", "another's key"],
)
async def test_a_run_that_was_moved_is_found(
    server: PostgresServer, schema: str, text: LiteralString, run_id: str, damage: Damage
) -> None:
    journal = PostgresJournal(server.address, schema=schema)
    await journal.append("a", 1, [start("a"), note("2")])
    for name in ("f", "g"):
        await journal.append(name, 3, [RunForked(started=start(name), parent="a", after=2), note(name)])
    assert [await journal.damage(each) for each in "afg"] == [None] * 3
    order(server, schema, text)
    assert await journal.damage(run_id) == damage
    await journal.close()


# Losing the connection and the server


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_an_append_whose_connection_is_lost_is_done_once(
    server: PostgresServer, schema: str, moment: Moment
) -> None:
    async with Relay(server.port).running() as relay:
        journal = PostgresJournal(through(relay, server), schema=schema)
        await begun(journal)
        relay.cut = moment
        await journal.append("a", 2, [note("first"), note("second")])
        assert relay.cuts == 1
        assert await journal.read("a", after=1) == [note("first"), note("second")]
        assert await journal.damage("a") is None
        await journal.close()


async def test_the_start_of_a_run_whose_connection_is_lost_is_done_once(server: PostgresServer, schema: str) -> None:
    async with Relay(server.port).running() as relay:
        journal = PostgresJournal(through(relay, server), schema=schema)
        await begun(journal, "other")
        relay.cut = "after"
        await begun(journal)
        assert (relay.cuts, await journal.read("a")) == (1, [start("a")])
        await journal.close()


async def test_an_append_that_another_overtook_while_the_connection_was_lost_is_a_conflict(
    server: PostgresServer, schema: str
) -> None:
    other = await begun(PostgresJournal(server.address, schema=schema))
    async with Relay(server.port).running() as relay:
        journal = PostgresJournal(through(relay, server), schema=schema)
        assert await journal.read("a") == [start("a")]
        relay.cut, relay.deaf = "before", True
        append = asyncio.ensure_future(journal.append("a", 2, [note("the same")]))
        await relay.lost.wait()
        await other.append("a", 2, [note("the same")])  # the same bytes, and yet not ours
        relay.deaf = False
        with pytest.raises(Conflict):
            await append
        await journal.close()
    await other.close()


async def test_where_nobody_can_tell_it_is_said(server: PostgresServer, schema: str) -> None:
    async with Relay(server.port).running() as relay:
        journal = await begun(PostgresJournal(through(relay, server), schema=schema, patience=0.3))
        relay.cut, relay.deaf = "after", True
        with pytest.raises(JournalError, match=r"Whether events 2 to 3 of run a were written is not known") as said:
            await journal.append("a", 2, [note("first"), note("second")])
        assert server.password not in str(said.value)
        relay.deaf = False
        assert len(await journal.read("a")) == 3
        await journal.close()


def through(relay: Relay, server: PostgresServer) -> str:
    return f"postgresql://{USER}:{server.password}@127.0.0.1:{relay.port}/postgres"


async def test_no_event_is_lost_or_doubled_when_the_server_is_killed(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(server.address, schema=schema, patience=60)
    acknowledged: dict[str, int] = {}
    over = asyncio.Event()

    async def work(run_id: str) -> None:
        seq = 1
        while not over.is_set():
            await journal.append(run_id, seq, [start(run_id) if seq == 1 else CallStarted(call_id=str(seq))])
            acknowledged[run_id] = seq
            seq += 1

    async def more() -> None:
        enough = sum(acknowledged.values()) + 100
        while sum(acknowledged.values()) < enough:  # noqa: ASYNC110  an event a hundred appends is no clearer
            await asyncio.sleep(0.01)

    workers = [asyncio.ensure_future(work(f"run {number}")) for number in range(10)]
    for end in (server.kill, server.stop):
        await more()
        await asyncio.to_thread(end)
        await asyncio.to_thread(server.start)
    await more()
    over.set()
    await asyncio.gather(*workers)
    for run_id, count in acknowledged.items():
        ids = [event.call_id for event in await journal.read(run_id, after=1) if isinstance(event, CallStarted)]
        assert ids == [str(seq) for seq in range(2, count + 1)]
        assert await journal.damage(run_id) is None
    await journal.close()


async def test_a_server_that_no_longer_answers_is_given_up(server: PostgresServer, schema: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema, patience=0.5))
    server.freeze()
    try:
        with pytest.raises(JournalError, match="did not answer for"):
            await journal.read("a")
        with pytest.raises(JournalError):
            await journal.append("a", 2, [note("lost?")])
    finally:
        server.thaw()
    patient = PostgresJournal(server.address, schema=schema)
    assert await patient.read("a") in ([start("a")], [start("a"), note("lost?")])
    await patient.close()
    await journal.close()


async def test_a_table_that_somebody_keeps_locked_is_not_waited_for_for_ever(
    server: PostgresServer, schema: str
) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema, patience=0.3))
    with psycopg.connect(server.address) as holder:
        holder.execute(sql.SQL("LOCK TABLE {}.events").format(sql.Identifier(schema)))
        with pytest.raises(JournalError, match="locked for too long; nothing was written"):
            await journal.append("a", 2, [note("late")])
    await journal.append("a", 2, [note("next")])
    assert await journal.read("a", after=1) == [note("next")]
    await journal.close()


# What a server refuses


@pytest.mark.parametrize(
    ("code", "said"),
    [("53100", "disk is full; nothing was written"), ("54000", "more than the server can take"), ("P0001", "refused")],
)
async def test_what_the_server_refuses_is_said_and_nothing_is_written(
    server: PostgresServer, schema: str, code: str, said: str
) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    refuse(server, schema, code, times=1)
    with pytest.raises(JournalError, match=said):
        await journal.append("a", 2, story("a")[2], contents_of(story("a")[2]))
    with pytest.raises(JournalError, match="no content"):
        await journal.content("00" * 32)
    assert await journal.read("a") == [start("a")]
    await journal.close()


@pytest.mark.parametrize("code", ["40P01", "40001"])
async def test_what_passes_is_tried_again(server: PostgresServer, schema: str, code: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    refuse(server, schema, code, times=2)
    await journal.append("a", 2, [note("third try")])
    assert await journal.read("a", after=1) == [note("third try")]
    await journal.close()


def refuse(server: PostgresServer, schema: str, code: str, times: int) -> None:
    """Let the next few attempts to write an event fail."""
    name = f"counted_{secrets.token_hex(4)}"
    body = (
        f"BEGIN IF nextval('{name}') <= {times} THEN RAISE 'as asked' USING ERRCODE = '{code}'; END IF; RETURN NEW; END"
    )
    with psycopg.connect(server.address, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SEQUENCE {}").format(sql.Identifier(name)))
        connection.execute(
            sql.SQL("CREATE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql AS {}").format(
                sql.Identifier(name), sql.Literal(body)
            )
        )
        connection.execute(
            sql.SQL("CREATE TRIGGER refusing BEFORE INSERT ON {}.events FOR EACH ROW EXECUTE FUNCTION {}()").format(
                sql.Identifier(schema), sql.Identifier(name)
            )
        )


async def test_no_server_is_said_at_once(schema: str) -> None:
    journal = PostgresJournal("postgresql://me:secret-word@127.0.0.1:1/facts", schema=schema, patience=30)
    before = time.monotonic()
    with pytest.raises(JournalError, match=r"cannot reach the journal postgresql://me@127.0.0.1:1/facts: .*refused"):
        await journal.runs()
    assert time.monotonic() - before < 20  # not as long as it would wait for one that was there
    await journal.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("{password}", "wrong-word"), "password authentication failed"),
        (("/postgres", "/nowhere"), 'database "nowhere" does not exist'),
        (("127.0.0.1", "no-such-host.invalid"), "no-such-host.invalid"),
    ],
    ids=["password", "database", "host"],
)
async def test_what_is_wrong_with_an_address_is_said_without_the_password(
    server: PostgresServer, schema: str, change: tuple[str, str], said: str
) -> None:
    old, new = change
    address = server.network_address.replace(server.password if old == "{password}" else old, new)
    journal = PostgresJournal(address, schema=schema)
    with pytest.raises(JournalError, match=said) as found:
        await journal.runs()
    for secret in (server.password, "wrong-word"):
        assert secret not in f"{found.value} {found.value!r} {journal!r} {found.value.__cause__!r}"
    await journal.close()


@pytest.mark.parametrize(
    "conninfo",
    ["host=h password=half wr@ng", "postgresql://u:p@ss-word@h/d", "postgresql://h?passwort=ss-word", "nonsense"],
)
def test_an_address_that_cannot_be_read_is_not_repeated(conninfo: str) -> None:
    with pytest.raises(UsageError, match="cannot be read") as found:
        PostgresJournal(conninfo)
    assert not any(word in str(found.value) for word in ("ss-word", "half", "wr@ng", "nonsense"))


async def test_a_user_who_may_not_make_the_tables_is_told_who_can(server: PostgresServer, schema: str) -> None:
    role = f"guest_{secrets.token_hex(4)}"
    with psycopg.connect(server.address, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
    address = server.address.replace(f"{USER}@", f"{role}@")
    journal = PostgresJournal(address, schema=schema)
    with pytest.raises(JournalError, match=r"CREATE SCHEMA .* AUTHORIZATION"):
        await journal.append("a", 1, [start("a")])
    await journal.close()
    owner = await begun(PostgresJournal(server.address, schema=schema))
    journal = PostgresJournal(address, schema=schema)
    with pytest.raises(JournalError, match="may not do that"):
        await journal.read("a")
    await journal.close()
    await owner.close()


async def test_a_server_that_only_answers_questions(server: PostgresServer, schema: str) -> None:
    await (await begun(PostgresJournal(server.address, schema=schema))).close()
    address = f"{server.address}&options=-cdefault_transaction_read_only%3Don"
    journal = PostgresJournal(address, schema=schema, patience=0.2)
    assert await journal.read("a") == [start("a")]
    with pytest.raises(JournalError, match="takes nothing new"):
        await journal.append("a", 2, [note("never")])
    await journal.close()


async def test_a_newer_version_is_left_alone(server: PostgresServer, schema: str) -> None:
    await (await begun(PostgresJournal(server.address, schema=schema))).close()
    order(server, schema, "UPDATE {schema}.journal SET version = 2")
    journal = PostgresJournal(server.address, schema=schema)
    with pytest.raises(JournalError, match=r"newer version of loopwright \(tables 2; this version knows 1\)"):
        await journal.append("a", 2, [note("never")])
    await journal.close()
    order(server, schema, "UPDATE {schema}.journal SET version = 1")


async def test_other_tables_are_left_as_they_are(server: PostgresServer, schema: str) -> None:
    order(server, schema, "CREATE SCHEMA {schema}")
    order(server, schema, "CREATE TABLE {schema}.events (party text)")
    journal = PostgresJournal(server.address, schema=schema)
    with pytest.raises(JournalError, match="has other tables, which were left as they are"):
        await journal.append("a", 1, [start("a")])
    await journal.close()
    assert order(server, schema, "SELECT to_regclass('{schema}.runs'), * FROM {schema}.events") == []


async def test_tables_that_are_gone_are_missed(server: PostgresServer, schema: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    order(server, schema, "DROP TABLE {schema}.events")
    with pytest.raises(JournalError, match="are not there"):
        await journal.read("a")
    await journal.close()


# Many at once


async def test_many_make_the_tables_at_once(server: PostgresServer, schema: str) -> None:
    journals = [PostgresJournal(server.address, schema=schema) for _ in range(12)]
    await asyncio.gather(*(begun(journal, f"run {number}") for number, journal in enumerate(journals)))
    assert len(await journals[0].runs()) == 12
    for journal in journals:
        await journal.close()


def test_one_journal_in_several_event_loops(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(server.address, schema=schema)
    asyncio.run(tell(journal, "first"))
    asyncio.run(tell(journal, "second"))
    threads = [Thread(target=asyncio.run, args=(tell(journal, f"of thread {number}"),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asyncio.run(journal.runs())) == 6
    asyncio.run(journal.close())


async def test_more_appends_at_once_than_connections(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(f"{server.address}&application_name=counted", schema=schema)
    await asyncio.gather(*(tell(journal, f"run {number}") for number in range(60)))
    ((count,),) = order(server, schema, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'")
    assert count <= 8
    assert len(await journal.runs(100)) == 60
    await journal.close()


async def test_a_cancelled_append_leaves_a_connection_that_can_be_used(server: PostgresServer, schema: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    with psycopg.connect(server.address) as holder:
        holder.execute(sql.SQL("LOCK TABLE {}.events").format(sql.Identifier(schema)))
        append = asyncio.ensure_future(journal.append("a", 2, [note("cancelled")]))
        await asyncio.sleep(0.2)
        append.cancel()
        with pytest.raises(asyncio.CancelledError):
            await append
    assert await journal.read("a") == [start("a")]
    await journal.append("a", 2, [note("next")])
    await journal.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
async def test_a_forked_process_is_told_to_open_another_one(
    server: PostgresServer, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(JournalError, match="open when this process forked"):
        await journal.read("a")
    monkeypatch.undo()
    await journal.close()


# What is stored


@pytest.mark.parametrize("run_id", ["nul \0 inside", "long" * 10_000, "\U0001f600 'quoted\" %s {x}", " ", "\\x00"])
async def test_any_text_is_a_name(server: PostgresServer, schema: str, run_id: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema), run_id)
    await journal.append(run_id, 2, [note("nul \0 in a text")])
    assert await journal.read(run_id) == [start(run_id), note("nul \0 in a text")]
    assert [line.run_id for line in await journal.runs()] == [run_id]
    await journal.close()


async def test_the_encoding_of_the_database_does_not_matter(server: PostgresServer, schema: str) -> None:
    order(server, schema, "CREATE DATABASE {schema} TEMPLATE template0 ENCODING 'LATIN1'")
    address = server.address.replace("/postgres?", f"/{quote(schema, safe='')}?")
    journal = await begun(PostgresJournal(address), "Größe \U0001f600")
    with pytest.raises(JournalError, match=f"no content {'0' * 64}"):
        await journal.append("Größe \U0001f600", 2, [referring("0" * 64)])
    assert (await journal.runs())[0].task == "task of Größe \U0001f600"
    await journal.close()


def referring(digest: str) -> CallEnded:
    return CallEnded(call_id="1.1", result=Result(data=Raw(b"1"), artifacts=(Content(digest, 1, "image/png"),)))


async def test_half_of_a_surrogate_pair_is_no_name(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(server.address, schema=schema)
    with pytest.raises(UnknownRun, match="not text"):
        await journal.read("\ud800")
    await journal.close()


async def test_a_body_is_stored_once(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(server.address, schema=schema)
    for run_id in ("a", "b", "c"):
        await tell(journal, run_id)
    ((count,),) = order(server, schema, "SELECT count(*) FROM {schema}.bodies")
    assert count == 5
    await journal.close()


async def test_the_bytes_are_those_of_the_file(server: PostgresServer, schema: str, tmp_path: Path) -> None:
    """A run has the same rows and the same chain wherever it is kept."""
    journal, file = PostgresJournal(server.address, schema=schema), SqliteJournal(tmp_path / "journal.db")
    for store in (journal, file):
        await tell(store, "a")
    assert await journal.rows("a") == await file.rows("a")
    await journal.close()
    await file.close()


@pytest.mark.parametrize(
    ("change", "seq", "what"),
    [
        ("UPDATE {schema}.events SET event = event || ' ' WHERE seq = 4", 4, "it is not as it was written"),
        ("UPDATE {schema}.events SET digest = sha256(digest) WHERE seq = 1", 1, "it is not as it was written"),
        ("DELETE FROM {schema}.events WHERE seq = 3", 3, "it is missing"),
        ("UPDATE {schema}.bodies SET content = content || ' ' WHERE length(content) > 5000", 5, "is not as it was"),
        ("DELETE FROM {schema}.bodies WHERE length(content) > 5000", 5, "is missing"),
    ],
)
async def test_a_change_is_found(
    server: PostgresServer, schema: str, change: LiteralString, seq: int, what: str
) -> None:
    journal = PostgresJournal(server.address, schema=schema)
    await tell(journal, "a")
    assert await journal.damage("a") is None
    order(server, schema, change)
    damage = await journal.damage("a")
    assert damage is not None
    assert damage.seq == seq
    assert what in damage.what
    await journal.close()


async def test_a_run_that_lost_an_event_says_so_and_hides_no_other(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(server.address, schema=schema)
    for run_id in ("a", "b"):
        await tell(journal, run_id)
    order(server, schema, "DELETE FROM {schema}.events WHERE run = 1 AND seq = 3")
    with pytest.raises(JournalError, match="has lost event 3"):
        await journal.read("a")
    order(server, schema, "DELETE FROM {schema}.events WHERE run = 1 AND seq = 1")
    assert [(line.run_id, bool(line.damaged)) for line in await journal.runs()] == [("b", False), ("a", True)]
    await journal.close()


async def test_large_bodies(server: PostgresServer, schema: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    events: list[Event] = [
        CallEnded(call_id=f"1.{number}", result=Result(data=Raw(b'"' + secrets.token_hex(6_000_000).encode() + b'"')))
        for number in range(1, 4)
    ]
    await journal.append("a", 2, events)
    assert await journal.read("a", after=1) == events
    assert await journal.damage("a") is None
    last = events[-1]
    assert isinstance(last, CallEnded)
    name = sha256(bytes(last.result.data)).hexdigest()
    assert await journal.content(name) == bytes(last.result.data)
    await journal.close()


async def test_an_append_waits_for_the_disk_where_the_server_would_not(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(f"{server.address}&options=-csynchronous_commit%3Doff", schema=schema)
    refuse_unless_durable: LiteralString = """CREATE FUNCTION {schema}.durable() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF current_setting('synchronous_commit') = 'off' THEN RAISE 'not durable'; END IF; RETURN NEW; END $$"""
    await begun(journal)
    order(server, schema, refuse_unless_durable)
    order(
        server,
        schema,
        "CREATE TRIGGER durable BEFORE INSERT ON {schema}.events FOR EACH ROW EXECUTE FUNCTION {schema}.durable()",
    )
    await journal.append("a", 2, [note("durable")])
    await journal.close()


# Leases and letters


async def test_a_lease_ends_by_the_clock_of_the_server(server: PostgresServer, schema: str) -> None:
    mine, other = (PostgresJournal(server.address, schema=schema) for _ in range(2))
    first = await mine.take("a", 60)
    with pytest.raises(Conflict, match=r"another process is working on run a: .*free in \d+ seconds"):
        await other.take("a", 60)
    order(server, schema, "UPDATE {schema}.leases SET until = until - interval '61 seconds'")
    second = await other.take("a", 60)
    assert second.token > first.token
    with pytest.raises(Conflict, match="took run a over"):
        await mine.renew(first, 60)
    await mine.release(first)  # that of somebody else stays
    await other.renew(second, 60)
    with pytest.raises(Conflict):
        await mine.take("a", 60)
    await other.release(second)
    third = await mine.take("a", 60)
    assert third.token > second.token
    for journal in (mine, other):
        await journal.close()


async def test_of_many_who_take_a_run_one_has_it(server: PostgresServer, schema: str) -> None:
    journals = [PostgresJournal(server.address, schema=schema) for _ in range(6)]
    taken = await asyncio.gather(*(journal.take("a", 60) for journal in journals), return_exceptions=True)
    assert sorted(type(one).__name__ for one in taken) == ["Conflict"] * 5 + ["Lease"]
    for journal in journals:
        await journal.close()


async def test_letters_come_in_order_and_none_is_missed(server: PostgresServer, schema: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    await begun(journal, "b")
    seen: list[int] = []
    over = False

    async def look() -> None:
        while not over:
            seen.extend(one.number for one in await journal.inbox("a", seen[-1] if seen else 0))
            await asyncio.sleep(0)

    looking = asyncio.ensure_future(look())
    sent = await asyncio.gather(*(journal.send("ab"[number % 2], Say(text=str(number))) for number in range(80)))
    over = True
    await looking
    seen.extend(one.number for one in await journal.inbox("a", seen[-1]))
    assert seen == sorted(sent[::2])
    assert [one.number for one in await journal.inbox("b")] == sorted(sent[1::2])
    await journal.close()


async def test_a_letter_whose_connection_is_lost_is_sent_once(server: PostgresServer, schema: str) -> None:
    async with Relay(server.port, b"inbox").running() as relay:
        journal = await begun(PostgresJournal(through(relay, server), schema=schema))
        relay.cut = "after"
        number = await journal.send("a", Cancel())
        assert relay.cuts == 1
        assert [one.number for one in await journal.inbox("a")] == [number]
        await journal.close()
        hasty = PostgresJournal(through(relay, server), schema=schema, patience=0.2)
        assert await hasty.read("a") == [start("a")]
        relay.cut, relay.deaf = "after", True
        with pytest.raises(JournalError, match="Whether the letter to run a arrived is not known"):
            await hasty.send("a", Cancel())
        await hasty.close()


async def test_the_lease_of_a_dead_process_of_this_machine_is_free_at_once(server: PostgresServer, schema: str) -> None:
    program = (
        "import asyncio, os, sys\n"
        "from loopwright.journal.postgres import PostgresJournal\n"
        "journal = PostgresJournal(sys.argv[1], schema=sys.argv[2])\n"
        "print(asyncio.run(journal.take('a', 600)).token, flush=True)\n"
        "sys.stdin.read()\n"
    )
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, server.address, schema, stdin=PIPE, stdout=PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"1\n"
    journal = PostgresJournal(server.address, schema=schema)
    with pytest.raises(Conflict, match="where its machine is gone, the run is free in"):
        await journal.take("a", 60)
    holder.kill()
    await holder.wait()
    assert (await journal.take("a", 60)).token == 2
    await journal.close()


async def test_letters_read_as_they_were_sent(server: PostgresServer, schema: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    letters = [Approve(call_id="1.1", allowed=True, arguments={"a": [1, None]}), Say(text="nul \0"), Cancel(by="me")]
    for letter in letters:
        await journal.send("a", letter)
    assert [one.letter for one in await journal.inbox("a")] == letters
    with pytest.raises(UnknownRun):
        await journal.send("nobody", Cancel())
    with pytest.raises(JournalError):
        await journal.send("a", Say(text="\ud800"))
    assert await journal.inbox("nobody") == []
    await journal.close()


# Forks


async def test_a_fork_of_a_fork_shares_what_was_before(server: PostgresServer, schema: str) -> None:
    journal = PostgresJournal(server.address, schema=schema)
    await tell(journal, "root")
    whole = [event for batch in story("root") for event in batch]
    first, second, third = forked("first", "root", 5), forked("second", "first", 6), forked("third", "second", 3)
    await journal.append("first", 6, [first, note("of the first")])
    await journal.append("second", 7, [second])
    await journal.append("third", 4, [third, note("of the third")])
    assert await journal.read("first") == [*whole[:5], first, note("of the first")]
    assert await journal.read("second") == [*whole[:5], first, second]
    assert await journal.read("third") == [*whole[:3], third, note("of the third")]
    assert await journal.read("third", after=4) == [note("of the third")]
    for run_id in ("root", "first", "second", "third"):
        assert await journal.damage(run_id) is None
    assert [link.run_id for link in await journal.rows("second")] == ["root"] * 5 + ["first", "second"]
    order(server, schema, "UPDATE {schema}.events SET event = event || ' ' WHERE run = 1 AND seq = 4")
    assert [(await journal.damage(run_id)) is None for run_id in ("second", "third")] == [False, True]
    await journal.close()


async def test_a_fork_of_what_is_not_there(server: PostgresServer, schema: str) -> None:
    journal = await begun(PostgresJournal(server.address, schema=schema))
    for parent, after in (("nobody", 1), ("a", 2)):
        with pytest.raises(UnknownRun):
            await journal.append("fork", after + 1, [forked("fork", parent, after)])
    await journal.append("fork", 2, [forked("fork", "a", 1)])
    with pytest.raises(Conflict):
        await journal.append("fork", 2, [forked("fork", "a", 1)])
    with pytest.raises(Conflict):
        await journal.append("fork", 1, [start("fork")])
    await journal.close()


def forked(run_id: str, parent: str, after: int) -> RunForked:
    return RunForked(started=start(run_id), parent=parent, after=after)


# Opening


def test_an_address_opens_a_server(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(journal_at(server.network_address), PostgresJournal)
    monkeypatch.setenv("LOOPWRIGHT_JOURNAL", server.network_address)
    assert isinstance(journal_at(), PostgresJournal)
    assert server.password not in repr(journal_at())
    with pytest.raises(JournalError, match="closed"):
        asyncio.run(closed())


async def closed() -> None:
    journal = journal_at()
    await journal.close()
    await journal.runs()


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("loopwright.journal.postgres", "loopwright.journal.postgres_server"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install 'loopwright\[postgres\]'"):
        journal_at("postgresql://here/facts")
