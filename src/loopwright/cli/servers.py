"""The MCP servers of a run: those of `--mcp`, and those of the folder's `loopwright.toml` once it is trusted.

Owns how they are found again on resume: a text of `--mcp` and the folder it was given in are in the recipe, a server of
the file only by the file's path, because its settings may change and name secrets.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loopwright.cli.project import Project, find_project
from loopwright.cli.trust import followed
from loopwright.cli.values import argument_text
from loopwright.core.errors import UsageError
from loopwright.toolbox.mcp_progress import Progress
from loopwright.toolbox.mcp_settings import McpServer, server_of

if TYPE_CHECKING:
    from loopwright.cli.driving import Show
    from loopwright.cli.setup import Recipe
    from loopwright.toolbox.mcp import McpTool


def checked_servers(texts: Sequence[str]) -> tuple[str, ...]:
    """What was given to `--mcp`, which can be written into the journal.

    Raises:
        UsageError: one is no server, or holds what looks like a key
    """
    from loopwright.protocols.keys import without_keys

    found = tuple(argument_text("--mcp", text) for text in texts)
    for text in found:
        server_of(text)
        if without_keys(text) != text:
            raise UsageError(
                "--mcp is written into the journal, and it holds what looks like a key; name the server in "
                "loopwright.toml, and the variable that holds the key in its env_from, bearer_from or headers_from"
            )
    return found


def chosen_project(*, passed_over: bool, trusted: bool) -> tuple[Path | None, Project]:
    """The file of the working folder and what it says, if it is there, wanted and trusted.

    Raises:
        UsageError: it cannot be read, or is not trusted
    """
    file = None if passed_over else find_project()
    return file, Project() if file is None else followed(file, trusted=trusted)


def recalled_project(recipe: "Recipe", *, trusted: bool) -> Project:
    """What the file of a run says now.

    Raises:
        UsageError: it is gone, cannot be read, or is not trusted
    """
    if recipe.project is None:
        return Project()
    file = Path(recipe.project)
    if not file.is_file():
        raise UsageError(f"the run was begun with {file}, which is not there any more; put it back")
    return followed(file, trusted=trusted)


def served_for(
    recipe: "Recipe", project: Project, show: "Show"
) -> AbstractAsyncContextManager[Sequence["McpTool"]] | None:
    """The tools of a run's servers, while the context is open; None where it has none.

    Raises:
        UsageError: a server is given wrongly
    """
    return served(
        recipe.mcp,
        project,
        hints=recipe.mcp_hints,
        folder=recipe.folder or "",
        file=Path(recipe.project) if recipe.project else None,
        notice=show.notice,
        watch=lambda progress: show.progress(told(progress)),
    )


def served(
    texts: Sequence[str],
    project: Project,
    *,
    hints: bool,
    folder: str = "",
    file: Path | None = None,
    notice: Callable[[str], None],
    watch: Callable[[Progress], None] | None = None,
) -> AbstractAsyncContextManager[Sequence["McpTool"]] | None:
    """The tools of servers, while the context is open; None where there are none.

    Args:
        texts: of `--mcp`
        project: what the folder's file says
        hints: whether the servers of `--mcp` are believed about their tools
        folder: where their commands are started; the working folder if empty
        file: the folder's file; its servers are started in its folder, or in one beneath it
        notice: is told what the person should know
        watch: is told how far calls are

    Raises:
        UsageError: a server is given wrongly
    """
    if not texts and not project.mcp:
        return None
    from loopwright.models import environment
    from loopwright.toolbox.mcp import mcp_tools

    return mcp_tools(
        *(_started_in(folder, replace(server_of(text), trust_hints=hints)) for text in texts),
        named={
            name: _started_in(str(file.parent / server.cwd) if file else "", server)
            for name, server in project.mcp.items()
        },
        variables=environment.read(),
        notice=notice,
        watch=watch,
    )


def told(progress: Progress) -> str:
    """How far a call is, in a few words."""
    done = f"{progress.done:g}" if progress.total is None else f"{progress.done:g} of {progress.total:g}"
    return f"{progress.server}: {progress.message or progress.tool} ({done})"


def _started_in(folder: str, server: McpServer) -> McpServer:
    if not folder or not server.command:
        return server
    if not Path(folder).is_dir():
        raise UsageError(f"there is no folder {folder}, in which an MCP server is started; put it back")
    return replace(server, cwd=folder)
