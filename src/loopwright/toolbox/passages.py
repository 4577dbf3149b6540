"""A text in passages, and the one that is open for lookup.

Owns where a text is taken apart, and what "the next passage that contains it" means. Which text is opened is the
part of the tools that find some.

Source: Yao et al., ReAct (2022), section 3.1: lookup gives the next place of a page that contains a text, as a person
does with a browser.
"""

import re
from collections.abc import Iterator, Sequence

from loopwright.core.messages import Result
from loopwright.tools.result import not_found, ok

PASSAGE = 1_500
"""Characters of a passage; a longer paragraph becomes several."""
ENDS = (". ", "\n", "。", "? ", "! ")
"""After what a paragraph is cut."""


def passages(text: str) -> Iterator[str]:
    """Paragraphs; a heading, a line that begins with ``#``, goes with the paragraph below it."""
    heading = ""
    for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        stripped = paragraph.strip()
        if not stripped:
            continue
        if stripped.startswith("#") and "\n" not in stripped:
            heading = f"{heading}\n{stripped}".lstrip()
            continue
        yield from _pieces(f"{heading}\n{stripped}".lstrip())
        heading = ""
    if heading:
        yield heading


def _pieces(paragraph: str) -> Iterator[str]:
    """A long paragraph in several, cut after a sentence, a line or a word."""
    while len(paragraph) > PASSAGE:
        head = paragraph[:PASSAGE]
        at = max(head.rfind(mark) + len(mark) for mark in ENDS)
        if at < PASSAGE // 2:
            at = head.rfind(" ") + 1 or PASSAGE
        yield paragraph[:at].strip()
        paragraph = paragraph[at:].strip()
    if paragraph:
        yield paragraph


class Opened:
    """A text that somebody reads, and where lookup is in it. For one thread at a time."""

    def __init__(self, name: str, passages: Sequence[str]) -> None:
        self.name = name
        self._passages = passages
        self._wanted = ""
        self._seen = 0

    def look_up(self, text: str) -> Result:
        """The next passage that contains the text; upper and lower case, and the kind of blanks, do not matter."""
        wanted = _folded(text)
        found = [passage for passage in self._passages if wanted in _folded(passage)]
        if wanted != self._wanted:
            self._wanted, self._seen = wanted, 0
        if not found:
            return not_found(f"{self.name} does not contain {text!r}; try another word or another search")
        if self._seen >= len(found):
            return not_found(f"no more results; {self.name} contains {text!r} in {len(found)} passages")
        self._seen += 1
        return ok(f"(Result {self._seen} / {len(found)}) {found[self._seen - 1]}")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
