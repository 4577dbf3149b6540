"""Where a value comes from: whether what a call is to do was said by somebody whose word counts.

Owns the memory of trusted texts (the task, the instructions, results of tools whose output is trusted, what a person
typed) and the search in it. Whom a run trusts, and what follows, is `core.permission`'s.

A text stems from there when its words stand there side by side, whole and in this order: a mail address put together
from two others does not, nor does a part of a longer word. A number stems from there when it stands there, however it
is written. Every text is read once, and no search looks at more than `PLACES` places, so that a step costs the same
however long the run is. Where the memory is full, or a word stands at too many places, nothing is found: then a person
is asked too often, never too rarely.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, cast

from msgspec import MsgspecError, Raw, Struct, field
from msgspec.json import decode

from loopwright.core.rules import LARGEST, Leaf, leaves

PLACES = 64
"""Places of a word that are remembered."""
MOST_WORDS = 200_000
"""Words, and numbers, that a run remembers."""
MOST_WAITING = 256
"""Texts that wait to be read."""
SHORTEST = 3
"""Characters of a text that is more than a sign or a syllable; ideographs say more with fewer."""

_UNSPACED = "\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\s—{_UNSPACED}]+")
"""Scripts that set no spaces are read sign by sign, anything else from space to space."""
_POSSESSIVE = re.compile(r"(?<=\w)['’]s$")
_BEFORE = "\"'`([{<«»“”„‘’‚¿¡"
_BEHIND = "\"'`)]}>«»“”„‘’,.;:!?…"
"""Marks around a word that are none of it. A leading dot or slash is: ``.env`` is not ``env``."""
_STEERING = frozenset("`([{<)]}>;")
"""Those of them that a command line or a template obeys: a value that has them must have been said with them."""
_HARMLESS = "".join(dict.fromkeys(mark for mark in _BEFORE + _BEHIND if mark not in _STEERING))
_BREAK = re.compile("[\n\r\v\f\x85\u2028\u2029]")
"""What ends a line, and with it a command: a value is not known across it."""
_NUMBER = re.compile(
    r"[$€£¥₹]?(?P<number>[-+]?(?:\d+(?:[,'’]\d{3})+(?:\.\d+)?|(?P<comma>\d+,\d+)|\d+(?:\.\d+)?))(?:[%$€£¥₹]|st|nd|rd|th)?"
)
"""A word that is a number: as in ``$1,250.50``, ``12,5``, ``20%`` and ``3rd``."""
_GENERIC = frozenset(
    [
        *("all", "any", "anyone", "anything", "every", "everybody", "everyone", "everything", "everywhere"),
        *("none", "nobody", "nothing", "some", "yes", "true", "false", "default", "admin", "root", "public", "private"),
        *(
            "self",
            "this",
            "that",
            "these",
            "those",
            "here",
            "there",
            "with",
            "from",
            "into",
            "and",
            "not",
            "the",
            "for",
        ),
        *("you", "your", "alle", "alles", "tous", "toutes", "tout", "todo", "todos", "todas", "kaikki"),
    ]
)
"""Words that stand in many a task without naming anything, and that may mean a lot to a tool."""
_MOMENT = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d)?")
"""A time of a day. The hour is often reckoned, from how long something takes; the day must have been said."""
_DEFINITIONS = "#/$defs/"
_END = ""
"""Between two texts; no word is empty."""


class Trace(Struct, frozen=True):
    """Where the values of a call come from."""

    stray: str = ""
    """The first argument with a value that nobody trusted has said; empty if there is none."""
    linked: bool = False
    """Whether at least one value was said by somebody trusted, and is not just a choice that the schema offers."""


class Origins(Struct):
    """What trusted texts say. Changed in place, by `loop.apply` only."""

    words: list[str] = field(default_factory=list[str])
    places: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    marked: dict[int, str] = field(default_factory=dict[int, str])
    """By its place, each word that has marks around it which steer, with these marks."""
    numbers: set[Decimal] = field(default_factory=set[Decimal])
    waiting: list[str | bytes] = field(default_factory=list["str | bytes"])
    """Texts, and data as JSON, that nobody has asked about yet: most runs never do."""

    def add(self, said: str | Raw) -> None:
        """Remember a text, or the data of a result."""
        if max(len(self.words), len(self.numbers)) < MOST_WORDS:
            self.waiting.append(said if isinstance(said, str) else bytes(said))
        if len(self.waiting) >= MOST_WAITING:
            self._read()

    def trace(self, arguments: dict[str, Any], parameters: dict[str, Any]) -> Trace:
        """Where these arguments come from.

        Args:
            arguments: of the call
            parameters: JSON Schema of the tool's arguments; what it offers (choices, defaults) needs nobody's word
        """
        self._read()
        linked = False
        for name, leaf in said_in(arguments, parameters):
            if not self._knows(leaf):
                return Trace(name, linked)
            linked = True
        return Trace("", linked)

    def _read(self) -> None:
        for said in self.waiting:
            if isinstance(said, str):
                self._learn(said)
            else:
                self._learn_data(said)
        self.waiting.clear()

    def _learn_data(self, data: bytes) -> None:
        try:
            value = decode(data)
        except (MsgspecError, RecursionError):
            return
        for leaf in leaves(value):
            if isinstance(leaf, str):
                self._learn(leaf)
            elif (number := number_of(leaf)) is not None:
                self.numbers.add(number)

    def _learn(self, text: str) -> None:
        for word, marked in _words_of(text):
            if len(self.words) >= MOST_WORDS:
                return
            if marked:
                self.marked[len(self.words)] = marked
            places = self.places.setdefault(word, [])
            if len(places) < PLACES:
                places.append(len(self.words))
            self.words.append(word)
            if (number := number_in(word)) is not None:
                self.numbers.add(number)
        self.words.append(_END)

    def _knows(self, leaf: Leaf) -> bool:
        if not isinstance(leaf, str):
            return number_of(leaf) in self.numbers
        if _BREAK.search(leaf.strip()):
            return False
        moment = _MOMENT.fullmatch(leaf)
        found = list(_words_of(moment["day"] if moment else leaf))
        words, marked = [word for word, _ in found], {place: mark for place, (_, mark) in enumerate(found) if mark}
        return not _generic(words) and self._together(words, marked)

    def _together(self, words: list[str], marked: dict[int, str]) -> bool:
        """Whether the words stand side by side somewhere, with these marks: looked for from the rarest."""
        rarest = min(range(len(words)), key=lambda number: len(self.places.get(words[number], ())))
        starts = (place - rarest for place in self.places.get(words[rarest], ()))
        return any(
            start >= 0
            and self.words[start : start + len(words)] == words
            and all(self.marked.get(start + place) == mark for place, mark in marked.items())
            for start in starts
        )


def said_in(arguments: dict[str, Any], parameters: dict[str, Any]) -> Iterator[tuple[str, Leaf]]:
    """The values of a call that somebody must have said, each with the name of its argument.

    Not among them are an empty text, null, true and false, and what the schema itself offers.
    """
    for name, leaf in _parts(arguments, _resolved([parameters], parameters), parameters):
        if leaf is not None and leaf != "" and not isinstance(leaf, bool):
            yield name, leaf


def words_of(text: str) -> Iterator[str]:
    """The words of a text, without case and without the marks around them; a word of marks alone stays as it is."""
    return (word for word, _ in _words_of(text))


def _words_of(text: str) -> Iterator[tuple[str, str]]:
    """The same, each with the form that has the marks which steer; empty where there are none around it."""
    for found in _WORD.finditer(text):
        whole = _uncased(found[0])
        word, marked = whole.lstrip(_BEFORE).rstrip(_BEHIND), whole.strip(_HARMLESS)
        steers = word and marked != word and not _STEERING.isdisjoint((marked[:1], marked[-1:]))
        yield _POSSESSIVE.sub("", word) or whole, marked if steers else ""


def _uncased(word: str) -> str:
    """The word in lower case, as far as the capitals are all that changes: ``ß`` is not ``ss`` in an address."""
    return word.lower() if word.isascii() else "".join(_small(sign) for sign in word)


def _small(sign: str) -> str:
    return small if (small := sign.lower()).upper() == sign else sign


def number_in(word: str) -> Decimal | None:
    """The number that a word is, ``$1,250.50`` for example; None where it is none, or holds more than a number."""
    found = _NUMBER.fullmatch(word)
    return Decimal(re.sub("[,'’]", "." if found["comma"] else "", found["number"])) if found else None


def number_of(leaf: Leaf) -> Decimal | None:
    """A value as a number that equals all others of the same worth; None where it is none, or too large a one."""
    if isinstance(leaf, bool) or not isinstance(leaf, int | float):
        return None
    if isinstance(leaf, float):
        return Decimal(repr(leaf))
    return Decimal(leaf) if abs(leaf) < LARGEST else None


def _generic(words: list[str]) -> bool:
    """Whether a text says too little for its origin to mean anything: a sign, a syllable, words of every task."""
    return sum(len(word) * (1 if word.isascii() else 2) for word in words if word not in _GENERIC) < SHORTEST


def _parts(
    value: Any, schemas: list[dict[str, Any]], root: dict[str, Any], name: str = ""
) -> Iterator[tuple[str, Leaf]]:
    """The single values within a value that no schema offers, each with the name of its argument."""
    if any(_offers(schema, value) for schema in schemas):
        return
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            inner = _resolved([_part(schema, key) for schema in schemas], root)
            if not any(key in _table(schema, "properties") for schema in schemas):
                yield name or key, key
            yield from _parts(item, inner, root, name or key)
    elif isinstance(value, list):
        inner = _resolved([schema.get("items") for schema in schemas], root)
        for item in cast("list[Any]", value):
            yield from _parts(item, inner, root, name)
    else:
        yield name, value


# Others may have written the schema, so nothing is taken for granted of what stands in it.


def _part(schema: dict[str, Any], key: str) -> object:
    return _table(schema, "properties").get(key, schema.get("additionalProperties"))


def _table(schema: dict[str, Any], word: str) -> dict[str, Any]:
    found = schema.get(word)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _list(schema: dict[str, Any], word: str) -> list[Any]:
    found = schema.get(word)
    return cast("list[Any]", found) if isinstance(found, list) else []


def _offers(schema: dict[str, Any], value: object) -> bool:
    """Whether the value is a choice that the schema spells out, or what holds without one."""
    offered = [*_list(schema, "enum"), *(schema[word] for word in ("const", "default") if word in schema)]
    return any(value == choice and type(value) is type(choice) for choice in offered)


def _resolved(schemas: Iterable[object], root: dict[str, Any]) -> list[dict[str, Any]]:
    """Some schemas, and those that they refer to or are put together from, each once: they may refer in circles."""
    found, waiting = dict[int, dict[str, Any]](), list(schemas)
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict) or id(cast("object", schema)) in found:
            continue
        known = cast("dict[str, Any]", schema)
        found[id(known)] = known
        waiting += [other for word in ("anyOf", "oneOf", "allOf") for other in _list(known, word)]
        reference = str(known.get("$ref", ""))
        if reference.startswith(_DEFINITIONS):
            waiting.append(_table(root, "$defs").get(reference.removeprefix(_DEFINITIONS)))
    return list(found.values())
