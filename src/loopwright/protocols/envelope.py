"""Writes a tool's result as the model sees it: one envelope for native calls, one observation for text.

Owns the shape only. What a result holds is decided where the tool runs; labels and roles belong to the speeches.
"""

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from loopwright.core.messages import NOTHING, Result


class _Envelope(Struct, frozen=True, omit_defaults=True):
    status: str
    data: Raw | UnsetType = UNSET
    error: str = ""
    note: str = ""


def envelope(result: Result) -> str:
    """The result as one JSON text: status, data, error and note, in that order, without the empty ones.

    Data is always there where the status is ok. Halves of surrogate pairs are replaced.
    """
    shown = result.status == "ok" or bytes(result.data) != bytes(NOTHING)
    written = _Envelope(
        status=result.status,
        data=result.data if shown else UNSET,
        error=writable(result.error),
        note=writable(result.note),
    )
    return msgspec.json.encode(written).decode("utf-8", "replace")


def observation(result: Result) -> str:
    """The result as text: the data alone where all went well, with the note behind it, else the envelope."""
    if result.status != "ok":
        return envelope(result)
    data = bytes(result.data).decode("utf-8", "replace")
    if data.startswith('"'):
        data = _unquoted(data)
    return f"{data}\n(note: {writable(result.note)})" if result.note else data


def writable(text: str) -> str:
    """The text with what UTF-8 cannot hold, halves of surrogate pairs, replaced; pairs are joined."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _unquoted(text: str) -> str:
    """What a JSON string holds; the JSON text itself where it holds half of a surrogate pair."""
    try:
        return msgspec.json.decode(text, type=str)
    except msgspec.DecodeError:
        return text
