"""`loopwright show`: what a run did, and what it kept."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.ask import JournalOption
from loopwright.journal.location import Place

if TYPE_CHECKING:
    from loopwright.core.events import Event


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")] = "last",
    *,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the events as JSON lines.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
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
    """Print a run step by step, with its answer and figures, or one of the things that it kept."""
    import asyncio

    from loopwright.cli.setup import find_run, found_journal
    from loopwright.core.errors import UsageError

    store = found_journal(journal)

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
    from typing import cast

    from rich.text import Text

    from loopwright.cli.contents import artifacts_of, described
    from loopwright.cli.letters import ANSWERED_BY_PEOPLE, shown
    from loopwright.cli.printing import Printer, console, header, verb
    from loopwright.core.events import RunStarted
    from loopwright.engine.history import fold, result_of
    from loopwright.engine.telling import visible
    from loopwright.engine.waiting import waiting

    screen = console()
    printer = Printer(screen, full=full, journal=journal)
    screen.print(Text(visible(header(cast("RunStarted", events[0])))), soft_wrap=True)
    for event in events:
        printer(run_id, event)
    printer.rest()
    if kept := artifacts_of(events):
        lines = [f"  {described(content)}  (call {call_id})" for call_id, content in kept]
        told = "\n".join(("\nKept", *lines, f"  {verb('show', run_id, journal)} --artifact REF --out FILE"))
        screen.print(Text(visible(told)), soft_wrap=True)
    state = fold(events)
    if state.phase == "over":
        printer.figures(result_of(state))
    else:
        for call in waiting(events, ANSWERED_BY_PEOPLE):
            say = verb("answer" if call.about == "answer" else "approve", f"{run_id} {call.call_id}", journal)
            told = f"\nwaits for a person: {shown(call)}\n  {say}"
            screen.print(Text(visible(told), style="yellow"), soft_wrap=True)
        screen.print(Text(visible(f"\nnot over · {verb('resume', run_id, journal)}"), style="dim"), soft_wrap=True)
