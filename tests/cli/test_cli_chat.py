"""`loopwright chat`: turns that know the turns before them, interruptions, and going on another day."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from command import Done, loopwright
from terminal import Terminal

from loopwright.testing.chat_server import ChatServer, Delayed, after
from loopwright.testing.scripted import Line, answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def rememberer(request: dict[str, Any], _number: int) -> Line:
    """Reckons when asked for a sum, and knows what it was told before."""
    said = json.dumps(request["messages"], ensure_ascii=False)
    last = next(message["content"] for message in reversed(request["messages"]) if message["role"] != "assistant")
    if "how many" in str(last):
        return answers(f"I was told about {said.count('My number is')} number.")
    if "double" in str(last) and request["messages"][-1]["role"] == "user":
        return calls("calculator", expression="21 * 2")
    return answers("42 it is." if "42" in str(last) else "Noted.")


@asynccontextmanager
async def server() -> AsyncGenerator[ChatServer, None]:
    async with ChatServer(rememberer) as serving:
        yield serving


async def chat(serving: ChatServer, folder: Path, *arguments: str, said: str = "") -> Done:
    return await asyncio.to_thread(
        lambda: loopwright("chat", *arguments, folder=folder, settings=KEY, stdin=said, timeout=120)
    )


def to(serving: ChatServer) -> tuple[str, ...]:
    return ("--model", "openai:any", "--base-url", serving.base_url)


@pytest.mark.parametrize("protocol", ["native", "text"])
async def test_each_turn_knows_the_turns_before_it(protocol: str, tmp_path: Path) -> None:
    async with server() as serving:
        said = "My number is 21.\nPlease double it.\nAnd how many numbers did I tell you?\n"
        done = await chat(serving, tmp_path, *to(serving), "--protocol", protocol, "--quiet", said=said)
        assert done.out == "Noted.\n42 it is.\nI was told about 1 number.\n", done
        assert done.code == 0
        listed = await asyncio.to_thread(lambda: loopwright("runs", "--json", folder=tmp_path))
    newest, middle, first = listed.events
    assert (first["task"], newest["task"]) == ("My number is 21.", "And how many numbers did I tell you?")
    assert (newest["parent"], middle["parent"]) == (middle["run_id"], first["run_id"])
    assert newest["events"] > middle["events"] > first["events"]


async def test_a_conversation_goes_on_in_another_process_with_its_model_and_tools(tmp_path: Path) -> None:
    async with server() as serving:
        begun = await chat(serving, tmp_path, "My number is 21.", *to(serving))
        assert "loopwright chat --continue" in begun.err
        done = await chat(serving, tmp_path, "--continue", "last", "how many?", "--quiet")
        assert done.out == "I was told about 1 number.\n", done
        refused = await chat(serving, tmp_path, "--continue", "last", "--tools", "none")
    assert refused.code == 2
    assert "--continue takes the model and the tools of that run" in refused.err


async def test_a_command_that_is_none_is_not_said_to_the_model(tmp_path: Path) -> None:
    async with server() as serving:
        done = await chat(serving, tmp_path, *to(serving), said="/nope\n/help\n/run\n/exit\n")
        assert serving.requests == []
    assert "there is no command /nope; /help lists them" in done.err
    assert "/again" in done.err
    assert "nothing was said yet" in done.err
    assert done.code == 0


async def test_an_interrupted_turn_is_taken_up_by_an_empty_line(tmp_path: Path) -> None:
    slow = asyncio.Event()

    def reply(request: dict[str, Any], number: int) -> Line | Delayed:
        line = rememberer(request, number)
        if number == 2 and not slow.is_set():
            slow.set()
            return after(30, line)
        return line

    async with ChatServer(reply) as serving:
        terminal = Terminal(("chat", *to(serving)), tmp_path, KEY)
        try:
            await asyncio.to_thread(terminal.wait_to_see, "> ")
            terminal.type(b"My number is 21.\n")
            await asyncio.to_thread(terminal.wait_to_see, "Noted.")
            terminal.type(b"Please double it.\n")
            await asyncio.wait_for(slow.wait(), 60)
            terminal.process.send_signal(signal.SIGINT)
            await asyncio.to_thread(terminal.wait_to_see, "an empty line takes the turn up again")
            terminal.type(b"\n")
            await asyncio.to_thread(terminal.wait_to_see, "42 it is.")
            terminal.type(b"\x04")
            code = await asyncio.to_thread(terminal.end)
        finally:
            terminal.close()
        assert code == 0, terminal.shown
        assert len(serving.requests) == 4  # the one that was interrupted was asked again


async def test_what_is_said_after_an_interruption_goes_on_without_the_turn(tmp_path: Path) -> None:
    slow = asyncio.Event()

    def reply(request: dict[str, Any], number: int) -> Line | Delayed:
        line = rememberer(request, number)
        if number != 2:
            return line
        slow.set()
        return after(30, line)

    async with ChatServer(reply) as serving:
        terminal = Terminal(("chat", "My number is 21.", *to(serving)), tmp_path, KEY)
        try:
            await asyncio.to_thread(terminal.wait_to_see, "Noted.")
            terminal.type(b"Please double it.\n")
            await asyncio.wait_for(slow.wait(), 60)
            terminal.process.send_signal(signal.SIGINT)
            await asyncio.to_thread(terminal.wait_to_see, "an empty line takes the turn up again")
            terminal.type(b"how many?\n")
            await asyncio.to_thread(terminal.wait_to_see, "I was told about 1 number.")
            terminal.type(b"/exit\n")
            code = await asyncio.to_thread(terminal.end)
        finally:
            terminal.close()
    assert code == 0, terminal.shown
    listed = await asyncio.to_thread(lambda: loopwright("runs", "--json", folder=tmp_path))
    assert [run["status"] for run in listed.events] == ["answered", "cancelled", "answered"]
