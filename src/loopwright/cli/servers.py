"""The MCP servers of a run: those of `--mcp`, and those of the folder's `loopwright.toml` once it is trusted.

Owns how they are found again on resume: a text of `--mcp` and the folder it was given in are in the recipe, a server of
the file only by the file's path, because its settings may change and name secrets.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loopwright.cli.project import Project, find_project
from loopwright.cli.trust import followed
from loopwright.cli.values import argument_text
from loopwright.core.errors import UsageError
from loopwright.toolbox.mcp_settings import McpServer, server_of

if TYPE_CHECKING:
    from loopwright.cli.driving import Show
    from loopwright.cli.setup import Recipe
    from loopwright.toolbox.mcp import McpTool, Progress


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


def served(recipe: "Recipe", project: Project, show: "Show") -> AbstractAsyncContextManager[Sequence["McpTool"]] | None:
    """The tools of a run's servers, while the context is open; None where it has none.

    Raises:
        MissingExtra: there are servers, and the package for them is not installed
        UsageError: a server is given wrongly
    """
    if not recipe.mcp and not project.mcp:
        return None
    from loopwright.models import environment
    from loopwright.toolbox.mcp import mcp_tools

    def watch(progress: "Progress") -> None:
        show.progress(told(progress))

    return mcp_tools(
        *(_of_option(text, recipe) for text in recipe.mcp),
        named={name: _of_file(server, recipe) for name, server in project.mcp.items()},
        variables=environment.read(),
        notice=show.notice,
        watch=watch,
    )


def told(progress: "Progress") -> str:
    """How far a call is, in a few words."""
    done = f"{progress.done:g}" if progress.total is None else f"{progress.done:g} of {progress.total:g}"
    return f"{progress.server}: {progress.message or progress.tool} ({done})"


def _of_option(text: str, recipe: "Recipe") -> McpServer:
    server = replace(server_of(text), trust_hints=recipe.mcp_hints)
    return replace(server, cwd=_folder(recipe.folder or "")) if server.command else server


def _of_file(server: McpServer, recipe: "Recipe") -> McpServer:
    """A server of the file is started in the file's folder, or in one beneath it."""
    if not server.command or recipe.project is None:
        return server
    return replace(server, cwd=_folder(str(Path(recipe.project).parent / server.cwd)))


def _folder(path: str) -> str:
    if path and not Path(path).is_dir():
        raise UsageError(f"there is no folder {path}, in which a server of the run is started; put it back")
    return path
