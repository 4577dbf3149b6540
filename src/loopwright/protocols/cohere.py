"""Cohere's chat format, version 2, on the wire.

Owns the JSON of requests (https://docs.cohere.com/reference/chat). How the events of a reply fit together is in
`cohere_reply`.
"""

from collections.abc import Sequence
from typing import Any

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.call_arguments import sendable_arguments
from loopwright.protocols.cohere_reply import CoherePieces
from loopwright.protocols.json_values import as_object, decoded, encoded, is_object, objects
from loopwright.protocols.openai_chat import content_parts, function_list
from loopwright.protocols.reply_bytes import PieceReader, event_stream
from loopwright.protocols.speech import Message, Options, Reply


class CohereChat:
    """The dialect."""

    name = "cohere-v2"

    def message(self, message: Message) -> bytes:
        """Encode one message. The provider's own one goes back as it came, as long as its calls are valid."""
        if message.role == "tool" and message.call is not None:
            return encoded({"role": "tool", "tool_call_id": message.call.provider_id, "content": message.text})
        turn = message.turn
        if turn is not None and turn.opaque:
            return _own(turn)
        if turn is not None and turn.calls:
            plan = {"tool_plan": message.text} if message.text else {}
            return encoded({"role": "assistant", **plan, "tool_calls": [_call(call) for call in turn.calls]})
        return encoded({"role": message.role, "content": content_parts(message) if message.images else message.text})

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
        tail = encoded({**_fields(options, stream=stream), **extra})
        return b"".join([*head, b',"messages":[', b",".join(messages), b"],", tail[1:]])

    def reader(self, *, stream: bool) -> PieceReader:
        """A reader for one reply. It sees for itself whether the server streams, whatever was asked for."""
        del stream
        return PieceReader(CoherePieces())


def read_message(body: dict[str, Any] | bytes) -> Reply:
    """The reply in a response body. Never raises."""
    reader = PieceReader(CoherePieces())
    reader.feed(body if isinstance(body, bytes) else encoded(body))
    return reader.close()


def read_chunks(payloads: Sequence[str]) -> Reply:
    """The reply in the `data:` payloads of a stream, in order. Never raises."""
    reader = PieceReader(CoherePieces())
    reader.feed(event_stream(payloads))
    return reader.close()


def _fields(options: Options, *, stream: bool) -> dict[str, Any]:
    settings = options.settings
    limits = [limit for limit in (options.max_tokens, settings.max_tokens) if limit is not None]
    fields = {
        "tool_choice": "NONE" if options.tools and options.tool_choice == "none" else None,
        "temperature": settings.temperature,
        "p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": min(limits) if limits else None,
        "stop_sequences": list(dict.fromkeys((*settings.stop, *options.stop))) or None,
        "stream": stream,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _call(call: Call) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": sendable_arguments(call)}
    return {"id": call.provider_id, "type": "function", "function": function}


def _own(turn: Turn) -> bytes:
    """The provider's own message; its calls are written anew where it would refuse an id or the arguments."""
    message = as_object(decoded(turn.opaque))
    wired = objects(message.get("tool_calls"))
    same = len(wired) == len(turn.calls) and all(map(_is_same, wired, turn.calls))
    if same and message.get("role") == "assistant":
        return turn.opaque
    if not same:
        message["tool_calls"] = [_call(call) for call in turn.calls]
    return encoded(
        {key: value for key, value in {**message, "role": "assistant"}.items() if value or key != "tool_calls"}
    )


def _is_same(wire: dict[str, Any], call: Call) -> bool:
    arguments: object = as_object(wire.get("function")).get("arguments")
    return wire.get("id") == call.provider_id and isinstance(arguments, str) and is_object(arguments)
