"""Finds the calls that arrive inside the text of a reply, and leaves alone the ones that are only talked about.

Owns the walk through the text: what is a thought, a quotation or code, where a form of a call begins, and what is left
over. The forms are read by the other modules of this folder; whether a call runs is decided by the loop.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols import asides
from loopwright.protocols.leaks import harmony, markup
from loopwright.protocols.leaks.blocks import read_block
from loopwright.protocols.leaks.fences import code_end, inside_fence, read_fence
from loopwright.protocols.leaks.found import INSIDE, UNREADABLE, Found, Specs
from loopwright.protocols.leaks.marks import INVENTED, MARK, ORPHAN, closings_end, without_ending
from loopwright.protocols.leaks.quotations import begins_line, is_mentioned, mention
from loopwright.protocols.leaks.regions import read_region, read_separated
from loopwright.protocols.leaks.tool_tags import read_tag, tag_pattern
from loopwright.protocols.thinking import without_thinking

MADE_UP = "the reply holds a result that no tool gave; call the tool and wait for its result"
THINKING = "a tag for thinking stands inside a call, so it is not clear what belongs to the call; send it again"

_SIGNS = ("<", "[", "`", "~", "=functions.")
"""One of these is in every text that has marks of a call."""
_SIGN = re.compile(r"<[\w|｜/!]|`|~|>|\[|to=functions\.|functools\[")
"""How an event begins."""
_BEGIN_LINES = ("quote", "tag")
_FENCE_LENGTH = 3
_TAIL = 500
_NAME_BEFORE = re.compile(r"(?<![\w.:/-])[^\W\d][\w.:/-]*\Z")
_NAME_LENGTH = 128


class Leaks(Struct, frozen=True):
    """What was found in the text of a reply."""

    calls: tuple[Call, ...] = ()
    """In the order written; ids are left empty, `Call.provider_id` is the id that the form carries."""
    rest: str = ""
    """The text without thinking and without the calls."""
    problem: str = ""
    """Why something that is clearly meant as a call cannot be read, in words for the model; then there are no calls."""
    thought: str = ""
    """What the model thought, where it stood in the text: think blocks, and the channel for analysis."""


class _Walk(Struct):
    """What the walk has gathered so far."""

    calls: list[Call]
    shown: list[str]
    thoughts: list[str]
    sources: list[str]
    problem: str = ""
    position: int = 0
    orphan: bool = False
    barren: int = 0
    """Up to where there are closing marks behind which no call was found."""


def find_leaks(text: str, tools: Sequence[ToolSpec]) -> Leaks:
    """The calls inside the text of a reply. Never raises.

    A call inside thinking, code, a quotation or an example is none. A form that is not closed gives a rejected call.
    The text is that of the provider, with its think blocks.
    """
    shown, thinking, _ = without_thinking(text)
    specs = {tool.name: tool for tool in tools}
    block = read_block(shown, specs) if _may_be_block(shown) else None
    if block is not None:
        rest = (shown if block.problem else shown[: block.start]).strip()
        return Leaks(block.calls, rest, block.problem, thinking)
    if not any(sign in shown for sign in _SIGNS):
        return Leaks((), shown.strip(), "", thinking)
    walk = _unwrapped(shown, specs) or _walked(shown, specs)
    if len(shown) < len(text) and not _whole(walk.sources, text):
        walk.problem = THINKING
    if walk.orphan:
        walk.problem = walk.problem or UNREADABLE
    thought = "\n".join(part for part in (thinking, *walk.thoughts) if part)
    if walk.problem:
        return Leaks((), shown.strip(), walk.problem, thought)
    return Leaks(tuple(walk.calls), without_ending("".join(walk.shown)).strip(), "", thought)


def _may_be_block(text: str) -> bool:
    bare = without_ending(text[-_TAIL:])
    return bare.endswith(("}", "]", ")", "```", "~~~")) or text.lstrip()[:1] in ("{", "[", "`")


def _whole(sources: list[str], text: str) -> bool:
    """Whether each call stands in the text as it was read, so that no thinking was cut out of it."""
    position = 0
    for source in sources:
        found = text.find(source, position)
        if found < 0:
            return False
        position = found + len(source)
    return True


@lru_cache(maxsize=64)
def _events(names: tuple[str, ...]) -> re.Pattern[str]:
    """The pattern of everything at which the walk may stop, from its sign on."""
    parts = (
        r"(?P<code>`++|~{3,}+)",
        r"(?P<quote>>)",
        rf"(?P<mark>{re.sub(r'[?]P<[a-z]+>', '?:', MARK.pattern)})",
        rf"(?P<markup>{markup.BEGIN})",
        rf"(?P<message>{harmony.BEGIN})",
        rf"(?P<words>{harmony.WORDS})",
        r"(?P<separator>\[(?:ARGS|CALL_ID)\])",
        rf"(?P<invented>{INVENTED.pattern})",
        rf"(?P<orphan>{ORPHAN.pattern})",
        *([f"(?P<tag>{tag_pattern(names)})"] if names else []),
        rf"(?P<aside>{asides.BEGIN})",
    )
    return re.compile("|".join(parts))


def _next(events: re.Pattern[str], text: str, position: int) -> tuple[str, re.Match[str]] | None:
    """The next event from `position` on, and its kind; some are events only where they begin a line."""
    while (sign := _SIGN.search(text, position)) is not None:
        position = sign.start()
        event = events.match(text, position)
        kind = (event.lastgroup or "") if event else ""
        if event and kind == "code":
            kind = _kind_of_code(text, event)
        if event and kind and (kind not in _BEGIN_LINES or begins_line(text, position)):
            return kind, event
        position += 1 if event is None or kind else len(event[0])
    return None


def _kind_of_code(text: str, event: re.Match[str]) -> str:
    if len(event[0]) >= _FENCE_LENGTH and begins_line(text, event.start()):
        return "fence"
    return "code" if event[0][0] == "`" else ""


def _unwrapped(text: str, specs: Specs) -> _Walk | None:
    """The walk through a fence that is the whole reply, if it holds calls of real tools and nothing else."""
    inside = inside_fence(text.strip())
    walk = _walked(inside, specs) if inside else None
    if walk is None or not walk.calls or walk.problem or "".join(walk.shown).strip():
        return None
    return walk if all(call.tool in specs for call in walk.calls) else None


def _walked(text: str, specs: Specs) -> _Walk:
    """Walk through a text from one event to the next."""
    walk = _Walk([], [], [], [])
    events = _events(tuple(filter(None, specs)))
    position = 0
    while not walk.problem and (following := _next(events, text, position)) is not None:
        kind, event = following
        if kind == "invented":
            _invented(walk)
            text = text[: event.start()]
            break
        start, found = (event.start(), None) if event.start() < walk.barren else _read(text, event, kind, specs)
        if found is None and event.start() >= walk.barren:
            walk.barren = closings_end(text, event.start())
        if found is None or _only_mentioned(text, start, found, walk, specs):
            position = found.end if found else _behind(text, event, kind)
            _left_over(walk, text, event, kind)
            continue
        walk.shown += (text[walk.position : start], found.shown)
        walk.position = position = found.end
        _take(walk, text[start : found.end], found)
        if found.stopped:
            _invented(walk)
    walk.shown.append(text[walk.position :])
    return walk


def _read(text: str, event: re.Match[str], kind: str, specs: Specs) -> tuple[int, Found | None]:
    """What stands at an event, and where it begins."""
    start = event.start()
    match kind:
        case "mark" | "markup":
            return start, read_region(text, start, specs)
        case "message":
            return start, harmony.read_message(text, start, specs)
        case "words":
            window = text[max(0, start - _NAME_LENGTH) : start]
            before = harmony.STRIPPED_BEFORE.search(window)
            return start - len(before[0] if before else ""), harmony.read_stripped(text, start, specs)
        case "separator":
            name = _NAME_BEFORE.search(text[max(0, start - _NAME_LENGTH) : start])
            begin = start - len(name[0] if name else "")
            return begin, read_separated(text, name[0], start, specs) if name else None
        case "fence":
            return start, read_fence(text, start, specs)
        case "tag":
            return start, read_tag(text, event, specs)
        case _:
            return start, None


def _behind(text: str, event: re.Match[str], kind: str) -> int:
    """Where the walk goes on behind something that is no call."""
    if kind == "quote":
        end = text.find("\n", event.end())
        return end if end >= 0 else len(text)
    if kind == "aside":
        return max(event.end(), asides.end_of(text, event))
    return code_end(text, event.start()) if kind in ("fence", "code") else event.end()


def _left_over(walk: _Walk, text: str, event: re.Match[str], kind: str) -> None:
    """Note a mark of a call that belongs to none; behind a call that was read it is only one too many."""
    mark = event[0]
    if kind not in ("mark", "orphan") or (kind == "mark" and mark[1].isalpha()):
        return
    if walk.calls and not text[walk.position : event.start()].strip():
        walk.position = event.end()
    elif not walk.orphan:
        token = "|" in mark or "｜" in mark
        walk.orphan = token or not is_mentioned(text, event.start(), event.end(), walk.position)


def _only_mentioned(text: str, start: int, found: Found, walk: _Walk, specs: Specs) -> bool:
    """Whether a call is only talked about; one of a real tool inside a sentence becomes the problem."""
    if not found.calls and not found.problem:
        return False
    how = mention(text, start, found.end, walk.position)
    if how == "sentence" and not found.problem and all(call.tool in specs for call in found.calls):
        walk.problem = INSIDE
    return how == "quoted" or (how == "sentence" and not found.problem)


def _take(walk: _Walk, source: str, found: Found) -> None:
    walk.calls += found.calls
    walk.problem = found.problem
    if found.thought:
        walk.thoughts.append(found.thought)
    if found.calls:
        walk.sources.append(source)


def _invented(walk: _Walk) -> None:
    """What follows is not the model's to say: calls before it count, anything else that rests on it does not."""
    if not walk.calls:
        walk.problem = MADE_UP
