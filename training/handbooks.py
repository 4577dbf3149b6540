"""Documents about many small things: handbooks, guides, menus, rules; and what can be done with a figure out of one.

A question names what it is about, not the document; the search is made with its telling words; the passage holds other
facts beside the one that is wanted. Everything is invented.
"""

import random
from collections.abc import Callable

from msgspec import Struct

from loopwright.toolbox.folder import Document, page
from loopwright.tools.result import not_found, ok
from training.documents import person, place
from training.toolbox_steps import CALCULATOR, CURRENCY, LOOKUP, SEARCH, calculation, convert
from training.toolbox_tasks import offered
from training.trajectories import Episode, Step
from training.words import PEOPLE, called, currency, dressed, pick

WHERE = (
    "office", "hotel", "campsite", "gym", "school", "farm", "harbour", "clinic", "garage", "club", "theatre", "zoo",
    "bakery", "airport", "workshop", "garden centre", "youth hostel", "sauna", "ski school", "boat rental", "dance studio",
    "kindergarten", "laboratory", "ferry", "night train", "cinema", "market", "allotment", "climbing hall", "aquarium",
)  # fmt: skip
OFFERS = (
    "breakfast", "parking space", "locker", "towel", "bicycle", "day ticket", "season ticket", "guided tour", "lunch",
    "single room", "double room", "tent pitch", "massage", "audio guide", "coffee", "life jacket", "helmet", "key card",
    "late checkout", "washing machine", "boat for a day", "canoe", "trial lesson", "family ticket", "cloakroom", "sandwich",
    "projector", "meeting room", "baby bed", "fishing permit", "sledge", "sauna towel", "packed lunch", "bed sheet",
)  # fmt: skip
DEEDS = (
    "report an accident", "order new keys", "ask for leave", "return a bicycle", "cancel a booking", "hand in a receipt",
    "register a guest", "book the meeting room", "report a broken lamp", "change the password", "apply for a permit",
    "borrow a ladder", "renew a membership", "pick up a parcel", "empty the bins", "feed the animals", "lock the gate",
)  # fmt: skip
PARTS = (
    "reception", "kitchen", "library", "pool", "workshop", "shop", "canteen", "gate", "office", "playground", "cellar",
    "roof terrace", "waiting room", "garage", "laundry", "bar", "ticket desk", "greenhouse", "archive", "first aid room",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FLOORS = ("ground floor", "first floor", "second floor", "third floor", "basement", "top floor")


class Fact(Struct, frozen=True):
    """A sentence of a handbook: what it answers, what to search for, and the figure in it."""

    sentence: str
    questions: tuple[str, ...]
    query: str
    answer: str
    value: float | None = None
    code: str = ""
    """The currency of the value, where it is money."""


def price(chance: random.Random) -> Fact:
    """What something costs."""
    what, code = pick(chance, OFFERS), currency(chance)
    value = pick(chance, (chance.randrange(1, 90), round(chance.uniform(1, 60), 1) or 1.5))
    shown = f"{value} {code}"
    sentence = pick(
        chance, (f"A {what} costs {shown}.", f"The price of a {what} is {shown}.", f"For a {what} we charge {shown}.")
    )
    asked = (
        f"What does a {what} cost?",
        f"How much is a {what}?",
        f"What do I pay for a {what}?",
        f"price of the {what}",
        f"How expensive is the {what}?",
    )
    return Fact(sentence, asked, f"{what} price", f"A {what} costs {shown}.", value, code)


def hours(chance: random.Random) -> Fact:
    """When something is open."""
    part = pick(chance, PARTS)
    start, end = chance.randrange(5, 12), chance.randrange(13, 24)
    sentence = f"The {part} is open from {start}:00 to {end}:00."
    asked = (
        f"When does the {part} open?",
        f"When is the {part} open?",
        f"Until when is the {part} open?",
        f"What are the opening hours of the {part}?",
        f"At what time does the {part} close?",
    )
    return Fact(sentence, asked, f"{part} opening hours", sentence)


def location(chance: random.Random) -> Fact:
    """Where something is."""
    part, where = pick(chance, PARTS), pick(chance, FLOORS)
    sentence = pick(chance, (f"The {part} is on the {where}.", f"You find the {part} on the {where}."))
    asked = (f"Where is the {part}?", f"On which floor is the {part}?", f"Where do I find the {part}?")
    return Fact(sentence, asked, part, f"The {part} is on the {where}.")


def limit(chance: random.Random) -> Fact:
    """How many or how long something may be."""
    deed, count = pick(chance, DEEDS), chance.randrange(2, 60)
    unit = pick(chance, ("days", "hours", "weeks", "minutes"))
    sentence = pick(
        chance,
        (
            f"You have {count} {unit} to {deed}.",
            f"To {deed}, you have {count} {unit}.",
            f"Please {deed} within {count} {unit}.",
        ),
    )
    asked = (
        f"How many {unit} do I have to {deed}?",
        f"How much time do I have to {deed}?",
        f"Within how many {unit} must I {deed}?",
        f"How long may I take to {deed}?",
    )
    return Fact(sentence, asked, deed, f"You have {count} {unit} to {deed}.", count)


def contact(chance: random.Random) -> Fact:
    """Who is in charge."""
    deed, who, number = pick(chance, DEEDS), person(chance), chance.randrange(10, 999)
    if chance.random() < 0.5:
        sentence = f"To {deed}, ask {who}."
        asked = (f"Whom do I ask to {deed}?", f"Who helps me to {deed}?", f"I want to {deed}. Who is in charge?")
        return Fact(sentence, asked, deed, f"Ask {who}.")
    sentence = f"To {deed}, call extension {number}."
    asked = (f"Which number do I call to {deed}?", f"What is the extension to {deed}?")
    return Fact(sentence, asked, deed, f"Call extension {number}.", number)


def size(chance: random.Random) -> Fact:
    """How large, heavy, far or thirsty something is."""
    part, value = pick(chance, PARTS), chance.randrange(2, 900)
    word, unit, verb = pick(
        chance,
        (
            ("capacity", "people", "holds"),
            ("area", "square metres", "covers"),
            ("consumption", "litres of water a day", "uses"),
            ("distance", "metres from the entrance", "lies"),
        ),
    )
    sentence = f"The {part} {verb} {value} {unit}."
    asked = {
        "capacity": (f"How many people fit into the {part}?", f"What is the capacity of the {part}?"),
        "area": (f"How large is the {part}?", f"How many square metres does the {part} have?"),
        "consumption": (f"How much water does the {part} use a day?", f"How many litres a day does the {part} need?"),
        "distance": (f"How far is the {part} from the entrance?", f"How many metres is it to the {part}?"),
    }[word]
    return Fact(sentence, asked, f"{part} {word}", f"The {part} {verb} {value} {unit}.", value)


def weekday(chance: random.Random) -> Fact:
    """On which day something happens."""
    deed, day = pick(chance, DEEDS), pick(chance, DAYS)
    sentence = f"On {day} you can {deed}."
    return Fact(sentence, (f"On which day can I {deed}?", f"When can I {deed}?"), deed, sentence)


MAKERS: tuple[Callable[[random.Random], Fact], ...] = (price, price, hours, location, limit, contact, size, weekday)


def handbook(chance: random.Random, wanted: Fact) -> tuple[Document, list[int], str]:
    """A document with the fact among others, the passages that a search shows, and where the fact stands."""
    facts = [wanted]
    while len(facts) < chance.randrange(4, 10):
        other = pick(chance, MAKERS)(chance)
        if other.query not in {fact.query for fact in facts}:
            facts.append(other)
    chance.shuffle(facts)
    where, each = pick(chance, WHERE), pick(chance, (1, 2, 2, 3, 4))
    passages = [" ".join(fact.sentence for fact in facts[at : at + each]) for at in range(0, len(facts), each)]
    if chance.random() < 0.5:
        passages[0] = f"# {pick(chance, ('The', 'Our', 'Guide to the', 'Rules of the'))} {where}\n{passages[0]}"
    name = f"{pick(chance, ('', '', 'notes/', 'docs/'))}{where.replace(' ', '_')}{pick(chance, ('.md', '.txt', '_guide.md'))}"
    at = next(number for number, passage in enumerate(passages) if wanted.sentence in passage)
    others = [number for number in range(len(passages)) if number != at]
    shown = sorted([at, *chance.sample(others, min(len(others), chance.randrange(0, 3)))])
    return Document(name, tuple(passages)), shown, where


def searched(chance: random.Random, fact: Fact, thought: str = "") -> tuple[Step, str]:
    """The search that shows a fact, and the place the document is about."""
    read, shown, where = handbook(chance, fact)
    note = f"also in {place(chance).lower()}.md" if chance.random() < 0.3 else ""
    thought = thought or pick(
        chance,
        (
            f"I search the documents for {fact.query}.",
            f"The documents may say it: I search for {fact.query}.",
            f"I look for {fact.query} in the documents.",
        ),
    )
    return Step(thought, SEARCH.name, {"query": fact.query}, ok(page(read, shown), note)), where


def plain(chance: random.Random) -> Episode:
    """One fact out of a handbook."""
    fact = pick(chance, MAKERS)(chance)
    step, where = searched(chance, fact)
    question = pick(chance, fact.questions)
    if chance.random() < 0.35:
        question = f"{question.rstrip('?')} {pick(chance, ('at', 'in'))} the {where}{'?' if '?' in question else ''}"
    if chance.random() < 0.1:
        question = f"{pick(chance, PEOPLE).capitalize()} asks: {question}"
    said = pick(chance, ("The passage says: ", "The document says it: ", "It says: "))
    tools = (SEARCH, LOOKUP) if chance.random() < 0.5 else offered(chance, SEARCH, LOOKUP)
    return Episode("handbooks", dressed(chance, question), tools, (step,), f"{said}{fact.sentence}", fact.answer)


def missing(chance: random.Random) -> Episode:
    """What was found does not say it, or nothing was found."""
    fact, other = pick(chance, MAKERS)(chance), pick(chance, MAKERS)(chance)
    if other.query == fact.query:
        return plain(chance)
    step, _ = searched(chance, other)
    thought = f"I search the documents for {fact.query}."
    answer = pick(chance, ("The documents do not say that.", f"I found nothing about {fact.query} in the documents."))
    result = step.result
    if chance.random() < 0.4:
        result = not_found(f"no document mentions {fact.query!r}; there are {place(chance).lower()}.md")
    last = "The document does not say it." if result is step.result else "No document mentions it."
    if fact.sentence in bytes(result.data).decode():
        return plain(chance)
    done = Step(thought, SEARCH.name, {"query": fact.query}, result)
    tools = (SEARCH, LOOKUP) if chance.random() < 0.5 else offered(chance, SEARCH, LOOKUP)
    return Episode("handbooks", dressed(chance, pick(chance, fact.questions)), tools, (done,), last, answer)


def read_then(chance: random.Random) -> Episode:
    """A figure out of a handbook, and then a product, a conversion, or both."""
    fact = price(chance)
    what = fact.query.removesuffix(" price")
    count, value = chance.randrange(2, 30), fact.value or 0
    target = currency(chance, but=fact.code)
    want = called(chance, target)
    first, where = searched(chance, fact, f"First I need the price of the {what}: I search for {fact.query}.")
    kind = chance.random()
    if kind < 0.4:
        asked = pick(
            chance,
            (
                f"What do {count} of the {what} at the {where} cost?",
                f"I take the {what} {count} times. What do I pay at the {where}?",
                f"We need the {what} for {count} people. What does that cost?",
                f"How much is it for {count} times the {what}?",
            ),
        )
        step, total = calculation(
            f"{count} * {value}", f"A {what} costs {value} {fact.code}. I calculate {count} * {value}."
        )
        answer, thought = f"It costs {total} {fact.code}.", f"The total is {total} {fact.code}."
        return Episode(
            "read then", dressed(chance, asked), offered(chance, SEARCH, CALCULATOR), (first, step), thought, answer
        )
    paid_thought = f"A {what} costs {value} {fact.code}. I convert {value} {fact.code} to {target}."
    if kind < 0.75:
        asked = pick(
            chance,
            (
                f"What does the {what} at the {where} cost in {want}?",
                f"How many {want} is the {what}?",
                f"The {what} is priced in {fact.code}. What is that in {want}?",
                f"Price of the {what} in {want}?",
            ),
        )
        paid = convert(chance, value, fact.code, target, paid_thought)
        answer = f"A {what} costs {value} {fact.code}, which is {paid.converted} {target}."
        tools = offered(chance, SEARCH, CURRENCY)
        return Episode("read then", dressed(chance, asked), tools, (first, paid.step), "The amount is known.", answer)
    asked = pick(
        chance,
        (
            f"What do {count} of the {what} at the {where} cost in {want}?",
            f"We are {count} and everybody wants the {what}. How many {want} is that?",
        ),
    )
    step, total = calculation(
        f"{count} * {value}", f"A {what} costs {value} {fact.code}. First I calculate {count} * {value}."
    )
    whole = float(total)
    paid = convert(chance, int(whole) if whole.is_integer() else whole, fact.code, target,
                   f"The total is {total} {fact.code}. I need it in {target}.")  # fmt: skip
    answer = f"The total is {total} {fact.code}, which is {paid.converted} {target}."
    tools = offered(chance, SEARCH, CALCULATOR, CURRENCY)
    return Episode("read then", dressed(chance, asked), tools, (first, step, paid.step), "The amount is known.", answer)


def read_then_count(chance: random.Random) -> Episode:
    """A figure that is no money, several times or shared."""
    fact = size(chance)
    while fact.query.endswith("distance"):
        fact = size(chance)
    part, word = fact.query.rsplit(" ", 1)
    count, value = chance.randrange(2, 15), int(fact.value or 0)
    unit = {"capacity": "people", "area": "square metres", "consumption": "litres"}[word]
    asked, expression = pick(
        chance,
        {
            "capacity": (
                (f"How many people can be in the {part} altogether if it is filled {count} times?", f"{count} * {value}"),
                (f"We have {count} groups in the {part}, one after the other, and it is full each time. How many people is that?",
                 f"{count} * {value}"),
            ),
            "area": (
                (f"The {part} is split into {count} equal parts. How many square metres does each have?", f"{value} / {count}"),
                (f"How much area do {count} rooms like the {part} have?", f"{count} * {value}"),
            ),
            "consumption": (
                (f"How many litres of water does the {part} use in {count} days?", f"{count} * {value}"),
                (f"What does the {part} use in {count} days?", f"{count} * {value}"),
            ),
        }[word],
    )  # fmt: skip
    first, _ = searched(chance, fact, f"First I need the {word} of the {part}: I search for {fact.query}.")
    step, total = calculation(expression, f"It says: {fact.sentence} I calculate {expression}.")
    tools = offered(chance, SEARCH, CALCULATOR)
    return Episode(
        "read then", dressed(chance, asked), tools, (first, step), f"The result is {total}.", f"It is {total} {unit}."
    )


HANDBOOKS: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (2.2, plain),
    (0.5, missing),
    (1.2, read_then),
    (0.5, read_then_count),
)
"""Each with its share."""
