"""What it costs to resume runs: 1,000 of them at once, each stopped after 200 steps.

    python bench/resume_cost.py [--runs 1000] [--steps 200] [--bytes 2000] [--text]

One run is really driven to its last step and ends there, as a process ends that is killed; its history is then written
to a SQLite journal under as many names as there are runs, with results of its own for each. Then all are resumed at
once by one agent in one process: each journal is read, folded, and told again, up to the first request. That request
waits until all runs have sent theirs, so that all histories are there at the same time.

CPU is that of the resume of one run, from the call of `Agent.resume` to the first byte of the request, counted only
while it has the thread; other runs' work in between does not count. The parts are measured apart, run after run. The
file is in the cache of the operating system, since it was just written.
"""

import argparse
import asyncio
import gc
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Raw
from msgspec.json import encode
from msgspec.structs import replace

from loopwright import Agent, Limits, MemoryJournal, Model, SqliteJournal, Tool, tool
from loopwright.core.events import CallEnded, Event, ModelAsked, RunStarted
from loopwright.engine.history import fold, rules_of
from loopwright.engine.ports import Feed
from loopwright.engine.speak import conversation_of
from loopwright.protocols.openai_chat import OpenAIChat

TASK = "Collect the values of all points."
PROTOCOL = {False: "native", True: "text"}


