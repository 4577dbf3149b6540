"""Files and folders beneath one folder, by descriptors: nothing here leads out of it.

Owns what is open: every decision is made on a descriptor, not on a path that may mean something else a moment later.
Only regular files with one name are read or replaced: a hard link may be the same file as one outside. How a path is
opened is in `opening`; what a name may look like was checked in `names` and `rules` before.
"""

import errno
import os
import posixpath
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from loopwright.core.errors import UsageError
from loopwright.toolbox.workspace.names import fault_in_path, shown
from loopwright.toolbox.workspace.opening import FOLDER, LOOK, NEVER, Opener, Parts, best_opener, move_to_free_name

TEMPORARY = ".loopwright-"
"""What the name of a file begins with while it is being written; it is hidden, so no tool shows it."""


class PathRefused(Exception):
    """The path leads to something that is not offered. The model's fault; the text tells it what to do instead."""


class NotThere(Exception):
    """Nothing is at the path; the text says what to do."""


class Beneath:
    """A folder, and what is beneath it. Holds nothing open between calls."""

    def __init__(self, folder: Path, opener: Opener | None = None) -> None:
        needed = (os.open, os.stat, os.mkdir, os.rename, os.unlink, os.readlink)
        if not (hasattr(os, "O_NOFOLLOW") and all(one in os.supports_dir_fd for one in needed)):
            raise UsageError("this system cannot open files beneath a folder; use Linux, macOS or a container")
        try:
            self.path = str(folder.resolve(strict=True))
            found = Path(self.path).stat()
        except OSError as raised:
            raise UsageError(f"{folder} is no folder to work in: {raised.strerror}") from None
        if not stat.S_ISDIR(found.st_mode):
            raise UsageError(f"{folder} is no folder; give one to work in")
        if self.path == os.sep:
            raise UsageError("the root of the disk is no folder to work in; give the folder of a project")
        self._identity = (found.st_dev, found.st_ino)
        self._opener = opener or best_opener()

    @contextmanager
    def folder(self, parts: Parts) -> Generator[int]:
        """A folder, open for as long as the context lasts.

        Raises:
            PathRefused: it is none, or a link is in the way
            NotThere: it does not exist
        """
        with self._root() as root, self._opened(root, parts, FOLDER) as found:
            yield found

    @contextmanager
    def file(self, parts: Parts) -> Generator[tuple[int, os.stat_result]]:
        """A regular file, open for reading, and what it is.

        Raises:
            PathRefused: it is something else, has several names, or a link is in the way
            NotThere: it does not exist
        """
        with self._root() as root:
            before = self._look(root, parts)  # else a device would be started by opening it
            with self._opened(root, parts, os.O_RDONLY) as found:
                status = _regular(os.fstat(found), parts)
                # A second name of a file outside may be taken away just behind the opening: then one name is left.
                if not _same(before, status, self._look(root, parts)):
                    raise PathRefused(f"{_quoted(parts)} was changed by somebody else meanwhile; read it again")
                yield found, status

    def missing_folders(self, parts: Parts) -> list[str]:
        """The folders that would have to be made for a file at this path.

        Raises:
            PathRefused: something else stands where a folder is needed
        """
        with self._root() as root:
            for depth in range(len(parts) - 1, 0, -1):
                with suppress(NotThere), self._opened(root, parts[:depth], FOLDER):
                    return ["/".join(parts[:more]) for more in range(depth + 1, len(parts))]
        return ["/".join(parts[:more]) for more in range(1, len(parts))]

    def put(self, parts: Parts, data: bytes, before: os.stat_result | None) -> None:
        """Put `data` at a path: in one move, so that a reader sees the old file or the new one whole.

        Folders that are missing are made. A file that is replaced leaves its permissions and, where the system lets
        us, its owner to the new one; extended attributes are not kept.

        Args:
            parts: the path
            data: the whole content
            before: what `file` said of the file that is to be replaced; None where there must be none

        Raises:
            PathRefused: the file changed since, or one is there now, or a link is in the way
            OSError: the system refuses; nothing was replaced
        """
        with self._root() as root, self._made(root, parts[:-1]) as folder:
            name = f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
            try:
                _write(folder, name, data, before)
                if before is None:
                    move_to_free_name(name, parts[-1], folder)
                else:
                    self._check_unchanged(folder, parts, before)
                    os.rename(name, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
            except FileExistsError:
                raise PathRefused(f"{_quoted(parts)} was made by somebody else meanwhile; read it first") from None
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
            with suppress(OSError):  # some file systems cannot, and the file itself is on the disk
                os.fsync(folder)

    @contextmanager
    def _root(self) -> Generator[int]:
        try:
            root = os.open(self.path, FOLDER | NEVER)
        except OSError as raised:
            raise PathRefused(f"the workspace cannot be opened any more: {raised.strerror}") from None
        try:
            found = os.fstat(root)
            if (found.st_dev, found.st_ino) != self._identity:
                raise PathRefused("the workspace was replaced by another folder; a new run has to be begun in it")
            yield root
        finally:
            os.close(root)

    @contextmanager
    def _opened(self, folder: int, parts: Parts, flags: int) -> Generator[int]:
        try:
            found = self._opener(folder, parts, flags)
        except OSError as raised:
            raise self._refusal(folder, parts, raised) from None
        try:
            yield found
        finally:
            os.close(found)

    def _look(self, root: int, parts: Parts) -> os.stat_result:
        """What a path leads to, without opening it for real where the system can tell."""
        with self._opened(root, parts, LOOK) as found:
            status = os.fstat(found)
            if stat.S_ISLNK(status.st_mode):
                raise self._refusal(root, parts, OSError(errno.ELOOP, ""))
            return _regular(status, parts)

    @contextmanager
    def _made(self, root: int, parts: Parts) -> Generator[int]:
        """A folder, made where it is missing, name by name."""
        here = os.dup(root)
        try:
            for depth, part in enumerate(parts, 1):
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=here)
                try:
                    below = self._opener(here, (part,), FOLDER)
                except OSError as raised:
                    raise self._refusal(root, parts[:depth], raised) from None
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)

    def _check_unchanged(self, folder: int, parts: Parts, before: os.stat_result) -> None:
        with self._opened(folder, parts[-1:], LOOK) as found:
            now = os.fstat(found)
        if _fingerprint(now) != _fingerprint(before):
            raise PathRefused(f"{_quoted(parts)} was changed by somebody else meanwhile; read it again")

    def _refusal(self, folder: int, parts: Parts, raised: OSError) -> PathRefused | NotThere:
        """What an error of the system means, in words for the model."""
        path = _quoted(parts)
        if raised.errno in (errno.ELOOP, errno.ENOTDIR) and (link := self._link_in(folder, parts)):
            return PathRefused(f"{path} {link}")
        match raised.errno:
            case errno.ENOENT:
                return NotThere(f"there is no {path}; list_files shows what there is")
            case errno.ELOOP:
                return PathRefused(f"{path} goes through a symbolic link, and links are not followed")
            case errno.ENOTDIR:
                return PathRefused(f"{path} is not a folder, or goes through a file as if it were one")
            case errno.EXDEV:
                return PathRefused(f"{path} lies on another file system, which is mounted here and not entered")
            case errno.EACCES | errno.EPERM:
                return PathRefused(f"{path} may not be opened by the user who runs this")
            case errno.ENXIO | errno.ENODEV | errno.EOPNOTSUPP:
                return PathRefused(f"{path} is a socket or a device; only files are offered")
            case _:
                return PathRefused(f"{path} cannot be opened: {raised.strerror or raised}")

    def _link_in(self, folder: int, parts: Parts) -> str:
        """Where the first symbolic link in a path leads. Words only: what may be opened was decided before."""
        try:
            for depth in range(1, len(parts) + 1):
                above = self._opener(folder, parts[: depth - 1], FOLDER)
                try:
                    if stat.S_ISLNK(os.stat(parts[depth - 1], dir_fd=above, follow_symlinks=False).st_mode):
                        return _led(
                            self.path, parts[:depth], os.readlink(parts[depth - 1], dir_fd=above), parts[depth:]
                        )
                finally:
                    os.close(above)
        except OSError:
            pass
        return ""


