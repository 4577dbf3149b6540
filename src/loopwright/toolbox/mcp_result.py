"""From what an MCP server answers to the one shape of a result.

Owns the mapping of content blocks, structured content and errors. Text is passed on as it is: that it was written by
others is said by the tool's `trusted_output`. Nothing here talks to a server.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
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

from loopwright.core.messages import Result
from loopwright.toolbox.foreign import plain
from loopwright.tools.result import error, ok, result_of

Keep = Callable[[bytes, str, str], Any]
"""Makes something to return of bytes, their media type, and what they are called."""


def result_from(answer: CallToolResult, keep: Keep) -> Result:
    """What a server answered, as a result.

    Structured content is the data; text beside it that says the same is left out. Else a single text is the data, or
    the object or list that it writes as JSON; several blocks are a list. Images, sound and other bytes are kept by
    `keep`, and a link stays one: nothing is fetched.

    Args:
        answer: of the server
        keep: for bytes
    """
    if answer.is_error:
        return error(_error_text(answer.content))
    blocks = list(answer.content)
    if answer.structured_content is not None:
        return result_of(_structured(answer.structured_content, blocks, keep))
    parts = [_part(block, keep) for block in blocks]
    if not parts:
        return ok(None, note="the tool gave nothing back")
    return result_of(_value(parts[0]) if len(parts) == 1 else parts)


def _error_text(blocks: Sequence[ContentBlock]) -> str:
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    return "\n".join(texts).strip() or "the tool failed and did not say why"


def _structured(value: Any, blocks: Sequence[ContentBlock], keep: Keep) -> Any:
    """The structured content, and beside it whatever of the blocks does not say the same."""
    rest = [block for block in blocks if not (isinstance(block, TextContent) and _says(block.text, value))]
    if _says("\n".join(block.text for block in rest if isinstance(block, TextContent)), value):
        rest = [block for block in rest if not isinstance(block, TextContent)]
    if not rest:
        return value
    return {"structured": value, "content": [_part(block, keep) for block in rest]}


def _says(text: str, value: Any) -> bool:
    """Whether a text is a value, written as JSON or plainly, or a part of it where it is a list in an object."""
    meant: list[Any] = [value]
    if isinstance(value, dict) and len(fields := cast("dict[str, Any]", value)) == 1:
        meant.append(fields.get("result"))
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


def _part(block: ContentBlock, keep: Keep) -> Any:
    match block:
        case TextContent():
            return block.text
        case ImageContent():
            return _bytes(block.data, block.mime_type, "image", keep)
        case AudioContent():
            return _bytes(block.data, block.mime_type, "sound", keep)
        case ResourceLink():
            known = {"uri": str(block.uri), "name": block.name, "media_type": block.mime_type, "size": block.size}
            return {"link": {name: value for name, value in known.items() if value is not None}}
        case EmbeddedResource():
            return _resource(block, keep)


def _resource(block: EmbeddedResource, keep: Keep) -> Any:
    resource = block.resource
    if isinstance(resource, BlobResourceContents):
        return _bytes(resource.blob, resource.mime_type or "", str(resource.uri), keep)
    return {"uri": str(resource.uri), "text": resource.text}


def _bytes(text: str, media_type: str, name: str, keep: Keep) -> Any:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return f"({plain(name, 200)} whose bytes cannot be read)"
    return keep(data, plain(media_type, 100) or "application/octet-stream", plain(name, 200))


def referred(data: bytes, media_type: str, name: str) -> Any:
    """Bytes as what is known of them."""
    return {"name": name, "media_type": media_type, "bytes": len(data)}
