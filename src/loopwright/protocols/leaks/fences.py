"""Code in Markdown: where it ends, and the two kinds of fence that hold calls.

Owns the ends of fences and of code in backticks, and the fences whose language word says that a call stands inside
(``tool_code`` of Gemma, ``tool_call``). Code of any other language is never a call.
"""

import re

from loopwright.core.messages import Call
from loopwright.protocols.leaks.found import UNCLOSED, UNREADABLE, Found, Specs, broken_off
from loopwright.protocols.leaks.json_calls import read_json
from loopwright.protocols.leaks.pythonic import python_calls, unreadable

_OPENING = re.compile(r"[ \t]*+(?P<fence>`{3,}|~{3,})[ \t]*+(?P<word>[\w+-]*)(?P<rest>[^\n]*+)\n?")
_CALLS = re.compile(r"tool_calls?|tool_code|tool_use|function_calls?|call")
_BETWEEN = re.compile(r"[\s,;]*+")
_TICKS = re.compile("`++")
_INLINE = 2_000
"""Characters that code in backticks may have."""


def code_end(text: str, position: int) -> int:
    """Where the code ends whose backticks or fence begin at `position`; a fence without an end goes on to the end."""
    opening = _OPENING.match(text, position)
    if opening is not None and "`" not in opening["rest"]:
        close = _closing(opening["fence"]).search(text, opening.end())
        return close.end() if close else len(text)
    run = _TICKS.search(text, position)
    begin = run.end() if run else position + 1
    for tick in _TICKS.finditer(text, begin, begin + _INLINE):
        if run and len(tick[0]) == len(run[0]):
            return begin if "\n\n" in text[begin : tick.start()] else tick.end()
    return begin


def read_fence(text: str, position: int, specs: Specs) -> Found | None:
    """The calls in the fence that begins at `position`; None if its language is not one of calls."""
    opening = _OPENING.match(text, position)
    if opening is None or not _CALLS.fullmatch(opening["word"]) or opening["rest"].strip():
        return None
    close = _closing(opening["fence"]).search(text, opening.end())
    source = text[opening.end() : close.start() if close else None].strip()
    calls = _json(source, specs) if source[:1] in ("{", "[") and not source[1:2].isalpha() else None
    if calls is None:
        calls = python_calls(source, specs) or unreadable(source, specs)
    if close is None:
        calls = [broken_off(call, UNCLOSED) for call in calls]
    return Found(close.end() if close else len(text), tuple(calls), "" if calls else UNREADABLE, closed=True)


def inside_fence(text: str) -> str:
    """What stands in the one fence that is the whole of a text; empty if it is anything else."""
    opening = _OPENING.match(text)
    if opening is None or opening["word"].lower() not in ("", "xml", "text", "txt", "plaintext", "html", "json"):
        return ""
    close = _closing(opening["fence"]).search(text, opening.end())
    return text[opening.end() : close.start()] if close and not text[close.end() :].strip() else ""


def _json(source: str, specs: Specs) -> list[Call] | None:
    found: list[Call] = []
    position = 0
    while source[position : position + 1] in ("{", "["):
        read = read_json(source, position, specs)
        if read.problem:
            return None
        found += read.calls
        behind = _BETWEEN.match(source, read.end)
        position = behind.end() if behind else read.end
    return found if position == len(source) else None


def _closing(fence: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*+{re.escape(fence[0])}{{{len(fence)},}}[ \t\r]*+$", re.MULTILINE)
