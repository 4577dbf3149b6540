"""Whole runs of an agent on scripted models: one test body under both ways of speaking."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from loopwright import Agent, Approval, Limits, MemoryJournal, Model, RunResult, Settings, UsageError, tool
from loopwright.agent import Protocol
from loopwright.core.events import (
    ApprovalGiven,
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.engine.ports import Feed, TextArrived
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.testing.chat_server import ChatServer, after
from loopwright.testing.clock import FrozenClock
from loopwright.testing.crash import Crash, CrashAt
from loopwright.testing.scripted import Asked, Line, ScriptedModel, answers, calls, calls_with, fails, says

BET = "I bet my friend 100 EUR that it would rain in Athens today. If I won, how many USD is that?"


@pytest.fixture(params=["native", "text"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return request.param


def weather_tool(millimetres: float) -> Any:
    @tool
    async def get_current_weather(city: str) -> dict[str, Any]:
        """Weather in a city.

        Args:
            city: name of the city
        """
        return {"city": city, "temperature": 17.4, "precipitation_mm": millimetres}

    return get_current_weather


@tool
def convert_currency(amount: float, from_currency: str, to_currency: str) -> dict[str, Any]:
    """Convert money.

    Args:
        amount: how much
        from_currency: ISO code
        to_currency: ISO code
    """
    return {"amount": amount, "converted_amount": amount * 1.085, "from": from_currency, "to": to_currency}


@tool
def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: one
        b: other
    """
    return a + b


async def run(
    replies: Sequence[Any], protocol: Protocol, *, tools: Sequence[Any] = (add,), task: str = "2+3?", **options: Any
) -> tuple[RunResult, list[Event], ScriptedModel]:
    """Run a script to its end; all of it must be used up."""
    model, journal = ScriptedModel(replies=replies), MemoryJournal()
    agent = Agent(model, tools=tools, protocol=protocol, journal=journal, clock=FrozenClock(), **options)
    result = await agent.run(task)
    model.assert_done()
    return result, await journal.read(result.run_id), model


