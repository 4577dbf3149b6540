"""Finds where a bracketed piece of text ends, in time that grows with its length only. Understands nothing of it."""

import re

_MARK = re.compile(r"[\[\](){}\"']|\\.", re.DOTALL)
_DOUBLE = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^'\\]++|\\.)*+'", re.DOTALL)
_BRACKET = re.compile(r"[\[\]]")


def value_end(text: str, start: int, stop: int | None = None) -> int:
    """The position behind the bracket that closes the one at `start`, or -1; brackets in quoted strings do not count.

    An apostrophe opens a string only where a value can stand, so ``it's`` does not.
    """
    stop = len(text) if stop is None else stop
    depth, position = 0, start
    while (mark := _MARK.search(text, position, stop)) is not None:
        position, sign = mark.end(), mark[0]
        if sign in "[({":
            depth += 1
        elif sign in "])}":
            depth -= 1
            if depth == 0:
                return position
        elif sign == '"' or (sign == "'" and _begins_value(text, mark.start())):
            string = (_DOUBLE if sign == '"' else _SINGLE).match(text, mark.start(), stop)
            if string is None:
                return -1
            position = string.end()
    return -1


def bracket_end(text: str, start: int) -> int:
    """The position behind the square bracket that closes the one at `start`, or -1; quotes mean nothing here."""
    depth = 0
    for mark in _BRACKET.finditer(text, start):
        depth += 1 if mark[0] == "[" else -1
        if depth == 0:
            return mark.end()
    return -1


def _begins_value(text: str, position: int) -> bool:
    before = text[max(0, position - 8) : position].rstrip()
    return before[-1:] in ("{", "[", "(", ",", ":", "=")
