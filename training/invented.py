"""Episodes with tools of invented names, so that the model learns to read the list of tools, not to remember it.

Owns how such an episode goes: one call or two, one that fails, none. What the tools are stands in `invented_tools.txt`,
how one of them is wanted in `invented_wishes`. Everything follows from the given source of chance.
"""

import random
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from loopwright.core.messages import ToolSpec
from loopwright.tools.result import error, not_found, ok
from training import invented_phrases as phrases
from training.invented_offers import Chance, manner, offered, rivals, sibling
from training.invented_reading import Aim, Concept, concepts
from training.invented_values import Value, value
from training.invented_wishes import (
    Wish,
    again,
    answered,
    asked,
    called,
    capital,
    concluded,
    fact_of,
    filled,
    framed,
    limited,
    misspelt,
    narrowed,
    need_of,
    sentence,
    slots_of,
    wished,
    with_quotes,
    with_unit,
)
from training.trajectories import Episode, Step

LONGEST = 300
"""Characters of a line that the model may say."""


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
        if here.happens(0.2) and not wish.aim.act:
            result = ok(here.one([None, [], {}, {"results": []}, {"found": False}, {"count": 0, "items": []}]))
        thought, answer = here.one(phrases.LOST_TO_DO if wish.aim.act else phrases.LOST)
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
    first = wished(here, any_concept(here, with_amount), with_an_amount)
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
    thought, answer = here.one(phrases.LOST_TO_DO if wish.aim.act else phrases.LOST)
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
    one = called(here, finder, here.one(phrases.FIND_ID_TO_DO if wish.aim.act else phrases.FIND_ID), later=need)
    found = finder.found[finder.offer.concept.gives[0].slot].shown
    thought = sentence(
        here.one(phrases.USE_ID_TO_DO if wish.aim.act else phrases.USE_ID),
        fact=fact_of(finder),
        need=need,
        tool=tool,
        id=found,
    )
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
    if wrong == right.given:
        return None
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


def any_concept(here: Chance, fits: Callable[[Concept], bool] = lambda _: True) -> Concept:
    """Some tool that fits and that people ask something of."""
    return here.one([concept for concept in concepts().values() if concept.aims and fits(concept)])


def with_number(concept: Concept) -> bool:
    """Whether a tool gives a number that can be compared."""
    return any(with_a_number(aim) for aim in concept.aims)


def with_a_number(aim: Aim) -> bool:
    """Whether an aim is about a number."""
    return bool(aim.number)


def with_amount(concept: Concept) -> bool:
    """Whether a tool gives a number that can be higher than another."""
    return any(with_an_amount(aim) for aim in concept.aims)


def with_an_amount(aim: Aim) -> bool:
    """Whether an aim is about a number that is no date."""
    return bool(aim.number) and not aim.dated


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
