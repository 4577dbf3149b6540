"""The command `loopwright`: puts the verbs together and turns exceptions into exit codes. No verb's work is here."""

import io
import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from loopwright.cli import (
    ask,
    audit,
    chat,
    debug,
    diff,
    export,
    fork,
    importing,
    letters,
    models,
    read,
    replay,
    resume,
    runs,
    show,
    tools,
)
from loopwright.cli.exits import ANSWERED, FAILED, INTERRUPTED, USAGE

FROM_FILE = (
    *("LOOPWRIGHT_GEOCODING_URL", "LOOPWRIGHT_FORECAST_URL", "LOOPWRIGHT_EXCHANGE_URL"),
    *("LOOPWRIGHT_MODEL", "LOOPWRIGHT_OFFLINE"),
)
"""Settings that a ``.env`` file may make beside keys and addresses of providers."""

app = typer.Typer(
    name="loopwright",
    help="Run any language model in a loop of reason, act and observe, and look at what it did.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def version(value: bool) -> None:  # noqa: FBT001 (the signature that typer calls)
    """Print the version and leave."""
    if value:
        from loopwright import __version__

        typer.echo(f"loopwright {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Run any language model in a loop of reason, act and observe, and look at what it did."""


app.command()(ask.ask)
app.command()(chat.chat)
app.command()(debug.debug)
app.command()(resume.resume)
app.command()(fork.fork)
app.command()(replay.replay)
app.command()(diff.diff)
app.command()(letters.approve)
app.command()(letters.deny)
app.command()(letters.answer)
app.command()(letters.say)
app.command()(letters.cancel)
app.command()(runs.runs)
app.command()(show.show)
app.command()(audit.audit)
app.command()(export.export)
app.command(name="import")(importing.import_run)
app.command()(tools.tools)
app.command()(models.models)
app.command()(read.read)


def main() -> None:
    """Entry point of the command. Exit codes: see `loopwright.cli.exits`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = _run()
    try:
        if sys.stdout:  # None where it was closed from the start
            sys.stdout.flush()
    except OSError as error:
        code = code or _unwritten(error)
        with suppress(OSError):  # what is left in the buffer is written to nowhere when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _run() -> int:
    from loopwright.core.errors import LoopwrightError, UsageError

    try:
        _read_settings()
        app()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else FAILED if leaving.code else ANSWERED
    except UsageError as error:
        return _complain(str(error), USAGE)
    except LoopwrightError as error:
        return _complain(str(error), FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return _unwritten(error)
    return ANSWERED


def _read_settings() -> None:
    """Take a few settings from the nearest ``.env`` where the environment has none.

    Not the keys, which stay where they are, and not the place of the journal: a file that comes with a folder must not
    decide where the user's runs are kept, nor which count as the user's own.
    """
    from loopwright.models import environment

    found = environment.read()
    for name in FROM_FILE:
        if name in found:
            os.environ.setdefault(name, found[name])


def _unwritten(error: OSError) -> int:
    """A reader that has seen enough needs no word; a full disk does."""
    return FAILED if isinstance(error, BrokenPipeError) else _complain(f"cannot go on: {error}", FAILED)


def _complain(text: str, code: int) -> int:
    from loopwright.engine.telling import visible

    with suppress(OSError):
        print(f"loopwright: {visible(text)}", file=sys.stderr, flush=True)
    return code
