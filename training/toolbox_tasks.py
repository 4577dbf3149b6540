"""Questions that one tool answers: weather, money, arithmetic, time."""

import random
from collections.abc import Callable, Sequence
from functools import cache
from zoneinfo import available_timezones

from loopwright.core.messages import ToolSpec
from loopwright.toolbox.clock import zone
from training.names import spot
from training.toolbox_steps import (
    CALCULATOR,
    CLOCK,
    CURRENCY,
    FOUR,
    LOOKUP,
    SEARCH,
    WEATHER,
    Weathered,
    calculation,
    clock,
    convert,
    degrees,
    weather,
    zone_name,
)
from training.trajectories import Episode, Step
from training.words import (
    COUNTRIES,
    PEOPLE,
    THINGS,
    ZONE_LANDS,
    amount,
    called,
    city,
    currency,
    dressed,
    grouped,
    pick,
    said,
)


def offered(chance: random.Random, *needed: ToolSpec) -> tuple[ToolSpec, ...]:
    """The tools that are needed, among others, in any order; most often the four of the default."""
    kind = chance.random()
    if kind < 0.35:
        others = list(FOUR)
    elif kind < 0.42:
        others = [*FOUR, SEARCH, LOOKUP] if chance.random() < 0.5 else [*FOUR, SEARCH]
    else:
        others = chance.sample([*FOUR, SEARCH], chance.randrange(0, 3))
    tools = list(dict.fromkeys([one.name for one in (*needed, *others)]))
    by_name = {one.name: one for one in (*needed, *others)}
    if kind > 0.2:
        chance.shuffle(tools)
    else:
        order = [one.name for one in (*FOUR, SEARCH, LOOKUP)]
        tools.sort(key=lambda name: order.index(name) if name in order else 99)
    return tuple(by_name[name] for name in tools)


def episode(
    chance: random.Random,
    family: str,
    question: str,
    needed: Sequence[ToolSpec],
    steps: Sequence[Step],
    thought: str,
    answer: str,
) -> Episode:
    """An episode with the tools it needs and others beside them."""
    tools = offered(chance, *needed)
    return Episode(family, dressed(chance, question), tools, tuple(steps), thought, answer)


def rain_today(chance: random.Random) -> Episode:
    """Does it rain, do I need an umbrella, will it stay dry."""
    where = spot(chance)
    wet, asked = pick(
        chance,
        (
            (True, f"Is it raining in {where}?"),
            (True, f"Does it rain in {where} today?"),
            (True, f"Is there any rain in {where} today?"),
            (True, f"Did it rain in {where} today?"),
            (True, f"Will I get wet in {where} today?"),
            (True, f"Do I need an umbrella in {where}?"),
            (True, f"Should I take an umbrella to {where} today?"),
            (True, f"Do I have to bring a raincoat to {where}?"),
            (True, f"Any rain in {where}?"),
            (True, f"is it wet in {where} right now?"),
            (True, f"I'm in {where}. Rain today?"),
            (True, f"{where}: rain or no rain today?"),
            (True, f"Tell me whether it rains in {where}."),
            (True, f"My flight lands in {where} tonight. Is it raining there?"),
            (True, f"Can you check if rain is expected in {where} today?"),
            (True, f"Is today a rainy day in {where}?"),
            (False, f"Is it dry in {where} today?"),
            (False, f"Will it stay dry in {where} today?"),
            (False, f"Can I hang my laundry outside in {where} today?"),
            (False, f"Can we have a picnic in {where} today without getting wet?"),
            (False, f"Is {where} dry today?"),
        ),
    )
    found = weather(chance, where, looked(chance, where))
    thought, fact = rained(chance, found)
    yes = (found.rain > 0) == wet
    return episode(chance, "rain", asked, [WEATHER], [found.step], thought, f"{'Yes' if yes else 'No'}, {fact}.")


