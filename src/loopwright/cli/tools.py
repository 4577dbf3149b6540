"""`loopwright tools`: which tools there are, and what each may do."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.messages import ToolSpec

if TYPE_CHECKING:
    from loopwright.tools.policy import Policy, Rule


def tools(
    *,
    names: Annotated[
        str, typer.Option("--tools", "-t", help="Show these: names of the toolbox, module:attribute, or file.py.")
    ] = "",
    docs: Annotated[
        Path | None, typer.Option("--docs", help="Folder of .txt and .md files for search and lookup.")
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="Folder in which files are listed, read, searched and changed.")
    ] = None,
    allow_commands: Annotated[bool, typer.Option("--allow-commands", help="Show run_command too.")] = False,
    mcp: Annotated[
        list[str] | None,
        typer.Option("--mcp", metavar="SERVER", help="Show the tools of an MCP server too; can be repeated."),
    ] = None,
    mcp_hints: Annotated[bool, typer.Option("--mcp-hints", help="Believe these servers about their tools.")] = False,
    trust: Annotated[bool, typer.Option("--trust", help="Start the servers of the folder's loopwright.toml.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List the tools: what each does to the world, whether it runs without asking, and its parameters."""
    from loopwright.cli.driving import complain
    from loopwright.cli.printing import json_line
    from loopwright.cli.project import void_rules
    from loopwright.engine.telling import visible
    from loopwright.toolbox.load import load_tools, names_in
    from loopwright.tools.policy import Policy

    with redirect_stdout(sys.stderr):  # what a file of tools prints is not on the list
        loaded = load_tools(names_in(names or DEFAULT_TOOLS), docs, workspace, commands=allow_commands)
    specs = [tool.spec for tool in loaded]
    specs += served_tools(mcp or (), hints=mcp_hints, trusted=trust)
    policy = Policy(folder_rules(trusted=trust))
    for void in void_rules(policy.rules, specs):
        complain(void)
    for spec in map(policy.applied, specs):
        print(json_line(_whole(spec, policy)) if as_json else visible(described(spec, policy)))
    if as_json:
        return
    if not specs:
        print("no tools")
    elif not names and not docs and not workspace:
        print("search, lookup  with --docs FOLDER: passages of text and Markdown files")
        print("list_files, read_file, search_files, write_file, edit_file  with --workspace FOLDER: its texts")
        print("run_tests, run_command  with --workspace FOLDER: on a copy, in a sandbox; run_command if it is allowed")


def folder_rules(*, trusted: bool) -> "tuple[Rule, ...]":
    """The rules of the folder's file where it is trusted; where it is not, a line says so."""
    from loopwright.cli.driving import complain
    from loopwright.cli.project import find_project, read_project
    from loopwright.cli.trust import is_followed

    file = find_project()
    rules = read_project(file).policy if file is not None else ()
    if file is not None and rules and not (trusted or is_followed(file)):
        complain(f"{file} has rules, which are not followed before you agree: 'loopwright ask' asks, --trust agrees")
        return ()
    return rules


def served_tools(servers: Sequence[str], *, hints: bool, trusted: bool) -> list[ToolSpec]:
    """The tools of these servers, and of those of the folder's file where it is trusted.

    Raises:
        MissingExtra: there are servers, and the package for them is not installed
        UsageError: a server cannot be used
    """
    import asyncio

    from loopwright.cli.driving import complain
    from loopwright.cli.project import Project, find_project, read_project
    from loopwright.cli.servers import checked_servers, served
    from loopwright.cli.trust import is_followed

    texts, file = checked_servers(servers), find_project()
    project = Project() if file is None else read_project(file)
    if file is not None and project.mcp and not (trusted or is_followed(file)):
        complain(
            f"{file} names MCP servers, which are not started: {', '.join(project.mcp)}; to list them, add --trust"
        )
        project = Project()
    open_servers = served(texts, project, hints=hints, file=file, notice=complain)
    if open_servers is None:
        return []

    async def listed() -> list[ToolSpec]:
        async with open_servers as tools:
            return [tool.spec for tool in tools]

    return asyncio.run(listed())


def _whole(spec: ToolSpec, policy: "Policy") -> dict[str, Any]:
    """All that matters of a tool, also what is as usual."""
    from msgspec import to_builtins

    usual = {"effect": spec.effect, "permission": spec.permission, "repeatable": spec.repeatable}
    rules = {"by": decided_by(spec, policy), "unless": [str(rule) for rule in policy.conditions(spec)]}
    return {**to_builtins(spec), **usual, "trusted_output": spec.trusted_output, **rules}


def decided_by(spec: ToolSpec, policy: "Policy") -> str:
    """What decides whether the tool runs: a rule by its number, or the default."""
    rule = policy.decider(spec)
    return "default" if rule is None else f"rule {policy.rules.index(rule) + 1} of {rule.source}"


def described(spec: ToolSpec, policy: "Policy") -> str:
    """A tool in a few lines."""
    required = spec.parameters.get("required", [])
    schemas: dict[str, dict[str, Any]] = spec.parameters.get("properties", {})
    parameters = ", ".join(
        f"{name}{'' if name in required else '?'}: {schema.get('type', 'any')}" for name, schema in schemas.items()
    )
    runs = {"allow": _allowed(spec, policy), "ask": "asks first", "deny": "never runs"}[spec.permission]
    about = [f"{name}: {said}" for name, schema in schemas.items() if (said := _parameter(schema))]
    first = spec.description.partition("\n")[0]
    may = f"{spec.effect}, {runs} ({decided_by(spec, policy)})"
    unless = [f"but: {rule}" for rule in policy.conditions(spec)]
    others = [] if spec.trusted_output else ["what it returns is text of others"]
    return "\n    ".join([f"{spec.name}({parameters})", first, *about, may, *unless, *others])


def _allowed(spec: ToolSpec, policy: "Policy") -> str:
    """How far it runs without asking: text of others ends that for all but what only reads, unless a rule says more."""
    rule = policy.decider(spec)
    tainted = "" if rule is None else rule.tainted
    ends = tainted == "ask" or (tainted != "allow" and (spec.effect != "read" or spec.open_world))
    return f"runs without asking{' until the run has read text of others' if ends else ''}"


def _parameter(schema: dict[str, Any]) -> str:
    """What a parameter means, and the values that it takes where only some are taken."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    meaning = " ".join(str(schema.get("description", "")).split())
    allowed = ", ".join(map(str, values))
    return "; ".join(part for part in (meaning, f"one of {allowed}" if allowed else "") if part)


DEFAULT_TOOLS = "weather,currency,calculator,clock"
