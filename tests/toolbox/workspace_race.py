"""A race for the way out of a workspace: one process swaps files and folders for links, another uses the tools.

Started as a script by the test, once for each way to open a path: ``workspace_race.py by_kernel 10``. It prints, as one
JSON object, how many calls went how, and every escape. ``careless`` opens as a careless program would, and does escape.
"""

import ctypes
import errno
import json
import os
import random
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loopwright.toolbox.workspace import Workspace, opening

MARK = "lies-outside-4711"
"""In the content of every file outside, and in the names of some: no result may hold it."""
EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2): two names change places in one move."""


def set_up(place: Path) -> Path:
    """The outside, and a workspace in which everything that is there outside, too, has a harmless twin."""
    workspace = place / "workspace"
    for folder in (
        place / "outside",
        workspace / "swapped",
        workspace / "exchanged",
        workspace / "above" / "exchanged",
    ):
        (folder / "below").mkdir(parents=True)
        for file in (folder / "page.txt", folder / "below" / "page.txt"):
            file.write_text(f"{MARK}\n" if folder.name == "outside" else "harmless\n")
    (place / "outside" / f"{MARK}.txt").write_text(MARK)
    (place / ".link-to-root").symlink_to(place / "outside")
    for name in ("exchanged", "above/exchanged"):
        (workspace / name).with_name(".link").symlink_to(place / "outside")
    for name in ("linked.txt", "hard.txt", "pipe.txt"):
        (workspace / name).write_text("harmless\n")
    return workspace


def swap(workspace: Path, seconds: float) -> None:
    """Swap in turn, until the time is over; everything is back in its place at the end of each move."""
    end, moves = time.monotonic() + seconds, 0
    outside = workspace.parent / "outside" / "page.txt"
    while time.monotonic() < end:
        moves += 1
        _swap_folder(workspace / "swapped")
        for name in ("exchanged", "above/exchanged"):
            _exchange(workspace / name, (workspace / name).with_name(".link"))
        _replace(workspace / "linked.txt", lambda made: made.symlink_to(outside))
        _replace(workspace / "hard.txt", lambda made: made.hardlink_to(outside))
        _replace(workspace / "pipe.txt", os.mkfifo)
        if moves % 20 == 0:
            _exchange(workspace, workspace.parent / ".link-to-root")
    sys.stdout.write(str(moves))


def _swap_folder(folder: Path) -> None:
    aside = folder.with_name(".aside")
    with suppress(OSError):  # a tool has just made the folder anew: it is moved back over it below
        folder.rename(aside)
        folder.symlink_to(folder.parents[1] / "outside")
        _wait()
    with suppress(OSError):
        folder.unlink()
    with suppress(OSError):
        aside.rename(folder)


def _exchange(one: Path, other: Path) -> None:
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return
    for _ in range(2):
        rename(-100, os.fsencode(one), -100, os.fsencode(other), EXCHANGE)
        _wait()


def _replace(file: Path, make: Callable[[Path], object]) -> None:
    new = file.with_name(".new")
    make(new)
    new.rename(file)
    _wait()
    new.unlink(missing_ok=True)  # a rename to another name of the same file does nothing
    new.write_text("harmless\n")
    new.rename(file)


def _wait() -> None:
    """As long as a call takes, more or less, so that every place of it is hit."""
    end = time.perf_counter() + random.random() * 0.0005
    while time.perf_counter() < end:
        pass


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("read_file", {"path": path})
        for path in (
            *("swapped/page.txt", "swapped/below/page.txt", "exchanged/page.txt", "exchanged/below/page.txt"),
            *("above/exchanged/page.txt", "linked.txt", "hard.txt", "pipe.txt"),
        )
    ),
    *(("list_files", {"folder": folder}) for folder in ("swapped", "exchanged", "exchanged/below", ".")),
    *(("search_files", {"pattern": MARK[:6], "path": path}) for path in ("exchanged", "above", "linked.txt")),
    *(
        ("write_file", {"path": path, "content": "written\n", "overwrite": True})
        for path in (
            *("swapped/new.txt", "exchanged/new.txt", "exchanged/made/new.txt", "above/exchanged/below/new.txt"),
            *("linked.txt", "hard.txt"),
        )
    ),
    *(
        ("edit_file", {"path": path, "old": "harmless", "new": "harmless "})
        for path in ("swapped/page.txt", "exchanged/page.txt", "above/exchanged/page.txt", "linked.txt", "hard.txt")
    ),
)


def careless(folder: int, parts: opening.Parts, flags: int) -> int:
    """Check, then open, with a moment in between: what the tools must not do."""
    path = "/".join(parts) or "."
    if stat.S_ISLNK(os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, "a link")
    time.sleep(0.001)
    return os.open(path, flags | os.O_NONBLOCK, dir_fd=folder)  # else a pipe is waited at for ever


OPENERS: dict[str, opening.Opener] = {
    "by_kernel": opening.by_kernel,
    "by_steps": opening.by_steps,
    "careless": careless,
}


def use(workspace: Path, how: str, seconds: float) -> dict[str, Any]:
    """Use all tools for so long; what they said, counted, and what they should not have said."""
    tools = {tool.spec.name: tool for tool in Workspace(workspace, opener=OPENERS[how]).tools}
    said, escapes = Counter[str](), list[str]()
    end = time.monotonic() + seconds
    while time.monotonic() < end and not (how == "careless" and escapes):
        for name, arguments in CALLS:
            result = tools[name].run_blocking(arguments)
            text = f"{bytes(result.data).decode()} {result.error} {result.note}"
            if MARK in text:
                escapes.append(f"{name} {arguments}: {text}")
            said[f"{name} {_kind(result.error) or result.status}"] += 1
    return {"said": said, "escapes": escapes}


def _kind(error: str) -> str:
    kinds = {"symbolic link": "link", "hard links": "hard link", "pipe": "pipe", "meanwhile": "changed"}
    return next((kind for words, kind in kinds.items() if words in error), "")


def outside_of(place: Path) -> dict[str, Any]:
    """All that lies outside: content, and when it was changed."""
    outside = place / "outside"
    return {
        str(path.relative_to(outside)): [path.read_text() if path.is_file() else "", path.lstat().st_mtime_ns]
        for path in sorted(outside.rglob("*"))
    } | {"": ["", outside.stat().st_mtime_ns]}


@contextmanager
def swapping(workspace: Path, seconds: float) -> "Generator[subprocess.Popen[str]]":
    arguments = [sys.executable, __file__, "swap", str(seconds), str(workspace)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        yield process


def main() -> None:
    how, seconds = sys.argv[1], float(sys.argv[2])
    if how == "swap":
        swap(Path(sys.argv[3]), seconds)
        return
    with TemporaryDirectory(prefix="race") as name:
        place = Path(name).resolve()
        workspace = set_up(place)
        before = outside_of(place)
        with swapping(workspace, seconds + 1) as process:
            found = use(workspace, how, seconds)
            if how == "careless":
                process.kill()
            moves, _ = process.communicate(timeout=60)
        after = outside_of(place)
        if after != before:
            found["escapes"].append(f"outside it was {before} and is {after}")
        sys.stdout.write(json.dumps({**found, "moves": int(moves or 0)}))


if __name__ == "__main__":
    main()
