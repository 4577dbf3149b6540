"""Runs one call: prepare, execute, finalise. Whatever happens to a tool comes back as a `Result`.

Owns threads and time limits of tools. Whether a call may run at all was decided before; nothing here knows of runs,
events or models.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import msgspec

from loopwright.core.messages import Call, Result
from loopwright.engine.ports import Tool
from loopwright.tools.cut import cut
from loopwright.tools.result import error, failure


@runtime_checkable
class BlockingTool(Protocol):
    """A tool whose function is not async, and which therefore runs in a thread."""

    blocking: bool

    def run_blocking(self, arguments: dict[str, Any]) -> Result:
        """As `Tool.run`, in the calling thread."""
        ...


async def execute(tool: Tool, call: Call, *, room: int, timeout: float | None) -> Result:
    """Run `call` with `tool` and return what the model may be shown of it: at most `room` bytes.

    The call gets `timeout` seconds or the tool's own, whichever is less. An async tool is cancelled then; a thread
    cannot be stopped, and the error says so. Raises no Exception; a cancellation of the run and KeyboardInterrupt pass.
    """
    limit = _least(tool.spec.timeout, timeout)
    if limit is not None and limit <= 0:
        return _fitted(error("ToolTimeout: there was no time left to start it"), tool, room)
    blocking = isinstance(tool, BlockingTool) and tool.blocking
    deadline = asyncio.timeout(limit)
    try:
        async with deadline:
            result = await (_in_thread(tool, call.arguments) if blocking else tool.run(call.arguments))
    except asyncio.CancelledError as raised:
        if _is_cancelled():
            raise
        result = failure(raised)
    except (Exception, SystemExit) as raised:  # noqa: BLE001 - whatever a tool raises is an observation
        result = _too_late(limit, blocking=blocking) if deadline.expired() else failure(raised)
    return _fitted(_sound(result), tool, room)


def _least(*limits: float | None) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _is_cancelled() -> bool:
    """Whether somebody cancelled this task, rather than the tool something of its own."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _too_late(limit: float | None, *, blocking: bool) -> Result:
    state = "its thread cannot be stopped, so it may still take effect" if blocking else "it was stopped"
    return error(f"ToolTimeout: no result within {limit:g} s; {state}")


def _sound(result: Any) -> Result:
    """The result, or an error where a tool that is not ours gave something else."""
    if not isinstance(result, Result):
        return error(f"ToolError: the tool returned {type(result).__name__} instead of a Result")
    try:
        msgspec.json.decode(result.data)
    except msgspec.DecodeError as raised:
        return error(f"ToolError: the tool's data is not JSON ({raised})")
    return result


def _fitted(result: Result, tool: Tool, room: int) -> Result:
    return cut(result, room=room, max_chars=tool.spec.max_chars)


async def _in_thread(tool: Any, arguments: dict[str, Any]) -> Result:
    """Run a blocking tool in a thread of its own, with a copy of the caller's context variables.

    A thread a call, not a pool: one that hangs takes no place from others, and being a daemon it does not keep the
    process from ending.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()
    context = contextvars.copy_context()
    run: Callable[[], Result] = lambda: context.run(tool.run_blocking, arguments)  # noqa: E731 - typed
    name = f"loopwright tool {tool.spec.name}"
    threading.Thread(target=_run_and_report, args=(run, loop, done), name=name, daemon=True).start()
    return await done


def _run_and_report(run: Callable[[], Result], loop: asyncio.AbstractEventLoop, done: "asyncio.Future[Result]") -> None:
    try:
        result = run()
    except BaseException as raised:  # noqa: BLE001 - in a thread there is nobody who could catch it
        result = failure(raised)
    try:
        loop.call_soon_threadsafe(_report, done, result)
    except RuntimeError:
        return  # the loop is closed: nobody waits any more


def _report(done: "asyncio.Future[Result]", result: Result) -> None:
    if not done.done():
        done.set_result(result)
