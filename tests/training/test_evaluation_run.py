"""One task run by a scripted model, what is counted of it, and the command with the embedded model on one task."""

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from loopwright.core.messages import Call, Turn
from loopwright.testing.scripted import Entry, ScriptedModel, answers, calls, fails, says
from training import evaluate
from training.evaluation.report import document, rows, table, wilson
from training.evaluation.run import Attempt, attempt, counts_invention
from training.evaluation.task import Task
from training.evaluation.tasks import TASKS


def task_of(name: str) -> Task:
    return next(task for task in TASKS if task.id == name)


async def tried(name: str, *replies: Entry) -> Attempt:
    model = ScriptedModel(replies=replies)
    done = await attempt(task_of(name), model)
    model.assert_done()
    return done


WEATHER = calls("get_current_weather", city="Cork")
PAID = calls("convert_currency", amount=60, from_currency="EUR", to_currency="USD")


async def test_a_right_run_is_right_and_shows_what_was_done() -> None:
    before = dict(os.environ)
    done = await tried("bet-01", WEATHER, PAID, answers("It rained in Cork. 60 EUR is 67.44 USD."))
    assert (done.problems, done.right, done.ended, done.asks, done.invented) == ([], True, "answered", 3, 0)
    assert [(call["tool"], call["status"]) for call in done.calls] == [
        ("get_current_weather", "ok"),
        ("convert_currency", "ok"),
    ]
    assert done.calls[0]["said"]["country"] == "Ireland"
    assert len(done.replies) == 3
    assert "get_current_weather" in done.replies[0]
    assert dict(os.environ) == before


async def test_a_wrong_run_says_what_is_wrong() -> None:
    done = await tried("bet-01", WEATHER, answers("You won 60 USD."))
    assert not done.right
    assert any("not called: convert_currency" in problem for problem in done.problems)
    assert "67.44 USD is missing" in done.problems


async def test_a_model_that_fails_is_a_problem_of_the_task() -> None:
    done = await tried("bet-01", fails("request"))
    assert done.problems == ["there is no answer"]
    assert done.ended.startswith("failed")


@pytest.mark.parametrize("name", ["down-01", "down-03", "down-05"])
async def test_a_service_that_is_down_answers_with_an_error(name: str) -> None:
    city = str(task_of(name).calls[0].arguments["city"])
    done = await tried(name, calls("get_current_weather", city=city), answers("I could not get the weather."))
    assert done.problems == []
    assert done.calls[0]["status"] == "error"


async def test_an_answer_behind_an_observation_of_its_own_does_not_count() -> None:
    invented = (
        'Thought: I look.\nAction: get_current_weather {"city": "Cork"}\nObservation: rain\nFinal Answer: 67.44 USD'
    )
    done = await tried("bet-01", says(invented), PAID, answers("It rained in Cork. 60 EUR is 67.44 USD."))
    assert done.problems == []
    assert done.invented == 0


@pytest.mark.parametrize(
    ("text", "turn", "counts"),
    [
        ("Thought: x\nFinal Answer: 5", Turn(answer="5"), False),
        ("Thought: x\nObservation: 5\nFinal Answer: 5", Turn(answer="5"), True),
        ("Thought: x. Observation: {} Final Answer: 5", Turn(answer="5"), True),
        ("**Observation:** 5\nFinal Answer: five", Turn(answer="five"), True),
        ("Thought: x\nTool output: 5\nFinal Answer: five", Turn(answer="five"), True),
        ("Thought: my observation is short\nFinal Answer: 5", Turn(answer="5"), False),
        ("Final Answer: 5\nObservation: 7", Turn(answer="5"), False),
        ("Action: a {}\nObservation: 7\nFinal Answer: 5", Turn(calls=(Call("a", text="{}"),)), False),
        ('Observation: 7\nAction: a {"b": 7}', Turn(calls=(Call("a", text='{"b": 7}'),)), True),
        ("Observation: 7\nFinal Answer: 5", Turn(problem="an observation of its own"), False),
    ],
)
def test_what_stands_behind_an_observation_of_the_model_is_noticed(text: str, turn: Turn, counts: bool) -> None:
    assert counts_invention(text, turn) is counts


