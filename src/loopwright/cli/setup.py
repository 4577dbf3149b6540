"""From the options of the command line to an agent, and from a run's recipe back to the same agent."""

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert, to_builtins

from loopwright.agent import Agent, Protocol
from loopwright.cli.driving import Show
from loopwright.cli.values import checked_text
from loopwright.core.errors import UnknownRun, UsageError
from loopwright.core.messages import Example, Limits, ObservationRole, Settings
from loopwright.engine.ports import Gate, Tool
from loopwright.journal.base import Journal
from loopwright.journal.location import Place
from loopwright.toolbox.suite import SuiteSettings
from loopwright.tools.policy import Policy, Rule


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
    observation_role: ObservationRole = "user"
    mcp: tuple[str, ...] = ()
    """MCP servers as they were given: commands, or addresses."""
    mcp_hints: bool = False
    """Whether these servers are believed about their tools."""
    folder: str | None = None
    """Where their commands are started."""
    project: str | None = None
    """The folder's `loopwright.toml` that was followed."""
    workspace: str | None = None
    tests: SuiteSettings | None = None
    """How the workspace's tests are run; None for pytest."""
    allow_commands: bool = False


def chosen_model(model: str | None, base_url: str | None = None) -> tuple[str, str]:
    """The model to use and why: asked for, else configured, else one whose key is here, else the embedded.

    Raises:
        UsageError: there is an address, and nothing names a model
    """
    from loopwright.models import environment
    from loopwright.models.catalog import CONFIGURED, default_spec

    if model:
        return model, "as asked"
    known = environment.read()
    if base_url and not known.get(CONFIGURED, "").strip():
        raise UsageError("name the model with --model NAME: --base-url says where it is, not which one it is")
    return default_spec(known)


def announced(spec: str, why: str) -> str:
    """The model in a line for the person, which says what to expect of the embedded one."""
    return f"local, a small demonstration model ({why})" if spec == "local" else f"{spec} ({why})"


def checked_recipe(recipe: Recipe) -> Recipe:
    """The recipe, which can be written down.

    Raises:
        UsageError: a part of it is not UTF-8 text
    """
    for option, text in (
        ("--model", recipe.model),
        ("--base-url", recipe.base_url or ""),
        ("--docs", recipe.docs or ""),
        ("--workspace", recipe.workspace or ""),
        ("the working folder", recipe.folder or ""),
        ("the path of loopwright.toml", recipe.project or ""),
        *(("--tools", name) for name in recipe.tools),
    ):
        checked_text(option, text)
    return recipe


