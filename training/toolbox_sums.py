"""More sums in words: where the order of the numbers, brackets and percentages matter, and what is asked is one number.

Owns questions and their expressions; the calculator gives the results. The thought says in words what is meant before the
expression is written, because a small model writes the right expression for a thing that it has said.
"""

import random
from collections.abc import Callable

from training.names import SMALL, counted
from training.toolbox_steps import CALCULATOR, calculation
from training.toolbox_tasks import episode, plural
from training.trajectories import Episode
from training.words import PEOPLE, THINGS, grouped, pick

Sum = tuple[str, str, str, str]
"""A question, the words of the thought, the expression, and the unit of the result."""
LENGTHS = (("days", "hours", 24), ("hours", "minutes", 60), ("weeks", "days", 7), ("minutes", "seconds", 60), ("years", "months", 12),
           ("dozen", "eggs", 12), ("kilometres", "metres", 1000), ("metres", "centimetres", 100), ("years", "weeks", 52))  # fmt: skip
TRADES = (
    "gardener",
    "electrician",
    "tutor",
    "painter",
    "mechanic",
    "baby-sitter",
    "cleaner",
    "photographer",
    "carpenter",
    "locksmith",
)


def taken_away(chance: random.Random) -> Sum:
    """A difference, the smaller number named first or last."""
    high, low = sorted((chance.randrange(10, 9000), chance.randrange(2, 4000)), reverse=True)
    high += high == low
    a, b, thing = grouped(chance, high), grouped(chance, low), plural(pick(chance, THINGS))
    asked = pick(
        chance,
        (
            f"Subtract {b} from {a}.",
            f"What is left if you take {b} from {a}?",
            f"Deduct {b} from {a}",
            f"By how much is {a} larger than {b}?",
            f"How much more is {a} than {b}?",
            f"How much less is {b} than {a}?",
            f"What is the difference between {b} and {a}?",
            f"{a} less {b}?",
            f"What must be added to {b} to get {a}?",
            f"How far is it from {b} to {a}?",
            f"We had {a} {thing} and gave {b} away. How many remain?",
            f"{b} of {a} {thing} are sold. How many are not?",
            f"I need {a} points and have {b}. How many are missing?",
            f"Reduce {a} by {b}.",
        ),
    )
    return asked, f"{high} less {low}.", f"{high} - {low}", ""


def several_taken(chance: random.Random) -> Sum:
    """Two or three things are taken off one after the other, or one is added."""
    b, c, d = (chance.randrange(5, 900) for _ in range(3))
    a, who = b + c + d + chance.randrange(10, 3000), pick(chance, PEOPLE)
    thing = plural(pick(chance, THINGS))
    asked, words, expression = pick(
        chance,
        (
            (f"I had {a}, paid {b} for food and {c} for fuel. How much do I still have?", f"{a} less {b} and less {c}.", f"{a} - {b} - {c}"),
            (f"Of {a} {thing}, {b} were sold on Monday and {c} on Tuesday. How many are there still?", f"{a} less {b} and less {c}.", f"{a} - {b} - {c}"),
            (f"The account shows {a}. Then {b} and {c} and {d} are taken out. What does it show now?", f"{a} less {b}, {c} and {d}.", f"{a} - {b} - {c} - {d}"),
            (f"We own {a} {thing}, get {b} more and give {c} to {who}. How many do we own then?", f"{a} plus {b} less {c}.", f"{a} + {b} - {c}"),
            (f"Start with {a}, take off {b}, then {c}.", f"{a} less {b} and less {c}.", f"{a} - {b} - {c}"),
            (f"The bus has {b} people; {c} get on and {min(b, c) // 2 + 1} get off. How many are in it?", f"{b} plus {c} less {min(b, c) // 2 + 1}.", f"{b} + {c} - {min(b, c) // 2 + 1}"),
        ),
    )  # fmt: skip
    return asked, words, expression, ""


