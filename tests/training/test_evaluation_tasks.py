"""Whether the tasks are well formed, can be done, and are judged: without any model."""

import inspect
from collections import Counter
from typing import Any

import msgspec
import pytest

from loopwright.core.messages import Result
from loopwright.tools.declare import FunctionTool
from training.evaluation import invented
from training.evaluation.answers import UNITS, Amount, Chooses, Figure, No, Rain, Says, Text, Unable, Yes
from training.evaluation.calls import AnyOf, Calculates, InZone, Made, Wanted
from training.evaluation.invented import INVENTED
from training.evaluation.run import running
from training.evaluation.task import Run, Task, verdict
from training.evaluation.tasks import TASKS, tools_of
from training.evaluation.world import COUNTRIES, RATES, converted

READING = [task for task in TASKS if task.kind == "documents"]


def test_there_are_enough_tasks_of_each_group() -> None:
    groups = Counter(task.group for task in TASKS)
    assert len(TASKS) >= 320
    assert groups["single step"] >= 110
    assert groups["two steps"] >= 90
    assert groups["unseen tools"] >= 70
    assert groups["honesty"] >= 40


def test_ids_are_unique_and_no_question_is_asked_twice_in_the_same_world() -> None:
    assert len({task.id for task in TASKS}) == len(TASKS)
    assert len({(task.question, msgspec.json.encode(task.world), task.tools) for task in TASKS}) == len(TASKS)


def test_there_are_enough_invented_tools_and_all_are_asked_for() -> None:
    assert len(INVENTED) >= 25
    assert set(INVENTED) - {call.tool for task in TASKS for call in task.calls} == set()
    assert [one.spec.name for one in vars(invented).values() if isinstance(one, FunctionTool)] == list(INVENTED)


def test_invented_tools_are_documented() -> None:
    assert all(len(one.spec.description) > 10 for one in INVENTED.values())
    assert all(inspect.signature(one).parameters for one in INVENTED.values())


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_task_is_well_formed(task: Task) -> None:
    given = {one.spec.name: one for one in tools_of(task)}
    assert list(given) == list(task.tools)
    assert set(task.never) & {call.tool for call in task.calls} == set()
    for call in (*task.calls, *(one for path in task.or_calls for one in path)):
        assert set(call.arguments) <= set(given[call.tool].spec.parameters["properties"])
    assert task.no_calls or task.calls or task.kind == "tool not given"
    assert task.says or task.tells or task.kind == "no tool needed"
    assert set(task.world.rain) | set(task.world.temperatures) <= set(COUNTRIES)
    assert (task.world.shelf == "") <= ("lookup" not in task.tools)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_task_is_not_right_for_nothing(task: Task) -> None:
    assert verdict(task, Run((), "", answered=True))
    assert verdict(task, Run((), "I like turtles, all 7 of them.", answered=True))
    assert task.no_calls or task.kind == "tool not given" or verdict(task, Run((), task.question, answered=True))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
async def test_a_run_as_it_should_be_is_right(task: Task) -> None:
    """The wanted calls are made in the task's world, and what must be said is said: so the task can be done."""
    tools = {one.spec.name: one for one in tools_of(task)}
    made: list[Made] = []
    async with running(task.world):
        for call in task.calls:
            arguments = {name: plain(value) for name, value in call.arguments.items()}
            if call.tool == "search":
                arguments = {"query": task.question}
            made.append(Made(call.tool, arguments, await tools[call.tool].run(arguments)))
    answer = ". ".join(filter(None, (spoken(one, made) for one in task.says)))
    if task.tells:
        answer += f" It is {msgspec.json.decode(made[0].result.data)}."
    assert verdict(task, Run(tuple(made), answer or "Hello!", answered=True)) == []


def plain(wanted: Any) -> Any:
    """A value that a model may send for what is wanted."""
    match wanted:
        case AnyOf():
            return plain(wanted.values[-1])
        case Calculates():
            return f"{wanted.value:.12g}"
        case InZone():
            return wanted.name
        case _:
            return wanted


def spoken(says: Says, made: list[Made]) -> str:
    """Words that say it, where it is the case by what the tools said."""
    match says:
        case Figure():
            return f"It is {says.value:.2f}"
        case Amount():
            return f"It is {says.value:,.2f} {UNITS[says.unit][0]}"
        case Text():
            return says.any_of[0]
        case Rain():
            fell = [
                msgspec.json.decode(one.result.data)["precipitation_mm"] > 0 for one in made if "city" in one.arguments
            ]
            assert fell == [says.rains]
            return "It is raining" if says.rains else "It is not raining"
        case Yes() | No():
            return f"{type(says).__name__}, it is"
        case Chooses():
            return f"It is {says.winner}"
        case Unable():
            return "I could not find it"
        case _:
            return ""


@pytest.mark.parametrize("task", READING, ids=lambda task: task.id)
async def test_a_search_for_the_question_finds_what_is_wanted(task: Task) -> None:
    search = next(one for one in tools_of(task) if one.spec.name == "search")
    found = await search.run({"query": task.question})
    assert [one.wrong(msgspec.json.decode(found.data, type=str)) for one in task.says] == [""]


