"""A task of the evaluation: a question, the tools and the world it is asked in, and what a right run looks like.

Owns the shape of a task and the verdict over a run. May not hold: any task, and how a run is made.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from training.evaluation.answers import Says, dated, times_told, ungrounded
from training.evaluation.calls import Made, Wanted, missing
from training.evaluation.world import World

Group = Literal["single step", "two steps", "unseen tools", "honesty"]

FOUR = ("get_current_weather", "convert_currency", "calculator", "get_time")
DOCUMENTS = ("search", "lookup")


class Task(Struct, frozen=True, kw_only=True):
    """A question with everything that decides whether a run of it is right."""

    id: str
    group: Group
    kind: str
    question: str
    tools: tuple[str, ...] = FOUR
    """Tools of the toolbox and of `invented`, in the order in which the model is shown them."""
    world: World = World()
    calls: tuple[Wanted, ...] = ()
    """Calls that must have been made, in any order."""
    or_calls: tuple[tuple[Wanted, ...], ...] = ()
    """Other ways that are as good."""
    never: tuple[str, ...] = ()
    """Tools that may not have run."""
    no_calls: bool = False
    """Whether nothing may have been called."""
    says: tuple[Says, ...] = ()
    or_says: tuple[Says, ...] = ()
    """Where there are two right answers: the other one."""
    tells: Literal["", "time", "date"] = ""
    """What of the clock's result must stand in the answer; times may be said in twelve hours."""


class Run(Struct, frozen=True):
    """What is judged: the calls that ran, the answer, and whether the run came to it by itself."""

    calls: tuple[Made, ...]
    answer: str
    answered: bool


def verdict(task: Task, run: Run) -> list[str]:
    """Everything that is wrong with a run; empty where it is right."""
    if not run.answer.strip():
        return ["there is no answer"]
    problems = [] if run.answered else ["the run was closed by a limit"]
    return [*problems, *_about_calls(task, run.calls), *_about_answer(task, run)]


def _about_calls(task: Task, made: Sequence[Made]) -> list[str]:
    problems = [f"{call.tool} was called" for call in made if task.no_calls or call.tool in task.never]
    lacking = [missing(path, made) for path in (task.calls, *task.or_calls)]
    if all(lacking):
        problems += [f"not called: {one.tool} {dict(one.arguments)}" for one in lacking[0]]
    return problems


def _about_answer(task: Task, run: Run) -> list[str]:
    ways = [way for way in (task.says, task.or_says) if way]
    readings = [[said for one in way if (said := one.wrong(run.answer))] for way in ways]
    wrong = min(readings, key=len) if readings else []
    if task.tells:
        clocks = [_seen(call) for call in run.calls if call.tool == "get_time"]
        said = times_told(run.answer, clocks) if task.tells == "time" else dated(run.answer, clocks)
        return [*wrong, said] if said else wrong
    sources = [task.question, *(f"{call.arguments} {_seen(call)}" for call in run.calls)]
    allowed = [figure for way in ways for one in way for figure in one.figures]
    return wrong + [f"{number:g} comes from nowhere" for number in ungrounded(run.answer, sources, allowed)]


def _seen(call: Made) -> str:
    return f"{bytes(call.result.data).decode()} {call.result.error} {call.result.note}"
