"""Each example is short, and runs: as a process, against a local model server and local services."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import Line, answers, calls
from loopwright.testing.services import services
from loopwright.toolbox.sandbox import SandboxMissing
from loopwright.toolbox.sandbox.bubblewrap import this_machine

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def missing_sandbox() -> str:
    """Why no sandbox can be made here; empty where one can."""
    try:
        this_machine()
    except SandboxMissing as reason:
        return str(reason)
    return ""


def unfenced(content: str) -> Any:
    """What a tool gave, without the marks around what others wrote."""
    data = json.loads(content)["data"]
    return data[1] if content.startswith('{"status":"ok","data":["<untrusted-') else data


def test_every_example_is_here_and_under_60_lines() -> None:
    assert [path.name for path in EXAMPLES] == ["bet.py", "coding_agent.py", "folder.py", "two_questions.py"]
    assert [path.name for path in EXAMPLES if len(path.read_text().splitlines()) >= 60] == []


async def run(name: str, server: ChatServer, folder: Path, typed: str = "", **settings: str) -> str:
    """The output of an example, when somebody types this."""
    environment = {
        "PATH": os.environ["PATH"],
        "LOOPWRIGHT_OFFLINE": "1",
        "LOOPWRIGHT_MODEL": "openai:any",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": server.base_url,
        "LOOPWRIGHT_JOURNAL": str(folder / "journal.db"),
        **settings,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "examples" / name),
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    out, _ = await asyncio.wait_for(process.communicate(typed.encode()), 60)
    assert process.returncode == 0
    return out.decode()


@pytest.mark.parametrize(("rain", "made"), [(3.2, 2), (0.0, 1)])
async def test_the_bet(rain: float, made: int, tmp_path: Path) -> None:
    def reply(request: dict[str, Any], _number: int) -> Line:
        results = [json.loads(m["content"])["data"] for m in request["messages"] if m["role"] == "tool"]
        if not results:
            return calls("get_current_weather", city="Athens")
        if len(results) == 1 and results[0]["precipitation_mm"] > 0:
            return calls("convert_currency", amount=100, from_currency="EUR", to_currency="USD")
        return answers(f"You won {results[1]['converted_amount']} USD." if len(results) > 1 else "It did not rain.")

    async with ChatServer(reply) as server, services(rain={"Athens": rain}, rates={"USD": 1.085}) as served:
        out = await run("bet.py", server, tmp_path, **served.environ)
    assert ("You won 108.5 USD." if made == 2 else "It did not rain.") in out
    assert f"answered: {made} calls" in out


async def test_two_questions_are_answered_side_by_side(tmp_path: Path) -> None:
    both = calls("get_time", timezone="Europe/Helsinki") + calls("multiply", a=3, b=7)
    async with ChatServer([both, answers("18:20, and 21 days.")]) as server:
        out = await run("two_questions.py", server, tmp_path)
        server.assert_done()
    assert out.splitlines() == [
        "CallStarted 1.1", "CallStarted 1.2", "CallEnded 1.2", "CallEnded 1.1", "18:20, and 21 days.",
    ]  # fmt: skip


async def test_a_question_over_a_folder_of_documents(tmp_path: Path) -> None:
    def reply(request: dict[str, Any], number: int) -> Line:
        if number == 1:
            return calls("search", query="Hartwell lighthouse built")
        assert "built in 1874" in request["messages"][-1]["content"]
        return answers("In 1874.")

    async with ChatServer(reply) as server:
        assert await run("folder.py", server, tmp_path) == "In 1874.\n"


@pytest.mark.skipif(bool(missing_sandbox()), reason=f"no sandbox: {missing_sandbox()}")
async def test_the_coding_agent_finds_the_planted_fault(tmp_path: Path) -> None:
    """Every step follows from what the tools really said; the tests of the project really run, before and after."""
    fault, repaired = "0 < kilograms < heaviest", "0 < kilograms <= heaviest"

    def reply(request: dict[str, Any], _number: int) -> Line:
        said = [unfenced(message["content"]) for message in request["messages"] if message["role"] == "tool"]
        match said:
            case []:
                return calls("list_files")
            case [files]:
                assert "tests/test_postage.py" in json.dumps(files)
                return calls("run_tests")
            case [_, told]:
                assert (told["outcome"], told["failed"], told["passed"]) == ("failed", 1, 6)
                (failure,) = told["failures"]
                assert failure.startswith("tests/test_postage.py::test_the_price_list[10-1590] - ValueError")
                return calls("read_file", path="postage.py")
            case [_, _, text]:
                assert fault in text
                return calls("edit_file", path="postage.py", old=fault, new=repaired)
            case [_, _, _, _]:
                return calls("run_tests", path="tests")
            case _:
                assert (said[4]["outcome"], said[4]["passed"]) == ("passed", 7)
                return answers("A parcel of exactly 10 kg was refused: the comparison left out the heaviest weight.")

    async with ChatServer(reply) as server:
        out = await run("coding_agent.py", server, tmp_path, typed="y\n")
        assert len(server.requests) == 6
    assert f"-        if {fault}:" in out
    assert f"+        if {repaired}:" in out
    assert out.endswith("the comparison left out the heaviest weight.\n")
    assert fault in (ROOT / "examples" / "parcel" / "postage.py").read_text()
