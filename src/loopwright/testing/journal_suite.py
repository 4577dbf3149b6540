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
from typing import Any, ClassVar

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
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
)
from loopwright.core.inbox import Answer, Approve, Cancel, Letter, Say
from loopwright.core.messages import Call, Content, Outcome, Result, ToolSpec, Turn, Whole
from loopwright.journal import chain
from loopwright.journal.base import Archive, Damage, Inbox, Journal, Lease, Leases
from loopwright.testing.journal_process import contents_of, find_opener, story, tell
from loopwright.testing.strategies import CONTENTS, event_lists, forks, letters

SIGKILLED = -9


def _start(run_id: str, *, at: float = 0.0) -> RunStarted:
    return RunStarted(run_id=run_id, task=f"task of {run_id}", model="openai:small", at=at)


def _fork(run_id: str, parent: str, after: int) -> RunForked:
    """A fork with tools that are too many to stand in its row."""
    tools = (ToolSpec("search", "Finds things. " * 100),)
    started = RunStarted(run_id=run_id, task=f"task of {run_id}", model="openai:large", tools=tools)
    return RunForked(started=started, parent=parent, after=after, say="and now?", at=20.0)


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

    @pytest.mark.parametrize("run_id", ["r", "", "..", "../../etc/passwd", "a b", "運行", "x" * 400], ids=ascii)
    async def test_a_run_is_held_once_and_let_go(self, journal: Journal, run_id: str) -> None:
        """Whoever holds a run keeps it from all others, and from no other run; it need not exist."""
        leases, tokens = _leases(journal), list[int]()
        for _ in range(3):
            lease = await leases.take(run_id, 60.0)
            with pytest.raises(Conflict, match="another process is working on run"):
                await leases.take(run_id, 60.0)
            other = await leases.take("another", 60.0)
            await leases.renew(lease, 60.0)
            await leases.release(lease)
            await leases.release(other)
            assert lease.run_id == run_id
            tokens.append(lease.token)
        assert sorted(set(tokens)) == tokens

    async def test_a_lease_ends_at_its_time(self, journal: Journal) -> None:
        """Then the run is free for others, and what its former holder still has is worth nothing."""
        leases = _leases(journal)
        old = await leases.take("a", 0.05)
        new = await _taken(leases, "a", 60.0)
        with pytest.raises(Conflict, match="another process took run a over"):
            await leases.renew(old, 60.0)
        await leases.release(old)
        with pytest.raises(Conflict):
            await leases.take("a", 60.0)
        await leases.renew(new, 60.0)

    async def test_a_lease_that_is_renewed_holds_on(self, journal: Journal) -> None:
        """It holds from its renewal, also where its time was up and nobody came."""
        leases = _leases(journal)
        for run_id, pause in (("a", 0.0), ("b", 0.3)):
            lease = await leases.take(run_id, 0.2)
            await asyncio.sleep(pause)
            await leases.renew(lease, 60.0)
            await asyncio.sleep(0.3)
            with pytest.raises(Conflict):
                await leases.take(run_id, 60.0)

    async def test_of_many_takers_one_gets_the_run(self, journal: Journal) -> None:
        """However close they come."""
        leases = _leases(journal)
        found = await asyncio.gather(*(leases.take("a", 60.0) for _ in range(8)), return_exceptions=True)
        assert [type(one) for one in found if isinstance(one, Exception)] == [Conflict] * 7

    async def test_a_lease_is_no_event(self, journal: Journal) -> None:
        """Holding a run does not begin it."""
        await _leases(journal).take("a", 60.0)
        assert await journal.runs() == []
        with pytest.raises(UnknownRun):
            await journal.read("a")

    async def test_letters_come_in_order_and_stay(self, journal: Journal) -> None:
        """A number is never given twice, and reading takes nothing out."""
        inbox = _inbox(journal)
        for run_id in ("a", "b"):
            await journal.append(run_id, 1, [_start(run_id)])
        sent: list[Letter] = [
            Say(text="Zürich", by="anna"),
            Approve(call_id="1.1", allowed=True, arguments={"a": None}),
            Answer(call_id="1.2", value=[1, {"b": 0.5}]),
            Cancel(reason="enough"),
        ]
        numbers = [await inbox.send("a", letter) for letter in sent]
        other = await inbox.send("b", Say(text="to b"))
        numbers.append(await inbox.send("a", Say(text="last")))
        assert sorted({*numbers, other}) == [*numbers[:-1], other, numbers[-1]]
        for _ in range(2):
            found = await inbox.inbox("a")
            assert [one.number for one in found] == numbers
            assert [one.letter for one in found] == [*sent, Say(text="last")]
            assert all(one.at > 1_000_000_000 for one in found)
        assert [one.number for one in await inbox.inbox("a", numbers[2])] == numbers[3:]
        assert await inbox.inbox("a", numbers[-1]) == await inbox.inbox("nobody") == []
        assert len(await journal.read("a")) == 1

    async def test_a_letter_to_nobody_is_refused(self, journal: Journal) -> None:
        """It would never be read."""
        with pytest.raises(UnknownRun, match="nobody"):
            await _inbox(journal).send("nobody", Cancel())
        assert await _inbox(journal).inbox("nobody") == []

    async def test_a_letter_that_would_read_differently_is_refused(self, journal: Journal) -> None:
        """As an event is, and nothing of it is kept."""
        await journal.append("a", 1, [_start("a")])
        nothing: Any = None
        for letter in (Say(text="\ud800"), Answer(call_id="1", value=float("nan")), Say(text="x", by=nothing)):
            with pytest.raises(JournalError):
                await _inbox(journal).send("a", letter)
        assert await _inbox(journal).inbox("a") == []

    def test_every_letter_and_fork_comes_back_equal(self, tmp_path: Path) -> None:
        """Whatever the values."""
        names = count()
        with asyncio.Runner() as runner:
            journal = self.open(tmp_path / "any")
            runner.run(journal.append("run", 1, [_start("run")]))

            async def there_and_back(letter: Letter, fork: RunForked) -> None:
                run_id = f"fork {next(names)}"
                event = replace(fork, started=replace(fork.started, run_id=run_id))
                await journal.append(run_id, 2, [event])
                assert await journal.read(run_id, 1) == [event]
                await _inbox(journal).send(run_id, letter)
                assert [one.letter for one in await _inbox(journal).inbox(run_id)] == [letter]

            @settings(max_examples=30, deadline=None, database=None)
            @given(letters(), forks())
            def check(letter: Letter, fork: RunForked) -> None:
                runner.run(there_and_back(letter, fork))

            check()
            runner.run(journal.close())

    async def test_a_fork_shares_what_happened_before(self, journal: Journal) -> None:
        """Its events are those of its parent up to the fork, then its own; its parent stays as it was."""
        await tell(journal, "a")
        whole = await journal.read("a")
        fork = _fork("f", "a", 3)
        await journal.append("f", 4, [fork, _note("1")])
        await journal.append("f", 6, [_note("2")])
        expected = [*whole[:3], fork, _note("1"), _note("2")]
        for after in range(8):
            assert await journal.read("f", after) == expected[after:]
        assert await journal.read("a") == whole
        assert await _archive(journal).damage("f") is None
        line, parent = await journal.runs()
        assert (line.run_id, line.task, line.model) == ("f", "task of f", "openai:large")
        assert (line.parent, line.after, line.events, line.started_at) == ("a", 3, 6, 20.0)
        assert (line.damaged, line.status) == ("", None)
        assert (parent.run_id, parent.parent, parent.after, parent.events) == ("a", "", 0, 8)

    async def test_the_chain_of_a_fork_goes_on_from_its_parent(self, journal: Journal) -> None:
        """The shared rows are the parent's own, so that an audit of a fork is one of what it shares."""
        await tell(journal, "a")
        await journal.append("f", 4, [_fork("f", "a", 3), _note("1")])
        archive = _archive(journal)
        links, parent = await archive.rows("f"), await archive.rows("a")
        assert links[:3] == parent[:3]
        assert [(link.run_id, link.seq) for link in links[3:]] == [("f", 4), ("f", 5)]
        assert links[3].digest == chain.follow(parent[2].digest, links[3].row)
        assert chain.verify(links) is None

    async def test_forks_of_forks(self, journal: Journal) -> None:
        """Each may share what its parent shares, its parent's own, or only a part of either."""
        await journal.append("a", 1, [_start("a"), *(_note(f"a{number}") for number in range(2, 6))])
        await journal.append("b", 5, [_fork("b", "a", 4), _note("b6"), _note("b7")])
        expected = {"a": await journal.read("a"), "b": await journal.read("b")}
        for run_id, parent, after in (("c", "b", 6), ("d", "b", 2), ("e", "c", 7), ("f", "e", 5), ("g", "e", 8)):
            events: list[Event] = [_fork(run_id, parent, after), _note(f"{run_id} goes on")]
            await journal.append(run_id, after + 1, events)
            expected[run_id] = [*expected[parent][:after], *events]
        await journal.append("a", 6, [_note("a6")])
        await journal.append("b", 8, [_note("b8")])
        expected["a"].append(_note("a6"))
        expected["b"].append(_note("b8"))
        for run_id, events in expected.items():
            assert await journal.read(run_id) == events
            assert await _archive(journal).damage(run_id) is None
            assert len(await _archive(journal).rows(run_id)) == len(events)
        assert {line.run_id: line.events for line in await journal.runs()} == {
            run_id: len(events) for run_id, events in expected.items()
        }

    async def test_a_long_line_of_forks(self, journal: Journal) -> None:
        """A conversation forks at each of its turns."""
        await journal.append("0", 1, [_start("0")])
        for number in range(1, 41):
            await journal.append(str(number), number + 1, [_fork(str(number), str(number - 1), number)])
        events = await journal.read("40")
        assert len(events) == 41
        assert events[-1] == _fork("40", "39", 40)
        assert await _archive(journal).damage("40") is None

    async def test_a_fork_of_what_is_not_there_is_refused(self, journal: Journal) -> None:
        """A run that nobody wrote, the fork itself, or an event that did not happen yet."""
        await journal.append("a", 1, [_start("a"), _note("2")])
        for parent, after in (("nobody", 1), ("f", 2), ("a", 3), ("a", 100)):
            with pytest.raises(UnknownRun):
                await journal.append("f", after + 1, [_fork("f", parent, after)])
        assert [line.run_id for line in await journal.runs()] == ["a"]
        with pytest.raises(UnknownRun):
            await journal.read("f")
        await journal.append("f", 3, [_fork("f", "a", 2)])

    async def test_a_fork_takes_no_name_that_is_taken(self, journal: Journal) -> None:
        """Neither that of a run nor that of a fork, from wherever it is forked; and no run takes that of a fork."""
        await journal.append("a", 1, [_start("a"), _note("2"), _note("3")])
        await journal.append("f", 3, [_fork("f", "a", 2)])
        for run_id, after in (("a", 3), ("f", 1), ("f", 2), ("f", 3)):
            with pytest.raises(Conflict, match="already"):
                await journal.append(run_id, after + 1, [_fork(run_id, "a", after)])
        for seq, event in ((1, _start("f")), (2, _note("shared")), (3, _note("taken")), (5, _note("gap"))):
            with pytest.raises(Conflict):
                await journal.append("f", seq, [event])
        assert len(await journal.read("f")) == 3
        assert len(await journal.read("a")) == 3

    async def test_a_fork_begins_behind_what_it_shares(self, journal: Journal) -> None:
        """Anything else is a bug of whoever forks."""
        await journal.append("a", 1, [_start("a"), _note("2"), _note("3")])
        for seq, events in (
            (1, [_fork("f", "a", 0)]),
            (3, [_fork("f", "a", 3)]),
            (3, [_fork("other", "a", 2)]),
            (3, [_note("first"), _fork("f", "a", 3)]),
        ):
            with pytest.raises(IllegalEvent):
                await journal.append("f", seq, events)
        assert [line.run_id for line in await journal.runs()] == ["a"]

    async def test_a_fork_of_a_newer_format_is_refused(self, journal: Journal) -> None:
        """Also where only events are read that an older version wrote."""
        await journal.append("a", 1, [_start("a"), _note("2")])
        fork = _fork("f", "a", 2)
        await journal.append("f", 3, [replace(fork, started=replace(fork.started, format=FORMAT + 1))])
        for after in (0, 2):
            with pytest.raises(JournalError, match="newer version"):
                await journal.read("f", after)
        assert len(await journal.read("a")) == 2

    async def test_letters_and_leases_of_a_fork_are_its_own(self, journal: Journal) -> None:
        """What is sent to its parent is for its parent."""
        await journal.append("a", 1, [_start("a")])
        await journal.append("f", 2, [_fork("f", "a", 1)])
        await _leases(journal).take("a", 60.0)
        await _leases(journal).take("f", 60.0)
        await _inbox(journal).send("a", Say(text="to a"))
        assert await _inbox(journal).inbox("f") == []
        await _inbox(journal).send("f", Say(text="to f"))
        assert [one.letter for one in await _inbox(journal).inbox("f")] == [Say(text="to f")]


