"""Finds the labels of the text protocol: which line begins with which, in what style, inside which code fence.

Owns lines and labels. What a label's text means, and which of them counts, is `react_reply`. Every line is looked at
once, with patterns that do not backtrack, so a reply of any size costs time in proportion.
"""

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from loopwright.protocols.asides import may_have, next_end
from loopwright.protocols.balance import value_end
from loopwright.protocols.labels import Labels
from loopwright.protocols.repair import read_value

Kind = Literal["text", "thought", "action", "input", "observation", "final", "answer", "end"]

MARKS = "\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
"""Characters that cannot be seen: direction marks, zero-width space, byte order mark. For use in a character class."""

INVISIBLE = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
"""The same characters for `str.strip`."""

_BLANKS = r" \t\u00a0\u202f"
"""Blanks inside a line, with those that French has before a colon. For use in a character class."""

_COLON = rf"[*_`]{{0,3}}[{_BLANKS}{MARKS}]?[:：﹕]"
"""The colon behind a label inside of a line."""

FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*[\w+#.-]*[ \t]*$")

_VALUE = re.compile(r"\s*+(?:(?:`{3,}|~{3,})[\w+#.-]*\s++)?\{")
"""A JSON object at the beginning of a text, perhaps in a fence."""

_SECTIONS: dict[str, Kind] = {
    "next_thought": "thought",
    "next_tool_name": "action",
    "next_tool_args": "input",
    "observation": "observation",
    "completed": "end",
}
"""Section markers ``[[ ## name ## ]]``, as DSPy writes them."""

_LEAST_OF_STOP = 3
"""Letters of the stop mark that a server may leave at the end of a reply and that are recognised; or the whole word."""


class Piece(Struct, frozen=True):
    """A label and what stands under it, up to the next label. Positions count characters."""

    kind: Kind
    start: int
    """Where the label begins."""
    body: int
    """Where the text under it begins."""
    end: int
    style: str = ""
    """How the label is decorated, such as ``**`` or ``###``."""
    fence: int = 0
    """The number of the code fence that the label stands in, 0 for none."""
    quoted: bool = False
    """Whether that fence was opened after text, so that it may be a quotation."""


class _Fences(Struct):
    """Which code fence a line stands in, while the lines go by."""

    count: int = 0
    inside: bool = False
    quoted: bool = False
    filled: bool = False
    """Whether the text under the last label holds anything yet."""
    thinking: bool = True
    """Whether the last label was a thought, or none was seen."""

    def toggle(self) -> None:
        if not self.inside:
            self.count += 1
            self.quoted = self.filled and self.thinking
        self.inside = not self.inside

    def label(self, kind: Kind, *, filled: bool) -> None:
        self.filled, self.thinking = filled, kind == "thought"


class _Mark(Struct, frozen=True):
    kind: Kind
    start: int
    body: int
    style: str


class Inline(Struct, frozen=True):
    """A label in the middle of a line.

    The label is looked for first and what stands before it then: a pattern that begins with the latter looks at every
    character.
    """

    label: re.Pattern[str]
    sentence: bool = False
    """Whether a whole sentence has to stand before it, and not just anything that is no letter."""

    def search(self, text: str, position: int = 0) -> re.Match[str] | None:
        """The first such label from `position` on."""
        found = self.label.finditer(text, position)
        stands = _behind_sentence if self.sentence else _behind_mark
        return next((match for match in found if stands(text, match.start())), None)


def _behind_mark(text: str, start: int) -> bool:
    """Whether a character stands directly before `start` that is neither part of a word nor a line's end."""
    before = text[start - 1 : start]
    return bool(before) and before not in "\n_" and not before.isalnum()


def _behind_sentence(text: str, start: int) -> bool:
    """Whether a sentence ends before `start`; after a Latin full stop there is a blank."""
    end = start
    while end > 0 and text[end - 1] in " \t":
        end -= 1
    before = text[end - 1 : end]
    return bool(before) and (before in "。！？" or (end < start and before in ".!?"))


class Patterns(Struct, frozen=True):
    """The labels of a language, ready to be looked for."""

    line: re.Pattern[str]
    kinds: dict[str, Kind]
    inline_action: Inline
    """An action's label in the middle of a line."""
    inline_input: Inline
    inline_observation: Inline
    inline_final: Inline
    """An answer's label behind a whole sentence of its line."""
    below: re.Pattern[str]
    """The label of an input that stands directly below a tool's name."""
    stop: tuple[str, ...]
    """The labels of an observation, lower case."""

    def kind_of(self, match: re.Match[str]) -> Kind | None:
        """The kind of the label that `line` matched; None for what only looks like one."""
        if match["section"]:
            return _SECTIONS.get(match["section"].lower())
        return self.kinds.get(_squeezed(match["word"]))


@lru_cache
def patterns(labels: Labels) -> Patterns:
    """The patterns of a language."""
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("answer", labels.answer),
        ("thought", labels.thought),
        ("action", labels.action),
        ("input", labels.input),
        ("observation", labels.observation),
        ("final", labels.final),
    )
    words: dict[str, Kind] = {_squeezed(name): kind for kind, names in kinds for name in names}
    every = tuple(name for _, names in kinds for name in names)
    number = r"(?:[ _]?\#?\d{1,4})?(?:[ ]\([^()\n]{1,80}\))?"
    line = re.compile(
        rf"[ \t{MARKS}]*+"
        rf"(?:\[\[[ ]\#\#[ ](?P<section>\w{{1,40}})[ ]\#\#[ ]\]\]"
        rf"|(?P<heading>\#{{1,6}}[ \t]*+)?(?P<bold>\*{{1,3}}|_{{1,3}}|`)?[{MARKS}]*+"
        rf"(?P<word>{_any_of(every)}){number}[{_BLANKS}{MARKS}]*+"
        r"(?(bold)(?:(?P=bold)[ \t]*+[:：﹕]|[:：﹕](?P=bold)?|(?P=bold)[ \t]*+$)"
        r"|(?(heading)(?:[:：﹕]|$)|[:：﹕])))",
        re.IGNORECASE | re.VERBOSE | re.MULTILINE,
    )
    return Patterns(
        line=line,
        kinds=words,
        inline_action=_inline(labels.action, number),
        inline_input=_inline(labels.input, number),
        inline_observation=_inline(labels.observation, number),
        inline_final=Inline(re.compile(rf"(?:{_any_of(labels.final)}){_COLON}"), sentence=True),
        below=re.compile(
            rf"[\s{MARKS}*_`]*+(?:{_any_of(labels.below)})[{_BLANKS}{MARKS}]?{_COLON}[*_`]{{0,3}}", re.IGNORECASE
        ),
        stop=tuple(name.lower() for name in labels.observation),
    )


