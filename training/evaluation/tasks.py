"""All tasks in their order, and the tools that they are given.

Owns the list and the way from a tool's name to the tool. May not hold: any task.
"""

from collections.abc import Sequence

from loopwright import Tool
from loopwright.toolbox import calculator, convert_currency, documents, get_current_weather, get_time
from training.evaluation import honesty, single, steps, unseen
from training.evaluation.invented import INVENTED
from training.evaluation.task import Task
from training.evaluation.world import SHELVES

TASKS: tuple[Task, ...] = (*single.TASKS, *steps.TASKS, *unseen.TASKS, *honesty.TASKS)

EMPTY_SHELF = "island"
"""The documents where search is given and the task has none of its own."""

_TOOLBOX: dict[str, Tool] = {
    one.spec.name: one for one in (get_current_weather, convert_currency, calculator, get_time)
}


def tools_of(task: Task) -> Sequence[Tool]:
    """The tools of a task, in its order; search and lookup are made anew, so that no task finds one open.

    Raises:
        KeyError: there is no such tool
    """
    reading: dict[str, Tool] = {}
    if {"search", "lookup"} & set(task.tools):
        reading = {one.spec.name: one for one in documents(SHELVES / (task.world.shelf or EMPTY_SHELF))}
    known = {**_TOOLBOX, **INVENTED, **reading}
    return [known[name] for name in task.tools]
