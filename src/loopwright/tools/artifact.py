"""Artifacts: what a tool gives that is no text, such as an image, a plot or a file.

Owns the declaration, how its bytes are had, and which media type they are of. Where they are kept, and whether a model
sees more of them than a reference, is the engine's part. Nothing here opens a file: a path reads itself.
"""

import re
import sys
from hashlib import sha256
from io import BytesIO
from typing import Any, cast

from msgspec import Struct

from loopwright.core.messages import Content

UNKNOWN_TYPE = "application/octet-stream"

_MEDIA_TYPE = re.compile(
    r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*(?:; ?[\w-]+=[\w.\"-]+)*", re.IGNORECASE
)
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"OggS\x00", "audio/ogg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)
_TEXTS = {
    "text": {".txt": "plain", ".csv": "csv", ".md": "markdown", ".html": "html"},
    "application": {".json": "json", ".xml": "xml", ".yaml": "yaml", ".toml": "toml"},
    "image": {".svg": "svg+xml"},
}
"""Of texts, which do not tell themselves what they are, by the end of their name."""
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


class Artifact(Struct, frozen=True):
    """Content that the journal keeps, and of which the model is told reference, media type, size and caption.

    Give it anywhere in what a tool returns: alone, in a list, in a dict. Bytes that are no text, and figures, are kept
    as artifacts by themselves, without a caption.

    Example: ``return {"trend": "up", "plot": Artifact(figure, caption="Sales by month", show=True)}``
    """

    data: Any
    """Bytes; a path to a file, which is read when the tool returns; or a figure: of matplotlib, PIL, or anything that
    shows itself as PNG (``_repr_png_``)."""
    media_type: str = ""
    """Such as ``text/csv``; otherwise it is read off the first bytes."""
    caption: str = ""
    """What it shows, for the model and for people."""
    name: str = ""
    """What it is called, such as ``sales.csv``; otherwise the name of its file."""
    show: bool = False
    """Whether a model that takes images is to see it, where it is one."""


def artifact_of(value: object) -> Artifact | None:
    """The artifact that a value is: one by declaration, bytes that are no text, or a figure; None for anything else."""
    if isinstance(value, Artifact):
        return value
    if isinstance(value, dict | list | tuple):
        return None
    if isinstance(value, bytes | bytearray | memoryview):
        return Artifact(value) if is_binary(bytes(cast("bytes", value))) else None
    return Artifact(value) if _draws_itself(value) else None


def kept(artifact: Artifact) -> tuple[Content, bytes]:
    """What the model and the journal know of an artifact, and its bytes.

    Raises:
        TypeError: its data is none of what an artifact can be made of, or its media type is none
        OSError: its file cannot be read
    """
    data = _bytes_of(artifact.data)
    found, name = media_type_of(data), artifact.name or getattr(artifact.data, "name", "")
    name = name if isinstance(name, str) else ""
    media_type = artifact.media_type.strip() or found or _by_name(name, data)
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise TypeError(f"{artifact.media_type!r} is no media type; give one like image/png, or none")
    if media_type.startswith("image/") and found.startswith("image/"):
        media_type = found  # an image that is sent under the name of another kind is refused
    content = Content(
        digest=sha256(data).hexdigest(),
        size=len(data),
        media_type=media_type.lower(),
        name=name,
        caption=artifact.caption,
        shown=artifact.show,
    )
    return content, data


def media_type_of(data: bytes) -> str:
    """The media type that the first bytes tell; empty where they tell none."""
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12], "")
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), "")


def is_binary(data: bytes) -> bool:
    """Whether these bytes are no text that a model could be shown."""
    if media_type_of(data) or b"\0" in data:
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def _by_name(name: str, data: bytes) -> str:
    """The media type of what does not tell it itself."""
    if is_binary(data):
        return UNKNOWN_TYPE
    suffix = f".{name.lower().rpartition('.')[2]}" if "." in name else ""
    return next((f"{family}/{kinds[suffix]}" for family, kinds in _TEXTS.items() if suffix in kinds), "text/plain")


def _bytes_of(data: Any) -> bytes:
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(cast("bytes", data))
    if isinstance(data, str):
        return data.encode("utf-8", "replace")
    if callable(getattr(data, "read_bytes", None)):
        return bytes(data.read_bytes())
    drawn = _drawn(data)
    if drawn is None:
        raise TypeError(
            f"an artifact cannot be made of {type(data).__name__}; give bytes, a text, a path, or a figure that can be "
            "drawn"
        )
    return drawn


def _draws_itself(value: object) -> bool:
    return _is_figure(value) or callable(getattr(type(value), "_repr_png_", None))


def _is_figure(value: object) -> bool:
    """Whether it is a figure of matplotlib, which is not loaded here."""
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)


def _drawn(value: Any) -> bytes | None:
    """A figure as PNG; None where it is none, or cannot draw itself."""
    if _is_figure(value):
        drawing = BytesIO()
        value.savefig(drawing, format="png")
        return drawing.getvalue()
    draw = getattr(value, "_repr_png_", None)
    found: object = draw() if callable(draw) else None
    return found if isinstance(found, bytes) else None
