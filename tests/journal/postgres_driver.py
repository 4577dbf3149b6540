"""An agent over a journal on a Postgres server: a read, a write, an answer; and a process that is killed in the middle.

``python postgres_driver.py ADDRESS SCHEMA FILE APPEND before|after`` runs it and ends by SIGKILL at that append.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from loopwright import Agent, tool
from loopwright.journal.base import Journal
from loopwright.journal.postgres import PostgresJournal
from loopwright.testing.crash import CrashAt
from loopwright.testing.scripted import Asked, Line, ScriptedModel, answers, calls


def agent_over(journal: Journal, file: Path) -> Agent:
    """Looks something up, writes a line into the file, and says so."""

    @tool
    def look() -> str:
        """Look something up."""
        return "dry"

    @tool(effect="write")
    def write(text: str) -> str:
        """Write a line.

        Args:
            text: the line
        """
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{text}\n")
        return "written"

    def reply(asked: Asked) -> Line:
        turns = sum(message["role"] == "assistant" for message in asked.messages)
        return (calls("look"), calls("write", text="dry"), answers("written"))[min(turns, 2)]

    return Agent(
        ScriptedModel(replies=[reply] * 9), tools=[look, write], journal=journal, approve=lambda _call, _tool: True
    )


async def run(address: str, schema: str, file: str, append: int, moment: Any) -> None:
    journal = CrashAt(PostgresJournal(address, schema=schema), append, moment, "kill")
    print((await agent_over(journal, Path(file)).run("Write down the weather.", run_id="r")).status)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]))
