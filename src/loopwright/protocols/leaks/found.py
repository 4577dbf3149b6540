"""What the readers of leaked calls hand to each other, and the sentences with which they refuse.

Owns the values and the step from a written name to a tool's. No form of a call is known here.
"""

import re

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.repair import Arguments

Specs = dict[str, ToolSpec]
"""The tools of a run by name."""

UNCLOSED = "the call is not closed, so it may be incomplete; send it again, complete"
UNREADABLE = "a tool call was begun in a form that cannot be read; call the tool again"
UNFINISHED = "a tool call was begun and not finished; call the tool again"
NAMELESS = "a call names no tool; send it again with the name of the tool"
INSIDE = "a tool call stood inside a sentence, so it did not run; send the call alone"
MARKS = "the arguments hold marks of the call's own form, so it is not clear where they end; send the call again"
SCHEMA = "the tool's schema was sent in the place of its arguments; send the call again with values"
NO_VALUES = "the arguments are not plain values with names; send the call again with JSON arguments"

_NAMESPACE = re.compile(r"(?:call:|(?:functions|default_api|tools|api)\.)(?=.)")
_ENDING = re.compile(r"(?<=.)(?::\d+|\.call)$")
_COUNTED = re.compile(r"functions[._](.+)_\d+")
"""Kimi's id of a call after a server has replaced the marks in it."""


class Found(Struct, frozen=True):
    """What stands at one place of a reply."""

    end: int
    """The position behind it."""
    calls: tuple[Call, ...] = ()
    problem: str = ""
    """Why something that is clearly meant as a call cannot be read."""
    closed: bool = False
    """Whether its own form says that it is complete."""
    shown: str = ""
    """Text for the reader of the reply."""
    thought: str = ""
    stopped: bool = False
    """Whether what follows is not the words of the model."""


def tool_name(written: str, specs: Specs) -> str:
    """The tool that is meant: as written, or without the namespace and the counter that templates put around a name."""
    written = written.strip()
    if written in specs:
        return written
    namespace = _NAMESPACE.match(written)
    bare = _ENDING.sub("", written[namespace.end() :] if namespace else written)
    counted = _COUNTED.fullmatch(written)
    return counted[1] if counted and bare not in specs and counted[1] in specs else bare


def made(tool: str, read: Arguments, text: str, identity: str = "") -> Call:
    """A call of these arguments; `identity` is the id that the form carries, if any."""
    return Call(tool, read.arguments or {}, text=text, state=read.state, reason=read.reason, provider_id=identity)


def refused(tool: str, text: str, reason: str) -> Call:
    """A call that must not run."""
    return Call(tool, text=text, state="rejected", reason=reason)


def broken_off(call: Call, reason: str = UNCLOSED) -> Call:
    """The call, which now must not run; a reason that it already has is kept."""
    return call if call.state == "rejected" else replace(call, arguments={}, state="rejected", reason=reason)


def rejected(reason: str) -> Arguments:
    """No arguments, and why."""
    return Arguments(None, "rejected", reason)
