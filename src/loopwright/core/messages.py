"""The words of a run: plain, frozen values that every other module speaks in.

Owns the vocabulary (tool, call, turn, result, usage, limits, outcome). Nothing here decides anything: no clock,
no file, no provider, no text that a model reads.
"""

from math import isfinite
from typing import Any, Literal, cast

from msgspec import Raw, Struct, field
from msgspec.structs import replace

Effect = Literal["read", "write", "delete", "send", "pay", "execute"]
Permission = Literal["allow", "ask", "deny"]
Scope = Literal["once", "call", "tool"]
ArgumentState = Literal["strict", "repaired", "rejected"]
Way = Literal["native", "text"]
Kind = Literal["action", "final", "thought", "malformed", "empty"]
ResultStatus = Literal["ok", "not_found", "error"]
ObservationRole = Literal["user", "assistant", "system", "tool"]
Part = Literal["rows", "text", "member_rows", "member_text", "json", "error"]
"""What a result was cut in: rows of a list, characters of a text, the same of an object's largest member, characters
of its JSON text, or those of its error."""
OutcomeStatus = Literal["answered", "partial", "stopped", "failed", "cancelled"]

NOTHING = Raw(b"null")


class ToolSpec(Struct, frozen=True, omit_defaults=True):
    """A tool as the model and the loop see it: no code, only what decisions depend on."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    """JSON Schema of the arguments; always of type object."""
    effect: Effect = "read"
    permission: Permission = "allow"
    repeatable: bool = True
    """Whether a call whose outcome is unknown may simply run again."""
    pollable: bool = False
    """Whether asking the same thing again is normal; such calls are exempt from the progress guard."""
    accepts_repaired: bool = False
    """Whether calls with repaired arguments run; otherwise the model is told to send them again."""
    timeout: float | None = None
    """Seconds a call may take."""
    max_chars: int = 20_000
    """Characters of one result that the model is shown."""
    trusted_output: bool = True
    """Whether its results come from the application itself; those of web pages, files of others and mail do not."""
    free_form: bool = False
    """Whether its one parameter is a command for an environment, ``go to desk 1``: in text form, the whole reply."""
    open_world: bool = False
    """Whether the model chooses whom its arguments reach, as with the address of a page: they may carry out what the
    run has read."""
    trusted_description: bool = True
    """Whether the application says what the tool does and takes; a server says it of its tools itself."""


class Call(Struct, frozen=True, omit_defaults=True, gc=False):
    """One request of the model to run a tool."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    """Decoded arguments; empty when `state` is rejected."""
    id: str = ""
    """Unique in the run: the number of the ask and of the call in it, such as ``3.1``."""
    text: str = ""
    """The arguments as the model wrote them, always kept."""
    state: ArgumentState = "strict"
    reason: str = ""
    """Why the arguments were repaired or rejected, in words for the model."""
    provider_id: str = ""
    """The provider's own id, which goes back to it unchanged."""


class Turn(Struct, frozen=True, omit_defaults=True, gc=False):
    """One reply of the model, understood."""

    thought: str = ""
    calls: tuple[Call, ...] = ()
    answer: str | None = None
    problem: str = ""
    """Why the reply could not be read, in words for the model; empty when it could."""
    text: str = ""
    """What of the reply counts, as the model wrote it: this goes back to it."""
    reasoning: str = ""
    """Reasoning that the provider reports beside the text."""
    finish: str = ""
    """The provider's finish reason, for information only."""
    opaque: bytes = b""
    """The provider's own message where it holds more than the fields above; only its codec reads it."""
    leaked: bool = False
    """Whether the calls stood in the text, not where the provider's format has them."""

    @property
    def kind(self) -> Kind:
        """What the reply is: calls come before an answer, an answer before anything else."""
        if self.calls:
            return "action"
        if self.answer is not None:
            return "final"
        if not self.text and not self.thought:
            return "empty"
        return "malformed" if self.problem else "thought"

    def numbered(self, question: int, most: int) -> "Turn":
        """The turn with the run's own ids on its calls; one with more than `most` calls has to be sent again."""
        if len(self.calls) > most:
            problem = f"{len(self.calls)} calls in one reply; at most {most} are allowed"
            return replace(self, calls=(), problem=problem)
        return replace(self, calls=tuple(replace(call, id=f"{question}.{n}") for n, call in enumerate(self.calls, 1)))


