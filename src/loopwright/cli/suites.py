"""How the tests of a workspace are run: `[tests]` of its own `loopwright.toml`.

Owns what of that file is followed without trust: its command, because it only runs in a sandbox and is asked about;
not its limits.
"""

from collections.abc import Callable
from pathlib import Path

from loopwright.cli.project import Project, find_project, read_project
from loopwright.toolbox.suite import SuiteSettings


def chosen_suite(
    workspace: Path | None, file: Path | None, project: Project, notice: Callable[[str], None]
) -> SuiteSettings | None:
    """The settings for the tests of a workspace; None where there are none.

    Args:
        workspace: the folder that the model works in
        file: the `loopwright.toml` that is followed
        project: what it says
        notice: tells the person what is not followed

    Raises:
        UsageError: the workspace's own file cannot be read
    """
    own = find_project(workspace) if workspace is not None else None
    if own is None:
        return None
    if file is not None and own.samefile(file):
        return project.tests
    found = read_project(own).tests
    if found is None:
        return None
    kept = SuiteSettings(command=found.command)
    if kept != found:
        notice(
            f"tests: the limits in {own} are not followed, because the file was not agreed to; start from its folder"
        )
    return kept
