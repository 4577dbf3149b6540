"""What the reading tools of a workspace show, and what they say of what they do not show."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from loopwright.core.messages import Result
from loopwright.toolbox.workspace import Workspace
from loopwright.toolbox.workspace.files import WorkspaceLimits
from loopwright.toolbox.workspace.matching import glob_matches
from loopwright.toolbox.workspace.tools import PAGE


class Used:
    """The tools of one workspace by name."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self._tools = {tool.spec.name: tool for tool in Workspace(folder, **settings).tools}

    def __call__(self, name: str, **arguments: Any) -> Result:
        return self._tools[name].run_blocking(arguments)

    def data(self, name: str, **arguments: Any) -> Any:
        result = self(name, **arguments)
        assert result.status == "ok", result.error
        return json.decode(result.data)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "main.py": "import sys\n\nprint('Hello')\n",
        "README": "Says hello.\n",
        "src/parse.py": "def parse(text):\n    return text.split()\n",
        "src/deep/er/note.md": "hello from below\n",
        "node_modules/x/index.js": "hello\n",
        ".git/config": "hello\n",
        "image.png": "hello\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_these_are_the_tools_and_what_they_do_to_the_world(folder: Path) -> None:
    specs = [tool.spec for tool in Workspace(folder).tools]
    assert [(spec.name, spec.effect, spec.repeatable) for spec in specs] == [
        ("list_files", "read", True),
        ("read_file", "read", True),
        ("search_files", "read", True),
        ("write_file", "write", False),
        ("edit_file", "write", False),
    ]
    assert not any(spec.trusted_output for spec in specs), "files hold what others wrote"


def test_a_list_shows_near_files_first_and_says_what_it_leaves_out(folder: Path) -> None:
    (folder / "link.txt").symlink_to("main.py")
    (folder / "odd\u202e.txt").write_text("")
    used = Used(folder)
    result = used("list_files")
    assert json.decode(result.data) == [
        "README (12 bytes)",
        "main.py (27 bytes)",
        "node_modules/",
        "src/",
        "src/deep/",
        "src/parse.py (41 bytes)",
        "src/deep/er/",
        "src/deep/er/note.md (17 bytes)",
    ]
    assert result.note == (
        "left out: 1 hidden, 1 of other kinds, 1 symbolic links, 1 what is in node_modules/, 1 with odd names"
    )
    assert used.data("list_files", folder="node_modules/x") == ["node_modules/x/index.js (6 bytes)"]
    assert used.data("list_files", pattern="*.md") == ["src/deep/er/note.md (17 bytes)"]
    assert used.data("list_files", folder="src", pattern="src/**/*.py") == ["src/parse.py (41 bytes)"]
    assert used("list_files", pattern="*.rs").error.startswith("NotFound: no file fits '*.rs' (left out: ")
    assert used("list_files", folder="nowhere").status == "not_found"


