"""`loopwright show`: what a run did, and what it kept."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from loopwright.cli.ask import JournalOption
from loopwright.journal.location import Place

if TYPE_CHECKING:
    from loopwright.cli.printing import Printer
    from loopwright.core.events import Event
    from loopwright.engine.waiting import Waiting


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")] = "last",
    *,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the events as JSON lines.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for what happens next, until the run is over.")
    ] = False,
    artifact: Annotated[
        str | None, typer.Option("--artifact", metavar="REF", help="Instead: an artifact, by its reference.")
    ] = None,
    result: Annotated[
        str | None, typer.Option("--result", metavar="CALL", help="Instead: the whole result of a call, such as 3.1.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write it to a new file; - for a pipe.")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open it, where it is an image.")] = False,
) -> None:
    """Print a run step by step, with its answer and figures, or one of the things that it kept.

    With --follow, the exit status says how the run ended, as for ask; Ctrl-C ends the looking only.
    """
    import asyncio

    from loopwright.cli.setup import find_run, found_journal
    from loopwright.core.errors import UsageError

    store = found_journal(journal)
    if follow:
        if artifact is not None or result is not None or out is not None or open_it:
            raise UsageError("--follow goes with --json and --full only")
        _follow(store, run, journal, as_json=as_json, full=full)

    async def read() -> "tuple[str, list[Event], bytes, str]":
        run_id = await find_run(store, run)
        events = await store.read(run_id)
        await _warn(store, run_id, journal)
        data, about = await _kept(store, events, artifact, result)
        return run_id, events, data, about

    run_id, events, data, about = asyncio.run(read())
    if artifact is not None or result is not None:
        _hand_out(events, data, about, artifact=artifact, out=out, open_it=open_it)
        return
    if out is not None or open_it:
        raise UsageError("--out and --open need --artifact or --result")
    if as_json:
        _as_lines(run_id, events)
    else:
        _as_text(run_id, events, journal, full=full)


async def _warn(store: Any, run_id: str, journal: Place | None) -> None:
    """Say on standard error where what is shown is not as it was written."""
    from loopwright.cli.driving import complain
    from loopwright.cli.printing import verb

    if (damage := await store.damage(run_id)) is not None:
        complain(
            f"warning: the journal is damaged at event {damage.seq} of this run: {damage.what}; "
            f"see: {verb('audit', run_id, journal)}"
        )


async def _kept(store: Any, events: "Sequence[Event]", artifact: str | None, result: str | None) -> tuple[bytes, str]:
    """The bytes that were asked for, and a line about them."""
    from loopwright.cli.contents import artifact_named, described, whole_result
    from loopwright.core.errors import UsageError

    if artifact is not None and result is not None:
        raise UsageError("use --artifact or --result, not both")
    if artifact is not None:
        content = artifact_named(events, artifact)
        return await store.content(content.digest), described(content)
    if result is not None:
        return await whole_result(store, events, result), ""
    return b"", ""


def _hand_out(
    events: "Sequence[Event]", data: bytes, about: str, *, artifact: str | None, out: str | None, open_it: bool
) -> None:
    from loopwright.cli.contents import artifact_named, open_image, write_out
    from loopwright.core.errors import UsageError
    from loopwright.engine.telling import visible

    if open_it:
        if artifact is None:
            raise UsageError("--open needs --artifact")
        print(visible(open_image(artifact_named(events, artifact), data)))
    elif out is not None:
        told = write_out(data, out)
        print(*([visible(told)] if told else []), sep="", end="\n" if told else "")
    elif artifact is not None:
        print(visible(f"{about}\nwrite it to a file with --out FILE, or look at an image with --open"))
    else:
        print(visible(data.decode("utf-8", "replace")))


def _as_lines(run_id: str, events: "Sequence[Event]") -> None:
    from loopwright.cli.printing import as_line

    for seq, event in enumerate(events, 1):
        print(as_line(run_id, seq, event))


def _as_text(run_id: str, events: "Sequence[Event]", journal: Place | None, *, full: bool) -> None:
    from loopwright.cli.printing import Printer, console

    printer = Printer(console(), full=full, journal=journal)
    _heading(run_id, events)
    for event in events:
        printer(run_id, event)
    printer.rest()
    _ending(run_id, events, printer)


def _heading(run_id: str, events: "Sequence[Event]") -> None:
    """What the run was asked, with what, and what it was forked from."""
    from rich.text import Text

    from loopwright.cli.printing import console, header
    from loopwright.core.events import RunForked
    from loopwright.engine.history import rules_of
    from loopwright.engine.telling import visible

    told = header(rules_of(events))
    for event in events:
        if isinstance(event, RunForked) and event.started.run_id == run_id:
            told += f"\nFork of: {event.parent}, which it shares {event.after} events with"
    console().print(Text(visible(told)), soft_wrap=True)


def _ending(run_id: str, events: "Sequence[Event]", printer: "Printer") -> None:
    """What the run kept, its answer and figures, or what it waits for."""
    from rich.text import Text

    from loopwright.cli.contents import artifacts_of, described
    from loopwright.cli.printing import console, verb
    from loopwright.engine.history import fold, result_of
    from loopwright.engine.telling import visible

    screen, journal = console(), printer.journal
    if kept := artifacts_of(events):
        lines = [f"  {described(content)}  (call {call_id})" for call_id, content in kept]
        told = "\n".join(("\nKept", *lines, f"  {verb('show', run_id, journal, options='--artifact REF --out FILE')}"))
        screen.print(Text(visible(told)), soft_wrap=True)
    state = fold(events)
    if state.phase == "over":
        printer.figures(result_of(state))
    else:
        _open_end(run_id, events, journal)
    if printer.folded:
        told = f"long parts were cut, see them with: {verb('show', run_id, journal, options='--full')}"
        screen.print(Text(visible(told), style="dim"), soft_wrap=True)


def _open_end(run_id: str, events: "Sequence[Event]", journal: Place | None) -> None:
    from rich.text import Text

    from loopwright.cli.letters import ANSWERED_BY_PEOPLE, going_on
    from loopwright.cli.printing import console
    from loopwright.engine.telling import visible
    from loopwright.engine.waiting import waiting

    screen = console()
    for call in waiting(events, ANSWERED_BY_PEOPLE):
        told = f"\n{waits_for(run_id, call, journal)}"
        screen.print(Text(visible(told), style="yellow"), soft_wrap=True)
    screen.print(Text(visible(f"\nnot over · {going_on(run_id, events, journal)}"), style="dim"), soft_wrap=True)


def waits_for(run_id: str, call: "Waiting", journal: Place | None) -> str:
    """What a person is asked, and how to say it."""
    from loopwright.cli.letters import shown
    from loopwright.cli.printing import verb

    say = verb("answer" if call.about == "answer" else "approve", run_id, journal, call.call_id)
    return f"waits for a person: {shown(call)}\n  {say}"


def _follow(store: Any, run: str, journal: Place | None, *, as_json: bool, full: bool) -> NoReturn:
    """Print the run until it is over, and leave with the exit code that says how it ended."""
    import asyncio
    import sys

    from loopwright.cli.driving import Lines, complain
    from loopwright.cli.exits import CODES, INTERRUPTED
    from loopwright.cli.following import Following
    from loopwright.cli.printing import Printer, console, verb
    from loopwright.cli.setup import find_run
    from loopwright.engine.history import fold, result_of

    printer = Printer(console(), full=full, journal=journal)
    following = Following(Lines(0, sys.stdout) if as_json else printer, printer.rest, journal)

    async def look() -> "tuple[str, list[Event]]":
        run_id = await find_run(store, run)
        await _warn(store, run_id, journal)
        if not as_json:
            _heading(run_id, await store.read(run_id))
        return run_id, await following.to_the_end(store, run_id)

    try:
        run_id, events = asyncio.run(look())
    except KeyboardInterrupt:
        complain(f"\nno longer followed; the run is left as it is: {verb('show', following.run_id or run, journal)}")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        printer.rest()
    if not as_json:
        _ending(run_id, events, printer)
    raise typer.Exit(CODES[result_of(fold(events)).status])
