"""Letters of every kind to runs in every state: what they do, and that each does it once."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace

from loopwright import (
    Agent,
    Answer,
    Approve,
    Cancel,
    Limits,
    MemoryJournal,
    Model,
    RunResult,
    Say,
    UsageError,
    WaitsForPerson,
    person_tool,
    tool,
)
from loopwright.core.errors import Conflict, JournalError
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    CancelAsked,
    Event,
    LetterRefused,
    ModelAsked,
    ModelReplied,
    PersonSaid,
    RunEnded,
    RunPaused,
    RunResumed,
)
from loopwright.core.inbox import Letter, Received, Unreadable
from loopwright.core.messages import Call, Outcome, ToolSpec
from loopwright.engine.clock import SystemClock
from loopwright.engine.lease import Rhythm
from loopwright.engine.ports import Approval, Feed, People, Question, TextArrived
from loopwright.engine.sending import cancel
from loopwright.engine.waiting import AGAIN, waiting
from loopwright.journal.base import NONE
from loopwright.testing.crash import Crash, CrashAt
from loopwright.testing.scripted import ScriptedModel, answers, calls
from loopwright.tools.policy import Policy, Rule

RUN = "r"
NOTHING: Any = None
"""Where a letter has to say something."""
SOON = Rhythm(look=0.01)


class Bank:
    """A tool with an effect, which can be made to wait."""

    def __init__(self) -> None:
        self.paid = list[str]()
        self.began = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()

        @tool(effect="pay")
        async def pay(to: str, amount: int = 1) -> str:
            """Pay.

            Args:
                to: whom
                amount: euros
            """
            self.began.set()
            await self.go_on.wait()
            self.paid.append(f"{to} {amount}")
            return "paid"

        @tool
        async def wait() -> str:
            """Wait."""
            self.began.set()
            await self.go_on.wait()
            return "waited"

        self.pay, self.wait = pay, wait


@pytest.fixture
async def bank() -> Bank:
    return Bank()


@person_tool
def how_much() -> int:  # type: ignore[empty-body]
    """Ask how much."""


class Silent:
    """A model's server that never answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        del body, feed, stream, timeout
        self.asked.set()
        await asyncio.get_running_loop().create_future()

    async def close(self) -> None:
        """Nothing is open."""


def agent_of(script: Sequence[Any], journal: Any, bank: Bank, approve: Any = "inbox", **options: Any) -> Agent:
    """An agent with the bank's tools, which looks for letters all the time."""
    model = ScriptedModel(replies=script)
    return Agent(
        model,
        tools=[bank.pay, bank.wait, how_much],
        journal=journal,
        approve=approve,
        rhythm=options.pop("rhythm", SOON),
        **options,
    )


def asked_of(agent: Agent) -> list[Any]:
    """The requests that the agent's scripted model got."""
    transport: Any = agent.model.transport
    return [request.messages for request in transport.requests]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.002)


def found(events: Sequence[Event], *kinds: type) -> list[Any]:
    return [event for event in events if isinstance(event, kinds)]


class Running:
    """A run in the background, with its events as they come."""

    def __init__(self, agent: Agent) -> None:
        self.events = list[Event]()
        self.agent = agent
        agent.observe(self.see)
        self.task = asyncio.ensure_future(agent.run("Pay.", run_id=RUN))

    def see(self, run_id: str, event: Event | TextArrived) -> None:
        del run_id
        if not isinstance(event, TextArrived):
            self.events.append(event)

    async def until(self, kind: type, count: int = 1) -> None:
        await until(lambda: len(found(self.events, kind)) >= count or self.task.done())
        assert len(found(self.events, kind)) >= count, self.task

    async def end(self) -> RunResult:
        async with asyncio.timeout(20):
            return await self.task

    async def refused(self) -> str:
        """Why the first letter was refused."""
        await self.until(LetterRefused)
        return str(found(self.events, LetterRefused)[0].why)


def yes(call: Call, tool: ToolSpec) -> bool:
    del call, tool
    return True


PAY = [calls("pay", to="Ada"), answers("done")]


