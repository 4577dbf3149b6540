"""Paths and files that a workspace refuses: the table of docs/workspace.md.

What the model is told is written down in the page alone. Run as a script by the system's user (others may make no
devices), this writes the table anew; a test tries every row and compares it with the page.
"""

import os
import re
import socket
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from loopwright.toolbox.workspace import Workspace

PAGE = Path(__file__).resolve().parents[2] / "docs" / "workspace.md"
BEGIN, END = "<!-- hostile -->", "<!-- end -->"
SECRET = "the secret that lies outside"
KEY = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    + "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n" * 3
)


class Row(Struct, frozen=True):
    """One thing that is refused."""

    what: str
    path: str
    """`WORKSPACE` in it stands for the absolute path of the workspace."""
    tool: str = "read_file"
    more: Mapping[str, Any] = {}
    """Further arguments of the call."""


class Group(Struct, frozen=True):
    """Rows of one kind."""

    name: str
    rows: tuple[Row, ...]


def read(what: str, path: str) -> Row:
    return Row(what, path)


def listed(what: str, path: str) -> Row:
    return Row(what, path, "list_files")


def searched(what: str, path: str) -> Row:
    return Row(what, path, "search_files", {"pattern": "secret"})


def written(what: str, path: str, content: str = "new", *, overwrite: bool = True) -> Row:
    return Row(what, path, "write_file", {"content": content, "overwrite": overwrite})


def edited(what: str, path: str) -> Row:
    return Row(what, path, "edit_file", {"old": "secret", "new": "changed"})


LEAVING = Group(
    "Paths that lead out, or might",
    (
        read("upwards", "../diary.txt"),
        read("upwards from a folder", "src/../../diary.txt"),
        read("up and down again", "src/../main.py"),
        read("out and back in", "../workspace/main.py"),
        listed("the folder above", ".."),
        searched("a search above", "../"),
        written("written upwards", "../new.txt"),
        read("from the root of the disk", "/etc/passwd"),
        read("the process's own secrets", "/proc/self/environ"),
        read("standard input", "/dev/stdin"),
        read("the workspace written out", "WORKSPACE/main.py"),
        listed("the workspace itself written out", "WORKSPACE"),
        read("out of the workspace written out", "WORKSPACE/../diary.txt"),
        read("a home folder", "~/notes.txt"),
        read("another user's home folder", "~daemon/notes.txt"),
        read("an address of a file", "file:///etc/passwd"),
        read("an address of a page", "https://example.org/notes.txt"),
        read("a share in a network", "//server/share/notes.txt"),
        read("a dot too many", "./main.py"),
        read("a slash too many", "src//a.py"),
        read("a dot in between", "src/./a.py"),
        read("a slash at the end", "main.py/"),
        read("nothing", ""),
        read("the workspace as a file", "."),
        read("a coded slash", "..%2fdiary.txt"),
        read("coded dots", "%2e%2e/diary.txt"),
        read("a slash coded twice", "..%252fdiary.txt"),
        read("a coded end of text", "main.py%00.txt"),
        read("a name of 256 bytes", "a" * 253 + ".py"),
        read("a path of 1,004 characters", "a/" * 500 + "a.py"),
        read("33 folders deep", "a/" * 32 + "a.py"),
        read("a wildcard", "src/*.py"),
        read("a wildcard for one character", "mai?.py"),
        read("a pipe of a shell", "main.py|id.txt"),
    ),
)

WINDOWS = Group(
    "Names that mean something else on other systems",
    (
        read("a drive", "C:\\Windows\\win.ini"),
        read("a drive with slashes", "C:/Windows/win.ini"),
        read("a place on a drive", "C:main.py"),
        read("a share", "\\\\server\\share\\notes.txt"),
        read("a raw path", "\\\\?\\C:\\notes.txt"),
        read("upwards with backslashes", "..\\diary.txt"),
        read("backslashes between folders", "src\\a.py"),
        read("a hidden stream", "main.py:hidden.txt"),
        read("the stream of the content", "main.py::$DATA"),
        read("a device", "CON"),
        read("a device with a suffix", "nul.txt"),
        read("a port", "src/com1.log"),
        read("a port with a raised number", "LPT\u00b9.txt"),
        read("a short name", "PROGRA~1/main.py"),
        read("the short name of .git", "GIT~1/config.txt"),
        read("a dot at the end", "main.py."),
        read("a space at the end", "main.py "),
        read("a space in front", " main.py"),
        read("dots alone", ".../diary.txt"),
        read("upwards with a space", ".. /diary.txt"),
    ),
)

