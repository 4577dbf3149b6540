"""The doubles that tests of other parts use: a clock that stands still, a journal that crashes."""

from typing import Literal

import pytest

from loopwright.core.errors import Conflict, JournalError
from loopwright.core.events import RunStarted
from loopwright.core.inbox import Cancel
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.clock import FrozenClock
from loopwright.testing.crash import Crash, CrashAt
from loopwright.testing.journal_process import story, tell


def test_two_clocks_agree_and_stand_still() -> None:
    first, second = FrozenClock(), FrozenClock()
    assert (first.now(), first.elapsed()) == (second.now(), second.elapsed()) == (1_700_000_000.0, 0.0)
    assert first.now() == second.now()


def test_both_times_advance_together() -> None:
    clock = FrozenClock(now=100.0, elapsed=5.0)
    clock.advance(2.5)
    assert (clock.now(), clock.elapsed()) == (102.5, 7.5)
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(-1)


async def test_a_crash_journal_without_a_crash_counts() -> None:
    inner = MemoryJournal()
    journal = CrashAt(inner)
    await tell(journal, "a")
    assert journal.appends == len(story("a"))
    assert await journal.read("a") == await inner.read("a")
    assert await journal.runs() == await inner.runs()
    await journal.close()
    with pytest.raises(JournalError):
        await inner.read("a")


@pytest.mark.parametrize(("when", "stored"), [("before", 1), ("after", 2)])
async def test_a_crash_stops_everything_at_its_moment(when: Literal["before", "after"], stored: int) -> None:
    inner = MemoryJournal()
    journal = CrashAt(inner, append=2, when=when)
    with pytest.raises(Crash, match=f"{when} append 2"):
        await tell(journal, "a")
    assert await inner.read("a") == [event for batch in story("a")[:stored] for event in batch]
    for late in (
        journal.append("b", 1, [RunStarted(run_id="b", task="", model="")]),
        journal.read("a"),
        journal.runs(),
    ):
        with pytest.raises(Crash):
            await late
    await journal.close()
    assert [line.run_id for line in await inner.runs()] == ["a"]


def test_no_handler_of_failures_catches_a_crash() -> None:
    assert not issubclass(Crash, Exception)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_lets_go_of_the_runs_that_were_held(when: Literal["before", "after"]) -> None:
    inner = MemoryJournal()
    journal = CrashAt(inner, append=2, when=when)
    lease = await journal.take("a", 60.0)
    await journal.renew(lease, 60.0)
    with pytest.raises(Conflict):
        await inner.take("a", 60.0)
    with pytest.raises(Crash):
        await tell(journal, "a")
    for late in (journal.take("b", 1.0), journal.renew(lease, 1.0), journal.release(lease)):
        with pytest.raises(Crash):
            await late
    await inner.take("a", 60.0)


async def test_letters_go_through_a_crash_journal_until_it_crashes() -> None:
    inner = MemoryJournal()
    journal = CrashAt(inner, append=len(story("a")) + 1)
    await tell(journal, "a")
    assert await journal.send("a", Cancel()) == 1
    assert await journal.inbox("a") == await inner.inbox("a") != []
    lease = await journal.take("a", 60.0)
    await journal.release(lease)
    with pytest.raises(Crash):
        await tell(journal, "b")
    for late in (journal.send("a", Cancel()), journal.inbox("a")):
        with pytest.raises(Crash):
            await late
