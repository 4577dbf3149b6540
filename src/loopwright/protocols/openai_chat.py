"""OpenAI's chat completions, and everything that is compatible with them, on the wire.

Owns the JSON of requests (https://platform.openai.com/docs/api-reference/chat) and the borders of replies, whole or
streamed. What a model is told, and what its reply means for the run, is decided by the speeches; how the pieces of a
reply fit together is in `openai_reply`.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.envelope import writable
from loopwright.protocols.images import address_of
from loopwright.protocols.json_values import as_object, chosen, decoded, encoded, is_object, objects
from loopwright.protocols.openai_reply import PlainChunk, ReplyPieces, explained
from loopwright.protocols.speech import Message, Options, Reply
from loopwright.protocols.sse import EventSplitter, ServerEvent

UNREADABLE_KEY = "INVALID_JSON"
"""The only argument of a call whose own arguments are no JSON: providers refuse such a call in the history."""

_SHOWN = 300
_BOM = b"\xef\xbb\xbf"
_PLAIN_CHUNK = msgspec.json.Decoder(PlainChunk)


class OpenAIChat:
    """The dialect. Endpoints differ in one field: newer models of OpenAI want `max_completion_tokens`."""

    name = "openai-chat"

    def __init__(self, *, limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens") -> None:
        self._limit_field = limit_field

    def message(self, message: Message) -> bytes:
        """Encode one message. The provider's own one goes back as it came, as long as its calls are valid."""
        if message.role == "tool" and message.call is not None:
            return encoded({"role": "tool", "tool_call_id": message.call.provider_id, "content": message.text})
        turn = message.turn
        if turn is not None and turn.opaque:
            return _own(turn)
        if turn is not None and turn.calls:
            calls = [_call(call) for call in turn.calls]
            return encoded({"role": "assistant", "content": message.text or None, "tool_calls": calls})
        content = content_parts(message) if message.images else message.text
        return encoded({"role": message.role, "content": content})

    def tools(self, tools: Sequence[ToolSpec]) -> bytes:
        """Encode the tool list; empty for no tools."""
        return function_list(tools)

    def body(self, model: str, messages: Sequence[bytes], options: Options, *, stream: bool) -> bytes:
        """Join a request body. What may differ from one request of a run to the next comes behind the messages.

        Raises:
            UsageError: the extra fields hold one that only the run can fill
        """
        extra = {**options.settings.extra, **options.extra}
        if "messages" in extra:
            raise UsageError("the extra fields of a request may not hold 'messages': the run fills them")
        head = [b'{"model":', encoded(extra.pop("model", model))]
        tools = encoded(extra.pop("tools")) if "tools" in extra else options.tools
        if tools:
            head += [b',"tools":', tools]
        tail = encoded({**self._fields(options, stream=stream), **extra})
        return b"".join([*head, b',"messages":[', b",".join(messages), b"]", b"," if len(tail) > 2 else b"", tail[1:]])

    def reader(self, *, stream: bool) -> "Reader":
        """A reader for one reply. It sees for itself whether the server streams, whatever was asked for."""
        del stream
        return Reader()

    def _fields(self, options: Options, *, stream: bool) -> dict[str, Any]:
        settings = options.settings
        limits = [limit for limit in (options.max_tokens, settings.max_tokens) if limit is not None]
        fields = {
            "tool_choice": "none" if options.tools and options.tool_choice == "none" else None,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            self._limit_field: min(limits) if limits else None,
            "stop": list(dict.fromkeys((*settings.stop, *options.stop))) or None,
            "grammar": options.grammar or None,
            "stream": stream or None,
            "stream_options": {"include_usage": True} if stream else None,
        }
        return {name: value for name, value in fields.items() if value is not None}


class _Choice(Struct):
    message: Raw = Raw(b"")
    index: Any = None


class _Body(Struct):
    choices: list[_Choice] = []


class Reader:
    """Reads one reply while it arrives: any split of the bytes, a whole body or an event stream. Never raises."""

    def __init__(self) -> None:
        self._splitter = EventSplitter()
        self._pieces = ReplyPieces()
        self._head = b""
        self._body: list[bytes] | None = None
        """The bytes of a whole body; None while it is an event stream, or not yet known."""
        self._streams = False
        self._understood = False

    def feed(self, data: bytes) -> str:
        """Take the next bytes and return the text that is new with them; a whole body gives its text at the end."""
        if self._body is not None:
            self._body.append(data)
            return ""
        if not self._streams:
            return self._begin(data)
        if not self._understood:
            self._head += data[: _SHOWN - len(self._head)] if len(self._head) < _SHOWN else b""
        return self._events(self._splitter.feed(data))

    def close(self) -> Reply:
        """The reply, once no more bytes come."""
        opaque = b""
        if self._body is not None:
            whole = b"".join(self._body)
            opaque = self._whole(whole)
        else:
            self._events([*self._splitter.feed(b"" if self._streams else self._head), *self._splitter.close()])
        if self._head.strip() and not self._understood:
            self._pieces.broken = True
            if self._body is None and not self._head.lstrip().startswith(b"data:"):
                shown = self._head[:_SHOWN].decode("utf-8", "replace").strip()
                self._pieces.error = f"the server sent neither JSON nor an event stream: {shown}"
        return self._pieces.close(opaque)

    def _begin(self, data: bytes) -> str:
        """Take bytes while it is not yet known which kind of reply they begin."""
        self._head += data
        start = self._head.removeprefix(_BOM).lstrip()
        if not start or (len(self._head) < len(_BOM) and _BOM.startswith(self._head)):
            return ""
        if start.startswith(b"{"):
            self._body = [start]
            return ""
        self._streams = True
        return self._events(self._splitter.feed(self._head))

    def _events(self, events: list[ServerEvent]) -> str:
        return "".join([self._event(event) for event in events])

    def _event(self, event: ServerEvent) -> str:
        data = event.data.strip()
        if data == b"[DONE]":
            self._understood = True
            self._pieces.end_stream()
        if not data or data == b"[DONE]":
            return ""
        if not event.name:
            text = self._plain(data)
            if text is not None:
                return text
        value: object = decoded(data)
        if value is None and b"\n" in data:  # servers that leave out the empty line between two events
            return self._events([ServerEvent(line, event.name) for line in data.split(b"\n")])
        body = as_object(value)
        if event.name == "error" and not body.get("error"):
            self._pieces.error = self._pieces.error or explained(body) or data.decode("utf-8", "replace")
        self._understood = self._understood or bool(body)
        self._pieces.broken |= value is None and data[:1] in (b"{", b"[")
        return writable(self._pieces.take(body))

    def _plain(self, data: bytes) -> str | None:
        """Take a chunk that is like nearly all of a stream; None if it is not."""
        try:
            chunk = _PLAIN_CHUNK.decode(data)
        except (msgspec.DecodeError, RecursionError):
            return None
        self._understood = True
        return self._pieces.take_plain(chunk.choices[0].delta)

    def _whole(self, data: bytes) -> bytes:
        """Take a whole body; returns its message as sent, if that holds more than a `Reply` does."""
        body = as_object(decoded(data))
        if not body:  # not one JSON object: cut, or JSON lines
            self._events([*self._splitter.feed(data), *self._splitter.close()])
            return b""
        self._understood = True
        self._pieces.take(body, whole=True)
        self._pieces.ended = True
        if not objects(body.get("choices")) and not self._pieces.error:
            self._pieces.error = explained(body)
        return _message_of(data) if self._pieces.has_extras else b""


