"""Tools that tell one thing about something, by the hundred, and what is done with what they tell.

Owns episodes with such tools: one call, two that are compared or added, a figure that is calculated or converted further, an
id that is looked up first, a condition. The things stand in `things.txt`; the sentences are put together here.
"""

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.messages import ToolSpec
from loopwright.tools.result import not_found, ok
from training import invented
from training.invented_values import Value, listed, source, value
from training.names import any_money, coin, counted, made, money, spot
from training.toolbox_steps import CALCULATOR, CURRENCY, FOUR, LOOKUP, SEARCH, calculation, convert, weather
from training.toolbox_tasks import looked, rained, verdict
from training.trajectories import Episode, Step
from training.words import CURRENCIES, PEOPLE, dressed, pick


class Fact(Struct, frozen=True):
    """An attribute of a thing."""

    phrase: str
    fields: tuple[str, ...]
    values: str
    unit: str
    asks: tuple[str, ...]

    @property
    def number(self) -> bool:
        """Whether it can be calculated with."""
        return self.values[:2] in ("n(", "f(") and bool(self.unit)

    @property
    def money(self) -> bool:
        """Whether it is an amount."""
        return self.unit in CURRENCIES


class Thing(Struct, frozen=True):
    """A kind of thing."""

    noun: str
    parameters: tuple[str, ...]
    names: str
    facts: tuple[Fact, ...]


class Told(Struct, frozen=True):
    """A tool of an episode: a thing and one of its attributes, under names of its own."""

    thing: Thing
    fact: Fact
    spec: ToolSpec
    parameter: str
    shape: int
    field: str


class Asked(Struct, frozen=True):
    """One thing with its name, its value, and how people say it."""

    told: Told
    name: Value
    value: Any

    @property
    def words(self) -> str:
        """The thing in a sentence."""
        noun, name = self.told.thing.noun, self.name.shown
        return (
            name
            if noun.split()[-1].lower() in name.lower()
            or self.told.thing.names.startswith(("made", "person", "pick", "mail"))
            else f"{noun} {name}"
        )

    @property
    def need(self) -> str:
        """What is wanted of it."""
        return f"the {self.told.fact.phrase} of {self.words}"

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return f"{self.value} {self.told.fact.unit}".strip()

    @property
    def fact(self) -> str:
        """The answer as a clause."""
        return f"{self.need} is {self.shown}"


