"""Reads replies whose action is one free line for an environment, such as a text game: ``go to desk 1``.

Owns this one habit: ``think:`` begins a thought, everything else is a command, a prompt sign before it is left out, and
lines that follow a command are dropped, because only the environment can say what happened.
"""

import re
from collections.abc import Sequence

from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.labels import Labels
from loopwright.protocols.react_lines import INVISIBLE, patterns
from loopwright.protocols.repair import CUT

_THINK = re.compile(r"(?:think|thinking)\s*[:：\[]\s*", re.IGNORECASE)
_PROMPT = "> \t" + INVISIBLE
_PROSE = re.compile(r"[.!?。！？]\s|^(?:I|I'm|I'll|I've|We|Let|First|Now|The|My)\b|^[A-Z].*[.!?]$")
"""Two sentences, a sentence about oneself, or a whole sentence: commands are lower case and have no second part."""
_MOST_WORDS = 15


def read_command(text: str, primed: str, tools: Sequence[ToolSpec], labels: Labels, *, cut: bool) -> Turn:
    """Understand a reply of one thought, one command, or a thought and then a command. Never raises."""
    lines = [line.strip(_PROMPT) for line in (primed + text).split("\n")]
    lines = [line for line in lines if line]
    shown = text.strip(INVISIBLE + " \t\n")
    thoughts: list[str] = []
    for number, line in enumerate(lines):
        kind, body = _read(line, labels)
        if kind == "command":
            return _command(body, thoughts, tools, shown=_until(shown, line), cut=cut)
        if kind == "prose":
            thoughts += [body] if thoughts else lines[number:]
            break
        thoughts.append(body)
    thought = "\n".join(part for part in thoughts if part).strip()
    return Turn(thought=thought, text=shown, problem="" if thought else labels.problems.command)


def _read(line: str, labels: Labels) -> tuple[str, str]:
    """What a line is (thought, command or prose), and its text."""
    label = patterns(labels).line.match(line)
    kind = patterns(labels).kind_of(label) if label else ""
    body = line[label.end() :].strip(_PROMPT) if label else line
    think = _THINK.match(body)
    if think is not None:
        inside = body[think.end() :].strip()
        return "thought", inside.removesuffix("]") if "[" in think[0] else inside
    if kind == "thought":
        return "thought", body
    if kind != "action" and (_PROSE.search(body) or len(body.split()) > _MOST_WORDS):
        return "prose", body
    return "command", body


def _command(body: str, thoughts: list[str], tools: Sequence[ToolSpec], *, shown: str, cut: bool) -> Turn:
    name = tools[0].name if len(tools) == 1 else ""
    call = Call(name, {"input": body}, text=body)
    if cut:
        call = Call(name, text=body, state="rejected", reason=CUT)
    return Turn(thought="\n".join(thoughts), calls=(call,), text=shown)


def _until(shown: str, line: str) -> str:
    """The text up to the end of a line of it."""
    position = shown.find(line)
    return shown[: position + len(line)] if position >= 0 else shown
