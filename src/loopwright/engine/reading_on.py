"""The tool that reads on in results that were cut: answered from the journal, for the results of one run.

Owns the tool, and which results it knows. It is offered once the model was told of it. What a page is belongs to
`tools.cut`.
"""

from collections.abc import Iterable
from itertools import count
from typing import Any

from msgspec import MsgspecError, Struct
from msgspec.json import decode
from msgspec.structs import replace

from loopwright.core.errors import JournalError
from loopwright.core.events import CallEnded, ContextCondensed, Event, ModelReplied
from loopwright.core.messages import Result, ToolSpec, Whole
from loopwright.engine.results import hint
from loopwright.journal.base import Archive, Journal
from loopwright.tools.cut import Cut, page, shorten, size
from loopwright.tools.result import Produced, error

READ_MORE = ToolSpec(
    name="read_more",
    description="Read on in a result that was cut. Its note says what to give.",
    parameters={
        "type": "object",
        "properties": {
            "result": {"type": "string", "description": "the result's number, such as 3.1"},
            "offset": {"type": "integer", "minimum": 0, "description": "rows or characters before the part to read"},
        },
        "required": ["result", "offset"],
    },
)
_NAMED = 8
"""Results that are named to a model which asks for one that is not there."""


def reader_of(tools: Iterable[ToolSpec]) -> ToolSpec:
    """The tool that reads on beside these; by another name where one of them has its own.

    Its results count as written by others as soon as those of one of the tools do: they may be theirs.
    """
    known = list(tools)
    names = {tool.name for tool in known}
    name = next(name for number in count(1) if (name := _name(number)) not in names)
    return replace(READ_MORE, name=name, trusted_output=all(tool.trusted_output for tool in known))


def _name(number: int) -> str:
    return READ_MORE.name if number == 1 else f"{READ_MORE.name}_{number}"


class _Known(Struct, frozen=True):
    whole: Whole | Result
    """Where the journal keeps it, or the result itself, where it was left out later."""
    max_chars: int


class ReadMore:
    """The tool of one run. Satisfies `engine.ports.Tool`, and fits its pages to the room that there is."""

    def __init__(self, spec: ToolSpec, tools: Iterable[ToolSpec], journal: Journal, *, condenses: bool = False) -> None:
        self.spec = spec
        self._condenses = condenses
        self._kept: dict[str, _Known] = {}
        """Results that were shown whole and may be left out later."""
        self._journal = journal
        self._most = {tool.name: tool.max_chars for tool in tools}
        self._called: dict[str, str] = {}
        """Tools by the calls of the last turn."""
        self._known: dict[str, _Known] = {}

    def watch(self, event: Event) -> None:
        """Take note of what was cut, or left out."""
        if isinstance(event, ModelReplied):
            self._called = {call.id: call.tool for call in event.turn.calls}
        elif isinstance(event, CallEnded):
            most = self._most.get(self._called.get(event.call_id, ""), self.spec.max_chars)
            if event.whole is not None:
                self._known[event.call_id] = _Known(event.whole, min(most, self.spec.max_chars))
            elif self._condenses:
                self._kept[event.call_id] = _Known(event.result, min(most, self.spec.max_chars))
        elif isinstance(event, ContextCondensed):
            self._known |= {name: self._kept.pop(name) for name in event.covers if name in self._kept}

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine."""
        wrong = [f"{name}: there is no such parameter" for name in arguments if name not in ("result", "offset")]
        name, offset = arguments.get("result"), arguments.get("offset")
        if not isinstance(name, str):
            wrong.append("result: expected a string, the result's number, such as '3.1'")
        if isinstance(offset, bool) or not isinstance(offset, int) or offset < 0:
            wrong.append("offset: expected an integer of at least 0")
        return "; ".join(wrong)

    async def run(self, arguments: dict[str, Any]) -> Result:
        """A page as large as the tool whose result it is may show."""
        return await self.run_within(arguments, 1 << 40)

    async def run_within(self, arguments: dict[str, Any], room: int) -> Result:
        """A page of at most `room` bytes. What the journal no longer has is an error in words."""
        if wrong := self.check(arguments):
            return error(f"InvalidArguments: {wrong}")
        known = self._known.get(arguments["result"])
        if known is None:
            return error(f"UnknownResult: no result {arguments['result']!r} was cut; {self._cut()}")
        if isinstance(known.whole, Result):
            return self._again(known.whole, arguments, room, known.max_chars)
        try:
            whole = await self._read(known.whole)
        except (JournalError, MsgspecError) as failed:
            return error(f"JournalError: the rest cannot be read ({failed})")
        at = Cut(whole, known.whole.part, known.whole.member)
        more = hint(self.spec.name, arguments["result"])
        found = page(whole, at, arguments["offset"], room=room, max_chars=known.max_chars, more=more).result
        return await self._with_images(found)

    def _again(self, whole: Result, arguments: dict[str, Any], room: int, max_chars: int) -> Result:
        """A result that was left out: as it was shown, or a page of it where there is no room for all of it."""
        offset, more = arguments["offset"], hint(self.spec.name, arguments["result"])
        if offset == 0:
            shorter = shorten(whole, room=room, max_chars=max_chars, more=more)
            return replace(whole if shorter is None else shorter.result, artifacts=())
        at = shorten(whole, room=size(whole) // 2, max_chars=max_chars, more=more) or Cut(whole, "json")
        return page(whole, at, offset, room=room, max_chars=max_chars, more=more).result

    async def _read(self, whole: Whole) -> Result:
        return decode(await self._content(whole.digest), type=Result)

    async def _with_images(self, found: Result) -> Result:
        """The page, with the bytes of the images that a model is to see."""
        digests = {content.digest for content in found.artifacts if content.shown}
        if not digests:
            return found
        contents = {digest: await self._content(digest) for digest in digests}
        return Produced(found.status, found.data, found.error, found.note, found.artifacts, contents)

    async def _content(self, digest: str) -> bytes:
        if not isinstance(self._journal, Archive):
            raise JournalError("this journal keeps no contents")
        return await self._journal.content(digest)

    def _cut(self) -> str:
        newest = list(self._known)[-_NAMED:]
        return f"those that were: {', '.join(newest)}"
