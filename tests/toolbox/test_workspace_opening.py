"""Both ways to open a path beneath a folder say the same, about everything that can be there."""

import ctypes
import errno
import os
from pathlib import Path

import pytest

from loopwright.core.errors import UsageError
from loopwright.toolbox.workspace import opening
from loopwright.toolbox.workspace.beneath import Beneath, NotThere, PathRefused
from loopwright.toolbox.workspace.opening import FOLDER, LOOK, Opener, best_opener, by_kernel, by_steps

no_kernel = pytest.mark.skipif(best_opener() is by_steps, reason="this system has no openat2, or forbids it")
WAYS = [pytest.param(by_kernel, id="openat2", marks=no_kernel), pytest.param(by_steps, id="steps")]


def outcome(opener: Opener, folder: Path, path: str, flags: int = os.O_RDONLY) -> int:
    """The error of the system; 0 where the path can be opened."""
    root = os.open(folder, LOOK | FOLDER)
    before = open_descriptors()
    try:
        os.close(opener(root, tuple(path.split("/")), flags))
    except OSError as raised:
        return raised.errno or -1
    finally:
        assert open_descriptors() == before
        os.close(root)
    return 0


def open_descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "workspace" / "src").mkdir(parents=True)
    (tmp_path / "workspace" / "src" / "a.py").write_text("a")
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "workspace" / "link").symlink_to("src")
    (tmp_path / "workspace" / "out").symlink_to("../outside.txt")
    return tmp_path / "workspace"


@pytest.mark.parametrize("opener", WAYS)
def test_what_can_be_opened_and_what_cannot(opener: Opener, folder: Path) -> None:
    assert outcome(opener, folder, "src/a.py") == 0
    assert outcome(opener, folder, "src", FOLDER) == 0
    assert outcome(opener, folder, "src/b.py") == errno.ENOENT
    assert outcome(opener, folder, "src/a.py/b.py") == errno.ENOTDIR
    assert outcome(opener, folder, "src/a.py", FOLDER) == errno.ENOTDIR
    for path in ("link/a.py", "out", "link"):
        assert outcome(opener, folder, path) in (errno.ELOOP, errno.ENOTDIR), path
    assert outcome(opener, folder, "link", FOLDER) in (errno.ELOOP, errno.ENOTDIR)


@pytest.mark.parametrize("opener", WAYS)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nothing is mounted at /proc")
def test_what_is_mounted_below_is_not_entered(opener: Opener) -> None:
    assert outcome(opener, Path("/"), "proc/self/status") in (errno.EXDEV, errno.ELOOP)
    assert outcome(opener, Path("/"), "proc/version") == errno.EXDEV
    assert outcome(opener, Path("/"), "proc", FOLDER) == errno.EXDEV


@pytest.mark.parametrize("opener", WAYS)
@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there are no devices here")
def test_a_device_is_no_file(opener: Opener) -> None:
    with (
        pytest.raises(PathRefused, match="is a device; only files are offered"),
        Beneath(Path("/dev"), opener).file(("null",)),
    ):
        pass


@no_kernel
def test_the_kernel_is_asked_where_it_can_answer() -> None:
    """Where openat2 is known to the kernel, it is used: a wrong flag would make everything fall back in silence."""
    assert best_opener() is by_kernel


def test_where_the_kernel_cannot_answer_names_are_opened_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    best_opener.cache_clear()
    monkeypatch.setattr(opening, "_OPENAT2", 100_000)
    try:
        assert best_opener() is by_steps
        monkeypatch.setattr(opening, "_system", lambda: object())
        best_opener.cache_clear()
        assert best_opener() is by_steps
    finally:
        best_opener.cache_clear()


def test_a_call_that_the_kernel_could_not_finish_is_made_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy:
        times = 0

        def syscall(self, *_: object) -> int:
            self.times += 1
            ctypes.set_errno(errno.EAGAIN if self.times < 3 else errno.ENOENT)
            return -1

    busy = Busy()
    monkeypatch.setattr(opening, "_system", lambda: busy)
    assert outcome(by_kernel, folder, "src/a.py") == errno.ENOENT
    assert busy.times == 3


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ELOOP, "goes through a symbolic link, and links are not followed"),
        (errno.EXDEV, "lies on another file system, which is mounted here and not entered"),
        (errno.EACCES, "may not be opened by the user who runs this"),
        (errno.ENXIO, "is a socket or a device; only files are offered"),
        (errno.EIO, "cannot be opened: Input/output error"),
    ],
)
def test_an_error_of_the_system_is_said_in_words(number: int, words: str, folder: Path) -> None:
    def failing(_folder: int, _parts: opening.Parts, _flags: int) -> int:
        raise OSError(number, os.strerror(number))

    with pytest.raises(PathRefused, match=words), Beneath(folder, failing).file(("src", "a.py")):
        pass


@pytest.mark.parametrize("opener", WAYS)
def test_folders_that_would_have_to_be_made(opener: Opener, folder: Path) -> None:
    beneath = Beneath(folder, opener)
    assert beneath.missing_folders(("a.py",)) == []
    assert beneath.missing_folders(("src", "a.py")) == []
    assert beneath.missing_folders(("src", "b", "c", "a.py")) == ["src/b", "src/b/c"]
    assert beneath.missing_folders(("b", "a.py")) == ["b"]
    for parts in (("link", "b", "a.py"), ("src", "a.py", "b", "c.py")):
        with pytest.raises(PathRefused):
            beneath.missing_folders(parts)


@pytest.mark.parametrize("opener", WAYS)
def test_a_folder_that_becomes_a_link_before_the_write_is_not_followed(opener: Opener, folder: Path) -> None:
    beneath = Beneath(folder, opener)
    with pytest.raises(PathRefused, match="symbolic link"):
        beneath.put(("link", "new.py"), b"new", None)
    with pytest.raises(PathRefused, match="is not a folder"):
        beneath.put(("src", "a.py", "new.py"), b"new", None)
    assert sorted(path.name for path in (folder / "src").iterdir()) == ["a.py"]


def test_what_cannot_be_worked_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for place, words in (
        (tmp_path / "nowhere", "is no folder to work in: No such file or directory"),
        (tmp_path / "file", "is no folder; give one to work in"),
        (Path("/"), "the root of the disk is no folder to work in"),
    ):
        with pytest.raises(UsageError, match=words):
            Beneath(place)
    monkeypatch.setattr(os, "supports_dir_fd", set[object]())
    with pytest.raises(UsageError, match="this system cannot open files beneath a folder"):
        Beneath(tmp_path)


def test_a_link_to_the_workspace_itself_is_followed_once(tmp_path: Path) -> None:
    """The person names the folder, not the model."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Beneath(tmp_path / "link").path == str((tmp_path / "real").resolve())


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with (
        pytest.raises(NotThere, match=r"there is no 'a\.py'; list_files shows what there is"),
        Beneath(tmp_path).file(("a.py",)),
    ):
        pass
