"""The state of a run, and which event may follow in which state.

Owns the shape and the tables; what an event does to the state is `loop.apply`'s.
"""

from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from loopwright.core.commands import AskPerson, RunTool
from loopwright.core.condense import Weight
from loopwright.core.drift import Kept, Manner
from loopwright.core.errors import IllegalEvent
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    CancelAsked,
    ContextCondensed,
    ContextLost,
    LetterRefused,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    PersonSaid,
    RunEnded,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.limits import Ledger
from loopwright.core.messages import Call, Outcome, ToolSpec, Way
from loopwright.core.permission import Consent, Verdict
from loopwright.core.progress import Guard
from loopwright.core.refusal import Refusal

Phase = Literal["new", "ready", "asking", "acting", "over"]
Stage = Literal["owed", "asked", "allowed", "denied", "running", "doubt"]

_OUTSIDE = (RunPaused, RunResumed, RunForked, CancelAsked, LetterRefused)
"""What may come whenever a run is not over."""

LEGAL: dict[Phase, tuple[type, ...]] = {
    "new": (RunStarted,),
    "ready": (ModelAsked, NoteAdded, WaySwitched, ContextLost, ContextCondensed, RunEnded, PersonSaid, *_OUTSIDE),
    "asking": (ModelReplied, ModelFailed, *_OUTSIDE),
    "acting": (CallStarted, CallEnded, ApprovalAsked, ApprovalGiven, *_OUTSIDE),
    "over": (RunResumed, RunForked),
}
"""Which events may follow in which phase. The picture in the documentation is drawn from this table."""

LEGAL_CALL: dict[Stage, tuple[type, ...]] = {
    "owed": (CallStarted, CallEnded, ApprovalAsked),
    "asked": (ApprovalGiven,),
    "allowed": (CallStarted,),
    "denied": (CallEnded,),
    "running": (CallEnded,),
    "doubt": (CallStarted, CallEnded, ApprovalAsked),
}
"""The same for one call while the phase is acting."""

OWED: dict[type, type] = {CallStarted: RunTool, ApprovalAsked: AskPerson}
"""What must be due for a call before these may be written down: nothing runs, and nobody is asked, on a whim."""


class Open(Struct):
    """A call that is not answered yet."""

    call: Call
    tool: ToolSpec
    refusal: Refusal | None = None
    stage: Stage = "owed"
    doubtful: bool = False
    """Whether nobody knows if it ran already."""
    said: str = ""
    """What the person said who denied it."""
    verdict: Verdict = Verdict("allow")
    by: str = ""
    """The person who allowed it."""
    changed: dict[str, Any] | None = None
    """The arguments as a person changed them."""

    @property
    def allowed(self) -> Call:
        """The call as it runs: with the arguments that a person changed."""
        return self.call if self.changed is None else replace(self.call, arguments=self.changed, state="strict")


class State(Struct):
    """Where a run stands: all that `due` needs, and nothing that grows with the run but four memories.

    The guard's grows with the calls; that of trusted texts with what tools return, up to a bound; that of letters with
    the letters; that of results that may be left out only with a limit for that.
    """

    phase: Phase = "new"
    started: RunStarted | None = None
    ledger: Ledger | None = None
    guard: Guard = field(default_factory=Guard)
    consent: Consent = field(default_factory=Consent)
    tools: dict[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    open: dict[str, Open] = field(default_factory=dict[str, Open])
    way: Way = "native"
    attended: bool = False
    asked: ModelAsked | None = None
    """The last question."""
    closing: str = ""
    """Why the run is closing: a limit or a cause; empty while it is not."""
    note: NoteAdded | None = None
    """A reminder that is owed to the model."""
    switch: WaySwitched | None = None
    warning: ContextLost | None = None
    weight: Weight = field(default_factory=Weight)
    manner: Manner = field(default_factory=Manner)
    kept: Kept = field(default_factory=Kept)
    outcome: Outcome | None = None
    """How the run ends, or ended."""
    told: bool = False
    """Whether the model was told how to read on in a result."""
    pressed: bool = False
    """Whether a hasty answer was sent back already."""
    unreadable: int = 0
    failures: int = 0
    taken: set[int] = field(default_factory=set[int])
    """Letters that were taken out of the inbox."""
    events: int = 0


def started_of(state: State) -> RunStarted:
    """The first event; there is one in every phase but new."""
    if state.started is None:
        raise IllegalEvent("the run has not started")
    return state.started


def ledger_of(state: State) -> Ledger:
    """The ledger; there is one in every phase but new."""
    if state.ledger is None:
        raise IllegalEvent("the run has not started")
    return state.ledger
