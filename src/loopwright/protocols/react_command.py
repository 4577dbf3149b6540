"""Reads replies whose action is one free line for an environment, such as a text game: ``go to desk 1``.

Owns this one habit: ``think:`` begins a thought, the label of a final answer ends the run, everything else is a
command, a prompt sign before it is left out, and lines that follow a command are dropped, because only the environment
can say what happened. A line that introduces an example is followed by no command.
"""

import re
from collections.abc import Sequence
from typing import Literal

from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.labels import Labels
from loopwright.protocols.leaks.quotations import is_example
from loopwright.protocols.react_invented import is_invented
from loopwright.protocols.react_lines import FENCE, INVISIBLE, patterns
from loopwright.protocols.repair import CUT
from loopwright.protocols.schemas import properties

_THINK = re.compile(r"(?:think|thinking)\s*[:：\[]\s*", re.IGNORECASE)
_PROMPT = "> \t" + INVISIBLE
_PROSE = re.compile(r"[.!?。！？]\s|^(?:I|I'm|I'll|I've|We|Let|First|Now|The|My)\b|^[A-Z].*[.!?]$")
"""Two sentences, a sentence about oneself, or a whole sentence: commands are lower case and have no second part."""
_MOST_WORDS = 15
_INTRODUCES = (":", "：")
"""How a line ends that introduces the next one."""
_ACKNOWLEDGED = ("OK", "OK.", "Ok.")
"""What an environment says to a thought; in a reply the model wrote it itself."""

_Line = Literal["thought", "action", "command", "prose", "final", "observation"]


def read_command(
    text: str, primed: str, tools: Sequence[ToolSpec], labels: Labels, *, cut: bool, closing: bool = False
) -> Turn:
    """Understand a reply of one thought, one command, or a thought and then a command or an answer. Never raises."""
    shown, lines = text.strip(INVISIBLE + " \t\n"), (primed + text).split("\n")
    thoughts: list[str] = []
    last = ""
    for number, line in enumerate(lines):
        kind, body = _read(line, labels)
        if kind == "final":
            answer = "\n".join([body, *lines[number + 1 :]])
            if is_invented("\n".join(lines[:number]), labels):
                return Turn(thought="\n".join(thoughts), text=shown, problem=labels.problems.invented)
            return _answer(answer, thoughts, labels, shown=shown, cut=cut, closing=closing)
        if not body or FENCE.match(line):
            continue
        if not closing and kind != "observation" and body[-1] in _INTRODUCES and is_example(body):
            return Turn(thought="\n".join(thoughts), text=shown, problem=labels.problems.quoted)
        if kind == "action" or (kind == "command" and not closing):
            return _command(body, thoughts, tools, shown=_until(shown, line.strip(_PROMPT)), cut=cut)
        if kind == "observation" or (thoughts and body in _ACKNOWLEDGED):
            shown = _until(shown, last)
            break
        if kind in ("prose", "command"):
            thoughts += [body] if thoughts else [line for line in lines[number:] if line.strip(_PROMPT)]
            break
        thoughts.append(body)
        last = line.strip(_PROMPT)
    thought = "\n".join(part.strip(_PROMPT) for part in thoughts).strip()
    if closing and thought:
        return Turn(answer=thought, text=shown)
    return Turn(thought=thought, text=shown, problem="" if thought else labels.problems.command)


def _read(line: str, labels: Labels) -> tuple[_Line, str]:
    """What a line is, and its text. An action is a command that says so itself, by its label or a prompt sign."""
    prompted = line.lstrip(INVISIBLE + " \t").startswith(">")
    line = line.strip(_PROMPT)
    label = patterns(labels).line.match(line)
    kind = patterns(labels).kind_of(label) if label else None
    body = line[label.end() :].strip(_PROMPT) if label else line
    think = _THINK.match(body)
    if think is not None:
        inside = body[think.end() :].strip()
        return "thought", inside.removesuffix("]") if "[" in think[0] else inside
    match kind:
        case "thought" | "observation" | "final":
            return kind, body
        case "answer":
            return "final", body
        case "action":
            return "action", body
        case _ if is_invented(line, labels):
            return "observation", body
        case _:
            prose = body[-1:] in _INTRODUCES or _PROSE.search(body) or len(body.split()) > _MOST_WORDS
            return "prose" if prose else "action" if prompted else "command", body


def _answer(text: str, thoughts: list[str], labels: Labels, *, shown: str, cut: bool, closing: bool) -> Turn:
    answer, thought = text.strip(INVISIBLE + " \t\n"), "\n".join(thoughts)
    if cut and not closing:
        return Turn(thought=thought, text=shown, problem=labels.problems.cut)
    if not answer:
        return Turn(thought=thought, text=shown, problem=labels.problems.empty_answer)
    return Turn(thought=thought, answer=answer, text=shown)


def _command(body: str, thoughts: list[str], tools: Sequence[ToolSpec], *, shown: str, cut: bool) -> Turn:
    name = tools[0].name if len(tools) == 1 else ""
    parameter = next(iter(properties(tools[0].parameters)), "input") if name else "input"
    call = Call(name, {parameter: body}, text=body)
    if cut:
        call = Call(name, text=body, state="rejected", reason=CUT)
    return Turn(thought="\n".join(thoughts), calls=(call,), text=shown)


def _until(shown: str, line: str) -> str:
    """The text up to the end of a line of it."""
    position = shown.find(line)
    return shown[: position + len(line)] if position >= 0 and line else shown
