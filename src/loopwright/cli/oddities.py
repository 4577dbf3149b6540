"""Files that hold more or less than a reply: bytes in other encodings, noise of curl, cut bodies, other formats.

Owns what such a file seems to be, and what is said where it cannot be read so. What a reply means is not known here.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from loopwright.core.errors import UsageError
from loopwright.protocols.json_values import as_object, as_text, objects

JSON = dict[str, Any]

_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"PK\x03\x04": "zip", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_REPLACED = "\ufffd"
_TEXT = 0.9
"""Of the characters, how many must be readable in a text."""

_METER = re.compile(
    r"[ \t]*\d{1,3}(?:[ \t]+[\d.]+[kMGTP]?){7}(?:[ \t]+(?:--:--:--|\d+:\d\d:\d\d|\d+d \d\dh|-)){3}[ \t]+[\d.]+[kMGTP]?"
)
_METER_HEAD = re.compile(r"[ \t]*% Total +% Received.*|[ \t]+Dload +Upload.*")
_TRACE = re.compile(r"[*<>] .*|[<>][ \t]*|[{}] \[\d+ bytes data\]")
_OF_CURL = re.compile(
    r"^(?:< HTTP/|> (?:POST|GET) |\* (?:Connected to|Host |Trying |[ ]*Trying )|[ \t]*% Total +% Received)",
    re.MULTILINE,
)
_BODY = re.compile(
    r'\[\s*\{\s*"role"\s*:|'
    r'\{\s*"(?:id"\s*:\s*"(?:chatcmpl|msg_|resp_|gen-)|(?:candidates|choices|created_at)"|object"\s*:\s*"(?:chat|resp)|'
    r'type"\s*:\s*"message|role"\s*:\s*"assistant|model"\s*:\s*"[^"]*"\s*,\s*"created_at|message"\s*:\s*\{)|"(?:choices|candidates|stop_reason|finish_reason|usageMetadata)"\s*:'
)
_STREAM_LINE = re.compile(r"(?::|event:|id:|retry:|data:\s*(?:\[DONE\])?\s*$)")


def text_of(data: bytes, named: str) -> str:
    """The text in a file, also where it is written in UTF-16 with its mark, as shells of Windows do.

    Raises:
        UsageError: it is no text; the error says what it seems to be
    """
    if data.startswith(_WIDE):
        return data.decode("utf-16", "replace")
    packed = next((name for start, name in _PACKED.items() if data.startswith(start)), "")
    if packed:
        raise UsageError(f"{named} is compressed with {packed}; unpack it first, or let curl do so with --compressed")
    text = data.decode("utf-8", "replace")
    if "\0" in text:
        raise UsageError(f"{named} is no text in UTF-8 but holds zero bytes; save the text of the reply in it")
    if text.count(_REPLACED) > len(text) * (1 - _TEXT):
        raise UsageError(f"{named} is no text in UTF-8; save the text of the reply in it")
    return text


def without_noise(text: str) -> str:
    """The text without what curl wrote about its own work; the text itself where it wrote nothing."""
    if not _OF_CURL.search(text):
        return text
    lines = (_METER.sub("", line) for line in text.replace("\r", "\n").split("\n"))
    kept = "\n".join(line for line in lines if not (_TRACE.fullmatch(line) or _METER_HEAD.fullmatch(line)))
    return f"{kept.strip()}\n\n" if kept.strip() else ""


def refuse_unfinished(text: str) -> None:
    """Nothing, unless the text is part of a provider's reply of which nothing can be read.

    Raises:
        UsageError: what it seems to be, and what to save instead
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise UsageError("there is nothing in it but what curl says about its work; save the body of the response")
    if all(map(_STREAM_LINE.match, lines)) and any(line.startswith((":", "event:", "data:")) for line in lines):
        raise UsageError(
            "this seems to be a captured event stream, but no event of it has any data: nothing of a reply arrived"
        )
    if text.lstrip().startswith(("{", "[")) and _BODY.search(text) and not _is_json(text):
        raise UsageError(
            "this seems to be the body of a response, or messages, but it is not whole: its JSON is cut off, or "
            "something else stands in the file too; save the whole body and nothing else"
        )


def bodies(text: str) -> list[JSON]:
    """The bodies that stand one behind the other in a file; none where there are not at least two, and nothing else."""
    decoder, found, position = json.JSONDecoder(), list[JSON](), 0
    while position < len(text):
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        found.append(as_object(value))
        position += len(text[position:]) - len(text[position:].lstrip())
    return found if len(found) > 1 and all(map(_is_body, found)) else []


def _is_body(value: JSON) -> bool:
    """Whether an object is a whole body, and not a chunk of a stream."""
    chosen = any("message" in choice for choice in objects(value.get("choices")))
    whole = value.get("object") == "response" or (value.get("type") == "message" and "content" in value)
    return chosen or whole or (isinstance(value.get("message"), dict) and "finish_reason" in value)


def refuse_contract(rows: Sequence[object], forms: Sequence[str]) -> None:
    """Nothing, unless these are lines of the reading contract of which one asks nothing.

    Raises:
        UsageError: the line, and what it lacks
    """
    if not any({"protocol", "id"} <= as_object(row).keys() for row in rows):
        return
    for number, row in enumerate(rows, 1):
        lacks = [] if "protocol" in as_object(row) else ['"protocol"']
        lacks += [] if any(form in as_object(row) for form in forms) else [f"any of {', '.join(forms)}"]
        if lacks:
            raise UsageError(
                f"this seems to be a file of the reading contract, but line {number} is no JSON object with "
                f"{' and '.join(lacks)}"
            )


def from_ollama(rows: Sequence[JSON]) -> list[JSON]:
    """Lines or the body of Ollama's own format as chunks of OpenAI's; none where they are not in it.

    Source: https://github.com/ollama/ollama/blob/main/docs/api.md
    """
    if not rows or not all("done" in row and _said_by_ollama(row) is not None for row in rows):
        return []
    made = 0
    chunks: list[JSON] = []
    for row in rows:
        said = as_object(_said_by_ollama(row))
        calls = [_call(item, made + place) for place, item in enumerate(objects(said.get("tool_calls")))]
        made += len(calls)
        delta: JSON = {"content": said.get("content") or "", "reasoning": said.get("thinking") or ""}
        finish = (as_text(row.get("done_reason")) or "stop") if row.get("done") is True else None
        delta |= {"tool_calls": calls} if calls else {}
        usage = {"prompt_tokens": row.get("prompt_eval_count"), "completion_tokens": row.get("eval_count")}
        chunks.append({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        chunks[-1] |= {"usage": usage} if all(isinstance(count, int) for count in usage.values()) else {}
    return chunks


def _said_by_ollama(row: JSON) -> JSON | None:
    """The message of a line; from `/api/generate`, which has none, its text."""
    if isinstance(row.get("message"), dict):
        return cast("JSON", row["message"])
    if isinstance(row.get("response"), str):
        return {"content": row["response"], "thinking": row.get("thinking")}
    return None


def _call(item: JSON, place: int) -> JSON:
    """A call as OpenAI writes it, with its arguments as a text."""
    function = as_object(item.get("function"))
    given = function.get("arguments")
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    named = {"name": as_text(function.get("name")), "arguments": text}
    return {"index": place, "id": as_text(item.get("id")) or f"call_{place}", "type": "function", "function": named}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
