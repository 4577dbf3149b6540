"""Agents over a journal on a Postgres server: killed, overtaken, and working on while the server is killed."""

import asyncio
import os
import secrets
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_driver import agent_over
from psycopg import sql

from loopwright import Agent, tool
from loopwright.core.errors import Conflict, UnknownRun
from loopwright.core.events import CallEnded, CallStarted, ModelAsked
from loopwright.journal.memory import MemoryJournal
from loopwright.journal.postgres import PostgresJournal
from loopwright.testing.crash import CrashAt
from loopwright.testing.postgres_server import NoPostgres, PostgresServer
from loopwright.testing.scripted import ScriptedModel, answers, calls

SIGKILLED = -9
DRIVER = Path(__file__).with_name("postgres_driver.py")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        started = PostgresServer()
    except NoPostgres as reason:
        pytest.skip(f"no Postgres server: {reason}")
    with started:
        yield started


@pytest.fixture
def schema() -> str:
    return f"runs_{secrets.token_hex(4)}"


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_run_whose_process_was_killed_at_any_append_is_finished(
    server: PostgresServer, schema: str, moment: str, tmp_path: Path
) -> None:
    counted = CrashAt(MemoryJournal())
    await agent_over(counted, tmp_path / "counted").run("Write down the weather.")
    assert counted.appends > 4
    for append in range(1, counted.appends + 1):
        within, file = f"{schema}_{append}", tmp_path / str(append)
        assert await killed(server, within, file, append, moment) == SIGKILLED
        journal = PostgresJournal(server.address, schema=within)
        try:
            result = await agent_over(journal, file).resume("r")
        except UnknownRun:
            assert (append, moment) == (1, "before")
            await journal.close()
            continue
        assert result.status == "answered", result
        events = await journal.read("r")
        assert await journal.damage("r") is None
        ended = [event.call_id for event in events if isinstance(event, CallEnded)]
        assert len(ended) == len(set(ended)) == 2
        writes = file.read_text().count("dry")
        starts = sum(isinstance(event, CallStarted) and event.call_id == ended[-1] for event in events)
        assert 1 <= writes <= starts, "an effect without its intent"
        assert writes == 1 or starts > 1, "a second time only when a person allowed it"
        await journal.close()


async def killed(server: PostgresServer, schema: str, file: Path, append: int, moment: str) -> int:
    """The status of a process that runs the agent and is killed at an append."""
    program = (sys.executable, str(DRIVER), server.address, schema, str(file), str(append), moment)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    process = await asyncio.create_subprocess_exec(*program, env=environment, stdout=DEVNULL, stdin=PIPE)
    return await process.wait()


async def test_runs_go_on_when_the_server_was_killed(server: PostgresServer, schema: str, tmp_path: Path) -> None:
    journal = PostgresJournal(server.address, schema=schema, patience=60)
    files = [tmp_path / str(number) for number in range(8)]
    finished = list[str]()

    async def work(file: Path) -> None:
        for turn in range(6):
            result = await agent_over(journal, file).run("Write down the weather.", run_id=f"{file.name}.{turn}")
            finished.append(result.status)

    working = [asyncio.ensure_future(work(file)) for file in files]
    while len(finished) < 8:  # noqa: ASYNC110  any place in the middle
        await asyncio.sleep(0.01)
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    await asyncio.gather(*working)
    assert finished == ["answered"] * 48
    assert [file.read_text().count("dry") for file in files] == [6] * 8
    for line in await journal.runs(100):
        events = await journal.read(line.run_id)
        numbers = [event.number for event in events if isinstance(event, ModelAsked)]
        assert numbers == [1, 2, 3]
        assert await journal.damage(line.run_id) is None
    await journal.close()


async def test_a_driver_that_lost_its_run_stops_at_its_next_append(server: PostgresServer, schema: str) -> None:
    journal, other = (PostgresJournal(server.address, schema=schema) for _ in range(2))
    started, go_on = asyncio.Event(), asyncio.Event()

    @tool
    async def look() -> str:
        """Look something up; the first time takes long."""
        if not started.is_set():
            started.set()
            await go_on.wait()
        return "dry"

    def agent(store: PostgresJournal, *replies: Any) -> Agent:
        return Agent(ScriptedModel(replies=[*replies]), tools=[look], journal=store)

    frozen = asyncio.ensure_future(agent(journal, calls("look"), answers("late")).run("Look.", run_id="r"))
    await started.wait()
    with pytest.raises(Conflict):
        await agent(other).resume("r")
    with psycopg.connect(server.address, autocommit=True) as connection:
        connection.execute(sql.SQL("UPDATE {}.leases SET until = '-infinity'").format(sql.Identifier(schema)))
    assert (await agent(other, answers("dry")).resume("r")).answer == "dry"
    go_on.set()
    with pytest.raises(Conflict):
        await frozen
    assert await journal.damage("r") is None
    for store in (journal, other):
        await store.close()
