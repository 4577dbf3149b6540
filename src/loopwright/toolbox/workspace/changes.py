"""What a call would do to a file, before it does it.

Owns the plan of a change and its words for the person who is asked. Nothing is changed here.
"""

import os

from msgspec import Struct

from loopwright.toolbox.workspace.beneath import NotThere, PathRefused
from loopwright.toolbox.workspace.content import Text, counted, decoded
from loopwright.toolbox.workspace.edits import difference, edited
from loopwright.toolbox.workspace.files import Files
from loopwright.toolbox.workspace.names import shown
from loopwright.toolbox.workspace.opening import Parts
from loopwright.toolbox.workspace.rules import NOT_ENTERED, OWN


class Change(Struct, frozen=True):
    """A file as it is and as it would be."""

    path: str
    parts: Parts
    data: bytes
    """The whole new content."""
    after: str
    """The same as text."""
    first: int = 1
    """The first line that is different; 1 where all is replaced."""
    before: Text | None = None
    status: os.stat_result | None = None
    """Of the file that is replaced; None for a new one."""
    folders: tuple[str, ...] = ()
    """That are made."""

    @property
    def lines(self) -> int:
        """Of the new content."""
        return self.after.count("\n") + (not self.after.endswith("\n") and bool(self.after))

    @property
    def note(self) -> str:
        """What else happens."""
        notes = [f"the folder {shown(folder)} is made" for folder in self.folders]
        if self.before and self.before.endings == "\r\n" and "\r\n" not in self.after:
            notes.append(r"lines ended with \r\n before and end with \n now")
        if self.before and not self.data.startswith(self.before.mark):
            notes.append(f"the file was {self.before.encoding.upper()} with a byte order mark and is plain UTF-8 now")
        return "; ".join(notes)


def planned_write(files: Files, path: str, content: str, *, overwrite: bool) -> Change:
    """What it would be to put `content` at `path`.

    Raises:
        PathRefused: the path is not offered, a file is there and not to be replaced, or the content is too large
        NoText: the content is no text, or the file that is there
    """
    parts, data = _written(files, path), content.encode()
    _check_size(files, path, data)
    decoded(data, "the content")
    try:
        before, status = files.read(parts)
    except NotThere:
        folders = tuple(files.beneath.missing_folders(parts))
        return Change(path, parts, data, content, folders=folders)
    if not overwrite:
        raise PathRefused(
            f"{shown(path)} is there already, with {counted(len(before.lines), 'line')}; edit_file changes a part of "
            "it, and overwrite=true replaces it whole"
        )
    return Change(path, parts, data, content, before=before, status=status)


def planned_edit(files: Files, path: str, old: str, new: str) -> Change:
    """What it would be to put `new` where `old` stands in the file at `path`.

    Raises:
        PathRefused: the path is not offered, the file cannot be edited, or it would be too large
        NotThere: there is no file
        NoText: it is no text, or would be none
        EditRefused: `old` does not stand there once
    """
    parts = _written(files, path)
    before, status = files.read(parts)
    if before.broken:
        raise PathRefused(
            f"{shown(path)} is not UTF-8 in line {before.first_broken}; an edit would damage it, so it is not edited"
        )
    after = edited(before, old, new, shown(path))
    data = Text(after.text, before.mark, before.encoding).encoded
    _check_size(files, path, data)
    decoded(data, "the file after the edit")
    return Change(path, parts, data, after.text, after.first, before, status)


def described(change: Change) -> str:
    """A change for the person who is asked: a line, and a unified diff. Names and texts stand in it as they are."""
    size = f"{counted(change.lines, 'line')}, {counted(len(change.data), 'byte')}"
    if change.before is None:
        head = f"new file {change.path}: {size}"
    else:
        head = f"changes {change.path}: {len(change.before.encoded)} bytes before, then {size}"
    diff = difference(change.before.text if change.before else None, change.after, change.path)
    return "\n".join(part for part in (head, change.note, diff or "the text stays the same") if part)


def _written(files: Files, path: str) -> Parts:
    parts = files.file_parts(path)
    if parts[-1].casefold() in OWN:
        raise PathRefused(f"{shown(path)} holds the rules for this run; only the person writes it")
    if installed := next((part for part in parts[:-1] if part.casefold() in NOT_ENTERED), ""):
        raise PathRefused(
            f"{shown(path)} lies in {shown(installed)}, which programs fill and which runs outside of any sandbox; it "
            "can be read and not written"
        )
    return parts


def _check_size(files: Files, path: str, data: bytes) -> None:
    if len(data) > files.limits.write_bytes:
        raise PathRefused(f"{shown(path)} would have {len(data)} bytes; at most {files.limits.write_bytes} are written")
