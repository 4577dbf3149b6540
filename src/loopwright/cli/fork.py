"""`loopwright fork`: try a run again from one of its events on, with something changed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.ask import ApprovalsOption, JournalOption, TraceContentOption, TraceOption

if TYPE_CHECKING:
    from loopwright.cli.driving import Begun
    from loopwright.engine.ports import Tool


def fork(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")],
    *,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="N|CALL",
            help="The event that goes differently: its number ('show --json' has them), or a call, such as 1.1.",
        ),
    ] = None,
    observation: Annotated[
        str | None, typer.Option("--observation", metavar="TEXT", help="What the call is answered with instead.")
    ] = None,
    result: Annotated[
        str | None, typer.Option("--result", metavar="JSON", help="The same as a JSON value, as tools give them.")
    ] = None,
    arguments: Annotated[
        str | None,
        typer.Option(
            "--arguments", metavar="JSON", help='Other arguments for calls: {"1.1": {…}}, or {…} of --at 1.1.'
        ),
    ] = None,
    say: Annotated[str, typer.Option("--say", metavar="TEXT", help="Tell the model something there.")] = "",
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Go on with this model; its --base-url is named anew.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible endpoint.")
    ] = None,
    tools: Annotated[str | None, typer.Option("--tools", "-t", help="Go on with these tools; as for ask.")] = None,
    docs: Annotated[Path | None, typer.Option("--docs", help="Folder for search and lookup.")] = None,
    instructions: Annotated[
        str | None, typer.Option("--instructions", "-i", help="What the model is told first.")
    ] = None,
    protocol: Annotated[str | None, typer.Option("--protocol", help="auto, native or text.")] = None,
    max_steps: Annotated[int | None, typer.Option("--max-steps", help="Turns whose calls run, from the start.")] = None,
    max_model_calls: Annotated[int | None, typer.Option("--max-model-calls", help="Questions to the model.")] = None,
    max_tool_calls: Annotated[int | None, typer.Option("--max-tool-calls", help="Calls that run.")] = None,
    budget_tokens: Annotated[int | None, typer.Option("--budget-tokens", help="Tokens of the whole run.")] = None,
    budget_cost: Annotated[float | None, typer.Option("--budget-cost", help="US dollars of the whole run.")] = None,
    budget_seconds: Annotated[float | None, typer.Option("--budget-seconds", help="Seconds of work on it.")] = None,
    journal: JournalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the new events as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer only.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
    approvals: ApprovalsOption = "terminal",
    trace: TraceOption = False,
    trace_content: TraceContentOption = False,
    trust: Annotated[bool, typer.Option("--trust", help="For a run of a strange journal, as for resume.")] = False,
) -> None:
    """Try a run again from one of its events on. The run stays as it is: the fork is a run of its own, which shares
    what was before, and goes on with the same model, tools and limits but for those that are named.

    What was running there is in doubt, as after a crash; approvals are asked for anew. With --say alone, the fork goes
    on behind the end of the run.

    Exit status: as for ask.
    """
    from loopwright.cli.driving import Show, drive
    from loopwright.cli.forking import Typed, forking
    from loopwright.cli.tracing import watched

    show = Show(as_json=as_json, quiet=quiet, full=full, journal=journal)
    typed = Typed(
        run=run,
        at=at,
        observation=observation,
        result=result,
        arguments=arguments,
        say=say,
        model=model,
        base_url=base_url,
        tools=tools,
        docs=docs,
        instructions=instructions,
        protocol=protocol,
        limits={
            "steps": max_steps,
            "model_calls": max_model_calls,
            "tool_calls": max_tool_calls,
            "tokens": budget_tokens,
            "cost": budget_cost,
            "seconds": budget_seconds,
        },
        approvals=approvals,
        trust=trust,
    )
    going = forking(typed, show, journal)

    def begin(served: "Sequence[Tool]") -> "Begun":
        agent = going.made(served)
        return agent, lambda: going.fork(agent)

    with watched(show, trace=trace, content=trace_content):
        drive(begin, show, going.served)
