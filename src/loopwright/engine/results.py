"""Finishes what a tool gave: what of it the model is shown, and what the journal keeps beside that.

Owns three decisions: what is cut, which images are shown, and what is stored under which hash. Where a result is cut is
`tools.cut`'s, how an image is sent the dialects'.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from json import dumps

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

from loopwright.core.events import CallEnded, Event
from loopwright.core.limits import IMAGE_TOKENS
from loopwright.core.messages import Content, Result, ToolSpec, Whole
from loopwright.journal.base import NONE, Archive, Journal
from loopwright.protocols.images import KINDS, LARGEST
from loopwright.tools.cut import More, shorten, size
from loopwright.tools.result import Produced


class Finished(Struct, frozen=True):
    """The answer to a call, as the journal takes it."""

    result: Result
    whole: Whole | None = None
    contents: Mapping[str, bytes] = NONE
    """What the result and `whole` refer to, by hash."""


def finished(
    result: Result, call_id: str, tool: ToolSpec, *, room: int, reader: ToolSpec | None, images: bool
) -> Finished:
    """The answer to a call.

    Args:
        result: what the tool gave
        call_id: the call, by which the result can be read on
        tool: how much of one result the model is shown
        room: bytes that the budget can still show
        reader: the tool that reads on; None where none is offered
        images: whether the model takes images
    """
    contents = dict(result.contents) if isinstance(result, Produced) else {}
    if result.artifacts:
        result = _without_unshowable(_plain(result), images=images)
    may_read_on = reader is not None and room > 0
    more = hint(reader.name, call_id) if reader is not None and may_read_on else None
    cut = shorten(result, room=room, max_chars=tool.max_chars, more=more)
    if cut is None:
        return Finished(_within_room(result, result.artifacts, room), None, contents)
    body = encode(result)
    digest = sha256(body).hexdigest()
    whole = Whole(digest, len(body), cut.part, cut.member, readable=may_read_on)
    shown = {content.digest for content in cut.result.artifacts}
    artifacts = [replace(each, shown=each.shown and each.digest in shown) for each in result.artifacts]
    return Finished(_within_room(cut.result, artifacts, room), whole, {**contents, digest: body})


def hint(tool: str, call_id: str) -> More:
    """What to call to read on in the result of a call, written as the text protocol writes calls."""
    return lambda offset: f"{tool} {dumps({'result': call_id, 'offset': offset})}"


async def shown_in(history: Iterable[Event], journal: Journal) -> Mapping[str, bytes]:
    """The images that a model was shown, by their digests.

    Raises:
        JournalError: one of them is not there, or not as it was written
    """
    ended = (event.result.artifacts for event in history if isinstance(event, CallEnded))
    digests = {content.digest for artifacts in ended for content in artifacts if content.shown}
    if not digests or not isinstance(journal, Archive):
        return NONE
    return {digest: await journal.content(digest) for digest in digests}


def _plain(result: Result) -> Result:
    return Result(result.status, result.data, result.error, result.note, result.artifacts)


def _without_unshowable(result: Result, *, images: bool) -> Result:
    """The result with only such images to be shown as this model can be sent; the note says why the others are not."""
    artifacts, reasons = list[Content](), list[str]()
    for content in result.artifacts:
        why = _why_not(content, images=images) if content.shown else ""
        artifacts.append(replace(content, shown=False) if why else content)
        reasons += [f"{content.reference} is not shown, {why}"] if why else []
    note = "; ".join((*([result.note] if result.note else []), *reasons))
    return replace(result, artifacts=tuple(artifacts), note=note)


def _why_not(content: Content, *, images: bool) -> str:
    if not images:
        return "this model takes no images"
    if content.media_type not in KINDS:
        return f"only {', '.join(sorted(kind.removeprefix('image/') for kind in KINDS))} images can be"
    return f"it has more than {LARGEST:,} bytes" if content.size > LARGEST else ""


def _within_room(result: Result, artifacts: Sequence[Content], room: int) -> Result:
    """The result with as many of the images shown as the budget has room for."""
    if not artifacts:
        return result
    left, kept = room - size(result), list[Content]()
    for content in artifacts:
        fits = content.shown and left >= IMAGE_TOKENS
        left -= IMAGE_TOKENS if fits else 0
        kept.append(replace(content, shown=fits))
    result = replace(result, artifacts=tuple(kept))
    hidden = [before.reference for before, now in zip(artifacts, kept, strict=True) if before.shown != now.shown]
    if not hidden:
        return result
    words = f"{', '.join(hidden)}: no room to show it"
    told = replace(result, note=f"{result.note}; {words}" if result.note else words)
    return told if size(told) <= room else result