def looked(chance: random.Random, where: str) -> str:
    """Why the weather is asked for."""
    return pick(
        chance,
        (
            f"I need the weather in {where}.",
            f"I should look up the weather in {where}.",
            f"First I need to know the weather in {where}.",
            f"The weather tool tells me about {where}.",
            f"I check the weather in {where}.",
        ),
    )


def rained(chance: random.Random, found: Weathered) -> tuple[str, str]:
    """What the rain of an observation means, as a thought and as a fact."""
    rain, where = found.rain, found.city
    if rain > 0:
        thought = f"The precipitation is {rain} mm, which is more than 0, so it rains in {where}."
        fact = pick(chance, (f"it rains in {where} today ({rain} mm)", f"there is rain in {where} today: {rain} mm"))
    else:
        thought = f"The precipitation is {rain} mm, so it does not rain in {where}."
        fact = pick(chance, (f"it does not rain in {where} today (0.0 mm)", f"{where} stays dry today (0.0 mm)"))
    return thought, fact


def weather_now(chance: random.Random) -> Episode:
    """Temperature, rain in mm, or both."""
    where = spot(chance)
    country = COUNTRIES.get(where)
    place = f"{where}, {country}" if country and chance.random() < 0.25 else where
    fahrenheit = chance.random() < 0.2
    kind = chance.random()
    if fahrenheit:
        asked = pick(
            chance,
            (
                f"How warm is it in {place} in Fahrenheit?",
                f"What is the temperature in {place} in degrees Fahrenheit?",
                f"Weather in {place} in fahrenheit please",
                f"Tell me the temperature in {place}, in °F.",
                f"How many degrees Fahrenheit does {place} have right now?",
                f"Current temperature in {place} (Fahrenheit)?",
            ),
        )
        found = weather(chance, where, f"I need the temperature in {where} in fahrenheit.", unit="fahrenheit")
        answer = f"It is {found.degrees} in {where}."
        thought = f"The temperature in {where} is {found.temperature} fahrenheit."
    elif kind < 0.5:
        asked = pick(
            chance,
            (
                f"How warm is it in {place}?",
                f"What is the temperature in {place}?",
                f"How cold is it in {place} right now?",
                f"How many degrees are there in {place}?",
                f"Temperature in {place}?",
                f"what's the temp in {place}",
                f"Tell me how hot it is in {place}.",
                f"I wonder how cold {place} is at the moment.",
                f"Give me the current temperature of {place}.",
                f"How warm is it outside in {place} in Celsius?",
            ),
        )
        found = weather(chance, where, pick(chance, (f"I need the temperature in {where}.", looked(chance, where))))
        thought = f"The temperature in {where} is {found.temperature} celsius."
        answer = pick(chance, (f"It is {found.degrees} in {where}.", f"The temperature in {where} is {found.degrees}."))
    elif kind < 0.68:
        asked = pick(
            chance,
            (
                f"How much rain does {place} get today?",
                f"How many millimetres of rain fall in {place} today?",
                f"How much does it rain in {place} today?",
                f"What's the precipitation in {place}?",
                f"How many mm of rain in {place}?",
            ),
        )
        found = weather(chance, where, f"I need the precipitation in {where}.")
        thought = f"The precipitation in {where} is {found.rain} mm."
        answer = f"{where} gets {found.rain} mm of rain today."
    else:
        asked = pick(
            chance,
            (
                f"What is the weather in {place}?",
                f"How's the weather in {place} today?",
                f"What's the weather like in {place}?",
                f"Weather in {place}?",
                f"weather {place}",
                f"Give me a weather report for {place}.",
                f"I'm travelling to {place} today. What weather should I expect?",
                f"Describe the current weather in {place}.",
                f"Tell me about the weather in {place}, please.",
            ),
        )
        found = weather(chance, where, looked(chance, where))
        thought, fact = rained(chance, found)
        answer = f"It is {found.degrees} in {where}, and {fact}."
    step = found.step
    if place != where and chance.random() < 0.7:
        step = Step(step.thought, step.tool, {**step.arguments, "city": place}, step.result)
    return episode(chance, "weather", asked, [WEATHER], [step], thought, answer)


