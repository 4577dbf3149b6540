"""What the tests of the sandbox look at: whether this machine can make one, and that it is as it was."""

import os
import secrets
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopwright.toolbox.sandbox import SandboxMissing
from loopwright.toolbox.sandbox.bubblewrap import this_machine


def missing() -> str:
    """Why no sandbox can be made here; empty where one can."""
    try:
        this_machine()
    except SandboxMissing as reason:
        return str(reason)
    return ""


needs_sandbox = pytest.mark.skipif(bool(missing()), reason=f"no sandbox: {missing()}")


class Project:
    """A folder with a name that occurs nowhere else, so that whatever belongs to it can be found."""

    def __init__(self, above: Path) -> None:
        self.marker = f"loopwright-{secrets.token_hex(8)}"
        self.folder = above / self.marker
        self.folder.mkdir()

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def processes(self) -> list[str]:
        """Command lines of all processes of this machine that name the folder or work in it."""
        found: list[str] = []
        for place in Path("/proc").iterdir():
            if not place.name.isdigit() or int(place.name) == os.getpid():
                continue
            try:
                said = (place / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
                said += f" in {(place / 'cwd').readlink()}"
            except OSError:
                continue
            found += [said] if self.marker in said else []
        return found


def host() -> dict[str, object]:
    """What a hostile program would want to change."""
    return {
        "mounts": Path("/proc/self/mounts").read_text(),
        "name": socket.gethostname(),
        "files": {name: _seen(Path(name)) for name in _WATCHED},
        "folders": {name: _names(name) for name in ("/", "/etc", "/usr", "/usr/lib", "/dev", "/var", "/run")},
        "limits": Path("/proc/sys/kernel/pid_max").read_text(),
    }


_WATCHED = (
    *("/etc/passwd", "/etc/shadow", "/etc/resolv.conf", "/etc/hosts", "/proc/sys/kernel/core_pattern"),
    *("/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory", "/usr/bin/env", "/root", "/usr/lib/os-release"),
)


def _seen(path: Path) -> object:
    try:
        found = path.stat()
        content = path.read_bytes() if path.is_file() else _names(str(path))
    except OSError as error:
        return error.errno
    return (content, found.st_mode, found.st_uid, found.st_mtime_ns if not str(path).startswith("/proc") else 0)


def _names(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def tree(folder: Path) -> dict[str, object]:
    """All that lies in a folder."""
    return {str(path.relative_to(folder)): _seen(path) for path in sorted(folder.rglob("*"))}


@contextmanager
def unchanged(project: Project) -> Generator[None]:
    """Fails if anything of a project's commands is left, or if they changed the machine."""
    before, inside, temporary = host(), tree(project.folder), set(_names("/tmp"))
    yield
    assert project.processes() == []
    assert host() == before
    assert tree(project.folder) == inside
    assert {name for name in set(_names("/tmp")) - temporary if project.marker in name or "hostile" in name} == set()