def agent_of(
    recipe: Recipe,
    journal: Journal,
    limits: Limits,
    settings: Settings,
    show: Show,
    examples: Sequence[Example] = (),
    served: Sequence[Tool] = (),
    rules: Sequence[Rule] = (),
    gate: Gate | None = None,
    approvals: str = "terminal",
) -> Agent:
    """The agent that a recipe describes, with tools of servers that are there already, under these rules.

    A run that is resumed has its examples and its rules in its first event. `approvals` says who is asked: whoever sits
    at the terminal, whoever writes letters (``inbox``, ``pause``), or nobody (``deny``).

    Raises:
        UsageError: a tool, the model or the folder of documents cannot be had
    """
    from loopwright.toolbox.load import load_tools

    docs, workspace = (Path(folder) if folder else None for folder in (recipe.docs, recipe.workspace))
    with redirect_stdout(sys.stderr):  # what a file of tools prints is no part of the run
        tools = load_tools(recipe.tools, docs, workspace, tests=recipe.tests, commands=recipe.allow_commands)
    return Agent(
        recipe.model,
        tools=[*tools, *served],
        instructions=recipe.instructions,
        language=recipe.language,
        base_url=recipe.base_url,
        protocol=recipe.protocol,
        switch_back=recipe.switch_back,
        constrain=recipe.constrain,
        require_action=recipe.require_action,
        examples=tuple(examples),
        observation_role=recipe.observation_role,
        limits=limits,
        settings=settings,
        journal=journal,
        policy=Policy(tuple(rules)),
        approve=_person(show, approvals),
        observers=(*show.watchers, show.observe),
        stream=recipe.stream,
        recipe=to_builtins(recipe),
        gate=gate,
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


def open_journal(place: Place | None) -> Journal:
    """The journal at `place`, or the usual one; it is made when the first event is written.

    Raises:
        MissingExtra: it is on a Postgres server, and the package for that is not installed
    """
    from loopwright.journal.opened import journal_at

    return journal_at(place)


def found_journal(place: Place | None) -> Journal:
    """The journal at `place`, which is there, or the usual one, which counts as empty while it is not.

    Raises:
        MissingExtra: it is on a Postgres server, and the package for that is not installed
        UsageError: there is no such file
    """
    from loopwright.journal.location import default_place
    from loopwright.journal.memory import MemoryJournal

    chosen = place or default_place()
    if not isinstance(chosen, Path) or chosen.exists():
        return open_journal(chosen)
    if place is not None:
        raise UsageError(f"there is no journal {str(place)!r}; 'loopwright ask' with the same --journal makes one")
    return MemoryJournal()


def new_folder(place: Place | None) -> Path | None:
    """The folder that a run in this journal would make, unless it is the usual one of every user."""
    from loopwright.journal.location import VARIABLE, default_path, default_place

    chosen = place or default_place()
    if not isinstance(chosen, Path):
        return None
    usual = default_path({name: value for name, value in os.environ.items() if name != VARIABLE})
    path = chosen.absolute()
    return None if path.parent.exists() or path == usual else path.parent


def is_known(run: str, place: Place | None) -> bool:
    """Whether this is a run of the journal, given as an id, the beginning of one, or ``last``; else it is a task."""
    if any(sign.isspace() for sign in run.strip()):
        return False

    async def found() -> bool:
        try:
            await find_run(found_journal(place), run)
        except UsageError as error:
            if isinstance(error, UnknownRun) or not str(error).startswith("several"):
                return False
            raise
        return True

    return asyncio.run(found())


async def find_run(journal: Journal, run: str) -> str:
    """The id of a run given as an id, the beginning of one, or ``last``.

    Raises:
        UsageError: there is none, or several begin like this
        JournalError: the run of this id is damaged
    """
    if run == "last":
        newest = await journal.runs(limit=1)
        if newest:
            return newest[0].run_id
        raise UsageError("no runs yet; 'loopwright ask \"…\"' makes one")
    if await _is_run(journal, run):
        return run
    known = [summary.run_id for summary in await journal.runs(limit=ALL)]
    found = [run_id for run_id in known if run_id.startswith(run)] if run else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"several runs begin with {run!r}: {', '.join(map(repr, found[:5]))}")
    raise UsageError(f"there is no run {run!r}; 'loopwright runs' lists them")


APPROVALS = ("terminal", "inbox", "pause", "deny")
ALL = 2**31
"""More events or runs than a journal has."""


async def _is_run(journal: Journal, run_id: str) -> bool:
    try:
        await journal.read(run_id, after=ALL)
    except UnknownRun:
        return False
    return True


def somebody_here() -> bool:
    """Whether a person can be asked at a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _person(show: Show, approvals: str) -> Any:
    """Whom to ask: the person at the terminal, if there is one, or whoever writes letters."""
    if approvals not in APPROVALS:
        raise UsageError(f"unknown --approvals {approvals!r}: use {', '.join(APPROVALS[:-1])} or {APPROVALS[-1]}")
    if approvals in ("inbox", "pause"):
        show.by_letter = True
        return approvals
    if approvals == "deny" or not somebody_here():
        return None
    from loopwright.cli.person import AtTheTerminal

    return AtTheTerminal(show.printers)
