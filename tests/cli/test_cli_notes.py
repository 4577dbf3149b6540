"""What the model is told beside results is printed in words, and what it said only once."""

from pathlib import Path
from typing import get_args

from command import Done, loopwright

from loopwright.core.events import NoteKind
from loopwright.engine.telling import NOTES
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import Line, answers, calls, says

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def asked(replies: list[Line], folder: Path) -> Done:
    with ChatServer(replies) as server:
        return loopwright(
            *("ask", "t", "--model", "openai:any", "--base-url", server.base_url, "--protocol", "text"),
            folder=folder,
            settings=KEY,
        )


def test_every_kind_of_note_has_words() -> None:
    assert set(NOTES) == set(get_args(NoteKind))
    assert all(" " in words for words in NOTES.values())


def test_a_repeated_call_is_noted_in_words(tmp_path: Path) -> None:
    done = asked([calls("calculator", expression="2*3")] * 3 + [answers("6")], tmp_path)
    assert "Note: the same call gave the same result again; the model is told so" in done.out
    assert "Note: repeating" not in done.out


def test_a_reply_that_cannot_be_read_is_printed_once(tmp_path: Path) -> None:
    done = asked([says("Thought: I look.\nLet me see."), answers("6")], tmp_path)
    for out in (done.out, loopwright("show", folder=tmp_path).out):
        assert out.count("I look.") == 1, out
        assert out.count("Unreadable 1: ") == 1
        (note,) = (line for line in out.splitlines() if line.startswith("Note: "))
        assert note == "Note: the reply could not be read; the model is told why"


def test_a_thought_beside_the_reply_is_still_printed(tmp_path: Path) -> None:
    done = asked([calls("calculator", expression="2*3").thinking("I multiply."), answers("6")], tmp_path)
    assert "Reason 1: I multiply." in done.out
