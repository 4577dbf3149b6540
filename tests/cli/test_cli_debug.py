"""`loopwright debug`: stops, looks and changes; every change is a fork, and the run itself stays as it was."""

import asyncio
from pathlib import Path

import pytest
from better import TASK, bet
from command import Done, loopwright

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.services import services

RAIN = '{"city": "Athens", "precipitation_mm": 4.2}'


async def debug(folder: Path, commands: str, *more: str, protocol: str = "native") -> tuple[Done, list[dict[str, str]]]:
    """Debug the bet on a dry day; what the command did, and the runs that there are then, oldest first."""
    async with (
        ChatServer(bet) as server,
        services(rain={"Athens": 0.0}, rates={"USD": 1.085}) as served,
    ):
        settings = {**served.environ, "OPENAI_API_KEY": "sk-test-0123456789"}
        arguments = ("debug", TASK, "--model", "openai:any", "--base-url", server.base_url, "--protocol", protocol)
        done = await asyncio.to_thread(
            lambda: loopwright(*arguments, *more, folder=folder, settings=settings, stdin=commands, timeout=120)
        )
    listed = await asyncio.to_thread(lambda: loopwright("runs", "--json", folder=folder))
    return done, list(reversed(listed.events))


async def test_it_stops_before_and_after_each_question_and_call(tmp_path: Path) -> None:
    done, runs = await debug(tmp_path, "r\n" + "s\n" * 8)
    stops = [line for line in done.err.splitlines() if line.startswith("── ")]
    assert [stop.split(",")[0] for stop in stops[:3]] == [
        "── before question 1",
        "── after the reply: get_current_weather",
        '── before call 1.1: get_current_weather {"city":"Athens"}',
    ]
    assert stops[3].startswith("── after call 1.1: ")
    assert stops[4].startswith("── before question 2")
    assert stops[5].startswith("── after the reply: It did not rain")
    assert stops[6] == "── the run is over: answered"
    assert '"messages": [' in done.err  # the exact request
    assert (done.code, [run["status"] for run in runs]) == (0, ["answered"])


@pytest.mark.parametrize("protocol", ["native", "text"])
async def test_an_edited_observation_begins_a_fork_that_converts_the_money(protocol: str, tmp_path: Path) -> None:
    commands = f"s\ns\ns\ne\n{RAIN}\nc\n"
    done, runs = await debug(tmp_path, commands, protocol=protocol)
    assert done.code == 0, done
    assert "It rained, so you won 108.5 USD." in done.out
    dry, rain = runs
    assert (dry["status"], rain["parent"], rain["status"]) == (None, dry["run_id"], "answered")


async def test_edited_arguments_run_in_a_fork(tmp_path: Path) -> None:
    done, runs = await debug(tmp_path, 's\ns\na\n{"city": "Oslo"}\nc\n')
    assert done.code == 0, done
    assert "get_current_weather(city='Oslo')" in done.out or '"Oslo"' in done.out or "Oslo" in done.out
    assert runs[1]["parent"] == runs[0]["run_id"]


async def test_an_edited_reply_is_what_the_model_said_in_a_fork(tmp_path: Path) -> None:
    done, runs = await debug(tmp_path, 's\ne\n{"thought": "Enough.", "answer": "No idea."}\nc\n')
    assert done.code == 0, done
    assert "\nAnswer\nNo idea.\n" in done.out
    assert [run["status"] for run in runs] == [None, "answered"]


async def test_going_back_forks_and_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    done, runs = await debug(tmp_path, "s\ns\ns\ns\ns\ns\nl\nback 2\nc\n")
    assert done.code == 0, done
    assert [run["status"] for run in runs] == ["answered", "answered"]
    assert runs[1]["parent"] == runs[0]["run_id"]


async def test_a_break_runs_to_the_calls_of_a_tool(tmp_path: Path) -> None:
    done, _ = await debug(tmp_path, "c\n", "--break", "get_current_weather")
    stops = [line for line in done.err.splitlines() if line.startswith("── ")]
    assert [stop.split(" {")[0] for stop in stops] == ["── before call 1.1: get_current_weather"]
    assert done.code == 0


async def test_leaving_pauses_the_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    done, runs = await debug(tmp_path, "s\nq\n")
    assert done.code == 130
    assert f"loopwright resume {runs[0]['run_id']}" in done.err
    assert runs[0]["status"] is None


async def test_what_cannot_be_done_says_so_and_asks_again(tmp_path: Path) -> None:
    done, _ = await debug(tmp_path, "e\na\nback 99\nnonsense\nb -x\nb nosuch\nsay\nh\nc\n")
    for said in (
        "there is nothing to edit here",
        "no call is about to run here",
        "back to which event?",
        "there is no command 'nonsense'",
        "there is no break on 'x'",
        "there is nothing to break on called 'nosuch': use error, get_current_weather",
        "say what?",
        "this help",
    ):
        assert said in done.err
    assert done.code == 0
