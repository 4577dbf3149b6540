"""Reads a stretch of calls between marks: one after the other, in whatever form each is written, up to where they end.

Owns the grammar that all families with marks share: marks and calls follow each other, and a call counts as complete
when a mark follows it. The forms themselves are read by the modules for JSON, Python and tags.
"""

import re
from typing import cast

from msgspec import Struct

from loopwright.core.messages import Call
from loopwright.protocols.balance import value_end
from loopwright.protocols.leaks.found import (
    NAMELESS,
    UNCLOSED,
    UNFINISHED,
    UNREADABLE,
    Found,
    Specs,
    broken_off,
    made,
    refused,
    tool_name,
)
from loopwright.protocols.leaks.json_calls import read_json, read_object
from loopwright.protocols.leaks.marks import MARK, SEPARATOR
from loopwright.protocols.leaks.markup import read_markup, read_pairs
from loopwright.protocols.leaks.pythonic import BEGINS, python_calls, unreadable
from loopwright.protocols.leaks.quotations import begins_line
from loopwright.protocols.repair import Arguments

_BETWEEN = re.compile(r"[\s,;]*+")
_FENCE = re.compile(r"```(?:json|tool_call)?\s*+(?=[{\[])")
_FENCE_END = re.compile(r"\s*+```")
_NAME = re.compile(r"(?P<name>[^\W\d][\w.:/-]{0,127})\s*+")
_BARE_NAME = re.compile(r"(?P<name>[^\W\d][\w.-]{0,127})[ \t]*+\r?\n?\s*+(?=```|\{)")
_ARGUMENTS = re.compile(r"\s*+(?=```|\{)")
NOTHING = Arguments({}, "strict", "")
_TYPE_WORD = "function"
"""What DeepSeek V3 writes before the separator, in the place of the name."""
_LEFT_OVER = re.compile(r"\s*+(?:\{|<arg_)")
_GRANITE = ("<|tool_call|>", "<tool_call>")
_WINDOW = 100
_CLOSE_WITHIN = 2_000
"""Characters behind a plain opening tag in which its closing tag makes it more than a word about tags."""


class _Region(Struct):
    """How far the reading of a region has come."""

    position: int
    opening: re.Match[str] | None = None
    fresh: bool = False
    """Whether nothing stands behind the opening mark yet."""
    closed: bool = False
    done: list[Call] = []
    waiting: list[Call] = []
    """Calls behind which no mark has come yet."""


def read_region(text: str, position: int, specs: Specs) -> Found | None:
    """The calls from `position`, where an opening mark or a call in tags stands; None if it is a word in prose.

    A call behind which no mark comes is rejected, unless its form ends with the turn.
    """
    region = _Region(position)
    while True:
        start = _after(_BETWEEN, text, region.position)
        following = MARK.match(text, start)
        if following:
            _pass(region, following)
            continue
        body = None if region.closed else _body(text, start, specs, fresh=region.fresh)
        if body is None:
            break
        if body.problem:
            return body
        alone = body.closed or _is_list(region, text[start : start + 1])
        target = region.done if alone else region.waiting
        target += body.calls
        region.position, region.fresh = body.end, False
    if region.fresh:
        return _without_body(text, position, region)
    if region.opening is None or not region.opening["endless"]:
        region.waiting = [broken_off(call) for call in region.waiting]
    calls = (*region.done, *region.waiting)
    if not calls:
        return Found(region.position, problem=UNREADABLE) if region.opening else None
    return Found(region.position, calls)


def _is_list(region: _Region, sign: str) -> bool:
    """Whether the calls are Granite's: a list behind the mark for one call, which nothing closes but its bracket."""
    return sign == "[" and region.opening is not None and region.opening[0] in _GRANITE


def _pass(region: _Region, mark: re.Match[str]) -> None:
    """Go on behind a mark: the calls before it are complete."""
    region.done += region.waiting
    region.waiting = []
    region.closed = mark["close"] is not None
    region.fresh = not region.closed
    region.opening = mark if region.fresh else region.opening
    region.position = mark.end()