def test_a_name_that_is_no_text_is_left_out_and_counted(folder: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/\xff.txt")).write_text("")
    except OSError:
        pytest.skip("this file system takes no such name")
    assert "1 with odd names" in Used(folder)("list_files").note


def test_a_long_list_is_cut_and_says_so(folder: Path) -> None:
    result = Used(folder, limits=WorkspaceLimits(listed=3))("list_files")
    assert json.decode(result.data) == ["README (12 bytes)", "main.py (27 bytes)", "node_modules/"]
    assert "the first 3 are shown, nearest folders first; name a folder or a pattern" in result.note
    few = Used(folder, limits=WorkspaceLimits(walked=2))("list_files")
    assert (len(json.decode(few.data)), "only 2 were looked at" in few.note) == (2, True)
    none = Used(folder, limits=WorkspaceLimits(seconds=-1))("list_files")
    assert (json.decode(none.data), "the time was over" in none.note) == ([], True)


def test_hidden_names_and_other_suffixes_are_offered_where_it_is_said(folder: Path) -> None:
    (folder / ".git" / ".env").write_text("key")
    used = Used(folder, hidden=(".git", ".env"), suffixes=(".png",))
    assert used.data("list_files") == [".git/", "README (12 bytes)", "image.png (6 bytes)", "node_modules/", "src/",
                                       "src/deep/", "src/deep/er/"]  # fmt: skip
    assert "may hold keys" in used("read_file", path=".git/.env").error, "also where its name is given"


def test_a_file_is_read_whole_or_in_whole_lines(folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 1001)))
    used = Used(folder)
    assert used.data("read_file", path="main.py") == "import sys\n\nprint('Hello')"
    assert used.data("read_file", path="main.py", numbered=True) == "1\timport sys\n2\t\n3\tprint('Hello')"
    first = used("read_file", path="long.txt", lines=2)
    assert (json.decode(first.data), first.note) == (
        "line 1\nline 2",
        "lines 1 to 2 of 1000; 998 lines left: go on with first=3",
    )
    last = used("read_file", path="long.txt", first=1000)
    assert (json.decode(last.data), last.note) == ("line 1000", "lines 1000 to 1000 of 1000")
    assert used("read_file", path="long.txt", first=999, lines=1).note.endswith("1 line left: go on with first=1000")
    assert used("read_file", path="long.txt", first=1001).error == "NotFound: line 1001: 'long.txt' has 1000 lines"


def test_a_page_ends_where_the_next_line_would_not_fit(folder: Path) -> None:
    (folder / "wide.txt").write_text(f"{'a' * 9_000}\n{'b' * 9_000}\n{'c' * (PAGE + 1)}\nd\n")
    used = Used(folder)
    first = used("read_file", path="wide.txt")
    assert (json.decode(first.data), first.note) == (
        "a" * 9_000,
        "lines 1 to 1 of 4; 3 lines left: go on with first=2",
    )
    third = used("read_file", path="wide.txt", first=3)
    assert json.decode(third.data) == "c" * PAGE
    assert third.note == (
        "line 3 of 4 has 16001 characters and its first 16000 are shown; search_files shows what stands around a text "
        "in it, and first=4 goes on behind it"
    )


