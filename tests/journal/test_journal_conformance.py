"""Both journals against the suite that every store passes."""

import sys
from pathlib import Path
from typing import ClassVar

from loopwright.journal.base import Journal
from loopwright.journal.memory import MemoryJournal
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing.journal_suite import DurableJournalSuite, JournalSuite


class TestMemoryJournal(JournalSuite):
    def open(self, place: Path) -> Journal:
        return MemoryJournal()


class TestSqliteJournal(DurableJournalSuite):
    opener: ClassVar[str] = "loopwright.journal.sqlite:SqliteJournal"
    notices_death: ClassVar[bool] = sys.platform == "linux"


def open_carefully(place: Path) -> Journal:
    """A journal whose appends wait for the disk, together."""
    return SqliteJournal(place, survives="power_cut")


class TestCarefulSqliteJournal(DurableJournalSuite):
    opener: ClassVar[str] = f"{__name__}:open_carefully"
    notices_death: ClassVar[bool] = sys.platform == "linux"
