"""Episodes with tools of invented names, so that the model learns to read the list of tools, not to remember it.

Owns how such an episode goes: one call or two, one that fails, none. What the tools are stands in `invented_tools.txt`,
and the turns of phrase in `invented_phrases`. Everything follows from the given source of chance.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from loopwright.core.messages import Result, ToolSpec
from loopwright.tools.result import error, not_found, ok
from training import invented_phrases as phrases
from training.invented_reading import Aim, Concept, Part, concepts
from training.invented_values import Value, value
from training.trajectories import Episode, Step

LONGEST = 300
"""Characters of a line that the model may say."""


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


class Wish(Struct):
    """What is wanted of one tool, with all its values."""

    offer: Offer
    aim: Aim
    values: dict[str, Value]
    """By slot; also those of the parameters that the question leaves out, until it is chosen."""
    ask: str
    """The template of the question."""
    need: str = ""
    fact: str = ""
    found: dict[str, Value] = field(default_factory=dict[str, Value])

    def shown(self) -> dict[str, str]:
        """All values as sentences have them."""
        return {slot: one.shown for slot, one in (self.values | self.found).items()}

    def number(self) -> Any:
        """The number that the aim is about."""
        return self.found[self.aim.number].given

    def measure(self) -> str:
        """That number with its unit."""
        return with_unit(self.found[self.aim.number].shown, self.aim.unit)


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


def episode(chance: random.Random) -> Episode:
    """An episode, wholly determined by the state of `chance`."""
    while True:
        kind = chance.choices(list(KINDS), weights=[weight for _, weight in KINDS.values()])[0]
        here = Chance(chance, manner(chance), '"' if chance.random() < 0.4 else "'")
        made = KINDS[kind][0](here)
        if made is not None and all(len(line) <= LONGEST for line in said(made)):
            return made


def distractors(chance: random.Random, count: int) -> list[ToolSpec]:
    """Specs of that many invented tools, to lie beside others."""
    here = Chance(chance, manner(chance), "'")
    found = dict[str, ToolSpec]()
    while len(found) < count:
        spec = offered(here, chance.choice(list(concepts().values()))).spec
        found[spec.name] = spec
    return list(found.values())


def said(made: Episode) -> list[str]:
    """What the model says in an episode, and the question."""
    return [made.task, made.thought, made.answer, *(step.thought for step in made.steps)]


# The kinds of episodes.


def single(here: Chance) -> Episode | None:
    """One question, one call, one answer."""
    wish = wished(here, any_concept(here))
    task = asked(here, wish)
    return finished(here, task, [wish], [called(here, wish)], *concluded(here, wish))


def failing(here: Chance) -> Episode | None:
    """The tool finds nothing, or fails, and the answer says so."""
    wish = wished(here, any_concept(here))
    task = asked(here, wish)
    lost = wish.offer.concept.lost
    if lost and here.happens(0.6):
        what = filled(lost, wish.shown())
        result = not_found(here.one(phrases.NOT_FOUND).format(what=what, noun=wish.offer.concept.noun))
        if here.happens(0.2):
            result = ok(here.one([None, [], {}, {"results": []}, {"found": False}, {"count": 0, "items": []}]))
        thought, answer = here.one(phrases.LOST)
        words = {"what": what, "need": need_of(wish)}
    else:
        cause, because = here.one(phrases.CAUSES)
        result = error(cause)
        thought, answer = here.one(phrases.FAILED_TO_DO if wish.aim.act else phrases.FAILED)
        words = {"because": because, "need": need_of(wish), "tool": wish.offer.spec.name}
    step = replace(called(here, wish), result=result)
    return finished(here, task, [wish], [step], sentence(thought, **words), sentence(answer, **words))


def none_fits(here: Chance) -> Episode | None:
    """The question needs a tool that is not there."""
    wish = wished(here, any_concept(here))
    task = asked(here, wish)
    thought, answer = here.one(phrases.NO_TOOL_TO_DO if wish.aim.act else phrases.NO_TOOL)
    words = {"need": with_quotes(here, need_of(wish))}
    others = [
        spec for spec in lying_beside(here, [wish], here.random.randint(1, 4)) if spec.name != wish.offer.spec.name
    ]
    if not others:
        return None
    return Episode("invented", task, tuple(others), (), sentence(thought, **words), sentence(answer, **words))


def none_needed(here: Chance) -> Episode | None:
    """The question is answered without a tool."""
    question, answer = here.one(phrases.WITHOUT_TOOLS)
    thought = here.one(phrases.NONE_NEEDED)
    tools = tuple(distractors(here.random, here.random.choice([0, 1, 1, 2, 3, 4])))
    return Episode("invented", here.one(phrases.SMALL_FRAMES).format(question), tools, (), thought, answer)


def pair(here: Chance) -> Episode | None:
    """Two independent values of the same tool."""
    first = wished(here, any_concept(here, lambda concept: bool(concept.takes)))
    second = again(here, first)
    if second is None:
        return None
    for wish in (first, second):
        wish.need = first.aim.needs[0]
        narrowed(here, wish, wish.need)
    return both(here, first, second)


def mixed(here: Chance) -> Episode | None:
    """Two independent things of two tools."""
    first, second = wished(here, any_concept(here)), wished(here, any_concept(here))
    if first.offer.spec.name == second.offer.spec.name or first.offer.concept.noun == second.offer.concept.noun:
        return None
    for wish in (first, second):
        wish.need = wish.aim.needs[0]
        narrowed(here, wish, wish.need)
    return both(here, first, second)


def both(here: Chance, first: Wish, second: Wish) -> Episode | None:
    """Ask for two things at once, and answer both."""
    if first.aim.act and not second.aim.act:
        first, second = second, first
    frames = phrases.BOTH if not second.aim.act else phrases.DO_BOTH if first.aim.act else phrases.MIXED
    words = {"first": need_of(first), "second": need_of(second)}
    task = framed(here, here.one(frames).format(**words))
    one = called(here, first, here.one(phrases.FIRST_OF_TWO))
    facts = fact_of(first), fact_of(second)
    two = called(here, second, here.one(phrases.SECOND_OF_TWO), told=facts[0])
    thought = sentence(here.one(phrases.BOTH_KNOWN), first=facts[0], second=facts[1])
    answer = sentence(here.one(phrases.BOTH_TOLD), first=facts[0], second=facts[1])
    return finished(here, task, [first, second], [one, two], thought, answer)


def compared(here: Chance) -> Episode | None:
    """The same number of two things: which is higher."""
    first = wished(here, any_concept(here, with_number), with_a_number)
    second = again(here, first)
    if second is None or first.number() == second.number():
        return None
    for wish in (first, second):
        wish.need = first.aim.needs[0]
        narrowed(here, wish, wish.need)
    higher = here.happens(0.65)
    task = framed(here, here.one(phrases.WHICH).format(
        first=need_of(first), second=need_of(second), word=here.one(("higher", "larger") if higher else ("lower", "smaller"))
    ))  # fmt: skip
    one = called(here, first, here.one(phrases.FIRST_OF_TWO))
    two = called(here, second, here.one(phrases.SECOND_OF_TWO), told=fact_of(first))
    best, other = (first, second) if (first.number() > second.number()) == higher else (second, first)
    words = {"best": need_of(best), "other": need_of(other), "x": best.measure(), "y": other.measure()}
    words |= {"than": "more than" if higher else "less than", "word": "higher" if higher else "lower"}
    thought = sentence(here.one(phrases.COMPARED), **words)
    return finished(here, task, [first, second], [one, two], thought, sentence(here.one(phrases.WINNER), **words))


def threshold(here: Chance) -> Episode | None:
    """A number held against one of the question."""
    wish = wished(here, any_concept(here, with_number), with_a_number)
    wish.need = wish.aim.needs[0]
    narrowed(here, wish, wish.need)
    limit, than, true = limited(here, wish)
    words = {"need": need_of(wish), "than": than, "limit": with_unit(limit, wish.aim.unit), "x": wish.measure()}
    task = framed(here, here.one(phrases.IS_IT).format(**words))
    words["bare"] = limit
    thought, answer = here.one(phrases.IT_IS if true else phrases.IT_IS_NOT)
    step = called(here, wish)
    return finished(here, task, [wish], [step], sentence(thought, **words), sentence(answer, **words))


def conditional(here: Chance) -> Episode | None:
    """A second call only where a number is as the question says."""
    wish = wished(here, any_concept(here, with_number), with_a_number)
    act = wished(here, any_concept(here, lambda concept: any(aim.act for aim in concept.aims)), lambda aim: aim.act)
    if wish.offer.spec.name == act.offer.spec.name or wish.offer.concept.noun == act.offer.concept.noun:
        return None
    for one in (wish, act):
        one.need = one.aim.needs[0]
        narrowed(here, one, one.need)
    limit, than, true = limited(here, wish)
    words = {"need": need_of(wish), "than": than, "limit": with_unit(limit, wish.aim.unit), "x": wish.measure()}
    words |= {"do": need_of(act), "fact": fact_of(act)}
    task = framed(here, here.one(phrases.ONLY_IF).format(**words))
    steps = [called(here, wish, here.one(phrases.FIRST_CHECK))]
    if true:
        thought = sentence(here.one(phrases.SO_DO), **words, tool=act.offer.spec.name)
        steps.append(replace(called(here, act), thought=thought))
        last, answer = here.one(phrases.DONE)
    else:
        last, answer = here.one(phrases.NOT_DONE)
    return finished(here, task, [wish, act], steps, sentence(last, **words), sentence(answer, **words))


def chained(here: Chance) -> Episode | None:
    """An id is found by name, and the second tool takes it."""
    finder, wish, slot = finding(here)
    spoken = speaking_of(finder, wish, slot)
    task = asked(here, spoken)
    narrowed(here, wish, spoken.ask)
    return finished(here, task, [finder, wish], by_id(here, finder, wish, spoken), *concluded(here, spoken))


def chained_limit(here: Chance) -> Episode | None:
    """An id is found by name, the second tool takes it, and its number is held against one of the question."""
    finder, wish, slot = finding(here)
    if not wish.aim.number:
        return None
    wish.need = wish.aim.needs[0]
    spoken = speaking_of(finder, wish, slot)
    for one in (wish, spoken):
        narrowed(here, one, wish.need)
    limit, than, true = limited(here, spoken)
    words = {"need": need_of(spoken), "than": than, "limit": with_unit(limit, wish.aim.unit), "x": spoken.measure()}
    task = framed(here, here.one(phrases.IS_IT).format(**words))
    thought, answer = here.one(phrases.IT_IS if true else phrases.IT_IS_NOT)
    steps = by_id(here, finder, wish, spoken)
    return finished(here, task, [finder, wish], steps, sentence(thought, **words), sentence(answer, **words))


def chain_lost(here: Chance) -> Episode | None:
    """The name is not found, so the second tool is not called."""
    finder, wish, slot = finding(here)
    spoken = speaking_of(finder, wish, slot)
    task = asked(here, spoken)
    narrowed(here, wish, spoken.ask)
    what = filled(finder.offer.concept.lost, finder.shown())
    result = not_found(here.one(phrases.NOT_FOUND).format(what=what, noun=finder.offer.concept.noun))
    step = replace(by_id(here, finder, wish, spoken)[0], result=result)
    thought, answer = here.one(phrases.LOST)
    words = {"what": what, "need": need_of(spoken)}
    return finished(here, task, [finder, wish], [step], sentence(thought, **words), sentence(answer, **words))


def finding(here: Chance) -> tuple[Wish, Wish, str]:
    """A tool that finds an id, one that takes it, and the slot where it goes."""
    finder = wished(here, any_concept(here, lambda concept: bool(concept.then)))
    finder.need = finder.aim.needs[0]
    narrowed(here, finder, finder.need)
    key, slot = here.one(finder.offer.concept.then)
    wish = wished(here, concepts()[key])
    finder.found[finder.offer.concept.gives[0].slot] = wish.values[slot]
    return finder, wish, slot


def speaking_of(finder: Wish, wish: Wish, slot: str) -> Wish:
    """The wish as the person says it, who knows the name only."""
    name = finder.values[finder.offer.concept.takes[0].slot].shown
    return replace(wish, values={**wish.values, slot: Value(name, None)})


def by_id(here: Chance, finder: Wish, wish: Wish, spoken: Wish) -> list[Step]:
    """The two calls of a chain."""
    need, tool = need_of(spoken), wish.offer.spec.name
    one = called(here, finder, here.one(phrases.FIND_ID), later=need)
    found = finder.found[finder.offer.concept.gives[0].slot].shown
    thought = sentence(here.one(phrases.USE_ID), fact=fact_of(finder), need=need, tool=tool, id=found)
    return [one, replace(called(here, wish), thought=thought)]


def corrected(here: Chance) -> Episode | None:
    """A name with a slip of the pen: the tool names the right one, and the call is made again."""
    wish = wished(here, any_concept(here, lambda concept: bool(concept.lost)))
    named = [part for part in wish.offer.concept.takes if part.source.words and not part.optional]
    if len(named) != 1 or len(wish.values[named[0].slot].shown) < 6:
        return None
    slot = named[0].slot
    right = wish.values[slot]
    wrong = misspelt(here, right.given)
    spoken = replace(wish, values={**wish.values, slot: value(wrong)})
    task = asked(here, spoken)
    wish.ask, wish.need, wish.fact = spoken.ask, spoken.need, spoken.fact
    narrowed(here, wish, wish.ask)
    error_text = here.one(phrases.DID_YOU_MEAN).format(
        wrong=wrong,
        right=right.shown,
        noun=wish.offer.slots[slot],
        what=filled(wish.offer.concept.lost, spoken.shown()),
    )
    first = replace(called(here, spoken), result=not_found(error_text))
    thought = sentence(here.one(phrases.TRY_AGAIN), wrong=wrong, right=right.shown, tool=wish.offer.spec.name)
    return finished(here, task, [wish], [first, replace(called(here, wish), thought=thought)], *concluded(here, wish))


def half(here: Chance) -> Episode | None:
    """Two values of the same tool, of which the second cannot be had."""
    first = wished(here, any_concept(here, lambda concept: concept.effect == "read"))
    second = again(here, first)
    if second is None:
        return None
    for wish in (first, second):
        wish.need = first.aim.needs[0]
        narrowed(here, wish, wish.need)
    task = framed(here, sentence(here.one(phrases.BOTH), first=need_of(first), second=need_of(second)))
    cause, because = here.one(phrases.CAUSES)
    one = called(here, first, here.one(phrases.FIRST_OF_TWO))
    two = replace(called(here, second, here.one(phrases.SECOND_OF_TWO), told=fact_of(first)), result=error(cause))
    thought, answer = here.one(phrases.HALF)
    words = {"fact": fact_of(first), "need": need_of(second), "because": because}
    return finished(here, task, [first, second], [one, two], sentence(thought, **words), sentence(answer, **words))


def piped(here: Chance) -> Episode | None:
    """What one tool gives is what the other takes."""
    first = wished(
        here, any_concept(here, lambda concept: any(aim.into for aim in concept.aims)), lambda aim: bool(aim.into)
    )
    if first.aim.into is None:
        return None
    key, slot, outer = first.aim.into
    first.need = first.aim.needs[0]
    narrowed(here, first, first.need)
    second = wished(here, concepts()[key])
    second.aim = second.offer.concept.aims[0]
    second.values[slot] = first.found[field_of(first)]
    answered(here, second)
    second.need = second.aim.needs[0]
    narrowed(here, second, second.need)
    need = filled(outer, {**second.shown(), "need": need_of(first)})
    task = framed(here, here.one(phrases.ONE).format(need=need, Need=capital(need)))
    facts = {"first": fact_of(first), "second": fact_of(second)}
    words = {"fact": facts["first"], "need": need, "tool": second.offer.spec.name}
    one = called(here, first, here.one(phrases.FIRST_STEP), later=need)
    two = replace(called(here, second), thought=sentence(here.one(phrases.GO_ON), **words))
    thought, answer = sentence(here.one(phrases.BOTH_KNOWN), **facts), sentence(here.one(phrases.BOTH_TOLD), **facts)
    return finished(here, task, [first, second], [one, two], thought, answer)


def field_of(wish: Wish) -> str:
    """The field that the facts of an aim name; the first where they name several."""
    return next(part.slot for part in wish.offer.concept.gives if part.slot in slots_of(wish.aim.facts[0]))


KINDS: Mapping[str, tuple[Callable[[Chance], Episode | None], int]] = {
    "single": (single, 46),
    "failing": (failing, 11),
    "none_fits": (none_fits, 5),
    "none_needed": (none_needed, 3),
    "pair": (pair, 7),
    "mixed": (mixed, 5),
    "compared": (compared, 3),
    "threshold": (threshold, 8),
    "conditional": (conditional, 7),
    "chained": (chained, 8),
    "chained_limit": (chained_limit, 2),
    "chain_lost": (chain_lost, 1),
    "corrected": (corrected, 3),
    "half": (half, 2),
    "piped": (piped, 6),
}


# The tools of an episode.


def manner(chance: random.Random) -> Manner:
    """How the tools of an episode are named."""
    prefix = chance.choice(phrases.PREFIXES) if chance.random() < 0.12 else ""
    return Manner(camel=chance.random() < 0.22, opaque=chance.random() < 0.05, prefix=prefix)


def any_concept(here: Chance, fits: Callable[[Concept], bool] = lambda _: True) -> Concept:
    """Some tool that fits and that people ask something of."""
    return here.one([concept for concept in concepts().values() if concept.aims and fits(concept)])


def with_number(concept: Concept) -> bool:
    """Whether a tool gives a number that can be compared."""
    return any(with_a_number(aim) for aim in concept.aims)


def with_a_number(aim: Aim) -> bool:
    """Whether an aim is about a number."""
    return bool(aim.number)


def offered(here: Chance, concept: Concept) -> Offer:
    """A tool with the names, the order and the description that this episode has chosen."""
    takes = list(concept.takes)
    if here.happens(0.15):
        here.random.shuffle(takes)
    if here.happens(0.35):
        takes = [part for part in takes if not part.optional]
    slots = named(here, takes)
    properties = {slots[part.slot]: part.source.schema for part in takes}
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if needed := [slots[part.slot] for part in takes if not part.optional]:
        parameters["required"] = needed
    plain = concept.effect == "read" and here.happens(0.1)
    base = f"{here.one(phrases.VERBS)}_{concept.noun.replace(' ', '_')}" if plain else here.one(concept.names)
    silent = not plain and not here.manner.opaque and here.happens(0.03)
    about = "" if silent else described(here, here.one(concept.about))
    spec = ToolSpec(tool_name(here, base), about, parameters, effect=concept.effect)
    return Offer(concept, spec, slots, named(here, concept.gives))


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


def lying_beside(here: Chance, wishes: Sequence[Wish], most: int) -> list[ToolSpec]:
    """Other tools, at times much like those that are wanted; none that could answer in their place."""
    nouns = [wish.offer.concept.noun for wish in wishes]
    taken = {key for wish in wishes for key in rivals(wish.offer.concept.key)}
    free = [concept for concept in concepts().values() if concept.key not in taken]
    alike = [concept for concept in free if concept.noun in nouns]
    specs = dict[str, ToolSpec]()
    for _ in range(most):
        if here.happens(0.3):
            spec = sibling(here, here.one(wishes).offer.concept)
        else:
            other = here.one(alike if alike and here.happens(0.4) else free)
            alike, free = [one for one in alike if one is not other], [one for one in free if one is not other]
            spec = offered(here, other).spec
        specs[spec.name] = spec
    return list(specs.values())


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


def finished(
    here: Chance, task: str, wishes: Sequence[Wish], steps: Sequence[Step], thought: str, answer: str
) -> Episode | None:
    """The whole episode with other tools beside its own; None where two have the same name."""
    own = {wish.offer.spec.name: wish.offer.spec for wish in wishes}
    most = here.random.choices([0, 1, 2, 3, 4], weights=[12, 22, 26, 24, 16])[0]
    specs = own | {spec.name: spec for spec in lying_beside(here, wishes, most) if spec.name not in own}
    if len(own) < len({wish.offer.concept.key for wish in wishes}):
        return None
    tools = list(specs.values())[:5]
    here.random.shuffle(tools)
    thought, answer = with_quotes(here, thought), with_quotes(here, answer)
    spoken = [replace(step, thought=with_quotes(here, step.thought)) for step in steps]
    return Episode("invented", task, tuple(tools), tuple(spoken), thought, answer)


# Questions, calls and answers.


def wished(here: Chance, concept: Concept, fits: Callable[[Aim], bool] = lambda _: True) -> Wish:
    """Something that is wanted of a tool, with values drawn for all that it takes and gives."""
    offer = offered(here, concept)
    aim: Aim = here.one([aim for aim in concept.aims if fits(aim)])
    values = {part.slot: in_question(here, part) for part in concept.takes}
    wish = Wish(offer, aim, values, "")
    answered(here, wish)
    return wish


def in_question(here: Chance, part: Part) -> Value:
    """A value as a person writes it."""
    drawn = part.source.draw(here.random, {})
    if (
        isinstance(drawn.given, int)
        and not isinstance(drawn.given, bool)
        and drawn.given >= 1000
        and here.happens(0.35)
    ):
        return replace(drawn, shown=f"{drawn.given:,}")
    return drawn


def answered(here: Chance, wish: Wish) -> None:
    """Draw what the tool will give."""
    given = {slot: one.given for slot, one in wish.values.items()}
    wish.found = {part.slot: part.source.draw(here.random, given) for part in wish.offer.concept.gives}


def again(here: Chance, first: Wish) -> Wish | None:
    """The same wish with other values; None where they turn out the same."""
    values = {part.slot: in_question(here, part) for part in first.offer.concept.takes}
    if not first.offer.concept.needed or any(
        values[slot].given == first.values[slot].given for slot in first.offer.concept.needed
    ):
        return None
    second = Wish(first.offer, first.aim, values, first.ask)
    answered(here, second)
    return second


def narrowed(here: Chance, wish: Wish, template: str) -> None:
    """Keep the values that the question names, and words that speak of no other."""
    used = slots_of(template) | wish.offer.concept.needed
    wish.values = {slot: one for slot, one in wish.values.items() if slot in used}
    known = set(wish.values) | set(wish.found)
    if not wish.need:
        fitting = [need for need in wish.aim.needs if slots_of(need) <= known]
        richest = max(len(slots_of(need)) for need in fitting)
        wish.need = here.one([need for need in fitting if len(slots_of(need)) == richest])
    if not wish.fact:
        wish.fact = here.one([fact for fact in wish.aim.facts if slots_of(fact) <= known])


def asked(here: Chance, wish: Wish) -> str:
    """A question for a wish, in somebody's voice; settles which values it names."""
    possible = [ask for ask in wish.aim.asks if slots_of(ask) <= set(wish.offer.slots)]
    needs = [need for need in wish.aim.needs if slots_of(need) <= set(wish.offer.slots)]
    if here.happens(0.45):
        frames = phrases.DO if wish.aim.act else phrases.MANY if wish.aim.plural else phrases.ONE
        wish.need = here.one(needs)
        template = here.one(frames).replace("{need}", wish.need).replace("{Need}", capital(wish.need))
    else:
        template = here.one(possible)
    wish.ask = template
    narrowed(here, wish, template)
    if here.happens(0.12):
        template = "".join(part if part.startswith("{") else part.lower() for part in re.split(r"(\{\w+\})", template))
        template = template.rstrip("?.")
    return framed(here, filled(template, wish.shown()))


