"""Events as bytes: one small row an event, and its large bodies beside it, named by their content.

Owns the wire format, its version, and what the list of runs shows of a row. No storage, no order, no chain.

A row is JSON: ``{"format": 1, "event": {"type": …}, "bodies": {"raw": "<sha256>"}}``. ``format`` stands in the first
row of a run only, which in a fork is the one that says what it shares. ``bodies`` says which fields of the event are
kept elsewhere, and under which hash: the provider's reply always, its opaque message, a result's data and the tool list
from `INLINE` bytes on. So the list of runs and the audit read little, and what is the same in a thousand runs is stored
once.

Some content an event only refers to, by hash: artifacts, and a result as it was before it was cut. It is stored with
the event, and read when somebody asks for it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from loopwright.core.errors import IllegalEvent, JournalError
from loopwright.core.events import FORMAT, CallEnded, Event, ModelReplied, RunForked, RunStarted
from loopwright.core.inbox import Letter, Unreadable
from loopwright.core.messages import OutcomeStatus, ToolSpec
from loopwright.journal.base import NONE, RunSummary

INLINE = 1024
"""Bytes up to which a result's data, the tool list and an opaque message stay in the row."""

BodyName = Literal["raw", "opaque", "data", "tools"]


class Packed(Struct, frozen=True):
    """An event ready to be stored."""

    row: bytes
    bodies: dict[str, bytes]
    """Contents by their SHA-256 in hexadecimal."""
    known: tuple[str, ...] = ()
    """Contents that the event refers to and that must be stored already."""


class _Envelope(Struct, frozen=True, omit_defaults=True):
    event: Event
    bodies: dict[BodyName, str] = {}
    format: int = 0
    """The format of the run in its first row, else 0. The event's own field is left out while it has its default."""


class _Digest(Struct, frozen=True):
    digest: str


class _Result(Struct, frozen=True):
    artifacts: tuple[_Digest, ...] = ()


class _Referring(Struct, frozen=True):
    result: _Result = _Result()
    whole: _Digest | None = None


class _BodyHashes(Struct, frozen=True):
    bodies: dict[str, str] = {}
    event: _Referring = _Referring()


class _Begun(Struct, frozen=True, tag_field="type", tag="run_started"):
    run_id: str
    task: str = ""
    model: str = ""
    at: float = 0.0


class _Forked(Struct, frozen=True, tag_field="type", tag="run_forked"):
    started: _Begun
    parent: str
    after: int
    at: float = 0.0


class _FirstEnvelope(Struct, frozen=True):
    event: _Begun | _Forked
    format: int


class _LastOutcome(Struct, frozen=True):
    status: OutcomeStatus
    answer: str | None = None


class _Last(Struct, frozen=True):
    type: str
    at: float = 0.0
    outcome: _LastOutcome | None = None


class _LastEnvelope(Struct, frozen=True):
    event: _Last


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Envelope).decode
_decode_bodies = msgspec.json.Decoder(_BodyHashes).decode
_decode_first = msgspec.json.Decoder(_FirstEnvelope).decode
_decode_last = msgspec.json.Decoder(_LastEnvelope).decode
_decode_tools = msgspec.json.Decoder(tuple[ToolSpec, ...]).decode
_decode_raw = msgspec.json.Decoder(Raw).decode
_decode_letter = msgspec.json.Decoder(Letter).decode


def pack(run_id: str, seq: int, events: Sequence[Event], contents: Mapping[str, bytes] = NONE) -> list[Packed]:
    """Encode events that are to become the numbers seq, seq+1, … of a run.

    Args:
        run_id: of the run
        seq: number of the first of them
        events: what is to be stored
        contents: what they refer to, by the SHA-256 in hexadecimal

    Raises:
        IllegalEvent: the first event of a run is not the start of this run, or a fork does not begin behind what it
            shares, or one of them comes later
        JournalError: a value has no JSON form that reads back the same (NaN, infinity, half of a surrogate pair), or a
            content is not what its name says, or one that no event refers to
    """
    for number, event in enumerate(events, start=seq):
        _check_place(run_id, number, event, is_first=number == seq)
    packed = [_pack(event, contents) for event in events]
    if contents:
        _check_contents(contents, packed)
    return packed


def begins(seq: int, events: Sequence[Event]) -> bool:
    """Whether an append is the first of its run."""
    return seq == 1 or (bool(events) and isinstance(events[0], RunForked))


