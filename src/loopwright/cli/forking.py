"""From what was typed behind `loopwright fork` to an agent, and what it goes on with.

Owns how a place and a change are written on the command line, and what of the run's recipe holds on. What a fork is
belongs to the engine.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from msgspec import DecodeError, Raw, Struct
from msgspec.json import decode
from msgspec.structs import asdict, replace

from loopwright.agent import Agent
from loopwright.cli.driving import Show
from loopwright.cli.servers import recalled_project, served_for
from loopwright.cli.setup import Recipe, agent_of, checked_recipe, find_run, found_journal, recipe_of
from loopwright.cli.trust import check_trust
from loopwright.cli.values import argument_text, checked
from loopwright.core.errors import UsageError
from loopwright.core.events import CallEnded, Event, ModelReplied, RunStarted
from loopwright.core.messages import Limits, Result
from loopwright.engine.fork import change_of, place_of
from loopwright.engine.history import RunResult, rules_of
from loopwright.engine.ports import Tool
from loopwright.journal.location import Place, default_place
from loopwright.toolbox.load import anchored, names_in

BY = "a person at the command line"


class Typed(Struct, frozen=True, kw_only=True):
    """What was typed; None where it was not."""

    run: str
    at: str | None
    observation: str | None
    result: str | None
    arguments: str | None
    say: str
    model: str | None
    base_url: str | None
    tools: str | None
    docs: Path | None
    instructions: str | None
    protocol: str | None
    limits: dict[str, float | None]
    approvals: str
    trust: bool


class Going(Struct, frozen=True):
    """A fork that can be made, and the servers that it needs."""

    made: Callable[[Sequence[Tool]], Agent]
    fork: Callable[[Agent], Coroutine[Any, Any, RunResult]]
    served: AbstractAsyncContextManager[Sequence[Tool]] | None


def forking(typed: Typed, show: Show, journal: Place | None) -> Going:
    """Find the run, and put together what it goes on with.

    Raises:
        UsageError: something does not fit; the text says what to do instead
    """
    store = found_journal(journal)

    async def find() -> tuple[str, list[Event]]:
        run_id = await find_run(store, typed.run)
        return run_id, await store.read(run_id)

    run_id, history = asyncio.run(find())
    at = _place(typed, history)
    observation, arguments = _observation(typed), _arguments(typed)
    say = argument_text("--say", typed.say)
    change = change_of(observation, None, arguments, say, BY)
    shared = history[: place_of(history, at, change)]
    rules = rules_of(shared)
    before = recipe_of(rules_of(history).recipe, run_id)
    recipe = checked_recipe(_recipe(before, typed))
    check_trust(_inherited(recipe, typed), journal or default_place(), run_id, trusted=typed.trust, history=shared)
    project = recalled_project(recipe, trusted=typed.trust)
    limits = _limits(rules, typed)
    show.recall(shared)

    def made(tools: Sequence[Tool]) -> Agent:
        settings, asks = rules.settings, typed.approvals
        return agent_of(recipe, store, limits, settings, show, served=tools, rules=rules.rules, approvals=asks)

    async def fork(agent: Agent) -> RunResult:
        given: dict[str, Any] = {"observation": observation, "arguments": arguments, "say": say, "by": BY}
        return await agent.fork(run_id, at=at, **given)

    return Going(made, fork, served_for(recipe, project, show))


def _place(typed: Typed, history: Sequence[Event]) -> int | None:
    """The number of the event, given as one or by the call that it is about.

    Raises:
        UsageError: it is neither
    """
    if typed.at is None:
        return None
    if typed.at.isdecimal():
        return int(typed.at)
    for number, event in enumerate(history, 1):
        if typed.arguments is not None:
            found = isinstance(event, ModelReplied) and any(call.id == typed.at for call in event.turn.calls)
        else:
            found = isinstance(event, CallEnded) and event.call_id == typed.at
        if found:
            return number
    made = [event.call_id for event in history if isinstance(event, CallEnded)]
    known = f"its calls are {', '.join(made[:20])}" if made else "no call of it has ended"
    raise UsageError(f"--at {typed.at} is neither the number of an event nor a call of the run; {known}")


def _observation(typed: Typed) -> str | Result | None:
    if typed.observation is not None and typed.result is not None:
        raise UsageError("use --observation or --result, not both")
    if typed.result is None:
        return None if typed.observation is None else argument_text("--observation", typed.observation)
    _decoded("--result", typed.result, object)
    return Result(data=Raw(typed.result.encode()))


def _arguments(typed: Typed) -> dict[str, dict[str, Any]] | None:
    if typed.arguments is None:
        return None
    found: dict[str, Any] = _decoded("--arguments", typed.arguments, dict[str, Any])
    return {typed.at: found} if typed.at is not None and not typed.at.isdecimal() else found


def _decoded(option: str, text: str, kind: Any) -> Any:
    try:
        return decode(text.encode(), type=kind)
    except (DecodeError, UnicodeError, RecursionError) as error:
        raise UsageError(f"{option} is no JSON that can be used: {error}") from None


def _recipe(before: Recipe, typed: Typed) -> Recipe:
    """The recipe of the run, with what was named anew."""
    protocol = typed.protocol or before.protocol
    if protocol not in ("auto", "native", "text"):
        raise UsageError(f"unknown protocol {protocol!r}: use auto, native or text")
    named = typed.model is not None or typed.base_url is not None
    told = typed.instructions
    return replace(
        before,
        model=typed.model or before.model,
        base_url=typed.base_url if named else before.base_url,
        tools=before.tools if typed.tools is None else tuple(map(anchored, names_in(typed.tools))),
        docs=str(typed.docs.resolve()) if typed.docs else before.docs,
        instructions=before.instructions if told is None else argument_text("--instructions", told),
        protocol=protocol,
    )


def _inherited(recipe: Recipe, typed: Typed) -> Recipe:
    """What of the recipe comes from the journal, and not from who typed the command."""
    return replace(
        recipe,
        tools=recipe.tools if typed.tools is None else (),
        base_url=recipe.base_url if typed.model is None and typed.base_url is None else None,
        docs=None if typed.docs else recipe.docs,
    )


def _limits(rules: RunStarted, typed: Typed) -> Limits:
    """The limits of the run, with those that were named anew."""
    fields: dict[str, Any] = asdict(rules.limits)
    fields.update({name: value for name, value in typed.limits.items() if value is not None})
    return checked(lambda: Limits(**fields))
