"""Journals that earlier versions wrote stay readable: a sample of each is kept, and never made again.

`samples/format-1.db` was written before results kept what was cut from them, and before there were artifacts; its
tables are of version 1. `samples/tables-2.db` has forks, letters, leases and compressed bodies.
"""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from loopwright.core.events import (
    ApprovalGiven,
    CallEnded,
    CancelAsked,
    LetterRefused,
    PersonSaid,
    RunForked,
    RunStarted,
)
from loopwright.core.inbox import Answer, Approve, Cancel, Say
from loopwright.engine.history import example_of, fold, result_of
from loopwright.journal.sqlite import SqliteJournal

SAMPLES = Path(__file__).parent / "samples"
RUNS = {
    "native": ("answered", 4),
    "text": ("answered", 3),
    "switched": ("answered", 3),
    "failed": ("failed", 1),
    "limited": ("partial", 3),
    "crashed": (None, 1),
}
"""The runs of the sample, how each ended, and how many questions were asked."""


@pytest.fixture
def journal(tmp_path: Path) -> SqliteJournal:
    """The sample, copied: opening a journal may change files beside it."""
    return SqliteJournal(shutil.copy(SAMPLES / "format-1.db", tmp_path / "journal.db"))


async def test_the_runs_of_format_1_are_listed(journal: SqliteJournal) -> None:
    lines = {line.run_id: line for line in await journal.runs()}
    assert {name: line.status for name, line in lines.items()} == {name: status for name, (status, _) in RUNS.items()}
    assert not any(line.damaged for line in lines.values())
    await journal.close()


@pytest.mark.parametrize("name", RUNS)
async def test_a_run_of_format_1_reads_folds_and_is_whole(journal: SqliteJournal, name: str) -> None:
    assert await journal.damage(name) is None
    events = await journal.read(name)
    started, state = events[0], fold(events)
    assert isinstance(started, RunStarted)
    assert (started.format, started.reader) == (1, None)
    status, asks = RUNS[name]
    assert (state.outcome.status if state.outcome else None) == status
    assert (state.ledger.asks if state.ledger else 0) == asks
    await journal.close()


async def test_what_happened_in_format_1_means_what_it_meant(journal: SqliteJournal) -> None:
    events = await journal.read("native")
    ended = {event.call_id: event for event in events if isinstance(event, CallEnded)}
    assert Counter(event.how for event in ended.values()) == {"ran": 6, "refused": 2, "denied": 1}
    assert bytes(ended["1.1"].result.data).startswith(b'[{"row": 0, "square": 0}, {"row": 1')
    assert ended["1.2"].result.note == "cut: the first 188 of 1050 characters are shown, 862 left out"
    assert [event.whole for event in ended.values()] == [None] * 9
    assert [event.result.artifacts for event in ended.values()] == [()] * 9
    assert [(event.by, event.allowed) for event in events if isinstance(event, ApprovalGiven)] == [
        ("anna", True),
        ("anna", False),
    ]
    result = result_of(fold(events))
    assert (result.answer, result.steps, result.calls) == ("All is known: Zürich, 1 234.", 3, 6)
    assert len(example_of(events).exchanges) == 4
    await journal.close()


@pytest.fixture
def later(tmp_path: Path) -> SqliteJournal:
    """The sample of today's tables, copied."""
    return SqliteJournal(shutil.copy(SAMPLES / "tables-2.db", tmp_path / "journal.db"))


async def test_the_forks_of_tables_2_are_listed_and_whole(later: SqliteJournal) -> None:
    lines = {line.run_id: line for line in await later.runs()}
    assert {name: (line.parent, line.after, line.events, line.status) for name, line in lines.items()} == {
        "a": ("", 0, 8, "answered"),
        "parent": ("", 0, 10, "answered"),
        "fork": ("parent", 7, 12, "cancelled"),
        "turn": ("fork", 9, 10, None),
    }
    assert [await later.damage(name) for name in lines] == [None] * 4
    await later.close()


async def test_what_happened_in_a_fork_of_tables_2_reads_as_it_was(later: SqliteJournal) -> None:
    parent, fork, turn = [await later.read(name) for name in ("parent", "fork", "turn")]
    assert fork[:7] == turn[:7] == parent[:7]
    assert turn[:9] == fork[:9]
    assert isinstance(fork[7], RunForked)
    assert (fork[7].parent, fork[7].say, fork[7].started.task, fork[7].context_bytes) == (
        "parent",
        "Say it in German.",
        "And now?",
        100,
    )
    assert fork[8:11] == [
        PersonSaid(text="kürzer", by="anna", inbox=1),
        CancelAsked(by="anna", reason="enough", inbox=2),
        LetterRefused(inbox=3, why="no call 9.9 waits for it"),
    ]
    result = next(event.result for event in parent if isinstance(event, CallEnded))
    assert len(result.data) > 2000
    await later.close()


async def test_the_letters_and_leases_of_tables_2(later: SqliteJournal) -> None:
    assert [(one.number, one.letter) for one in await later.inbox("fork")] == [
        (1, Say(text="kürzer", by="anna")),
        (2, Cancel(by="anna", reason="enough")),
        (3, Approve(call_id="9.9", allowed=False, by="bo", reason="no")),
        (4, Answer(call_id="9.8", value={"a": [1, None]})),
    ]
    assert (await later.take("fork", 1.0)).token == 2
    assert (await later.take("turn", 1.0)).token == 2
    await later.close()