def threshold(chance: random.Random) -> Episode:
    """A temperature or an amount of rain against a number of the question."""
    where = spot(chance)
    if chance.random() < 0.75:
        limit = chance.randrange(-10, 35)
        around = pick(chance, (0.0, 0.4, 1.5, 6.0))
        actual = degrees(chance) if around == 0.0 else round(limit + chance.uniform(-around, around), 1)
        found = weather(chance, where, f"I need the temperature in {where}.", temperature=actual)
        above, asked = pick(
            chance,
            (
                (True, f"Is it warmer than {limit} degrees in {where}?"),
                (True, f"Is the temperature in {where} above {limit} °C?"),
                (True, f"Does {where} have more than {limit} degrees right now?"),
                (True, f"Is {where} hotter than {limit} degrees today?"),
                (True, f"is it over {limit} degrees in {where}?"),
                (False, f"Is it colder than {limit} degrees in {where}?"),
                (False, f"Is it below {limit} °C in {where}?"),
                (False, f"Is the temperature in {where} under {limit} degrees?"),
                (False, f"Does {where} have less than {limit} degrees?"),
            ),
        )
        if limit == 0 and chance.random() < 0.5:
            above, asked = False, pick(chance, (f"Is it freezing in {where}?", f"Is it below zero in {where}?"))
        yes = found.temperature > limit if above else found.temperature < limit
        thought = verdict(found.temperature, limit, above=above, yes=yes)
        answer = f"{'Yes' if yes else 'No'}, it is {found.degrees} in {where}."
        return episode(chance, "threshold", asked, [WEATHER], [found.step], thought, answer)
    limit = chance.randrange(1, 20)
    actual = 0.0 if chance.random() < 0.2 else round(max(0.1, limit + chance.uniform(-6, 6)), 1)
    found = weather(chance, where, f"I need the precipitation in {where}.", rain=actual)
    asked = pick(
        chance,
        (
            f"Does it rain more than {limit} mm in {where} today?",
            f"Will {where} get more than {limit} mm of rain?",
            f"Is the precipitation in {where} above {limit} mm?",
        ),
    )
    yes = found.rain > limit
    answer = f"{'Yes' if yes else 'No'}, {where} gets {found.rain} mm of rain."
    thought = verdict(found.rain, limit, above=True, yes=yes)
    return episode(chance, "threshold", asked, [WEATHER], [found.step], thought, answer)


def verdict(value: float, limit: float, *, above: bool, yes: bool) -> str:
    """What is asked, how the numbers lie, and what follows, in this order."""
    asked = "more than" if above else "less than"
    return f"Is it {asked} {limit}? {compared(value, limit)[:-1]}, so {'yes' if yes else 'no'}."


def compared(value: float, limit: float) -> str:
    """Which of two numbers is larger."""
    word = "more than" if value > limit else "less than" if value < limit else "equal to"
    return f"{value} is {word} {limit}."


