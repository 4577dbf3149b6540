"""The languages of the protocols: one file of data for each. No logic but finding one, by its code or by a text."""

from loopwright.protocols.labels.chinese import CHINESE
from loopwright.protocols.labels.detection import detect
from loopwright.protocols.labels.english import ENGLISH
from loopwright.protocols.labels.finnish import FINNISH
from loopwright.protocols.labels.french import FRENCH
from loopwright.protocols.labels.german import GERMAN
from loopwright.protocols.labels.hebrew import HEBREW
from loopwright.protocols.labels.japanese import JAPANESE
from loopwright.protocols.labels.spanish import SPANISH
from loopwright.protocols.labels.words import Labels, Problems, Reasons, Wording, beside

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Labels",
    "Problems",
    "Reasons",
    "Wording",
    "base_of",
    "beside",
    "detect",
    "labels_of",
]

_OTHERS = (GERMAN, FRENCH, SPANISH, FINNISH, HEBREW, CHINESE, JAPANESE)

LANGUAGES = {ENGLISH.language: ENGLISH} | {own.language: beside(own, ENGLISH) for own in _OTHERS}
"""By code. English labels are read in every language, because models fall back to them."""


def labels_of(language: str) -> Labels:
    """The labels of a language by its code (``en``, ``en-GB``); English where there are none of it."""
    return LANGUAGES.get(base_of(language), ENGLISH)


def base_of(language: str) -> str:
    """A code without region and script: ``zh`` of ``zh-Hant``, ``en`` of ``en_GB``."""
    return language.replace("_", "-").partition("-")[0].lower()