def _check_place(run_id: str, number: int, event: Event, *, is_first: bool) -> None:
    """Raises IllegalEvent where a run begins at the wrong place, or under another name."""
    match event:
        case RunStarted():
            started = event
            wrong = number != 1
        case RunForked(started=started, after=after):
            wrong = not is_first or number == 1 or after != number - 1
        case _:
            if number == 1:
                raise IllegalEvent(f"the first event of run {run_id} is {type(event).__name__}; it must be RunStarted")
            return
    if wrong:
        raise IllegalEvent(f"{type(event).__name__} was offered as number {number} of run {run_id}, where none can be")
    if started.run_id != run_id:
        raise IllegalEvent(f"the start of run {started.run_id} was offered as the start of run {run_id}")


def _check_contents(contents: Mapping[str, bytes], packed: Sequence[Packed]) -> None:
    used = {name for item in packed for name in item.bodies}
    for name, content in contents.items():
        if name not in used:
            raise JournalError(f"the content {name} belongs to no event")
        if sha256(content).hexdigest() != name:
            raise JournalError(f"the content {name} is not what its name says")


def referred(event: Event) -> tuple[str, ...]:
    """The hashes of what an event refers to beside its own bodies."""
    if not isinstance(event, CallEnded):
        return ()
    whole = (event.whole.digest,) if event.whole is not None else ()
    return (*whole, *(content.digest for content in event.result.artifacts))


def unpack(row: bytes, content: Callable[[str], bytes]) -> Event:
    """Decode a row; `content` gives the body of a hash.

    Raises:
        JournalError: the row is not one that this version wrote
    """
    try:
        envelope = _decode(row)
        if envelope.format > FORMAT:
            raise JournalError(_newer("the run", envelope.format))
        bodies: dict[BodyName, bytes] = {name: content(digest) for name, digest in envelope.bodies.items()}
        return _join(envelope, bodies)
    except msgspec.MsgspecError as error:
        raise JournalError(f"not an event of format {FORMAT}: {error}") from error


def body_hashes(row: bytes) -> tuple[str, ...]:
    """The hashes that a row names, in its order; none if the row cannot be read."""
    try:
        found = _decode_bodies(row)
    except msgspec.MsgspecError:
        return ()
    whole = (found.event.whole.digest,) if found.event.whole is not None else ()
    artifacts = tuple(content.digest for content in found.event.result.artifacts)
    return (*found.bodies.values(), *whole, *artifacts)


def pack_letter(letter: Letter) -> bytes:
    """A letter as it is stored.

    Raises:
        JournalError: it holds what JSON cannot carry, or what is of another kind than a letter says there
    """
    row = _encode_faithfully(letter)
    read = unpack_letter(row)
    if isinstance(read, Unreadable):
        raise JournalError(f"the letter says what no letter can say: {read.why}")
    return row


def unpack_letter(row: bytes) -> Letter | Unreadable:
    """Decode a letter. One that cannot be read stops nobody: its run refuses it, and says why."""
    try:
        return _decode_letter(row)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        return Unreadable(str(error))


def beginning(row: bytes) -> tuple[str, str, int] | None:
    """Which run a row begins, its parent, and how many events it shares with that; None where it begins none."""
    try:
        event = _decode_first(row).event
    except msgspec.MsgspecError:
        return None
    if isinstance(event, _Forked):
        return event.started.run_id, event.parent, event.after
    return event.run_id, "", 0


def check_format(run_id: str, first: bytes) -> None:
    """Look at the first row of a run.

    Raises:
        JournalError: a newer version wrote the run, or the row is damaged
    """
    _first(run_id, first)


def summary(run_id: str, first: bytes, last: bytes, count: int) -> RunSummary:
    """A line of the list of runs, from the first and the last row of a run and the number of its rows.

    Raises:
        JournalError: a newer version wrote the run, or a row is damaged
    """
    begun = _first(run_id, first).event
    started = begun.started if isinstance(begun, _Forked) else begun
    try:
        ended = _decode_last(last).event
    except msgspec.MsgspecError as error:
        raise JournalError(f"event {count} of run {run_id} is damaged: {error}") from error
    outcome = ended.outcome
    return RunSummary(
        run_id=run_id,
        task=started.task,
        model=started.model,
        started_at=begun.at,
        last_at=ended.at,
        events=count,
        status=outcome.status if outcome else None,
        paused=ended.type == "run_paused",
        answer=outcome.answer if outcome else None,
        parent=begun.parent if isinstance(begun, _Forked) else "",
        after=begun.after if isinstance(begun, _Forked) else 0,
    )


def listed(run_id: str, first: bytes | None, last: bytes | None, count: int) -> RunSummary:
    """A line of the list of runs, as `summary` makes it; where that cannot be, one that says why."""
    try:
        if first is None or last is None:
            raise JournalError(f"run {run_id} is damaged: the journal has lost event 1")
        return summary(run_id, first, last, count)
    except JournalError as error:
        return RunSummary(run_id, "", "", 0.0, 0.0, count, None, paused=False, answer=None, damaged=str(error))


