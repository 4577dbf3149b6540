"""Every row of the table of what is refused: tried with both ways to open a path, and compared with the page."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hostile_paths import PAGE, ROWS, SECRET, Row, arguments_of, line_of, make_found, make_outside, told
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from loopwright.toolbox.workspace import Workspace
from loopwright.toolbox.workspace.names import fault_in_path, parts_of
from loopwright.toolbox.workspace.opening import Opener, best_opener, by_kernel, by_steps

WAYS = [
    pytest.param(
        by_kernel, id="openat2", marks=pytest.mark.skipif(best_opener() is by_steps, reason="no openat2 on this system")
    ),
    pytest.param(by_steps, id="steps"),
]
CHECKED_BEFORE = ("write_file", "edit_file")


class Host(Struct, frozen=True):
    """A workspace with everything hostile in it, and the outside beside it."""

    workspace: Path
    tools: dict[str, Any]
    missing: set[str]
    """What this user may not make."""


@pytest.fixture(scope="module", params=WAYS)
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    opener: Opener = request.param
    with TemporaryDirectory(prefix="w") as place:
        workspace = make_outside(Path(place).resolve())
        missing = make_found(workspace)
        before = everything(workspace.parent)
        tools = {tool.spec.name: tool for tool in Workspace(workspace, opener=opener).tools}
        yield Host(workspace, tools, missing)
        assert everything(workspace.parent) == before, "something was changed, although all was refused"


def everything(place: Path) -> dict[str, Any]:
    """What lies in a folder: kind, content, and when it was changed."""
    return {
        str(path.relative_to(place)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() and not path.is_symlink() else b"",
        )
        for path in sorted(place.rglob("*"))
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.what} {row.tool}")
def test_it_is_refused_and_the_model_is_told_what_the_page_says(row: Row, host: Host) -> None:
    if row.path in host.missing:
        pytest.skip(f"this user may not make {row.path}")
    words = told(row, host.workspace, host.tools)
    assert SECRET not in words
    assert line_of(row, words) in PAGE.read_text(encoding="utf-8").splitlines(), "run tests/toolbox/hostile_paths.py"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.what} {row.tool}")
def test_nobody_is_asked_about_a_change_that_is_refused(row: Row, host: Host) -> None:
    if row.tool not in CHECKED_BEFORE or row.path in host.missing:
        return
    tool, arguments = host.tools[row.tool], arguments_of(row, host.workspace)
    words = tool.check(arguments)
    assert words == tool.run_blocking(arguments).error.partition(": ")[2]
    assert tool.preview(arguments) == f"this would be refused: {words}"


def test_the_table_is_long_and_the_page_has_no_other_rows() -> None:
    lines = PAGE.read_text(encoding="utf-8").partition("<!-- hostile -->")[2].splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| what |")]
    assert len(rows) == len(ROWS) >= 60


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_a_path_that_is_taken_names_a_place_beneath(path: str) -> None:
    """For any text: it is refused in words, or its names are plain ones, of which none leads up."""
    fault = fault_in_path(path, "/somewhere")
    assert fault.isprintable()
    if not fault:
        parts = parts_of(path)
        assert "/".join(parts) == ("" if path == "." else path)
        assert all(part not in ("", ".", "..") and "\\" not in part and "\0" not in part for part in parts)


pieces = st.lists(st.sampled_from(["a", "src", "..", ".", "", "~", "C:", " ", "\\", "a.py", "\u202e", "é", "e\u0301"]))


@given(pieces, st.sampled_from(["/", "//", "\\", "/./"]))
@settings(max_examples=300, deadline=None)
def test_no_mixture_of_odd_names_leads_upwards(names: list[str], between: str) -> None:
    path = between.join(names)
    if not fault_in_path(path, "/somewhere"):
        assert ".." not in path.split("/")
        assert not path.startswith("/")