def _led(root: str, link: Parts, target: str, rest: Parts) -> str:
    """A link in words: the path to write instead, where it stays inside."""
    through = "is" if not rest else f"goes through {_quoted(link)},"
    leads = posixpath.normpath(posixpath.join(root, *link[:-1], target, *rest))
    inside = leads.removeprefix(f"{root}/")
    if inside == leads:
        return f"{through} a symbolic link that leads out of the workspace; links are not followed"
    if fault_in_path(inside, root) or inside.startswith(".") or "/." in inside or inside == "/".join((*link, *rest)):
        return f"{through} a symbolic link; links are not followed"
    return f"{through} a symbolic link; links are not followed: write {shown(inside)}"


def _regular(found: os.stat_result, parts: Parts) -> os.stat_result:
    """What was found, which is a file that can be read or replaced."""
    path, mode = _quoted(parts), found.st_mode
    if stat.S_ISDIR(mode):
        raise PathRefused(f"{path} is a folder; list_files shows what is in it")
    kinds = (
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a disk"),
    )
    kind = next((name for test, name in kinds if test(mode)), "" if stat.S_ISREG(mode) else "no file")
    if kind:
        raise PathRefused(f"{path} is {kind}; only files are offered")
    if found.st_nlink > 1:
        raise PathRefused(
            f"{path} has {found.st_nlink} names (hard links) and may be the same file as one outside; such files are "
            "neither read nor changed"
        )
    return found


def _write(folder: int, name: str, data: bytes, before: os.stat_result | None) -> None:
    """Make a file of another name in the folder, with everything in it that the file is to have."""
    made = os.open(
        name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NEVER, 0o666 if before is None else 0o600, dir_fd=folder
    )
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(made, left) :]
        if before is not None:
            with suppress(PermissionError):  # only the system's user can give a file away
                os.fchown(made, before.st_uid, before.st_gid)
            os.fchmod(made, before.st_mode & 0o777)
        os.fsync(made)
    finally:
        os.close(made)


def _fingerprint(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, stat.S_IFMT(found.st_mode), found.st_nlink)


def _same(*found: os.stat_result) -> bool:
    return len({(one.st_dev, one.st_ino) for one in found}) == 1


def _quoted(parts: Parts) -> str:
    return shown("/".join(parts) or ".")
