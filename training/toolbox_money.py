"""More of what people ask about money: in many words, with decoys of direction, with purchases and limits.

Owns questions that are put together from parts. Every figure comes from the tools' own code.
"""

import random
from collections.abc import Callable

from training.names import BARE, any_money, coin, counted, money, spot
from training.toolbox_steps import CALCULATOR, CURRENCY, WEATHER, Converted, calculation, convert, weather
from training.toolbox_tasks import episode, plural, rained, verdict
from training.trajectories import Episode
from training.words import PEOPLE, THINGS, amount, grouped, pick

SERVICES = ("hotel", "hostel", "campsite", "dentist", "garage", "mechanic", "landlord", "tailor", "guide", "museum", "taxi driver",
            "language school", "florist", "bakery", "vet", "ferry company", "car rental", "club", "online shop", "airline")  # fmt: skip
WHAT = ("the room", "the rent", "the repair", "the bill", "the fine", "the deposit", "the flight", "the ticket", "the fee", "dinner",
        "my salary", "the prize", "the loan", "the insurance", "the taxi", "the parcel", "the course", "the concert", "the refund",
        "the canoe", "the bike", "the tour", "the visa", "the ferry", "the dress", "the sofa", "the camera")  # fmt: skip
DAILY = ("nights", "days", "weeks", "months", "hours", "lessons", "trips", "rides", "tickets", "portions", "shares")


def pair(chance: random.Random) -> tuple[str, str]:
    """Two different currencies."""
    source = any_money(chance)
    return source, any_money(chance, but=source)


def whole(number: str) -> float | int:
    """A result of the calculator as the currency tool takes it."""
    value = float(number)
    return int(value) if value.is_integer() else value


def changed(chance: random.Random) -> Episode:
    """An amount in another currency; what is given may stand before or behind what is wanted."""
    source, target = pair(chance)
    value = amount(chance)
    have, want = money(chance, value, source), coin(chance, target)
    what, who, where = pick(chance, WHAT), pick(chance, PEOPLE), spot(chance)
    note = have
    if source in BARE and isinstance(value, int):
        note = f"a {grouped(chance, value)} {BARE[source]} {pick(chance, ('note', 'bill', 'voucher', 'cheque', 'gift card'))}"
    single = f"{value} {BARE[source]}" if source in BARE and chance.random() < 0.5 else have
    asked = pick(
        chance,
        (
            f"How many {want} do I need to pay {have}?",
            f"How many {want} do I need for {have}?",
            f"I have to pay {have}. How many {want} is that?",
            f"{what.capitalize()} costs {have}. How many {want} is it?",
            f"{what.capitalize()} is {have}, what's that in {want}?",
            f"In {where} a {pick(chance, SERVICES)} asks {have} of me. In {want}?",
            f"The {pick(chance, SERVICES)} charges {have}; how much would I pay in {want}?",
            f"{who.capitalize()} sent me {have}. How many {want} do I have now?",
            f"Suppose {who} lends me {have}: how many {want} would I hold?",
            f"Grandmother gave me {note}. How many {want} is it worth?",
            f"I won {note}! In {want}, please.",
            f"What is {note} worth in {want}?",
            f"how much is {single} in {want}",
            f"{single} in {want} please",
            f"what's {single} in {want}",
            f"In {want}: {have}?",
            f"Tell me how many {want} {have} are.",
            f"Tell me what {have} comes to in {want}.",
            f"Give me the value of {have} in {want}.",
            f"I'd like to change {have} into {want}. How much will I get?",
            f"I want {want} for {have}. How many?",
            f"Into {want}, please: {have}.",
            f"{have}, that is how much in {want}?",
            f"Could you convert {have} for me? I need {want}.",
            f"My {pick(chance, ('wallet', 'account', 'piggy bank', 'purse'))} holds {have}. What is it in {want}?",
            f"{have} sounds like much. Say it in {want}.",
            f"We paid {have} for {what}. What was that in {want}?",
            f"{who.capitalize()} earns {have} a week. How much is it in {want}?",
            f"The price tag says {have}. I only know {want}. How much is it?",
            f"How many {want} will {have} get me?",
            f"What do I get in {want} if I change {have}?",
            f"Can you tell me the {want} equivalent of {have}?",
            f"{what.capitalize()} in {where} costs {have} - how much in {want}?",
        ),
    )
    found = convert(chance, value, source, target, f"I convert {value} {source} to {target}.")
    thought = pick(chance, ("The amount is known.", f"{found.converted} {target} is the result."))
    return episode(chance, "conversion", asked, [CURRENCY], [found.step], thought, f"{found.sentence}.")


