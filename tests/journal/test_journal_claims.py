"""A run is worked on by one driver at a time, and by nobody once its process is dead."""

import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from loopwright import Agent
from loopwright.core.errors import Conflict, JournalError
from loopwright.engine.claim import Claiming
from loopwright.journal import claims
from loopwright.journal.memory import MemoryJournal
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing.crash import CrashAt
from loopwright.testing.scripted import ScriptedModel, answers

HOLD = """
import sys
from pathlib import Path
from loopwright.journal.claims import held
with held(Path(sys.argv[1]), sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""


class Claimed(Protocol):
    """A journal with claims."""

    def claim(self, run_id: str) -> AbstractContextManager[None]: ...


@pytest.fixture(params=["memory", "sqlite", "crash"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Claimed:
    match request.param:
        case "memory":
            return MemoryJournal()
        case "sqlite":
            return SqliteJournal(tmp_path / "new" / "journal.db")
        case _:
            return CrashAt(MemoryJournal())


RUNS = ["r", "", ".", "..", "../../etc/passwd", "a b", "運行", "x" * 400, "ü" * 100, "\ud800", "a\0b"]


@pytest.mark.parametrize("run_id", RUNS, ids=ascii)
def test_a_run_is_held_once_and_let_go_at_the_end(journal: Claimed, run_id: str) -> None:
    for _ in range(2):
        with journal.claim(run_id):
            with pytest.raises(Conflict, match="is working on run"), journal.claim(run_id):
                pass
            with journal.claim("another"):
                pass


def test_a_run_is_let_go_when_the_work_fails(journal: Claimed) -> None:
    with pytest.raises(ZeroDivisionError), journal.claim("r"):
        raise ZeroDivisionError
    with journal.claim("r"):
        pass


def test_names_that_are_alike_are_not_the_same(journal: Claimed) -> None:
    with ExitStack() as stack:
        for run_id in RUNS:
            stack.enter_context(journal.claim(run_id))


def test_two_journals_of_one_file_hold_each_other_off_and_two_files_do_not(tmp_path: Path) -> None:
    one, same, other = (SqliteJournal(tmp_path / name) for name in ("a.db", "a.db", "b.db"))
    with one.claim("r"), other.claim("r"), pytest.raises(Conflict), same.claim("r"):
        pass


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    with journal.claim("a"), journal.claim("b"):
        assert sorted(file.name for file in (tmp_path / "journal.db.locks").iterdir()) == ["a.lock", "b.lock"]
    assert list(tmp_path.iterdir()) == []


def test_another_process_holds_a_run_until_it_ends_however_it_ends(tmp_path: Path) -> None:
    folder = tmp_path / "locks"
    for how in ("close", "kill"):
        with subprocess.Popen(
            [sys.executable, "-c", HOLD, str(folder), "r"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            assert process.stdout.readline() == "held\n"
            with pytest.raises(Conflict, match="another process is working on run r"), claims.held(folder, "r"):
                pass
            process.kill() if how == "kill" else process.stdin.close()
            process.wait()
        with claims.held(folder, "r"):
            pass


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "journal.db.locks").write_text("a file")
    with (
        pytest.raises(JournalError, match="cannot open the journal"),
        SqliteJournal(tmp_path / "journal.db").claim("r"),
    ):
        pass


async def test_a_journal_without_claims_can_still_be_used() -> None:
    class Plain:
        """The least that a journal is."""

        def __init__(self) -> None:
            inner = MemoryJournal()
            self.append, self.read, self.runs, self.close = inner.append, inner.read, inner.runs, inner.close

    assert not isinstance(Plain(), Claiming)
    model = ScriptedModel(replies=[answers("done")])
    assert (await Agent(model, journal=Plain()).run("hi")).answer == "done"
