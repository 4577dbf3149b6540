"""The bet, asked with the real command against a local server that speaks OpenAI's format and local services."""

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from better import TASK, bet
from command import Done, loopwright, start

from loopwright.testing.chat_server import ChatServer, after
from loopwright.testing.services import services


@asynccontextmanager
async def world(rain: float, *, slow: float = 0.0) -> AsyncGenerator[tuple[ChatServer, dict[str, str]], None]:
    """The model's server and the services, and the settings that lead to them."""

    def reply(request: dict[str, Any], number: int) -> Any:
        return after(slow, bet(request, number)) if slow else bet(request, number)

    async with ChatServer(reply) as server, services(rain={"Athens": rain}, rates={"USD": 1.085}) as served:
        yield server, {**served.environ, "OPENAI_API_KEY": "sk-test-0123456789"}


async def ask(server: ChatServer, settings: dict[str, str], folder: Path, *more: str) -> Done:
    arguments = ("ask", TASK, "--model", "openai:any", "--base-url", server.base_url, *more)
    return await asyncio.to_thread(lambda: loopwright(*arguments, folder=folder, settings=settings))


@pytest.mark.parametrize("protocol", ["auto", "native", "text"])
async def test_with_rain_two_calls_and_the_converted_amount(protocol: str, tmp_path: Path) -> None:
    async with world(3.2) as (server, settings):
        done = await ask(server, settings, tmp_path, "--protocol", protocol)
    assert done.code == 0, done
    assert done.out.count("\nAct ") == 2
    assert "Reason 1: First I need to know whether it rained." in done.out
    assert "Act 1: get_current_weather" in done.out
    assert "Observe 1: " in done.out
    assert "Act 2: convert_currency" in done.out
    assert "\nAnswer\nIt rained, so you won 108.5 USD.\n" in done.out
    assert "answered · 2 steps · 2 calls · " in done.out
    assert len(server.requests) == 3
    assert ("tools" in server.requests[0].json) is (protocol != "text")


@pytest.mark.parametrize("protocol", ["native", "text"])
@pytest.mark.parametrize("whole", [True, False])
async def test_without_rain_one_call(protocol: str, tmp_path: Path, *, whole: bool) -> None:
    async with world(0.0) as (server, settings):
        done = await ask(server, settings, tmp_path, "--protocol", protocol, *(["--no-stream"] if whole else []))
    assert done.code == 0, done
    assert done.out.count("\nAct ") == 1
    assert "It did not rain, so you did not win." in done.out
    assert server.requests[0].stream is not whole


async def test_the_key_is_written_nowhere(tmp_path: Path) -> None:
    async with world(3.2) as (server, settings):
        done = await ask(server, settings, tmp_path, "--json")
    assert "0123456789" not in done.out + done.err
    assert written(tmp_path)
    assert all(b"0123456789" not in content for content in written(tmp_path))
    assert server.requests[0].headers["authorization"] == "Bearer sk-test-0123456789"


def written(folder: Path) -> list[bytes]:
    """What the files of a folder hold."""
    return [path.read_bytes() for path in folder.iterdir()]


@pytest.mark.parametrize("protocol", ["native", "text"])
async def test_killed_anywhere_and_resumed_without_repeating_a_finished_call(protocol: str, tmp_path: Path) -> None:
    """SIGKILL after each number of events that a run goes through; resume must finish it and repeat nothing."""
    async with world(3.2, slow=0.15) as (server, settings):
        arguments = ["ask", TASK, "--model", "openai:any", "--base-url", server.base_url, "--protocol", protocol]
        for events in (1, 3, 5, 7, 9):
            folder = tmp_path / str(events)
            folder.mkdir()
            run_id = await asyncio.to_thread(kill_after, arguments, folder, settings, events)
            before = ended(folder, run_id)
            done = await asyncio.to_thread(loopwright, "resume", run_id, folder=folder, settings=settings)
            assert done.code == 0, (events, done)
            assert "It rained, so you won 108.5 USD." in done.out
            calls = ended(folder, run_id)
            assert len(calls) == len(set(calls)) == 2
            assert calls[: len(before)] == before


def kill_after(arguments: list[str], folder: Path, settings: dict[str, str], events: int) -> str:
    """Start the command, kill it when its journal holds so many events, and give the run's id."""
    process = start(arguments, folder, settings)
    try:
        deadline = time.monotonic() + 30
        while len(rows(folder)) < events:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    return rows(folder)[0][0]


def rows(folder: Path) -> list[tuple[str, bytes]]:
    """Run and row of each event in the journal."""
    path = folder / "journal.db"
    if not path.exists():
        return []
    connection = sqlite3.connect(path, timeout=5)
    try:
        return connection.execute("select run_id, row from events order by seq").fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def ended(folder: Path, run_id: str) -> list[str]:
    """Which calls have ended."""
    done = loopwright("show", run_id, "--json", folder=folder)
    return [event["call_id"] for event in done.events if event["type"] == "call_ended"]
