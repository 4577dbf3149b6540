"""Search and lookup over a folder of text and Markdown files.

Owns the index (SQLite FTS5, in memory) and which document a run is reading. Files are read once, when the tools are
made; nothing is written.

Source: Yao et al., ReAct (2022), section 3.1: search gives the beginning of the best page, lookup the next place of
that page that contains a text, as a person does with a browser.
"""

import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Annotated

from msgspec import Struct
from pydantic import Field

from loopwright.core.errors import UsageError
from loopwright.core.messages import Result
from loopwright.toolbox.passages import Opened, passages
from loopwright.toolbox.shelf import Shelf, ShelfTool
from loopwright.tools.declare import tool
from loopwright.tools.result import error, not_found, ok

SUFFIXES = (".txt", ".md", ".markdown")
FILE_BYTES = 2_000_000
"""A larger file is skipped."""
ALL_BYTES = 100_000_000
"""Files are skipped once so many bytes were read."""
SHOWN = 3
"""Passages that a search shows."""

Query = Annotated[str, Field(min_length=1, max_length=300, description="what to look for, in a few words")]
Text = Annotated[
    str,
    Field(min_length=1, max_length=300, description="a word or a few words, exactly as they stand in the document"),
]


class Document(Struct, frozen=True):
    """A file, read."""

    name: str
    """Path beneath the folder, with slashes."""
    passages: tuple[str, ...]


