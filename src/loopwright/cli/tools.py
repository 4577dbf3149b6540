"""`loopwright tools`: which tools there are, and what each may do."""

from pathlib import Path
from typing import Annotated

import typer

from loopwright.core.messages import ToolSpec


def tools(
    *,
    names: Annotated[
        str, typer.Option("--tools", "-t", help="Show these: names of the toolbox, module:attribute, or file.py.")
    ] = "",
    docs: Annotated[
        Path | None, typer.Option("--docs", help="Folder of .txt and .md files for search and lookup.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the tools: what each does to the world, whether it runs without asking, and its parameters."""
    from msgspec.json import encode
    from msgspec.structs import replace

    from loopwright.toolbox.load import load_tools
    from loopwright.tools.policy import Policy

    chosen = tuple(name.strip() for name in (names or DEFAULT_TOOLS).split(",") if name.strip())
    specs = [tool.spec for tool in load_tools(chosen, docs)]
    for spec in (replace(spec, permission=Policy().permission(spec)) for spec in specs):
        print(encode(spec).decode() if as_json else described(spec))
    if not names and not docs and not as_json:
        print("search, lookup  with --docs FOLDER: passages of text and Markdown files")


def described(spec: ToolSpec) -> str:
    """A tool in a few lines."""
    required = spec.parameters.get("required", [])
    parameters = ", ".join(
        f"{name}{'' if name in required else '?'}: {schema.get('type', 'any')}"
        for name, schema in spec.parameters.get("properties", {}).items()
    )
    runs = {"allow": "runs without asking", "ask": "asks first", "deny": "never runs"}[spec.permission]
    first = spec.description.partition("\n")[0]
    return f"{spec.name}({parameters})\n    {first}\n    {spec.effect}, {runs}"


DEFAULT_TOOLS = "weather,currency,calculator,clock"
