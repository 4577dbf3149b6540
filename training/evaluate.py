"""Measures the embedded model: runs the tasks of `training/evaluation` end to end and counts what came out right.

    python -m training.evaluate                            the adapter that the package carries
    python -m training.evaluate --adapter new.gguf         another one
    python -m training.evaluate --no-adapter               the base model alone, with the prompt of the adapter
    python -m training.evaluate --no-adapter --prompt standard
                                                           the base model alone, with the prompt for any other model
    python -m training.evaluate --kinds "two steps,currency" --limit 30 --seed 7 --json result.json

Exit status: 0, or 1 where something counted that the model wrote behind an observation of its own, 2 for a mistake in
the options, 130 after Ctrl-C; what was counted until then is still printed.

Owns the options, the choice of tasks and of the model. What is right is decided by `training.evaluation`.
"""

import argparse
import asyncio
import hashlib
import multiprocessing
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter, strftime
from typing import Any

from msgspec.structs import replace

from loopwright import LoopwrightError, Model
from loopwright.models.local import ADAPTER_FILE, local_model
from training.evaluation.report import document, table
from training.evaluation.run import Attempt, attempt
from training.evaluation.task import Task
from training.evaluation.tasks import TASKS

PROMPTS = ("trained", "standard")


def options() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=(__doc__ or "").partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--adapter", type=Path, metavar="FILE.gguf", help="instead of the one that the package carries")
    which.add_argument("--no-adapter", action="store_true", help="the base model alone")
    parser.add_argument("--prompt", choices=PROMPTS, default="trained", help="the adapter's, or the one for any model")
    parser.add_argument(
        "--kinds", default="", metavar="A,B", help="only these kinds or groups, as the table names them"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="only N tasks, drawn by chance")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which tasks a limit draws")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, each with a model of its own")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the counts and every attempt to this file")
    return parser


def check(asked: argparse.Namespace) -> None:
    """Raise ValueError for what would only come out after hours."""
    if asked.jobs < 1:
        raise ValueError(f"the number of jobs is {asked.jobs}; it must be at least 1")
    if asked.json and not asked.json.parent.is_dir():
        raise ValueError(f"{asked.json.parent} is no folder, so {asked.json.name} cannot be written there")


def chosen(kinds: str, limit: int | None, seed: int) -> list[Task]:
    """The tasks that are meant, in their order.

    Raises:
        ValueError: a kind that there is not, or a limit below 1
    """
    wanted = {kind.strip() for kind in kinds.split(",") if kind.strip()}
    known = {name for task in TASKS for name in (task.group, task.kind)}
    if unknown := wanted - known:
        raise ValueError(f"there is no kind {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    if limit is not None and limit < 1:
        raise ValueError(f"the limit is {limit}; it must be at least 1")
    tasks = [task for task in TASKS if not wanted or {task.group, task.kind} & wanted]
    if limit is None or limit >= len(tasks):
        return tasks
    drawn = set(random.Random(seed).sample(range(len(tasks)), limit))
    return [task for number, task in enumerate(tasks) if number in drawn]


def model_of(adapter: Path | None, *, bare: bool, prompt: str) -> Model:
    """The model that is measured.

    Raises:
        MissingExtra: llama.cpp or the base model is not installed
        UsageError: the adapter is no GGUF file
    """
    model = local_model(adapter=None if bare else adapter or "own")
    return replace(model, embedded=prompt == "trained")


def about(asked: argparse.Namespace, tasks: Sequence[Task]) -> dict[str, Any]:
    """What was measured, for the JSON document."""
    own = Path(sys.modules[local_model.__module__].__file__ or "").parent / "data" / ADAPTER_FILE
    file = None if asked.no_adapter else asked.adapter or own
    return {
        "adapter": file.name if file else None,
        "adapter_sha256": hashlib.sha256(file.read_bytes()).hexdigest() if file else None,
        "prompt": asked.prompt,
        "tasks": len(tasks),
        "of": len(TASKS),
        "seed": asked.seed,
        "jobs": asked.jobs,
        "day": strftime("%Y-%m-%d"),
    }


def attempts(tasks: Sequence[Task], asked: argparse.Namespace) -> Iterator[Attempt]:
    """Try the tasks; with several processes their order is kept all the same."""
    settings = (asked.adapter, asked.no_adapter, asked.prompt)
    if asked.jobs == 1:
        for task in tasks:
            yield tried(task.id, settings)
        return
    with ProcessPoolExecutor(asked.jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(tried, [task.id for task in tasks], [settings] * len(tasks))


def tried(task_id: str, settings: tuple[Path | None, bool, str]) -> Attempt:
    """One task, in whatever process; the model is loaded once in each."""
    adapter, bare, prompt = settings
    task = next(task for task in TASKS if task.id == task_id)
    return asyncio.run(attempt(task, model_of(adapter, bare=bare, prompt=prompt)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the table, and write the JSON document."""
    parser = options()
    asked = parser.parse_args(arguments)
    try:
        check(asked)
        tasks = chosen(asked.kinds, asked.limit, asked.seed)
        model_of(asked.adapter, bare=asked.no_adapter, prompt=asked.prompt)
    except (ValueError, LoopwrightError) as wrong:
        parser.error(str(wrong))
    done: list[Attempt] = []
    interrupted = False
    began = perf_counter()
    try:
        for one in attempts(tasks, asked):
            done.append(one)
            progress(done, len(tasks), perf_counter() - began)
    except KeyboardInterrupt:
        interrupted = True
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(table(done))
    if asked.json:
        asked.json.write_bytes(document(done, about(asked, tasks)) + b"\n")
    if interrupted:
        print(f"interrupted after {len(done)} of {len(tasks)} tasks", file=sys.stderr)
        return 130
    return 1 if any(one.invented for one in done) else 0


def progress(done: Sequence[Attempt], n: int, seconds: float) -> None:
    """Where it stands, in one line of a terminal that is written over each time."""
    if sys.stderr.isatty():
        left = seconds / len(done) * (n - len(done)) / 60
        right = sum(one.right for one in done)
        line = f"{len(done)} of {n} tasks, {right} right, {left:.0f} min left"
        print(f"\r{line:<60}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
