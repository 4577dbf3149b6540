"""Letters: what comes to a run from outside while it lives, from a terminal, a viewer or an API.

Owns their words only. A letter is no event: it lies in the journal's inbox until the driver of the run takes it, and
what it then does is an event that names its number.
"""

from typing import Any

from msgspec import Struct

from loopwright.core.messages import Scope


class Approve(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="approve"):
    """A yes or a no to a call that waits for one."""

    call_id: str
    allowed: bool
    by: str = ""
    reason: str = ""
    """Told to the model where it is a no."""
    scope: Scope = "once"
    arguments: dict[str, Any] | None = None
    """Other arguments than those of the model, with which the call is allowed."""
    digest: str = ""
    """Of the call that was shown to the person; empty where the call's id has to do."""


class Say(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="say"):
    """Words of a person for the model, told to it at the next settled place."""

    text: str
    by: str = ""


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="answer"):
    """What a person answers to a call of a tool that has no code."""

    call_id: str
    value: Any = None
    by: str = ""


class Cancel(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="cancel"):
    """The run is to end at once."""

    by: str = ""
    reason: str = ""


Letter = Approve | Say | Answer | Cancel


class Unreadable(Struct, frozen=True):
    """What lies in the inbox and is no letter of this version."""

    why: str


class Received(Struct, frozen=True):
    """A letter in the inbox."""

    number: int
    """Its place in the order of arrival, from 1, unique in the journal."""
    at: float
    """Unix time in seconds at which it came."""
    letter: Letter | Unreadable
