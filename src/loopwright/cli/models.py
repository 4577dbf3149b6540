"""`loopwright models`: which models can be asked."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from loopwright.models.catalog import KnownModel


def models(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the embedded model and the providers, and which of them have a key here."""
    from rich.text import Text

    from loopwright.cli.printing import columns, console, json_line
    from loopwright.cli.setup import announced, chosen_model
    from loopwright.engine.telling import visible
    from loopwright.models.catalog import known

    found = known()
    if as_json:
        for model in found:
            print(json_line(model))
        return
    screen = console()
    heading, *lines = columns([("name", "ready", "key", "tools", "where"), *map(_row, found)])
    screen.print(Text(heading, style="bold"), soft_wrap=True)
    for line in lines:
        screen.print(Text(visible(line)), soft_wrap=True)
    print(
        f"\nwithout --model: {visible(announced(*chosen_model(None)))}. "
        "Any GGUF file: local:PATH. Any compatible server: --base-url"
    )


def _row(model: "KnownModel") -> tuple[str, str, str, str, str]:
    key = f"{model.key_variable} {'set' if model.key_present else 'not set'}" if model.key_variable else "none"
    name = f"{model.name}:{model.default_model or 'NAME'}" if model.key_variable or model.default_model else model.name
    ready = "yes" if model.ready else "no"
    if model.key_variable and not model.key_needed:
        ready = "if running"  # a server on this machine, mostly: nobody was asked
    return name, ready, key, "native" if model.capabilities.tools else "text", model.where
