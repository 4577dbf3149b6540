"""`loopwright runs`: the list of runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.cli.choosing import Choice, Listed
    from loopwright.journal.location import Place


def runs(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="How many of those that fit.")] = 20,
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            help="Only these: answered, partial, stopped, failed, cancelled, paused, unfinished, waits (for a person) "
            "or damaged; can be repeated.",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="GLOB", help="Only of a model like this: '*' is anything.")
    ] = "",
    tool: Annotated[str, typer.Option("--tool", metavar="NAME", help="Only where this tool was called.")] = "",
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="Only with this in the task or the answer.")] = "",
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only begun since: 2026-11-30, 2026-11-30T14:05, or 2h ago."),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only begun until then; a day counts to its end.")
    ] = None,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the runs, newest first; with several options, those that fit all of them."""
    import asyncio
    from math import inf

    from loopwright.cli.choosing import Wanted, chosen_runs, time_of
    from loopwright.cli.setup import found_journal

    begun, before = time_of("--since", since), time_of("--until", until, end=True)
    wanted = Wanted(
        statuses=frozenset(status or ()),
        model=model,
        tool=tool,
        text=text,
        since=-inf if begun is None else begun,
        until=inf if before is None else before,
    )
    store = found_journal(journal)

    async def look() -> "tuple[Choice, bool]":
        choice = await chosen_runs(store, wanted, limit)
        return choice, bool(choice.runs) or bool(await store.runs(1))

    choice, some = asyncio.run(look())
    _listed(choice, journal, some=some, as_json=as_json)


def _listed(choice: "Choice", journal: "Place | None", *, some: bool, as_json: bool) -> None:
    """Print the runs, or why there are none."""
    from loopwright.cli.driving import complain
    from loopwright.cli.printing import json_line, verb
    from loopwright.engine.telling import counted

    if as_json:
        for run in choice.runs:
            fields = {name: getattr(run.summary, name) for name in run.summary.__struct_fields__}
            print(json_line({**fields, "waits": run.status == "waits"}))
    elif choice.runs:
        _table(choice.runs)
    elif not some:
        print("no runs yet; 'loopwright ask \"…\"' makes one")
    if some and not choice.runs:
        complain("no runs match; 'loopwright runs' without options lists the newest")
    for run_id in choice.unread[:NAMED]:
        complain(
            f"run {run_id} is damaged, so it cannot be said whether it fits; see: {verb('audit', run_id, journal)}"
        )
    if more := choice.unread[NAMED:]:
        complain(f"and {counted(len(more), 'other run')}; 'loopwright runs --status damaged' lists them")


NAMED = 5
"""Damaged runs that are named."""
MOST, LEAST = 80, 20
"""Columns of a task."""


def _table(found: "Sequence[Listed]") -> None:
    from rich.cells import cell_len
    from rich.text import Text

    from loopwright.cli.printing import columns, console, one_line

    screen = console()
    rows = [("run", "when", "status", "model"), *map(_row, found)]
    lead = max(map(cell_len, columns([(*row, "|") for row in rows]))) - 1
    most = max(LEAST, min(MOST, screen.width - lead))
    tasks = ["task", *(one_line(run.summary.damaged or run.summary.task, most) for run in found)]
    heading, *lines = columns([(*row, task) for row, task in zip(rows, tasks, strict=True)])
    screen.print(Text(heading, style="bold"), soft_wrap=True)
    for line in lines:
        screen.print(Text(line), soft_wrap=True)


def _row(run: "Listed") -> tuple[str, str, str, str]:
    from loopwright.cli.printing import one_line

    summary = run.summary
    run_id, model = one_line(summary.run_id, MOST), one_line(summary.model, MOST)
    if run.status == "damaged":
        return run_id, "", "damaged", ""
    return run_id, _when(summary.started_at), "waits for a person" if run.status == "waits" else run.status, model


def _when(at: float) -> str:
    """A time as the clock on the wall shows it; empty for one that no clock shows."""
    from datetime import datetime

    try:
        return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""
