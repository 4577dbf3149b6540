"""What comes from a strange journal or a strange folder decides nothing about code, keys and places."""

import asyncio
import os
import pty
import select
import sqlite3
import subprocess
from pathlib import Path

import pytest
from command import COMMAND, environment, loopwright

from loopwright import Agent, SqliteJournal
from loopwright.cli.setup import Recipe
from loopwright.cli.trust import consequences, is_own
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import ScriptedModel, answers, fails

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
CODE = """
from pathlib import Path
from loopwright import tool
Path("loaded").write_text("x")
@tool
def shout(text: str) -> str:
    '''Shout.'''
    return text.upper()
"""


async def a_failed_run(path: Path, **recipe: object) -> None:
    """A run that can be resumed, with this recipe in it."""
    agent = Agent(
        ScriptedModel(replies=[fails("network")]),
        journal=SqliteJournal(path),
        recipe={"model": "openai:any", **recipe},
        protocol="native",
    )
    assert (await agent.run("hi", run_id="r")).status == "failed"
    await agent.close()


def test_what_a_recipe_may_do_only_with_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert consequences(Recipe("openai:a", tools=("weather", "clock"))) == []
    assert consequences(Recipe("openai:a", base_url="http://127.0.0.1:1/v1", docs="d")) == []
    assert consequences(Recipe("local", tools=("weather", "mine.py"))) == ["run the code of mine.py"]
    assert consequences(Recipe("openai:a", base_url="https://evil/v1", docs="d")) == [
        "send the run to https://evil/v1 with the key in OPENAI_API_KEY",
        "show it what lies in d",
    ]
    assert consequences(Recipe("local", workspace="w")) == [
        "let the model read, and with your consent change, what lies in w"
    ]
    for address in ("http://127.0.0.1@evil/v1", "http://127.0.0.1.evil/", "http://[", "//evil", ""):
        assert consequences(Recipe("openai:a", base_url=address)), address


def test_which_journals_are_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    (project / ".loopwright").mkdir(parents=True)
    (data := tmp_path / "data" / "loopwright").mkdir(parents=True)
    places = [project / ".loopwright" / "journal.db", data / "journal.db", tmp_path / "named.db"]
    for place in places:
        place.write_text("")
    monkeypatch.chdir(project)
    monkeypatch.delenv("LOOPWRIGHT_JOURNAL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert [is_own(place) for place in places] == [False, True, False]
    monkeypatch.setenv("LOOPWRIGHT_JOURNAL", str(tmp_path / "named.db"))
    assert [is_own(place) for place in places] == [False, False, True]
    assert not is_own(tmp_path / "none.db")


async def test_a_strange_journal_loads_no_code_before_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE)
    strange = tmp_path / "strange.db"
    with ChatServer([answers("done")]) as server:
        await a_failed_run(strange, tools=["mine.py"], base_url=server.base_url)
        resume = ("resume", "r", "--journal", str(strange), "--quiet")
        done = loopwright(*resume, folder=tmp_path, settings=KEY)
        assert done.code == 2
        assert "run the code of mine.py" in done.err
        assert "--trust" in done.err
        assert not (tmp_path / "loaded").exists()
        done = loopwright(*resume, "--trust", folder=tmp_path, settings=KEY)
        assert (done.code, done.out) == (0, "done\n"), done
        assert (tmp_path / "loaded").exists()


async def test_a_strange_journal_sends_no_key_anywhere_before_it_is_trusted(tmp_path: Path) -> None:
    strange = tmp_path / "strange.db"
    await a_failed_run(strange, base_url="https://evil.example/v1")
    done = loopwright("resume", "r", "--journal", str(strange), folder=tmp_path, settings=KEY)
    assert done.code == 2
    assert "send the run to https://evil.example/v1 with the key in OPENAI_API_KEY" in done.err
    with sqlite3.connect(strange) as connection:
        assert b"run_resumed" not in connection.execute("SELECT row FROM events ORDER BY seq DESC").fetchone()[0]


async def test_ones_own_journal_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE)
    with ChatServer([answers("done")]) as server:
        await a_failed_run(tmp_path / "journal.db", tools=["mine.py"], base_url=server.base_url)
        assert loopwright("resume", "r", "-q", folder=tmp_path, settings=KEY).out == "done\n"


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2)])
def test_the_person_at_the_terminal_is_asked(typed: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE)
    with ChatServer([answers("done")]) as server:
        asyncio.run(a_failed_run(tmp_path / "strange.db", tools=["mine.py"], base_url=server.base_url))
        here, there = pty.openpty()
        arguments = [*COMMAND, "resume", "r", "--journal", "strange.db", "--quiet"]
        with subprocess.Popen(
            arguments, stdin=there, stdout=there, stderr=there, cwd=tmp_path, env=environment(tmp_path, **KEY)
        ) as process:
            os.close(there)
            assert "run the code of mine.py. Go on? [y/N]" in until(here, "[y/N]")
            os.write(here, typed.encode())
            until(here, "\0")
            assert process.wait() == code
        os.close(here)
    assert (tmp_path / "loaded").exists() == (code == 0)


def until(terminal: int, words: str) -> str:
    """What a terminal shows until these words, or until it is closed."""
    shown = ""
    while words not in " ".join(shown.split()) and select.select([terminal], [], [], 60)[0]:
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:
            break
    return " ".join(shown.split())


def test_a_file_in_the_folder_does_not_place_the_journal(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LOOPWRIGHT_JOURNAL=here.db\nLOOPWRIGHT_MODEL=openai:from-file\n")
    settings = {**KEY, "XDG_DATA_HOME": str(tmp_path / "data"), "LOOPWRIGHT_JOURNAL": ""}
    with ChatServer([answers("done")]) as server:
        done = loopwright("ask", "hi", "--base-url", server.base_url, folder=tmp_path, settings=settings)
    assert done.code == 0, done
    assert "openai:from-file" in done.err
    assert not (tmp_path / "here.db").exists()
    assert (tmp_path / "data" / "loopwright" / "journal.db").exists()


def test_a_nul_byte_in_the_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"LOOPWRIGHT_MODEL=a\0b\n")
    done = loopwright("runs", folder=tmp_path)
    assert done.code == 2
    assert "'LOOPWRIGHT_MODEL' holds a NUL byte" in done.err
