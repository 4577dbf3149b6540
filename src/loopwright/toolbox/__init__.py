"""Tools that are ready to use; each is loaded when it is first named.

`get_current_weather`, `convert_currency`, `calculator`, `get_time`, `documents(folder)`, which gives search and lookup
over a folder of texts, `Workspace(folder)`, whose `tools` list, read, search, write and edit its files, and
`project_tests(folder)` and `project_commands(folder)`, which run its tests or a command on a copy, in a sandbox.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopwright.toolbox.arithmetic import calculator
    from loopwright.toolbox.checks import project_commands, project_tests
    from loopwright.toolbox.clock import get_time
    from loopwright.toolbox.currency import convert_currency
    from loopwright.toolbox.folder import documents
    from loopwright.toolbox.weather import get_current_weather
    from loopwright.toolbox.web import fetch_page
    from loopwright.toolbox.wiki import wikipedia
    from loopwright.toolbox.workspace import Workspace

_HOMES = {
    "Workspace": "loopwright.toolbox.workspace",
    "calculator": "loopwright.toolbox.arithmetic",
    "convert_currency": "loopwright.toolbox.currency",
    "documents": "loopwright.toolbox.folder",
    "fetch_page": "loopwright.toolbox.web",
    "get_current_weather": "loopwright.toolbox.weather",
    "get_time": "loopwright.toolbox.clock",
    "project_commands": "loopwright.toolbox.checks",
    "project_tests": "loopwright.toolbox.checks",
    "wikipedia": "loopwright.toolbox.wiki",
}

__all__ = [
    "Workspace",
    "calculator",
    "convert_currency",
    "documents",
    "fetch_page",
    "get_current_weather",
    "get_time",
    "project_commands",
    "project_tests",
    "wikipedia",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'loopwright.toolbox' has no attribute {name!r}")
    return getattr(import_module(home), name)
