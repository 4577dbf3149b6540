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
WAYS = ("by_kernel", "by_steps") if best_opener() is by_kernel else ("by_steps",)


def start(how: str, seconds: float) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, str(RACE), how, str(seconds)], stdout=subprocess.PIPE, text=True)


def found(process: "subprocess.Popen[str]") -> dict[str, Any]:
    with process:
        out, _ = process.communicate(timeout=90)
    assert process.returncode == 0
    return json.loads(out)


def test_nothing_escapes_in_ten_seconds_of_swapping() -> None:
    processes = [start(how, SECONDS) for how in WAYS]
    for how, seen in [(how, found(process)) for how, process in zip(WAYS, processes, strict=True)]:
        said = seen["said"]
        assert seen["escapes"] == [], how
        for tool in ("read_file", "list_files", "write_file", "edit_file"):
            assert said[f"{tool} ok"] > 0, (how, said)
            assert said[f"{tool} link"] > 0, (how, said)
        assert said["search_files not_found"] > 0
        assert said["search_files link"] > 0
        for kind in ("read_file pipe", "read_file hard link", "edit_file hard link"):
            assert said[kind] > 0, (how, said)


def test_the_race_would_find_an_escape() -> None:
    """The same for a second with tools that look first and open then: outside is read and written."""
    seen = found(start("careless", 1))
    assert any(escape.startswith("read_file") for escape in seen["escapes"])


@pytest.mark.skipif(best_opener() is not by_kernel, reason="this system has no openat2, or forbids it")
def test_the_kernel_is_used_where_it_can_be() -> None:
    assert WAYS == ("by_kernel", "by_steps")
