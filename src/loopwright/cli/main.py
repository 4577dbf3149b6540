"""The command `loopwright`: puts the verbs together and turns exceptions into exit codes. No verb's work is here."""

import sys
from typing import Annotated

import typer

from loopwright.cli import ask, models, read, resume, runs, show, tools
from loopwright.cli.exits import FAILED, INTERRUPTED, USAGE

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
app.command()(resume.resume)
app.command()(runs.runs)
app.command()(show.show)
app.command()(tools.tools)
app.command()(models.models)
app.command()(read.read)


def main() -> None:
    """Entry point of the command. Exit codes: see `loopwright.cli.exits`."""
    from loopwright.core.errors import LoopwrightError, UsageError

    try:
        _read_settings()
        app()
    except UsageError as error:
        _complain(error, USAGE)
    except LoopwrightError as error:
        _complain(error, FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(FAILED)


def _read_settings() -> None:
    """Take the settings of loopwright, not the keys, from the nearest ``.env`` where the environment has none."""
    import os

    from loopwright.models import environment

    for name, value in environment.read().items():
        if name.startswith("LOOPWRIGHT_") and not name.endswith("_KEY"):
            os.environ.setdefault(name, value)


def _complain(error: Exception, code: int) -> None:
    print(f"loopwright: {error}", file=sys.stderr)
    sys.exit(code)
