"""How large a run is on disk: one of 200 steps whose results have 2 KB, beside the bytes of its parts.

    python bench/journal_size.py [--steps 200] [--bytes 2048] [--pages 4096 8192 16384]

The model is scripted and the replies are whole or streamed. Results are tables as JSON text, or signs drawn by lot,
which hardly can be compressed: what real tools give lies between. The file is measured after
it was closed. Its parts are the rows and each different body once, without the digests and keys that the journal adds.
"""

import argparse
import asyncio
import random
import sqlite3
import tempfile
from contextlib import closing
from itertools import product
from pathlib import Path

from loopwright import Agent, Limits, SqliteJournal, tool
from loopwright.journal import sqlite_file
from loopwright.testing.scripted import ScriptedModel, answers, calls

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"


async def run(path: Path, steps: int, size: int, *, stream: bool, drawn: bool) -> None:
    """A run of so many steps in a new journal."""
    lot = random.Random(7)

    @tool
    async def page(number: int) -> str:
        """The text of a page.

        Args:
            number: of the page
        """
        if drawn:
            return "".join(lot.choices(SIGNS, k=size))
        text = ""
        while len(text) < size:
            text += (
                f'{{"page":{number},"item":{lot.randrange(10**6)},"price":{lot.random():.4f},"left":{lot.random()}}},'
            )
        return text[:size]

    script = [*(calls("page", number=number) for number in range(1, steps + 1)), answers("All pages were read.")]
    limits = Limits(steps=None, model_calls=None, tool_calls=None)
    journal = SqliteJournal(path)
    agent = Agent(ScriptedModel(replies=script), tools=[page], journal=journal, limits=limits, stream=stream)
    async with agent:
        result = await agent.run("Read all pages.")
    assert result.steps == steps, result
    await journal.close()


def parts(path: Path) -> tuple[int, int, int, int]:
    """Events, and bytes of their rows, of all bodies, and of the file."""
    with closing(sqlite3.connect(path)) as connection:
        events, rows = connection.execute("SELECT count(*), sum(length(row)) FROM events").fetchone()
        (bodies,) = connection.execute(
            "SELECT sum(CASE size WHEN 0 THEN length(content) ELSE size END) FROM bodies"
        ).fetchone()
    return events, rows, bodies, path.stat().st_size


async def main() -> None:
    """Print a line for each size of page and kind of reply."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--bytes", type=int, default=2048)
    parser.add_argument("--pages", type=int, nargs="+", default=[sqlite_file.PAGE])
    options = parser.parse_args()
    print(f"{options.steps} steps with results of {options.bytes} bytes; sizes in KB")
    names = ("results", "replies", "page", "events", "rows", "bodies", "file", "to parts", "to bodies")
    print("".join(f"{name:>10}" for name in names))
    for drawn, stream, page in product((False, True), (False, True), options.pages):
        sqlite_file.PAGE = page
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal.db"
            await run(path, options.steps, options.bytes, stream=stream, drawn=drawn)
            events, rows, bodies, size = parts(path)
        kinds = ("drawn" if drawn else "tables", "streamed" if stream else "whole")
        kilobytes = "".join(f"{part / 1000:10.1f}" for part in (rows, bodies, size))
        ratios = f"{size / (rows + bodies):10.2f}{size / bodies:10.2f}"
        print(f"{kinds[0]:>10}{kinds[1]:>10}{page:10}{events:10}{kilobytes}{ratios}")


if __name__ == "__main__":
    asyncio.run(main())