def bought(chance: random.Random) -> tuple[str, str, str, str]:
    """Several things at a price each: the start of a question, the expression, the currency, and what is bought."""
    code, n = any_money(chance), chance.randrange(2, 40)
    price = pick(chance, (chance.randrange(1, 300), chance.randrange(10, 3000), round(chance.uniform(0.5, 90), 2)))
    each, count, things = money(chance, price, code), counted(chance, n), plural(pick(chance, THINGS))
    thing, unit, who = pick(chance, THINGS), pick(chance, DAILY), pick(chance, PEOPLE)
    start = pick(
        chance,
        (
            f"{count.capitalize()} {things}, {each} each.",
            f"{count.capitalize()} {things} at {each}.",
            f"{count} {things} for {each} each.",
            f"{count} {things}, one costs {each}.",
            f"{who.capitalize()} buys {count} {things}. One is {each}.",
            f"The choir orders {count} {things} at {each} apiece.",
            f"I want {count} {things}. Each costs {each}.",
            f"{who.capitalize()} got rid of {count} {things} for {each} each.",
            f"I sold {count} {things} at {each} apiece.",
            f"I stay {count} {unit} at {each} each.",
            f"They pay me {each} an hour, and I work {n} hours.",
            f"{who.capitalize()} works {n} hours and gets {each} an hour.",
            f"{count.capitalize()} {unit} at {each} per {unit[:-1]}.",
            f"A {thing} is {each} and I need {count} of them.",
            f"{count.capitalize()} of us each pay {each}.",
            f"There are {count} of us and everyone pays {each}.",
            f"I get {each} a day for {count} days.",
            f"Every month I put {each} aside, for {n} months.",
            f"I ordered {count} {things} and one of them costs {each}.",
        ),
    )
    return start, f"{n} * {price}", code, f"{count} {things} at {each} each"


def shopping(chance: random.Random) -> Episode:
    """How much several things cost in another currency: first the product, then its conversion."""
    start, expression, source, things = bought(chance)
    target = any_money(chance, but=source)
    want = coin(chance, target)
    n, price = expression.split(" * ")
    asked = pick(
        chance,
        (
            f"{start} How many {want} altogether?",
            f"{start} How many {want} is that in total?",
            f"{start} I need the whole sum in {want}.",
            f"{start} All that in {want}?",
            f"{start} Please express the total in {want}.",
            f"{start} What is it all in {want}?",
            f"{start} How much in {want}?",
            f"{start} I pay in {want}. How much?",
            f"{start} -> {want}?",
            f"{start} In {want}?",
            f"what do {things} cost in {want}",
            f"How many {want} are {things}?",
            f"What would {things} be in {want}?",
            f"How many {want} do I need for {things}?",
        ),
    )
    first, total = calculation(expression, f"{n} times {price} {source} is needed first, then {source} to {target}.")
    paid = convert(chance, whole(total), source, target, f"The total is {total} {source}. I need it in {target}.")
    answer = pick(chance, (f"The total is {total} {source}, which is {paid.converted} {target}.", f"{paid.sentence}."))
    needed, steps = [CALCULATOR, CURRENCY], [first, paid.step]
    return episode(chance, "purchase", asked, needed, steps, "The converted amount is known.", answer)


