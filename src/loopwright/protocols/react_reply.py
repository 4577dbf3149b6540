"""Understands a reply in the text protocol: thought, calls, answer, or the problem that a reminder can name.

Owns the rules of what counts. The first action before any self-written Observation or Final Answer is the step,
together with actions that follow it directly. What comes after a self-written Observation is dropped, and an answer
after one is never accepted. An action and an answer without an Observation between them run the action. A call that
was cut never runs. How labels, inputs and arguments look is `react_lines`, `react_calls` and `arguments`; what a model
is told is `react_text`.
"""

import re
from collections.abc import Sequence
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.asides import is_aside
from loopwright.protocols.envelope import writable
from loopwright.protocols.labels import ENGLISH, Labels
from loopwright.protocols.react_calls import Request, call_of, requests_in_json, requests_under, undressed
from loopwright.protocols.react_channels import channels_apart
from loopwright.protocols.react_command import read_command
from loopwright.protocols.react_invented import is_invented
from loopwright.protocols.react_lines import FENCE, INVISIBLE, Piece, patterns, scan
from loopwright.protocols.react_names import Names
from loopwright.protocols.react_quoted import is_introduced, is_quoted
from loopwright.protocols.repair import CUT, read_value
from loopwright.protocols.thinking import taken_apart

FINISH = ("finish",)
"""Actions that give the final answer, beside the label for it."""

_ENDINGS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<|end|>",
    "<|return|>",
    "</s>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
)
"""Marks of the end of a reply that some servers leave in the text."""

_OBJECT = re.compile(
    r"^[ \t`]*+(?=(?:\[\s*+)?\{\s*+[\"'](?:action|tool|name|function|thought)[\w ]*[\"']\s*+:)", re.MULTILINE
)
"""Where a JSON object begins, at the start of a line, that may name an action."""
_ANSWER_KEYS = ("answer", "final_answer", "output", "result", "response")


class Page(Struct, frozen=True):
    """A reply spread out: its text, the labels in it, and what may be called."""

    text: str
    pieces: list[Piece]
    labels: Labels
    names: Names
    specs: dict[str, ToolSpec]
    cut: bool
    closing: bool
    gaps: tuple[int, ...] = ()
    """Where thinking was taken out of the text."""
    echo: bool = False
    """Whether the reply began with an Observation, which was left out."""


class Reading(Struct, frozen=True):
    """What a reply means, and where the part of it that counts ends."""

    end: int
    calls: tuple[Call, ...] = ()
    answer: str | None = None
    problem: str = ""
    thought: str = ""
    """The thought, where it is not what stands under the labels."""


def read_text(
    text: str,
    tools: Sequence[ToolSpec],
    *,
    labels: Labels = ENGLISH,
    finish: tuple[str, ...] = FINISH,
    primed: str = "",
    command: bool = False,
    cut: bool = False,
    closing: bool = False,
) -> Turn:
    """Understand a reply. Never raises.

    Args:
        text: what the model returned
        tools: what may be called; a name that is none of them is still read as a call
        labels: the words of the run's language
        finish: names of actions that give the final answer
        primed: the beginning of the step that was already in the prompt, such as ``Thought 2:``
        command: whether an action is one free line for an environment, without a tool's name
        cut: whether the reply was cut off; then no call of it may run
        closing: whether this is the last reply of the run, for which plain text will do as the answer
    """
    apart = taken_apart(writable(text).replace("\r\n", "\n").rstrip())
    channels = channels_apart(apart.shown)
    shown, reasoning = _without_ending(channels.shown), "\n".join(filter(None, (apart.thinking, channels.thinking)))
    if not shown.strip(INVISIBLE + " \t\n"):
        problem = "" if apart.closed and channels.closed else labels.problems.thinking
        return Turn(problem=problem, reasoning=reasoning)
    if command:
        return read_command(shown, primed, tools, labels, cut=cut, closing=closing)
    specs = {tool.name: tool for tool in tools}
    page = Page(
        primed + shown,
        scan(primed + shown, labels),
        labels,
        Names.of(specs, (*finish, *labels.final), labels.none, labels.placeholders),
        specs,
        cut,
        closing,
        gaps=tuple(len(primed) + place for place in (*apart.places, *channels.places)),
    )
    return _turn(_without_echo(page), len(primed), reasoning)


