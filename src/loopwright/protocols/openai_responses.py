"""OpenAI's responses format on the wire, as servers of others speak it too.

Owns the JSON of requests (https://platform.openai.com/docs/api-reference/responses/create). Nothing is kept on the
server (`store` is false): the whole run is in each request, and what a reasoning model thought goes back encrypted, as
it came. How the events of a reply fit together is in `responses_reply`.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.call_arguments import sendable_arguments
from loopwright.protocols.images import address_of
from loopwright.protocols.json_values import as_object, decoded, encoded, is_object
from loopwright.protocols.reply_bytes import PieceReader, event_stream
from loopwright.protocols.responses_reply import ResponsePieces
from loopwright.protocols.speech import Message, Options, Reply

_OURS = ("input", "previous_response_id", "conversation")
"""Fields that would bring a second transcript into a request."""
_ENCRYPTED = "reasoning.encrypted_content"


class OpenAIResponses:
    """The dialect. `reasons` says that the model thinks first: other models refuse to be asked for their thoughts."""

    name = "openai-responses"

    def __init__(self, *, reasons: bool = False) -> None:
        self._reasons = reasons

    def message(self, message: Message) -> bytes:
        """Encode one message, which may be several items. The provider's own items go back as they came."""
        if message.role == "tool" and message.call is not None:
            call_id = message.call.provider_id
            return encoded({"type": "function_call_output", "call_id": call_id, "output": message.text})
        turn = message.turn
        own = _own(turn) if turn is not None and turn.opaque else []
        if own:
            return b",".join(own)
        if message.images:
            return encoded({"role": message.role, "content": _parts(message)})
        items = [{"role": message.role, "content": message.text}] if message.text else []
        items += [_call(call) for call in turn.calls] if turn is not None else []
        return b",".join([encoded(item) for item in items])

    def tools(self, tools: Sequence[ToolSpec]) -> bytes:
        """Encode the tool list; empty for no tools. Not strict, because that allows only a part of JSON Schema."""
        if not tools:
            return b""
        return encoded(
            [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    "strict": False,
                }
                for tool in tools
            ]
        )

    def body(self, model: str, messages: Sequence[bytes], options: Options, *, stream: bool) -> bytes:
        """Join a request body. What may differ from one request of a run to the next comes behind the items.

        Raises:
            UsageError: the extra fields hold one that only the run can fill, or a setting that this format has not
        """
        extra = {**options.settings.extra, **options.extra}
        for name in _OURS:
            if name in extra:
                raise UsageError(
                    f"the extra fields of a request may not hold {name!r}: the run fills its transcript in"
                )
        head = [b'{"model":', encoded(extra.pop("model", model))]
        tools = encoded(extra.pop("tools")) if "tools" in extra else options.tools
        if tools:
            head += [b',"tools":', tools]
        tail = encoded({**self._fields(options, extra, stream=stream), **extra})
        return b"".join([*head, b',"input":[', b",".join(filter(None, messages)), b"],", tail[1:]])

    def reader(self, *, stream: bool) -> PieceReader:
        """A reader for one reply. It sees for itself whether the server streams, whatever was asked for."""
        del stream
        return PieceReader(ResponsePieces())

    def _fields(self, options: Options, extra: dict[str, Any], *, stream: bool) -> dict[str, Any]:
        settings = options.settings
        for name, value in (("stop", settings.stop), ("seed", settings.seed)):
            if value not in (None, ()):
                raise UsageError(f"the responses format has no field for {name}: leave it out, or use openai:NAME")
        limits = [limit for limit in (options.max_tokens, settings.max_tokens) if limit is not None]
        stored = bool(extra.get("store"))
        fields = {
            "tool_choice": "none" if options.tools and options.tool_choice == "none" else None,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "max_output_tokens": min(limits) if limits else None,
            "grammar": options.grammar or None,
            "store": stored,
            "include": [_ENCRYPTED] if self._reasons and not stored else None,
            "stream": stream or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


def read_message(body: dict[str, Any] | bytes) -> Reply:
    """The reply in a response body. Never raises."""
    reader = PieceReader(ResponsePieces())
    reader.feed(body if isinstance(body, bytes) else encoded(body))
    return reader.close()


def read_chunks(payloads: Sequence[str]) -> Reply:
    """The reply in the `data:` payloads of a stream, in order. Never raises."""
    reader = PieceReader(ResponsePieces())
    reader.feed(event_stream(payloads))
    return reader.close()


def _parts(message: Message) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "input_text", "text": message.text}] if message.text else []
    for image in message.images:
        parts.append({"type": "input_text", "text": image.label})
        parts.append({"type": "input_image", "image_url": address_of(image)})
    return parts


def _call(call: Call) -> dict[str, Any]:
    return {
        "type": "function_call",
        "call_id": call.provider_id,
        "name": call.tool,
        "arguments": sendable_arguments(call),
    }


def _own(turn: Turn) -> list[bytes]:
    """The provider's own items; ids and arguments that it would refuse are replaced. None where they do not fit.

    Reasoning that is neither encrypted nor in words was kept by the server only. As it is not kept there, its item
    would be refused, and with it the ids of the items that it belongs to. None, too, where they are another provider's.
    """
    try:
        given = msgspec.json.decode(turn.opaque, type=list[Raw])
    except msgspec.DecodeError:
        return []
    items = [(bytes(raw), as_object(decoded(bytes(raw)))) for raw in given]
    if sum(item.get("type") == "function_call" for _, item in items) != len(turn.calls):
        return []
    kept = [(raw, item) for raw, item in items if not _is_hollow(item)]
    calls = iter(turn.calls)
    sent: list[bytes] = []
    for raw, item in kept:
        changed = {key: value for key, value in item.items() if key != "id" or len(kept) == len(items)}
        if item.get("type") == "function_call":
            changed |= _changes(item, next(calls))
        sent.append(raw if changed == item else encoded(changed))
    return sent


def _changes(item: dict[str, Any], call: Call) -> dict[str, Any]:
    """The fields of a call that cannot go back as they came."""
    changes: dict[str, Any] = {} if item.get("call_id") == call.provider_id else {"call_id": call.provider_id}
    arguments: object = item.get("arguments")
    valid = isinstance(arguments, str) and is_object(arguments)
    return changes if valid else {**changes, "arguments": sendable_arguments(call)}


def _is_hollow(item: dict[str, Any]) -> bool:
    return item.get("type") == "reasoning" and not (item.get("encrypted_content") or item.get("content"))
