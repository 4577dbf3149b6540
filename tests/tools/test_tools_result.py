"""What tools may return, how it is encoded, and how it is cut."""

import json
import math
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from pydantic import BaseModel, RootModel

from loopwright.core.messages import Result
from loopwright.tools.cut import cut, size
from loopwright.tools.result import error, failure, not_found, ok, result_of


class Pair(NamedTuple):
    left: int
    right: int


@dataclass
class Place:
    name: str
    at: Pair


class Report(BaseModel):
    day: date
    ratio: float


class Numbers(RootModel[list[int]]):
    pass


class Array:
    """As of numpy."""

    def tolist(self) -> list[Any]:
        return [1, [2.5, math.nan]]


class Frame:
    """As of pandas."""

    columns = ("a",)

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return [{"a": date(2026, 1, 2)}, {"a": Array()}]


class Table:
    """As of polars."""

    def to_dicts(self) -> list[dict[str, Any]]:
        return [{"a": 1}]


class Reading(msgspec.Struct, tag="reading", rename="camel"):
    mean_value: float
    missing: int | msgspec.UnsetType = msgspec.UNSET


class Level(IntEnum):
    HIGH = 2


class Kind(Enum):
    BIG = "big"


def text(value: Any) -> str:
    result = result_of(value)
    assert result.status == "ok", result.error
    return bytes(result.data).decode()


VALUES: list[tuple[Any, str | None]] = [
    (None, "null"),
    ("Zürich 東京 \U0001f327", '"Zürich 東京 \U0001f327"'),
    ("lone \ud83c and pair \ud83c\udf27", '"lone \ufffd and pair \U0001f327"'),
    ({"city": "Athens", "mm": 3.2}, '{"city": "Athens", "mm": 3.2}'),
    (math.nan, '"NaN"'),
    ([math.inf, -math.inf], '["Infinity", "-Infinity"]'),
    (2**80, str(2**80)),
    (datetime(2026, 11, 30, 18, 20, tzinfo=UTC), '"2026-11-30T18:20:00+00:00"'),
    (date(2026, 11, 30), '"2026-11-30"'),
    (timedelta(hours=1), '"1:00:00"'),
    (Decimal("1.50"), '"1.50"'),
    (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    (PurePosixPath("a/b"), '"a/b"'),
    ({3, 1, 2}, "[1, 2, 3]"),
    ({"a", 1}, '["a", 1]'),
    ((1, (2,)), "[1, [2]]"),
    (range(3), "[0, 1, 2]"),
    (b"caf\xc3\xa9", '"café"'),
    (
        b"\x00\xff",
        '{"artifact": "06eb7d6a69ee", "media_type": "application/octet-stream", "size": 2}',
    ),
    (bytearray(b"ab"), '"ab"'),
    (Level.HIGH, "2"),
    ([Kind.BIG], '["big"]'),
    ({Kind.BIG: 1, None: 2, True: 3, 1.5: 4, date(2026, 1, 2): 5}, None),
    (Place("Athens", Pair(1, 2)), '{"name": "Athens", "at": {"left": 1, "right": 2}}'),
    (Report(day=date(2026, 1, 2), ratio=math.nan), '{"day": "2026-01-02", "ratio": "NaN"}'),
    (Numbers([1, 2]), "[1, 2]"),
    (Frame(), '[{"a": "2026-01-02"}, {"a": [1, [2.5, "NaN"]]}]'),
    ({"rows": Table()}, '{"rows": [{"a": 1}]}'),
    ({"all": Numbers([3])}, '{"all": [3]}'),
    (Reading(mean_value=1.5), '{"type": "reading", "meanValue": 1.5}'),
    (OrderedDict(b=1, a=2), '{"b": 1, "a": 2}'),
    (Raw(b'{"a":1}'), '{"a":1}'),
]


@pytest.mark.parametrize(("value", "encoded"), VALUES)
def test_every_ordinary_value_has_a_form(value: Any, encoded: str | None) -> None:
    keys = '{"big": 1, "null": 2, "true": 3, "1.5": 4, "2026-01-02": 5}'
    assert text(value) == (keys if encoded is None else encoded)


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


class Opaque:
    @property
    def _asdict(self) -> Any:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (object(), "the result is of type object"),
        ({"rows": [1, Opaque()]}, "the result['rows'][1] is of type"),
        ((number for number in range(3)), "is of type generator"),
        (Opaque, "is of type type"),
        (Array, "is of type type"),
        (itself(), "contains itself"),
        (deep(100), "nested deeper than 64 levels"),
        ({1: "a", "1": "b"}, "two keys that are both written '1'"),
        ({(1, 2): "a"}, "has a key of type tuple"),
    ],
)
def test_other_values_are_an_error_that_names_them(value: Any, told: str) -> None:
    result = result_of(value)
    assert result.status == "error"
    assert result.error.startswith("UnshowableResult: ")
    assert told in result.error


