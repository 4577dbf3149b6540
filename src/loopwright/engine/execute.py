"""Runs one call: prepare, execute, finalise. Whatever happens to a tool comes back as a `Result`.

Owns threads and time limits of tools. Whether a call may run at all was decided before; nothing here knows of runs,
events or models.
"""

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeGuard, cast, get_args

import msgspec

from loopwright.core.messages import Call, Result, ResultStatus, is_text
from loopwright.engine.ports import Tool
from loopwright.tools.result import Produced, error, failure


class BlockingTool(Protocol):
    """A tool whose function is not async, and which therefore runs in a thread."""

    blocking: bool

    def run_blocking(self, arguments: dict[str, Any]) -> Result:
        """As `Tool.run`, in the calling thread."""
        ...


class FittingTool(Protocol):
    """A tool that fits its results to the room that there is."""

    async def run_within(self, arguments: dict[str, Any], room: int) -> Result:
        """As `Tool.run`, with a result of at most `room` bytes."""
        ...


class CheckingTool(Protocol):
    """A tool that can say beforehand that arguments are wrong."""

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine."""
        ...


def fault(tool: Tool, call: Call) -> str:
    """What is wrong with the arguments of a call, in words for the model; empty where the tool finds nothing."""
    if not _checks(tool):
        return ""
    try:
        return tool.check(call.arguments)
    except Exception as raised:  # noqa: BLE001 - whatever a tool raises is an observation
        return failure(raised).error


async def execute(tool: Tool, call: Call, *, room: int, timeout: float | None) -> Result:
    """Run `call` with `tool` and return what it gave, all of it; a tool that can fits it to `room` bytes.

    The call gets `timeout` seconds or the tool's own, whichever is less. An async tool is cancelled then; a thread
    cannot be stopped, and the error says so. Whatever else a tool raises is a result; only a cancellation of the run
    and KeyboardInterrupt pass. A cancellation that came before the call comes before the tool does anything.
    """
    await asyncio.sleep(0)  # else the tool's first wait would raise it, and it would look like the tool's own
    limit = _least(tool.spec.timeout, timeout)
    if limit is not None and limit <= 0:
        return error("ToolTimeout: there was no time left to start it")
    deadline, cancelled = asyncio.timeout(limit), _cancellations()
    try:
        async with deadline:
            result = await _running(tool, call.arguments, room)
    except BaseException as raised:  # whatever a tool raises is an observation
        if _must_pass(raised) or _cancellations() > cancelled:
            raise
        result = _too_late(limit, blocking=_blocks(tool)) if deadline.expired() else failure(raised)
    return _sound(result, fitted=_fits(tool))


def _running(tool: Tool, arguments: dict[str, Any], room: int) -> Awaitable[Result]:
    if _fits(tool):
        return tool.run_within(arguments, room)
    return _in_thread(tool, arguments) if _blocks(tool) else tool.run(arguments)


# To ask `isinstance` of a protocol costs as much as all else here; a look for what it must have costs nothing.


def _checks(tool: Tool) -> TypeGuard[CheckingTool]:
    return hasattr(tool, "check")


def _fits(tool: Tool) -> TypeGuard[FittingTool]:
    return hasattr(tool, "run_within")


def _blocks(tool: Tool) -> TypeGuard[BlockingTool]:
    return bool(getattr(tool, "blocking", False)) and hasattr(tool, "run_blocking")


def _least(*limits: float | None) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _cancellations() -> int:
    """How often somebody cancelled this task; a tool that cancels something of its own does not count."""
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


def _must_pass(raised: BaseException) -> bool:
    """Whether it is not the tool's doing: Ctrl-C, alone or in a group, or the end of the waiting coroutine."""
    if isinstance(raised, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", raised).subgroup(KeyboardInterrupt) is not None
    if isinstance(raised, GeneratorExit):
        # Python closes the inner coroutine first and then raises here; from a tool it comes through the tool's frames.
        return raised.__traceback__ is None or raised.__traceback__.tb_next is None
    return isinstance(raised, KeyboardInterrupt)


def _too_late(limit: float | None, *, blocking: bool) -> Result:
    state = "its thread cannot be stopped, so it may still take effect" if blocking else "it was stopped"
    return error(f"ToolTimeout: no result within {limit:g} s; {state}")


def _sound(result: Any, *, fitted: bool = False) -> Result:
    """The result, or an error where a tool that is not ours gave something else.

    One that was `fitted` may name artifacts that the journal has already.
    """
    if not isinstance(result, Result):
        return error(f"ToolError: the tool returned {type(result).__name__} instead of a Result")
    status, data = cast("object", result.status), cast("object", result.data)
    if status not in get_args(ResultStatus):
        known = ", ".join(get_args(ResultStatus))
        return error(f"ToolError: the tool's Result has the status {status!r}; it must be one of {known}")
    for name, text in (("error", cast("object", result.error)), ("note", cast("object", result.note))):
        if not isinstance(text, str) or not is_text(text):
            return error(f"ToolError: the {name} of the tool's Result is {text!r}, which is no text")
    if not isinstance(data, msgspec.Raw):
        return error(
            f"ToolError: the data of the tool's Result is of type {type(data).__name__}; return the plain value, or "
            "ok(value, note=…) of loopwright.tools.result"
        )
    given = frozenset(result.contents) if isinstance(result, Produced) else frozenset[str]()
    if not fitted and any(content.digest not in given for content in result.artifacts):
        return error("ToolError: the tool's Result names artifacts without their bytes; return an Artifact in its data")
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as raised:
        return error(f"ToolError: the tool's data is not JSON ({raised})")
    return result


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
