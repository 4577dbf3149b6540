"""Watches over one sandbox from outside: what it uses, when it must end, and that nothing of it is left.

Owns the limits that the kernel does not hold for all processes of a sandbox together: memory, processor time, wall
time, files. It runs in a thread, so that a busy event loop does not stop it.
"""

import json
import os
import select
import signal
import socket
import threading
import time
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from loopwright.toolbox.sandbox.bounds import MEGABYTE, Bounds, Hit, LimitName
from loopwright.toolbox.sandbox.launcher import STARTED

TICK = 0.05
"""Seconds between two looks."""
END_SECONDS = 10.0
"""How long the kernel may take to end all processes of a sandbox."""
_CLOCK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SCARCE = 0.05
"""The part of the machine's memory below which it counts as used up."""


class Usage(Struct, frozen=True):
    """What a sandbox uses at a moment."""

    memory: int
    """Bytes in main memory; what processes share is counted once for each."""
    cpu_seconds: float
    threads: int


class Watch:
    """The watch over one sandbox. `run` is for a thread; `stop` and `end` for whoever started it."""

    def __init__(self, bounds: Bounds, report: socket.socket, information: BinaryIO) -> None:
        self.bounds = bounds
        self.hits: list[Hit] = []
        self.started = False
        self.refusal = ""
        """Why the launcher could not start the command."""
        self._report = report
        self._information = information
        self._stopped = threading.Event()
        self._init: int | None = None
        self._folders: list[int] = []
        self._available = _available()[0]
        self._deadline = time.monotonic() + bounds.seconds

    def run(self, outer: int) -> None:
        """Watch until `stop`, a limit, or the end of the sandbox; `outer` is a pidfd of bubblewrap itself."""
        try:
            self._first()
            while not self._stopped.is_set() and not _is_over(outer, TICK):
                for hit in self._look():
                    self._note(hit)
                if any(hit.ended_it for hit in self.hits):
                    break
        finally:
            self._end(outer)

    def stop(self) -> None:
        """Let `run` end the sandbox, if it still runs, and return."""
        self._stopped.set()

    def exceeded(self, limit: LimitName, detail: str) -> None:
        """Note a limit that was seen elsewhere, and end the sandbox for it."""
        self._note(Hit(limit, detail, ended_it=True))
        self.stop()

    def _first(self) -> None:
        """Wait until the command was started; then open what is watched."""
        while not self._stopped.is_set():
            ready, _, _ = select.select([self._report], [], [], TICK)
            if ready:
                self._hear()
                return
            if time.monotonic() > self._deadline:
                self._note(self._late())
                return

    def _hear(self) -> None:
        said, self._folders, _, _ = socket.recv_fds(self._report, 4096, 3)
        self.started = said == STARTED
        self._init = self._first_process()
        if not self.started:
            self.refusal = said.decode(errors="replace")
            self._stopped.set()

    def _hear_whether_it_was_there(self) -> None:
        """The launcher speaks a second time only if there was no such program."""
        self._report.setblocking(False)  # noqa: FBT003 - it has no name
        try:
            said = self._report.recv(4096)
        except OSError:
            return
        if said and self.started:
            self.started, self.refusal = False, said.decode(errors="replace")

    def _look(self) -> list[Hit]:
        bounds = self.bounds
        hits: list[Hit] = []
        if time.monotonic() > self._deadline:
            hits.append(self._late())
        if len(self._folders) < 3:
            return hits
        usage = used(self._folders[0])
        if usage.cpu_seconds > bounds.cpu_seconds:
            hits.append(Hit("cpu_seconds", f"{bounds.cpu_seconds:g} s of processor time", ended_it=True))
        if self._memory_is_used_up(usage):
            hits.append(Hit("memory", f"{bounds.memory_mb} MB of memory", ended_it=True))
        if usage.threads >= bounds.processes:
            detail = f"{bounds.processes} processes and threads at a time"
            hits.append(Hit("processes", detail, ended_it=usage.threads > 2 * bounds.processes))
        return [*hits, *self._files()]

    def _memory_is_used_up(self, usage: Usage) -> bool:
        allowed = self.bounds.memory_mb * MEGABYTE
        if usage.memory > allowed and memory_of(self._folders[0]) > allowed:
            return True
        available, total = _available()
        return available < total * _SCARCE and self._available - available > allowed // 2

    def _files(self) -> list[Hit]:
        """The folder and /tmp: how full they are, and how many files lie there."""
        bounds = self.bounds
        found = [os.fstatvfs(folder) for folder in self._folders[1:]]
        if sum(one.f_files - one.f_ffree for one in found) > bounds.files:
            return [Hit("files", f"{bounds.files:,} files and folders", ended_it=True)]
        if any(one.f_bavail * 50 < one.f_blocks for one in found):
            return [Hit("disk", f"{bounds.disk_mb} MB of files", ended_it=False)]
        return []

    def _late(self) -> Hit:
        return Hit("seconds", f"{self.bounds.seconds:g} s", ended_it=True)

    def _note(self, hit: Hit) -> None:
        """Keep a limit once, and that it ended the command if it ever did."""
        known = next((place for place, one in enumerate(self.hits) if one.limit == hit.limit), None)
        if known is None:
            self.hits.append(hit)
        elif hit.ended_it:
            self.hits[known] = hit

    def _end(self, outer: int) -> None:
        """End every process of the sandbox and wait until the kernel has: with the first, all others go.

        The first ends by itself when it sees that nobody watches. Bubblewrap is not ended before it has: while it
        makes a sandbox, it would leave a process behind that waits for it for ever.
        """
        self._hear_whether_it_was_there()
        self._report.close()
        for folder in self._folders:
            os.close(folder)
        self._folders = []
        first = self._init or self._first_process()
        if first is not None:
            _kill(first)
            select.select([first], [], [], END_SECONDS)
            os.close(first)
        if not _is_over(outer, END_SECONDS):
            _kill(outer)

    def _first_process(self) -> int | None:
        """A pidfd of the process that is number 1 inside; None where there was none or it is gone."""
        ready, _, _ = select.select([self._information], [], [], 0)
        said = os.read(self._information.fileno(), 4096) if ready else b""
        try:
            return os.pidfd_open(json.loads(said)["child-pid"])
        except (ValueError, KeyError, OSError):
            return None