def _without_ending(text: str) -> str:
    end = _blank_before(text, len(text))
    while text.endswith(_ENDINGS, 0, end):
        end = _blank_before(text, text.rindex("<", 0, end))
    return text[:end]


def _blank_before(text: str, end: int) -> int:
    """The position before the blanks that stand before `end`."""
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _without_echo(page: Page) -> Page:
    """The page without an Observation that the reply begins with: the model repeats what it was told."""
    first = next((piece for piece in page.pieces if _body(page, piece)), None)
    if first is None or first.kind != "observation":
        return page
    rest = [piece for piece in page.pieces if piece.start >= first.end]
    start = Piece("text", first.end, first.end, first.end)
    return replace(page, pieces=[start, *rest], echo=True)


def _turn(page: Page, primed: int, reasoning: str) -> Turn:
    """The turn that a page makes."""
    stop = next((number for number, piece in enumerate(page.pieces) if piece.kind == "observation"), len(page.pieces))
    pieces = page.pieces[:stop]
    decided = _decision(page, pieces)
    thought = _thought(page, pieces[:decided])
    reading = _fenced(page) or _reading(page, pieces, decided)
    begin = max(page.pieces[0].start, primed)
    return Turn(
        thought=reading.thought or thought,
        calls=reading.calls,
        answer=reading.answer,
        problem=reading.problem,
        text=page.text[begin : reading.end].strip(INVISIBLE + " \t\n"),
        reasoning=reasoning,
    )


def _body(page: Page, piece: Piece) -> str:
    return page.text[piece.body : piece.end].strip(INVISIBLE + " \t\n")


def _decision(page: Page, pieces: list[Piece]) -> int:
    """The number of the piece that says what to do next; the number of pieces where none does."""
    for number, piece in enumerate(pieces):
        if piece.kind == "action" and (_named(page, piece) or _given(pieces, number) is not None):
            return number
        if piece.kind in ("final", "input"):
            return number
    weak = (number for number, piece in enumerate(pieces) if piece.kind == "answer")
    return next(weak, len(pieces))


def _named(page: Page, piece: Piece) -> str:
    """What stands in the place of a tool's name."""
    return undressed(_body(page, piece)).partition("\n")[0].strip()


def _given(pieces: list[Piece], number: int) -> Piece | None:
    """The input under a label of its own that belongs to an action."""
    after = pieces[number + 1] if number + 1 < len(pieces) else None
    return after if after is not None and after.kind == "input" else None


def _thought(page: Page, pieces: list[Piece]) -> str:
    """What the model thought: what stands under its labels, or else before the first label."""
    thoughts = [piece for piece in pieces if piece.kind == "thought"] or pieces[:1]
    return "\n\n".join(text for piece in thoughts if (text := _plain(_body(page, piece), piece.style)))


def _plain(text: str, style: str) -> str:
    """A text without half of a fence around it, and without the other end of a bold label."""
    lines = text.strip(INVISIBLE + " \t\n").split("\n")
    fences = [number for number, line in enumerate(lines) if FENCE.match(line)]
    while len(fences) > 1 and fences[-1] == len(lines) - 1 and not any(lines[fences[-2] + 1 : -1]):
        del lines[fences[-2] :], fences[-2:]
    if len(fences) % 2 and fences[-1] == len(lines) - 1:
        lines.pop()
    elif len(fences) % 2 and fences[0] == 0:
        lines.pop(0)
    text = "\n".join(lines).strip(INVISIBLE + " \t\n")
    bold = style.lstrip("#")
    return text.removesuffix(bold).rstrip() if bold and text.count(bold) % 2 else text


def _fenced(page: Page) -> Reading | None:
    """A problem, where an action in a code fence may be a quotation because another label follows outside of it."""
    first = next((piece for piece in page.pieces if piece.quoted and piece.kind in ("action", "final")), None)
    if first is None:
        return None
    after = (piece for piece in page.pieces if piece.start > first.start and piece.fence != first.fence)
    if any(piece.kind in ("action", "final") for piece in after):
        return Reading(len(page.text), problem=page.labels.problems.fenced)
    return None


def _reading(page: Page, pieces: list[Piece], decided: int) -> Reading:
    if decided == len(pieces):
        return _undecided(page, pieces)
    piece, problems = pieces[decided], page.labels.problems
    before = page.text[pieces[0].start : piece.start]
    if piece.kind == "input":
        return Reading(piece.end, problem=problems.no_tool)
    if piece.kind == "action":
        return _action(page, pieces, decided, before)
    return _final(page, piece, before)


