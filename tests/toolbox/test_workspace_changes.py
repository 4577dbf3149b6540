"""Writing and editing in a workspace: what changes, what stays, and what the person is shown beforehand."""

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from loopwright.core.messages import Result
from loopwright.engine.ports import PreviewingTool
from loopwright.toolbox.workspace import Workspace
from loopwright.toolbox.workspace.beneath import Beneath, PathRefused
from loopwright.toolbox.workspace.content import Text, decoded
from loopwright.toolbox.workspace.edits import EditRefused, difference, edited
from loopwright.toolbox.workspace.files import WorkspaceLimits
from loopwright.toolbox.workspace.opening import by_steps


class Used:
    """The tools of one workspace by name."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.tools = {tool.spec.name: tool for tool in Workspace(folder, **settings).tools}

    def write(self, path: str, content: str, *, overwrite: bool = False) -> Result:
        return self.tools["write_file"].run_blocking({"path": path, "content": content, "overwrite": overwrite})

    def edit(self, path: str, old: str, new: str) -> Result:
        return self.tools["edit_file"].run_blocking({"path": path, "old": old, "new": new})

    def preview(self, name: str, **arguments: Any) -> str:
        tool = self.tools[name]
        assert isinstance(tool, PreviewingTool)
        return tool.preview(arguments)


def test_a_new_file_is_made_with_its_folders(tmp_path: Path) -> None:
    result = Used(tmp_path).write("src/deep/new.py", "a = 1\nb = 2")
    assert json.decode(result.data) == {"path": "src/deep/new.py", "bytes": 11, "lines": 2, "created": True}
    assert result.note == "the folder 'src' is made; the folder 'src/deep' is made"
    assert (tmp_path / "src" / "deep" / "new.py").read_bytes() == b"a = 1\nb = 2"
    assert [path.name for path in (tmp_path / "src" / "deep").iterdir()] == ["new.py"], "nothing temporary is left"


def test_a_new_file_has_the_permissions_that_the_user_gives_new_files(tmp_path: Path) -> None:
    (tmp_path / "usual.txt").write_text("")
    Used(tmp_path).write("new.txt", "")
    assert (tmp_path / "new.txt").stat().st_mode == (tmp_path / "usual.txt").stat().st_mode


def test_a_file_is_replaced_only_where_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")
    (tmp_path / "a.py").chmod(0o750)
    used = Used(tmp_path)
    refused = used.write("a.py", "new\n")
    assert "is there already, with 1 line; edit_file changes a part of it, and overwrite=true" in refused.error
    assert (tmp_path / "a.py").read_text() == "old\n"
    done = used.write("a.py", "new\n", overwrite=True)
    assert json.decode(done.data) == {"path": "a.py", "bytes": 4, "lines": 1, "first_line": 1}
    assert (tmp_path / "a.py").read_text() == "new\n"
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o750


def test_a_file_with_the_rights_of_another_user_loses_them(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("old\n")
    (tmp_path / "a.sh").chmod(0o4755)
    Used(tmp_path).write("a.sh", "new\n", overwrite=True)
    assert stat.S_IMODE((tmp_path / "a.sh").stat().st_mode) == 0o755


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the system's user gives files away")
def test_a_file_that_is_replaced_keeps_its_owner(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")
    try:
        os.chown(tmp_path / "a.py", 1234, 1235)
    except OSError:
        pytest.skip("not in this container")
    Used(tmp_path).edit("a.py", "old", "new")
    found = (tmp_path / "a.py").stat()
    assert (found.st_uid, found.st_gid) == (1234, 1235)


def test_what_a_replaced_file_loses_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("a\r\nb\r\n".encode("utf-16"))
    result = Used(tmp_path).write("a.txt", "a\n", overwrite=True)
    assert result.note == (
        r"lines ended with \r\n before and end with \n now; "
        "the file was UTF-16-LE with a byte order mark and is plain UTF-8 now"
    )


def test_nothing_is_written_where_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("old\n")

    def full(_descriptor: int, _data: object) -> int:
        raise OSError(28, "No space left on device")

    used = Used(tmp_path)
    monkeypatch.setattr("os.write", full)
    assert used.write("a.py", "new\n", overwrite=True).error == "OSError: [Errno 28] No space left on device"
    assert used.write("b.py", "new\n").status == "error"
    monkeypatch.undo()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.py": "old\n"}


def test_a_write_that_takes_several_calls_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def little(descriptor: int, data: memoryview) -> int:
        return write(descriptor, data[:3])

    monkeypatch.setattr("os.write", little)
    Used(tmp_path).write("a.txt", "0123456789")
    monkeypatch.undo()
    assert (tmp_path / "a.txt").read_text() == "0123456789"


def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")
    beneath = Beneath(tmp_path)
    with beneath.file(("a.py",)) as (_, before):
        pass
    (tmp_path / "a.py").write_text("somebody else's\n")
    with pytest.raises(PathRefused, match="was changed by somebody else meanwhile; read it again"):
        beneath.put(("a.py",), b"new\n", before)
    with pytest.raises(PathRefused, match="was made by somebody else meanwhile; read it first"):
        beneath.put(("a.py",), b"new\n", None)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.py": "somebody else's\n"}


def test_a_file_is_made_where_the_system_has_no_move_that_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.toolbox.workspace.opening._system", lambda: object())
    assert Used(tmp_path, opener=by_steps).write("a.py", "new\n").status == "ok"
    beneath = Beneath(tmp_path, by_steps)
    with pytest.raises(PathRefused, match="was made by somebody else meanwhile"):
        beneath.put(("a.py",), b"other\n", None)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.py": "new\n"}
    assert (tmp_path / "a.py").stat().st_nlink == 1


def test_edits_side_by_side_do_not_lose_each_other(tmp_path: Path) -> None:
    """All calls of one turn run at once."""
    (tmp_path / "a.txt").write_text("".join(f"<{number}>\n" for number in range(40)))
    used, ready = Used(tmp_path), threading.Barrier(8)

    def edit(number: int) -> str:
        if number < 8:
            ready.wait()
        return used.edit("a.txt", f"<{number}>", f"done {number}").status

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(edit, range(40))) == {"ok"}
    assert (tmp_path / "a.txt").read_text() == "".join(f"done {number}\n" for number in range(40))


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\nb\nc\n", "b", "B", b"a\nB\nc\n"),
        (b"a\r\nb\r\nc\r\n", "b\nc", "B\nX\nC", b"a\r\nB\r\nX\r\nC\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "A", b"A\r\n"),
        (b"a\r\nb\nc\r\nd\r\n", "c", "C\nE", b"a\r\nb\nC\r\nE\r\nd\r\n"),
        (b"a\r\nb\nc\nd\n", "a\nb", "A\nB", b"A\nB\nc\nd\n"),
        (b"a\rb\r\nc\r\n", "a\rb", "x", b"x\r\nc\r\n"),
        (b"\xef\xbb\xbfa\nb", "a", "A", b"\xef\xbb\xbfA\nb"),
        (b"a\n", "a\n", "", b""),
        ("é\r\nb\r\n".encode("utf-16"), "b", "ü", "é\r\nü\r\n".encode("utf-16")),
        ("é\n".encode(), "é", "e\u0301", "e\u0301\n".encode()),
    ],
    ids=[
        "plain",
        "windows",
        "windows asked",
        "mixed, mostly windows",
        "mixed",
        "old mac",
        "mark",
        "all",
        "utf-16",
        "é",
    ],
)
def test_an_edit_keeps_what_it_does_not_touch(before: bytes, old: str, new: str, after: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(before)
    result = Used(tmp_path).edit("a.txt", old, new)
    assert result.status == "ok", result.error
    assert (tmp_path / "a.txt").read_bytes() == after


endings = st.sampled_from(["\n", "\r\n"])


@given(st.lists(st.tuples(st.text("ab\u00e9 ", max_size=3), endings), min_size=1, max_size=12), st.data())
@settings(deadline=None)
def test_an_edit_changes_only_what_it_replaces(parts: list[tuple[str, str]], data: st.DataObject) -> None:
    """Whatever the endings are: before and behind the place, every byte stays as it was."""
    text = decoded("".join(line + ending for line, ending in parts).encode(), "a")
    plain = text.text.replace("\r\n", "\n")
    start = data.draw(st.integers(0, len(plain) - 1))
    old = plain[start : data.draw(st.integers(start + 1, len(plain)))]
    try:
        done = edited(text, old, "<new>", "a")
    except EditRefused:
        assert plain.count(old) != 1 or plain.find(old, plain.find(old) + 1) >= 0
        return
    head, _, tail = done.text.partition("<new>")
    assert text.text.startswith(head)
    assert text.text.endswith(tail)
    assert text.text[len(head) : len(text.text) - len(tail)].replace("\r\n", "\n") == old


FILE = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "x", "old is empty; to insert, give the line beside it as old, and both lines as new"),
        ("return x", "return x", "old and new are the same, so nothing would change"),
        (
            "return x",
            "y",
            "old stands in 'a.py' 2 times, in lines 2, 6; give more of the lines around the one you mean",
        ),
        (
            "def f(x):\n  return x",
            "y",
            "from line 1 on it differs in spaces only. There it is:\ndef f(x):\n    return x",
        ),
        ("def f(y):", "y", "the lines that are most like it are\n1: def f(x):\n5: def g(x):"),
        (
            "1\tdef f(x):\n2\t    return x",
            "y",
            "does not stand in 'a.py' like this; leave out the numbers of the lines",
        ),
        ("Lorem ipsum", "y", "and no line is like it; read_file shows the file"),
        ("   \n \n", "y", "and no line is like it"),
    ],
    ids=["empty", "same", "several", "spaces", "near", "numbers", "nowhere", "blank"],
)
def test_an_edit_that_fits_nowhere_says_what_to_do(old: str, new: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FILE)
    error = Used(tmp_path).edit("a.py", old, new).error
    assert error.startswith("EditRefused: ")
    assert words in error
    assert (tmp_path / "a.py").read_text() == FILE


def test_a_text_that_overlaps_with_itself_is_not_there_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("aaa")
    assert "old stands in 'a.txt' 2 times" in Used(tmp_path).edit("a.txt", "aa", "b").error
    (tmp_path / "a.txt").write_text("a" * 100_000)
    assert "old stands in 'a.txt' 100 times or more" in Used(tmp_path).edit("a.txt", "a" * 50_000, "b").error
    (tmp_path / "a.txt").write_text("x\n" * 30)
    assert "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more" in Used(tmp_path).edit("a.txt", "x", "b").error


def test_an_edit_may_not_make_a_file_that_would_be_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    used = Used(tmp_path, limits=WorkspaceLimits(write_bytes=10))
    assert "would have 101 bytes; at most 10 are written" in used.edit("a.txt", "a", "b" * 100).error
    assert "the file after the edit is not a text" in used.edit("a.txt", "a", "\0").error
    assert (tmp_path / "a.txt").read_text() == "a\n"
    assert used.edit("b.txt", "a", "b").error == "NotFound: there is no 'b.txt'; list_files shows what there is"


def test_what_would_change_is_shown_before_it_does(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\nb = 2\n")
    used = Used(tmp_path)
    assert used.preview("edit_file", path="a.py", old="b = 2", new="b = 3") == (
        "changes a.py: 12 bytes before, then 2 lines, 12 bytes\n"
        "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3"
    )
    assert used.preview("write_file", path="new/b.py", content="c = 3") == (
        "new file new/b.py: 1 line, 5 bytes\nthe folder 'new' is made\n"
        "--- /dev/null\n+++ new/b.py\n@@ -0,0 +1 @@\n+c = 3\n\\ No newline at end of file"
    )
    assert used.preview("write_file", path="a.py", content="a = 1\nb = 2\n", overwrite=True).endswith(
        "the text stays the same"
    )
    assert used.preview("write_file", path="a.py", content="").startswith("this would be refused: 'a.py' is there")
    assert used.preview("edit_file", path="../a.py", old="a", new="b").startswith("this would be refused: '../a.py'")
    assert used.preview("edit_file", nonsense=1).startswith("this would be refused: ")
    assert not isinstance(used.tools["read_file"], PreviewingTool)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.py": "a = 1\nb = 2\n"}


def test_a_preview_never_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = Used(tmp_path)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("loopwright.toolbox.workspace.tools.planned_write", broken)
    assert used.preview("write_file", path="a.py", content="") == (
        "what would change cannot be shown: RuntimeError: broken"
    )


def applied(before: str, diff: str) -> str:
    """A text after a unified diff of it, as any program that reads diffs would have it."""
    old, new, at, kind = before.splitlines(keepends=True), list[str](), 0, ""
    for line in diff.split("\n")[2:]:
        if line.startswith("@@"):
            first, _, count = line.split()[1][1:].partition(",")
            begin = int(first) - (count != "0")
            new += old[at:begin]
            at = begin
        elif line.startswith("\\"):
            new = [*new[:-1], new[-1].removesuffix("\n")] if kind != "-" else new
        else:
            kind = line[0]
            at += kind in " -"
            new += [f"{line[1:]}\n"] if kind in " +" else []
    return "".join(new + old[at:])


rows = st.lists(st.sampled_from("abcd"), max_size=30)
ends = st.sampled_from(["", "\n"])


@given(rows, ends, rows, ends, st.sampled_from([1_000_000, 0]))
@settings(deadline=None)
def test_a_difference_leads_from_one_text_to_the_other(
    old: list[str], old_end: str, new: list[str], new_end: str, product: int
) -> None:
    """Also where the texts are so large that the shortest difference is not looked for."""
    before, after = "\n".join(old) + old_end, "\n".join(new) + new_end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loopwright.toolbox.workspace.edits.PRODUCT", product)
        diff = difference(before, after, "a")
    assert (applied(before, diff) if diff else before) == after


def test_a_large_difference_is_shown_whole(tmp_path: Path) -> None:
    before = "".join(f"{number}\n" for number in range(5_000))
    after = "".join(f"{number + 1_000_000}\n" if 1_000 < number < 4_000 else f"{number}\n" for number in range(5_000))
    diff = difference(before, after, "a").splitlines()
    assert sum(line.startswith("+1") for line in diff) == 2_999
    assert len(diff) == 3 + 2 * 2_999 + 6


def test_bytes_and_text_of_a_file_lead_to_each_other() -> None:
    for data in (b"", b"a\r\nb", b"\xef\xbb\xbfa", "é\n".encode("utf-16"), b"\xfe\xff\0a"):
        assert decoded(data, "a").encoded == data
    assert Text("a\n").lines == ["a"]
    assert Text("").lines == []
