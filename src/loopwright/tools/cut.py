"""How a result that is too large for the model is shortened, and how the rest of it is read, page by page.

Owns where it is cut and the words that say so. What was left out is counted in the note, never dropped in silence; with
a way to read on, the note says what to call for it.
"""

import json
from collections.abc import Callable
from typing import Any, cast

from msgspec import Raw, Struct

from loopwright.core.messages import NOTHING, Content, Part, Result

_FRAME = len('{"status": "not_found", "data": , "error": , "note": }')
_BREAKS = ("\n\n", "\n", ". ", "。", "; ", ", ", " ")
"""Where a text is cut, best first."""
_SEPARATORS = "|\t,;"
"""What stands between the fields of a table that is a text."""
_SAMPLE = 5
"""Lines by which a text is told to be a table."""

Shown = Callable[[Any, int, int, str], Result]
"""Makes a result of a shortened value, of which so many of so many rows or characters are left."""
Fits = Callable[[Result], bool]
More = Callable[[int], str]
"""What to call to read on from a row or character, in words for the note."""


class Cut(Struct, frozen=True):
    """A result that was shortened, and what it was cut in."""

    result: Result
    part: Part
    member: str = ""
    """The name of the member that was cut."""


class Page(Struct, frozen=True):
    """A part of a result, somewhere behind its beginning."""

    result: Result
    complete: bool = True
    """Whether it is shown as it is; a row that is too long for any page is given whole, to be cut in turn."""


def size(result: Result) -> int:
    """Bytes of a result as the model is shown it at most: status, data, error and note as JSON text."""
    return _FRAME + len(bytes(result.data)) + _written(result.error) + _written(result.note)


def cut(result: Result, *, room: int, max_chars: int) -> Result:
    """Shorten a result to `room` bytes in all and `max_chars` characters of data or error; see `shorten`."""
    shorter = shorten(result, room=room, max_chars=max_chars)
    return result if shorter is None else shorter.result


def shorten(result: Result, *, room: int, max_chars: int, more: More | None = None) -> Cut | None:
    """Shorten a result to `room` bytes in all and `max_chars` characters of data or error.

    A list keeps whole rows, as does a text that is a table; any other text is cut at a paragraph, line, sentence or
    word, an object keeps its shape and loses rows or text of its largest member; what has no such place is shown as the
    beginning of its JSON text. The note says how many of how many rows or characters are shown, and with `more` what to
    call for the rest. Below some 200 bytes nothing but the status may be left.

    Returns:
        the shorter result; None where it fits as it is
    """
    fits = _fitting(room, max_chars)
    if fits(result):
        return None
    at_most = max(0, min(room, max_chars))
    data_first = (_rows, _text, _member, _json_text, _error)
    for way in data_first if result.data != NOTHING else (_error,):
        found = way(result, at_most, fits, more)
        if found is not None:
            return found
    return _bare(result, fits, more)


def page(whole: Result, at: Cut, offset: int, *, room: int, max_chars: int, more: More) -> Page:
    """What of a result comes from a row or character on, in at most `room` bytes and `max_chars` characters.

    Args:
        whole: the result as the tool gave it
        at: what it was cut in
        offset: rows or characters before the page
        room: bytes of the page, with its note
        max_chars: characters of the page's data
        more: what to call for the page after it
    """
    value, unit, of = _part(whole, at)
    total, fits = len(value), _fitting(room, max_chars)
    if not 0 <= offset < total:
        return Page(
            Result("not_found", error=f"NotFound: there are {total} {unit}{of}, counted from 0; none at {offset}")
        )

    def shown(count: int) -> Result:
        end = offset + count
        data = Raw(_encoded(value[offset:end]))
        rest = f"{total - end} left: {more(end)}" if end < total else "these are the last"
        where = f"{unit} {offset} to {end - 1} of {total}{of}"
        return Result(data=data, note=f"{where}, {rest}", artifacts=_within(data, whole))

    left = total - offset
    count = _longest(left, max(0, min(room, max_chars)), shown, fits)
    if count and isinstance(value, str):
        count = _place(value[offset:], count)
    if count and fits(shown(count)):
        return Page(shown(count))
    return Page(shown(1), complete=False)


def _fitting(room: int, max_chars: int) -> Fits:
    def fits(candidate: Result) -> bool:
        if size(candidate) > room or len(candidate.error) > max_chars:
            return False
        return _characters(candidate.data) <= max_chars

    return fits


def _part(whole: Result, at: Cut) -> tuple["list[Any] | str", str, str]:
    """What was cut: a list or a text, what it is counted in, and what it is a part of, in words."""
    match at.part:
        case "error":
            return whole.error, "characters", " of the error"
        case "json":
            return bytes(whole.data).decode("utf-8", "replace"), "characters", " of the JSON text"
        case "rows" | "text":
            value, of = _value(whole), ""
        case "member_rows" | "member_text":
            value, of = cast("dict[str, Any]", _value(whole))[at.member], f" of {at.member!r}"
    return value, "rows" if at.part.endswith("rows") else "characters", of


def _error(result: Result, at_most: int, fits: Fits, more: More | None) -> Cut | None:
    """The error, where there is no data beside it, or where it leaves no room for any."""
    whole = len(result.error)

    def shown(length: int) -> Result:
        words = f"{length} of {whole} characters of the error are shown{_go_on(more, length)}"
        return Result(status=result.status, error=result.error[:length], note=_note(result.note, words))

    length = _place(result.error, _longest(whole, at_most, shown, fits))
    return Cut(shown(length), "error") if length and fits(shown(length)) else None


