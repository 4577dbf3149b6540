"""The wire format: what stands in a row, what stands beside it, and what old and new versions make of it."""

from hashlib import sha256
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import Phase, find, settings
from msgspec import Raw

from loopwright.core.errors import IllegalEvent, JournalError
from loopwright.core.events import FORMAT, CallEnded, Event, ModelReplied, NoteAdded, PersonSaid, RunForked, RunStarted
from loopwright.core.inbox import Answer, Approve, Cancel, Letter, Say, Unreadable
from loopwright.core.messages import NOTHING, Result, ToolSpec, Turn
from loopwright.journal import wire
from loopwright.journal.wire import INLINE, Packed
from loopwright.testing.strategies import events


def _packed(event: Event) -> Packed:
    match event:
        case RunStarted(run_id=run_id):
            (packed,) = wire.pack(run_id, 1, [event])
        case RunForked(started=started, after=after):
            (packed,) = wire.pack(started.run_id, after + 1, [event])
        case _:
            (packed,) = wire.pack("a", 2, [event])
    return packed


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _data_of(length: int) -> Raw:
    return Raw(b'"' + b"x" * (length - 2) + b'"')


def _no_bodies(name: str) -> bytes:
    raise AssertionError(f"the row names the body {name}")


@pytest.mark.parametrize("kind", get_args(Event))
def test_the_strategies_make_every_type_of_event(kind: type) -> None:
    drawn = settings(database=None, max_examples=2000, deadline=None, phases=[Phase.generate])
    assert isinstance(find(events(), lambda event: isinstance(event, kind), settings=drawn), kind)


def test_the_first_row_of_format_1_is_readable_as_it_was_first_written() -> None:
    row = b'{"event":{"type":"run_started","run_id":"a","task":"t","model":"m"},"format":1}'
    assert wire.unpack(row, _no_bodies) == RunStarted(run_id="a", task="t", model="m", format=1)


def test_the_format_stands_in_the_first_row_even_where_it_is_the_default() -> None:
    row = _packed(RunStarted(run_id="a", task="t", model="m")).row
    assert msgspec.json.decode(row)["format"] == FORMAT


def test_a_reply_is_stored_beside_its_row_however_small() -> None:
    packed = _packed(ModelReplied(turn=Turn(), raw=b"{}"))
    assert packed.bodies == {_hash(b"{}"): b"{}"}
    assert wire.body_hashes(packed.row) == (_hash(b"{}"),)
    assert b'"raw":"' + _hash(b"{}").encode() + b'"' in packed.row


def test_a_reply_without_bytes_has_no_body() -> None:
    assert _packed(ModelReplied(turn=Turn())).bodies == {}


@pytest.mark.parametrize(("length", "bodies"), [(INLINE, 0), (INLINE + 1, 1)])
def test_only_large_data_leaves_the_row(length: int, bodies: int) -> None:
    packed = _packed(CallEnded(call_id="1.1", result=Result(data=_data_of(length))))
    assert len(packed.bodies) == bodies


@pytest.mark.parametrize(("length", "bodies"), [(INLINE, 0), (INLINE + 1, 1)])
def test_only_a_large_opaque_message_leaves_the_row(length: int, bodies: int) -> None:
    event = ModelReplied(turn=Turn(opaque=b"\xff" * length))
    packed = _packed(event)
    assert len(packed.bodies) == bodies
    assert wire.unpack(packed.row, packed.bodies.__getitem__) == event


def test_the_same_tools_are_one_body_in_all_runs() -> None:
    tools = (ToolSpec("search", "Finds things. " * 100),)
    first = _packed(RunStarted(run_id="a", task="one", model="m", tools=tools))
    second = _packed(RunStarted(run_id="b", task="two", model="m", tools=tools))
    assert first.bodies == second.bodies
    assert len(first.bodies) == 1
    assert len(first.row) < INLINE


def test_data_does_not_keep_the_row_it_was_read_from_alive() -> None:
    row = _packed(CallEnded(call_id="1.1", result=Result(data=_data_of(100)))).row
    event = wire.unpack(row, _no_bodies)
    assert isinstance(event, CallEnded)
    assert memoryview(event.result.data).obj is not row


def test_no_data_reads_as_null() -> None:
    event = wire.unpack(_packed(CallEnded(call_id="1.1", result=Result())).row, _no_bodies)
    assert isinstance(event, CallEnded)
    assert event.result.data == NOTHING


@pytest.mark.parametrize(
    "row",
    [b"", b"[]", b'{"event":{"type":"run_flown"}}', b'{"event":{"type":"call_started"}}', b"\xff"],
    ids=["empty", "not an object", "unknown type", "field missing", "not text"],
)
def test_a_row_that_cannot_be_read_is_an_error_and_names_no_body(row: bytes) -> None:
    with pytest.raises(JournalError, match="format 1"):
        wire.unpack(row, _no_bodies)
    assert wire.body_hashes(row) == ()


def test_a_damaged_last_row_is_named_by_the_list_of_runs() -> None:
    first = _packed(RunStarted(run_id="a", task="t", model="m")).row
    with pytest.raises(JournalError, match="event 7 of run a"):
        wire.summary("a", first, b"{", 7)


