"""What a person types at the terminal: a line, or a text in their editor.

Owns how it is read. What it means is decided elsewhere.
"""

import asyncio
import os
import select
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from msgspec import json

LINE = 4096
"""Bytes of the longest line that a terminal gives."""

One = TypeVar("One")


async def line_of(question: str) -> str:
    """A line typed by the person; the end of the input counts as an empty one, and what cannot be read as a no."""
    try:
        return (await raw_line(question)).decode().strip()
    except UnicodeDecodeError:
        return "n what was typed is not UTF-8 text"


async def raw_line(question: str) -> bytes:
    """A line as the person typed it, with its end; empty where the input is at its end.

    Where this is cancelled nothing more is read: the next line is for whoever asks next.
    """
    wake, stop = os.pipe()

    def read() -> bytes:
        try:
            forget_what_was_typed()
            print(question, end="", file=sys.stderr, flush=True)
            _wait_for(sys.stdin.fileno(), wake)
            # Past Python's own buffer, which may hold what was typed before; a terminal gives one line at a time.
            return b"" if _is_ready(wake) else os.read(sys.stdin.fileno(), LINE)
        finally:
            os.close(wake)

    try:
        return await _aside(read)
    finally:
        os.close(stop)  # wakes the thread


async def next_line(prompt: str) -> str | None:
    """The next line of the standard input, without its end; None at the end of the input.

    The prompt is shown at a terminal only. What was typed ahead counts.
    """

    def read() -> str:
        if sys.stdin.isatty():
            print(prompt, end="", file=sys.stderr, flush=True)
        return sys.stdin.readline()

    line = await _aside(read)
    return line.rstrip("\r\n") if line else None


async def edited(value: dict[str, Any]) -> str:
    """The value as JSON text, as the person leaves it in their editor, or types it in a line where they have none.

    The editor is what VISUAL or EDITOR names. Empty where it cannot be started, or ends with an error.
    """
    text, editor = json.encode(value), os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not editor.strip():
        print(f"The arguments now: {text.decode()}", file=sys.stderr)
        return await line_of("All arguments as a JSON object in one line: ")
    return await _aside(lambda: _in_editor(editor, json.format(text, indent=2)))


async def edited_text(text: str) -> str:
    """The text as the person leaves it in their editor, or types it in a line where they have none."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if editor.strip() and sys.stdin.isatty():
        return await _aside(lambda: _in_editor(editor, text.encode()))
    print(text, file=sys.stderr)
    return await next_line("In one line instead: ") or ""


def forget_what_was_typed() -> None:
    """Throw away what waits to be read from the terminal."""
    with suppress(ImportError, OSError):  # Windows has no termios
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _wait_for(*inputs: int) -> None:
    """Wait until one of these can be read, or is at its end. Windows cannot tell; there whoever reads waits."""
    if os.name != "nt":
        select.select(inputs, [], [])


def _is_ready(entry: int) -> bool:
    return os.name != "nt" and bool(select.select([entry], [], [], 0)[0])


def _in_editor(editor: str, text: bytes) -> str:
    with tempfile.TemporaryDirectory(prefix="loopwright-") as folder:
        file = Path(folder) / "arguments.json"
        file.write_bytes(text + b"\n")
        try:
            done = subprocess.run([*shlex.split(editor), str(file)], stdout=sys.stderr, check=False)  # noqa: S603
            return file.read_text(encoding="utf-8") if done.returncode == 0 else ""
        except (OSError, ValueError) as error:
            print(f"{editor} cannot be started: {error}", file=sys.stderr)
            return ""


async def _aside(work: Callable[[], One]) -> One:
    """Do it in a thread that nobody waits for at exit: a read from a terminal cannot be cancelled."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[One] = loop.create_future()

    def tell(found: One | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(cast("One", found))

    def run() -> None:
        found, error = None, None
        try:
            found = work()
        except Exception as raised:  # noqa: BLE001 - raised where it is waited for
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, found, error)

    threading.Thread(target=run, daemon=True).start()
    return await done
