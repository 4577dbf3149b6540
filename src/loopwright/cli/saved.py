"""What a saved reply is: a body, a message, a captured stream, chunks, lines of the reading contract, or plain text.

Owns the recognition of files only, those that list tools included. It looks at field names and line beginnings; what a
reply means is not known here.
"""

from collections.abc import Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from loopwright.cli.oddities import bodies, from_ollama, refuse_contract, refuse_unfinished, without_noise
from loopwright.core.errors import UsageError
from loopwright.core.messages import ToolSpec
from loopwright.protocols.json_values import as_list, as_object, as_text, objects
from loopwright.protocols.labels import labels_of
from loopwright.protocols.react_languages import language_in
from loopwright.protocols.react_lines import scan
from loopwright.protocols.reading import ALIASES, DIALECTS, PROTOCOLS, tools_of
from loopwright.protocols.sse import EventSplitter

JSON = dict[str, Any]

_FIELDS = ("data:", "event:", "id:", "retry:", ":")
"""What the lines of an event stream begin with."""
_FORMS = ("reply", "message", "chunks")
"""Keys of the reading contract that hold a reply."""
_ANTHROPIC = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    )
)
_ANTHROPIC_BLOCKS = frozenset(("tool_use", "thinking", "redacted_thinking"))
_COHERE = ("message-", "content-", "tool-call-", "tool-plan-", "citation-")


class Saved(Struct, frozen=True):
    """A reply that was found in a file."""

    what: str
    """What it was taken for, in words."""
    question: JSON
    """The reply, in the form that `protocols.reading` takes."""


def recognised(text: str, *, protocol: str = "", hints: JSON | None = None) -> list[Saved]:
    """The replies in a file: one, or as many as it has lines of the reading contract.

    Args:
        text: the file
        protocol: what it is in, where that is not to be guessed
        hints: further keys of the question for replies in text: finish, language, command

    Raises:
        UsageError: a protocol that is not known, a file that is none of its, or one that seems to be part of a reply
            and cannot be read so
    """
    wanted = ALIASES.get(protocol, protocol)
    if wanted and wanted not in PROTOCOLS:
        raise UsageError(f"the protocol {protocol!r} cannot be read; use one of {', '.join(PROTOCOLS)}")
    body = _without_head(text)
    found = _contract(body) or ([] if wanted in PROTOCOLS[:2] else _wire(body, wanted))
    if not found and wanted not in PROTOCOLS[:2]:
        found = _odd(body, wanted)
    if found:
        return [Saved(saved.what, {**saved.question, **(hints or {})}) for saved in found]
    if wanted in DIALECTS:
        raise UsageError(
            f"this is neither a body, a message nor a stream of {wanted}; leave --protocol out to let it guess"
        )
    return [_plain(text, wanted, hints or {})]


def _without_head(text: str) -> str:
    """The text without the head of an HTTP response, which ``curl -i`` saves before the body."""
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    return text.partition("\n\n")[2] if text.startswith("HTTP/") else text


def _odd(text: str, wanted: str) -> list[Saved]:
    """The reply in a capture of curl that says more than the reply; none where there is none.

    Raises:
        UsageError: the file seems to be part of a provider's reply, of which nothing can be read
    """
    quiet = without_noise(text)
    found = _wire(_without_head(quiet), wanted) if quiet not in (text, "") else []
    if not found:
        refuse_unfinished(quiet)
    return [Saved(f"{saved.what}, without what curl says beside it", saved.question) for saved in found]


def _contract(text: str) -> list[Saved]:
    """The questions of a file in the reading contract's form; none if there is anything else in it."""
    values = [_decoded(line) for line in text.split("\n") if line.strip()]
    whole = _decoded(text)
    rows = objects(as_list(whole) or values)
    if not rows or not all("protocol" in row and any(form in row for form in _FORMS) for row in rows):
        refuse_contract(as_list(whole) or values, _FORMS)
        return []
    return [Saved(f"line {row.get('id', number)} of the reading contract", row) for number, row in enumerate(rows, 1)]


