"""The page of the command line names every option of `ask`."""

import re
from pathlib import Path
from typing import Any

from typer.main import get_command

from loopwright.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def test_every_option_of_ask_is_on_the_page() -> None:
    command: Any = get_command(app)
    ask: Any = command.commands["ask"]
    options: set[str] = {name for option in ask.params for name in (*option.opts, *option.secondary_opts)}
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", PAGE.read_text()))
    assert {name for name in options if name.startswith("--")} - named == set()
    assert {"--example", "--no-constrain", "--max-steps"} <= options
