"""`loopwright runs` with options that say which: by what became of them, model, tool, text and time."""

import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from command import Done, loopwright

from loopwright.cli.choosing import STATUSES, Wanted, chosen_runs, time_of
from loopwright.core.errors import UsageError
from loopwright.core.events import ModelAsked, ModelReplied, RunEnded, RunPaused, RunStarted
from loopwright.core.messages import Call, Outcome, Turn
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def three(folder: Path) -> list[str]:
    """A run that calculated, one that stopped, and one of another model; their ids, the newest first."""
    scripts = (
        ("What is 2*3?", "first", [calls("calculator", expression="2*3"), answers("Six.")], ()),
        ("Say hello", "first", [answers("no idea")], ("--max-model-calls", "1")),
        ("GRÜSSE", "second", [answers("hello")], ()),
    )
    for task, model, script, more in scripts:
        with ChatServer(script) as server:
            at = ("--model", f"openai:{model}", "--base-url", server.base_url)
            loopwright("ask", task, *at, *more, folder=folder, settings=KEY)
    return [event["run_id"] for event in listed(folder).events]


def listed(folder: Path, *options: str) -> Done:
    return loopwright("runs", "--json", *options, folder=folder)


def test_runs_are_chosen_by_what_the_options_say(tmp_path: Path) -> None:
    hello, stopped, six = three(tmp_path)
    for options, expected in (
        (("--status", "answered"), [hello, six]),
        (("--status", "answered", "--status", "partial"), [hello, stopped, six]),
        (("--status", "waits", "--status", "paused"), []),
        (("--model", "openai:FIRST"), [stopped, six]),
        (("--model", "*sec*"), [hello]),
        (("--model", "first"), []),
        (("--tool", "calculator"), [six]),
        (("--tool", "calc"), []),
        (("--text", "HELLO"), [hello, stopped]),
        (("--text", "grüsse"), [hello]),
        (("--text", "hello", "--status", "answered"), [hello]),
        (("--limit", "1", "--status", "answered", "--model", "*first"), [six]),
        (("--since", "1h"), [hello, stopped, six]),
        (("--until", "1h"), []),
    ):
        done = listed(tmp_path, *options)
        assert (done.code, [event["run_id"] for event in done.events]) == (0, expected), (options, done)
        assert ("no runs match" in done.err) is not expected, options
    table = loopwright("runs", "--tool", "calculator", folder=tmp_path)
    assert [line.split()[0] for line in table.out.splitlines()] == ["run", six]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--status", "done"), "unknown --status 'done': use answered, "),
        (("--since", "yesterday"), "--since 'yesterday' is no time: use a date like "),
        (("--until", "2026-13-01"), "--until '2026-13-01' is no time"),
        (("--until", "9999-12-31"), "is no time"),
        (("--since", "2h", "--until", "3h"), "--since is not before --until"),
    ],
)
def test_what_no_run_can_be_is_refused(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = listed(tmp_path, *options)
    assert (done.code, words in done.err, done.out) == (2, True, ""), done


def test_no_run_that_fits_is_no_failure_and_no_line(tmp_path: Path) -> None:
    assert "no runs yet" in loopwright("runs", "--text", "x", folder=tmp_path).out
    three(tmp_path)
    done = loopwright("runs", "--text", "nobody said this", folder=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert "no runs match" in done.err


def test_a_damaged_run_is_chosen_as_one_and_named_where_it_might_have_fitted(tmp_path: Path) -> None:
    hello, stopped, six = three(tmp_path)
    with sqlite3.connect(tmp_path / "journal.db") as connection:
        connection.execute("UPDATE events SET row = x'00' WHERE run_id = ? AND seq = 1", (stopped,))
        connection.execute("UPDATE events SET row = x'00' WHERE run_id = ? AND seq = 3", (six,))
    connection.close()
    assert [event["run_id"] for event in listed(tmp_path, "--status", "damaged").events] == [stopped]
    both = listed(tmp_path, "--status", "damaged", "--status", "answered")
    assert [event["run_id"] for event in both.events] == [hello, stopped, six]
    done = listed(tmp_path, "--tool", "calculator")
    assert (done.code, done.out) == (0, "")
    assert f"run {stopped} is damaged, so it cannot be said whether it fits" in done.err
    assert f"loopwright audit {six}" in done.err
    assert "damaged" not in listed(tmp_path, "--text", "hello", "--status", "answered").err


async def test_each_run_is_one_thing() -> None:
    journal = MemoryJournal()
    asks = (ModelAsked(number=1), ModelReplied(turn=Turn(calls=(Call("ask_person", id="1.1"),))))
    for name, more in (
        ("over", (RunEnded(outcome=Outcome(status="cancelled")),)),
        ("paused", (*asks, RunPaused(reason="interrupted"))),
        ("waits", (*asks, RunPaused(reason="waits for a person: 1.1"))),
        ("unfinished", asks),
    ):
        await journal.append(name, 1, [RunStarted(run_id=name, task="", model="m"), *more])
    told = {"over": "cancelled"}
    for status in STATUSES:
        found = (await chosen_runs(journal, Wanted(statuses=frozenset({status})), 50)).runs
        expected = [name for name in ("over", "paused", "waits", "unfinished") if told.get(name, name) == status]
        assert [(run.summary.run_id, run.status) for run in found] == [(name, status) for name in expected]
    one = await chosen_runs(journal, Wanted(tool="ask_person"), 1)
    assert len(one.runs) == 1


def test_times_are_dates_times_and_ages() -> None:
    day = datetime(2026, 3, 1).astimezone()
    assert time_of("--since", None) is None
    assert time_of("--since", "2026-03-01") == day.timestamp()
    assert time_of("--until", " 2026-03-01 ", end=True) == datetime(2026, 3, 2).astimezone().timestamp()
    assert time_of("--since", "2026-03-01T12:00") == (day + timedelta(hours=12)).timestamp()
    assert time_of("--since", "1970-01-01T01:00:00+00:00") == 3600
    ages = [time_of("--since", age) or 0.0 for age in ("1w", "1.5d", "2h", "30m", "10s")]
    assert ages == sorted(ages)
    for wrong in ("", "3", "-2h", "2 h", "h", "2026", "2y"):
        with pytest.raises(UsageError, match="is no time"):
            time_of("--since", wrong)