def kinds(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


async def test_with_rain_the_bet_takes_two_calls_and_gives_the_converted_amount(protocol: Protocol) -> None:
    script = [
        calls("get_current_weather", city="Athens").thinking("Did it rain?"),
        calls("convert_currency", amount=100, from_currency="EUR", to_currency="USD").thinking("It rained."),
        answers("It rained. 100 EUR is 108.5 USD."),
    ]
    result, events, model = await run(script, protocol, tools=[weather_tool(3.2), convert_currency], task=BET)
    assert (result.status, result.calls, result.steps) == ("answered", 2, 2)
    assert result.answer == "It rained. 100 EUR is 108.5 USD."
    assert "108.5" in str(model.requests[-1].messages)
    assert kinds(events) == [
        "RunStarted",
        *["ModelAsked", "ModelReplied", "CallStarted", "CallEnded"] * 2,
        "ModelAsked",
        "ModelReplied",
        "RunEnded",
    ]


async def test_without_rain_the_bet_takes_one_call(protocol: Protocol) -> None:
    script = [calls("get_current_weather", city="Athens"), answers("It did not rain.")]
    result, _, _ = await run(script, protocol, tools=[weather_tool(0.0), convert_currency], task=BET)
    assert (result.status, result.calls, result.answer) == ("answered", 1, "It did not rain.")


def neutral(event: Event) -> Event:
    """What must be the same in both ways of speaking: everything but the words and the counts of the wire."""
    match event:
        case RunStarted():
            return replace(event, run_id="", way="native", opening_bytes=0, may_switch=False)
        case ModelReplied():
            own = [replace(call, provider_id="", text="") for call in event.turn.calls]
            turn = Turn(thought=event.turn.thought, calls=tuple(own), answer=event.turn.answer)
            return ModelReplied(turn=turn, at=event.at, elapsed=event.elapsed)
        case NoteAdded():
            return NoteAdded(kind=event.kind, at=event.at)
        case ModelAsked():
            return replace(event, request="")
        case _:
            return event


SCRIPTS: dict[str, Sequence[Any]] = {
    "no tool": [answers("5")],
    "one call": [calls("add", a=2, b=3).thinking("I add."), answers("5")],
    "side by side": [calls("add", a=2, b=3) + calls("add", a=4, b=5), answers("5 and 9")],
    "unknown tool": [calls("subtract", a=2, b=3), answers("no")],
    "wrong arguments": [calls("add", a="two", b=3), calls("add", a=2, b=3), answers("5")],
    "cut arguments": [calls("add", a=2, b=3).finished("length"), calls("add", a=2, b=3), answers("5")],
    "failing question": [fails("timeout", lost=True), answers("5")],
    "failed": [fails("auth", "wrong key")],
    "repeating": [*[calls("add", a=2, b=3)] * 4, answers("5")],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_both_ways_give_the_same_events(script: Sequence[Any]) -> None:
    native = (await run(script, "native"))[1]
    text = (await run(script, "text"))[1]
    assert [neutral(event) for event in native] == [neutral(event) for event in text]


async def test_calls_of_one_turn_run_side_by_side_and_are_told_in_the_order_asked(protocol: Protocol) -> None:
    first, second = asyncio.Event(), asyncio.Event()

    @tool
    async def meet(name: str) -> str:
        """Wait for the other.

        Args:
            name: who
        """
        mine, other = (first, second) if name == "first" else (second, first)
        mine.set()
        await asyncio.wait_for(other.wait(), 5)
        await asyncio.sleep(0.02 if name == "first" else 0)
        return f"{name} was here"

    script = [calls("meet", name="first") + calls("meet", name="second"), answers("met")]
    _, events, model = await run(script, protocol, tools=[meet])
    ended = [event.call_id for event in events if isinstance(event, CallEnded)]
    assert ended == ["1.2", "1.1"]
    told = str(model.requests[-1].messages)
    assert 0 < told.index("first was here") < told.index("second was here")


async def test_a_tool_that_raises_is_an_observation(protocol: Protocol) -> None:
    @tool
    def explode() -> str:
        """Fail."""
        raise RuntimeError("the fuse is wet")

    result, events, model = await run([calls("explode"), answers("no luck")], protocol, tools=[explode])
    ended = next(event for event in events if isinstance(event, CallEnded))
    assert ended.result.status == "error"
    assert ended.result.error == "RuntimeError: the fuse is wet"
    assert "the fuse is wet" in str(model.requests[-1].messages)
    assert result.status == "answered"


async def test_arguments_that_were_cut_never_run(protocol: Protocol) -> None:
    ran = list[str]()

    @tool(effect="read")
    def note(text: str) -> str:
        """Note a text.

        Args:
            text: what
        """
        ran.append(text)
        return "noted"

    script = [calls_with("note", '{"text": "half a sen').finished("length"), answers("gave up")]
    result, events, _ = await run(script, protocol, tools=[note])
    assert ran == []
    assert result.status == "answered"
    assert not any(isinstance(event, CallStarted) for event in events)


async def test_an_unreadable_reply_is_answered_by_a_reminder() -> None:
    model_says = says("Let me see. I will have to think about it for a while.")
    result, events, model = await run([model_says, answers("5")], "text")
    assert result.answer == "5"
    assert [event.kind for event in events if isinstance(event, NoteAdded)] == ["unreadable"]
    assert model.requests[1].messages[-1]["role"] == "user"


async def test_after_three_unreadable_replies_the_run_closes_with_what_it_has() -> None:
    result, _, _ = await run([*[says("Hm.")] * 3, answers("I do not know")], "text")
    assert (result.status, result.reason, result.answer) == ("partial", "unreadable", "I do not know")


async def test_empty_replies_close_the_run(protocol: Protocol) -> None:
    result, events, _ = await run([*[says("")] * 3, answers("nothing")], protocol)
    assert [event.kind for event in events if isinstance(event, NoteAdded)] == ["empty", "empty"]
    assert (result.status, result.reason) == ("partial", "unreadable")


async def test_the_step_limit_closes_with_an_answer_and_without_tools(protocol: Protocol) -> None:
    script = [calls("add", a=1, b=1), calls("add", a=2, b=2), answers("2 so far")]
    result, events, model = await run(script, protocol, limits=Limits(steps=1))
    assert (result.status, result.reason, result.answer) == ("partial", "steps", "2 so far")
    assert [event.how for event in events if isinstance(event, CallEnded)] == ["ran", "refused"]
    if protocol == "native":
        assert model.requests[-1].json["tool_choice"] == "none"


async def test_one_model_call_is_the_closing_one(protocol: Protocol) -> None:
    result, events, _ = await run([answers("no idea")], protocol, limits=Limits(model_calls=1))
    assert (result.status, result.reason) == ("partial", "model_calls")
    assert [event.closing for event in events if isinstance(event, ModelAsked)] == ["model_calls"]


async def test_a_token_budget_holds_and_pays_for_the_closing_answer(protocol: Protocol) -> None:
    def spends(asked: Asked) -> Any:
        used = len(asked.body)
        room = asked.json.get("max_tokens") or asked.json["max_completion_tokens"]
        if asked.json.get("tool_choice") == "none" or "Final Answer" in str(asked.messages[-1]["content"])[:400]:
            return answers("that is all").using(used, min(room, 40))
        return calls("add", a=asked.number, b=1).using(used, min(room, 40))

    model, journal = ScriptedModel(replies=[spends] * 40), MemoryJournal()
    limits = Limits(tokens=30_000)
    agent = Agent(model, tools=[add], protocol=protocol, journal=journal, limits=limits, clock=FrozenClock())
    result = await agent.run("add for ever")
    assert result.usage.tokens <= 30_000
    assert (result.status, result.reason) == ("partial", "tokens")
    assert result.steps > 2


async def test_a_limit_of_cost_without_a_price_is_refused() -> None:
    with pytest.raises(UsageError, match="price"):
        Agent(ScriptedModel(replies=[]), journal=":memory:", limits=Limits(cost=1.0))


async def test_a_tool_with_an_effect_is_denied_when_nobody_is_there(protocol: Protocol) -> None:
    sent = list[str]()
    result, events, _ = await run([calls("send", to="bob"), answers("could not")], protocol, tools=[sender(sent)])
    assert sent == []
    assert [event.how for event in events if isinstance(event, CallEnded)] == ["denied"]
    assert result.status == "answered"


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_person_decides_about_an_effect(protocol: Protocol, *, allowed: bool) -> None:
    sent, asked = list[str](), list[str]()

    async def approve(call: Call, spec: ToolSpec) -> Approval:
        asked.append(f"{spec.effect} {call.arguments}")
        return Approval(allowed, by="anna", reason="" if allowed else "not to him")

    script = [calls("send", to="bob"), answers("done")]
    _, events, model = await run(script, protocol, tools=[sender(sent)], approve=approve)
    assert asked == ["send {'to': 'bob'}"]
    assert sent == (["bob"] if allowed else [])
    given = next(event for event in events if isinstance(event, ApprovalGiven))
    assert (given.allowed, given.by) == (allowed, "anna")
    assert ("not to him" in str(model.requests[-1].messages)) is not allowed


def sender(sent: list[str]) -> Any:
    @tool(effect="send")
    def send(to: str) -> str:
        """Send a mail.

        Args:
            to: address
        """
        sent.append(to)
        return "sent"

    return send


async def test_an_endpoint_that_refuses_tools_is_asked_in_text_form() -> None:
    script = [fails("tools_refused", "no tools here"), calls("add", a=2, b=3), answers("5")]
    result, events, model = await run(script, "auto")
    assert (result.status, result.answer, result.calls) == ("answered", "5", 1)
    switched = [event for event in events if isinstance(event, WaySwitched)]
    assert [(event.way, event.reason) for event in switched] == [("text", "no tools here")]
    assert "tools" in model.requests[0].json
    assert "tools" not in model.requests[1].json


async def test_a_native_run_does_not_switch_by_itself() -> None:
    result, _, _ = await run([fails("tools_refused", "no tools here")], "native")
    assert (result.status, result.reason) == ("failed", "no tools here")


async def test_a_failed_run_goes_on_when_resumed(protocol: Protocol) -> None:
    script = [calls("add", a=2, b=3), fails("auth", "wrong key"), answers("5")]
    model, journal = ScriptedModel(replies=script), MemoryJournal()
    agent = Agent(model, tools=[add], protocol=protocol, journal=journal)
    failed = await agent.run("2+3?")
    assert (failed.status, failed.reason) == ("failed", "wrong key")
    result = await agent.resume(failed.run_id)
    assert (result.status, result.answer, result.calls) == ("answered", "5", 1)
    assert await agent.resume(failed.run_id) == result
    model.assert_done()


class Effects:
    """A tool that counts what it did, and a script that calls it between two tools that only read."""

    def __init__(self, *, repeatable: bool) -> None:
        self.done = list[str]()

        @tool(effect="write", repeatable=repeatable)
        async def write(text: str) -> str:
            """Write a text.

            Args:
                text: what
            """
            self.done.append(text)
            return "written"

        self.tools = [add, write]

    def reply(self, asked: Asked) -> Any:
        """The next reply from what the transcript holds, as a model would."""
        turns = sum(message["role"] == "assistant" for message in asked.messages)
        script = [calls("add", a=2, b=3), calls("write", text="hello") + calls("add", a=1, b=1), answers("done")]
        return script[turns]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("repeatable", [True, False])
async def test_a_crash_at_any_append_loses_nothing_and_repeats_no_effect(
    protocol: Protocol, when: Any, *, repeatable: bool
) -> None:
    appends, crashed = 0, True
    while crashed:
        appends += 1
        crashed = await crash_and_resume(protocol, appends, when, repeatable=repeatable)
    assert appends > 8


async def crash_and_resume(protocol: Protocol, append: int, when: Any, *, repeatable: bool) -> bool:
    """Crash at an append, resume if anything was durable, and check; whether there was a crash."""
    effects, store = Effects(repeatable=repeatable), MemoryJournal()
    crashing = CrashAt(store, append=append, when=when)

    def agent(journal: Any) -> Agent:
        model = ScriptedModel(replies=[effects.reply] * 9)
        return Agent(model, tools=effects.tools, protocol=protocol, journal=journal, approve=lambda _c, _t: True)

    try:
        result = await agent(crashing).run("write hello", run_id="r")
    except Crash:
        if append == 1 and when == "before":
            return True
        result = await agent(store).resume("r")
    assert result.status == "answered", result
    events = await store.read("r")
    ended = [event.call_id for event in events if isinstance(event, CallEnded)]
    assert len(ended) == len(set(ended))
    tools = {call.id: call.tool for event in events if isinstance(event, ModelReplied) for call in event.turn.calls}
    started = sum(isinstance(event, CallStarted) and tools[event.call_id] == "write" for event in events)
    assert len(effects.done) <= started, "an effect without its intent"
    assert len(effects.done) >= 1
    assert repeatable or len(effects.done) == 1 or started > 1, "a second time only when a person allowed it"
    return crashing.crashed


async def test_an_unattended_call_in_doubt_does_not_run_again(protocol: Protocol) -> None:
    done = list[str]()

    @tool(effect="read", repeatable=False)
    async def once() -> str:
        """Do it once."""
        done.append("x")
        return "done"

    journal = MemoryJournal()
    dies = CrashAt(journal, append=5)  # the one that would tell how the call ended
    agent = Agent(ScriptedModel(replies=[calls("once")]), tools=[once], protocol=protocol, journal=dies)
    with pytest.raises(Crash):
        await agent.run("once", run_id="r")
    model = ScriptedModel(replies=[answers("unclear")])
    result = await Agent(model, tools=[once], protocol=protocol, journal=journal).resume("r")
    assert done == ["x"]
    assert result.answer == "unclear"
    assert "may have happened" in str(model.requests[0].messages)


async def test_cancelling_pauses_the_run_and_it_can_be_resumed(protocol: Protocol) -> None:
    started = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait."""
        if started.is_set():
            return "waited"
        started.set()
        await asyncio.sleep(60)
        return "never"

    journal = MemoryJournal()
    agent = Agent(
        ScriptedModel(replies=[calls("wait"), answers("ok")]), tools=[wait], protocol=protocol, journal=journal
    )
    running = asyncio.create_task(agent.run("wait", run_id="r"))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert isinstance((await journal.read("r"))[-1], RunPaused)
    assert (await journal.runs())[0].paused
    result = await agent.resume("r")
    assert result.answer == "ok"
    assert any(isinstance(event, RunResumed) for event in await journal.read("r"))


@pytest.mark.parametrize("at", [ModelReplied, CallStarted, CallEnded])
@pytest.mark.parametrize("how_many", [1, 2])
@pytest.mark.parametrize("blocking", [True, False])
async def test_an_observer_that_cancels_the_run_gives_no_tool_an_error(
    at: type[Event], how_many: int, protocol: Protocol, *, blocking: bool
) -> None:
    ran = list[int]()

    @tool
    def note(number: int) -> str:
        """Note a number.

        Args:
            number: which
        """
        ran.append(number)
        return "noted"

    @tool(name="note")
    async def note_soon(number: int) -> str:
        """Note a number.

        Args:
            number: which
        """
        await asyncio.sleep(0)
        return note(number)

    def watch(run_id: str, event: Event | TextArrived) -> None:
        del run_id
        if isinstance(event, at) and not stopped:
            stopped.append(event)
            running.cancel()

    stopped, journal = list[Event](), MemoryJournal()
    said = calls("note", number=1) + calls("note", number=2) if how_many == 2 else calls("note", number=1)
    agent = Agent(
        ScriptedModel(replies=[said]),
        tools=[note if blocking else note_soon],
        protocol=protocol,
        journal=journal,
        observers=[watch],
    )
    running = asyncio.create_task(agent.run("note", run_id="r"))
    with pytest.raises(asyncio.CancelledError):
        await running
    events = await journal.read("r")
    assert isinstance(events[-1], RunPaused)
    assert all(event.result.status == "ok" for event in events if isinstance(event, CallEnded))
    if at is ModelReplied:
        assert (ran, [event for event in events if isinstance(event, CallStarted)]) == ([], [])
    if at is CallStarted:
        assert ran == []


@pytest.mark.parametrize("at", [ModelReplied, CallStarted, CallEnded])
@pytest.mark.parametrize("raised", [OSError("full"), ValueError("odd"), asyncio.CancelledError()], ids=repr)
async def test_what_an_observer_raises_is_no_result_of_a_tool(
    at: type[Event], raised: BaseException, protocol: Protocol
) -> None:
    def watch(run_id: str, event: Event | TextArrived) -> None:
        del run_id
        if isinstance(event, at):
            raise raised

    journal = MemoryJournal()
    both = calls("add", a=1, b=2) + calls("add", a=3, b=4)
    agent = Agent(ScriptedModel(replies=[both]), tools=[add], protocol=protocol, journal=journal, observers=[watch])
    with pytest.raises(type(raised)):
        await agent.run("2+3?", run_id="r")
    events = await journal.read("r")
    assert isinstance(events[-1], RunPaused)
    assert all(event.result.status == "ok" for event in events if isinstance(event, CallEnded))


async def test_streaming_gives_text_and_events_and_the_last_is_the_end(protocol: Protocol) -> None:
    agent = Agent(ScriptedModel(replies=[answers("forty-two")]), protocol=protocol, journal=":memory:")
    seen = [event async for event in agent.stream("6*7?")]
    assert "forty-two" in "".join(event.text for event in seen if isinstance(event, TextArrived))
    assert isinstance(seen[-1], RunEnded)


async def test_leaving_a_stream_early_pauses_the_run(protocol: Protocol) -> None:
    started = asyncio.Event()

    @tool
    async def slow() -> str:
        """Take long the first time."""
        if not started.is_set():
            started.set()
            await asyncio.sleep(60)
        return "done"

    journal, model = MemoryJournal(), ScriptedModel(replies=[calls("slow"), answers("2")])
    agent = Agent(model, tools=[slow], protocol=protocol, journal=journal)
    events = agent.stream("1+1?", run_id="r")
    async for event in events:
        if isinstance(event, CallStarted):
            await asyncio.wait_for(started.wait(), 20)
            break
    await events.aclose()
    assert isinstance((await journal.read("r"))[-1], RunPaused)
    assert (await agent.resume("r")).answer == "2"


async def test_one_agent_runs_many_tasks_at_once(protocol: Protocol) -> None:
    def echo(asked: Asked) -> Line:
        return answers(str(asked.messages[-1]["content"])[-3:])

    model = ScriptedModel(replies=[echo] * 50)
    agent = Agent(model, protocol=protocol, journal=":memory:")
    results = await asyncio.gather(*(agent.run(f"task {n:03}") for n in range(50)))
    assert [result.answer for result in results] == [f"{n:03}" for n in range(50)]
    assert len({result.run_id for result in results}) == 50


async def test_settings_reach_the_request(protocol: Protocol) -> None:
    settings = Settings(temperature=0.3, top_p=0.9, max_tokens=77, seed=7, stop=("END",), extra={"top_k": 4})
    _, _, model = await run([answers("5")], protocol, settings=settings)
    body = model.requests[0].json
    assert (body["temperature"], body["top_p"], body["seed"], body["top_k"]) == (0.3, 0.9, 7, 4)
    assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert "END" in body["stop"]


async def test_the_instructions_come_first(protocol: Protocol) -> None:
    _, _, model = await run([answers("5")], protocol, instructions="Speak like a pirate.")
    assert model.requests[0].messages[0]["role"] == "system"
    assert model.requests[0].messages[0]["content"].startswith("Speak like a pirate.")


def test_run_sync_twice_in_a_row(protocol: Protocol) -> None:
    agent = Agent(ScriptedModel(replies=[answers("1"), answers("2")]), protocol=protocol, journal=":memory:")
    assert [agent.run_sync("one").answer, agent.run_sync("two").answer] == ["1", "2"]


async def test_run_sync_inside_an_event_loop_says_what_to_do() -> None:
    agent = Agent(ScriptedModel(replies=[]), journal=":memory:")
    with pytest.raises(UsageError, match=r"await agent\.run"):
        agent.run_sync("x")


async def test_an_empty_task_is_refused() -> None:
    with pytest.raises(UsageError, match="empty"):
        await Agent(ScriptedModel(replies=[]), journal=":memory:").run("  ")


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="add"):
        Agent(ScriptedModel(replies=[]), tools=[add, add], journal=":memory:")


async def test_a_connection_lost_in_a_reply_is_asked_again(protocol: Protocol) -> None:
    result, events, _ = await run([answers("never seen").cut(), answers("5")], protocol)
    assert result.answer == "5"
    failed = [event for event in events if isinstance(event, ModelFailed)]
    assert [(event.failure, event.lost) for event in failed] == [("network", True)]


async def test_resuming_without_a_tool_of_the_run_is_refused(protocol: Protocol) -> None:
    journal = MemoryJournal()
    agent = Agent(ScriptedModel(replies=[fails("auth")]), tools=[add], protocol=protocol, journal=journal)
    failed = await agent.run("2+3?")
    with pytest.raises(UsageError, match="add"):
        await Agent(ScriptedModel(replies=[]), protocol=protocol, journal=journal).resume(failed.run_id)


async def test_a_slow_model_leaves_the_time_for_the_closing_answer(protocol: Protocol) -> None:
    def reply(request: dict[str, Any], _number: int) -> Any:
        closing = "No more tools" in str(request["messages"][-1]["content"])
        return answers("what I know") if closing else after(30, answers("never heard"))

    async with ChatServer(reply) as server:
        model: dict[str, Any] = {"base_url": server.base_url, "api_key": "none", "journal": ":memory:"}
        result = await Agent("openai:any", limits=Limits(seconds=1.5), protocol=protocol, **model).run("hello?")
    assert (result.status, result.reason, result.answer) == ("partial", "seconds", "what I know")
    assert result.seconds < 1.5


@pytest.mark.parametrize("usage", [(0, 0), (0, 9), (12, 0)])
async def test_counts_that_cannot_be_are_estimated(protocol: Protocol, usage: tuple[int, int]) -> None:
    result, _, model = await run([answers("forty-two").using(*usage)], protocol)
    assert result.usage.estimated
    assert result.usage.input_tokens >= len(model.requests[0].body) // 4
    assert result.usage.output_tokens > 0


SECRET = "Zq7-hunter2-SECRETKEY-99xyz"


class Telltale:
    """A transport whose server says the key in two pieces, so that only the decoded text shows it."""

    secret = SECRET

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        for piece in ("your key is ", SECRET[:9], SECRET[9:]):
            delta = {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
            feed(b"data: " + json.dumps(delta).encode() + b"\n\n")
        feed(b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')

    async def close(self) -> None:
        pass


def test_a_key_that_comes_back_in_pieces_is_not_written_down(tmp_path: Path) -> None:
    model = Model(name="any", spec="openai:any", dialect=OpenAIChat(), transport=Telltale())
    result = Agent(model, journal=tmp_path / "journal.db").run_sync("hello?")
    assert (result.status, result.answer) == ("failed", None)
    assert "key" in result.reason
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert SECRET.encode() not in kept
    assert SECRET[9:].encode() not in kept


async def test_a_reply_far_larger_than_what_was_asked_for_is_not_kept(protocol: Protocol) -> None:
    async with ChatServer(lambda _request, _number: answers("x" * 3_000_000)) as server:
        options: dict[str, Any] = {"base_url": server.base_url, "api_key": "none", "journal": ":memory:"}
        settings = Settings(max_tokens=10)
        result = await Agent("openai:any", settings=settings, protocol=protocol, **options).run("hello?")
    assert result.status == "failed"
    assert "larger than what was asked for" in result.reason


async def test_a_reply_that_ignores_its_limit_is_not_counted_as_if_it_had_kept_it(protocol: Protocol) -> None:
    long = answers("word " * 20_000).without_usage()
    result, _, _ = await run([long], protocol, limits=Limits(tokens=20_000))
    assert result.usage.estimated
    assert result.usage.output_tokens >= 20_000
