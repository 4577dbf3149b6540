"""Questions over documents: search, read, look further, answer from what was read or say that it is not there.

The documents are invented, so nothing can be remembered. Trajectories of real models may be added (`recorded`).
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from loopwright.toolbox.folder import Document, page
from loopwright.tools.result import not_found, ok
from training.toolbox_steps import CALCULATOR, LOOKUP, SEARCH, calculation
from training.toolbox_tasks import offered
from training.trajectories import Episode, Step
from training.words import dressed, pick

HEADS = ("Hal", "Bren", "Mor", "Tel", "Vas", "Kor", "Lun", "Ost", "Per", "Quel", "Rav", "Sil", "Tor", "Ulm", "Wen", "Yar",
         "Zan", "Ald", "Bel", "Cor", "Dun", "Els", "Fal", "Gar", "Hol", "Ing", "Jar", "Kel", "Lor", "Mal", "Nor")  # fmt: skip
TAILS = ("den", "stad", "wick", "ford", "mere", "by", "ton", "bach", "vik", "holm", "gate", "field", "berg", "dale",
         "more", "sund", "ridge", "haven", "brook", "stone", "wold", "ley")  # fmt: skip
FIRST = ("Ada", "Bruno", "Clara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Irma", "Jens", "Karin", "Leon", "Marta",
         "Nils", "Olga", "Pavel", "Rosa", "Stefan", "Tuula", "Ugo", "Vera", "Wim", "Ximena", "Yara", "Zeno")  # fmt: skip
KINDS = ("bridge", "museum", "library", "lighthouse", "school", "tower", "hospital", "theatre", "station", "brewery",
         "dam", "factory", "castle", "observatory", "market hall", "swimming pool", "monastery", "stadium")  # fmt: skip
GOODS = ("bicycles", "cheese", "clocks", "paper", "glass", "boats", "chairs", "chocolate", "soap", "violins", "paint",
         "shoes", "maps", "lamps", "pianos", "wool", "tea", "bricks")  # fmt: skip
COLOURS = ("red", "green", "blue", "white", "grey", "yellow", "black", "brown")


class Subject:
    """An invented thing, with facts about it: sentence, questions, answer."""

    def __init__(self, chance: random.Random) -> None:
        self.name, self.kind, self.facts = pick(chance, (_building, _company, _person, _product, _rule))(chance)
        chance.shuffle(self.facts)


Fact = tuple[str, tuple[str, ...], str]
"""A sentence of the document, questions that it answers, and the answer."""


def place(chance: random.Random) -> str:
    """A name that no map has."""
    return pick(chance, HEADS) + pick(chance, TAILS)


def person(chance: random.Random) -> str:
    """First name and surname."""
    return f"{pick(chance, FIRST)} {place(chance)}"


def _building(chance: random.Random) -> tuple[str, str, list[Fact]]:
    kind, where, who = pick(chance, KINDS), place(chance), person(chance)
    name = f"{where} {kind.title()}" if chance.random() < 0.6 else f"{kind} of {where}"
    it, year, metres, count = (
        f"the {name}",
        chance.randrange(1200, 2024),
        chance.randrange(8, 900),
        chance.randrange(9, 4000),
    )
    rooms, price = chance.randrange(2, 90), chance.randrange(2, 40)
    opens, closes = chance.randrange(6, 12), chance.randrange(15, 23)
    facts: list[Fact] = [
        (f"The {name} was built in {year}.", (f"When was {it} built?", f"In which year was {it} built?", f"How old is {it}, when was it built?"), f"It was built in {year}."),
        (f"It was designed by {who}.", (f"Who designed {it}?", f"Who was the architect of {it}?"), f"It was designed by {who}."),
        (f"It is {metres} metres high.", (f"How high is {it}?", f"What is the height of {it}?"), f"It is {metres} metres high."),
        (f"About {count} people visit it every week.", (f"How many people visit {it} every week?",), f"About {count} people visit it every week."),
        (f"It has {rooms} rooms.", (f"How many rooms does {it} have?",), f"It has {rooms} rooms."),
        (f"It opens at {opens}:00 and closes at {closes}:00.", (f"When does {it} open?", f"What are the opening hours of {it}?", f"When does {it} close?"), f"It opens at {opens}:00 and closes at {closes}:00."),
        (f"A ticket costs {price} euros.", (f"How much is a ticket for {it}?", f"What does a ticket for {it} cost?"), f"A ticket costs {price} euros."),
        (f"Its roof is {(c := pick(chance, COLOURS))}.", (f"What colour is the roof of {it}?",), f"Its roof is {c}."),
    ]  # fmt: skip
    return name, kind, facts


def _company(chance: random.Random) -> tuple[str, str, list[Fact]]:
    goods, where, who, boss = pick(chance, GOODS), place(chance), person(chance), person(chance)
    name = f"{place(chance)} {pick(chance, ('Works', 'Brothers', 'Ltd', 'Company', 'and Sons', 'Group'))}"
    year, staff, sold = chance.randrange(1800, 2024), chance.randrange(4, 9000), chance.randrange(100, 90_000)
    facts: list[Fact] = [
        (f"{name} makes {goods}.", (f"What does {name} make?", f"What does {name} produce?"), f"{name} makes {goods}."),
        (f"The company was founded in {year} by {who}.", (f"Who founded {name}?", f"When was {name} founded?", f"In which year was {name} founded and by whom?"), f"It was founded in {year} by {who}."),
        (f"Its head office is in {where}.", (f"Where is the head office of {name}?", f"In which town does {name} have its head office?"), f"Its head office is in {where}."),
        (f"It has {staff} employees.", (f"How many employees does {name} have?", f"How many people work at {name}?"), f"It has {staff} employees."),
        (f"The director is {boss}.", (f"Who is the director of {name}?", f"Who leads {name}?"), f"The director is {boss}."),
        (f"Last year it sold {sold} {goods}.", (f"How many {goods} did {name} sell last year?",), f"Last year it sold {sold} {goods}."),
    ]  # fmt: skip
    return name, "company", facts


def _person(chance: random.Random) -> tuple[str, str, list[Fact]]:
    name, where, other = person(chance), place(chance), person(chance)
    job = pick(chance, ("painter", "engineer", "composer", "botanist", "sailor", "poet", "chemist", "baker", "mayor"))
    born = chance.randrange(1600, 1990)
    prize, langs = chance.randrange(born + 20, born + 70), chance.randrange(2, 9)
    facts: list[Fact] = [
        (f"{name} was born in {born} in {where}.", (f"When was {name} born?", f"Where was {name} born?", f"In which town was {name} born?"), f"{name} was born in {born} in {where}."),
        (f"{name} was a {job}.", (f"What was the profession of {name}?", f"What did {name} do for a living?"), f"{name} was a {job}."),
        (f"In {prize} the town gave {name} a prize.", (f"When did {name} get a prize?", f"In which year did {name} receive a prize?"), f"In {prize}."),
        (f"{name} was married to {other}.", (f"Who was {name} married to?", f"To whom was {name} married?"), f"{name} was married to {other}."),
        (f"{name} spoke {langs} languages.", (f"How many languages did {name} speak?",), f"{name} spoke {langs} languages."),
    ]  # fmt: skip
    return name, "person", facts


def _product(chance: random.Random) -> tuple[str, str, list[Fact]]:
    thing = pick(
        chance, ("kettle", "drill", "printer", "camera", "stove", "radio", "scooter", "heater", "router", "oven")
    )
    name = f"{place(chance)} {chance.randrange(10, 990)} {thing}"
    watts, grams, months, price = (chance.randrange(5, 3000), chance.randrange(100, 9000), chance.randrange(6, 61),
                                   chance.randrange(9, 900))  # fmt: skip
    key = pick(chance, ("the red button", "both keys", "the power key", "the small switch"))
    secs = chance.randrange(2, 30)
    facts: list[Fact] = [
        (f"The {name} uses {watts} watts.", (f"How many watts does the {name} use?", f"What is the power of the {name}?"), f"It uses {watts} watts."),
        (f"It weighs {grams} grams.", (f"How heavy is the {name}?", f"What does the {name} weigh?"), f"It weighs {grams} grams."),
        (f"The warranty lasts {months} months.", (f"How long is the warranty of the {name}?", f"How long does the warranty on the {name} last?"), f"The warranty lasts {months} months."),
        (f"It costs {price} euros.", (f"What does the {name} cost?", f"How much is the {name}?"), f"It costs {price} euros."),
        (f"To reset it, hold {key} for {secs} seconds.", (f"How do I reset the {name}?", f"How can the {name} be reset?"), f"Hold {key} for {secs} seconds."),
    ]  # fmt: skip
    return name, "product", facts


def _rule(chance: random.Random) -> tuple[str, str, list[Fact]]:
    topic = pick(chance, ("parking", "holidays", "returns", "travel", "home office", "library loans", "sick leave", "pets",
                          "recycling", "guests", "deliveries", "passwords", "expenses", "room booking"))  # fmt: skip
    days, fee, limit, who = chance.randrange(2, 60), chance.randrange(2, 200), chance.randrange(2, 40), person(chance)
    name = f"Rules for {topic}"
    facts: list[Fact] = [
        (f"For {topic}, a request must be made {days} days before.", (f"How many days before must a request for {topic} be made?", f"How early do I have to ask for {topic}?"), f"A request must be made {days} days before."),
        (f"The fee for {topic} is {fee} euros.", (f"What is the fee for {topic}?", f"How high is the fee for {topic}?"), f"The fee is {fee} euros."),
        (f"Questions about {topic} are answered by {who}.", (f"Who answers questions about {topic}?", f"Whom do I ask about {topic}?"), f"Questions about {topic} are answered by {who}."),
        (f"No more than {limit} are allowed a year.", (f"How many are allowed a year under the rules for {topic}?",), f"No more than {limit} are allowed a year."),
    ]  # fmt: skip
    return name, "rules", facts


def document(chance: random.Random, subject: Subject) -> Document:
    """The facts in one or several passages, with a heading."""
    name = re.sub(r"\W+", "_", subject.name.lower()).strip("_") + pick(chance, (".md", ".txt"))
    if chance.random() < 0.3:
        name = f"{pick(chance, ('notes', 'info', 'docs', 'wiki'))}/{name}"
    sentences = [sentence for sentence, _, _ in subject.facts]
    size = pick(chance, (1, 2, 3, 8))
    groups = [" ".join(sentences[at : at + size]) for at in range(0, len(sentences), size)]
    if chance.random() < 0.6:
        groups[0] = f"# {subject.name[0].upper()}{subject.name[1:]}\n{groups[0]}"
    return Document(name, tuple(groups))


def _found(chance: random.Random, subject: Subject, wanted: str) -> tuple[Document, list[int]]:
    """The document and the passages that a search shows: the wanted one is among them."""
    read = document(chance, subject)
    at = next(number for number, passage in enumerate(read.passages) if wanted in passage)
    others = [number for number in range(len(read.passages)) if number != at]
    shown = sorted([at, *chance.sample(others, min(len(others), 2))])
    return read, shown


def answered(chance: random.Random) -> Episode:
    """The passage that was found says it."""
    subject = Subject(chance)
    sentence, questions, answer = pick(chance, subject.facts)
    read, shown = _found(chance, subject, sentence)
    note = ""
    if chance.random() < 0.4:
        note = f"also in {place(chance).lower()}.md"
    query, thought = _query(chance, subject, sentence)
    step = Step(thought, SEARCH.name, {"query": query}, ok(page(read, shown), note))
    said = pick(chance, ("The document says it: ", "The passage says: ", "It says: "))
    asked = dressed(chance, pick(chance, questions))
    return Episode("documents", asked, _tools(chance), (step,), f"{said}{sentence}", answer)


def _query(chance: random.Random, subject: Subject, sentence: str) -> tuple[str, str]:
    del sentence
    name = subject.name
    return name, pick(
        chance, (f"I search for {name}.", f"I need to find {name} in the documents.", f"I look up {name}.")
    )


def _tools(chance: random.Random) -> tuple[Any, ...]:
    if chance.random() < 0.5:
        return (SEARCH, LOOKUP) if chance.random() < 0.8 else (SEARCH,)
    return offered(chance, SEARCH, LOOKUP)


def looked_up(chance: random.Random) -> Episode:
    """The passages shown do not say it; lookup finds the place."""
    subject = Subject(chance)
    while len(subject.facts) < 4:
        subject = Subject(chance)
    sentence, questions, answer = subject.facts[-1]
    read = Document(document(chance, subject).name, tuple(fact[0] for fact in subject.facts))
    step = Step(_query(chance, subject, sentence)[1], SEARCH.name, {"query": subject.name}, ok(page(read, [0, 1])))
    question = pick(chance, questions)
    word = _word(question, sentence, subject.name)
    if word is None:
        return answered(chance)
    seen = ok(f"(Result 1 / 1) {sentence}")
    thought = f"The passages do not say it. I look for {word} in the document."
    second = Step(thought, LOOKUP.name, {"text": word}, seen)
    tools = (SEARCH, LOOKUP) if chance.random() < 0.6 else offered(chance, SEARCH, LOOKUP)
    return Episode("documents", dressed(chance, question), tools, (step, second), f"It says: {sentence}", answer)


def _word(question: str, sentence: str, name: str) -> str | None:
    """A telling word that stands in the question and in the sentence."""
    there = set(re.findall(r"[a-z]{4,}", sentence))
    words = [word for word in re.findall(r"[a-z]{4,}", question) if word in there and word not in name.lower()]
    words = [word for word in words if word not in ("does", "have", "what", "last", "year", "many", "with", "that")]
    return max(words, key=len) if words else None


def not_there(chance: random.Random) -> Episode:
    """No document mentions it, or the one that does, does not say it."""
    subject = Subject(chance)
    sentence, questions, _ = subject.facts[0]
    question = dressed(chance, pick(chance, questions))
    query, thought = _query(chance, subject, sentence)
    if chance.random() < 0.5:
        names = ", ".join(f"{place(chance).lower()}.md" for _ in range(chance.randrange(1, 4)))
        step = Step(
            thought, SEARCH.name, {"query": query}, not_found(f"no document mentions {query!r}; there are {names}")
        )
        answer = pick(
            chance,
            (
                f"The documents do not mention {subject.name}.",
                f"I found nothing about {subject.name} in the documents.",
            ),
        )
        return Episode("documents", question, _tools(chance), (step,), "No document mentions it.", answer)
    rest = Subject.__new__(Subject)
    rest.name, rest.kind, rest.facts = subject.name, subject.kind, subject.facts[1:3]
    read = document(chance, rest)
    step = Step(thought, SEARCH.name, {"query": query}, ok(page(read, list(range(len(read.passages))))))
    answer = pick(chance, ("The documents do not say that.", f"The document about {subject.name} does not say that."))
    return Episode("documents", question, _tools(chance), (step,), "The document does not say it.", answer)


def two_subjects(chance: random.Random) -> Episode:
    """Two searches, and which number is larger, or the difference."""
    one, two = Subject(chance), Subject(chance)
    kind, unit, question, word = pick(
        chance,
        (
            ("built", "", "Which is older, the {a} or the {b}?", "older"),
            ("metres", " metres", "Which is higher, the {a} or the {b}?", "higher"),
            ("employees", " employees", "Who has more employees, {a} or {b}?", "more"),
        ),
    )
    maker = _company if kind == "employees" else _building
    (one.name, _, facts), (two.name, _, more) = maker(chance), maker(chance)
    place_of = {"built": 0, "metres": 2, "employees": 3}[kind]
    one.facts, two.facts = [facts[place_of], *facts[4:6]], [more[place_of], *more[4:6]]
    x, y = (int(re.findall(r"\d+", subject.facts[0][0])[-1]) for subject in (one, two))
    if x == y:
        return answered(chance)
    steps = [
        Step(f"I search for {subject.name}{' first' if subject is one else ' now'}.", SEARCH.name, {"query": subject.name},
             ok(page(read := document(chance, subject), list(range(len(read.passages))))))
        for subject in (one, two)
    ]  # fmt: skip
    text = question.format(a=one.name, b=two.name)
    if kind != "built" and chance.random() < 0.3:
        asked = (
            f"How many{unit} more does {one.name if x > y else two.name} have than {two.name if x > y else one.name}?"
        )
        if kind == "metres":
            asked = f"What is the difference in height between the {one.name} and the {two.name} in metres?"
        high, low = max(x, y), min(x, y)
        step, result = calculation(f"{high} - {low}", f"The numbers are {x} and {y}. I calculate the difference.")
        tools = (SEARCH, LOOKUP, CALCULATOR) if chance.random() < 0.5 else offered(chance, SEARCH, CALCULATOR)
        order = steps if x > y or kind == "metres" else [
            Step(f"I search for {two.name} first.", SEARCH.name, steps[1].arguments, steps[1].result),
            Step(f"I search for {one.name} now.", SEARCH.name, steps[0].arguments, steps[0].result)]  # fmt: skip
        if order is not steps:
            step = Step(
                f"The numbers are {y} and {x}. I calculate the difference.", step.tool, step.arguments, step.result
            )
        return Episode("documents", dressed(chance, asked), tools, (*order, step), f"The difference is {result}.",
                       f"The difference is {result}{unit}.")  # fmt: skip
    first_wins = x < y if kind == "built" else x > y
    best = one.name if first_wins else two.name
    sign = "less than" if x < y else "more than"
    thought = (
        f"{x} is {sign} {y}, so {best} is {word}." if kind != "employees" else f"{x} is {sign} {y}, so {best} has more."
    )
    answer = f"{best} is {word} ({x} and {y})." if kind != "employees" else f"{best} has more employees ({x} and {y})."
    return Episode("documents", dressed(chance, text), _tools(chance), tuple(steps), thought, answer)


DOCUMENTS: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (2.0, answered),
    (0.9, looked_up),
    (0.8, not_there),
    (0.7, two_subjects),
)
"""Each with its share."""

_ACTION = re.compile(r"(?P<thought>.*?)\s*Action(?: \d+)?: (?P<name>\w+)\[(?P<text>[^\]]*)\]\s*$", re.DOTALL)


def recorded(file: Path, longest: int = 900) -> Iterator[Episode]:
    """Episodes that real models went through with search and lookup, and that ended with the right answer.

    Args:
        file: JSON lines with `question`, `steps` of `reply` and `observation`, and `em`
        longest: characters of an observation; what is longer is cut at a sentence
    """
    for line in file.read_text().splitlines():
        run = json.loads(line)
        if run.get("em") == 1 and {name.lower() for name in run["tools"]} <= {"search", "lookup"}:
            found = _recorded(run, longest)
            if found is not None:
                yield found


def _recorded(run: dict[str, Any], longest: int) -> Episode | None:
    steps: list[Step] = []
    for step in run["steps"]:
        parts = _ACTION.fullmatch(step["reply"].strip().removeprefix("Thought:").strip())
        if parts is None or "\n" in parts["thought"].strip():
            return None
        thought, name, text = parts["thought"].strip(), parts["name"].lower(), parts["text"].strip()
        thought = re.sub(r"^Thought \d+:\s*", "", thought)
        if not thought or not text or len(thought) > 300:
            return None
        if name == "finish":
            answer = text[0].upper() + text[1:] if run["task"] != "fever" else text
            tools = (SEARCH, LOOKUP)
            return Episode("recorded", run["question"], tools, tuple(steps), thought, answer) if steps else None
        spec = SEARCH if name == "search" else LOOKUP
        seen = step["observation"].strip()[:longest]
        seen = seen[: seen.rfind(". ") + 1] or seen
        steps.append(Step(thought, spec.name, {next(iter(spec.parameters["properties"])): text}, ok(seen)))
    return None
