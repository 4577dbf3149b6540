"""Images as they are sent: each behind a line that says which artifact it is.

Owns which kinds of images providers take, and how one stands in JSON text. In which field it stands belongs to the
dialects; whether a model is shown it was decided when its call ended.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from loopwright.core.messages import Result
from loopwright.protocols.speech import Image, Message

KINDS = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
"""Media types that OpenAI, Anthropic, Gemini and Cohere all take."""
LARGEST = 3_750_000
"""Bytes of an image that all of them take: 5 MB in base64."""


def in_base64(image: Image) -> str:
    """The bytes as text."""
    return b64encode(image.data).decode()


def address_of(image: Image) -> str:
    """The image as an address that holds it (RFC 2397)."""
    return f"data:{image.media_type};base64,{in_base64(image)}"


def images_in(result: Result, contents: Mapping[str, bytes]) -> tuple[Image, ...]:
    """The images of a result that the model is shown, as far as their bytes are there."""
    return tuple(
        Image(content.reference, content.media_type, contents[content.digest])
        for content in result.artifacts
        if content.shown and content.digest in contents
    )


def illustrated(messages: Sequence[Message], images: Sequence[Image]) -> list[Message]:
    """The answers to the calls of a turn, and the images behind them.

    They are said by the user: no format but two lets a tool say them, and all let the user.
    """
    if not images:
        return list(messages)
    *before, last = messages
    if last.role == "user":
        return [*before, replace(last, images=tuple(images))]
    return [*messages, Message("user", "", images=tuple(images))]
