"""The tools that an episode offers: their names, parameters and descriptions, drawn anew each time.

Owns how a concept becomes a tool, and which tools may lie beside each other. Nothing here asks or answers.
"""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from loopwright.core.messages import ToolSpec
from training import invented_phrases as phrases
from training.invented_reading import Concept, Part, concepts


class Manner(Struct, frozen=True):
    """How the names of an episode's tools are written."""

    camel: bool = False
    opaque: bool = False
    prefix: str = ""


class Offer(Struct, frozen=True):
    """A tool as this episode offers it."""

    concept: Concept
    spec: ToolSpec
    slots: Mapping[str, str]
    """The parameter's name for each slot."""
    keys: Mapping[str, str]
    """The key of the result for each field."""


class Chance(Struct):
    """What an episode is made with."""

    random: random.Random
    manner: Manner
    quote: str

    def one(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return self.random.choice(options)

    def happens(self, share: float) -> bool:
        """True in that share of the cases."""
        return self.random.random() < share


def manner(chance: random.Random) -> Manner:
    """How the tools of an episode are named."""
    prefix = chance.choice(phrases.PREFIXES) if chance.random() < 0.12 else ""
    return Manner(camel=chance.random() < 0.22, opaque=chance.random() < 0.05, prefix=prefix)


def offered(here: Chance, concept: Concept) -> Offer:
    """A tool with the names, the order and the description that this episode has chosen."""
    takes = list(concept.takes)
    if here.happens(0.15):
        here.random.shuffle(takes)
    if here.happens(0.25):
        takes = [part for part in takes if not part.optional]
    slots = named(here, takes)
    properties = {slots[part.slot]: part.source.schema for part in takes}
    if here.happens(0.12):
        properties |= unasked(here, properties)
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if needed := [slots[part.slot] for part in takes if not part.optional]:
        parameters["required"] = needed
    plain = concept.effect == "read" and here.happens(0.1)
    base = f"{here.one(phrases.VERBS)}_{concept.noun.replace(' ', '_')}" if plain else here.one(concept.names)
    silent = not plain and not here.manner.opaque and here.happens(0.03)
    about = "" if silent else described(here, here.one(concept.about))
    spec = ToolSpec(tool_name(here, base), about, parameters, effect=concept.effect)
    return Offer(concept, spec, slots, named(here, concept.gives))


def unasked(here: Chance, taken: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter or two that no question asks for, so that they are left out."""
    chosen = here.random.sample(list(phrases.UNASKED), here.one([1, 1, 2]))
    named = {written(here, name): phrases.UNASKED[name] for name in chosen}
    return {name: schema for name, schema in named.items() if name not in taken}


def described(here: Chance, about: str) -> str:
    """A description, at times with its verb in another form."""
    verb, _, rest = about.partition(" ")
    if verb not in phrases.THIRD_PERSON or here.happens(0.6):
        return about
    return here.one([f"{phrases.THIRD_PERSON[verb]} {rest}", f"Use this to {verb.lower()} {rest}"])


def named(here: Chance, parts: Sequence[Part]) -> dict[str, str]:
    """A name for each part, none twice."""
    found = dict[str, str]()
    for part in parts:
        free = [name for name in part.names if written(here, name) not in found.values()]
        found[part.slot] = written(here, here.one(free or [part.slot]))
    return found


def written(here: Chance, name: str) -> str:
    """A name in the manner of the episode."""
    if not here.manner.camel:
        return name
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def tool_name(here: Chance, name: str) -> str:
    """A tool's name in the manner of the episode; one that says nothing where it is opaque."""
    if here.manner.opaque:
        return here.one(phrases.OPAQUE).format(number=here.random.randint(1, 99), letter=here.one("abcdefgh"))
    return here.manner.prefix + written(here, name)


@cache
def rivals(key: str) -> frozenset[str]:
    """Tools that never lie beside this one: those that could answer in its place.

    What finds the id that this one takes would be the right first step where only a name is given.
    """
    finders = {one.key for one in concepts().values() if any(target == key for target, _ in one.then)}
    either = {one.key for one in concepts().values() if key in one.apart}
    return frozenset({key, *finders, *either, *concepts()[key].apart})


def sibling(here: Chance, concept: Concept) -> ToolSpec:
    """A tool about the same kind of thing that does something else with it."""
    lists = 0 if concept.needed else 2
    verb, about, takes_id, effect = here.one(phrases.SIBLINGS[lists:])
    noun = concept.noun
    name = f"{verb}_{noun if takes_id else plural(noun)}".replace(" ", "_")
    properties = (
        {written(here, here.one([f"{noun.replace(' ', '_')}_id", "id"])): {"type": "string"}} if takes_id else {}
    )
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    told = here.one(about).format(noun=noun, a=f"{'an' if noun[0] in 'aeio' else 'a'} {noun}")
    return ToolSpec(tool_name(here, name), told, parameters, effect=effect)


def plural(noun: str) -> str:
    """More than one of it."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
