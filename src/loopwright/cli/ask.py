"""`loopwright ask`: run a task and print its steps as they happen."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.journal.location import Place, place_of

if TYPE_CHECKING:
    from loopwright.cli.driving import Begun
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
ApprovalsOption = Annotated[
    str,
    typer.Option(
        "--approvals",
        help="Who is asked: terminal (nobody where there is none), inbox (wait for 'loopwright approve'), "
        "pause (leave with exit status 4 until then), or deny.",
    ),
]
TraceOption = Annotated[
    bool, typer.Option("--trace", help="Send OpenTelemetry spans to the address in OTEL_EXPORTER_OTLP_ENDPOINT.")
]
TraceContentOption = Annotated[
    bool, typer.Option("--trace-content", help="The same, with what people, models and tools said.")
]


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
    context: Annotated[
        int | None, typer.Option("--context", help="Tokens of a request from which on older results are left out.")
    ] = None,
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
    approvals: ApprovalsOption = "terminal",
    trace: TraceOption = False,
    trace_content: TraceContentOption = False,
) -> None:
    """Run a task: the steps appear as they happen, then the answer and what it took.

    Exit status: 0 answered, 1 failed, 2 usage, 3 partial, cancelled or stopped by a limit, 4 waits for a person,
    130 interrupted, 143 terminated.
    """
    from loopwright.cli.beginning import Options, beginning
    from loopwright.cli.driving import Show, drive
    from loopwright.cli.tracing import watched
    from loopwright.cli.values import task_of

    show = Show(as_json=as_json, quiet=quiet, full=full, journal=journal)
    text = task_of(task)
    options = Options(
        model=model,
        tools=tools,
        docs=docs,
        workspace=workspace,
        allow_commands=allow_commands,
        mcp=mcp or (),
        mcp_hints=mcp_hints,
        no_project=no_project,
        trust=trust,
        instructions=instructions,
        protocol=protocol,
        switch_back=switch_back,
        constrain=constrain,
        require_action=require_action,
        language=language,
        example=example or (),
        example_file=example_file,
        example_key=example_key or (),
        observation_role=observation_role,
        base_url=base_url,
        max_steps=max_steps,
        max_model_calls=max_model_calls,
        max_tool_calls=max_tool_calls,
        budget_tokens=budget_tokens,
        budget_cost=budget_cost,
        budget_seconds=budget_seconds,
        context=context,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
        stop=stop or (),
        extra=extra,
        no_stream=no_stream,
        approvals=approvals,
    )
    begun = beginning(options, show, journal)

    def begin(tools: "Sequence[Tool]") -> "Begun":
        agent = begun.made(tools)
        return agent, lambda: agent.run(text)

    with watched(show, trace=trace, content=trace_content):
        drive(begin, show, begun.served)
