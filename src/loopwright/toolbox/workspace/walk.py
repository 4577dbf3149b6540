"""What lies in a folder and below it, level by level, as far as it is offered.

Owns the bounds of a walk and the count of what was left out. Nothing is opened but folders.
"""

import os
import stat
import time
from collections import Counter, deque
from collections.abc import Iterator

from msgspec import Struct

from loopwright.toolbox.workspace.beneath import Beneath, NotThere, PathRefused
from loopwright.toolbox.workspace.names import DEEPEST, fault_in_name
from loopwright.toolbox.workspace.opening import Parts
from loopwright.toolbox.workspace.rules import NOT_ENTERED, Rules


class Entry(Struct, frozen=True):
    """A file or folder that is offered."""

    parts: Parts
    folder: bool = False
    size: int = 0
    """Bytes of a file."""

    @property
    def path(self) -> str:
        """As the model writes it."""
        return "/".join(self.parts)


class Walk:
    """One walk from a folder down; folders that lie nearer come first, names in order."""

    def __init__(self, beneath: Beneath, rules: Rules, start: Parts, *, most: int, until: float) -> None:
        self._beneath, self._rules, self._start = beneath, rules, start
        self._most, self._until = most, until
        self.left_out: Counter[str] = Counter()
        """How many of which kind are not offered."""
        self.stopped = ""
        """Why the walk ended before everything was seen; empty where it did not."""

    def __iter__(self) -> Iterator[Entry]:
        seen, waiting = 0, deque([self._start])
        while waiting:
            folder = waiting.popleft()
            for entry in self._within(folder):
                seen += 1
                if seen > self._most or time.monotonic() > self._until:
                    self.stopped = f"only {self._most} were looked at" if seen > self._most else "the time was over"
                    return
                if entry.folder and self._is_entered(entry):
                    waiting.append(entry.parts)
                yield entry

    @property
    def note(self) -> str:
        """What is not offered and what was not seen, in words."""
        parts = [f"{number} {kind}" for kind, number in sorted(self.left_out.items())]
        notes = [f"left out: {', '.join(parts)}"] if parts else []
        return "; ".join([*notes, *([f"not all was seen: {self.stopped}"] if self.stopped else [])])

    def _is_entered(self, entry: Entry) -> bool:
        if entry.parts[-1] in NOT_ENTERED:
            self.left_out[f"what is in {entry.parts[-1]}/"] += 1
            return False
        return len(entry.parts) < DEEPEST

    def _within(self, folder: Parts) -> list[Entry]:
        """The offered entries of a folder; one below the start that cannot be opened is counted as left out."""
        try:
            with self._beneath.folder(folder) as found:
                with os.scandir(found) as entries:
                    names = sorted(entry.name for entry in entries)
                return [entry for name in names if (entry := self._entry(found, (*folder, name)))]
        except (PathRefused, NotThere):
            if folder == self._start:
                raise
            self.left_out["folders that cannot be opened"] += 1
            return []

    def _entry(self, folder: int, parts: Parts) -> Entry | None:
        try:
            found = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
        except OSError:  # gone meanwhile, or a name that the system itself cannot take
            return None
        if kind := self._kind_left_out(parts[-1], found):
            self.left_out[kind] += 1
            return None
        return Entry(parts, folder=stat.S_ISDIR(found.st_mode), size=found.st_size)

    def _kind_left_out(self, name: str, found: os.stat_result) -> str:
        folder = stat.S_ISDIR(found.st_mode)
        if name.startswith(".") and name not in self._rules.hidden:
            return "hidden"
        if stat.S_ISLNK(found.st_mode):
            return "symbolic links"
        if not folder and not stat.S_ISREG(found.st_mode):
            return "devices, pipes and sockets"
        if fault_in_name(name):
            return "with odd names"
        if not folder and self._rules.fault_in_file(name):
            return "of other kinds"
        if not folder and found.st_nlink > 1:
            return "with several names (hard links)"
        return ""
