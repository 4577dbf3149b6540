"""The seams of the protocols: what a dialect and a way of speaking must offer. No logic, no text.

Two things vary and meet here. A *dialect* is a provider's wire format: it encodes messages to bytes and decodes
bytes to a `Reply`. A *speech* is how a ReAct loop talks: which messages say what happened, and what a `Reply` means.
`native` and `react_text` are speeches; every speech works over every dialect.
"""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from loopwright.core.events import ModelAsked, NoteAdded, RunStarted
from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn, Usage, Way

Role = Literal["system", "user", "assistant", "tool"]


class WireCall(Struct, frozen=True):
    """A call as a provider sent it."""

    id: str
    name: str
    arguments: str
    """Text as sent; not yet parsed."""


class Reply(Struct, frozen=True, omit_defaults=True):
    """One provider reply, decoded but not yet understood."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[WireCall, ...] = ()
    finish: str = ""
    """The finish reason as sent; ``length`` means that the reply was cut."""
    usage: Usage | None = None
    error: str = ""
    """An error that the provider reported inside a successful response."""
    opaque: bytes = b""
    """The assistant message as sent, where it holds more than role, content and plain function calls."""
    complete: bool = True
    """False when the connection ended before the reply did; then no call of it may run."""


class Image(Struct, frozen=True):
    """An image that a message shows."""

    reference: str
    """What results call it."""
    media_type: str
    data: bytes

    @property
    def label(self) -> str:
        """What stands before it."""
        return f"artifact {self.reference}:"


class Message(Struct, frozen=True):
    """One message of a request, before it is encoded."""

    role: Role
    text: str
    turn: Turn | None = None
    """Assistant only: the turn whose calls the message makes."""
    call: Call | None = None
    """Tool only: the call that the text answers."""
    images: tuple[Image, ...] = ()
    """User only: what it shows behind the text."""


Constraint = Literal["", "grammar", "structured_outputs", "json_schema"]
"""What keeps replies in text form to their form: the GBNF `grammar` of llama.cpp, the `structured_outputs` of vLLM, or
a `response_format` with a JSON Schema as OpenAI has it; or nothing."""


class Capabilities(Struct, frozen=True):
    """What an endpoint can do; data, not code. Where nothing is known, it is asked as if it could."""

    tools: bool = True
    stop: bool = True
    constraint: Constraint = ""
    """Empty where none is known: unlike the others, it is never tried unasked."""
    streams: bool = True
    images: bool = False
    """Whether it is known to look at images."""
    assistant_twice: bool = True
    """Whether it takes two messages of the assistant in a row."""


class ReplyReader(Protocol):
    """Reads one reply while it arrives: any split of the bytes, whole body or event stream."""

    def feed(self, data: bytes) -> str:
        """Take the next bytes and return the text that is new with them, for whoever watches."""
        ...

    def close(self) -> Reply:
        """The reply, once no more bytes come. Never raises: what is wrong is in the reply."""
        ...


class Dialect(Protocol):
    """A provider's wire format. Pure."""

    name: str

    def message(self, message: Message) -> bytes:
        """Encode one message; the result is kept and never made again."""
        ...

    def tools(self, tools: Sequence[ToolSpec]) -> bytes:
        """Encode the tool list."""
        ...

    def body(self, model: str, messages: Sequence[bytes], options: "Options", *, stream: bool) -> bytes:
        """Join a whole request body."""
        ...

    def reader(self, *, stream: bool) -> ReplyReader:
        """A reader for one reply."""
        ...


class Options(Struct, frozen=True, omit_defaults=True):
    """What a request carries beside its messages."""

    settings: Settings
    max_tokens: int | None = None
    tools: bytes = b""
    """As `Dialect.tools` encoded them; empty when none are offered."""
    tool_choice: Literal["auto", "none"] = "auto"
    stop: tuple[str, ...] = ()
    grammar: str = ""
    extra: dict[str, Any] = {}


class Speech(Protocol):
    """A way of speaking: the only place that knows words which a model reads. Pure."""

    way: Way

    def opening(self, started: RunStarted) -> list[Message]:
        """The messages that begin the run: system, if there is anything to say, and last the task."""
        ...

    def task(self, task: str) -> Message:
        """A task, of the run or of an example."""
        ...

    def turn(self, turn: Turn) -> Message:
        """What the model said, as it goes back to it."""
        ...

    def results(self, answered: Sequence[tuple[Call, Result]]) -> list[Message]:
        """The answers to all calls of one turn, in the order asked."""
        ...

    def note(self, note: NoteAdded) -> Message:
        """A reminder or a warning of the loop."""
        ...

    def closing(self, asked: ModelAsked) -> Message:
        """The request for the closing answer."""
        ...

    def options(self, started: RunStarted, asked: ModelAsked, tools: bytes) -> Options:
        """Tools, stop marks and grammar of one request; `tools` is the encoded list."""
        ...

    def read(self, reply: Reply, tools: Sequence[ToolSpec], *, closing: bool = False) -> Turn:
        """Understand a reply. Never raises; `closing` accepts plain text as the answer."""
        ...