def test_a_damaged_first_row_is_named() -> None:
    with pytest.raises(JournalError, match="first event of run a"):
        wire.check_format("a", b"{")


def _fork(run_id: str = "f", after: int = 3, **rules: object) -> RunForked:
    started = RunStarted(run_id=run_id, task="t", model="m", **rules)  # pyright: ignore[reportArgumentType]
    return RunForked(started=started, parent="a", after=after, at=5.0)


def test_the_rules_of_a_fork_share_their_tools_with_those_of_its_parent() -> None:
    tools = (ToolSpec("search", "Finds things. " * 100),)
    start, fork = _packed(RunStarted(run_id="a", task="t", model="m", tools=tools)), _packed(_fork(tools=tools))
    assert start.bodies == fork.bodies
    assert len(fork.row) < INLINE
    assert wire.unpack(fork.row, fork.bodies.__getitem__) == _fork(tools=tools)


def test_the_first_row_of_a_fork_holds_the_format_and_what_the_list_shows() -> None:
    row = _packed(_fork()).row
    assert msgspec.json.decode(row)["format"] == FORMAT
    line = wire.summary("f", row, _packed(NoteAdded(kind="empty", at=7.0)).row, 5)
    assert (line.task, line.model, line.parent, line.after) == ("t", "m", "a", 3)
    assert (line.started_at, line.last_at, line.events, line.damaged) == (5.0, 7.0, 5, "")


def test_a_fork_of_a_newer_format_is_refused_wherever_it_is_read() -> None:
    row = _packed(_fork(format=FORMAT + 1)).row
    with pytest.raises(JournalError, match="run f was written by a newer version"):
        wire.check_format("f", row)
    with pytest.raises(JournalError, match="newer version"):
        wire.unpack(row, _no_bodies)


@pytest.mark.parametrize(
    ("seq", "events"),
    [
        (1, [_fork(after=0)]),
        (5, [_fork()]),
        (3, [NoteAdded(kind="empty"), _fork()]),
        (4, [_fork("other")]),
        (2, [RunStarted(run_id="f", task="", model="")]),
    ],
    ids=["shares nothing", "a gap", "not the first", "of another run", "a start later"],
)
def test_a_run_begins_at_one_place_only(seq: int, events: list[Event]) -> None:
    with pytest.raises(IllegalEvent):
        wire.pack("f", seq, events)


LETTERS: list[Letter] = [
    Approve(call_id="1.1", allowed=True, by="anna", scope="call", arguments={"a": [1, None]}, digest="d"),
    Say(text="Zürich", by="anna"),
    Answer(call_id="1.2", value={"yes": 0.5}, by="anna"),
    Cancel(by="anna", reason="enough"),
]


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: type(letter).__name__)
def test_a_letter_comes_back_equal(letter: Letter) -> None:
    assert wire.unpack_letter(wire.pack_letter(letter)) == letter


@pytest.mark.parametrize(
    "letter",
    [Say(text="\ud800"), Answer(call_id="1", value=[float("nan")]), Answer(call_id="1", value=object())],
    ids=["half of a surrogate pair", "NaN", "no JSON"],
)
def test_a_letter_that_would_read_differently_is_refused(letter: Letter) -> None:
    with pytest.raises(JournalError, match="JSON cannot carry"):
        wire.pack_letter(letter)


@pytest.mark.parametrize(
    ("kind", "said", "wrong"),
    [
        (Say, {"text": "x", "by": None}, "by"),
        (Say, {"text": 5}, "text"),
        (Cancel, {"by": 5}, "by"),
        (Approve, {"call_id": 5, "allowed": True}, "call_id"),
        (Approve, {"call_id": "1.1", "allowed": "yes"}, "allowed"),
        (Approve, {"call_id": "1.1", "allowed": True, "scope": "forever"}, "scope"),
        (Approve, {"call_id": "1.1", "allowed": True, "arguments": ["x"]}, "arguments"),
    ],
)
def test_a_letter_that_nobody_could_read_is_refused(kind: Any, said: dict[str, Any], wrong: str) -> None:
    with pytest.raises(JournalError, match=rf"what no letter can say: .*\$\.{wrong}"):
        wire.pack_letter(kind(**said))


@pytest.mark.parametrize("row", [b'{"type":"telegram"}', b"", b"\xff", b"[" * 100_000])
def test_a_letter_of_another_version_is_no_error(row: bytes) -> None:
    assert isinstance(wire.unpack_letter(row), Unreadable)


def test_what_a_person_said_is_an_event_like_any_other() -> None:
    event = PersonSaid(text="go on", by="anna", inbox=3)
    assert wire.unpack(_packed(event).row, _no_bodies) == event


def test_a_value_that_nests_without_end_is_refused() -> None:
    endless: dict[str, object] = {}
    endless["again"] = endless
    with pytest.raises(JournalError, match="cannot carry"):
        _packed(RunStarted(run_id="a", task="", model="", recipe=endless))
