"""Reads one saved reply and tells what it would do, as plain data: the heart of ``loopwright read``.

In: an object with ``id``, ``protocol``, ``tools`` (name to parameter to type) and one of ``reply``, ``message`` or
``chunks``. Out: an object with ``id``, ``kind``, ``thought``, ``answer``, ``problem`` and ``calls``; for streams also
``content``, ``reasoning``, ``error`` and ``usage``. Owns this form only; the protocols understand the replies.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from msgspec import Struct

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, ToolSpec, Turn, Usage
from loopwright.protocols import anthropic, cohere, gemini, openai_chat, openai_responses
from loopwright.protocols.labels import labels_of
from loopwright.protocols.native import read
from loopwright.protocols.react_languages import heard, language_in
from loopwright.protocols.react_reply import FINISH, read_text
from loopwright.protocols.schemas import properties
from loopwright.protocols.speech import Reply

OPEN = "input"
"""The parameter of tools whose parameters are not known."""


class Dialect(Struct, frozen=True):
    """How saved replies of a wire format are decoded."""

    message: Callable[[dict[str, Any]], Reply]
    chunks: Callable[[list[str]], Reply]


DIALECTS: dict[str, Dialect] = {
    "openai-chat": Dialect(openai_chat.read_message, openai_chat.read_chunks),
    "openai-responses": Dialect(openai_responses.read_message, openai_responses.read_chunks),
    "anthropic": Dialect(anthropic.read_message, anthropic.read_chunks),
    "gemini": Dialect(gemini.read_message, gemini.read_chunks),
    "cohere-v2": Dialect(cohere.read_message, cohere.read_chunks),
}
ALIASES = {"anthropic-messages": "anthropic", "gemini-generate-content": "gemini", "cohere": "cohere-v2"}
PROTOCOLS = ("react-text", "auto", *DIALECTS)
"""What a question may name as its protocol, beside the aliases."""


class Understood(Struct, frozen=True):
    """What the reply in a question means."""

    turn: Turn
    reply: Reply
    """The reply as the wire format has it; only its text, where there was none."""
    streamed: bool = False


def read_line(question: dict[str, Any]) -> dict[str, Any]:
    """Read the reply in `question` by its protocol.

    Raises:
        UsageError: a protocol that is not known, or no reply in a form that it can read
    """
    tools = tools_of(question.get("tools"))
    return {"id": question.get("id"), **answer(understand(question, tools), tools)}


def understand(question: dict[str, Any], tools: Sequence[ToolSpec]) -> Understood:
    """What the reply in `question` means by its protocol, with these tools instead of its own.

    Raises:
        UsageError: a protocol that is not known, or no reply in a form that it can read
    """
    protocol = question.get("protocol")
    name = ALIASES.get(protocol, protocol) if isinstance(protocol, str) else ""
    if name == "react-text":
        return _from_text(question, tools)
    if name == "auto":
        reply = Reply(text=_text_of(question, name))
        return Understood(read(reply, tools), reply)
    if name in DIALECTS:
        return _from_wire(DIALECTS[name], name, question, tools)
    raise UsageError(f"the protocol {protocol!r} cannot be read; use one of {', '.join(PROTOCOLS)}")


def tools_of(given: object) -> list[ToolSpec]:
    """The tools of a question; one without parameters is taken to have a single one, of any type."""
    if not isinstance(given, dict):
        return []
    named = cast("dict[str, object]", given)
    return [ToolSpec(name, parameters=_schema(parameters)) for name, parameters in named.items()]


def language_of(question: dict[str, Any]) -> str:
    """The language of the labels of a text: as the question says, or else that of the text."""
    language = question.get("language")
    return language if isinstance(language, str) else language_in(_text_of(question, "react-text"))


def _from_text(question: dict[str, Any], tools: Sequence[ToolSpec]) -> Understood:
    text, finish, primed = _text_of(question, "react-text"), question.get("finish"), question.get("primed")
    turn = read_text(
        text,
        tools,
        labels=heard(text, labels_of(language_of(question))),
        finish=(finish,) if isinstance(finish, str) else FINISH,
        primed=primed if isinstance(primed, str) else "",
        command=question.get("command") is True,
    )
    return Understood(turn, Reply(text=text))


def _text_of(question: dict[str, Any], protocol: str) -> str:
    reply = question.get("reply")
    if not isinstance(reply, str):
        raise UsageError(f'{protocol} reads the key "reply", a text')
    return reply


def _from_wire(dialect: Dialect, name: str, question: dict[str, Any], tools: Sequence[ToolSpec]) -> Understood:
    message, chunks = question.get("message"), question.get("chunks")
    if isinstance(message, dict):
        reply = dialect.message(cast("dict[str, Any]", message))
        return Understood(read(reply, tools), reply)
    if isinstance(chunks, list):
        reply = dialect.chunks([str(chunk) for chunk in cast("list[object]", chunks)])
        return Understood(read(reply, tools), reply, streamed=True)
    raise UsageError(f'{name} reads the key "message", an object, or "chunks", a list of texts')


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
    parts = {name: {"type": kind} if isinstance(kind, str) else {} for name, kind in known.items()}
    return {"type": "object", "properties": parts or {OPEN: {}}, "required": list(known)}


def answer(found: Understood, tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """What a reply means, as plain data."""
    turn = found.turn
    known = {tool.name for tool in tools if list(properties(tool.parameters).values()) != [{}]}
    return {
        "kind": turn.kind,
        "thought": turn.thought,
        "answer": turn.answer,
        "problem": turn.problem,
        "calls": [_call(call, known=call.tool in known) for call in turn.calls],
        **(_stream(found.reply) if found.streamed else {}),
    }


def _call(call: Call, *, known: bool) -> dict[str, Any]:
    """A call as data; where parameters are not known, without the arguments whose only name was made up here."""
    named = known or list(call.arguments) != [OPEN] or call.text.lstrip().startswith(("{", "<"))
    bare = call.state == "rejected" or not named
    return {
        "id": call.provider_id or call.id,
        "tool": call.tool,
        "arguments": None if bare else call.arguments,
        "input": call.text,
        "state": call.state,
        "reason": call.reason,
    }
