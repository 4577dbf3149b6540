"""Who holds a lease: a process, in a form that another one on the same machine can look up.

Owns the form, and how the death of a process is told. No lease.

On Linux a process is named by the machine's boot, its namespace of process ids, its id and when it began (proc(5)), so
that no later process is taken for it. Elsewhere it is the name of the machine and the id. Where that cannot be looked
up, on Windows and from another machine or container, nobody is known to be dead, and a lease ends by its time alone.
"""

import os
import socket
import sys
from pathlib import Path

_GONE = "ZX"
"""States of a process that does nothing any more: a zombie, and one that is just being removed."""


def this_process() -> str:
    """The holder that this process is."""
    pid = os.getpid()
    begun = _state(pid)
    if begun is not None:
        return f"{_system()}:{pid}:{begun[1]}"
    return f"{sys.platform}:{socket.gethostname()}:{pid}"


def is_dead(holder: str) -> bool:
    """Whether the process is known to be dead; False where that cannot be told."""
    if os.name != "posix":
        return False
    match holder.split(":"):
        case ["linux", _, _, pid, begun] if holder.startswith(f"{_system()}:"):
            return _is_gone(pid) or _has_changed(pid, begun)
        case [platform, host, pid] if (platform, host) == (sys.platform, socket.gethostname()):
            return _is_gone(pid)
        case _:
            return False


def _system() -> str:
    """Where the id of a process means this process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"linux:{boot}:{Path('/proc/self/ns/pid').readlink().name.strip('pid:[]')}"
    except OSError:
        return "linux"


def _is_gone(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except (PermissionError, ValueError):
        return False
    return False


def _has_changed(pid: str, begun: str) -> bool:
    """Whether the id is that of another process by now, or of one that does nothing any more."""
    found = _state(int(pid))
    return found is not None and (found[0] in _GONE or found[1] != begun)


def _state(pid: int) -> tuple[str, str] | None:
    """State and start of a process; None where the system does not show them, or hides that of others."""
    try:
        # The name in parentheses may hold anything, further parentheses too.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return fields[0], fields[19]
    except (OSError, IndexError):
        return None
