"""Journals that earlier versions wrote stay readable: a sample of each is kept, and never made again.

`samples/format-1.db` was written before results kept what was cut from them, and before there were artifacts.
"""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from loopwright.core.events import ApprovalGiven, CallEnded, RunStarted
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
