"""Two processes and one run: the second is told so, and takes over only when the first is dead."""

import sqlite3
import time
from pathlib import Path
from typing import Any

from command import loopwright, start

from loopwright.testing.chat_server import ChatServer, Response, after
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
PATIENCE = 30.0


def rows(folder: Path) -> list[str]:
    """The types of the events in the journal."""
    try:
        with sqlite3.connect(f"file:{folder / 'journal.db'}?mode=ro", uri=True) as connection:
            found = connection.execute(
                "SELECT json_extract(CAST(row AS TEXT), '$.event.type') FROM events ORDER BY seq"
            )
            return [str(row[0]) for row in found]
    except sqlite3.OperationalError:
        return []


def reply(_request: dict[str, Any], number: int) -> Response:
    """A call, then a reply that takes longer than this test, then the answer."""
    return {1: calls("calculator", expression="2*3"), 2: after(600, answers("late"))}.get(number, answers("6"))


def test_a_run_that_is_worked_on_is_not_taken_and_one_that_was_killed_is(tmp_path: Path) -> None:
    with ChatServer(reply) as server:
        asked = ["ask", "2*3?", "--model", "openai:any", "--base-url", server.base_url]
        with start(asked, tmp_path, KEY) as first:
            deadline = time.monotonic() + PATIENCE
            while rows(tmp_path).count("model_asked") < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            before, requests = rows(tmp_path), len(server.requests)
            second = loopwright("resume", "last", folder=tmp_path, settings=KEY)
            assert second.code == 1, second
            assert "another process is working on run" in second.err
            assert (rows(tmp_path), len(server.requests)) == (before, requests)
            assert first.poll() is None
            first.kill()
            first.wait()
        third = loopwright("resume", "last", "--quiet", folder=tmp_path, settings=KEY)
        assert (third.code, third.out) == (0, "6\n"), third
    assert rows(tmp_path).count("call_started") == 1
    assert not (tmp_path / "journal.db.locks").exists()
