"""When the transcript has grown too long: which results are left out of it from now on.

Owns the estimate of a request's size, and the choice. Only results leave, the oldest first, never those of the last
turns, and only between turns, so that every call keeps an answer; that one then says that it was left out. The journal
keeps everything.

The estimate is made of events alone: the bytes of what was said, at as many tokens a byte as the provider counted last.
"""

from msgspec import Struct, field

from loopwright.core.events import ContextCondensed
from loopwright.core.limits import MESSAGE_BYTES, size
from loopwright.core.messages import Result, Turn, Usage

KEPT_TURNS = 2
"""Turns whose results stay, whatever they take."""
LEAST_BYTES = 400
"""Smaller results are not worth a note in their place."""
NOTE_BYTES = 160
"""What stands in the place of a result, about."""
LOW = 0.6
"""Share of the limit to come down to, so that what stays is not told anew at every step."""
TOKENS_A_BYTE = 0.25
"""Before a provider counted anything."""


class Seen(Struct, frozen=True):
    """A result that is part of every request."""

    call_id: str
    bytes: int
    turn: int


class Weight(Struct):
    """The size of the transcript. Changed in place, by `loop.apply` only."""

    limit: int | None = None
    """Tokens of a request from which on results are left out; None for never."""
    bytes: int = 0
    asked: int = 0
    """Bytes of the last request."""
    rate: float = TOKENS_A_BYTE
    turn: int = 0
    seen: list[Seen] = field(default_factory=list[Seen])
    """Results that could be left out, the oldest first; empty without a limit."""

    def begin(self, limit: int | None, opening_bytes: int) -> None:
        """The transcript is what a run begins with."""
        self.limit, self.bytes = limit, opening_bytes

    def ask(self) -> None:
        """A request leaves."""
        self.asked = self.bytes

    def reply(self, turn: Turn, usage: Usage) -> None:
        """The reply is part of the transcript, and says how many tokens the request had."""
        self.turn += 1
        self.add(size(turn.text) + sum(size(call.text) + MESSAGE_BYTES for call in turn.calls))
        if usage.input_tokens > 0 and not usage.estimated and self.asked:
            self.rate = min(1.0, usage.input_tokens / self.asked)

    def answer(self, call_id: str, result: Result) -> None:
        """So is the result of a call."""
        data = len(memoryview(result.data))
        self.add(data + size(result.error) + size(result.note))
        if self.limit is not None and data >= LEAST_BYTES:
            self.seen.append(Seen(call_id, data, self.turn))

    def add(self, added: int) -> None:
        """So is a message of so many bytes."""
        self.bytes += MESSAGE_BYTES + added

    def condensed(self, event: ContextCondensed) -> None:
        """These results are no part of it any more."""
        covered = frozenset(event.covers)
        self.bytes -= sum(one.bytes - NOTE_BYTES for one in self.seen if one.call_id in covered)
        self.seen = [one for one in self.seen if one.call_id not in covered]

    @property
    def tokens(self) -> int:
        """Of the next request, estimated."""
        return int(self.bytes * self.rate)

    def owed(self) -> ContextCondensed | None:
        """What is to be left out now; None where the transcript is short enough, or nothing can be."""
        if self.limit is None or self.tokens <= self.limit:
            return None
        covers, left = list[str](), self.bytes
        for one in self.seen:
            if one.turn > self.turn - KEPT_TURNS or left * self.rate <= self.limit * LOW:
                break
            covers.append(one.call_id)
            left -= one.bytes - NOTE_BYTES
        if not covers:
            return None
        return ContextCondensed(covers=tuple(covers), tokens=self.tokens, left=int(left * self.rate))
