"""Claims on runs that end with their process: a locked file for each run that is worked on, beside the journal.

Owns the files and their locks. The lock is the operating system's (`flock`), so a process that dies, however suddenly,
holds nothing any more; the file that it leaves is taken over by the next. Where the system has no such locks
(Windows), nothing is claimed.
"""

import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from loopwright.core.errors import Conflict

if os.name == "posix":
    import fcntl

LONGEST_NAME = 200
ATTEMPTS = 100


@contextmanager
def held(folder: Path, run_id: str) -> Generator[None]:
    """Hold the run for as long as the context lasts.

    Args:
        folder: where the files of claims are; made when it is needed, and removed with the last of them
        run_id: any text

    Raises:
        Conflict: another process, or another task of this one, holds the run
        OSError: the file cannot be made or locked
    """
    if os.name != "posix":
        yield
        return
    path = folder / _name(run_id)
    descriptor = _locked(path, run_id)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()  # before the lock is let go, so that nobody locks a file that is about to vanish
        with suppress(OSError):
            folder.rmdir()
        os.close(descriptor)


def _locked(path: Path, run_id: str) -> int:
    """A descriptor of the file, locked; and the file is still there by that name."""
    for _ in range(ATTEMPTS):
        with suppress(FileExistsError):
            path.parent.mkdir(mode=0o700, parents=True)
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        except FileNotFoundError:
            continue  # the folder was removed in this moment
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise Conflict(f"another process is working on run {run_id}: wait until it is done, or end it") from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    raise Conflict(f"others keep taking and leaving run {run_id}: try again")


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _name(run_id: str) -> str:
    """A file's name: readable where it can be."""
    name = quote(run_id, safe=" ", errors="surrogatepass")
    short = name if len(name) <= LONGEST_NAME else hashlib.sha256(name.encode()).hexdigest()
    return f"{short}.lock"
