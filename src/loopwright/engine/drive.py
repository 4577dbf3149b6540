"""The driver: performs what is due and writes down what happened. The only place where a run meets the world.

It decides nothing: what to do comes from `core.loop.due`, what it means from `core.loop.apply`. Every fact goes through
one door, `Driver.record`: first the next state, then the journal, then whoever watches. If the journal refuses, the
driver stops, and the run can be taken up again from what is durable.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import assert_never

from msgspec.json import encode
from msgspec.structs import replace

from loopwright.core.commands import AskModel, AskPerson, Command, Record, RunTool
from loopwright.core.errors import Conflict, IllegalEvent, JournalError, ModelError
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.limits import shortened, size
from loopwright.core.loop import apply, due
from loopwright.core.messages import Result, ToolSpec, Turn, Usage
from loopwright.core.state import State, ledger_of
from loopwright.engine.claim import claimed
from loopwright.engine.consent import consult, with_change
from loopwright.engine.execute import execute, fault
from loopwright.engine.ports import Clock, Model, Observer, People, TextArrived, Tool
from loopwright.engine.reading_on import ReadMore
from loopwright.engine.results import Finished, finished, shown_in
from loopwright.engine.speak import conversation_of
from loopwright.journal.base import NONE, Journal
from loopwright.protocols.conversation import Conversation
from loopwright.protocols.keys import without_keys
from loopwright.protocols.refusals import refuses_tools
from loopwright.protocols.speech import Reply
from loopwright.tools.cut import cut
from loopwright.tools.result import error as error_result
from loopwright.tools.result import failure

BYTES_A_TOKEN, LONG_TOKEN = 4, 16
"""For the estimate where a provider reports no usage: bytes of a token, and more than any text has on average."""
WIRE_BYTES, SMALL_REPLY, LARGEST_REPLY = 4096, 1 << 20, 1 << 26
"""Bytes of a reply on the wire: for each token that may be said, at the least, and where no number was set."""
REASON_BYTES = 300
"""Of what stopped a driver, for people."""
GRACE, GRACE_SHARE = 0.2, 0.05
"""Seconds, and share of the time left, for a transport to say itself that time is up, and whether anything was sent."""


class Driver:
    """One run, from where its journal stands to its end. Use it once."""

    def __init__(
        self,
        started: RunStarted,
        *,
        model: Model,
        tools: Iterable[Tool],
        journal: Journal,
        clock: Clock,
        people: People | None = None,
        observers: Sequence[Observer] = (),
        stream: bool = True,
    ) -> None:
        self.state = State()
        self._started = started
        self._run_id = started.run_id
        self._model = model
        self._tools = {tool.spec.name: tool for tool in tools}
        self._reading = ReadMore(started.reader, started.tools, journal) if started.reader is not None else None
        if self._reading is not None:
            self._tools[self._reading.spec.name] = self._reading
        self._journal = journal
        self._clock = clock
        self._since = clock.elapsed()
        self._people = people
        self._observers = observers
        self._stream = stream and model.capabilities.streams
        self._conversation: Conversation = conversation_of(started, started.way, model)
        self._door = asyncio.Lock()
        self._secret: str = getattr(model.transport, "secret", "")

    async def start(self) -> State:
        """Write down that the run began, and drive it to its end.

        Raises:
            Conflict: another driver works on the run, or the journal has one of this name already
        """
        opening = self._conversation.opening_bytes
        self._started = replace(self._started, opening_bytes=opening)
        with claimed(self._journal, self._run_id):
            await self.record(self._started)
            return await self._drive()

    async def resume(self, history: Sequence[Event]) -> State:
        """Claim the run, fold what happened, and drive it to its end.

        Raises:
            Conflict: another driver works on the run, or went on with it since `history` was read
        """
        with claimed(self._journal, self._run_id):
            return await self._resume(history)

    async def _resume(self, history: Sequence[Event]) -> State:
        for event in history:
            self.state = apply(self.state, event)
            if self._reading is not None:
                self._reading.watch(event)
        self._conversation = await self._told(history)
        self._since = self._clock.elapsed() - history[-1].elapsed
        await self.record(RunResumed(attended=self._people is not None))
        return await self._drive()

    async def record(self, *events: Event, contents: Mapping[str, bytes] = NONE) -> None:
        """The one door for facts: state, journal, transcript, observers, in this order.

        `contents` are what the events refer to, by hash; they become durable with them.
        """
        async with self._door:
            at, elapsed = self._clock.now(), self._clock.elapsed() - self._since
            stamped = [replace(event, at=at, elapsed=elapsed) for event in events]
            seq = self.state.events + 1
            for event in stamped:
                self.state = apply(self.state, event)
            await self._journal.append(self._run_id, seq, stamped, contents)
        for event in stamped:
            self._note(event, contents)
            for observer in self._observers:
                observer(self._run_id, event)

    def _note(self, event: Event, contents: Mapping[str, bytes]) -> None:
        self._conversation.add(event, contents)
        if self._reading is not None:
            self._reading.watch(event)

    async def _drive(self) -> State:
        try:
            while commands := due(self.state):
                await self._perform(commands)
        except asyncio.CancelledError:
            await self._pause("interrupted")
            raise
        except (JournalError, Conflict, IllegalEvent):
            raise  # what is durable is all that counts; nothing may be added to it
        except Exception as raised:
            await self._pause(shortened(without_keys(failure(raised).error), REASON_BYTES))
            raise
        return self.state

    async def _pause(self, reason: str) -> None:
        """Write down that the driver stops, where the journal takes it; whatever hinders that is not the cause."""
        if self.state.phase != "over":
            with suppress(Exception):
                await self.record(RunPaused(reason=reason))

    async def _perform(self, commands: Sequence[Command]) -> None:
        """Perform all that is due, side by side where there is more than one thing to wait for."""
        await asyncio.sleep(0)  # whoever watches may have cancelled the run: before anything new is written down
        facts, waiting = list[Event](), list[AskModel | RunTool | AskPerson]()
        for command in commands:
            match command:
                case Record():
                    facts.append(command.event)
                case AskModel():
                    facts.append(command.asked)
                    waiting.append(command)
                case RunTool() | AskPerson():
                    fact = self._refused(command) or _begin(command)
                    facts.append(fact)
                    if not isinstance(fact, CallEnded):
                        waiting.append(command)
                case _:
                    assert_never(command)
        await self.record(*facts)
        await self._switch(facts)
        await side_by_side([self._wait_for(command) for command in waiting])

    async def _wait_for(self, command: AskModel | RunTool | AskPerson) -> None:
        match command:
            case AskModel():
                await self._ask(command)
            case RunTool():
                await self._run(command)
            case AskPerson():
                await self._consult(command)

    async def _ask(self, command: AskModel) -> None:
        asked, began = command.asked, self._clock.elapsed()
        body = self._conversation.request(asked, stream=self._stream)
        try:
            reply, raw = await self._send(body, asked, self._left(command.until))
        except ModelError as error:
            message = self._without_secret(error.message)
            await self.record(ModelFailed(failure=error.failure, message=message, lost=error.lost))
            return
        if reply.error or not reply.complete:
            await self.record(self._failed(reply))
            return
        turn = self._conversation.read(reply, closing=bool(asked.closing))
        turn = turn.numbered(asked.number, self._started.limits.calls_per_turn)
        if self._secret and self._secret.encode() in encode(turn):
            message = "the server repeated the key in its reply; the reply was not kept"
            await self.record(ModelFailed(failure="reply", message=message, lost=True))
            return
        usage = self._priced(reported(reply.usage, turn) or estimate(body, turn, asked))
        seconds = self._clock.elapsed() - began
        await self.record(ModelReplied(turn=turn, usage=usage, seconds=seconds, raw=raw))

    def _failed(self, reply: Reply) -> ModelFailed:
        """The fact that a reply is none; some servers refuse tools in what looks like a reply."""
        message = self._without_secret(reply.error) or "the reply ended before it was complete"
        if self.state.way == "native" and self._started.tools and refuses_tools(reply.error):
            return ModelFailed(failure="tools_refused", message=message, lost=False)
        return ModelFailed(failure="reply", message=message, lost=True)

    async def _send(self, body: bytes, asked: ModelAsked, timeout: float | None) -> tuple[Reply, bytes]:
        reader, parts = self._conversation.reader(stream=self._stream), list[bytes]()
        left = max(SMALL_REPLY, asked.max_tokens * WIRE_BYTES) if asked.max_tokens else LARGEST_REPLY

        def feed(data: bytes) -> None:
            nonlocal left
            left -= len(data)
            if left < 0:
                raise ModelError("reply", "the reply is far larger than what was asked for; it was not kept", lost=True)
            parts.append(data)
            text = reader.feed(data)
            if text:
                for observer in self._observers:
                    observer(self._run_id, TextArrived(self._run_id, text))

        patience = None if timeout is None else timeout - min(GRACE, timeout * GRACE_SHARE)
        try:
            async with asyncio.timeout(timeout):
                await self._model.transport.send(body, feed, stream=self._stream, timeout=patience)
        except TimeoutError:
            raise ModelError("timeout", "no reply within the time that the run has left", lost=True) from None
        except ModelError:
            reply = reader.close()
            if not parts or not reply.complete or reply.error:
                raise
            return reply, b"".join(parts)  # the connection broke behind the end of the reply
        return reader.close(), b"".join(parts)

    async def _run(self, command: RunTool) -> None:
        began, timeout = self._clock.elapsed(), self._left(command.until)
        tool, how = self._tools.get(command.call.tool), "ran"
        if tool is None:
            result, how = Result("error", error="UnknownTool: the tool is not here any more"), "refused"
        elif wrong := fault(tool, command.call):
            result, how = self._invalid(wrong, command.tool), "refused"
        else:
            result = await execute(tool, command.call, room=command.room, timeout=timeout)
        given = self._finished(result, command) if how == "ran" else Finished(result)
        seconds = self._clock.elapsed() - began
        ended = CallEnded(call_id=command.call.id, result=given.result, how=how, seconds=seconds, whole=given.whole)
        await self.record(ended, contents=given.contents)

    def _finished(self, result: Result, command: RunTool) -> Finished:
        reader, images = self._started.reader, self._model.capabilities.images
        if command.edited:
            result = with_change(result, command.call)
        return finished(result, command.call.id, command.tool, room=command.room, reader=reader, images=images)

    def _refused(self, command: RunTool | AskPerson) -> CallEnded | None:
        """The answer to a call whose arguments cannot be valid: it does not run, and nobody is asked about it."""
        call, tool = command.call, self._tools.get(command.call.tool)
        if tool is None or self.state.open[call.id].stage == "allowed":
            return None  # a call that a person allowed is owed its start
        wrong = fault(tool, call)
        return CallEnded(call_id=call.id, result=self._invalid(wrong, command.tool), how="refused") if wrong else None

    def _invalid(self, wrong: str, tool: ToolSpec) -> Result:
        room = ledger_of(self.state).room(len(self.state.open))
        return cut(error_result(f"InvalidArguments: {wrong}"), room=room, max_chars=tool.max_chars)

    async def _consult(self, command: AskPerson) -> None:
        call_id = command.call.id
        given = ApprovalGiven(call_id=call_id, allowed=False, by="nobody", reason="nobody answered in time")
        if self._people is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._left(command.until)):
                    given = await consult(self._people, command, self._tools.get(command.call.tool))
        await self.record(given)
        mine = [next_ for next_ in due(self.state) if concerns(next_, call_id)]
        await self._perform(mine)

    async def _switch(self, facts: Sequence[Event]) -> None:
        if any(isinstance(fact, WaySwitched) for fact in facts):
            self._conversation = await self._told(await self._journal.read(self._run_id))

    async def _told(self, history: Sequence[Event]) -> Conversation:
        """The transcript of what happened, with the images that the model was shown."""
        images = await shown_in(history, self._journal) if self._model.capabilities.images else NONE
        return conversation_of(self._started, self.state.way, self._model, history, images)

    def _without_secret(self, text: str) -> str:
        text = without_keys(text)
        return text.replace(self._secret, "[key]") if self._secret else text

    def _left(self, until: float | None) -> float | None:
        return None if until is None else max(0.0, until - (self._clock.elapsed() - self._since))

    def _priced(self, usage: Usage) -> Usage:
        price = self._started.price
        if price is None:
            return usage
        return replace(usage, cost=usage.input_tokens * price.input + usage.output_tokens * price.output)


async def side_by_side(work: Sequence[Coroutine[None, None, None]]) -> None:
    """Wait for all of it; the first exception ends the rest and is raised as it is."""
    if len(work) < 2:
        for coroutine in work:
            await coroutine
        return
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in work]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    if any(task.cancelled() for task in tasks):  # a group says nothing of it
        raise asyncio.CancelledError


def _begin(command: RunTool | AskPerson) -> CallStarted | ApprovalAsked:
    """The fact to write down before the command is performed."""
    call_id = command.call.id
    if isinstance(command, RunTool):
        return CallStarted(call_id=call_id, by=command.by)
    return ApprovalAsked(call_id=call_id, why=command.why, digest=command.digest)


def concerns(command: Command, call_id: str) -> bool:
    """Whether a command is about this call."""
    match command:
        case RunTool() | AskPerson():
            return command.call.id == call_id
        case Record():
            return isinstance(command.event, CallEnded) and command.event.call_id == call_id
        case AskModel():
            return False


def reported(usage: Usage | None, turn: Turn) -> Usage | None:
    """What the provider counted, unless that cannot be: what was sent and what was said has tokens."""
    if usage is None or usage.input_tokens <= 0 or (usage.output_tokens <= 0 and turn.kind != "empty"):
        return None
    return usage


def estimate(body: bytes, turn: Turn, asked: ModelAsked) -> Usage:
    """Tokens where the provider reports none.

    An estimate is never more than what was set aside for the question, unless the reply is plainly longer than that.
    """
    written = size(turn.text) + size(turn.reasoning) + sum(size(call.text) for call in turn.calls)
    sent, said = len(body) // BYTES_A_TOKEN + 1, written // BYTES_A_TOKEN + 1
    most = asked.max_tokens or said
    within = said if written > most * LONG_TOKEN else min(said, most)
    return Usage(min(sent, asked.worst.input_tokens or sent), within, estimated=True)
