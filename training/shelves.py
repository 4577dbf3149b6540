"""Questions over shelves of documents: the passage among several, and the sentence in it, have to be found.

Owns what such documents say. What a search shows is worked out as the real one does it: the passages with most of the
query's words, of the document that has the most. Lookup is the real one.
"""

import math
import random
import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from loopwright.core.messages import ToolSpec
from loopwright.toolbox.folder import Document, page
from loopwright.toolbox.passages import Opened
from loopwright.tools.result import not_found, ok
from training.documents import person, place
from training.handbooks import DAYS, DEEDS, FLOORS, OFFERS, PARTS
from training.names import any_money, coin, counted
from training.toolbox_steps import CALCULATOR, CURRENCY, LOOKUP, SEARCH, calculation, convert
from training.toolbox_tasks import offered
from training.trajectories import Episode, Step
from training.words import dressed, pick

LITTLE = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "and",
        "or",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "can",
        "could",
        "may",
        "must",
        "should",
        "will",
        "would",
        "i",
        "we",
        "you",
        "he",
        "she",
        "it",
        "they",
        "my",
        "our",
        "your",
        "me",
        "us",
        "what",
        "which",
        "who",
        "whom",
        "whose",
        "when",
        "where",
        "why",
        "how",
        "many",
        "much",
        "long",
        "often",
        "there",
        "this",
        "that",
        "these",
        "those",
        "if",
        "about",
        "as",
        "please",
        "tell",
        "say",
        "says",
        "want",
        "need",
        "know",
        "get",
        "got",
        "one",
        "does",
        "many",
        "any",
        "some",
        "called",
        "named",
        "kind",
        "not",
        "no",
        "per",
        "each",
        "into",
        "up",
        "out",
        "than",
        "then",
        "its",
        "their",
        "his",
        "her",
        "also",
        "so",
        "just",
    ]
)
"""Words that no search is made with."""
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
BEASTS = (
    "owls",
    "otters",
    "lynxes",
    "deer",
    "storks",
    "hares",
    "salmon",
    "bees",
    "swans",
    "badgers",
    "herons",
    "newts",
    "goats",
    "geese",
)
MADE_OF = (
    "oak",
    "brick",
    "sandstone",
    "steel",
    "glass",
    "slate",
    "copper",
    "concrete",
    "granite",
    "pine",
    "bronze",
    "marble",
)
FOODS = (
    "pea soup",
    "apple pie",
    "fish stew",
    "pancakes",
    "goat cheese",
    "lentil curry",
    "rye bread",
    "plum cake",
    "noodles",
    "omelette",
)
MACHINES = ("dishwasher", "lawn mower", "espresso maker", "printer", "drone", "heat pump", "sewing machine", "projector", "e-bike",
            "blender", "washing machine", "router", "scanner", "hearing aid", "telescope", "boiler", "chainsaw", "air purifier")  # fmt: skip
HOUSES = ("museum", "library", "castle", "town hall", "brewery", "botanical garden", "theatre", "youth hostel", "mill", "abbey", "zoo",
          "observatory", "swimming pool", "concert hall", "farm", "winery", "aquarium", "lighthouse", "sports club", "school")  # fmt: skip
LANDS = ("island", "valley", "village", "nature reserve", "lake", "peninsula", "town", "forest", "moor", "county")


class Said(Struct, frozen=True):
    """A sentence, what it answers, and the figure in it."""

    sentence: str
    questions: tuple[str, ...]
    value: float | None = None
    unit: str = ""
    """Of the value; a currency code where it is money."""
    about: str = ""
    """The thing of the value, in a question of two steps."""


class Shelf(Struct, frozen=True):
    """Documents, and for each its sentences."""

    documents: tuple[Document, ...]
    facts: tuple[tuple[Said, ...], ...]


