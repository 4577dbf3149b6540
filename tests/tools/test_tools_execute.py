"""What happens to a call: threads, time limits, failures, cancellation."""

import asyncio
import contextvars
import sys
import threading
import time
from typing import Any

import pytest
from msgspec import Raw

from loopwright.core.messages import Call, Content, Result, ToolSpec
from loopwright.engine.execute import execute
from loopwright.tools.declare import tool

ROOM = 10_000
request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="none")


@tool
def thread_name() -> str:
    """Name of the thread that it runs in."""
    return threading.current_thread().name


@tool
def current_request() -> str:
    """The request that it runs for."""
    return request_id.get()


@tool(timeout=0.05)
def slow_in_thread() -> str:
    """Sleeps in its thread."""
    time.sleep(0.3)
    return "late"


@tool
async def sleeper(seconds: float) -> str:
    """Sleeps."""
    await asyncio.sleep(seconds)
    return "awake"


@tool
async def broken(kind: str) -> str:
    """Raises."""
    if kind == "exit":
        sys.exit(3)
    if kind == "cancelled":
        raise asyncio.CancelledError
    if kind == "timeout":
        raise TimeoutError("the server gave up")
    raise ValueError("no such row")


@tool
def broken_in_thread() -> str:
    """Raises in its thread."""
    raise LookupError("no such table")


@tool
def leaves() -> None:
    """Exits in its thread."""
    sys.exit(1)


async def outcome(of: Any, arguments: dict[str, Any] | None = None, timeout: float | None = None) -> Result:
    return await execute(of, Call(tool="any", arguments=arguments or {}), room=ROOM, timeout=timeout)


async def test_a_sync_function_runs_outside_the_loops_thread() -> None:
    result = await outcome(thread_name)
    assert bytes(result.data) == b'"loopwright tool thread_name"'


async def test_sync_functions_of_one_turn_run_side_by_side() -> None:
    meeting = threading.Barrier(3, timeout=5)

    @tool
    def meet() -> int:
        """Waits for the others."""
        return meeting.wait()

    results = await asyncio.gather(*(outcome(meet) for _ in range(3)))
    assert sorted(bytes(result.data) for result in results) == [b"0", b"1", b"2"]


async def test_context_variables_reach_the_thread() -> None:
    request_id.set("r-7")
    assert bytes((await outcome(current_request)).data) == b'"r-7"'


async def test_a_thread_that_is_too_slow_says_that_it_may_still_take_effect() -> None:
    result = await outcome(slow_in_thread, timeout=10)
    assert result.status == "error"
    assert result.error.startswith("ToolTimeout: no result within 0.05 s")
    assert "may still take effect" in result.error


async def test_the_lesser_limit_counts_and_an_async_tool_is_stopped() -> None:
    result = await outcome(sleeper, {"seconds": 30}, timeout=0.01)
    assert result.error == "ToolTimeout: no result within 0.01 s; it was stopped"


async def test_no_time_left_means_that_it_never_starts() -> None:
    result = await outcome(broken, {"kind": "value"}, timeout=0.0)
    assert result.error.startswith("ToolTimeout: there was no time left")


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("value", "ValueError: no such row"),
        ("timeout", "TimeoutError: the server gave up"),
        ("exit", "SystemExit: 3"),
        ("cancelled", "CancelledError: no further details"),
    ],
)
async def test_whatever_a_tool_raises_is_an_error_and_never_a_crash(kind: str, error: str) -> None:
    result = await outcome(broken, {"kind": kind}, timeout=5)
    assert (result.status, result.error) == ("error", error)


async def test_what_a_sync_tool_raises_is_an_error_too() -> None:
    assert (await outcome(broken_in_thread)).error == "LookupError: no such table"
    assert (await outcome(leaves)).error == "SystemExit: 1"


async def test_wrong_arguments_are_answered_in_words() -> None:
    result = await outcome(sleeper, {"seconds": "soon"})
    assert result.error == "InvalidArguments: seconds: got 'soon', expected a number"


@pytest.mark.parametrize("of", [sleeper, slow_in_thread])
async def test_a_cancelled_run_cancels_the_call(of: Any) -> None:
    task = asyncio.create_task(outcome(of, {"seconds": 30} if of is sleeper else {}))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


class Foreign:
    """A tool that is not made by `@tool`, and does as it likes."""

    def __init__(self, gives: Any) -> None:
        self.spec = ToolSpec(name="foreign", max_chars=100)
        self._gives = gives

    async def run(self, arguments: dict[str, Any]) -> Any:
        if isinstance(self._gives, Exception):
            raise self._gives
        return self._gives


@pytest.mark.parametrize(
    ("gives", "error"),
    [
        ("text", "ToolError: the tool returned str instead of a Result"),
        (Result(data=Raw(b"{broken")), "ToolError: the tool's data is not JSON"),
        (OSError("disk"), "OSError: disk"),
    ],
)
async def test_a_foreign_tool_cannot_break_the_run(gives: Any, error: str) -> None:
    result = await outcome(Foreign(gives))
    assert result.status == "error"
    assert result.error.startswith(error)


async def test_the_result_comes_whole_whatever_room_there_is() -> None:
    rows = Raw(b"[" + b",".join(b"%d" % number for number in range(1000)) + b"]")
    whole = await execute(Foreign(Result(data=rows)), Call(tool="foreign"), room=10, timeout=None)
    assert whole == Result(data=rows)


class Fitting(Foreign):
    async def run_within(self, arguments: dict[str, Any], room: int) -> Result:
        return Result(data=Raw(b"%d" % room))


async def test_a_tool_that_fits_its_results_is_told_the_room() -> None:
    assert (await outcome(Fitting(Result()))).data == Raw(b"%d" % ROOM)


async def test_artifacts_without_their_bytes_are_an_error() -> None:
    result = await outcome(Foreign(Result(artifacts=(Content("ab", 2),))))
    assert (
        result.error
        == "ToolError: the tool's Result names artifacts without their bytes; return an Artifact in its data"
    )