def conversion(chance: random.Random) -> Episode:
    """An amount in another currency."""
    source = currency(chance)
    target = currency(chance, but=source)
    value = amount(chance)
    have, want, code = said(chance, value, source), called(chance, target), target
    place, land = pick(chance, tuple(COUNTRIES.items()))
    asked = pick(
        chance,
        (
            f"How many {want} are {have}?",
            f"How many {want} is {have}?",
            f"How much is {have} in {want}?",
            f"What is {have} in {want}?",
            f"What's {have} in {want}?",
            f"Convert {have} to {want}.",
            f"Convert {have} into {want}, please.",
            f"{have} to {want}",
            f"{have} in {want}?",
            f"Change {have} to {want}",
            f"I have {have}. How many {want} do I get for that?",
            f"How many {want} will I get for {have}?",
            f"If I exchange {have}, how many {want} is that?",
            f"The hotel costs {have}. What is that in {want}?",
            f"My bill is {have}; tell me the amount in {want}.",
            f"A ticket costs {have}, what would I pay in {want}?",
            f"{pick(chance, PEOPLE).capitalize()} owes me {have}. How much is that in {want}?",
            f"I found a {pick(chance, THINGS)} for {have}. What does it cost in {want}?",
            f"We want to travel to {place} ({land}) and have {have}. How much is it in {want}?",
            f"I earn {have} a month. What is my salary in {want}?",
            f"Could you tell me what {have} would be in {want}?",
            f"What would {have} be worth in {code}?",
            f"How much {want} can I buy with {have}?",
            f"Express {have} in {want}.",
            f"Value of {have} in {want}",
            f"rate {have} -> {code}",
            f"{have} -> {want}",
            f"How many {want} do I get for {have}?",
            f"How many {want} do you get for {have}?",
            f"How many {want} would {have} be?",
            f"The shop wants {have}. In {want} that is how much?",
            f"They asked for {have}. What is that in {want}?",
            f"in {want}, how much is {have}?",
            f"{have}: how many {want}?",
            f"I need {have} in {want}.",
            f"If I pay {have}, what is it in {want}?",
            f"and {have} in {want}?",
        ),
    )
    thought = pick(
        chance,
        (
            f"I need to convert {value} {source} to {target}.",
            f"The currency tool converts {value} {source} to {target}.",
            f"I convert {value} {source} to {target}.",
        ),
    )
    found = convert(chance, value, source, target, thought)
    return episode(
        chance,
        "conversion",
        asked,
        [CURRENCY],
        [found.step],
        pick(chance, ("The amount is known.", f"{found.converted} {target} is the result.", "I have the amount.")),
        f"{found.sentence}.",
    )


def exchange_rate(chance: random.Random) -> Episode:
    """What one unit is worth."""
    source = currency(chance)
    target = currency(chance, but=source)
    asked = pick(
        chance,
        (
            f"What is the exchange rate from {called(chance, source)} to {called(chance, target)}?",
            f"What is one {source} worth in {target}?",
            f"How many {called(chance, target)} is 1 {source}?",
            f"What's the {source} {target} rate today?",
            f"exchange rate {source}/{target}",
        ),
    )
    found = convert(chance, 1, source, target, f"I convert 1 {source} to {target} to get the rate.")
    return episode(chance, "conversion", asked, [CURRENCY], [found.step], "The rate is known.", f"{found.sentence}.")


def arithmetic(chance: random.Random) -> Episode:
    """A sum, said in digits or in words."""
    kinds = (plain_sum, plain_sum, word_problem, word_problem, percentage, other_unit, wages)
    asked, expression, unit = pick(chance, kinds)(chance)
    thought = pick(
        chance,
        (f"The calculator gives {expression} exactly.", f"I calculate {expression}.", f"I calculate {expression}."),
    )
    step, result = calculation(expression, thought)
    answer = pick(chance, (f"{expression} is {result}.", f"The result is {result}.", f"It is {result}."))
    if unit:
        answer = f"It is {result} {unit}."
    return episode(chance, "arithmetic", asked, [CALCULATOR], [step], f"The result is {result}.", answer)


def number(chance: random.Random) -> float | int:
    """A number of any size."""
    kind = chance.random()
    if kind < 0.5:
        return chance.randrange(2, 100)
    if kind < 0.75:
        return chance.randrange(100, 10_000)
    if kind < 0.85:
        return chance.randrange(10_000, 10_000_000)
    return round(chance.uniform(0.1, 500), pick(chance, (1, 2)))


