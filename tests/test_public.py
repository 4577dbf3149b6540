"""The public surface: which names the package has, and that importing it loads nothing else."""

import subprocess
import sys

import loopwright
from loopwright import toolbox

NAMES = [
    "Agent",
    "Answer",
    "Approval",
    "Approve",
    "Artifact",
    "Call",
    "Cancel",
    "Example",
    "Exchange",
    "Limits",
    "LoopwrightError",
    "MemoryJournal",
    "Model",
    "Outcome",
    "Policy",
    "Replay",
    "Result",
    "RunResult",
    "Say",
    "Settings",
    "SqliteJournal",
    "TextArrived",
    "Tool",
    "ToolSpec",
    "Traces",
    "Turn",
    "Usage",
    "UsageError",
    "WaitsForPerson",
    "example_of",
    "person_tool",
    "tool",
]


def test_these_are_the_public_names_and_each_is_there() -> None:
    assert loopwright.__all__ == NAMES
    for name in NAMES:
        assert getattr(loopwright, name).__module__.startswith("loopwright.")
    assert set(NAMES) < set(dir(loopwright))


def test_the_toolbox_has_these_tools() -> None:
    names = [
        *("McpServer", "Workspace", "ask_person", "calculator", "convert_currency", "documents", "fetch_page"),
        *("from_langchain", "get_current_weather", "get_time", "mcp_tools", "openapi_tools"),
        *("project_commands", "project_tests", "wikipedia"),
    ]
    assert toolbox.__all__ == names
    assert [getattr(toolbox, name) is not None for name in names] == [True] * len(names)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    for package in (loopwright, toolbox):
        assert not hasattr(package, "nonsense")


def test_importing_the_package_loads_no_third_party_package() -> None:
    code = "import sys, loopwright; print(sorted({m.partition('.')[0] for m in sys.modules} & set(sys.argv[1:])))"
    heavy = ["aiohttp", "griffe", "msgspec", "pydantic", "rich", "typer", "xllamacpp", "genai_prices", "opentelemetry"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
