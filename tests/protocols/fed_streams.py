"""Feeds the events of a stream to a reader in every way that a network may, for the tests of the dialects."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from loopwright.protocols.native import read
from loopwright.protocols.speech import Dialect, Reply

JSON = dict[str, Any]


def on_the_wire(events: Sequence[JSON], newline: str = "\n") -> bytes:
    """Events with their names where they have types, and a comment before them."""
    lines = [": keep-alive", ""]
    for event in events:
        lines += [f"event: {event['type']}"] if "type" in event else []
        lines += [f"data: {json.dumps(event)}", ""]
    return newline.join([*lines, ""]).encode()


def fed(dialect: Dialect, data: bytes, size: int = 0) -> tuple[str, Reply]:
    """The text that was shown while the data arrived, and the reply."""
    reader = dialect.reader(stream=True)
    step = size or len(data) or 1
    shown = "".join([reader.feed(data[start : start + step]) for start in range(0, len(data), step)])
    return shown, reader.close()


def runnable(reply: Reply) -> list[tuple[str, JSON]]:
    """The calls that would run."""
    return [(call.tool, call.arguments) for call in read(reply, []).calls if call.state != "rejected"]


def same_in_every_split(dialect: Dialect, events: Sequence[JSON]) -> Reply:
    """The reply, after checking that neither the split of the bytes nor the line ends change it."""
    _, reply = fed(dialect, on_the_wire(events))
    for newline in ("\n", "\r\n", "\r"):
        for size in (1, 7):
            assert fed(dialect, on_the_wire(events, newline), size) == (reply.text, reply)
    return reply


def cut_everywhere(dialect: Dialect, events: Sequence[JSON]) -> Iterator[Reply]:
    """The reply of each prefix of the bytes, the whole one left out."""
    data = on_the_wire(events)
    yield from (fed(dialect, data[:end])[1] for end in range(len(data)))
