"""Tells an action that is meant from one that is only quoted or given as an example in the text around it.

Owns where such an action stands: in a code fence or an indented block with prose behind it, between lines of quotes, or
behind a line that introduces an example. The words that do that are those of `leaks.quotations`.
"""

import re

from loopwright.protocols.leaks.quotations import is_example
from loopwright.protocols.react_lines import FENCE, INVISIBLE

_QUOTES = re.compile(r"[ \t]*[\"'“”„«»「」]{1,3}[ \t]*")
"""A line of quotes only."""
_INTRODUCES = (":", "：")
_INDENT = re.compile(r"(?: {4}|\t)")
_TAIL = 600
"""Characters before an action that are looked at."""


def is_quoted(text: str, start: int, end: int, *, fenced: bool) -> bool:
    """Whether the action that stands from `start` to `end`, with what follows it there, is not meant.

    Args:
        text: the reply
        start: where the label of the action or its JSON object begins
        end: where the next label begins that does not belong to the action
        fenced: whether the action stands in a code fence that was opened behind a thought
    """
    line = _line_before(text, start)
    behind = text[start:end].split("\n")[1:]
    if is_introduced(text, start) or (_QUOTES.fullmatch(line) and any(map(_QUOTES.fullmatch, behind))):
        return True
    if fenced:
        return _behind_fence(behind)
    begin = text.rfind("\n", 0, start) + 1
    indented = _INDENT.match(text, begin) is not None and bool(line) and not _INDENT.match(line)
    return indented and any(inner[:1].isalpha() for inner in behind)


def is_introduced(text: str, start: int) -> bool:
    """Whether the line before a position introduces an example or a quotation."""
    line = _line_before(text, start).rstrip(INVISIBLE + " \t*_")
    return line.endswith(_INTRODUCES) and is_example(line)


def _line_before(text: str, start: int) -> str:
    """The last line before a position that is neither blank nor a fence."""
    lines = text[max(0, start - _TAIL) : start].rpartition("\n")[0].split("\n")
    return next((line for line in reversed(lines) if line.strip(INVISIBLE + " \t") and not FENCE.match(line)), "")


def _behind_fence(lines: list[str]) -> bool:
    """Whether prose stands behind the next line that is a fence."""
    fence = next((number for number, line in enumerate(lines) if FENCE.match(line)), len(lines))
    return any(line.strip(INVISIBLE + " \t`~") for line in lines[fence + 1 :])
