"""A search through the files of a workspace.

Owns the batches, the rows that are shown and the words for what was not looked at.
"""

import time
from collections import Counter
from collections.abc import Iterator

from loopwright.toolbox.workspace.beneath import NotThere, PathRefused
from loopwright.toolbox.workspace.content import NoText, Text
from loopwright.toolbox.workspace.files import Files
from loopwright.toolbox.workspace.matching import BATCH, Pattern, PatternRefused, Place, glob_matches, places
from loopwright.toolbox.workspace.opening import Parts

WIDTH = 240
"""Characters of a line that are shown."""

Batch = list[tuple[str, Text]]
"""Files by their paths."""


class Search:
    """One search. Iterating over it gives rows, ``path:line: text``, and fills its note."""

    def __init__(self, files: Files, pattern: Pattern, path: str, glob: str) -> None:
        self._files, self._pattern, self._glob = files, pattern, glob
        self._until = time.monotonic() + files.limits.seconds
        self._parts = files.folder_parts(path)
        self._walk = files.walk(self._parts, self._until)
        self._left_out: Counter[str] = Counter()
        self._cut: list[str] = []

    @property
    def note(self) -> str:
        """What was searched and what was not, after the rows were taken."""
        notes = [self._walk.note, *(f"{number} {kind}" for kind, number in sorted(self._left_out.items())), *self._cut]
        return "; ".join(note for note in notes if note)

    def rows(self) -> list[str]:
        """The lines that match, as far as the limits go.

        Raises:
            PathRefused: the folder cannot be opened
            NotThere: there is none
            PatternRefused: the pattern cannot be used, or took too long before anything was found
        """
        rows: list[str] = []
        most = self._files.limits.matches
        for batch in self._batches():
            texts = [text.text.replace("\r\n", "\n") for _, text in batch]
            try:
                found = places(self._pattern, texts, most + 1 - len(rows), self._until)
            except PatternRefused as refused:
                if not rows:
                    raise
                self._cut.append(f"{refused}; this is what was found before")
                break
            rows += [self._row(batch, texts, place) for place in found]
            if len(rows) > most:
                self._cut.append(
                    f"the first {most} lines are shown, and there are more; narrow the pattern or the path"
                )
                break
        return rows[:most]

    def _batches(self) -> Iterator[Batch]:
        batch: Batch = []
        size = total = 0
        for parts in self._paths():
            text = self._text(parts)
            if text is None:
                continue
            size, total = size + len(text.text), total + len(text.text)
            if total > self._files.limits.searched_bytes:
                self._cut.append("not all files were searched: there is too much text; name a folder or a glob")
                break
            batch.append(("/".join(parts), text))
            if size >= BATCH:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _paths(self) -> Iterator[Parts]:
        if self._files.is_file(self._parts):
            yield self._parts
            return
        for entry in self._walk:
            if not entry.folder and (not self._glob or glob_matches(self._glob, entry.parts)):
                yield entry.parts

    def _text(self, parts: Parts) -> Text | None:
        try:
            return self._files.read(parts)[0]
        except NoText:
            self._left_out["files are no text or hold a key"] += 1
        except (PathRefused, NotThere):
            self._left_out["files cannot be read or are too large"] += 1
        return None

    def _row(self, batch: Batch, texts: list[str], place: Place) -> str:
        line = texts[place.text].split("\n")[place.line - 1]
        return f"{batch[place.text][0]}:{place.line}: {_around(line, place.column)}"


def _around(line: str, column: int) -> str:
    """A line, or what stands around a place in it, where it is long."""
    if len(line) <= WIDTH:
        return line
    start = max(0, min(column - WIDTH // 3, len(line) - WIDTH))
    head, tail = ("…" if start else ""), ("…" if start + WIDTH < len(line) else "")
    return f"{head}{line[start : start + WIDTH]}{tail}"
