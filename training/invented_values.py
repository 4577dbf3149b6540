"""Values for tools of invented names: what a person writes for them, and what stands in the call or in the result.

Owns the small language in which `invented_tools.txt` says where a value comes from, such as `code(AA-9999)`,
`n(1,500)`, `enum(kg=kilograms,lb=pounds)` or `@town`. Nothing here knows a tool.
"""

import datetime as dt
import json
import random
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from msgspec import Struct

from training.invented_sums import SUMS
from training.invented_words import MADE, MIXES, WORDS


class Value(Struct, frozen=True):
    """A value in both forms."""

    shown: str
    """As a sentence has it: `12,500`, `kilograms`, `milk, eggs and rice`."""
    given: Any
    """As the call or the result has it: 12500, `kg`, a list."""


Draw = Callable[[random.Random, Mapping[str, Any]], Value]


class Source(Struct, frozen=True):
    """Where the values of a parameter or of a field come from."""

    schema: dict[str, Any]
    draw: Draw
    words: str = ""
    """The list of words that it takes from; empty where it takes from none."""


def value(given: Any) -> Value:
    """A value whose two forms are the same but for the quotes."""
    return Value(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False), given)


def listed(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def split(text: str, mark: str) -> list[str]:
    """The parts between the marks that stand in no bracket, without the blanks around them."""
    parts, depth, last = list[str](), 0, 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == mark and depth == 0:
            parts.append(text[last:place].strip())
            last = place + 1
    return [*parts, text[last:].strip()]


@cache
def source(text: str) -> Source:
    """Read what a line says about the values.

    Raises:
        ValueError: no such source
    """
    if text.startswith("@"):
        return _words(text[1:])
    found = re.fullmatch(r"(\w+)(?:\((.*)\))?", text, re.DOTALL)
    if found is None or found[1] not in _SOURCES:
        raise ValueError(f"no such source of values: {text!r}")
    return _SOURCES[found[1]](found[2] or "")


def _words(name: str) -> Source:
    return Source({"type": "string"}, lambda chance, _: value(word(chance, name)), words=name)


def word(chance: random.Random, name: str) -> str:
    """One of a list of words, or a value of that kind that no list holds, so that copying is all that helps."""
    mixes = MIXES.get(name)
    if mixes is None or chance.random() < 0.55:
        return chance.choice(WORDS[name])
    return re.sub(r"\{(\w+)\}", lambda found: _part_of_mix(chance, found[1]), chance.choice(mixes))


def _part_of_mix(chance: random.Random, name: str) -> str:
    return "".join(chance.choice(parts) for parts in MADE) if name == "made" else chance.choice(WORDS[name])


def _pick(text: str) -> Source:
    words = split(text, ",")
    return Source({"type": "string"}, lambda chance, _: value(chance.choice(words)))


def _enum(text: str) -> Source:
    pairs = [
        (given.strip(), (shown or given).strip()) for given, _, shown in (w.partition("=") for w in split(text, ","))
    ]

    def draw(chance: random.Random, _: Mapping[str, Any]) -> Value:
        given, shown = chance.choice(pairs)
        return Value(shown, given)

    return Source({"type": "string", "enum": [given for given, _ in pairs]}, draw)


def _whole(text: str) -> Source:
    least, most = (int(part) for part in split(text, ","))
    return Source({"type": "integer"}, lambda chance, _: value(_spread(chance, least, most)))


def _spread(chance: random.Random, least: int, most: int) -> int:
    """A number whose length varies: of a wide range, not nearly always one of the highest length."""
    ends = [end for end in (most, most // 10, most // 100) if end > 2 * abs(least) and end > 10]
    return chance.randint(least, chance.choice(ends or [most]) if most >= 1000 else most)


def _decimal(text: str) -> Source:
    parts = split(text, ",")
    least, most, places = float(parts[0]), float(parts[1]), int(parts[2])

    def draw(chance: random.Random, _: Mapping[str, Any]) -> Value:
        drawn = round(chance.uniform(least, most), places)
        return value(int(drawn) if drawn.is_integer() else drawn)

    return Source({"type": "number"}, draw)


def _code(text: str) -> Source:
    """A for a capital letter, a for a small one, 9 for a digit, 8 for one that is not 0, X for a hexadecimal digit."""
    kinds = {"A": "ABCDEFGHJKLMNPRSTUVWXYZ", "a": string.ascii_lowercase, "9": string.digits, "8": "123456789"}
    kinds["X"] = "0123456789abcdef"
    patterns = split(text, ",")

    def draw(chance: random.Random, _: Mapping[str, Any]) -> Value:
        pattern = chance.choice(patterns)
        escaped = re.sub(r"\\(.)|(.)", lambda m: m[1] or chance.choice(kinds.get(m[2], m[2])), pattern)
        return value(escaped)

    return Source({"type": "string"}, draw)


def _date(_: str) -> Source:
    def draw(chance: random.Random, _: Mapping[str, Any]) -> Value:
        return value(str(dt.date(2018, 1, 1) + dt.timedelta(days=chance.randrange(4400))))

    return Source({"type": "string"}, draw)


def _time(_: str) -> Source:
    return Source(
        {"type": "string"}, lambda c, _: value(f"{c.randrange(24):02}:{c.choice([*range(0, 60, 5), 17, 43]):02}")
    )


def _mail(_: str) -> Source:
    def draw(chance: random.Random, _: Mapping[str, Any]) -> Value:
        first, last = chance.choice(WORDS["first"]).lower(), chance.choice(WORDS["last"]).lower()
        form = chance.choice([f"{first}.{last}", f"{first[0]}{last}", first, f"{first}_{last}{chance.randrange(99)}"])
        return value(f"{form}@{chance.choice(WORDS['domain'])}")

    return Source({"type": "string"}, draw)


def _person(_: str) -> Source:
    def draw(chance: random.Random, _: Mapping[str, Any]) -> Value:
        return value(f"{word(chance, 'first')} {word(chance, 'last')}")

    return Source({"type": "string"}, draw, words="person")


def _true(text: str) -> Source:
    return Source({"type": "boolean"}, lambda _, __: Value(text, given=True))


def _bool(text: str) -> Source:
    yes, no = split(text, ",")

    def draw(chance: random.Random, _: Mapping[str, Any]) -> Value:
        true = chance.random() < 0.5
        return Value(yes if true else no, true)

    return Source({"type": "boolean"}, draw)


def _list(text: str) -> Source:
    inner, least, most = split(text, ",")
    one = source(inner)

    def draw(chance: random.Random, given: Mapping[str, Any]) -> Value:
        wanted = chance.randint(int(least), int(most))
        values = list({part.shown: part for part in (one.draw(chance, given) for _ in range(wanted))}.values())
        return Value(listed([part.shown for part in values]), [part.given for part in values])

    return Source({"type": "array", "items": one.schema}, draw)


def _rows(text: str) -> Source:
    """`rows(2,3,train=code(AA 99),leaves=time,{train} at {leaves})`: a list of objects, and how a sentence tells one."""
    least, most, *columns, told = split(text, ",")
    sources = [(name, source(inner)) for name, _, inner in (column.partition("=") for column in columns)]

    def draw(chance: random.Random, given: Mapping[str, Any]) -> Value:
        rows, sentences = list[dict[str, Any]](), list[str]()
        for _ in range(chance.randint(int(least), int(most))):
            row = {name: inner.draw(chance, given) for name, inner in sources}
            sentences.append(re.sub(r"\{(\w+)\}", lambda m, row=row: row[m[1]].shown, told))
            rows.append({name: part.given for name, part in row.items()})
        return Value(listed(sentences), rows)

    return Source({"type": "array"}, draw)


def _sum(text: str) -> Source:
    """`sum(reverse,text)`: worked out from the arguments by a function of `invented_sums`."""
    name, *slots = split(text, ",")

    def draw(_: random.Random, given: Mapping[str, Any]) -> Value:
        found = SUMS[name](*(given.get(slot) for slot in slots))
        if isinstance(found, list):
            return Value(listed([str(part) for part in cast("list[object]", found)]), found)
        return value(found)

    return Source({"type": "string"}, draw)


_SOURCES: Mapping[str, Callable[[str], Source]] = {
    "pick": _pick,
    "enum": _enum,
    "n": _whole,
    "f": _decimal,
    "code": _code,
    "date": _date,
    "time": _time,
    "mail": _mail,
    "person": _person,
    "true": _true,
    "bool": _bool,
    "list": _list,
    "rows": _rows,
    "sum": _sum,
}