@cache
def things() -> tuple[Thing, ...]:
    """All of them.

    Raises:
        ValueError: a line that is neither a thing nor an attribute
    """
    found = list[Thing]()
    for line in (Path(__file__).parent / "things.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("=="):
            noun, names, kind = (part.strip() for part in line.removeprefix("==").split(" : "))
            found.append(Thing(noun, tuple(names.split(", ")), kind, ()))
            continue
        fields = re.split(r"\s:(?=\s)", line)
        if len(fields) < 5:
            raise ValueError(f"no attribute: {line!r}")
        phrase, names, values, unit, asks = fields[0], fields[1], fields[2], fields[3], ":".join(fields[4:])
        fact = Fact(
            phrase.strip(),
            tuple(names.strip().split(", ")),
            values.strip(),
            unit.strip(),
            tuple(ask.strip() for ask in asks.split("|")),
        )
        found[-1] = replace(found[-1], facts=(*found[-1].facts, fact))
    return tuple(found)


def drawn(c: random.Random, kind: str) -> Value:
    """A name or a value."""
    if kind.startswith("made"):
        name = next(name for name in iter(lambda: made(c), "") if " " not in name)
        return value(kind[5:-1].format(name))
    return source(kind).draw(c, {})


def snake(text: str) -> str:
    """Words as a name of a tool or a parameter."""
    return re.sub(r"\W+", "_", text.replace("'s", "")).strip("_").lower()


ABOUT = (
    "The {phrase} of a {noun}.", "Get the {phrase} of a {noun}.", "Look up the {phrase} of one {noun}.", "Returns the {phrase} for a {noun}.",
    "{Phrase} of a {noun}, by its name.", "Tells the {phrase} of the given {noun}.", "What the {phrase} of a {noun} is.", "{Phrase} of a {noun}",
)  # fmt: skip


def told(c: random.Random, thing: Thing, fact: Fact, parameter: str = "") -> Told:
    """A tool for an attribute."""
    noun, phrase = snake(thing.noun), snake(fact.phrase)
    short = noun.rsplit("_", 1)[-1]
    name = pick(c, (f"get_{noun}_{phrase}", f"{noun}_{phrase}", f"{short}_{phrase}", f"{phrase}_of_{short}", f"get_{phrase}", f"lookup_{short}_{phrase}",
                    f"{short}_{snake(fact.fields[0])}", f"{phrase}_of_{noun}", f"read_{short}_{phrase}"))  # fmt: skip
    if c.random() < 0.2:
        head, *rest = name.split("_")
        name = head + "".join(part.capitalize() for part in rest)
    about = pick(c, ABOUT).format(
        phrase=fact.phrase, Phrase=f"{fact.phrase[0].upper()}{fact.phrase[1:]}", noun=thing.noun
    )
    if fact.unit and c.random() < 0.4:
        about = f"{about.rstrip('.')}, in {fact.unit}."
    parameter = parameter or pick(c, thing.parameters)
    kind = "integer" if thing.names.startswith("n(") and parameter in thing.parameters else "string"
    schema = {"type": "object", "properties": {parameter: {"type": kind}}, "required": [parameter]}
    return Told(thing, fact, ToolSpec(name, about, schema), parameter, c.randrange(5), pick(c, fact.fields))


def asked(c: random.Random, tool: Told, but: str = "") -> Asked:
    """Something to ask of a tool."""
    while True:
        name = drawn(c, tool.thing.names)
        if name.shown != but:
            return Asked(tool, name, drawn(c, tool.fact.values).given)


def a_number(c: random.Random, fits: Callable[[Fact], bool] = lambda fact: fact.number) -> Told:
    """A tool whose result can be calculated with."""
    return told(c, *pick(c, [(thing, fact) for thing in things() for fact in thing.facts if fits(fact)]))


def anything(c: random.Random) -> Told:
    """Any tool."""
    thing = pick(c, things())
    return told(c, thing, pick(c, thing.facts))


def result(c: random.Random, one: Asked) -> Any:
    """What the tool gives back: the value alone, or an object with more in it."""
    fields: dict[str, Any] = {one.told.field: one.value}
    if one.told.shape in (0, 1):
        return one.value
    if one.told.shape == 3:
        return {one.told.parameter: one.name.given, **fields}
    if one.told.shape == 4:
        return fields | {pick(c, ("checked", "as_of", "updated")): f"2026-0{c.randrange(1, 10)}-1{c.randrange(10)}"}
    return fields


def call(c: random.Random, one: Asked, thought: str) -> Step:
    """The call for it."""
    return Step(thought, one.told.spec.name, {one.told.parameter: one.name.given}, ok(result(c, one)))


def lead(c: random.Random, one: Asked) -> str:
    """A thought before a call."""
    tool = one.told.spec.name
    return pick(c, (f"I need {one.need}; {tool} gives it.", f"{tool} tells {one.need}.", f"Wanted is {one.need}, so I call {tool}.",
                    f"For {one.need} there is {tool}."))  # fmt: skip


def lead_for(c: random.Random, need: str, tool: str) -> str:
    """The same for what has no attribute."""
    return pick(c, (f"I need {need}; {tool} gives it.", f"{tool} tells {need}.", f"For {need} there is {tool}."))


def offering(c: random.Random, *needed: ToolSpec, alone: float = 0.3) -> tuple[ToolSpec, ...]:
    """The tools that are needed, alone or among others."""
    found = {spec.name: spec for spec in needed}
    if c.random() >= alone:
        kind = c.random()
        others = (
            [anything(c).spec for _ in range(c.randrange(1, 5))]
            if kind < 0.5
            else invented.distractors(c, c.randrange(1, 4))
        )
        if kind > 0.35:
            others = [*others[: c.randrange(0, 4)], *c.sample([*FOUR, SEARCH, LOOKUP], c.randrange(1, 5))]
        for spec in others:
            found.setdefault(spec.name, spec)
    specs = list(found.values())
    c.shuffle(specs)
    return tuple(specs)


def capital(text: str) -> str:
    """A sentence's beginning."""
    return text[:1].upper() + text[1:]


def done(
    c: random.Random, task: str, needed: Sequence[ToolSpec], steps: Sequence[Step], thought: str, answer: str
) -> Episode:
    """The episode."""
    tools = offering(c, *{spec.name: spec for spec in needed}.values())
    return Episode("things", dressed(c, capital(task)), tools, tuple(steps), capital(thought), capital(answer))


def plainly(c: random.Random, need: str) -> str:
    """A question for something."""
    return pick(c, (f"What is {need}?", f"Tell me {need}.", f"{need}?", f"I'd like to know {need}.", f"Find out {need}, please.", f"What's {need}?",
                    f"Can you look up {need}?", f"Give me {need}.", f"{need} please", f"{pick(c, PEOPLE).capitalize()} asks for {need}.",
                    f"I need {need}."))  # fmt: skip


def one_call(c: random.Random) -> Episode:
    """One thing is asked."""
    one = asked(c, anything(c))
    question = pick(c, one.told.fact.asks).format(x=one.words) if c.random() < 0.65 else plainly(c, one.need)
    return done(
        c, question, [one.told.spec], [call(c, one, lead(c, one))], f"The result says that {one.fact}.", f"{one.fact}."
    )


def nothing(c: random.Random) -> Episode:
    """The thing is not there."""
    one = asked(c, anything(c))
    question = pick(c, one.told.fact.asks).format(x=one.words) if c.random() < 0.65 else plainly(c, one.need)
    missing = not_found(
        pick(
            c,
            (
                f"there is no {one.told.thing.noun} {one.name.shown!r}",
                f"no {one.told.thing.noun} named {one.name.shown}",
                f"unknown {one.told.thing.noun}",
            ),
        )
    )
    step = replace(call(c, one, lead(c, one)), result=missing)
    return done(c, question, [one.told.spec], [step], f"There is no {one.told.thing.noun} {one.name.shown}.",
                f"I could not find {one.words}, so I do not know {one.need.replace(f' of {one.words}', '')}.")  # fmt: skip


def two_of_it(c: random.Random) -> tuple[Asked, Asked, list[Step]]:
    """The same of two things, with the two calls."""
    one = asked(c, a_number(c))
    two = asked(c, one.told, one.name.shown)
    while two.value == one.value:
        two = asked(c, one.told, one.name.shown)
    tool = one.told.spec.name
    first = call(c, one, f"Two are asked about. First {one.words}, with {tool}.")
    return one, two, [first, call(c, two, f"{capital(one.words)} has {one.shown}. Now {two.words}, with {tool}.")]


ADJECTIVES = {
    "depth": ("deeper", "shallower"), "water level": ("deeper", "shallower"), "height": ("higher", "lower"), "altitude": ("higher", "lower"),
    "length": ("longer", "shorter"), "running time": ("longer", "shorter"), "weight": ("heavier", "lighter"), "mass": ("heavier", "lighter"),
    "age": ("older", "younger"), "queen's age": ("older", "younger"), "width": ("wider", "narrower"), "thickness": ("thicker", "thinner"),
    "speed": ("faster", "slower"), "temperature": ("warmer", "colder"), "temperature inside": ("warmer", "colder"), "ride time": ("longer", "shorter"),
    "price": ("dearer", "cheaper"), "fee": ("dearer", "cheaper"), "toll": ("dearer", "cheaper"), "value": ("more valuable", "less valuable"),
    "price a night": ("dearer", "cheaper"), "price of a bed": ("dearer", "cheaper"), "monthly price": ("dearer", "cheaper"), "beds": ("larger", "smaller"),
    "seats": ("larger", "smaller"), "rooms": ("larger", "smaller"), "humidity": ("damper", "drier"), "fill level": ("fuller", "emptier"),
    "rating": ("stronger", "weaker"), "listeners": ("more popular", "less popular"), "load": ("busier", "less busy"), "nozzle temperature": ("hotter", "cooler"),
    "price of a bottle": ("dearer", "cheaper"), "price per kilo": ("dearer", "cheaper"), "price per metre": ("dearer", "cheaper"), "entry": ("dearer", "cheaper"),
    "range": ("more far-reaching", "less far-reaching"), "waiting time": ("slower", "quicker"), "budget": ("more costly", "less costly"), "echo": ("longer in echo", "shorter in echo"),
}  # fmt: skip
"""What is more and what is less of an attribute."""


def larger(c: random.Random) -> Episode:
    """Which of two has more."""
    one, two, steps = two_of_it(c)
    phrase, more = one.told.fact.phrase, c.random() < 0.6
    high = pick(c, ("higher", "larger", "greater")) if more else pick(c, ("lower", "smaller"))
    task = pick(
        c,
        (
            f"Which has the {high} {phrase}, {one.words} or {two.words}?",
            f"{one.words} or {two.words}: where is the {phrase} {high}?",
            f"Is the {phrase} {high} for {one.words} or for {two.words}?",
            f"Compare {one.words} and {two.words}. Which {phrase} is {high}?",
            f"I can choose between {one.words} and {two.words}. Which one has the {high} {phrase}?",
            f"Of {one.words} and {two.words}, tell me the one with the {high} {phrase}.",
        ),
    )
    best, rest = (one, two) if (one.value > two.value) == more else (two, one)
    order = "more" if one.value > two.value else "less"
    if phrase in ADJECTIVES and c.random() < 0.6:
        word, a, b = ADJECTIVES[phrase][not more], one.words, two.words
        task = pick(c, (f"Which is {word}, {a} or {b}?", f"Is {a} or {b} {word}?", f"{a} and {b}: which one is {word}?", f"Tell me the {word} one of {a} and {b}.",
                        f"I want the one that is {word}: {a} or {b}?", f"What is {word}, {a} or rather {b}?"))  # fmt: skip
        thought = f"{a} has {one.value} and {b} {two.value}. {one.value} is {order} than {two.value}, so {best.words} is {word}."
        return done(
            c,
            task,
            [one.told.spec],
            steps,
            thought,
            f"{best.words} is {word}: {best.shown}, and {rest.words} {rest.shown}.",
        )
    thought = f"{one.words} has {one.value} and {two.words} {two.value}. {one.value} is {order} than {two.value}, so {best.words} has the {high} {phrase}."
    answer = f"{best.words} has the {high} {phrase}: {best.shown}, and {rest.words} {rest.shown}."
    return done(c, task, [one.told.spec], steps, thought, answer)


def together(c: random.Random) -> Episode:
    """Two figures are added, subtracted or averaged."""
    one, two, steps = two_of_it(c)
    phrase, unit = one.told.fact.phrase, one.told.fact.unit
    high, low = (one, two) if one.value > two.value else (two, one)
    kind = c.randrange(3)
    if kind == 0:
        task = pick(c, (f"What is the {phrase} of {one.words} and {two.words} together?", f"Add the {phrase} of {one.words} and that of {two.words}.",
                        f"{one.words} and {two.words}: what is the {phrase} in all?", f"How many {unit} do {one.words} and {two.words} make together, by {phrase}?"))  # fmt: skip
        expression, word = f"{one.value} + {two.value}", "sum"
    elif kind == 1:
        task = pick(c, (f"By how many {unit} do {one.words} and {two.words} differ in {phrase}?", f"What is the difference between the {phrase} of {one.words} and of {two.words}?",
                        f"How much more {phrase} does {high.words} have than {low.words}?" if high is one else f"How much less {phrase} does {low.words} have than {high.words}?"))  # fmt: skip
        expression, word = f"{high.value} - {low.value}".replace("- -", "+ "), "difference"
    else:
        task = pick(
            c,
            (
                f"What is the average {phrase} of {one.words} and {two.words}?",
                f"Average the {phrase} of {one.words} and {two.words}.",
            ),
        )
        expression, word = f"({one.value} + {two.value}) / 2", "average"
    step, total = calculation(
        expression, f"{one.words} has {one.value} and {two.words} {two.value}. I calculate the {word}."
    )
    return done(
        c,
        task,
        [one.told.spec, CALCULATOR],
        [*steps, replace(step, thought=capital(step.thought))],
        f"The {word} is {total} {unit}.",
        f"The {word} is {total} {unit}.",
    )


def both(c: random.Random) -> Episode:
    """Two things of one tool are told, or two of two tools."""
    one = asked(c, anything(c))
    two = asked(c, one.told if c.random() < 0.5 else anything(c), one.name.shown)
    if two.told.spec.name == one.told.spec.name and two.told is not one.told:
        two = asked(c, one.told, one.name.shown)
    if two.told is one.told:
        phrase = one.told.fact.phrase
        task = pick(c, (f"What is the {phrase} of {one.words} and of {two.words}?", f"Give me the {phrase} of both {one.words} and {two.words}.",
                        f"{phrase} of {one.words} and {two.words}?"))  # fmt: skip
    else:
        first, second = (
            pick(c, each.told.fact.asks).format(x=each.words) if c.random() < 0.5 else f"What is {each.need}?"
            for each in (one, two)
        )
        task = pick(c, (f"{capital(first)} {capital(second)}", f"{capital(first)} Also: {second}", f"Two questions. {capital(first)} {capital(second)}",
                        f"Tell me {one.need}, and {two.need}.", f"I need {two.need}; but first {one.need}."))  # fmt: skip
    steps = [
        call(c, one, f"First {one.need}, with {one.told.spec.name}."),
        call(c, two, f"{capital(one.fact)}. Now {two.need}, with {two.told.spec.name}."),
    ]
    answer = f"{one.fact}, and {two.fact}."
    return done(c, task, [one.told.spec, two.told.spec], steps, f"Both are known: {one.shown} and {two.shown}.", answer)


def with_weather(c: random.Random) -> Episode:
    """A thing and the weather, or a thing and a conversion."""
    one = asked(c, anything(c))
    first = pick(c, one.told.fact.asks).format(x=one.words).rstrip("?.")
    where = spot(c)
    turned = c.random() < 0.5
    found = weather(c, where, looked(c, where))
    known = f"it is {found.degrees} in {where}"
    second = pick(c, (f"how warm is it in {where}", f"what is the temperature in {where}"))
    if c.random() < 0.5:
        known, second = rained(c, found)[1], pick(c, (f"does it rain in {where}", f"is it raining in {where}"))
    order = [
        (first, call(c, one, f"First {one.need}, with {one.told.spec.name}."), one.fact),
        (second, found.step, known),
    ]
    if turned:
        order = [
            order[1],
            (first, call(c, one, f"{capital(known)}. Now {one.need}, with {one.told.spec.name}."), one.fact),
        ]
    else:
        order[1] = (second, replace(found.step, thought=f"{capital(one.fact)}. Now the weather in {where}."), known)
    task = pick(
        c,
        (
            f"{capital(order[0][0])}? And {order[1][0]}?",
            f"{capital(order[0][0])}, and {order[1][0]}?",
            f"{capital(order[0][0])}? Also, {order[1][0]}?",
        ),
    )
    needed = [one.told.spec, found_spec()]
    return done(
        c, task, needed, [step for _, step, _ in order], "Both are known.", f"{order[0][2]}, and {order[1][2]}."
    )


def found_spec() -> ToolSpec:
    """The weather tool."""
    return FOUR[0]


def scaled(c: random.Random) -> Episode:
    """A figure, several times, shared, less or more."""
    one = asked(c, a_number(c))
    n, unit = c.randrange(2, 30), one.told.fact.unit
    count, need = counted(c, n), one.need
    other = c.randrange(1, 300)
    task, expression = pick(
        c,
        (
            (f"What is {count} times {need}?", f"{n} * {one.value}"),
            (f"Multiply {need} by {n}.", f"{one.value} * {n}"),
            (f"Look up {need} and divide it by {n}.", f"{one.value} / {n}"),
            (f"What is half of {need}?", f"{one.value} / 2"),
            (f"Take {need} and add {other}. What do I get?", f"{one.value} + {other}"),
            (f"What is left of {need} after {other} {unit} are gone?", f"{one.value} - {other}"),
            (f"{need}, {count} times that: how many {unit}?", f"{one.value} * {n}"),
            (
                f"If there were {count} like {one.words}, what would the {one.told.fact.phrase} be in all?",
                f"{one.value} * {n}",
            ),
            (f"Look up {need} first, then tell me {pick(c, (5, 10, 20, 25))}% of it.", "%"),
        ),
    )
    if expression == "%":
        rate = re.findall(r"(\d+)% of it", task)[0]
        expression = f"{one.value} * {rate} / 100"
    step, total = calculation(expression, f"{one.fact}. I calculate {expression}.")
    first = call(c, one, f"First {need}, with {one.told.spec.name}; then I calculate.")
    return done(
        c,
        task,
        [one.told.spec, CALCULATOR],
        [first, replace(step, thought=capital(step.thought))],
        f"The result is {total} {unit}.",
        f"It is {total} {unit}.",
    )


def exchanged(c: random.Random) -> Episode:
    """A price in its own currency, wanted in another, once or several times."""
    one = asked(c, a_number(c, lambda fact: fact.money))
    code = one.told.fact.unit
    target, n = any_money(c, but=code), c.randrange(2, 20)
    want, need, several = coin(c, target), one.need, c.random() < 0.35
    if several:
        task = pick(c, (f"{capital(need)}, {counted(c, n)} times: how many {want}?", f"What is {counted(c, n)} times {need} in {want}?",
                        f"I pay {need} {n} times. What is that in {want}?"))  # fmt: skip
    else:
        question = pick(c, one.told.fact.asks).format(x=one.words).rstrip("?")
        task = pick(c, (f"{question} in {want}?", f"What is {need} in {want}?", f"How many {want} is {need}?", f"{need} in {want}, please", f"{question}? I need it in {want}.",
                        f"Look up {need} and convert it to {want}.", f"I only have {want}. {question}?"))  # fmt: skip
    first = call(
        c,
        one,
        f"First {need}, with {one.told.spec.name}; then {code} to {target}."
        if not several
        else f"First {need}; then times {n}; then {code} to {target}.",
    )
    if not several:
        paid = convert(
            c,
            one.value,
            code,
            target,
            f"{capital(need)} is {one.value} {code}. I convert {one.value} {code} to {target}.",
        )
        answer = f"{need} is {one.value} {code}, which is {paid.converted} {target}."
        return done(c, task, [one.told.spec, CURRENCY], [first, paid.step], "The amount is known.", answer)
    step, total = calculation(f"{n} * {one.value}", f"It is {one.value} {code}. I calculate {n} times {one.value}.")
    whole = float(total)
    paid = convert(
        c,
        int(whole) if whole.is_integer() else whole,
        code,
        target,
        f"The total is {total} {code}. I need it in {target}.",
    )
    answer = f"the total is {total} {code}, which is {paid.converted} {target}."
    return done(
        c, task, [one.told.spec, CALCULATOR, CURRENCY], [first, step, paid.step], "The amount is known.", answer
    )


def limit_near(c: random.Random, number: float) -> float:
    """A number near another, not the same."""
    spread = pick(c, (0.03, 0.2, 0.7))
    limit = round(number * (1 + c.uniform(-spread, spread)))
    return limit + 1 if limit == number else limit


def bounded(c: random.Random) -> Episode:
    """A figure against a limit, yes or no."""
    one = asked(c, a_number(c))
    limit, above, unit = limit_near(c, one.value), c.random() < 0.55, one.told.fact.unit
    word = pick(
        c, ("more than", "above", "over", "higher than") if above else ("less than", "below", "under", "lower than")
    )
    task = pick(c, (f"Is {one.need} {word} {limit} {unit}?", f"Is {one.need} {word} {limit}?", f"I need to know if {one.need} is {word} {limit} {unit}.",
                    f"Can you see whether {one.need} is {word} {limit}?"))  # fmt: skip
    yes = one.value > limit if above else one.value < limit
    thought = verdict(one.value, limit, above=above, yes=yes)
    return done(
        c, task, [one.told.spec], [call(c, one, lead(c, one))], thought, f"{'Yes' if yes else 'No'}, {one.fact}."
    )


def only_if(c: random.Random) -> Episode:
    """A figure decides whether something else is looked up, converted or calculated."""
    one = asked(c, a_number(c))
    limit, above, unit = limit_near(c, one.value), c.random() < 0.5, one.told.fact.unit
    word = pick(c, ("more than", "above", "over") if above else ("less than", "below", "under"))
    yes = one.value > limit if above else one.value < limit
    step, words, known, spec = follow_up(c, one)
    task = pick(c, (f"If {one.need} is {word} {limit} {unit}, {words}; otherwise say so.", f"Check {one.need}. Only if it is {word} {limit}, {words}.",
                    f"{words}, but only if {one.need} is {word} {limit} {unit}."))  # fmt: skip
    first = call(c, one, f"The condition is {'more' if above else 'less'} than {limit}, so first {one.need}.")
    thought = verdict(one.value, limit, above=above, yes=yes)
    if not yes:
        answer = f"{one.fact}, which is not {word} {limit}, so nothing more was done."
        return done(c, task, [one.told.spec, spec], [first], f"{thought} Nothing is to be done.", answer)
    second = replace(step, thought=f"{thought} {capital(step.thought)}")
    return done(
        c, task, [one.told.spec, spec], [first, second], "Both are known.", f"{one.fact}, {word} {limit}; {known}."
    )


def follow_up(c: random.Random, one: Asked) -> tuple[Step, str, str, ToolSpec]:
    """What is done where a condition holds: the step, the words for it, what is known then, and the tool."""
    kind = c.randrange(3)
    if kind == 0:
        code = any_money(c)
        target, amount = any_money(c, but=code), c.randrange(2, 3000)
        paid = convert(c, amount, code, target, f"I convert {amount} {code} to {target}.")
        return paid.step, f"convert {money(c, amount, code)} to {coin(c, target)}", paid.sentence, CURRENCY
    if kind == 1:
        a, b = c.randrange(2, 300), c.randrange(2, 300)
        step, total = calculation(f"{a} * {b}", f"I calculate {a} times {b}.")
        return step, f"calculate {a} times {b}", f"{a} times {b} is {total}", CALCULATOR
    two = asked(c, anything(c))
    while two.told.spec.name == one.told.spec.name:
        two = asked(c, anything(c))
    return call(c, two, f"I look up {two.need}."), f"tell me {two.need}", two.fact, two.told.spec


def by_id(c: random.Random) -> Episode:
    """Only a name is known: one tool finds the number or code, another takes it; at times a calculation comes after."""
    one = anything(c) if c.random() < 0.6 else a_number(c)
    noun = one.thing.noun
    key = pick(c, (f"{snake(noun.split()[-1])}_id", "id", "code", "key", "serial", f"{snake(noun.split()[-1])}_code"))
    fact = told(c, one.thing, one.fact, key)
    numeric = c.random() < 0.25
    ident: Any = (
        c.randrange(100, 99_999)
        if numeric
        else drawn(c, pick(c, ("code(AA-99)", "code(A999)", "code(99-9999)", "code(aaa99)", "code(XX9-A)"))).given
    )
    if numeric:
        fact = replace(
            fact,
            spec=replace(
                fact.spec, parameters={"type": "object", "properties": {key: {"type": "integer"}}, "required": [key]}
            ),
        )
    short = snake(noun.split()[-1])
    finder_key = pick(c, ("name", short, "title", "query"))
    finder = ToolSpec(
        pick(
            c,
            (
                f"find_{short}",
                f"{short}_{key}" if not key.startswith(short) else key,
                f"search_{short}s",
                f"get_{short}_code",
                f"which_{short}",
            ),
        ),
        pick(
            c,
            (
                f"Find the {key} of a {noun} by its name.",
                f"The {key} of a {noun}.",
                f"Look up which {key} a {noun} has.",
                f"{capital(key)} for a {noun}'s name.",
            ),
        ),
        {"type": "object", "properties": {finder_key: {"type": "string"}}, "required": [finder_key]},
    )
    if finder.name == fact.spec.name:
        return by_id(c)
    name = drawn(c, one.thing.names if not one.thing.names.startswith(("n(", "code")) else "made({})")
    target = Asked(fact, name, drawn(c, fact.fact.values).given)
    need = f"the {key.replace('_', ' ')} of {target.words}"
    question = pick(c, fact.fact.asks).format(x=target.words) if c.random() < 0.6 else plainly(c, target.need)
    question = (
        question
        if c.random() < 0.75
        else f"{question} {pick(c, (f'It goes by {key}.', f'Mind the {key}.', f'(by {key})'))}"
    )
    found = ident if c.random() < 0.5 else {key: ident, finder_key: name.given}
    first = Step(
        f"{fact.spec.name} needs {key}, so first {need} with {finder.name}.",
        finder.name,
        {finder_key: name.given},
        ok(found),
    )
    second = Step(
        f"{capital(need)} is {ident}. With it {fact.spec.name} gives the {fact.fact.phrase}.",
        fact.spec.name,
        {key: ident},
        ok(result(c, replace(target, name=value(ident)))),
    )
    steps, thought, answer, needed = (
        [first, second],
        f"The result says that {target.fact}.",
        f"{target.fact}.",
        [finder, fact.spec],
    )
    if fact.fact.number and c.random() < 0.3:
        n = c.randrange(2, 20)
        question = pick(c, (f"What is {n} times {target.need}?", f"Multiply {target.need} by {n}."))
        step, total = calculation(
            f"{n} * {target.value}", f"{capital(target.fact)}. I calculate {n} times {target.value}."
        )
        steps, thought, answer, needed = (
            [*steps, step],
            f"The result is {total} {fact.fact.unit}.",
            f"It is {total} {fact.fact.unit}.",
            [*needed, CALCULATOR],
        )
    return done(c, question, needed, steps, thought, answer)


def with_more(c: random.Random) -> Episode:
    """A tool with more parameters: a number, a choice, a date, a truth; all of them stand in the question."""
    one = asked(c, a_number(c))
    extras = {
        "days": ("integer", n := c.randrange(2, 30), f"for {n} days"), "people": ("integer", k := c.randrange(2, 30), f"for {k} people"),
        "year": ("integer", y := c.randrange(1990, 2026), f"in {y}"), "month": ("string", m := pick(c, ("March", "June", "October", "May", "August")), f"in {m}"),
        "weekday": ("string", d := pick(c, ("Monday", "Thursday", "Saturday", "Sunday")), f"on {d}"), "floor": ("integer", f := c.randrange(1, 30), f"on floor {f}"),
        "colour": ("string", s := pick(c, ("red", "green", "navy", "ochre", "white")), f"in {s}"), "region": ("string", r := made(c), f"for the region {r}"),
        "size": ("enum", z := pick(c, ("small", "medium", "large")), f"in size {z}"), "zone": ("enum", o := pick(c, ("inner", "outer", "far")), f"in the {o} zone"),
        "language": ("string", g := pick(c, ("Basque", "Welsh", "Faroese", "Maltese")), f"in {g}"),
    }  # fmt: skip
    enums = {"size": ["small", "medium", "large"], "zone": ["inner", "outer", "far"]}
    chosen = c.sample(sorted(extras), c.randrange(1, 3))
    old = one.told.spec.parameters["properties"]
    new = {key: {"type": "string", "enum": enums[key]} if key in enums else {"type": extras[key][0]} for key in chosen}
    properties: dict[str, Any] = {**old, **new} if c.random() < 0.7 else {**new, **old}
    spec = replace(one.told.spec, parameters={"type": "object", "properties": properties, "required": list(properties)},
                   description=f"{one.told.spec.description.rstrip('.')} by {listed(chosen)}.")  # fmt: skip
    given = {key: one.name.given if key == one.told.parameter else extras[key][1] for key in properties}
    if one.told.parameter in chosen:
        return with_more(c)
    words = " ".join(extras[key][2] for key in chosen)
    need = f"{one.need} {words}"
    question = (
        plainly(c, need)
        if c.random() < 0.5
        else pick(
            c,
            (f"{capital(words)}: what is {one.need}?", f"What is {one.need} {words}?", f"{one.need}? I mean {words}."),
        )
    )
    step = Step(f"I need {need}; {spec.name} gives it.", spec.name, given, ok(result(c, one)))
    return done(c, question, [spec], [step], f"The result says that {one.fact}.", f"{need} is {one.shown}.")


def listed_numbers(c: random.Random) -> Episode:
    """A tool that takes a list and gives a list or a number."""
    numbers = [c.randrange(1, 900) for _ in range(c.randrange(2, 6))]
    unit = pick(c, ("grams", "metres", "seconds", "euros", "points", "litres", "pages"))
    name, about, gives, word = pick(
        c,
        (
            (f"order_{unit}", f"Put {unit} in order, smallest first.", sorted(numbers), "in order"),
            (f"rank_{unit}", f"Rank {unit}, largest first.", sorted(numbers, reverse=True), "ranked, largest first"),
            (f"largest_{unit}", f"The largest of some {unit}.", max(numbers), "the largest"),
            (f"smallest_{unit}", f"The smallest of some {unit}.", min(numbers), "the smallest"),
            (f"total_{unit}", f"Add {unit} up.", sum(numbers), "the total"),
            (f"reverse_{unit}", f"Turn a list of {unit} round.", numbers[::-1], "turned round"),
        ),
    )
    parameter = pick(c, (unit, "values", "numbers", "items"))
    spec = ToolSpec(
        name,
        about,
        {
            "type": "object",
            "properties": {parameter: {"type": "array", "items": {"type": "integer"}}},
            "required": [parameter],
        },
    )
    said = listed([str(number) for number in numbers])
    question = pick(c, (f"Give me {said} {unit} {word}." if "," in word or word.startswith(("in", "turned")) else f"What is {word} of {said} {unit}?",
                        f"{said} {unit}: {word}, please."))  # fmt: skip
    shown = listed([str(number) for number in gives]) if isinstance(gives, list) else str(gives)
    step = Step(f"{name} takes the {unit} {said}.", name, {parameter: numbers}, ok(gives))
    return done(c, question, [spec], [step], f"The result is {shown}.", f"{capital(word)}: {shown} {unit}.")


STATES = (
    ("mountain pass", "open", "closed"), ("canal lock", "open", "shut"), ("car wash", "free", "busy"), ("valve", "open", "closed"), ("footpath", "open", "blocked"),
    ("charging point", "free", "taken"), ("sauna", "hot", "cold"), ("food stall", "open", "sold out"), ("border post", "open", "closed"), ("kiln", "on", "off"),
    ("meeting corner", "free", "occupied"), ("beach", "clean", "polluted"), ("fountain", "running", "dry"), ("tennis court", "free", "booked"), ("chapel", "open", "locked"),
    ("alarm", "armed", "off"), ("oven", "on", "off"), ("membership", "valid", "expired"), ("ferry pier", "in use", "closed"), ("licence", "valid", "revoked"),
)  # fmt: skip
"""A noun and its two states."""


def is_it(c: random.Random) -> Episode:
    """Whether something is in a state: yes or no; the name stands before or behind its noun."""
    noun, good, bad = pick(c, STATES)
    short, now, wanted = snake(noun.split()[-1]), pick(c, (good, bad)), pick(c, (good, good, bad))
    name = (
        next(name for name in iter(lambda: made(c), "") if " " not in name)
        if c.random() < 0.7
        else source(pick(c, ("code(A-9)", "code(99)", "code(AA9)"))).draw(c, {}).given
    )
    key = pick(c, (short, "name", snake(noun), "which", f"{short}_name"))
    tool = pick(
        c, (f"{short}_state", f"{snake(noun)}_status", f"state_of_{short}", f"check_{short}", f"is_{snake(good)}")
    )
    true = tool.startswith("is_")
    about = pick(
        c,
        (f"Whether a {noun} is {good}.", f"State of a {noun}, by its name.", f"Tells if a {noun} is {good} or {bad}."),
    )
    spec = ToolSpec(tool, about, {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]})
    words = pick(c, (f"the {name} {noun}", f"{noun} {name}", f"the {noun} {name}"))
    task = pick(c, (f"Is {words} {wanted}?", f"Is {words} {wanted} today?", f"Can you tell me if {words} is {wanted}?", f"I hope {words} is {wanted}. Is it?",
                    f"{words}: {wanted} or not?", f"Check whether {words} is {wanted}."))  # fmt: skip
    seen: Any = (
        now == good
        if true
        else now
        if c.random() < 0.5
        else {key: name, "state": now}
        if c.random() < 0.5
        else {"state": now}
    )
    yes = now == wanted
    step = Step(f"The {key.replace('_', ' ')} is {name}; {tool} tells the state.", tool, {key: name}, ok(seen))
    thought = f"Is it {wanted}? It is {now}, so {'yes' if yes else 'no'}."
    return done(c, task, [spec], [step], thought, f"{'Yes' if yes else 'No'}, {words} is {now}.")


THINGS: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (3.6, one_call), (0.5, nothing), (1.3, larger), (1.3, together), (1.1, both), (0.7, with_weather), (1.1, scaled), (1.3, exchanged),
    (0.8, bounded), (0.8, only_if), (1.8, by_id), (1.1, with_more),
    (0.9, is_it), (0.3, listed_numbers),
)  # fmt: skip
"""Each with its share."""
