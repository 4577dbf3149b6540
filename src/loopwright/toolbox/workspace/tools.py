"""The tools of a workspace: what the model sees of a folder that it may work in.

Owns their declarations and the words of their results. Which paths are taken and how they are opened is decided in the
other modules of this folder; whether a call may run, and whom to ask, is the policy's part.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from pydantic import Field

from loopwright.core.messages import Result, ToolSpec
from loopwright.toolbox.workspace.beneath import NotThere, PathRefused
from loopwright.toolbox.workspace.changes import Change, described, planned_edit, planned_write
from loopwright.toolbox.workspace.content import NoText, counted, page
from loopwright.toolbox.workspace.edits import EditRefused
from loopwright.toolbox.workspace.files import Files, WorkspaceLimits
from loopwright.toolbox.workspace.matching import Pattern, glob_matches
from loopwright.toolbox.workspace.names import shown
from loopwright.toolbox.workspace.opening import Opener
from loopwright.toolbox.workspace.rules import SUFFIXES
from loopwright.toolbox.workspace.search import Search
from loopwright.tools.declare import FunctionTool, tool
from loopwright.tools.result import not_found, ok

PAGE = 16_000
"""Characters of one page of a file, less than a tool shows, so that whole lines are kept."""

FilePath = Annotated[str, Field(description="path beneath the workspace, with /, such as src/main.py")]
Glob = Annotated[str, Field(max_length=200, description="only these: *.py, or src/**/test_*.py")]
Plan = Callable[[dict[str, Any]], object]


class WorkspaceTool:
    """A tool of one workspace. Satisfies `engine.ports.Tool`; what is refused is refused before anybody is asked."""

    blocking = True

    def __init__(self, bound: FunctionTool[..., Result], plan: Plan) -> None:
        self._bound, self._plan = bound, plan
        self.spec: ToolSpec = bound.spec

    async def run(self, arguments: dict[str, Any]) -> Result:
        """As `FunctionTool.run`."""
        return await self._bound.run(arguments)

    def run_blocking(self, arguments: dict[str, Any]) -> Result:
        """As `FunctionTool.run_blocking`."""
        return self._bound.run_blocking(arguments)

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine. Changes nothing."""
        if wrong := self._bound.check(arguments):
            return wrong
        try:
            self._plan(arguments)
        except (PathRefused, NotThere, NoText, EditRefused, OSError) as refused:
            return str(refused)
        return ""


class ChangingTool(WorkspaceTool):
    """A tool that writes. It can show beforehand what it would change: `engine.ports.PreviewingTool`."""

    def preview(self, arguments: dict[str, Any]) -> str:
        """What a call with these arguments would do now: a line, and a unified diff. Never raises, changes nothing.

        Names and texts stand in it as they are: whoever shows it makes control characters visible.
        """
        try:
            wrong = self.check(arguments)
            change = None if wrong else self._plan(arguments)
        except Exception as raised:  # noqa: BLE001 - the person is asked all the same
            return f"what would change cannot be shown: {type(raised).__name__}: {raised}"
        return described(change) if isinstance(change, Change) else f"this would be refused: {wrong}"


