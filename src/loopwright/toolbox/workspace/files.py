"""The files of a workspace: which paths are taken, and the texts they lead to.

Owns the limits, and the order of the checks: form of the path, rules of names, then what is really there.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from loopwright.toolbox.workspace.beneath import Beneath, NotThere, PathRefused
from loopwright.toolbox.workspace.content import Text, decoded
from loopwright.toolbox.workspace.names import fault_in_path, parts_of, shown
from loopwright.toolbox.workspace.opening import Opener, Parts
from loopwright.toolbox.workspace.rules import Rules
from loopwright.toolbox.workspace.walk import Walk


class WorkspaceLimits(Struct, frozen=True):
    """How much the tools of a workspace take and give."""

    read_bytes: int = 2_000_000
    """Of a file that is read, searched or edited."""
    write_bytes: int = 1_000_000
    """Of a file that is written."""
    listed: int = 400
    """Rows of a list."""
    matches: int = 100
    """Rows of a search."""
    walked: int = 20_000
    """Files and folders that a list or a search looks at."""
    searched_bytes: int = 50_000_000
    """Of all files that one search reads."""
    seconds: float = 10
    """That a list or a search takes."""


class Files:
    """The files beneath a folder, as far as they are offered."""

    def __init__(
        self,
        folder: Path,
        suffixes: Iterable[str],
        hidden: Iterable[str],
        limits: WorkspaceLimits,
        opener: Opener | None,
    ) -> None:
        self.beneath = Beneath(folder, opener)
        self.limits = limits
        self._rules = Rules(suffixes=frozenset(suffixes), hidden=frozenset(hidden))

    def file_parts(self, path: str) -> Parts:
        """The path of a file, which is offered if it is there.

        Raises:
            PathRefused: it is not
        """
        return self._parts(path, file=True)

    def folder_parts(self, path: str) -> Parts:
        """The path of a folder, as `file_parts`."""
        return self._parts(path, file=False)

    def read(self, parts: Parts) -> tuple[Text, os.stat_result]:
        """The text of a file, and what the file is.

        Raises:
            PathRefused: it is no file, too large, or a link is in the way
            NotThere: nothing is there
            NoText: it is no text, or holds a private key
        """
        path, most = shown("/".join(parts)), self.limits.read_bytes
        with self.beneath.file(parts) as (descriptor, found):
            if found.st_size > most:
                raise PathRefused(f"{path} has {found.st_size} bytes; files of at most {most} are read")
            data = _all(descriptor, most + 1)
        if len(data) > most:
            raise PathRefused(f"{path} grew to more than {most} bytes while it was read")
        return decoded(data, path), found

    def walk(self, parts: Parts, until: float | None = None) -> Walk:
        """What lies in a folder and below it; `until` is when to stop, on `time.monotonic`."""
        until = time.monotonic() + self.limits.seconds if until is None else until
        return Walk(self.beneath, self._rules, parts, most=self.limits.walked, until=until)

    def is_file(self, parts: Parts) -> bool:
        """Whether a path leads to a file that is offered; what is wrong with it otherwise is not said here."""
        if self._rules.fault_in(parts, file=True) or not parts:
            return False
        try:
            with self.beneath.file(parts):
                return True
        except (PathRefused, NotThere):
            return False

    def _parts(self, path: str, *, file: bool) -> Parts:
        if fault := fault_in_path(path, self.beneath.path):
            raise PathRefused(fault)
        parts = parts_of(path)
        if file and not parts:
            raise PathRefused("'.' is the workspace itself; name a file, such as src/main.py")
        if fault := self._rules.fault_in(parts, file=file):
            raise PathRefused(fault)
        return parts


def _all(descriptor: int, most: int) -> bytes:
    """The content of an open file, at most so many bytes."""
    pieces: list[bytes] = []
    left = most
    while left and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
