"""Runs the real command in a pseudo-terminal, and keeps what it showed."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from command import HEARING, environment


class Terminal:
    """A command at a terminal of 80 columns; standard input, output and error are all it."""

    def __init__(self, arguments: Sequence[str], folder: Path, settings: Mapping[str, str]) -> None:
        self.shown = b""
        self._own, theirs = pty.openpty()
        more = {"TERM": "xterm-256color", "COLUMNS": "80", **settings}
        self.process = subprocess.Popen(
            [sys.executable, "-c", HEARING, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=environment(folder, **more),
        )
        os.close(theirs)

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._own, keys)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Read what is shown until something is so."""
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, self.shown.decode(errors="replace")
            self._read()

    def wait_to_see(self, text: str) -> None:
        """Read until this was shown."""
        self.wait_for(lambda: text.encode() in self.shown)

    def end(self) -> int:
        """Read to the end, and give the exit code."""
        self.wait_for(lambda: self.process.poll() is not None)
        while self._read():
            pass
        return self.process.returncode

    def close(self) -> None:
        """End the command, whatever it does."""
        self.process.kill()
        self.process.wait()
        os.close(self._own)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._own], [], [], 0.02)
        if not ready:
            return False
        try:
            data = os.read(self._own, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += data
        return bool(data)
