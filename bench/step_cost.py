"""What a step costs in the client process: loopwright with its journal beside a hand-written aiohttp loop.

    python bench/step_cost.py [--steps 200] [--repeat 5]

Both run the same conversation against a local server in another process. CPU time is that of this process (user and
system, `time.process_time`), so the server's work and the waiting do not count. The hand-written loop keeps a list of
messages, encodes it anew for each request with `json`, and writes nothing down. Figures are medians over the repeats,
taken in turn; the ratio is what to quote.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiohttp

from loopwright import Agent, Limits, SqliteJournal, tool
from loopwright.core.events import Event, ModelAsked
from loopwright.engine.ports import TextArrived


@tool
async def measure(point: int, unit: str) -> dict[str, float | str]:
    """The value at a point.

    Args:
        point: number of the point
        unit: unit of the value
    """
    return {"point": point, "value": 20.5, "unit": unit}


@contextmanager
def server() -> Generator[int, None, None]:
    """The server in a process of its own; gives its port."""
    script = Path(__file__).with_name("step_server.py")
    process = subprocess.Popen([sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


async def with_loopwright(url: str, steps: int, folder: Path, *, stream: bool) -> list[float]:
    """CPU seconds at which each question left."""
    marks = list[float]()

    def watch(_run_id: str, event: Event | TextArrived) -> None:
        if isinstance(event, ModelAsked):
            marks.append(time.process_time())

    limits = Limits(steps=None, model_calls=None, tool_calls=None)
    journal = SqliteJournal(folder / f"{time.monotonic_ns()}.db")
    agent = Agent(
        "openai:bench",
        base_url=url,
        api_key="none",
        tools=[measure],
        protocol="native",
        journal=journal,
        limits=limits,
        observers=[watch],
        stream=stream,
    )
    async with agent:
        result = await agent.run("Collect the values of all points.")
    assert result.status == "answered", result
    assert result.steps == steps, result
    marks.append(time.process_time())
    return marks


async def by_hand(url: str, steps: int) -> list[float]:
    """The same, without loopwright and without a journal."""
    marks = list[float]()
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Collect the values of all points."}]
    parameters = {
        "type": "object",
        "properties": {"point": {"type": "integer"}, "unit": {"type": "string"}},
        "required": ["point", "unit"],
    }
    function = {"name": "measure", "description": "The value at a point.", "parameters": parameters}
    tools = [{"type": "function", "function": function}]
    async with aiohttp.ClientSession() as session:
        while True:
            marks.append(time.process_time())
            body = json.dumps({"model": "bench", "messages": messages, "tools": tools}).encode()
            headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
            async with session.post(f"{url}/chat/completions", data=body, headers=headers) as response:
                message = json.loads(await response.read())["choices"][0]["message"]
            messages.append(message)
            if not message.get("tool_calls"):
                break
            for call in message["tool_calls"]:
                result = await measure(**json.loads(call["function"]["arguments"]))
                content = json.dumps({"status": "ok", "data": result})
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    assert len(messages) == 2 * steps + 2, len(messages)
    marks.append(time.process_time())
    return marks


def figures(marks: list[float]) -> tuple[float, float, float]:
    """Milliseconds of CPU a step: over the whole run, around step 10, and over the last ten steps."""
    costs = [1000 * (after - before) for before, after in pairwise(marks)]
    early = costs[5:15]
    return statistics.fmean(costs), statistics.median(early), statistics.median(costs[-11:-1])


async def main() -> None:
    """Run all in turn and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    rows: dict[str, list[tuple[float, float, float]]] = {}
    with server() as port, tempfile.TemporaryDirectory() as folder:
        url = f"http://127.0.0.1:{port}/{options.steps}"
        for turn in range(options.repeat + 1):
            marks = {
                "loopwright, whole replies": await with_loopwright(url, options.steps, Path(folder), stream=False),
                "loopwright, streamed": await with_loopwright(url, options.steps, Path(folder), stream=True),
                "aiohttp by hand, no journal": await by_hand(url, options.steps),
            }
            if turn:  # the first is for warming up
                for name, found in marks.items():
                    rows.setdefault(name, []).append(figures(found))
    print(f"{options.steps} steps, median of {options.repeat} runs, milliseconds of CPU a step in the client process\n")
    print(f"{'':30}{'all steps':>10}{'step 10':>10}{f'step {options.steps}':>10}{'growth':>8}{'ratio':>8}")
    base = statistics.median(row[0] for row in rows["aiohttp by hand, no journal"])
    for name, found in rows.items():
        whole, early, late = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{name:30}{whole:10.3f}{early:10.3f}{late:10.3f}{late / early:8.2f}{whole / base:8.2f}")


if __name__ == "__main__":
    asyncio.run(main())
