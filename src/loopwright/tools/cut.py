"""How a result that is too large for the model is shortened.

Owns where it is cut and the words that say so. What was left out is counted in the note, never dropped in silence.
"""

import json
from collections.abc import Callable
from typing import Any, cast

import msgspec
from msgspec import Raw

from loopwright.core.messages import NOTHING, Result

_FRAME = len('{"status": "not_found", "data": , "error": , "note": }')
_BREAKS = ("\n\n", "\n", ". ", "。", "; ", ", ", " ")
"""Where a text is cut, best first."""

Shown = Callable[[Any, int, int, str], Result]
"""Makes a result of a shortened value, of which so many of so many rows or characters are left."""
Fits = Callable[[Result], bool]


def size(result: Result) -> int:
    """Bytes of a result as the model is shown it at most: status, data, error and note as JSON text."""
    return _FRAME + len(bytes(result.data)) + _written(result.error) + _written(result.note)


def cut(result: Result, *, room: int, max_chars: int) -> Result:
    """Shorten a result to `room` bytes in all and `max_chars` characters of data or error.

    A list keeps whole rows, a text is cut at a paragraph, line, sentence or word, an object keeps its shape and loses
    rows or text of its largest member; what has no such place is shown as the beginning of its JSON text. The note
    says how many of how many rows or characters are shown. A result that fits is returned as it is. Below some 200
    bytes nothing but the status may be left.
    """

    def fits(candidate: Result) -> bool:
        return (
            size(candidate) <= room and len(candidate.error) <= max_chars and _characters(candidate.data) <= max_chars
        )

    if fits(result):
        return result
    at_most = max(0, min(room, max_chars))
    for shorter in (_error, _rows, _text, _member, _json_text):
        candidate = shorter(result, at_most, fits)
        if candidate is not None:
            return candidate
    return _bare(result, fits)


def _error(result: Result, at_most: int, fits: Fits) -> Result | None:
    """The error of a result that has no data beside it."""
    if not result.error:
        return None
    whole = len(result.error)

    def shown(length: int) -> Result:
        note = _note(result.note, f"{length} of {whole} characters of the error are shown")
        return Result(status=result.status, error=result.error[:length], note=note)

    return _longest(whole, at_most, shown, fits, result.error)


def _rows(result: Result, at_most: int, fits: Fits) -> Result | None:
    value = _value(result)
    if not isinstance(value, list):
        return None
    return _fewer_rows(cast("list[Any]", value), at_most, fits, _shows(result, ""))


def _text(result: Result, at_most: int, fits: Fits) -> Result | None:
    value = _value(result)
    return _less_text(value, at_most, fits, _shows(result, "")) if isinstance(value, str) else None


def _member(result: Result, at_most: int, fits: Fits) -> Result | None:
    """An object with rows or text of its largest member left out."""
    value = _value(result)
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, Any]", value)
    largest = max(members, key=lambda name: len(_encoded(members[name])), default="")
    put = _shows(result, f" of {largest!r}")

    def shown(part: Any, kept: int, whole: int, unit: str) -> Result:
        return put({**members, largest: part}, kept, whole, unit)

    part = members.get(largest)
    if isinstance(part, list):
        return _fewer_rows(cast("list[Any]", part), at_most, fits, shown)
    return _less_text(part, at_most, fits, shown) if isinstance(part, str) else None


def _json_text(result: Result, at_most: int, fits: Fits) -> Result | None:
    text = bytes(result.data).decode("utf-8", "replace")
    return _less_text(text, at_most, fits, _shows(result, " of the JSON text"))


def _bare(result: Result, fits: Fits) -> Result:
    """What is left where there is room for hardly anything."""
    length = _characters(result.data) + len(result.error)
    told = Result(status=result.status, note=f"cut: no room for {length} characters")
    return told if fits(told) else Result(status=result.status)


def _fewer_rows(rows: list[Any], at_most: int, fits: Fits, shown: Shown) -> Result | None:
    def first(count: int) -> Result:
        return shown(rows[:count], count, len(rows), "rows")

    return _longest(len(rows) - 1, at_most, first, fits, None)


def _less_text(text: str, at_most: int, fits: Fits, shown: Shown) -> Result | None:
    def first(length: int) -> Result:
        return shown(text[:length], length, len(text), "characters")

    return _longest(len(text) - 1, at_most, first, fits, text)


def _longest(whole: int, at_most: int, shown: Callable[[int], Result], fits: Fits, text: str | None) -> Result | None:
    """The most that fits, at least one row or character; a text is then cut at the best place before."""
    low, high = 0, min(whole, at_most)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(shown(middle)):
            low = middle
        else:
            high = middle - 1
    if text is not None:
        low = _place(text, low)
    candidate = shown(low)
    return candidate if low and fits(candidate) else None


def _place(text: str, length: int) -> int:
    """The best place to cut in the last fifth before `length`."""
    least = length - length // 5
    for mark in _BREAKS:
        found = text.rfind(mark, least, length)
        if found > 0:
            return found + len(mark.rstrip())
    return length


def _shows(result: Result, of: str) -> Shown:
    def shown(value: Any, kept: int, whole: int, unit: str) -> Result:
        words = f"the first {kept} of {whole} {unit}{of} are shown, {whole - kept} left out"
        return msgspec.structs.replace(result, data=Raw(_encoded(value)), note=_note(result.note, words))

    return shown


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
