"""Questions that need several calls: bets, purchases abroad, comparisons, conditions, two questions at once."""

import random
from collections.abc import Callable

from training.names import spot, spots
from training.toolbox_steps import (
    CALCULATOR,
    CLOCK,
    CURRENCY,
    WEATHER,
    Converted,
    Weathered,
    calculation,
    clock,
    convert,
    degrees,
    moment,
    precipitation,
    weather,
    zone_name,
)
from training.toolbox_tasks import episode, looked, plural, rained, verdict
from training.trajectories import Episode, Step
from training.words import PEOPLE, THINGS, amount, called, cities, city, currency, pick, said


def bet_on_rain(chance: random.Random) -> Episode:
    """Won or lost by the weather; money is converted only where it was won."""
    where, source = spot(chance), currency(chance)
    target = currency(chance, but=source)
    value, who = amount(chance), pick(chance, PEOPLE)
    stake, want = said(chance, value, source), called(chance, target)
    on_rain = chance.random() < 0.7
    event = pick(
        chance,
        (
            (f"it would rain in {where} today", f"it rains in {where} today", f"there would be rain in {where} today")
            if on_rain
            else (
                f"it would stay dry in {where} today",
                f"it would not rain in {where} today",
                f"{where} stays dry today",
            )
        ),
    )
    asked = pick(
        chance,
        (
            f"I bet {who} {stake} that {event}. If I won, how many {want} is that?",
            f"I bet {stake} that {event}. If I won, how much is that in {want}?",
            f"I wagered {stake} with {who} that {event}. How many {want} did I win, if I won?",
            f"{who.capitalize()} and I have a bet of {stake}: I said {event}. If I am right, what do I get in {want}?",
            f"{stake} on this: {event}. Supposing I was right, give me the sum in {want}.",
            f"My bet with {who}: {stake} that {event}. Convert my winnings to {want} if I won.",
            f"I was the one who said {event}, for {stake}. What have I won in {want}, if I have?",
            f"{who.capitalize()} pays me {stake} if {event}. How much is that in {want}, if I get it?",
            f"Did I win my bet of {stake} that {event}? If yes, say it in {want}.",
            f"There's a bet of {stake} that {event}, and I took it. If that's right, how many {want} do I get?",
        ),
    )
    lead = f"The bet is on {'rain' if on_rain else 'no rain'} in {where}, so first I need the weather there."
    found = weather(chance, where, lead, rain=bet_rain(chance))
    thought, _ = rained(chance, found)
    won = (found.rain > 0) == on_rain
    thought = f"{thought} The bet was on {'rain' if on_rain else 'no rain'}, so it is {'won' if won else 'lost'}."
    told = f"It rained in {where} ({found.rain} mm)" if found.rain > 0 else f"It did not rain in {where} (0.0 mm)"
    if not won:
        lost = pick(chance, ("the bet is lost", "you did not win the bet"))
        answer = f"{told}, so {lost} and there is nothing to convert."
        return episode(chance, "bet", asked, [WEATHER, CURRENCY], [found.step], thought, answer)
    paid = convert(chance, value, source, target, f"{thought} I convert {value} {source} to {target}.")
    answer = f"{told}, so you won: {paid.sentence}."
    steps = [found.step, paid.step]
    return episode(chance, "bet", asked, [WEATHER, CURRENCY], steps, "The bet is won and the amount is known.", answer)


def rain_together(chance: random.Random) -> Episode:
    """The rain of two places, added up; or how much more one gets."""
    a, b = spots(chance, 2)
    one = weather(chance, a, f"I need the precipitation in {a}.", rain=precipitation(chance))
    two = weather(chance, b, f"Now I need the precipitation in {b}.", rain=precipitation(chance))
    asked, sign = pick(
        chance,
        (
            (f"How many mm of rain do {a} and {b} get together?", "+"),
            (f"Add up today's rain in {a} and {b}.", "+"),
            (f"What is the sum of the rain in {a} and in {b} today, in mm?", "+"),
            (f"What is the difference between the rain in {a} and in {b}?", "-"),
        ),
    )
    high, low = max(one.rain, two.rain), min(one.rain, two.rain)
    step, result = calculation(
        f"{one.rain} + {two.rain}" if sign == "+" else f"{high} - {low}",
        f"{a} has {one.rain} mm and {b} {two.rain} mm. I calculate the {'sum' if sign == '+' else 'difference'}.",
    )
    answer = f"It is {result} mm: {one.rain} mm in {a} and {two.rain} mm in {b}."
    return episode(
        chance,
        "compare",
        asked,
        [WEATHER, CALCULATOR],
        [one.step, two.step, step],
        f"The result is {result} mm.",
        answer,
    )


