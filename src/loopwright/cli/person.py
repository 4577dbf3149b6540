"""The person at the terminal, asked for approvals."""

import asyncio
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress

from loopwright.cli.printing import Printer, visible, written
from loopwright.core.messages import Call, ToolSpec
from loopwright.engine.ports import Approval

LINE = 4096
"""Bytes of the longest line that a terminal gives."""


class AtTheTerminal:
    """Asks on standard error and reads from standard input, one question at a time.

    What was typed before the question was there answers nothing: it is thrown away.
    """

    def __init__(self, printers: Iterable[Printer]) -> None:
        self._printers = tuple(printers)
        self._turn = asyncio.Lock()

    async def approve(self, call: Call, tool: ToolSpec, about: str) -> Approval:
        """Show exactly what would run, and ask."""
        async with self._turn:
            for printer in self._printers:
                printer.rest()
            what = "Run it" if about == "approval" else "It may have run already before the interruption. Run it again"
            print(f"\nThe model wants to {tool.effect}: {visible(written(call))}", file=sys.stderr)
            answer = _text(await _line(f"{what}? [y/N, or N and why] "))
        yes = answer.lower() in ("y", "yes")
        head, _, why = answer.partition(" ")
        reason = "" if yes else (why if head.lower() in ("n", "no") else answer)
        return Approval(yes, by="terminal", reason=reason)


def _text(typed: bytes) -> str:
    """What was typed; what cannot be read is a no."""
    try:
        return typed.decode().strip()
    except UnicodeDecodeError:
        return "n what was typed is not UTF-8 text"


async def _line(question: str) -> bytes:
    """A line typed by the person; the end of the input counts as an empty one.

    In a thread that nobody waits for at exit: a read from a terminal cannot be cancelled.
    """
    loop, line = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    def read() -> None:
        _forget_what_was_typed()
        print(question, end="", file=sys.stderr, flush=True)
        # Past Python's own buffer, which may hold what was typed before; a terminal gives one line at a time.
        typed = os.read(sys.stdin.fileno(), LINE)
        loop.call_soon_threadsafe(lambda: line.done() or line.set_result(typed))

    threading.Thread(target=read, daemon=True).start()
    return await line


def _forget_what_was_typed() -> None:
    with suppress(ImportError, OSError):  # Windows has no termios
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