async def test_a_yes_by_letter_lets_the_call_run(bank: Bank) -> None:
    running = Running(agent_of(PAY, MemoryJournal(), bank))
    await running.until(ApprovalAsked)
    (waits,) = await running.agent.pending(RUN)
    assert (waits.call_id, waits.tool, waits.arguments, waits.about) == ("1.1", "pay", {"to": "Ada"}, "approval")
    assert waits.why == "no rule allows it (pay)"
    number = await running.agent.send(RUN, Approve(call_id="1.1", allowed=True, by="Eve", digest=waits.digest))
    assert (await running.end()).answer == "done"
    (given,) = found(running.events, ApprovalGiven)
    assert (given.by, given.inbox, given.digest) == ("Eve", number, waits.digest)
    assert bank.paid == ["Ada 1"]
    assert await running.agent.pending(RUN) == ()


async def test_a_no_by_letter_is_told_with_its_reason(bank: Bank) -> None:
    running = Running(agent_of(PAY, MemoryJournal(), bank))
    await running.until(ApprovalAsked)
    await running.agent.send(RUN, Approve(call_id="1.1", allowed=False, reason="too dear"))
    await running.end()
    assert bank.paid == []
    assert "too dear" in str(asked_of(running.agent)[-1])


async def test_a_yes_to_another_call_is_none(bank: Bank) -> None:
    running = Running(agent_of(PAY, MemoryJournal(), bank))
    await running.until(ApprovalAsked)
    await running.agent.send(RUN, Approve(call_id="1.1", allowed=True, digest="0" * 32))
    assert await running.refused() == "it is about another call than 1.1 is now"
    assert bank.paid == []
    await running.agent.send(RUN, Approve(call_id="1.1", allowed=True))
    await running.end()
    assert bank.paid == ["Ada 1"]


async def test_arguments_changed_by_letter_are_checked_and_used(bank: Bank) -> None:
    running = Running(agent_of(PAY, MemoryJournal(), bank))
    await running.until(ApprovalAsked)
    await running.agent.send(RUN, Approve(call_id="1.1", allowed=True, arguments={"to": "Ada", "amount": "much"}))
    assert "pay does not take these arguments" in await running.refused()
    await running.agent.send(RUN, Approve(call_id="1.1", allowed=True, arguments={"to": "Bob", "amount": 3}))
    await running.end()
    assert bank.paid == ["Bob 3"]
    assert "a person changed the arguments" in str(asked_of(running.agent)[-1])


async def test_a_yes_before_the_question_counts(bank: Bank) -> None:
    journal = MemoryJournal()
    agent = agent_of(PAY, journal, bank)

    def send_early(run_id: str, event: Event | TextArrived) -> None:
        if isinstance(event, ModelReplied):
            at_once(journal.send(run_id, Approve(call_id="1.1", allowed=True)))

    agent.observe(send_early)
    running = Running(agent)
    assert (await running.end()).answer == "done"
    assert found(running.events, ApprovalGiven)[0].inbox == 1
    assert bank.paid == ["Ada 1"]


async def test_letters_about_nothing_are_refused(bank: Bank) -> None:
    bank.go_on.clear()
    journal = MemoryJournal()
    running = Running(agent_of([calls("wait"), answers("done")], journal, bank))
    await bank.began.wait()
    await journal.send(RUN, Approve(call_id="9.9", allowed=True))
    await journal.send(RUN, Answer(call_id="1.1", value=1))
    await asyncio.sleep(0.05)
    bank.go_on.set()
    await running.end()
    assert [event.inbox for event in found(running.events, LetterRefused)] == [1, 2]


async def test_words_are_told_at_the_next_settled_place(bank: Bank) -> None:
    bank.go_on.clear()
    running = Running(agent_of([calls("wait"), answers("done")], MemoryJournal(), bank))
    await bank.began.wait()
    await running.agent.send(RUN, Say(text="Hurry up.", by="Eve"))
    await asyncio.sleep(0.05)
    assert not found(running.events, PersonSaid)
    bank.go_on.set()
    await running.end()
    (said,) = found(running.events, PersonSaid)
    assert (said.text, said.by, said.inbox) == ("Hurry up.", "Eve", 1)
    assert "Hurry up." in str(asked_of(running.agent)[-1])
    names = [type(event).__name__ for event in running.events]
    assert names.index("CallEnded") < names.index("PersonSaid") < len(names) - 3


