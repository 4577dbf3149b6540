"""`loopwright import`: a run out of a file into a journal. Owns how the forms are told apart."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from loopwright.cli.ask import JournalOption
from loopwright.core.errors import UsageError

if TYPE_CHECKING:
    from loopwright.engine.export.arriving import Arrived
    from loopwright.engine.export.lines import Carried

STDIN = "-"


def import_run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What 'loopwright export' wrote; - is standard input.")],
    *,
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="Another name for the run.")] = "",
    journal: JournalOption = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Take it without asking what going on with it would run or send.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was stored as a JSON line.")] = False,
) -> None:
    """Store a run that was exported, or a conversation of OpenAI's chat format; which of them it is need not be said.

    Nothing of it is run. Runs in your usual journal are trusted when you go on with them, so where that would load
    code, start commands or send something, you are asked before it is stored there; --trust agrees beforehand.

    Exit status: 0 stored, 2 where it cannot be: nothing is stored then.
    """
    import asyncio

    from loopwright.cli.setup import open_journal
    from loopwright.cli.trust import check_import
    from loopwright.engine.export.arriving import arrive
    from loopwright.engine.given import run_id_of

    wanted = run_id_of(name) if name else ""
    carried, named = _carried(_content(file), wanted)
    check_import(carried.events, journal, trusted=trust)
    arrived = asyncio.run(arrive(open_journal(journal), carried, "" if named else wanted))
    _tell(arrived, journal, as_json=as_json)


def _content(file: str) -> bytes:
    """The bytes of a file, in UTF-8 without a mark.

    Raises:
        UsageError: there is none, it cannot be read, it holds nothing or no text
    """
    told = "standard input" if file == STDIN else file
    try:
        data = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {told}") from None
    except OSError as error:
        raise UsageError(f"{told} cannot be read: {error.strerror}") from None
    if not data.strip():
        raise UsageError(f"{told} is empty; 'loopwright export RUN -o FILE' writes a run to a file")
    return _in_utf8(data, told)


def _in_utf8(data: bytes, told: str) -> bytes:
    from codecs import BOM_UTF16_BE, BOM_UTF16_LE

    from loopwright.cli.oddities import text_of

    try:
        return data.decode("utf-16" if data.startswith((BOM_UTF16_BE, BOM_UTF16_LE)) else "utf-8-sig").encode()
    except UnicodeDecodeError as error:
        text_of(data, told)  # says what it is where it is compressed, or no text at all
        line = data[: error.start].count(b"\n") + 1
        raise UsageError(f"line {line} of {told} is damaged: it holds what is no text in UTF-8") from None


def _carried(data: bytes, name: str) -> "tuple[Carried, bool]":
    """The run in a file, and whether it has the name that was asked for already.

    Raises:
        UsageError: it is of neither form, or damaged
    """
    from time import time

    from loopwright.engine.export.from_messages import from_messages
    from loopwright.engine.export.lines import from_lines

    lines = data.split(b"\n")
    first = next(line for line in lines if line.strip())
    whole, wrong = _decoded(data)
    if isinstance(whole, list) or _is_conversation(whole):
        at = time()
        return from_messages(cast("object", whole), name or _new_name(at), at), True
    if _is_conversation(_decoded(first)[0]):
        raise UsageError(
            "the file holds several conversations, one a line; give one of them: head -n 1 FILE | … import -"
        )
    if b'"type"' in first:
        return from_lines(lines), False
    raise UsageError(
        "this is neither a run as 'loopwright export' writes it nor a conversation as {\"messages\": […]}"
        + (f": {wrong}" if wrong else "")
    )


def _is_conversation(value: object) -> bool:
    return isinstance(value, dict) and "messages" in value


def _decoded(data: bytes) -> tuple[Any, str]:
    """A JSON value, or what is wrong with it."""
    from msgspec import DecodeError
    from msgspec.json import decode

    try:
        return decode(data), ""
    except (DecodeError, RecursionError) as error:
        return None, str(error)


def _new_name(at: float) -> str:
    """A name made of the time, as other runs have it."""
    import secrets
    from time import gmtime, strftime

    return f"{strftime('%y%m%d-%H%M%S', gmtime(at))}-{secrets.token_hex(3)}"


def _tell(arrived: "Arrived", journal: Any, *, as_json: bool) -> None:
    from loopwright.cli.printing import json_line, verb
    from loopwright.engine.telling import counted, visible

    if as_json:
        print(json_line(arrived))
        return
    print(visible(f"imported run {arrived.run_id}: {counted(arrived.events, 'event')}"))
    if arrived.parents:
        print(visible(f"with the runs before it, as far as it shares them: {', '.join(arrived.parents)}"))
    if arrived.shared:
        print(visible(f"the journal had these runs before it already: {', '.join(arrived.shared)}"))
    print(visible(f"see: {verb('show', arrived.run_id, journal)}"))