def _final(page: Page, piece: Piece, before: str) -> Reading:
    """The answer under its label, unless it may not stand."""
    problems, end = page.labels.problems, _answer_end(page, piece)
    answer = _plain(page.text[piece.body : end], piece.style)
    if patterns(page.labels).inline_action.search(before) and not page.closing and not page.echo:
        return Reading(end, problem=problems.inline)
    if page.echo or is_invented(before, page.labels):
        return Reading(end, problem=problems.invented)
    if page.cut and end == len(page.text) and not page.closing:
        return Reading(end, problem=problems.cut)
    return Reading(end, answer=answer) if answer else Reading(end, problem=problems.empty_answer)


def _answer_end(page: Page, piece: Piece) -> int:
    """Where an answer ends: at the next label that goes on with the loop and looks as the label of the answer does."""
    for after in page.pieces:
        quoted = after.fence not in (0, piece.fence)
        goes_on = after.kind in ("thought", "action", "observation") and after.style == piece.style and not quoted
        if goes_on and after.start > piece.start:
            return after.start
    return len(page.text)


def _action(page: Page, pieces: list[Piece], decided: int, before: str) -> Reading:
    """The calls of the actions that follow each other from `decided` on; or the answer, where there is no action."""
    final = next((piece for piece in pieces[decided:] if piece.kind == "final"), None)
    none = page.names.is_none(_named(page, pieces[decided]))
    if final is not None and (none or page.closing):
        between = page.text[pieces[decided].start : final.start]
        invented = is_invented(before + between, page.labels)
        return Reading(final.end, problem=page.labels.problems.invented) if invented else _final(page, final, "")
    end, problems = pieces[decided].end, page.labels.problems
    if none:
        return Reading(end, problem=problems.no_answer)
    requests, end = _requests(page, pieces, decided)
    if not requests:
        return Reading(end, problem=problems.no_tool)
    if any(page.names.is_placeholder(request.tool) for request in requests):
        return Reading(end, problem=problems.placeholder)
    if _holds_quotation(page, pieces, decided, end):
        return Reading(end, problem=problems.quoted)
    if page.names.ends(requests[0].tool):
        return _finish(page, requests[0], end, before)
    if _acted_before(page, before):
        return Reading(end, problem=problems.inline)
    return Reading(end, calls=_calls(page, requests))


def _holds_quotation(page: Page, pieces: list[Piece], decided: int, end: int) -> bool:
    """Whether one of the actions from `decided` up to `end` is only quoted, alone or with the thought before it."""
    actions = [number for number, piece in enumerate(pieces) if number >= decided and piece.start < end]
    actions = [number for number in actions if pieces[number].kind == "action"]
    for number in actions:
        piece, given, before = pieces[number], _given(pieces, number), pieces[max(number - 1, 0)]
        fenced = piece.quoted or piece.fence not in (0, pieces[decided].fence)
        if is_quoted(page.text, piece.start, given.end if given else piece.end, fenced=fenced):
            return True
        if before.kind == "thought" and is_introduced(page.text, before.start):
            return True
    return False


def _requests(page: Page, pieces: list[Piece], decided: int) -> tuple[list[Request], int]:
    """What is asked for from a piece on, and where that ends."""
    found: list[Request] = []
    number, end = decided, pieces[decided].end
    while number < len(pieces) and pieces[number].kind == "action":
        piece, given = pieces[number], _given(pieces, number)
        text = None if given is None else page.text[given.body : given.end]
        requests = requests_under(_body(page, piece), text, page.names, page.labels)
        spills = given is not None and requests and _spills(page, number + 1, requests[0].text)
        if requests and (spills or _has_gap(page, piece) or (given and _has_gap(page, given))):
            requests = [Request(requests[0].tool, requests[0].text, reason=page.labels.problems.label_inside)]
        elif requests and given and _given_again(page, pieces, number + 1):
            requests = [Request(requests[0].tool, requests[0].text, reason=page.labels.problems.contradictory)]
        found += requests
        number += 1 if given is None else 2
        end = pieces[number - 1].end
    return found, end


def _given_again(page: Page, pieces: list[Piece], number: int) -> bool:
    """Whether another input follows an input of the same action, and says something else."""
    after = pieces[number + 1 : number + 2]
    return any(piece.kind == "input" and _body(page, piece) != _body(page, pieces[number]) for piece in after)


