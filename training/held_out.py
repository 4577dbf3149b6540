"""Keeps the evaluation out of the training data: its questions, its cities, its tools.

Owns what counts as the same. The generator drops every episode that touches any of it.
"""

import re
from functools import cache

from training.evaluation.invented import INVENTED
from training.evaluation.tasks import TASKS
from training.trajectories import Episode

_WORDS = re.compile(r"\w+")


@cache
def questions() -> frozenset[str]:
    """The questions of the evaluation, by their words."""
    return frozenset(by_words(task.question) for task in TASKS)


@cache
def cities() -> re.Pattern[str]:
    """Any city that the evaluation asks about."""
    names = {name for task in TASKS for name in (*task.world.rain, *task.world.temperatures)}
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b", re.IGNORECASE)


def by_words(text: str) -> str:
    """A text without capitals and marks."""
    return " ".join(_WORDS.findall(text.casefold()))


def touches(episode: Episode) -> bool:
    """Whether an episode has something of the evaluation in it."""
    return (
        by_words(episode.task) in questions()
        or any(tool.name in INVENTED for tool in episode.tools)
        or cities().search(episode.task) is not None
    )
