"""A run as JSON Lines, out and in again: the same events, byte for byte.

Owns the form of the file. No storage: what a journal makes of it is `arriving`'s.

Each line is one event as ``loopwright show --json`` prints it, from the first that the run shares with its parents:
``run_id`` of the run that the file is of, ``seq``, ``type``, and the fields that have not their default. Beside these

- the first line has ``format``, the version of the words;
- a reply has ``raw``, the provider's bytes in base64, as all bytes are;
- what an event refers to, an artifact or a result before it was cut, stands in a line of its own before it:
  ``{"type": "content", "digest": SHA-256 in hexadecimal, "bytes": base64}``;
- where a value would not read back the same, because a result is no JSON text, or holds line ends or signs that
  command a terminal, ``exact`` holds it as it was: ``{"data": base64}`` the data of the result, or
  ``{"event": base64}`` all of the event.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from loopwright.core.errors import IllegalEvent, UsageError
from loopwright.core.events import FORMAT, CallEnded, Event, RunForked, RunStarted
from loopwright.core.loop import apply
from loopwright.core.messages import NOTHING
from loopwright.core.state import State, started_of
from loopwright.engine.telling import visible_json
from loopwright.journal.base import NONE

JSON = dict[str, Any]

_encode = msgspec.json.Encoder().encode
_decode: "msgspec.json.Decoder[Event]" = msgspec.json.Decoder(Event)


class Carried(Struct, frozen=True):
    """A run as it is carried from one journal to another."""

    events: tuple[Event, ...]
    """All of them, those shared with its parents included."""
    contents: Mapping[str, bytes] = NONE
    """What the events refer to, by its SHA-256 in hexadecimal."""


class _Exact(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    data: bytes | None = None
    event: bytes | None = None


class _Content(Struct, frozen=True, forbid_unknown_fields=True):
    type: str
    digest: str
    bytes: bytes


class _Head(Struct, frozen=True):
    type: str
    run_id: str
    seq: int
    format: int = 1
    exact: _Exact = _Exact()


def referred(event: Event) -> tuple[str, ...]:
    """The hashes of what an event refers to: artifacts, and a result before it was cut."""
    if not isinstance(event, CallEnded):
        return ()
    whole = (event.whole.digest,) if event.whole is not None else ()
    return (*whole, *(content.digest for content in event.result.artifacts))


def to_lines(run_id: str, events: Sequence[Event], contents: Mapping[str, bytes]) -> Iterator[str]:
    """The lines of a run, without line ends.

    Args:
        run_id: of the run
        events: all that happened in it, from the first on
        contents: what they refer to, by the SHA-256 in hexadecimal
    """
    told = set[str]()
    for seq, event in enumerate(events, 1):
        for digest in referred(event):
            if digest not in told:
                told.add(digest)
                yield _encode({"type": "content", "digest": digest, "bytes": contents[digest]}).decode()
        yield line_of(run_id, seq, event)


def line_of(run_id: str, seq: int, event: Event) -> str:
    """One event as a line that reads back the same."""
    readable = _readable(event)
    text = visible_json(_encode(readable).decode())
    named = "" if isinstance(event, RunStarted) else f'"run_id":{_encode(run_id).decode()},'
    version = f',"format":{FORMAT}' if isinstance(event, RunStarted) and event.format == FORMAT else ""
    return f'{{{named}"seq":{seq},{text[1:-1]}{version}{_exactly(event, text)}}}'


def _readable(event: Event) -> Event:
    """The event with data that is JSON text."""
    if not isinstance(event, CallEnded):
        return event
    try:
        msgspec.json.decode(event.result.data)
        bytes(event.result.data).decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return replace(event, result=replace(event.result, data=NOTHING))
    return event


def _exactly(event: Event, text: str) -> str:
    """What has to stand beside the readable text, so that the event comes back from it; empty where nothing has to."""
    if _decode.decode(text) == event:
        return ""
    exact = _Exact(data=bytes(event.result.data)) if isinstance(event, CallEnded) else _Exact(event=_encode(event))
    return f',"exact":{_encode(exact).decode()}'


def from_lines(lines: Iterable[bytes]) -> Carried:
    """The run in the lines of a file.

    Raises:
        UsageError: a line is damaged, missing, or in the wrong place, or the events are no history of a run; the text
            says which line
    """
    reading = _Reading()
    for number, line in enumerate(lines, 1):
        if line.strip():
            reading.take(line, f"line {number}")
    return reading.close()


class _Reading:
    """Takes the lines of a file one by one."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._contents: dict[str, bytes] = {}
        self._loose: dict[str, str] = {}
        """Contents that no event has referred to yet, and where they stand."""
        self._state = State()
        self._run_id = ""

    def take(self, line: bytes, where: str) -> None:
        try:
            value: Any = msgspec.json.decode(line)
            if not isinstance(value, dict) or "type" not in value:
                raise UsageError(f'{where} is no event: an event is an object with a "type"')
            if value["type"] == "content":
                self._content(msgspec.convert(value, _Content), where)
            else:
                self._event(line, where)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{where} cannot be read: {error}") from None

    def close(self) -> Carried:
        """All that was taken."""
        if not self._events:
            raise UsageError("there is no event in it")
        for digest, where in self._loose.items():
            raise UsageError(f"{where}: no event refers to the content {digest}")
        named = started_of(self._state).run_id
        if self._run_id != named:
            raise UsageError(f"the lines name run {self._run_id!r}, but their last events are of run {named!r}")
        return Carried(tuple(self._events), self._contents)

    def _content(self, content: _Content, where: str) -> None:
        if sha256(content.bytes).hexdigest() != content.digest:
            raise UsageError(f"{where} is damaged: the content {content.digest} is not what its name says")
        if content.digest in self._contents:
            raise UsageError(f"{where}: the content {content.digest} is there twice")
        self._contents[content.digest] = content.bytes
        self._loose[content.digest] = where

    def _event(self, line: bytes, where: str) -> None:
        head = msgspec.json.decode(line, type=_Head)
        if head.format > FORMAT:
            raise UsageError(
                f"{where} was written by a newer version of loopwright (format {head.format}; this version reads up "
                f"to {FORMAT}): upgrade loopwright to read it"
            )
        expected = len(self._events) + 1
        if head.seq != expected:
            raise UsageError(f"{where} is event {head.seq}, where event {expected} is due: a line is missing or moved")
        event = _event(line, head)
        self._check_name(event, head, where)
        _check_all(line, line_of(head.run_id, head.seq, event), where)
        self._check_contents(event, where)
        try:
            self._state = apply(self._state, event)
        except IllegalEvent as error:
            raise UsageError(f"{where} cannot stand here: {error}") from None
        self._events.append(event)

    def _check_name(self, event: Event, head: _Head, where: str) -> None:
        if isinstance(event, RunStarted) or len(self._events) == 1:
            self._run_id = head.run_id
        elif head.run_id != self._run_id:
            raise UsageError(f"{where} is of run {head.run_id!r}, the lines before are of run {self._run_id!r}")

    def _check_contents(self, event: Event, where: str) -> None:
        for digest in referred(event):
            self._loose.pop(digest, None)
            if digest not in self._contents:
                raise UsageError(f"{where} refers to the content {digest}, which does not stand before it")