def test_a_broken_raw_value_is_an_error() -> None:
    assert result_of(Raw(b"{")).status == "error"


def test_the_same_list_twice_is_no_circle() -> None:
    shared = [1]
    assert text([shared, shared]) == "[[1], [1]]"


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(plain)
def test_what_json_can_hold_comes_back_as_it_was(value: Any) -> None:
    assert json.loads(text(value)) == value


def test_the_words_of_results() -> None:
    assert result_of(ok(1)) == ok(1)
    assert ok([1], note="newest first").note == "newest first"
    assert ok(object(), note="lost").status == "error"
    assert not_found("no city 'X'") == Result("not_found", error="NotFound: no city 'X'")
    assert error("it broke").error == "ToolError: it broke"
    assert error("the time: late").error == "ToolError: the time: late"
    assert error("DiskFull: 3 bytes").error == "DiskFull: 3 bytes"
    assert error("bad \ud800").error == "ToolError: bad \ufffd"


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_the_words_of_exceptions() -> None:
    noted = ValueError("wrong")
    noted.add_note("row 3")
    assert failure(noted).error == "ValueError: wrong (row 3)"
    assert failure(ValueError()).error == "ValueError: no further details"
    assert failure(Mute()).error == "Mute: the error's own text cannot be read"
    group = ExceptionGroup("two", [ValueError("a"), KeyError("b")])
    assert failure(group).error == "ExceptionGroup: two (2 sub-exceptions); ValueError: a; KeyError: 'b'"


# Cutting


def data(result: Result) -> Any:
    return json.loads(bytes(result.data))


def test_what_fits_stays_the_same_object() -> None:
    result = ok({"a": 1})
    assert cut(result, room=1000, max_chars=100) is result


def test_a_list_keeps_whole_rows_and_counts_the_others() -> None:
    rows = [{"row": number} for number in range(100)]
    shorter = cut(ok(rows, note="newest first"), room=10_000, max_chars=200)
    kept = len(data(shorter))
    assert data(shorter) == rows[:kept]
    assert kept > 10
    assert shorter.note == f"newest first; cut: the first {kept} of 100 rows are shown, {100 - kept} left out"


def test_a_text_is_cut_at_a_sensible_place() -> None:
    words = "First paragraph is here.\n\n" + "word " * 100
    shorter = cut(ok(words), room=10_000, max_chars=100)
    assert data(shorter).endswith("word")
    shown = len(data(shorter))
    assert shorter.note == f"cut: the first {shown} of {len(words)} characters are shown, {len(words) - shown} left out"


def test_an_object_keeps_its_shape() -> None:
    shorter = cut(ok({"total": 500, "rows": list(range(500)), "next": 7}), room=10_000, max_chars=120)
    assert data(shorter)["total"] == 500
    assert data(shorter)["next"] == 7
    assert "of 500 rows of 'rows' are shown" in shorter.note
    page = cut(ok({"url": "u", "text": "word " * 500}), room=10_000, max_chars=120)
    assert data(page)["url"] == "u"
    assert "of 2500 characters of 'text' are shown" in page.note


def test_an_object_of_many_parts_is_shown_as_text() -> None:
    shorter = cut(ok({f"key {number}": number for number in range(100)}), room=10_000, max_chars=100)
    assert data(shorter).startswith('{"key 0": 0')
    assert "characters of the JSON text are shown" in shorter.note


def test_a_long_error_keeps_its_beginning() -> None:
    shorter = cut(error("DiskFull: " + "x" * 1000), room=400, max_chars=10_000)
    assert shorter.error.startswith("DiskFull: xxx")
    assert "of 1010 characters of the error are shown" in shorter.note


results = st.builds(ok, plain, st.text(max_size=40)) | st.builds(error, st.text())


@given(results, st.integers(60, 400), st.integers(1, 300))
def test_no_limit_is_passed_and_what_is_missing_is_said(result: Result, room: int, max_chars: int) -> None:
    shorter = cut(result, room=room, max_chars=max_chars)
    assert shorter.status == result.status
    assert size(shorter) <= max(room, size(Result(status=result.status)))
    assert len(bytes(shorter.data).decode()) <= max(max_chars, len("null"))
    assert len(shorter.error) <= max_chars
    json.loads(bytes(shorter.data))
    if shorter != result and room >= 250:
        assert "cut: " in shorter.note