def no_exchange(chance: random.Random) -> Episode:
    """The same purchase, but nobody asks for another currency: the product is the answer."""
    start, expression, source, things = bought(chance)
    asked = pick(
        chance,
        (
            f"{start} What is the total?",
            f"{start} How much is that altogether?",
            f"{start} What's the sum?",
            f"What do {things} cost?",
            f"{start} How much is it in all?",
            f"How much money is that: {things}?",
        ),
    )
    n, price = expression.split(" * ")
    step, total = calculation(expression, f"{n} times {price} {source}; no other currency is asked for.")
    return episode(chance, "arithmetic", asked, [CALCULATOR], [step], f"The total is {total} {source}.",
                   f"The total is {total} {source}.")  # fmt: skip


def reduced(chance: random.Random) -> Episode:
    """A product, a discount or a fee, and another currency: three steps, or two with one expression."""
    _, expression, source, things = bought(chance)
    target, rate = any_money(chance, but=source), pick(chance, (5, 10, 15, 20, 25, 30, 40, 50))
    want, n, price = coin(chance, target), *expression.split(" * ")
    down = chance.random() < 0.6
    asked = pick(
        chance,
        (
            f"I buy {things} and get {rate}% off. How many {want} do I pay?",
            f"{things[:1].upper()}{things[1:]}, minus {rate} percent. What is that in {want}?",
            f"There is a discount of {rate}% on {things}. What do I pay in {want}?",
        )
        if down
        else (
            f"I buy {things} and pay {rate}% tax on top. How many {want} is it?",
            f"{things[:1].upper()}{things[1:]}, plus {rate} percent tip. What is that in {want}?",
        ),
    )
    sign = "-" if down else "+"
    first, total = calculation(
        f"{expression} * (100 {sign} {rate}) / 100",
        f"{n} times {price}, {'less' if down else 'plus'} {rate} percent, comes first, then {source} to {target}.",
    )
    paid = convert(chance, whole(total), source, target, f"The total is {total} {source}. I need it in {target}.")
    answer = f"The total is {total} {source}, which is {paid.converted} {target}."
    needed, steps = [CALCULATOR, CURRENCY], [first, paid.step]
    return episode(chance, "purchase", asked, needed, steps, "The converted amount is known.", answer)


def after_exchange(chance: random.Random) -> Episode:
    """Converted first, then a fee is taken off, a sum is added, or it is shared."""
    source, target = pair(chance)
    value, k, extra = amount(chance), chance.randrange(2, 12), chance.randrange(1, 60)
    have, want, fee = money(chance, value, source), coin(chance, target), f"{extra} {target}"
    asked, form, told = pick(
        chance,
        (
            (f"Swap {have} for {want}; the bank keeps {fee}. How much stays with me?", f"- {extra}", f"less {fee}"),
            (f"I change {have} into {want} and pay a fee of {fee}. What remains?", f"- {extra}", f"less {fee}"),
            (f"Convert {have} to {want} and subtract {extra}.", f"- {extra}", f"less {extra}"),
            (f"Convert {have} to {want} and add {fee} to it.", f"+ {extra}", f"plus {fee}"),
            (f"I have {have} and {fee} in cash. How many {want} is that together?", f"+ {extra}", f"plus {fee}"),
            (
                f"{counted(chance, k).capitalize()} of us share {have}. How many {want} each?",
                f"/ {k}",
                f"divided by {k}",
            ),
            (f"Turn {have} into {want} and triple it.", "* 3", "times 3"),
            (f"One costs {have}. What do {k} cost in {want}?", f"* {k}", f"times {k}"),
        ),
    )
    paid = convert(chance, value, source, target, f"First I convert {value} {source} to {target}.")
    step, result = calculation(f"{paid.converted} {form}", f"It is {paid.converted} {target}; that {told} is asked.")
    answer = pick(chance, (f"It is {result} {target}.", f"{paid.sentence}, and the result is {result} {target}."))
    needed, steps = [CURRENCY, CALCULATOR], [paid.step, step]
    return episode(chance, "purchase", asked, needed, steps, f"The result is {result} {target}.", answer)


