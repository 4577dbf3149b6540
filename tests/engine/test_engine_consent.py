"""Who is asked about a call, what counts as a yes, and what a run does when whoever is asked or told fails."""

import asyncio
import json
from typing import Any, cast

import pytest
from msgspec import Raw
from msgspec.structs import replace

from loopwright import Agent, Approval, MemoryJournal, UsageError, tool
from loopwright.core.events import ApprovalGiven, CallEnded, CallStarted, Event, RunPaused, RunStarted
from loopwright.core.messages import Call, Result, ToolSpec
from loopwright.engine.ports import Question, TextArrived
from loopwright.testing.scripted import ScriptedModel, answers, calls, fails
from loopwright.tools.policy import Match, Policy, Rule


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
        self.asked = list[Question]()

    async def approve(self, question: Question) -> Approval:
        """Say it."""
        self.asked.append(question)
        return self.said


UNCLEAR: list[Any] = [
    *(None, "yes", "no", 1, 0, 1.0, [], object()),
    Approval(cast("Any", "no"), by="me"),
    Approval(cast("Any", 1), by="me"),
    Approval(True, by=cast("Any", None)),
    Approval(True, by="me", scope=cast("Any", "always")),
    Approval(True, by="me", arguments=cast("Any", "text=hi")),
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


class Shop:
    """A tool that pays, says what it would do, and takes at most 100."""

    spec = ToolSpec(
        "pay", effect="pay", parameters={"type": "object", "properties": {"to": {}, "amount": {"type": "integer"}}}
    )

    def __init__(self) -> None:
        self.paid = list[dict[str, Any]]()

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong."""
        return "amount: at most 100" if arguments["amount"] > 100 else ""

    def preview(self, arguments: dict[str, Any]) -> str:
        """What would happen."""
        if arguments["to"] == "nowhere":
            raise LookupError("no such account")
        return f"{arguments['amount']} go to {arguments['to']}"

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Pay."""
        self.paid.append(arguments)
        return Result(data=Raw(b'"paid"'))


async def shopped(person: Any, *replies: Any, policy: Policy | None = None) -> tuple[Shop, list[Event], ScriptedModel]:
    """A run with the shop, and what was said about it."""
    shop, journal, model = Shop(), MemoryJournal(), ScriptedModel(replies=[*replies, answers("done")])
    agent = Agent(model, tools=[shop], approve=person, journal=journal, protocol="native", policy=policy)
    assert (await agent.run("pay the rent", run_id="r")).status == "answered"
    return shop, await journal.read("r"), model


async def test_whoever_is_asked_sees_why_and_what_would_happen() -> None:
    person = Other(False)
    await shopped(person, calls("pay", to="eva", amount=5), calls("pay", to="nowhere", amount=5))
    first, second = person.asked
    assert (first.call.arguments, first.tool.effect, first.about) == ({"to": "eva", "amount": 5}, "pay", "approval")
    assert (first.why, first.preview) == ("no rule allows it (pay)", "5 go to eva")
    assert second.preview == "what would change cannot be shown: LookupError: no such account"
    assert (await first.look({"to": "kim", "amount": 7})).preview == "7 go to kim"
    assert (await first.look({"to": "kim", "amount": 700})).wrong == "amount: at most 100"
    assert "of type set" in (await first.look({"to": {1}, "amount": 7})).wrong


async def test_arguments_that_a_person_changed_run_and_are_a_fact() -> None:
    changed = Approval(True, by="me", arguments={"to": "eva", "amount": 7}, scope="call")
    script = (calls("pay", to="eva", amount=70), calls("pay", to="eva", amount=7))
    shop, events, model = await shopped(Other(changed), *script)
    assert shop.paid == [{"to": "eva", "amount": 7}] * 2
    given = [event for event in events if isinstance(event, ApprovalGiven)]
    assert [(event.arguments, event.scope) for event in given] == [({"to": "eva", "amount": 7}, "call")]
    assert given[0].digest
    assert [event.by for event in events if isinstance(event, CallStarted)] == ["me", "me, always this call"]
    told = json.loads(model.requests[1].messages[-1]["content"])
    assert told["note"] == 'a person changed the arguments to {"to":"eva","amount":7}'
    assert "note" not in json.loads(model.requests[2].messages[-1]["content"])


async def test_arguments_that_a_person_left_as_they_are_were_not_changed() -> None:
    same = Approval(True, by="me", arguments={"to": "eva", "amount": 7})
    _, events, _ = await shopped(Other(same), calls("pay", to="eva", amount=7))
    assert next(event for event in events if isinstance(event, ApprovalGiven)).arguments is None


async def test_arguments_that_the_tool_does_not_take_pause_the_run() -> None:
    with pytest.raises(UsageError, match="arguments that pay does not take: amount: at most 100"):
        await shopped(Other(Approval(True, "me", arguments={"to": "a", "amount": 700})), calls("pay", to="a", amount=7))


async def test_always_this_tool_is_asked_once() -> None:
    person = Other(Approval(True, by="me", scope="tool"))
    shop, events, _ = await shopped(person, calls("pay", to="eva", amount=7), calls("pay", to="kim", amount=8))
    assert (len(shop.paid), len(person.asked)) == (2, 1)
    assert [event.by for event in events if isinstance(event, CallStarted)] == ["me", "me, always this tool"]


async def test_a_no_is_never_for_good() -> None:
    person = Other(Approval(False, by="me", reason="too dear", scope="tool", arguments={"to": "x", "amount": 1}))
    _, events, model = await shopped(person, calls("pay", to="eva", amount=7), calls("pay", to="kim", amount=8))
    given = [event for event in events if isinstance(event, ApprovalGiven)]
    assert [(event.scope, event.arguments) for event in given] == [("once", None)] * 2
    assert "a person said no: too dear" in str(model.requests[1].messages)


async def test_rules_about_arguments_decide_and_are_in_the_first_event() -> None:
    cheap = Rule("allow", tool="pay", arguments={"to": "eva", "amount": Match(most=10)})
    policy = Policy((cheap, Rule("deny", effect="pay", reason="ask the bank")))
    script = (calls("pay", to="eva", amount=7), calls("pay", to="eva", amount=70))
    shop, events, model = await shopped(None, *script, policy=policy)
    assert shop.paid == [{"to": "eva", "amount": 7}]
    assert isinstance(events[0], RunStarted)
    assert events[0].rules == policy.rules
    assert "the policy does not allow 'pay': ask the bank" in model.requests[2].messages[-1]["content"]


async def test_an_old_run_goes_on_under_its_own_rules() -> None:
    journal, shop = MemoryJournal(), Shop()
    strict = Policy((Rule("deny", tool="pay"),))
    first = Agent(ScriptedModel(replies=[fails("auth", "no")]), tools=[shop], journal=journal, policy=strict)
    assert (await first.run("pay", run_id="r")).status == "failed"
    script = [calls("pay", to="eva", amount=7), answers("done")]
    lax = Policy((Rule("allow", tool="pay"),))
    again = Agent(ScriptedModel(replies=script), tools=[shop], journal=journal, policy=lax)
    assert (await again.resume("r")).status == "answered"
    assert shop.paid == []


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
    with pytest.raises(Exception, match="is working on run r"):
        await desk.agent.resume("r")
    with pytest.raises(Exception, match="is working on run r"):
        await desk.agent.run("again", run_id="r")
    assert await desk.events() == before
    go.set()
    assert (await first).answer == "done"
    assert desk.sent == ["hi"]


# --- a journal that says less of a tool than the tool itself


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ({"effect": "read", "permission": "allow"}, "has the effect read, and here it is send"),
        ({"repeatable": True}, "may run twice, and here it may not"),
        ({"trusted_output": True}, "returns nothing that others wrote, and here it does"),
        ({"trusted_description": True}, "is described by the application, and here it is not"),
        ({"open_world": False}, "reaches nobody whom the model chooses, and here it does"),
    ],
)
async def test_a_journal_that_belittles_a_tool_is_not_followed(lie: dict[str, Any], said: str) -> None:
    ran = list[str]()

    @tool(effect="send", trusted_output=False, open_world=True)
    def send(text: str) -> str:
        """Send it."""
        ran.append(text)
        return "sent"

    send.spec = replace(send.spec, trusted_description=False)
    agent = Agent(ScriptedModel(replies=[fails("network")]), tools=[send], journal=MemoryJournal(), protocol="native")
    await agent.run("x", run_id="r")
    first, *rest = await agent.journal.read("r")
    assert isinstance(first, RunStarted)
    forged = MemoryJournal()
    await forged.append("r", 1, [replace(first, tools=(replace(first.tools[0], **lie),)), *rest])
    model = ScriptedModel(replies=[calls("send", text="secret"), answers("done")])
    with pytest.raises(UsageError, match=said):
        await Agent(model, tools=[send], journal=forged, protocol="native").resume("r")
    assert ran == []


async def test_a_journal_whose_reader_hides_text_of_others_is_not_followed() -> None:
    @tool(trusted_output=False)
    def look() -> str:
        """Look."""
        return "x"

    agent = Agent(ScriptedModel(replies=[fails("network")]), tools=[look], journal=MemoryJournal(), protocol="native")
    await agent.run("x", run_id="r")
    first, *rest = await agent.journal.read("r")
    assert isinstance(first, RunStarted)
    assert first.reader is not None
    forged = MemoryJournal()
    await forged.append("r", 1, [replace(first, reader=replace(first.reader, trusted_output=True)), *rest])
    with pytest.raises(UsageError, match="read_more returns nothing that others wrote"):
        await Agent(ScriptedModel(replies=[]), tools=[look], journal=forged, protocol="native").resume("r")
