"""`loopwright.toml`: what a folder says about its tools and rules.

Owns where the file is and what may stand in it. Whether it is followed is decided in `cli.trust`: the file may have
come with the folder.
"""

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import fields, replace

from loopwright.core.errors import UsageError
from loopwright.toolbox.mcp_settings import McpServer
from loopwright.toolbox.suite import SuiteSettings
from loopwright.tools.policy import Rule

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
        raise UsageError(f"{file}: {_server_at_fault(found) or error}") from None


def _server_at_fault(found: dict[str, Any]) -> str:
    """Which server is wrong and why; empty where the fault is elsewhere."""
    servers: object = found.get("mcp")
    for name, server in cast("dict[str, object]", servers).items() if isinstance(servers, dict) else ():
        try:
            convert(server, McpServer)
        except ValidationError as error:
            return f"[mcp.{name}]: {str(error).removesuffix(' - at `$`')}"
    return ""