def house_facts(c: random.Random, name: str) -> list[list[Said]]:
    """Sections about a house: each a list of sentences."""
    year, who, boss, n, k = c.randrange(1300, 2020), person(c), person(c), c.randrange(3, 900), c.randrange(2, 60)
    group, code, month, cost = c.randrange(20, 300), any_money(c), pick(c, MONTHS), round(c.uniform(1, 20), 1)
    opens, shuts, day, floor, beast = (
        c.randrange(7, 12),
        c.randrange(15, 23),
        pick(c, DAYS),
        pick(c, FLOORS),
        pick(c, BEASTS),
    )
    offer, part, other, food = pick(c, OFFERS), pick(c, PARTS), pick(c, PARTS), pick(c, FOODS)
    evening, wall, line, seats = c.randrange(20, 200), pick(c, MADE_OF), c.randrange(1, 99), c.randrange(20, 900)
    return [
        [
            Said(f"It goes back to {who}, who opened it in {year}.", (f"Who opened the {name}?", f"When was the {name} opened?", f"In which year did the {name} open first?")),
            Said(f"The roof beams are of {wall}.", (f"What are the roof beams of the {name} made of?", f"Which material are the roof beams of the {name}?")),
            Said(f"Since last {month} {boss} has been in charge.", (f"Who is in charge of the {name}?", f"Since when has {boss} been in charge of the {name}?")),
            Said(f"{n} volunteers keep it going.", (f"How many volunteers keep the {name} going?", f"How many volunteers does the {name} have?"), n, "volunteers", f"the number of volunteers of the {name}"),
        ],
        [
            Said(f"You may come in between {opens}:30 and {shuts}:15, except on {day}s.", (f"On which day can nobody come into the {name}?", f"From when on may I come into the {name}?", f"Between which hours may people come into the {name}?")),
            Said(f"The group rate is {group} {code}, whatever the number of guests.", (f"What is the group rate at the {name}?", f"How much is the group rate of the {name}?"), group, code, f"the group rate of the {name}"),
            Said(f"An evening in the great hall is let for {evening} {code}.", (f"For how much is the great hall of the {name} let?", f"What does an evening in the great hall of the {name} cost?"), evening, code, f"the price of an evening in the great hall of the {name}"),
            Said(f"School classes have to write {k} days ahead.", (f"How many days ahead must school classes write to the {name}?", f"How early do school classes have to write to the {name}?"), k, "days", f"the days that school classes write ahead to the {name}"),
        ],
        [
            Said(f"The {food} is {cost} {code}, and there is no other dish.", (f"What does the {food} cost at the {name}?", f"Which dish does the {name} have?", f"How much is the {food} at the {name}?"), cost, code, f"the price of the {food} at the {name}"),
            Said(f"Look for the {part} on the {floor}.", (f"On which floor of the {name} is the {part}?", f"Where in the {name} do I look for the {part}?")),
            Said(f"In the {other} it is forbidden to {pick(c, ('smoke', 'sing', 'run', 'eat', 'take photographs', 'use a telephone'))}.", (f"What is forbidden in the {other} of the {name}?", f"What may I not do in the {other}?")),
            Said(f"Whoever needs a {offer} gets it from {person(c)}.", (f"From whom do I get a {offer} at the {name}?", f"Who has a {offer} for me at the {name}?")),
        ],
        [
            Said(f"The bus of line {line} stops in front of it.", (f"Which bus stops in front of the {name}?", f"What line is the bus to the {name}?"), line, "", ""),
            Said(f"The great hall has {seats} seats.", (f"How many seats does the great hall of the {name} have?", f"How many people can sit in the great hall of the {name}?"), seats, "seats", f"the number of seats in the great hall of the {name}"),
            Said(f"Its emblem shows {beast} beside a {pick(c, ('key', 'star', 'tree', 'bell', 'wheel', 'crown'))}.", (f"What does the emblem of the {name} show?", f"Which animals are on the emblem of the {name}?")),
            Said(f"Winter tyres, skis and the like are kept by {person(c)} until {month}.", (f"Until which month are skis kept at the {name}?", f"Who keeps skis at the {name}?")),
        ],
    ]  # fmt: skip


