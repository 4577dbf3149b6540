"""Whatever a tool does, its call has a result."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest
from msgspec import Raw

from loopwright import Agent, MemoryJournal, Result, ToolSpec, tool
from loopwright.core.messages import Call
from loopwright.engine.execute import execute
from loopwright.testing.scripted import ScriptedModel, answers, calls


class Grave(BaseException):
    """Not an Exception."""


class Odd:
    """A tool of somebody else."""

    def __init__(self, run: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._run = run
        self.spec = ToolSpec("odd")

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Do it."""
        del arguments
        return await self._run()


async def result_of(run: Callable[[], Coroutine[Any, Any, Any]], timeout: float | None = None) -> Result:
    return await execute(Odd(run), Call("odd", id="1.1"), room=10_000, timeout=timeout)


def raising(raised: BaseException) -> Callable[[], Coroutine[Any, Any, Any]]:
    async def run() -> Result:
        await asyncio.sleep(0)
        raise raised

    return run


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (ValueError("no"), "ValueError: no"),
        (SystemExit(3), "SystemExit: 3"),
        (Grave("deep"), "Grave: deep"),
        (GeneratorExit(), "GeneratorExit: "),
        (asyncio.CancelledError("mine"), "CancelledError: mine"),
        (StopIteration(3), "RuntimeError: "),
        (ExceptionGroup("many", [ValueError("a"), KeyError("b")]), "ValueError: a"),
        (BaseExceptionGroup("many", [Grave("a"), SystemExit(2)]), "Grave: a"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("limit", [None, 60.0])
async def test_what_a_tool_raises_is_a_result(raised: BaseException, words: str, limit: float | None) -> None:
    result = await result_of(raising(raised), limit)
    assert result.status == "error"
    assert words in result.error


async def test_what_an_async_tool_raises_does_not_end_the_run() -> None:
    @tool
    async def sink() -> str:
        """Sink."""
        raise Grave("deep")

    model = ScriptedModel(replies=[calls("sink"), answers("it sank")])
    assert (await Agent(model, tools=[sink], journal=MemoryJournal()).run("go")).answer == "it sank"
    assert "Grave: deep" in str(model.requests[1].messages)


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), BaseExceptionGroup("", [Grave(), KeyboardInterrupt()])])
def test_ctrl_c_passes(raised: BaseException) -> None:
    with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)):
        asyncio.run(result_of(raising(raised)))


@pytest.mark.parametrize("answer", [asyncio.CancelledError, ValueError, Grave])
async def test_a_cancellation_passes_whatever_the_tool_makes_of_it(answer: type[BaseException]) -> None:
    started = asyncio.Event()

    async def stubborn() -> Result:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise answer from None
        return Result()

    running = asyncio.create_task(result_of(stubborn))
    await started.wait()
    running.cancel()
    with pytest.raises(answer):
        await running


async def test_a_task_that_outlived_a_cancellation_still_runs_tools() -> None:
    async def survivor() -> Result:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return await result_of(raising(asyncio.CancelledError("mine")))
        return Result()

    task = asyncio.create_task(survivor())
    await asyncio.sleep(0)
    task.cancel()
    assert "CancelledError: mine" in (await task).error


async def test_a_cancellation_before_the_call_keeps_the_tool_from_starting() -> None:
    started = list[str]()

    async def tool_of_mine() -> Result:
        started.append("yes")
        await asyncio.sleep(0)
        return Result()

    async def caller() -> Result:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return await result_of(tool_of_mine)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(caller())
    assert started == []


def test_a_coroutine_that_is_closed_ends_there() -> None:
    class Never:
        def __await__(self) -> Any:
            yield

    async def waits() -> Result:
        await Never()
        return Result()

    after = list[Result]()

    async def caller() -> None:
        after.append(await result_of(waits))

    async def closes() -> None:
        work = caller()
        work.send(None)
        work.send(None)  # in the tool, after the wait before it
        work.close()

    asyncio.run(closes())
    assert after == []


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "NoneType instead of a Result"),
        ({"status": "ok"}, "dict instead of a Result"),
        (Result(cast("Any", "weird")), "the status 'weird'"),
        (Result(cast("Any", [])), "the status []"),
        (Result("error", error="half \ud83d"), "error of the tool's Result"),
        (Result("error", error=cast("Any", ValueError("x"))), "error of the tool's Result"),
        (Result(note=cast("Any", None)), "note of the tool's Result"),
        (Result(note="\udc00"), "note of the tool's Result"),
        (Result(data=cast("Any", {"a": 1})), "of type dict; return the plain value"),
        (Result(data=cast("Any", b"{}")), "of type bytes"),
        (Result(data=Raw(b"{")), "not JSON"),
        (Result(data=Raw(b"NaN")), "not JSON"),
        (Result(data=Raw(b'"\xff"')), "not JSON"),
        (Result(data=Raw(b"[" * 100_000 + b"]" * 100_000)), "not JSON"),
    ],
)
async def test_a_result_that_cannot_be_kept_is_an_error(result: Any, words: str) -> None:
    async def hands_out() -> Any:
        return result

    found = await result_of(hands_out)
    assert found.status == "error"
    assert words in found.error


async def test_a_function_that_makes_its_own_wrong_result_does_not_end_the_run() -> None:
    @tool
    def odd() -> Result:
        """Make one."""
        return Result(cast("Any", "weird"), note="\ud800")

    journal = MemoryJournal()
    model = ScriptedModel(replies=[calls("odd"), answers("done")])
    result = await Agent(model, tools=[odd], journal=journal).run("go")
    assert (result.answer, len(await journal.read(result.run_id))) == ("done", 8)