class DurableJournalSuite(JournalSuite):
    """The contract of a journal that outlives its process and is shared by several."""

    notices_death: ClassVar[bool] = False
    """Whether a lease ends with the process that took it, however much time is left."""

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

    async def test_leases_letters_and_forks_are_seen_through_every_journal(self, tmp_path: Path) -> None:
        """Whoever opened the place first, and after it was closed and opened again."""
        first, second = self.open(tmp_path / "journal"), self.open(tmp_path / "journal")
        await tell(first, "a")
        await second.append("f", 4, [_fork("f", "a", 3)])
        assert len(await first.read("f")) == 4
        number = await _inbox(second).send("f", Cancel(by="anna"))
        assert [one.number for one in await _inbox(first).inbox("f")] == [number]
        lease = await _leases(first).take("f", 60.0)
        with pytest.raises(Conflict):
            await _leases(second).take("f", 60.0)
        await first.close()
        third = self.open(tmp_path / "journal")
        assert len(await third.read("f")) == 4
        assert [one.letter for one in await _inbox(third).inbox("f")] == [Cancel(by="anna")]
        await _leases(third).release(lease)
        assert (await _leases(second).take("f", 60.0)).token > lease.token
        await second.close()
        await third.close()

    async def test_a_killed_process_holds_nothing(self, tmp_path: Path) -> None:
        """A run is taken while its holder is dead, and not while it lives."""
        place = tmp_path / "journal"
        process = await self._process(place, "hold", "a", "600" if self.notices_death else "2")
        assert process.stdout is not None
        assert await process.stdout.readline() == b"held\n"
        journal = self.open(place)
        if self.notices_death:
            with pytest.raises(Conflict, match="another process is working on run a"):
                await _leases(journal).take("a", 60.0)
        process.kill()
        await process.wait()
        if self.notices_death:
            await _leases(journal).take("a", 60.0)
        else:
            await _taken(_leases(journal), "a", 60.0)
        await journal.close()

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


def _leases(journal: Journal) -> Leases:
    assert isinstance(journal, Leases)
    return journal


def _inbox(journal: Journal) -> Inbox:
    assert isinstance(journal, Inbox)
    return journal


async def _taken(leases: Leases, run_id: str, seconds: float) -> Lease:
    """Take a run as soon as it is free."""
    while True:
        try:
            return await leases.take(run_id, seconds)
        except Conflict:
            await asyncio.sleep(0.02)


def _flat(batches: list[list[Event]]) -> list[Event]:
    return [event for batch in batches for event in batch]


def _task(event: Event) -> str:
    assert isinstance(event, RunStarted)
    return event.task
