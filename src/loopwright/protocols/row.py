"""Joins encoded messages for providers that want the system's text apart and the user's messages as one.

Owns the row that messages stand in, in a request: each is encoded once, as an object of its own, and here only bytes
are joined. What is in a message belongs to the dialects.
"""

from collections.abc import Sequence
from typing import Literal

_ROLE = len(b'{"role":"')
"""Where the role's name begins in an encoded message."""
_SYSTEM, _USER = b"su"
_END = b"]}"


class Row:
    """The row of one wire format. All messages in it begin with their role and end with a list, as `message` does."""

    def __init__(self, field: str, *, apart: bytes = b"") -> None:
        """Set up the row of a format.

        Args:
            field: the name of the list in a message, such as ``content``
            apart: what parts begin with that may not stand in one message with others
        """
        self._system, self._user = (f'{{"role":"{role}","{field}":['.encode() for role in ("system", "user"))
        self._apart = apart

    def message(self, role: Literal["system", "user"], part: bytes) -> bytes:
        """A message of one encoded part; nothing where the part is nothing."""
        start = self._system if role == "system" else self._user
        return start + part + _END if part else b""

    def joined(self, messages: Sequence[bytes]) -> tuple[bytes, bytes]:
        """The parts of the system's messages that come first, and all other messages; without the lists around them.

        Users' messages that follow each other become one. A system's message that comes later is said by the user:
        moved to the front it would change what was sent before.
        """
        opening: list[bytes] = []
        row: list[bytes] = []
        before = 0
        for message in filter(None, messages):
            role = message[_ROLE]
            if role == _SYSTEM:
                parts = message[len(self._system) : -len(_END)]
                if not row:
                    opening.append(parts)
                    continue
                role, message = _USER, self._user + parts + _END
            if role == before == _USER and self._alike(row[-1], message):
                row[-1] = b"".join([row[-1][: -len(_END)], b",", message[len(self._user) :]])
            else:
                row.append(message)
            before = role
        return b",".join(opening), b",".join(row)

    def _alike(self, before: bytes, after: bytes) -> bool:
        """Whether the parts of two messages of the user may stand in one."""
        place = len(self._user)
        return before.startswith(self._apart, place) == after.startswith(self._apart, place)
