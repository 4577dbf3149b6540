"""Drives a run from the command line: prints it, ends cleanly when stopped, and leaves with the right exit code.

Standard output belongs to the run: what a tool prints there goes to standard error. Stopped is a run by Ctrl-C, by
SIGTERM, or because standard output takes no more: it is paused, and how to go on with it is said on standard error.
"""

import asyncio
import io
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, redirect_stdout, suppress
from typing import Any, TextIO, TypeVar

import typer

from loopwright.agent import Agent
from loopwright.cli.exits import CODES, FAILED, INTERRUPTED, TERMINATED, WAITS
from loopwright.cli.printing import PAUSING, Printer, as_line, console, verb
from loopwright.core.errors import UsageError, WaitsForPerson
from loopwright.core.events import ApprovalAsked, CallEnded, Event
from loopwright.engine.history import RunResult
from loopwright.engine.ports import Observer, TextArrived, Tool
from loopwright.engine.telling import counted, visible
from loopwright.engine.waiting import AGAIN
from loopwright.journal.location import Place

Found = TypeVar("Found")
Begun = tuple[Agent, Callable[[], Coroutine[Any, Any, RunResult]]]
"""An agent, and what starts or goes on with a run of it."""
Begin = Callable[[Sequence[Tool]], Begun]
"""Makes it of the tools that are there only while a server of theirs is."""

UNASKED = "Denied: the call did not run, it needs an approval and nobody is there to ask"
"""How the answer to a call begins that was denied for want of a person."""
HOW_TO_ALLOW = "run it at a terminal, or allow the tool by a [[policy]] rule in loopwright.toml"


class Lines:
    """An observer that prints each event as a JSON line."""

    def __init__(self, seq: int, output: TextIO) -> None:
        self._seq = seq
        self._output = output

    def __call__(self, run_id: str, event: Event | TextArrived) -> None:
        """Print one event."""
        if not isinstance(event, TextArrived):
            self._seq += 1
            print(as_line(run_id, self._seq, event, self._output), file=self._output, flush=True)


class Show:
    """What of a run is printed, and where.

    Args:
        as_json: the events as JSON lines
        quiet: the answer only
        full: long parts in full
        journal: the journal's file, where it has to be named to find the run again
        run_id: the run, where it is known already
        history: what happened in it before

    Raises:
        UsageError: lines of JSON and quiet exclude each other
    """

    def __init__(
        self,
        *,
        as_json: bool,
        quiet: bool,
        full: bool,
        journal: Place | None = None,
        run_id: str = "",
        history: Sequence[Event] = (),
    ) -> None:
        if as_json and quiet:
            raise UsageError("use --json or --quiet, not both")
        self.run_id = run_id
        self.why_stopped = ""
        self._unasked = 0
        self._again = set[str]()
        """Calls about which it was asked whether they may run again."""
        self.by_letter = False
        """Whether whoever is asked answers by a letter."""
        self.stop: Callable[[], object] = lambda: None
        """Pauses the run."""
        self.unsaid: tuple[type, ...] = ()
        """Kinds of events that a person need not see here."""
        self.watchers: list[Observer] = []
        """Who else is told what happens, first."""
        self._output: TextIO = sys.stdout or io.StringIO()  # None where it was closed from the start
        self._printer = Printer(console(self._output), full=full, journal=journal)
        self._printer.recall(history)
        self._json, self._quiet = as_json, quiet
        self._shown: Observer | None = (
            Lines(len(history), self._output) if as_json else None if quiet else self._printer
        )

    @property
    def journal(self) -> Place | None:
        """The journal's place, where it has to be named to find the run again."""
        return self._printer.journal

    @property
    def printers(self) -> tuple[Printer, ...]:
        """What moves on the screen and has to rest while a person is asked."""
        return (self._printer,)

    def recall(self, history: Sequence[Event]) -> None:
        """Number on behind what happened before."""
        self._printer.recall(history)
        if isinstance(self._shown, Lines):
            self._shown = Lines(len(history), self._output)

    def observe(self, run_id: str, event: Event | TextArrived) -> None:
        """Print one event, and pause the run when nobody can read it any more."""
        if isinstance(event, self.unsaid) and not self._json:
            self.run_id = run_id
            return
        self.run_id = run_id
        self._unasked += isinstance(event, CallEnded) and event.result.error.startswith(UNASKED)
        if self.by_letter and isinstance(event, ApprovalAsked):
            if event.why.startswith(AGAIN):
                self._again.add(event.call_id)
            self.notice(f"say yes or no to call {event.call_id}: {self._verb('approve', event.call_id)}, or deny")
        if self._shown is None or self.why_stopped:
            return
        try:
            self._shown(run_id, event)
        except OSError as error:
            self._lost(error)
            self.stop()

    def notice(self, text: str) -> None:
        """A line beside the output, for the person."""
        if not self._quiet and not self._json:
            complain(text)

    def progress(self, text: str) -> None:
        """How far a call is, in the line that moves, where there is one."""
        if self._shown is self._printer:
            self._printer.progress(text)

    def farewell(self, result: RunResult) -> bool:
        """The end of a run; whether it could be printed."""
        self.rest()
        if self._unasked:
            self.notice(f"{counted(self._unasked, 'call')} denied, because nobody was there to ask: {HOW_TO_ALLOW}")
        try:
            self._farewell(result)
        except OSError as error:
            self._lost(error)
        if self.why_stopped:
            complain(f"{self.why_stopped}; see the run with: {verb('show', self.run_id, self._printer.journal)}")
        return not self.why_stopped

    def stopped(self, why: str) -> None:
        """Say how to go on with a run that is not over."""
        self.rest()
        if self.run_id:
            complain(f"{self.why_stopped or why}; go on with: {verb('resume', self.run_id, self._printer.journal)}")
        else:
            complain(self.why_stopped or why)

    def waits(self, waiting: WaitsForPerson) -> None:
        """Say what a paused run waits for, and what to do about it."""
        self.rest()
        say = self._verb("approve", waiting.calls[0])
        again = [call_id for call_id in waiting.calls if call_id in self._again]
        told = f"{waiting}; {', '.join(again)} may have run already" if again else str(waiting)
        complain(
            f"{told}; say yes or no: {say} (or deny, or answer), "
            f"then go on with: {verb('resume', self.run_id, self._printer.journal, options=PAUSING)}"
        )

    def _verb(self, name: str, call_id: str) -> str:
        return verb(name, self.run_id, self._printer.journal, call_id)

    def rest(self) -> None:
        """Take away what moves on the screen."""
        with suppress(OSError):
            self._printer.rest()

    def _farewell(self, result: RunResult) -> None:
        if self._json:
            return
        if not self._quiet:
            self._printer.figures(result)
            return
        if result.answer is not None:
            print(visible(result.answer), file=self._output, flush=True)
        if result.status != "answered":
            complain(f"{result.status}: {result.reason}")

    def _lost(self, error: OSError) -> None:
        closed = isinstance(error, BrokenPipeError)
        self.why_stopped = "standard output was closed" if closed else f"cannot write to standard output ({error})"