def machine_facts(c: random.Random, name: str) -> list[list[Said]]:
    """Sections of a manual."""
    turns, thick, years, minutes = (
        c.randrange(100, 9000),
        round(c.uniform(0.3, 9), 1),
        c.randrange(2, 12),
        c.randrange(2, 90),
    )
    lights = c.sample(("red", "green", "blue", "yellow", "white", "orange", "purple"), 3)
    means = c.sample(("the lid is open", "a bag is full", "the battery is low", "the motor is too hot", "the hose is bent", "the belt is loose",
                      "no paper is left", "the sensor is dirty", "the pump is blocked", "the fuse has blown"), 3)  # fmt: skip
    every, volts, price, code = (
        pick(c, ("two weeks", "month", "spring", "half year", "ten hours of use", "50 rounds")),
        c.randrange(10, 900),
        c.randrange(10, 900),
        any_money(c),
    )
    oil, key, metres = (
        c.randrange(10, 900),
        pick(c, ("the left key", "both arrows", "the round button", "the switch below")),
        c.randrange(2, 60),
    )
    return [
        [
            Said(f"The {name} turns {turns} times a minute.", (f"How many times a minute does the {name} turn?", f"How fast does the {name} turn?"), turns, "times", f"the number of times that the {name} turns in a minute"),
            Said(f"Its blade is {thick} millimetres thick.", (f"How thick is the blade of the {name}?", f"How many millimetres has the blade of the {name}?"), thick, "millimetres", f"the thickness of the blade of the {name}"),
            Said(f"It works up to a distance of {metres} metres.", (f"Up to what distance does the {name} work?", f"How many metres away does the {name} still work?"), metres, "metres", f"the distance at which the {name} works"),
            Said(f"Only {volts} volts are good for it.", (f"How many volts are good for the {name}?", f"Which voltage does the {name} want, in volts?"), volts, "volts", f"the volts that are good for the {name}"),
        ],
        [
            Said(f"A {lights[0]} light says that {means[0]}.", (f"What does a {lights[0]} light on the {name} say?", f"The {name} has a {lights[0]} light. What is wrong?")),
            Said(f"With a {lights[1]} light, {means[1]}.", (f"The light of my {name} is {lights[1]}, why?", f"What is it when the {name} has a {lights[1]} light?")),
            Said(f"When {means[2]}, a {lights[2]} light comes on.", (f"Which light comes on when {means[2]}?", f"When does the {lights[2]} light of the {name} come on?")),
        ],
        [
            Said(f"Oil the wheels every {every} with {oil} drops.", (f"When do I have to oil the wheels of the {name}?", f"With how many drops are the wheels of the {name} oiled?"), oil, "drops", f"the drops of oil for the wheels of the {name}"),
            Said(f"For a restart hold {key} down.", (f"What must I hold down for a restart of the {name}?", f"How does a restart of the {name} work?")),
            Said(f"It cools down in {minutes} minutes.", (f"How many minutes does the {name} need to cool down?", f"In what time does the {name} cool down?"), minutes, "minutes", f"the minutes in which the {name} cools down"),
        ],
        [
            Said(f"Spare parts are kept for {years} years.", (f"For how many years are spare parts of the {name} kept?", f"How long are there spare parts for the {name}?"), years, "years", f"the years for which spare parts of the {name} are kept"),
            Said(f"The maker asks {price} {code} for a new belt.", (f"What does a new belt for the {name} cost?", f"How much does the maker of the {name} ask for a new belt?"), price, code, f"the price of a new belt for the {name}"),
            Said(f"In {place(c)} it is mended by {person(c)}.", (f"Who mends the {name}?", f"Where is the {name} mended?")),
        ],
    ]  # fmt: skip