async def test_words_without_room_are_refused(bank: Bank) -> None:
    bank.go_on.clear()
    limits = Limits(tokens=20_000)
    running = Running(agent_of([calls("wait"), answers("done")], MemoryJournal(), bank, limits=limits))
    await bank.began.wait()
    await running.agent.send(RUN, Say(text="long " * 5000))
    await asyncio.sleep(0.05)
    bank.go_on.set()
    await running.end()
    assert "bytes long" in await running.refused()


async def test_words_that_come_with_the_answer_are_refused(bank: Bank) -> None:
    journal = MemoryJournal()
    agent = agent_of([answers("done")], journal, bank, rhythm=Rhythm(look=60.0))

    def send_late(run_id: str, event: Event | TextArrived) -> None:
        if isinstance(event, ModelReplied):
            at_once(journal.send(run_id, Say(text="Wait!")))

    agent.observe(send_late)
    running = Running(agent)
    await running.end()
    assert await running.refused() == "the run is about to end"
    with pytest.raises(UsageError, match=r"is over \(answered\)"):
        await agent.send(RUN, Say(text="Hello?"))


async def test_a_cancellation_ends_a_question_to_the_model(bank: Bank) -> None:
    silent = Silent()
    speaker = ScriptedModel(replies=[])
    model = Model(speaker.name, speaker.spec, speaker.dialect, silent, speaker.capabilities)
    agent = Agent(model, tools=[bank.pay], journal=MemoryJournal(), rhythm=SOON)
    running = Running(agent)
    await silent.asked.wait()
    await agent.send(RUN, Cancel(by="Eve", reason="no need"))
    result = await running.end()
    assert (result.status, result.reason) == ("cancelled", "Eve: no need")
    assert found(running.events, CancelAsked)[0].inbox == 1
    assert asyncio.current_task() is not None


async def test_a_cancellation_leaves_running_calls_in_doubt_and_others_not_begun(bank: Bank) -> None:
    bank.go_on.clear()
    script = [calls("wait") + calls("pay", to="Ada"), answers("done")]
    running = Running(agent_of(script, MemoryJournal(), bank))
    await running.until(ApprovalAsked)
    await bank.began.wait()
    await running.agent.send(RUN, Cancel())
    assert (await running.end()).status == "cancelled"
    assert {event.call_id: event.how for event in found(running.events, CallEnded)} == {
        "1.1": "unknown",
        "1.2": "cancelled",
    }
    assert bank.paid == []


async def test_who_runs_a_cancelled_run_is_not_cancelled_itself(bank: Bank) -> None:
    bank.go_on.clear()
    agent = agent_of([calls("wait")], MemoryJournal(), bank)

    async def both() -> str:
        result = await agent.run("Pay.", run_id=RUN)
        await asyncio.sleep(0)
        task = asyncio.current_task()
        return f"{result.status} {task.cancelling() if task else -1}"

    task = asyncio.ensure_future(both())
    await bank.began.wait()
    await agent.send(RUN, Cancel())
    assert await task == "cancelled 0"


async def test_a_real_cancellation_pauses_the_run(bank: Bank) -> None:
    bank.go_on.clear()
    journal = MemoryJournal()
    running = Running(agent_of([calls("wait")], journal, bank))
    await bank.began.wait()
    running.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running.end()
    assert isinstance((await journal.read(RUN))[-1], RunPaused)


async def test_a_cancellation_while_in_doubt(bank: Bank) -> None:
    journal, bank.paid[:] = MemoryJournal(), []
    crashing = CrashAt(journal, await appends_until(CallEnded))
    with pytest.raises(Crash):
        await agent_of(PAY, crashing, bank, approve=yes).run("Pay.", run_id=RUN)
    agent = agent_of([answers("done")], journal, bank)
    resumed = asyncio.ensure_future(agent.resume(RUN))
    await until_asked(journal, 1 + 1)
    (waits,) = await agent.pending(RUN)
    assert (waits.about, waits.why) == ("doubt", f"{AGAIN}; no rule allows it (pay)")
    await agent.send(RUN, Cancel())
    assert (await resumed).status == "cancelled"
    assert found(await journal.read(RUN), CallEnded)[0].how == "unknown"
    assert bank.paid == ["Ada 1"]