def content_parts(message: Message) -> list[dict[str, Any]]:
    """Text and images as content, in the form that several providers have taken over."""
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text else []
    for image in message.images:
        parts.append({"type": "text", "text": image.label})
        parts.append({"type": "image_url", "image_url": {"url": address_of(image)}})
    return parts


def function_list(tools: Sequence[ToolSpec]) -> bytes:
    """Tools as functions, in the form that several providers have taken over; empty for no tools."""
    if not tools:
        return b""
    return encoded(
        [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in tools
        ]
    )


def read_message(message_or_body: dict[str, Any] | bytes) -> Reply:
    """The reply in a response body, or in an assistant message alone. Never raises."""
    data = message_or_body if isinstance(message_or_body, bytes) else encoded(message_or_body)
    message = as_object(decoded(data))
    if "choices" in message or not any(key in message for key in ("role", "content", "tool_calls")):
        reader = Reader()
        reader.feed(data)
        return reader.close()
    pieces = ReplyPieces()
    pieces.take_message(message)
    pieces.ended = True
    return pieces.close(_sendable(data))


def read_chunks(payloads: Sequence[str]) -> Reply:
    """The reply in the `data:` payloads of a stream, in order. Never raises."""
    reader = Reader()
    reader.feed(b"\n")
    for payload in payloads:
        lines = writable(payload).encode().splitlines() or [b""]
        reader.feed(b"".join(b"data: " + line + b"\n" for line in lines) + b"\n")
    return reader.close()


def read_error(body: bytes) -> str:
    """What the body of a failed response says, in one line."""
    found = as_object(decoded(body))
    if found:
        return explained(found.get("error") or found)
    return " ".join(body[:_SHOWN].decode("utf-8", "replace").split())


def _message_of(body: bytes) -> bytes:
    """The message of the first choice, byte for byte; nothing if it is not JSON that can be sent."""
    try:
        choices = msgspec.json.decode(body, type=_Body).choices
    except msgspec.DecodeError:
        return b""
    found = chosen(choices, lambda choice: choice.index, whole=True)
    return _sendable(bytes(found[0].message)) if found else b""


def _sendable(message: bytes) -> bytes:
    """The message; nothing if it is not JSON that can be sent."""
    try:
        msgspec.json.decode(message)
    except msgspec.DecodeError:
        return b""
    return message


def _call(call: Call) -> dict[str, Any]:
    return {
        "id": call.provider_id,
        "type": "function",
        "function": {"name": call.tool, "arguments": _arguments(call)},
    }


def _arguments(call: Call) -> str:
    """The arguments of a call as valid JSON: as the model wrote them where they are, else as they were read."""
    if is_object(call.text) and (call.state == "rejected" or msgspec.json.decode(call.text) == call.arguments):
        return call.text
    if call.state == "rejected":
        return encoded({UNREADABLE_KEY: call.text}).decode()
    return encoded(call.arguments).decode()


def _own(turn: Turn) -> bytes:
    """The provider's own message; only ids and arguments that it would refuse are replaced."""
    message = as_object(decoded(turn.opaque))
    wired = objects(message.get("tool_calls"))
    if len(wired) != len(turn.calls):
        message |= {"role": "assistant", "content": turn.text or None}
        message.pop("tool_calls", None)
        return encoded({**message, "tool_calls": [_call(call) for call in turn.calls]} if turn.calls else message)
    changed = message.get("role") != "assistant"
    for wire, call in zip(wired, turn.calls, strict=True):
        function = as_object(wire.get("function"))
        if wire.get("id") != call.provider_id or not _valid(function.get("arguments")):
            wire["id"], function["arguments"] = call.provider_id, _arguments(call)
            wire["function"] = function
            changed = True
    message["role"] = "assistant"
    return encoded(message) if changed else turn.opaque


def _valid(arguments: object) -> bool:
    return isinstance(arguments, str) and is_object(arguments)
