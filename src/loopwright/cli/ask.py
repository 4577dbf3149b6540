"""`loopwright ask`: run a task and print its steps as they happen."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from loopwright.core.errors import UsageError
from loopwright.journal.location import Place, place_of

if TYPE_CHECKING:
    from loopwright.agent import Agent
    from loopwright.cli.driving import Begun
    from loopwright.cli.examples import Shown
    from loopwright.core.messages import ObservationRole
    from loopwright.engine.ports import Tool

_JOURNAL = typer.Option(
    "--journal",
    metavar="FILE|ADDRESS",
    parser=place_of,
    help="SQLite file of the runs, or postgresql://… [default: LOOPWRIGHT_JOURNAL or the user's own]",
)
if TYPE_CHECKING:
    JournalOption = Annotated[Place | None, _JOURNAL]
else:  # the command line's library knows no unions; what the parser gives is what comes
    JournalOption = Annotated[Path | None, _JOURNAL]


def ask(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="What to find out or do; - reads it from standard input.")
    ],
    *,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", help="provider:name, local, or local:FILE.gguf. 'loopwright models' lists what is there."
        ),
    ] = None,
    tools: Annotated[
        str,
        typer.Option(
            "--tools",
            "-t",
            help="Comma-separated: names of the toolbox, module:attribute, or file.py. none for no tools.",
        ),
    ] = "weather,currency,calculator,clock",
    docs: Annotated[
        Path | None, typer.Option("--docs", help="Folder of .txt and .md files for search and lookup.")
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="Folder in which files are listed, read, searched and changed.")
    ] = None,
    allow_commands: Annotated[
        bool,
        typer.Option(
            "--allow-commands", help="With --workspace: offer run_command, which runs on a copy in a sandbox."
        ),
    ] = False,
    mcp: Annotated[
        list[str] | None,
        typer.Option(
            "--mcp",
            metavar="SERVER",
            help="Add the tools of an MCP server: a command with its arguments, or an address; can be repeated.",
        ),
    ] = None,
    mcp_hints: Annotated[
        bool,
        typer.Option(
            "--mcp-hints",
            help="Believe these servers about their tools: those that only read then run without asking.",
        ),
    ] = False,
    no_project: Annotated[
        bool, typer.Option("--no-project", help="Do not follow the folder's loopwright.toml.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Follow the folder's loopwright.toml without asking first.")
    ] = False,
    instructions: Annotated[str, typer.Option("--instructions", "-i", help="What the model is told first.")] = "",
    protocol: Annotated[str, typer.Option("--protocol", help="auto, native or text.")] = "auto",
    switch_back: Annotated[
        bool,
        typer.Option("--switch-back", help="With auto: go on natively when replies in text form keep missing it."),
    ] = False,
    constrain: Annotated[
        bool | None,
        typer.Option(
            "--constrain/--no-constrain",
            help="Keep replies in text form to their form by a grammar or JSON Schema "
            "[default: where the endpoint is known to take one]",
        ),
    ] = None,
    require_action: Annotated[
        bool, typer.Option("--require-action", help="Send an answer back, once, that comes before any tool was used.")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            help="Language in which the model is told what to do: de, en, es, fi, fr, he, ja or zh "
            "[default: that of the task]",
        ),
    ] = None,
    example: Annotated[
        list[str] | None,
        typer.Option(
            "--example",
            metavar="RUN",
            help="Show the model this run first: an id, its beginning, or last; can be repeated.",
        ),
    ] = None,
    example_file: Annotated[
        Path | None,
        typer.Option("--example-file", help="Show examples from a file: JSON lines, or prompts of the ReAct paper."),
    ] = None,
    example_key: Annotated[
        list[str] | None,
        typer.Option("--example-key", help="Which prompt of that file, where it holds several; can be repeated."),
    ] = None,
    observation_role: Annotated[
        str,
        typer.Option("--observation-role", help="Who says observations in text form: user, assistant, system, tool."),
    ] = "user",
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible endpoint.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(help="Turns that call tools.")] = 25,
    max_model_calls: Annotated[int | None, typer.Option(help="Questions to the model.")] = 50,
    max_tool_calls: Annotated[int | None, typer.Option(help="Calls of tools.")] = 100,
    budget_tokens: Annotated[int | None, typer.Option(help="Tokens of the whole run.")] = None,
    budget_cost: Annotated[float | None, typer.Option(help="US dollars of the whole run.")] = None,
    budget_seconds: Annotated[float | None, typer.Option(help="Seconds of the whole run.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Nucleus sampling.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Output tokens of one reply.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the sampling.")] = None,
    stop: Annotated[list[str] | None, typer.Option(help="A further stop sequence; can be repeated.")] = None,
    extra: Annotated[str | None, typer.Option(help="Further request fields as a JSON object.")] = None,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the events as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer only.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
    no_stream: Annotated[bool, typer.Option("--no-stream", help="Ask for whole replies.")] = False,
) -> None:
    """Run a task: the steps appear as they happen, then the answer and what it took.

    Exit status: 0 answered, 1 failed, 2 usage, 3 partial or stopped by a limit, 130 interrupted,
    143 terminated.
    """
    from loopwright.cli.driving import Show, drive
    from loopwright.cli.printing import counted
    from loopwright.cli.project import notice_passed_over, void_rules
    from loopwright.cli.servers import checked_servers, chosen_project, served_for
    from loopwright.cli.setup import Recipe, agent_of, announced, checked_recipe, chosen_model, new_folder, open_journal
    from loopwright.cli.suites import chosen_suite
    from loopwright.cli.values import argument_text, checked, checked_text, extra_fields, task_of, within
    from loopwright.core.messages import Limits, Settings
    from loopwright.toolbox.load import anchored, names_in

    show = Show(as_json=as_json, quiet=quiet, full=full, journal=journal)
    text = task_of(task)
    spec, why = chosen_model(model, base_url)
    shown = _shown(example or (), example_file, example_key or (), journal)
    if shown and shown.instructions:
        kept = "left out, because --instructions are given" if instructions else f"from {example_file}"
        show.notice(f"instructions: {shown.instructions} ({kept})")
    servers = checked_servers(mcp or ())
    file, project = chosen_project(passed_over=no_project, trusted=trust)
    if workspace is not None and not no_project:
        notice_passed_over(workspace, file, show.notice)
    recipe = Recipe(
        model=spec,
        base_url=base_url,
        protocol=_protocol(protocol),
        tools=tuple(map(anchored, names_in(tools))),
        docs=str(docs.resolve()) if docs else None,
        workspace=str(workspace.resolve()) if workspace else None,
        tests=None if no_project else chosen_suite(workspace, file, project, show.notice),
        allow_commands=_allowed(workspace, allow_commands=allow_commands),
        instructions=argument_text("--instructions", instructions) or (shown.instructions if shown else ""),
        stream=not no_stream,
        language=language,
        switch_back=switch_back,
        constrain=constrain,
        require_action=require_action,
        observation_role=_role(observation_role),
        mcp=servers,
        mcp_hints=mcp_hints,
        folder=str(Path.cwd()) if servers else None,
        project=str(file) if file and project.mcp else None,
    )
    limits = checked(
        lambda: Limits(
            max_steps,
            max_model_calls,
            max_tool_calls,
            tokens=budget_tokens,
            cost=within("--budget-cost", budget_cost, 0),
            seconds=within("--budget-seconds", budget_seconds, 0),
        )
    )
    settings = checked(
        lambda: Settings(
            within("--temperature", temperature, 0),
            within("--top-p", top_p, 0, 1),
            within("--max-tokens", max_tokens, 1),
            seed,
            tuple(checked_text("--stop", text) for text in stop or ()),
            extra_fields(extra),
        )
    )
    store, examples = open_journal(journal), shown.examples if shown else ()

    def begin(tools: "Sequence[Tool]") -> "Begun":
        agent = agent_of(checked_recipe(recipe), store, limits, settings, show, examples, tools, project.policy)
        if strange := _strange(agent):
            show.notice(f"examples: they use tools that this run does not have: {', '.join(strange)}")
        if agent.examples and agent.model.embedded:
            show.notice("examples: the embedded model was not trained with examples and may answer worse with them")
        if project.policy:
            show.notice(f"policy: {counted(len(project.policy), 'rule')} of {file}")
        for void in void_rules(project.policy, agent.tools):
            show.notice(f"policy: {void}")
        show.notice(f"model: {announced(spec, why)}")
        if folder := new_folder(journal):
            show.notice(f"journal: in the new folder {folder}")
        return agent, lambda: agent.run(text)

    drive(begin, show, served_for(recipe, project, show))


def _protocol(text: str) -> Literal["auto", "native", "text"]:
    if text not in ("auto", "native", "text"):
        raise UsageError(f"unknown protocol {text!r}: use auto, native or text")
    return text


def _allowed(workspace: Path | None, *, allow_commands: bool) -> bool:
    if allow_commands and workspace is None:
        raise UsageError("--allow-commands lets commands run on a copy of a folder; add --workspace FOLDER")
    return allow_commands


def _role(text: str) -> "ObservationRole":
    if text not in ("user", "assistant", "system", "tool"):
        raise UsageError(f"unknown --observation-role {text!r}: use user, assistant, system or tool")
    return text


def _shown(runs: Sequence[str], file: Path | None, keys: Sequence[str], journal: Place | None) -> "Shown | None":
    """What the model is shown first. Only runs with examples load what reads them."""
    if not (runs or file or keys):
        return None
    from loopwright.cli.examples import shown_examples

    return shown_examples(runs, file, keys, journal)


def _strange(agent: "Agent") -> list[str]:
    if not agent.examples:
        return []
    from loopwright.engine.examples import strange_tools

    return strange_tools(agent.examples, agent.tools)
