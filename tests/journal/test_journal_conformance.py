"""Both journals against the suite that every store passes."""

from pathlib import Path
from typing import ClassVar

from loopwright.journal.base import Journal
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.journal_suite import DurableJournalSuite, JournalSuite


class TestMemoryJournal(JournalSuite):
    def open(self, place: Path) -> Journal:
        return MemoryJournal()


class TestSqliteJournal(DurableJournalSuite):
    opener: ClassVar[str] = "loopwright.journal.sqlite:SqliteJournal"