def plain_sum(chance: random.Random) -> tuple[str, str, str]:
    """Operators and digits, in several spellings."""
    a, b, c = number(chance), number(chance), number(chance)
    kind = chance.randrange(9)
    if kind == 0:
        said_as, expression = f"{grouped(chance, a)} {pick(chance, ('*', 'x', 'times', 'multiplied by', '×'))} ", "*"
        return _ask(chance, said_as + grouped(chance, b)), f"{a} {expression} {b}", ""
    if kind == 1:
        return (
            _ask(chance, f"{grouped(chance, a)} {pick(chance, ('+', 'plus'))} {grouped(chance, b)}"),
            f"{a} + {b}",
            "",
        )
    if kind == 2:
        return (
            _ask(chance, f"{grouped(chance, a)} {pick(chance, ('-', 'minus'))} {grouped(chance, b)}"),
            f"{a} - {b}",
            "",
        )
    if kind == 3:
        return (
            _ask(chance, f"{grouped(chance, a)} {pick(chance, ('/', 'divided by', 'over', ':'))} {grouped(chance, b)}"),
            f"{a} / {b}",
            "",
        )
    if kind == 4:
        one, two = pick(chance, "+-"), pick(chance, "*/")
        text = f"({a} {one} {b}) {two} {c}"
        return _ask(chance, text), text, ""
    if kind == 5:
        one, two = pick(chance, "+-*"), pick(chance, "+-*")
        text = f"{a} {one} {b} {two} {c}"
        return _ask(chance, text), text, ""
    if kind == 6:
        base, power = chance.randrange(2, 30), chance.randrange(2, 13)
        spelled = pick(chance, (f"{base}^{power}", f"{base} ** {power}", f"{base} to the power of {power}"))
        return _ask(chance, spelled), f"{base} ** {power}", ""
    if kind == 7:
        square = pick(chance, (chance.randrange(2, 100) ** 2, chance.randrange(2, 5000)))
        return _ask(chance, f"the square root of {square}"), f"sqrt({square})", ""
    base = chance.randrange(3, 400)
    return _ask(chance, pick(chance, (f"{base} squared", f"the square of {base}"))), f"{base} ** 2", ""


def _ask(chance: random.Random, text: str) -> str:
    return pick(
        chance,
        (
            f"What is {text}?",
            f"Calculate {text}.",
            f"How much is {text}?",
            f"{text} = ?",
            f"Compute {text}",
            f"what's {text}?",
            f"Please work out {text}.",
            f"{text}",
            f"Can you calculate {text} for me?",
            f"I need the result of {text}.",
        ),
    )


def percentage(chance: random.Random) -> tuple[str, str, str]:
    """Percent of, more, less, tips, discounts and taxes."""
    rate = pick(chance, (chance.randrange(1, 100), pick(chance, (5, 10, 15, 20, 25, 50, 7.5, 12.5, 2.5))))
    base = number(chance)
    price, kind = grouped(chance, base), chance.randrange(6)
    thing = pick(chance, THINGS)
    if kind < 2:
        text = pick(chance, (f"{rate}% of {price}", f"{rate} % of {price}", f"{rate} percent of {price}"))
        return _ask(chance, text), f"{rate}% of {base}", ""
    if kind == 2:
        asked = pick(
            chance,
            (
                f"A {thing} costs {price} EUR and is {rate}% off. What is the new price?",
                f"What do I pay for a {thing} of {price} EUR with a discount of {rate}%?",
                f"The {thing} is {price} EUR minus {rate} percent. How much is it?",
                f"Take {rate}% off {price} EUR.",
            ),
        )
        return asked, f"{base} * (100 - {rate}) / 100", "EUR"
    if kind == 3:
        asked = pick(
            chance,
            (
                f"A {thing} costs {price} EUR plus {rate}% tax. What is the total?",
                f"Add {rate}% to {price} EUR.",
                f"My rent of {price} EUR goes up by {rate} percent. What will it be?",
                f"The bill is {price} EUR and I tip {rate}%. What do I pay altogether?",
            ),
        )
        return asked, f"{base} * (100 + {rate}) / 100", "EUR"
    if kind == 4:
        asked = f"What tip is {rate}% on a bill of {price} USD?"
        return asked, f"{rate}% of {base}", "USD"
    part = chance.randrange(1, 60)
    whole = part + chance.randrange(1, 200)
    return f"What percentage of {whole} is {part}?", f"{part} / {whole} * 100", "%"