def land_facts(c: random.Random, name: str) -> list[list[Said]]:
    """Sections about a stretch of land."""
    farms, sheep, year, tree = (
        c.randrange(4, 900),
        c.randrange(50, 9000),
        c.randrange(900, 1990),
        pick(c, ("oak", "yew", "lime tree", "beech", "larch")),
    )
    age, fare, code, town = c.randrange(90, 1200), c.randrange(2, 60), any_money(c), place(c)
    beast, month, turbines, guide, day = pick(c, BEASTS), pick(c, MONTHS), c.randrange(2, 300), person(c), pick(c, DAYS)
    goods, marsh, metres = (
        pick(c, ("baskets", "honey", "salt", "boats", "lace", "pottery", "wool", "cider")),
        place(c),
        c.randrange(2, 90),
    )
    return [
        [
            Said(f"{name} consists of {farms} farms.", (f"How many farms does {name} consist of?", f"How many farms are there in {name}?"), farms, "farms", f"the number of farms in {name}"),
            Said(f"The market, held every {day}, is in {town}.", (f"On which day is the market of {name}?", f"In which place is the market of {name} held?")),
            Said(f"Since {year} it has belonged to the family of {person(c)}.", (f"To whose family does {name} belong?", f"Since when has {name} belonged to its family?")),
        ],
        [
            Said(f"The oldest tree, a {tree}, is {age} years old.", (f"How old is the oldest tree of {name}?", f"What kind of tree is the oldest tree of {name}?"), age, "years", f"the age of the oldest tree of {name}"),
            Said(f"Rare {beast} rest in the {marsh} marsh in {month}.", (f"In which month do the {beast} rest in {name}?", f"Where do the {beast} rest in {name}?")),
            Said(f"{sheep} sheep graze there.", (f"How many sheep graze in {name}?", f"How many sheep does {name} have?"), sheep, "sheep", f"the number of sheep in {name}"),
        ],
        [
            Said(f"A path of {metres} kilometres leads around it.", (f"How long is the path around {name}?", f"How many kilometres is the path around {name}?"), metres, "kilometres", f"the length of the path around {name}"),
            Said(f"A walk with {guide} is {fare} {code}.", (f"What does a walk with {guide} cost?", f"Who takes people for a walk in {name}?"), fare, code, f"the price of a walk with {guide}"),
            Said(f"Camping needs a permit from {person(c)}.", (f"From whom do I need a permit for camping in {name}?", f"Who gives the permit for camping in {name}?")),
        ],
        [
            Said(f"{turbines} wind turbines stand in the south.", (f"How many wind turbines stand in {name}?", f"Where in {name} do the wind turbines stand?"), turbines, "wind turbines", f"the number of wind turbines in {name}"),
            Said(f"People live on making {goods}.", (f"What do people in {name} live on?", f"What is made in {name}?")),
            Said(f"The church bell, cast in {year}, is called {place(c)}.", (f"What is the church bell of {name} called?", f"When was the church bell of {name} cast?")),
        ],
    ]  # fmt: skip


def office_facts(c: random.Random, name: str) -> list[list[Said]]:
    """Sections of the rules of a firm or a house."""
    bonus, notice, breaks, code, page_, phone = (
        c.randrange(50, 4000),
        c.randrange(2, 26),
        c.randrange(10, 90),
        any_money(c),
        round(c.uniform(0.05, 2), 2),
        c.randrange(10, 120),
    )
    deed, other, who, boss, gift = pick(c, DEEDS), pick(c, DEEDS), person(c), person(c), c.randrange(5, 150)
    weeks, limit, room, talks = c.randrange(2, 20), c.randrange(50, 900), pick(c, PARTS), c.randrange(1, 9)
    return [
        [
            Said(f"Whoever leaves {name} gives notice {notice} weeks before.", ("How many weeks before must I give notice?", f"How long is the notice at {name}?"), notice, "weeks", "the weeks of notice"),
            Said(f"A break lasts {breaks} minutes.", ("How many minutes does a break last?", f"How long is a break at {name}?"), breaks, "minutes", "the minutes that a break lasts"),
            Said(f"Every worker talks to {boss} {talks} times a year.", ("How many times a year does every worker have a talk with the boss?", f"With whom does every worker of {name} talk?"), talks, "times", "the number of talks that every worker has in a year"),
        ],
        [
            Said(f"At the end of the year there is a bonus of {bonus} {code}.", ("How high is the bonus at the end of the year?", "What bonus is there at the end of the year?"), bonus, code, "the bonus at the end of the year"),
            Said(f"A printed page is charged with {page_} {code}.", ("What is charged for a printed page?", "How much is a printed page?"), page_, code, "the charge for a printed page"),
            Said(f"For the telephone {name} pays {phone} {code} a month.", ("What is paid for the telephone a month?", f"How much does {name} pay for the telephone?"), phone, code, "the monthly pay for the telephone"),
            Said(f"Presents worth more than {gift} {code} are given back.", ("Which presents are given back?", "From what worth on are presents given back?")),
        ],
        [
            Said(f"{who} is the one to ask to {deed}.", (f"Who is the one to ask to {deed}?", f"I have to {deed}. Whom can I ask?")),
            Said(f"Nobody is let into the {room} after {c.randrange(17, 24)}:00.", (f"After what time is nobody let into the {room}?", f"Until when are people let into the {room}?")),
            Said(f"Whoever wants to {other} has {weeks} weeks.", (f"How many weeks do I have to {other}?", f"How long do I have to {other}?"), weeks, "weeks", f"the weeks that one has to {other}"),
        ],
        [
            Said(f"Orders above {limit} {code} need the word of {boss}.", (f"Whose word is needed for orders above {limit} {code}?", "Which orders need the word of the boss?")),
            Said(f"The door code is {c.randrange(1000, 9999)} and changes every {pick(c, DAYS)}.", ("What is the door code?", "On which day does the door code change?")),
            Said(f"A visitor gets a {pick(c, ('badge', 'helmet', 'key card', 'sticker', 'vest'))} from {person(c)}.", ("What does a visitor get?", "From whom does a visitor get something at the entrance?")),
        ],
    ]  # fmt: skip