def filled(run_id: str, point: int, size: int) -> dict[str, Any]:
    """A result of about so many bytes that no other run has."""
    mark = f"{run_id}:{point:04};"
    return {"point": point, "value": (mark * (size // len(mark) + 1))[:size]}


def measure_of(size: int) -> Tool:
    """The tool that the runs use, with results of about so many bytes."""

    @tool
    async def measure(point: int, unit: str) -> dict[str, Any]:
        """The value at a point.

        Args:
            point: number of the point
            unit: unit of the value
        """
        del unit
        return filled("run-", point, size)

    return measure


class Stepping:
    """A model in this process that calls the tool a number of times and then hangs."""

    def __init__(self, steps: int, *, text: bool) -> None:
        self._steps = steps
        self._text = text
        self.asked = 0
        self.reached = asyncio.Event()

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        """Answer with the next call."""
        self.asked += 1
        if self.asked > self._steps:
            self.reached.set()
            await asyncio.Event().wait()
        feed(_reply(self._called(), len(body)))

    def _called(self) -> dict[str, Any]:
        arguments = encode({"point": self.asked, "unit": "°C"}).decode()
        if self._text:
            return {"content": f"Thought: On to point {self.asked}.\nAction: measure {arguments}"}
        call = {"id": f"call_{self.asked}", "type": "function", "function": {"name": "measure", "arguments": arguments}}
        return {"content": f"On to point {self.asked}.", "tool_calls": [call]}

    async def close(self) -> None:
        """There is nothing to release."""


class Gathering:
    """A model in this process that answers when all runs have asked it."""

    def __init__(self, runs: int, *, text: bool) -> None:
        self._missing = runs
        self._answer = "Final Answer: done" if text else "done"
        self._all = asyncio.Event()
        self.complete_at = 0.0
        self.cpu_at = 0.0
        self.largest = 0

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        """Take the time, and answer when the last has asked."""
        Metered.stop()
        self.largest = max(self.largest, len(body))
        self._missing -= 1
        if not self._missing:
            self.complete_at, self.cpu_at = time.perf_counter(), time.process_time()
            self._all.set()
        await self._all.wait()
        feed(_reply({"content": self._answer}, len(body)))

    async def close(self) -> None:
        """There is nothing to release."""


def _reply(message: dict[str, Any], size: int) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": size // 4, "completion_tokens": 12, "total_tokens": size // 4 + 12}
    return encode({"id": "x", "object": "chat.completion", "model": "bench", "choices": [choice], "usage": usage})


class Metered:
    """Awaits a coroutine and counts the CPU seconds that its thread spends in it, until `stop` is called inside."""

    now: "Metered | None" = None

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self.work = work
        self.since = 0.0
        self.seconds = 0.0
        self.stopped = False

    @classmethod
    def stop(cls) -> None:
        """The work that is going on has come as far as is to be measured."""
        if (going_on := cls.now) is not None:
            going_on.count()
            going_on.stopped = True

    def count(self) -> None:
        """Add the time since the thread came to this work."""
        if not self.stopped:
            self.seconds += time.thread_time() - self.since

    def __await__(self) -> Generator[Any, Any, Any]:
        given: Any = None
        failure: BaseException | None = None
        while True:
            Metered.now, self.since = self, time.thread_time()
            try:
                waits_for = self.work.send(given) if failure is None else self.work.throw(failure)
            except StopIteration as done:
                return done.value
            finally:
                self.count()
                Metered.now = None
            try:
                given, failure = (yield waits_for), None
            except BaseException as raised:  # noqa: BLE001 - goes on into the work
                given, failure = None, raised


def _agent(transport: Any, journal: Any, *, text: bool, size: int = 0) -> Agent:
    model = Model(name="bench", spec="openai:bench", dialect=OpenAIChat(), transport=transport)
    return Agent(
        model,
        tools=[measure_of(size)],
        protocol="text" if text else "native",
        journal=journal,
        limits=Limits(steps=None, model_calls=None, tool_calls=None),
        stream=False,
    )


async def driven(steps: int, size: int, *, text: bool) -> list[Event]:
    """The history of a run whose process was killed when the last result had just come."""
    journal, model = MemoryJournal(), Stepping(steps, text=text)
    running = asyncio.create_task(_agent(model, journal, text=text, size=size).run(TASK, run_id="one"))
    reached = asyncio.create_task(model.reached.wait())
    await asyncio.wait([running, reached], return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        raise RuntimeError(f"the run ended early: {running.result()}")
    history = await journal.read("one")
    running.cancel()
    await asyncio.wait([running])
    while isinstance(history[-1], ModelAsked):
        history.pop()
    return history


def renamed(history: Sequence[Event], run_id: str, size: int) -> list[Event]:
    """The same under another name, with results of its own."""
    found, point = list[Event](), 0
    for event in history:
        match event:
            case RunStarted():
                found.append(replace(event, run_id=run_id))
            case CallEnded():
                point += 1
                data = Raw(encode(filled(run_id, point, size)))
                found.append(replace(event, result=replace(event.result, data=data)))
            case _:
                found.append(event)
    return found


async def parts(journal: SqliteJournal, runs: Sequence[str], *, text: bool) -> dict[str, list[float]]:
    """Milliseconds of CPU of reading, folding, and telling again with the request, each run by itself."""
    found: dict[str, list[float]] = {"read": [], "fold": [], "told again": [], "request": []}
    model = _agent(Gathering(1, text=text), journal, text=text).model
    for run_id in runs:
        marks = [time.thread_time()]
        history = await journal.read(run_id)
        marks.append(time.thread_time())
        state = fold(history)
        marks.append(time.thread_time())
        conversation = conversation_of(rules_of(history), state.way, model, history)
        marks.append(time.thread_time())
        conversation.request(ModelAsked(number=len(history)), stream=False)
        marks.append(time.thread_time())
        for name, began, ended in zip(found, marks, marks[1:], strict=False):
            found[name].append(1000 * (ended - began))
    return found


async def resumed(journal: SqliteJournal, runs: Sequence[str], *, text: bool) -> tuple[list[float], float, float, int]:
    """All at once: milliseconds of CPU of each, seconds until the last request, all CPU until then, largest request."""
    model = Gathering(len(runs), text=text)
    agent = _agent(model, journal, text=text)
    gc.collect()
    began, cpu = time.perf_counter(), time.process_time()
    spent = list[float]()

    async def one(run_id: str) -> None:
        metered = Metered(agent.resume(run_id))
        result = await metered
        if result.status != "answered":
            raise RuntimeError(f"{result.run_id}: {result.status} {result.reason}")
        spent.append(1000 * metered.seconds)

    await asyncio.gather(*(one(run_id) for run_id in runs))
    return spent, model.complete_at - began, model.cpu_at - cpu, model.largest


def share(values: Sequence[float], percent: int) -> float:
    """The value that so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def line(name: str, values: Sequence[float]) -> str:
    """A line of the table."""
    figures = (statistics.fmean(values), share(values, 50), share(values, 99), max(values))
    return f"{name:34}" + "".join(f"{figure:10.2f}" for figure in figures)


async def main() -> None:
    """Write the journal, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--bytes", type=int, default=2000, help="of each result")
    parser.add_argument("--text", action="store_true", help="runs in text form")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "journal.db"
        journal = SqliteJournal(file)
        history = await driven(options.steps, options.bytes, text=options.text)
        names = [f"run-{number:05}" for number in range(options.runs)]
        for name in names:
            await journal.append(name, 1, renamed(history, name, options.bytes))
        print(
            f"{options.runs} runs of {options.steps} steps and {len(history)} events, {PROTOCOL[options.text]} form, "
            f"results of {options.bytes} bytes, journal of {file.stat().st_size / 1e6:.0f} MB\n"
        )
        print(f"{'milliseconds of CPU a run':34}{'mean':>10}{'p50':>10}{'p99':>10}{'most':>10}")
        for name, values in (await parts(journal, names[:100], text=options.text)).items():
            print(line(f"  {name}, one after another", values))
        spent, seconds, whole, largest = await resumed(journal, names, text=options.text)
        print(line("resume, all at once", spent))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"\nall requests were sent after {seconds:.1f} s and {1000 * whole / len(names):.2f} ms of CPU a run; "
            f"requests of {largest / 1000:.0f} kB; {memory:.0f} MB of memory at most"
        )
        await journal.close()
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
