"""Reads one saved reply and tells what it would do, as plain data: the heart of ``loopwright read``.

In: an object with ``id``, ``protocol``, ``tools`` (name to parameter to type) and one of ``reply``, ``message`` or
``chunks``. Out: an object with ``id``, ``kind``, ``thought``, ``answer``, ``problem`` and ``calls``; for streams also
``content``, ``reasoning``, ``error`` and ``usage``. Owns this form only; the protocols understand the replies.
"""

from typing import Any, cast

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, ToolSpec, Turn, Usage
from loopwright.protocols.labels import detect, labels_of
from loopwright.protocols.native import read
from loopwright.protocols.openai_chat import read_chunks, read_message
from loopwright.protocols.react_reply import FINISH, read_text
from loopwright.protocols.speech import Reply

OPEN = "input"
"""The parameter of tools whose parameters are not known."""


def read_line(question: dict[str, Any]) -> dict[str, Any]:
    """Read the reply in `question` by its protocol.

    Raises:
        UsageError: a protocol that is not known, or no reply in a form that it can read
    """
    tools = tools_of(question.get("tools"))
    match question.get("protocol"):
        case "react-text":
            return {"id": question.get("id"), **_answer(_text_turn(question, tools), tools)}
        case "openai-chat":
            return {"id": question.get("id"), **_chat_answer(question, tools)}
        case protocol:
            raise UsageError(f"the protocol {protocol!r} cannot be read; use react-text or openai-chat")


def tools_of(given: object) -> list[ToolSpec]:
    """The tools of a question; one without parameters is taken to have a single one, of any type."""
    if not isinstance(given, dict):
        return []
    named = cast("dict[str, object]", given)
    return [ToolSpec(name, parameters=_schema(parameters)) for name, parameters in named.items()]


def _text_turn(question: dict[str, Any], tools: list[ToolSpec]) -> Turn:
    reply, finish, primed = question.get("reply"), question.get("finish"), question.get("primed")
    language = question.get("language")
    if not isinstance(reply, str):
        raise UsageError('react-text reads the key "reply", a text')
    return read_text(
        reply,
        tools,
        labels=labels_of(language if isinstance(language, str) else detect(reply)),
        finish=(finish,) if isinstance(finish, str) else FINISH,
        primed=primed if isinstance(primed, str) else "",
        command=question.get("command") is True,
    )


def _chat_answer(question: dict[str, Any], tools: list[ToolSpec]) -> dict[str, Any]:
    message, chunks = question.get("message"), question.get("chunks")
    if isinstance(message, dict):
        return _answer(read(read_message(cast("dict[str, Any]", message)), tools), tools)
    if isinstance(chunks, list):
        reply = read_chunks([str(chunk) for chunk in cast("list[object]", chunks)])
        return {**_answer(read(reply, tools), tools), **_stream(reply)}
    raise UsageError('openai-chat reads the key "message", an object, or "chunks", a list of texts')


def _stream(reply: Reply) -> dict[str, Any]:
    """What a streamed reply holds beside what it means."""
    usage = reply.usage or Usage()
    return {
        "content": reply.text,
        "reasoning": reply.reasoning,
        "error": reply.error,
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
    }


def _schema(parameters: object) -> dict[str, Any]:
    known = cast("dict[str, object]", parameters) if isinstance(parameters, dict) else {}
    properties = {name: {"type": kind} if isinstance(kind, str) else {} for name, kind in known.items()}
    return {"type": "object", "properties": properties or {OPEN: {}}, "required": list(known)}


def _answer(turn: Turn, tools: list[ToolSpec]) -> dict[str, Any]:
    known = {tool.name for tool in tools if list(tool.parameters["properties"].values()) != [{}]}
    return {
        "kind": turn.kind,
        "thought": turn.thought,
        "answer": turn.answer,
        "problem": turn.problem,
        "calls": [_call(call, known=call.tool in known) for call in turn.calls],
    }


def _call(call: Call, *, known: bool) -> dict[str, Any]:
    """A call as data; where parameters are not known, the arguments are those that were written as an object."""
    bare = call.state == "rejected" or not (known or not call.text or call.text.lstrip().startswith("{"))
    return {
        "id": call.provider_id or call.id,
        "tool": call.tool,
        "arguments": None if bare else call.arguments,
        "input": call.text,
        "state": call.state,
        "reason": call.reason,
    }
