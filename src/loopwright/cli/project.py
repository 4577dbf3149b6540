"""`loopwright.toml`: what a folder says about its tools and rules.

Owns where the file is, what may stand in it, and what is said of what has no effect. Whether it is followed is decided
in `cli.trust`: the file may have come with the folder.
"""

import tomllib
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast, get_args

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import fields, replace

from loopwright.core.errors import UsageError
from loopwright.core.messages import Effect, Permission, ToolSpec
from loopwright.toolbox.mcp_settings import McpServer
from loopwright.toolbox.suite import SuiteSettings
from loopwright.tools.policy import Match, Rule

FILE = "loopwright.toml"


class Project(Struct, frozen=True, forbid_unknown_fields=True):
    """The parts of the file; each is a table, or several, of its name."""

    mcp: dict[str, McpServer] = field(default_factory=dict[str, McpServer])
    """``[mcp.NAME]``: servers whose tools are there for every run."""
    policy: tuple[Rule, ...] = ()
    """``[[policy]]``: which tools run without asking."""
    tests: SuiteSettings | None = None
    """``[tests]``: how `run_tests` runs the tests of the folder."""


def find_project(folder: Path | None = None) -> Path | None:
    """The nearest file in `folder`, the working folder if None, or above it."""
    start = (folder or Path.cwd()).absolute()
    return next((file for place in (start, *start.parents) if (file := place / FILE).is_file()), None)


def read_project(file: Path) -> Project:
    """What the file says.

    Raises:
        UsageError: it cannot be read, or says what is not known; the text says where
    """
    return project_of(text_of(file), file)


def text_of(file: Path) -> bytes:
    """The file as it lies there.

    Raises:
        UsageError: it cannot be read
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None


def project_of(text: bytes, file: Path) -> Project:
    """What a text in the form of the file says.

    Raises:
        UsageError: as for `read_project`
    """
    try:
        found: dict[str, Any] = tomllib.loads(text.decode())
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is no TOML: {error}") from None
    known = [part.name for part in fields(Project)]
    if strange := next((name for name in found if name not in known), None):
        near = get_close_matches(strange, known, n=1)
        hint = f"did you mean [{near[0]}]?" if near else f"it may have {', '.join(f'[{name}]' for name in known)}"
        raise UsageError(f"{file} has [{strange}], which is not known; {hint}")
    try:
        project = convert(found, Project)
        return replace(project, policy=tuple(replace(rule, source=file.name) for rule in project.policy))
    except ValidationError as error:
        raise UsageError(f"{file}: {_server_at_fault(found) or _rule_at_fault(found, file) or error}") from None


def void_rules(rules: Sequence[Rule], tools: Sequence[ToolSpec]) -> list[str]:
    """What to tell of each rule that names a tool which is not there, so that it decides nothing.

    Args:
        rules: all, in their order
        tools: those of the run
    """
    found, names = list[str](), [tool.name for tool in tools]
    for number, rule in enumerate(rules, 1):
        if rule.tool is None or any(Rule("ask", tool=rule.tool).concerns(tool) for tool in tools):
            continue
        source = f" of {rule.source}" if rule.source else ""
        near = _meant(rule.tool, names)
        found.append(f"rule {number}{source} is about no tool that is here: {rule.tool}{near}")
    return found


def notice_passed_over(workspace: Path, file: Path | None, notice: Callable[[str], None]) -> None:
    """Tell of rules and servers in the file of a workspace, where another file is followed, or none.

    Args:
        workspace: the folder that the model works in
        file: the `loopwright.toml` that is followed
        notice: tells the person

    Raises:
        UsageError: the file cannot be read
    """
    own = find_project(workspace)
    if own is None or (file is not None and own.samefile(file)):
        return
    found = read_project(own)
    parts = [name for name, part in (("rules", found.policy), ("servers", found.mcp)) if part]
    if parts:
        instead = f"{file} is" if file is not None else "the file of the working folder is"
        notice(
            f"{own} is passed over, with its {' and '.join(parts)}: {instead} followed; "
            f"to follow it, start in {own.parent}"
        )


def _rule_at_fault(found: dict[str, Any], file: Path) -> str:
    """Which rule is wrong and why; empty where the fault is elsewhere."""
    rules: object = found.get("policy")
    if isinstance(rules, dict):
        return "[policy] is one table; write each rule under a [[policy]] of its own"
    for number, rule in enumerate(cast("list[object]", rules) if isinstance(rules, list) else (), 1):
        if wrong := _wrong_with(rule):
            return f"{wrong} (rule {number} of {file.name})"
    return ""


def _wrong_with(rule: object) -> str:
    """What is wrong with a rule, in words; empty where nothing is."""
    if isinstance(rule, dict):
        table = cast("dict[str, object]", rule)
        given: object = table.get("arguments")
        patterns = cast("dict[str, object]", given).items() if isinstance(given, dict) else ()
        parts = [_strange("the rule", table, Rule)]
        parts += [_strange(f"the pattern of {name}", pattern, Match) for name, pattern in patterns]
        parts += [_unusual(name, table.get(name, ""), choices) for name, choices in _CHOICES.items() if name in table]
        if "permission" not in table:
            parts.append(f"the rule has no permission; it is one of {_listed(get_args(Permission))}")
        if wrong := next((part for part in parts if part), ""):
            return wrong
    try:
        convert(rule, Rule)
    except ValidationError as error:
        return str(error).removesuffix(" - at `$`").replace("at `$.", "at `")
    return ""


def _strange(place: str, table: object, kind: type[Rule | Match]) -> str:
    """A field that is not known there."""
    known = [part.name for part in fields(kind) if part.name != "source"]
    names = cast("dict[str, object]", table) if isinstance(table, dict) else ()
    strange = next((name for name in names if name not in known), None)
    if strange is None:
        return ""
    return f"{place} has '{strange}', which is not known{_meant(strange, known) or f'; it may have {_listed(known)}'}"


def _unusual(name: str, value: object, choices: tuple[str, ...]) -> str:
    """A value that is none of the known ones."""
    if value in choices:
        return ""
    return f"{name} is {value!r}; it is one of {_listed(choices)}"


def _meant(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


_CHOICES: dict[str, tuple[str, ...]] = {
    "permission": get_args(Permission),
    "effect": get_args(Effect),
    "tainted": ("ask", "allow"),
}
"""Words that a part of a rule may be."""


def _server_at_fault(found: dict[str, Any]) -> str:
    """Which server is wrong and why; empty where the fault is elsewhere."""
    servers: object = found.get("mcp")
    for name, server in cast("dict[str, object]", servers).items() if isinstance(servers, dict) else ():
        try:
            convert(server, McpServer)
        except ValidationError as error:
            return f"[mcp.{name}]: {str(error).removesuffix(' - at `$`')}"
    return ""
