"""`loopwright runs`: the list of runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.journal.base import RunSummary


def runs(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many.")] = 20,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the runs, newest first."""
    import asyncio

    from msgspec.json import encode

    from loopwright.cli.setup import open_journal

    store = open_journal(journal)
    found = asyncio.run(store.runs(limit))
    if as_json:
        for summary in found:
            print(encode(summary).decode())
    elif found:
        _table(found)
    else:
        print("no runs yet; 'loopwright ask \"…\"' makes one")


def _table(found: "Sequence[RunSummary]") -> None:
    from datetime import datetime

    from rich.table import Table

    from loopwright.cli.printing import console, visible

    screen = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "when", "status"):
        table.add_column(heading, no_wrap=True)
    table.add_column("model", overflow="fold")
    table.add_column("task", overflow="fold")
    for summary in found:
        when = datetime.fromtimestamp(summary.started_at).astimezone().strftime("%Y-%m-%d %H:%M")
        status = summary.status or ("paused" if summary.paused else "unfinished")
        table.add_row(summary.run_id, when, status, summary.model, visible(" ".join(summary.task.split())))
    screen.print(table)
