"""Reads the few-shot prompts of the ReAct paper as examples (https://github.com/ysymyth/ReAct, folder ``prompts``).

Owns their two forms: ``Question:`` or ``Claim:`` with numbered ``Thought``, ``Action`` and ``Observation`` up to
``Finish[…]`` (or just an ``Answer:``), and the games of ALFWorld with lines ``> think: …`` and ``> go to desk 1``. How
an example is told to a model belongs to the speeches; which tools there are, to the run.
"""

import re
from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct, field

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Example, Exchange, Result, Turn
from loopwright.protocols.arguments import UNKNOWN

COMMAND = "act"
"""The tool that the commands of a game are calls of."""

_TASK = re.compile(r"^(?:Question|Claim):", re.MULTILINE)
_LABEL = re.compile(r"^(Question|Claim|Thought|Action|Observation|Answer)(?: \d+)?:", re.MULTILINE)
_ACTION = re.compile(r"([^\[\]\n]+)\[(.*)\]", re.DOTALL)
_FINISH = "finish"
_THINK = re.compile(r">[ \t]*think:")
_ACKNOWLEDGED = "OK."


class _Story(Struct):
    """An example while it is read."""

    number: int
    task: str
    thoughts: list[str] = field(default_factory=list[str])
    call: Call | None = None
    """The call that waits for its observation."""
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    ended: bool = False

    def wrong(self, what: str) -> UsageError:
        return UsageError(f"example {self.number} of the prompt cannot be read: {what}")

    def act(self, tool: str, text: str) -> None:
        if self.call is not None or self.ended:
            raise self.wrong(f"{text!r} follows an action without an observation, or the answer")
        self.call = Call(tool, {UNKNOWN: text}, text=text)

    def observe(self, text: str) -> None:
        if self.call is None:
            raise self.wrong(f"no action comes before the observation {text[:60]!r}")
        result = Result(data=Raw(msgspec.json.encode(text)))
        self.exchanges.append(Exchange(Turn(thought=self._thought(), calls=(self.call,)), (result,)))
        self.call = None

    def answer(self, text: str) -> None:
        if self.call is not None or self.ended or not text:
            raise self.wrong("its answer is empty, is not the only one, or follows an action without an observation")
        self.exchanges.append(Exchange(Turn(thought=self._thought(), answer=text)))
        self.ended = True

    def example(self) -> Example:
        if not self.ended:
            raise self.wrong("it has no answer: no Finish[…] and no Answer:")
        return Example(self.task, tuple(self.exchanges))

    def _thought(self) -> str:
        thought = "\n".join(self.thoughts)
        self.thoughts = []
        return thought


def read_paper_prompt(text: str) -> list[Example]:
    """The examples in a prompt.

    The task of a claim keeps its label, because it is no question. Thoughts before a command become one with it. A game
    ends without an answer: what the environment said last becomes it. A call has the tool's name and the text as they
    are written, and the commands of a game are calls of the tool `COMMAND`; they are fitted to the tools of a run by
    `engine.examples`.

    Raises:
        UsageError: it has neither form, or an example is not whole
    """
    if _TASK.search(text):
        return [story.example() for story in _episodes(text)]
    if re.search(r"^>", text, re.MULTILINE):
        return [story.example() for story in _games(text)]
    raise UsageError("no line of the prompt begins with Question:, Claim: or >, so there is no example in it")


def paper_instructions(text: str) -> str:
    """What a prompt says before its first example; empty for a game."""
    first = _TASK.search(text)
    return text[: first.start()].strip() if first else ""


def _episodes(text: str) -> list[_Story]:
    stories: list[_Story] = []
    for label, body in _labelled(text):
        if label in ("Question", "Claim"):
            stories.append(_Story(len(stories) + 1, body if label == "Question" else f"Claim: {body}"))
        elif stories:
            _tell(stories[-1], label, body)
    return stories


def _labelled(text: str) -> Iterator[tuple[str, str]]:
    """The labels and what stands under each of them."""
    found = list(_LABEL.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=True):
        yield match[1], text[match.end() : end].strip()


def _tell(story: _Story, label: str, body: str) -> None:
    match label:
        case "Thought":
            story.thoughts.append(body)
        case "Action":
            action = _ACTION.fullmatch(body)
            if action is None:
                raise story.wrong(f"the action {body[:60]!r} has not the form Tool[text]")
            if action[1].strip().lower() == _FINISH:
                story.answer(action[2].strip())
            else:
                story.act(action[1].strip(), action[2].strip())
        case "Observation":
            story.observe(body)
        case _:
            story.answer(body)


def _games(text: str) -> list[_Story]:
    """The games: each begins with what is there and what is to be done, after an empty line."""
    stories: list[_Story] = []
    for block in re.split(r"\n[ \t]*\n", text.strip()):
        opening, *commands = re.split(r"^(?=>)", block.strip(), flags=re.MULTILINE)
        if opening.strip():
            stories.append(_Story(len(stories) + 1, opening.strip()))
        if not stories:
            raise UsageError("the prompt begins with a command: what the game is about comes first")
        for command in commands:
            _play(stories[-1], command)
    for story in stories:
        _over(story)
    return stories


def _play(story: _Story, command: str) -> None:
    """Add a line of the player, with what the environment said to it.

    In one of the paper's games a thought stands between a command and what the environment says to that.
    """
    line, _, said = command.partition("\n")
    said, think = said.strip(), _THINK.match(line)
    if think is None:
        story.act(COMMAND, line.lstrip("> \t").strip())
    else:
        story.thoughts.append(line[think.end() :].strip())
        said = said.removeprefix(_ACKNOWLEDGED).strip()
    if said:
        story.observe(said)


def _over(story: _Story) -> None:
    if not story.exchanges or story.call is not None:
        raise story.wrong("no command is given in it, or the environment says nothing to the last one")
    story.answer(msgspec.json.decode(story.exchanges[-1].results[0].data, type=str))
