"""The seams of the engine: what it asks of models, tools and people. No logic.

`Journal` is the fourth seam and lives in `journal.base`.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from msgspec import Struct

from loopwright.core.commands import AskModel, RunTool
from loopwright.core.events import CallEnded, Event, ModelFailed, ModelReplied
from loopwright.core.messages import Call, Price, Result, Scope, ToolSpec
from loopwright.protocols.speech import Capabilities, Dialect

Feed = Callable[[bytes], None]


class Transport(Protocol):
    """Carries a request body to a model and the reply back. Knows nothing of loops, tools or transcripts.

    One that sends a key may have it as the attribute `secret`: what holds it is neither shown nor written down.
    """

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        """Send `body` and hand the reply's bytes to `feed` as they arrive, all of them, in order.

        Calls that the provider surely did not work on (refused connection, 429, 503) are repeated here with
        back-off, within `timeout` seconds, as long as no byte went to `feed`.

        Raises:
            ModelError: no reply, or not a whole one
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class Model(Struct, frozen=True):
    """A model that can be asked: a name, a wire format, a way to reach it, and what is known of it."""

    name: str
    """As the provider calls it; goes into the request body."""
    spec: str
    """As the user wrote it, such as ``openai:gpt-4.1-mini``; goes into the journal."""
    dialect: Dialect
    transport: Transport
    capabilities: Capabilities = Capabilities()
    price: Price | None = None
    embedded: bool = False
    """Whether the model was trained on the short prompt of the embedded default."""


class Tool(Protocol):
    """A tool that can be run.

    It may also have ``check(arguments) -> str``, what is wrong with the arguments, so that nobody is asked about a call
    that cannot run, ``fresh() -> Tool``, a copy with a state of its own for one run, and what `PreviewingTool` says.
    """

    @property
    def spec(self) -> ToolSpec:
        """What the model and the loop know of it."""
        ...

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Validate the arguments, run, and fold whatever happens into a result. Raises only CancelledError."""
        ...


@runtime_checkable
class PreviewingTool(Protocol):
    """A tool that can show what a call would change before it runs, for whoever is asked about it."""

    def preview(self, arguments: dict[str, Any]) -> str:
        """What the call would do now, as text, such as a unified diff. Changes nothing and never raises.

        The text holds names and content as they are: whoever shows it makes control characters visible.
        """
        ...


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> float:
        """Unix time in seconds."""
        ...

    def elapsed(self) -> float:
        """Seconds from any fixed point, on a clock that never jumps."""
        ...


class Look(Struct, frozen=True):
    """What a call would be with certain arguments."""

    wrong: str = ""
    """What is wrong with them, in words; empty where they are fine."""
    preview: str = ""
    """What the call would change, where its tool can say so."""


class Question(Struct, frozen=True):
    """What a person is asked about a call."""

    call: Call
    tool: ToolSpec
    about: Literal["approval", "doubt"]
    """Whether the call may run, or may run again after nobody knows whether it did."""
    why: str
    """Why it does not run without asking: a rule, its effect, text of others."""
    preview: str
    """What the call would change, where its tool can say so; names and content as they are."""
    look: Callable[[dict[str, Any]], Awaitable[Look]]
    """What the call would be with other arguments."""


class Approval(Struct, frozen=True):
    """What a person said."""

    allowed: bool
    by: str
    reason: str = ""
    """Told to the model where it is a no."""
    scope: Scope = "once"
    """How far a yes goes: this time, all calls like this one in the run, or all of this tool in the run."""
    arguments: dict[str, Any] | None = None
    """Other arguments than those of the model, with which the call is allowed; the model is told so."""


class People(Protocol):
    """Whoever can be asked."""

    async def approve(self, question: Question) -> Approval:
        """Ask whether the call may run."""
        ...


class TextArrived(Struct, frozen=True):
    """New text of a reply that is still arriving; shown, never stored."""

    run_id: str
    text: str


Observer = Callable[[str, "Event | TextArrived"], None]
"""Called with the run's id and what happened, after it is durable. Must not block; what it raises is not caught."""


@runtime_checkable
class RecallingObserver(Protocol):
    """An observer that wants to know what happened before a run is resumed."""

    def recall(self, run_id: str, history: Sequence[Event]) -> None:
        """All that happened so far. What happens next comes as to any observer."""
        ...


class Gate(Protocol):
    """Where a run stops for whoever looks at it step by step. What it raises ends the work; the run can be resumed."""

    async def before(self, command: AskModel | RunTool, request: bytes) -> None:
        """The model is about to be asked, with this request body, or a call is about to run (then it is empty).

        Nothing of it is written down yet.
        """
        ...

    async def after(self, event: ModelReplied | ModelFailed | CallEnded) -> None:
        """That is done, and durable."""
        ...
