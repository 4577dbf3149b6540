"""A person at the terminal in the place of a tool."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from command import loopwright
from terminal import Terminal

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
TOOL = '''from typing import Literal

from loopwright import person_tool


@person_tool
def taste(dish: str, times: int = 1) -> Literal["bland", "salty"]:
    """Taste a dish."""
'''


@contextmanager
def asked(folder: Path, tool: str, **arguments: str) -> Generator[tuple[ChatServer, Terminal]]:
    (folder / "mine.py").write_text(TOOL)
    with ChatServer([calls(tool, **arguments), answers("over")]) as server:
        tools = "mine.py" if tool == "taste" else tool
        terminal = Terminal(
            ("ask", "cook", "--model", "openai:any", "--base-url", server.base_url, "--tools", tools), folder, KEY
        )
        try:
            yield server, terminal
        finally:
            terminal.close()


def told(server: ChatServer) -> str:
    return server.requests[1].messages[-1]["content"]


def test_the_question_is_shown_and_the_answer_is_the_observation(tmp_path: Path) -> None:
    with asked(tmp_path, "ask_person", question="Which\x1b[2J one?\nRun it? [y/N]") as (server, terminal):
        terminal.wait_to_see("Your answer (a string): ")
        terminal.type("the red one, größer\n".encode())
        assert terminal.end() == 0
    assert "The model asks you: Which\\x1b[2J one?" in terminal.shown.decode()
    assert told(server) == '{"status":"ok","data":"the red one, größer"}'


def test_an_answer_of_another_kind_is_asked_for_again(tmp_path: Path) -> None:
    with asked(tmp_path, "taste", dish="soup") as (server, terminal):
        terminal.wait_to_see("Your answer (one of 'bland', 'salty'): ")
        terminal.type(b"hot\n")
        terminal.wait_for(lambda: terminal.shown.count(b"Your answer (") > 1)
        terminal.type(b"Salty\n")
        assert terminal.end() == 0
    shown = terminal.shown.decode()
    assert "'hot' is not one of 'bland', 'salty'" in shown
    assert 'The model asks you for taste {"dish":"soup"}' in shown
    assert "Taste a dish." in shown
    assert told(server) == '{"status":"ok","data":"salty"}'


def test_three_answers_that_cannot_be_used_are_none(tmp_path: Path) -> None:
    with asked(tmp_path, "taste", dish="soup") as (server, terminal):
        for number in range(3):
            terminal.wait_for(lambda: terminal.shown.count(b"Your answer (") > number)  # noqa: B023
            terminal.type(b"hot\n")
        assert terminal.end() == 0
    assert '"error":"NobodyAnswered: ' in told(server)


def test_the_end_of_the_input_is_no_answer(tmp_path: Path) -> None:
    with asked(tmp_path, "ask_person", question="Which one?") as (server, terminal):
        terminal.wait_to_see("Your answer (a string): ")
        terminal.type(b"\x04")
        assert terminal.end() == 0
    assert '"error":"NobodyThere: the person closed the input and gave no answer"' in told(server)


def test_ctrl_c_ends_the_run_and_it_asks_again_when_it_goes_on(tmp_path: Path) -> None:
    with asked(tmp_path, "ask_person", question="Which one?") as (server, terminal):
        terminal.wait_to_see("Your answer (a string): ")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
        again = Terminal(("resume", "last"), tmp_path, KEY)
        try:
            again.wait_to_see("Your answer (a string): ")
            again.type(b"this one\n")
            assert again.end() == 0
        finally:
            again.close()
        assert told(server) == '{"status":"ok","data":"this one"}'


def test_without_a_terminal_nobody_is_there(tmp_path: Path) -> None:
    with ChatServer([calls("ask_person", question="Which one?"), answers("over")]) as server:
        options = ("--model", "openai:any", "--base-url", server.base_url, "--tools", "ask_person")
        done = loopwright("ask", "cook", *options, folder=tmp_path, settings=KEY)
    assert done.code == 0
    assert '"error":"NobodyThere: nobody is there' in told(server)
