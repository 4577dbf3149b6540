"""The journal at a place, whichever kind lies there.

Owns which store belongs to which kind of place. Opens nothing yet: a journal opens itself at its first use.
"""

from pathlib import Path

from loopwright.journal.base import Journal
from loopwright.journal.location import Address, default_place, place_of


def journal_at(place: Path | Address | str | None = None) -> Journal:
    """The journal at a place: a path of an SQLite file, ``postgresql://…``, ``":memory:"``, or the usual one.

    Raises:
        MissingExtra: it is on a Postgres server, and the package `psycopg` is not installed
        UsageError: it begins like an address of such a server, and cannot be one
    """
    if place == ":memory:":
        from loopwright.journal.memory import MemoryJournal

        return MemoryJournal()
    found = default_place() if place is None else place_of(place) if isinstance(place, str) else place
    if isinstance(found, Address):
        from loopwright.journal.postgres import PostgresJournal

        return PostgresJournal(found.secret)
    from loopwright.journal.sqlite import SqliteJournal

    return SqliteJournal(found)
