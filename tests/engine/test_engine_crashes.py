"""A run of ten steps, killed at appends and at random moments: a part of what `scripts/crash_matrix.py` does."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.testing.postgres_server import NoPostgres, PostgresServer

SCRIPT = Path(__file__).parents[2] / "scripts" / "crash_matrix.py"


def matrix(moments: int, *more: str) -> str:
    """What the script prints, which must find nothing wrong."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--moments", str(moments), "--seed", str(os.getpid()), *more],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def column(table: str, number: int) -> list[int]:
    return [int(line.split()[number]) for line in table.splitlines()[-3:]]


def test_killed_anywhere_a_run_in_sqlite_loses_and_repeats_nothing() -> None:
    table = matrix(30)
    assert sum(column(table, 1)) == 30
    assert sum(column(table, 2)) >= 15
    assert column(table, 4) == [0, 0, 0]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        made = PostgresServer()
    except NoPostgres as missing:
        pytest.skip(f"no Postgres server: {missing}")
    with made:
        yield made


def test_killed_anywhere_a_run_in_postgres_loses_and_repeats_nothing(server: PostgresServer) -> None:
    table = matrix(8, "--store", "postgres", "--address", server.address)
    assert sum(column(table, 2)) >= 4
    assert column(table, 4) == [0, 0, 0]
