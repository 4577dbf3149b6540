"""Runs any language model in a ReAct loop that does not lose work, money or control.

Importing this loads nothing else; each name below loads what it needs when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopwright.agent import Agent
    from loopwright.core.errors import LoopwrightError, UsageError, WaitsForPerson
    from loopwright.core.inbox import Answer, Approve, Cancel, Say
    from loopwright.core.messages import (
        Call,
        Example,
        Exchange,
        Limits,
        Outcome,
        Result,
        Settings,
        ToolSpec,
        Turn,
        Usage,
    )
    from loopwright.engine.history import RunResult, example_of
    from loopwright.engine.ports import Approval, Model, TextArrived, Tool
    from loopwright.engine.replay import Replay
    from loopwright.engine.traces import Traces
    from loopwright.journal.memory import MemoryJournal
    from loopwright.journal.sqlite import SqliteJournal
    from loopwright.tools.artifact import Artifact
    from loopwright.tools.asked import person_tool
    from loopwright.tools.declare import tool
    from loopwright.tools.policy import Policy

__version__ = "0.1.0"

_HOMES = {
    "Agent": "loopwright.agent",
    "Answer": "loopwright.core.inbox",
    "Approval": "loopwright.engine.ports",
    "Approve": "loopwright.core.inbox",
    "Artifact": "loopwright.tools.artifact",
    "Call": "loopwright.core.messages",
    "Cancel": "loopwright.core.inbox",
    "Example": "loopwright.core.messages",
    "Exchange": "loopwright.core.messages",
    "Limits": "loopwright.core.messages",
    "LoopwrightError": "loopwright.core.errors",
    "MemoryJournal": "loopwright.journal.memory",
    "Model": "loopwright.engine.ports",
    "Outcome": "loopwright.core.messages",
    "Policy": "loopwright.tools.policy",
    "Replay": "loopwright.engine.replay",
    "Result": "loopwright.core.messages",
    "RunResult": "loopwright.engine.history",
    "Say": "loopwright.core.inbox",
    "Settings": "loopwright.core.messages",
    "SqliteJournal": "loopwright.journal.sqlite",
    "TextArrived": "loopwright.engine.ports",
    "Tool": "loopwright.engine.ports",
    "ToolSpec": "loopwright.core.messages",
    "Traces": "loopwright.engine.traces",
    "Turn": "loopwright.core.messages",
    "Usage": "loopwright.core.messages",
    "UsageError": "loopwright.core.errors",
    "WaitsForPerson": "loopwright.core.errors",
    "example_of": "loopwright.engine.history",
    "person_tool": "loopwright.tools.asked",
    "tool": "loopwright.tools.declare",
}

__all__ = [
    "Agent",
    "Answer",
    "Approval",
    "Approve",
    "Artifact",
    "Call",
    "Cancel",
    "Example",
    "Exchange",
    "Limits",
    "LoopwrightError",
    "MemoryJournal",
    "Model",
    "Outcome",
    "Policy",
    "Replay",
    "Result",
    "RunResult",
    "Say",
    "Settings",
    "SqliteJournal",
    "TextArrived",
    "Tool",
    "ToolSpec",
    "Traces",
    "Turn",
    "Usage",
    "UsageError",
    "WaitsForPerson",
    "example_of",
    "person_tool",
    "tool",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'loopwright' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
