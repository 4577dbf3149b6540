"""A person in the place of a tool, in whole runs."""

import asyncio
import json
from typing import Any, Literal

import pytest

from loopwright import Agent, person_tool
from loopwright.core.errors import UsageError
from loopwright.core.events import CallEnded, CallStarted
from loopwright.core.messages import Call, Limits, Result, ToolSpec
from loopwright.engine.ports import Approval
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.scripted import ScriptedModel, answers, calls
from loopwright.toolbox import ask_person
from loopwright.tools.asked import AskedTool


@person_tool
def taste(dish: str) -> Literal["bland", "salty"]:  # pyright: ignore[reportReturnType]
    """Taste a dish."""


async def run(tool: AskedTool, *, limits: Limits | None = None, arguments: Any = None, **options: Any) -> CallEnded:
    model = ScriptedModel(replies=[calls(tool.spec.name, **(arguments or {"dish": "soup"})), answers("done")])
    journal = MemoryJournal()
    await Agent(model, tools=[tool], journal=journal, limits=limits, **options).run("?", run_id="r")
    history = await journal.read("r")
    assert [event.call_id for event in history if isinstance(event, CallStarted | CallEnded)][-1] == "1.1"
    (ended,) = [event for event in history if isinstance(event, CallEnded)]
    told = model.requests[1].messages[-1]["content"]
    assert json.loads(told)["status"] == ended.result.status
    return ended


def says_yes(_call: Call, _tool: ToolSpec) -> str:
    return "yes"


def agrees(_call: Call, _tool: ToolSpec) -> bool:
    return True


def never(_call: Call, _tool: ToolSpec) -> str:
    pytest.fail("asked")


async def test_a_function_answers_in_the_place_of_the_tool() -> None:
    asked: list[tuple[Call, ToolSpec]] = []

    def answer(call: Call, tool: ToolSpec) -> str:
        asked.append((call, tool))
        return "Salty"

    ended = await run(taste, answer=answer)
    assert ended.result == Result(data=ended.result.data)
    assert bytes(ended.result.data) == b'"salty"'
    assert (ended.how, asked) == ("ran", [(Call("taste", {"dish": "soup"}), taste.spec)])


async def test_an_answer_may_be_awaited_and_may_be_unusable() -> None:
    async def answer(_call: Call, _tool: ToolSpec) -> str:
        await asyncio.sleep(0)
        return "sweet"

    assert (await run(taste, answer=answer)).result.error == ("UnusableAnswer: 'sweet' is not one of 'bland', 'salty'")


async def test_what_the_function_raises_is_an_observation() -> None:
    def answer(_call: Call, _tool: ToolSpec) -> str:
        raise LookupError("gone home")

    assert (await run(taste, answer=answer)).result.error == "LookupError: gone home"


async def test_without_a_person_the_model_is_told_that_nobody_is_there() -> None:
    ended = await run(taste)
    assert ended.result.error.startswith("NobodyThere: nobody is there to answer; go on without it")
    assert ended.how == "ran"


async def test_wrong_arguments_reach_nobody() -> None:
    ended = await run(taste, arguments={"plate": "soup"}, answer=never)
    assert ended.how == "refused"
    assert ended.result.error.startswith("InvalidArguments: ")


async def test_an_answer_that_does_not_come_is_waited_for_as_long_as_the_tool_says() -> None:
    @person_tool(timeout=0.05)
    def think(dish: str) -> str:  # pyright: ignore[reportReturnType]
        """Think about it."""

    async def answer(_call: Call, _tool: ToolSpec) -> str:
        await asyncio.sleep(60)
        return "late"

    assert (await run(think, answer=answer)).result.error == "ToolTimeout: no result within 0.05 s; it was stopped"


class Person:
    """Somebody who approves and answers."""

    async def approve(self, call: Call, tool: ToolSpec, about: str) -> Approval:
        del call, tool, about
        return Approval(True, by="somebody")

    async def answer(self, call: Call, tool: AskedTool) -> Result:
        return tool.answered(f"{call.arguments['question']} {tool.expects}")


async def test_whoever_approves_may_answer_too() -> None:
    ended = await run(ask_person, arguments={"question": "Really?"}, approve=Person())
    assert bytes(ended.result.data) == b'"Really? a string"'
    ended = await run(ask_person, arguments={"question": "Really?"}, approve=agrees)
    assert ended.result.error.startswith("NobodyThere")
    ended = await run(ask_person, arguments={"question": "Really?"}, answer=Person())
    assert ended.result.status == "ok"


async def test_what_a_person_does_to_the_world_is_approved_first() -> None:
    @person_tool(effect="pay")
    def pay(dish: str) -> bool:  # pyright: ignore[reportReturnType]
        """Pay for a dish."""

    ended = await run(pay, answer=says_yes)
    assert (ended.how, ended.result.status) == ("denied", "error")
    ended = await run(pay, answer=says_yes, approve=agrees)
    assert bytes(ended.result.data) == b"true"


def test_an_answer_must_be_something_that_can_be_asked() -> None:
    with pytest.raises(UsageError, match="answer is 'yes'"):
        Agent(ScriptedModel(replies=[]), answer="yes")  # type: ignore[arg-type]
