"""`run_tests` and `run_command`: what a model may execute in a project, on a temporary copy in a sandbox.

Owns the commands and what their output means for the model. The sandbox itself is in `sandbox`; without one, nothing is
run, and the result says so.
"""

import re
import signal
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import Field

from loopwright.core.messages import Result
from loopwright.toolbox.sandbox import (
    Bounds,
    Ending,
    Python,
    Sandbox,
    SandboxFailed,
    SandboxMissing,
    TooLarge,
    project_python,
)
from loopwright.toolbox.sandbox.run import ENVIRONMENT
from loopwright.toolbox.suite import PATH, SuiteSettings
from loopwright.tools.declare import FunctionTool, tool
from loopwright.tools.result import error, failure, not_found, ok

FAILURES = 30
"""Failures that are listed; all are counted."""
_FRAME = 8_000
"""Characters of a result beside the output."""
THROWN_AWAY = "it ran on a temporary copy without network; what it wrote is gone"

Outcome = Literal["passed", "failed", "no tests", "could not run", "stopped"]

TestPath = Annotated[
    str,
    Field(max_length=500, description="a file or folder of tests, or file.py::test_name; empty for all tests"),
]
Line = Annotated[str, Field(min_length=1, max_length=4_000, description="a line for the shell")]

_COUNT = re.compile(r"(\d+) (passed|failed|skipped|xfailed|xpassed|errors?|deselected)\b")
_SUMMARY = re.compile(
    r"^=*\s*(?:\d+ [a-z]+(?:, )?)+ in \d[\d.]*s\b.*$|^=*\s*no tests (?:ran|collected).*$", re.MULTILINE
)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*)$", re.MULTILINE)
_PYTEST_CODES: dict[int, Outcome] = {
    0: "passed",
    1: "failed",
    2: "could not run",
    3: "could not run",
    4: "could not run",
    5: "no tests",
}


def project_tests(folder: Path | str, settings: SuiteSettings | None = None) -> FunctionTool[..., Any]:
    """The tool `run_tests` for the project in `folder`.

    Its effect is ``execute``: by default a person is asked. It changes nothing outside of its sandbox, so a rule may
    allow it: ``Rule("allow", tool="run_tests")``. Where no sandbox can be made, every call is refused.

    Raises:
        UsageError: the folder is none, or cannot be worked on
    """
    asked = settings or SuiteSettings()
    runner = _Runner(Path(folder), asked)

    @tool(effect="execute", repeatable=True, trusted_output=False, max_chars=asked.output_chars + _FRAME)
    async def run_tests(path: TestPath = "") -> Result:
        """Run the project's tests and report which failed and why.

        They run on a temporary copy, without network and with limits on time and memory.
        """
        if wrong := _wrong_path(runner.folder, path):
            return wrong
        if path and PATH not in asked.command:
            return error("UsageError: the tests of this project run all together; leave path out")
        return await runner.run(_filled(asked.command, path), _tests_told)

    return run_tests


def project_commands(folder: Path | str, bounds: Bounds | None = None) -> FunctionTool[..., Any]:
    """The tool `run_command` for the project in `folder`: a line for the shell, in the same sandbox.

    Raises:
        UsageError: the folder is none, or cannot be worked on
    """
    allowed = bounds or Bounds()
    runner = _Runner(Path(folder), allowed)

    @tool(effect="execute", repeatable=True, trusted_output=False, max_chars=allowed.output_chars + _FRAME)
    async def run_command(command: Line) -> Result:
        """Run a command of the shell on a temporary copy of the project; what it writes is thrown away.

        There is no network. Use it to look at things or to try them, not to change files.
        """
        return await runner.run(("sh", "-c", command), _command_told)

    return run_command


class _Runner:
    """A project's sandbox and Python."""

    def __init__(self, folder: Path, bounds: Bounds) -> None:
        self._sandbox = Sandbox(folder, bounds)
        self.folder = self._sandbox.folder

    async def run(self, command: Sequence[str], told: Any) -> Result:
        python = project_python(self.folder)
        command = [python.program if part == "python" else part for part in command]
        path = f"{Path(python.program).parent}:{ENVIRONMENT['PATH']}"
        try:
            ending = await self._sandbox.run(command, environment={"PATH": path}, shown=python.shown)
        except SandboxMissing as missing:
            return error(f"SandboxMissing: {missing}. Nothing was run.")
        except (SandboxFailed, TooLarge) as raised:
            return failure(raised)
        return told(ending, python)


def _filled(command: tuple[str, ...], path: str) -> list[str]:
    return [part.replace(PATH, path) for part in command if path or part != PATH]


def _wrong_path(folder: Path, path: str) -> Result | None:
    """Why no tests can lie there; None where they can."""
    place = path.partition("::")[0]
    parts = PurePosixPath(place)
    if not path:
        return None
    if parts.is_absolute() or ".." in parts.parts or "\0" in place or place.startswith(("-", "~")):
        return error(f"UsageError: {path!r} is no path beneath the project; give one such as tests/test_name.py")
    if not (folder / parts).exists():
        return not_found(f"there is no {place!r} in the project")
    return None


def _tests_told(ending: Ending, python: Python) -> Result:
    """What the model is told of tests."""
    if "No module named pytest" in ending.output and ending.exit_code == 1:
        return error(
            f"ToolError: pytest is not installed in {python.program}; install it there, or name another command in "
            "[tests] of loopwright.toml"
        )
    return ok(described(ending), note=_note(ending))


def described(ending: Ending) -> dict[str, Any]:
    """What tests said: outcome, counts and failures, then how they ended and the end of their output."""
    summary = ["", *_SUMMARY.findall(ending.output)][-1]
    told: dict[str, Any] = {"outcome": _outcome(ending), **_counts(summary)}
    if failures := _FAILED.findall(ending.output):
        told["failures"] = failures[:FAILURES]
    return {**told, **_how_it_ended(ending)}


def _outcome(ending: Ending) -> Outcome:
    if ending.exit_code is None or ending.exit_code > 128:
        return "stopped"
    return _PYTEST_CODES.get(ending.exit_code, "failed")


def _counts(summary: str) -> dict[str, Any]:
    return {("errors" if what == "error" else what): int(count) for count, what in _COUNT.findall(summary)}


def _command_told(ending: Ending, _: Python) -> Result:
    return ok(_how_it_ended(ending), note=_note(ending))


def _how_it_ended(ending: Ending) -> dict[str, Any]:
    told: dict[str, Any] = {"exit_code": ending.exit_code}
    if stopped := next((hit for hit in ending.hits if hit.ended_it), None):
        told = {"stopped_for": f"more than {stopped.detail}"}
    elif ending.exit_code is not None and ending.exit_code > 128:
        told["stopped_for"] = _signal(ending.exit_code - 128)
    if refused := [hit.detail for hit in ending.hits if not hit.ended_it]:
        told["limits_reached"] = refused
    return {**told, "seconds": ending.seconds, "output": ending.output.strip()}


def _signal(number: int) -> str:
    try:
        return f"signal {signal.Signals(number).name}"
    except ValueError:
        return f"signal {number}"


def _note(ending: Ending) -> str:
    missing = f"; not in the copy: {', '.join(ending.left_out)}" if ending.left_out else ""
    return f"{THROWN_AWAY}{missing}"