def _squeezed(word: str) -> str:
    return re.sub(r"[ _-]", "", word).casefold()


def _any_of(words: tuple[str, ...]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join("[ _-]?".join(re.escape(part) for part in word.split(" ")) for word in longest_first)


def _inline(words: tuple[str, ...], number: str) -> Inline:
    """A label after something else in its line, written just as it is: lower case would be prose."""
    return Inline(re.compile(rf"(?:{_any_of(words)}){number}{_COLON}", re.VERBOSE))


def scan(text: str, labels: Labels) -> list[Piece]:
    """All labels of a text in order; first a piece of kind text with what stands before them, be it nothing.

    What a thought or the words before it hold aside has no labels.
    """
    found, aside = patterns(labels), may_have(text)
    fences, pieces, position = _Fences(), [Piece("text", 0, 0, len(text))], 0
    while position <= len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if FENCE.match(text, position, end):
            fences.toggle()
        else:
            _line(text, position, end, found, fences, pieces)
        behind = next_end(text, position, end) if aside and fences.thinking else -1
        position = behind if behind >= 0 else end + 1
        if behind == len(text):
            break
    pieces = [piece for piece, before in zip(pieces, [None, *pieces], strict=False) if not _is_weak(piece, before)]
    return joined(text, _ended(pieces, len(text)))


def joined(text: str, pieces: list[Piece]) -> list[Piece]:
    """The pieces without those whose label stands inside a JSON string of an input, which belongs to the input."""
    found: list[Piece] = []
    position, budget = 0, 2 * len(text)
    for piece in pieces:
        if piece.start < position:
            continue
        found.append(piece)
        opening = _opening(text, piece)
        if opening >= 0 and budget > 0 and value_end(text, opening, piece.end) < 0:
            budget -= len(text) - opening
            end = value_end(text, opening)
            position = end if end > 0 and read_value(text[opening:end]).state != "rejected" else 0
    return _ended(found, len(text))


def _opening(text: str, piece: Piece) -> int:
    """Where the JSON object of an action or an input begins; -1 where there is none."""
    if piece.kind not in ("action", "input"):
        return -1
    start = _VALUE.match(text, piece.body, piece.end)
    if start is not None:
        return start.end() - 1
    line = text.find("\n", piece.body, piece.end)
    return text.find("{", piece.body, line if line >= 0 else piece.end) if piece.kind == "action" else -1


def _ended(pieces: list[Piece], end: int) -> list[Piece]:
    """Each piece with its end where the next one begins."""
    ends = [*(piece.start for piece in pieces[1:]), end]
    return [
        Piece(piece.kind, piece.start, piece.body, end, piece.style, piece.fence, piece.quoted)
        for piece, end in zip(pieces, ends, strict=True)
    ]


def _is_weak(piece: Piece, before: Piece | None) -> bool:
    """Whether a weak label stands in something that it cannot end, such as an input or an answer."""
    return piece.kind == "answer" and before is not None and before.kind not in ("text", "thought")


def _line(text: str, position: int, end: int, found: Patterns, fences: _Fences, pieces: list[Piece]) -> None:
    mark = _mark(text, position, end, found)
    if mark is None:
        fences.filled = fences.filled or bool(text[position:end].strip())
        return
    fence = fences.count if fences.inside else 0
    quoted = fence > 0 and fences.quoted
    while mark is not None:  # a label behind a label, such as one that was in the prompt already, begins anew
        pieces.append(Piece(mark.kind, mark.start, mark.body, len(text), mark.style, fence, quoted))
        fences.label(mark.kind, filled=bool(text[mark.body : end].strip()))
        again = found.line.match(text, mark.body, end) if mark.kind in ("thought", "action") else None
        mark = _label(again, mark.body, found) if again else None


def _mark(text: str, position: int, end: int, found: Patterns) -> _Mark | None:
    """The label that the line from `position` to `end` begins with."""
    match = found.line.match(text, position, end)
    if match is not None:
        return _label(match, position, found)
    last = text[position:end].strip(INVISIBLE + " \t*_#").lower()
    if end == len(text) and position > 0 and _is_half(last, found.stop):
        return _Mark("observation", position, end, "")
    return None


def _label(match: re.Match[str], position: int, found: Patterns) -> _Mark | None:
    kind = found.kind_of(match)
    if kind is None:
        return None
    style = "[[" if match["section"] else (match["heading"] or "").strip() + (match["bold"] or "")
    return _Mark(kind, position, match.end(), style)


def _is_half(last: str, stop: tuple[str, ...]) -> bool:
    """Whether this is what a server left of a stop mark at the end of a reply."""
    return any(word.startswith(last) and len(last) >= min(_LEAST_OF_STOP, len(word)) for word in stop)