def test_a_conversion_comes_to_what_the_rates_say() -> None:
    assert converted(100, "EUR", "USD") == round(100 * RATES["USD"], 2)
    assert converted(100, "USD", "EUR") == pytest.approx(100 / RATES["USD"], abs=0.01)
    assert converted(1, "IDR", "EUR") == pytest.approx(1 / RATES["IDR"], abs=1e-5)


def made(tool: str, said: Any, **arguments: Any) -> Made:
    return Made(tool, arguments, Result(data=msgspec.Raw(msgspec.json.encode(said))))


def task_of(name: str) -> Task:
    return next(task for task in TASKS if task.id == name)


RAINED = made("get_current_weather", {"city": "Cork", "temperature": 9.0, "precipitation_mm": 5.3}, city="Cork")
PAID = made(
    "convert_currency", {"converted_amount": 67.44, "rate": 1.124}, amount=60, from_currency="EUR", to_currency="USD"
)


def test_a_bet_that_was_won_is_right_with_both_calls_and_the_sum() -> None:
    bet = task_of("bet-01")
    right = "It rained in Cork (5.3 mm). 60 EUR is 67.44 USD."
    assert verdict(bet, Run((RAINED, PAID), right, answered=True)) == []
    assert verdict(bet, Run((PAID,), right, answered=True))
    assert verdict(bet, Run((RAINED,), right, answered=True))
    assert verdict(bet, Run((RAINED, PAID), right, answered=False))
    assert verdict(bet, Run((RAINED, PAID), "It rained. 60 EUR is 60 USD.", answered=True))
    assert verdict(bet, Run((RAINED, PAID), f"{right} The rate is 1.3.", answered=True))


def test_a_bet_that_was_lost_is_wrong_with_a_conversion() -> None:
    bet = task_of("bet-02")
    dry = made("get_current_weather", {"precipitation_mm": 0.0}, city="Seville")
    assert verdict(bet, Run((dry,), "It did not rain in Seville.", answered=True)) == []
    assert verdict(bet, Run((dry,), "You lost the bet.", answered=True)) == []
    assert verdict(bet, Run((dry, PAID), "It did not rain in Seville.", answered=True))
    assert verdict(bet, Run((dry,), "It rained in Seville.", answered=True))


def test_a_purchase_may_be_converted_one_by_one() -> None:
    purchase = task_of("purchase-01")
    whole = made("convert_currency", {"converted_amount": 83.18}, amount=74, from_currency="EUR", to_currency="USD")
    single = made("convert_currency", {"converted_amount": 20.79}, amount=18.5, from_currency="EUR", to_currency="USD")
    product = made("calculator", "83.16", expression="20.79 * 4")
    assert verdict(purchase, Run((whole,), "It is 83.18 USD.", answered=True)) == []
    assert verdict(purchase, Run((single, product), "It is 83.16 USD.", answered=True)) == []
    assert verdict(purchase, Run((single,), "It is 20.79 USD.", answered=True))


def test_the_time_must_be_that_of_the_clock() -> None:
    clock = task_of("clock-01")
    tokyo = made("get_time", "2026-11-30 15:05 JST", timezone="Tokyo")
    lima = made("get_time", "2026-11-30 01:05 -05", timezone="Lima")
    assert verdict(clock, Run((tokyo,), "It is 3:05 pm in Tokyo.", answered=True)) == []
    assert verdict(clock, Run((tokyo,), "It is 15:50 in Tokyo.", answered=True))
    assert verdict(clock, Run((lima,), "It is 01:05 in Tokyo.", answered=True))


def test_where_nothing_is_needed_any_call_is_wrong() -> None:
    hello = task_of("no-tool-01")
    assert verdict(hello, Run((), "Hello! What can I do for you?", answered=True)) == []
    assert verdict(hello, Run((RAINED,), "Hello!", answered=True))


def test_a_service_that_is_down_must_be_admitted() -> None:
    down = task_of("down-01")
    failed = Made("get_current_weather", {"city": "Bergen"}, Result("error", error="ServiceError: status 503"))
    assert verdict(down, Run((failed,), "I could not get the weather in Bergen.", answered=True)) == []
    assert verdict(down, Run((failed,), "It is not raining in Bergen.", answered=True))
    assert verdict(down, Run((failed,), "I could not get it, but it is 12 degrees.", answered=True))
    assert verdict(down, Run((), "I could not get the weather in Bergen.", answered=True))


def test_calculations_may_be_made_in_any_form() -> None:
    third = task_of("calculator-03")
    assert third.calls == (Wanted("calculator", {"expression": Calculates(423.0)}),)
    assert (
        verdict(third, Run((made("calculator", "423", expression="2350 * 0.18"),), "It is 423.", answered=True)) == []
    )
    assert verdict(third, Run((made("calculator", "42300", expression="2350 * 18"),), "It is 423.", answered=True))