def word_problem(chance: random.Random) -> tuple[str, str, str]:
    """Things that are bought, shared, driven and counted."""
    n, m, k = chance.randrange(2, 60), chance.randrange(2, 60), chance.randrange(2, 13)
    price = pick(chance, (chance.randrange(1, 300), round(chance.uniform(0.5, 90), 2)))
    other = pick(chance, (chance.randrange(1, 300), round(chance.uniform(0.5, 90), 2)))
    thing, second = pick(chance, THINGS), pick(chance, THINGS)
    who = pick(chance, PEOPLE)
    large = chance.randrange(100, 5000)
    problems: tuple[Callable[[], tuple[str, str, str]], ...] = (
        lambda: (f"I buy {n} {plural(thing)} at {price} EUR each. What is the total?", f"{n} * {price}", "EUR"),
        lambda: (f"{n} {plural(thing)} cost {price} dollars each. How much do I pay?", f"{n} * {price}", "dollars"),
        lambda: (f"One {thing} costs {price} EUR, what do {n} cost?", f"{n} * {price}", "EUR"),
        lambda: (f"What do {n} {plural(thing)} cost if one is {price} pounds?", f"{n} * {price}", "pounds"),
        lambda: (
            f"I bought {n} {plural(thing)} for {price} EUR each and {m} {plural(second)} for {other} EUR each. "
            "How much did I spend?",
            f"{n} * {price} + {m} * {other}",
            "EUR",
        ),
        lambda: (
            f"A {thing} is {price} EUR and a {second} is {other} EUR. What do both cost together?",
            f"{price} + {other}",
            "EUR",
        ),
        lambda: (f"{k} friends share a bill of {large} EUR. What does each pay?", f"{large} / {k}", "EUR"),
        lambda: (f"Split {large} USD between {k} people.", f"{large} / {k}", "USD each"),
        lambda: (f"We are {k} and the rent is {large} EUR. How much is it for each of us?", f"{large} / {k}", "EUR"),
        lambda: (f"I drive {n} km every day. How far is that in {m} days?", f"{n} * {m}", "km"),
        lambda: (f"I save {large} EUR a month. How much do I have after {n} months?", f"{large} * {n}", "EUR"),
        lambda: (f"A box holds {n} {plural(thing)}. How many are in {m} boxes?", f"{n} * {m}", plural(thing)),
        lambda: (
            f"There are {m} rows with {n} seats each, and {k} seats are broken. How many can be used?",
            f"{m} * {n} - {k}",
            "seats",
        ),
        lambda: (f"I had {large} EUR and gave {who} {n} EUR. What is left?", f"{large} - {n}", "EUR"),
        lambda: (f"How many hours are {n} days?", f"{n} * 24", "hours"),
        lambda: (f"How many minutes are in {n} hours?", f"{n} * 60", "minutes"),
        lambda: (f"How many seconds are {n} minutes?", f"{n} * 60", "seconds"),
        lambda: (f"How many weeks are {n * 7} days?", f"{n * 7} / 7", "weeks"),
        lambda: (f"The average of {n}, {m} and {k}?", f"({n} + {m} + {k}) / 3", ""),
        lambda: (f"What's the mean of {n} and {m}?", f"({n} + {m}) / 2", ""),
        lambda: (f"A room is {n} by {k} metres. What is its area?", f"{n} * {k}", "square metres"),
        lambda: (f"A train covers {large} km in {k} hours. What is its speed?", f"{large} / {k}", "km/h"),
        lambda: (f"I pay with {large} EUR for {n} {plural(thing)} at {k} EUR. How much change do I get?",
                 f"{large} - {n} * {k}", "EUR"),
        lambda: (f"Double {price}, then add {n}.", f"{price} * 2 + {n}", ""),
        lambda: (f"What is half of {large}?", f"{large} / 2", ""),
        lambda: (f"Add up {n}, {m}, {k} and {large}.", f"{n} + {m} + {k} + {large}", ""),
    )  # fmt: skip
    return pick(chance, problems)()


