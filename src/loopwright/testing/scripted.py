"""A model that follows a script, for tests: it answers in OpenAI's chat format without any connection.

Owns the words that scripts are written in (`says`, `answers`, `calls`, `fails`) and how a line of a script looks on
the wire, whole or streamed, natively or as text. The same script serves both ways of speaking, so that one test can
run under both. No sockets: `chat_server` says the same lines over HTTP.

    model = ScriptedModel(replies=[calls("calculator", expression="6*7"), answers("42")])
    …
    model.assert_done()
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from loopwright.core.errors import ModelError
from loopwright.core.events import Failure
from loopwright.core.messages import Way
from loopwright.engine.ports import Feed, Model, Transport
from loopwright.protocols.labels import ENGLISH, LANGUAGES, Labels
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.speech import Dialect


class Asked(Struct, frozen=True):
    """A request that a scripted model got."""

    number: int
    """1 for the first."""
    body: bytes
    stream: bool = False
    timeout: float | None = None

    @property
    def json(self) -> dict[str, Any]:
        """The body, decoded."""
        return msgspec.json.decode(self.body, type=dict[str, Any])

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of the body."""
        return cast("list[dict[str, Any]]", self.json["messages"])

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the body offers."""
        return [tool["function"]["name"] for tool in self.json.get("tools") or ()]


class Line(Struct, frozen=True):
    """One reply of a script. Made by `says`, `answers` and `calls`; `a + b` makes the calls of both in one reply."""

    text: str = ""
    """Content, word for word."""
    thought: str = ""
    answer: str | None = None
    """Final answer; in text form it gets its label."""
    made: tuple[tuple[str, str], ...] = ()
    """Calls: name of the tool and JSON text of the arguments."""
    reasoning: str = ""
    """Reasoning that goes beside the content."""
    finish: str = ""
    """Finish reason; empty for the one that fits."""
    usage: tuple[int, int] | None = None
    """Input and output tokens; None for a fourth of the characters."""
    reports_usage: bool = True
    broken: bool = False
    """Whether the connection ends in the middle of the reply."""

    def __add__(self, other: "Line") -> "Line":
        """Both lines in one reply."""
        return replace(
            self,
            text=self.text + other.text,
            thought=self.thought + other.thought,
            made=self.made + other.made,
            answer=self.answer if other.answer is None else other.answer,
        )

    def thinking(self, thought: str) -> "Line":
        """The same reply after a thought."""
        return replace(self, thought=thought)

    def reasoned(self, reasoning: str) -> "Line":
        """The same reply with reasoning beside it."""
        return replace(self, reasoning=reasoning)

    def finished(self, finish: str) -> "Line":
        """The same reply with another finish reason, such as ``length``."""
        return replace(self, finish=finish)

    def using(self, input_tokens: int, output_tokens: int) -> "Line":
        """The same reply with these token counts."""
        return replace(self, usage=(input_tokens, output_tokens))

    def without_usage(self) -> "Line":
        """The same reply without token counts."""
        return replace(self, reports_usage=False)

    def cut(self) -> "Line":
        """The same reply, but the connection is lost half-way."""
        return replace(self, broken=True)


class Fault(Struct, frozen=True):
    """A call of the model that fails. Made by `fails`."""

    failure: Failure
    message: str
    lost: bool = False


Entry = Line | Fault | str
Script = Sequence["Entry | Callable[[Asked], Entry]"]
"""Replies in order; a text is said as it is, a function is asked when its turn comes."""


def says(text: str, *, finish: str = "") -> Line:
    """A reply with this content, word for word."""
    return Line(text=text, finish=finish)


def answers(text: str) -> Line:
    """A final answer: plain content natively, behind its label in text form."""
    return Line(answer=text)


def calls(tool: str, /, **arguments: Any) -> Line:
    """A call of a tool."""
    return Line(made=((tool, msgspec.json.encode(arguments).decode()),))


def calls_with(tool: str, arguments: str) -> Line:
    """A call whose arguments are this text, which need not be JSON."""
    return Line(made=((tool, arguments),))


def fails(failure: Failure, message: str = "the script says so", *, lost: bool = False) -> Fault:
    """No reply, but this failure."""
    return Fault(failure, message, lost)


class Scripted:
    """The transport behind a scripted model. Nothing leaves the process."""

    def __init__(self) -> None:
        self.script: list[Entry | Callable[[Asked], Entry]] = []
        self.way: Way | None = None
        self.piece = 0
        self.requests: list[Asked] = []
        self.closed = False

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        """Answer with the next line of the script.

        Raises:
            AssertionError: the script is used up
            ModelError: the script says so
        """
        asked = Asked(len(self.requests) + 1, body, stream, timeout)
        self.requests.append(asked)
        if asked.number > len(self.script):
            last = asked.messages[-1]
            raise AssertionError(f"the script has {len(self.script)} replies and is asked for one more, after {last}")
        entry = self.script[asked.number - 1]
        entry = entry(asked) if callable(entry) else entry
        if isinstance(entry, Fault):
            raise ModelError(entry.failure, entry.message, lost=entry.lost)
        line = says(entry) if isinstance(entry, str) else entry
        for data in self._pieces(wire(line, asked, self.way)):
            feed(data)
        if line.broken:
            raise ModelError("network", "the connection was lost before the reply was complete", lost=True)

    async def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    def _pieces(self, data: list[bytes]) -> list[bytes]:
        if not self.piece:
            return data
        joined = b"".join(data)
        return [joined[start : start + self.piece] for start in range(0, len(joined), self.piece)]


class ScriptedModel(Model, frozen=True, kw_only=True):
    """A `Model` that answers from a script. Its arguments are given by name.

    Raises:
        AssertionError: from the run, when it is asked more often than the script has replies
    """

    replies: Script
    way: Way | None = None
    """How calls and answers are written; None to see it from the request."""
    piece: int = 0
    """Bytes that are handed over at a time; 0 for one event at a time."""
    name: str = "scripted"
    spec: str = "scripted"
    dialect: Dialect = field(default_factory=OpenAIChat)
    transport: Transport = field(default_factory=Scripted)

    def __post_init__(self) -> None:
        self._scripted.script = list(self.replies)
        self._scripted.way = self.way
        self._scripted.piece = self.piece

    @property
    def requests(self) -> list[Asked]:
        """What it was asked, in order."""
        return self._scripted.requests

    def assert_done(self) -> None:
        """Complain if a reply of the script was not asked for.

        Raises:
            AssertionError: there are replies left
        """
        left = self.replies[len(self.requests) :]
        if left:
            raise AssertionError(
                f"{len(left)} of {len(self.replies)} replies were not asked for; the next is {left[0]}"
            )

    @property
    def _scripted(self) -> Scripted:
        if not isinstance(self.transport, Scripted):
            raise TypeError("a scripted model has its own transport; leave `transport` out")
        return self.transport


def wire(line: Line, asked: Asked, way: Way | None = None) -> list[bytes]:
    """A line as it goes over the wire: one piece for a whole reply, one piece an event for a stream.

    Source: https://platform.openai.com/docs/api-reference/chat
    """
    request = asked.json
    spoken = _spoken(request, way)
    tokens = line.usage or (max(1, len(asked.body) // 4), max(1, len(_content(line, spoken)) // 4))
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    head = {"id": f"chatcmpl-{asked.number}", "created": 0, "model": request.get("model", "")}
    if not asked.stream:
        pieces = [_whole(line, head, spoken, asked.number, usage)]
        return [pieces[0][: len(pieces[0]) // 2]] if line.broken else pieces
    options = cast("dict[str, Any]", request.get("stream_options") or {})
    wanted = bool(options.get("include_usage"))
    events = _streamed(line, head, spoken, asked.number, usage if wanted else None)
    return events[: max(1, (len(events) - 1) // 2)] if line.broken else events


def way_of(request: dict[str, Any]) -> Way:
    """How a request is spoken: natively, unless its instructions ask for the labels of the text protocol."""
    return "native" if _asked_in(request) is None else "text"


def _asked_in(request: dict[str, Any]) -> Labels | None:
    """The language whose labels the instructions of a request ask for; None where they ask for none.

    Who says the observations tells nothing: a tool may say them in text form too.
    """
    if request.get("tools"):
        return None
    messages = cast("list[dict[str, Any]]", request.get("messages") or [])
    said = [message for message in messages if message.get("role") in ("system", "developer")] or messages[:1]
    opening = "\n".join(str(message.get("content", "")) for message in said)
    return next((labels for labels in LANGUAGES.values() if _asks_for(labels, opening)), None)


def _asks_for(labels: Labels, opening: str) -> bool:
    """Whether instructions name the labels of an answer and of what comes before it."""
    before = (labels.thought[0], labels.action[0])
    return f"{labels.final[0]}:" in opening and any(f"{label}:" in opening for label in before)


def _spoken(request: dict[str, Any], way: Way | None) -> Labels | None:
    """The labels that a reply is written with; None for a native one."""
    return None if way == "native" else _asked_in(request) or (ENGLISH if way == "text" else None)


def _content(line: Line, labels: Labels | None) -> str:
    if labels is None:
        said = (line.thought if line.made else "", line.text, line.answer or "")
        return "\n".join(part for part in said if part)
    parts = [f"{labels.thought[0]}: {line.thought}"] if line.thought else []
    parts += [line.text] if line.text else []
    parts += [f"{labels.action[0]}: {tool} {arguments}" for tool, arguments in line.made]
    parts += [f"{labels.final[0]}: {line.answer}"] if line.answer is not None else []
    return "\n".join(parts)


def _calls(line: Line, labels: Labels | None, number: int) -> list[dict[str, Any]]:
    if labels is not None:
        return []
    return [
        {"id": f"call_{number}_{place}", "type": "function", "function": {"name": tool, "arguments": arguments}}
        for place, (tool, arguments) in enumerate(line.made, start=1)
    ]


def _reasoning(line: Line, labels: Labels | None) -> str:
    """Natively a thought stands beside an answer, because plain content is the answer."""
    beside = line.thought if labels is None and not line.made else ""
    return "\n".join(part for part in (line.reasoning, beside) if part)


def _finish(line: Line, labels: Labels | None) -> str:
    return line.finish or ("tool_calls" if line.made and labels is None else "stop")


def _whole(line: Line, head: dict[str, Any], labels: Labels | None, number: int, usage: dict[str, int]) -> bytes:
    made = _calls(line, labels, number)
    message: dict[str, Any] = {"role": "assistant", "content": _content(line, labels) or None}
    reasoning = _reasoning(line, labels)
    message |= {"reasoning_content": reasoning} if reasoning else {}
    message |= {"tool_calls": made} if made else {}
    choice = {"index": 0, "message": message, "finish_reason": _finish(line, labels)}
    reply = {**head, "object": "chat.completion", "choices": [choice]}
    return msgspec.json.encode(reply | ({"usage": usage} if line.reports_usage else {}))


def _streamed(
    line: Line, head: dict[str, Any], labels: Labels | None, number: int, usage: dict[str, int] | None
) -> list[bytes]:
    head = {**head, "object": "chat.completion.chunk"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in _words(_reasoning(line, labels))]
    deltas += [{"content": piece} for piece in _words(_content(line, labels))]
    for index, call in enumerate(_calls(line, labels, number)):
        deltas += _call_deltas(index, call)
    events = [_event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}) for delta in deltas]
    events.append(_event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(line, labels)}]}))
    if usage is not None and line.reports_usage:
        events.append(_event({**head, "choices": [], "usage": usage}))
    return [*events, b"data: [DONE]\n\n"]


def _call_deltas(index: int, call: dict[str, Any]) -> list[dict[str, Any]]:
    """A call as a stream brings it: its name first, then its arguments in pieces of a few characters."""
    function = call["function"]
    first = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
    pieces: list[str] = re.findall(r".{1,7}", function["arguments"], re.DOTALL)
    rest = [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in pieces]
    return [{"tool_calls": [first]}, *rest]


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text)


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(data) + b"\n\n"
