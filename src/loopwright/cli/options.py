"""Options that the verbs share which begin runs at the terminal, `chat` and `debug`."""

from pathlib import Path
from typing import Annotated

import typer

ModelOption = Annotated[str | None, typer.Option("--model", "-m", help="provider:name, local, or local:FILE.gguf.")]
ToolsOption = Annotated[str | None, typer.Option("--tools", "-t", help="As for ask. none for no tools.")]
DocsOption = Annotated[Path | None, typer.Option("--docs", help="Folder of .txt and .md files for search and lookup.")]
WorkspaceOption = Annotated[
    Path | None, typer.Option("--workspace", help="Folder in which files are listed, read, searched and changed.")
]
McpOption = Annotated[list[str] | None, typer.Option("--mcp", metavar="SERVER", help="Add the tools of an MCP server.")]
InstructionsOption = Annotated[str, typer.Option("--instructions", "-i", help="What the model is told first.")]
ProtocolOption = Annotated[str, typer.Option("--protocol", help="auto, native or text.")]
BaseUrlOption = Annotated[str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible endpoint.")]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="As for ask, and for a run of a strange journal as for resume.")
]
