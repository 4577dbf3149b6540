"""Finds the tools that a command line names.

Owns the short names of the toolbox and the loading of the user's own modules and files.
"""

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

from msgspec import Struct

from loopwright.core.errors import MissingExtra, UsageError
from loopwright.core.messages import Result, ToolSpec
from loopwright.toolbox.suite import SuiteSettings
from loopwright.tools.declare import tool as declared


class Tool(Protocol):
    """What is loaded: satisfies `engine.ports.Tool`, which the toolbox may not import."""

    @property
    def spec(self) -> ToolSpec:
        """What the model and the loop know of it."""
        ...

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Run a call."""
        ...


class Ready(Struct, frozen=True):
    """A tool of the toolbox by its short name."""

    place: str
    """Module and attribute; empty for those that need a folder."""
    about: str
    network: bool = False
    extra: str = ""
    """The extra that brings what it cannot do without."""
    library: str = ""
    """The package of that extra."""
    needs: str = ""
    """The option that names the folder."""


TOOLBOX = {
    "weather": Ready("loopwright.toolbox.weather:get_current_weather", "weather of a city (Open-Meteo)", network=True),
    "currency": Ready(
        "loopwright.toolbox.currency:convert_currency",
        "conversion of money (Frankfurter; offline the European Central Bank's rates that are carried)",
        network=True,
    ),
    "calculator": Ready("loopwright.toolbox.arithmetic:calculator", "exact arithmetic"),
    "clock": Ready("loopwright.toolbox.clock:get_time", "date and time in a time zone"),
    "ask_person": Ready("loopwright.toolbox.person:ask_person", "asks you, at the terminal"),
    "fetch_page": Ready(
        "loopwright.toolbox.web:fetch_page",
        "text of a public page of the web",
        network=True,
        extra="web",
        library="selectolax",
    ),
    "wikipedia": Ready("loopwright.toolbox.wiki:TOOLS", "pages of Wikipedia, and lookup in them", network=True),
    "search": Ready("", "passages of the documents in --docs FOLDER", needs="--docs"),
    "lookup": Ready(
        "", "the next passage of the found document that contains a text; with --docs FOLDER", needs="--docs"
    ),
    "list_files": Ready("", "the files in --workspace FOLDER", needs="--workspace"),
    "read_file": Ready("", "a text of the workspace, or some of its lines", needs="--workspace"),
    "search_files": Ready("", "lines of the workspace that hold a text", needs="--workspace"),
    "write_file": Ready("", "puts a text into the workspace; asks first", needs="--workspace"),
    "edit_file": Ready("", "replaces a text in a file of the workspace; asks first", needs="--workspace"),
    "run_tests": Ready("", "runs the workspace's tests on a copy, in a sandbox; asks first", needs="--workspace"),
    "run_command": Ready(
        "",
        "runs a command on a copy of the workspace, in a sandbox; asks first; with --allow-commands",
        needs="--workspace",
    ),
}
DEFAULT = ("weather", "currency", "calculator", "clock")


def names_in(text: str) -> tuple[str, ...]:
    """The names of tools in a list with commas; none where it says ``none``."""
    return () if text.strip() == "none" else tuple(name.strip() for name in text.split(",") if name.strip())


def anchored(name: str) -> str:
    """A name that leads to the same tool from every folder: the path of a file becomes absolute."""
    place, colon, attribute = name.rpartition(":") if not name.endswith(".py") else (name, "", "")
    return f"{Path(place).absolute()}{colon}{attribute}" if place.endswith(".py") else name


def load_tools(
    names: Sequence[str],
    docs: Path | None = None,
    workspace: Path | None = None,
    *,
    tests: SuiteSettings | None = None,
    commands: bool = False,
) -> list[Tool]:
    """The tools of these names, in this order, then those of the folder of documents and of the workspace.

    Of a folder's tools all are loaded, unless some of them are named.

    A name is one of `TOOLBOX`, or ``module:attribute`` (a tool, a list of tools, or a function with a docstring), or
    ``file.py`` (all tools that it defines), or ``file.py:attribute``.

    Args:
        names: of the tools
        docs: folder of documents
        workspace: folder to work in
        tests: how its tests are run
        commands: whether `run_command` is there

    Raises:
        UsageError: a name leads nowhere, to something else, or twice to the same; the text says what to do
    """
    found: list[tuple[str, Tool]] = []
    for name in names:
        if name in TOOLBOX and (option := TOOLBOX[name].needs):
            if {"--docs": docs, "--workspace": workspace}[option] is None:
                what = "documents" if option == "--docs" else "a folder to work in"
                raise UsageError(f"{name} needs {what}; add {option} FOLDER")
            continue
        found += [(name, one) for one in _named(name.strip())]
    if docs is not None:
        from loopwright.toolbox.folder import documents

        found += _of_folder("--docs", names, documents(docs))
    if workspace is not None:
        from loopwright.toolbox.workspace import Workspace

        found += _of_folder("--workspace", names, Workspace(workspace).tools)
        found += _of_folder("--workspace", names, _executing(workspace, names, tests, commands=commands))
    _refuse_duplicates(found)
    return [one for _, one in found]


def _executing(workspace: Path, names: Sequence[str], tests: SuiteSettings | None, *, commands: bool) -> list[Tool]:
    """`run_tests`, and `run_command` where it is allowed."""
    from loopwright.toolbox.checks import project_commands, project_tests

    if "run_command" in names and not commands:
        raise UsageError("run_command is off by default; add --allow-commands")
    return [project_tests(workspace, tests), *([project_commands(workspace, tests)] if commands else [])]


def _of_folder(option: str, names: Sequence[str], tools: Sequence[Tool]) -> list[tuple[str, Tool]]:
    """The tools of a folder: those that are named, or all."""
    wanted = [name for name in names if name in TOOLBOX and TOOLBOX[name].needs == option]
    return [(option, one) for one in tools if not wanted or one.spec.name in wanted]


def _named(name: str) -> list[Tool]:
    if not name:
        raise UsageError(f"an empty name of a tool; {_KNOWN}")
    if name in TOOLBOX:
        ready = TOOLBOX[name]
        if ready.library and importlib.util.find_spec(ready.library) is None:
            raise MissingExtra(f"{name} needs {ready.library}: pip install 'loopwright[{ready.extra}]'")
        module, _, attribute = ready.place.partition(":")
        return _tools(getattr(importlib.import_module(module), attribute), name)
    place, colon, attribute = name.rpartition(":")
    if not colon:
        place, attribute = name, ""
    if place.endswith(".py"):
        module = _file(Path(place))
        return _tools(getattr(module, attribute, None), name) if attribute else _all(module, place)
    if not colon:
        near = get_close_matches(name, TOOLBOX, n=1)
        raise UsageError(f"there is no tool {name!r}{f', did you mean {near[0]}?' if near else ''}; {_KNOWN}")
    return _tools(_attribute(_module(place), attribute, name), name)


_KNOWN = f"the toolbox has {', '.join(TOOLBOX)}; your own are given as module:attribute or file.py"


def _module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does: the user's modules lie in the working directory
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as raised:
        missing = raised.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise UsageError(f"there is no module {name!r} here or among the installed packages") from raised
        raise UsageError(f"module {name} needs {missing}, which is not installed") from raised
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # also SystemExit: a file of tools must not end the command
        raise UsageError(f"module {name} cannot be imported: {_where(raised)}") from raised


def _file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    name = f"loopwright_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (UsageError, KeyboardInterrupt):
        raise
    except BaseException as raised:  # also SystemExit: a file of tools must not end the command
        raise UsageError(f"{path} cannot be run: {_where(raised)}") from raised
    return module


def _attribute(module: ModuleType, attribute: str, name: str) -> Any:
    value = getattr(module, attribute, None)
    if value is None:
        known = [key for key, one in vars(module).items() if _is_tool(one)]
        hint = f"; it has {', '.join(known)}" if known else ""
        raise UsageError(f"{name}: module {module.__name__} has no {attribute!r}{hint}")
    return value


def _tools(value: Any, name: str) -> list[Tool]:
    if _is_tool(value):
        return [cast("Tool", value)]
    if isinstance(value, list | tuple):
        many = cast("Sequence[Any]", value)
        if not many:
            raise UsageError(f"{name} is an empty list; put tools into it")
        return [one for item in many for one in _tools(item, name)]
    if inspect.isroutine(value):
        return [declared(value)]
    what = "is not there" if value is None else f"is of type {type(value).__name__}"
    raise UsageError(f"{name} {what}; it must be a tool, a list of tools, or a function with a docstring")


def _all(module: ModuleType, place: str) -> list[Tool]:
    """All tools that a file defines; those that it only imports are not meant."""
    mine = [one for one in vars(module).values() if _is_tool(one) and _home(one) == module.__name__]
    found = list({id(one): one for one in mine}.values())
    if not found:
        raise UsageError(f"{place} defines no tool; write `@tool` (from loopwright import tool) above a function")
    return found


def _is_tool(value: Any) -> bool:
    return isinstance(getattr(value, "spec", None), ToolSpec) and callable(getattr(value, "run", None))


def _home(one: Any) -> str:
    return str(getattr(one, "__module__", ""))


def _where(raised: BaseException) -> str:
    """What an import failed with, and the line, which is what its author needs to see."""
    told = f"{type(raised).__name__}: {raised}"
    frames = traceback.extract_tb(raised.__traceback__)
    own = [frame for frame in frames if "importlib" not in frame.filename]
    if isinstance(raised, SyntaxError) or not own:
        return told
    return f"{told} (line {own[-1].lineno} of {own[-1].filename})"


def _refuse_duplicates(found: list[tuple[str, Tool]]) -> None:
    by_name: dict[str, str] = {}
    for origin, one in found:
        name = one.spec.name
        if name in by_name:
            places = f"by {origin} twice" if by_name[name] == origin else f"by {by_name[name]} and by {origin}"
            raise UsageError(f"a tool named {name} is given {places}; leave one out, or rename it with `@tool(name=…)`")
        by_name[name] = origin