def _without_body(text: str, begin: int, region: _Region) -> Found | None:
    """What an opening mark means behind which no call stands.

    Behind a call some models write the opening mark in the place of the closing one.
    """
    position, done = region.position, region.done
    opening = cast("re.Match[str]", region.opening)
    last = _after(_BETWEEN, text, position) == len(text)
    if done and last:
        return Found(len(text), tuple(done)) if _closes(text, opening, done) else Found(len(text), problem=UNFINISHED)
    if opening["weak"] and not done:
        close = opening[0].replace("<", "</", 1)
        inside = not begins_line(text, begin)
        if inside or (not last and text.find(close, position, position + _CLOSE_WITHIN) < 0):
            return None
    return Found(position, problem=UNFINISHED if last else UNREADABLE)


def _closes(text: str, opening: re.Match[str], done: list[Call]) -> bool:
    """Whether an opening mark at the end stands for a closing one: it comes right behind the call."""
    before = text[max(0, opening.start() - _WINDOW) : opening.start()].rstrip()
    return before.endswith(("}", "]", ")")) and len(done) == 1


def _body(text: str, position: int, specs: Specs, *, fresh: bool) -> Found | None:
    """One call, or one list of calls, at `position`; `fresh` says that an opening mark stands before it."""
    sign = text[position : position + 1]
    if sign == "<":
        return read_markup(text, position, specs)
    if sign == "[" and BEGINS.match(text, position):
        return _python(text, position, position, specs)
    if sign in ("{", "["):
        return read_json(text, position, specs)
    fence = _FENCE.match(text, position)
    if fence:
        found = read_json(text, fence.end(), specs)
        close = _FENCE_END.match(text, found.end)
        if close is None:
            return Found(len(text), tuple(broken_off(call) for call in found.calls), found.problem)
        return Found(close.end(), found.calls, found.problem)
    return _named(text, position, specs) if fresh else None


def _python(text: str, position: int, bracket: int, specs: Specs) -> Found:
    end = value_end(text, bracket)
    source = text[position : end if end >= 0 else None]
    if end < 0:
        return Found(len(text), tuple(broken_off(call, UNCLOSED) for call in unreadable(source, specs)))
    calls = python_calls(source, specs) or unreadable(source, specs)
    return Found(end, tuple(calls), "" if calls else UNREADABLE)


def _named(text: str, position: int, specs: Specs) -> Found | None:
    """A call that begins with the name of its tool; None if no name does."""
    name = _NAME.match(text, position)
    if name is None:
        return None
    separator = SEPARATOR.match(text, name.end())
    if separator:
        return _separated(text, name["name"], separator, specs)
    tool = tool_name(name["name"], specs)
    pairs = read_pairs(text, name.end(), tool, specs.get(tool))
    if pairs:
        return pairs
    if text.startswith("(", name.end()):
        return _python(text, position, name.end(), specs)
    if _ARGUMENTS.match(text, name.end()):
        return _object(text, name.end(), tool, "", specs)
    following = MARK.match(text, name.end())
    if following is None or not following["close"]:
        return None
    if _LEFT_OVER.match(text, following.end()):
        return Found(len(text), problem=UNREADABLE)
    return Found(name.end(), (made(tool, NOTHING, ""),))


def read_separated(text: str, name: str, position: int, specs: Specs) -> Found | None:
    """The call of the tool `name` whose separator begins at `position`."""
    separator = SEPARATOR.match(text, position)
    return _separated(text, name, separator, specs) if separator else None


def _separated(text: str, name: str, separator: re.Match[str], specs: Specs) -> Found:
    position = separator.end()
    if name == _TYPE_WORD:
        inner = _BARE_NAME.match(text, _after(_BETWEEN, text, position))
        if inner is None and name not in specs:
            return Found(position, problem=NAMELESS)
        if inner is not None:
            name, position = inner["name"], inner.end()
    identity = name if separator["kimi"] else separator["id"] or ""
    return _object(text, position, tool_name(name, specs), identity, specs)


def _object(text: str, position: int, tool: str, identity: str, specs: Specs) -> Found:
    start = _after(_BETWEEN, text, position)
    following = MARK.match(text, start)
    if following and following["close"]:
        return Found(start, (made(tool, NOTHING, "", identity),))
    if not _ARGUMENTS.match(text, start):
        return Found(len(text), (refused(tool, text[start:], UNREADABLE if text[start:] else UNCLOSED),))
    read, source, end = read_object(text, start, specs.get(tool))
    return Found(end, (made(tool, read, source, identity),))


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
