"""The command line that makes a sandbox with bubblewrap, and whether it can be made on this machine.

Owns what a command sees: the system's programs and libraries read-only, a few harmless files of /etc, no others, empty
file systems of bounded size in memory for the folder and /tmp, and namespaces of its own for processes, network, users,
messages and names. Nothing here runs the command.

Source: bwrap(1) of bubblewrap 0.8.
"""

# ruff: noqa: S108 - every /tmp named here is the sandbox's own

import functools
import json
import os
import platform
import secrets
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from loopwright.core.errors import LoopwrightError
from loopwright.toolbox.sandbox.bounds import MEGABYTE, Bounds
from loopwright.toolbox.sandbox.filter import filter_of
from loopwright.toolbox.sandbox.launcher import ENTRY, STARTED
from loopwright.toolbox.sandbox.python import bare_python

INSTALL = "install bubblewrap 0.8 or newer (Debian and Ubuntu: apt-get install bubblewrap)"
_LAUNCHER = Path(__file__).with_name("launcher.py")
_INSIDE_LAUNCHER = "/run/launcher.py"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_SETTINGS = (
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/mime.types", "/etc/protocols", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf"),
)
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_NO_WORKSPACE = ("/proc", "/sys", "/dev", "/run", "/boot")

Way = Literal["drop", "namespace"]
"""How a command loses the rights of whoever starts it: root gives them up for an unused number, others stay what they
are in a user namespace of their own, where they have no rights at all."""


class SandboxMissing(LoopwrightError):
    """No sandbox can be made on this machine; the text says why and what to do. Nothing was run."""


class Machine(Struct, frozen=True):
    """How this machine makes sandboxes."""

    program: str
    way: Way


class Prepared:
    """A command line with the files that go with it; each is closed once, here."""

    def __init__(self, arguments: list[str], inherited: list[int], information: int, report: socket.socket) -> None:
        self.arguments = arguments
        self.inherited = tuple(inherited)
        """Files that the sandbox inherits."""
        self.report = report
        """Where the launcher says that it started the command."""
        self.information = os.fdopen(information, "rb")
        """Where bubblewrap says which process it started."""
        self._open = list(inherited)

    def started(self) -> None:
        """Close what now belongs to the sandbox alone, so that its end is seen."""
        while self._open:
            os.close(self._open.pop())

    def close(self) -> None:
        """Close everything."""
        self.started()
        self.information.close()
        self.report.close()


def prepare(
    machine: Machine,
    folder: Path,
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    shown: Sequence[Path],
    bounds: Bounds,
) -> Prepared:
    """The command line that runs `command` on a copy of `folder`, which comes in on standard input."""
    uid = 0x70000000 + secrets.randbelow(0x0FFF0000) if machine.way == "drop" else 0
    information, tell = os.pipe()
    report, inner_report = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # Bubblewrap holds both ends: where it found nobody to tell, it would end and leave a process that waits for it.
    inherited = [tell, inner_report.detach(), os.dup(information)]
    wanted = {
        "report": inherited[1],
        "uid": uid,
        "folder": str(folder),
        "command": list(command),
        "environment": dict(environment),
        "limits": _kernel_limits(bounds),
    }
    python = bare_python()
    arguments = [
        machine.program,
        *_namespaces(machine.way),
        *("--info-fd", str(tell)),
        *_filter(inherited),
        *_system(),
        *_users(uid or 1000, inherited),
        *_room(folder, machine.way, bounds),
        *_read_only([*shown, *python.shown]),
        *_folders_above(Path(_INSIDE_LAUNCHER)),
        *("--ro-bind", str(_LAUNCHER), _INSIDE_LAUNCHER),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"),
        *(python.program, "-I", "-S", _INSIDE_LAUNCHER, json.dumps(wanted)),
    ]
    return Prepared(arguments, inherited, information, report)


def refused_workspace(folder: Path) -> str:
    """Why a folder cannot be worked on in a sandbox; empty where it can."""
    hidden = (*_NO_WORKSPACE, *_SYSTEM)
    above = next((place for place in hidden if folder == Path(place) or folder in Path(place).parents), None)
    if above is not None:
        return f"{folder} holds the system's own files ({above}); give the folder of a project"
    within = next((place for place in _NO_WORKSPACE if Path(place) in folder.parents), None)
    return f"{folder} lies in {within}, which the sandbox does not show; give the folder of a project" if within else ""


def this_machine() -> Machine:
    """How sandboxes are made here; found out once, by making one.

    Raises:
        SandboxMissing: none can be made
    """
    found = _probed(shutil.which("bwrap") or "")
    if isinstance(found, str):
        raise SandboxMissing(found)
    return found


@functools.cache
def _probed(program: str) -> Machine | str:
    if not hasattr(os, "pidfd_open") or not hasattr(socket, "send_fds"):
        return "the sandbox needs Linux"
    if not program:
        return f"bubblewrap is not installed, so nothing can be run safely; {INSTALL}"
    said = ""
    for way in _ways():
        machine = Machine(program, way)
        said = _trial(machine)
        if not said:
            return machine
    return f"bubblewrap is installed but cannot make a sandbox here: {said}. {_what_to_do()}; else {INSTALL}"


