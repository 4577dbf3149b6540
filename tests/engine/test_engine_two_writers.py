"""A process that was frozen while another one took its run over: it stops, and nothing is lost or done twice."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from loopwright.core.events import RunResumed
from loopwright.journal.base import Journal
from loopwright.testing import long_run
from loopwright.testing.journal_process import find_opener
from loopwright.testing.postgres_server import VARIABLE, NoPostgres, PostgresServer

LEASE = 1.0


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        made = PostgresServer()
    except NoPostgres as missing:
        pytest.skip(f"no Postgres server: {missing}")
    with made:
        yield made


def begin(opener: str, place: Path, folder: Path, pause: float, settings: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start a process that works on the run."""
    return subprocess.Popen(
        [sys.executable, "-m", "loopwright.testing.long_run", opener, str(place), str(folder), str(LEASE), str(pause)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **settings},
    )


def until_effects(folder: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    file = folder / "effects.txt"
    while not file.exists() or len(file.read_text().splitlines()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def freeze_and_take_over(opener: str, place: Path, folder: Path, settings: Mapping[str, str]) -> None:
    """Freeze one process in the middle of a step, let another one finish the run, and wake the first."""
    first = begin(opener, place, folder, 0.1, settings)
    try:
        until_effects(folder, 3)
        os.kill(first.pid, signal.SIGSTOP)
        time.sleep(LEASE * 1.5)
        second = begin(opener, place, folder, 0.0, settings)
        _, told = second.communicate(timeout=60)
        assert second.returncode == 0, told
        os.kill(first.pid, signal.SIGCONT)
        _, told = first.communicate(timeout=60)
        assert first.returncode == 1, told
        assert told.splitlines()[-1].startswith("Conflict: another process ")
    finally:
        first.kill()
        first.communicate()


async def left(journal: Journal, folder: Path) -> None:
    """Look at what is left."""
    events = await journal.read(long_run.RUN)
    await journal.close()
    assert long_run.wrongs(events, folder) == []
    assert sum(isinstance(event, RunResumed) for event in events) == 1


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be frozen here")
def test_a_frozen_process_stops_when_it_wakes_sqlite(tmp_path: Path) -> None:
    opener, place = "loopwright.journal.sqlite:SqliteJournal", tmp_path / "journal.db"
    freeze_and_take_over(opener, place, tmp_path, {})
    asyncio.run(left(find_opener(opener)(place), tmp_path))


def test_a_frozen_process_stops_when_it_wakes_postgres(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = "loopwright.testing.postgres_server:journal_in"
    monkeypatch.setenv(VARIABLE, server.address)
    freeze_and_take_over(opener, tmp_path, tmp_path, {VARIABLE: server.address})
    asyncio.run(left(find_opener(opener)(tmp_path), tmp_path))
