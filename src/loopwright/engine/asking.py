"""Waiting for people: whoever is here and whoever writes a letter, and what the first of them says.

Owns the wait. What a letter means is `letters`', what a question shows `consent`'s; the driver writes down what comes
of it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from msgspec import Struct

from loopwright.core.commands import AskPerson, RunTool
from loopwright.core.events import ApprovalGiven, LetterRefused
from loopwright.core.inbox import Answer
from loopwright.core.messages import Result
from loopwright.engine.consent import consult
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

    def must_pause(self, call_id: str) -> bool:
        """Whether the run is to be paused, because nothing about this call is here yet."""
        return isinstance(self._people, ByLetter) and self._people.pauses and not self._post.has(call_id)

    def answers(self, call_id: str) -> bool:
        """Whether a tool without code is answered by a letter."""
        return isinstance(self._people, ByLetter) or self._post.has(call_id)

    async def approval(self, command: AskPerson, tool: Tool | None, timeout: float | None) -> ApprovalGiven:
        """What is said about a call within so many seconds; a no where nobody says anything.

        Raises:
            Exception: whatever the person who is here raised instead of an answer
        """
        if self._people is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    return await self._first(self._people, command, tool)
        reason = "nobody answered in time"
        return ApprovalGiven(call_id=command.call.id, allowed=False, by="nobody", reason=reason)

    async def answer(self, command: RunTool, tool: AskedTool, timeout: float | None) -> Answered:
        """What a person answers by letter in the place of a tool."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while True:
                    received = await self._post.letter(command.call.id)
                    if isinstance(letter := received.letter, Answer):
                        return Answered(tool.answered(letter.value), writable(letter.by), received.number)
                    why = f"call {command.call.id} waits for an answer, not for an approval"
                    await self._refuse(LetterRefused(inbox=received.number, why=why))
        return Answered(error("ToolTimeout: nobody answered in time"))

    async def _first(self, people: People, command: AskPerson, tool: Tool | None) -> ApprovalGiven:
        """What the person says who is here, or whoever writes a letter first."""
        asking = asyncio.ensure_future(consult(people, command, tool))
        try:
            while True:
                said = await self._next(asking, command, tool)
                if isinstance(said, ApprovalGiven):
                    return said
                await self._refuse(said)
        finally:
            asking.cancel()
            await asyncio.wait({asking})

    async def _next(
        self, asking: "asyncio.Future[ApprovalGiven]", command: AskPerson, tool: Tool | None
    ) -> ApprovalGiven | LetterRefused:
        letter = asyncio.ensure_future(self._post.letter(command.call.id))
        try:
            await asyncio.wait({letter, asking}, return_when=asyncio.FIRST_COMPLETED)
            return approved(letter.result(), command, tool) if letter.done() else asking.result()
        finally:
            letter.cancel()
