"""The languages of the text protocol: one file of data for each. No logic but finding one by its code."""

from loopwright.protocols.labels.english import ENGLISH
from loopwright.protocols.labels.words import Labels, Problems, Wording

__all__ = ["ENGLISH", "LANGUAGES", "Labels", "Problems", "Wording", "labels_of"]

LANGUAGES = {ENGLISH.language: ENGLISH}


def labels_of(language: str) -> Labels:
    """The labels of a language by its code (``en``, ``en-GB``); English where there are none of it."""
    return LANGUAGES.get(language.partition("-")[0].lower(), ENGLISH)
