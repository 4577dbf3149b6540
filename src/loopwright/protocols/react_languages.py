"""Tells by the labels of a reply which language it is written in, where that is not the language of the run.

Owns which language's labels stand at the beginnings of lines. What a label means is not known here, and a reply whose
labels two languages read differently is left to the language that was expected.
"""

from functools import lru_cache

from loopwright.protocols.labels import ENGLISH, LANGUAGES, Labels, beside, detect, labels_of
from loopwright.protocols.react_lines import scan
from loopwright.protocols.thinking import taken_apart

_DECIDING = ("action", "input", "final")


def language_in(text: str) -> str:
    """The code of the language of a saved reply: by its labels, or by its words where they do not tell."""
    return _by_labels(text, detect(text))


def heard(text: str, labels: Labels) -> Labels:
    """The labels to read a reply with: those of the run, and those that the reply has where they lead in it.

    They lead where none of the run's decides, or the first is not the run's. The sentences stay those of the run.
    """
    shown = taken_apart(text.replace("\r\n", "\n")).shown
    own = _found(shown, labels)
    first = min(own, default=None)
    if first is not None and not shown[: first[0]].strip() and any(kind in _DECIDING for _, kind in own):
        return labels
    language = _by_labels(shown, labels.language)
    read = labels_of(language)
    other = _found(shown, read)
    leads = not any(kind in _DECIDING for _, kind in own) or min(other) != first
    return _both(labels, read) if own < other and leads else labels


def _by_labels(text: str, otherwise: str) -> str:
    """The language with labels that English has not, if it reads all that any other does; else `otherwise`."""
    found = {code: _found(text, labels) for code, labels in LANGUAGES.items()}
    more = {code: labels for code, labels in found.items() if not labels <= found[ENGLISH.language]}
    most = max(more.values(), key=len, default=frozenset[tuple[int, str]]())
    fit = [code for code, labels in more.items() if labels == most]
    if not fit or otherwise in fit or not all(labels <= most for labels in more.values()):
        return otherwise
    return fit[0]


def _found(text: str, labels: Labels) -> frozenset[tuple[int, str]]:
    """Where labels of a language stand, and their kinds."""
    return frozenset((piece.start, piece.kind) for piece in scan(text, labels) if piece.kind != "text")


@lru_cache
def _both(own: Labels, other: Labels) -> Labels:
    return beside(own, other)
