"""The person at the terminal, asked for approvals."""

import asyncio
import sys
import threading

from loopwright.cli.printing import Printer, visible, written
from loopwright.core.messages import Call, ToolSpec
from loopwright.engine.ports import Approval, Observer


class AtTheTerminal:
    """Asks on standard error and reads from standard input, one question at a time."""

    def __init__(self, observers: tuple[Observer, ...]) -> None:
        self._printers = [observer for observer in observers if isinstance(observer, Printer)]
        self._turn = asyncio.Lock()

    async def approve(self, call: Call, tool: ToolSpec, about: str) -> Approval:
        """Show exactly what would run, and ask."""
        async with self._turn:
            for printer in self._printers:
                printer.rest()
            what = "Run it" if about == "approval" else "It may have run already before the interruption. Run it again"
            print(f"\nThe model wants to {tool.effect}: {visible(written(call))}", file=sys.stderr)
            answer = (await _line(f"{what}? [y/N, or N and why] ")).strip()
        yes = answer.lower() in ("y", "yes")
        head, _, why = answer.partition(" ")
        reason = "" if yes else (why if head.lower() in ("n", "no") else answer)
        return Approval(yes, by="terminal", reason=reason)


async def _line(question: str) -> str:
    """A line typed by the person; the end of the input counts as an empty one.

    In a thread that nobody waits for at exit: a read from a terminal cannot be cancelled.
    """
    loop, line = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    def read() -> None:
        print(question, end="", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
        loop.call_soon_threadsafe(lambda: line.done() or line.set_result(typed))

    threading.Thread(target=read, daemon=True).start()
    return await line
