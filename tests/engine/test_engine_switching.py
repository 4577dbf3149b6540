"""Runs whose server does not keep to what was agreed: they go on in another way, or end, and the journal says why."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from loopwright import Agent, RunResult, UsageError, tool
from loopwright.core.events import (
    CallEnded,
    ContextLost,
    Event,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    RunStarted,
    WaySwitched,
)
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.chat_server import ChatServer, Refusing, Response, no_tools
from loopwright.testing.scripted import Asked, answers, calls, calls_with, says, way_of

TASK = "Add 1 and 2, then 3, then 4."


@tool
def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: one
        b: the other
    """
    return a + b


async def run_on(
    replies: Sequence[Response], task: str = TASK, **options: Any
) -> tuple[RunResult, list[Event], list[Asked]]:
    journal = MemoryJournal()
    async with ChatServer(replies) as server:
        agent = Agent("x", tools=[add], base_url=server.base_url, journal=journal, **options)
        result = await agent.run(task)
    server.assert_done()
    return result, await journal.read(result.run_id), list(server.requests)


def ways(requests: Sequence[Asked]) -> list[str]:
    return [way_of(request.json) for request in requests]


def results_of(events: Sequence[Event]) -> list[str]:
    return [bytes(event.result.data).decode() for event in events if isinstance(event, CallEnded)]


def switches(events: Sequence[Event]) -> list[tuple[str, str]]:
    return [(event.way, event.reason) for event in events if isinstance(event, WaySwitched)]


async def test_tools_that_are_refused_half_way() -> None:
    result, events, requests = await run_on(
        [
            calls("add", a=1, b=2),
            calls("add", a=3, b=3),
            no_tools("tiny"),
            says('Thought: One more.\nAction: add {"a": 6, "b": 4}'),
            says("Thought: Done.\nFinal Answer: 10"),
        ]
    )
    assert (result.status, result.answer, result.steps) == ("answered", "10", 3)
    assert ways(requests) == ["native"] * 3 + ["text"] * 2
    assert results_of(events) == ["3", "6", "10"]
    ((way, reason),) = switches(events)
    assert way == "text"
    assert "does not support tools" in reason
    (failed,) = [event for event in events if isinstance(event, ModelFailed)]
    assert failed.failure == "tools_refused"
    told = json.dumps(requests[3].messages)
    assert requests[3].tools == []
    assert told.count("Observation: ") == 2
    assert all("tool_calls" not in message for message in requests[3].messages)


def leaked(**arguments: int) -> str:
    call = json.dumps({"name": "add", "arguments": arguments})
    return f"I need the sum.\n<tool_call>\n{call}\n</tool_call>"


async def test_calls_that_keep_leaking() -> None:
    result, events, requests = await run_on(
        [
            says(leaked(a=1, b=2)),
            says(leaked(a=3, b=3)),
            says('Thought: One more.\nAction: add {"a": 6, "b": 4}'),
            says("Thought: Done.\nFinal Answer: 10"),
        ]
    )
    assert (result.status, result.answer) == ("answered", "10")
    assert results_of(events) == ["3", "6", "10"]
    assert switches(events) == [("text", "calls keep arriving inside the text")]
    assert [event.turn.leaked for event in events if isinstance(event, ModelReplied)] == [True, True, False, False]
    assert ways(requests) == ["native"] * 2 + ["text"] * 2


async def test_calls_that_leak_where_no_switch_is_allowed_still_run() -> None:
    result, events, requests = await run_on(
        [says(leaked(a=1, b=2)), says(leaked(a=3, b=3)), answers("6")], protocol="native"
    )
    assert (result.answer, switches(events)) == ("6", [])
    assert ways(requests) == ["native"] * 3


NONSENSE = 'Thought: Hm.\nAction Input: {"a": 1}'


async def test_replies_that_miss_the_form_are_asked_for_in_the_other_way_and_back() -> None:
    replies: list[Response] = [
        calls_with("add", '{"a": 1, "b'),
        calls_with("add", '{"a": 1, "b'),
        says(NONSENSE),
        says(NONSENSE),
        calls("add", a=1, b=2),
        answers("3"),
    ]
    result, events, requests = await run_on(replies, switch_back=True)
    assert (result.status, result.answer) == ("answered", "3")
    reason = "the replies keep missing the format"
    assert switches(events) == [("text", reason), ("native", reason)]
    assert ways(requests) == ["native", "native", "text", "text", "native", "native"]


