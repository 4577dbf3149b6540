"""From the options of the command line to an agent, and from a run's recipe back to the same agent."""

import json
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert, to_builtins

from loopwright.agent import Agent, Protocol
from loopwright.core.errors import UsageError
from loopwright.core.messages import Limits, Settings
from loopwright.engine.ports import Observer
from loopwright.journal.base import Journal


class Recipe(Struct, frozen=True, omit_defaults=True):
    """How the command line put an agent together; written into the run's first event, so never a key."""

    model: str
    base_url: str | None = None
    protocol: Protocol = "auto"
    tools: tuple[str, ...] = ()
    docs: str | None = None
    instructions: str = ""
    stream: bool = True
    language: str | None = None
    switch_back: bool = False
    constrain: bool | None = None
    require_action: bool = False


def chosen_model(model: str | None) -> tuple[str, str]:
    """The model to use and why: asked for, else configured, else one whose key is here, else the embedded."""
    from loopwright.models import environment
    from loopwright.models.catalog import default_spec

    if model:
        return model, "as asked"
    return default_spec(environment.read())


def agent_of(
    recipe: Recipe, journal: Journal, limits: Limits, settings: Settings, observers: tuple[Observer, ...]
) -> Agent:
    """The agent that a recipe describes.

    Raises:
        UsageError: a tool, the model or the folder of documents cannot be had
    """
    from loopwright.toolbox.load import load_tools

    docs = Path(recipe.docs) if recipe.docs else None
    return Agent(
        recipe.model,
        tools=load_tools(recipe.tools, docs),
        instructions=recipe.instructions,
        language=recipe.language,
        base_url=recipe.base_url,
        protocol=recipe.protocol,
        switch_back=recipe.switch_back,
        constrain=recipe.constrain,
        require_action=recipe.require_action,
        limits=limits,
        settings=settings,
        journal=journal,
        approve=_person(observers),
        observers=observers,
        stream=recipe.stream,
        recipe=to_builtins(recipe),
    )


def recipe_of(fields: dict[str, Any], run_id: str) -> Recipe:
    """The recipe in a run's first event.

    Raises:
        UsageError: the run was not begun by the command line
    """
    try:
        return convert(fields, Recipe)
    except ValidationError:
        raise UsageError(
            f"run {run_id} was begun by a program, not by 'loopwright ask': "
            f"resume it there with agent.resume({run_id!r})"
        ) from None


def open_journal(path: Path | None) -> Journal:
    """The journal at `path`, or the usual one."""
    from loopwright.journal.location import default_path
    from loopwright.journal.sqlite import SqliteJournal

    return SqliteJournal(path or default_path())


async def find_run(journal: Journal, run: str) -> str:
    """The id of a run given as an id, the beginning of one, or ``last``.

    Raises:
        UsageError: there is none, or several begin like this
    """
    known = [summary.run_id for summary in await journal.runs(limit=10_000)]
    if run == "last" and known:
        return known[0]
    if run in known:
        return run
    found = [run_id for run_id in known if run_id.startswith(run)] if run else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"several runs begin with {run!r}: {', '.join(found[:5])}")
    raise UsageError(f"there is no run {run!r}; 'loopwright runs' lists them")


def extra_fields(text: str | None) -> dict[str, Any]:
    """The JSON object of an option.

    Raises:
        UsageError: it is none
    """
    if not text:
        return {}
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--extra is not JSON ({error}); write it like '{{\"top_k\": 40}}'") from None
    if not isinstance(fields, dict):
        raise UsageError("--extra must be a JSON object, like '{\"top_k\": 40}'")
    return fields  # pyright: ignore[reportUnknownVariableType]


def _person(observers: tuple[Observer, ...]) -> Any:
    """The person at the terminal, if there is one."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from loopwright.cli.person import AtTheTerminal

    return AtTheTerminal(observers)
