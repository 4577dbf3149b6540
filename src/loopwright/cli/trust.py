"""What a run of a strange journal would load, and where it would send the key: said, and agreed to, before it does.

Owns which journals are the user's own. A journal is data, and may come from anywhere; but its recipe names files of
Python code to load and an address to send a key to.
"""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from loopwright.cli.printing import visible
from loopwright.cli.setup import Recipe
from loopwright.core.errors import UsageError


def check_trust(recipe: Recipe, journal: Path, run_id: str, *, trusted: bool) -> None:
    """Let a recipe be followed only if it is harmless, the journal the user's own, or the user agrees.

    Args:
        recipe: of the run
        journal: the file that it comes from
        run_id: of the run
        trusted: whether the user agreed beforehand

    Raises:
        UsageError: the user does not agree, or nobody is there to ask
    """
    asked = consequences(recipe)
    if not asked or trusted or is_own(journal):
        return
    text = f"run {run_id} comes from {journal}, which may not be your own. To go on with it would " + ", and ".join(
        asked
    )
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{text}. If you trust that, add --trust")
    print(f"{visible(text)}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("nothing was loaded or sent")


def consequences(recipe: Recipe) -> list[str]:
    """What following a recipe does that only the user may decide; nothing for tools and models of loopwright's own."""
    from loopwright.models.door import is_loopback
    from loopwright.toolbox.load import TOOLBOX

    found = list[str]()
    if code := [name for name in recipe.tools if name not in TOOLBOX]:
        found.append(f"run the code of {', '.join(code)}")
    if recipe.workspace:
        found.append(f"let the model read, and with your consent change, what lies in {recipe.workspace}")
    if recipe.base_url is not None and not is_loopback(_host(recipe.base_url)):
        key = _key_variable(recipe.model)
        found.append(f"send the run to {recipe.base_url}" + (f" with the key in {key}" if key else ""))
        if recipe.docs:
            found.append(f"show it what lies in {recipe.docs}")
    return found


def is_own(journal: Path) -> bool:
    """Whether the user's own runs are kept there, and nobody else's.

    It is where LOOPWRIGHT_JOURNAL says or in the user's data folder, and belongs to the user. The journal of a project,
    ``.loopwright/journal.db``, may have come with the project.
    """
    from loopwright.journal.location import VARIABLE, default_path

    usual = default_path() if os.environ.get(VARIABLE) else default_path(folder=Path("/"))
    try:
        found = journal.stat()
        return os.path.samestat(found, usual.stat()) and (os.name != "posix" or found.st_uid == os.getuid())
    except OSError:
        return False


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
