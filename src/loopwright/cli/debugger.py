"""The debugger in the terminal: where it stops, what can be done there, and how a change becomes a fork.

Owns the commands. It stops a run through the engine's gate and changes nothing in a run: whatever a person changes
begins a fork of it, with the agent's own `fork`.
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any, cast

import typer
from msgspec import DecodeError, Raw, Struct
from msgspec import json as msgspec_json
from msgspec.structs import replace

from loopwright.agent import Agent
from loopwright.cli.driving import Show
from loopwright.cli.exits import INTERRUPTED
from loopwright.cli.typing_in import edited_text, next_line
from loopwright.core.commands import AskModel, RunTool
from loopwright.core.errors import UsageError
from loopwright.core.events import CallEnded, Event, ModelAsked, ModelFailed, ModelReplied
from loopwright.core.messages import Call, Result, Turn
from loopwright.engine.history import RunResult
from loopwright.engine.ports import TextArrived
from loopwright.engine.telling import visible

BY = "a person at the debugger"
ERROR = "error"
HELP = """  Enter, s   step: go on to the next stop
  c          continue to the next break, or to the end
  b TOOL     break on calls of a tool; b error: on errors; b: list them; b -TOOL: remove one
  r          show the exact request that is about to leave (or that left last)
  l          list the events so far, with their numbers
  e          edit what just came: the reply, or the observation  (begins a fork)
  a          edit the arguments of the call that is about to run (begins a fork)
  back N     go on from before event N                           (begins a fork)
  say TEXT   tell the model something at the next settled place
  q          leave; the run is paused and can be resumed
  h          this help"""


class Fork(Exception):
    """The person wants another run to go on from here."""

    def __init__(self, **how: Any) -> None:
        super().__init__("another run goes on from here, with what was changed")
        self.how = how


class Left(Exception):
    """The person leaves."""


class Reply(Struct, forbid_unknown_fields=True):
    """A reply as it is edited."""

    thought: str = ""
    calls: tuple["EditedCall", ...] = ()
    answer: str | None = None


class EditedCall(Struct, forbid_unknown_fields=True):
    """A call as it is edited."""

    tool: str
    arguments: dict[str, Any] = {}


class Debugger:
    """Stops runs, and asks what to do. A `Gate` of the engine.

    Args:
        show: what is printed of the run
        breaks: tools at whose calls it stops, or ``error``; without any it stops everywhere
    """

    def __init__(self, show: Show, breaks: Sequence[str]) -> None:
        self.task = ""
        self._show = show
        self._breaks = list(dict.fromkeys(breaks))
        self._stepping = not breaks
        self._run_id = ""
        self._events: list[Event] = []
        self._request = b""
        self._later: Fork | None = None
        """A fork that waits until the calls beside the one that was changed are done."""
        self._turn = asyncio.Lock()
        self._agent: Agent | None = None

    def recall(self, run_id: str, history: Sequence[Event]) -> None:
        """What a run shares with those before it, or what happened in it before. A `RecallingObserver`."""
        self._run_id, self._events = run_id, list(history)

    def __call__(self, run_id: str, event: Event | TextArrived) -> None:
        """Remember what happens. An `Observer`."""
        if isinstance(event, TextArrived):
            return
        self._run_id = run_id
        self._events.append(event)

    async def work(self, agent: Agent) -> RunResult:
        """Drive the run, and the forks that come of changes, to an end that the person leaves as it is."""
        self._agent = agent
        for name in self._breaks:
            self._check_break(name)
        agent.observe(self)
        how: dict[str, Any] | None = None
        while True:
            try:
                result = await self._driven(agent, how)
                if self._later is not None:
                    raise self._later
                await self._at_the_end(result)
            except Fork as fork:
                self._later, how = None, fork.how
            except Left:
                self._show.stopped("left")
                raise typer.Exit(INTERRUPTED) from None
            else:
                return result

    async def before(self, command: AskModel | RunTool, request: bytes) -> None:
        """As the engine's `Gate`."""
        async with self._turn:
            if self._later is not None:
                raise self._later
            if isinstance(command, AskModel):
                self._request = request
                if self._stepping:
                    await self._stop(f"before question {command.asked.number}, {len(request):,} bytes", None)
            elif self._stepping or command.call.tool in self._breaks:
                arguments = msgspec_json.encode(command.call.arguments).decode()
                await self._stop(f"before call {command.call.id}: {command.call.tool} {arguments}", command.call)

    async def after(self, event: ModelReplied | ModelFailed | CallEnded) -> None:
        """As the engine's `Gate`."""
        async with self._turn:
            failed = isinstance(event, ModelFailed) or (isinstance(event, CallEnded) and event.result.status == "error")
            if self._stepping or (failed and ERROR in self._breaks):
                await self._stop(f"after {_named(event)}", event)

    async def _driven(self, agent: Agent, how: dict[str, Any] | None) -> RunResult:
        if how is not None:
            return await agent.fork(self._run_id, by=BY, **how)
        return await agent.resume(self._run_id) if self._run_id else await agent.run(self.task)

    async def _at_the_end(self, result: RunResult) -> None:
        if self._stepping and sys.stdin is not None:
            self._show.rest()
            await self._stop(f"the run is over: {result.status}", None)

    async def _stop(self, where: str, what: Event | Call | None) -> None:
        """Ask what to do until something is to go on.

        Raises:
            Fork: another run is to go on
            Left: the person leaves
        """
        self._show.rest()
        _say(f"── {where}")
        while True:
            line = await next_line("(debug) ")
            if line is None:  # the end of the input: nobody stops any more
                self._stepping, self._breaks = False, []
                return
            try:
                if await self._done(line.strip(), what):
                    return
            except UsageError as error:
                _say(f"  {error}")

    async def _done(self, line: str, what: Event | Call | None) -> bool:
        """Do one command; whether the run goes on."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        match word:
            case "" | "s" | "step":
                self._stepping = True
                return True
            case "c" | "continue":
                self._stepping = False
                return True
            case "q" | "quit":
                raise Left
            case "back":
                raise Fork(at=_number(rest, len(self._events)))
            case "e" | "edit":
                await self._edit(what)
                return self._later is not None
            case "a" | "arguments":
                await self._edit_arguments(what)
            case "say":
                await self._tell(rest)
            case _:
                self._show_something(word, rest)
        return False

    def _show_something(self, word: str, rest: str) -> None:
        match word:
            case "r" | "request":
                _say(_pretty(self._request))
            case "l" | "list":
                for number, event in enumerate(self._events, 1):
                    _say(f"  {number:>4}  {_named(event)}")
            case "b" | "break":
                self._set_break(rest)
            case "h" | "help" | "?":
                _say(HELP)
            case _:
                raise UsageError(f"there is no command {word!r}; h lists them")

    def _set_break(self, name: str) -> None:
        if name.startswith("-"):
            if name[1:] not in self._breaks:
                raise UsageError(f"there is no break on {name[1:]!r}")
            self._breaks.remove(name[1:])
        elif name and name not in self._breaks:
            self._check_break(name)
            self._breaks.append(name)
        _say(f"  breaks: {', '.join(self._breaks) or 'none'}")

    def _check_break(self, name: str) -> None:
        known = [ERROR, *(tool.name for tool in cast("Agent", self._agent).tools)]
        if name not in known:
            raise UsageError(f"there is nothing to break on called {name!r}: use {', '.join(known)}")

    async def _edit(self, what: Event | Call | None) -> None:
        match what:
            case CallEnded():
                result = _result_in(
                    await edited_text(_pretty(bytes(what.result.data)) or what.result.error), what.result
                )
                self._later = Fork(at=self._place(what), observation=result)
                _say("  the fork begins as soon as the other calls of this turn are done")
            case ModelReplied():
                raise Fork(at=self._place(what), reply=_turn_in(await edited_text(_editable(what.turn)), what.turn))
            case _:
                raise UsageError("there is nothing to edit here; e works after a reply and after a call")

    async def _edit_arguments(self, what: Event | Call | None) -> None:
        if not isinstance(what, Call):
            raise UsageError("no call is about to run here; a works before a call")
        text = await edited_text(msgspec_json.format(msgspec_json.encode(what.arguments), indent=2).decode())
        try:
            arguments = msgspec_json.decode(text.encode(), type=dict[str, Any])
        except (DecodeError, UnicodeError) as error:
            raise UsageError(f"nothing is changed: that is no JSON object ({error})") from None
        number = int(what.id.partition(".")[0])
        replies = [event for event in self._events if isinstance(event, ModelAsked | ModelReplied)]
        asked = next(at for at, event in enumerate(replies) if isinstance(event, ModelAsked) and event.number == number)
        raise Fork(at=self._place(replies[asked + 1]), arguments={what.id: arguments})

    async def _tell(self, text: str) -> None:
        from loopwright.core.inbox import Say

        if not text:
            raise UsageError("say what? for example: say Use Fahrenheit.")
        await cast("Agent", self._agent).send(self._run_id, Say(text=text, by=BY))
        _say("  the model is told at the next settled place")

    def _place(self, event: Event) -> int:
        """The number of an event of the run; the times are written in when it is recorded."""
        known = enumerate(self._events, 1)
        return max(number for number, one in known if replace(one, at=event.at, elapsed=event.elapsed) == event)


def _number(text: str, most: int) -> int:
    if not text.isdecimal() or not 2 <= int(text) <= most:
        raise UsageError(f"back to which event? give a number from 2 to {most}; l lists them")
    return int(text)


def _named(event: Event) -> str:
    """An event in a line."""
    match event:
        case ModelReplied():
            turn = event.turn
            made = ", ".join(call.tool for call in turn.calls)
            return f"the reply: {made or turn.answer or turn.problem or turn.text}"
        case ModelFailed():
            return f"a question that failed: {event.message}"
        case CallEnded():
            said = event.result.error or bytes(event.result.data).decode("utf-8", "replace")
            return f"call {event.call_id}: {said}"
        case _:
            return type(event).__name__


def _pretty(text: bytes) -> str:
    try:
        return msgspec_json.format(text, indent=2).decode()
    except DecodeError:
        return text.decode("utf-8", "replace")


def _editable(turn: Turn) -> str:
    reply = Reply(turn.thought, tuple(EditedCall(call.tool, call.arguments) for call in turn.calls), turn.answer)
    return msgspec_json.format(msgspec_json.encode(reply), indent=2).decode()


def _turn_in(text: str, before: Turn) -> Turn:
    """The reply that was edited.

    Raises:
        UsageError: it is none
    """
    try:
        reply = msgspec_json.decode(text.encode(), type=Reply)
    except (DecodeError, UnicodeError) as error:
        raise UsageError(f"nothing is changed: that is no reply ({error})") from None
    if not reply.calls and reply.answer is None:
        raise UsageError("nothing is changed: a reply needs calls or an answer")
    calls = tuple(
        Call(call.tool, call.arguments, text=msgspec_json.encode(call.arguments).decode()) for call in reply.calls
    )
    return replace(before, thought=reply.thought, calls=calls, answer=reply.answer, problem="", text="", opaque=b"")


def _result_in(text: str, before: Result) -> Result:
    """The observation that was edited: JSON where it is that, else a text.

    Raises:
        UsageError: it is empty
    """
    if not text.strip():
        raise UsageError("nothing is changed: the observation is empty")
    try:
        msgspec_json.decode(text.encode())
        data = text.strip().encode()
    except DecodeError:
        data = msgspec_json.encode(text.rstrip("\n"))
    return replace(before, status="ok", data=Raw(data), error="", note="", artifacts=())


def _say(text: str) -> None:
    print(visible(text), file=sys.stderr, flush=True)
