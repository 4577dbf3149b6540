"""The journal on a Postgres server, against the suite that every store passes, and what only a server can do to it."""

from collections.abc import Iterator
from typing import ClassVar

import pytest

from loopwright.testing.journal_suite import DurableJournalSuite
from loopwright.testing.postgres_server import VARIABLE, NoPostgres, PostgresServer


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        started = PostgresServer()
    except NoPostgres as reason:
        pytest.skip(f"no Postgres server: {reason}")
    with started, pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, started.address)
        yield started


@pytest.mark.usefixtures("server")
class TestPostgresJournal(DurableJournalSuite):
    opener: ClassVar[str] = "loopwright.testing.postgres_server:journal_in"
