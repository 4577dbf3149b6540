"""`loopwright models`: which models can be asked."""

from typing import Annotated

import typer


def models(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the embedded model and the providers, and which of them have a key here."""
    from msgspec.json import encode
    from rich.table import Table

    from loopwright.cli.printing import console
    from loopwright.cli.setup import chosen_model
    from loopwright.models.catalog import known

    found = known()
    if as_json:
        for model in found:
            print(encode(model).decode())
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "ready", "key", "tools", "where"):
        table.add_column(heading, no_wrap=heading not in ("where", "name"), overflow="fold")
    for model in found:
        key = f"{model.key_variable} {'set' if model.key_present else 'not set'}" if model.key_variable else "none"
        tools = "native" if model.capabilities.tools else "text"
        name = (
            f"{model.name}:{model.default_model or 'NAME'}" if model.key_variable or model.default_model else model.name
        )
        table.add_row(name, "yes" if model.ready else "no", key, tools, model.where)
    screen = console()
    screen.print(table)
    spec, why = chosen_model(None)
    screen.print(
        f"\nwithout --model: {spec} ({why}). Any GGUF file: local:PATH. Any compatible server: --base-url",
        soft_wrap=True,
    )