def affordable(chance: random.Random) -> Episode:
    """A price in one currency against a limit in another: the price is converted, then held against the limit."""
    source, target = pair(chance)
    value = amount(chance)
    paid = convert(chance, value, source, target, f"I need {value} {source} in {target} to compare.")
    limit = max(1, round(paid.converted * pick(chance, (0.5, 0.8, 0.95, 1.05, 1.2, 1.8))))
    limit += limit == paid.converted
    price, bound, thing = money(chance, value, source), money(chance, limit, target), pick(chance, THINGS)
    above, asked = pick(
        chance,
        (
            (False, f"{bound} is all I own. Would a {thing} at {price} cost less?"),
            (False, f"Nobody may spend over {bound} here. Does a {thing} at {price} stay below?"),
            (False, f"Is {price} less than {bound}?"),
            (False, f"Are {price} less than {bound}?"),
            (False, f"I may spend {bound}. {pick(chance, WHAT).capitalize()} costs {price}. Can I afford it?"),
            (False, f"Do {bound} cover a bill of {price}?"),
            (False, f"Is {price} under {bound}?"),
            (True, f"Is {price} more than {bound}?"),
            (True, f"Would {price} turn into more than {bound}?"),
            (True, f"Will {price} give me over {bound}?"),
            (True, f"Does {price} exceed {bound}?"),
            (True, f"Is {price} above {bound}?"),
            (True, f"I need {bound} and I have {price}. Is that enough?"),
        ),
    )
    yes = paid.converted > limit if above else paid.converted < limit
    thought = verdict(paid.converted, limit, above=above, yes=yes)
    answer = f"{'Yes' if yes else 'No'}, {paid.sentence}."
    return episode(chance, "threshold", asked, [CURRENCY], [paid.step], thought, answer)


def rain_sum(chance: random.Random) -> Episode:
    """Rain or none decides whether something is calculated."""
    where, n, price = spot(chance), chance.randrange(2, 60), chance.randrange(2, 200)
    thing, total, wet = plural(pick(chance, THINGS)), n * price, chance.random() < 0.6
    when = pick(chance, (f"it rains in {where} today", f"there is rain in {where}", f"{where} gets rain today")) if wet else pick(
        chance, (f"it stays dry in {where}", f"{where} is dry today", f"there is no rain in {where} today"))  # fmt: skip
    asked, expression, plan = pick(
        chance,
        (
            (f"Suppose {when}: then {n} guests each need {thing} worth {price}. Which sum is that?", f"{n} * {price}", f"{n} times {price}"),
            (f"In case {when}, a bill of {total} is divided among {n} guests. How much per head?", f"{total} / {n}", f"{total} divided by {n}"),
            (f"{n} visitors get {price} back if {when}. What is the sum, in that case?", f"{n} * {price}", f"{n} times {price}"),
            (f"I sell {n} {thing} at {price} each if {when}. How much do I take in then?", f"{n} * {price}", f"{n} times {price}"),
            (f"Only if {when}: what is {n} times {price}?", f"{n} * {price}", f"{n} times {price}"),
            (f"We need {n} {thing} at {price} each, but only if {when}. What do we spend?", f"{n} * {price}", f"{n} times {price}"),
            (f"If {when} I get {total} and split it between {n} people. How much for each?", f"{total} / {n}", f"{total} divided by {n}"),
        ),
    )  # fmt: skip
    rain = 0.0 if chance.random() < 0.5 else round(chance.uniform(0.1, 20), 1)
    lead = f"The condition is {'rain' if wet else 'no rain'} in {where}, so first the weather."
    found = weather(chance, where, lead, rain=rain)
    thought, known = rained(chance, found)
    met = (rain > 0) == wet
    known = f"{known[0].upper()}{known[1:]}"
    thought = f"{thought} The condition is {'rain' if wet else 'no rain'}, so it is {'met' if met else 'not met'}."
    if not met:
        answer = f"{known}, so there is nothing to calculate."
        needed = [WEATHER, CALCULATOR]
        return episode(chance, "condition", asked, needed, [found.step], f"{thought} Nothing is to be done.", answer)
    step, result = calculation(expression, f"{thought} I calculate {plan}.")
    answer = f"{known}, so it is {result}."
    needed, steps = [WEATHER, CALCULATOR], [found.step, step]
    return episode(chance, "condition", asked, needed, steps, f"The result is {result}.", answer)