def _rows(result: Result, at_most: int, fits: Fits, more: More | None) -> Cut | None:
    value = _value(result)
    if not isinstance(value, list):
        return None
    found = _fewer_rows(cast("list[Any]", value), at_most, fits, _shows(result, "", more))
    return None if found is None else Cut(found, "rows")


def _text(result: Result, at_most: int, fits: Fits, more: More | None) -> Cut | None:
    value = _value(result)
    found = _less_text(value, at_most, fits, _shows(result, "", more)) if isinstance(value, str) else None
    return None if found is None else Cut(found, "text")


def _member(result: Result, at_most: int, fits: Fits, more: More | None) -> Cut | None:
    """An object with rows or text of its largest member left out."""
    value = _value(result)
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, Any]", value)
    largest = max(members, key=lambda name: len(_encoded(members[name])), default="")
    put = _shows(result, f" of {largest!r}", more)

    def shown(part: Any, kept: int, whole: int, unit: str) -> Result:
        return put({**members, largest: part}, kept, whole, unit)

    part = members.get(largest)
    found = None
    if isinstance(part, list):
        found = _fewer_rows(cast("list[Any]", part), at_most, fits, shown)
    elif isinstance(part, str):
        found = _less_text(part, at_most, fits, shown)
    return None if found is None else Cut(found, "member_rows" if isinstance(part, list) else "member_text", largest)


def _json_text(result: Result, at_most: int, fits: Fits, more: More | None) -> Cut | None:
    text = bytes(result.data).decode("utf-8", "replace")
    found = _less_text(text, at_most, fits, _shows(result, " of the JSON text", more))
    return None if found is None else Cut(found, "json")


def _bare(result: Result, fits: Fits, more: More | None) -> Cut:
    """What is left where there is room for hardly anything."""
    length = _characters(result.data) + len(result.error)
    notes = (f"cut: no room for {length} characters{_go_on(more, 0)}", f"cut: no room for {length} characters", "")
    told = (Result(status=result.status, note=note) for note in notes)
    least = Result(status=result.status)
    return Cut(next((one for one in told if fits(one)), least), "error" if result.error else "json")


def _fewer_rows(rows: list[Any], at_most: int, fits: Fits, shown: Shown) -> Result | None:
    def first(count: int) -> Result:
        return shown(rows[:count], count, len(rows), "rows")

    count = _longest(len(rows) - 1, at_most, first, fits)
    return first(count) if count else None


def _less_text(text: str, at_most: int, fits: Fits, shown: Shown) -> Result | None:
    def first(length: int) -> Result:
        return shown(text[:length], length, len(text), "characters")

    length = _place(text, _longest(len(text) - 1, at_most, first, fits))
    return first(length) if length and fits(first(length)) else None


def _longest(whole: int, at_most: int, shown: Callable[[int], Result], fits: Fits) -> int:
    """The most rows or characters that fit; none where not even one does."""
    low, high = 0, min(whole, at_most)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(shown(middle)):
            low = middle
        else:
            high = middle - 1
    return low


def _place(text: str, length: int) -> int:
    """The best place to cut before `length`: behind the last row of a table, else in the last fifth."""
    if length >= len(text):
        return length
    row = text.rfind("\n", length // 4, length)
    if row > 0 and _is_table(text):
        return row + 1
    least = length - length // 5
    for mark in _BREAKS:
        found = text.rfind(mark, least, length)
        if found > 0:
            return found + len(mark.rstrip())
    return length


def _is_table(text: str) -> bool:
    """Whether its first lines have the same number of fields, which is more than one."""
    lines = [line for line in text[:20_000].split("\n", _SAMPLE + 1)[:_SAMPLE] if line.strip()]
    if len(lines) < 3:
        return False
    counts = ({line.count(separator) for line in lines} for separator in _SEPARATORS)
    return any(len(found) == 1 and 0 not in found for found in counts)


def _shows(result: Result, of: str, more: More | None) -> Shown:
    def shown(value: Any, kept: int, whole: int, unit: str) -> Result:
        words = f"the first {kept} of {whole} {unit}{of} are shown, {whole - kept} left out{_go_on(more, kept)}"
        data = Raw(_encoded(value))
        note, artifacts = _note(result.note, words), _within(data, result)
        return Result(result.status, data, result.error, note, artifacts)

    return shown


def _within(data: Raw, whole: Result) -> tuple[Content, ...]:
    """The artifacts that the data refers to."""
    if not whole.artifacts:
        return ()
    text = bytes(data)
    return tuple(content for content in whole.artifacts if content.reference.encode() in text)


def _go_on(more: More | None, offset: int) -> str:
    return f"; to read on: {more(offset)}" if more else ""


def _note(before: str, words: str) -> str:
    return f"{before}; cut: {words}" if before else f"cut: {words}"


def _value(result: Result) -> Any:
    if result.data == NOTHING:
        return None
    return json.loads(bytes(result.data))


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _written(text: str) -> int:
    return len(_encoded(text)) if text else 0


def _characters(raw: Raw) -> int:
    """Characters of data; none where there is no data."""
    if raw == NOTHING:
        return 0
    data = bytes(raw)
    return len(data) if data.isascii() else len(data.decode("utf-8", "replace"))