def _has_gap(page: Page, piece: Piece) -> bool:
    """Whether thinking was taken out of the middle of an input, which is then not what was written."""
    return any(
        page.text[piece.body : gap].strip() and page.text[gap : piece.end].strip()
        for gap in page.gaps
        if piece.body < gap < piece.end
    )


def _spills(page: Page, number: int, text: str) -> bool:
    """Whether a label stands inside the code fence that an input begins with, so that it may go on behind the label."""
    if number + 1 == len(page.pieces) or text.startswith("{"):
        return False
    return page.pieces[number + 1].fence not in (0, page.pieces[number].fence)


def _calls(page: Page, requests: list[Request]) -> tuple[Call, ...]:
    """The calls that are asked for, up to an action that would end the run: it cannot know their results."""
    calls: list[Call] = []
    for request in requests:
        if page.names.ends(request.tool):
            break
        call = call_of(request, page.specs, page.labels)
        calls.append(Call(call.tool, text=call.text, state="rejected", reason=CUT) if page.cut else call)
    return tuple(calls)


def _acted_before(page: Page, before: str) -> bool:
    """Whether an action and its invented result stand in the middle of the lines before."""
    found = patterns(page.labels)
    action = found.inline_action.search(before)
    return action is not None and found.inline_observation.search(before, action.end()) is not None


def _finish(page: Page, request: Request, end: int, before: str) -> Reading:
    """The answer in the input of the action that ends the run."""
    problems, answer = page.labels.problems, request.text
    if not request.closed:
        return Reading(end, problem=problems.cut if page.cut else problems.not_closed)
    if page.echo or is_invented(before, page.labels):
        return Reading(end, problem=problems.invented)
    value = request.given.arguments if request.given else read_value(answer).value if answer.startswith("{") else None
    if isinstance(value, dict):
        answer = _answer_in(cast("dict[str, Any]", value), answer)
    return Reading(end, answer=answer) if answer else Reading(end, problem=problems.empty_answer)


def _answer_in(value: dict[str, Any], text: str) -> str:
    """The answer in an object: its only value, or the one of a name that says so; else the whole text."""
    found = (
        next(iter(value.values()))
        if len(value) == 1
        else next((value[key] for key in _ANSWER_KEYS if key in value), None)
    )
    return found.strip() if isinstance(found, str) else text


def _undecided(page: Page, pieces: list[Piece]) -> Reading:
    """A reply without a label that decides: an action object without its label, or nothing that can be used."""
    problems, end = page.labels.problems, pieces[-1].end
    text = page.text[pieces[0].start : end]
    requests, start = _unlabelled(page, text)
    if requests and is_quoted(page.text, pieces[0].start + start, end, fenced=False):
        return Reading(end, problem=problems.quoted)
    if requests and page.names.ends(requests[0].tool):
        return _finish(page, requests[0], end, text[:start])
    if requests:
        thought = _thought(page, scan(text[:start], page.labels))
        return Reading(end, calls=_calls(page, requests), thought=thought)
    found = patterns(page.labels)
    inline = found.inline_action.search(text) or found.inline_observation.search(text)
    final = None if inline or page.echo else found.inline_final.search(text)
    if page.cut and not page.closing:
        return Reading(end, problem=problems.cut)
    if final is not None and is_invented(text[: final.start()], page.labels):
        return Reading(end, problem=problems.invented)
    if final is not None and text[final.end() :].strip():
        thought = _thought(page, scan(text[: final.start()], page.labels))
        return Reading(end, answer=_plain(text[final.end() :], ""), thought=thought)
    if page.closing and not page.echo:
        answer = _thought(page, pieces)
        return Reading(end, answer=answer) if answer else Reading(end, problem=problems.empty_answer)
    return Reading(end, problem=problems.inline if inline else problems.no_label)


def _unlabelled(page: Page, text: str) -> tuple[list[Request], int]:
    """The actions in a JSON object that ends the reply, and where it begins."""
    opening = _OBJECT.search(text)
    if opening is None or is_aside(text, opening.start()):
        return [], 0
    requests, end = requests_in_json(text[opening.end() :], page.names)
    if any(gap > page.pieces[0].start + opening.end() for gap in page.gaps):
        requests = [
            Request(request.tool, request.text, reason=page.labels.problems.label_inside) for request in requests
        ]
    return ([] if text[opening.end() + end :].strip("`~ \t\n") else requests), opening.start()
