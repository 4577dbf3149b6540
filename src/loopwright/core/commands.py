"""Commands: what is owed now. A closed union; the driver matches all of it, and so does the type checker.

Asking what is owed changes nothing, so a restarted process simply asks again.
"""

from typing import Literal

from msgspec import Struct

from loopwright.core.events import (
    CallEnded,
    ContextCondensed,
    ContextLost,
    ModelAsked,
    NoteAdded,
    RunEnded,
    WaySwitched,
)
from loopwright.core.messages import Call, ToolSpec


class AskModel(Struct, frozen=True):
    """Send the transcript to the model. `asked` is the fact to write down first."""

    asked: ModelAsked
    until: float | None = None
    """The run's elapsed seconds at which to give up."""


class RunTool(Struct, frozen=True):
    """Run one call. Start it only after its start is written down."""

    call: Call
    tool: ToolSpec
    room: int
    """Bytes of the result that the budget can still show to the model."""
    until: float | None = None
    by: str = ""
    """Who or what allowed it."""
    edited: bool = False
    """Whether a person changed the arguments."""


class AskPerson(Struct, frozen=True):
    """Ask whether a call may run, or may run again after nobody knows whether it did."""

    call: Call
    tool: ToolSpec
    about: Literal["approval", "doubt"]
    until: float | None = None
    why: str = ""
    """Why the call does not run without asking."""
    digest: str = ""
    """What the answer is bound to."""


class Record(Struct, frozen=True):
    """Write down what the rules alone decide: an answer without a run, a note, a switch, a warning, the end."""

    event: CallEnded | NoteAdded | WaySwitched | ContextLost | ContextCondensed | RunEnded


Command = AskModel | RunTool | AskPerson | Record
