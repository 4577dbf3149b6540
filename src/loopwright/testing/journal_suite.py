"""What every journal must do, as tests that any store can run.

Owns the contract of `loopwright.journal.base.Journal` in executable form. Nothing here knows a store.

A store subclasses a suite in a test module (pytest, pytest-asyncio in auto mode and hypothesis are needed)::

    class TestMyJournal(DurableJournalSuite):
        opener = "my_package.journal:open_at"

`opener` names a callable that takes a path and gives an open journal, the same facts for the same path. It is called in
other processes too, which are killed. A store without a file may use the path as a name. A store that forgets at its
end subclasses `JournalSuite` alone.
"""

# ruff: noqa: S101  These are tests, though they are shipped.

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from loopwright.core.errors import Conflict, IllegalEvent, JournalError, UnknownRun
from loopwright.core.events import (
    FORMAT,
    CallEnded,
    CallStarted,
    Event,
    ModelReplied,
    NoteAdded,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
)
from loopwright.core.messages import Call, Content, Outcome, Result, Turn, Whole
from loopwright.journal.base import Archive, Damage, Journal
from loopwright.testing.journal_process import contents_of, find_opener, story, tell
from loopwright.testing.strategies import CONTENTS, event_lists

SIGKILLED = -9


def _start(run_id: str, *, at: float = 0.0) -> RunStarted:
    return RunStarted(run_id=run_id, task=f"task of {run_id}", model="openai:small", at=at)


def _note(detail: str) -> NoteAdded:
    return NoteAdded(kind="empty", detail=detail)


