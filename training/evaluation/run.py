"""Runs one task end to end: the public agent, the real tools, local stand-ins for the services, and the verdict.

Owns what is read off the journal. May not hold: what is right (`task`), and how many tasks are run and counted.
"""

import os
import re
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from loopwright import Agent, Limits, MemoryJournal, Model, Settings
from loopwright.core.events import CallEnded, Event, ModelReplied
from loopwright.core.messages import Turn
from loopwright.testing.services import services
from loopwright.toolbox.settings import OFFLINE
from training.evaluation.calls import Made
from training.evaluation.task import Run, Task, verdict
from training.evaluation.tasks import tools_of
from training.evaluation.world import RATES, World

LIMITS = Limits(steps=8, model_calls=10)
"""None of time, so that a busy machine counts the same."""
SETTINGS = Settings(max_tokens=300)
CLOSED = "http://127.0.0.1:9/"
"""Nothing listens there."""

_OBSERVATION = re.compile(
    r"(?:^|[\s*_#>|\"'(\[{.])(?:observations?|tool[ _](?:result|output|response))[*_\"' ]*\d*[*_\"' ]*[:=]",
    re.IGNORECASE,
)


class Attempt(Struct, frozen=True):
    """A task, tried: what the model did, and what is wrong with it."""

    id: str
    group: str
    kind: str
    question: str
    problems: list[str]
    """Empty where it is right."""
    answer: str
    calls: list[dict[str, Any]]
    """Each call that ran: tool, arguments, status, and what it said."""
    replies: list[str]
    """What the model wrote, whole."""
    ended: str
    """How the run ended, and the reason where there is one."""
    asks: int
    seconds: float
    invented: int
    """Replies of which something counted that stood behind an observation of the model's own: must be 0."""

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


async def attempt(task: Task, model: Model) -> Attempt:
    """Run a task and judge it. What goes wrong in the run is a problem of the attempt."""
    journal = MemoryJournal()
    agent = Agent(model, tools=tools_of(task), protocol="text", journal=journal, limits=LIMITS, settings=SETTINGS)
    began = perf_counter()
    async with running(task.world):
        result = await agent.run(task.question, run_id=task.id)
    seconds = perf_counter() - began
    history = await journal.read(task.id)
    made, answer = calls_of(history), result.answer or ""
    return Attempt(
        id=task.id,
        group=task.group,
        kind=task.kind,
        question=task.question,
        problems=verdict(task, Run(tuple(made), answer, result.status == "answered")),
        answer=answer,
        calls=[_written(call) for call in made],
        replies=[text for text, _ in _replies(history, model)],
        ended=f"{result.status} {result.reason}".strip(),
        asks=result.model_calls,
        seconds=round(seconds, 3),
        invented=sum(counts_invention(text, turn) for text, turn in _replies(history, model)),
    )


@asynccontextmanager
async def running(world: World) -> AsyncGenerator[None]:
    """The stand-ins of a world, and the environment that leads the tools to them and nowhere else."""
    async with services(
        rain=world.rain, rates=RATES, temperatures=world.temperatures, countries=world.countries
    ) as stand_ins:
        stand_ins.down.update(world.down)
        addresses = {name: CLOSED if world.unreachable else address for name, address in stand_ins.environ.items()}
        with _environment({**addresses, OFFLINE: "1"}):
            yield


@contextmanager
def _environment(settings: Mapping[str, str]) -> Generator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def calls_of(history: Sequence[Event]) -> list[Made]:
    """The calls of a run that ran, in the order in which they ended."""
    asked = {call.id: call for event in history if isinstance(event, ModelReplied) for call in event.turn.calls}
    return [
        Made(asked[event.call_id].tool, asked[event.call_id].arguments, event.result)
        for event in history
        if isinstance(event, CallEnded) and event.how == "ran"
    ]


def _written(call: Made) -> dict[str, Any]:
    said = call.result.error if call.result.status != "ok" else msgspec.json.decode(call.result.data)
    return {"tool": call.tool, "arguments": call.arguments, "status": call.result.status, "said": said}


def _replies(history: Sequence[Event], model: Model) -> list[tuple[str, Turn]]:
    """What the model wrote, by the bytes in the journal, and what was made of it."""
    found: list[tuple[str, Turn]] = []
    for event in history:
        if isinstance(event, ModelReplied):
            reader = model.dialect.reader(stream=True)
            reader.feed(event.raw)
            found.append((reader.close().text, event.turn))
    return found


def counts_invention(text: str, turn: Turn) -> bool:
    """Whether something of a reply counted, an answer or a call, that the model wrote behind an observation of its own.

    Looked for in the reply as it came, without any of the protocol's own code.
    """
    label = _OBSERVATION.search(text)
    if label is None:
        return False
    counted = [turn.answer] if turn.answer is not None else [call.text for call in turn.calls]
    return any(not -1 < text.rfind(part) < label.start() for part in counted)
