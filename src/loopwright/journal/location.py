"""Where the journal lies, and when nobody says where.

Owns the order of places, and how an address of a Postgres server is told from a path and shown without its password.
Opens and creates nothing.

1. ``LOOPWRIGHT_JOURNAL``, the path of the journal's file, or ``postgresql://…``;
2. ``.loopwright/journal.db`` in the working folder, if the folder ``.loopwright`` exists there;
3. ``loopwright/journal.db`` in the user's data folder: ``XDG_DATA_HOME`` if it is set to an absolute path, else
   ``~/.local/share`` (XDG Base Directory Specification 0.8).
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote

from loopwright.core.errors import UsageError

VARIABLE = "LOOPWRIGHT_JOURNAL"
FILE = "journal.db"

_SCHEME = re.compile("postgres(?:ql)?://", re.IGNORECASE)
_PARTS = re.compile(r"(?:([^@/?]*)@)?([^/?]*)(?:/([^?]*))?(?:\?(.*))?", re.DOTALL)
_PORT = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::[0-9]*)?")
_SHOWN = frozenset(
    {
        *("host", "hostaddr", "port", "dbname", "user", "application_name", "service", "target_session_attrs"),
        *("sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding", "connect_timeout", "load_balance_hosts"),
    }
)
"""What of the options behind the question mark is shown; any other may be a secret."""


class Address:
    """The address of a Postgres server, ``postgresql://user:password@host:port/database``.

    Its text never holds the password, so it can be printed and written down.

    Args:
        text: as it was given (PostgreSQL documentation, 34.1.1.2 "Connection URIs")

    Raises:
        UsageError: it cannot be an address; the text says why, and shows nothing of it
    """

    __slots__ = ("_shown", "secret")

    def __init__(self, text: str) -> None:
        self.secret = _SCHEME.sub("postgresql://", text, count=1)
        """As it was given, the password included."""
        self._shown = _without_password(text)

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return f"Address({self._shown!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and other.secret == self.secret

    def __hash__(self) -> int:
        return hash(self.secret)


Place = Path | Address
"""Where a journal is."""


def place_of(text: str | Path) -> Place:
    """The place that a text names: an address where it begins with ``postgresql://`` or ``postgres://``, else a path.

    Raises:
        UsageError: it begins like an address, and cannot be one
    """
    return Address(text) if isinstance(text, str) and _SCHEME.match(text) else Path(text)


def default_place(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Place:
    """The journal to use when none is named; nothing need be there.

    Args:
        environment: variables, those of the process if not given
        folder: the working folder, that of the process if not given

    Raises:
        UsageError: the variable begins like an address, and cannot be one
    """
    chosen = (os.environ if environment is None else environment).get(VARIABLE, "")
    return Address(chosen) if _SCHEME.match(chosen) else default_path(environment, folder)


def default_path(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Path:
    """The absolute path of the journal's file, where it is one; neither it nor its folder need exist.

    Args:
        environment: variables, those of the process if not given
        folder: the working folder, that of the process if not given
    """
    variables = os.environ if environment is None else environment
    here = Path.cwd() if folder is None else folder
    chosen = variables.get(VARIABLE)
    if chosen and not _SCHEME.match(chosen):
        return here / Path(chosen).expanduser()
    project = here / ".loopwright"
    if project.is_dir():
        return project / FILE
    shared = Path(variables.get("XDG_DATA_HOME", ""))
    if not shared.is_absolute():
        shared = Path(variables.get("HOME") or Path.home()) / ".local" / "share"
    return shared / "loopwright" / FILE


def _without_password(text: str) -> str:
    """The address as it may be shown.

    Raises:
        UsageError: a part of it stands where no such part can; perhaps the password holds a mark that ends it
    """
    found = _PARTS.fullmatch(_SCHEME.sub("", text, count=1))
    who, hosts, database, options = (part or "" for part in found.groups()) if found else ("", "@", "", "")
    if "@" in hosts + database + options or not all(map(_PORT.fullmatch, hosts.split(","))):
        raise UsageError(
            "the address of the journal cannot be read: it is postgresql://user:password@host:port/database, where the "
            "characters : / ? # @ % of a user or a password are written as %3A %2F %3F %23 %40 %25. Or leave the "
            "password out of it, and keep it in PGPASSWORD or in ~/.pgpass."
        )
    user = quote(unquote(who.partition(":")[0]), safe="")
    kept = [(name, value) for name, value in parse_qsl(options, keep_blank_values=True) if name in _SHOWN]
    return "".join(
        (
            "postgresql://",
            f"{user}@" if user else "",
            hosts,
            f"/{database}" if database else "",
            "?" * bool(kept),
            "&".join(f"{name}={quote(value, safe='/')}" for name, value in kept),
        )
    )