HEADINGS = ("General", "Visits", "Good to know", "Details", "The house", "Prices and times", "More", "Questions", "People", "Use", "Rules",
            "Getting there", "Around", "Service", "Numbers", "Everyday life", "What else", "History", "Notes", "In short")  # fmt: skip


def one_document(c: random.Random) -> tuple[Document, tuple[Said, ...]]:
    """A document with its facts in passages below headings."""
    kind = c.randrange(4)
    if kind == 0:
        short = pick(c, HOUSES)
        name = f"{place(c)} {short.title() if c.random() < 0.4 else short}"
        sections = house_facts(c, name)
    elif kind == 1:
        name = f"{place(c)} {pick(c, (c.randrange(2, 900), 'Pro', 'Mini', 'XL', 'S'))}"
        short = pick(c, MACHINES)
        sections = machine_facts(c, pick(c, (name, f"{name} {short}")))
    elif kind == 2:
        name = place(c)
        short = pick(c, LANDS)
        sections = land_facts(c, name)
    else:
        name = f"{place(c)} {pick(c, ('Ltd', 'Works', 'House', 'and Sons', 'Group', 'Media'))}"
        short = "staff"
        sections = office_facts(c, name)
    c.shuffle(sections)
    sections = sections[: c.randrange(2, 5)]
    heads = c.sample(HEADINGS, len(sections))
    passages = list[str]()
    for number, section in enumerate(sections):
        c.shuffle(section)
        text = " ".join(said.sentence for said in section)
        head = (
            f"# {pick(c, ('About the', 'Guide:', 'Handbook:', 'The', ''))} {name}".replace("#  ", "# ")
            if number == 0
            else f"## {heads[number]}"
        )
        passages.append(f"{head}\n{text}" if c.random() < 0.8 else text)
    file = re.sub(r"\W+", "_", pick(c, (name, short, f"{short} guide", heads[0])).lower()).strip("_")
    facts = tuple(said for section in sections for said in section)
    return Document(f"{file}.{pick(c, ('md', 'md', 'txt'))}", tuple(passages)), facts


def shelf(c: random.Random) -> Shelf:
    """One to four documents."""
    made = [one_document(c) for _ in range(c.randrange(1, 5))]
    found = {document.name: (document, facts) for document, facts in made}
    return Shelf(tuple(document for document, _ in found.values()), tuple(facts for _, facts in found.values()))


def keywords(question: str) -> list[str]:
    """The words of a question that a search is made with."""
    words = re.findall(r"[\w-]+", re.sub(r"'s\b", "", question))
    return [word for word in words if word.lower() not in LITTLE][:5]


def stem(word: str) -> str:
    """About what two forms of a word have in common."""
    return re.sub(r"(?:ies|es|s|ing|ed)$", "", word.lower())