def bet_rain(chance: random.Random) -> float:
    """None or some, even."""
    return 0.0 if chance.random() < 0.5 else precipitation(chance)


def bet_on_degrees(chance: random.Random) -> Episode:
    """The same, by temperature."""
    where, source = spot(chance), currency(chance)
    target, limit = currency(chance, but=source), chance.randrange(-5, 33)
    value = amount(chance)
    stake, want = said(chance, value, source), called(chance, target)
    above = chance.random() < 0.6
    word = pick(chance, ("warmer than", "above", "hotter than") if above else ("colder than", "below", "cooler than"))
    asked = pick(
        chance,
        (
            f"I bet {stake} that it is {word} {limit} degrees in {where}. If I won, how many {want} is that?",
            f"{pick(chance, PEOPLE).capitalize()} bet me {stake} that {where} is not {word} {limit} degrees; I say it is. "
            f"If I'm right, how much is it in {want}?",
            f"If it is {word} {limit} °C in {where}, convert {stake} to {want}.",
        ),
    )
    actual = round(limit + chance.uniform(-6, 6), 1)
    found = weather(chance, where, f"First I need the temperature in {where}.", temperature=actual)
    won = found.temperature > limit if above else found.temperature < limit
    thought = verdict(found.temperature, limit, above=above, yes=won)
    told = f"It is {found.degrees} in {where}"
    if not won:
        answer = f"{told}, which is not {word} {limit}, so there is nothing to convert."
        return episode(chance, "bet", asked, [WEATHER, CURRENCY], [found.step], thought, answer)
    paid = convert(chance, value, source, target, f"{thought} I convert {value} {source} to {target}.")
    answer = f"{told}, {word} {limit}: {paid.sentence}."
    return episode(chance, "bet", asked, [WEATHER, CURRENCY], [found.step, paid.step], "The amount is known.", answer)


def purchase(chance: random.Random) -> Episode:
    """A product, a sum, a share or a percentage, then another currency."""
    source = currency(chance)
    target = currency(chance, but=source)
    n, k = chance.randrange(2, 40), chance.randrange(2, 9)
    price = pick(chance, (chance.randrange(1, 200), round(chance.uniform(0.5, 120), 2)))
    other = pick(chance, (chance.randrange(1, 200), round(chance.uniform(0.5, 120), 2)))
    large, thing, second = chance.randrange(50, 9000), pick(chance, THINGS), pick(chance, THINGS)
    money, want = (called(chance, source) if chance.random() < 0.5 else source), called(chance, target)
    rate = pick(chance, (5, 10, 15, 20, 25, 30, 50))
    question = pick(
        chance,
        (
            f"How many {want} is that?",
            f"How much is that in {want}?",
            f"What is the total in {want}?",
            f"What do I pay in {want}?",
            f"Tell me in {want}.",
            f"what's that in {want}?",
        ),
    )
    start, expression = pick(
        chance,
        (
            (f"I buy {n} {plural(thing)} for {price} {money} each.", f"{n} * {price}"),
            (f"{n} {plural(thing)} at {price} {money} each.", f"{n} * {price}"),
            (f"I want {n} {plural(thing)}; one costs {price} {money}.", f"{n} * {price}"),
            (f"I pay {price} {money} for each of {n} {plural(thing)}.", f"{n} * {price}"),
            (f"A hotel night costs {large} {money} and I stay {k} nights.", f"{k} * {large}"),
            (f"My subscription is {price} {money} a month, for {n} months.", f"{price} * {n}"),
            (f"I buy a {thing} for {price} {money} and a {second} for {other} {money}.", f"{price} + {other}"),
            (f"A {thing} costs {price} {money} and shipping is {other} {money}.", f"{price} + {other}"),
            (f"I had {large} {money} and spent {price} {money}; the rest I exchange.", f"{large} - {price}"),
            (f"{k} of us share a bill of {large} {money} and I pay my part.", f"{large} / {k}"),
            (f"A {thing} of {large} {money} has {rate}% off.", f"{large} * (100 - {rate}) / 100"),
            (f"Dinner was {large} {money} plus {rate}% tip.", f"{large} * (100 + {rate}) / 100"),
            (f"I get {rate}% of {large} {money}.", f"{rate}% of {large}"),
            (f"I need {n} {plural(thing)} for {price} {money} each and {k} {plural(second)} for {other} {money} each.",
             f"{n} * {price} + {k} * {other}"),
        ),
    )  # fmt: skip
    text = f"{start} {question}"
    if chance.random() < 0.15 and "each." in start and n:
        text = f"What do {n} {plural(thing)} at {price} {money} each cost in {want}?"
        expression = f"{n} * {price}"
    first, total = calculation(expression, pick(chance, ("I need the total first.", "First I calculate the amount.",
                                                         f"First I calculate {expression}.")))  # fmt: skip
    value = float(total)
    paid = convert(chance, int(value) if value.is_integer() else value, source, target,
                   f"The total is {total} {source}. I need it in {target}.")  # fmt: skip
    answer = pick(
        chance,
        (f"The total is {total} {source}, which is {paid.converted} {target}.", f"{paid.sentence}."),
    )
    steps, thought = [first, paid.step], "The converted amount is known."
    return episode(chance, "purchase", text, [CALCULATOR, CURRENCY], steps, thought, answer)