def bracketed(chance: random.Random) -> Sum:
    """Brackets, in signs or in words; the thought keeps them."""
    a, b, c, d = (chance.randrange(2, 120) for _ in range(4))
    one, two = pick(chance, "+-"), pick(chance, "*/")
    form = pick(chance, ("({a} {one} {b}) {two} {c}", "{c} {two} ({a} {one} {b})", "({a} {one} {b}) * ({c} + {d})", "{a} * ({b} {one} {c}) + {d}",
                         "(({a} + {b}) * {c}) / {d}", "{a} - ({b} + {c})", "({a} + {b} + {c}) {two} {d}"))  # fmt: skip
    if one == "-" and "/ (" in form.format(a=a, b=b, c=c, d=d, one=one, two=two) and a == b:
        b += 1
    text = form.format(a=a, b=b, c=c, d=d, one=one, two=two)
    asked = pick(
        chance,
        (
            f"What is {text}?",
            f"work out {text}",
            f"Evaluate {text}.",
            f"{text} =",
            f"How much is {text}",
            f"Result of {text}?",
            f"Could you do {text} for me?",
            f"solve {text}",
        ),
    )
    if chance.random() < 0.3:
        text = f"({a} + {b}) * {c}"
        asked = pick(
            chance,
            (
                f"Add {a} and {b} and multiply the sum by {c}.",
                f"Take the sum of {a} and {b}, times {c}.",
                f"What is {c} times the sum of {a} and {b}?",
            ),
        )
    return asked, f"The brackets stay: {text}.", text, ""


def percentages(chance: random.Random) -> Sum:
    """So many percent of it, less, or more: the three are told apart."""
    rate = pick(chance, (chance.randrange(1, 95), 5, 10, 15, 20, 25, 30, 40, 50, 7.5, 12.5, 2.5, 17.5))
    base = pick(chance, (chance.randrange(10, 999), chance.randrange(1000, 90_000), round(chance.uniform(5, 900), 1)))
    shown, thing, percent = grouped(chance, base), pick(chance, THINGS), pick(chance, ("%", " percent", " per cent"))
    who = pick(chance, PEOPLE)
    part = (
        f"VAT is {rate}{percent}. How much VAT is in addition to {shown}?",
        f"The commission is {rate}{percent}. How much commission do I get for a sale of {shown}?",
        f"How much is {rate}{percent} of {shown}?",
        f"{rate}{percent} of {shown} people said yes. How many is that?",
        f"I save {rate}{percent} of my {shown}. How much do I save?",
        f"How much interest is {rate}{percent} on {shown}?",
        f"They take {rate}{percent} as a fee. How high is the fee for {shown}?",
        f"What part is {rate}{percent} of {shown}?",
        f"A tip of {rate}{percent} on {shown}: how much is the tip?",
        f"{who.capitalize()} gets {rate}{percent} of {shown}. How much is that?",
    )
    less = (
        f"A {thing} for {shown} is {rate}{percent} cheaper today. What does it cost now?",
        f"The {thing} was {shown} and is now reduced by {rate}{percent}. How much is it?",
        f"There is {rate}{percent} off a {thing} of {shown}. What do I pay?",
        f"What is {shown} minus {rate}{percent}?",
        f"Decrease {shown} by {rate}{percent}.",
        f"A town of {shown} people lost {rate}{percent} of them. How many are left?",
        f"{shown} with a discount of {rate}{percent}: what is the price?",
    )
    more = (
        f"Rent of {shown} rises by {rate}{percent}. What is the new rent?",
        f"What is {shown} plus {rate}{percent}?",
        f"Increase {shown} by {rate}{percent}.",
        f"My pay is {shown} and I get {rate}{percent} more. How much is it then?",
        f"The {thing} is {shown} before tax, and the tax is {rate}{percent}. What do I pay in all?",
        f"The price of {shown} went up {rate}{percent}. How high is it now?",
        f"A club of {shown} members grew by {rate}{percent}. How many members are there?",
    )
    kind = chance.randrange(3)
    if kind == 0:
        return pick(chance, part), f"Asked is the part: {rate} percent of {base}.", f"{base} * {rate} / 100", ""
    if kind == 1:
        return (
            pick(chance, less),
            f"{base} less {rate} percent, so {100 - rate} percent remain.",
            f"{base} * (100 - {rate}) / 100",
            "",
        )
    return (
        pick(chance, more),
        f"{base} plus {rate} percent, so {100 + rate} percent of it.",
        f"{base} * (100 + {rate}) / 100",
        "",
    )


