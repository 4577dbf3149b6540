"""Takes thinking that a model wrote into its text out of it: `<think>` blocks and their kin.

Owns where such a block begins and ends, nothing else. Tags in backticks, and those in the middle of a line that open
nothing, are words about tags and stay.
"""

import re

from msgspec import Struct

_TAG = re.compile(r"</?(?:seed:)?(?:think|thinking|thought|reasoning)>|\[/?THINK\]|◁/?think▷", re.IGNORECASE)
_SIGNS = ("think>", "thinking>", "thought>", "reasoning>", "think]", "think▷")
"""One of these is in every text that has thinking in it, in small letters."""


class Apart(Struct, frozen=True):
    """A text and the thinking that stood in it."""

    shown: str
    thinking: str
    closed: bool = True
    """Whether the last block was closed."""
    places: tuple[int, ...] = ()
    """Where in `shown` a block stood between other text."""


def without_thinking(text: str) -> tuple[str, str, bool]:
    """The text without thinking, the thinking, and whether the last block was closed."""
    apart = taken_apart(text)
    return apart.shown, apart.thinking, apart.closed


def taken_apart(text: str) -> Apart:
    """The text without thinking, and the thinking.

    A block begins with its tag at the start of a line, or behind other words where it is not closed in the same line.
    It ends where as many tags have closed as opened. Where the opening tag is missing, because it was already in the
    prompt, a closing tag at an end of its line ends what began with the reply.
    """
    if not may_think(text):
        return Apart(text, "")
    tags = [tag for tag in _TAG.finditer(text) if not _is_quoted(text, tag)]
    shown: list[str] = []
    thinking: list[str] = []
    places: list[int] = []
    position, length, number = 0, 0, 0
    opens = _openings(text, tags)
    while number < len(tags):
        tag, end = tags[number], number
        if opens[number]:
            start = _line_start(text, position, tag.start())
            start = start if start >= 0 else tag.start()
            length += start - position
            shown.append(text[position:start])
            places.append(length)
            end = _closing(text, tags, number, opens)
            if end < 0:
                thinking.append(text[tag.end() :])
                return _apart(shown, thinking, places, closed=False)
            thinking.append(text[tag.end() : tags[end].start()])
            position = tags[end].end()
            if shown[-1] and not shown[-1].endswith("\n") and "\n" in thinking[-1]:
                shown.append("\n")
                length += 1
        elif _closes(tag) and _ends_line(text, position, tag):
            thinking.append("".join((*shown, text[position : tag.start()])))
            shown, places, length, position = [], [], 0, tag.end()
        number = end + 1
    shown.append(text[position:])
    return _apart(shown, thinking, places, closed=True)


def may_think(text: str) -> bool:
    """Whether a text may have thinking in it; told at once."""
    if "<" not in text and "[" not in text and "◁" not in text:
        return False
    small = text.lower()
    return any(sign in small for sign in _SIGNS)


def _apart(shown: list[str], thinking: list[str], places: list[int], *, closed: bool) -> Apart:
    joined = "\n".join(part.strip() for part in thinking if part.strip())
    return Apart("".join(shown), joined, closed, tuple(places))


def _closes(tag: re.Match[str]) -> bool:
    return tag[0][1] == "/"


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    """Whether a tag stands alone in backticks or quotation marks."""
    before = text[tag.start() - 1 : tag.start()] if tag.start() else ""
    return before in ("`", '"', "'") and text[tag.end() : tag.end() + 1] == before


def _stands_alone(text: str, tag: re.Match[str]) -> bool:
    """Whether a tag stands between blanks in the middle of a line, as a word does."""
    before = text[tag.start() - 1 : tag.start()]
    return before == " " and text[tag.end() : tag.end() + 1] == " "


def _openings(text: str, tags: list[re.Match[str]]) -> list[bool]:
    """Which tags open a block, if they stand outside of one: the others close, or are words about tags."""
    opens = [False] * len(tags)
    closing, line_end = len(text), len(text)
    behind = len(text)
    for number in range(len(tags) - 1, -1, -1):
        tag = tags[number]
        if _closes(tag):
            closing = tag.start()
            continue
        found = text.find("\n", tag.end(), behind)
        line_end, behind = (found if found >= 0 else line_end), tag.end()
        alone = not text[tag.end() : min(line_end, tag.end() + 100)].strip()
        later = line_end < closing < len(text)
        opens[number] = _line_start(text, 0, tag.start()) >= 0 or alone or later
    return opens


def _closing(text: str, tags: list[re.Match[str]], number: int, opens: list[bool]) -> int:
    """The number of the tag that closes the block that a tag opens; -1 where none does.

    A tag right behind another, as models write that had one in the prompt, opens nothing more; neither does one in the
    middle of a line for which no closing tag is left that is more than a word.
    """
    depth, sure, last = 1, 1, -1
    for place in range(number + 1, len(tags)):
        if _closes(tags[place]):
            if last >= 0 and sure <= 0 and _stands_alone(text, tags[place]):
                continue
            depth, sure, last = depth - 1, sure - 1, place
            if depth == 0:
                return place
        elif text[tags[place - 1].end() : tags[place].start()].strip() or place - 1 > number:
            depth += 1
            sure += opens[place] and _line_start(text, 0, tags[place].start()) >= 0
    return last if last >= 0 and sure <= 0 else -1


def _line_start(text: str, position: int, start: int) -> int:
    """Where the line begins of which only blanks stand before `start`; -1 where there is anything else."""
    while start > position and text[start - 1] in " \t":
        start -= 1
    return start if start == 0 or text[start - 1] == "\n" else -1


def _ends_line(text: str, position: int, tag: re.Match[str]) -> bool:
    """Whether nothing follows the tag in its line, or nothing stands before it: a line's beginning or another tag."""
    before, after = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]
    return tag.start() == position or before == "\n" or after in ("", "\n", "\r")
