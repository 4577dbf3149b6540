"""Tampering: no byte of an event, a digest or a content can be changed without being found, at its first place."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from loopwright.core.events import CallEnded, Event, ModelReplied, NoteAdded, RunEnded, RunForked, RunStarted
from loopwright.core.messages import Content, Outcome, Result, Turn, Whole
from loopwright.journal.base import Damage, Journal
from loopwright.journal.memory import MemoryJournal
from loopwright.journal.sqlite import SqliteJournal

PICTURE, WHOLE = b"\x89PNG\r\n\x1a\n" + b"picture" * 8, b'{"status":"ok","data":"all of it"}'
CONTENTS = {sha256(content).hexdigest(): content for content in (PICTURE, WHOLE)}
DATA = Raw(b'"' + b"d" * 1100 + b'"')
EVENTS: list[Event] = [
    RunStarted(run_id="a", task="t", model="m"),
    ModelReplied(turn=Turn(text="x"), raw=b"data: {}\n\n"),
    CallEnded(
        call_id="1.1",
        result=Result(data=DATA, artifacts=(Content(sha256(PICTURE).hexdigest(), len(PICTURE), "image/png"),)),
        whole=Whole(sha256(WHOLE).hexdigest(), len(WHOLE), "text", readable=True),
    ),
    RunEnded(outcome=Outcome("answered", "yes")),
]


def flipped(content: bytes) -> Iterator[bytes]:
    """The content with one byte changed, for each of its bytes."""
    for place in range(len(content)):
        yield content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]


async def test_every_flipped_byte_in_memory_is_found_at_its_event() -> None:
    journal = MemoryJournal()
    await journal.append("a", 1, EVENTS, CONTENTS)
    rows: list[tuple[bytes, bytes]] = journal._runs["a"].rows  # pyright: ignore[reportPrivateUsage]
    bodies: dict[str, bytes] = journal._bodies  # pyright: ignore[reportPrivateUsage]
    tried = 0
    for seq, (row, digest) in enumerate(list(rows), 1):
        for changed in [*((one, digest) for one in flipped(row)), *((row, one) for one in flipped(digest))]:
            rows[seq - 1] = changed
            assert await journal.damage("a") == Damage(seq, "it is not as it was written")
            tried += 1
        rows[seq - 1] = (row, digest)
    for name, content in list(bodies.items()):
        for changed in flipped(content):
            bodies[name] = changed
            found = await journal.damage("a")
            assert found is not None
            assert (found.seq in (2, 3), found.what) == (True, f"its content {name} is not as it was written")
            tried += 1
        bodies[name] = content
    assert tried > 2000
    assert await journal.damage("a") is None
    assert await journal.verify("a") is None


def execute(path: Path, statement: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


async def found(path: Path) -> Damage | None:
    journal = SqliteJournal(path)
    damage = await journal.damage("a")
    assert await journal.verify("a") == (damage.seq if damage else None)
    await journal.close()
    return damage


async def is_as_it_was(path: Path, name: str) -> bool:
    """Whether a content reads as what its name says."""
    journal = SqliteJournal(path)
    content = await journal.content(name)
    await journal.close()
    return sha256(content).hexdigest() == name


async def test_every_field_of_the_file_is_covered(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    await journal.append("a", 1, EVENTS, CONTENTS)
    await journal.close()
    for seq, row, digest in execute(path, "SELECT seq, row, digest FROM events ORDER BY seq"):
        for column, content in (("row", row), ("digest", digest)):
            for changed in list(flipped(content))[:: max(1, len(content) // 12)]:
                execute(path, f"UPDATE events SET {column} = ? WHERE seq = ?", changed, seq)
                assert await found(path) == Damage(seq, "it is not as it was written")
            execute(path, f"UPDATE events SET {column} = ? WHERE seq = ?", content, seq)
    for key, content in execute(path, "SELECT hash, content FROM bodies"):
        for changed in list(flipped(content))[:: max(1, len(content) // 8)]:
            execute(path, "UPDATE bodies SET content = ? WHERE hash = ?", changed, key)
            damage = await found(path)
            if damage is None and await is_as_it_was(path, key.hex()):
                continue  # bits of a compressed content that mean nothing: those after its end in its last byte
            assert damage is not None
            assert damage.what == f"its content {key.hex()} is not as it was written"
        execute(path, "UPDATE bodies SET content = ?, hash = ? WHERE hash = ?", content, b"elsewhere", key)
        damage = await found(path)
        assert damage is not None
        assert damage.what == f"its content {key.hex()} is missing"
        execute(path, "UPDATE bodies SET hash = ? WHERE hash = ?", key, b"elsewhere")
    execute(path, "UPDATE events SET seq = 9 WHERE seq = 2")
    assert await found(path) == Damage(2, "it is missing")
    execute(path, "UPDATE events SET seq = 2 WHERE seq = 9")
    assert await found(path) is None


# What begins a run is of this run, and stands where it says. Numbers of the first wrong event come from the story: `a`
# has 3 events; `f` and `g` share all of them, `h` only the first two of `f`, which are those of `a`.


async def tell_forks(journal: Journal) -> None:
    await journal.append("a", 1, [RunStarted(run_id="a", task="t", model="m"), note("2"), note("3")])
    for run_id, parent, after in (("f", "a", 3), ("g", "a", 3), ("h", "f", 2)):
        started = RunStarted(run_id=run_id, task=f"task of {run_id}", model="m")
        await journal.append(run_id, after + 1, [RunForked(started=started, parent=parent, after=after), note(run_id)])


def note(detail: str) -> NoteAdded:
    return NoteAdded(kind="empty", detail=detail)


SWAPPED = Damage(4, "it begins run g, and stands where another run begins")


async def test_forks_that_were_swapped_in_memory_are_found() -> None:
    journal = MemoryJournal()
    await tell_forks(journal)
    assert [await journal.damage(run_id) for run_id in "afgh"] == [None] * 4
    runs = journal._runs  # pyright: ignore[reportPrivateUsage]
    runs["f"], runs["g"] = runs["g"], runs["f"]
    assert await journal.damage("f") == SWAPPED
    assert await journal.verify("g") == 4
    runs["h"].parent = "g"
    assert await journal.damage("h") == Damage(3, "it begins run h elsewhere than the list of runs says")


RENAMED = (
    "UPDATE events SET run_id = 'new' WHERE run_id = 'f'",
    "UPDATE runs SET run_id = 'new' WHERE run_id = 'f'",
)
ELSEWHERE = "elsewhere than the list of runs says"


@pytest.mark.parametrize(
    ("statements", "run_id", "damage"),
    [
        (
            (
                "UPDATE events SET run_id = 'x' WHERE run_id = 'f'",
                "UPDATE events SET run_id = 'f' WHERE run_id = 'g'",
                "UPDATE events SET run_id = 'g' WHERE run_id = 'x'",
            ),
            "f",
            SWAPPED,
        ),
        (RENAMED, "new", Damage(4, "it begins run f, and stands where another run begins")),
        (("UPDATE runs SET parent = 'g' WHERE run_id = 'h'",), "h", Damage(3, f"it begins run h {ELSEWHERE}")),
        (("UPDATE runs SET after = 9 WHERE run_id = 'f'",), "f", Damage(4, f"it begins run f {ELSEWHERE}")),
        (("UPDATE runs SET after = 1 WHERE run_id = 'a'",), "a", Damage(1, f"it begins run a {ELSEWHERE}")),
        (("UPDATE runs SET after = 1 WHERE run_id = 'a'",), "h", Damage(1, f"it begins run a {ELSEWHERE}")),
    ],
    ids=["swapped", "renamed", "another parent", "a later place", "no beginning", "no beginning of its parent"],
)
async def test_runs_that_were_moved_in_the_file_are_found(
    tmp_path: Path, statements: tuple[str, ...], run_id: str, damage: Damage
) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    await tell_forks(journal)
    assert [await journal.damage(each) for each in "afgh"] == [None] * 4
    await journal.close()
    for statement in statements:
        execute(path, statement)
    journal = SqliteJournal(path)
    assert await journal.damage(run_id) == damage
    assert await journal.verify(run_id) == damage.seq
    await journal.close()


async def test_a_row_that_begins_nothing_is_found(tmp_path: Path) -> None:
    """Even where somebody made the digests anew."""
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    await tell_forks(journal)
    await journal.close()
    [(before,)] = execute(path, "SELECT digest FROM events WHERE run_id = 'a' AND seq = 3")
    row = b'{"event":{"type":"note_added","kind":"empty","detail":"f"}}'
    execute(path, "DELETE FROM events WHERE run_id = 'f' AND seq = 5")
    execute(path, "UPDATE events SET row = ?, digest = ? WHERE run_id = 'f'", row, sha256(before + row).digest())
    journal = SqliteJournal(path)
    assert await journal.damage("f") == Damage(4, "it does not begin run f")
    await journal.close()
