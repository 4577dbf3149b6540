"""The SQLite journal: its file, other processes and threads, and everything that can go wrong on a disk."""

import asyncio
import os
import resource
import shutil
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, JournalError, UnknownRun, UsageError
from loopwright.core.events import Event, ModelReplied, NoteAdded, RunStarted
from loopwright.core.messages import Turn
from loopwright.journal.sqlite import SqliteJournal
from loopwright.journal.sqlite_file import APPLICATION, PAGE, VERSION
from loopwright.journal.sqlite_rows import RUNS
from loopwright.testing.journal_process import story, tell


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[SqliteJournal]:
    journal = SqliteJournal(tmp_path / "journal.db")
    yield journal
    await journal.close()


def _start(run_id: str) -> RunStarted:
    return RunStarted(run_id=run_id, task="", model="")


def _flat(batches: list[list[Event]]) -> list[Event]:
    return [event for batch in batches for event in batch]


def _change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def _files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_nothing_is_made_before_the_first_use(tmp_path: Path) -> None:
    await SqliteJournal(tmp_path / "new" / "journal.db").close()
    assert _files(tmp_path) == []


async def test_only_the_owner_can_read_the_file_and_its_folder(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "new" / "journal.db")
    await tell(journal, "a")
    assert _mode(tmp_path / "new") == 0o700
    files = _files(tmp_path / "new")
    assert files == ["journal.db", "journal.db-shm", "journal.db-wal"]
    assert {_mode(tmp_path / "new" / file) for file in files} == {0o600}
    await journal.close()
    assert _files(tmp_path / "new") == ["journal.db"]


async def test_the_file_says_what_it_is(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    connection = sqlite3.connect(journal.path)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
async def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "other.db"
    _change(path, f"PRAGMA journal_mode = {mode}", "CREATE TABLE events (mine)")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="not a loopwright journal"):
        await SqliteJournal(path).append("a", 1, [_start("a")])
    assert path.read_bytes() == before
    assert _files(tmp_path) == [path.name]


async def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Buy milk.\n" * 200)
    with pytest.raises(JournalError, match="not a loopwright journal"):
        await SqliteJournal(path).read("a")
    assert path.read_text() == "Buy milk.\n" * 200
    assert _files(tmp_path) == [path.name]


async def test_an_empty_file_becomes_a_journal(tmp_path: Path) -> None:
    (tmp_path / "journal.db").touch()
    journal = SqliteJournal(tmp_path / "journal.db")
    await tell(journal, "a")
    assert len(await journal.read("a")) == 8
    await journal.close()


async def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="LOOPWRIGHT_JOURNAL"):
        await SqliteJournal(tmp_path).runs()


async def test_a_place_beneath_a_file_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match="LOOPWRIGHT_JOURNAL"):
        await SqliteJournal(tmp_path / "file" / "journal.db").runs()


def test_a_journal_in_memory_is_another_class() -> None:
    with pytest.raises(UsageError, match="MemoryJournal"):
        SqliteJournal(":memory:")


async def test_a_path_with_signs_that_addresses_use(tmp_path: Path) -> None:
    path = tmp_path / "what? 100% #1 äö" / "journal.db"
    for run_id in ("a", "b"):
        journal = SqliteJournal(path)
        await tell(journal, run_id)
        await journal.close()
    assert _files(path.parent) == ["journal.db"]


