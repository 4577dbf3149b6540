"""The other process of the journal suite: it appends, and is killed or raced.

Owns the command line ``python -m loopwright.testing.journal_process WORK OPENER PLACE …`` and the short run that both
sides know. It checks nothing; the suite reads what is left. OPENER is ``module:callable``, called with the path PLACE.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Literal, cast

from msgspec import Raw

from loopwright.core.errors import Conflict
from loopwright.core.events import (
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelReplied,
    NoteAdded,
    RunEnded,
    RunStarted,
)
from loopwright.core.messages import Call, Content, Outcome, Result, Turn, Usage, Whole
from loopwright.journal.base import Journal, Leases
from loopwright.testing.crash import CrashAt

Opener = Callable[[Path], Journal]


PICTURE, WHOLE = b"\x89PNG\r\n\x1a\nsnow", b'{"data":"all of the snow"}'
CONTENTS: Mapping[str, bytes] = {sha256(content).hexdigest(): content for content in (PICTURE, WHOLE)}
"""What the short run refers to."""


def contents_of(events: Sequence[Event]) -> dict[str, bytes]:
    """What these events of the short run refer to."""
    ended = any(isinstance(event, CallEnded) for event in events)
    return dict(CONTENTS) if ended else {}


def story(run_id: str) -> list[list[Event]]:
    """A short run, as a driver appends it: one inner list an append."""
    call = Call("weather", {"city": "Oslo"}, "1.1", '{"city":"Oslo"}')
    picture = Content(sha256(PICTURE).hexdigest(), len(PICTURE), "image/png")
    return [
        [RunStarted(run_id=run_id, task="Is it cold in Oslo?", model="openai:small", at=10.0), ModelAsked(number=1)],
        [
            ModelReplied(turn=Turn(calls=(call,)), usage=Usage(100, 10), raw=b'{"choices": [1]}', at=11.0, elapsed=1.0),
            CallStarted(call_id="1.1"),
        ],
        [
            CallEnded(
                call_id="1.1",
                result=Result(data=Raw(b'"' + 5000 * b"snow " + b'"'), artifacts=(picture,)),
                whole=Whole(sha256(WHOLE).hexdigest(), len(WHOLE), "text", readable=True),
                at=12.0,
            )
        ],
        [ModelAsked(number=2)],
        [
            ModelReplied(turn=Turn(answer="Yes.", text="Yes."), raw=b'{"choices": [2]}', at=13.0),
            RunEnded(outcome=Outcome(status="answered", answer="Yes."), at=14.0, elapsed=4.0),
        ],
    ]


def find_opener(name: str) -> Opener:
    """What `module:callable` names."""
    module, _, attribute = name.partition(":")
    return cast("Opener", getattr(import_module(module), attribute))


async def tell(journal: Journal, run_id: str) -> None:
    """Append the whole story."""
    seq = 1
    for batch in story(run_id):
        await journal.append(run_id, seq, batch, contents_of(batch))
        seq += len(batch)


async def stream(journal: Journal, run_id: str) -> None:
    """Append three events again and again, and print the newest number that is safe."""
    seq = 1
    start: list[Event] = [RunStarted(run_id=run_id, task="", model="")]
    while True:
        batch: list[Event] = [CallStarted(call_id=str(seq + place)) for place in range(3)]
        batch = [*start, *batch[1:]] if seq == 1 else batch
        await journal.append(run_id, seq, batch)
        seq += len(batch)
        _say(str(seq - 1))


async def race(journal: Journal, name: str, count: int) -> None:
    """Append to a run of one's own, and try to be first at every number of a run that others want too."""
    _say("ready")
    sys.stdin.readline()
    won = 0
    for seq in range(1, count + 1):
        mark = NoteAdded(kind="empty", detail=name)
        await journal.append(name, seq, [RunStarted(run_id=name, task="", model="") if seq == 1 else mark])
        try:
            await journal.append(
                "shared", seq, [RunStarted(run_id="shared", task=name, model="") if seq == 1 else mark]
            )
        except Conflict:
            continue
        won += 1
    _say(str(won))


async def hold(journal: Journal, run_id: str, seconds: float) -> None:
    """Hold a run until somebody says something, and never let go of it."""
    if not isinstance(journal, Leases):
        raise SystemExit("the journal keeps no leases")
    await journal.take(run_id, seconds)
    _say("held")
    sys.stdin.readline()


async def _work(work: str, opener: str, place: str, more: list[str]) -> None:
    journal = find_opener(opener)(Path(place))
    match work, more:
        case "kill", [run_id, append, "before" | "after" as when]:
            moment: Literal["before", "after"] = "before" if when == "before" else "after"
            await tell(CrashAt(journal, int(append), moment, "kill"), run_id)
        case "stream", [run_id]:
            await stream(journal, run_id)
        case "race", [name, count]:
            await race(journal, name, int(count))
        case "hold", [run_id, seconds]:
            await hold(journal, run_id, float(seconds))
        case _:
            raise SystemExit(f"unknown work: {work} {more}")
    await journal.close()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
