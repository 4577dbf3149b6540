"""The SQLite journal: files of version 1, forks whose lines are damaged, leases and clocks, and writing together."""

import asyncio
import os
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.errors import Conflict, JournalError, UnknownRun
from loopwright.core.events import Event, ModelReplied, NoteAdded, RunForked, RunStarted
from loopwright.core.inbox import Cancel
from loopwright.core.messages import Turn
from loopwright.journal.base import Damage
from loopwright.journal.sqlite import SqliteJournal
from loopwright.journal.sqlite_bodies import LEAST, MOST
from loopwright.journal.sqlite_file import VERSION
from loopwright.testing.journal_process import tell

SAMPLE = Path(__file__).parent / "samples" / "format-1.db"


@pytest.fixture
async def careful(tmp_path: Path) -> AsyncIterator[SqliteJournal]:
    journal = SqliteJournal(tmp_path / "journal.db", survives="power_cut")
    yield journal
    await journal.close()


def _execute(path: Path, statement: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def _start(run_id: str) -> RunStarted:
    return RunStarted(run_id=run_id, task="", model="")


def _note(detail: str = "") -> NoteAdded:
    return NoteAdded(kind="empty", detail=detail)


def _fork(run_id: str, parent: str, after: int) -> RunForked:
    return RunForked(started=_start(run_id), parent=parent, after=after)


async def _line(path: Path) -> None:
    """A run of 8 events, a fork of it, and a fork of that."""
    journal = SqliteJournal(path)
    await tell(journal, "a")
    await journal.append("b", 6, [_fork("b", "a", 5), _note("b7")])
    await journal.append("c", 8, [_fork("c", "b", 7), _note("c9")])
    await journal.close()


async def test_a_file_of_version_1_is_brought_up_to_date(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLE, tmp_path / "journal.db"))
    assert _execute(path, "PRAGMA user_version") == [(1,)]
    journal = SqliteJournal(path)
    events = await journal.read("native")
    await journal.append("fork", 4, [_fork("fork", "native", 3)])
    assert (await journal.read("fork"))[:3] == events[:3]
    await journal.take("native", 60.0)
    assert await journal.send("native", Cancel()) == 1
    for run_id in ("native", "fork"):
        assert await journal.damage(run_id) is None
    await journal.close()
    assert _execute(path, "PRAGMA user_version") == [(VERSION,)]


async def test_several_bring_a_file_up_to_date_at_once(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLE, tmp_path / "journal.db"))

    def work() -> int:
        return len(asyncio.run(SqliteJournal(path).runs()))

    assert set(await asyncio.gather(*(asyncio.to_thread(work) for _ in range(6)))) == {6}


async def test_tables_that_cannot_be_brought_up_to_date_stay_as_they_are(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLE, tmp_path / "journal.db"))
    _execute(path, "CREATE TABLE inbox (mine)")
    with pytest.raises(JournalError, match="already exists"):
        await SqliteJournal(path).runs()
    assert _execute(path, "PRAGMA user_version") == [(1,)]
    assert [row[1] for row in _execute(path, "PRAGMA table_info(runs)")] == ["number", "run_id"]


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE events SET row = replace(row, 'Oslo', 'Rome') WHERE run_id = 'a' AND seq = 3", 3),
        ("UPDATE events SET digest = zeroblob(32) WHERE run_id = 'a' AND seq = 5", 5),
        ("UPDATE events SET row = replace(row, 'b7', 'b8') WHERE run_id = 'b' AND seq = 7", 7),
        ("UPDATE bodies SET content = CAST('{}' AS BLOB) WHERE content = CAST('{\"choices\": [1]}' AS BLOB)", 3),
        ("DELETE FROM events WHERE run_id = 'a' AND seq = 2", 2),
        ("DELETE FROM events WHERE run_id = 'a' AND seq >= 5", 5),
        ("DELETE FROM events WHERE run_id = 'a'", 1),
        ("DELETE FROM events WHERE run_id = 'b'", 6),
        ("DELETE FROM runs WHERE run_id = 'b'", 1),
        ("UPDATE runs SET parent = 'nobody' WHERE run_id = 'b'", 1),
        ("UPDATE runs SET parent = 'c' WHERE run_id = 'b'", 1),
        ("UPDATE runs SET parent = 'c' WHERE run_id = 'c'", 1),
        ("UPDATE runs SET parent = NULL WHERE run_id = 'c'", 1),
        ("UPDATE runs SET parent = 'a' WHERE run_id = 'c'", 8),
        ("UPDATE runs SET after = 4 WHERE run_id = 'b'", 5),
        ("UPDATE runs SET after = 'text' WHERE run_id = 'b'", 1),
    ],
)
async def test_damage_to_what_is_shared_is_found_from_the_fork(tmp_path: Path, statement: str, found: int) -> None:
    path = tmp_path / "journal.db"
    await _line(path)
    _execute(path, statement)
    journal = SqliteJournal(path)
    damage = await journal.damage("c")
    assert damage is not None
    assert damage.seq == found
    if damage.what == "it is missing":
        with pytest.raises((JournalError, UnknownRun)):
            await journal.read("c")
    assert len(await journal.runs()) >= 2
    await journal.close()