async def test_tables_of_a_newer_version_are_refused(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    _change(journal.path, f"PRAGMA user_version = {VERSION + 1}")
    newer = SqliteJournal(journal.path)
    with pytest.raises(JournalError, match="newer version"):
        await newer.append("a", 9, [NoteAdded(kind="empty")])
    with pytest.raises(JournalError, match="newer version"):
        await newer.runs()


async def test_a_journal_whose_tidying_up_was_cut_short_is_still_one(tmp_path: Path) -> None:
    """A checkpoint writes the first page first: then the header promises pages that are not in the file yet."""
    journal = SqliteJournal(tmp_path / "journal.db")
    await tell(journal, "a")
    await journal.append("a", 9, [ModelReplied(turn=Turn(), raw=os.urandom(50_000))])  # more pages than at first
    (tmp_path / "left").mkdir()
    for file in ("journal.db", "journal.db-wal"):
        shutil.copy(tmp_path / file, tmp_path / "left")
    await journal.close()
    left = tmp_path / "left" / "journal.db"
    content = bytearray(left.read_bytes())
    content[28:32] = (10_000).to_bytes(4, "big")
    left.write_bytes(content)
    again = SqliteJournal(left)
    assert (await again.read("a"))[:-1] == _flat(story("a"))
    await again.close()


async def test_a_writer_waits_while_another_process_holds_the_file_and_the_loop_goes_on(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    other = sqlite3.connect(journal.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(journal.append("a", 9, [NoteAdded(kind="empty")]))
    await asyncio.sleep(0.03)
    assert not waiting.done()
    assert len(await journal.read("a")) == 8
    other.execute("ROLLBACK")
    await waiting
    assert len(await journal.read("a")) == 9
    other.close()


async def test_patience_ends(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db", patience=0.02)
    await tell(journal, "a")
    other = sqlite3.connect(journal.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError, match="locked"):
        await journal.append("a", 9, [NoteAdded(kind="empty")])
    other.execute("ROLLBACK")
    other.close()
    await journal.append("a", 9, [NoteAdded(kind="empty")])
    await journal.close()


async def test_a_cancelled_wait_writes_nothing(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    other = sqlite3.connect(journal.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(journal.append("a", 9, [NoteAdded(kind="empty")]))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    other.execute("ROLLBACK")
    other.close()
    assert len(await journal.read("a")) == 8


async def test_a_full_disk_writes_nothing(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    connection = journal._opened  # pyright: ignore[reportPrivateUsage]
    assert connection is not None
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    large = ModelReplied(turn=Turn(), raw=os.urandom(100_000))
    with pytest.raises(JournalError, match="free some space"):
        await journal.append("a", 9, [NoteAdded(kind="empty"), large])
    assert await journal.read("a") == _flat(story("a"))
    assert not connection.in_transaction
    connection.execute("PRAGMA max_page_count = 100000")
    await journal.append("a", 9, [NoteAdded(kind="empty"), large])
    assert (await journal.read("a"))[-1] == large


async def test_a_file_that_may_not_grow_writes_nothing(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    large = ModelReplied(turn=Turn(), raw=os.urandom(1_000_000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, before[1]))
    try:
        with pytest.raises(JournalError, match="free space"):
            await journal.append("a", 9, [NoteAdded(kind="empty"), large])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert await journal.read("a") == _flat(story("a"))
    await journal.append("a", 9, [large])
    assert await journal.read("a", after=8) == [large]


async def test_several_journals_made_at_once_at_one_place(tmp_path: Path) -> None:
    """Whoever comes second finds what the first one made, or waits for it."""

    def work(name: str) -> None:
        asyncio.run(tell(SqliteJournal(tmp_path / "journal.db"), name))

    names = [f"run {number}" for number in range(8)]
    await asyncio.gather(*(asyncio.to_thread(work, name) for name in names))
    journal = SqliteJournal(tmp_path / "journal.db")
    assert {line.run_id for line in await journal.runs()} == set(names)
    await journal.close()


async def test_a_table_that_is_missing_is_an_error(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    _change(journal.path, "DROP TABLE bodies")
    with pytest.raises(JournalError, match="no such table"):
        await journal.read("a")


async def test_a_journal_that_may_only_be_read_says_so(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    connection = journal._opened  # pyright: ignore[reportPrivateUsage]
    assert connection is not None
    connection.execute("PRAGMA query_only = ON")
    with pytest.raises(JournalError, match="must be writable"):
        await journal.append("a", 9, [NoteAdded(kind="empty")])
    assert len(await journal.read("a")) == 8


async def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    await tell(journal, "a")
    await journal.close()
    content = bytearray(journal.path.read_bytes())
    content[PAGE:] = b"\xa5" * (len(content) - PAGE)
    journal.path.write_bytes(content)
    damaged = SqliteJournal(journal.path)
    with pytest.raises(JournalError, match="restore it from a copy"):
        await damaged.append("b", 1, [_start("b")])
    await damaged.close()


async def test_a_lost_body_is_an_error_and_is_found(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    _change(journal.path, "DELETE FROM bodies")
    with pytest.raises(JournalError, match="lost the content"):
        await journal.read("a")
    assert await journal.verify("a") == 3
    assert [line.status for line in await journal.runs()] == ["answered"]


async def test_a_lost_event_is_an_error_and_is_found(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    _change(journal.path, "DELETE FROM events WHERE seq = 4")
    with pytest.raises(JournalError, match="lost event 4"):
        await journal.read("a")
    assert await journal.verify("a") == 4


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE events SET row = replace(row, 'Oslo', 'Rome') WHERE seq = 3", 3),
        ("UPDATE events SET digest = zeroblob(32) WHERE seq = 2", 2),
        ("UPDATE bodies SET content = CAST('{}' AS BLOB) WHERE content = CAST('{\"choices\": [2]}' AS BLOB)", 7),
        ("UPDATE events SET run_id = 'b'", 1),
        ("UPDATE events SET row = x'00' WHERE seq = 5", 5),
    ],
    ids=["an argument", "a digest", "a reply", "the run", "a row made unreadable"],
)
async def test_tampering_is_found(journal: SqliteJournal, statement: str, found: int) -> None:
    await tell(journal, "a")
    assert await journal.verify("a") is None
    _change(journal.path, statement)
    assert await journal.verify("b" if "'b'" in statement else "a") == found


async def test_auditing_a_run_that_is_not_there(journal: SqliteJournal) -> None:
    for audit in (journal.rows("a"), journal.verify("a")):
        with pytest.raises(UnknownRun):
            await audit


async def test_the_same_body_is_stored_once(journal: SqliteJournal) -> None:
    for run_id in ("a", "b"):
        await tell(journal, run_id)
    connection = sqlite3.connect(journal.path)
    assert connection.execute("SELECT count(*) FROM bodies").fetchone() == (5,)
    connection.close()


async def test_the_key_alone_keeps_a_second_writer_out(journal: SqliteJournal) -> None:
    """What the journal refuses, the table refuses too."""
    await tell(journal, "a")
    with pytest.raises(sqlite3.IntegrityError):
        _change(journal.path, "INSERT INTO events VALUES ('a', 8, x'', x'')")


async def test_the_list_of_runs_reads_no_more_than_it_shows(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    connection = sqlite3.connect(journal.path)
    plan = [row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + RUNS, (50,))]
    connection.close()
    assert [step for step in plan if step.startswith("SCAN")] == ["SCAN runs"]
    assert not [step for step in plan if "TEMP B-TREE" in step]


async def test_a_journal_that_survives_a_power_cut_waits_for_the_disk(tmp_path: Path) -> None:
    plain = SqliteJournal(tmp_path / "plain.db")
    careful = SqliteJournal(tmp_path / "careful.db", survives="power_cut")
    for journal, expected in ((plain, 1), (careful, 2)):
        await tell(journal, "a")
        await journal.runs()
        assert journal._opened is not None  # pyright: ignore[reportPrivateUsage]
        assert journal._opened.execute("PRAGMA synchronous").fetchone() == (expected,)  # pyright: ignore[reportPrivateUsage]
        await journal.close()


async def test_threads_with_loops_of_their_own_share_a_journal(journal: SqliteJournal) -> None:
    won: list[str] = []

    async def work(name: str) -> None:
        await journal.append(name, 1, [_start(name)])
        for seq in range(2, 40):
            await journal.append(name, seq, [NoteAdded(kind="empty", detail=name)])
            try:
                event = _start("shared") if seq == 2 else NoteAdded(kind="empty", detail=name)
                await journal.append("shared", seq - 1, [event])
            except Conflict:
                continue
            won.append(name)

    threads = [threading.Thread(target=asyncio.run, args=(work(f"thread {number}"),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert len(won) == len(await journal.read("shared")) == 38
    for number in range(4):
        assert len(await journal.read(f"thread {number}")) == 39
        assert await journal.verify(f"thread {number}") is None


async def test_a_journal_that_was_open_when_the_process_forked(journal: SqliteJournal) -> None:
    """A connection in two processes damages the file; the child is told so, and its end does not close the parent's."""
    await tell(journal, "a")
    journal._process -= 1  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(JournalError, match="forked"):
        await journal.append("a", 9, [NoteAdded(kind="empty")])
    journal._process += 1  # pyright: ignore[reportPrivateUsage]
    await journal.append("a", 9, [NoteAdded(kind="empty")])


async def test_a_run_id_that_is_no_text_is_an_unknown_run(journal: SqliteJournal) -> None:
    with pytest.raises(UnknownRun):
        await journal.read("\udcff")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE events SET row = x'00' WHERE run_id = 'b' AND seq = 1", "first event of run b is damaged"),
        ("UPDATE events SET row = 'text' WHERE run_id = 'b' AND seq = 8", "event 8 of run b is damaged"),
        ("DELETE FROM events WHERE run_id = 'b' AND seq = 1", "lost event 1"),
        ("DELETE FROM events WHERE run_id = 'b'", "lost event 1"),
    ],
    ids=["first row", "last row", "no first row", "no rows"],
)
async def test_a_damaged_run_hides_no_other(journal: SqliteJournal, statement: str, words: str) -> None:
    for run_id in ("a", "b", "c"):
        await tell(journal, run_id)
    _change(journal.path, statement)
    listed = await journal.runs()
    assert [line.run_id for line in listed] == ["c", "b", "a"]
    assert [words in line.damaged for line in listed] == [False, True, False]
    assert listed[0].status == "answered"


async def test_a_conflict_says_whose_fault_it_is(journal: SqliteJournal) -> None:
    await tell(journal, "a")
    with pytest.raises(Conflict, match="a run of the name a already"):
        await journal.append("a", 1, [_start("a")])
    with pytest.raises(Conflict, match="another process is working on run a"):
        await journal.append("a", 8, [NoteAdded(kind="empty")])