UNITS: tuple[tuple[str, str, float], ...] = (
    ("minutes", "seconds", 60), ("hours", "minutes", 60), ("days", "hours", 24), ("weeks", "days", 7),
    ("years", "months", 12), ("kilometres", "metres", 1000), ("metres", "centimetres", 100), ("kg", "grams", 1000),
    ("kilograms", "grams", 1000), ("litres", "millilitres", 1000), ("feet", "inches", 12), ("yards", "feet", 3),
    ("miles", "kilometres", 1.609344), ("inches", "centimetres", 2.54), ("pounds", "kilograms", 0.45359237),
    ("dozens", "pieces", 12), ("hours", "seconds", 3600), ("tonnes", "kilograms", 1000), ("decades", "years", 10),
)  # fmt: skip
"""Large and small units, and how many of the small one is in the large one."""


def other_unit(chance: random.Random) -> tuple[str, str, str]:
    """A measure in another unit, in either direction."""
    large, small, many = pick(chance, UNITS)
    if chance.random() < 0.5:
        value = pick(chance, (chance.randrange(2, 200), round(chance.uniform(0.5, 60), 1)))
        start, end, expression = large, small, f"{value} * {many}"
    else:
        value = chance.randrange(2, 300) * (int(many) if many > 2 and chance.random() < 0.6 else 1)
        start, end, expression = small, large, f"{value} / {many}"
    said = grouped(chance, value)
    asked = pick(
        chance,
        (
            f"How many {end} are {said} {start}?",
            f"{said} {start} in {end}?",
            f"{said} {start} is how many {end}?",
            f"Convert {said} {start} to {end}.",
            f"What is {said} {start} in {end}?",
            f"how many {end} is that: {said} {start}",
            f"I have {said} {start}. How many {end} is that?",
        ),
    )
    return asked, expression, end


def wages(chance: random.Random) -> tuple[str, str, str]:
    """Rates and fixed parts, without a currency."""
    a, b, c = chance.randrange(2, 90), chance.randrange(2, 90), chance.randrange(2, 15)
    who = pick(
        chance, ("The painter", "The gardener", "My tutor", "The electrician", "A cleaner", "The band", "A driver")
    )
    thing = pick(chance, THINGS)
    problems = (
        (f"{who} takes {a} an hour plus {b} for the way and worked {c} hours. What do I pay?", f"{c} * {a} + {b}"),
        (f"{who} charges {b} for coming and {a} for each hour. How much is it for {c} hours?", f"{b} + {a} * {c}"),
        (f"{who} earns {a} an hour and works {c} hours a day. How much is that in {b} days?", f"{a} * {c} * {b}"),
        (f"I have {a * c} {plural(thing)} and put {c} into each box. How many boxes do I need?", f"{a * c} / {c}"),
        (f"{c} children get {a} sweets each, and {b} are left over. How many sweets were there?", f"{c} * {a} + {b}"),
        (f"There were {a + b} people and {b} went home. How many are left?", f"{a + b} - {b}"),
        (f"Each of {c} shelves holds {a} books. How many books are that?", f"{c} * {a}"),
        (f"A ticket is {a} and there are {c} of us. What is it altogether?", f"{c} * {a}"),
        (f"I read {a} pages a day. How many days do I need for {a * c} pages?", f"{a * c} / {a}"),
        (f"My recipe for {c} needs {a} grams of flour. How much is it for one person?", f"{a} / {c}"),
    )
    return *pick(chance, problems), ""


