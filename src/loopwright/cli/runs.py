"""`loopwright runs`: the list of runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.journal.base import RunSummary


def runs(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="How many.")] = 20,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the runs, newest first."""
    import asyncio

    from loopwright.cli.printing import json_line
    from loopwright.cli.setup import found_journal

    store = found_journal(journal)

    async def look() -> "tuple[list[RunSummary], set[str]]":
        found = await store.runs(limit)
        return found, {summary.run_id for summary in found if await _waits(store, summary)}

    found, waiting = asyncio.run(look())
    if as_json:
        for summary in found:
            fields = {name: getattr(summary, name) for name in summary.__struct_fields__}
            print(json_line({**fields, "waits": summary.run_id in waiting}))
    elif found:
        _table(found, waiting)
    else:
        print("no runs yet; 'loopwright ask \"…\"' makes one")


MOST, LEAST = 80, 20
"""Columns of a task."""


async def _waits(store: Any, summary: "RunSummary") -> bool:
    """Whether a call of the run waits for a person."""
    from loopwright.cli.letters import ANSWERED_BY_PEOPLE
    from loopwright.core.errors import LoopwrightError
    from loopwright.engine.waiting import waiting

    if summary.status is not None or summary.damaged:
        return False
    try:
        return bool(waiting(await store.read(summary.run_id), ANSWERED_BY_PEOPLE))
    except LoopwrightError:  # listed all the same; 'show' and 'audit' say what is wrong
        return False


def _table(found: "Sequence[RunSummary]", waiting: "set[str]") -> None:
    from rich.cells import cell_len
    from rich.text import Text

    from loopwright.cli.printing import columns, console, one_line

    screen = console()
    rows = [("run", "when", "status", "model"), *(_row(summary, waits=summary.run_id in waiting) for summary in found)]
    lead = max(map(cell_len, columns([(*row, "|") for row in rows]))) - 1
    most = max(LEAST, min(MOST, screen.width - lead))
    tasks = ["task", *(one_line(summary.damaged or summary.task, most) for summary in found)]
    heading, *lines = columns([(*row, task) for row, task in zip(rows, tasks, strict=True)])
    screen.print(Text(heading, style="bold"), soft_wrap=True)
    for line in lines:
        screen.print(Text(line), soft_wrap=True)


def _row(summary: "RunSummary", *, waits: bool) -> tuple[str, str, str, str]:
    from loopwright.cli.printing import one_line

    status = summary.status or ("paused" if summary.paused else "unfinished")
    status = "waits for a person" if waits else status
    run_id, model = one_line(summary.run_id, MOST), one_line(summary.model, MOST)
    if summary.damaged:
        return run_id, "", "damaged", ""
    return run_id, _when(summary.started_at), status, model


def _when(at: float) -> str:
    """A time as the clock on the wall shows it; empty for one that no clock shows."""
    from datetime import datetime

    try:
        return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""
