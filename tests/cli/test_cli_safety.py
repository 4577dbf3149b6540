"""Nothing that a model, a tool, a journal, a file or a server wrote may command the terminal, or end the command."""

import asyncio
import json
import re
import subprocess
from pathlib import Path

import pytest
from command import COMMAND, Done, environment, loopwright

from loopwright.cli.printing import columns, exact, one_line
from loopwright.core.events import ModelAsked, ModelReplied, RunEnded, RunStarted
from loopwright.core.messages import Outcome, Turn
from loopwright.engine.telling import visible
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing.chat_server import ChatServer, Replies, refuses
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
HOSTILE = "[/bold] \x1b[31m \x07 \x9b2J \x7f \u202e left \u2066 \u200f \u061c end"
UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
TOOL = f'''from loopwright import tool


@tool
def shout(text: str) -> str:
    """Say it. {HOSTILE!r}

    Args:
        text: what {HOSTILE}
    """
    return {HOSTILE!r}
'''


def asked(replies: Replies, folder: Path, *more: str) -> Done:
    with ChatServer(replies) as server:
        arguments = ("ask", "2*3?", "--model", "openai:any", "--base-url", server.base_url, *more)
        return loopwright(*arguments, folder=folder, settings=KEY)


def assert_safe(done: Done) -> None:
    assert not UNSAFE.findall(done.out + done.err)


@pytest.mark.parametrize("option", ["--full", "--quiet", "--json"])
def test_an_answer_cannot_command_the_terminal(option: str, tmp_path: Path) -> None:
    done = asked([answers(f"a\n\tb {HOSTILE}")], tmp_path, option)
    assert done.code == 0, done
    assert_safe(done)
    if option == "--json":
        assert done.events[-1]["outcome"]["answer"] == f"a\n\tb {HOSTILE}"
    else:
        tab = "\t" if option == "--quiet" else "        "
        assert f"a\n{tab}b [/bold] \\x1b[31m \\x07 \\x9b2J \\x7f \\u202e left \\u2066 \\u200f \\u061c end" in done.out


def test_a_call_and_its_result_cannot(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TOOL)
    done = asked([calls("shout", text=HOSTILE).thinking(HOSTILE), answers("ok")], tmp_path, "--tools", "mine.py")
    assert done.code == 0, done
    assert done.out.count("\\u202e left") == 3
    assert_safe(done)
    for arguments in (("show",), ("show", "--json"), ("tools", "-t", "mine.py"), ("tools", "-t", "mine.py", "--json")):
        shown = loopwright(*arguments, folder=tmp_path)
        assert shown.code == 0
        assert "u202e" in shown.out
        assert_safe(shown)


@pytest.mark.parametrize("option", ["--full", "--quiet", "--json"])
def test_the_words_of_a_server_cannot(option: str, tmp_path: Path) -> None:
    done = asked([refuses(400, HOSTILE)], tmp_path, option)
    assert done.code == 1
    assert "u202e left" in done.out + done.err
    assert_safe(done)


def test_a_failure_is_said_once(tmp_path: Path) -> None:
    done = asked([refuses(400, "a peculiar reason")], tmp_path)
    assert (done.out + done.err).count("a peculiar reason") == 1
    assert "failed · 0 steps" in done.out
    assert loopwright("show", folder=tmp_path).out.count("a peculiar reason") == 1


def test_a_journal_cannot(tmp_path: Path) -> None:
    run_id = f"id {HOSTILE}"
    history = [
        RunStarted(run_id=run_id, task=f"[/bold] x {HOSTILE}", model=f"[red]m {HOSTILE}"),
        ModelAsked(number=1),
        ModelReplied(turn=Turn(answer=HOSTILE, text=HOSTILE)),
        RunEnded(outcome=Outcome("answered", HOSTILE)),
    ]

    async def write() -> None:
        journal = SqliteJournal(tmp_path / "journal.db")
        await journal.append(run_id, 1, history)
        await journal.close()

    asyncio.run(write())
    for arguments, code in (
        (("runs",), 0),
        (("runs", "--json"), 0),
        (("show",), 0),
        (("show", "id "), 0),
        (("show", "--json"), 0),
        (("resume", "last"), 2),
    ):
        done = loopwright(*arguments, folder=tmp_path)
        assert done.code == code, done
        assert "u202e" in done.out + done.err
        assert_safe(done)


def test_an_exception_of_a_file_cannot(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"raise RuntimeError({HOSTILE!r})\n")
    done = loopwright("tools", "-t", "mine.py", folder=tmp_path)
    assert (done.code, "\\u202e left" in done.err) == (2, True)
    assert_safe(done)


def test_halves_of_surrogate_pairs_are_written_out() -> None:
    assert visible("a\ud800b\udfff\r\nc\rd") == "a\\ud800b\\udfff\nc\\x0dd"


def test_what_is_agreed_to_hides_nothing() -> None:
    hidden = "\u00ad\u034f\u115f\u200b\u200d\u2028\u2060\u2800\u3164\ufe0f\ufeff\uffa0\U000e0041\U000e0101"
    shown = exact(f"bob@work.org{hidden}\n日本語 é\t\x1b[2J")
    assert shown == (
        "bob@work.org\\xad\\u034f\\u115f\\u200b\\u200d\\u2028\\u2060\\u2800\\u3164\\ufe0f\\ufeff\\uffa0\\U000e0041"
        "\\U000e0101\n日本語 é\t\\x1b[2J"
    )
    assert visible("e\u200dx") == "e\u200dx"


def test_lines_are_cut_by_columns_not_by_characters() -> None:
    assert one_line("a  b\nc", 5) == "a b c"
    assert one_line("日本語の課題", 7) == "日本語…"
    assert columns([("日本", "x"), ("a", "y")]) == ["日本  x", "a     y"]


def raw(
    *arguments: str | bytes, folder: Path, settings: dict[str, str], stdin: bytes = b""
) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        cwd=folder,
        env=environment(folder, **{**KEY, **settings}),
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "settings",
    [{"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}],
    ids=["latin-1", "ascii", "C locale"],
)
def test_an_encoding_that_cannot_carry_the_text_does_no_harm(settings: dict[str, str], tmp_path: Path) -> None:
    answer = "é ✓ 日本 🎉"
    with ChatServer(lambda _request, _number: answers(answer)) as server:
        common = ("ask", "hé ✓?", "--model", "openai:any", "--base-url", server.base_url)
        for more in ((), ("--quiet",)):
            code, out, err = raw(*common, *more, folder=tmp_path, settings=settings)
            assert (code, b"Traceback" in err) == (0, False), err
            assert b"\\u2713" in out or "✓".encode() in out
        code, out, _ = raw(*common, "--json", folder=tmp_path, settings=settings)
    events = [json.loads(line) for line in out.splitlines()]
    assert (code, events[-1]["outcome"]["answer"]) == (0, answer)
    for verb in ("runs", "show", "models", "tools"):
        code, _, err = raw(verb, folder=tmp_path, settings=settings)
        assert (code, err) == (0, b"")


@pytest.mark.parametrize(("task", "stdin"), [(b"caf\xe9", b""), (b"-", b"caf\xe9")], ids=["argument", "stdin"])
def test_a_task_that_is_not_utf_8_is_refused(task: bytes, stdin: bytes, tmp_path: Path) -> None:
    code, _, err = raw("ask", task, "--model", "ollama:x", folder=tmp_path, settings={}, stdin=stdin)
    assert (code, err) == (2, b"loopwright: the task is not UTF-8 text\n")