async def appends_until(kind: type) -> int:
    """The number of the append that writes the first event of this kind, in a run that pays."""
    seen = list[bool]()

    class Watching(MemoryJournal):
        async def append(
            self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
        ) -> None:
            seen.append(bool(found(events, kind)))
            await super().append(run_id, seq, events, contents)

    await agent_of(PAY, Watching(), Bank(), approve=yes).run("Pay.", run_id=RUN)
    return seen.index(True) + 1


async def until_asked(journal: MemoryJournal, count: int) -> None:
    async with asyncio.timeout(20):
        while len(found(await journal.read(RUN), ApprovalAsked)) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.002)


async def test_a_second_yes_does_not_let_a_call_in_doubt_run_again(bank: Bank) -> None:
    journal = MemoryJournal()
    crashing = CrashAt(journal, await appends_until(CallEnded))
    running = Running(agent_of(PAY, crashing, bank))
    await running.until(ApprovalAsked)
    for _ in range(2):
        await journal.send(RUN, Approve(call_id="1.1", allowed=True))
    with pytest.raises(Crash):
        await running.end()
    agent = agent_of([answers("done")], journal, bank)
    resumed = asyncio.ensure_future(agent.resume(RUN))
    await until_asked(journal, 2)
    await until(lambda: bool(resumed.done() or len(journal_refusals(journal))))
    assert bank.paid == ["Ada 1"]
    assert "may run again" in journal_refusals(journal)[0].why
    await agent.send(RUN, Approve(call_id="1.1", allowed=True))
    assert (await resumed).answer == "done"
    assert bank.paid == ["Ada 1", "Ada 1"]


def journal_refusals(journal: MemoryJournal) -> list[LetterRefused]:
    return found(at_once(journal.read(RUN)), LetterRefused)