def if_degrees(chance: random.Random) -> Episode:
    """A temperature decides: one thing or another, or nothing."""
    where, limit, above = spot(chance), chance.randrange(-10, 35), chance.random() < 0.5
    near = pick(chance, (0.4, 3.0, 10.0))
    actual = round(limit + chance.uniform(-near, near), 1)
    actual = actual if actual != limit else actual + 0.3
    (source, target), (third, fourth) = pair(chance), pair(chance)
    value, other = amount(chance), amount(chance)
    word = (
        pick(chance, ("warmer than", "hotter than", "above", "more than"))
        if above
        else pick(chance, ("colder than", "below", "less than"))
    )
    degrees = pick(chance, (" degrees", " °C", ""))
    both = chance.random() < 0.5
    first, second = money(chance, value, source), money(chance, other, third)
    otherwise = f"otherwise convert {second} to {coin(chance, fourth)}" if both else pick(
        chance, ("otherwise do nothing", "otherwise just say so", "else leave it", "if not, only tell me that"))  # fmt: skip
    asked = pick(
        chance,
        (
            f"Should it be {word} {limit}{degrees} in {where}, convert {first} to {coin(chance, target)}, {otherwise}.",
            f"Check {where}: if it is {word} {limit}{degrees}, tell me what {first} is in {coin(chance, target)}; {otherwise}.",
        ),
    )
    lead = f"The condition is {'more' if above else 'less'} than {limit} in {where}, so first the temperature."
    found = weather(chance, where, lead, temperature=actual)
    met = actual > limit if above else actual < limit
    thought = verdict(actual, limit, above=above, yes=met)
    needed, told = [WEATHER, CURRENCY], f"It is {found.degrees} in {where}"
    if not met and not both:
        answer = f"{told}, which is not {word} {limit}, so nothing was converted."
        return episode(chance, "condition", asked, needed, [found.step], f"{thought} Nothing is to be done.", answer)
    amounts = (value, source, target) if met else (other, third, fourth)
    paid: Converted = convert(chance, *amounts, f"{thought} I convert {amounts[0]} {amounts[1]} to {amounts[2]}.")
    answer = f"{told}, {'' if met else 'not '}{word} {limit}: {paid.sentence}."
    steps = [found.step, paid.step]
    return episode(chance, "condition", asked, needed, steps, "The amount is known.", answer)


def several_bets(chance: random.Random) -> Episode:
    """Several of us bet: rain decides, then a product, then its conversion."""
    where, n, wet = spot(chance), chance.randrange(2, 13), chance.random() < 0.6
    source, target = pair(chance)
    value = chance.randrange(2, 200)
    stake, want, count = money(chance, value, source), coin(chance, target), counted(chance, n)
    event = "rain" if wet else pick(chance, ("no rain", "a dry day"))
    asked = pick(
        chance,
        (
            f"{count.capitalize()} friends put {stake} each on {event} in {where} today. If they are right, how many {want} is it together?",
            f"I made {count} bets of {stake} on {event} in {where}. If I won them, how much is that in all in {want}?",
            f"{count} times {stake} went on {event} in {where}. What comes back in {want}, provided it was right?",
        ),
    )
    rain = 0.0 if chance.random() < 0.4 else round(chance.uniform(0.1, 20), 1)
    lead = f"The bet is on {'rain' if wet else 'no rain'} in {where}, so first I need the weather there."
    found = weather(chance, where, lead, rain=rain)
    thought, won = rained(chance, found)[0], (rain > 0) == wet
    thought = f"{thought} The bet was on {'rain' if wet else 'no rain'}, so it is {'won' if won else 'lost'}."
    told = f"It rained in {where} ({rain} mm)" if rain > 0 else f"It did not rain in {where} (0.0 mm)"
    needed = [WEATHER, CALCULATOR, CURRENCY]
    if not won:
        answer = f"{told}, so the bet is lost and there is nothing to convert."
        return episode(chance, "bet", asked, needed, [found.step], thought, answer)
    step, total = calculation(f"{n} * {value}", f"{thought} The whole is {n} times {value} {source}.")
    paid = convert(chance, whole(total), source, target, f"The total is {total} {source}. I need it in {target}.")
    answer = f"{told}, so it is won: {paid.sentence}."
    return episode(chance, "bet", asked, needed, [found.step, step, paid.step], "The amount is known.", answer)


