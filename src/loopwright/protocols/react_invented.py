"""Tells whether a text holds an observation that the model made up, in whatever dress it stands there.

Owns the forms: a label behind a sentence, in a list, a quotation, a table, brackets or tags, a label of another
language, and the marks that templates put around a tool's result. What follows from it is said by the readers.
"""

import re
from functools import lru_cache

from loopwright.protocols.labels import LANGUAGES, Labels
from loopwright.protocols.leaks.marks import INVENTED
from loopwright.protocols.react_lines import MARKS, patterns

_DRESS = rf"[ \t{MARKS}]*+(?:[-+•·*>|#(\[{{<\"'“«_`【（]+[ \t{MARKS}]*+|\d{{1,3}}[.)][ \t]++)*+"
"""What stands before a label at the beginning of a line: signs of lists, quotations, tables, brackets, numbers."""

_NUMBER = r"(?:[ _]?\#?\d{1,4})?(?:[ ]?\([^()\n]{1,80}\))?"
_BEHIND = (
    r"(?:[ \t\u00a0]*+(?:[:：﹕|=\])}>】）]|[\"'”»`*_]+[ \t]*+(?:[:：﹕|]|[\w(])|[-–—→]+>?[ \t])"
    r"|(?<=\d)[.)][ \t]|[*_`]*+[ \t]*+$)"
)
"""What stands behind such a label: a colon, the other bracket, bold marks, a dash, or nothing more in its line."""

_SENTENCE_END = r"(?:[.!?…;][\"')\]]*+[ \t]++|[。！？；][ \t]*+)"
_OWN_TURN = re.compile(r"\s*+(?:<\|end_header_id\|>)?\s*+(?:assistant|model)\b")
"""Behind the mark of a turn: it is the model's own."""


def is_invented(text: str, labels: Labels) -> bool:
    """Whether a text holds an observation with something behind it. A word in the middle of a sentence is none."""
    lines, behind_sentence = _patterns(labels)
    found = [lines.search(text), behind_sentence.search(text), patterns(labels).inline_observation.search(text)]
    if any(match and _says(text, match.end()) for match in found):
        return True
    return any(_is_result(text, mark) for mark in INVENTED.finditer(text))


def _says(text: str, position: int) -> bool:
    """Whether anything but signs follows a position."""
    return any(character.isalnum() for character in text[position - 1 :])


def _is_result(text: str, mark: re.Match[str]) -> bool:
    """Whether a mark stands for itself, not quoted and not at the beginning of the model's own turn."""
    quoted = text[mark.start() - 1 : mark.start()] in ("`", '"', "'", "“")
    return not quoted and not _OWN_TURN.match(text, mark.end())


@lru_cache
def _patterns(labels: Labels) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A label at the beginning of a line, in any language; one of the run's language behind a sentence."""
    every = {word for known in (labels, *LANGUAGES.values()) for word in known.observation}
    lines = rf"^{_DRESS}(?:{_any_of(every)}){_NUMBER}{_BEHIND}"
    inside = rf"{_SENTENCE_END}[*_`(\[]*+(?:{_any_of(labels.observation)}){_NUMBER}{_BEHIND}"
    return re.compile(lines, re.IGNORECASE | re.MULTILINE), re.compile(inside, re.IGNORECASE | re.MULTILINE)


def _any_of(words: tuple[str, ...] | set[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