class Content(Struct, frozen=True, omit_defaults=True, gc=False):
    """An artifact that the journal keeps beside its events: an image, a plot, a file. The model is told what it is."""

    digest: str
    """SHA-256 of its bytes, in hexadecimal."""
    size: int
    """Bytes."""
    media_type: str = "application/octet-stream"
    name: str = ""
    """What the tool calls it; never the name of a file to write without a look at it."""
    caption: str = ""
    shown: bool = False
    """Whether the model is sent the image itself."""

    @property
    def reference(self) -> str:
        """What it is called in results and on the command line: the beginning of its digest."""
        return self.digest[:12]


class Whole(Struct, frozen=True, omit_defaults=True, gc=False):
    """A result as the tool gave it, of which the model was shown a part; the journal keeps it beside its events."""

    digest: str
    """SHA-256 of the encoded result, in hexadecimal."""
    size: int
    """Bytes of the encoded result."""
    part: Part = "json"
    member: str = ""
    """The name of the member, where one was cut."""
    readable: bool = False
    """Whether the model was told how to read on."""


class Result(Struct, frozen=True, omit_defaults=True, gc=False):
    """What a call came back with: one shape for every tool."""

    status: ResultStatus = "ok"
    data: Raw = NOTHING
    """The value as JSON text, encoded once by the tool layer."""
    error: str = ""
    """What went wrong; starts with the class of the error and a colon."""
    note: str = ""
    """A hint for the model, such as how many rows were left out."""
    artifacts: tuple[Content, ...] = ()
    """What the data refers to."""


class Exchange(Struct, frozen=True, omit_defaults=True):
    """A turn of an example, and the answers to its calls in the order asked."""

    turn: Turn
    results: tuple[Result, ...] = ()


class Example(Struct, frozen=True, omit_defaults=True):
    """A trajectory that shows the model how to go about a task; written in whatever way the run is spoken in."""

    task: str
    exchanges: tuple[Exchange, ...] = ()
    """The last one's turn holds the answer."""


class Usage(Struct, frozen=True, omit_defaults=True, gc=False):
    """Tokens and money of one or more replies."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Part of `input_tokens` that the provider read from its cache."""
    cost: float = 0.0
    """US dollars; 0.0 where no price is known."""
    estimated: bool = False
    """Whether the provider reported nothing and the tokens are an estimate."""

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cost + other.cost,
            self.estimated or other.estimated,
        )


class Price(Struct, frozen=True, omit_defaults=True):
    """US dollars for one token."""

    input: float
    output: float


