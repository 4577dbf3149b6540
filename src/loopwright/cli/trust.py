"""What a strange journal or a folder's file would start, load and send: said, and agreed to, before it does.

Owns which journals are the user's own, and which files were agreed to. A journal is data, and may come from anywhere;
but its recipe names files of Python code to load, commands to start and an address to send a key to. So does the
`loopwright.toml` that a folder came with.
"""

import hashlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from loopwright.cli.project import Project, project_of, text_of
from loopwright.cli.setup import Recipe, recipe_of
from loopwright.core.errors import UsageError
from loopwright.core.events import ApprovalGiven, CallEnded, Event, RunForked, RunStarted
from loopwright.engine.telling import visible
from loopwright.journal.location import Place
from loopwright.toolbox.foreign import plain

_SHOWN = 10_000
"""Characters of a command that are shown before it may be started: all that a person would ever write."""


def check_trust(recipe: Recipe, journal: Place, run_id: str, *, trusted: bool, history: Sequence[Event] = ()) -> None:
    """Let a recipe be followed only if it is harmless, the journal the user's own, or the user agrees.

    Args:
        recipe: of the run
        journal: where it comes from
        run_id: of the run
        trusted: whether the user agreed beforehand
        history: of the run, with the rules that it goes on under

    Raises:
        UsageError: the user does not agree, or nobody is there to ask
    """
    asked = consequences(recipe) + permissions(history)
    if not asked or trusted or is_own(journal):
        return
    text = f"run {run_id} comes from {journal}, which may not be your own. To go on with it would " + ", and ".join(
        asked
    )
    _agree(text, "")


def check_import(history: Sequence[Event], journal: Place | None, *, trusted: bool) -> None:
    """Let a run out of a file into the user's own journal only if to go on with it is harmless, or the user agrees.

    A run in another journal is asked about when somebody goes on with it.

    Raises:
        UsageError: the user does not agree, or nobody is there to ask
    """
    if trusted or not (journal is None or is_own(journal) or _is_usual(journal)):
        return
    asked = list[str]()
    for event in history:
        if isinstance(event, RunStarted | RunForked):
            rules = event if isinstance(event, RunStarted) else event.started
            with suppress(UsageError):  # a run of a program cannot be gone on with from the command line
                asked += consequences(recipe_of(rules.recipe, rules.run_id)) + permissions(history)
    if asked:
        text = "in your own journal this run counts as yours. To go on with it would " + ", and ".join(
            dict.fromkeys(asked)
        )
        _agree(text, ", or --journal FILE to keep it apart")


def followed(file: Path, *, trusted: bool) -> Project:
    """What a folder's file says, if that is harmless, or the user agrees, now or once before to the same text.

    Args:
        file: `loopwright.toml`
        trusted: whether the user agreed beforehand

    Raises:
        UsageError: it cannot be read; or the user does not agree, or nobody is there to ask
    """
    text = text_of(file)
    project = project_of(text, file)
    asked = project_consequences(project)
    if not asked or trusted or _is_agreed(file, text):
        return project
    _agree(f"to follow {file} would " + ", and ".join(asked), ", or --no-project to go on without the file")
    _remember(file, text)
    return project


def is_followed(file: Path) -> bool:
    """Whether `followed` would follow the file without a question."""
    text = text_of(file)
    return not project_consequences(project_of(text, file)) or _is_agreed(file, text)


def project_consequences(project: Project) -> list[str]:
    """What following a folder's file does that only the user may decide."""
    found = list[str]()
    for name, server in project.mcp.items():
        what = "send calls to" if server.url else "start"
        with_ = f" with {', '.join(server.variables)}" if server.variables else ""
        found.append(f"{what} {plain(server.place, _SHOWN)}{with_} for the tools of {plain(name, _SHOWN)}")
    for rule in project.policy:
        if rule.permission == "allow":
            found.append(f"let run without asking {rule.subject}")
    if project.tests and project.tests.above_default:
        found.append(f"let its tests use {', '.join(project.tests.above_default)}")
    return found


