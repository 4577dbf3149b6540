"""Events: what happened in a run, as facts in the past tense.

A run is the list of its events and nothing else. They are immutable, tagged, and closed: a new one fails type checking
wherever events are matched. What a field means may not change once a journal holds it; new fields get a default.
"""

from typing import Any, Literal

from msgspec import Struct, field

from loopwright.core.messages import (
    Example,
    Limits,
    ObservationRole,
    Outcome,
    Price,
    Result,
    Scope,
    Settings,
    ToolSpec,
    Turn,
    Usage,
    Way,
    Whole,
)
from loopwright.core.rules import Rule

FORMAT = 1

NoteKind = Literal["unreadable", "empty", "thinking", "repeating", "failing", "act_first"]
Failure = Literal["auth", "model", "context", "tools_refused", "request", "network", "timeout", "overloaded", "reply"]
How = Literal["ran", "refused", "denied", "withheld", "unknown", "cancelled", "given"]
"""How a call came to its result. Given: by a person in a fork, in place of what the tool returned."""


class Fact(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="type"):
    """What all events have: when it was, and how long the run had been worked on by then.

    Like all words that a run has many of, it holds nothing that leads back to it, and the collector of cycles passes it
    by: a process with a thousand runs would go through all of their events again and again.
    """

    at: float = 0.0
    """Unix time in seconds, for people; nothing is decided by it."""
    elapsed: float = 0.0
    """Seconds of work on the run so far, from a clock that does not jump."""


class RunStarted(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="run_started"):
    """The run began under these rules; all that later decisions depend on is here."""

    run_id: str
    task: str
    model: str
    way: Way = "native"
    may_switch: bool = False
    """Whether the run may go on in text form: when tools are refused, calls leak, or replies miss the format."""
    may_return: bool = False
    """Whether a run in text form may go on natively when replies miss the format."""
    require_action: bool = False
    """Whether an answer that comes before any tool was used is sent back, once."""
    examples: tuple[Example, ...] = ()
    observation_role: ObservationRole = "user"
    """Who says the observations in text form."""
    instructions: str = ""
    language: str = "en"
    tools: tuple[ToolSpec, ...] = ()
    limits: Limits = field(default_factory=Limits)
    settings: Settings = field(default_factory=Settings)
    price: Price | None = None
    opening_bytes: int = 0
    """Size of the first request: no text has more tokens than bytes, so it bounds the cost of asking."""
    attended: bool = False
    """Whether there is somebody who can be asked for an approval."""
    recipe: dict[str, Any] = field(default_factory=dict[str, Any])
    """How the command line puts the agent together again on resume; never a key."""
    format: int = FORMAT
    reader: ToolSpec | None = None
    """The tool that reads on in results that were cut; it is offered from the first of them on."""
    rules: tuple[Rule, ...] = ()
    """Of the policy, in their order. A tool's own permission holds for the calls that no rule is about."""


class RunResumed(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="run_resumed"):
    """Another driver took the run over; whatever was in flight is lost or in doubt."""

    attended: bool = False
    changed: tuple[str, ...] = ()
    """What of the tools, the model and its instructions is no longer as the run began with it, in words."""


class RunForked(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="run_forked"):
    """A run of its own begins: it shares what happened before with its parent, and goes on under these rules."""

    started: RunStarted
    """The rules from here on, with the id and the task of the new run."""
    parent: str
    """The run whose events are shared."""
    after: int
    """Number of the last event that is shared; this one is the next."""
    say: str = ""
    """What a person says to the model here."""
    fresh: bool = False
    """Whether the limits count anew, as they do for each turn of a conversation."""
    context_bytes: int = 0
    """Size of a request that goes on from here: another model counts no more tokens than that."""


class RunPaused(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="run_paused"):
    """The driver stopped before the run was over, and meant to; it can be resumed."""

    reason: str = ""