def _first(run_id: str, row: bytes) -> _FirstEnvelope:
    try:
        first = _decode_first(row)
    except msgspec.MsgspecError as error:
        raise JournalError(f"the first event of run {run_id} is damaged: {error}") from error
    if first.format > FORMAT:
        raise JournalError(_newer(f"run {run_id}", first.format))
    return first


def _newer(run: str, version: int) -> str:
    return (
        f"{run} was written by a newer version of loopwright (format {version}; this version reads up to {FORMAT}). "
        "Upgrade loopwright to read it."
    )


def _pack(event: Event, contents: Mapping[str, bytes]) -> Packed:
    small, bodies = _split(event)
    hashes: dict[BodyName, str] = {name: sha256(body).hexdigest() for name, body in bodies.items()}
    row = _encode_faithfully(_Envelope(small, hashes, _version(event)))
    stored = dict(zip(hashes.values(), bodies.values(), strict=True))
    names = referred(event)
    if not names:
        return Packed(row, stored)
    stored |= {name: contents[name] for name in names if name in contents}
    return Packed(row, stored, tuple(name for name in names if name not in stored))


def _version(event: Event) -> int:
    match event:
        case RunStarted(format=version) | RunForked(started=RunStarted(format=version)):
            return version
        case _:
            return 0


def _split(event: Event) -> tuple[Event, dict[BodyName, bytes]]:
    """The event without its large bodies, and these."""
    match event:
        case ModelReplied():
            return _split_reply(event)
        case CallEnded():
            data = bytes(event.result.data)
            if not _must_stand_apart(data):
                return event, {}
            return replace(event, result=replace(event.result, data=Raw(b"null"))), {"data": data}
        case RunStarted():
            return _split_start(event)
        case RunForked():
            started, bodies = _split_start(event.started)
            return (replace(event, started=started) if bodies else event), bodies
        case _:
            return event, {}


def _split_start(started: RunStarted) -> tuple[RunStarted, dict[BodyName, bytes]]:
    encoded = _encode_faithfully(started.tools) if started.tools else b""
    if len(encoded) <= INLINE:
        return started, {}
    return replace(started, tools=()), {"tools": encoded}


def _split_reply(event: ModelReplied) -> tuple[Event, dict[BodyName, bytes]]:
    bodies: dict[BodyName, bytes] = {}
    turn = event.turn
    if event.raw:
        bodies["raw"] = event.raw
    if len(turn.opaque) > INLINE:
        bodies["opaque"] = turn.opaque
        turn = replace(turn, opaque=b"")
    return (replace(event, raw=b"", turn=turn) if bodies else event), bodies


def _must_stand_apart(data: bytes) -> bool:
    """Whether data is large, or would not come back byte for byte from inside a row."""
    if len(data) > INLINE:
        return True
    try:
        return bytes(_decode_raw(data)) != data
    except msgspec.MsgspecError:
        return True


def _join(envelope: _Envelope, bodies: Mapping[BodyName, bytes]) -> Event:
    """The event with its large bodies put back; data is copied, so that it does not keep its whole row alive."""
    event = envelope.event
    match event:
        case ModelReplied(turn=turn):
            if "opaque" in bodies:
                turn = replace(turn, opaque=bodies["opaque"])
            return replace(event, turn=turn, raw=bodies.get("raw", b""))
        case CallEnded(result=result):
            data = Raw(bodies["data"]) if "data" in bodies else result.data.copy()
            return replace(event, result=replace(result, data=data))
        case RunStarted():
            return _join_start(event, envelope.format, bodies)
        case RunForked():
            return replace(event, started=_join_start(event.started, envelope.format, bodies))
        case _:
            return event


def _join_start(started: RunStarted, version: int, bodies: Mapping[BodyName, bytes]) -> RunStarted:
    tools = _decode_tools(bodies["tools"]) if "tools" in bodies else started.tools
    return replace(started, tools=tools, format=version)


def _encode_faithfully(value: object) -> bytes:
    try:
        encoded = _encode(value)
    except (UnicodeEncodeError, RecursionError, TypeError, ValueError) as error:
        raise JournalError(f"an event holds a value that JSON cannot carry: {error}") from error
    # The encoder turns NaN and infinity into null, which would read back as something else.
    if b"null" in encoded:
        _refuse_non_finite(value)
    return encoded


def _refuse_non_finite(value: object) -> None:
    match value:
        case float():
            if not math.isfinite(value):
                raise JournalError(f"an event holds the number {value}, which JSON cannot carry")
        case Struct():
            for name in value.__struct_fields__:
                _refuse_non_finite(getattr(value, name))
        case dict():
            for item in cast("dict[Any, Any]", value).values():
                _refuse_non_finite(item)
        case list() | tuple():
            for item in cast("Sequence[Any]", value):
                _refuse_non_finite(item)
        case _:
            return