def framed(here: Chance, task: str) -> str:
    """A question with something before or behind it, at times."""
    task = with_quotes(here, task)
    if here.happens(0.1):
        before, first = here.one(phrases.BEFORE), task.split(" ", 1)[0]
        if before[-1] in ",:" and first in openers():
            task = task[:1].lower() + task[1:]
        task = f"{before} {task}"
    if here.happens(0.07):
        task = f"{task}{'' if task[-1] in '.?!' else '.'} {here.one(phrases.BEHIND)}"
    return capital(task) if task[-1:] in ".?!" else task


@cache
def openers() -> frozenset[str]:
    """Words that begin a question and are small within one: no names, and not `I`."""
    asks = [ask for concept in concepts().values() for aim in concept.aims for ask in aim.asks]
    frames = [
        *phrases.ONE,
        *phrases.MANY,
        *phrases.DO,
        *phrases.BOTH,
        *phrases.IS_IT,
        *phrases.ONLY_IF,
        *phrases.MIXED,
        *phrases.WHICH,
    ]
    return frozenset(text.split(" ", 1)[0] for text in asks + frames if text[0].isupper() and text[0] != "I") | {
        "The",
        "Is",
    }


def with_quotes(here: Chance, text: str) -> str:
    """A text with the kind of quotation marks of the episode."""
    return re.sub(r"(?<!\w)'([^\"]+?)'(?!\w)", rf"{here.quote}\1{here.quote}", text)


