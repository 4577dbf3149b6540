"""`loopwright show --follow`: a run that another process works on, and what `show` says of forks and long parts."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from command import Done, loopwright, start

from loopwright.cli.following import EVERY, Following
from loopwright.core.events import Event, ModelAsked, RunEnded, RunStarted
from loopwright.core.messages import Outcome
from loopwright.engine.ports import TextArrived
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import answers, calls

TOOLS = '''
import asyncio
from pathlib import Path

from loopwright import tool


@tool(effect="read")
async def hold(text: str) -> str:
    """Give the text back, once the file go.txt is there.

    Args:
        text: what
    """
    while not Path("go.txt").exists():
        await asyncio.sleep(0.02)
    return text * 700


@tool(effect="pay")
def pay(to: str) -> str:
    """Pay.

    Args:
        to: whom
    """
    return "paid " + to
'''
KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def asking(folder: Path, server: ChatServer) -> list[str]:
    (folder / "slow.py").write_text(TOOLS)
    return ["ask", "Do it.", "--model", "openai:any", "--base-url", server.base_url, "-t", "slow.py"]


@contextmanager
def started(folder: Path, *arguments: str):
    process = start(arguments, folder, KEY)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def read_to(file: IO[str] | None, fits: Callable[[str], bool]) -> str:
    """Read lines up to one that fits; they all."""
    assert file is not None
    read = ""
    while not fits(read):
        line = await asyncio.wait_for(asyncio.to_thread(file.readline), 60)
        assert line, read
        read += line
    return read


async def ended(process: "subprocess.Popen[str]", out: str = "", err: str = "") -> Done:
    """What it did in all, after what was read of it already."""
    rest = await asyncio.to_thread(process.communicate, timeout=60)
    return Done(process.returncode, out + rest[0], err + rest[1])


async def run(folder: Path, *arguments: str) -> Done:
    return await asyncio.to_thread(lambda: loopwright(*arguments, folder=folder, settings=KEY))


async def test_a_run_is_shown_while_it_happens(tmp_path: Path) -> None:
    async with ChatServer([calls("hold", text="held"), answers("Done.")]) as server:
        with ExitStack() as stack:
            asked = stack.enter_context(started(tmp_path, *asking(tmp_path, server)))
            out = await read_to(asked.stdout, lambda read: "Act 1: hold" in read)
            text = stack.enter_context(started(tmp_path, "show", "last", "-f"))
            lines = stack.enter_context(started(tmp_path, "show", "--follow", "--json"))
            seen = await read_to(text.stdout, lambda read: "Act 1: hold" in read)
            told = await read_to(lines.stdout, lambda read: "call_started" in read)
            assert "Observe" not in seen
            assert "call_ended" not in told
            (tmp_path / "go.txt").touch()
            followed, events = await ended(text, seen), await ended(lines, told)
            done = await ended(asked, out)
    assert (done.code, followed.code, events.code) == (0, 0, 0), (done, followed, events)
    assert (followed.err, events.err) == ("", "")
    assert "Task: Do it." in followed.out
    assert "Observe 1: heldheld" in followed.out
    assert "Answer\nDone." in followed.out
    assert "long parts were cut, see them with: loopwright show " in followed.out
    shown = await run(tmp_path, "show")
    assert shown.out == followed.out
    assert events.events == (await run(tmp_path, "show", "--json")).events
    assert "long parts were cut" not in (await run(tmp_path, "show", "--full")).out


async def test_a_run_that_waits_is_followed_through_its_pause(tmp_path: Path) -> None:
    async with ChatServer([calls("pay", to="Ada"), answers("Paid.")]) as server:
        assert (await run(tmp_path, *asking(tmp_path, server), "--approvals", "pause")).code == 4
        with started(tmp_path, "show", "--follow", "--json") as process:
            err = await read_to(process.stderr, lambda read: "the run is paused" in read)
            assert 'waits for a person: 1.1 pay {"to":"Ada"}' in err
            assert "loopwright approve " in err
            assert (await run(tmp_path, "approve", "last")).code == 0
            resumed = await run(tmp_path, "resume", "last", "--approvals", "pause")
            assert resumed.code == 0, resumed
            done = await ended(process, err=err)
    assert done.code == 0, done
    assert done.err.count("waits for a person") == 1
    assert done.events == (await run(tmp_path, "show", "--json")).events
    assert {"run_paused", "run_resumed", "run_ended"} <= {event["type"] for event in done.events}


async def test_a_run_that_nobody_may_work_on_is_said_to_be_quiet_once(capsys: pytest.CaptureFixture[str]) -> None:
    journal, seen = MemoryJournal(), list[Event | TextArrived]()
    await journal.append("r", 1, [RunStarted(run_id="r", task="", model="m"), ModelAsked(number=1)])
    following = Following(lambda run_id, event: seen.append(event), lambda: None, None)
    task = asyncio.create_task(following.to_the_end(journal, "r"))
    await asyncio.sleep(2.5 * EVERY)
    await journal.append("r", 3, [RunEnded(outcome=Outcome(status="stopped", reason="cancelled"))])
    assert await task == seen == await journal.read("r")
    told = capsys.readouterr().err
    assert told == "nothing new for 60 seconds or more; if nobody works on the run: loopwright resume r\n"


async def test_ctrl_c_ends_the_looking_and_not_the_run(tmp_path: Path) -> None:
    async with ChatServer([calls("pay", to="Ada")]) as server:
        await run(tmp_path, *asking(tmp_path, server), "--approvals", "pause")
    before = (await run(tmp_path, "show", "--json")).out
    with started(tmp_path, "show", "--follow") as process:
        err = await read_to(process.stderr, lambda read: "the run is paused" in read)
        process.send_signal(signal.SIGINT)
        done = await ended(process, err=err)
    assert done.code == 130, done
    assert "no longer followed; the run is left as it is: loopwright show " in done.err
    assert "Traceback" not in done.err
    assert (await run(tmp_path, "show", "--json")).out == before


async def test_the_exit_status_is_that_of_the_run(tmp_path: Path) -> None:
    async with ChatServer([answers("no idea")]) as server:
        await run(tmp_path, *asking(tmp_path, server), "--max-model-calls", "1")
    done = await run(tmp_path, "show", "--follow")
    assert (done.code, "partial (model_calls)" in done.out, done.err) == (3, True, "")
    wrong = await run(tmp_path, "show", "--follow", "--result", "1.1")
    assert (wrong.code, "--follow goes with --json and --full only" in wrong.err) == (2, True)


async def test_a_fork_says_what_it_was_forked_from(tmp_path: Path) -> None:
    async with ChatServer([calls("hold", text="held"), answers("Done."), answers("Told.")]) as server:
        (tmp_path / "go.txt").touch()
        await run(tmp_path, *asking(tmp_path, server))
        parent, after = json.loads((await run(tmp_path, "runs", "--json")).out), 5
        done = await run(tmp_path, "fork", "last", "--at", str(after + 1), "--say", "Hurry.")
        assert done.code == 0, done
    fork: dict[str, Any] = (await run(tmp_path, "runs", "--json")).events[0]
    assert (fork["parent"], fork["after"], parent["parent"]) == (parent["run_id"], after, "")
    line = f"Fork of: {parent['run_id']}, which it shares {after} events with\n"
    assert line in (await run(tmp_path, "show")).out
    assert "Fork of" not in (await run(tmp_path, "show", parent["run_id"])).out