class Workspace:
    """A folder that a model may work in. Shared by all runs; changes happen one after the other.

    Args:
        folder: its path
        suffixes: of files that are offered, in lower case with their dot
        hidden: names with a dot in front that are offered all the same, such as ``.github``; never those of keys
        limits: how much the tools take and give
        opener: how a path is opened beneath a folder; otherwise the best way that this system has

    Raises:
        UsageError: it is no folder, or this system cannot keep a path beneath one
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        suffixes: Iterable[str] = SUFFIXES,
        hidden: Iterable[str] = (),
        limits: WorkspaceLimits | None = None,
        opener: Opener | None = None,
    ) -> None:
        self._files = Files(Path(folder), suffixes, hidden, limits or WorkspaceLimits(), opener)
        self._writing = Lock()

    @property
    def folder(self) -> Path:
        """Where it is, without symbolic links."""
        return Path(self._files.beneath.path)

    @property
    def tools(self) -> list[WorkspaceTool]:
        """list_files, read_file, search_files, write_file and edit_file."""
        files = self._files
        return [
            WorkspaceTool(self.list_files, lambda given: files.folder_parts(given.get("folder", "."))),
            WorkspaceTool(self.read_file, lambda given: files.file_parts(given["path"])),
            WorkspaceTool(self.search_files, lambda given: files.folder_parts(given.get("path", "."))),
            ChangingTool(
                self.write_file,
                lambda given: planned_write(
                    files, given["path"], given["content"], overwrite=given.get("overwrite", False)
                ),
            ),
            ChangingTool(self.edit_file, lambda given: planned_edit(files, given["path"], given["old"], given["new"])),
        ]

    @tool(effect="read", trusted_output=False)
    def list_files(
        self,
        folder: Annotated[str, Field(description="folder beneath the workspace, such as src; . is all of it")] = ".",
        pattern: Glob = "",
    ) -> Result:
        """List the files in a folder of the workspace and below it, each with its size in bytes."""
        return _answered(lambda: self._listed(folder, pattern))

    @tool(effect="read", trusted_output=False)
    def read_file(
        self,
        path: FilePath,
        first: Annotated[int, Field(ge=1, description="the line to begin with")] = 1,
        lines: Annotated[int, Field(ge=1, le=5_000, description="how many lines at most")] = 500,
        numbered: Annotated[bool, Field(description="put its number before each line")] = False,  # noqa: FBT002
    ) -> Result:
        """Read a text file of the workspace, or some lines of it."""
        return _answered(lambda: self._page(path, first, lines, numbered=numbered))

    @tool(effect="read", trusted_output=False)
    def search_files(
        self,
        pattern: Annotated[str, Field(min_length=1, max_length=1_000, description="what to look for")],
        path: Annotated[str, Field(description="folder or file to look in; . is all of the workspace")] = ".",
        glob: Glob = "",
        regex: Annotated[bool, Field(description="pattern is a regular expression of Python")] = False,  # noqa: FBT002
        ignore_case: Annotated[bool, Field(description="upper and lower case are the same")] = False,  # noqa: FBT002
    ) -> Result:
        """Find the lines that hold a text in the files of the workspace, as path, number of the line, line."""
        return _answered(lambda: self._found(Pattern(pattern, regex, ignore_case), path, glob))

    @tool(effect="write", trusted_output=False)
    def write_file(
        self,
        path: FilePath,
        content: Annotated[str, Field(description="the whole content of the file")],
        overwrite: Annotated[bool, Field(description="replace a file that is there already")] = False,  # noqa: FBT002
    ) -> Result:
        """Write a text file in the workspace; folders that are missing are made. To change a part, use edit_file."""
        return self._done(lambda: planned_write(self._files, path, content, overwrite=overwrite))

    @tool(effect="write", trusted_output=False)
    def edit_file(
        self,
        path: FilePath,
        old: Annotated[str, Field(description="the text to replace, exactly as it stands there, once in the file")],
        new: Annotated[str, Field(description="the text to put in its place")],
    ) -> Result:
        """Replace one text in a file of the workspace by another."""
        return self._done(lambda: planned_edit(self._files, path, old, new))

    def _listed(self, folder: str, pattern: str) -> Result:
        walk, most = self._files.walk(self._files.folder_parts(folder)), self._files.limits.listed
        rows: list[str] = []
        for entry in walk:
            if pattern and (entry.folder or not glob_matches(pattern, entry.parts)):
                continue
            if len(rows) == most:
                walk.stopped = f"the first {most} are shown, nearest folders first; name a folder or a pattern"
                break
            rows.append(f"{entry.path}/" if entry.folder else f"{entry.path} ({counted(entry.size, 'byte')})")
        if pattern and not rows:
            return not_found(f"no file fits {pattern!r}" + (f" ({walk.note})" if walk.note else ""))
        return ok(rows, walk.note)

    def _page(self, path: str, first: int, lines: int, *, numbered: bool) -> Result:
        text, _ = self._files.read(self._files.file_parts(path))
        count = len(text.lines)
        if not count:
            return ok("", "the file is empty")
        if first > count:
            return not_found(f"line {first}: {shown(path)} has {counted(count, 'line')}")
        content, left = page(text, first, lines, PAGE, numbered=numbered)
        return ok(content, "; ".join(note for note in (left, text.note) if note))

    def _found(self, pattern: Pattern, path: str, glob: str) -> Result:
        search = Search(self._files, pattern, path, glob)
        if rows := search.rows():
            return ok(rows, search.note)
        kind = "the regular expression fits no line" if pattern.regex else "no line holds the text"
        return not_found(kind + (f" ({search.note})" if search.note else ""))

    def _done(self, plan: Callable[[], Change]) -> Result:
        """Plan and do, one call after the other: two edits of one turn must not lose each other's work."""

        def work() -> Result:
            with self._writing:
                change = plan()
                self._files.beneath.put(change.parts, change.data, change.status)
            told = {"path": change.path, "bytes": len(change.data), "lines": change.lines}
            more = {"created": True} if change.status is None else {"first_line": change.first}
            return ok({**told, **more}, change.note)

        return _answered(work)


def _answered(work: Callable[[], Result]) -> Result:
    """The result of some work; what is not there is an answer, too."""
    try:
        return work()
    except NotThere as missing:
        return not_found(str(missing))
