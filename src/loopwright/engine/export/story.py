"""A run as a story: what a document and a page show of it, in the order in which they show it.

Owns what is told and what not: the words are `telling`'s, how they look is for those who show them. Of a run's recipe,
which names folders of the machine, nothing is told.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from loopwright.core.events import CallEnded, Event, RunEnded, RunForked, RunStarted
from loopwright.core.messages import Content
from loopwright.engine.history import fold, result_of, rules_of
from loopwright.engine.telling import Teller, Told, took


class Part(Struct, frozen=True):
    """What one event adds to the story."""

    seq: int
    """Number of the event."""
    at: str
    """When it was; empty where no clock shows it."""
    told: Told
    kept: tuple[Content, ...] = ()
    """Artifacts that came with it."""


class Story(Struct, frozen=True):
    """A whole run."""

    run_id: str
    task: str
    facts: tuple[tuple[str, str], ...]
    """What it was begun with, and how it ended: a name and a text each."""
    instructions: str
    parts: tuple[Part, ...]
    answer: str | None
    """None where it has none, or is not over."""


def story_of(events: Sequence[Event]) -> Story:
    """The story of a run.

    Args:
        events: all that happened in it, from the first on

    Raises:
        IllegalEvent: they are no history of a run
    """
    state, rules, teller = fold(events), rules_of(events), Teller()
    parts = tuple(
        Part(seq, moment(event.at), told, event.result.artifacts if isinstance(event, CallEnded) else ())
        for seq, event in enumerate(events, 1)
        for told in (*teller.tell(event), *_before(event, seq, events))
    )
    result = result_of(state) if state.phase == "over" else None
    ended = " · ".join(took(result, teller.price, teller.doubtful)) if result is not None else "not over yet"
    return Story(
        run_id=rules.run_id,
        task=rules.task,
        facts=(*_beginning(events, rules), ("Outcome", ended)),
        instructions=rules.instructions,
        parts=parts,
        answer=result.answer if result is not None else None,
    )


def _before(event: Event, seq: int, events: Sequence[Event]) -> list[Told]:
    """What runs before this one, of which it is a fork or the next turn, were asked and answered."""
    match event:
        case RunStarted() if any(isinstance(each, RunForked) for each in events):
            return [Told("Task", event.task)]
        case RunEnded() if seq < len(events):
            answer = event.outcome.answer
            return [Told("Answer", answer) if answer is not None else Told("End", event.outcome.status)]
        case _:
            return []


def moment(at: float) -> str:
    """A time in words, to the second, in UTC; empty where no calendar has it."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if at else ""
    except (OverflowError, OSError, ValueError):
        return ""


def _beginning(events: Sequence[Event], rules: RunStarted) -> list[tuple[str, str]]:
    facts = [
        ("Model", f"{rules.model} ({rules.way})"),
        ("Tools", ", ".join(tool.name for tool in rules.tools) or "none"),
    ]
    begun = next((event for event in reversed(events) if isinstance(event, RunForked | RunStarted)), rules)
    facts += [("Begun", at)] if (at := moment(begun.at)) else []
    if isinstance(begun, RunForked):
        facts.append(("Forked", f"from {begun.parent}, behind event {begun.after}"))
    return facts


def about(content: Content) -> str:
    """An artifact in a line."""
    words = " ".join(filter(None, (content.name, content.caption)))
    return f"{content.reference}: {content.media_type}, {content.size:,} bytes{f', {words}' if words else ''}"