def converted_then_counted(chance: random.Random) -> Episode:
    """Another currency first, then a share, a multiple or what is left."""
    source = currency(chance)
    target = currency(chance, but=source)
    value, k = amount(chance), chance.randrange(2, 12)
    have, want = said(chance, value, source), called(chance, target)
    extra = chance.randrange(1, 300)
    asked, form = pick(
        chance,
        (
            (f"Convert {have} to {want} and split it between {k} people.", f"/ {k}"),
            (f"{k} friends share {have}. How many {want} does each get?", f"/ {k}"),
            (f"How much is {have} in {want}, divided by {k}?", f"/ {k}"),
            (f"I get {have} a day. How many {want} is that for {k} days?", f"* {k}"),
            (f"Convert {have} to {want} and double it.", "* 2"),
            (f"Change {have} to {want}, then add {extra} {target}. What do I have?", f"+ {extra}"),
            (f"I change {have} to {want} and spend {extra} {target}. What is left?", f"- {extra}"),
        ),
    )
    paid = convert(chance, value, source, target, f"First I convert {value} {source} to {target}.")
    step, result = calculation(
        f"{paid.converted} {form}", f"It is {paid.converted} {target}. Now I calculate the rest."
    )
    answer = pick(chance, (f"It is {result} {target}.", f"{paid.sentence}, and the result is {result} {target}."))
    thought = f"The result is {result}."
    return episode(chance, "purchase", asked, [CURRENCY, CALCULATOR], [paid.step, step], thought, answer)


def two_currencies(chance: random.Random) -> Episode:
    """One amount in two currencies, or two amounts."""
    source = currency(chance)
    first = currency(chance, but=source)
    second = next(code for code in iter(lambda: currency(chance, but=source), "") if code != first)
    value = amount(chance)
    have = said(chance, value, source)
    asked = pick(
        chance,
        (
            f"How much is {have} in {called(chance, first)} and in {called(chance, second)}?",
            f"Convert {have} to {first} and to {second}.",
            f"What is {have} in {called(chance, first)}, and what in {called(chance, second)}?",
            f"Give me {have} in {first} and {second}.",
        ),
    )
    one = convert(chance, value, source, first, f"First I convert {value} {source} to {first}.")
    two = convert(chance, value, source, second, f"Now I convert {value} {source} to {second}.")
    answer = f"{one.sentence}, and {two.sentence}."
    return episode(chance, "two", asked, [CURRENCY], [one.step, two.step], "Both amounts are known.", answer)


