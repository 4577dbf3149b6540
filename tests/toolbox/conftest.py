"""Says in one line when the tests of the sandbox did not run, because a run that is green must not hide it."""

import asyncio
import time
from pathlib import Path

import pytest
from sandbox_host import missing

from loopwright.toolbox.sandbox import Sandbox
from loopwright.toolbox.sandbox.python import bare_python

USUAL = 0.2
"""Seconds that a sandbox and a Python in it take where nothing else runs."""


@pytest.fixture(scope="session")
def pace(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How much longer things take on this machine now than usual; for limits of time that end a test."""
    folder: Path = tmp_path_factory.mktemp("pace")
    python = bare_python()
    began = time.monotonic()
    for _ in range(3):
        asyncio.run(Sandbox(folder).run([python.program, "-c", "import ctypes, subprocess"], shown=python.shown))
    return max(1.0, (time.monotonic() - began) / 3 / USUAL)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if reason := missing():
        terminalreporter.write_line(f"THE TESTS OF THE SANDBOX DID NOT RUN (tests/toolbox/test_sandbox_*.py): {reason}")
