"""Durable events a second: many runs at once in an SQLite journal, beside inserts into plain SQLite.

    python bench/journal_appends.py [--runs 200] [--events 50] [--repeat 3]

Each run appends event after event, one an append, and goes on when the append has returned, as a driver does. Beside
it, rows of the same bytes go into a table of the same key with the same `synchronous`: one transaction each, as nothing
gathers them, and a transaction for all runs at a time, which is as fast as it can get. All take turns in one program;
figures are medians, and the ratios are what to quote. `power_cut` depends on the disk, so its wait is shown as well.
"""

import argparse
import asyncio
import os
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

from loopwright import SqliteJournal
from loopwright.core.events import CallStarted, Event, RunStarted
from loopwright.journal.sqlite_file import Survives
from loopwright.journal.wire import pack


def event(number: int, run_id: str) -> Event:
    """What a run appends as this number."""
    return RunStarted(run_id=run_id, task="t", model="m") if number == 1 else CallStarted(call_id=f"{number}.1", by="x")


async def through_journal(path: Path, survives: Survives, runs: int, events: int) -> float:
    """Events a second through the journal."""
    journal = SqliteJournal(path, survives=survives)
    await journal.append("warm", 1, [event(1, "warm")])

    async def drive(run_id: str) -> None:
        for number in range(1, events + 1):
            await journal.append(run_id, number, [event(number, run_id)])

    begun = time.perf_counter()
    await asyncio.gather(*(drive(f"run {number}") for number in range(runs)))
    seconds = time.perf_counter() - begun
    assert len(await journal.read(f"run {runs - 1}")) == events
    await journal.close()
    return runs * events / seconds


def plain(path: Path, survives: Survives, runs: int, events: int, *, together: bool) -> float:
    """Rows a second into a table, by `sqlite3` alone."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if survives == 'power_cut' else 'NORMAL'}")
        connection.execute("CREATE TABLE events (run_id TEXT, seq INTEGER, row BLOB, UNIQUE (run_id, seq))")
        names = [f"run {number}" for number in range(runs)]
        rows = [[(name, n, pack(name, n, [event(n, name)])[0].row) for name in names] for n in range(1, events + 1)]
        begun = time.perf_counter()
        for batch in rows:
            for piece in [batch] if together else [[row] for row in batch]:
                connection.execute("BEGIN IMMEDIATE")
                for row in piece:
                    connection.execute("INSERT INTO events VALUES (?, ?, ?)", row)
                connection.execute("COMMIT")
        return runs * events / (time.perf_counter() - begun)


def disk_wait(path: Path) -> float:
    """Milliseconds that the disk takes to keep 4 KB, the median of 50."""
    waits = list[float]()
    with path.open("wb", buffering=0) as file:
        for _ in range(50):
            begun = time.perf_counter()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            waits.append(1000 * (time.perf_counter() - begun))
    return statistics.median(waits)


def main() -> None:
    """Measure all in turn, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--events", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    found: dict[tuple[Survives, str], list[float]] = {}
    kinds: tuple[Survives, ...] = ("kill", "power_cut")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        wait = disk_wait(Path(folder) / "wait")
        for turn in range(options.repeat):
            for survives in kinds:
                paths = [Path(folder) / f"{turn}-{survives}-{number}.db" for number in range(3)]
                sizes = (options.runs, options.events)
                rates = {
                    "journal": asyncio.run(through_journal(paths[0], survives, *sizes)),
                    "plain, one by one": plain(paths[1], survives, *sizes, together=False),
                    "plain, together": plain(paths[2], survives, *sizes, together=True),
                }
                for name, rate in rates.items():
                    found.setdefault((survives, name), []).append(rate)
    print(f"{options.runs} runs of {options.events} events; the disk takes {wait:.2f} ms to keep 4 KB\n")
    print(f"{'survives':<12}{'what':<20}{'events a second':>16}{'journal to it':>15}")
    for (survives, name), rates in found.items():
        rate, journal = statistics.median(rates), statistics.median(found[survives, "journal"])
        print(f"{survives:<12}{name:<20}{rate:16,.0f}{journal / rate:15.2f}")


if __name__ == "__main__":
    main()
