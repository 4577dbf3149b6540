"""A run that is stopped is not lost without a word: a closed output, a full disk, SIGTERM."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import COMMAND, Done, environment, loopwright, start

from loopwright.testing.chat_server import ChatServer, after
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def arguments(server: ChatServer) -> list[str]:
    return ["ask", "2*3?", "--model", "openai:any", "--base-url", server.base_url]


def resumed(folder: Path) -> Done:
    return loopwright("resume", "last", folder=folder, settings=KEY)


@pytest.mark.parametrize("option", ["--full", "--json"])
def test_a_reader_that_goes_away_pauses_the_run(option: str, tmp_path: Path) -> None:
    step = calls("calculator", expression="2*3").thinking("I multiply.")
    with ChatServer([step, after(0.5, calls("calculator", expression="1+1")), answers("6"), answers("6")]) as server:
        process = start([*arguments(server), option], tmp_path, KEY)
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            process.stdout.readline()
            process.stdout.close()
            err = process.stderr.read()
            assert process.wait(30) == 1
        finally:
            process.kill()
            process.wait()
            process.stderr.close()
        assert "standard output was closed; go on with: loopwright resume " in err
        assert "Traceback" not in err
        assert "Exception ignored" not in err
        assert "paused" in loopwright("runs", folder=tmp_path).out
        done = resumed(tmp_path)
    assert (done.code, "Answer\n6" in done.out) == (0, True)


@pytest.mark.parametrize("option", ["--full", "--json", "--quiet"])
def test_a_full_disk_is_said(option: str, tmp_path: Path) -> None:
    with ChatServer([answers("6"), answers("6")]) as server, Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments(server), option],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=environment(tmp_path, **KEY),
            timeout=60,
            check=False,
        )
        assert done.returncode == 1
        assert "No space left on device" in done.stderr
        assert "loopwright show " in done.stderr or "loopwright resume " in done.stderr
        assert "Traceback" not in done.stderr
        assert resumed(tmp_path).code == 0


TOOLS = """
import asyncio, subprocess, sys
from pathlib import Path
from loopwright import tool

print("loaded")

@tool(effect="read")
async def slowly(text: str) -> str:
    \"\"\"Repeat a text.

    Args:
        text: the text
    \"\"\"
    print("working on it", flush=True)
    with Path("ran.txt").open("a") as file:
        file.write(text)
    await asyncio.sleep(0.01)
    return text

@tool
def loudly(text: str) -> str:
    \"\"\"Repeat a text.

    Args:
        text: the text
    \"\"\"
    sys.stdout.write("working on it\\n")
    return text
"""


@pytest.mark.parametrize("option", ["--full", "--json"])
def test_a_full_disk_becomes_no_result_of_a_tool(option: str, tmp_path: Path) -> None:
    (tmp_path / "mytools.py").write_text(TOOLS)
    steps = [calls("slowly", text="a").thinking("I ask."), calls("slowly", text="b"), answers("6")]
    with ChatServer(steps) as server, Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments(server), option, "-t", "mytools.py"],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=environment(tmp_path, **KEY),
            timeout=60,
            check=False,
        )
        assert done.returncode == 1
        assert "No space left on device" in done.stderr
        assert "go on with: loopwright resume " in done.stderr
        assert not (tmp_path / "ran.txt").exists()
        assert "CancelledError" not in loopwright("show", "last", folder=tmp_path).out
        done = resumed(tmp_path)
    assert (done.code, "Answer\n6" in done.out) == (0, True)
    assert (tmp_path / "ran.txt").read_text().count("b") == 1


@pytest.mark.parametrize("name", ["slowly", "loudly"])
@pytest.mark.parametrize("option", ["--json", "--quiet", "--full"])
def test_what_a_tool_prints_stays_out_of_the_output(option: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "mytools.py").write_text(TOOLS)
    with ChatServer([calls(name, text="a"), answers("6")]) as server:
        done = loopwright(*arguments(server), option, "-t", "mytools.py", folder=tmp_path, settings=KEY)
    assert done.code == 0, done
    assert "working on it" in done.err
    assert "loaded" in done.err
    assert "working on it" not in done.out
    assert "loaded" not in done.out
    if option == "--json":
        assert done.events[-1]["outcome"]["answer"] == "6"
    if option == "--quiet":
        assert done.out == "6\n"


def test_what_a_file_of_tools_prints_is_not_on_the_list(tmp_path: Path) -> None:
    (tmp_path / "mytools.py").write_text(TOOLS)
    done = loopwright("tools", "-t", "mytools.py", "--json", folder=tmp_path)
    assert [line["name"] for line in done.events] == ["slowly", "loudly"]
    assert "loaded" in done.err


@pytest.mark.parametrize("verb", ["show", "runs", "models"])
def test_other_verbs_say_it_too(verb: str, tmp_path: Path) -> None:
    with ChatServer([answers("6")]) as server:
        loopwright(*arguments(server), folder=tmp_path, settings=KEY)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, verb],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=environment(tmp_path),
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_sigterm_pauses_the_run(tmp_path: Path) -> None:
    with ChatServer([after(30, answers("late")), answers("6")]) as server:
        process = start(arguments(server), tmp_path, KEY)
        try:
            deadline = time.monotonic() + 30
            while not server.requests and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=20)
        finally:
            process.kill()
            process.communicate()
        assert process.returncode == 143
        assert "terminated; go on with: loopwright resume " in err
        assert "Traceback" not in err
        assert "paused" in loopwright("runs", folder=tmp_path).out
        done = resumed(tmp_path)
    assert (done.code, "Answer\n6" in done.out) == (0, True)


def test_steps_keep_their_numbers_when_a_question_is_asked_again(tmp_path: Path) -> None:
    first = calls("calculator", expression="2*3").thinking("I multiply.")
    second = calls("calculator", expression="6+1").thinking("I add.") + calls("calculator", expression="1+1")
    with ChatServer([first, after(30, answers("late")), second, answers("7")]) as server:
        process = start(arguments(server), tmp_path, KEY)
        try:
            deadline = time.monotonic() + 30
            while len(server.requests) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
        finally:
            process.kill()
            process.communicate()
        done = resumed(tmp_path)
    assert done.code == 0, done
    for out in (done.out, loopwright("show", folder=tmp_path).out):
        assert "Reason 2: I add.\nAct 2.1: calculator" in out
        assert "Act 2.2: calculator" in out
        assert "Observe 2.1: 7" in out
        assert " 3" not in out.partition("Act 2")[2].partition("\nAnswer")[0]
