"""Who is asked about a call, what counts as a yes, and what a run does when whoever is asked or told fails."""

import asyncio
from typing import Any, cast

import pytest

from loopwright import Agent, Approval, MemoryJournal, UsageError, tool
from loopwright.core.events import ApprovalGiven, CallEnded, Event, RunPaused
from loopwright.core.messages import Call, ToolSpec
from loopwright.engine.ports import TextArrived
from loopwright.testing.scripted import ScriptedModel, answers, calls


class Desk:
    """An agent with one tool that sends, and what was sent."""

    def __init__(self, approve: Any, *replies: Any, observers: tuple[Any, ...] = ()) -> None:
        self.sent = list[str]()

        @tool(effect="send")
        def send(text: str) -> str:
            """Send it."""
            self.sent.append(text)
            return "sent"

        self.journal = MemoryJournal()
        self.model = ScriptedModel(replies=replies or [calls("send", text="hi"), answers("done")])
        self.send = send
        self.agent = Agent(
            self.model, tools=[send], approve=approve, journal=self.journal, protocol="native", observers=observers
        )

    def again(self, *replies: Any) -> Agent:
        """Another agent with this tool, whose person says yes."""
        return Agent(ScriptedModel(replies=replies), tools=[self.send], approve=yes, journal=self.journal)

    async def events(self) -> list[Event]:
        """What the journal has."""
        return await self.journal.read("r")


class Other:
    """A person who is not a function."""

    def __init__(self, said: Any) -> None:
        self.said = said

    async def approve(self, call: Call, tool: ToolSpec, about: str) -> Approval:
        """Say it."""
        del call, tool, about
        return self.said


UNCLEAR: list[Any] = [
    *(None, "yes", "no", 1, 0, 1.0, [], object()),
    Approval(cast("Any", "no"), by="me"),
    Approval(cast("Any", 1), by="me"),
    Approval(True, by=cast("Any", None)),
]


@pytest.mark.parametrize("kind", ["function", "coroutine", "person"])
@pytest.mark.parametrize("said", UNCLEAR, ids=repr)
async def test_what_is_no_clear_yes_or_no_runs_nothing_and_pauses_the_run(said: Any, kind: str) -> None:
    async def coroutine(_call: Call, _tool: ToolSpec) -> Any:
        return said

    def function(_call: Call, _tool: ToolSpec) -> Any:
        return said

    desk = Desk({"function": function, "coroutine": coroutine, "person": Other(said)}[kind])
    with pytest.raises(UsageError, match="the approval returned"):
        await desk.agent.run("send hi", run_id="r")
    events = await desk.events()
    assert desk.sent == []
    assert not any(isinstance(event, ApprovalGiven | CallEnded) for event in events)
    assert isinstance(events[-1], RunPaused)
    assert "the approval returned" in events[-1].reason
    again = desk.again(answers("done"))
    assert (await again.resume("r")).status == "answered"
    assert desk.sent == ["hi"]


def yes(_call: Call, _tool: ToolSpec) -> bool:
    return True


@pytest.mark.parametrize(
    ("said", "sent"),
    [(True, ["hi"]), (Approval(True, by="me"), ["hi"]), (False, []), (Approval(False, "me", "no"), [])],
)
async def test_a_clear_yes_or_no(said: Any, sent: list[str]) -> None:
    desk = Desk(Other(said))
    assert (await desk.agent.run("send hi", run_id="r")).status == "answered"
    assert desk.sent == sent


async def test_a_reason_that_no_text_can_hold_is_made_one() -> None:
    desk = Desk(Other(Approval(False, by="me", reason="half \ud83d")))
    assert (await desk.agent.run("send hi", run_id="r")).status == "answered"
    assert next(event for event in await desk.events() if isinstance(event, ApprovalGiven)).reason == "half \ufffd"


async def test_an_approval_that_raises_pauses_the_run() -> None:
    def broken(_call: Call, _tool: ToolSpec) -> bool:
        raise ConnectionError("the desk is closed")

    desk = Desk(broken)
    with pytest.raises(ConnectionError):
        await desk.agent.run("send hi", run_id="r")
    last = (await desk.events())[-1]
    assert isinstance(last, RunPaused)
    assert "the desk is closed" in last.reason