def best(books: Shelf, query: str) -> list[tuple[Document, list[int]]]:
    """Documents that match, best first, each with its best three passages in the order of the text."""
    wanted = {stem(word) for word in re.findall(r"\w+", query)}
    texts = [
        (document, number, [stem(word) for word in re.findall(r"\w+", f"{passage}")])
        for document in books.documents
        for number, passage in enumerate(document.passages)
    ]
    rarity = {word: math.log(1 + len(texts) / (1 + sum(word in text for _, _, text in texts))) for word in wanted}
    scored: dict[str, list[tuple[float, int]]] = {}
    for document, number, text in texts:
        score = sum(rarity[word] for word in wanted if word in text) / (1 + len(text) / 60)
        if score > 0:
            scored.setdefault(document.name, []).append((score, number))
    by_name = {document.name: document for document in books.documents}
    ranked = [(by_name[name], sorted(hits, reverse=True)[:3]) for name, hits in scored.items()]
    ranked.sort(key=lambda one: -sum(score for score, _ in one[1]))
    return [(document, sorted(number for _, number in hits)) for document, hits in ranked]


def searching(c: random.Random, books: Shelf, query: str, thought: str) -> tuple[Step, str, Document | None]:
    """A search, what it showed, and the document that is open now."""
    found = best(books, query)
    if not found:
        names = ", ".join(document.name for document in books.documents)
        return (
            Step(
                thought, SEARCH.name, {"query": query}, not_found(f"no document mentions {query!r}; there are {names}")
            ),
            "",
            None,
        )
    document, numbers = found[0]
    others = ", ".join(other.name for other, _ in found[1:4])
    shown = page(document, numbers)
    return (
        Step(thought, SEARCH.name, {"query": query}, ok(shown, f"also in {others}" if others else "")),
        shown,
        document,
    )


def reading(c: random.Random, books: Shelf, question: str, said: Said) -> list[Step] | None:
    """The steps until the sentence is read; None where it is not found so."""
    words = keywords(question)
    if not words:
        return None
    names = [word for word in words if word[0].isupper()]
    query = " ".join(names if names and c.random() < 0.15 else words)
    first, shown, document = searching(
        c, books, query, pick(c, (f"I search the documents for {query}.", f"The documents may say it: {query}."))
    )
    if said.sentence in shown:
        return [first]
    if document is None:
        return None
    for word in sorted(words, key=len, reverse=True):
        result = Opened(document.name, document.passages).look_up(word)
        if result.status == "ok" and said.sentence in str(bytes(result.data).decode()):
            thought = f"These passages do not say it. I look for {word} in the document."
            return [first, Step(thought, LOOKUP.name, {"text": word}, result)]
    return None


def tools(c: random.Random) -> tuple[ToolSpec, ...]:
    """Search and lookup, often among others."""
    return (SEARCH, LOOKUP) if c.random() < 0.5 else offered(c, SEARCH, LOOKUP)


def chosen(c: random.Random) -> tuple[Shelf, Said]:
    """A shelf and one of its sentences."""
    books = shelf(c)
    return books, pick(c, pick(c, books.facts))


def read(c: random.Random) -> Episode:
    """A sentence out of a shelf."""
    while True:
        books, said = chosen(c)
        question = pick(c, said.questions)
        steps = reading(c, books, question, said)
        if steps is not None:
            break
    thought = f"{pick(c, ('The passage that fits says: ', 'It says: '))}{said.sentence}"
    return Episode("documents", dressed(c, question), tools(c), tuple(steps), thought, said.sentence)


