"""The bytes of one reply as JSON objects, while they arrive: a whole body, an event stream, or lines of JSON.

Owns the step from bytes in any split to decoded objects, and what is wrong with the bytes themselves. What the objects
say is read by the pieces of a dialect, which this module only holds the seam of.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct

from loopwright.protocols.cleaning import cleaned
from loopwright.protocols.envelope import writable
from loopwright.protocols.json_values import as_object, decoded, objects
from loopwright.protocols.speech import Reply
from loopwright.protocols.sse import EventSplitter, ServerEvent

_BOM = b"\xef\xbb\xbf"
_SHOWN = 300
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""What the lines of an event stream begin with."""


class Arrived(Struct, frozen=True):
    """One JSON object of a reply."""

    value: dict[str, Any]
    event: str = ""
    """The name of the server-sent event; empty where it has none."""
    body: bytes = b""
    """The bytes of the object, where it is the whole body of a response."""


class Pieces(Protocol):
    """A reply of one dialect while its objects arrive."""

    def take(self, arrived: Arrived) -> str:
        """Take the next object and return the text that is new with it."""
        ...

    def close(self, problem: str, *, broken: bool) -> Reply:
        """The reply; `problem` and `broken` say what is wrong with the bytes that it came in."""
        ...


class PieceReader:
    """Reads one reply while it arrives, whatever the split of its bytes. Never raises."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._take = pieces.take
        self._splitter = EventSplitter()
        self._head = b""
        self._body: list[bytes] | None = None
        """The bytes of a whole body; None while it is an event stream, or not yet known."""
        self._streams = False
        self._understood = False
        self._broken = False

    def feed(self, data: bytes) -> str:
        """Take the next bytes and return the text that is new with them; a whole body gives its text at the end."""
        if self._body is not None:
            self._body.append(data)
            return ""
        if not self._streams:
            return writable(self._begin(data))
        if not self._understood:
            self._head += data[: max(0, _SHOWN - len(self._head))]
        return writable(self._events(self._splitter.feed(data)))

    def close(self) -> Reply:
        """The reply, once no more bytes come."""
        if self._body is None:
            rest = b"" if self._streams else self._head
            self._events([*self._splitter.feed(rest), *self._splitter.close()])
        else:
            self._whole(b"".join(self._body))
        problem = ""
        start = self._head[:_SHOWN].strip()
        if start and not self._understood:
            self._broken = True
            if self._body is None and not start.startswith(_FIELDS):
                shown = start.decode("utf-8", "replace")
                problem = f"the server sent neither JSON nor an event stream: {shown}"
        return cleaned(self._pieces.close(problem, broken=self._broken))

    def _begin(self, data: bytes) -> str:
        """Take bytes while it is not yet known which kind of reply they begin."""
        self._head += data
        start = self._head.removeprefix(_BOM).lstrip()
        if not start or (len(self._head) < len(_BOM) and _BOM.startswith(self._head)):
            return ""
        if start.startswith((b"{", b"[")):
            self._body = [start]
            return ""
        self._streams = True
        head, self._head = self._head, start[:_SHOWN]
        return self._events(self._splitter.feed(head))

    def _events(self, events: list[ServerEvent]) -> str:
        if not events:
            return ""
        return self._event(events[0]) if len(events) == 1 else "".join([self._event(event) for event in events])

    def _event(self, event: ServerEvent) -> str:
        data = event.data.strip()
        if not data or data == b"[DONE]":
            return ""
        value: object = decoded(data)
        if value is None and b"\n" in data:  # servers that leave out the empty line between two events
            return self._events([ServerEvent(line, event.name) for line in data.split(b"\n")])
        found = as_object(value)
        if not found and event.name == "error":
            found = {"error": data.decode("utf-8", "replace")}
        if not found:
            self._broken = True
            return ""
        self._understood = True
        return self._take(Arrived(found, event.name))

    def _whole(self, data: bytes) -> None:
        """Take a whole body: an object, or a list of the objects that would have been a stream's."""
        value: object = decoded(data)
        if value is None:  # not one JSON value: cut, or JSON lines
            self._events([*self._splitter.feed(data), *self._splitter.close()])
            return
        found = as_object(value)
        parts = [Arrived(found, body=data)] if found else [Arrived(part) for part in objects(value)]
        self._understood = bool(parts)
        for part in parts:
            self._pieces.take(part)


def event_stream(payloads: Sequence[str]) -> bytes:
    """The `data:` payloads of a stream as the stream's bytes."""
    events = [b"\n"]
    for payload in payloads:
        lines = writable(payload).encode().splitlines() or [b""]
        events += [b"".join([b"data: " + line + b"\n" for line in lines]), b"\n"]
    return b"".join(events)
