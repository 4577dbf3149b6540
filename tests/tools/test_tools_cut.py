"""Results that are too large: where they are cut, how the rest is read, and that nothing is lost on the way."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from loopwright.core.messages import Content, Result
from loopwright.tools.cut import Cut, Page, cut, page, shorten, size
from loopwright.tools.result import error, ok

ROOM = 100_000


def more(offset: int) -> str:
    return f"more({offset})"


def data(result: Result) -> Any:
    return json.loads(bytes(result.data))


def shortened(result: Result, max_chars: int, room: int = ROOM) -> Cut:
    found = shorten(result, room=room, max_chars=max_chars, more=more)
    assert found is not None
    return found


def read_on(result: Result, max_chars: int, room: int = ROOM) -> list[Any]:
    """All parts of a result, from the first that was shown to the last page."""
    first = shortened(result, max_chars, room)
    parts, note = [_part(first)], first.result.note
    while "more(" in note:
        offset = int(note.rpartition("more(")[2].rstrip(")"))
        found = page(result, first, offset, room=room, max_chars=max_chars, more=more)
        assert found.complete
        assert size(found.result) <= room
        assert len(bytes(found.result.data).decode()) <= max_chars
        parts.append(data(found.result))
        note = found.result.note
    assert note.endswith("these are the last")
    return parts


def _part(first: Cut) -> Any:
    if first.part == "error":
        return first.result.error
    shown = data(first.result)
    return shown[first.member] if first.part.startswith("member") else shown


def test_what_fits_is_not_cut() -> None:
    assert shorten(ok([1, 2]), room=ROOM, max_chars=100, more=more) is None


def test_the_note_says_what_is_left_and_what_to_call_for_it() -> None:
    rows = [{"row": number} for number in range(100)]
    found = shortened(ok(rows), 200)
    kept = len(data(found.result))
    assert found.part == "rows"
    assert found.result.note == (
        f"cut: the first {kept} of 100 rows are shown, {100 - kept} left out; to read on: more({kept})"
    )
    second = page(ok(rows), found, kept, room=ROOM, max_chars=200, more=more).result
    end = kept + len(data(second))
    assert data(second) == rows[kept:end]
    assert second.note == f"rows {kept} to {end - 1} of 100, {100 - end} left: more({end})"
    last = page(ok(rows), found, 99, room=ROOM, max_chars=200, more=more).result
    assert (data(last), last.note) == ([rows[99]], "rows 99 to 99 of 100, these are the last")


@pytest.mark.parametrize("offset", [-1, 100, 10**9])
def test_behind_the_end_there_is_nothing(offset: int) -> None:
    found = page(ok([0] * 100), Cut(Result(), "rows"), offset, room=ROOM, max_chars=100, more=more)
    assert found == Page(
        Result("not_found", error=f"NotFound: there are 100 rows, counted from 0; none at {offset}"), complete=True
    )


CASES: list[tuple[str, Result, str]] = [
    ("rows", ok([{"n": number, "text": "é" * (number % 7)} for number in range(90)]), "rows"),
    ("text", ok("One sentence. Another one, longer. " * 60), "text"),
    ("text without a break", ok("x" * 2000), "text"),
    ("a member that is a list", ok({"total": 90, "rows": list(range(900, 990))}), "member_rows"),
    ("a member that is a text", ok({"url": "u", "text": "word " * 300}), "member_text"),
    ("many members", ok({f"key {number}": number for number in range(100)}), "json"),
    ("a long number", ok(10**900), "json"),
    ("an error", error("DiskFull: " + "no room, " * 200), "error"),
    ("an error with data beside it", replace(ok(["line"] * 300), status="error", error="Failed: exit 1"), "rows"),
]


@pytest.mark.parametrize(("result", "part"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_reading_on_to_the_end_gives_all_of_it(result: Result, part: str) -> None:
    first, parts = shortened(result, 150), read_on(result, 150)
    assert first.part == part
    assert first.result.status == result.status
    assert len(parts) > 3
    if part.endswith("rows"):
        whole = data(result)[first.member] if first.member else data(result)
        assert [row for rows in parts for row in rows] == whole
    else:
        text = "".join(parts)
        assert text == {
            "error": result.error,
            "json": bytes(result.data).decode(),
            "text": data(result),
            "member_text": data(result) and isinstance(data(result), dict) and data(result).get("text"),
        }.get(part)


def test_an_error_is_kept_whole_while_there_is_data_to_cut() -> None:
    result = replace(ok(["line"] * 300), status="error", error="Failed: exit 1")
    shown = shortened(result, 150).result
    assert (shown.error, shown.status) == ("Failed: exit 1", "error")
    assert 0 < len(data(shown)) < 300


def test_an_error_that_leaves_no_room_for_data_is_cut_itself() -> None:
    found = shortened(replace(ok(["line"] * 300), status="error", error="Failed: " + "e" * 500), 100)
    assert (found.part, found.result.data) == ("error", Raw(b"null"))
    assert found.result.error.startswith("Failed: eee")


@pytest.mark.parametrize("separator", [",", "\t", " | ", ";"])
def test_a_text_that_is_a_table_keeps_whole_rows(separator: str) -> None:
    lines = [
        separator.join((f"row {number}", "a long cell. And more of it, " if separator != "," else "cell", "end"))
        for number in range(60)
    ]
    parts = read_on(ok("\n".join(lines)), 200)
    assert len(parts) > 5
    assert [line for part in parts for line in part.splitlines()] == lines


def test_prose_with_commas_is_no_table_with_one_long_row() -> None:
    text = "Well, then.\nSo, it is.\nAnd, at last, " + "word " * 500
    assert len(data(shortened(ok(text), 500).result)) > 400


def test_a_row_that_is_too_long_for_any_page_is_given_whole_to_be_cut_in_turn() -> None:
    rows = ["short", "x" * 1000, "short again"]
    first = shortened(ok(rows), 300)
    found = page(ok(rows), first, 1, room=ROOM, max_chars=300, more=more)
    assert not found.complete
    assert data(found.result) == [rows[1]]
    again = shortened(found.result, 300)
    assert again.part == "json"
    assert again.result.note.startswith("rows 1 to 1 of 3, 1 left: more(2); cut: the first")
    assert found.result.note == "rows 1 to 1 of 3, 1 left: more(2)"


def test_a_part_keeps_the_artifacts_that_it_refers_to_and_no_others() -> None:
    contents = tuple(Content(f"{number:064x}"[::-1], 9) for number in range(16))
    rows = [{"artifact": content.reference, "size": 9} for content in contents]
    whole = replace(ok(rows), artifacts=contents)
    first = shortened(whole, 300)
    kept = len(data(first.result))
    assert 0 < kept < 16
    assert first.result.artifacts == contents[:kept]
    second = page(whole, first, kept, room=ROOM, max_chars=300, more=more).result
    assert second.artifacts == contents[kept : kept + len(data(second))]


@pytest.mark.parametrize(
    ("room", "note"),
    [
        (60, ""),
        (110, "cut: no room for 4002 characters"),
        (130, "cut: no room for 4002 characters; to read on: more(0)"),
    ],
)
def test_where_there_is_no_room_as_much_as_fits_is_said(room: int, note: str) -> None:
    shown = shorten(ok("y" * 4000), room=room, max_chars=4000, more=more)
    assert shown is not None
    if room < 130:
        assert shown.result.note == note
    assert size(shown.result) <= max(room, size(Result()))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=9), inner, max_size=9),
    max_leaves=60,
)


@settings(max_examples=150, deadline=None)
@given(plain, st.integers(120, 600), st.integers(20, 300), st.integers(0, 40))
def test_no_page_passes_a_limit_and_each_says_where_it_stands(value: Any, room: int, most: int, offset: int) -> None:
    whole = ok(value)
    first = shorten(whole, room=room, max_chars=most, more=more)
    if first is None:
        assert cut(whole, room=room, max_chars=most) is whole
        return
    assert size(first.result) <= max(room, size(Result()))
    found = page(whole, first, offset, room=room, max_chars=most, more=more)
    json.loads(bytes(found.result.data))
    if found.complete and found.result.status == "ok":
        assert size(found.result) <= room
        assert found.result.note.split(" of ")[0].endswith(str(offset + len(data(found.result)) - 1))
