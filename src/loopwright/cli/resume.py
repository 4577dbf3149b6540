"""`loopwright resume`: go on with a run that was interrupted or failed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.ask import JournalOption, TraceContentOption, TraceOption

if TYPE_CHECKING:
    from loopwright.cli.driving import Begun
    from loopwright.core.events import Event
    from loopwright.engine.ports import Tool


def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")],
    *,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the new events as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer only.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
    approvals: Annotated[
        str | None,
        typer.Option(
            "--approvals",
            help="Who is asked, as for ask [default: terminal; without one, pause where the run waits for a person]",
        ),
    ] = None,
    trace: TraceOption = False,
    trace_content: TraceContentOption = False,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Load the tools, start the servers, and send the key to the address, that a run of a strange journal "
            "names, and follow its loopwright.toml.",
        ),
    ] = False,
) -> None:
    """Go on with a run. What was finished is not done again; a finished run just gives its answer.

    A run names the tools and the address that it was begun with. Where the journal is not your usual one, you are told
    what code it would load and where your key would go, and are asked first; --trust agrees beforehand.

    Exit status: as for ask.
    """
    import asyncio

    from loopwright.cli.driving import Show, drive
    from loopwright.cli.servers import recalled_project, served_for
    from loopwright.cli.setup import agent_of, find_run, found_journal, recipe_of
    from loopwright.cli.tracing import watched
    from loopwright.cli.trust import check_trust
    from loopwright.core.events import Event, RunEnded
    from loopwright.engine.history import rules_of
    from loopwright.journal.location import default_place

    store = found_journal(journal)

    async def find() -> tuple[str, list[Event]]:
        run_id = await find_run(store, run)
        return run_id, await store.read(run_id)

    run_id, history = asyncio.run(find())
    started = rules_of(history)
    recipe = recipe_of(started.recipe, run_id)
    check_trust(recipe, journal or default_place(), run_id, trusted=trust, history=history)
    show = Show(as_json=as_json, quiet=quiet, full=full, journal=journal, run_id=run_id, history=history)
    if isinstance(end := history[-1], RunEnded) and end.outcome.status != "failed":
        show.notice("the run was over already; this is how it ended")
    asks = approvals or _asks(history)
    project = recalled_project(recipe, trusted=trust)

    def begin(tools: "Sequence[Tool]") -> "Begun":
        agent = agent_of(recipe, store, started.limits, started.settings, show, served=tools, approvals=asks)
        return agent, lambda: agent.resume(run_id)

    with watched(show, trace=trace, content=trace_content):
        drive(begin, show, served_for(recipe, project, show))


def _asks(history: "Sequence[Event]") -> str:
    """Who is asked, where that is not said: a letter that came for a call that waits counts, whoever is here."""
    from loopwright.cli.letters import ANSWERED_BY_PEOPLE
    from loopwright.cli.setup import somebody_here
    from loopwright.engine.waiting import waiting

    return "terminal" if somebody_here() or not waiting(history, ANSWERED_BY_PEOPLE) else "pause"
