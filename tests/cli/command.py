"""Runs the real command in a process of its own, as a user would."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

COMMAND = (sys.executable, "-m", "loopwright")
HEARING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from loopwright.cli.main import main
main()
"""
"""The command as from a terminal: a shell that runs the tests in its background lets its children ignore Ctrl-C."""


class Done(Struct, frozen=True):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The JSON lines of the standard output."""
        return [json.loads(line) for line in self.out.splitlines()]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment without anybody's keys or settings, with the journal in `folder`."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "VIRTUAL_ENV") if name in os.environ}
    return {
        **kept,
        "LOOPWRIGHT_JOURNAL": str(folder / "journal.db"),
        "LOOPWRIGHT_OFFLINE": "1",
        "LANG": "C.UTF-8",
        **more,
    }


def loopwright(
    *arguments: str, folder: Path, stdin: str = "", settings: Mapping[str, str] | None = None, timeout: float = 60
) -> Done:
    """Run `loopwright` in `folder` and wait for it."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env=environment(folder, **(settings or {})),
        timeout=timeout,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def start(arguments: Sequence[str], folder: Path, settings: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start `loopwright` and do not wait."""
    return subprocess.Popen(
        [sys.executable, "-c", HEARING, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(folder, **settings),
    )