ATTEMPT = Attempt(
    id="a",
    group="two steps",
    kind="bet won",
    question="?",
    problems=[],
    answer="5",
    calls=[],
    replies=["Final Answer: 5"],
    ended="answered",
    asks=2,
    seconds=1.5,
    invented=0,
)
WRONG = replace(ATTEMPT, id="b", kind="bet lost", problems=["no"], asks=4, seconds=2.5, invented=1)


def test_rows_count_kinds_groups_and_all() -> None:
    counted = {row.name.strip(): row for row in rows([ATTEMPT, WRONG])}
    assert list(counted) == ["two steps", "bet won", "bet lost", "all"]
    both = counted["all"]
    assert (both.n, both.right, both.share, both.seconds, both.asks, both.invented) == (2, 1, 0.5, 2.0, 3.0, 1)
    assert (both.low, both.high) == pytest.approx(wilson(1, 2))


def test_the_table_says_whether_the_target_is_met() -> None:
    assert "target 90%: met" in table([ATTEMPT])
    assert "target 90%: missed" in table([ATTEMPT, WRONG])
    assert "100.0%" in table([ATTEMPT])


def test_nothing_at_all_can_be_counted() -> None:
    assert [row.n for row in rows([])] == [0]
    assert table([])


def test_the_interval_is_that_of_wilson() -> None:
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(95, 100) == pytest.approx((0.8882, 0.9785), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_document_holds_failures_with_all_that_is_needed_to_read_them() -> None:
    written = json.loads(document([ATTEMPT, WRONG], {"prompt": "trained"}))
    assert written["about"] == {"prompt": "trained"}
    assert [one["id"] for one in written["failures"]] == ["b"]
    assert [one["id"] for one in written["right"]] == ["a"]
    assert {"question", "calls", "answer", "replies", "problems"} <= set(written["failures"][0])
    assert written["summary"][-1]["share"] == 0.5


def test_tasks_are_chosen_by_kind_and_group_and_drawn_by_a_seed() -> None:
    assert evaluate.chosen("", None, 0) == list(TASKS)
    assert {task.kind for task in evaluate.chosen("currency, bet won", None, 0)} == {"currency", "bet won"}
    assert {task.group for task in evaluate.chosen("honesty", None, 0)} == {"honesty"}
    some = evaluate.chosen("", 30, 7)
    assert len(some) == 30
    assert some == evaluate.chosen("", 30, 7)
    assert some != evaluate.chosen("", 30, 8)
    assert some == [task for task in TASKS if task in some]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--kinds", "poems"], "there is no kind poems; there are"),
        (["--limit", "0"], "the limit is 0"),
        (["--jobs", "0"], "the number of jobs is 0"),
        (["--adapter", "nowhere.gguf"], "nowhere.gguf cannot be read"),
        (["--adapter", "a.gguf", "--no-adapter"], "not allowed with"),
        (["--json", "nowhere/out.json"], "nowhere is no folder"),
    ],
)
def test_a_mistake_in_the_options_is_said(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        evaluate.main(arguments)
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("bare", [True, False])
def test_the_base_model_alone_can_be_asked_in_both_ways(bare: bool) -> None:
    assert evaluate.model_of(None, bare=bare, prompt="trained").embedded
    assert not evaluate.model_of(None, bare=bare, prompt="standard").embedded


def test_the_command_runs_a_task_with_the_embedded_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert evaluate.main(["--kinds", "calculator", "--limit", "1", "--json", str(out)]) == 0
    shown = capsys.readouterr()
    assert "single step" in shown.out
    assert shown.err == ""
    written = json.loads(out.read_text("utf-8"))
    assert written["about"]["tasks"] == 1
    assert len(written["about"]["adapter_sha256"]) == 64
    assert len(written["failures"]) + len(written["right"]) == 1
