"""Waiting for people: whoever is here and whoever writes a letter, and what the first of them says.

Owns the wait. What a letter means is `letters`', what a question shows `consent`'s; the driver writes down what comes
of it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from loopwright.core.commands import AskPerson, RunTool
from loopwright.core.events import ApprovalAsked, ApprovalGiven, CallEnded, CallStarted, Event, LetterRefused
from loopwright.core.inbox import Answer, Received
from loopwright.core.messages import Result
from loopwright.engine.consent import consult
from loopwright.engine.execute import execute
from loopwright.engine.letters import approved
from loopwright.engine.people import ByLetter
from loopwright.engine.ports import People, Tool
from loopwright.engine.post import Post
from loopwright.protocols.envelope import writable
from loopwright.tools.asked import AskedTool
from loopwright.tools.result import error

Refuse = Callable[[LetterRefused], Awaitable[None]]
"""Writes down that a letter fits nothing."""


class Answered(Struct, frozen=True):
    """What a person gave in the place of a tool."""

    result: Result
    by: str = ""
    inbox: int = 0


class Asking:
    """The people of one run.

    Args:
        people: who is here, if anybody is
        post: the letters of the run
        refuse: writes down that a letter fits nothing
    """

    def __init__(self, people: People | None, post: Post, refuse: Refuse) -> None:
        self._people = people
        self._post = post
        self._refuse = refuse
        self._after: dict[str, int] = {}
        """The newest letter before a call was first asked about, since it last began to run."""

    def must_pause(self, call_id: str) -> bool:
        """Whether the run is to be paused, because nothing about this call is here yet."""
        return isinstance(self._people, ByLetter) and self._people.pauses and not self._post.has(call_id)

    def watch(self, event: Event) -> None:
        """Take note of which questions are open, and behind which letters."""
        match event:
            case ApprovalAsked():
                self._after.setdefault(event.call_id, event.after)
            case CallStarted() | CallEnded():
                self._after.pop(event.call_id, None)
            case _:
                pass

    def after(self, command: AskPerson) -> int:
        """The newest letter that is no answer to the question: what was said about a call's first run says nothing of
        another one."""
        return self._after.get(command.call.id, self._post.seen) if command.about == "doubt" else 0

    async def approval(self, command: AskPerson, tool: Tool | None, timeout: float | None) -> ApprovalGiven | None:
        """What is said about a call within so many seconds; a no where nobody says anything.

        None where the run is to be paused instead, because no letter that came was an answer.

        Raises:
            Exception: whatever the person who is here raised instead of an answer
        """
        if self._people is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    return await self._first(self._people, command, tool)
        reason = "nobody answered in time"
        return ApprovalGiven(call_id=command.call.id, allowed=False, by="nobody", reason=reason)

    async def answer(self, command: RunTool, asked: AskedTool, tool: Tool, timeout: float | None) -> Answered | None:
        """What a person gives in the place of a tool, who is here or writes a letter.

        None where the run is to be paused instead, because no letter that came was an answer.

        Args:
            command: the call
            asked: the tool without code
            tool: the same, or whoever answers it here
            timeout: seconds to wait
        """
        by_letter = isinstance(self._people, ByLetter) and tool is asked
        while self._post.has(command.call.id):
            given = answered(await self._post.letter(command.call.id), command, asked)
            if isinstance(given, Answered):
                return given
            await self._refuse(given)
        if by_letter and self.must_pause(command.call.id):
            return None
        here = _never() if by_letter else execute(tool, command.call, room=command.room, timeout=timeout)
        asking = asyncio.ensure_future(here)
        try:
            async with asyncio.timeout(timeout):
                while isinstance(given := await self._answer_or(asking, command, asked), LetterRefused):
                    await self._refuse(given)
                return given
        except TimeoutError:
            return Answered(error("ToolTimeout: nobody answered in time"))
        finally:
            await let_go(asking)

    async def _first(self, people: People, command: AskPerson, tool: Tool | None) -> ApprovalGiven | None:
        """What the person says who is here, or whoever writes a letter first."""
        asking = asyncio.ensure_future(consult(people, command, tool))
        try:
            while True:
                said = await self._next(asking, command, tool)
                if isinstance(said, ApprovalGiven):
                    return said
                await self._refuse(said)
                if self.must_pause(command.call.id):
                    return None
        finally:
            await let_go(asking)

    async def _next(
        self, asking: "asyncio.Future[ApprovalGiven]", command: AskPerson, tool: Tool | None
    ) -> ApprovalGiven | LetterRefused:
        letter = asyncio.ensure_future(self._post.letter(command.call.id))
        try:
            await asyncio.wait({letter, asking}, return_when=asyncio.FIRST_COMPLETED)
            if not letter.done():
                return asking.result()
            received = letter.result()
            if received.number <= self.after(command):
                why = f"it was written before it was asked whether call {command.call.id} may run again"
                return LetterRefused(inbox=received.number, why=why)
            return approved(received, command, tool)
        finally:
            await let_go(letter)

    async def _answer_or(
        self, asking: "asyncio.Future[Result]", command: RunTool, asked: AskedTool
    ) -> Answered | LetterRefused:
        letter = asyncio.ensure_future(self._post.letter(command.call.id))
        try:
            await asyncio.wait({letter, asking}, return_when=asyncio.FIRST_COMPLETED)
            return answered(letter.result(), command, asked) if letter.done() else Answered(asking.result())
        finally:
            await let_go(letter)


def answered(received: Received, command: RunTool, asked: AskedTool) -> Answered | LetterRefused:
    """What a letter about a call gives that waits for an answer."""
    letter, number = received.letter, received.number
    if not isinstance(letter, Answer):
        why = f"call {command.call.id} waits for an answer, not for an approval"
        return LetterRefused(inbox=number, why=why)
    result = asked.answered(letter.value)
    if result.status != "ok":
        return LetterRefused(inbox=number, why=writable(result.error.partition(": ")[2] or result.error))
    return Answered(result, writable(letter.by), number)


async def _never() -> Result:
    """Nobody is here to answer."""
    return await asyncio.get_running_loop().create_future()


async def let_go(waiting: "asyncio.Future[Any]") -> None:
    """End what is not waited for any more; what it raised meanwhile is nobody's concern."""
    waiting.cancel()
    await asyncio.wait({waiting})
    if not waiting.cancelled():
        waiting.exception()
