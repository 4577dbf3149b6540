"""Runs on a disk that fails: they stop in words, and what was durable is there when the disk is well again."""

import asyncio
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from loopwright.core.errors import JournalError
from loopwright.core.messages import Limits
from loopwright.engine.lease import Rhythm
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing import long_run

WORKER = (sys.executable, "-m", "loopwright.testing.long_run")
FAULTS = Path(__file__).parents[1] / "journal" / "faults.c"


def on_power_cut(path: Path) -> SqliteJournal:
    """A journal that waits for the disk at each append, so that a disk that cannot is met."""
    return SqliteJournal(path, survives="power_cut")


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes calls of the system fail."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler here: the faults of the disk are not tried")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    made = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", str(library), str(FAULTS), "-ldl"]
    done = subprocess.run(made, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return library


def drive(folder: Path, settings: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Work on the run in a process of its own."""
    opener = "test_engine_disk:on_power_cut"
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "loopwright.testing.long_run",
            opener,
            str(folder / "journal.db"),
            str(folder),
            "30",
            "0",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), **settings},
    )


CASES = [
    *(("pwrite", nth, errno.EIO) for nth in (1, 9, 40, 90)),
    *(("pwrite", nth, errno.ENOSPC) for nth in (5, 61)),
    *(("pwrite", nth, 0) for nth in (12, 33, 77)),
    *(("fsync", nth, errno.EIO) for nth in (1, 4, 20)),
    ("ftruncate", 1, errno.EIO),
]


@pytest.mark.parametrize(("call", "nth", "error"), CASES)
def test_the_run_stops_in_words_and_loses_nothing(shim: Path, tmp_path: Path, call: str, nth: int, error: int) -> None:
    settings = {"FAULT_CALL": call, "FAULT_NTH": str(nth), "FAULT_TIMES": "1000000", "FAULT_ERROR": str(error)}
    failed = drive(tmp_path, {**settings, "LD_PRELOAD": str(shim), "FAULT_PATH": str(tmp_path / "journal.db")})
    if call != "ftruncate":  # which SQLite may do without
        assert failed.returncode == 1, failed
        assert failed.stderr.startswith("JournalError: "), failed.stderr
        assert "Traceback" not in failed.stderr
    well = drive(tmp_path, {})
    assert well.returncode == 0, well.stderr
    assert asyncio.run(left(tmp_path)) == []


@pytest.mark.parametrize("nth", [7, 30, 64])
def test_a_fault_that_passes(shim: Path, tmp_path: Path, nth: int) -> None:
    settings = {"FAULT_CALL": "pwrite", "FAULT_NTH": str(nth), "FAULT_TIMES": "1", "FAULT_ERROR": str(errno.EIO)}
    drive(tmp_path, {**settings, "LD_PRELOAD": str(shim), "FAULT_PATH": str(tmp_path / "journal.db")})
    well = drive(tmp_path, {})
    assert well.returncode == 0, well.stderr
    assert asyncio.run(left(tmp_path)) == []


async def left(folder: Path) -> list[str]:
    """What is not as it must be."""
    journal = SqliteJournal(folder / "journal.db")
    try:
        assert await journal.damage(long_run.RUN) is None
        return long_run.wrongs(await journal.read(long_run.RUN), folder)
    finally:
        await journal.close()


async def test_a_journal_that_another_process_holds_for_long_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, patience=0.1)
    agent = long_run.agent_of(journal, tmp_path, rhythm=Rhythm(lease=0.3, look=0.01), pause=0.05)
    running = asyncio.ensure_future(long_run.work(agent))
    async with asyncio.timeout(20):
        while not (tmp_path / "effects.txt").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError, match=r"locked|busy|another process"):
        await running
    other.execute("ROLLBACK")
    other.close()
    await asyncio.sleep(0.4)  # the lease could not be let go of either; it ends by itself
    assert (await long_run.work(long_run.agent_of(journal, tmp_path))).status == "answered"
    await journal.close()
    assert await left(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="the system's user may write everything")
async def test_a_journal_that_may_only_be_read_stops_the_run_in_words(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    await journal.runs()
    await journal.close()
    path.chmod(0o400)
    with pytest.raises(JournalError):
        await long_run.work(long_run.agent_of(SqliteJournal(path), tmp_path))


class Jumping:
    """A clock on the wall that somebody sets to and fro."""

    def __init__(self) -> None:
        self.asked = 0

    def now(self) -> float:
        """Any time."""
        self.asked += 1
        return 1_700_000_000.0 + (-1) ** self.asked * 1e7

    def elapsed(self) -> float:
        """Seconds on the clock that does not jump."""
        return time.monotonic()


async def test_a_clock_that_jumps_ends_neither_the_run_nor_its_lease(tmp_path: Path) -> None:
    journal, limits = SqliteJournal(tmp_path / "journal.db"), Limits(seconds=300)
    agent = long_run.agent_of(journal, tmp_path, rhythm=Rhythm(lease=0.3, look=0.01), clock=Jumping(), limits=limits)
    assert (await long_run.work(agent)).status == "answered"
    await journal.close()
    assert await left(tmp_path) == []
