"""`loopwright diff`: where two runs part, and how they end."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.core.events import Event
    from loopwright.engine.difference import Difference, Ending, Made

FOLDED = 600
"""Characters of each part that are shown unless all is asked for."""


def diff(
    left: Annotated[str, typer.Argument(metavar="A", help="Id of a run, its beginning, or last.")],
    right: Annotated[str, typer.Argument(metavar="B", help="Another one, such as a fork of it.")],
    *,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as one JSON line.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
) -> None:
    """Show the first event in which two runs differ, the calls that are not the same, and how both end.

    Times, tokens, the names of the runs and that one was interrupted do not count.

    Exit status: 0 where nothing differs, 1 where something does.
    """
    import asyncio

    from loopwright.cli.setup import find_run, found_journal
    from loopwright.engine.difference import difference

    store = found_journal(journal)

    async def find() -> "tuple[list[Event], list[Event]]":
        first, second = await find_run(store, left), await find_run(store, right)
        return await store.read(first), await store.read(second)

    found = difference(*asyncio.run(find()))
    if as_json:
        _as_line(found)
    else:
        _as_text(found, full=full)
    if not found.same:
        raise typer.Exit(1)


def _as_line(found: "Difference") -> None:
    from msgspec import to_builtins

    from loopwright.cli.printing import json_line

    print(json_line({"same": found.same, **to_builtins(found)}))


def _as_text(found: "Difference", *, full: bool) -> None:
    from loopwright.cli.printing import console
    from loopwright.cli.replay import print_line, print_part
    from loopwright.engine.telling import counted

    screen, most = console(), None if full else FOLDED
    one, other, parting = found.left.run_id, found.right.run_id, found.parting
    common = f"{counted(found.shared, 'event')} {'shared' if found.kin else 'alike'}"
    if parting is None:
        print_line(screen, f"{one} and {other}: the same")
    else:
        print_line(screen, f"{one} and {other}: {common}, then they part", "bold")
        print_part(screen, f"{one}, event {parting.left}", parting.left_event or "nothing more", most)
        print_part(screen, f"{other}, event {parting.right}", parting.right_event or "nothing more", most)
    for pair in found.calls:
        print_line(screen, f"calls: {', '.join(pair.differs)}", "yellow")
        print_line(screen, f"  {one}: {_call(pair.left, most)}")
        print_line(screen, f"  {other}: {_call(pair.right, most)}")
    for ending in (found.left, found.right):
        print_line(screen, _ending(ending))
        if ending.answer is not None and found.left.answer != found.right.answer:
            print_part(screen, "answer", ending.answer, most)


def _call(made: "Made | None", most: int | None) -> str:
    from loopwright.cli.printing import fold

    if made is None:
        return "none"
    ended = f"{made.how}: {made.result}" if made.how else "no result"
    return f"{made.call_id} {made.tool} {fold(made.arguments, most)} → {fold(ended, most)}"


def _ending(ending: "Ending") -> str:
    from loopwright.engine.telling import counted

    status = ending.status or "not over"
    why = f" ({ending.reason})" if ending.reason else ""
    usage: Any = ending.usage
    cost = f" · ${usage.cost:.4f}" if usage.cost else ""
    return (
        f"{ending.run_id}: {status}{why} · {counted(ending.steps, 'step')} · {counted(ending.calls, 'call')} · "
        f"{usage.tokens:,} tokens{cost}"
    )