def called(here: Chance, wish: Wish, frame: str = "", *, told: str = "", later: str = "") -> Step:
    """The call of a wish, with the thought before it and what comes back."""
    frame = frame or here.one(phrases.THINK_TO_DO if wish.aim.act else phrases.THINK)
    need = need_of(wish)
    words = {"need": need, "tool": wish.offer.spec.name, "told": told, "first": need, "second": need, "later": later}
    given = {wish.offer.slots[slot]: wish.values[slot].given for slot in wish.offer.slots if slot in wish.values}
    return Step(sentence(frame, **words), wish.offer.spec.name, given, returned(here, wish, given))


def returned(here: Chance, wish: Wish, given: Mapping[str, Any]) -> Result:
    """What the tool gives back: a value, an object, at times wrapped up, at times a sentence."""
    keys = wish.offer.keys
    if len(wish.found) == 1 and here.happens(0.45):
        return ok(next(iter(wish.found.values())).given)
    if here.happens(0.06) and not wish.aim.act:
        return ok(f"{capital(fact_of(wish))}.")
    fields = {keys[slot]: one.given for slot, one in wish.found.items()}
    if here.happens(0.2):
        fields = {name: part for name, part in given.items() if name not in fields} | fields
    if here.happens(0.15):
        extra, draw = here.one(phrases.EXTRAS)
        fields = {extra: draw(here.random)} | fields if here.happens(0.5) else fields | {extra: draw(here.random)}
    if here.happens(0.06):
        return ok({here.one(["result", "data", "response"]): fields})
    return ok([fields] if here.happens(0.04) else fields)


