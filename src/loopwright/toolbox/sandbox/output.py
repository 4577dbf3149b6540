"""What a command printed: counted in full, kept in part, and made plain text.

Owns what is cut, which is the middle, because errors stand at the end, and what is taken out: colours and other control
characters, which could rewrite what a person sees in a terminal.
"""

import re

BEGINNING = 1_000
"""Characters that are kept of the beginning of a long output."""
_WIDEST = 4
"""Bytes of a character in UTF-8, at most."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class Output:
    """What was printed so far; at most some `characters` of it are kept."""

    def __init__(self, characters: int) -> None:
        self.printed = 0
        """Bytes in all."""
        self._characters = characters
        self._first = bytearray()
        self._last = bytearray()

    def add(self, piece: bytes) -> None:
        """Take in what was printed next."""
        self.printed += len(piece)
        room = self._kept - len(self._first)
        self._first += piece[:room]
        self._last += piece[room:] if room > 0 else piece
        if len(self._last) > 2 * self._kept:
            del self._last[: -self._kept]

    def text(self) -> str:
        """What is kept as text; where something is left out, a line says how much."""
        whole = self.printed == len(self._first) + len(self._last)
        if whole:
            text = _plain(bytes(self._first + self._last))
            if len(text) <= self._characters:
                return text
            first, last = text, text
        else:
            first, last = _plain(bytes(self._first)), _plain(bytes(self._last))
        beginning = min(BEGINNING, self._characters // 4)
        last = last[-(self._characters - beginning) :]
        last = last.partition("\n")[2] or last
        return f"{first[:beginning]}\n[the middle is left out; {self.printed:,} bytes were printed in all]\n{last}"

    @property
    def _kept(self) -> int:
        return self._characters * _WIDEST


def _plain(printed: bytes) -> str:
    text = printed.decode(errors="replace").replace("\r\n", "\n")
    return _CONTROLS.sub("", _ESCAPES.sub("", text))
