"""Two ways to open a path beneath a folder so that nothing leads out of it.

Owns the calls to the system. The kernel resolves the whole path where it can (Linux, `openat2`), else each name is
opened by itself in the folder before it. Either way **no symbolic link is followed**, wherever it leads, and no file
system is entered that is mounted beneath the folder. What may be opened is decided elsewhere.

Source: openat2(2), open(2), symlink(7), renameat2(2), proc_pid_fdinfo(5).
"""

import ctypes
import errno
import os
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

Parts = tuple[str, ...]
"""The names of a path, from the folder down."""
Opener = Callable[[int, Parts, int], int]
"""Opens a path beneath a folder that is open, with flags of open(2), and gives a descriptor.

Raises OSError: ELOOP or ENOTDIR where a link is in the way, EXDEV where another file system is.
"""

LOOK: int = getattr(os, "O_PATH", os.O_RDONLY)
"""Opens without touching: a device is not started by it."""
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
NEVER: int = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
)
"""For every open: not for other programs, no link, no waiting at a pipe, no terminal."""
_LOOKING: int = NEVER & ~(getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
"""The same for looking: `openat2` takes nothing beside `O_PATH` that has no meaning there."""

_OPENAT2 = 437
_NO_XDEV, _NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 1, 2, 4, 8
_RESOLVE = _NO_XDEV | _NO_MAGICLINKS | _NO_SYMLINKS | _BENEATH
_NO_REPLACE = 1
_AGAIN = (errno.EAGAIN, errno.EINTR)
_TIMES = 100
"""Attempts at a call that the kernel could not finish because something moved meanwhile."""


def by_kernel(folder: int, parts: Parts, flags: int) -> int:
    """Open with one call, `openat2`. See `Opener`."""
    how = struct.pack("=QQQ", flags | (_LOOKING if flags & LOOK else NEVER), 0, _RESOLVE)
    path = os.fsencode("/".join(parts) or ".")
    number = errno.EAGAIN
    for _ in range(_TIMES):
        found = int(_system().syscall(_OPENAT2, folder, path, how, len(how)))
        if found >= 0:
            return found
        number = ctypes.get_errno()
        if number not in _AGAIN:
            break
    raise OSError(number, os.strerror(number))


def by_steps(folder: int, parts: Parts, flags: int) -> int:
    """Open name by name, each in the folder before it. See `Opener`."""
    mount, here = _mount(folder), os.dup(folder)
    try:
        for number, part in enumerate(parts or (".",), 1):
            below = os.open(part, (flags if number >= len(parts) else LOOK | FOLDER) | NEVER, dir_fd=here)
            os.close(here)
            here = below
            if _mount(here) != mount:
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    except BaseException:
        os.close(here)
        raise
    return here


@cache
def best_opener() -> Opener:
    """The kernel's way where this system has it and allows it (some containers do not), else name by name."""
    try:
        root = os.open("/", LOOK | FOLDER)
    except OSError:
        return by_steps
    try:
        os.close(by_kernel(root, (), LOOK | FOLDER))
    except (OSError, AttributeError):
        return by_steps
    finally:
        os.close(root)
    return by_kernel


def move_to_free_name(old: str, new: str, folder: int) -> None:
    """Give a file in a folder that is open another name, which must be free.

    Raises:
        FileExistsError: the name is taken
        OSError: the system refuses
    """
    rename = getattr(_system(), "renameat2", None)
    if rename is not None:
        if rename(folder, os.fsencode(old), folder, os.fsencode(new), _NO_REPLACE) == 0:
            return
        if ctypes.get_errno() == errno.EEXIST:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)  # fails where the name is taken
    os.unlink(old, dir_fd=folder)


@cache
def _system() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    library.syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)
    return library


def _mount(descriptor: int) -> str:
    """Which mounted file system an open file lies on; by its device where the system does not say."""
    try:
        lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text(encoding="ascii").splitlines()
    except OSError:
        return str(os.fstat(descriptor).st_dev)
    return next((line for line in lines if line.startswith("mnt_id:")), "")