def _event(line: bytes, head: _Head) -> Event:
    if head.exact.event is not None:
        return _decode.decode(head.exact.event)
    event = _decode.decode(line)
    if head.exact.data is not None and isinstance(event, CallEnded):
        return replace(event, result=replace(event.result, data=Raw(head.exact.data)))
    if isinstance(event, CallEnded):  # its data must not keep the whole line alive
        return replace(event, result=replace(event.result, data=event.result.data.copy()))
    return event


def _check_all(line: bytes, again: str, where: str) -> None:
    """Look whether nothing of a line was passed over.

    Raises:
        UsageError: a field is not known, or would be written in another way
    """
    given: JSON = msgspec.json.decode(line)
    wanted: JSON = msgspec.json.decode(again)
    if given.get("type") == "run_started":
        given.setdefault("format", 1)
    wrong = [name for name in {**given, **wanted} if given.get(name) != wanted.get(name)]
    if wrong or given.keys() != wanted.keys():
        names = ", ".join(map(repr, wrong or given.keys() ^ wanted.keys()))
        raise UsageError(f"{where} is not as loopwright writes it, at {names}: it is damaged, or of a newer version")


def name_of(events: Sequence[Event]) -> str:
    """The id of the run that these are all events of: that of its last fork, or of its start.

    Raises:
        UsageError: they begin with no start of a run
    """
    for event in reversed(events):
        if isinstance(event, RunStarted | RunForked):
            return event.run_id if isinstance(event, RunStarted) else event.started.run_id
    raise UsageError("the events begin with no start of a run")
