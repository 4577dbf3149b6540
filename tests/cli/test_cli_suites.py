"""`[tests]` of loopwright.toml, run_tests and run_command, from the command line."""

from pathlib import Path
from typing import Any

import pytest
from command import Done, loopwright

from loopwright.cli.project import Project
from loopwright.cli.setup import Recipe
from loopwright.cli.suites import chosen_suite
from loopwright.cli.trust import consequences
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import Line, answers, calls
from loopwright.toolbox.sandbox import SandboxMissing
from loopwright.toolbox.sandbox.bubblewrap import this_machine
from loopwright.toolbox.suite import SuiteSettings

ALLOWED = """
[[policy]]
permission = "allow"
effect = "execute"
"""
CHECK = """
[tests]
command = ["sh", "check.sh"]
"""


def missing() -> str:
    """Why no sandbox can be made here; empty where one can."""
    try:
        this_machine()
    except SandboxMissing as reason:
        return str(reason)
    return ""


needs_sandbox = pytest.mark.skipif(bool(missing()), reason=f"no sandbox: {missing()}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "check.sh").write_text("echo checked; touch mark; ulimit -f || true")
    return tmp_path / "project"


def ask(folder: Path, *options: str, call: Line) -> Done:
    """A run of one call."""
    with ChatServer([call, answers("Done.")]) as server:
        model = ("--model", "openai:any", "--base-url", server.base_url, "--json")
        return loopwright("ask", "Go.", *model, *options, folder=folder, settings={"OPENAI_API_KEY": "none"})


def result(done: Done) -> dict[str, Any]:
    assert done.code == 0, done.err
    (ended,) = [event for event in done.events if event["type"] == "call_ended"]
    return ended["result"]


@needs_sandbox
def test_the_command_of_the_folder_runs_where_a_rule_allows_it(project: Path) -> None:
    (project / "loopwright.toml").write_text(f"{CHECK}disk_mb = 8\n{ALLOWED}")
    told = result(ask(project, "--workspace", ".", "--trust", call=calls("run_tests")))["data"]
    assert (told["outcome"], told["output"]) == ("passed", f"checked\n{8 * 1024 * 1024 // 512}")
    assert sorted(path.name for path in project.iterdir() if path.name != "journal.db") == [
        "check.sh",
        "loopwright.toml",
    ]


@needs_sandbox
def test_of_a_file_that_is_not_followed_only_the_command_counts(project: Path, tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text(ALLOWED)
    (project / "loopwright.toml").write_text(f'{CHECK}disk_mb = 8\n[[policy]]\npermission = "deny"\n')
    done = ask(tmp_path, "--workspace", "project", "--trust", call=calls("run_tests"))
    assert result(done)["data"]["output"] == f"checked\n{512 * 1024 * 1024 // 512}"
    notices = list[str]()
    chosen_suite(project, tmp_path / "loopwright.toml", Project(), notices.append)
    (notice,) = notices
    assert notice.startswith(f"tests: the limits in {project}/loopwright.toml are not followed")


@needs_sandbox
def test_a_command_that_is_allowed_runs_on_the_copy(project: Path) -> None:
    (project / "loopwright.toml").write_text(ALLOWED)
    options = ("--workspace", ".", "--trust", "--allow-commands", "--tools", "run_command")
    told = result(
        ask(project, *options, call=calls("run_command", command="sh check.sh 2>&1 | head -1; ls *.sh *.toml mark"))
    )["data"]
    assert told["output"] == "checked\ncheck.sh\nloopwright.toml\nmark"
    assert not (project / "mark").exists()


def test_without_a_rule_and_without_a_person_nothing_runs(project: Path) -> None:
    denied = result(ask(project, "--workspace", ".", "--tools", "run_tests", call=calls("run_tests")))
    assert denied["status"] == "error"
    assert "data" not in denied


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--allow-commands",), "add --workspace FOLDER"),
        (("--tools", "run_command", "--workspace", "."), "run_command is off by default; add --allow-commands"),
        (("--tools", "run_tests"), "run_tests needs a folder to work in; add --workspace FOLDER"),
    ],
)
def test_what_does_not_fit_together_is_told(project: Path, options: tuple[str, ...], told: str) -> None:
    done = loopwright("ask", "Go.", "--model", "openai:any", *options, folder=project)
    assert done.code == 2
    assert told in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{CHECK}seconds = 999\nmemory_mb = 9000", "let its tests use seconds = 999, memory_mb = 9000"),
        (f"{CHECK}seconds = 0", "seconds is 0; it must be above 0"),
        ("[tests]\ncommand = []", "command is empty"),
        (f"{CHECK}minutes = 2", "minutes"),
    ],
)
def test_limits_above_the_usual_and_mistakes_are_said_before_anything_runs(project: Path, text: str, told: str) -> None:
    (project / "loopwright.toml").write_text(text)
    done = loopwright("ask", "Go.", "--model", "openai:any", "--workspace", ".", folder=project)
    assert done.code == 2
    assert told in " ".join(done.err.split())


def test_a_strange_journal_gives_tests_no_more_without_leave() -> None:
    recipe = Recipe(model="local", tests=SuiteSettings(processes=9_999))
    assert consequences(recipe) == ["let its tests use processes = 9999"]
    assert consequences(Recipe(model="local", tests=SuiteSettings(command=("make",)))) == []
