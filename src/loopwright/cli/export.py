"""`loopwright export`: a run as a file, for people or for other programs. Owns the verb; the forms are the engine's."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.core.events import Event

FORMATS = ("jsonl", "openai", "markdown", "html")
WITH_CONTENTS = ("jsonl", "html")
"""Forms that hold what the events refer to."""


def export(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")] = "last",
    *,
    form: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    ] = "jsonl",
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="A new file; without it, standard output.")
    ] = "-",
    journal: JournalOption = None,
) -> None:
    """Write a run as a file.

    jsonl: every event as a JSON line, with all that it refers to; 'loopwright import' makes the same run of it again.
    openai: the conversation as {"messages": […], "tools": […]}, without what only the run needs.
    markdown: a document to read, with steps, answer and figures.
    html: the same as one page that needs nothing else, and shows the images that tools made.
    """
    import asyncio

    from loopwright.cli.setup import find_run, found_journal
    from loopwright.core.errors import UsageError

    if form not in FORMATS:
        raise UsageError(f"unknown --format {form!r}: use {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    store = found_journal(journal)

    async def read() -> "tuple[str, list[Event], Mapping[str, bytes]]":
        run_id = await find_run(store, run)
        await _warn(store, run_id, journal)
        events = await store.read(run_id)
        return run_id, events, await _contents(store, events) if form in WITH_CONTENTS else {}

    run_id, events, contents = asyncio.run(read())
    _write(_text(form, run_id, events, contents), out)


async def _warn(store: Any, run_id: str, journal: object) -> None:
    """Say on standard error where what is written out is not as it was written down."""
    from loopwright.cli.driving import complain

    if (damage := await store.damage(run_id)) is not None:
        complain(f"warning: the journal is damaged at event {damage.seq} of run {run_id}: {damage.what}")


async def _contents(store: Any, events: "Sequence[Event]") -> dict[str, bytes]:
    """All that the events refer to."""
    from loopwright.engine.export.lines import referred

    digests = dict.fromkeys(digest for event in events for digest in referred(event))
    return {digest: await store.content(digest) for digest in digests}


def _text(form: str, run_id: str, events: "Sequence[Event]", contents: Mapping[str, bytes]) -> str:
    """What stands in the file."""
    match form:
        case "openai":
            return _messages(events)
        case "markdown":
            from loopwright.engine.export.markdown import to_markdown

            return to_markdown(events)
        case "html":
            from loopwright.engine.export.page import to_page

            return to_page(events, contents)
        case _:
            from loopwright.engine.export.lines import to_lines

            return "".join(f"{line}\n" for line in to_lines(run_id, events, contents))


def _messages(events: "Sequence[Event]") -> str:
    from loopwright.cli.driving import complain
    from loopwright.engine.export.messages import to_messages
    from loopwright.engine.telling import counted, visible_json

    told = to_messages(events)
    if told.left_out:
        complain(f"left out: the last turn of the model, of which {counted(told.left_out, 'call')} has no result yet")
    return f"{visible_json(told.text)}\n"


def _write(text: str, out: str) -> None:
    """Write a new file, or to standard output, in UTF-8 wherever that goes."""
    from loopwright.cli.contents import write_out
    from loopwright.engine.telling import visible

    data = text.encode()
    if out != "-":
        print(visible(write_out(data, out)))
    elif sys.stdout:  # None where it was closed from the start
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