def which_city(chance: random.Random) -> Episode:
    """Two cities compared: warmer, colder, wetter; or the difference."""
    a, b = spots(chance, 2)
    base = degrees(chance)
    near = chance.random() < 0.4
    other = round(base + chance.uniform(-3, 3), 1) if near else degrees(chance)
    if other == base:
        other = round(base + 1.3, 1)
    one = weather(chance, a, pick(chance, (looked(chance, a), f"I look at {a} first.")), temperature=base)
    two = weather(chance, b, f"Now I need the weather in {b}.", temperature=other)
    kind = chance.random()
    if kind < 0.6:
        warm = chance.random() < 0.55
        word = pick(chance, ("warmer", "hotter") if warm else ("colder", "cooler"))
        asked = pick(
            chance,
            (
                f"Is it {word} in {a} or in {b}?",
                f"Which city is {word}, {a} or {b}?",
                f"Where is it {word} today: {a} or {b}?",
                f"{a} or {b}: which one is {word}?",
                f"Compare the temperatures of {a} and {b}. Which is {word}?",
                f"Should I go to {a} or {b} if I want it {word}?",
                f"Of {a} and {b}, which is {word} now?",
                f"In which of the two is it {word}, {a} or {b}?",
                f"Name the {word} of the two: {a}, {b}.",
                f"{a} against {b}: who has the {word} day?",
                f"Do people in {a} or people in {b} have {word} weather?",
                f"{a}, {b}: where are the degrees {'higher' if warm else 'lower'}?",
                f"Which of {a} and {b} has {'more' if warm else 'fewer'} degrees?",
            ),
        )
        best = one if (one.temperature > two.temperature) == warm else two
        rest = two if best is one else one
        order = "more" if one.temperature > two.temperature else "less"
        thought = f"{a} has {one.temperature} and {b} {two.temperature}. {one.temperature} is {order} than {two.temperature}, so {best.city} is {word}."
        answer = f"{best.city} is {word}: {best.degrees} there and {rest.degrees} in {rest.city}."
        return episode(chance, "compare", asked, [WEATHER], [one.step, two.step], thought, answer)
    if kind < 0.75:
        high, low = (one, two) if one.temperature > two.temperature else (two, one)
        asked = pick(
            chance,
            (
                f"What is the temperature difference between {a} and {b}?",
                f"How many degrees warmer is {high.city} than {low.city}?",
                f"By how many degrees do {a} and {b} differ?",
            ),
        )
        step, result = calculation(
            f"{high.temperature} - {low.temperature}".replace("- -", "+ "),
            f"{high.city} has {high.temperature} and {low.city} {low.temperature}. I calculate the difference.",
        )
        answer = f"{high.city} is {result} degrees warmer than {low.city} ({high.degrees} and {low.degrees})."
        steps = [one.step, two.step, step]
        if asked.startswith("How many") and high is two:
            steps = [weather_step(two, looked(chance, two.city)), weather_step(one, f"Now I need {one.city}."), step]
        needed = [WEATHER, CALCULATOR]
        return episode(chance, "compare", asked, needed, steps, f"The difference is {result} degrees.", answer)
    if kind < 0.88:
        asked = pick(
            chance,
            (
                f"What is the average temperature of {a} and {b}?",
                f"Average the temperatures in {a} and {b}.",
                f"Mean temperature of {a} and {b} today?",
            ),
        )
        step, result = calculation(
            f"({one.temperature} + {two.temperature}) / 2",
            f"{a} has {one.temperature} and {b} {two.temperature}. I calculate the average.",
        )
        answer = f"The average of {one.degrees} in {a} and {two.degrees} in {b} is {result} °C."
        word = "average"
        if chance.random() < 0.4:
            word = "sum"
            asked = pick(
                chance,
                (
                    f"What do the temperatures of {a} and {b} make together?",
                    f"Sum of the degrees in {a} and {b}?",
                    f"Take the temperature of {a} plus that of {b}. What is it?",
                ),
            )
            step, result = calculation(
                f"{one.temperature} + {two.temperature}".replace("+ -", "- "),
                f"{a} has {one.temperature} and {b} {two.temperature}. I calculate the sum.",
            )
            answer = f"The sum of {one.degrees} in {a} and {two.degrees} in {b} is {result} degrees."
        steps = [one.step, two.step, step]
        thought = f"The {word} is {result}."
        return episode(chance, "compare", asked, [WEATHER, CALCULATOR], steps, thought, answer)
    wetter = [one, two]
    asked = pick(
        chance,
        (
            f"Does it rain more in {a} or in {b}?",
            f"Which is wetter today, {a} or {b}?",
            f"{a} or {b}: which gets more rain?",
            f"Is {a} or {b} the wetter place?",
            f"Who gets more rain, {a} or {b}?",
            f"Of {a} and {b}, where is more rain falling?",
        ),
    )
    if one.rain == two.rain:
        thought = f"Both have {one.rain} mm."
        answer = f"Neither: {a} and {b} both have {one.rain} mm today."
    else:
        best, rest = sorted(wetter, key=lambda found: -found.rain)
        order = "more" if one.rain > two.rain else "less"
        thought = f"{a} has {one.rain} mm and {b} {two.rain} mm. {one.rain} is {order} than {two.rain}, so {best.city} is wetter."
        answer = f"{best.city} gets more rain: {best.rain} mm, and {rest.city} {rest.rain} mm."
    return episode(chance, "compare", asked, [WEATHER], [one.step, two.step], thought, answer)