def not_said(c: random.Random) -> Episode:
    """What the shelf does not say: a search, at times a lookup, and then the answer that it is not there."""
    while True:
        books, said = chosen(c)
        stranger = pick(c, pick(c, shelf(c).facts))
        question = pick(c, stranger.questions if c.random() < 0.4 else said.questions)
        dropped = tuple(
            Document(
                d.name, tuple(p.replace(f"{said.sentence} ", "").replace(said.sentence, "").strip() for p in d.passages)
            )
            for d in books.documents
        )
        books = Shelf(tuple(Document(d.name, tuple(p for p in d.passages if p)) for d in dropped), books.facts)
        words = keywords(question)
        if (
            words
            and all(d.passages for d in books.documents)
            and not any(
                other.sentence != said.sentence and question in other.questions
                for facts in books.facts
                for other in facts
            )
        ):
            break
    query = " ".join(words)
    first, _, document = searching(c, books, query, f"I search the documents for {query}.")
    steps = [first]
    if document is None:
        answer = pick(
            c, (f"I found nothing about {query} in the documents.", f"No document mentions {query}, so I do not know.")
        )
        return Episode("documents", dressed(c, question), tools(c), (first,), "No document mentions it.", answer)
    word = max(words, key=len)
    if c.random() < 0.35:
        result = Opened(document.name, document.passages).look_up(word)
        if result.status != "ok":
            steps.append(
                Step(
                    f"These passages do not say it. I look for {word} in the document.",
                    LOOKUP.name,
                    {"text": word},
                    result,
                )
            )
    answer = pick(c, ("The documents do not say that.", f"I could not find that out: the documents do not say it, {document.name} is about something else.",
                      "That is not in the documents."))  # fmt: skip
    return Episode(
        "documents", dressed(c, question), tools(c), tuple(steps), "None of the sentences answers it.", answer
    )


def worked_out(c: random.Random) -> Episode:
    """A figure out of a shelf, and then a sum, a conversion, or both."""
    while True:
        books, said = chosen(c)
        if said.value is None or not said.about:
            continue
        is_money = said.unit.isupper()
        n, other = c.randrange(2, 30), c.randrange(1, 400)
        count, value = counted(c, n), said.value
        asked, form = product(c, said, n, count, other) if not is_money or c.random() < 0.5 else ("", "")
        target = any_money(c, but=said.unit)
        if not asked:
            asked = pick(c, (f"What is {said.about} in {coin(c, target)}?", f"How many {coin(c, target)} is {said.about}?",
                             f"Convert {said.about} to {coin(c, target)}.", f"{said.about}: how much in {coin(c, target)}?"))  # fmt: skip
        steps = reading(c, books, said.about, said)
        if steps is not None and len(steps) == 1:
            break
    query = steps[0].arguments["query"]
    first = Step(
        f"First the figure has to be found: I search for {query}.", SEARCH.name, {"query": query}, steps[0].result
    )
    unit = said.unit
    if form:
        step, result = calculation(
            form.format(v=value), f"It says: {said.sentence} I calculate {form.format(v=value)}."
        )
        needed, done = offered(c, SEARCH, LOOKUP, CALCULATOR), f"It is {result} {unit}."
        return Episode("read then", dressed(c, asked), needed, (first, step), f"The result is {result} {unit}.", done)
    paid = convert(
        c,
        int(value) if float(value).is_integer() else value,
        unit,
        target,
        f"It says: {said.sentence} I convert {value} {unit} to {target}.",
    )
    needed, answer = offered(c, SEARCH, LOOKUP, CURRENCY), f"{paid.sentence}."
    return Episode("read then", dressed(c, asked), needed, (first, paid.step), "The amount is known.", answer)


def product(c: random.Random, said: Said, n: int, count: str, other: int) -> tuple[str, str]:
    """A question that needs a figure, and the expression with `{v}` for it."""
    about, unit = said.about, "money" if said.unit.isupper() else said.unit
    many: Sequence[tuple[str, str]] = (
        (f"{count.capitalize()} people each pay {about}. How much is it altogether?", f"{n} * {{v}}") if unit == "money" else
        (f"How many {unit} are {count} times {about}?", f"{n} * {{v}}"),
        (f"What is {count} times {about}?", f"{n} * {{v}}"),
        (f"If I pay {about} {n} times, what is the total?", f"{n} * {{v}}") if unit == "money" else
        (f"Look up {about} and multiply by {n}. How many {unit} is it?", f"{n} * {{v}}"),
        (f"Look up {about} and subtract {other}.", f"{{v}} - {other}"),
        (f"What is {about} plus {other}?", f"{{v}} + {other}"),
        (f"Find {about} and divide it by {n}.", f"{{v}} / {n}"),
        (f"Half of {about}, how much is that?", "{v} / 2"),
    )  # fmt: skip
    return pick(c, many)


SHELVES: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (3.2, read),
    (0.9, not_said),
    (1.6, worked_out),
)
"""Each with its share."""