def _what_to_do() -> str:
    try:
        forbidden = _APPARMOR.read_text().strip() == "1"
    except OSError:
        forbidden = False
    if forbidden:
        return (
            f"AppArmor keeps users from user namespaces: give bwrap a profile that allows them, or set {_APPARMOR} to 0"
        )
    return (
        "In a container, allow user namespaces (docker: --security-opt seccomp=unconfined "
        "--security-opt apparmor=unconfined, or --privileged)"
    )


def _ways() -> tuple[Way, ...]:
    """What may work for this user. Root of the whole machine must not keep its number, which owns /proc/sys."""
    if os.geteuid() != 0:
        return ("namespace",)
    try:
        whole = Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]
    except OSError:
        whole = True
    return ("drop",) if whole else ("namespace",)


def _trial(machine: Machine) -> str:
    """What went wrong when a command was run that does nothing; empty where nothing did."""
    folder = Path("/workspace")
    prepared = prepare(
        machine,
        folder,
        ["true"],
        environment={"PATH": "/usr/bin:/bin", "HOME": "/tmp"},
        shown=(),
        bounds=Bounds(),
    )
    try:
        done = subprocess.run(  # noqa: S603 - the command line is ours
            prepared.arguments,
            input=struct.pack(ENTRY, b"e", 0, 0, 0, 0),
            capture_output=True,
            pass_fds=prepared.inherited,
            timeout=20,
            check=False,
        )
        prepared.report.setblocking(False)  # noqa: FBT003 - it has no name
        said = prepared.report.recv(4096) if done.returncode == 0 else b""
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        prepared.close()
    if said == STARTED:
        return ""
    return done.stderr.decode(errors="replace").strip()[-300:] or f"it ended with status {done.returncode}"


def _namespaces(way: Way) -> list[str]:
    apart = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    rights = ["--cap-drop", "ALL"]
    if way == "namespace":
        apart += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    else:
        rights += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*apart, "--hostname", "sandbox", "--as-pid-1", "--new-session", "--clearenv", *rights]


def _filter(inherited: list[int]) -> list[str]:
    program = filter_of(platform.machine())
    return [] if program is None else ["--seccomp", str(_readable(program, inherited))]


def _system() -> Iterator[str]:
    for name in _SYSTEM:
        place = Path(name)
        if place.is_symlink():
            yield from ("--symlink", str(place.readlink()), name)
        elif place.is_dir():
            yield from ("--ro-bind", name, name)
    yield from ("--proc", "/proc", "--dev", "/dev", "--perms", "0755", "--dir", "/etc")
    yield from (*_folders_above(Path("/var/tmp")), "--symlink", "/tmp", "/var/tmp")
    for name in _SETTINGS:
        if Path(name).exists():
            yield from (*_folders_above(Path(name)), "--ro-bind", name, name)


def _users(uid: int, inherited: list[int]) -> Iterator[str]:
    """Files that programs ask for their own name and that of this machine."""
    files = {
        "/etc/passwd": f"sandbox:x:{uid}:{uid}:sandbox:/tmp/home:/bin/sh\n",
        "/etc/group": f"sandbox:x:{uid}:\n",
        "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    for name, content in files.items():
        yield from ("--perms", "0444", "--ro-bind-data", str(_readable(content.encode(), inherited)), name)


def _room(folder: Path, way: Way, bounds: Bounds) -> Iterator[str]:
    """File systems in memory. Those of root are open to the number that the launcher becomes."""
    room = bounds.disk_mb * MEGABYTE
    yield from ("--perms", "1777", "--size", str(max(room // 8, MEGABYTE)), "--tmpfs", "/dev/shm")
    yield from ("--perms", "1777", "--size", str(max(room * 3 // 8, MEGABYTE)), "--tmpfs", "/tmp")
    mode = "0777" if way == "drop" else "0755"
    yield from (*_folders_above(folder), "--perms", mode, "--size", str(room), "--tmpfs", str(folder))


def _read_only(places: Sequence[Path]) -> Iterator[str]:
    for place in dict.fromkeys(places):
        yield from (*_folders_above(place), "--ro-bind", str(place), str(place))


def _folders_above(place: Path) -> Iterator[str]:
    """Bubblewrap itself would make them so that only their owner could enter."""
    for above in reversed(place.parents[:-1]):
        yield from ("--perms", "0755", "--dir", str(above))


def _kernel_limits(bounds: Bounds) -> dict[str, int]:
    room = bounds.disk_mb * MEGABYTE
    return {
        "CORE": 0,
        "CPU": int(bounds.cpu_seconds) + 1,
        "DATA": bounds.memory_mb * MEGABYTE,
        "FSIZE": room,
        "MEMLOCK": MEGABYTE,
        "MSGQUEUE": MEGABYTE,
        "NOFILE": 1024,
        "NPROC": bounds.processes + _counted_already(),
    }


def _counted_already() -> int:
    """Before Linux 5.14 the processes of a user outside of the sandbox count too."""
    version = tuple(int(part) for part in platform.release().split(".")[:2] if part.isdigit())
    if version >= (5, 14) or os.geteuid() == 0:
        return 0
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])


def _readable(content: bytes, inherited: list[int]) -> int:
    """A file that the sandbox inherits and reads `content` from, which must fit into a pipe."""
    read, write = os.pipe()
    inherited.append(read)
    os.write(write, content)
    os.close(write)
    return read
