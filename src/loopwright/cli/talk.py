"""A conversation at the terminal or through a pipe: turns, interruptions, and how it is left.

Owns the order of turns. What a turn is belongs to the agent: a run, or one that continues the run before.
"""

import asyncio
import re
import signal
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

from loopwright.agent import Agent
from loopwright.cli.beginning import Beginning
from loopwright.cli.driving import Show, complain
from loopwright.cli.exits import ANSWERED, CODES, FAILED, INTERRUPTED, TERMINATED, WAITS
from loopwright.cli.printing import chat_behind
from loopwright.cli.typing_in import next_line
from loopwright.core.errors import JournalError, LoopwrightError, UsageError, WaitsForPerson
from loopwright.core.events import Event, RunEnded, RunForked, RunResumed
from loopwright.core.inbox import Cancel
from loopwright.engine.history import RunResult, rules_of
from loopwright.engine.ports import Gate
from loopwright.journal.location import Place, default_place

HELP = """Say something; each line is a turn.
  /again  take up the turn that was interrupted (an empty line does the same)
  /run    the id of the last turn; see it with 'loopwright show'
  /exit   leave (so does Ctrl-D)"""

COMMAND = re.compile(r"/\w+")
Turn = Callable[[], Coroutine[Any, Any, RunResult]]


class Talk:
    """One conversation.

    Args:
        begun: makes the agent
        show: what is printed
        last: the run to go on behind; empty for a new conversation
        history: its events
    """

    def __init__(self, begun: Beginning, show: Show, *, last: str = "", history: Sequence[Event] = ()) -> None:
        show.unsaid = (RunForked, RunResumed)  # that each turn is a run of its own is no news in a conversation
        self._begun = begun
        self._show = show
        self._last = last
        self._open = bool(history) and not isinstance(history[-1], RunEnded)
        """Whether the last turn is not over."""
        self._turn: asyncio.Task[RunResult] | None = None
        self._line: asyncio.Task[str | None] | None = None
        self._code = ANSWERED

    async def hold(self, first: str | None) -> int:
        """Talk until the person leaves; the exit code.

        Args:
            first: what is said at the beginning, without asking
        """
        async with AsyncExitStack() as stack:
            tools = await stack.enter_async_context(self._begun.served) if self._begun.served is not None else ()
            agent = self._begun.made(tools)
            await stack.enter_async_context(agent)
            self._listen()
            if self._open:
                self._show.notice("the last turn was interrupted; an empty line takes it up, anything else goes on")
            text = first
            while True:
                if text is None and (text := await self._said()) is None:
                    break
                if not await self._heard(agent, text.strip()):
                    break
                text = None
        self._farewell()
        return self._code

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows has no such handlers
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
            loop.add_signal_handler(signal.SIGTERM, self._terminate)

    def _interrupt(self) -> None:
        """Ctrl-C: the turn that is going on, else the conversation."""
        if self._turn is not None:
            self._turn.cancel()
        elif self._line is not None:
            self._line.cancel()

    def _terminate(self) -> None:
        self._code = TERMINATED
        for task in (self._turn, self._line):
            if task is not None:
                task.cancel()

    async def _said(self) -> str | None:
        """What the person says next; None where they leave."""
        if self._code == TERMINATED:
            return None
        self._line = asyncio.ensure_future(next_line("\n> "))
        try:
            return await self._line
        except asyncio.CancelledError:
            return None
        finally:
            self._line = None

    async def _heard(self, agent: Agent, text: str) -> bool:
        """Do what was said; whether the conversation goes on."""
        match text:
            case "/exit" | "/quit":
                return False
            case "/help" | "/?":
                complain(HELP)
            case "/run":
                complain(self._last or "nothing was said yet")
            case "" | "/again":
                if self._open:
                    await self._take(lambda: agent.resume(self._last))
            case _ if COMMAND.fullmatch(text):
                complain(f"there is no command {text}; /help lists them")
            case _:
                await self._next(agent, text)
        return self._code != TERMINATED and not self._show.why_stopped

    async def _next(self, agent: Agent, text: str) -> None:
        if not self._last:
            await self._take(lambda: agent.run(text))
            return
        if self._open:
            await agent.send(self._last, Cancel(by="the conversation", reason="it went on without this turn"))
        await self._take(lambda: agent.follow_up(self._last, text))

    async def _take(self, turn: Turn) -> None:
        """A turn to its end, or until it is interrupted."""
        self._turn = asyncio.ensure_future(turn())
        try:
            result = await self._turn
        except asyncio.CancelledError:
            self._code, self._open = self._code or INTERRUPTED, True
            self._show.notice("\ninterrupted; an empty line takes the turn up again")
        except WaitsForPerson as waits:
            self._code, self._open = WAITS, True
            complain(str(waits))
        except (UsageError, JournalError):
            raise
        except LoopwrightError as error:
            self._code, self._open = FAILED, True
            complain(f"loopwright: {error}")
        else:
            self._open = False
            self._code = CODES[result.status] if self._show.farewell(result) else FAILED
        finally:
            self._turn = None
            self._last = self._show.run_id or self._last

    def _farewell(self) -> None:
        if self._last:
            self._show.notice(f"go on with: {chat_behind(self._last, self._show.journal)}")


def recalled(
    run: str, show: Show, journal: Place | None, *, trusted: bool, gate: Gate | None = None
) -> tuple[Beginning, str, Sequence[Event]]:
    """What goes on behind a run of the journal: with its agent, its id, and its events.

    Raises:
        UsageError: there is no such run, or what it names is not trusted
    """
    from loopwright.cli.servers import recalled_project, served_for
    from loopwright.cli.setup import agent_of, find_run, found_journal, recipe_of
    from loopwright.cli.trust import check_trust

    store = found_journal(journal)

    async def find() -> tuple[str, list[Event]]:
        run_id = await find_run(store, run)
        return run_id, await store.read(run_id)

    run_id, history = asyncio.run(find())
    started = rules_of(history)
    recipe = recipe_of(started.recipe, run_id)
    check_trust(recipe, journal or default_place(), run_id, trusted=trusted, history=history)
    project = recalled_project(recipe, trusted=trusted)
    served = served_for(recipe, project, show)

    def made(tools: Sequence[Any]) -> Agent:
        return agent_of(recipe, store, started.limits, started.settings, show, (), tools, started.rules, gate)

    return Beginning(store, made, served), run_id, history
