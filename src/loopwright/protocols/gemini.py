"""Gemini's generateContent on the wire.

Owns the JSON of requests (https://ai.google.dev/api/generate-content) and the borders of replies, whole or streamed.
The model's name is no part of a body: it stands in the address. How the pieces of a reply fit together is in
`gemini_reply`; what a model is told, and what its reply means for the run, is decided by the speeches.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.call_arguments import sendable_arguments
from loopwright.protocols.gemini_reply import CALL, GeminiPieces, own
from loopwright.protocols.images import in_base64
from loopwright.protocols.json_values import as_object, as_text, decoded, encoded, is_object
from loopwright.protocols.reply_bytes import PieceReader, event_stream
from loopwright.protocols.row import Row
from loopwright.protocols.speech import Message, Options, Reply

UNNAMED = "unnamed"
"""Stands for the name of a call that has none, which the API would refuse."""

_ROW = Row("parts", apart=b'{"functionResponse":')
"""Results have to stand alone behind their calls."""
_RUN = frozenset(("contents", "systemInstruction"))
"""Fields of a request that only the run fills."""
_MADE = re.compile(r"[cd]\d{8,}")
"""Ids that the speech makes for calls without one. They are not sent: here results belong to calls by their order."""


class Gemini:
    """The dialect.

    Each message is encoded as a content of its own, the system's too; a request takes the system's out of their row and
    puts the results that follow each other into one content, and the texts into another.
    """

    name = "gemini"

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
        declared = [
            {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
            for tool in tools
        ]
        return encoded([{"functionDeclarations": declared}])

    def body(self, model: str, messages: Sequence[bytes], options: Options, *, stream: bool) -> bytes:
        """Join a request body. What may differ from one request of a run to the next comes behind the contents.

        Raises:
            UsageError: the extra fields hold one that only the run can fill
        """
        del model, stream  # both stand in the address
        extra = {**options.settings.extra, **options.extra}
        if taken := sorted(_RUN & extra.keys()):
            raise UsageError(f"the extra fields of a request may not hold {taken[0]!r}: the run fills them")
        opening, said = _ROW.joined(messages)
        tools = encoded(extra.pop("tools")) if "tools" in extra else options.tools
        head = [b'{"systemInstruction":{"parts":[', opening, b"]},"] if opening else [b"{"]
        head += [b'"tools":', tools, b","] if tools else []
        generation = {**_generation(options), **as_object(extra.pop("generationConfig", None))}
        refused = {"functionCallingConfig": {"mode": "NONE"}}
        fields = {
            "toolConfig": refused if options.tools and options.tool_choice == "none" else None,
            "generationConfig": generation or None,
            **extra,
        }
        tail = encoded({name: value for name, value in fields.items() if value is not None})
        return b"".join([*head, b'"contents":[', said, b"]", b"," if len(tail) > 2 else b"", tail[1:]])

    def reader(self, *, stream: bool) -> PieceReader:
        """A reader for one reply. It sees for itself whether the server streams, whatever was asked for."""
        del stream
        return PieceReader(GeminiPieces())


class _Own(Struct):
    role: str
    parts: list[Raw]


def read_message(message_or_body: dict[str, Any] | bytes) -> Reply:
    """The reply in a response body, or in the model's content alone. Never raises."""
    reader = PieceReader(GeminiPieces())
    reader.feed(message_or_body if isinstance(message_or_body, bytes) else encoded(message_or_body))
    return reader.close()


def read_chunks(payloads: Sequence[str]) -> Reply:
    """The reply in the `data:` payloads of a stream, in order. Never raises."""
    reader = PieceReader(GeminiPieces())
    reader.feed(event_stream(payloads))
    return reader.close()


def _generation(options: Options) -> dict[str, Any]:
    settings = options.settings
    limits = [limit for limit in (options.max_tokens, settings.max_tokens) if limit is not None]
    fields = {
        "temperature": settings.temperature,
        "topP": settings.top_p,
        "seed": settings.seed,
        "maxOutputTokens": min(limits) if limits else None,
        "stopSequences": list(dict.fromkeys((*settings.stop, *options.stop))) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _text(text: str) -> bytes:
    return encoded({"text": text}) if text.strip() else b""


def _parts(message: Message) -> bytes:
    """The text and the images of a message."""
    parts = [_text(message.text)]
    for image in message.images:
        inline = {"mimeType": image.media_type, "data": in_base64(image)}
        parts += [_text(image.label), encoded({"inlineData": inline})]
    return b",".join(filter(None, parts))


def _result(call: Call, text: str) -> bytes:
    """A result, which has to be an object; one that is not is put into the field that the API names for it."""
    response = Raw(text.encode()) if is_object(text) else {"output": text}
    return encoded({"functionResponse": {**_named(call), "response": response}})


def _named(call: Call) -> dict[str, Any]:
    """What says which call is meant: the provider's own id, where it gave one, and the name."""
    given = call.provider_id and not _MADE.fullmatch(call.provider_id)
    return {**({"id": call.provider_id} if given else {}), "name": call.tool or UNNAMED}


def _written(text: str, calls: Sequence[Call]) -> bytes:
    """What the model said, put together from its text and its calls."""
    parts = [part for part in (_text(text), *map(_call, calls)) if part]
    return own([Raw(part) for part in parts]) if parts else b""


def _call(call: Call) -> bytes:
    return encoded({CALL: {**_named(call), "args": _arguments(call)}})


def _arguments(call: Call) -> Raw:
    """The arguments of a call as an object: as the model wrote them where they are one, else as they were read."""
    return Raw(sendable_arguments(call).encode())


def _own(turn: Turn) -> bytes:
    """The provider's own content, as it came; only what it would refuse is replaced or left out.

    Empty where the turn has none, or one of another provider.
    """
    try:
        sent = msgspec.json.decode(turn.opaque, type=_Own).parts
    except msgspec.DecodeError:
        return b""
    parts = [as_object(decoded(bytes(raw))) for raw in sent]
    matched = sum(CALL in part for part in parts) == len(turn.calls)
    calls = iter(turn.calls)
    kept: list[Raw] = []
    for raw, part in zip(sent, parts, strict=True):
        if CALL in part:
            kept += [_matched(raw, part, next(calls))] if matched else []
        elif part != {"text": ""}:
            kept.append(raw)
    kept += [Raw(_call(call)) for call in calls]
    unchanged = len(kept) == len(sent) and all(after is before for after, before in zip(kept, sent, strict=True))
    return turn.opaque if unchanged else own(kept) if kept else b""


def _matched(raw: Raw, part: dict[str, Any], call: Call) -> Raw:
    """The provider's part of a call, with another id, name or arguments where its own would be refused."""
    sent = as_object(part[CALL])
    named, given = _named(call), sent.get("args", {})
    if sent.get("id") == named.get("id") and as_text(sent.get("name")) and isinstance(given, dict):
        return raw
    rest = {key: value for key, value in sent.items() if key not in ("id", "name", "args")}
    arguments = as_object(given) or _arguments(call)
    return Raw(encoded({**part, CALL: {**named, **rest, "args": arguments}}))
