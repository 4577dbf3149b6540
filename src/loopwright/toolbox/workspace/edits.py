"""One text in place of another, and what would change, shown.

Owns the exact match: what is replaced must stand in the file once, letter by letter, so that nothing is changed by
guessing. Nothing here reads or writes a file.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest

from msgspec import Struct

from loopwright.toolbox.workspace.content import Text

NAMED = 10
"""Places that are named where a text stands in several."""
COUNTED = 100
"""Places that are counted; more take long to find where a long text overlaps with itself."""
COMPARED = 2_000
"""Lines that are looked through for one that is like a text that is not there."""
RESPACED = 20_000, 200
"""Lines of a file, and of a text that is not there, up to which it is looked for with other spaces."""
LINE = 120
"""Characters of a line that are compared and repeated."""
MEASURED = 40
"""Lines that are compared letter by letter, those first whose letters are the same in any order."""
ALIKE = 0.6
"""How much of two lines must be the same."""
CONTEXT = 3
"""Lines around a change that are shown."""
PRODUCT = 1_000_000
"""Lines before times lines after, up to which the shortest difference is looked for."""

Opcode = tuple[str, int, int, int, int]
_NUMBERED = re.compile(r"[ \t]*\d+\t")
_NO_NEWLINE = "\n\\ No newline at end of file"


class EditRefused(Exception):
    """The text to be replaced is not there, or not once. The model's fault; the text tells it what to send instead."""


class Edited(Struct, frozen=True):
    """A text after an edit."""

    text: str
    first: int
    """The first line that was replaced."""


def edited(content: Text, old: str, new: str, path: str) -> Edited:
    r"""Put `new` where `old` stands. ``\n`` in both stands for whatever the lines of the file end with.

    Raises:
        EditRefused: `old` is empty, does not stand there, or stands there more than once
    """
    text, endings = content.text.replace("\r\n", "\n"), _Endings(content.text)
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise EditRefused("old is empty; to insert, give the line beside it as old, and both lines as new")
    if old == new:
        raise EditRefused("old and new are the same, so nothing would change")
    places = _places(text, old)
    if not places:
        raise EditRefused(_missing(text, old, path))
    if len(places) > 1:
        raise EditRefused(_several(text, places, path))
    start, end = places[0], places[0] + len(old)
    whole = content.text[: endings.position(start)] + new.replace("\n", content.endings)
    return Edited(whole + content.text[endings.position(end) :], text.count("\n", 0, start) + 1)


def difference(before: str | None, after: str, path: str) -> str:
    """A unified diff, in text; empty where nothing changes. `before` is None for a new file.

    The shortest difference where the texts are of ordinary size, else all lines between the first and the last that
    differ; either way it is whole.
    """
    old, new = _lines(before or ""), _lines(after)
    if before is not None and before == after:
        return ""
    names = [f"--- {'/dev/null' if before is None else path}", f"+++ {path}"]
    return "\n".join([*names, *_hunks(old, new)])


class _Endings:
    r"""Where in a text a place is that was counted with ``\n`` for ``\r\n``."""

    def __init__(self, text: str) -> None:
        self._at = [found.start() - number for number, found in enumerate(re.finditer("\r\n", text))]

    def position(self, place: int) -> int:
        return place + bisect_left(self._at, place)


def _places(text: str, old: str) -> list[int]:
    """Where a text stands, also where it overlaps with itself."""
    places: list[int] = []
    at = text.find(old)
    while at >= 0 and len(places) < COUNTED:
        places.append(at)
        at = text.find(old, at + 1)
    return places


def _several(text: str, places: Sequence[int], path: str) -> str:
    lines = [str(text.count("\n", 0, place) + 1) for place in places[:NAMED]]
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    where = f"lines {', '.join(lines)}{more}"
    times = f"{len(places)} times" if len(places) < COUNTED else f"{COUNTED} times or more"
    return f"old stands in {path} {times}, in {where}; give more of the lines around the one you mean"


def _missing(text: str, old: str, path: str) -> str:
    said = f"old does not stand in {path} like this"
    wanted = old.split("\n")
    if old.strip() and all(_NUMBERED.match(line) for line in wanted if line.strip()):
        return f"{said}; leave out the numbers of the lines"
    lines = text.split("\n")
    if place := _but_for_spaces(lines, wanted):
        found = "\n".join(line[:LINE] for line in lines[place - 1 : place - 1 + len(wanted)][:NAMED])
        return f"{said}; from line {place} on it differs in spaces only. There it is:\n{found}"
    near = _nearest(lines, next((line for line in wanted if line.strip()), ""))
    if near:
        return f"{said}; the lines that are most like it are\n" + "\n".join(near)
    return f"{said}, and no line is like it; read_file shows the file"


def _but_for_spaces(lines: Sequence[str], wanted: Sequence[str]) -> int:
    """The first line from which on the lines are the wanted ones but for spaces; 0 where there is none."""
    target = ["".join(line.split()) for line in wanted]
    if not any(target) or len(target) > RESPACED[1]:
        return 0
    bare = ["".join(line.split()) for line in lines[: RESPACED[0]]]
    ends = range(len(bare) - len(target) + 1)
    return next((start + 1 for start in ends if bare[start : start + len(target)] == target), 0)


def _nearest(lines: Sequence[str], wanted: str) -> list[str]:
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines[:COMPARED], 1):
        numbers.setdefault(line.strip()[:LINE], number)
    compare = SequenceMatcher(b=wanted.strip()[:LINE], autojunk=False)

    def likeness(line: str, measure: Callable[[], float]) -> float:
        compare.set_seq1(line)
        return measure()

    first = nlargest(MEASURED, ((likeness(line, compare.quick_ratio), line) for line in numbers))
    found = [(likeness(line, compare.ratio), line) for quick, line in first if quick > ALIKE]
    near = [line for alike, line in nlargest(3, found) if alike > ALIKE and wanted]
    return [f"{numbers[line]}: {lines[numbers[line] - 1][:LINE]}" for line in near]


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + _NO_NEWLINE]


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for group in _groups(old, new):
        first, last = group[0], group[-1]
        yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@"
        for kind, a, b, c, d in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[a:b])
                continue
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])


def _groups(old: Sequence[str], new: Sequence[str]) -> Iterator[list[Opcode]]:
    """Changes with lines around them; what is equal before and behind them all is left out first: it is much."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    start, ends = max(0, head - CONTEXT), (len(old) - max(0, tail - CONTEXT), len(new) - max(0, tail - CONTEXT))
    middle, other = old[start : ends[0]], new[start : ends[1]]
    if len(middle) * len(other) <= PRODUCT:
        groups = SequenceMatcher(None, middle, other, autojunk=False).get_grouped_opcodes(CONTEXT)
    else:
        before, behind = head - start, min(tail, CONTEXT)
        cut, until = len(middle) - behind, len(other) - behind
        whole = [("equal", 0, before, 0, before), ("replace", before, cut, before, until)]
        groups = [[*whole, ("equal", cut, len(middle), until, len(other))]]
    for group in groups:
        yield [(kind, a + start, b + start, c + start, d + start) for kind, a, b, c, d in group]


def _span(start: int, end: int) -> str:
    """Lines of a hunk as the format counts them: from 1 on, and an empty span stands behind the line before it."""
    if end - start == 1:
        return str(start + 1)
    return f"{start + 1 if end > start else start},{end - start}"