class JournalSuite:
    """The contract of any journal."""

    opener: ClassVar[str] = ""
    """``module:callable``; called with a path."""

    def open(self, place: Path) -> Journal:
        """Open the journal at `place`."""
        return find_opener(self.opener)(place)

    @pytest_asyncio.fixture
    async def journal(self, tmp_path: Path) -> AsyncIterator[Journal]:
        """An empty journal."""
        journal = self.open(tmp_path / "journal")
        yield journal
        await journal.close()

    async def test_events_come_back_in_order_and_equal(self, journal: Journal) -> None:
        """A run appended in several pieces reads as one list."""
        await tell(journal, "a")
        assert await journal.read("a") == _flat(story("a"))

    def test_every_event_comes_back_equal(self, tmp_path: Path) -> None:
        """Whatever the values, an event reads as it was, and its bytes are its own."""
        names = count()
        with asyncio.Runner() as runner:
            journal = self.open(tmp_path / "any")

            async def there_and_back(events: list[Event], cut: int) -> None:
                run_id = f"run {next(names)}"
                first = events[0]
                assert isinstance(first, RunStarted)
                given_events = [replace(first, run_id=run_id), *events[1:]]
                pieces = (given_events[:cut], given_events[cut:])
                for seq, piece in zip((1, 1 + cut), pieces, strict=True):
                    contents = {name: CONTENTS[name] for event in piece for name in _referred(event)}
                    await journal.append(run_id, seq, piece, contents)
                assert await journal.read(run_id) == given_events

            @settings(max_examples=60, deadline=None, database=None)
            @given(event_lists(), st.integers(1, 4))
            def check(events: list[Event], cut: int) -> None:
                runner.run(there_and_back(events, min(cut, len(events))))

            check()
            runner.run(journal.close())

    @pytest.mark.parametrize(
        "data", [b" 1 ", b'{"a": [1,\n2]}', b'"\xff"', b"", b"not json", b'"' + 2000 * b"x" + b'"']
    )
    async def test_data_comes_back_byte_for_byte(self, journal: Journal, data: bytes) -> None:
        """Data that is spaced oddly, large, or not what it should be is kept as it is."""
        events: list[Event] = [_start("a"), CallEnded(call_id="1.1", result=Result(data=Raw(data)))]
        await journal.append("a", 1, events)
        assert await journal.read("a") == events

    async def test_contents_come_back_and_only_they(self, journal: Journal) -> None:
        """What an event refers to is kept beside it, by its hash."""
        picture, whole = b"\x89PNG" + bytes(range(256)) * 40, b'{"status":"ok"}'
        await journal.append("a", 1, [_start("a"), _made(picture, whole)], _named(picture, whole))
        assert await journal.read("a", after=1) == [_made(picture, whole)]
        archive = _archive(journal)
        assert await archive.content(_hash(picture)) == picture
        assert await archive.content(_hash(whole)) == whole
        for unknown in (_hash(b"other"), "", "no hash"):
            with pytest.raises(JournalError, match="no content"):
                await archive.content(unknown)
        assert await archive.damage("a") is None

    async def test_a_content_that_is_there_need_not_be_given_again(self, journal: Journal) -> None:
        """Every run may refer to what any run brought; it is one content."""
        await journal.append("a", 1, [_start("a"), _made(b"picture")], _named(b"picture"))
        await journal.append("b", 1, [_start("b"), _made(b"picture")])
        await journal.append("b", 3, [_made(b"picture")], _named(b"picture"))
        assert await _archive(journal).content(_hash(b"picture")) == b"picture"
        assert await _archive(journal).damage("b") is None

    async def test_a_reference_to_nothing_is_refused(self, journal: Journal) -> None:
        """No event may name what nobody can read; its neighbours and the contents stay out with it."""
        await journal.append("a", 1, [_start("a")])
        with pytest.raises(JournalError, match="no content"):
            await journal.append("a", 2, [_made(b"first"), _made(b"second")], _named(b"first"))
        assert await journal.read("a") == [_start("a")]
        with pytest.raises(JournalError, match="no content"):
            await _archive(journal).content(_hash(b"first"))
        await journal.append("a", 2, [_made(b"first")], _named(b"first"))

    async def test_contents_that_are_not_what_they_say_are_refused(self, journal: Journal) -> None:
        """A content is named by its hash, and belongs to an event."""
        await journal.append("a", 1, [_start("a")])
        for contents in ({_hash(b"right"): b"wrong"}, _named(b"right", b"more")):
            with pytest.raises(JournalError, match="the content"):
                await journal.append("a", 2, [_made(b"right")], contents)
        assert await journal.read("a") == [_start("a")]

    async def test_damage_is_looked_for_in_one_run(self, journal: Journal) -> None:
        """A run that is well says so, one that is not there is an error."""
        await tell(journal, "a")
        found: Damage | None = await _archive(journal).damage("a")
        assert found is None
        with pytest.raises(UnknownRun):
            await _archive(journal).damage("nobody")

    async def test_reading_after_a_number(self, journal: Journal) -> None:
        """Only the numbers above it come, perhaps none."""
        await tell(journal, "a")
        whole = await journal.read("a")
        assert await journal.read("a", after=3) == whole[3:]
        assert await journal.read("a", after=len(whole)) == []
        assert await journal.read("a", after=100) == []

    async def test_an_unknown_run(self, journal: Journal) -> None:
        """A run that nobody wrote is an error, whatever else is there."""
        await tell(journal, "a")
        for after in (0, 7):
            with pytest.raises(UnknownRun, match="nobody"):
                await journal.read("nobody", after=after)

    @pytest.mark.parametrize("seq", [1, 2])
    async def test_a_taken_number_is_a_conflict(self, journal: Journal, seq: int) -> None:
        """The first writer of a number keeps it."""
        await journal.append("a", 1, [_start("a"), _note("first")])
        with pytest.raises(Conflict):
            await journal.append("a", seq, [_start("a") if seq == 1 else _note("second")])
        assert await journal.read("a") == [_start("a"), _note("first")]

    @pytest.mark.parametrize("seq", [-1, 0, 3, 100])
    async def test_a_gap_is_a_conflict(self, journal: Journal, seq: int) -> None:
        """Numbers follow one another, in a run that is there and in one that is not."""
        await journal.append("a", 1, [_start("a")])
        for run_id in ("a", "b"):
            with pytest.raises(Conflict):
                await journal.append(run_id, seq, [_note("too far")])
        assert await journal.read("a") == [_start("a")]
        with pytest.raises(UnknownRun):
            await journal.read("b")

    async def test_all_of_an_append_or_none(self, journal: Journal) -> None:
        """One event that cannot be written keeps its neighbours out, and the numbers stay free."""
        await journal.append("a", 1, [_start("a")])
        with pytest.raises(JournalError):
            await journal.append("a", 2, [_note("good"), RunPaused(elapsed=float("nan"))])
        assert await journal.read("a") == [_start("a")]
        await journal.append("a", 2, [_note("next")])
        assert await journal.read("a", after=1) == [_note("next")]

    @pytest.mark.parametrize(
        "event",
        [
            RunPaused(at=float("inf")),
            RunPaused(reason="\ud800"),
            ModelReplied(turn=Turn(calls=(Call("t", {"a": [1, {"b": float("nan")}]}),))),
        ],
        ids=["infinity", "half of a surrogate pair", "NaN deep in arguments"],
    )
    async def test_what_would_read_differently_is_refused(self, journal: Journal, event: Event) -> None:
        """JSON cannot carry these; a journal must not change them silently."""
        await journal.append("a", 1, [_start("a")])
        with pytest.raises(JournalError):
            await journal.append("a", 2, [event])
        assert await journal.read("a") == [_start("a")]

    async def test_null_in_arguments_is_not_mistaken_for_a_lost_number(self, journal: Journal) -> None:
        """None is a value like any other."""
        events: list[Event] = [_start("a"), ModelReplied(turn=Turn(calls=(Call("t", {"a": None, "b": [0.5]}),)))]
        await journal.append("a", 1, events)
        assert await journal.read("a") == events

    async def test_a_run_begins_with_its_own_start(self, journal: Journal) -> None:
        """Anything else as number 1 is a bug of the driver."""
        for first in (_note("no start"), _start("another")):
            with pytest.raises(IllegalEvent):
                await journal.append("a", 1, [first])
        with pytest.raises(UnknownRun):
            await journal.read("a")

    async def test_a_run_of_a_newer_format_is_refused(self, journal: Journal) -> None:
        """An old program does not guess at what a newer one wrote, from wherever it reads."""
        await journal.append("a", 1, [RunStarted(run_id="a", task="", model="", format=FORMAT + 1), _note("new")])
        for after in (0, 1):
            with pytest.raises(JournalError, match="newer version"):
                await journal.read("a", after=after)

    async def test_appending_nothing_changes_nothing(self, journal: Journal) -> None:
        """An empty append is no run."""
        await journal.append("a", 1, [])
        with pytest.raises(UnknownRun):
            await journal.read("a")
        assert await journal.runs() == []

    async def test_runs_written_at_the_same_time_stay_apart(self, journal: Journal) -> None:
        """Any number of drivers share a journal."""
        names = [f"run {number}" for number in range(20)]
        await asyncio.gather(*(tell(journal, name) for name in names))
        for name in names:
            assert await journal.read(name) == _flat(story(name))

    async def test_of_two_writers_of_a_run_one_loses_each_number(self, journal: Journal) -> None:
        """Nothing is doubled, nothing is lost, and exactly one of them is told."""
        await journal.append("a", 1, [_start("a")])

        async def write(name: str) -> list[int]:
            won: list[int] = []
            for seq in range(2, 20):
                try:
                    await journal.append("a", seq, [_note(name)])
                except Conflict:
                    continue
                won.append(seq)
                await asyncio.sleep(0)
            return won

        first, second = await asyncio.gather(write("first"), write("second"))
        assert sorted(first + second) == list(range(2, 20))
        details = [event.detail for event in await journal.read("a", after=1) if isinstance(event, NoteAdded)]
        assert details == ["first" if seq in first else "second" for seq in range(2, 20)]

    async def test_an_append_that_is_cancelled_is_done_or_not(self, journal: Journal) -> None:
        """Cancelling at any moment leaves all of a batch or nothing of it."""
        seen: set[int] = set()
        for turns in range(4):
            run_id = f"run {turns}"
            task = asyncio.ensure_future(journal.append(run_id, 1, [_start(run_id), _note("1"), _note("2")]))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            try:
                seen.add(len(await journal.read(run_id)))
            except UnknownRun:
                seen.add(0)
        assert seen <= {0, 3}

    async def test_a_closed_journal_refuses(self, tmp_path: Path) -> None:
        """After closing nothing is read or written; closing again does no harm."""
        journal = self.open(tmp_path / "closed")
        await journal.append("a", 1, [_start("a")])
        await journal.close()
        await journal.close()
        with pytest.raises(JournalError, match="closed"):
            await journal.append("a", 2, [_note("late")])
        with pytest.raises(JournalError, match="closed"):
            await journal.read("a")
        with pytest.raises(JournalError, match="closed"):
            await journal.runs()
        with pytest.raises(JournalError, match="closed"):
            await _archive(journal).content(_hash(b""))

    async def test_the_list_of_runs(self, journal: Journal) -> None:
        """A line says what the first and the last event say."""
        await tell(journal, "done")
        (line,) = await journal.runs()
        assert (line.run_id, line.task, line.model) == ("done", "Is it cold in Oslo?", "openai:small")
        assert (line.started_at, line.last_at, line.events) == (10.0, 14.0, 8)
        assert (line.status, line.paused, line.answer) == ("answered", False, "Yes.")

    async def test_only_a_last_pause_is_a_pause(self, journal: Journal) -> None:
        """A run is paused until it is resumed."""
        await journal.append("a", 1, [_start("a"), RunPaused(reason="asked to")])
        (line,) = await journal.runs()
        assert (line.paused, line.status, line.answer, line.events) == (True, None, None, 2)
        await journal.append("a", 3, [RunResumed()])
        (line,) = await journal.runs()
        assert (line.paused, line.status) == (False, None)

    async def test_a_run_that_ended_without_an_answer(self, journal: Journal) -> None:
        """Its status is shown, its answer is None."""
        await journal.append("a", 1, [_start("a"), RunEnded(outcome=Outcome("failed", reason="no network"))])
        (line,) = await journal.runs()
        assert (line.status, line.paused, line.answer) == ("failed", False, None)

    async def test_the_newest_run_comes_first(self, journal: Journal) -> None:
        """Newest by its start, whatever its clock said, and however late the others went on."""
        for number in range(6):
            await journal.append(f"run {number}", 1, [_start(f"run {number}", at=float(-number))])
        await journal.append("run 0", 2, [_note("still here")])
        assert [line.run_id for line in await journal.runs()] == [f"run {number}" for number in (5, 4, 3, 2, 1, 0)]
        assert [line.run_id for line in await journal.runs(limit=2)] == ["run 5", "run 4"]
        assert await journal.runs(limit=0) == []


