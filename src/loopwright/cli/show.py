"""`loopwright show`: what a run did."""

from typing import Annotated

import typer

from loopwright.cli.ask import JournalOption


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")] = "last",
    *,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the events as JSON lines.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
) -> None:
    """Print a run step by step, with its answer and figures."""
    import asyncio
    from typing import cast

    from rich.text import Text

    from loopwright.cli.printing import Printer, as_line, console, header, verb, visible
    from loopwright.cli.setup import find_run, found_journal
    from loopwright.core.events import Event, RunStarted
    from loopwright.engine.history import fold, result_of

    store = found_journal(journal)

    async def read() -> tuple[str, list[Event]]:
        run_id = await find_run(store, run)
        return run_id, await store.read(run_id)

    run_id, events = asyncio.run(read())
    if as_json:
        for seq, event in enumerate(events, 1):
            print(as_line(run_id, seq, event))
        return
    screen = console()
    printer = Printer(screen, full=full, journal=journal)
    screen.print(Text(visible(header(cast("RunStarted", events[0])))), soft_wrap=True)
    for event in events:
        printer(run_id, event)
    printer.rest()
    state = fold(events)
    if state.phase == "over":
        printer.figures(result_of(state))
    else:
        screen.print(Text(visible(f"\nnot over · {verb('resume', run_id, journal)}"), style="dim"), soft_wrap=True)
