"""Reads `invented_tools.txt`: what tools there are to invent, what people ask of them, what comes back.

Owns the form of that file. A block is a tool: `== key : noun`, then lines of a word, a colon and parts between bars.

    names   names that the tool may have
    takes   parameters, between semicolons: `slot = source : names`; `slot? =` where it may be left out
    about   descriptions
    gives   fields of the result, in the same form
    lost    what does not exist where nothing is found
    then    slots of other tools that take what this one finds: `key.slot`
    apart   tools that could answer in its place and never lie beside it
    effect  of the call; `read` where the line is missing
    ask     questions; each such line begins an aim, to which the following belong
    need    what the question is about, as a noun; the first part is `~` where it is plural; `do` where it is an act
    fact    the answer as a clause
    number  the field that can be compared, and its unit
    into    a tool that takes the field which the fact names: `key.slot = what is then asked, with {need} in it`
"""

import re
from functools import cache
from pathlib import Path
from typing import cast

from msgspec import Struct, field

from loopwright.core.messages import Effect
from training.invented_values import Source, source, split

FILE = Path(__file__).with_name("invented_tools.txt")


class Part(Struct, frozen=True):
    """A parameter, or a field of a result."""

    slot: str
    source: Source
    names: tuple[str, ...]
    optional: bool = False


class Aim(Struct):
    """Something that people want of a tool. The templates hold `{slot}`."""

    asks: tuple[str, ...]
    needs: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    plural: bool = False
    act: bool = False
    number: str = ""
    unit: str = ""
    dated: bool = False
    """Whether `number` is a date or a time, which comes before or after another."""
    into: tuple[str, str, str] | None = None
    """Another tool's key, its slot, and the noun for what comes of both."""


class Concept(Struct):
    """A tool in all its guises."""

    key: str
    noun: str
    names: tuple[str, ...] = ()
    takes: tuple[Part, ...] = ()
    about: tuple[str, ...] = ()
    gives: tuple[Part, ...] = ()
    lost: str = ""
    then: tuple[tuple[str, str], ...] = ()
    apart: tuple[str, ...] = ()
    effect: Effect = "read"
    aims: list[Aim] = field(default_factory=list[Aim])

    @property
    def needed(self) -> set[str]:
        """The slots that every question must fill."""
        return {part.slot for part in self.takes if not part.optional}


@cache
def concepts() -> dict[str, Concept]:
    """All tools of the file by key.

    Raises:
        ValueError: a line that cannot be read
    """
    found = dict[str, Concept]()
    for block in re.split(r"^== ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = block.strip().splitlines()
        key, noun = (part.strip() for part in head.split(":"))
        if key in found:
            raise ValueError(f"two tools are called {key}")
        found[key] = Concept(key, noun)
        for line in lines:
            if line.strip() and not line.startswith("#"):
                _read(found[key], *(part.strip() for part in line.split(":", 1)))
        _date(found[key])
    return found


def _date(concept: Concept) -> None:
    """Aims about a date or a time can be compared, too."""
    moments = [part.slot for part in concept.gives if part.source in (source("date"), source("time"))]
    for aim in concept.aims:
        told = [slot for slot in moments if all(f"{{{slot}}}" in fact for fact in aim.facts)]
        if len(told) == 1 and not (aim.number or aim.plural or aim.act):
            aim.number, aim.dated = told[0], True


def _read(concept: Concept, word: str, text: str) -> None:
    parts = tuple(part.strip() for part in text.split("|"))
    match word:
        case "names":
            concept.names = parts
        case "about":
            concept.about = parts
        case "takes":
            concept.takes = _parts(text)
        case "gives":
            concept.gives = _parts(text)
        case "lost":
            concept.lost = text
        case "then":
            concept.then = tuple((part.partition(".")[0], part.partition(".")[2]) for part in parts)
        case "apart":
            concept.apart = parts
        case "effect":
            concept.effect = cast("Effect", text)
        case "ask":
            concept.aims.append(Aim(parts))
        case _:
            _read_aim(concept.aims[-1], word, text, parts)


def _read_aim(aim: Aim, word: str, text: str, parts: tuple[str, ...]) -> None:
    match word:
        case "need" | "do":
            aim.plural, aim.act = text.startswith("~"), word == "do"
            aim.needs = tuple(part.removeprefix("~").strip() for part in parts)
        case "fact":
            aim.facts = parts
        case "number":
            aim.number, _, aim.unit = text.partition(" ")
        case "into":
            target, _, template = text.partition("=")
            key, _, slot = target.strip().partition(".")
            aim.into = key, slot, template.strip()
        case _:
            raise ValueError(f"no such line: {word}: {text}")


def _parts(text: str) -> tuple[Part, ...]:
    return tuple(_part(part) for part in split(text, ";"))


def _part(text: str) -> Part:
    slot, _, rest = text.partition("=")
    what, names = split(rest, ":")
    name = slot.strip()
    return Part(name.rstrip("?"), source(what), tuple(split(names, ",")), optional=name.endswith("?"))