class DurableJournalSuite(JournalSuite):
    """The contract of a journal that outlives its process and is shared by several."""

    async def test_opening_again(self, tmp_path: Path) -> None:
        """What one journal wrote, the next one reads and goes on with."""
        first = self.open(tmp_path / "journal")
        await tell(first, "a")
        await first.close()
        second = self.open(tmp_path / "journal")
        assert await second.read("a") == _flat(story("a"))
        with pytest.raises(Conflict):
            await second.append("a", 8, [_note("taken")])
        await second.append("a", 9, [_note("next")])
        assert [line.events for line in await second.runs()] == [9]
        await second.close()

    async def test_two_journals_at_one_place(self, tmp_path: Path) -> None:
        """Each sees at once what the other wrote."""
        first, second = self.open(tmp_path / "journal"), self.open(tmp_path / "journal")
        await first.append("a", 1, [_start("a")])
        await second.append("a", 2, [_note("second")])
        with pytest.raises(Conflict):
            await first.append("a", 2, [_note("first")])
        await first.append("a", 3, [_note("third")])
        assert await second.read("a") == [_start("a"), _note("second"), _note("third")]
        await first.close()
        await second.append("a", 4, [_note("fourth")])
        await second.close()

    async def test_killed_before_and_after_every_append(self, tmp_path: Path) -> None:
        """An append that returned is there after SIGKILL; one that had not begun is not; the run goes on from there."""
        moments = [(append, when) for append in range(1, len(story("a")) + 1) for when in ("before", "after")]
        place = tmp_path / "journal"
        killed = [await self._process(place, "kill", f"{when} {append}", str(append), when) for append, when in moments]
        assert [await process.wait() for process in killed] == [SIGKILLED] * len(moments)
        journal = self.open(place)
        for append, when in moments:
            run_id = f"{when} {append}"
            done = story(run_id)[: append if when == "after" else append - 1]
            await self._expect_and_finish(journal, run_id, done)
        await journal.close()

    async def test_killed_at_any_moment(self, tmp_path: Path) -> None:
        """Whatever was reported as safe is there, and no append is there in part."""
        place = tmp_path / "journal"
        process = await self._process(place, "stream", "a")
        assert process.stdout is not None
        safe = 0
        for _ in range(30):
            safe = int(await process.stdout.readline())
        process.kill()
        reported = (await process.stdout.read()).split()
        assert await process.wait() == SIGKILLED
        safe = int(reported[-1]) if reported else safe
        journal = self.open(place)
        events = await journal.read("a")
        assert len(events) >= safe
        assert len(events) % 3 == 0
        ids = [event.call_id for event in events[1:] if isinstance(event, CallStarted)]
        assert ids == [str(seq) for seq in range(2, len(events) + 1)]
        await journal.close()

    async def test_two_processes_at_once(self, tmp_path: Path) -> None:
        """Each number of a run that both want has one winner; their own runs are not disturbed."""
        place, length = tmp_path / "journal", 60
        racers = [await self._process(place, "race", name, str(length)) for name in ("left", "right")]
        for racer in racers:
            assert racer.stdout is not None
            assert await racer.stdout.readline() == b"ready\n"
        spoken = await asyncio.gather(*(racer.communicate(b"go\n") for racer in racers))
        won = [int(out) for out, _ in spoken]
        assert [racer.returncode for racer in racers] == [0, 0]
        journal = self.open(place)
        shared = await journal.read("shared")
        writers = [event.detail if isinstance(event, NoteAdded) else _task(event) for event in shared]
        assert [writers.count("left"), writers.count("right")] == won
        assert len(shared) == length
        for name in ("left", "right"):
            assert len(await journal.read(name)) == length
        assert {line.run_id for line in await journal.runs()} == {"left", "right", "shared"}
        await journal.close()

    async def _expect_and_finish(self, journal: Journal, run_id: str, done: list[list[Event]]) -> None:
        events: list[Event] = _flat(done)
        if events:
            assert await journal.read(run_id) == events
        else:
            with pytest.raises(UnknownRun):
                await journal.read(run_id)
        rest: list[Event] = _flat(story(run_id)[len(done) :])
        await journal.append(run_id, len(events) + 1, rest, contents_of(rest))
        for name, content in contents_of(_flat(story(run_id))).items():
            assert await _archive(journal).content(name) == content
        assert await _archive(journal).damage(run_id) is None
        assert await journal.read(run_id) == _flat(story(run_id))

    async def _process(self, place: Path, work: str, *more: str) -> Process:
        program = (sys.executable, "-m", "loopwright.testing.journal_process", work, self.opener, str(place), *more)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
        return await asyncio.create_subprocess_exec(*program, stdin=PIPE, stdout=PIPE, env=environment)


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _named(*contents: bytes) -> dict[str, bytes]:
    return {_hash(content): content for content in contents}


def _made(artifact: bytes, whole: bytes = b"") -> CallEnded:
    """A call that gave an artifact, and perhaps more than was shown."""
    artifacts = (Content(_hash(artifact), len(artifact), "image/png"),)
    kept = Whole(_hash(whole), len(whole)) if whole else None
    return CallEnded(call_id="1.1", result=Result(data=Raw(b"1"), artifacts=artifacts), whole=kept)


def _referred(event: Event) -> list[str]:
    if not isinstance(event, CallEnded):
        return []
    names = [content.digest for content in event.result.artifacts]
    return [*names, event.whole.digest] if event.whole else names


def _archive(journal: Journal) -> Archive:
    assert isinstance(journal, Archive)
    return journal


def _flat(batches: list[list[Event]]) -> list[Event]:
    return [event for batch in batches for event in batch]


def _task(event: Event) -> str:
    assert isinstance(event, RunStarted)
    return event.task
