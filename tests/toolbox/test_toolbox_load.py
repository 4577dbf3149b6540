"""Tools by name, module and file."""

import sys
from pathlib import Path

import pytest
from msgspec import json

from loopwright.core.errors import UsageError
from loopwright.toolbox.load import DEFAULT, TOOLBOX, load_tools

FILE = """
from loopwright.tools.declare import tool
from loopwright.toolbox.clock import get_time

@tool
def add(left: int, right: int) -> int:
    "Adds."
    return left + right

@tool(effect="write")
def note(text: str) -> None:
    "Writes."

def plain(text: str) -> str:
    "Gives it back."
    return text

both = [add, plain]
nothing = []
number = 3
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "my_tools_module.py").write_text(FILE)
    (tmp_path / "broken_module.py").write_text("import nowhere_to_be_found\n")
    (tmp_path / "raises.py").write_text("\n1 / 0\n")
    (tmp_path / "syntax.py").write_text("def (\n")
    (tmp_path / "none.py").write_text("from loopwright.toolbox.clock import get_time\n")
    (tmp_path / "wrong.py").write_text("from loopwright.tools.declare import tool\n@tool\ndef f(x): 'Doc.'\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("text")
    monkeypatch.delitem(sys.modules, "my_tools_module", raising=False)
    return tmp_path


def names(*given: str, docs: Path | None = None) -> list[str]:
    return [tool.spec.name for tool in load_tools(given, docs)]


def test_short_names_in_the_order_given() -> None:
    assert names(*DEFAULT) == ["get_current_weather", "convert_currency", "calculator", "get_time"]
    assert names("clock", "calculator") == ["get_time", "calculator"]
    assert {"weather", "currency", "calculator", "clock", "search", "lookup", "read_file"} <= set(TOOLBOX)


def test_a_folder_brings_search_and_lookup(place: Path) -> None:
    assert names("clock", docs=place / "docs") == ["get_time", "search", "lookup"]
    assert names("lookup", "clock", docs=place / "docs") == ["get_time", "lookup"]
    with pytest.raises(UsageError, match="add --docs FOLDER"):
        names("search")


def test_a_workspace_brings_its_tools_or_those_that_are_named(place: Path) -> None:
    files = ["list_files", "read_file", "search_files", "write_file", "edit_file", "run_tests"]
    found = [tool.spec.name for tool in load_tools(["clock"], place / "docs", place)]
    assert found == ["get_time", "search", "lookup", *files]
    named = [tool.spec.name for tool in load_tools(["read_file", "clock", "list_files"], None, place)]
    assert named == ["get_time", "list_files", "read_file"]
    allowed = [tool.spec.name for tool in load_tools(["run_tests", "run_command"], None, place, commands=True)]
    assert allowed == ["run_tests", "run_command"]
    with pytest.raises(UsageError, match="run_command is off by default; add --allow-commands"):
        load_tools(["run_command"], None, place)
    with pytest.raises(UsageError, match="read_file needs a folder to work in; add --workspace FOLDER"):
        names("read_file")
    with pytest.raises(UsageError, match="no folder"):
        load_tools([], None, place / "my_tools_module.py")


def test_own_tools_by_module_and_file(place: Path) -> None:
    assert names("my_tools_module:add") == ["add"]
    assert names("my_tools_module:plain") == ["plain"]
    assert names("my_tools_module:both") == ["add", "plain"]
    assert names("my_tools_module.py") == ["add", "note"], "what a file only imports is not meant"
    assert names("my_tools_module.py:plain") == ["plain"]
    assert names(str(place / "my_tools_module.py"), "clock") == ["add", "note", "get_time"]


async def test_what_was_loaded_runs(place: Path) -> None:
    (add,) = load_tools(["my_tools_module.py:add"])
    assert json.decode((await add.run({"left": 1, "right": 2})).data) == 3


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("wether",), "there is no tool 'wether', did you mean weather?; the toolbox has weather"),
        (("",), "an empty name"),
        (("clock", "clock"), "a tool named get_time is given by clock twice"),
        (("my_tools_module:add", "my_tools_module.py"), "given by my_tools_module:add and by my_tools_module.py"),
        (("nowhere:add",), "there is no module 'nowhere'"),
        (("broken_module:add",), "module broken_module needs nowhere_to_be_found, which is not installed"),
        (("my_tools_module:sub",), "has no 'sub'; it has get_time, add, note"),
        (("my_tools_module:nothing",), "is an empty list"),
        (("my_tools_module:number",), "is of type int; it must be a tool"),
        (("my_tools_module.py:sub",), "is not there"),
        (("missing.py",), "there is no file missing.py"),
        (("raises.py",), "raises.py cannot be run: ZeroDivisionError: division by zero (line 2 of"),
        (("syntax.py",), "syntax.py cannot be run: SyntaxError"),
        (("none.py",), "none.py defines no tool; write `@tool`"),
        (("wrong.py",), "parameter 'x' has no type"),
    ],
)
def test_mistakes_are_told_with_what_to_do(place: Path, given: tuple[str, ...], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        names(*given)
    assert told in str(raised.value)
