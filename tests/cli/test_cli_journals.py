"""Lists of runs, damaged runs, and journals that are not there."""

import sqlite3
from pathlib import Path

import pytest
from command import Done, loopwright

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import answers

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def asked(task: str, folder: Path, *more: str) -> Done:
    with ChatServer([answers("6")]) as server:
        arguments = ("ask", task, "--model", "openai:any", "--base-url", server.base_url, *more)
        return loopwright(*arguments, folder=folder, settings=KEY)


def test_a_list_is_short_whatever_was_asked(tmp_path: Path) -> None:
    task = "Tell me\n" + "all about everything " * 1000
    asked(task, tmp_path)
    asked("2*3?", tmp_path)
    lines = loopwright("runs", folder=tmp_path).out.splitlines()
    assert len(lines) == 3
    assert all(len(line) < 180 and line == line.rstrip() for line in lines)
    assert "Tell me all about everything" in lines[2]
    assert lines[2].endswith("…")
    assert loopwright("runs", "--json", folder=tmp_path).events[1]["task"] == task
    assert task.strip() in loopwright("show", lines[2].split()[0], folder=tmp_path).out


@pytest.mark.parametrize("seq", [1, 4], ids=["first", "last"])
def test_a_damaged_run_blocks_no_other(seq: int, tmp_path: Path) -> None:
    for task in ("one", "two", "three"):
        asked(task, tmp_path)
    newest, middle, oldest = (event["run_id"] for event in loopwright("runs", "--json", folder=tmp_path).events)
    with sqlite3.connect(tmp_path / "journal.db") as connection:
        connection.execute("UPDATE events SET row = x'00' WHERE run_id = ? AND seq = ?", (middle, seq))
    connection.close()
    listed = loopwright("runs", folder=tmp_path)
    assert listed.code == 0, listed
    assert "damaged" in next(line for line in listed.out.splitlines() if line.startswith(middle))
    assert listed.out.count("answered") == 2
    assert "damaged" in loopwright("runs", "--json", folder=tmp_path).events[1]["damaged"]
    for run in ("last", newest, oldest, oldest[:-1]):
        assert loopwright("show", run, folder=tmp_path).code == 0
    for verb in ("show", "resume"):
        done = loopwright(verb, middle, folder=tmp_path)
        assert (done.code, "Traceback" in done.err) == (1, False)


def test_only_ask_makes_a_journal(tmp_path: Path) -> None:
    missing = ("--journal", "new/runs.db")
    for arguments in (("runs",), ("show",), ("show", "x"), ("resume", "last")):
        done = loopwright(*arguments, *missing, folder=tmp_path)
        assert (done.code, "there is no journal 'new/runs.db'" in done.err) == (2, True)
        loopwright(*arguments, folder=tmp_path)
        assert list(tmp_path.iterdir()) == []
    done = asked("2*3?", tmp_path, *missing)
    assert done.code == 0
    assert f"journal: in the new folder {tmp_path / 'new'}" in done.err
    assert "journal:" not in asked("2*3?", tmp_path, *missing).err
    for out in (done.out, loopwright("show", *missing, folder=tmp_path).out):
        command = out.rpartition(" · loopwright ")[2].split()
        assert command[2:] == list(missing)
        assert loopwright(*command, folder=tmp_path).code == 0
