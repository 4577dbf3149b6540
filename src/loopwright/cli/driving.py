"""Drives a run from the command line: prints it, ends cleanly on Ctrl-C, and leaves with the right exit code."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import typer

from loopwright.agent import Agent
from loopwright.cli.exits import CODES, INTERRUPTED
from loopwright.cli.printing import Printer, as_line, console
from loopwright.core.events import Event
from loopwright.engine.history import RunResult
from loopwright.engine.ports import Observer, TextArrived


class Lines:
    """An observer that prints each event as a JSON line."""

    def __init__(self, seq: int) -> None:
        self._seq = seq

    def __call__(self, run_id: str, event: Event | TextArrived) -> None:
        """Print one event."""
        if not isinstance(event, TextArrived):
            self._seq += 1
            print(as_line(run_id, self._seq, event), flush=True)


class Known:
    """An observer that remembers which run it is, for the farewell."""

    run_id = ""

    def __call__(self, run_id: str, _event: Event | TextArrived) -> None:
        """Remember the run."""
        self.run_id = run_id


class Show:
    """What of a run is printed, and where."""

    def __init__(self, *, as_json: bool, quiet: bool, full: bool, seq: int = 0) -> None:
        self.known = Known()
        self._console = console()
        self._printer = Printer(self._console, full=full)
        self._json, self._quiet = as_json, quiet
        shown: Observer = Lines(seq) if as_json else self._printer
        self.observers: tuple[Observer, ...] = (self.known,) if quiet and not as_json else (self.known, shown)

    def notice(self, text: str) -> None:
        """A line beside the output, for the person."""
        if not self._quiet and not self._json:
            print(text, file=sys.stderr)

    def farewell(self, result: RunResult) -> None:
        """The end of a run."""
        self._printer.rest()
        if self._json:
            return
        if not self._quiet:
            self._printer.figures(result)
            return
        if result.answer is not None:
            print(result.answer)
        if result.status != "answered":
            print(f"{result.status}: {result.reason}", file=sys.stderr)

    def rest(self) -> None:
        """Take away what moves on the screen."""
        self._printer.rest()


def drive(agent: Agent, start: Callable[[], Coroutine[Any, Any, RunResult]], show: Show) -> None:
    """Run to the end and leave with the exit code that says how it ended."""

    async def whole() -> RunResult:
        async with agent:
            return await start()

    try:
        result = asyncio.run(whole())
    except KeyboardInterrupt:
        show.rest()
        if show.known.run_id:
            print(f"\ninterrupted; go on with: loopwright resume {show.known.run_id}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        show.rest()
    show.farewell(result)
    raise typer.Exit(CODES[result.status])
