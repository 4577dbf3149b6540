"""Keeps the evaluation out of the training data: its questions, its ways of putting one, its cities, its tools.

Owns what counts as the same. The generator drops every episode that touches any of it.
"""

import re
from collections import Counter
from functools import cache

from training.evaluation.invented import INVENTED
from training.evaluation.tasks import TASKS
from training.trajectories import Episode
from training.words import CURRENCIES

_WORDS = re.compile(r"\w+")
RUN = 4
"""Words that make a run."""
LONG = 9
"""Words from which on a question is long; what is shorter can hardly be said otherwise."""
SHARED = 0.5
"""The part of a question's runs that no episode may have."""
MONEY = {word: "name" for names in CURRENCIES.values() for name in names for word in name.casefold().split()}


@cache
def questions() -> frozenset[str]:
    """The questions of the evaluation, by their words."""
    return frozenset(by_words(task.question) for task in TASKS)


@cache
def cities() -> re.Pattern[str]:
    """Any city that the evaluation asks about."""
    names = {name for task in TASKS for name in (*task.world.rain, *task.world.temperatures)}
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b", re.IGNORECASE)


@cache
def phrasings() -> tuple[dict[tuple[str, ...], set[str]], dict[str, int]]:
    """Which longer questions of the evaluation have a run of words, and how many runs each has."""
    places: dict[tuple[str, ...], set[str]] = {}
    sizes: dict[str, int] = {}
    for task in TASKS:
        found = runs(task.question)
        if len(found) > LONG - RUN:
            sizes[task.id] = len(found)
            for run in found:
                places.setdefault(run, set()).add(task.id)
    return places, sizes


def runs(text: str) -> set[tuple[str, ...]]:
    """The runs of words of a text; numbers, names and money are the same wherever they stand."""
    text = re.sub(r"[€$£¥]?\d[\d.,]*", " 0 ", text)
    text = re.sub(r"(?<=[\w,;:] )[A-Z][\w'-]*", "Name", text)
    words = [MONEY.get(word, word) for word in by_words(text).split()]
    kept = [word for word, before in zip(words, ["", *words], strict=False) if word != "name" or before != "name"]
    return {tuple(kept[at : at + RUN]) for at in range(len(kept) - RUN + 1)}


def sounds_like(text: str) -> bool:
    """Whether a question puts it as a longer one of the evaluation does."""
    places, sizes = phrasings()
    shared = Counter(task for run in runs(text) for task in places.get(run, ()))
    return any(count >= SHARED * sizes[task] for task, count in shared.items())


def by_words(text: str) -> str:
    """A text without capitals and marks."""
    return " ".join(_WORDS.findall(text.casefold()))


def touches(episode: Episode) -> bool:
    """Whether an episode has something of the evaluation in it."""
    return (
        by_words(episode.task) in questions()
        or any(tool.name in INVENTED for tool in episode.tools)
        or cities().search(episode.task) is not None
        or sounds_like(episode.task)
    )