def bets(chance: random.Random) -> Episode:
    """Other words for a bet."""
    where, who = spot(chance), pick(chance, PEOPLE)
    source, target = pair(chance)
    value = amount(chance)
    stake, want, wet = money(chance, value, source), coin(chance, target), chance.random() < 0.5
    asked = pick(
        chance,
        (
            f"{stake} are mine if {where} has {'rain' if wet else 'no rain'} today. What would I have in {want}?",
            f"I guessed that {where} would be {'wet' if wet else 'dry'}, for {stake}. Was I right, and what are they in {want}?",
            f"I told {who} that {where} {'gets rain' if wet else 'stays without rain'}. The one who is right takes {stake}. Count mine in {want}.",
            f"Provided {where} is {'rainy' if wet else 'dry'} today I receive {stake}. In {want}, that would be?",
            f"{who.capitalize()} owes me {stake} in case there is {'rain' if wet else 'no rain'} in {where}. Work out the {want}, if it is so.",
            f"{who.capitalize()} believes in {'sun' if wet else 'rain'} over {where}, and I believe in {'rain' if wet else 'a dry day'}. We play for {stake}. Say what I win in {want}, if anything.",
            f"{'Rain' if wet else 'No rain'} in {where}: that is what I betted {stake} on. Do I win, and how much in {want}?",
            f"My guess for {where} is {'wet' if wet else 'dry'} weather, with {stake} at stake. Tell me the prize in {want} if I guessed well.",
            f"Did {where} {'get rain' if wet else 'stay dry'}? Then {stake} are mine; convert them to {want}.",
        ),
    )
    rain = 0.0 if chance.random() < 0.5 else round(chance.uniform(0.1, 20), 1)
    lead = f"The bet is on {'rain' if wet else 'no rain'} in {where}, so first I need the weather there."
    found = weather(chance, where, lead, rain=rain)
    won = (rain > 0) == wet
    thought = f"{rained(chance, found)[0]} The bet was on {'rain' if wet else 'no rain'}, so it is {'won' if won else 'lost'}."
    told = f"It rained in {where} ({rain} mm)" if rain > 0 else f"It did not rain in {where} (0.0 mm)"
    if not won:
        answer = f"{told}, so the bet is lost and there is nothing to convert."
        return episode(chance, "bet", asked, [WEATHER, CURRENCY], [found.step], thought, answer)
    paid = convert(chance, value, source, target, f"{thought} I convert {value} {source} to {target}.")
    steps, answer = [found.step, paid.step], f"{told}, so you won: {paid.sentence}."
    return episode(chance, "bet", asked, [WEATHER, CURRENCY], steps, "The bet is won and the amount is known.", answer)


MONEY: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (3.0, changed),
    (2.6, shopping),
    (0.6, no_exchange),
    (0.6, reduced),
    (0.9, after_exchange),
    (1.4, affordable),
    (1.2, rain_sum),
    (1.0, if_degrees),
    (0.4, several_bets),
    (1.8, bets),
)
"""Each with its share."""