async def test_a_change_of_a_fork_is_none_of_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await _line(path)
    _execute(path, "UPDATE events SET row = replace(row, 'b7', 'b8') WHERE run_id = 'b'")
    journal = SqliteJournal(path)
    assert [await journal.damage(run_id) for run_id in ("a", "b")] == [None, Damage(7, "it is not as it was written")]
    await journal.close()


async def test_a_fork_of_a_parent_in_a_circle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await _line(path)
    _execute(path, "UPDATE runs SET parent = 'c' WHERE run_id = 'b'")
    journal = SqliteJournal(path)
    with pytest.raises(UnknownRun):
        await journal.append("d", 4, [_fork("d", "c", 3)])
    await journal.close()


@pytest.mark.parametrize("jump", [-3600.0, 3600.0])
async def test_a_clock_that_jumps_lets_no_lease_hold_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    await journal.take("a", 30.0)
    now = time.time()
    with pytest.raises(Conflict):
        await journal.take("a", 30.0)
    monkeypatch.setattr(time, "time", lambda: now + jump)
    await journal.take("a", 30.0)
    await journal.close()


async def test_a_clock_that_is_put_right_by_a_little_ends_no_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    await journal.take("a", 30.0)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 2)
    with pytest.raises(Conflict):
        await journal.take("a", 30.0)
    await journal.close()


@pytest.mark.parametrize(
    ("content", "less"),
    [
        (b"a" * (LEAST - 1), False),
        (b"a" * LEAST, True),
        (b"ab" * 10_000, True),
        (b"a" * MOST, True),
        (b"a" * (MOST + 1), False),
        (os.urandom(4000), False),
    ],
    ids=["small", "just large enough", "large", "at most", "too large", "nothing to gain"],
)
async def test_a_body_is_compressed_where_that_pays_and_comes_back(tmp_path: Path, content: bytes, less: bool) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    await journal.append("a", 1, [_start("a"), ModelReplied(turn=Turn(), raw=content)])
    assert await journal.read("a", 1) == [ModelReplied(turn=Turn(), raw=content)]
    assert await journal.damage("a") is None
    ((stored, size),) = _execute(journal.path, "SELECT length(content), size FROM bodies")
    assert (stored < len(content), size) == (less, len(content) if less else 0)
    await journal.close()


async def test_appends_that_come_together_are_committed_together(careful: SqliteJournal) -> None:
    await careful.append("first", 1, [_start("first")])
    group = careful._group  # pyright: ignore[reportPrivateUsage]
    assert group is not None
    connection = group._opened  # pyright: ignore[reportPrivateUsage]
    assert connection is not None
    statements = list[str]()
    connection.set_trace_callback(statements.append)
    await asyncio.gather(*(careful.append(f"run {number}", 1, [_start(f"run {number}")]) for number in range(20)))
    connection.set_trace_callback(None)
    assert statements.count("COMMIT") == 1
    assert len(await careful.runs()) == 21


