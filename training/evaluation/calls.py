"""Whether a call is one that a task wants: the tool, and its arguments compared as a person would compare them.

Owns that comparison. May not hold: what an answer must say (`answers`), and any task.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from msgspec import Struct

from loopwright.core.messages import Result
from loopwright.toolbox.arithmetic import InvalidExpression, calculate
from loopwright.toolbox.clock import zone

CENT = 0.005


class Made(Struct, frozen=True):
    """A call that ran, and what came of it."""

    tool: str
    arguments: dict[str, Any]
    result: Result


class AnyOf(Struct, frozen=True):
    """One of these values; each may be a comparison itself."""

    values: tuple[Any, ...]


class Calculates(Struct, frozen=True):
    """An expression of this value, whatever its form."""

    value: float


class Holds(Struct, frozen=True):
    """A text in which each of these stands; alternatives are separated by ``|``."""

    words: tuple[str, ...]


class InZone(Struct, frozen=True):
    """Any name of a time zone that has the same time now."""

    name: str


class Anything(Struct, frozen=True):
    """Whatever is there."""


class Wanted(Struct, frozen=True):
    """A call that must have been made; arguments that are not named may be anything."""

    tool: str
    arguments: Mapping[str, Any] = {}
    status: str = "ok"
    """How it ended: ok, not_found or error; empty for any."""


def folded(text: str) -> str:
    """A text as it is compared: without case, accents, outer signs and double spaces."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return re.sub(r"\s+", " ", plain.casefold()).strip(" .'\"")


def same(wanted: Any, given: Any) -> bool:
    """Whether an argument is the one that was wanted."""
    match wanted:
        case Anything():
            return given is not None
        case AnyOf():
            return any(same(one, given) for one in wanted.values)
        case Calculates():
            return isinstance(given, str) and _value(given, wanted.value)
        case Holds():
            return isinstance(given, str) and all(_stands(word, folded(given)) for word in wanted.words)
        case InZone():
            return isinstance(given, str) and _offset(given) is not None and _offset(given) == _offset(wanted.name)
        case _:
            return _same_value(wanted, given)


def _same_value(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, str):
        return isinstance(given, str) and folded(given) in (folded(wanted), folded(wanted).removeprefix("the "))
    if isinstance(wanted, int | float):
        number = _number(given)
        return number is not None and abs(number - wanted) < 1e-6 * max(1.0, abs(wanted))
    if isinstance(wanted, list | tuple):
        return isinstance(given, list) and _pairwise(cast("Sequence[Any]", wanted), cast("list[Any]", given))
    return wanted == given


def _pairwise(ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    return len(ours) == len(theirs) and all(same(one, other) for one, other in zip(ours, theirs, strict=True))


def _number(given: Any) -> float | None:
    """A number, also where it was sent as text, as tools take it."""
    if isinstance(given, int | float):
        return float(given)
    try:
        return float(given) if isinstance(given, str) else None
    except ValueError:
        return None


def _value(expression: str, wanted: float) -> bool:
    try:
        return abs(float(calculate(expression)) - wanted) < CENT
    except (InvalidExpression, OverflowError):
        return False


def _stands(word: str, text: str) -> bool:
    return any(folded(one) in text for one in word.split("|"))


def _offset(name: str) -> Any:
    found = zone(name)
    return None if found is None else datetime.now(UTC).astimezone(found).utcoffset()


def is_wanted(wanted: Wanted, made: Made) -> bool:
    """Whether this call is the one. A city may be followed by its country."""
    if made.tool != wanted.tool or wanted.status not in ("", made.result.status):
        return False
    return all(_same_argument(name, value, made.arguments) for name, value in wanted.arguments.items())


def _same_argument(name: str, value: Any, arguments: Mapping[str, Any]) -> bool:
    given = arguments.get(name)
    if name == "city" and isinstance(given, str) and isinstance(value, str) and "," not in value:
        given = given.partition(",")[0]
    return same(value, given)


def missing(wanted: Sequence[Wanted], made: Sequence[Made]) -> list[Wanted]:
    """The wanted calls that were not made; one call counts for one wanted call."""
    left = list(made)
    lacking: list[Wanted] = []
    for one in wanted:
        found = next((call for call in left if is_wanted(one, call)), None)
        if found is None:
            lacking.append(one)
        else:
            left.remove(found)
    return lacking
