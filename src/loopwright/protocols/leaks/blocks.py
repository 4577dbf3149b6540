"""Reads calls without marks: a JSON object or array, or Python calls, bare or in a code fence.

Owns where such a block counts: its tool exists, and it is the whole reply, or the end of one behind a short lead-in
that introduces no example. Anything else of this kind is text.
"""

import re

from msgspec import Struct

from loopwright.core.messages import Call
from loopwright.protocols.balance import value_end
from loopwright.protocols.leaks.found import UNCLOSED, Specs, broken_off, tool_name
from loopwright.protocols.leaks.json_calls import NAMED, calls_in
from loopwright.protocols.leaks.marks import without_ending
from loopwright.protocols.leaks.pythonic import BEGINS, python_calls, unreadable
from loopwright.protocols.leaks.quotations import is_example

LEAD = 400
"""Characters that may stand before a block."""
_LEAD_LINES = 4

LATE = "a tool call stood behind a long text, so it did not run; send the call alone"
_LANGUAGES = "(?:jsonc?|json5|tool_calls?|tool_code|tool_use|tools?|function_calls?|te?xt|plaintext)?"
_START = re.compile(r"^[ \t]*+(?:```|~~~|[{\[])|[:：][ \t]*+(?=[{\[])", re.MULTILINE)
_FENCE = re.compile(rf"[ \t]*+(?P<fence>`{{3,}}|~{{3,}}){_LANGUAGES}[ \t]*+(?:\r?\n)?\s*+", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]*+")
_CALL = re.compile(r"(?:print\()?(?P<name>[^\W\d][\w.]{0,99})\(")
_MARK = re.compile(r"<!--|<[/|｜]?[a-zA-Z_｜|]|\[/?[A-Z_]{3,}\]")
"""Tags and special tokens: a lead-in with one of them is no plain prose."""


class Block(Struct, frozen=True):
    """Calls without marks."""

    start: int
    calls: tuple[Call, ...] = ()
    problem: str = ""


def read_block(text: str, specs: Specs) -> Block | None:
    """The calls of the block with which a reply ends; None if it ends with none."""
    text = without_ending(text)
    for start in _starts(text, specs):
        lead = text[:start].strip()
        if _MARK.search(lead[-2 * LEAD :]) or is_example(lead[-LEAD:]):
            continue
        calls = _values(text, start, specs)
        if calls:
            short = len(lead) <= LEAD and lead.count("\n") < _LEAD_LINES and "```" not in lead
            return Block(start, tuple(calls)) if short else Block(start, problem=LATE)
    return None


def _starts(text: str, specs: Specs) -> list[int]:
    """Where a block may begin: at the first line that looks like it, and at the last."""
    begin = len(text) - len(text.lstrip())
    call = _CALL.match(text, begin)
    if call and tool_name(call["name"], specs) in specs:
        return [begin]
    first = _START.search(text, 0, LEAD + 1)
    starts = [] if first is None else [first.end() if first[0][0] in ":：" else first.start()]
    closing = text.endswith(("```", "~~~"))
    last = text.rfind("\n" + text[-3:], 0, len(text) - 3) if closing else text.rfind("\n{")
    return [*starts, last + 1] if last >= 0 and last + 1 not in starts else starts


def _values(text: str, position: int, specs: Specs) -> list[Call]:
    """The calls from `position` to the end of the text; none if there is anything else, or an unknown tool."""
    calls: list[Call] = []
    fence = ""
    position = _skip(text, position)
    while position < len(text):
        opening = _FENCE.match(text, position)
        if opening and not fence:
            fence, position = opening["fence"], opening.end()
        elif fence and text.startswith(fence, position):
            position, fence = _skip(text, position + len(fence)), ""
        else:
            found, position = _value(text, position, specs)
            if not found or any(call.tool not in specs for call in found):
                return []
            calls += found
            position = _skip(text, position)
    return [broken_off(call, UNCLOSED) for call in calls] if fence else calls


def _value(text: str, position: int, specs: Specs) -> tuple[list[Call], int]:
    """One JSON value or Python call that is a call, and its end."""
    call = _CALL.match(text, position)
    python = call is not None or BEGINS.match(text, position) is not None
    if text[position] not in "{[" and call is None:
        return [], len(text)
    end = value_end(text, text.index("(", position) if call else position)
    source = text[position : end if end >= 0 else None]
    if end < 0:
        named = None if python else NAMED.match(source)
        cut = unreadable(source, specs) if python else calls_in(source, specs) if named else []
        return [broken_off(item) for item in cut or []], len(text)
    if python:
        return python_calls(source, specs) or unreadable(source, specs), end
    return calls_in(source, specs) or [], end


def _skip(text: str, position: int) -> int:
    match = _BETWEEN.match(text, position)
    return match.end() if match else position