def concluded(here: Chance, wish: Wish) -> tuple[str, str]:
    """The thought that quotes the result, and the answer."""
    words = {"fact": fact_of(wish), "tool": wish.offer.spec.name}
    return sentence(here.one(phrases.KNOWN), **words), sentence(here.one(phrases.TOLD), **words)


def limited(here: Chance, wish: Wish) -> tuple[str, str, bool]:
    """A number near the one that is found, the words of a comparison, and whether it holds."""
    x = wish.number()
    spread = max(abs(x) * here.one([0.05, 0.2, 0.5]), 2)
    limit = x if here.happens(0.08) else x + here.random.uniform(-spread, spread)
    limit = round(limit) if isinstance(x, int) or here.happens(0.6) else round(limit, 1)
    limit = max(limit, 1) if x >= 0 else limit
    than, holds = here.one(COMPARISONS)
    return value(limit).shown, than, holds(x, limit)


COMPARISONS: Sequence[tuple[str, Callable[[float, float], bool]]] = (
    ("more than", lambda x, limit: x > limit),
    ("above", lambda x, limit: x > limit),
    ("over", lambda x, limit: x > limit),
    ("less than", lambda x, limit: x < limit),
    ("below", lambda x, limit: x < limit),
    ("under", lambda x, limit: x < limit),
    ("at least", lambda x, limit: x >= limit),
    ("at most", lambda x, limit: x <= limit),
)