UNICODE = Group(
    "Characters that deceive",
    (
        read("an end of text", "main.py\0.txt"),
        read("an end of line", "main.py\ndiary.txt"),
        read("a command for the terminal", "\x1b[2Jmain.py"),
        read("a deletion", "main\x7f.py"),
        read("a control character above ASCII", "main\x85.py"),
        read("from right to left", "main\u202eyp.txt"),
        read("an isolated direction", "main\u2066.py"),
        read("a mark of direction", "main\u200f.py"),
        read("a space without width", "main\u200b.py"),
        read("a joiner", "ma\u200din.py"),
        read("a mark of byte order", "\ufeffmain.py"),
        read("a hyphen that is not shown", "ma\u00adin.py"),
        read("an end of paragraph", "main\u2029.py"),
        read("a tag", "main\U000e0061.py"),
        read("a filler", "main\u3164.py"),
        read("a variation", "main\ufe0f.py"),
        read("a private character", "main\ue000.py"),
        read("a character that is none", "main\U000e0fff.py"),
        read("a broken character", "main\ufffd.py"),
        read("a space that does not break", "main\u00a0.py"),
        read("a wide space", "main\u3000.py"),
        read("wide dots and a wide slash", "\uff0e\uff0e\uff0fdiary.txt"),
        read("a slash of mathematics", "..\u2215diary.txt"),
        read("two dots in one", "\u2025/diary.txt"),
        read("a wide backslash", "..\uff3cdiary.txt"),
        read("decomposed characters", "cafe\u0301.py"),
        read("a Cyrillic letter in a Latin word", "m\u0430in.py"),
        read("a Greek letter in a Latin word", "main\u03bfne.py"),
        written("written with a hidden direction", "report\u202efdp.txt"),
    ),
)

KEYS = Group(
    "Hidden files, keys and other kinds",
    (
        read("settings with keys", ".env"),
        read("settings with keys of one place", ".env.local"),
        read("the same by another name", "prod.env"),
        read("the same in a folder", "src/.env"),
        read("the history of the versions", ".git/config"),
        read("a folder of keys", ".ssh/known.txt"),
        listed("a hidden folder", ".git"),
        searched("a search in a hidden folder", ".git"),
        read("a hidden file", "src/.hidden.py"),
        read("a key of SSH", "id_rsa"),
        read("a public key of SSH", "id_ed25519.pub"),
        read("a copy of a key", "id_rsa.bak"),
        read("a key of a server", "server.key"),
        read("a certificate", "server.PEM"),
        read("a certificate as a text", "server.pem.txt"),
        read("a store of keys", "release.keystore"),
        read("credentials", "credentials.json"),
        read("secrets", "config/secrets.yaml"),
        read("passwords", "passwords.txt"),
        read("passwords for programs", "_netrc"),
        read("the system's passwords", "backup/shadow"),
        read("values of Terraform", "prod.tfvars.json"),
        read("an account for programs", "service-account-prod.json"),
        read("a program", "program.exe"),
        read("a library", "library.so"),
        read("a database", "data.sqlite"),
        read("an archive", "archive.tar.gz"),
        read("no suffix", "notes"),
        written("a hook that others run", ".git/hooks/pre-commit.sh"),
        written("a key", "server.key"),
        written("the rules of the run", "loopwright.toml"),
        written("the rules in other letters", "src/LoopWright.TOML"),
        written("a program", "program.exe"),
        written("what every Python here starts with", "venv/lib/python3.11/site-packages/sitecustomize.py"),
        written("an installed package", "web/node_modules/left-pad/index.js"),
    ),
)

FOUND = Group(
    "What is found to be something else",
    (
        read("a link to a file outside", "link-to-file.txt"),
        read("a link to a folder outside", "link-to-folder/diary.txt"),
        read("a link that leads back in", "link-inside.txt"),
        read("a link to a folder that leads back in", "link-to-src/a.py"),
        read("a link to a hidden file", "link-to-env.txt"),
        read("a link to itself", "link-to-itself.txt"),
        read("a link to nothing", "link-to-nothing.txt"),
        read("a link of the system", "link-to-environ.txt"),
        listed("a link as a folder", "link-to-folder"),
        searched("a search in a link", "link-to-folder"),
        searched("a search in a linked file", "link-to-file.txt"),
        read("a second name of a file outside", "hard-link.txt"),
        read("a folder as a file", "folder.txt"),
        read("a file as a folder", "main.py/a.py"),
        listed("a file as the folder of a list", "main.py"),
        read("a pipe", "pipe.txt"),
        read("a socket", "socket.txt"),
        read("a device", "device.txt"),
        read("a disk", "disk.txt"),
        read("no text", "binary.txt"),
        read("a text in UTF-32", "wide.txt"),
        read("half of UTF-16", "half.txt"),
        read("a private key by another name", "notes-of-mine.txt"),
        read("a private key inside JSON", "data.json"),
        read("a file of 3,000,000 bytes", "large.txt"),
        written("over a link to a file outside", "link-to-file.txt"),
        written("into a linked folder", "link-to-folder/new.txt"),
        written("through a link to nothing", "link-to-nothing.txt"),
        written("over a second name", "hard-link.txt"),
        written("over a pipe", "pipe.txt"),
        written("over a folder", "folder.txt"),
        written("below a file", "main.py/new.py"),
        written("over a file, without saying so", "main.py", overwrite=False),
        written("over what is no text", "binary.txt"),
        written("a private key", "mine.txt", content=KEY),
        written("no text", "zeros.txt", content="a\0b"),
        written("1,000,001 bytes", "much.txt", content="a" * 1_000_001),
        edited("a change of a linked file", "link-to-file.txt"),
        edited("a change through a linked folder", "link-to-folder/diary.txt"),
        edited("a change of a second name", "hard-link.txt"),
        edited("a change of what is not UTF-8", "latin.txt"),
    ),
)

