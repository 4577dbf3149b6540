"""`loopwright debug`: run a task step by step, look at what is sent, and change what came back."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.ask import JournalOption
from loopwright.cli.options import (
    BaseUrlOption,
    DocsOption,
    InstructionsOption,
    McpOption,
    ModelOption,
    ProtocolOption,
    ToolsOption,
    TrustOption,
    WorkspaceOption,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwright.cli.driving import Begun
    from loopwright.engine.ports import Tool


def debug(
    what: Annotated[
        str, typer.Argument(metavar="TASK|RUN", help="A task to begin, or a run: its id, its beginning, or last.")
    ],
    *,
    stop_at: Annotated[
        list[str] | None,
        typer.Option(
            "--break", "-b", metavar="TOOL|error", help="Run to calls of this tool, or to an error; can be repeated."
        ),
    ] = None,
    model: ModelOption = None,
    tools: ToolsOption = None,
    docs: DocsOption = None,
    workspace: WorkspaceOption = None,
    mcp: McpOption = None,
    instructions: InstructionsOption = "",
    protocol: ProtocolOption = "auto",
    base_url: BaseUrlOption = None,
    journal: JournalOption = None,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
    trust: TrustOption = False,
) -> None:
    """Run a task step by step: it stops before and after each question to the model and each call.

    At a stop, h lists what can be done: step, go on, see the exact request, change an observation, a reply or the
    arguments of a call, go back. Whatever is changed begins a fork: the run itself stays as it was. Commands are read
    from standard input, so they can come from a file; at its end the run goes on without stops.

    Exit status: as for ask; 130 where it was left before the end.
    """
    from loopwright.cli.beginning import TOOLS, Options, beginning
    from loopwright.cli.debugger import Debugger
    from loopwright.cli.driving import Show, drive
    from loopwright.cli.setup import is_known
    from loopwright.cli.talk import recalled
    from loopwright.cli.values import task_of
    from loopwright.core.errors import UsageError

    show = Show(as_json=False, quiet=False, full=full, journal=journal)
    debugger = Debugger(show, stop_at or ())
    options = Options(
        model=model,
        tools=TOOLS if tools is None else tools,
        docs=docs,
        workspace=workspace,
        mcp=mcp or (),
        instructions=instructions,
        protocol=protocol,
        base_url=base_url,
        trust=trust,
    )
    if is_known(what, journal):
        if model or tools or docs or workspace or mcp or instructions or base_url or protocol != "auto":
            raise UsageError(
                "a run is debugged with its own model and tools; 'loopwright fork' goes on with others, and a fork can "
                "be debugged"
            )
        begun, run_id, history = recalled(what, show, journal, trusted=trust, gate=debugger)
        debugger.recall(run_id, history)
    else:
        task = task_of(what)
        begun = beginning(options, show, journal, debugger)
        debugger.task = task

    def begin(served: "Sequence[Tool]") -> "Begun":
        agent = begun.made(served)
        return agent, lambda: debugger.work(agent)

    drive(begin, show, begun.served)
