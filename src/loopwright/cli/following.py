"""Follows a run that another process works on: prints its events as they become durable, until it is over.

Reads only. What is not an event of the run (that it is paused, whom it waits for) is said on standard error, once each
time it comes to be so.
"""

import asyncio
from collections.abc import Callable

from loopwright.cli.driving import complain
from loopwright.cli.letters import ANSWERED_BY_PEOPLE, is_worked_on
from loopwright.cli.printing import verb
from loopwright.cli.show import waits_for
from loopwright.core.events import Event, RunEnded, RunPaused
from loopwright.engine.ports import Observer
from loopwright.engine.waiting import waiting
from loopwright.journal.base import Journal
from loopwright.journal.location import Place

EVERY = 0.3
"""Seconds between two looks into the journal."""


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
            first = not events
            events.extend(new)
            for event in new:
                self._printed(run_id, event)
            if isinstance(events[-1], RunEnded):
                return events
            if new:
                await self._say(journal, events, first=first)
            await asyncio.sleep(EVERY)

    async def _say(self, journal: Journal, events: list[Event], *, first: bool) -> None:
        """Say what the run waits for, where it is not the next step."""
        calls = waiting(events, ANSWERED_BY_PEOPLE)
        for call in calls:
            if call.call_id not in self._asked:
                self._tell(waits_for(self.run_id, call, self._journal))
        self._asked = frozenset(call.call_id for call in calls)
        resume = verb("resume", self.run_id, self._journal)
        if isinstance(events[-1], RunPaused):
            self._tell(f"the run is paused, and followed when it goes on: {resume}")
        elif first and not await is_worked_on(journal, self.run_id):
            self._tell(f"nobody works on the run now, and it is followed when it goes on: {resume}")

    def _tell(self, text: str) -> None:
        self._rest()
        complain(text)
