"""`loopwright chat`: a conversation; each turn is a run that continues the one before."""

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
    from loopwright.cli.beginning import Beginning


def chat(
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="The first thing to say; without it you are asked.")
    ] = None,
    *,
    go_on: Annotated[
        str | None,
        typer.Option("--continue", "-c", metavar="RUN", help="Go on behind this run: an id, its beginning, or last."),
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the events as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the answers only.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
    trust: TrustOption = False,
) -> None:
    """Talk with the model. Each line is a turn; each turn is a run of its own that knows all the turns before it.

    Ctrl-C interrupts a turn: an empty line takes it up again, anything else goes on without it. Ctrl-D, or /exit,
    leaves; --continue goes on another day. Limits count anew for each turn.

    Exit status: that of the last turn, as for ask; 0 where there was none.
    """

    from loopwright.cli.beginning import TOOLS, Options, beginning
    from loopwright.cli.driving import Show, apart
    from loopwright.cli.talk import Talk, recalled
    from loopwright.cli.values import task_of
    from loopwright.core.errors import UsageError

    show = Show(as_json=as_json, quiet=quiet, full=full, journal=journal)
    first = None if task is None else task_of(task)
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
    begun: Beginning
    last, behind = "", ()
    if go_on is None:
        begun = beginning(options, show, journal)
    elif model or tools or docs or workspace or mcp or instructions or base_url or protocol != "auto":
        raise UsageError("--continue takes the model and the tools of that run; 'loopwright fork' goes on with others")
    else:
        begun, last, behind = recalled(go_on, show, journal, trusted=trust)
    talk = Talk(begun, show, last=last, history=behind)
    raise typer.Exit(apart(lambda: talk.hold(first), show))
