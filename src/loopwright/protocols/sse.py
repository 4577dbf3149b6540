"""Splits the bytes of a server-sent event stream into events, however they arrive.

Owns lines, fields and event borders (https://html.spec.whatwg.org/multipage/server-sent-events.html) and the ways in
which real servers miss them. What an event means is not known here.
"""

from msgspec import Struct

_BOM = b"\xef\xbb\xbf"
_DATA = b"data: "


class ServerEvent(Struct, frozen=True):
    """One event."""

    data: bytes
    """All data lines, joined by line feeds."""
    name: str = ""
    """The event's type; empty where the server gave none."""


class EventSplitter:
    """Takes bytes in any split, with LF, CRLF or CR at the line ends, and gives the events that are complete."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._name = ""
        self._after_return = False
        self._started = False

    def feed(self, data: bytes) -> list[ServerEvent]:
        """Take the next bytes; the events that end within them come back."""
        if self._after_return and data:
            data = data.removeprefix(b"\n")
            self._after_return = False
        if b"\r" in data:
            self._after_return = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in data:
            self._line += data
            return []
        lines = data.split(b"\n")
        rest = lines.pop()
        if self._line:
            lines[0] = bytes(self._line) + lines[0]
        self._line = bytearray(rest)
        return self._take(lines)

    def close(self) -> list[ServerEvent]:
        """The events that the end of the stream completes: some servers leave out the last line ends."""
        line, self._line = bytes(self._line), bytearray()
        return self._take([line, b""])

    def _take(self, lines: list[bytes]) -> list[ServerEvent]:
        """Take whole lines."""
        events: list[ServerEvent] = []
        if not self._started:
            self._started = True
            lines[0] = lines[0].removeprefix(_BOM)
        for line in lines:
            if line.startswith(_DATA):  # nearly all lines
                self._data.append(line[len(_DATA) :])
                continue
            event = self._event(line) if line else self._dispatch()
            if event is not None:
                events.append(event)
        return events

    def _event(self, line: bytes) -> ServerEvent | None:
        """Take one line that is not empty; the event that it completes, if it does."""
        if line.startswith(b"{"):
            return ServerEvent(line)  # JSON without a field name: an error that a server wrote past its own stream
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode("utf-8", "replace")
        elif name == b"error":
            return ServerEvent(value, "error")  # llama.cpp's server reports errors in a field of this name
        return None

    def _dispatch(self) -> ServerEvent | None:
        """The event that an empty line ends; one without data is none."""
        data, self._data = self._data, []
        name, self._name = self._name, ""
        return ServerEvent(b"\n".join(data), name) if data else None
