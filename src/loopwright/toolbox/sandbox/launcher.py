"""What runs first inside the sandbox: it unpacks the copy, sets the limits, starts the command and waits for it.

A program of its own that imports nothing of the package, because the package is not there. It is started with a JSON
object as its argument, reads the copy from standard input (see `snapshot`), and reports on a socket: ``started``, with
the folders that are watched from outside, or why it could not start. While the command runs it is process 1 of the
sandbox, with which all others end.
"""

# It starts in a few milliseconds, so it loads little, not even pathlib; the files that it names are the sandbox's own.
# ruff: noqa: PTH101, PTH102, PTH103, PTH118, PTH123, PTH211, S108, S606

import json
import os
import resource
import select
import signal
import socket
import struct
import sys
from typing import Any, BinaryIO

ENTRY = ">cIqQI"
"""Kind (d folder, f file, l symbolic link, e end), mode, time in nanoseconds, size of the content, size of the path."""
STARTED = b"started"
_NOT_STARTED = 125
_MOST_FILES = 4096
_DUMPABLE = 4
"""PR_SET_DUMPABLE of prctl(2)."""


def unpack(stream: BinaryIO, folder: str) -> None:
    """Write the copy into `folder`.

    Raises:
        OSError: there is no room for it
        EOFError: the copy ended before its end, because whoever sends it was ended
    """
    times: list[tuple[str, int]] = []
    while True:
        kind, mode, changed, size, length = struct.unpack(ENTRY, _exactly(stream, struct.calcsize(ENTRY)))
        if kind == b"e":
            break
        path = os.path.join(folder, os.fsdecode(_exactly(stream, length)))
        content = _exactly(stream, size)
        if kind == b"d":
            os.mkdir(path)
            times.append((path, changed))
        elif kind == b"l":
            os.symlink(content, os.fsencode(path))
        else:
            with open(path, "xb") as file:
                file.write(content)
            os.chmod(path, mode)
            os.utime(path, ns=(changed, changed))
    for path, changed in reversed(times):
        os.utime(path, ns=(changed, changed))


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the copy of the folder is incomplete")
    return data


def confine(limits: dict[str, int]) -> None:
    """Set the limits of the kernel for this process and all that it starts; ``{"NPROC": 128, …}``."""
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            most = resource.getrlimit(kind)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(kind, (value, value))


def become(uid: int) -> None:
    """Give up root for a number that owns nothing. 0 leaves the user as it is."""
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def offer_to_the_kernel() -> None:
    """Where memory runs out all the same, the kernel ends these processes before others."""
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:
        return


def close_to_others() -> None:
    """Keep this process from being looked into or changed by those that it starts.

    Raises:
        OSError: the kernel or this Python does not allow it
    """
    try:
        import ctypes
    except ImportError as error:
        raise OSError(f"Python has no ctypes, which the sandbox needs: {error}") from None
    if ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError("this process cannot be closed to others")


def start(wanted: dict[str, Any], report: socket.socket) -> None:
    """Unpack the copy and become the command; returns only if there is no such program."""
    become(wanted["uid"])
    os.umask(0o022)
    unpack(sys.stdin.buffer, wanted["folder"])
    os.makedirs(wanted["environment"]["HOME"], exist_ok=True)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(wanted["folder"])
    watched = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in ("/proc", "/tmp", wanted["folder"])]
    socket.send_fds(report, [STARTED], watched)
    confine(wanted["limits"])
    try:
        os.execvpe(wanted["command"][0], wanted["command"], wanted["environment"])
    except OSError as error:
        report.send(f"{wanted['command'][0]}: {error.strerror}"[:2000].encode(errors="replace"))


def tend(child: int, report: socket.socket) -> int:
    """Wait for the command as the first process here; when this returns and ends, the kernel ends all others.

    It also ends when whoever watches from outside is gone, which its socket tells, even of a process that was killed.
    """
    poll = select.poll()
    poll.register(report, 0)  # only that the other end was closed
    poll.register(_woken_by_children(), select.POLLIN)
    while True:
        for number, _ in poll.poll():
            if number == report.fileno():
                return _NOT_STARTED
            os.read(number, 4096)
        code = _reaped(child)
        if code is not None:
            return code


def _woken_by_children() -> int:
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _woken)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the first process is only reached by signals that it handles
    os.write(write, b"\0")  # the command may have ended before
    return read


def _woken(_number: int, _frame: object) -> None:
    """Nothing: that there is a handler makes Python write to the pipe."""


def _reaped(child: int) -> int | None:
    """Take in those that ended; the status of the command, as a shell says it, if it is among them."""
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return _NOT_STARTED
        if ended == 0:
            return None
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def main(wanted: dict[str, Any]) -> int:
    """Start the command and wait for it; its status."""
    report = socket.socket(fileno=wanted["report"])
    report.set_inheritable(False)
    os.closerange(3, report.fileno())  # what bubblewrap was given is not for the command
    os.closerange(report.fileno() + 1, _MOST_FILES)
    try:
        offer_to_the_kernel()
        if not wanted["uid"]:
            close_to_others()
        child = os.fork()
        if child:
            return tend(child, report)
        start(wanted, report)
    except (OSError, EOFError) as error:
        report.send(f"{type(error).__name__}: {error}"[:2000].encode(errors="replace"))
    return _NOT_STARTED


if __name__ == "__main__":
    os._exit(main(json.loads(sys.argv[1])))
