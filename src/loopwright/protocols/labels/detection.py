"""Tells the language of a task, so that the run is held in it. Pure; the words are data of the languages.

A script of its own decides, else frequent words do, and letters a little. What is quoted does not count: whoever asks
for a translation writes in another language than the text. A short or mixed text is taken for English.
"""

import re
from collections.abc import Sequence

from loopwright.protocols.labels.english import ENGLISH
from loopwright.protocols.labels.finnish import FINNISH
from loopwright.protocols.labels.french import FRENCH
from loopwright.protocols.labels.german import GERMAN
from loopwright.protocols.labels.spanish import SPANISH
from loopwright.protocols.labels.words import Labels

_LATIN: tuple[Labels, ...] = (ENGLISH, GERMAN, FRENCH, SPANISH, FINNISH)
_OTHERS = {
    "pt": "o os um uma não é em do da dos das no na ao para que qual você está são com como mais por quem quanto",
    "it": "il lo gli di che è non per una uno sono della del nel quanto quale quali come con chi dove cosa da ho più",
    "nl": "het een van en de is wat welke hoe niet voor met op te zijn dat die ik je waar naar uit bij wie hoeveel",
    "sv": "och är att det som på vad hur en ett inte av för med den till vilken vilka jag du finns mellan om",
    "da": "og er at det som på hvad hvor en et ikke af for med den til hvilken jeg du mellem om",
}
"""Languages that are not spoken here but are near to one that is; what is theirs is not taken for its neighbour."""

_QUOTED = re.compile(
    r"```.*?```|`[^`\n]+`|\"[^\"\n]+\"|“[^“”\n]+[“”]|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」|『[^』\n]+』|(?<!\w)'[^'\n]+'(?!\w)",
    re.DOTALL,
)
_HEBREW, _KANA = re.compile(r"[\u05d0-\u05ea]"), re.compile(r"[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS_OF_SIGN = 2
"""A Chinese or Japanese sign says as much as this many letters."""
_LEAST_KANA = 0.1
"""Of the signs in a Japanese text; a single kana in a Chinese one is part of a name."""
_LEAST = 2
"""Words that must speak for a language."""
_LONGEST = 4000
"""Characters that are looked at."""


def detect(text: str) -> str:
    """The code of the language that a text is written in; ``en`` where it is short, mixed, or of no language here."""
    text = text[:_LONGEST]
    plain = _QUOTED.sub(" ", text)
    if not _WORD.search(plain):
        plain = text
    words = _WORD.findall(plain)
    hebrew, kana, han = (len(script.findall(plain)) for script in (_HEBREW, _KANA, _HAN))
    letters = sum(len(word) for word in words)
    signs = (kana + han) * _LETTERS_OF_SIGN
    whole = letters - kana - han + signs
    latin, by_words = _by_words(words, plain)
    if max(hebrew, signs) * 2 <= whole or (latin == ENGLISH.language and by_words > _LEAST):
        return latin
    if hebrew > signs:
        return "he"
    return "ja" if kana >= _LEAST_KANA * (kana + han) else "zh"


def _by_words(words: Sequence[str], text: str) -> tuple[str, float]:
    """The language with the most words in a text of Latin letters, and how many they are."""
    folded, english = {word.lower() for word in words}, set(ENGLISH.frequent.split())
    points = {code: float(len(folded & set(own.split()))) for code, own in _OTHERS.items()}
    for labels in _LATIN:
        common = folded & set(labels.frequent.split())
        # What English has too proves nothing alone, and letters alone may be those of a name.
        proved = not common <= english or labels is ENGLISH
        points[labels.language] = proved * (len(common) + _traced(words, labels.traces, text))
    ranked = sorted(points, key=lambda code: points[code], reverse=True)
    best, second = ranked[0], ranked[1]
    spoken = {labels.language for labels in _LATIN}
    clear = points[best] >= _LEAST and points[best] > points[second] and best in spoken
    return (best, points[best]) if clear else (ENGLISH.language, points[ENGLISH.language])


def _traced(words: Sequence[str], traces: tuple[str, ...], text: str) -> float:
    """Half a point for each word with the letters of a language, but not for names, which are capital in a sentence."""
    marks = sum(text.count(trace) for trace in traces if not trace.isalpha())
    plain = {word.lower() for number, word in enumerate(words) if number == 0 or word.islower()}
    return marks + sum(any(trace in word for trace in traces) for word in plain) / 2