def weather_step(found: Weathered, thought: str) -> Step:
    """The same call for another reason."""
    return Step(thought, found.step.tool, found.step.arguments, found.step.result)


def fact(chance: random.Random) -> tuple[list[Step], list[str], str, str]:
    """Something to find out: its step, the tools, how it is asked inside a sentence, and what is then known."""
    kind = chance.randrange(5)
    if kind == 0:
        where = spot(chance)
        found = weather(chance, where, looked(chance, where))
        asked = pick(chance, (f"is it raining in {where}", f"does it rain in {where} today"))
        return [found.step], [WEATHER.name], asked, rained(chance, found)[1]
    if kind == 1:
        where = spot(chance)
        found = weather(chance, where, f"I need the temperature in {where}.")
        asked = pick(chance, (f"how warm is it in {where}", f"what is the temperature in {where}"))
        return [found.step], [WEATHER.name], asked, f"it is {found.degrees} in {where}"
    if kind == 2:
        source = currency(chance)
        target, value = currency(chance, but=source), amount(chance)
        paid = convert(chance, value, source, target, f"I convert {value} {source} to {target}.")
        have, want = said(chance, value, source), called(chance, target)
        asked = pick(
            chance, (f"how many {want} are {have}", f"what is {have} in {want}", f"how much is {have} in {want}")
        )
        return [paid.step], [CURRENCY.name], asked, paid.sentence
    if kind == 3:
        where = city(chance)
        seen = clock(chance, zone_name(where), f"I need the time in {where}.")
        asked = pick(chance, (f"what time is it in {where}", f"how late is it in {where}"))
        return [seen.step], [CLOCK.name], asked, f"it is {seen.time} in {where}"
    a, b, sign = chance.randrange(2, 500), chance.randrange(2, 500), pick(chance, "*+-")
    step, result = calculation(f"{a} {sign} {b}", f"I calculate {a} {sign} {b}.")
    return [step], [CALCULATOR.name], f"what is {a} {sign} {b}", f"{a} {sign} {b} is {result}"


def two_facts(chance: random.Random) -> Episode:
    """Two questions that have nothing to do with each other."""
    by_name = {tool.name: tool for tool in (WEATHER, CURRENCY, CALCULATOR, CLOCK)}
    (one, names, first, known), (two, more, second, also) = fact(chance), fact(chance)
    text = pick(
        chance,
        (
            f"{upper(first)}, and {second}?",
            f"{upper(first)} and {second}?",
            f"{upper(first)}? And {second}?",
            f"{upper(first)}? Also, {second}?",
            f"Two questions: {first}, and {second}?",
            f"Tell me two things: {first}? {upper(second)}?",
            f"{upper(first)}? {upper(second)}?",
            f"{upper(first)}? While you are at it, {second}?",
            f"{upper(first)}? By the way, {second}?",
            f"First: {first}? Second: {second}?",
            f"I have two things to ask. {upper(first)}? {upper(second)}?",
            f"{upper(first)}, and after that: {second}?",
            f"{upper(first)}? Then I'd also like to know: {second}?",
            f"{upper(first)} - and {second}?",
        ),
    )
    one = [
        Step(f"Two things are asked. {step.thought.removeprefix('First ')}", step.tool, step.arguments, step.result)
        for step in one
    ]
    steps = [*one, Step(_next(chance, two[0].thought, known), two[0].tool, two[0].arguments, two[0].result)]
    answer = f"{known[0].upper()}{known[1:]}, and {also}."
    needed = [by_name[name] for name in dict.fromkeys([*names, *more])]
    if chance.random() < 0.08:
        closing = pick(chance, ("I must answer now with what I know.", "This is the last reply; I say what is known."))
        partial = f"{known[0].upper()}{known[1:]}. I could not find out the rest."
        done = episode(chance, "closing", text, needed, one, closing, partial)
        return Episode(done.family, done.task, done.tools, done.steps, done.thought, done.answer, closing=True)
    return episode(chance, "two", text, needed, steps, "Both are known.", answer)