def used(processes: int) -> Usage:
    """What all processes use that are listed in an open folder ``/proc``."""
    memory, ticks, threads = 0, 0, 0
    for name in os.listdir(processes):
        said = _read(f"{name}/stat", processes) if name.isdigit() else b""
        values = said.rpartition(b")")[2].split()
        if len(values) > 21:
            memory += int(values[21]) * _PAGE
            ticks += sum(int(value) for value in values[11:15])
            threads += int(values[17])
    return Usage(memory, ticks / _CLOCK, threads)


def memory_of(processes: int) -> int:
    """Bytes in main memory, where what processes share is counted once in all. Slower than `used`."""
    total = 0
    for name in os.listdir(processes):
        lines = _read(f"{name}/smaps_rollup", processes).splitlines() if name.isdigit() else []
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:"))
    return total or used(processes).memory


def _read(name: str, folder: int) -> bytes:
    try:
        file = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return b""
    try:
        return os.read(file, 65536)
    except OSError:
        return b""
    finally:
        os.close(file)


def _available() -> tuple[int, int]:
    """Bytes of the machine's memory that are available, and all of them."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    values = {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines)}
    return values.get("MemAvailable", 0), values.get("MemTotal", 0)


def _is_over(process: int, seconds: float) -> bool:
    return bool(select.select([process], [], [], seconds)[0])


def _kill(process: int) -> None:
    try:
        signal.pidfd_send_signal(process, signal.SIGKILL)
    except ProcessLookupError:
        return
