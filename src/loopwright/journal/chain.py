"""The hash chain over the events of a run: a change of any event, once written, shows.

Owns how digests follow one another and how they are checked. No storage, no decoding of events.

The digest of a row is the SHA-256 of the digest before it and the row's bytes; before the first row stands the SHA-256
of the run's id. A row names the hashes of its large bodies, so these are covered too. What a chain alone cannot show is
that the *last* events were cut off: whoever needs that keeps the newest digest in another place.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256

from msgspec import Struct


class Link(Struct, frozen=True):
    """One row of a run, as it is audited."""

    run_id: str
    seq: int
    digest: bytes
    """32 bytes."""
    row: bytes
    bodies: tuple[str, ...]
    """The hashes of the large bodies that the row names, in hexadecimal."""


def start(run_id: str) -> bytes:
    """The digest that stands before the first row of a run."""
    return sha256(run_id.encode()).digest()


def follow(previous: bytes, row: bytes) -> bytes:
    """The digest of a row, given that of the row before it."""
    return sha256(previous + row).digest()


def verify(links: Iterable[Link], content: Callable[[str], bytes | None] | None = None) -> int | None:
    """Check the links of one run, from its first.

    Args:
        links: rows in order
        content: gives the body of a hash, or None where it is lost; without it only the rows are checked

    Returns:
        The number of the first event that is missing or not as it was written; None if all is well.
    """
    digest = b""
    for expected, link in enumerate(links, start=1):
        digest = follow(digest or start(link.run_id), link.row)
        if link.seq != expected or link.digest != digest:
            return expected
        if content is not None and not all(_is_body(content(name), name) for name in link.bodies):
            return expected
    return None


def _is_body(body: bytes | None, name: str) -> bool:
    return body is not None and sha256(body).hexdigest() == name
