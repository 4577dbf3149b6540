"""The copy of a folder that a command works on: what goes into it, and how it is handed over.

Owns which files are left out, and the reading of a folder that somebody may change meanwhile: every file is opened
beneath its folder without following a symbolic link, and only plain files are read. Nothing is written here: the copy
is a stream of bytes that `launcher` unpacks inside the sandbox.
"""

import os
import re
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from loopwright.core.errors import UsageError
from loopwright.toolbox.sandbox.launcher import ENTRY
from loopwright.toolbox.workspace.rules import PRIVATE_KEY, may_hold_keys

_PRIVATE_KEY = re.compile(PRIVATE_KEY.pattern.encode())
CACHES = frozenset({"__pycache__", "node_modules"})
DEPTH = 60
"""Folders in folders that are copied."""
_TOLD = 8


class TooLarge(UsageError):
    """A folder is too large to be copied; the text says what to do."""


class Snapshot:
    """A folder, to be read once. `left_out` is known when `write` has ended."""

    def __init__(self, folder: Path, *, most_bytes: int, most_files: int) -> None:
        self._folder = folder
        self._bytes_left = most_bytes
        self._files_left = most_files
        self._most = (most_bytes, most_files)
        self._left_out: list[str] = []

    @property
    def left_out(self) -> tuple[str, ...]:
        """Files and folders that are not in the copy, each with the reason; the last says how many more."""
        more = len(self._left_out) - _TOLD
        return (*self._left_out[:_TOLD], *([f"and {more} more"] if more > 0 else []))

    def write(self, out: BinaryIO) -> None:
        """Write the folder's content to `out`.

        Raises:
            TooLarge: it is more than was allowed
            OSError: the folder cannot be read, or nobody reads `out` any more
        """
        top = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for entry in self._within(top, "", 0):
                out.write(entry)
        finally:
            os.close(top)
        out.write(struct.pack(ENTRY, b"e", 0, 0, 0, 0))
        out.flush()

    def _within(self, folder: int, above: str, depth: int) -> Iterator[bytes]:
        for name in sorted(os.listdir(folder)):
            path = f"{above}{name}"
            if reason := _unwanted(name):
                if reason != "cache":
                    self._left_out.append(f"{path} ({reason})")
                continue
            self._files_left -= 1
            if self._files_left < 0:
                raise self._too_large(f"{self._most[1]:,} files and folders")
            yield from self._entry(folder, name, path, depth)

    def _entry(self, folder: int, name: str, path: str, depth: int) -> Iterator[bytes]:
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                yield _packed(b"l", found, path, os.fsencode(os.readlink(name, dir_fd=folder)))
            elif stat.S_ISDIR(found.st_mode):
                yield from self._folder_entry(folder, name, path, depth)
            elif stat.S_ISREG(found.st_mode):
                yield self._file_entry(folder, name, path)
            else:
                self._left_out.append(f"{path} (no plain file)")
        except OSError as error:
            self._left_out.append(f"{path} ({error.strerror})")

    def _folder_entry(self, folder: int, name: str, path: str, depth: int) -> Iterator[bytes]:
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            if depth >= DEPTH:
                self._left_out.append(f"{path} (too deep)")
            elif _exists("pyvenv.cfg", inner):
                self._left_out.append(f"{path} (a Python environment)")
            else:
                yield _packed(b"d", os.fstat(inner), path, b"")
                yield from self._within(inner, f"{path}/", depth + 1)
        finally:
            os.close(inner)

    def _file_entry(self, folder: int, name: str, path: str) -> bytes:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(file, "rb") as opened:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                self._left_out.append(f"{path} (no plain file)")
                return b""
            content = opened.read(self._bytes_left + 1)
        self._bytes_left -= len(content)
        if self._bytes_left < 0:
            raise self._too_large(f"{self._most[0] // 1_000_000:,} MB")
        if reason := _secret(found, content):
            self._left_out.append(f"{path} ({reason})")
            return b""
        return _packed(b"f", found, path, content)

    def _too_large(self, than: str) -> TooLarge:
        return TooLarge(
            f"{self._folder} holds more than {than}, so it is not copied; give a smaller folder, or a higher limit in "
            "[tests] of loopwright.toml (copied_files, disk_mb)"
        )


def _unwanted(name: str) -> str:
    """Why a file or folder of this name is left out; empty where it is not."""
    if name in CACHES:
        return "cache" if name == "__pycache__" else "installed packages"
    if name.startswith("."):
        return "hidden"
    return "may hold keys" if may_hold_keys(name) else ""


def _secret(found: os.stat_result, content: bytes) -> str:
    """Why a file is left out for what it is; empty where it is not."""
    if found.st_nlink > 1:
        return "has a second name, perhaps outside"
    return "holds a private key" if b"PRIVATE KEY" in content and _PRIVATE_KEY.search(content) else ""


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _packed(kind: bytes, found: os.stat_result, path: str, content: bytes) -> bytes:
    name = os.fsencode(path)
    mode = 0o755 if kind == b"d" or found.st_mode & 0o100 else 0o644
    return struct.pack(ENTRY, kind, mode, found.st_mtime_ns, len(content), len(name)) + name + content