def _wire(text: str, wanted: str) -> list[Saved]:
    """The reply of a provider in a file; none if it holds none.

    Raises:
        UsageError: a stream whose events are in no format that is known
    """
    payloads = _payloads(text)
    if payloads:
        rows = [as_object(_decoded(payload)) for payload in payloads]
        if any(payload.startswith("{") for payload in payloads) and not any(rows):
            wanted = wanted or "openai-chat"  # cut within its first chunk
        found = _stream(rows, payloads, wanted, "a captured event stream")
        if not found and any(rows):
            raise UsageError("this seems to be a captured event stream, but its events are in no format that is known")
        return found
    value = _decoded(text)
    several = bodies(text)
    if several:
        found = [saved for body in several for saved in _body(body, wanted)]
        return [
            Saved(f"{saved.what}, number {number} in this file", saved.question)
            for number, saved in enumerate(found, 1)
        ]
    if isinstance(value, dict):
        return _ollama([cast("JSON", value)], "the body of a response", wanted) or _body(cast("JSON", value), wanted)
    if isinstance(value, list):
        items = objects(cast("object", value))
        said = [item for item in items if item.get("role") == "assistant"]
        if said and all("role" in item for item in items):
            return _body(said[-1], wanted, "the last message of the assistant in a conversation")
        return _stream(items, [_encoded(item) for item in items], wanted, "a list of the chunks of a stream")
    lines = [line for line in text.split("\n") if line.strip() not in ("", "[DONE]")]
    rows = [as_object(_decoded(line)) for line in lines]
    return (
        _ollama(rows, "the lines of a stream", wanted)
        or _stream(rows, lines, wanted, "the chunks of a stream, one a line")
        if rows and all(rows)
        else []
    )


def _ollama(rows: Sequence[JSON], what: str, wanted: str) -> list[Saved]:
    """The reply in Ollama's own format, which is read as what OpenAI's has for the same; none if it is in another."""
    chunks = [] if wanted not in ("", "openai-chat") else from_ollama(rows)
    question = {"protocol": "openai-chat", "chunks": [_encoded(chunk) for chunk in chunks]}
    return [Saved(f"{what}, in Ollama's own format", question)] if chunks else []


def _payloads(text: str) -> list[str]:
    """The data of the events in a captured stream; none if it is no such stream."""
    if not text.lstrip().startswith(_FIELDS):
        return []
    splitter = EventSplitter()
    events = [*splitter.feed(text.encode("utf-8", "replace")), *splitter.close()]
    return [event.data.decode("utf-8", "replace") for event in events]


def _stream(rows: Sequence[JSON], payloads: list[str], wanted: str, what: str) -> list[Saved]:
    dialect = wanted or next((found for row in rows if (found := dialect_of(row))), "")
    return [Saved(f"{what}, in the format {dialect}", {"protocol": dialect, "chunks": payloads})] if dialect else []


def _body(value: JSON, wanted: str, what: str = "") -> list[Saved]:
    dialect = wanted or dialect_of(value)
    if not dialect:
        return []
    what = what or (
        "an assistant message" if "role" in value and not value.keys() & {"id", "type"} else "the body of a response"
    )
    return [Saved(f"{what}, in the format {dialect}", {"protocol": dialect, "message": value})]


def dialect_of(value: JSON) -> str:
    """The wire format that an object is a body, a message or a chunk of; empty if it is of none."""
    kind = as_text(value.get("type"))
    if kind.startswith("response.") or value.get("object") == "response":
        return "openai-responses"
    if "candidates" in value or "usageMetadata" in value or isinstance(value.get("parts"), list):
        return "gemini"
    blocks = {block.get("type") for block in objects(value.get("content"))}
    if kind in _ANTHROPIC or "stop_reason" in value or blocks & _ANTHROPIC_BLOCKS:
        return "anthropic"
    if kind.startswith(_COHERE) or (isinstance(value.get("message"), dict) and "finish_reason" in value):
        return "cohere-v2"
    chat = "choices" in value or "tool_calls" in value or "function_call" in value or "error" in value
    return "openai-chat" if chat or {"role", "content"} <= value.keys() else ""


def _plain(text: str, wanted: str, hints: JSON) -> Saved:
    """The text of a reply: in the text protocol if it has labels of it, or is said to be."""
    labels = labels_of(hints.get("language") or language_in(text))
    labelled = any(piece.kind != "text" for piece in scan(text, labels))
    protocol = wanted or ("react-text" if labelled or hints.keys() & {"finish", "command"} else "auto")
    about = "with labels of the text protocol" if labelled else "without any label of the text protocol"
    return Saved(f"the text of a reply, {about}", {"protocol": protocol, "reply": text, **hints})


def _decoded(text: str) -> object:
    """The value of a JSON text; None where it is none."""
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None


def _encoded(value: JSON) -> str:
    return msgspec.json.encode(value).decode()


def tools_in(text: str) -> list[ToolSpec]:
    """The tools in a JSON text: types of parameters by name, a list as providers take it, or a request with one."""
    value = _decoded(text)
    named = as_object(value)
    if named and not isinstance(named.get("tools"), list):
        return tools_of(named)
    listed = as_list(named.get("tools") if named else value)
    items = [tool for item in objects(listed) for tool in objects(item.get("functionDeclarations")) or [item]]
    return [tool for item in items if (tool := _tool(as_object(item.get("function")) or item)).name]


def _tool(declared: JSON) -> ToolSpec:
    keys = ("parameters", "input_schema", "parametersJsonSchema")
    schema = as_object(next((declared[key] for key in keys if key in declared), None))
    return ToolSpec(as_text(declared.get("name")), parameters={"type": "object", "properties": {}, **schema})
