"""The text way of speaking where the only tool takes commands for an environment: ``> go to desk 1``.

Owns what a model is told there: a whole reply is one command, perhaps behind a thought, and what the environment says
comes back as it is, without a label (ALFWorld and WebShop in the ReAct paper, https://arxiv.org/abs/2210.03629). A
thought alone is answered with ``OK.``, as there. What a reply means is `react_command`; the sentences are data in
`command_sentences`.
"""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from loopwright.core.events import NoteAdded, RunStarted
from loopwright.core.messages import Call, ObservationRole, ToolSpec, Turn
from loopwright.protocols.command_sentences import sentences_of
from loopwright.protocols.labels import ENGLISH, Labels
from loopwright.protocols.leaks import find_leaks
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.schemas import properties
from loopwright.protocols.speech import Capabilities, Message

_ANY = Capabilities()
ACKNOWLEDGED = "OK."
"""What an environment says to a thought."""


class CommandText(ReactText):
    """The speech. It has no state but how it was set up."""

    def __init__(
        self, *, capabilities: Capabilities = _ANY, labels: Labels = ENGLISH, observation_role: ObservationRole = "user"
    ) -> None:
        """Set the speech up; see `ReactText`. Commands are free: no grammar or schema keeps replies to their form."""
        free = replace(capabilities, constraint="")
        super().__init__(capabilities=free, labels=_reminding(labels), observation_role=observation_role)

    def opening(self, started: RunStarted) -> list[Message]:
        """The instructions, what the environment understands, and the form of a step; then the task."""
        instructions = started.instructions.strip()
        prompt = command_prompt(started.tools[0], self._labels)
        return [Message("system", f"{instructions}\n\n{prompt}" if instructions else prompt), self.task(started.task)]

    def note(self, note: NoteAdded) -> Message:
        """A reminder or a warning of the loop; to a thought what an environment says, and the forms of a reply."""
        if note.kind == "thinking":
            role = "user" if self._role == "tool" else self._role
            return Message(role, f"{ACKNOWLEDGED}\n{self._labels.wording.reminder}")
        detail = note.detail or (self._labels.problems.command if note.kind == "unreadable" else "")
        return super().note(replace(note, detail=detail))

    def _read(self, text: str, tools: Sequence[ToolSpec], *, cut: bool, closing: bool) -> Turn:
        if find_leaks(text, tools).calls:
            return Turn(text=text, problem=self._labels.problems.command)
        return read_text(text, tools, labels=self._labels, command=True, cut=cut, closing=closing)

    def _written(self, turn: Turn) -> str:
        thought = [f"> think: {' '.join(turn.thought.split())}"] if turn.thought else []
        answer = [f"{self._labels.final[0]}: {turn.answer}"] if turn.answer else []
        return "\n".join((*thought, *(f"> {command_of(call)}" for call in turn.calls), *answer))

    def _told(self, observed: str) -> str:
        return observed


def is_free_form(tools: Sequence[ToolSpec]) -> bool:
    """Whether commands are all that can be said: the only tool takes one."""
    return len(tools) == 1 and tools[0].free_form


def command_prompt(tool: ToolSpec, labels: Labels = ENGLISH) -> str:
    """What the environment understands, and the form of a step."""
    sentences = sentences_of(labels.language)
    meanings = (part.get("description") for part in properties(tool.parameters).values())
    about = "\n".join(text.strip() for text in (tool.description, *meanings) if isinstance(text, str) and text.strip())
    last = f"{sentences.last}\n\n{labels.final[0]}: {sentences.answer}"
    return "\n\n".join(part for part in (sentences.tools, about, sentences.step, last) if part)


def command_of(call: Call) -> str:
    """The line that a call says to the environment."""
    values = [value for value in call.arguments.values() if isinstance(value, str)]
    return " ".join((values[0] if len(values) == 1 else call.text).split())


@lru_cache
def _reminding(labels: Labels) -> Labels:
    """The labels with reminders of this form."""
    reminder = f"{sentences_of(labels.language).either}\n> ...\n{labels.final[0]}: ..."
    wording = replace(labels.wording, reminder=reminder, form=f"{labels.final[0]}: ...")
    return replace(labels, wording=wording)
