"""The command line with a journal on a Postgres server: every verb, and never a password."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Done, loopwright

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.postgres_server import USER, NoPostgres, PostgresServer
from loopwright.testing.scripted import answers

TOOLS = """
from loopwright import tool

@tool
def double(x: int) -> int:
    'Twice a number.'
    return 2 * x
"""
KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        started = PostgresServer()
    except NoPostgres as reason:
        pytest.skip(f"no Postgres server: {reason}")
    with started:
        yield started


def asked(task: str, folder: Path, *more: str, settings: dict[str, str] | None = None) -> Done:
    with ChatServer([answers("6")]) as chat:
        arguments = ("ask", task, "--model", "openai:any", "--base-url", chat.base_url, *more)
        return loopwright(*arguments, folder=folder, settings={**KEY, **(settings or {})})


def test_every_verb_takes_an_address_and_shows_no_password(server: PostgresServer, tmp_path: Path) -> None:
    journal = ("--journal", server.network_address)
    done = [asked("2*3?", tmp_path, *journal)]
    done += [loopwright(verb, *journal, folder=tmp_path) for verb in ("runs", "show", "audit")]
    done += [loopwright("resume", "last", *journal, folder=tmp_path, settings=KEY)]
    done += [loopwright("show", "nothing", *journal, folder=tmp_path)]
    assert [one.code for one in done] == [0, 0, 0, 0, 0, 2], done
    assert "2*3?" in done[1].out
    assert "as they were written" in done[3].out
    shown = f"postgresql://{USER}@127.0.0.1:{server.port}/postgres"
    assert f"loopwright show {done[1].out.splitlines()[1].split()[0]} --journal {shown}" in done[0].out + done[0].err
    assert not any(server.password in one.out + one.err for one in done)
    assert not list(tmp_path.iterdir())


def test_the_variable_may_name_it(server: PostgresServer, tmp_path: Path) -> None:
    settings = {"LOOPWRIGHT_JOURNAL": server.address}
    assert asked("3*3?", tmp_path, settings=settings).code == 0
    assert "3*3?" in loopwright("runs", folder=tmp_path, settings=settings).out
    assert "3*3?" not in loopwright("runs", folder=tmp_path).out


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [
        ("postgresql://me:se@cret-word@127.0.0.1/db", 2, "cannot be read"),
        ("postgresql://me:se/cret-word@127.0.0.1/db", 2, "cannot be read"),
        ("postgresql://me:secret-word@127.0.0.1:1/db", 1, "cannot reach the journal postgresql://me@127.0.0.1:1/db"),
    ],
)
def test_what_is_wrong_is_said_in_words(address: str, code: int, said: str, tmp_path: Path) -> None:
    for done in (
        loopwright("runs", "--journal", address, folder=tmp_path),
        loopwright("runs", folder=tmp_path, settings={"LOOPWRIGHT_JOURNAL": address}),
        asked("2*3?", tmp_path, "--journal", address),
    ):
        assert (done.code, said in done.err) == (code, True), done
        assert "cret-word" not in done.out + done.err
        assert "Traceback" not in done.err


def test_a_journal_that_others_may_write_is_not_followed_without_a_word(server: PostgresServer, tmp_path: Path) -> None:
    """A run names what it would load, and whoever may write into that server may name anything."""
    tools = tmp_path / "mine.py"
    tools.write_text(TOOLS)
    made = asked("2*3?", tmp_path, "--journal", server.address, "--tools", str(tools))
    assert made.code == 0, made
    named = loopwright("resume", "last", "--journal", server.address, folder=tmp_path, settings=KEY)
    assert (named.code, "which may not be your own" in named.err) == (2, True), named
    own = {**KEY, "LOOPWRIGHT_JOURNAL": server.address}
    assert loopwright("resume", "last", folder=tmp_path, settings=own).code == 0
