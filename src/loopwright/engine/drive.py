"""The driver: performs what is due and writes down what happened. The only place where a run meets the world.

It decides nothing: what to do comes from `core.loop.due`, what it means from `core.loop.apply`. Every fact goes through
one door, `Driver.record`: first the next state, then the journal, then whoever watches. If the journal refuses, the
driver stops, and the run can be taken up again from what is durable.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, assert_never, cast

from msgspec.json import encode
from msgspec.structs import replace

from loopwright.core.commands import AskModel, AskPerson, Command, Record, RunTool
from loopwright.core.errors import Conflict, IllegalEvent, JournalError, ModelError, WaitsForPerson
from loopwright.core.events import (
    ApprovalAsked,
    CallEnded,
    CallStarted,
    ContextCondensed,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.limits import shortened, size
from loopwright.core.loop import apply, due
from loopwright.core.messages import Result, ToolSpec, Turn, Usage
from loopwright.core.state import State, ledger_of
from loopwright.engine.asking import Answered, Asking, let_go
from loopwright.engine.consent import with_change
from loopwright.engine.execute import execute, fault
from loopwright.engine.history import fold
from loopwright.engine.lease import RHYTHM, Rhythm, held
from loopwright.engine.letters import next_fact
from loopwright.engine.people import asked_of
from loopwright.engine.ports import Clock, Gate, Model, Observer, People, TextArrived, Tool
from loopwright.engine.post import Post
from loopwright.engine.reading_on import ReadMore
from loopwright.engine.results import Finished, finished, shown_in
from loopwright.engine.speak import conversation_of
from loopwright.engine.waiting import WAITS, again
from loopwright.journal.base import NONE, Journal, Lease
from loopwright.protocols.conversation import Conversation
from loopwright.protocols.keys import without_keys
from loopwright.protocols.refusals import refuses_tools
from loopwright.protocols.speech import Reply
from loopwright.tools.asked import AskedTool
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
        gate: Gate | None = None,
        rhythm: Rhythm = RHYTHM,
    ) -> None:
        self.state = State()
        self._started = started
        self._run_id = started.run_id
        self._model = model
        self._tools = {tool.spec.name: tool for tool in tools}
        self._reading = (
            ReadMore(started.reader, started.tools, journal, condenses=started.limits.context is not None)
            if started.reader is not None
            else None
        )
        if self._reading is not None:
            self._tools[self._reading.spec.name] = self._reading
        self._journal = journal
        self._clock = clock
        self._since = clock.elapsed()
        self._attended = people is not None
        self._observers = observers
        self._gate = gate
        self._stream = stream and model.capabilities.streams
        self._conversation: Conversation = conversation_of(started, started.way, model)
        self._door = asyncio.Lock()
        self._rhythm = rhythm
        self._post = Post(journal, self._run_id, lambda: self.state.taken, rhythm)
        self._asking = Asking(people, self._post, self.record)
        self._postponed: list[RunTool | AskPerson] = []
        """What nobody is waited for; a letter may still come while there is something else to do."""
        self._shown = 0
        """Events that observers have seen, or that were there before this driver."""
        self._torn = False
        """Whether a cancellation came while something was written down, so that only the journal knows if it was."""
        self._stepping = False
        """Whether there is work that may be interrupted."""
        self._interrupted = False
        """Whether the driver cancelled its own work, to look at what came."""
        self._cancelled_before = 0
        """Cancellations of the task that were there before the work began."""
        self._secret: str = getattr(model.transport, "secret", "")

    async def start(self) -> State:
        """Write down that the run began, and drive it to its end.

        Raises:
            Conflict: another driver works on the run, or the journal has one of this name already
        """
        opening = self._conversation.opening_bytes
        self._started = replace(self._started, opening_bytes=opening)
        async with held(self._journal, self._run_id, self._rhythm.lease) as lease:
            await self.record(self._started)
            return await self._drive(lease)

    async def resume(self, history: Sequence[Event], changed: tuple[str, ...] = ()) -> State:
        """Hold the run, fold what happened, and drive it to its end.

        Args:
            history: what happened so far
            changed: what is not as the run began with it, in words

        Raises:
            Conflict: another driver works on the run
        """
        async with held(self._journal, self._run_id, self._rhythm.lease) as lease:
            history = [*history, *await self._journal.read(self._run_id, len(history))]
            self.state = fold(history)
            for event in history:
                self._watch(event)
            self._conversation = await self._told(history)
            self._since, self._shown = self._clock.elapsed() - history[-1].elapsed, len(history)
            if self.state.phase == "over" and self.state.outcome is not None and self.state.outcome.status != "failed":
                return self.state  # another driver ended it meanwhile
            await self.record(RunResumed(attended=self._attended, changed=changed))
            await self._post.look()
            return await self._drive(lease)

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
            try:
                await self._journal.append(self._run_id, seq, stamped, contents)
            except asyncio.CancelledError:
                self._torn = True
                raise
        for event in stamped:
            self._note(event, contents)
            self._show(event)

    def _show(self, event: Event) -> None:
        self._shown += 1
        for observer in self._observers:
            observer(self._run_id, event)

    def _note(self, event: Event, contents: Mapping[str, bytes]) -> None:
        self._conversation.add(event, contents)
        self._watch(event)

    def _watch(self, event: Event) -> None:
        self._asking.watch(event)
        if self._reading is not None:
            self._reading.watch(event)

    async def _drive(self, lease: Lease | None) -> State:
        working = cast("asyncio.Task[Any]", asyncio.current_task())
        self._cancelled_before = working.cancelling()
        tending = asyncio.create_task(self._post.tend(lease, lambda: self._interrupt(working)))
        try:
            while await self._step(working):
                pass
        except asyncio.CancelledError:
            await self._pause("interrupted")
            raise
        except (JournalError, Conflict, IllegalEvent):
            raise  # what is durable is all that counts; nothing may be added to it
        except Exception as raised:
            await self._pause(shortened(without_keys(failure(raised).error), REASON_BYTES))
            raise
        finally:
            await let_go(tending)
        return await self._left_off()

    async def _step(self, working: "asyncio.Task[Any]") -> bool:
        """Take what came, and perform what is due; whether there was anything."""
        if self._post.lost is not None:
            raise self._post.lost
        self._stepping = True
        try:
            return await self._work()
        except asyncio.CancelledError:
            if not self._interrupted or working.cancelling() > self._cancelled_before + 1:
                raise
        finally:
            self._stepping = False
            if self._interrupted:
                self._interrupted = False
                working.uncancel()
        if self._post.lost is not None:
            raise self._post.lost
        if self._torn:
            await self._mend()
        await self._post.look_again()
        return True

    async def _work(self) -> bool:
        await self._take_letters()
        commands = self._owed()
        if not commands:
            return await self._reconsider()
        if any(looks_before(command) for command in commands):
            await self._post.look()
            await self._take_letters()
            commands = self._owed()
        await self._perform(commands)
        return True

    def _owed(self) -> list[Command]:
        """What is due, without what is not to be begun before its letter is here."""
        return [command for command in due(self.state) if not self._lacks_letter(command)]

    def _lacks_letter(self, command: Command) -> bool:
        """Whether a call is to be answered by a letter, and none is here, and the run is to be paused for that."""
        if not isinstance(command, RunTool) or not self._asking.must_pause(command.call.id):
            return False
        return isinstance(self._tools.get(command.call.tool), AskedTool)

    async def _reconsider(self) -> bool:
        """Go on with what was postponed and has its letter by now; whether there is any."""
        if not self._postponed and not due(self.state):
            return False
        await self._post.look()
        waiting = [command for command in self._postponed if command.call.id in self.state.open]
        ready = [command for command in waiting if self._post.has(command.call.id)]
        self._postponed = [command for command in waiting if command not in ready]
        await side_by_side([self._wait_for(command) for command in ready])
        return bool(ready or self._owed())

    def _interrupt(self, working: "asyncio.Task[Any]") -> None:
        """Give up what is in flight, to look at what came."""
        if self._stepping and not self._interrupted:
            self._interrupted = True
            working.cancel()

    async def _mend(self) -> None:
        """Take the state from the journal again, where it is not known whether the last events came there."""
        history = await self._journal.read(self._run_id)
        self.state, self._torn = fold(history), False
        self._conversation = await self._told(history)
        for event in history[self._shown :]:
            self._watch(event)
            self._show(event)

    async def _take_letters(self) -> None:
        while self._post.letters and (fact := next_fact(self._post, self.state)) is not None:
            await self.record(fact)

    async def _left_off(self) -> State:
        """The state where nothing is due any more: the run is over, or it waits for a person."""
        if self.state.phase == "over":
            return self.state
        waits = WaitsForPerson(self._run_id, tuple(self.state.open))
        await self.record(RunPaused(reason=f"{WAITS}{', '.join(waits.calls)}"))
        raise waits

    async def _pause(self, reason: str) -> None:
        """Write down that the driver stops, where the journal takes it; whatever hinders that is not the cause."""
        if self.state.phase != "over":
            with suppress(Exception):
                await self.record(RunPaused(reason=reason))

    async def _perform(self, commands: Sequence[Command]) -> None:
        """Perform all that is due, side by side where there is more than one thing to wait for."""
        await asyncio.sleep(0)  # whoever watches may have cancelled the run: before anything new is written down
        facts, waiting = list[Event](), list[AskModel | RunTool | AskPerson]()
        await self._stop_before(commands)
        for command in commands:
            match command:
                case Record():
                    facts.append(command.event)
                case AskModel():
                    facts.append(replace(command.asked, request=self._conversation.digest(command.asked)))
                    waiting.append(command)
                case RunTool() | AskPerson():
                    after = self._asking.after(command) if isinstance(command, AskPerson) else 0
                    fact = self._refused(command) or begin(command, after)
                    facts.append(fact)
                    if not isinstance(fact, CallEnded):
                        waiting.append(command)
                case _:
                    assert_never(command)
        await self.record(*facts)
        await self._switch(facts)
        await side_by_side([self._wait_for(command) for command in waiting])

    async def _stop_before(self, commands: Sequence[Command]) -> None:
        if self._gate is None:
            return
        for command in commands:
            if isinstance(command, AskModel):
                await self._gate.before(command, self._conversation.request(command.asked, stream=self._stream))
            elif isinstance(command, RunTool):
                await self._gate.before(command, b"")

    async def _done(self, event: ModelReplied | ModelFailed | CallEnded, contents: Mapping[str, bytes] = NONE) -> None:
        """Write down how an ask or a call went, and stop for whoever looks at it."""
        await self.record(event, contents=contents)
        if self._gate is not None:
            await self._gate.after(event)

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
            await self._done(ModelFailed(failure=error.failure, message=message, lost=error.lost))
            return
        if reply.error or not reply.complete:
            await self._done(self._failed(reply))
            return
        turn = self._conversation.read(reply, closing=bool(asked.closing))
        turn = turn.numbered(asked.number, self._started.limits.calls_per_turn)
        if self._secret and self._secret.encode() in encode(turn):
            message = "the server repeated the key in its reply; the reply was not kept"
            await self._done(ModelFailed(failure="reply", message=message, lost=True))
            return
        usage = self._priced(reported(reply.usage, turn) or estimate(body, turn, asked))
        seconds = self._clock.elapsed() - began
        await self._done(ModelReplied(turn=turn, usage=usage, seconds=seconds, raw=raw))

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
        began, call_id = self._clock.elapsed(), command.call.id
        tool = self._tools.get(command.call.tool)
        asked = None if tool is None else asked_of(tool)
        how = "ran"
        if tool is None:
            how, got = "refused", Answered(Result("error", error="UnknownTool: the tool is not here any more"))
        elif wrong := fault(tool, command.call):
            how, got = "refused", Answered(self._invalid(wrong, command.tool))
        elif asked is not None:
            given = await self._asking.answer(command, asked, tool, self._left(command.until))
            if given is None:
                self._postponed.append(command)
                return
            got = given
        else:
            got = Answered(await execute(tool, command.call, room=command.room, timeout=self._left(command.until)))
        done = self._finished(got.result, command) if how == "ran" else Finished(got.result)
        fact = CallEnded(call_id=call_id, result=done.result, how=how, whole=done.whole, by=got.by, inbox=got.inbox)
        fact = replace(fact, seconds=self._clock.elapsed() - began)
        await self._done(fact, done.contents)

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
        if self._asking.must_pause(call_id):
            self._postponed.append(command)
            return
        tool, left = self._tools.get(command.call.tool), self._left(command.until)
        said = await self._asking.approval(command, tool, left)
        if said is None:
            self._postponed.append(command)
            return
        await self.record(said)
        mine = [next_ for next_ in self._owed() if concerns(next_, call_id)]
        await self._perform(mine)

    async def _switch(self, facts: Sequence[Event]) -> None:
        if any(isinstance(fact, WaySwitched | ContextCondensed) for fact in facts):
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


def looks_before(command: Command) -> bool:
    """Whether it matters for the command what is in the inbox: the run ends, or a person is asked about doubt."""
    if isinstance(command, AskPerson):
        return command.about == "doubt"
    return isinstance(command, Record) and isinstance(command.event, RunEnded)


def begin(command: RunTool | AskPerson, after: int = 0) -> CallStarted | ApprovalAsked:
    """The fact to write down before the command is performed; `after` is the newest letter that is no answer to it."""
    call_id = command.call.id
    if isinstance(command, RunTool):
        return CallStarted(call_id=call_id, by=command.by)
    why = again(command.why) if command.about == "doubt" else command.why
    return ApprovalAsked(call_id=call_id, why=why, digest=command.digest, after=after)


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
