"""Takes thinking that a model wrote into its text out of it: `<think>` blocks and their kin.

Owns where such a block begins and ends, nothing else. Tags that stand in the middle of a line or in backticks are words
about tags and stay.
"""

import re

from msgspec import Struct

_TAG = re.compile(r"</?(?:think|thinking|thought|reasoning)>|\[/?THINK\]", re.IGNORECASE)


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

    A block begins with its tag at the start of a line and ends at the next closing tag. Where the opening tag is
    missing, because it was already in the prompt, a closing tag at an end of its line ends what began with the reply.
    """
    shown: list[str] = []
    thinking: list[str] = []
    places: list[int] = []
    position, opened, length = 0, -1, 0
    for tag in _TAG.finditer(text):
        closes = tag[0][1] == "/"
        start = _line_start(text, position, tag.start()) if opened < 0 and not closes else -1
        if start >= 0:
            shown.append(text[position:start])
            opened, length = tag.end(), length + start - position
            places.append(length)
        elif closes and (opened >= 0 or _ends_line(text, position, tag)):
            begun = "".join((*shown, text[position : tag.start()])) if opened < 0 else text[opened : tag.start()]
            thinking.append(begun)
            if opened < 0:
                shown, places, length = [], [], 0
            position, opened = tag.end(), -1
    if opened >= 0:
        thinking.append(text[opened:])
    else:
        shown.append(text[position:])
    joined = "\n".join(part.strip() for part in thinking if part.strip())
    return Apart("".join(shown), joined, opened < 0, tuple(places))


def _line_start(text: str, position: int, start: int) -> int:
    """Where the line begins of which only blanks stand before `start`; -1 where there is anything else."""
    while start > position and text[start - 1] in " \t":
        start -= 1
    return start if start == 0 or text[start - 1] == "\n" else -1


def _ends_line(text: str, position: int, tag: re.Match[str]) -> bool:
    """Whether nothing follows the tag in its line, or nothing stands before it: a line's beginning or another tag."""
    before, after = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]
    return tag.start() == position or before == "\n" or after in ("", "\n", "\r")