class Limits(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a run may use; None is no limit. The closing answer is paid from within these limits."""

    steps: int | None = 25
    """Turns whose calls run."""
    model_calls: int | None = 50
    tool_calls: int | None = 100
    tokens: int | None = None
    """Input and output tokens of all model calls together."""
    cost: float | None = None
    """US dollars; needs a model whose price is known."""
    seconds: float | None = None
    """Time that the run is worked on; the time between a crash and its resume does not count."""
    calls_per_turn: int = 32
    """A reply with more calls than this is sent back."""
    unreadable: int = 3
    """Replies in a row that could not be read before the run closes."""
    context: int | None = None
    """Tokens of a request, estimated, from which on older results are left out of it; see `core.condense`."""

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None or name not in _MAY_BE_NONE:
                _check_whole(f"limit {name}", value, least)
        for name in ("cost", "seconds"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and value > 0):
                raise ValueError(f"limit {name} is {value!r}; it must be a number of more than 0")


_LEAST = {
    "steps": 0,
    "model_calls": 1,
    "tool_calls": 0,
    "tokens": 1,
    "calls_per_turn": 1,
    "unreadable": 1,
    "context": 1,
}
_MAY_BE_NONE = frozenset({"steps", "model_calls", "tool_calls", "tokens", "context"})


class Settings(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How the model is asked. None leaves the provider's default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    """Output tokens of one reply."""
    seed: int | None = None
    stop: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of the request body, as the provider names them."""

    def __post_init__(self) -> None:
        if self.temperature is not None and not (_is_number(self.temperature) and self.temperature >= 0):
            raise ValueError(f"temperature is {self.temperature!r}; it must be a number of at least 0")
        if self.top_p is not None and not (_is_number(self.top_p) and 0 <= self.top_p <= 1):
            raise ValueError(f"top_p is {self.top_p!r}; it must be a number from 0 to 1")
        if self.max_tokens is not None:
            _check_whole("max_tokens", self.max_tokens, 1)
        if self.seed is not None:
            _check_whole("seed", self.seed)
        stop: Any = self.stop
        if not isinstance(stop, tuple) or unwritable(cast("object", stop), "stop"):
            raise ValueError(f"stop is {stop!r}; it must be a tuple of texts, like ('END',)")
        if not all(isinstance(cast("object", text), str) for text in self.stop):
            raise ValueError(f"stop is {stop!r}; each stop sequence must be a text")
        if not isinstance(cast("object", self.extra), dict):
            raise ValueError(f"extra is {self.extra!r}; it must be a dict of further fields")
        if wrong := unwritable(self.extra, "extra"):
            raise ValueError(f"{wrong}, which no request can carry: use texts, numbers, booleans, lists and dicts")


class Outcome(Struct, frozen=True, omit_defaults=True):
    """How a run ended."""

    status: OutcomeStatus
    answer: str | None = None
    reason: str = ""
    """The limit or the cause where the status is not answered."""


DEEPEST = 64
"""Levels of lists and dicts in a value that an application gives."""


def unwritable(value: object, where: str, depth: int = 0) -> str:
    """What in a value JSON cannot carry so that it reads back the same, in words; empty where nothing is.

    Args:
        value: what an application gives
        where: what it is called
        depth: how many lists and dicts it lies in
    """
    if depth > DEEPEST:
        return f"{where} lies deeper than {DEEPEST} levels"
    match value:
        case None | bool() | int():
            return ""
        case float():
            return "" if isfinite(value) else f"{where} is {value}"
        case str():
            return "" if is_text(value) else f"{where} holds half of a surrogate pair"
        case list() | tuple():
            items = enumerate(cast("list[object]", value))
            found = (unwritable(item, f"{where}[{number}]", depth + 1) for number, item in items)
        case dict():
            fields = cast("dict[object, object]", value).items()
            found = (_unwritable_field(name, item, where, depth + 1) for name, item in fields)
        case _:
            return f"{where} is of type {type(value).__name__}"
    return next((wrong for wrong in found if wrong), "")


def _unwritable_field(name: object, value: object, where: str, depth: int) -> str:
    if not isinstance(name, str) or not is_text(name):
        return f"{where} has the key {name!r}"
    return unwritable(value, f"{where}[{name!r}]", depth)


def is_text(text: str) -> bool:
    """Whether UTF-8 can hold it: half of a surrogate pair is no text."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _check_whole(name: str, value: object, least: int | None = None) -> None:
    """Raises ValueError where it is no whole number; 1e6 is none, because it would be written as 1000000.0."""
    if isinstance(value, float) and value.is_integer():
        raise ValueError(f"{name} is {value!r}; it must be a whole number: write {int(value)}")
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; it must be a whole number")
    if least is not None and value < least:
        raise ValueError(f"{name} is {value}; it must not be less than {least}")