def averages(chance: random.Random) -> Sum:
    """The mean of two to six numbers, or their sum."""
    numbers = [chance.randrange(1, 400) for _ in range(chance.randrange(2, 7))]
    listed = f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
    added = " + ".join(map(str, numbers))
    many, what = (
        len(numbers),
        pick(chance, ("scores", "temperatures", "times", "grades", "prices", "weights", "results", "distances")),
    )
    if chance.random() < 0.65:
        asked = pick(
            chance,
            (
                f"What's the average of {listed}?",
                f"My {what} were {listed}. What is the mean?",
                f"Average of {', '.join(map(str, numbers))}?",
                f"The {what} are {listed}; give me the average.",
                f"I measured {listed}. What is that on average?",
            ),
        )
        return asked, f"The average: the sum of {many} numbers, divided by {many}.", f"({added}) / {many}", ""
    asked = pick(
        chance,
        (
            f"Add {listed}.",
            f"What do {listed} make together?",
            f"The {what} are {listed}. What is the sum?",
            f"Total of {', '.join(map(str, numbers))}",
        ),
    )
    return asked, "All of them are added.", added, ""


def units(chance: random.Random) -> Sum:
    """Larger units in smaller ones: the number that is asked about goes with the factor, not with itself."""
    large, small, many = pick(chance, LENGTHS)
    value = chance.randrange(2, 400)
    asked = pick(
        chance,
        (
            f"How many {small} do {value} {large} have?",
            f"How many {small} go into {value} {large}?",
            f"{value} {large} have how many {small}?",
            f"I waited {value} {large}; how many {small} is that?"
            if large in ("days", "hours", "weeks", "minutes", "years")
            else f"{value} {large}: how many {small}?",
            f"Express {value} {large} in {small}.",
            f"how many {small} are in {value} {large}",
        ),
    )
    return asked, f"Each of the {value} has {many} {small}.", f"{value} * {many}", small


def fixed_and_hourly(chance: random.Random) -> Sum:
    """A flat fee and a rate."""
    rate, fee, hours = chance.randrange(5, 150), chance.randrange(5, 200), chance.randrange(2, 15)
    trade, n = pick(chance, TRADES), counted(chance, hours)
    asked = pick(
        chance,
        (
            f"The {trade} wants {fee} for the journey and {rate} for every hour. It takes {n} hours. How much is it?",
            f"A {trade} costs {rate} per hour and {fee} on top. What is the bill after {n} hours?",
            f"I pay the {trade} {rate} an hour for {n} hours, and {fee} for material. What is it altogether?",
            f"Renting a boat is {fee} plus {rate} per hour. What do {n} hours cost?",
            f"A taxi takes {fee} at the start and {rate} a mile. What are {n} miles?",
            f"The phone plan is {fee} once and {rate} each month. What do I pay for {n} months?",
            f"{n.capitalize()} hours of a {trade} at {rate} an hour plus a flat fee of {fee}: how much?",
        ),
    )
    return asked, f"{hours} times {rate}, plus {fee}.", f"{hours} * {rate} + {fee}", ""


