"""Kills a run of ten steps at every append and at random moments, resumes it, and says what was lost or done twice.

    python scripts/crash_matrix.py --moments 500 --store sqlite
    python scripts/crash_matrix.py --moments 500 --store postgres [--address postgresql://…]

Each moment is a run of its own: begun in a process that is ended by SIGKILL, before an append, behind it, or after a
random time; then gone on with in other processes until it ends. Exit status 1 when anything is not as it must be.
Without an address, a server of PostgreSQL is started for the time being.
"""

import argparse
import asyncio
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from loopwright.core.errors import Conflict
from loopwright.core.events import Event
from loopwright.engine.lease import Rhythm
from loopwright.journal.base import Journal
from loopwright.testing import long_run
from loopwright.testing.crash import CrashAt

PAUSE = 0.004
"""Seconds that a call takes, so that kills at random moments find calls that run."""
RHYTHM = Rhythm(lease=1.5, look=0.3)
"""A killed process on another machine holds its run no longer than this."""
PATIENCE = 30.0

Opener = Callable[[Path], Journal]


def sqlite(folder: Path) -> Journal:
    """The journal of a moment."""
    from loopwright.journal.sqlite import SqliteJournal

    return SqliteJournal(folder / "journal.db")


@contextmanager
def postgres(address: str | None) -> Generator[Opener]:
    """Journals on a server, a schema for each moment."""
    from loopwright.journal.postgres import PostgresJournal

    def opener(at: str) -> Opener:
        return lambda folder: PostgresJournal(at, schema=f"crash_{folder.name.replace('-', '_')}")

    if address is not None:
        yield opener(address)
        return
    from loopwright.testing.postgres_server import PostgresServer

    with PostgresServer() as server:
        yield opener(server.address)


def child(opener: Opener, folder: Path, append: int, when: str) -> int:
    """Start a process that works on the run; its id. It ends itself at that append, if there is one."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        with (folder / "errors.txt").open("a") as errors:
            os.dup2(errors.fileno(), 2)
            journal = opener(folder)
            driven = CrashAt(journal, append, "before" if when == "before" else "after", "kill") if append else journal
            asyncio.run(_drive(driven, folder))
            code = 0
    finally:
        os._exit(code)


async def _drive(journal: Journal, folder: Path) -> None:
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            await long_run.work(long_run.agent_of(journal, folder, rhythm=RHYTHM, pause=PAUSE))
        except Conflict:  # the lease of a process that is dead, where that cannot be seen
            if time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.05)
            continue
        return


def ended(process: int, after: float | None) -> int:
    """How a process ended, which is killed after a while where it does not end itself."""
    if after is not None:
        time.sleep(after)
        os.kill(process, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def moment(opener: Opener, folder: Path, append: int, when: str, delays: list[float]) -> tuple[list[str], int, int]:
    """Kill and go on: what is wrong then, how often it was killed, and how many calls are in doubt."""
    folder.mkdir()
    kills = 0
    if append:
        kills += ended(child(opener, folder, append, when), None) == -signal.SIGKILL
    else:
        for delay in delays:
            kills += ended(child(opener, folder, 0, when), delay) == -signal.SIGKILL
    code = ended(child(opener, folder, 0, when), None)
    if code:
        return [f"it did not end: exit status {code}: {(folder / 'errors.txt').read_text()[-400:]}"], kills, 0
    events = asyncio.run(_read(opener(folder)))
    return long_run.wrongs(events, folder), kills, long_run.doubts(events)


async def _read(journal: Journal) -> list[Event]:
    try:
        return await journal.read(long_run.RUN)
    finally:
        await journal.close()


def measured(opener: Opener, folder: Path) -> tuple[int, float]:
    """How many appends the run takes when nobody kills it, and how many seconds."""
    folder.mkdir()
    counting, began = CrashAt(opener(folder)), time.monotonic()
    asyncio.run(_drive(counting, folder))
    return counting.appends, time.monotonic() - began


def matrix(opener: Opener, place: Path, moments: int, seed: int) -> int:
    """Go through the moments and print what came of them; how many went wrong."""
    measured(opener, place / "warm")  # the first run loads what the others find loaded
    total, seconds = measured(opener, place / "count")
    chance = random.Random(seed)
    plan = [(append, when) for append in range(1, total + 1) for when in ("before", "after")]
    chance.shuffle(plan)
    plan = plan[: moments // 2] if moments < 2 * len(plan) else plan
    plan += [(0, "random")] * (moments - len(plan))
    table, bad = Counter[tuple[str, str]](), 0
    for number, (append, when) in enumerate(plan):
        folder = place / f"m-{number}"
        delays = [chance.uniform(0, seconds) for _ in range(chance.randint(1, 3))]
        wrong, kills, doubtful = moment(opener, folder, append, when, delays)
        table.update({(when, "moments"): 1, (when, "kills"): kills, (when, "in doubt"): doubtful})
        table[when, "wrong"] += bool(wrong)
        bad += bool(wrong)
        for line in wrong:
            print(f"moment {number}, {when} append {append}: {line}")
        shutil.rmtree(folder)
    columns = ("moments", "kills", "in doubt", "wrong")
    print(f"a run of {total} appends, seed {seed}\n{'killed':<10}{''.join(f'{name:>10}' for name in columns)}")
    for when in ("before", "after", "random"):
        print(f"{when:<10}{''.join(f'{table[when, name]:>10}' for name in columns)}")
    return bad


def main() -> int:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--moments", type=int, default=500)
    options.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    options.add_argument("--address", help="of a server of PostgreSQL")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="crash-") as place:
        if given.store == "sqlite":
            return bool(matrix(sqlite, Path(place), given.moments, given.seed))
        with postgres(given.address) as opener:
            return bool(matrix(opener, Path(place), given.moments, given.seed))


if __name__ == "__main__":
    sys.exit(main())
