"""Trajectories as the runtime speaks them: an episode in, the messages of a chat out.

Owns the form only, and takes every word of it from `loopwright`: the prompt, the question, the observations, the shape
of a call. So what is trained is what will be asked, and a test holds the two against each other.
"""

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from loopwright.core.events import ModelAsked, NoteAdded, NoteKind, RunStarted
from loopwright.core.messages import Call, Result, ToolSpec, Turn
from loopwright.protocols.react_text import ReactText, written

SPEECH = ReactText(style="embedded")


class Step(Struct, frozen=True):
    """One reason, act and observe."""

    thought: str
    tool: str
    arguments: dict[str, Any]
    result: Result


class Episode(Struct, frozen=True):
    """A task and how it is done well."""

    family: str
    task: str
    tools: tuple[ToolSpec, ...]
    steps: tuple[Step, ...]
    thought: str
    answer: str
    note: NoteKind | None = None
    """A reminder of the loop that comes before the last reply."""
    closing: bool = False
    """Whether the last reply was asked for because a limit was reached."""


class Said(Struct, frozen=True):
    """A message of a chat; what the model says is what it learns."""

    role: str
    content: str


def messages(episode: Episode) -> list[Said]:
    """The whole chat of an episode: system, user, then assistant and user in turn, the assistant last."""
    chat = [Said(one.role, one.text) for one in SPEECH.opening(started(episode))]
    for step in episode.steps:
        call = Call(step.tool, step.arguments)
        chat.append(Said("assistant", written(Turn(thought=step.thought, calls=(call,)))))
        chat += [Said(one.role, one.text) for one in SPEECH.results([(call, step.result)])]
    if episode.note is not None:
        note = SPEECH.note(NoteAdded(kind=episode.note))
        chat.append(Said(note.role, note.text))
    if episode.closing:
        closing = SPEECH.closing(ModelAsked(number=len(episode.steps) + 1, closing="steps"))
        chat.append(Said(closing.role, closing.text))
    chat.append(Said("assistant", written(Turn(thought=episode.thought, answer=episode.answer))))
    return chat


def started(episode: Episode) -> RunStarted:
    """The first event of the run that an episode stands for."""
    return RunStarted(run_id="training", task=episode.task, model="local", way="text", tools=episode.tools)


def as_json(value: Any) -> str:
    """A value as the observations and the calls write it."""
    return json.dumps(value, ensure_ascii=False)


def faults(episode: Episode, most: int) -> Sequence[str]:
    """What is wrong with an episode, for the generator's tests: nothing of it may reach the training."""
    names = {tool.name: tool for tool in episode.tools}
    found = [f"{step.tool} is not offered" for step in episode.steps if step.tool not in names]
    lines = [episode.thought, episode.answer, *(step.thought for step in episode.steps)]
    found += [f"more than one line: {line!r}" for line in lines if "\n" in line or not line.strip()]
    found += [f"{len(line)} characters: {line!r}" for line in lines if len(line) > most]
    for step in episode.steps:
        parts: dict[str, Any] = names[step.tool].parameters.get("properties", {}) if step.tool in names else {}
        needed = set(names[step.tool].parameters.get("required", ())) if step.tool in names else set[str]()
        given = set(step.arguments)
        if not needed <= given <= set(parts):
            found.append(f"{step.tool} takes {sorted(parts)}, not {sorted(given)}")
        if list(step.arguments) != sorted(step.arguments, key=list(parts).index if given <= set(parts) else str):
            found.append(f"{step.tool}: the arguments are not in the order of the schema")
    return found
