"""Anthropic's messages API on the wire.

Owns the JSON of requests (https://docs.anthropic.com/en/api/messages) and the borders of replies, whole or streamed.
How the pieces of a reply fit together is in `anthropic_reply`; what a model is told, and what its reply means for the
run, is decided by the speeches.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.anthropic_reply import CALL, AnthropicPieces, own
from loopwright.protocols.call_arguments import sendable_arguments
from loopwright.protocols.images import in_base64
from loopwright.protocols.json_values import as_object, as_text, decoded, encoded
from loopwright.protocols.reply_bytes import PieceReader, event_stream
from loopwright.protocols.row import Row
from loopwright.protocols.speech import Message, Options, Reply

MAX_TOKENS = 4096
"""Output tokens of a reply where nobody says how many: the API wants a number."""
UNNAMED = "unnamed"
"""Stands for the name of a call that has none, which the API would refuse."""

_ROW = Row("content")
_FAILED = '{"status":"error"'
_RUN = frozenset(("messages", "system"))
"""Fields of a request that only the run fills."""


class Anthropic:
    """The dialect.

    Each message is encoded as an object of its own, the system's too; a request takes the system's out of their row and
    puts the content of users' messages that follow each other into one.
    """

    name = "anthropic"

    def __init__(self, *, max_tokens: int = MAX_TOKENS) -> None:
        """`max_tokens` limits replies of runs that set no limit."""
        self._max_tokens = max_tokens

    def message(self, message: Message) -> bytes:
        """Encode one message; empty where it says nothing, because the API takes no empty text."""
        if message.role == "tool" and message.call is not None:
            return _ROW.message("user", _result(message.call, message.text))
        if message.role == "assistant":
            turn = message.turn or Turn()
            return _own(turn) or _written(message.text, turn.calls)
        return _ROW.message("system" if message.role == "system" else "user", _parts(message))

    def tools(self, tools: Sequence[ToolSpec]) -> bytes:
        """Encode the tool list; empty for no tools."""
        if not tools:
            return b""
        return encoded(
            [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                if tool.description
                else {"name": tool.name, "input_schema": tool.parameters}
                for tool in tools
            ]
        )

    def body(self, model: str, messages: Sequence[bytes], options: Options, *, stream: bool) -> bytes:
        """Join a request body. What may differ from one request of a run to the next comes behind the messages.

        Raises:
            UsageError: the settings hold what the API does not have, or a field that only the run can fill
        """
        extra = {**options.settings.extra, **options.extra}
        if taken := sorted(_RUN & extra.keys()):
            raise UsageError(f"the extra fields of a request may not hold {taken[0]!r}: the run fills them")
        if options.settings.seed is not None:
            raise UsageError("Anthropic's API takes no seed; leave it out of the settings")
        opening, said = _ROW.joined(messages)
        tools = encoded(extra.pop("tools")) if "tools" in extra else options.tools
        head = [b'{"model":', encoded(extra.pop("model", model))]
        head += [b',"system":[', opening, b"]"] if opening else []
        head += [b',"tools":', tools] if tools else []
        tail = encoded({**self._fields(options, stream=stream), **extra})
        return b"".join([*head, b',"messages":[', said, b"],", tail[1:]])

    def reader(self, *, stream: bool) -> PieceReader:
        """A reader for one reply. It sees for itself whether the server streams, whatever was asked for."""
        del stream
        return PieceReader(AnthropicPieces())

    def _fields(self, options: Options, *, stream: bool) -> dict[str, Any]:
        settings = options.settings
        limits = [limit for limit in (options.max_tokens, settings.max_tokens) if limit is not None]
        fields = {
            "max_tokens": min(limits, default=self._max_tokens),
            "tool_choice": {"type": "none"} if options.tools and options.tool_choice == "none" else None,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "stop_sequences": list(dict.fromkeys((*settings.stop, *options.stop))) or None,
            "stream": stream or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


class _Own(Struct):
    role: str
    content: list[Raw]


def read_message(message_or_body: dict[str, Any] | bytes) -> Reply:
    """The reply in a response body, or in an assistant message alone. Never raises."""
    reader = PieceReader(AnthropicPieces())
    reader.feed(message_or_body if isinstance(message_or_body, bytes) else encoded(message_or_body))
    return reader.close()


def read_chunks(payloads: Sequence[str]) -> Reply:
    """The reply in the `data:` payloads of a stream, in order. Never raises."""
    reader = PieceReader(AnthropicPieces())
    reader.feed(event_stream(payloads))
    return reader.close()


def _text(text: str) -> bytes:
    return encoded({"type": "text", "text": text}) if text.strip() else b""


def _parts(message: Message) -> bytes:
    """The text and the images of a message."""
    parts = [_text(message.text)]
    for image in message.images:
        source = {"type": "base64", "media_type": image.media_type, "data": in_base64(image)}
        parts += [_text(image.label), encoded({"type": "image", "source": source})]
    return b",".join(filter(None, parts))


def _result(call: Call, text: str) -> bytes:
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.provider_id, "content": text}
    return encoded({**result, "is_error": True} if text.startswith(_FAILED) else result)


def _written(text: str, calls: Sequence[Call]) -> bytes:
    """What the assistant said, put together from its text and its calls."""
    blocks = [block for block in (_text(text), *map(_call, calls)) if block]
    return own([Raw(block) for block in blocks]) if blocks else b""


def _call(call: Call) -> bytes:
    block = {"type": CALL, "id": call.provider_id, "name": call.tool or UNNAMED, "input": _input(call)}
    return encoded(block)


def _input(call: Call) -> Raw:
    """The arguments of a call as an object: as the model wrote them where they are one, else as they were read."""
    return Raw(sendable_arguments(call).encode())


def _own(turn: Turn) -> bytes:
    """The provider's own message, as it came; only what it would refuse is replaced or left out.

    Empty where the turn has none, or one of another provider.
    """
    try:
        sent = msgspec.json.decode(turn.opaque, type=_Own).content
    except msgspec.DecodeError:
        return b""
    blocks = [as_object(decoded(bytes(raw))) for raw in sent]
    matched = sum(block.get("type") == CALL for block in blocks) == len(turn.calls)
    calls = iter(turn.calls)
    kept: list[Raw] = []
    for raw, block in zip(sent, blocks, strict=True):
        if block.get("type") == CALL:
            kept += [_matched(raw, block, next(calls))] if matched else []
        elif not _refused(block, blocks, cut=turn.finish == "length"):
            kept.append(raw)
    kept += [Raw(_call(call)) for call in calls]
    unchanged = len(kept) == len(sent) and all(after is before for after, before in zip(kept, sent, strict=True))
    return turn.opaque if unchanged else own(kept) if kept else b""


def _matched(raw: Raw, block: dict[str, Any], call: Call) -> Raw:
    """The provider's block of a call, with another id, name or input where its own would be refused."""
    name, given = as_text(block.get("name")), block.get("input")
    if block.get("id") == call.provider_id and name and isinstance(given, dict):
        return raw
    arguments = as_object(given) or _input(call)
    return Raw(encoded({**block, "id": call.provider_id, "name": name or UNNAMED, "input": arguments}))


def _refused(block: dict[str, Any], blocks: list[dict[str, Any]], *, cut: bool) -> bool:
    """Whether the API refuses a block in the history: blank text, and what the token limit cut off before its end."""
    kind = as_text(block.get("type"))
    if kind == "text":
        return not as_text(block.get("text")).strip()
    if not cut:
        return False
    unsigned = kind == "thinking" and not block.get("signature")
    unanswered = kind.endswith(CALL) and all(other.get("tool_use_id") != block.get("id") for other in blocks)
    return unsigned or unanswered
