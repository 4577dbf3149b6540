"""What a journal keeps beside the events of a run, for `loopwright show`: artifacts, and results before they were cut.

Tools and their servers made these, so nothing of it is trusted: it is written where the user says, never over a file
that is there, never executed, and never printed raw. Only images of the common kinds are opened, by their bytes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loopwright.core.errors import UsageError
from loopwright.core.events import CallEnded, Event
from loopwright.core.messages import Content

LEAST = 4
"""Digits of a reference that must be given."""


def artifacts_of(events: Sequence[Event]) -> list[tuple[str, Content]]:
    """The artifacts of a run, each once, with the call that gave it first."""
    found = dict[str, tuple[str, Content]]()
    for event in events:
        if isinstance(event, CallEnded):
            for content in event.result.artifacts:
                found.setdefault(content.digest, (event.call_id, content))
    return list(found.values())


def artifact_named(events: Sequence[Event], reference: str) -> Content:
    """The artifact whose digest begins like this.

    Raises:
        UsageError: there is none in this run, or several
    """
    known = [content for _, content in artifacts_of(events)]
    wanted = reference.strip().lower()
    found = [content for content in known if len(wanted) >= LEAST and content.digest.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(content.reference for content in found or known) or "none"
    if found:
        raise UsageError(f"several artifacts begin with {reference!r}: {names}")
    raise UsageError(f"this run has no artifact {reference!r}; it has: {names}")


async def whole_result(store: Any, events: Sequence[Event], call_id: str) -> bytes:
    """The result of a call as the tool gave it, as JSON text.

    Raises:
        UsageError: the run has no such call, or it is not answered yet
        JournalError: the journal has lost it
    """
    from msgspec.json import encode

    ended = next((each for each in events if isinstance(each, CallEnded) and each.call_id == call_id), None)
    if ended is None:
        answered = ", ".join(each.call_id for each in events if isinstance(each, CallEnded)) or "none"
        raise UsageError(f"no call {call_id!r} was answered in this run; those that were: {answered}")
    return encode(ended.result) if ended.whole is None else await store.content(ended.whole.digest)


def write_out(data: bytes, out: str) -> str:
    """Write to a new file, or with ``-`` to standard output where that is no terminal. Says where it went.

    Raises:
        UsageError: the file is there already or cannot be made, or the terminal would be written to
    """
    if out == "-":
        if sys.stdout.isatty():
            raise UsageError("nothing of a journal is written raw to a terminal: give --out FILE, or a pipe")
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return ""
    try:
        with Path(out).open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise UsageError(f"{out} is there already; give --out another name") from None
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror or error}") from None
    return f"wrote {len(data):,} bytes to {out}"


def open_image(content: Content, data: bytes) -> str:
    """Show an image in the program that the system shows images with. Says where the copy lies.

    Raises:
        UsageError: by its bytes it is no image of a common kind
    """
    from tempfile import mkdtemp

    import typer

    from loopwright.protocols.images import KINDS
    from loopwright.tools.artifact import media_type_of

    kind = media_type_of(data)
    if kind not in KINDS:
        raise UsageError(f"{content.media_type} is not opened; write it to a file with --out, and look at it there")
    path = Path(mkdtemp(prefix="loopwright-")) / f"{content.reference}.{kind.removeprefix('image/')}"
    path.write_bytes(data)
    typer.launch(str(path))
    return f"opened {path}"


def described(content: Content) -> str:
    """An artifact in a line."""
    words = " ".join((*([content.name] if content.name else []), content.caption)).strip()
    return f"{content.reference}: {content.media_type}, {content.size:,} bytes{f', {words}' if words else ''}"
