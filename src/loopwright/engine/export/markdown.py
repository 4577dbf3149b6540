"""A run as a Markdown document (CommonMark 0.31.2).

Owns how it looks. What models, tools and people wrote is text of others: it stands in fenced blocks and code spans that
it cannot leave, so that no link, image or HTML of it comes alive in whatever shows the document.
"""

import re
from collections.abc import Iterable, Sequence

from loopwright.core.events import Event
from loopwright.engine.export.story import Part, about, story_of
from loopwright.engine.telling import visible

_TICKS = re.compile("`+")
_NUMBER = re.compile("[0-9]+([.][0-9]+)?")


def to_markdown(events: Sequence[Event]) -> str:
    """The document.

    Args:
        events: all that happened in the run, from the first on

    Raises:
        IllegalEvent: they are no history of a run
    """
    story = story_of(events)
    blocks = [f"# Run {span(story.run_id)}", *_facts(story.facts), "## Task", block(story.task)]
    blocks += ["## Instructions", block(story.instructions)] if story.instructions else []
    blocks += ["## Steps", *(each for part in story.parts for each in _part(part))] if story.parts else []
    blocks += ["## Answer", block(story.answer)] if story.answer is not None else []
    return "\n\n".join(blocks) + "\n"


def _facts(facts: Iterable[tuple[str, str]]) -> list[str]:
    return ["\n".join(f"- {name}: {span(text)}" for name, text in facts)]


def _part(part: Part) -> list[str]:
    kind, _, rest = part.told.heading.partition(" ")
    shown = rest if _NUMBER.fullmatch(rest) else span(rest)
    kept = ["\n".join(f"- kept: {span(about(content))}" for content in part.kept)] if part.kept else []
    return [f"### {kind} {shown}" if rest else f"### {kind}", block(part.told.text.strip()), *kept]


def block(text: str) -> str:
    """A text as it stands, in a fence that is longer than any in it."""
    shown = visible(text)
    fence = "`" * max(3, _longest(shown) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def span(text: str) -> str:
    """A text in one line, in marks that are longer than any in it; a text without a sign as an empty one."""
    shown = " ".join(visible(text).split()) or " "
    marks = "`" * (_longest(shown) + 1)
    edge = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{marks}{edge}{shown}{edge}{marks}"


def _longest(text: str) -> int:
    return max((len(found) for found in _TICKS.findall(text)), default=0)
