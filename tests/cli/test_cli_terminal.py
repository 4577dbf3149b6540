"""The command at a terminal: approvals, and what is shown while a reply arrives."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from terminal import Terminal

from loopwright.testing.chat_server import ChatServer, after
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
EDITOR = """import sys
from pathlib import Path

file = Path(sys.argv[1])
file.write_text(file.read_text().replace("hello", "goodbye"))
"""
TOOL = '''from pathlib import Path

from loopwright import tool


@tool(effect="write")
def note(text: str) -> str:
    """Write it down.

    Args:
        text: what
    """
    with Path("written.txt").open("a") as file:
        file.write(text)
    return "done"
'''


@contextmanager
def asked_to_write(folder: Path, *turns: Any, **settings: str) -> Generator[tuple[ChatServer, Terminal]]:
    """A run whose model wants to write, half a second after it was asked."""
    (folder / "mine.py").write_text(TOOL)
    (folder / "editor.py").write_text(EDITOR)
    script = turns or (calls("note", text="hello"),)
    with ChatServer([after(0.5, script[0]), *script[1:], answers("over")]) as server:
        arguments = ("ask", "write", "--model", "openai:any", "--base-url", server.base_url, "--tools", "mine.py")
        terminal = Terminal(arguments, folder, KEY | settings)
        try:
            yield server, terminal
        finally:
            terminal.close()


def test_what_was_typed_before_the_question_approves_nothing(tmp_path: Path) -> None:
    with asked_to_write(tmp_path) as (server, terminal):
        terminal.wait_for(lambda: bool(server.requests))
        terminal.type(b"y\ny\n")
        terminal.wait_to_see("Run it? [y/c/t/e/N] ")
        assert not (tmp_path / "written.txt").exists()
        terminal.type(b"no thanks\n")
        assert terminal.end() == 0
    assert b"no, by terminal: thanks" in terminal.shown
    assert not (tmp_path / "written.txt").exists()


def test_a_yes_to_the_question_approves(tmp_path: Path) -> None:
    with asked_to_write(tmp_path) as (_, terminal):
        terminal.wait_to_see("Run it? ")
        terminal.type(b"y\n")
        assert terminal.end() == 0
    assert (tmp_path / "written.txt").read_text() == "hello"


@pytest.mark.parametrize("typed", [b"y\xff\n", b"\xc3\n", b"\n", b"yy\n", b"\x04"])
def test_what_is_not_a_yes_is_a_no(typed: bytes, tmp_path: Path) -> None:
    with asked_to_write(tmp_path) as (_, terminal):
        terminal.wait_to_see("Run it? ")
        terminal.type(typed)
        assert terminal.end() == 0
    assert b"no, by terminal" in terminal.shown
    assert not (tmp_path / "written.txt").exists()


def test_the_question_shows_all_of_the_call_and_why_it_is_asked_about(tmp_path: Path) -> None:
    text = "x" * 3000 + "\x1b[2J\u202e end"
    with asked_to_write(tmp_path, calls("note", text=text)) as (_, terminal):
        terminal.wait_to_see("Run it? ")
        terminal.type(b"n\n")
        assert terminal.end() == 0
    question = terminal.shown.partition(b"The model wants to write: ")[2].partition(b"Run it?")[0].decode()
    unwrapped = question.replace("\r\n", "")
    assert f'note {{"text":"{"x" * 3000}\\u001b[2J\\u202e end"}}' in unwrapped
    assert "Asked because no rule allows it (write)" in question
    assert "\u202e" not in question
    assert "[t] note always in this run until it reads text of others" in question
    assert "[N]o; with why: n REASON" in question


NOTES = (calls("note", text="a"), calls("note", text="a"), calls("note", text="b"))


@pytest.mark.parametrize(("typed", "asked"), [(b"y", 3), (b"c", 2), (b"t", 1)])
def test_an_answer_for_good_is_not_asked_for_again(typed: bytes, asked: int, tmp_path: Path) -> None:
    with asked_to_write(tmp_path, *NOTES) as (_, terminal):
        for number in range(asked):
            terminal.wait_for(lambda number=number: terminal.shown.count(b"Run it? ") > number)
            terminal.type(typed + b"\n")
        assert terminal.end() == 0
    assert terminal.shown.count(b"Run it? ") == asked
    assert (tmp_path / "written.txt").read_text() == "aab"


def test_an_answer_for_good_answers_the_questions_that_wait_behind_it(tmp_path: Path) -> None:
    together = calls("note", text="a") + calls("note", text="b") + calls("note", text="c")
    with asked_to_write(tmp_path, together) as (_, terminal):
        terminal.wait_to_see("Run it? ")
        terminal.type(b"t\n")
        assert terminal.end() == 0
    assert terminal.shown.count(b"Run it? ") == 1
    assert sorted((tmp_path / "written.txt").read_text()) == ["a", "b", "c"]


def test_arguments_are_changed_in_a_line(tmp_path: Path) -> None:
    with asked_to_write(tmp_path) as (_, terminal):
        terminal.wait_to_see("Run it? ")
        terminal.type(b"e\n")
        terminal.wait_to_see("in one line: ")
        terminal.type(b'{"txt": 1}\n')
        terminal.wait_to_see("Nothing is changed: ")
        terminal.wait_for(lambda: terminal.shown.count(b"Run it? ") == 2)
        terminal.type(b"e\n")
        terminal.wait_for(lambda: terminal.shown.count(b"in one line: ") == 2)
        terminal.type(b'{"text": "mine"}\n')
        terminal.wait_to_see('note {"text":"mine"}')
        terminal.wait_for(lambda: terminal.shown.count(b"Run it? ") == 3)
        terminal.type(b"y\n")
        assert terminal.end() == 0
    assert (tmp_path / "written.txt").read_text() == "mine"
    assert b"with the arguments" in terminal.shown


def test_arguments_are_changed_in_the_editor(tmp_path: Path) -> None:
    with asked_to_write(tmp_path, EDITOR=f"{sys.executable} editor.py") as (_, terminal):
        terminal.wait_to_see("Run it? ")
        terminal.type(b"e\n")
        terminal.wait_for(lambda: terminal.shown.count(b"Run it? ") == 2)
        terminal.type(b"y\n")
        assert terminal.end() == 0
    assert (tmp_path / "written.txt").read_text() == "goodbye"


@pytest.mark.parametrize("editor", ["no-such-editor", "false"])
def test_an_editor_that_does_not_work_changes_nothing(editor: str, tmp_path: Path) -> None:
    with asked_to_write(tmp_path, VISUAL=editor) as (_, terminal):
        terminal.wait_to_see("Run it? ")
        terminal.type(b"e\n")
        terminal.wait_to_see("Nothing is changed: nothing was given")
        terminal.wait_for(lambda: terminal.shown.count(b"Run it? ") == 2)
        terminal.type(b"no, leave it\n")
        assert terminal.end() == 0
    assert not (tmp_path / "written.txt").exists()


def test_the_end_of_a_reply_is_shown_while_it_arrives(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    with ChatServer([answers(words)], piece=60, pause=0.05) as server:
        arguments = ("ask", "talk", "--model", "openai:any", "--base-url", server.base_url)
        terminal = Terminal(arguments, tmp_path, KEY)
        try:
            assert terminal.end() == 0
        finally:
            terminal.close()
    arriving, _, _ = terminal.shown.partition(b"Answer")
    assert b"thinking" in arriving
    assert b" word20 word21 " in arriving or b" word30 word31 " in arriving
    assert max(map(len, arriving.decode().replace("\r", "\n").split("\n"))) < 120