def misspelt(here: Chance, word: str) -> str:
    """A word with two letters swapped or one left out, not at its ends."""
    place = here.random.randint(1, len(word) - 3)
    if here.happens(0.5) and word[place] != word[place + 1]:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + word[place + 1 :]


def need_of(wish: Wish) -> str:
    """What is wanted, as a noun, or an act in the imperative."""
    return filled(wish.need, wish.shown())


def fact_of(wish: Wish) -> str:
    """The answer as a clause."""
    return filled(wish.fact, wish.shown())


def with_unit(number: str, unit: str) -> str:
    """`12.5 kg`, `30`."""
    return f"{number} {unit}".rstrip()


def slots_of(template: str) -> set[str]:
    """The slots that a template names, but for the frames' own."""
    return set(re.findall(r"\{(\w+)\}", template))


def filled(template: str, shown: Mapping[str, str]) -> str:
    """A template with its values."""
    return re.sub(r"\{(\w+)\}", lambda found: shown[found[1]], template)


def sentence(frame: str, **words: str) -> str:
    """A frame with its words; it begins with a capital letter, unless with the name of a tool."""
    text = frame.format(**words)
    return text if frame.startswith("{tool}") else capital(text)


def capital(text: str) -> str:
    """A text that begins with a capital letter; one that begins with an address or a code stays."""
    first = text.split(" ", 1)[0]
    return text if not first.isalpha() else text[:1].upper() + text[1:]
