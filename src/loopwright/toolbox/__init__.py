"""Tools that are ready to use; each is loaded when it is first named.

`get_current_weather`, `convert_currency`, `calculator`, `get_time`, `documents(folder)`, which gives search and lookup
over a folder of texts, `Workspace(folder)`, whose `tools` list, read, search, write and edit its files, and
`project_tests(folder)` and `project_commands(folder)`, which run its tests or a command on a copy, in a sandbox. Tools
of others: `mcp_tools` of MCP servers, `openapi_tools` of an HTTP API, `from_langchain`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopwright.toolbox.arithmetic import calculator
    from loopwright.toolbox.checks import project_commands, project_tests
    from loopwright.toolbox.clock import get_time
    from loopwright.toolbox.currency import convert_currency
    from loopwright.toolbox.folder import documents
    from loopwright.toolbox.langchain import from_langchain
    from loopwright.toolbox.mcp import mcp_tools
    from loopwright.toolbox.mcp_settings import McpServer
    from loopwright.toolbox.openapi import openapi_tools
    from loopwright.toolbox.person import ask_person
    from loopwright.toolbox.weather import get_current_weather
    from loopwright.toolbox.web import fetch_page
    from loopwright.toolbox.wiki import wikipedia
    from loopwright.toolbox.workspace import Workspace

_HOMES = {
    "McpServer": "loopwright.toolbox.mcp_settings",
    "Workspace": "loopwright.toolbox.workspace",
    "ask_person": "loopwright.toolbox.person",
    "calculator": "loopwright.toolbox.arithmetic",
    "convert_currency": "loopwright.toolbox.currency",
    "documents": "loopwright.toolbox.folder",
    "fetch_page": "loopwright.toolbox.web",
    "from_langchain": "loopwright.toolbox.langchain",
    "get_current_weather": "loopwright.toolbox.weather",
    "get_time": "loopwright.toolbox.clock",
    "mcp_tools": "loopwright.toolbox.mcp",
    "openapi_tools": "loopwright.toolbox.openapi",
    "project_commands": "loopwright.toolbox.checks",
    "project_tests": "loopwright.toolbox.checks",
    "wikipedia": "loopwright.toolbox.wiki",
}

__all__ = [
    "McpServer",
    "Workspace",
    "ask_person",
    "calculator",
    "convert_currency",
    "documents",
    "fetch_page",
    "from_langchain",
    "get_current_weather",
    "get_time",
    "mcp_tools",
    "openapi_tools",
    "project_commands",
    "project_tests",
    "wikipedia",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'loopwright.toolbox' has no attribute {name!r}")
    return getattr(import_module(home), name)