async def test_there_is_no_way_back_to_what_was_refused() -> None:
    replies: list[Response] = [no_tools("tiny"), says(NONSENSE), says(NONSENSE), says("Final Answer: 3")]
    result, events, _ = await run_on(replies, switch_back=True)
    assert result.answer == "3"
    assert [way for way, _ in switches(events)] == ["text"]


async def test_without_the_wish_they_do_not() -> None:
    result, events, _ = await run_on(
        [no_tools("tiny"), says(NONSENSE), says(NONSENSE), says(NONSENSE), says("Final Answer: 3")]
    )
    assert (result.status, result.reason) == ("partial", "unreadable")
    assert [way for way, _ in switches(events)] == ["text"]


async def test_switching_back_is_for_auto_and_for_models_with_tools() -> None:
    with pytest.raises(UsageError, match="switch_back needs protocol auto"):
        Agent("ollama:x", switch_back=True, protocol="text", journal=MemoryJournal())
    async with ChatServer([says("Thought: a\nFinal Answer: 3")]) as server:
        journal = MemoryJournal()
        agent = Agent(
            "ollama:gemma:2b",
            tools=[add],
            base_url=server.base_url,
            switch_back=True,
            constrain=False,
            journal=journal,
        )
        result = await agent.run(TASK)
    started = (await journal.read(result.run_id))[0]
    assert isinstance(started, RunStarted)
    assert (started.way, started.may_return) == ("text", False)


async def test_a_server_that_drops_the_context_is_warned_of_and_left() -> None:
    result, events, _ = await run_on(
        [
            calls("add", a=1, b=2).using(2_000, 10),
            calls("add", a=3, b=3).using(1_200, 10),
            calls("add", a=6, b=4).using(700, 10),
        ]
    )
    assert result.status == "stopped"
    assert "context_lost" in result.reason
    assert "num_ctx" in result.reason
    lost = [event for event in events if isinstance(event, ContextLost)]
    assert lost[0].counted == 1_200
    assert lost[0].expected >= 2_000


async def test_counts_that_grow_are_no_loss() -> None:
    result, events, _ = await run_on(
        [calls("add", a=1, b=2).using(2_000, 10), answers("3").using(2_040, 10)],
    )
    assert result.answer == "3"
    assert not [event for event in events if isinstance(event, ContextLost)]


@pytest.mark.parametrize("protocol", ["native", "text"])
async def test_an_answer_before_any_action_is_sent_back_once(protocol: str) -> None:
    result, events, requests = await run_on(
        [answers("10"), calls("add", a=1, b=2), answers("3")], protocol=protocol, require_action=True
    )
    assert (result.status, result.answer, result.steps) == ("answered", "3", 1)
    assert [event.kind for event in events if isinstance(event, NoteAdded)] == ["act_first"]
    assert requests[1].messages[-1]["role"] == "user"
    assert "tool" in str(requests[1].messages[-1]["content"])


async def test_it_is_sent_back_only_once_and_only_when_asked_for() -> None:
    insisting, events, _ = await run_on([answers("10"), answers("10")], require_action=True)
    assert (insisting.answer, insisting.steps) == ("10", 0)
    assert len([event for event in events if isinstance(event, NoteAdded)]) == 1
    quick, _, _ = await run_on([answers("10")])
    assert quick.answer == "10"


INSIDE = {
    "body": Refusing(200, b'{"error":{"message":"tiny does not support tools"}}'),
    "stream": Refusing(
        200, b'data: {"error":{"message":"tiny does not support tools"}}\n\n', content_type="text/event-stream"
    ),
}


@pytest.mark.parametrize("refused", INSIDE.values(), ids=INSIDE.keys())
async def test_tools_that_are_refused_inside_a_reply_are_offered_in_text_form(refused: Refusing) -> None:
    result, events, requests = await run_on(
        [refused, says('Thought: One.\nAction: add {"a": 6, "b": 4}'), says("Thought: Done.\nFinal Answer: 10")]
    )
    assert (result.status, result.answer) == ("answered", "10")
    assert ways(requests) == ["native", "text", "text"]
    (failed,) = [event for event in events if isinstance(event, ModelFailed)]
    assert (failed.failure, failed.lost) == ("tools_refused", False)
