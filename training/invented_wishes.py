"""What a person wants of an invented tool: the question, the call with what comes back, and the words of the answer.

Owns a single wish and its sentences. How several make an episode stands in `invented`.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from loopwright.core.messages import Result
from loopwright.tools.result import ok
from training import invented_phrases as phrases
from training.invented_offers import Chance, Offer, offered
from training.invented_reading import Aim, Concept, Part, concepts
from training.invented_values import Value, source, value
from training.trajectories import Step


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


def wished(here: Chance, concept: Concept, fits: Callable[[Aim], bool] = lambda _: True) -> Wish:
    """Something that is wanted of a tool, with values drawn for all that it takes and gives."""
    offer = offered(here, concept)
    aim: Aim = here.one([aim for aim in concept.aims if fits(aim)])
    values = {part.slot: in_question(here, part) for part in concept.takes}
    wish = Wish(offer, aim, values, "")
    answered(here, wish)
    return wish


def in_question(here: Chance, part: Part) -> Value:
    """A value as a person writes it: `12,500`, `three`, `4 March 2026`."""
    drawn = part.source.draw(here.random, {})
    given = drawn.given
    if part.source is source("date") and here.happens(0.12):
        day = dt.date.fromisoformat(given)
        return replace(drawn, shown=here.one([f"{day.day} {day:%B %Y}", f"{day:%B} {day.day}, {day.year}"]))
    if isinstance(given, bool) or not isinstance(given, int | float):
        return drawn
    if given >= 1000 and here.happens(0.35):
        return replace(drawn, shown=f"{given:,}")
    if given in range(2, 13) and here.happens(0.08):
        return replace(drawn, shown=phrases.NUMBERS[int(given) - 2])
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
    more = set(wish.offer.slots) - wish.offer.concept.needed
    if more and here.happens(0.45):
        needs = [need for need in needs if slots_of(need) & more] or needs
        possible = [ask for ask in possible if slots_of(ask) & more] or possible
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
    task = framed(here, filled(template, wish.shown()))
    if not wish.aim.act and here.happens(0.04) and (other := again(here, wish)):
        task = f"{here.one(phrases.ASIDE).format(need=filled(wish.aim.needs[0], other.shown()))} {capital(task)}"
    return task


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
    if wish.aim.dated:
        return moment(here, wish)
    x = wish.number()
    spread = max(abs(x) * here.one([0.05, 0.2, 0.5]), 2)
    limit = x if here.happens(0.08) else x + here.random.uniform(-spread, spread)
    limit = round(limit) if isinstance(x, int) or here.happens(0.6) else round(limit, 1)
    limit = max(limit, 1) if x >= 0 else limit
    than, holds = here.one(COMPARISONS)
    return value(limit).shown, than, holds(x, limit)


def moment(here: Chance, wish: Wish) -> tuple[str, str, bool]:
    """The same for a date or a time, which need not be near."""
    found: str = wish.number()
    kind = next(part.source for part in wish.offer.concept.gives if part.slot == wish.aim.number)
    limit = kind.draw(here.random, {}).shown
    if kind is source("date") and here.happens(0.7):
        near = dt.date.fromisoformat(found) + dt.timedelta(days=here.random.randint(-40, 40))
        limit = near.isoformat()
    before = here.happens(0.5)
    return limit, "before" if before else "after", found < limit if before else found > limit


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
    """A word with two letters swapped or one left out, not at its ends; the same where it has no such letters."""
    places = [place for place in range(1, len(word) - 2) if word[place : place + 2].isalpha()]
    if not places:
        return word
    place = here.one(places)
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
