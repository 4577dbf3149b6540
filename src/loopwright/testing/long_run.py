"""A run of ten steps with parallel calls and an effect in each, made to be killed: what it does, and what must be left.

Owns the run and the check of what is left of it. Who kills it, and when, is its user's matter. What a driver of it saw
as durable, and what its effect did, stand in two files of a folder, written at once, so that they outlive the process.
As a process: ``python -m loopwright.testing.long_run OPENER PLACE FOLDER LEASE PAUSE``, as `journal_process` has it.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loopwright.agent import Agent
from loopwright.core.errors import LoopwrightError, UnknownRun
from loopwright.core.events import CallEnded, Event, ModelReplied, RunEnded
from loopwright.core.messages import Limits
from loopwright.engine.history import RunResult
from loopwright.engine.lease import RHYTHM, Rhythm
from loopwright.engine.ports import Clock, TextArrived
from loopwright.journal.base import Journal
from loopwright.testing.journal_process import find_opener
from loopwright.testing.scripted import Asked, Line, ScriptedModel, answers, calls
from loopwright.tools.declare import tool
from loopwright.tools.policy import Policy, Rule

STEPS = 10
RUN = "long"
_QUESTIONS = 200


def agent_of(
    journal: Journal,
    folder: Path,
    *,
    rhythm: Rhythm = RHYTHM,
    pause: float = 0.0,
    clock: Clock | None = None,
    limits: Limits | None = None,
) -> Agent:
    """An agent for the run.

    Args:
        journal: where its events go
        folder: gets ``effects.txt``, a line for each time that the effect happened, and ``seen.txt``, a line for each
            event that was said to be durable
        rhythm: how it looks after its run
        pause: seconds that each call takes
        clock: another one than the system's
        limits: what the run may use
    """

    @tool
    async def look(place: str) -> str:
        """Look.

        Args:
            place: where
        """
        await asyncio.sleep(pause)
        return f"nothing at {place}"

    @tool(effect="write")
    async def note(text: str) -> str:
        """Write down.

        Args:
            text: what
        """
        await asyncio.sleep(pause / 2)
        _add(folder / "effects.txt", text)
        await asyncio.sleep(pause / 2)
        return "noted"

    def see(run_id: str, event: Event | TextArrived) -> None:
        del run_id
        if not isinstance(event, TextArrived):
            _add(folder / "seen.txt", f"{type(event).__name__} {event.at!r}")

    return Agent(
        ScriptedModel(replies=[_reply] * _QUESTIONS),
        tools=[look, note],
        journal=journal,
        policy=Policy((Rule("allow", tool="note"),)),
        observers=[see],
        rhythm=rhythm,
        clock=clock,
        limits=limits,
    )


async def work(agent: Agent) -> RunResult:
    """Begin the run, or go on with it."""
    try:
        await agent.journal.read(RUN)
    except UnknownRun:
        return await agent.run("Look everywhere.", run_id=RUN)
    return await agent.resume(RUN)


def wrongs(events: Sequence[Event], folder: Path) -> list[str]:
    """What is not as it must be, in a run that was killed and brought to its end: nothing lost, nothing done twice."""
    found = list[str]()
    end = events[-1]
    if not isinstance(end, RunEnded) or end.outcome.status != "answered":
        found.append(f"the run did not end with an answer, but with {type(end).__name__}")
    durable = [f"{type(event).__name__} {event.at!r}" for event in events]
    places = iter(durable)
    found += [f"lost: {line}" for line in _lines(folder / "seen.txt") if line not in places]
    done = _lines(folder / "effects.txt")
    noted = {
        call.id: str(call.arguments["text"])
        for event in events
        if isinstance(event, ModelReplied)
        for call in event.turn.calls
        if call.tool == "note"
    }
    for event in events:
        if isinstance(event, CallEnded) and (text := noted.pop(event.call_id, None)) is not None:
            times, right = done.count(text), {"ran": (1,), "unknown": (0, 1)}.get(event.how, (0,))
            if times not in right:
                found.append(f"{text} was done {times} times, and the journal says {event.how}")
    found += [f"call {call_id} was never answered" for call_id in noted]
    return found


def doubts(events: Sequence[Event]) -> int:
    """How many calls have an outcome that nobody knows."""
    return sum(isinstance(event, CallEnded) and event.how == "unknown" for event in events)


def _reply(asked: Asked) -> Line:
    """The next step, by what is in the request, so that a model that was asked before says the same again."""
    step = sum(message["role"] == "assistant" for message in asked.messages) + 1
    if step > STEPS:
        return answers("That was all.")
    return (
        calls("look", place=f"left {step}") + calls("note", text=f"step {step}") + calls("look", place=f"right {step}")
    )


def _add(file: Path, line: str) -> None:
    """Add a line in one write; what is handed to the system outlives the process."""
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, f"{line}\n".encode())
    finally:
        os.close(handle)


def _lines(file: Path) -> list[Any]:
    return file.read_text().splitlines() if file.exists() else []


async def _main(opener: str, place: str, folder: str, lease: str, pause: str) -> None:
    journal = find_opener(opener)(Path(place))
    rhythm = Rhythm(lease=float(lease), look=float(lease) / 5)
    await work(agent_of(journal, Path(folder), rhythm=rhythm, pause=float(pause)))
    await journal.close()


if __name__ == "__main__":
    try:
        asyncio.run(_main(*sys.argv[1:]))
    except LoopwrightError as error:
        sys.exit(f"{type(error).__name__}: {error}")