def complain(text: str) -> None:
    """A line on standard error, if somebody reads it."""
    with suppress(OSError):
        print(visible(text), file=sys.stderr, flush=True)


def drive(begin: Begin, show: Show, served: AbstractAsyncContextManager[Sequence[Tool]] | None = None) -> None:
    """Run to the end and leave with the exit code that says how it ended.

    Args:
        begin: makes the agent; before anything runs, where there are no servers
        show: what is printed
        served: tools of servers, there while it is open
    """
    begun = begin(()) if served is None else None
    terminated = False

    async def whole() -> RunResult:
        running = asyncio.ensure_future(_entered(begin, begun, served))

        def terminate() -> None:
            nonlocal terminated
            terminated = True
            running.cancel()

        show.stop = running.cancel
        with suppress(NotImplementedError):  # Windows has no such handlers
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
        return await running

    try:
        result = apart(whole, show)
    except WaitsForPerson as waiting:
        show.waits(waiting)
        raise typer.Exit(WAITS) from None
    except KeyboardInterrupt:
        show.stopped("\ninterrupted")
        raise typer.Exit(INTERRUPTED) from None
    except asyncio.CancelledError:
        show.stopped("terminated")
        raise typer.Exit(TERMINATED if terminated else FAILED) from None
    raise typer.Exit(CODES[result.status] if show.farewell(result) else FAILED)


def apart(whole: Callable[[], Coroutine[Any, Any, Found]], show: Show) -> Found:
    """Run it with standard output kept for what is shown of the run."""
    with redirect_stdout(sys.stderr):
        try:
            return asyncio.run(whole())
        finally:
            show.rest()  # it has a hold on both outputs while it moves


async def _entered(
    begin: Begin, begun: Begun | None, served: AbstractAsyncContextManager[Sequence[Tool]] | None
) -> RunResult:
    async with AsyncExitStack() as stack:
        tools = await stack.enter_async_context(served) if served is not None else ()
        agent, start = begun or begin(tools)
        await stack.enter_async_context(agent)
        return await start()
