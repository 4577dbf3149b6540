"""The training data: well formed, the same for the same seed, and word for word what the runtime sends."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.events import CallEnded, CallStarted, ModelAsked, ModelReplied, RunStarted
from loopwright.core.messages import Call, Result, Turn
from loopwright.engine.ports import Model
from loopwright.engine.speak import conversation_of
from loopwright.models.local import local_model
from loopwright.protocols.react_reply import read_text
from loopwright.toolbox.arithmetic import calculator
from loopwright.toolbox.clock import get_time
from loopwright.toolbox.currency import convert_currency
from loopwright.toolbox.folder import documents
from loopwright.toolbox.weather import get_current_weather
from loopwright.tools.result import ok
from training.documents import recorded
from training.evaluation.invented import INVENTED
from training.evaluation.tasks import TASKS
from training.generate import LONGEST, episodes
from training.trajectories import Episode, Step, faults, messages, started

COUNT = 1500


@pytest.fixture(scope="module")
def some() -> list[Episode]:
    return list(episodes(COUNT, seed=3))


def test_the_same_seed_gives_the_same_data(some: list[Episode]) -> None:
    assert list(episodes(COUNT, seed=3)) == some
    assert list(episodes(50, seed=4)) != some[:50]


def test_all_are_different_and_of_every_family(some: list[Episode]) -> None:
    assert len({(one.task, *(tool.name for tool in one.tools)) for one in some}) == COUNT
    families = Counter(one.family for one in some)
    for family in (
        "weather",
        "bet",
        "purchase",
        "compare",
        "failure",
        "retry",
        "documents",
        "handbooks",
        "read then",
        "invented",
        "no tool",
    ):
        assert families[family] >= 5, family


def test_every_reply_reads_as_what_it_was_written_from(some: list[Episode]) -> None:
    for one in some:
        said = [message.content for message in messages(one) if message.role == "assistant"]
        for step, text in zip(one.steps, said, strict=False):
            turn = read_text(text, one.tools)
            assert [(call.tool, call.arguments, call.state) for call in turn.calls] == [
                (step.tool, step.arguments, "strict")
            ]
            assert turn.thought == step.thought
        last = read_text(said[-1], one.tools)
        assert (last.thought, last.answer, last.calls) == (one.thought, one.answer, ())


def runtime_chat(one: Episode, model: Model) -> list[dict[str, Any]]:
    """The messages of the request that the runtime sends before the last reply of an episode."""
    first = started(one)
    conversation = conversation_of(first, "text", model)
    for number, step in enumerate(one.steps, 1):
        call = Call(step.tool, step.arguments, id=f"{number}.1")
        text = next(m.content for m in messages(one)[2 * number :] if m.role == "assistant")
        conversation.add(ModelAsked(number=number))
        conversation.add(ModelReplied(turn=Turn(thought=step.thought, calls=(call,), text=text)))
        conversation.add(CallStarted(call_id=call.id))
        conversation.add(CallEnded(call_id=call.id, result=step.result))
    asked = ModelAsked(number=len(one.steps) + 1, closing="steps" if one.closing else "")
    conversation.add(asked)
    return json.loads(conversation.request(asked, stream=False))["messages"]


def test_the_data_is_what_the_runtime_sends(some: list[Episode]) -> None:
    model = local_model()
    for one in some[:400]:
        written = [{"role": said.role, "content": said.content} for said in messages(one)][:-1]
        assert written == runtime_chat(one, model)


def test_the_tools_are_the_real_ones(some: list[Episode], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    real = {one.spec.name: one.spec for one in (get_current_weather, convert_currency, calculator, get_time)}
    real |= {one.spec.name: one.spec for one in documents(tmp_path)}
    for one in some:
        if one.family not in ("invented", "recorded"):
            assert all(tool == real[tool.name] for tool in one.tools if tool.name in real)


def test_nothing_of_the_evaluation_is_in_the_data(some: list[Episode]) -> None:
    asked = {task.question.casefold() for task in TASKS}
    cities = {city for task in TASKS for city in (*task.world.rain, *task.world.temperatures)}
    for one in some:
        assert one.task.casefold() not in asked
        assert not {tool.name for tool in one.tools} & set(INVENTED)
        assert not [city for city in cities if f" {city} " in f" {one.task} "]


async def test_calculations_in_the_data_have_the_results_that_the_calculator_gives(some: list[Episode]) -> None:
    done = [step for one in some for step in one.steps if step.tool == "calculator"]
    assert done
    for step in done[:200]:
        assert (await calculator.run(step.arguments)).status == step.result.status


def test_faults_are_found() -> None:
    spec = calculator.spec
    step = Step("a", "calculator", {"expression": "1"}, ok("1"))
    good = Episode("x", "q", (spec,), (step,), "t", "a")
    assert not faults(good, LONGEST)
    broken = [
        Episode("x", "q", (), (step,), "t", "a"),
        Episode("x", "q", (spec,), (Step("a", "calculator", {}, Result()),), "t", "a"),
        Episode("x", "q", (spec,), (Step("a", "calculator", {"expression": "1", "b": 2}, Result()),), "t", "a"),
        Episode("x", "q", (spec,), (step,), "two\nlines", "a"),
        Episode("x", "q", (spec,), (step,), "t", ""),
        Episode("x", "q", (spec,), (step,), "t" * (LONGEST + 1), "a"),
    ]
    assert all(faults(one, LONGEST) for one in broken)


def test_recorded_episodes_are_taken_where_they_ended_well(tmp_path: Path) -> None:
    def run(em: int, tools: list[str], *replies: str) -> str:
        steps = [{"reply": reply, "observation": "Rome is old. It is in Italy. " + "x" * 2000} for reply in replies]
        return json.dumps({"question": "Where is Rome?", "task": "hotpotqa", "em": em, "tools": tools, "steps": steps})

    good = ["Thought: I search Rome.\nAction: search[Rome]", "Thought: It is in Italy.\nAction: finish[italy]"]
    file = tmp_path / "runs.jsonl"
    file.write_text(
        "\n".join(
            (
                run(1, ["search"], *good),
                run(0, ["search"], *good),
                run(1, ["click"], *good),
                run(1, ["search"], "no action here", good[1]),
                run(1, ["search"], good[1]),
            )
        )
    )
    (one,) = recorded(file)
    assert (one.answer, one.thought) == ("Italy", "It is in Italy.")
    assert [(step.tool, step.arguments) for step in one.steps] == [("search", {"query": "Rome"})]
    assert json.loads(bytes(one.steps[0].result.data)) == "Rome is old. It is in Italy."


def test_an_episode_begins_like_a_run() -> None:
    one = next(iter(episodes(1, seed=9)))
    first = started(one)
    assert isinstance(first, RunStarted)
    assert (first.task, first.tools, first.way) == (one.task, one.tools, "text")
