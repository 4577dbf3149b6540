"""`loopwright replay`: go through a run again without network, and see whether the same would happen today."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.core.events import Event, RunStarted
    from loopwright.engine.ports import Model
    from loopwright.engine.replay import Replay

FOLDED = 2000
"""Characters of each side that are shown unless all is asked for."""


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")] = "last",
    *,
    model_replies: Annotated[
        bool, typer.Option("--model-replies", help="Read the stored replies of the model again as well.")
    ] = False,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as one JSON line.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
) -> None:
    """Go through a run again: every decision of the loop and every request is derived anew and compared.

    Nothing is asked, run or sent, no key is needed and no code of tools is loaded. What came from outside (replies,
    results, words of people) is taken as it is written down; --model-replies reads the replies again with the readers
    of this version and lists every one that would be understood differently.

    Exit status: 0 where all is the same, 1 where not; the first difference is printed with both sides.
    """
    import asyncio

    from loopwright.cli.setup import find_run, found_journal
    from loopwright.engine.replay import replay as again
    from loopwright.engine.results import shown_in

    store = found_journal(journal)

    async def find() -> "tuple[str, list[Event], Any]":
        run_id = await find_run(store, run)
        history = await store.read(run_id)
        return run_id, history, await shown_in(history, store)

    run_id, history, images = asyncio.run(find())
    found = again(history, model_of, replies=model_replies, images=images)
    if as_json:
        _as_line(run_id, found)
    else:
        _as_text(run_id, found, full=full)
    if not found.same:
        raise typer.Exit(1)


def model_of(rules: "RunStarted") -> "Model | None":
    """The model of a run as it was spoken to, by its recipe or else its name; None where that is not known here."""
    from loopwright.cli.setup import recipe_of
    from loopwright.core.errors import UsageError
    from loopwright.models.catalog import described
    from loopwright.models.constraint import constrained

    try:
        recipe = recipe_of(rules.recipe, rules.run_id)
    except UsageError:
        base_url, wanted = None, None
    else:
        base_url, wanted = recipe.base_url, recipe.constrain
    try:
        return constrained(described(rules.model, base_url=base_url), rules.settings, wanted=wanted)
    except UsageError:
        return None


def _as_line(run_id: str, found: "Replay") -> None:
    from msgspec import to_builtins

    from loopwright.cli.printing import json_line

    print(json_line({"run_id": run_id, "same": found.same, **to_builtins(found)}))


def _as_text(run_id: str, found: "Replay", *, full: bool) -> None:
    from loopwright.cli.printing import console
    from loopwright.engine.telling import counted

    screen = console()
    parting, most = found.divergence, None if full else FOLDED
    if parting is None:
        print_line(screen, f"run {run_id}: {counted(found.events, 'event')}, decided and asked as they are today")
    else:
        what = "another request" if parting.what == "request" else "another event"
        print_line(screen, f"run {run_id} goes differently today: at event {parting.event}, {what}", "bold red")
        print_part(screen, "recorded", parting.recorded, most)
        print_part(screen, "derived", parting.derived, most)
        for message in parting.new:
            print_part(screen, "new in the request", message, most)
    print_line(screen, f"{counted(found.requests, 'request')} the same")
    if found.replies:
        print_line(screen, f"{counted(found.replies, 'reply' if found.replies == 1 else 'replie')} read again")
    for reread in found.reread:
        print_line(screen, f"event {reread.event} is read differently today", "bold red")
        print_part(screen, "recorded", reread.recorded, most)
        print_part(screen, "derived", reread.derived, most)
    for text in found.skipped:
        print_line(screen, f"not compared: {text}", "yellow")


def print_line(screen: Any, text: str, style: str = "") -> None:
    """A line, with the signs that command a terminal written out."""
    from rich.text import Text

    from loopwright.engine.telling import visible

    screen.print(Text(visible(text), style=style), soft_wrap=True)


def print_part(screen: Any, heading: str, text: str, most: int | None) -> None:
    """A heading and what stands below it, folded at so many characters."""
    from loopwright.cli.printing import fold

    print_line(screen, f"{heading}:", "yellow")
    lines: Sequence[str] = fold(text, most).splitlines()
    for line in lines:
        print_line(screen, f"  {line}")
