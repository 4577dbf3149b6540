"""The command at a terminal: approvals, and what is shown while a reply arrives."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminal import Terminal

from loopwright.testing.chat_server import ChatServer, after
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
TOOL = '''from pathlib import Path

from loopwright import tool


@tool(effect="write")
def note(text: str) -> str:
    """Write it down.

    Args:
        text: what
    """
    Path("written.txt").write_text(text)
    return "done"
'''


@contextmanager
def asked_to_write(folder: Path) -> Generator[tuple[ChatServer, Terminal]]:
    """A run whose model wants to write, half a second after it was asked."""
    (folder / "mine.py").write_text(TOOL)
    with ChatServer([after(0.5, calls("note", text="hello")), answers("over")]) as server:
        arguments = ("ask", "write", "--model", "openai:any", "--base-url", server.base_url, "--tools", "mine.py")
        terminal = Terminal(arguments, folder, KEY)
        try:
            yield server, terminal
        finally:
            terminal.close()


def test_what_was_typed_before_the_question_approves_nothing(tmp_path: Path) -> None:
    with asked_to_write(tmp_path) as (server, terminal):
        terminal.wait_for(lambda: bool(server.requests))
        terminal.type(b"y\ny\n")
        terminal.wait_to_see("Run it? [y/N, or N and why] ")
        assert not (tmp_path / "written.txt").exists()
        terminal.type(b"no thanks\n")
        assert terminal.end() == 0
    assert b"no, by terminal thanks" in terminal.shown
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