def plural(thing: str) -> str:
    """More than one of them."""
    head, of, tail = thing.partition(" of ")
    if head.endswith(("s", "ch", "x", "sh")):
        head += "es"
    elif head.endswith("y") and head[-2] not in "aeiou":
        head = f"{head[:-1]}ies"
    else:
        head += "s"
    return f"{head}{of}{tail}"


@cache
def zone_cities() -> tuple[str, ...]:
    """Cities that have a time zone of their own, so that their name is all that the clock needs."""
    names = sorted(
        name for name in available_timezones() if name.count("/") == 1 and not name.startswith(("Etc", "SystemV"))
    )
    found = {
        name.rpartition("/")[2].replace("_", " ")
        for name in names
        if name.split("/")[0] not in ("Canada", "US", "Chile", "Brazil", "Mexico")
    }
    return tuple(
        sorted(name for name in found if len(name) > 3 and zone(name) is not None and name.replace(" ", "").isalpha())
    )


def what_time(chance: random.Random) -> Episode:
    """The time, or the day, in a city or a country."""
    kind = chance.random()
    if kind < 0.15:
        where, name = pick(chance, tuple(ZONE_LANDS.items()))
    elif kind < 0.6:
        where = name = pick(chance, zone_cities())
    else:
        where = city(chance)
        name = zone_name(where)
    date = chance.random() < 0.25
    if date:
        asked = pick(
            chance,
            (
                f"What is the date in {where}?",
                f"What day is it in {where}?",
                f"Which date do they have in {where} right now?",
                f"Today's date in {where}?",
            ),
        )
    else:
        asked = pick(
            chance,
            (
                f"What time is it in {where}?",
                f"What's the time in {where} right now?",
                f"time in {where}",
                f"Can you tell me the local time in {where}?",
                f"I want to call {pick(chance, PEOPLE)} in {where}. What time is it there?",
                f"What does the clock say in {where}?",
                f"Current time in {where}?",
                f"How late is it in {where}?",
                f"Please give me the time in {where}.",
                f"{pick(chance, PEOPLE).capitalize()} is in {where}. What time does the watch there show?",
                f"Is it late in {where}? Tell me the hour.",
                f"Local time {where}",
                f"I have a call with {where}; what time do they have?",
                f"What hour is it right now for people in {where}?",
            ),
        )
    found = clock(chance, name, pick(chance, (f"I need the time in {where}.", f"The clock tells the time in {where}.")))
    answer = f"It is {found.day} in {where}." if date else f"It is {found.time} in {where}."
    if chance.random() < 0.2:
        answer = f"It is {found.time} on {found.day} in {where}."
    thought = f"The date in {where} is {found.day}." if date else f"The time in {where} is {found.time}."
    return episode(chance, "time", asked, [CLOCK], [found.step], thought, answer)


def clock_threshold(chance: random.Random) -> Episode:
    """Whether it is before or after an hour somewhere."""
    where, hour = city(chance), chance.randrange(6, 23)
    found = clock(chance, zone_name(where), f"I need the time in {where}.")
    now = int(found.time[:2]) * 60 + int(found.time[3:])
    past, asked = pick(
        chance,
        (
            (True, f"Is it past {hour}:00 in {where}?"),
            (True, f"Is it after {hour}:00 in {where} yet?"),
            (False, f"Is it before {hour}:00 in {where}?"),
            (False, f"Is it earlier than {hour}:00 in {where} right now?"),
        ),
    )
    late = now >= hour * 60
    thought = f"{found.time} is {'after' if late else 'before'} {hour}:00."
    answer = f"{'Yes' if late == past else 'No'}, it is {found.time} in {where}."
    return episode(chance, "time", asked, [CLOCK], [found.step], thought, answer)


SINGLE: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (1.2, rain_today),
    (1.4, weather_now),
    (1.6, threshold),
    (2.2, conversion),
    (0.3, exchange_rate),
    (2.2, arithmetic),
    (1.2, what_time),
    (0.5, clock_threshold),
)
"""Each with its share."""
