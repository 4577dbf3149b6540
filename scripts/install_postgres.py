"""Installs PostgreSQL, which the tests of journals on a server need, where the system's packages have it and we may.

Only its programs are wanted: the tests start a server of their own. Debian's package starts one for the whole machine;
where there was none before, that one is removed again.

Ends with status 0 where the programs are there. Where they are not, it says why and ends with status 1; the tests that
need them then say that they did not run.
"""

import sys
from pathlib import Path

from debian import as_root, install, run

from loopwright.testing.postgres_server import NoPostgres, programs

CLUSTERS = Path("/etc/postgresql")
"""Where Debian keeps what it knows of each server: a folder for the version, and one in it for the name."""


def main() -> int:
    """Install it if it is missing, then look for its programs."""
    if not _missing():
        return 0
    before = _clusters()
    install("postgresql", "the tests of journals on a Postgres server")
    for version, name in sorted(_clusters() - before):
        run([*(as_root() or []), "pg_dropcluster", "--stop", version, name])
    if missing := _missing():
        print(f"no Postgres server: {missing}", file=sys.stderr)
        return 1
    return 0


def _missing() -> str:
    try:
        programs()
    except NoPostgres as missing:
        return str(missing)
    return ""


def _clusters() -> set[tuple[str, str]]:
    return {(path.parent.name, path.name) for path in CLUSTERS.glob("*/*") if path.is_dir()}


if __name__ == "__main__":
    sys.exit(main())