def _next(chance: random.Random, thought: str, known: str) -> str:
    lead = pick(chance, ("Now the second question. ", "One is known. ", f"{known[0].upper()}{known[1:]}. ", ""))
    return f"{lead}{thought.removeprefix('First ')}"


def upper(text: str) -> str:
    """A sentence's beginning; the names in it stay as they are."""
    return text[:1].upper() + text[1:]


def same_thing_twice(chance: random.Random) -> Episode:
    """The weather or the time in two places."""
    a, b = cities(chance, 2)
    if chance.random() < 0.5:
        one = weather(chance, a, looked(chance, a))
        two = weather(chance, b, f"Now I need the weather in {b}.")
        asked = pick(
            chance,
            (
                f"What is the weather in {a} and in {b}?",
                f"How warm is it in {a} and {b}?",
                f"Temperatures in {a} and {b}, please.",
                f"weather in {a} and {b}",
            ),
        )
        answer = f"It is {one.degrees} in {a} and {two.degrees} in {b}."
        if asked.lower().startswith(("what is the w", "weather")):
            answer = (
                f"It is {one.degrees} in {a}, and {rained(chance, one)[1]}; "
                f"it is {two.degrees} in {b}, and {rained(chance, two)[1]}."
            )
        return episode(chance, "two", asked, [WEATHER], [one.step, two.step], "Both are known.", answer)
    at = moment(chance)
    seen = clock(chance, zone_name(a), f"I need the time in {a}.", at)
    other = clock(chance, zone_name(b), f"Now I need the time in {b}.", at)
    asked = pick(
        chance,
        (
            f"What time is it in {a} and in {b}?",
            f"Tell me the time in {a} and {b}.",
            f"time in {a} and {b}?",
        ),
    )
    answer = f"It is {seen.time} in {a} and {other.time} in {b}."
    return episode(chance, "two", asked, [CLOCK], [seen.step, other.step], "Both times are known.", answer)


def if_then(chance: random.Random) -> Episode:
    """A condition on the weather that decides what is done next, or not done."""
    where = spot(chance)
    found = weather(chance, where, f"First I need to know whether it rains in {where}.", rain=bet_rain(chance))
    thought, known = rained(chance, found)
    yes, no = action(chance), action(chance)
    wet = chance.random() < 0.6
    condition = pick(chance, (f"it rains in {where}", f"it is raining in {where}", f"it's wet in {where}")) if wet else (
        pick(chance, (f"it is dry in {where}", f"it does not rain in {where}"))
    )  # fmt: skip
    both = chance.random() < 0.6
    text = f"If {condition} today, {yes[1]}{f'; otherwise {no[1]}' if both else ''}."
    if not both and chance.random() < 0.3:
        text = f"{yes[1][0].upper()}{yes[1][1:]}, but only if {condition} today."
    met = (found.rain > 0) == wet
    thought = f"{thought} The condition is {'rain' if wet else 'no rain'}, so it is {'met' if met else 'not met'}."
    chosen = yes if met else no if both else None
    tools = [
        WEATHER,
        *(tool for done in (yes, no) for tool in (CURRENCY, CALCULATOR, CLOCK) if tool.name == done[0].tool),
    ]
    if not both:
        tools = [tool for tool in tools if tool.name in (WEATHER.name, yes[0].tool)]
    opening = f"{known[0].upper()}{known[1:]}"
    if chosen is None:
        answer = f"{opening}, so there is nothing to do."
        return episode(chance, "condition", text, tools, [found.step], f"{thought} Nothing is to be done.", answer)
    second = Step(f"{thought} {chosen[0].thought}", chosen[0].tool, chosen[0].arguments, chosen[0].result)
    answer = f"{opening}; {chosen[2]}."
    return episode(chance, "condition", text, tools, [found.step, second], "Now all is known.", answer)


