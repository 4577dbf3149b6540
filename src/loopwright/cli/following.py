"""Follows a run that another process works on: prints its events as they become durable, until it is over.

Reads only: it does not take the run's lease to see who works on it, as that could take it from a process that sleeps.
What is not an event of the run (that it is paused, whom it waits for, that nothing is new) is said on standard error,
once each time it comes to be so.
"""

import asyncio
import time
from collections.abc import Callable

from loopwright.cli.driving import complain
from loopwright.cli.letters import ANSWERED_BY_PEOPLE
from loopwright.cli.printing import verb
from loopwright.cli.show import waits_for
from loopwright.core.events import Event, RunEnded, RunPaused
from loopwright.engine.ports import Observer
from loopwright.engine.waiting import waiting
from loopwright.journal.base import Journal
from loopwright.journal.location import Place

EVERY = 0.3
"""Seconds between two looks into the journal."""
QUIET = 60
"""Seconds without an event after which it is said that perhaps nobody works on the run."""


class Following:
    """Follows one run.

    Args:
        printed: what prints an event
        rest: takes away what moves on the screen, before something else is said there
        journal: the journal's place, where it has to be named to find the run again
    """

    def __init__(self, printed: Observer, rest: Callable[[], None], journal: Place | None) -> None:
        self.run_id = ""
        self._printed = printed
        self._rest = rest
        self._journal = journal
        self._asked = frozenset[str]()
        """The calls of which it was said that they wait."""
        self._explained = False
        """Whether it was said why nothing happens."""

    async def to_the_end(self, journal: Journal, run_id: str) -> list[Event]:
        """Print what is there and what comes; all events of the run, once it is over.

        Raises:
            UnknownRun: no event of this run is here
            JournalError: the run cannot be read
        """
        self.run_id = run_id
        events = list[Event]()
        while True:
            new = await journal.read(run_id, after=len(events))
            events.extend(new)
            for event in new:
                self._printed(run_id, event)
            if isinstance(events[-1], RunEnded):
                return events
            if new:
                self._say(events)
            self._say_if_quiet(events[-1].at)
            await asyncio.sleep(EVERY)

    def _say(self, events: list[Event]) -> None:
        """Say what the run waits for, where it is not the next step."""
        calls = waiting(events, ANSWERED_BY_PEOPLE)
        for call in calls:
            if call.call_id not in self._asked:
                self._tell(waits_for(self.run_id, call, self._journal))
        self._asked = frozenset(call.call_id for call in calls)
        paused = isinstance(events[-1], RunPaused)
        if paused:
            self._tell(f"the run is paused, and followed when it goes on: {self._resume()}")
        self._explained = paused or bool(calls)

    def _say_if_quiet(self, last: float) -> None:
        if not self._explained and time.time() - last > QUIET:
            self._explained = True
            self._tell(f"nothing new for {QUIET} seconds or more; if nobody works on the run: {self._resume()}")

    def _resume(self) -> str:
        return verb("resume", self.run_id, self._journal)

    def _tell(self, text: str) -> None:
        self._rest()
        complain(text)