class Library:
    """The documents of a folder and their index. Read only, once made; shared by all runs."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder; give one that holds {' or '.join(SUFFIXES)} files")
        self.skipped: list[str] = []
        """Files that are not or not wholly in the index, each with the reason."""
        self.documents = tuple(self._read(folder))
        if not self.documents:
            reasons = f" ({'; '.join(self.skipped)})" if self.skipped else ""
            raise UsageError(f"{folder} holds no {' or '.join(SUFFIXES)} file that can be read{reasons}")
        self._lock = Lock()
        self._index = _index(self.documents)

    @property
    def note(self) -> str:
        """What is not in the index, for whoever relies on a search."""
        if not self.skipped:
            return ""
        more = f" and {len(self.skipped) - 3} more" if len(self.skipped) > 3 else ""
        return f"files with problems: {'; '.join(self.skipped[:3])}{more}"

    def best(self, query: str) -> list[tuple[Document, list[int]]]:
        """Documents that match, best first, each with the numbers of its best passages in order of the text."""
        scores: dict[int, list[tuple[float, int]]] = {}
        for document, number, score in self._matches(query):
            scores.setdefault(document, []).append((score, number))
        ranked = sorted(scores, key=lambda document: (sum(score for score, _ in scores[document][:SHOWN]), document))
        return [
            (self.documents[document], sorted(number for _, number in scores[document][:SHOWN])) for document in ranked
        ]

    def _matches(self, query: str) -> list[tuple[int, int, float]]:
        """Passages that hold a word of the query: document, number and score, the lowest score being the best."""
        words = re.findall(r"\w+", query)
        if not words:
            return []
        phrase = " OR ".join(f'"{word}"' for word in words)
        select = "SELECT document, number, bm25(passages, 0, 0, 4.0, 1.0) AS score FROM passages"
        with self._lock:
            found = self._index.execute(f"{select} WHERE passages MATCH ? ORDER BY score LIMIT 500", (phrase,))
            return found.fetchall() or self._containing(words)

    def _containing(self, words: list[str]) -> list[tuple[int, int, float]]:
        """Passages that hold a word as a part, for languages that are written without spaces."""
        wanted = [word.casefold() for word in words]
        found: list[tuple[int, int, float]] = []
        for document, content in enumerate(self.documents):
            for number, passage in enumerate(content.passages):
                count = sum(word in passage.casefold() for word in wanted if len(word) > 1)
                if count:
                    found.append((document, number, -float(count)))
        return sorted(found, key=lambda match: match[2])

    def _read(self, folder: Path) -> Iterator[Document]:
        root = folder.resolve()
        left = ALL_BYTES
        for path in _files(root):
            name = path.relative_to(root).as_posix()
            text = self._text(path, root, name, left)
            if text is None:
                continue
            left -= len(text)
            found = tuple(passages(text))
            if found:
                yield Document(name, found)
            else:
                self.skipped.append(f"{name} (empty)")

    def _text(self, path: Path, root: Path, name: str, left: int) -> str | None:
        """The text of a file; None, and the reason in `skipped`, where there is none."""
        try:
            if not path.resolve().is_relative_to(root):
                return self._skip(name, "a link that leads out of the folder")
            size = path.stat().st_size
            if size > FILE_BYTES:
                return self._skip(name, f"{size} bytes, at most {FILE_BYTES} are read")
            if size > left:
                return self._skip(name, f"more than {ALL_BYTES} bytes in all")
            data = path.read_bytes()
        except OSError as raised:
            return self._skip(name, f"cannot be read: {raised.strerror or raised}")
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        if encoding != "utf-16" and b"\0" in data:
            return self._skip(name, "not a text")
        text = data.decode(encoding, "replace")
        if "\ufffd" in text and "\ufffd".encode() not in data:
            self.skipped.append(f"{name} (not UTF-8; unreadable characters are shown as \ufffd)")
        return text

    def _skip(self, name: str, reason: str) -> None:
        self.skipped.append(f"{name} ({reason})")


class Reader:
    """One run's reading: which document is open, and where lookup is in it."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = Lock()
        self._open: Opened | None = None

    @tool(effect="read", trusted_output=False)
    def search(self, query: Query) -> Result:
        """Search the documents; shows the best passages of the best document and opens it for lookup."""
        found = self._library.best(query)
        if not found:
            names = [document.name for document in self._library.documents]
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            return not_found(f"no document mentions {query!r}; there are {', '.join(names[:10])}{more}")
        document, numbers = found[0]
        with self._lock:
            self._open = Opened(document.name, document.passages)
        others = ", ".join(other.name for other, _ in found[1:4])
        notes = [f"also in {others}" if others else "", self._library.note]
        return ok(page(document, numbers), "; ".join(note for note in notes if note))

    @tool(effect="read", trusted_output=False)
    def lookup(self, text: Text) -> Result:
        """Show the next passage that contains a text, in the document that search opened."""
        with self._lock:
            if self._open is None:
                return error("NothingOpen: search for a document first; lookup reads on in what search found")
            return self._open.look_up(text)


def documents(folder: Path | str) -> list[ShelfTool[Reader]]:
    """The tools search and lookup over the .txt and .md files in a folder and its subfolders; hidden ones are left out.

    Raises:
        UsageError: it is no folder, or holds nothing that can be read
    """
    library = Library(Path(folder))
    return Shelf(lambda: Reader(library)).tools("search", "lookup")


def _files(root: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and name.lower().endswith(SUFFIXES):
                yield Path(place, name)


def _index(library: tuple[Document, ...]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(
        "CREATE VIRTUAL TABLE passages USING fts5(document UNINDEXED, number UNINDEXED, title, text, "
        "tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    rows = (
        (place, number, Path(document.name).stem.replace("_", " "), passage)
        for place, document in enumerate(library)
        for number, passage in enumerate(document.passages)
    )
    index.executemany("INSERT INTO passages VALUES (?, ?, ?, ?)", rows)
    return index


def page(document: Document, numbers: list[int]) -> str:
    """The passages, with a mark where others lie between them."""
    page = f"{document.name} ({len(document.passages)} passages)"
    before = -1
    for number in numbers:
        page += "\n\n" if number == before + 1 else "\n\n[…]\n\n"
        page += document.passages[number]
        before = number
    return page if before == len(document.passages) - 1 else f"{page}\n\n[…]"
