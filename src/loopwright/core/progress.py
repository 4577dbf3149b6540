"""The progress guard: notices a run that goes round in circles.

A turn is *stale* when every call of it came back with what the same call had come back with before; that covers A-A as
well as A-B-A-B, and one new result ends it. It is *failing* when all its calls fail in the way the turn before failed.
First the model is told, then a call that proved useless is withheld, then the run closes. Calls of tools that are
declared pollable do not count.
"""

from hashlib import blake2b
from typing import Literal

from msgspec import Struct, field
from msgspec.json import Encoder

from loopwright.core.messages import Call, Result

TELL_STALE, CLOSE_STALE = 1, 3
TELL_FAILING, CLOSE_FAILING = 2, 4

_sorted = Encoder(order="sorted").encode

Verdict = Literal["", "repeating", "failing", "close"]


class Seen(Struct):
    """What a call came back with last, and how often it had come back with just that before."""

    result: bytes
    repeats: int = 0


class Guard(Struct):
    """Memory of one run. Changed in place, by `loop.apply` only."""

    seen: dict[bytes, Seen] = field(default_factory=dict[bytes, Seen])
    stale: int = 0
    failing: int = 0
    novel: bool = False
    """Whether the turn at hand has brought anything new."""
    errors: set[str] = field(default_factory=set[str])
    """Tool and error class of what failed in the turn at hand."""
    before: set[str] = field(default_factory=set[str])
    """The same of the turn before; empty if anything in it succeeded."""
    succeeded: bool = False

    def withholds(self, call: Call) -> bool:
        """Whether the call has proved useless while nothing else was tried."""
        seen = self.seen.get(signature(call))
        return self.stale >= TELL_STALE and seen is not None and seen.repeats > 0

    def ended(self, call: Call, result: Result, *, pollable: bool, withheld: bool) -> None:
        """Take in the answer to a call; a withheld call brings nothing new, whatever its answer says."""
        if result.status == "error":
            self.errors.add(f"{call.tool} {result.error.partition(':')[0]}")
        else:
            self.succeeded = True
        if pollable:
            self.novel = True
        elif not withheld:
            self._compare(signature(call), fingerprint(result))

    def turn_over(self) -> Verdict:
        """All calls of a turn are answered: what follows from it."""
        same = bool(self.before) and not self.succeeded and self.errors <= self.before
        self.failing = self.failing + 1 if same else 0
        self.before = set() if self.succeeded else self.errors
        self.stale = 0 if self.novel else self.stale + 1
        self.novel, self.succeeded, self.errors = False, False, set()
        if self.stale >= CLOSE_STALE or self.failing >= CLOSE_FAILING:
            return "close"
        if self.stale == TELL_STALE:
            return "repeating"
        return "failing" if self.failing == TELL_FAILING else ""

    def _compare(self, call: bytes, result: bytes) -> None:
        seen = self.seen.get(call)
        if seen is None:
            self.seen[call] = Seen(result)
            self.novel = True
        elif seen.result == result:
            seen.repeats += 1
        else:
            seen.result, seen.repeats = result, 0
            self.novel = True


def signature(call: Call) -> bytes:
    """The same for calls of one tool with equal arguments; by the text as written where they could not be read."""
    arguments = call.text.encode("utf-8", "replace") if call.state == "rejected" else _sorted(call.arguments)
    return blake2b(call.tool.encode("utf-8", "replace") + b"\0" + arguments, digest_size=16).digest()


def fingerprint(result: Result) -> bytes:
    """The same for equal results."""
    rest = f"{result.status}\0{result.error}\0{result.note}\0".encode("utf-8", "replace")
    return blake2b(rest + bytes(result.data), digest_size=16).digest()
