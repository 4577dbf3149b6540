"""From options to an agent that is ready to begin: what `ask`, `chat` and `debug` have in common.

Owns the checks and the notices before a run. The options themselves are each verb's.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from loopwright.agent import Agent
from loopwright.cli.driving import Show
from loopwright.cli.project import notice_passed_over, void_rules
from loopwright.cli.servers import checked_servers, chosen_project, served_for
from loopwright.cli.setup import Recipe, agent_of, announced, checked_recipe, chosen_model, new_folder, open_journal
from loopwright.cli.suites import chosen_suite
from loopwright.cli.values import argument_text, checked, checked_text, extra_fields, within
from loopwright.core.errors import UsageError
from loopwright.core.messages import Limits, ObservationRole, Settings
from loopwright.engine.ports import Gate, Tool
from loopwright.engine.telling import counted
from loopwright.journal.base import Journal
from loopwright.journal.location import Place
from loopwright.toolbox.load import anchored, names_in

if TYPE_CHECKING:
    from loopwright.cli.examples import Shown

TOOLS = "weather,currency,calculator,clock"


class Options(Struct, frozen=True, kw_only=True):
    """What a run can be begun with, as it was typed."""

    model: str | None = None
    tools: str = TOOLS
    docs: Path | None = None
    workspace: Path | None = None
    allow_commands: bool = False
    mcp: Sequence[str] = ()
    mcp_hints: bool = False
    no_project: bool = False
    trust: bool = False
    instructions: str = ""
    protocol: str = "auto"
    switch_back: bool = False
    constrain: bool | None = None
    require_action: bool = False
    language: str | None = None
    example: Sequence[str] = ()
    example_file: Path | None = None
    example_key: Sequence[str] = ()
    observation_role: str = "user"
    base_url: str | None = None
    max_steps: int | None = 25
    max_model_calls: int | None = 50
    max_tool_calls: int | None = 100
    budget_tokens: int | None = None
    budget_cost: float | None = None
    budget_seconds: float | None = None
    context: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: Sequence[str] = ()
    extra: str | None = None
    no_stream: bool = False
    approvals: str = "terminal"


class Beginning(Struct, frozen=True):
    """An agent that can be made, and the servers that it needs while it lives."""

    store: Journal
    made: Callable[[Sequence[Tool]], Agent]
    """Makes it of the tools of the servers, and says what there is to say."""
    served: AbstractAsyncContextManager[Sequence[Tool]] | None


def beginning(options: Options, show: Show, journal: Place | None, gate: Gate | None = None) -> Beginning:
    """Check the options, and put together what they say.

    Args:
        options: as they were typed
        show: what is printed
        journal: where the runs go
        gate: stops runs for a debugger

    Raises:
        UsageError: something does not fit; the text says what to do instead
    """
    spec, why = chosen_model(options.model, options.base_url)
    shown = _shown(options, journal)
    if shown and shown.instructions:
        kept = "left out, because --instructions are given" if options.instructions else f"from {options.example_file}"
        show.notice(f"instructions: {shown.instructions} ({kept})")
    file, project = chosen_project(passed_over=options.no_project, trusted=options.trust)
    if options.workspace is not None and not options.no_project:
        notice_passed_over(options.workspace, file, show.notice)
    tests = None if options.no_project else chosen_suite(options.workspace, file, project, show.notice)
    recipe = _recipe(options, spec, shown.instructions if shown else "", tests, file if project.mcp else None)
    limits, settings = checked(lambda: _limits(options)), checked(lambda: _settings(options))
    store, examples = open_journal(journal), shown.examples if shown else ()

    def made(tools: Sequence[Tool]) -> Agent:
        rules, asks = project.policy, options.approvals
        agent = agent_of(checked_recipe(recipe), store, limits, settings, show, examples, tools, rules, gate, asks)
        _announce_examples(agent, show)
        if project.policy:
            show.notice(f"policy: {counted(len(project.policy), 'rule')} of {file}")
        for void in void_rules(project.policy, agent.tools):
            show.notice(f"policy: {void}")
        show.notice(f"model: {announced(spec, why)}")
        if folder := new_folder(journal):
            show.notice(f"journal: in the new folder {folder}")
        return agent

    return Beginning(store, made, served_for(recipe, project, show))


def _recipe(options: Options, spec: str, instructions: str, tests: Any, project: Path | None) -> Recipe:
    servers = checked_servers(options.mcp)
    return Recipe(
        model=spec,
        base_url=options.base_url,
        protocol=_protocol(options.protocol),
        tools=tuple(map(anchored, names_in(options.tools))),
        docs=str(options.docs.resolve()) if options.docs else None,
        workspace=str(options.workspace.resolve()) if options.workspace else None,
        tests=tests,
        allow_commands=_allowed(options.workspace, allow_commands=options.allow_commands),
        instructions=argument_text("--instructions", options.instructions) or instructions,
        stream=not options.no_stream,
        language=options.language,
        switch_back=options.switch_back,
        constrain=options.constrain,
        require_action=options.require_action,
        observation_role=_role(options.observation_role),
        mcp=servers,
        mcp_hints=options.mcp_hints,
        folder=str(Path.cwd()) if servers else None,
        project=str(project) if project else None,
    )


def _limits(options: Options) -> Limits:
    return Limits(
        options.max_steps,
        options.max_model_calls,
        options.max_tool_calls,
        tokens=options.budget_tokens,
        cost=within("--budget-cost", options.budget_cost, 0),
        seconds=within("--budget-seconds", options.budget_seconds, 0),
        context=within("--context", options.context, 1),
    )


def _settings(options: Options) -> Settings:
    return Settings(
        within("--temperature", options.temperature, 0),
        within("--top-p", options.top_p, 0, 1),
        within("--max-tokens", options.max_tokens, 1),
        options.seed,
        tuple(checked_text("--stop", text) for text in options.stop),
        extra_fields(options.extra),
    )


def _announce_examples(agent: Agent, show: Show) -> None:
    if not agent.examples:
        return
    from loopwright.engine.examples import strange_tools

    if strange := strange_tools(agent.examples, agent.tools):
        show.notice(f"examples: they use tools that this run does not have: {', '.join(strange)}")
    if agent.model.embedded:
        show.notice("examples: the embedded model was not trained with examples and may answer worse with them")


def _protocol(text: str) -> Literal["auto", "native", "text"]:
    if text not in ("auto", "native", "text"):
        raise UsageError(f"unknown protocol {text!r}: use auto, native or text")
    return text


def _allowed(workspace: Path | None, *, allow_commands: bool) -> bool:
    if allow_commands and workspace is None:
        raise UsageError("--allow-commands lets commands run on a copy of a folder; add --workspace FOLDER")
    return allow_commands


def _role(text: str) -> ObservationRole:
    if text not in ("user", "assistant", "system", "tool"):
        raise UsageError(f"unknown --observation-role {text!r}: use user, assistant, system or tool")
    return text


def _shown(options: Options, journal: Place | None) -> "Shown | None":
    """What the model is shown first. Only runs with examples load what reads them."""
    if not (options.example or options.example_file or options.example_key):
        return None
    from loopwright.cli.examples import shown_examples

    return shown_examples(options.example, options.example_file, options.example_key, journal)
