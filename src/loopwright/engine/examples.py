"""Examples as they are given to an agent: checked, put into words of the run, and fitted to its tools.

Owns plain trajectories, the form in which people write examples down. How an example is told to a model belongs to the
speeches; the prompts of the ReAct paper are `protocols.paper`; a run as an example is `history.example_of`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Example, Exchange, Result, ToolSpec, Turn, unwritable
from loopwright.protocols.arguments import UNKNOWN, read_input
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.paper import COMMAND
from loopwright.protocols.react_names import Names

FORM = (
    '{"task": "…", "steps": [{"thought": "…", "tool": "…", "arguments": {…}, "observation": …}], "answer": "…"}; '
    'a step with several calls has "calls": [{"tool", "arguments", "observation"}, …], and the last step may be a '
    '"thought" alone'
)
"""A plain trajectory, in words for a person."""


class _Made(Struct, frozen=True, forbid_unknown_fields=True):
    tool: str
    arguments: dict[str, Any] | str = {}
    observation: Any = UNSET


class _Step(Struct, frozen=True, forbid_unknown_fields=True):
    thought: str = ""
    tool: str | UnsetType = UNSET
    arguments: dict[str, Any] | str | UnsetType = UNSET
    observation: Any = UNSET
    calls: list[_Made] | UnsetType = UNSET


class _Trajectory(Struct, frozen=True, forbid_unknown_fields=True):
    task: str
    answer: str
    steps: list[_Step] = []


def examples_of(given: object, tools: Sequence[ToolSpec]) -> tuple[Example, ...]:
    """The examples of an agent: each an `Example`, or a plain trajectory as a dict.

    Args:
        given: a list of them
        tools: the tools of the agent; names are matched without case, and an input that is a text becomes the one
            argument that its tool needs

    Raises:
        UsageError: one of them cannot be used; the text says which, why, and how examples are written
    """
    if isinstance(given, str | bytes | Mapping | Example) or not isinstance(given, Iterable):
        raise UsageError(f"examples is of type {type(cast('object', given)).__name__}; pass a list of examples")
    found = list[Example]()
    for number, item in enumerate(cast("Iterable[object]", given), 1):
        where = f"example {number}"
        example = item if isinstance(item, Example) else trajectory(item, where)
        _check(example, where)
        found.append(_fitted(example, tools, where))
    return tuple(found)


def trajectory(value: object, where: str = "the example") -> Example:
    """The example in a plain trajectory; its form is `FORM`.

    Raises:
        UsageError: it has another form
    """
    if not isinstance(value, dict):
        raise UsageError(f"{where} is of type {type(value).__name__}; write {FORM}")
    if wrong := unwritable(cast("object", value), where):
        raise UsageError(f"{wrong}, which JSON cannot carry")
    try:
        read = msgspec.convert(value, _Trajectory)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where} cannot be used: {error}; write {FORM}") from None
    thought, steps = "", read.steps
    if steps and steps[-1].tool is UNSET and steps[-1].calls is UNSET:
        _only_a_thought(steps[-1], f"{where}, step {len(steps)},")
        thought, steps = steps[-1].thought, steps[:-1]
    exchanges = [_exchange(step, f"{where}, step {number},") for number, step in enumerate(steps, 1)]
    last = Exchange(Turn(thought=thought, answer=read.answer))
    return Example(read.task, (*exchanges, last))


def strange_tools(examples: Iterable[Example], tools: Sequence[ToolSpec]) -> list[str]:
    """The names of the tools in examples that a run with these tools does not have."""
    known = {tool.name for tool in tools}
    used = (call.tool for example in examples for exchange in example.exchanges for call in exchange.turn.calls)
    return list(dict.fromkeys(name for name in used if name not in known))


def _only_a_thought(step: _Step, where: str) -> None:
    if step.arguments is not UNSET or step.observation is not UNSET:
        raise UsageError(f"{where} names no tool; write {FORM}")


def _exchange(step: _Step, where: str) -> Exchange:
    single = step.tool is not UNSET or step.arguments is not UNSET or step.observation is not UNSET
    if isinstance(step.calls, list):
        if single or not step.calls:
            raise UsageError(f'{where} needs either "calls" with at least one call in it, or "tool"; write {FORM}')
        made = step.calls
    elif isinstance(step.tool, str):
        made = [_Made(step.tool, {} if step.arguments is UNSET else step.arguments, step.observation)]
    else:
        raise UsageError(f"{where} names no tool, and only the last step may be a thought alone; write {FORM}")
    if any(call.observation is UNSET for call in made):
        raise UsageError(f"{where} has no observation: say what the tool answered; write {FORM}")
    results = tuple(Result(data=Raw(msgspec.json.encode(call.observation))) for call in made)
    return Exchange(Turn(thought=step.thought, calls=tuple(_call(call) for call in made)), results)


def _call(made: _Made) -> Call:
    if isinstance(made.arguments, str):
        return Call(made.tool, {UNKNOWN: made.arguments}, text=made.arguments)
    return Call(made.tool, made.arguments)


def _check(example: Example, where: str) -> None:
    """Refuse an example that a conversation could not go through."""
    if not example.task.strip():
        raise UsageError(f"{where} has no task")
    turns = [exchange.turn for exchange in example.exchanges]
    if not turns or turns[-1].calls or not (turns[-1].answer or "").strip():
        raise UsageError(f"{where} has no answer at its end")
    for exchange in example.exchanges[:-1]:
        if not exchange.turn.calls:
            raise UsageError(f"{where} has a turn without a call before its end")
        if len(exchange.results) != len(exchange.turn.calls) or not all(call.tool for call in exchange.turn.calls):
            raise UsageError(f"{where} has a call without an observation, or without the name of a tool")


def _fitted(example: Example, tools: Sequence[ToolSpec], where: str) -> Example:
    """The example with the names and the parameters of the run's tools."""
    specs = {tool.name: tool for tool in tools}
    names = Names.of(specs, ())
    free = [tool.name for tool in tools if tool.free_form]

    def fitted(call: Call) -> Call:
        name = names.find(call.tool) or (free[0] if call.tool == COMMAND and len(free) == 1 else call.tool)
        if call.arguments != {UNKNOWN: call.text}:
            return replace(call, tool=name)
        read = read_input(call.text, specs.get(name), ENGLISH.problems)
        if read.arguments is None:
            raise UsageError(f"{where} cannot be used: the arguments of {name}, {call.text!r}: {read.reason}")
        return replace(call, tool=name, arguments=read.arguments)

    exchanges = (
        replace(exchange, turn=replace(exchange.turn, calls=tuple(fitted(call) for call in exchange.turn.calls)))
        for exchange in example.exchanges
    )
    return replace(example, exchanges=tuple(exchanges))
