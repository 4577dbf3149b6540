"""What an application gives is refused at the door, before anything is written down, asked or run."""

import math
import re
from collections.abc import Callable
from typing import Any, cast

import pytest

from loopwright import Agent, Limits, MemoryJournal, Result, RunResult, Settings, ToolSpec, UsageError, tool
from loopwright.testing.scripted import ScriptedModel, answers

anything: Any = cast("Any", None)


def agent(**options: Any) -> Agent:
    journal = options.pop("journal", None) or MemoryJournal()
    return Agent(ScriptedModel(replies=[answers("5")]), journal=journal, **options)


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Odd:
    """A tool whose spec is not what it is declared to be."""

    def __init__(self, spec: object) -> None:
        self.spec = spec

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Nothing."""
        return Result()


def itself() -> list[Any]:
    value = list[Any]()
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"limits": {"steps": 3}}, "Limits(steps=3)"),
        ({"limits": 3}, "Limits("),
        ({"settings": {"temperature": 0}}, "Settings("),
        ({"tools": add}, "tools=[get_time]"),
        ({"tools": "weather"}, "pass a list of tools"),
        ({"tools": {"add": add}}, "pass a list of tools"),
        ({"tools": [3]}, "a function with a docstring"),
        ({"tools": [Odd({"name": "x"})]}, "a function with a docstring"),
        ({"instructions": 3}, "instructions is 3 (int)"),
        ({"instructions": "half \ud800"}, "surrogate"),
        ({"recipe": [1]}, "pass a dict"),
        ({"recipe": {"a": math.nan}}, "recipe['a'] is nan"),
        ({"recipe": {"a": [{1}]}}, "recipe['a'][0] is of type set"),
        ({"recipe": {"a": b"x"}}, "of type bytes"),
        ({"recipe": {"a": object()}}, "of type object"),
        ({"recipe": {"a": itself()}}, "deeper than 64 levels"),
        ({"recipe": {3: 4}}, "the key 3"),
        ({"recipe": {"\udc00": 4}}, "the key"),
        ({"require_action": "yes"}, "True or False"),
        ({"switch_back": 1}, "True or False"),
        ({"constrain": "yes"}, "True, False or None"),
        ({"policy": "allow"}, "Policy("),
        ({"language": 3}, "the code of a language"),
        ({"observers": print}, "a list of functions"),
        ({"approve": True}, "a function of (call, tool)"),
        ({"journal": 3}, "a path"),
    ],
)
def test_an_option_of_the_wrong_kind_is_refused_with_what_to_pass(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        agent(**options)
    assert words in str(refused.value)


def test_a_model_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="openai:gpt"):
        Agent(cast("Any", 42))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("messages", "give the task"),
        ("input", "give the task"),
        ("model", "first argument"),
        ("max_tokens", "Settings(max_tokens=…)"),
        ("max_completion_tokens", "Settings(max_tokens=…)"),
        ("max_output_tokens", "Settings(max_tokens=…)"),
        ("stream", "Agent(stream=…)"),
        ("n", "one reply"),
        ("tools", "give tools to the agent"),
        ("tool_choice", "require_action"),
    ],
)
def test_extra_fields_may_not_hold_what_the_run_fills(name: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        agent(settings=Settings(extra={"top_k": 4, name: 1}))
    assert words in str(refused.value)


def test_extra_fields_that_changed_behind_the_door_are_looked_at_again() -> None:
    extra: dict[str, Any] = {}
    settings = Settings(extra=extra)
    extra["bias"] = {1, 2}
    with pytest.raises(UsageError, match="of type set"):
        agent(settings=settings)


@pytest.mark.parametrize("task", [42, None, b"hi", ["hi"], "", " \n", "half \ud83d"])
async def test_a_task_must_be_a_text(task: Any) -> None:
    journal = MemoryJournal()
    with pytest.raises(UsageError, match="the task"):
        await agent(journal=journal).run(task)
    assert await journal.runs() == []


@pytest.mark.parametrize(
    "run_id", ["", 42, b"x", "a\nb", "a\0b", "\x1b[2J", " a", "x" * 201, "half \ud83d", "a\u202eb"]
)
async def test_the_name_of_a_run_can_be_printed_and_typed(run_id: Any) -> None:
    journal = MemoryJournal()
    with pytest.raises(UsageError, match="run_id"):
        await agent(journal=journal).run("hi", run_id=run_id)
    assert await journal.runs() == []


@pytest.mark.parametrize("run_id", ["x" * 200, "Lauf Nr. 7", "../etc/passwd", "運行", "."])
async def test_any_other_name_will_do(run_id: str) -> None:
    result: RunResult = await agent().run("hi", run_id=run_id)
    assert result.run_id == run_id


@pytest.mark.parametrize(
    "spec",
    [
        ToolSpec("odd", cast("Any", 3)),
        ToolSpec("odd", effect=cast("Any", "explode")),
        ToolSpec("odd", parameters=cast("Any", {"type": {1}})),
        ToolSpec("odd", max_chars=cast("Any", 1.5)),
    ],
    ids=["description", "effect", "parameters", "max_chars"],
)
async def test_a_tool_that_could_not_be_read_back_is_refused(spec: ToolSpec) -> None:
    journal = MemoryJournal()
    with pytest.raises(UsageError, match="could not be read back"):
        await agent(tools=[Odd(spec)], journal=journal).run("hi")
    assert await journal.runs() == []


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Limits(tokens=cast("Any", 1e6)), "write 1000000"),
        (lambda: Limits(steps=cast("Any", 2.5)), "whole number"),
        (lambda: Limits(model_calls=cast("Any", True)), "whole number"),
        (lambda: Limits(calls_per_turn=anything), "whole number"),
        (lambda: Limits(unreadable=cast("Any", "3")), "whole number"),
        (lambda: Limits(steps=-1), "less than 0"),
        (lambda: Limits(cost=math.nan), "more than 0"),
        (lambda: Limits(seconds=math.inf), "more than 0"),
        (lambda: Limits(seconds=cast("Any", "60")), "more than 0"),
        (lambda: Settings(temperature=cast("Any", "hot")), "temperature is 'hot'"),
        (lambda: Settings(temperature=-0.1), "at least 0"),
        (lambda: Settings(temperature=math.nan), "temperature"),
        (lambda: Settings(top_p=1.1), "from 0 to 1"),
        (lambda: Settings(top_p=cast("Any", True)), "top_p"),
        (lambda: Settings(max_tokens=0), "less than 1"),
        (lambda: Settings(max_tokens=cast("Any", 100.0)), "write 100"),
        (lambda: Settings(seed=cast("Any", 1.5)), "seed"),
        (lambda: Settings(stop=cast("Any", "END")), "tuple of texts"),
        (lambda: Settings(stop=cast("Any", (3,))), "must be a text"),
        (lambda: Settings(stop=("\ud800",)), "tuple of texts"),
        (lambda: Settings(extra=cast("Any", [1])), "must be a dict"),
        (lambda: Settings(extra={"a": math.inf}), "extra['a'] is inf"),
        (lambda: Settings(extra={"a": (1, {"b": b"x"})}), "extra['a'][1]['b'] is of type bytes"),
    ],
)
def test_limits_and_settings_refuse_what_a_journal_could_not_give_back(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        make()


def test_what_is_right_passes() -> None:
    Limits(steps=None, model_calls=1, tool_calls=0, tokens=10**9, cost=1, seconds=0.5)
    Settings(0, 1, 1, -5, ("END",), {"a": [1, 2.5, None, True, "ü", {"b": ()}]})
