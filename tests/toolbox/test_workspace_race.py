"""Ten seconds of swapping files and folders for links, pipes and hard links while all tools work: nothing escapes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.toolbox.workspace.opening import best_opener, by_kernel

RACE = Path(__file__).with_name("workspace_race.py")
SECONDS = 10
TOOLS = ("list_files", "read_file", "search_files", "write_file", "edit_file")
DONE = {"search_files": "not_found"}
"""What a call says that went its ordinary way: what is looked for stands outside alone."""
WAYS = ("by_kernel", "by_steps") if best_opener() is by_kernel else ("by_steps",)


def start(how: str, seconds: float) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, str(RACE), how, str(seconds)], stdout=subprocess.PIPE, text=True)


def found(process: "subprocess.Popen[str]") -> dict[str, Any]:
    with process:
        try:
            out, _ = process.communicate(timeout=90)
        finally:
            process.kill()
    assert process.returncode == 0
    return json.loads(out)


def test_nothing_escapes_in_ten_seconds_of_swapping() -> None:
    processes = [start(how, SECONDS) for how in WAYS]
    for how, seen in [(how, found(process)) for how, process in zip(WAYS, processes, strict=True)]:
        assert seen["escapes"] == [], how
        said, moves = seen["said"], seen["moves"]
        hit = sum(said.get(f"{tool} {kind}", 0) for tool in TOOLS for kind in ("link", "hard link", "pipe", "changed"))
        assert moves > 0
        assert hit > 0, (how, said)
        assert [tool for tool in TOOLS if not said.get(f"{tool} {DONE.get(tool, 'ok')}")] == [], (how, said)


def test_the_race_would_find_an_escape() -> None:
    """The same with tools that look first and open then, until they let something out."""
    assert found(start("careless", 60))["escapes"]


@pytest.mark.skipif(best_opener() is not by_kernel, reason="this system has no openat2, or forbids it")
def test_the_kernel_is_used_where_it_can_be() -> None:
    assert WAYS == ("by_kernel", "by_steps")