def shared(chance: random.Random) -> Sum:
    """Shares, rows, remainders and products in stories."""
    n, m, k = chance.randrange(2, 40), chance.randrange(2, 90), chance.randrange(2, 13)
    who, thing, word = pick(chance, PEOPLE), plural(pick(chance, THINGS)), counted(chance, k)
    few = pick(chance, tuple(range(2, 13)))
    problems: tuple[Sum, ...] = (
        (f"{word.capitalize()} people split {n * m} evenly. What does everyone get?", f"{n * m} divided by {k}.", f"{n * m} / {k}", ""),
        (f"A hall has {n} rows of {m} chairs. How many chairs is that?", f"{n} rows times {m}.", f"{n} * {m}", "chairs"),
        (f"{who.capitalize()} packs {n * k} {thing} into boxes of {k}. How many boxes are full?", f"{n * k} divided by {k}.", f"{n * k} / {k}", "boxes"),
        (f"A farm has {n} cows and each gives {m} litres a day. How many litres in {word} days?", f"{n} times {m} times {k}.", f"{n} * {m} * {k}", "litres"),
        (f"{n} children and {m} adults travel; a child pays {k} and an adult {few * 4}. What do they pay together?", f"{n} times {k}, plus {m} times {few * 4}.", f"{n} * {k} + {m} * {few * 4}", ""),
        (f"I walk {m} steps a minute. How many steps are {n} minutes?", f"{m} times {n}.", f"{m} * {n}", "steps"),
        (f"A wall of {m} by {k} metres: how many square metres?", f"{m} times {k}.", f"{m} * {k}", "square metres"),
        (f"How many times does {k} go into {k * m}?", f"{k * m} divided by {k}.", f"{k * m} / {k}", ""),
        (f"What is {SMALL[few - 2]} times {m}?", f"{few} times {m}.", f"{few} * {m}", ""),
        (f"Multiply {m} by {n} and then subtract {k}.", f"{m} times {n}, less {k}.", f"{m} * {n} - {k}", ""),
        (f"Divide {n * m} by {m}, then add {k}.", f"{n * m} divided by {m}, plus {k}.", f"{n * m} / {m} + {k}", ""),
        (f"Three quarters of {m * 4}?", f"{m * 4} times 3, divided by 4.", f"{m * 4} * 3 / 4", ""),
        (f"What is a third of {m * 3}?", f"{m * 3} divided by 3.", f"{m * 3} / 3", ""),
        (f"Half of {m * 2} plus {n}?", f"{m * 2} divided by 2, plus {n}.", f"{m * 2} / 2 + {n}", ""),
        (f"A car needs {k} litres for 100 km. How many litres for {n * 100} km?", f"{k} times {n * 100}, divided by 100.", f"{k} * {n * 100} / 100", "litres"),
        (f"{who.capitalize()} is {m} and I am {n} years older. How old am I?", f"{m} plus {n}.", f"{m} + {n}", ""),
        (f"I drove {n * k * 10} km in {word} hours. How fast was I, in km per hour?", f"{n * k * 10} divided by {k}.", f"{n * k * 10} / {k}", "km per hour"),
        (f"A book has {n * m} pages and I read {m} a day. How many days does it take?", f"{n * m} divided by {m}.", f"{n * m} / {m}", "days"),
    )  # fmt: skip
    return pick(chance, problems)


MAKERS: tuple[Callable[[random.Random], Sum], ...] = (
    taken_away, several_taken, bracketed, percentages, percentages, averages, units, fixed_and_hourly, shared, shared,
)  # fmt: skip


def sums(chance: random.Random) -> Episode:
    """One of them."""
    asked, words, expression, unit = pick(chance, MAKERS)(chance)
    step, result = calculation(expression, words)
    answer = f"It is {result} {unit}." if unit else pick(chance, (f"The result is {result}.", f"It is {result}."))
    return episode(chance, "arithmetic", asked, [CALCULATOR], [step], f"The result is {result}.", answer)


def two_sums(chance: random.Random) -> Episode:
    """Two sums that are asked for at once, each with a call of its own."""
    a, b, c, d = (chance.randrange(2, 500) for _ in range(4))
    one, two = pick(chance, "+-*"), pick(chance, "+-*")
    rate, base = pick(chance, (5, 10, 15, 20, 25, 30)), chance.randrange(20, 2000)
    said, first = pick(chance, ((f"{a} {one} {b}", f"{a} {one} {b}"), (f"{rate}% of {base}", f"{base} * {rate} / 100")))
    second = f"{c} {two} {d}"
    asked = pick(
        chance,
        (
            f"What is {said}, and what is {second}?",
            f"Calculate {said}. Then {second}.",
            f"Two sums, please: {said} and {second}.",
            f"{said} and {second}?",
            f"I want to know {said} as well as {second}",
        ),
    )
    step, result = calculation(first, f"First {first}.")
    other, also = calculation(second, f"The first is {result}. Now {second}.")
    answer = f"{said} is {result}, and {second} is {also}."
    return episode(chance, "two", asked, [CALCULATOR], [step, other], f"Both are known: {result} and {also}.", answer)


SUMS: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = ((4.0, sums), (0.5, two_sums))
"""Each with its share."""