class ModelAsked(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="model_asked"):
    """A request is about to leave. What it may cost at worst is set aside until the reply is here."""

    number: int
    closing: str = ""
    """The limit or the cause for which this is the last question, without tools; empty for an ordinary one."""
    max_tokens: int | None = None
    worst: Usage = field(default_factory=Usage)
    request: str = ""
    """Digest of the request, in hexadecimal: of its messages in their order, and of all that is asked beside them."""


class ModelReplied(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="model_replied"):
    """The reply arrived and was read, once; it is never read again."""

    turn: Turn
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    raw: bytes = b""
    """The provider's reply, byte for byte."""
    by: str = ""
    """Who gave it, where it was not the model: a person in a fork."""


class ModelFailed(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="model_failed"):
    """No reply came."""

    failure: Failure
    message: str
    lost: bool = False
    """Whether the provider may have done the work, so that it may help to ask again and the money may be gone."""


class CallStarted(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="call_started"):
    """The tool is about to run: intent before effect."""

    call_id: str
    by: str = ""
    """Who or what allowed it: a rule, the default, or a person."""


class CallEnded(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="call_ended"):
    """The call is answered, once and for all."""

    call_id: str
    result: Result
    how: How = "ran"
    seconds: float = 0.0
    whole: Whole | None = None
    """All that the tool gave, where the result is a part of it."""
    by: str = ""
    """Who gave the result, where a person did."""
    inbox: int = 0
    """The letter that it came with; 0 where there was none."""


class ApprovalAsked(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="approval_asked"):
    """A person was asked whether the call may run."""

    call_id: str
    why: str = ""
    """Why it does not run without asking."""
    digest: str = ""
    """Of the run, the tool and the arguments that the question is about."""
    after: int = 0
    """Where it may have run already: the newest letter before it was first asked about that. No letter up to this one
    is an answer."""


class ApprovalGiven(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="approval_given"):
    """A person said yes or no."""

    call_id: str
    allowed: bool
    by: str = ""
    reason: str = ""
    scope: Scope = "once"
    """How far a yes goes: this time, all calls like this one in the run, or all of this tool in the run."""
    arguments: dict[str, Any] | None = None
    """What the person changed the arguments to; None where they stay as the model wrote them."""
    digest: str = ""
    """Of the call that was asked about; an answer to another call is none."""
    inbox: int = 0
    """The letter that it came with; 0 where there was none."""


class PersonSaid(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="person_said"):
    """A person tells the model something while the run goes on."""

    text: str
    by: str = ""
    inbox: int = 0


class CancelAsked(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="cancel_asked"):
    """Somebody wants the run to end at once. What was in flight is given up, and may have happened."""

    by: str = ""
    reason: str = ""
    inbox: int = 0


class LetterRefused(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="letter_refused"):
    """A letter came that fits nothing: it is kept, and does nothing."""

    inbox: int
    why: str


class NoteAdded(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="note_added"):
    """The model is told something that no tool and no person said."""

    kind: NoteKind
    detail: str = ""


class WaySwitched(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="way_switched"):
    """The run goes on in the other way of speaking."""

    way: Way
    reason: str


class ContextLost(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="context_lost"):
    """The server counted fewer tokens than the request must have had: it dropped a part of the transcript."""

    expected: int
    """Tokens that the request had at least."""
    counted: int
    """Tokens by the server's count."""


class ContextCondensed(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="context_condensed"):
    """The transcript had grown past its limit: these results are left out of it from now on. The journal keeps them."""

    covers: tuple[str, ...]
    """The calls whose results they are."""
    tokens: int = 0
    """Of a request before, estimated."""
    left: int = 0
    """The same behind it."""


class RunEnded(Fact, frozen=True, kw_only=True, omit_defaults=True, tag="run_ended"):
    """Nothing follows."""

    outcome: Outcome


Event = (
    RunStarted
    | RunResumed
    | RunPaused
    | RunForked
    | ModelAsked
    | ModelReplied
    | ModelFailed
    | CallStarted
    | CallEnded
    | ApprovalAsked
    | ApprovalGiven
    | PersonSaid
    | CancelAsked
    | LetterRefused
    | NoteAdded
    | WaySwitched
    | ContextLost
    | ContextCondensed
    | RunEnded
)
