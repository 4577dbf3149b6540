"""Finds what a model wrote aside: in a scratchpad, an example, a comment. It stays in the text, but does not count.

Owns where such a part begins and ends. Thinking, which is taken out of the text, is in `thinking`; that a call or a
label inside of an aside is none is seen to by those who look for them.
"""

import re

_NAMES = "scratchpad|analysis|reflection|examples?|details"
BEGIN = rf"<(?i:{_NAMES})(?:\s[^<>\n]{{0,100}}+)?>|<!--"
"""An opening tag; whether it counts is told by `end_of`."""

_BEGIN = re.compile(BEGIN)
_LEADS = (":", "：", "*", "\n")
"""What stands before an opening tag that is more than a word about tags."""


def may_have(text: str) -> bool:
    """Whether a text may have anything aside in it; told at once."""
    if "<" not in text:
        return False
    small = text.lower()
    return any(f"<{sign}" in small for sign in ("!--", *_NAMES.replace("s?", "").split("|")))


def next_end(text: str, position: int, stop: int) -> int:
    """The end of the first aside that begins between two positions; -1 where none does."""
    for tag in _BEGIN.finditer(text, position, stop):
        end = end_of(text, tag)
        if end >= 0:
            return end
    return -1


def is_aside(text: str, place: int) -> bool:
    """Whether a place stands inside an aside."""
    end = 0
    while 0 <= end <= place and may_have(text):
        end = next_end(text, end, place)
    return end > place


def end_of(text: str, tag: re.Match[str]) -> int:
    """Where the aside that an opening tag begins ends: the end of the text where it is not closed; -1 if it is a word.

    A tag counts where it begins or ends its line, or stands behind a label.
    """
    if not _counts(text, tag):
        return -1
    name = tag[0].strip("<>").split(None, 1)[0]
    if name == "!--":
        close = text.find("-->", tag.end())
        return close + 3 if close >= 0 else len(text)
    depth = 1
    either = re.compile(rf"<(/?){name}(?:\s[^<>\n]{{0,100}}+)?>", re.IGNORECASE)
    for other in either.finditer(text, tag.end()):
        depth += -1 if other[1] else 1
        if depth == 0:
            return other.end()
    return len(text)


def _counts(text: str, tag: re.Match[str]) -> bool:
    before = text[max(0, tag.start() - 100) : tag.start()].rstrip(" \t")
    after = text[tag.end() : tag.end() + 100].lstrip(" \t")
    return not before or before.endswith(_LEADS) or (not before.endswith("`") and after[:1] in ("", "\n", "\r"))
