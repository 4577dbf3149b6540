"""What was said in a run, as the texts of its spans: messages in the JSON forms of OpenTelemetry's GenAI conventions.

Only for those who ask for it: these texts are what people, models and tools said. Nothing here decides what is a span.
Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-input-messages.json and
gen-ai-output-messages.json
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw
from msgspec.json import encode

from loopwright.core.events import CallEnded, NoteAdded
from loopwright.core.messages import Call, Result, Turn
from loopwright.protocols.envelope import envelope

Message = dict[str, Any]


def as_json(value: object) -> str:
    """The JSON text of it: spans hold no lists of objects."""
    return encode(value).decode()


def instructions(text: str) -> str:
    """What the model was told first, as JSON text."""
    return as_json([{"type": "text", "content": text}])


def said(role: str, text: str) -> Message:
    """A message that is plain text."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def noted(event: NoteAdded) -> Message:
    """What the model was told by the loop, as far as the event has it in words."""
    return said("user", event.detail or event.kind)


def returned(event: CallEnded, call: Call | None) -> Message:
    """The answer to a call."""
    part = {"type": "tool_call_response", "id": name_of(call, event.call_id), "response": Raw(_result(event.result))}
    return {"role": "tool", "parts": [part]}


def result_text(result: Result) -> str:
    """What the tool gave, as JSON text: the data, or what went wrong."""
    return _result(result).decode()


def replied(turn: Turn) -> str:
    """The reply of the model, as JSON text of a list with one message."""
    thought = turn.reasoning or (turn.thought if turn.calls or turn.answer is not None else "")
    parts: list[Message] = [{"type": "reasoning", "content": thought}] if thought else []
    text = turn.answer if turn.answer is not None else turn.text
    parts += [{"type": "text", "content": text}] if text and text != thought else []
    parts += [
        {"type": "tool_call", "id": name_of(call, call.id), "name": call.tool, "arguments": call.arguments}
        for call in turn.calls
    ]
    return as_json([{"role": "assistant", "parts": parts, "finish_reason": turn.finish or "stop"}])


def answered(answer: str) -> str:
    """The answer of the run, as JSON text of a list with one message."""
    return as_json([{**said("assistant", answer), "finish_reason": "stop"}])


def messages(told: Sequence[Message]) -> str:
    """Messages as JSON text."""
    return as_json(list(told))


def name_of(call: Call | None, call_id: str) -> str:
    """What the provider calls a call, or else the run."""
    return call.provider_id or call_id if call is not None else call_id


def _result(result: Result) -> bytes:
    whole = result.status != "ok" or result.note
    return envelope(result).encode() if whole else bytes(result.data)