def at_once(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of what waits for nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits")


async def test_a_doubt_may_be_answered_while_the_run_is_paused(bank: Bank) -> None:
    journal = MemoryJournal()
    crashing = CrashAt(journal, await appends_until(CallEnded))
    with pytest.raises(Crash):
        await agent_of(PAY, crashing, bank, approve=yes).run("Pay.", run_id=RUN)
    agent = agent_of([answers("done")], journal, bank, approve="pause")
    with pytest.raises(WaitsForPerson):
        await agent.resume(RUN)
    await agent.send(RUN, Approve(call_id="1.1", allowed=False))
    assert (await agent.resume(RUN)).answer == "done"
    assert found(await journal.read(RUN), CallEnded)[0].how == "unknown"
    assert bank.paid == ["Ada 1"]


async def test_a_paused_run_goes_on_with_its_letter(bank: Bank) -> None:
    journal = MemoryJournal()
    agent = agent_of(PAY, journal, bank, approve="pause")
    with pytest.raises(WaitsForPerson) as waits:
        await agent.run("Pay.", run_id=RUN)
    assert (waits.value.run_id, waits.value.calls) == (RUN, ("1.1",))
    with pytest.raises(WaitsForPerson):
        await agent.resume(RUN)
    await agent.send(RUN, Approve(call_id="1.1", allowed=True))
    assert (await agent.resume(RUN)).answer == "done"
    assert bank.paid == ["Ada 1"]


async def test_a_run_is_not_paused_for_a_letter_that_is_here(bank: Bank) -> None:
    bank.go_on.clear()
    script = [calls("pay", to="Ada") + calls("wait"), answers("done")]
    running = Running(agent_of(script, MemoryJournal(), bank, approve="pause"))
    await running.until(ApprovalAsked)
    await bank.began.wait()
    await running.agent.send(RUN, Approve(call_id="1.1", allowed=True))
    bank.go_on.set()
    assert (await running.end()).answer == "done"
    assert not found(running.events, RunPaused)
    assert bank.paid == ["Ada 1"]


@pytest.mark.parametrize("approve", ["inbox", "pause"])
async def test_an_answer_by_letter_in_the_place_of_a_tool(bank: Bank, approve: str) -> None:
    journal = MemoryJournal()
    agent = agent_of([calls("how_much"), answers("done")], journal, bank, approve=approve)
    running = Running(agent)
    if approve == "pause":
        with pytest.raises(WaitsForPerson):
            await running.end()
    else:
        await running.until(CallStarted)
    (waits,) = await agent.pending(RUN)
    assert (waits.about, waits.tool) == ("answer", "how_much")
    await journal.send(RUN, Approve(call_id="1.1", allowed=True))
    await journal.send(RUN, Answer(call_id="1.1", value="a lot"))
    await journal.send(RUN, Answer(call_id="1.1", value=7, by="Eve"))
    result = await agent.resume(RUN) if approve == "pause" else await running.end()
    assert result.answer == "done"
    events = await journal.read(RUN)
    (ended,) = found(events, CallEnded)
    assert (bytes(ended.result.data), ended.by, ended.inbox) == (b"7", "Eve", 3)
    assert [event.inbox for event in found(events, LetterRefused)] == [1, 2]


class Somebody:
    """Who is here and says yes after a while, or never."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.given_up = False

    async def approve(self, question: Question) -> Approval:
        del question
        try:
            await asyncio.sleep(1000 if self.seconds is None else self.seconds)
        except asyncio.CancelledError:
            self.given_up = True
            raise
        return Approval(True, by="here")


@pytest.mark.parametrize(("seconds", "by"), [(None, "letter"), (0.0, "here")])
async def test_a_person_here_and_a_letter_race(bank: Bank, seconds: float | None, by: str) -> None:
    person = Somebody(seconds)
    people: People = person
    running = Running(agent_of(PAY, MemoryJournal(), bank, approve=people))
    await running.until(ApprovalAsked)
    if by == "here":
        await running.until(ApprovalGiven)
        with suppress(UsageError):
            await running.agent.send(RUN, Approve(call_id="1.1", allowed=False))
    else:
        await running.agent.send(RUN, Approve(call_id="1.1", allowed=True, by="letter"))
    await running.end()
    assert found(running.events, ApprovalGiven)[0].by == by
    assert person.given_up is (by == "letter")
    assert bank.paid == ["Ada 1"]


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_letter_is_taken_once_whatever_crashes(when: Any) -> None:
    script = [calls("pay", to="Ada"), calls("how_much"), answers("done")]
    crashed, append = True, 0
    while crashed:
        append += 1
        bank, journal = Bank(), MemoryJournal()
        crashing = CrashAt(journal, append, when)
        await write_as_asked(journal, agent_of(script, crashing, bank))
        crashed = crashing.crashed
        if not await begun(journal):
            continue
        asked = len(found(await journal.read(RUN), ModelReplied))
        people: Any = "inbox" if crashed else None
        agent = agent_of(script[asked:], journal, bank, approve=people)
        await write_as_asked(journal, agent)
        events = await journal.read(RUN)
        assert isinstance(events[-1], RunEnded)
        taken = [n for event in events if (n := getattr(event, "inbox", 0))]
        assert len(taken) == len(set(taken)), (append, taken)
        assert len(bank.paid) <= 1
        told = [event.text for event in found(events, PersonSaid)]
        assert len(told) <= 1 or when == "before"
    assert append > 8


async def begun(journal: MemoryJournal) -> bool:
    try:
        return bool(await journal.read(RUN))
    except UsageError:
        return False


async def write_as_asked(journal: MemoryJournal, agent: Agent) -> None:
    """Start or go on with the run, and write whenever something waits, until it ends or crashes."""
    going_on = await begun(journal)
    work = agent.resume(RUN) if going_on else agent.run("Pay.", run_id=RUN)
    task = asyncio.ensure_future(work)
    written = set[tuple[str, str]]()
    if not going_on:
        await until_begun(journal, task)
        if not task.done():
            await journal.send(RUN, Say(text="Please."))
    while not task.done():
        await asyncio.sleep(0.002)
        if not await begun(journal):
            continue
        for waits in waiting(await journal.read(RUN), ["how_much"]):
            key = (waits.call_id, waits.about)
            if key not in written:
                written.add(key)
                yes: Letter = Approve(call_id=waits.call_id, allowed=waits.about == "approval")
                await journal.send(RUN, Answer(call_id=waits.call_id, value=3) if waits.about == "answer" else yes)
    with suppress(Crash):
        await task


async def until_begun(journal: MemoryJournal, task: "asyncio.Future[Any]") -> None:
    while not await begun(journal) and not task.done():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


async def test_while_a_run_is_worked_on_its_lease_is_renewed(bank: Bank) -> None:
    bank.go_on.clear()
    journal = MemoryJournal()
    running = Running(agent_of([calls("wait"), answers("done")], journal, bank, rhythm=Rhythm(0.2, 0.01)))
    await bank.began.wait()
    await asyncio.sleep(0.5)
    other = agent_of([], journal, bank)
    with pytest.raises(Conflict, match="another process is working on run r"):
        await other.resume(RUN)
    bank.go_on.set()
    assert (await running.end()).answer == "done"
    assert (await other.resume(RUN)).answer == "done"


async def test_a_driver_whose_lease_was_taken_stops(bank: Bank) -> None:
    bank.go_on.clear()
    journal = MemoryJournal()
    running = Running(agent_of([calls("wait"), answers("late")], journal, bank, rhythm=Rhythm(0.05, 0.3)))
    await bank.began.wait()
    await asyncio.sleep(0.1)
    second = Bank()
    assert (await agent_of([answers("done")], journal, second).resume(RUN)).answer == "done"
    with pytest.raises(Conflict, match="another process took run r over"):
        await running.end()
    events = await journal.read(RUN)
    assert [event.outcome.answer for event in found(events, RunEnded)] == ["done"]
    assert len(found(events, RunResumed)) == 1


class Held(MemoryJournal):
    """A journal that holds an append of this kind up, before it is stored or after."""

    def __init__(self, kind: type, when: str) -> None:
        super().__init__()
        self.kind, self.when = kind, when
        self.holds = asyncio.Event()

    async def append(
        self, run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE
    ) -> None:
        held = bool(found(events, self.kind)) and not self.holds.is_set()
        if held and self.when == "before":
            await self._stall()
        await super().append(run_id, seq, events, contents)
        if held and self.when == "after":
            await self._stall()

    async def _stall(self) -> None:
        self.holds.set()
        await asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", [ModelAsked, ModelReplied, CallStarted, CallEnded])
async def test_a_cancellation_while_something_is_written_down(bank: Bank, kind: type, when: str) -> None:
    journal = Held(kind, when)
    running = Running(agent_of(PAY, journal, bank, approve=yes))
    await journal.holds.wait()
    await journal.send(RUN, Cancel(by="Eve"))
    result = await running.end()
    assert (result.status, result.reason) == ("cancelled", "Eve")
    events = await journal.read(RUN)
    assert [replace(event) for event in running.events] == events
    assert [event.inbox for event in found(events, CancelAsked)] == [1]
    ended = found(events, CallEnded)
    ran = kind is CallEnded
    assert bank.paid == (["Ada 1"] if ran else [])
    if ended:
        begun = {"before": "unknown", "after": "ran"} if ran else {"before": "cancelled", "after": "unknown"}
        assert ended[0].how == (begun[when] if kind is not ModelReplied else "cancelled")


async def test_a_run_that_nobody_works_on_is_cancelled_right_here(bank: Bank) -> None:
    journal = MemoryJournal()
    crashing = CrashAt(journal, await appends_until(CallEnded))
    with pytest.raises(Crash):
        await agent_of(PAY, crashing, bank, approve=yes).run("Pay.", run_id=RUN)
    agent = agent_of([], journal, bank)
    await agent.send(RUN, Cancel(by="Eve"))
    events = await journal.read(RUN)
    assert [type(event) for event in events[-4:]] == [RunResumed, CancelAsked, CallEnded, RunEnded]
    assert (events[-3].inbox, events[-2].how) == (1, "unknown")  # type: ignore[union-attr]
    assert (await agent.resume(RUN)).status == "cancelled"


class Far(MemoryJournal):
    """A journal whose inbox takes its time."""

    async def inbox(self, run_id: str, after: int = 0) -> list[Received]:
        """The letters, after a while."""
        found = await super().inbox(run_id, after)
        await asyncio.sleep(0.005)
        return found


async def test_two_looks_at_a_far_inbox_find_a_letter_once(bank: Bank) -> None:
    bank.go_on.clear()
    script = [calls("wait") + calls("pay", to="Ada"), *[calls("pay", to="Bob")] * 3, answers("done")]
    running = Running(agent_of(script, Far(), bank, approve="pause", rhythm=Rhythm(look=0.001)))
    await bank.began.wait()
    await running.until(ApprovalAsked)
    await running.agent.send(RUN, Approve(call_id="1.2", allowed=True, scope="tool"))
    bank.go_on.set()
    for number in range(20):
        if running.task.done():
            break
        with suppress(UsageError):
            await running.agent.send(RUN, Say(text=f"Hurry {number}."))
        await asyncio.sleep(0.004)
    assert (await running.end()).answer == "done"
    said = [event.inbox for event in found(running.events, PersonSaid, LetterRefused)]
    assert said
    assert len(said) == len(set(said))


async def test_a_letter_that_fits_nothing_leaves_the_run_paused(bank: Bank) -> None:
    journal = MemoryJournal()
    agent = agent_of([calls("pay", to="Ada") + calls("how_much"), answers("done")], journal, bank, approve="pause")
    with pytest.raises(WaitsForPerson):
        await agent.run("Pay.", run_id=RUN)
    await agent.send(RUN, Approve(call_id="1.1", allowed=True, digest="0" * 32))
    await agent.send(RUN, Answer(call_id="1.2", value="a lot"))
    async with asyncio.timeout(10):
        with pytest.raises(WaitsForPerson) as waits:
            await agent.resume(RUN)
    assert waits.value.calls == ("1.1", "1.2")
    assert {event.inbox for event in found(await journal.read(RUN), LetterRefused)} == {1, 2}
    await agent.send(RUN, Approve(call_id="1.1", allowed=True))
    await agent.send(RUN, Answer(call_id="1.2", value=4))
    assert (await agent.resume(RUN)).answer == "done"
    assert bank.paid == ["Ada 1"]


async def test_a_person_who_does_something_to_the_world_is_not_asked_about_doubt(bank: Bank) -> None:
    @person_tool(effect="send")
    def post(letter: str) -> str:  # pyright: ignore[reportReturnType]
        """Take a letter to the post.

        Args:
            letter: which
        """

    journal = MemoryJournal()
    model = ScriptedModel(replies=[calls("post", letter="blue"), answers("done")])
    policy = Policy((Rule("allow", tool="post"),))
    agent = Agent(model, tools=[post], journal=journal, approve="pause", policy=policy, rhythm=SOON)
    with pytest.raises(WaitsForPerson):
        await agent.run("Post.", run_id=RUN)
    assert [waits.about for waits in await agent.pending(RUN)] == ["answer"]
    await agent.send(RUN, Answer(call_id="1.1", value="it is on its way"))
    assert (await agent.resume(RUN)).answer == "done"
    assert len(found(await journal.read(RUN), CallStarted)) == 1


@pytest.mark.parametrize(
    "letter",
    [Say(text="x", by=NOTHING), Cancel(by=NOTHING), Approve(call_id="1.1", allowed=NOTHING)],
    ids=["Say", "Cancel", "Approve"],
)
async def test_a_letter_of_wrong_values_is_not_sent(bank: Bank, letter: Letter) -> None:
    journal = MemoryJournal()
    agent = agent_of(PAY, journal, bank, approve="pause")
    with pytest.raises(WaitsForPerson):
        await agent.run("Pay.", run_id=RUN)
    with pytest.raises(JournalError, match="what no letter can say"):
        await agent.send(RUN, letter)
    assert await journal.inbox(RUN) == []
    await agent.send(RUN, Approve(call_id="1.1", allowed=True))
    assert (await agent.resume(RUN)).answer == "done"


class Newer(MemoryJournal):
    """A journal in whose inbox a newer version has left a letter."""

    async def inbox(self, run_id: str, after: int = 0) -> list[Received]:
        """The letters, and before them the one that cannot be read."""
        known = [replace(one, number=one.number + 1) for one in await super().inbox(run_id, max(0, after - 1))]
        return [*([] if after else [Received(1, 0.0, Unreadable("Invalid value 'telegram'"))]), *known]


@pytest.mark.parametrize("approve", ["inbox", "pause"])
async def test_a_letter_that_cannot_be_read_is_refused_and_stops_nobody(bank: Bank, approve: str) -> None:
    journal = Newer()
    agent = agent_of(PAY, journal, bank, approve=approve)
    running = Running(agent)
    await running.until(ApprovalAsked)
    if approve == "pause":
        with pytest.raises(WaitsForPerson):
            await running.end()
    await agent.send(RUN, Approve(call_id="1.1", allowed=True))
    result = await agent.resume(RUN) if approve == "pause" else await running.end()
    assert result.answer == "done"
    (refused,) = found(await journal.read(RUN), LetterRefused)
    assert (refused.inbox, refused.why) == (1, "it cannot be read: Invalid value 'telegram'")
    assert bank.paid == ["Ada 1"]


class SetBack:
    """A clock that was set back by a minute."""

    def now(self) -> float:
        """Unix time in seconds, a minute ago."""
        return time.time() - 60.0

    def elapsed(self) -> float:
        """Seconds."""
        return time.monotonic()


@pytest.mark.parametrize("times", [1, 2])
async def test_an_old_yes_is_none_to_a_doubt_whatever_the_clock_says(bank: Bank, times: int) -> None:
    journal = MemoryJournal()
    crashing = CrashAt(journal, await appends_until(CallEnded))
    running = Running(agent_of(PAY, crashing, bank))
    await running.until(ApprovalAsked)
    for _ in range(2):
        await journal.send(RUN, Approve(call_id="1.1", allowed=True))
    with pytest.raises(Crash):
        await running.end()
    agent = agent_of([answers("done")], journal, bank, approve="pause", clock=SetBack())
    for _ in range(times):
        with pytest.raises(WaitsForPerson):
            await agent.resume(RUN)
    assert [event.inbox for event in found(await journal.read(RUN), LetterRefused)] == [2]
    assert [event.after for event in found(await journal.read(RUN), ApprovalAsked)] == [0, *[2] * times]
    assert bank.paid == ["Ada 1"]
    await agent.send(RUN, Approve(call_id="1.1", allowed=True))
    assert (await agent.resume(RUN)).answer == "done"
    assert bank.paid == ["Ada 1", "Ada 1"]
    replayed = await agent.replay(RUN)
    assert replayed.divergence is None


async def test_a_cancellation_that_is_there_comes_before_a_question_about_doubt(bank: Bank) -> None:
    journal = MemoryJournal()
    crashing = CrashAt(journal, await appends_until(CallEnded))
    with pytest.raises(Crash):
        await agent_of(PAY, crashing, bank, approve=yes).run("Pay.", run_id=RUN)
    await journal.send(RUN, Cancel(by="Eve"))
    assert (await agent_of([], journal, bank).resume(RUN)).status == "cancelled"
    assert len(found(await journal.read(RUN), ApprovalAsked)) == 1


async def test_a_cancellation_of_a_run_that_has_its_answer_is_refused(bank: Bank) -> None:
    journal = MemoryJournal()
    with pytest.raises(Crash):
        await agent_of([answers("done")], CrashAt(journal, 4), bank).run("Pay.", run_id=RUN)
    assert isinstance((await journal.read(RUN))[-1], ModelReplied)
    done = await cancel(journal, SystemClock(), RUN, Cancel(by="Eve"))
    assert done.outcome == Outcome("answered", "done", "")
    events = await journal.read(RUN)
    assert [type(event) for event in events[-3:]] == [RunResumed, LetterRefused, RunEnded]
    (refused,) = found(events, LetterRefused)
    assert (refused.inbox, refused.why) == (done.number, "the run was about to end")