async def test_nobody_is_asked_about_arguments_that_cannot_be_valid() -> None:
    asked = list[dict[str, Any]]()

    def approve(call: Call, _tool: ToolSpec) -> bool:
        asked.append(call.arguments)
        return True

    desk = Desk(approve, calls("send", txt="hi"), calls("send", text="hi"), answers("done"))
    result = await desk.agent.run("send hi", run_id="r")
    assert asked == [{"text": "hi"}]
    assert (desk.sent, result.calls) == (["hi"], 1)
    events = await desk.events()
    kinds = [type(event).__name__ for event in events]
    assert kinds.count("ApprovalAsked") == kinds.count("CallStarted") == 1
    refused = next(event for event in events if isinstance(event, CallEnded))
    assert refused.how == "refused"
    assert refused.result.error.startswith("InvalidArguments: ")
    assert "txt" in refused.result.error


async def test_invalid_arguments_are_no_call_that_ran_and_do_not_keep_others_from_running() -> None:
    @tool
    def double(number: int) -> int:
        """Double it."""
        return 2 * number

    journal = MemoryJournal()
    model = ScriptedModel(replies=[calls("double", number="two") + calls("double", number=2), answers("4")])
    result = await Agent(model, tools=[double], journal=journal, protocol="native").run("2*2", run_id="r")
    assert (result.status, result.calls) == ("answered", 1)
    ends = {event.call_id: event.how for event in await journal.read("r") if isinstance(event, CallEnded)}
    assert ends == {"1.1": "refused", "1.2": "ran"}


async def test_a_call_that_was_allowed_and_does_not_fit_any_more_is_refused_after_its_start() -> None:
    class Stop(Exception):
        """What ends the first driver."""

    def observer(_run_id: str, event: Event | TextArrived) -> None:
        if isinstance(event, ApprovalGiven):
            raise Stop

    desk = Desk(yes, observers=(observer,))
    with pytest.raises(Stop):
        await desk.agent.run("send hi", run_id="r")

    @tool(effect="send")
    def send(text: str, to: str) -> str:
        """Send it to somebody."""
        return text + to

    model = ScriptedModel(replies=[answers("done")])
    result = await Agent(model, tools=[send], approve=yes, journal=desk.journal).resume("r")
    ended = next(event for event in await desk.events() if isinstance(event, CallEnded))
    assert (ended.how, result.calls) == ("refused", 0)
    assert "to: missing" in ended.result.error


@pytest.mark.parametrize("at", ["ModelAsked", "ModelReplied", "CallStarted", "CallEnded", "TextArrived"])
async def test_an_observer_that_raises_ends_the_work_and_the_run_goes_on_when_resumed(at: str) -> None:
    def observer(_run_id: str, event: Event | TextArrived) -> None:
        if type(event).__name__ == at:
            raise OSError("no room for the log")

    desk = Desk(yes, observers=(observer,))
    with pytest.raises(OSError, match="no room"):
        await desk.agent.run("send hi", run_id="r")
    assert isinstance((await desk.events())[-1], RunPaused)
    script = [calls("send", text="hi"), answers("done")]
    again = desk.again(*(script if at == "ModelAsked" else script[1:]))
    assert (await again.resume("r")).answer == "done"
    assert desk.sent == ["hi"]


async def test_an_observer_that_always_raises_hides_nothing_of_what_it_raised_first() -> None:
    def observer(_run_id: str, event: Event | TextArrived) -> None:
        raise OSError(type(event).__name__)

    desk = Desk(yes, observers=(observer,))
    with pytest.raises(OSError, match="RunStarted"):
        await desk.agent.run("send hi", run_id="r")


async def test_two_tasks_do_not_work_on_one_run() -> None:
    waiting, go = asyncio.Event(), asyncio.Event()

    async def approve(_call: Call, _tool: ToolSpec) -> bool:
        waiting.set()
        await go.wait()
        return True

    desk = Desk(approve)
    first = asyncio.create_task(desk.agent.run("send hi", run_id="r"))
    await waiting.wait()
    before = await desk.events()
    with pytest.raises(Exception, match="another task is working on run r"):
        await desk.agent.resume("r")
    with pytest.raises(Exception, match="another task is working on run r"):
        await desk.agent.run("again", run_id="r")
    assert await desk.events() == before
    go.set()
    assert (await first).answer == "done"
    assert desk.sent == ["hi"]