def action(chance: random.Random) -> tuple[Step, str, str]:
    """Something to do, as an instruction: the step, its words, what it brings."""
    kind = chance.randrange(3)
    if kind == 0:
        source = currency(chance)
        target, value = currency(chance, but=source), amount(chance)
        paid = convert(chance, value, source, target, f"So I convert {value} {source} to {target}.")
        have, want = said(chance, value, source), called(chance, target)
        words = pick(
            chance, (f"convert {have} to {want}", f"tell me what {have} is in {want}", f"change {have} to {want}")
        )
        return paid.step, words, paid.sentence
    if kind == 1:
        where = city(chance)
        seen = clock(chance, zone_name(where), f"So I need the time in {where}.")
        return seen.step, pick(chance, (f"tell me the time in {where}", f"say what time it is in {where}")), (
            f"it is {seen.time} in {where}"
        )  # fmt: skip
    a, b, sign = chance.randrange(2, 200), chance.randrange(2, 200), pick(chance, "*+-")
    step, result = calculation(f"{a} {sign} {b}", f"So I calculate {a} {sign} {b}.")
    return step, f"calculate {a} {sign} {b}", f"{a} {sign} {b} is {result}"


def converted_degrees(chance: random.Random) -> Episode:
    """A threshold on converted money: can I pay for it."""
    source = currency(chance)
    target, value = currency(chance, but=source), amount(chance)
    paid = convert(chance, value, source, target, f"I need {value} {source} in {target}.")
    near = max(1, round(paid.converted * chance.uniform(0.5, 1.6)))
    near += near == paid.converted
    have = said(chance, value, source)
    asked = pick(
        chance,
        (
            f"Is {have} more than {near} {target}?",
            f"Are {have} worth more than {near} {called(chance, target)}?",
            f"I have {have}. Is it enough to pay {near} {target}?",
            f"A {pick(chance, THINGS)} costs {near} {target}. Can I buy it with {have}?",
        ),
    )
    yes = paid.converted >= near if "more" not in asked else paid.converted > near
    thought = verdict(paid.converted, near, above=True, yes=yes)
    answer = f"{'Yes' if yes else 'No'}, {paid.sentence}."
    return episode(chance, "threshold", asked, [CURRENCY], [paid.step], thought, answer)


def three_steps(chance: random.Random) -> Episode:
    """Rain decides, then a product, then its conversion."""
    where, source = spot(chance), currency(chance)
    target, n, price = currency(chance, but=source), chance.randrange(2, 40), chance.randrange(1, 150)
    thing = pick(chance, THINGS)
    found = weather(chance, where, f"First I need to know whether it rains in {where}.", rain=bet_rain(chance))
    thought, known = rained(chance, found)
    opening = f"{known[0].upper()}{known[1:]}"
    asked = pick(
        chance,
        (
            f"If it rains in {where} today I buy {n} {plural(thing)} for {price} {source} each. "
            f"What do I pay in {called(chance, target)}?",
            f"I need {n} {plural(thing)} at {price} {source} each, but only if it rains in {where}. "
            f"What would it cost in {called(chance, target)}?",
        ),
    )
    tools = [WEATHER, CALCULATOR, CURRENCY]
    if found.rain <= 0:
        answer = f"{opening}, so you buy nothing and pay nothing."
        return episode(chance, "condition", asked, tools, [found.step], f"{thought} So nothing is bought.", answer)
    step, total = calculation(f"{n} * {price}", f"{thought} So I need the total.")
    paid: Converted = convert(
        chance, int(total), source, target, f"The total is {total} {source}. I need it in {target}."
    )
    answer = f"{opening}; the total is {total} {source}, which is {paid.converted} {target}."
    steps = [found.step, step, paid.step]
    return episode(chance, "condition", asked, tools, steps, "The converted total is known.", answer)


PLANS: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (2.0, bet_on_rain),
    (0.8, bet_on_degrees),
    (2.0, purchase),
    (0.8, converted_then_counted),
    (0.6, two_currencies),
    (1.8, which_city),
    (1.8, two_facts),
    (0.7, same_thing_twice),
    (1.3, if_then),
    (0.6, converted_degrees),
    (0.4, three_steps),
    (0.4, rain_together),
)
"""Each with its share."""