async def test_of_appends_that_come_together_only_the_one_that_is_wrong_fails(careful: SqliteJournal) -> None:
    await careful.append("a", 1, [_start("a")])
    found = await asyncio.gather(
        careful.append("b", 1, [_start("b")]),
        careful.append("a", 1, [_start("a")]),
        careful.append("a", 2, [_note("first")]),
        careful.append("a", 2, [_note("second")]),
        careful.append("c", 3, [_fork("c", "a", 2)]),
        careful.append("d", 2, [_fork("d", "nobody", 1)]),
        return_exceptions=True,
    )
    assert [type(one) for one in found] == [type(None), Conflict, type(None), Conflict, type(None), UnknownRun]
    assert await careful.read("c") == [_start("a"), _note("first"), _fork("c", "a", 2)]
    for run_id in ("a", "b", "c"):
        assert await careful.damage(run_id) is None


async def test_a_full_disk_fails_those_that_do_not_fit(careful: SqliteJournal) -> None:
    await careful.append("a", 1, [_start("a")])
    group = careful._group  # pyright: ignore[reportPrivateUsage]
    assert group is not None
    connection = group._opened  # pyright: ignore[reportPrivateUsage]
    assert connection is not None
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    large: list[Event] = [_start("b"), ModelReplied(turn=Turn(), raw=os.urandom(100_000))]
    found = await asyncio.gather(
        careful.append("a", 2, [_note("small")]), careful.append("b", 1, large), return_exceptions=True
    )
    assert found[0] is None
    assert "free some space" in str(found[1])
    assert await careful.read("a") == [_start("a"), _note("small")]
    connection.execute("PRAGMA max_page_count = 100000")
    await careful.append("b", 1, large)
    assert await careful.read("b") == large


async def test_a_cancelled_append_that_was_not_begun_is_not_done(careful: SqliteJournal) -> None:
    await careful.append("a", 1, [_start("a")])
    other = sqlite3.connect(careful.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    tasks = [asyncio.create_task(careful.append("a", seq, [_note(str(seq))])) for seq in (2, 3)]
    await asyncio.sleep(0.03)
    tasks[1].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[1]
    other.execute("ROLLBACK")
    other.close()
    await tasks[0]
    assert await careful.read("a") == [_start("a"), _note("2")]


async def test_a_cancelled_append_that_was_begun_is_done_first(careful: SqliteJournal) -> None:
    await careful.append("a", 1, [_start("a")])
    group = careful._group  # pyright: ignore[reportPrivateUsage]
    assert group is not None
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(connection: sqlite3.Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        time.sleep(0.05)
        connection.execute("INSERT INTO inbox (run_id, at, letter) VALUES ('a', 0, x'00')")

    task = asyncio.create_task(group.do(slow))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _execute(careful.path, "SELECT count(*) FROM inbox") == [(1,)]


async def test_patience_ends_for_all_that_wait(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db", survives="power_cut", patience=0.05)
    await journal.append("a", 1, [_start("a")])
    other = sqlite3.connect(journal.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    found = await asyncio.gather(
        *(journal.append(name, 1, [_start(name)]) for name in ("b", "c")), return_exceptions=True
    )
    assert ["locked" in str(one) for one in found] == [True, True]
    other.execute("ROLLBACK")
    other.close()
    await journal.append("b", 1, [_start("b")])
    await journal.close()


async def test_closing_waits_for_what_was_begun(careful: SqliteJournal) -> None:
    tasks = [asyncio.create_task(careful.append(name, 1, [_start(name)])) for name in "abc"]
    await asyncio.sleep(0)
    await careful.close()
    await asyncio.gather(*tasks)
    again = SqliteJournal(careful.path)
    assert len(await again.runs()) == 3
    await again.close()


async def test_a_group_that_was_open_when_the_process_forked(careful: SqliteJournal) -> None:
    await careful.append("a", 1, [_start("a")])
    group = careful._group  # pyright: ignore[reportPrivateUsage]
    assert group is not None
    group._process -= 1  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(JournalError, match="forked"):
        await careful.append("a", 2, [_note()])
    group._process += 1  # pyright: ignore[reportPrivateUsage]