@pytest.mark.parametrize(
    ("content", "text", "note"),
    [
        (b"", "", "the file is empty"),
        (b"no end", "no end", ""),
        (b"a\r\nb\r\n", "a\nb", r"the lines end with \r\n"),
        (b"\xef\xbb\xbfmarked\n", "marked", ""),
        ("wide \u00e9\n".encode("utf-16"), "wide \u00e9", "the file is UTF-16-LE"),
        (
            b"fine\ncaf\xe9 \xff\n\xef\xbf\xbd\n",
            "fine\ncaf\ufffd \ufffd\n\ufffd",
            "2 characters are not UTF-8, the first in line 2; shown as \ufffd",
        ),
    ],
    ids=["empty", "no end", "windows", "mark", "utf-16", "latin-1"],
)
def test_what_is_odd_about_a_text_is_said(content: bytes, text: str, note: str, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_bytes(content)
    result = Used(tmp_path)("read_file", path="odd.txt")
    assert (json.decode(result.data), result.note) == (text, note)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the system's user may read everything")
def test_a_file_that_the_user_may_not_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("secret")
    (tmp_path / "mine.txt").chmod(0)
    assert "may not be opened by the user" in Used(tmp_path)("read_file", path="mine.txt").error


def test_a_workspace_that_is_replaced_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    used = Used(tmp_path / "one")
    (tmp_path / "one").rename(tmp_path / "aside")
    assert "cannot be opened any more" in used("list_files").error
    (tmp_path / "one").symlink_to(tmp_path)
    assert "cannot be opened any more" in used("list_files").error
    (tmp_path / "one").unlink()
    (tmp_path / "one").mkdir()
    assert "was replaced by another folder" in used("list_files").error


def test_a_search_shows_path_line_and_text(folder: Path) -> None:
    used = Used(folder)
    assert (
        used.data("search_files", pattern="hello")
        == ["src/deep/er/note.md:1: hello from below", "README:1: Says hello."][::-1]
    )
    assert used.data("search_files", pattern="HELLO", ignore_case=True) == [
        "README:1: Says hello.",
        "main.py:3: print('Hello')",
        "src/deep/er/note.md:1: hello from below",
    ]
    assert used.data("search_files", pattern="hello", glob="*.md") == ["src/deep/er/note.md:1: hello from below"]
    assert used.data("search_files", pattern="t.*t", path="src/parse.py", regex=True) == [
        "src/parse.py:1: def parse(text):",
        "src/parse.py:2:     return text.split()",
    ]
    assert used.data("search_files", pattern="^HE", regex=True, ignore_case=True) == [
        "src/deep/er/note.md:1: hello from below"
    ]
    missing = used("search_files", pattern="nothing like it", path="src")
    assert (missing.status, missing.error) == ("not_found", "NotFound: no line holds the text")
    assert used("search_files", pattern="x{9}", regex=True, path="src").error == (
        "NotFound: the regular expression fits no line"
    )


def test_a_search_says_what_it_did_not_look_at(folder: Path) -> None:
    (folder / "zeros.txt").write_bytes(b"hello\0")
    (folder / "huge.txt").write_bytes(b"hello\n" * 400_000)
    result = Used(folder)("search_files", pattern="hello")
    assert "1 files are no text or hold a key" in result.note
    assert "1 files cannot be read or are too large" in result.note
    some = Used(folder, limits=WorkspaceLimits(matches=1))("search_files", pattern="hello")
    assert json.decode(some.data) == ["README:1: Says hello."]
    assert "the first 1 lines are shown, and there are more; narrow the pattern or the path" in some.note
    little = Used(folder, limits=WorkspaceLimits(searched_bytes=20))("search_files", pattern="hello")
    assert "not all files were searched: there is too much text" in little.note


def test_a_long_line_is_shown_around_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 500 + "needle" + "b" * 500)
    (row,) = Used(tmp_path).data("search_files", pattern="needle")
    assert row.startswith("a.txt:1: …a")
    assert "needle" in row
    assert row.endswith("b…")
    assert len(row) < 300


def test_a_regular_expression_that_never_ends_is_ended(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 60 + "\n")
    used = Used(tmp_path, limits=WorkspaceLimits(seconds=1))
    began = time.monotonic()
    result = used("search_files", pattern="(a+)+b", regex=True)
    assert result.error.startswith("PatternRefused: the regular expression takes too long on these texts")
    assert time.monotonic() - began < 60, "else it would have taken years"


def test_what_was_found_before_the_time_was_over_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.toolbox.workspace.search.BATCH", 10)
    (tmp_path / "a.txt").write_text("aaaaaaaaab\n")
    (tmp_path / "b.txt").write_text("a" * 60 + "\n")
    result = Used(tmp_path, limits=WorkspaceLimits(seconds=2))("search_files", pattern="(a+)+b", regex=True)
    assert json.decode(result.data) == ["a.txt:1: aaaaaaaaab"]
    assert "takes too long" in result.note
    assert result.note.endswith("this is what was found before")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("(", "cannot be read: missing )"), ("a{99999999999}", "cannot be read"), ("(?P<a>x)(?P<a>y)", "cannot be read")],
)
def test_a_regular_expression_that_is_none_is_refused(pattern: str, words: str, folder: Path) -> None:
    assert words in Used(folder)("search_files", pattern=pattern, regex=True).error


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/very/deep/a.py", True),
        ("src/**", "src/very/deep/a.py", True),
        ("**", "a.py", True),
        ("**/test_*.py", "test_a.py", True),
        ("**/a/**/b.py", "x/a/y/z/b.py", True),
        ("**/a/**/b.py", "x/y/b.py", False),
        ("/src/a.py/", "src/a.py", True),
        ("[ab].py", "b.py", True),
        ("*/" * 20 + "*.py", "a/" * 20 + "a.py", True),
    ],
)
def test_patterns_of_names(pattern: str, path: str, fits: bool) -> None:
    assert glob_matches(pattern, path.split("/")) == fits