def permissions(history: Sequence[Event]) -> list[str]:
    """What a run lets happen without asking; nothing where that is only what reads, as without any rule."""
    found = list[str]()
    ended = {event.call_id for event in history if isinstance(event, CallEnded)}
    for event in history:
        match event:
            case RunStarted(tools=tools, rules=rules) | RunForked(started=RunStarted(tools=tools, rules=rules)):
                free = [tool.name for tool in tools if tool.effect != "read" and tool.permission == "allow"]
                found += [f"let run without asking {name}" for name in free]
                found += [f"let run without asking {rule.subject}" for rule in rules if rule.permission == "allow"]
            case ApprovalGiven(allowed=True, scope="call" | "tool", call_id=name):
                found.append(f"go by what was allowed for good for call {name}")
            case ApprovalGiven(allowed=True, call_id=name) if name not in ended:
                found.append(f"run call {name}, which is said to be allowed")
            case _:
                pass
    return found


def _agree(text: str, otherwise: str) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{text}. If you trust that, add --trust{otherwise}")
    print(f"{visible(text)}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("nothing was started, loaded or sent")


def _is_agreed(file: Path, text: bytes) -> bool:
    try:
        return _mark(file, text) in _agreements().read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return False


def _remember(file: Path, text: bytes) -> None:
    """Keep that this text of this file was agreed to; where that cannot be kept, it is asked again."""
    place = _agreements()
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("a", encoding="ascii") as kept:
            kept.write(f"{_mark(file, text)}\n")


def _agreements() -> Path:
    """In the user's data folder, whatever journal is used."""
    from loopwright.journal.location import VARIABLE, default_path

    others = {name: value for name, value in os.environ.items() if name != VARIABLE}
    return default_path(others, Path("/")).with_name("agreed")


def _mark(file: Path, text: bytes) -> str:
    return hashlib.sha256(os.fsencode(file.absolute()) + b"\0" + text).hexdigest()


def consequences(recipe: Recipe) -> list[str]:
    """What following a recipe does that only the user may decide; nothing for tools and models of loopwright's own."""
    from loopwright.models.door import is_loopback
    from loopwright.toolbox.load import TOOLBOX

    found = list[str]()
    if code := [name for name in recipe.tools if name not in TOOLBOX]:
        found.append(f"run the code of {', '.join(code)}")
    if recipe.workspace:
        found.append(f"let the model read, and with your consent change, what lies in {recipe.workspace}")
    if recipe.tests and recipe.tests.above_default:
        found.append(f"let its tests use {', '.join(recipe.tests.above_default)}")
    if recipe.base_url is not None and not is_loopback(_host(recipe.base_url)):
        key = _key_variable(recipe.model)
        found.append(f"send the run to {recipe.base_url}" + (f" with the key in {key}" if key else ""))
        if recipe.docs:
            found.append(f"show it what lies in {recipe.docs}")
    found += [f"start {plain(text, _SHOWN)}" for text in recipe.mcp if not text.startswith(("http://", "https://"))]
    found += [
        f"send calls to {plain(text, _SHOWN)}"
        for text in recipe.mcp
        if text.startswith(("http://", "https://")) and not is_loopback(_host(text))
    ]
    return found


def is_own(journal: Place) -> bool:
    """Whether the user's own runs are kept there, and nobody else's.

    It is where LOOPWRIGHT_JOURNAL says or in the user's data folder, and belongs to the user. The journal of a project,
    ``.loopwright/journal.db``, may have come with the project. On a server, only the variable can say so.
    """
    from loopwright.journal.location import VARIABLE, default_path, default_place

    if not isinstance(journal, Path):
        return bool(os.environ.get(VARIABLE)) and journal == default_place()

    usual = default_path() if os.environ.get(VARIABLE) else default_path(folder=Path("/"))
    try:
        found = journal.stat()
        return os.path.samestat(found, usual.stat()) and (os.name != "posix" or found.st_uid == os.getuid())
    except OSError:
        return False


def _is_usual(journal: Place) -> bool:
    """Whether this is, or will be, the usual place."""
    from loopwright.journal.location import default_path, default_place

    if not isinstance(journal, Path):
        return journal == default_place()
    return journal.absolute() in (default_path().absolute(), default_path(folder=Path("/")).absolute())


def _host(base_url: str) -> str:
    try:
        return urlsplit(base_url.strip()).hostname or ""
    except ValueError:
        return ""


def _key_variable(spec: str) -> str:
    """The variable whose key would be sent; empty where none is set."""
    from loopwright.models.catalog import known
    from loopwright.models.environment import read
    from loopwright.models.providers import COMPATIBLE

    provider = spec.partition(":")[0].strip().lower()
    mine = next((one for one in known() if one.name == provider and provider != "local"), None)
    if mine is not None:
        return mine.key_variable if mine.key_present else ""
    return next((name for name in COMPATIBLE.key_variables if read().get(name)), "")
