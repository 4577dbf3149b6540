"""A coding agent: it finds out why a test fails, changes the code once you agree, and runs the tests again.

    .venv/bin/python examples/coding_agent.py

The tests run in a sandbox, on a copy of the folder, so they run without asking; each change is shown first. It wants a
bigger model than the embedded one: name it in LOOPWRIGHT_MODEL, or set a provider's key.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright import Agent, Policy, ToolSpec
from loopwright.core.messages import Call
from loopwright.engine.ports import PreviewingTool
from loopwright.toolbox import Workspace, project_tests
from loopwright.tools.policy import Rule

PROJECT = Path(__file__).parent / "parcel"
TASK = "A test of this project fails. Find out why, change the code so that all tests pass, and say what was wrong."


def work(folder: Path) -> None:
    """Let the agent work in a folder, and print its answer."""
    workspace = Workspace(folder)
    tools = {tool.spec.name: tool for tool in workspace.tools}

    def agreed(call: Call, _tool: ToolSpec) -> bool:
        shown = tools[call.tool]
        print(shown.preview(call.arguments) if isinstance(shown, PreviewingTool) else call)
        return input("Do that? [y/N] ") == "y"

    agent = Agent(
        tools=[*workspace.tools, project_tests(folder)],
        policy=Policy((Rule("allow", tool="run_tests", tainted="allow"),)),
        approve=agreed,
    )
    result = agent.run_sync(TASK)
    print(result.answer or result.reason)


def main() -> None:
    """Work on a copy, so that the example can be run again."""
    with TemporaryDirectory() as temporary:
        work(Path(shutil.copytree(PROJECT, Path(temporary) / "parcel")))


if __name__ == "__main__":
    main()
