"""From what an MCP server answers to the one shape of a result.

Owns the mapping of content blocks, structured content and errors. Text is passed on as it is: that it was written by
others is said by the tool's `trusted_output`. Nothing here talks to a server.
"""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from typing import Any, cast

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from msgspec import Raw
from msgspec.structs import replace

from loopwright.core.messages import Result
from loopwright.toolbox.foreign import plain
from loopwright.tools.artifact import Artifact
from loopwright.tools.result import error, ok, result_of

MASK = "[key]"
_MEDIA_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,60}", re.ASCII)


def result_from(answer: CallToolResult) -> Result:
    """What a server answered, as a result.

    Structured content is the data; text beside it that says the same is left out. Else a single text is the data, or
    the object or list that it writes as JSON; several blocks are a list. Images, sound and other bytes are artifacts,
    and a link stays one: nothing is fetched.
    """
    if answer.is_error:
        return error(_error_text(answer.content))
    blocks = list(answer.content)
    if answer.structured_content is not None:
        return result_of(_structured(answer.structured_content, blocks))
    parts = [_part(block) for block in blocks]
    if not parts:
        return ok(None, note="the tool gave nothing back")
    return result_of(_value(parts[0]) if len(parts) == 1 else parts)


def without(result: Result, secrets: Sequence[str]) -> Result:
    """The result with a mark in place of every secret, which a server may repeat that was given it."""
    data, failed, note = bytes(result.data).decode(), result.error, result.note
    for secret in secrets:
        data = data.replace(json.dumps(secret, ensure_ascii=False)[1:-1], MASK)
        failed, note = failed.replace(secret, MASK), note.replace(secret, MASK)
    return replace(result, data=Raw(data.encode()), error=failed, note=note)


def _error_text(blocks: Sequence[ContentBlock]) -> str:
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    return "\n".join(texts).strip() or "the tool failed and did not say why"


def _structured(value: Any, blocks: Sequence[ContentBlock]) -> Any:
    """The structured content, and beside it whatever of the blocks does not say the same."""
    rest = [block for block in blocks if not (isinstance(block, TextContent) and _says(block.text, value))]
    if _says("\n".join(block.text for block in rest if isinstance(block, TextContent)), value):
        rest = [block for block in rest if not isinstance(block, TextContent)]
    if not rest:
        return value
    return {"structured": value, "content": [_part(block) for block in rest]}


def _says(text: str, value: Any) -> bool:
    """Whether a text is a value, written as JSON or plainly, or its only member, or a row of that."""
    meant: list[Any] = [value]
    if isinstance(value, dict) and len(fields := cast("dict[str, Any]", value)) == 1:
        meant += fields.values()  # ``{"result": …}``, ``{"content": …}``: text has nowhere to write the name
    if isinstance(meant[-1], list):
        meant += cast("list[Any]", meant[-1])
    written = _decoded(text)
    return any(one is not None and (text == one or written == one) for one in meant)


def _value(part: Any) -> Any:
    """A text that writes an object or a list as it is; anything else unchanged."""
    found = _decoded(part) if isinstance(part, str) else None
    return cast("Any", found) if isinstance(found, dict | list) else part


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _part(block: ContentBlock) -> Any:
    match block:
        case TextContent():
            return block.text
        case ImageContent():
            return _bytes(block.data, block.mime_type, "image")
        case AudioContent():
            return _bytes(block.data, block.mime_type, "sound")
        case ResourceLink():
            known = {"uri": str(block.uri), "name": block.name, "media_type": block.mime_type, "size": block.size}
            return {"link": {name: value for name, value in known.items() if value is not None}}
        case EmbeddedResource():
            return _resource(block)


def _resource(block: EmbeddedResource) -> Any:
    resource = block.resource
    if isinstance(resource, BlobResourceContents):
        return _bytes(resource.blob, resource.mime_type or "", str(resource.uri))
    return {"uri": str(resource.uri), "text": resource.text}


def _bytes(text: str, media_type: str, name: str) -> Any:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return f"({plain(name, 200)} whose bytes cannot be read)"
    kind = media_type if _MEDIA_TYPE.fullmatch(media_type) else ""
    return Artifact(data, media_type=kind, name=plain(name, 200), show=kind.startswith("image/"))
