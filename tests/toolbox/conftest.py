"""Says in one line when the tests of the sandbox did not run, because a run that is green must not hide it."""

import pytest
from sandbox_host import missing


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if reason := missing():
        terminalreporter.write_line(f"THE TESTS OF THE SANDBOX DID NOT RUN (tests/toolbox/test_sandbox_*.py): {reason}")
