"""Where the journal lies when nobody says where.

Owns the order of places. Opens and creates nothing.

1. ``LOOPWRIGHT_JOURNAL``, the path of the journal's file;
2. ``.loopwright/journal.db`` in the working folder, if the folder ``.loopwright`` exists there;
3. ``loopwright/journal.db`` in the user's data folder: ``XDG_DATA_HOME`` if it is set to an absolute path, else
   ``~/.local/share`` (XDG Base Directory Specification 0.8).
"""

import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "LOOPWRIGHT_JOURNAL"
FILE = "journal.db"


def default_path(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Path:
    """The absolute path of the journal's file; neither it nor its folder need exist.

    Args:
        environment: variables, those of the process if not given
        folder: the working folder, that of the process if not given
    """
    variables = os.environ if environment is None else environment
    here = Path.cwd() if folder is None else folder
    if chosen := variables.get(VARIABLE):
        return here / Path(chosen).expanduser()
    project = here / ".loopwright"
    if project.is_dir():
        return project / FILE
    shared = Path(variables.get("XDG_DATA_HOME", ""))
    if not shared.is_absolute():
        shared = Path(variables.get("HOME") or Path.home()) / ".local" / "share"
    return shared / "loopwright" / FILE
