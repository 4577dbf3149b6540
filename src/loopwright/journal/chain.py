"""The hash chain over the events of a run: a change of any event, once written, shows.

Owns how digests follow one another and how they are checked. No storage; of the events it looks at beginnings only.

The digest of a row is the SHA-256 of the digest before it and the row's bytes; before the first row stands the SHA-256
of the run's id; before that of a fork, the digest of the last event that it shares. So only the row that begins a fork
says whose fork it is, and it is held against where it stands. A row names the hashes of its large bodies, so these are
covered too. What a chain alone cannot show is that the *last* events were cut off: whoever needs that keeps the newest
digest in another place.
"""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256

from msgspec import Struct

from loopwright.journal import wire
from loopwright.journal.base import Damage, Link


def start(run_id: str) -> bytes:
    """The digest that stands before the first row of a run."""
    return sha256(run_id.encode()).digest()


def follow(previous: bytes, row: bytes) -> bytes:
    """The digest of a row, given that of the row before it."""
    return sha256(previous + row).digest()


Contents = Callable[[str], bytes | None]
"""Gives the body of a hash, or None where it is lost."""


class Line(Struct, frozen=True):
    """What a store has noted of a run beside its rows."""

    run_id: str
    origins: Mapping[str, tuple[str, int]]
    """Parent (empty: none) and number of shared events, of the run and of those whose events it shares."""


def verify(links: Iterable[Link], content: Contents | None = None) -> int | None:
    """The number of the first event that is missing or not as it was written; None if all is well. See `inspect`."""
    found = inspect(links, content)
    return None if found is None else found.seq


def inspect(links: Iterable[Link], content: Contents | None = None, line: Line | None = None) -> Damage | None:
    """Check the links of one run, from its first.

    Args:
        links: rows in order
        content: gives the body of a hash; without it no body is checked
        line: whose rows these should be; without it nobody checks which run they begin

    Returns:
        The first event that is missing or not as it was written, or whose content is; None if all is well.
    """
    digest, seq = b"", 0
    owner: str | None = None
    for expected, link in enumerate(links, start=1):
        digest = follow(digest or start(link.run_id), link.row)
        if link.seq != expected:
            return Damage(expected, "it is missing")
        if link.digest != digest:
            return Damage(expected, "it is not as it was written")
        wrong = next(filter(None, (_fault(content, name) for name in link.bodies)), "") if content else ""
        if wrong:
            return Damage(expected, wrong)
        if line and link.run_id != owner and (wrong := _misplaced(link, line)):
            return Damage(expected, wrong)
        owner, seq = link.run_id, expected
    return Damage(seq + 1, "it is missing") if line and owner != line.run_id else None


def is_content(content: bytes | None, name: str) -> bool:
    """Whether this is the content of that hash."""
    return content is not None and sha256(content).hexdigest() == name


def _misplaced(link: Link, line: Line) -> str:
    """What is wrong with the first row of a run, though it is as it was written."""
    began = wire.beginning(link.row)
    if began is None:
        return f"it does not begin run {link.run_id}"
    run_id, parent, after = began
    if run_id != link.run_id or run_id not in line.origins:
        return f"it begins run {run_id}, and stands where another run begins"
    if (parent, after) != line.origins[run_id] or after != link.seq - 1:
        return f"it begins run {run_id} elsewhere than the list of runs says"
    return ""


def _fault(content: Contents, name: str) -> str:
    body = content(name)
    if body is None:
        return f"its content {name} is missing"
    return "" if is_content(body, name) else f"its content {name} is not as it was written"