GROUPS = (LEAVING, WINDOWS, UNICODE, KEYS, FOUND)
ROWS = tuple(row for group in GROUPS for row in group.rows)


def arguments_of(row: Row, workspace: Path) -> dict[str, Any]:
    """The call as the model makes it."""
    name = "folder" if row.tool == "list_files" else "path"
    return {name: row.path.replace("WORKSPACE", str(workspace)), **row.more}


def told(row: Row, workspace: Path, tools: Mapping[str, Any]) -> str:
    """What the model is told, without the class of the error."""
    result = tools[row.tool].run_blocking(arguments_of(row, workspace))
    assert result.status == "error", (row.path, result)
    return result.error.partition(": ")[2].replace(str(workspace), "WORKSPACE")


def make_outside(place: Path) -> Path:
    """What must not be reached, and the workspace beside it."""
    (place / "outside").mkdir()
    for file in (place / "diary.txt", place / "outside" / "diary.txt"):
        file.write_text(SECRET)
    workspace = place / "workspace"
    (workspace / "src").mkdir(parents=True)
    (workspace / "main.py").write_text("print('main')\n")
    (workspace / "src" / "a.py").write_text("a = 1\n")
    return workspace


def make_found(workspace: Path) -> set[str]:
    """Everything that is found to be something else; the names of what this user may not make."""
    outside = workspace.parent / "outside"
    for name, target in {
        "link-to-file.txt": "../outside/diary.txt",
        "link-to-folder": str(outside),
        "link-inside.txt": "src/a.py",
        "link-to-src": "src",
        "link-to-env.txt": ".env",
        "link-to-itself.txt": "link-to-itself.txt",
        "link-to-nothing.txt": "../outside/nothing.txt",
        "link-to-environ.txt": "/proc/self/environ",
    }.items():
        (workspace / name).symlink_to(target)
    (workspace / "hard-link.txt").hardlink_to(outside / "diary.txt")
    (workspace / "folder.txt").mkdir()
    (workspace / ".git").mkdir()
    os.mkfifo(workspace / "pipe.txt")
    for name, content in {
        ".env": SECRET.encode(),
        "id_rsa": SECRET.encode(),
        "binary.txt": b"\x7fELF\0\1\2",
        "wide.txt": "wide".encode("utf-32"),
        "half.txt": b"\xff\xfea\0b",
        "notes-of-mine.txt": KEY.encode(),
        "data.json": KEY.replace("\n", "\\n").encode(),
        "large.txt": b"a" * 3_000_000,
        "latin.txt": "secret caf\u00e9".encode("latin-1"),
    }.items():
        (workspace / name).write_bytes(content)
    makers: dict[str, Callable[[Path], None]] = {
        "socket.txt": _make_socket,
        "device.txt": lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5)),
        "disk.txt": lambda path: os.mknod(path, 0o600 | stat.S_IFBLK, os.makedev(7, 0)),
    }
    return {name for name, make in makers.items() if not _is_made(workspace / name, make)}


def _is_made(path: Path, make: Callable[[Path], None]) -> bool:
    try:
        make(path)
    except OSError:  # devices: only the system's user, and not in every container
        return False
    return True


def _make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def line_of(row: Row, words: str) -> str:
    """A row of the table."""
    what = row.what if row.tool == "read_file" else f"{row.what} (`{row.tool}`)"
    return f"| {what} | {_code(row.path)} | {_cell(words)} |"


def _code(path: str) -> str:
    """A path in a cell, with whatever cannot be seen written out."""
    written_out = path if path.isascii() and path.isprintable() else ascii(path)[1:-1]
    short = written_out if len(written_out) <= 48 else f"{written_out[:40]}…"
    return f"`{short}`".replace("|", "\\|") if path else "(empty)"


def _cell(words: str) -> str:
    visible = "".join(one if one.isascii() else ascii(one)[1:-1] if not one.isprintable() else one for one in words)
    return re.sub(r"([|<*_~\\])", r"\\\1", visible)


def _table() -> str:
    with TemporaryDirectory(prefix="w") as place:
        workspace = make_outside(Path(place).resolve())
        if missing := make_found(workspace):
            sys.exit(f"this user may not make {', '.join(missing)}; run this as the system's user")
        tools = {tool.spec.name: tool for tool in Workspace(workspace).tools}
        blocks = [
            f"**{group.name}**\n\n| what | path | what the model is told |\n|---|---|---|\n"
            + "\n".join(line_of(row, told(row, workspace, tools)) for row in group.rows)
            for group in GROUPS
        ]
    return "\n\n".join(blocks)


if __name__ == "__main__":
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{_table()}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    sys.stdout.write(f"{len(ROWS)} rows in {PAGE}\n")
