"""What goes wrong, and what needs no tool: failures that are told as failures, second tries, refusals, small talk."""

import random
from collections.abc import Callable

from loopwright.core.messages import Result
from loopwright.toolbox.clock import nearest, zone
from loopwright.toolbox.currency import carried_rates
from loopwright.tools.result import error, not_found
from training.handbooks import DAYS
from training.names import STRANGE_MONEY, made, spot
from training.toolbox_steps import (
    CALCULATOR,
    CLOCK,
    CURRENCY,
    FOUR,
    WEATHER,
    clock,
    convert,
    failed,
    weather,
)
from training.toolbox_tasks import episode, looked, rained
from training.trajectories import Episode
from training.words import CITIES, CURRENCIES, PEOPLE, THINGS, amount, called, city, currency, dressed, pick, said

HOSTS = {
    WEATHER.name: ("geocoding-api.open-meteo.com", "api.open-meteo.com", "127.0.0.1"),
    CURRENCY.name: ("api.frankfurter.dev",),
}
UNREAL = ("Zzyzxville", "Mordor", "Qwertown", "Atlantis", "Gotham", "Narnia", "Xanadu City", "Lummerland", "Blorptown",
          "Rivendell", "Springfeld", "Entenhausen", "Neverwhere", "Foobar City", "El Dorado", "Brobdingnag", "Smallvile",
          "Hogsmeade", "Winterfell", "Laputa", "Pottsylvania", "Oz", "Utopia Town", "Grimsbyville", "Vraxholm")  # fmt: skip
UNREAL_MONEY = ("XQZ", "ABC", "QQQ", "BTX", "DOG", "ZZZ", "FOO", "KLM", "TTT", "GLD", "MON", "PPP")
TYPOS = 40
"""How often a misspelling is tried before the name is taken as it is."""


def outage(chance: random.Random, host: str) -> Result:
    """A service that does not answer."""
    return error(
        pick(
            chance,
            (
                f"NetworkError: {host} cannot be reached (Temporary failure in name resolution)",
                f"NetworkError: {host} cannot be reached (Name or service not known)",
                f"NetworkError: {host} cannot be reached (Connection refused)",
                f"NetworkError: {host} cannot be reached (Network is unreachable)",
                f"NetworkError: {host} is not reached, because LOOPWRIGHT_OFFLINE is set",
                f"ServiceError: {host} answered with status {pick(chance, (500, 502, 503, 429))}: "
                + pick(chance, ("Service unavailable", '{"error": true, "reason": "Service unavailable"}', "")),
                f"ToolTimeout: no result within {pick(chance, (5, 15, 20))} s; it was stopped",
            ),
        )
    )


def weather_is_down(chance: random.Random) -> Episode:
    """No weather: nothing is claimed about it."""
    where = spot(chance)
    asked = pick(
        chance,
        (
            f"Is it raining in {where}?",
            f"How warm is it in {where}?",
            f"What is the weather in {where}?",
            f"Do I need an umbrella in {where} today?",
            f"Is it warmer than {chance.randrange(5, 30)} degrees in {where}?",
            f"Does it rain in {where} today?",
            f"Will it stay dry in {where}?",
        ),
    )
    step = failed(looked(chance, where), WEATHER, {"city": where}, outage(chance, pick(chance, HOSTS[WEATHER.name])))
    return episode(chance, "failure", asked, [WEATHER], [step], unknown_thought(chance), unknown(chance, where))


def unknown_thought(chance: random.Random) -> str:
    """The tool failed."""
    return pick(
        chance,
        (
            "The weather service cannot be reached, so I do not know the weather.",
            "The tool failed, so the weather is not known.",
            "There is an error and no weather.",
        ),
    )


def unknown(chance: random.Random, where: str) -> str:
    """That the weather is not known."""
    return pick(
        chance,
        (
            f"I could not find out the weather in {where}: the weather service did not answer.",
            f"The weather service cannot be reached, so I do not know the weather in {where}.",
            f"I do not know the weather in {where}, because the weather service failed.",
        ),
    )


def bet_without_weather(chance: random.Random) -> Episode:
    """A bet that cannot be decided."""
    where, source = spot(chance), currency(chance)
    target, who = currency(chance, but=source), pick(chance, PEOPLE)
    stake = said(chance, amount(chance), source)
    asked = pick(
        chance,
        (
            f"I bet {who} {stake} that it would rain in {where} today. If I won, how many {called(chance, target)} is that?",
            f"If it rains in {where} today, convert {stake} to {target}.",
            f"I bet {stake} that it stays dry in {where}. If I won, how much is it in {called(chance, target)}?",
        ),
    )
    host = pick(chance, HOSTS[WEATHER.name])
    thought = f"First I need to know whether it rained in {where}."
    step = failed(thought, WEATHER, {"city": where}, outage(chance, host))
    answer = f"{unknown(chance, where).rstrip('.')}, so I cannot say whether the bet is won."
    if asked.startswith("If"):
        answer = f"{unknown(chance, where).rstrip('.')}, so nothing was converted."
    return episode(chance, "failure", asked, [WEATHER, CURRENCY], [step], unknown_thought(chance), answer)


def tried_again(chance: random.Random) -> Episode:
    """A service that was too slow: it is asked once more, and answers then, or does not."""
    where = spot(chance)
    asked = pick(chance, (f"Is it raining in {where}?", f"Does it rain in {where} today?", f"Any rain in {where}?"))
    slow = error(
        f"NetworkError: {pick(chance, HOSTS[WEATHER.name])} did not answer within {pick(chance, (3, 5, 8, 10))} s"
    )
    first = failed(looked(chance, where), WEATHER, {"city": where}, slow)
    again = "The service did not answer in time. I try once more."
    if chance.random() < 0.4:
        second = failed(again, WEATHER, {"city": where}, slow)
        thought = "It did not answer again, so I do not know the weather."
        return episode(chance, "failure", asked, [WEATHER], [first, second], thought, unknown(chance, where))
    found = weather(chance, where, again)
    thought, known = rained(chance, found)
    answer = f"{'Yes' if found.rain > 0 else 'No'}, {known}."
    return episode(chance, "retry", asked, [WEATHER], [first, found.step], thought, answer)


def no_such_city(chance: random.Random) -> Episode:
    """A city that is not there."""
    where = pick(chance, UNREAL) if chance.random() < 0.4 else made(chance)
    asked = pick(
        chance,
        (
            f"What is the weather in {where}?",
            f"Is it raining in {where}?",
            f"How warm is it in {where}?",
            f"Do I need an umbrella in {where}?",
        ),
    )
    result = not_found(f"there is no city named {where!r}; check the spelling")
    step = failed(looked(chance, where), WEATHER, {"city": where}, result)
    answer = pick(
        chance,
        (
            f"There is no city named {where}, so I cannot tell the weather there.",
            f"I could not find a city named {where}.",
            f"No city named {where} was found. Please check the spelling.",
        ),
    )
    return episode(chance, "failure", asked, [WEATHER], [step], f"There is no city named {where}.", answer)


def misspelled(chance: random.Random, name: str) -> str:
    """A name with one slip of the fingers."""
    for _ in range(TYPOS):
        place = chance.randrange(1, len(name) - 1)
        kind = chance.randrange(3)
        if kind == 0:
            wrong = name[:place] + name[place + 1 :]
        elif kind == 1:
            wrong = name[:place] + name[place] + name[place:]
        else:
            wrong = name[:place] + name[place + 1] + name[place] + name[place + 2 :]
        if wrong != name and wrong not in CITIES and wrong.isalpha():
            return wrong
    return f"{name}e"


def corrected_city(chance: random.Random) -> Episode:
    """A misspelled city that is found under its right name."""
    where = next(name for name in iter(lambda: city(chance), "") if name.isalpha() and len(name) > 5)
    wrong = misspelled(chance, where)
    asked = pick(
        chance,
        (f"What is the weather in {wrong}?", f"How warm is it in {wrong}?", f"Is it raining in {wrong}?"),
    )
    missing = not_found(f"there is no city named {wrong!r}; check the spelling")
    first = failed(looked(chance, wrong), WEATHER, {"city": wrong}, missing)
    found = weather(chance, where, f"There is no city named {wrong}. The right spelling is {where}.")
    thought, known = rained(chance, found)
    answer = f"It is {found.degrees} in {where}, and {known}."
    if asked.startswith("Is"):
        answer = f"{'Yes' if found.rain > 0 else 'No'}, {known}."
    return episode(chance, "retry", asked, [WEATHER], [first, found.step], thought, answer)


def corrected_zone(chance: random.Random) -> Episode:
    """A time zone that the clock does not know, with a hint."""
    where = city(chance)
    name = CITIES[where].rpartition("/")[2].replace("_", " ")
    wrong = misspelled(chance, name) if len(name) > 4 else f"{name}x"
    if zone(wrong) is not None:
        return by_zero(chance)
    near = nearest(wrong)
    hint = f"did you mean {' or '.join(near)}?" if near else "give an IANA name, such as UTC, Europe/London"
    first = failed(
        f"I need the time in {wrong}.",
        CLOCK,
        {"timezone": wrong},
        not_found(f"there is no time zone {wrong!r}; {hint}"),
    )
    asked = pick(chance, (f"What time is it in {wrong}?", f"time in {wrong}?"))
    if not near:
        answer = f"There is no time zone named {wrong}, so I cannot tell the time there."
        return episode(chance, "failure", asked, [CLOCK], [first], f"There is no time zone {wrong}.", answer)
    seen = clock(chance, near[0], f"It is probably {near[0]}. I try that.")
    answer = f"It is {seen.time} in {near[0].rpartition('/')[2].replace('_', ' ')}."
    return episode(chance, "retry", asked, [CLOCK], [first, seen.step], f"The time is {seen.time}.", answer)


def by_zero(chance: random.Random) -> Episode:
    """A calculation that has no result."""
    n = chance.randrange(1, 500)
    asked = pick(chance, (f"What is {n} / 0?", f"Divide {n} by 0.", f"{n} divided by zero?"))
    step = failed(f"I calculate {n} / 0.", CALCULATOR, {"expression": f"{n} / 0"},
                  error("InvalidExpression: no result: division by zero"))  # fmt: skip
    answer = f"{n} / 0 has no result, because nothing can be divided by zero."
    return episode(chance, "failure", asked, [CALCULATOR], [step], "There is no result.", answer)


def no_such_money(chance: random.Random) -> Episode:
    """A currency without a rate."""
    kind = chance.random()
    code = pick(chance, tuple(STRANGE_MONEY)) if kind < 0.7 else pick(chance, UNREAL_MONEY)
    if kind > 0.85:
        code = "".join(pick(chance, "ABCDEFGHJKLMNPQRSTVWXYZ") for _ in range(3))
    name = code
    if code in STRANGE_MONEY and chance.random() < 0.6:
        name = pick(chance, STRANGE_MONEY[code])
        name = f"{name} ({code})" if chance.random() < 0.5 else name
    value, other = amount(chance), currency(chance)
    if code in CURRENCIES:
        return conversion_is_down(chance)
    if chance.random() < 0.5:
        source, target, have, want = code, other, f"{value} {name}", called(chance, other)
    else:
        source, target, have, want = other, code, said(chance, value, other), name
    asked = pick(
        chance,
        (
            f"How many {want} are {have}?",
            f"Convert {have} to {want}.",
            f"What is {have} in {want}?",
            f"How much is {have} in {want}?",
            f"convert {have} to {want}",
            f"I have {have}. What do I get in {want}?",
            f"{have} -> {want}",
        ),
    )
    known = ", ".join(sorted(carried_rates().rates))
    result = not_found(f"no rate for {code}; known are {known}")
    whole = int(value) if float(value).is_integer() else value
    arguments = {"amount": whole, "from_currency": source, "to_currency": target}
    step = failed(f"I convert {whole} {source} to {target}.", CURRENCY, arguments, result)
    answer = pick(
        chance,
        (
            f"There is no rate for {code}, so I cannot convert that.",
            f"I could not convert it: no rate for {code} is known.",
        ),
    )
    return episode(chance, "failure", asked, [CURRENCY], [step], f"There is no rate for {code}.", answer)


def conversion_is_down(chance: random.Random) -> Episode:
    """No rates at all."""
    source = currency(chance)
    target, value = currency(chance, but=source), amount(chance)
    whole = int(value) if float(value).is_integer() else value
    asked = f"How many {called(chance, target)} are {said(chance, value, source)}?"
    arguments = {"amount": whole, "from_currency": source, "to_currency": target}
    step = failed(f"I convert {whole} {source} to {target}.", CURRENCY, arguments,
                  outage(chance, pick(chance, HOSTS[CURRENCY.name])))  # fmt: skip
    answer = pick(
        chance,
        (
            f"I could not convert {whole} {source} to {target}, because the currency service failed.",
            f"The amount in {target} is not known: the exchange service did not answer.",
        ),
    )
    return episode(chance, "failure", asked, [CURRENCY], [step], "The conversion failed.", answer)


def small_talk(chance: random.Random) -> Episode:
    """Greetings and thanks."""
    asked, answer = pick(
        chance,
        (
            ("Hello!", "Hello! How can I help you?"),
            ("Hi", "Hello! How can I help you?"),
            ("Hey there", "Hello! What can I do for you?"),
            ("Good morning!", "Good morning! How can I help you?"),
            ("Good evening", "Good evening! How can I help you?"),
            ("Thanks, that was all.", "You are welcome!"),
            ("Thank you very much!", "You are welcome!"),
            ("Thanks for your help", "You are welcome!"),
            ("Bye!", "Goodbye!"),
            ("See you tomorrow", "Goodbye!"),
            ("How are you?", "I am fine, thank you. How can I help you?"),
            ("Nice to meet you", "Nice to meet you too. How can I help you?"),
            ("Who are you?", "I am a small language model that uses tools to answer questions."),
            ("Are you a robot?", "I am a small language model that uses tools to answer questions."),
            ("Say hello to my mother.", "Hello to your mother!"),
            ("Wish me luck!", "Good luck!"),
            ("Tell me a joke.", "Why did the scarecrow win a prize? He was outstanding in his field."),
            ("I'm bored.", "I am sorry to hear that. I can look something up for you."),
        ),
    )
    name = pick(chance, ("Ana", "Jonas", "Mina", "Piotr", "Lucia", "Tarek", "Ines", "Noor", "Henrik", "Chloe", "Ravi"))
    if chance.random() < 0.3:
        asked, answer = pick(
            chance,
            (
                (f"Hi, I'm {name}.", f"Hello {name}! How can I help you?"),
                (f"My name is {name}.", f"Nice to meet you, {name}!"),
                (f"Say hello to {name}.", f"Hello {name}!"),
                (f"Greet my friend {name}.", f"Hello {name}!"),
                (f"This is {name} speaking.", f"Hello {name}! How can I help you?"),
            ),
        )
    return without(chance, "small talk", asked, answer)


def without(chance: random.Random, family: str, asked: str, answer: str, thought: str = "") -> Episode:
    """An answer that needs no call."""
    thought = thought or pick(
        chance, ("No tool is needed.", "I can answer this without a tool.", "This needs no tool.")
    )
    return episode(chance, family, asked, [], [], thought, answer)


def abilities(chance: random.Random) -> Episode:
    """What the tools at hand are for."""
    words = {
        WEATHER.name: "look up the weather in a city",
        CURRENCY.name: "convert money",
        CALCULATOR.name: "calculate",
        CLOCK.name: "tell the time in a time zone",
    }
    tools = chance.sample(FOUR, chance.randrange(1, 5))
    asked = pick(
        chance, ("What can you do?", "What tools do you have?", "How can you help me?", "What are you able to do?")
    )
    can = [words[tool.name] for tool in tools]
    listed = can[0] if len(can) == 1 else f"{', '.join(can[:-1])} and {can[-1]}"
    return Episode(
        "small talk", dressed(chance, asked), tuple(tools), (), "The tools tell what I can do.", f"I can {listed}."
    )


def in_the_question(chance: random.Random) -> Episode:
    """What is asked stands in the question."""
    name, other = chance.sample(
        ("Ana", "Jonas", "Mina", "Piotr", "Lucia", "Tarek", "Ines", "Noor", "Henrik", "Chloe"), 2
    )
    where, place = pick(chance, tuple(CITIES)), pick(chance, tuple(CITIES))
    thing, colour = pick(chance, THINGS), pick(chance, ("red", "green", "blue", "yellow", "black", "white", "brown"))
    other_colour = pick(chance, ("orange", "purple", "grey", "pink", "silver"))
    second = next(one for one in iter(lambda: pick(chance, THINGS), "") if one != thing)
    event, day = pick(chance, ("meeting", "party", "exam", "concert", "lesson", "talk")), pick(chance, DAYS)
    room, hour = (
        pick(chance, ("Oak", "Cedar", "Birch", "Willow", "A4", "B12", "C7", "Turing", "Curie")),
        chance.randrange(8, 21),
    )
    n = chance.randrange(2, 99)
    asked, answer = pick(
        chance,
        (
            (f"My name is {name} and I live in {where}. Where do I live?", f"You live in {where}."),
            (f"My name is {name} and I live in {where}. What is my name?", f"Your name is {name}."),
            (f"{name} lives in {where} and {other} in {place}. Where does {other} live?", f"{other} lives in {place}."),
            (
                f"The {colour} box holds a {thing} and the {other_colour} box a {second}. Which box holds the {thing}?",
                f"The {colour} box holds the {thing}.",
            ),
            (
                f"The {thing} is in the {colour} bag, the {second} in the {other_colour} bag. Where is the {second}?",
                f"The {second} is in the {other_colour} bag.",
            ),
            (f"Our {event} is on {day} in room {room}. In which room is it?", f"It is in room {room}."),
            (f"The {event} is on {day} at {hour}:00. On which day is it?", f"It is on {day}."),
            (f"The {event} starts at {hour}:00 on {day}. At what time does it start?", f"It starts at {hour}:00."),
            (f"{name} plays the piano and {other} the drums. Who plays the drums?", f"{other} plays the drums."),
            (f"{name} is the mother of {other}. Who is the mother of {other}?", f"{name} is the mother of {other}."),
            (
                f"Bus {n} goes to {where} and bus {n + 1} to {place}. Which bus goes to {where}?",
                f"Bus {n} goes to {where}.",
            ),
            (f"The key to {where} is {colour}. What colour is it?", f"It is {colour}."),
            (
                f"{name} paid for the {thing} and {other} for the {second}. Who paid for the {thing}?",
                f"{name} paid for the {thing}.",
            ),
            (f"The {thing} is {colour}. What colour is the {thing}?", f"The {thing} is {colour}."),
            (f"{name} is {n} years old. How old is {name}?", f"{name} is {n} years old."),
            (f"I have {n} {colour} stones. What colour are they?", f"They are {colour}."),
            (f"Meeting with {name} at {where} station on Friday. Who do I meet?", f"You meet {name}."),
            (f"Repeat after me: the {thing} is {colour}.", f"The {thing} is {colour}."),
            (f"Say the word '{colour}'.", f"{colour.capitalize()}."),
            (f"Write '{name} and {other}' in capital letters.", f"{name.upper()} AND {other.upper()}"),
            (f"Which comes first in the alphabet, {min(name, other)} or {max(name, other)}?", f"{min(name, other)}."),
        ),
    )
    return without(chance, "no tool", asked, answer, pick(chance, ("The question says it.", "No tool is needed.")))


def common_knowledge(chance: random.Random) -> Episode:
    """Facts that everybody knows."""
    capital = (("France", "Paris"), ("Italy", "Rome"), ("Spain", "Madrid"), ("Germany", "Berlin"), ("Japan", "Tokyo"),
               ("Finland", "Helsinki"), ("Greece", "Athens"), ("Portugal", "Lisbon"), ("Norway", "Oslo"),
               ("Sweden", "Stockholm"), ("Poland", "Warsaw"), ("Austria", "Vienna"), ("Egypt", "Cairo"))  # fmt: skip
    land, chief = pick(chance, capital)
    code = pick(chance, tuple(CURRENCIES))
    asked, answer = pick(
        chance,
        (
            (f"What is the capital of {land}?", f"The capital of {land} is {chief}."),
            (f"{chief} is the capital of which country?", f"{chief} is the capital of {land}."),
            (f"What does the code {code} stand for?", f"{code} stands for {CURRENCIES[code][0]}."),
            ("How many days are in a week?", "A week has 7 days."),
            ("How many months does a year have?", "A year has 12 months."),
            ("What colour is the sky?", "The sky is blue."),
            ("What is the opposite of hot?", "The opposite of hot is cold."),
            ("What is the opposite of big?", "The opposite of big is small."),
            ("How many legs does a spider have?", "A spider has 8 legs."),
            ("Which animal barks?", "A dog barks."),
            ("What language is spoken in France?", "French is spoken in France."),
        ),
    )
    return without(chance, "no tool", asked, answer)


def no_fitting_tool(chance: random.Random) -> Episode:
    """A question for a tool that is not there, or for something no tool does."""
    where, who, thing = city(chance), pick(chance, PEOPLE), pick(chance, THINGS)
    source = currency(chance)
    missing, asked, what = pick(
        chance,
        (
            (WEATHER, f"What is the weather in {where}?", "tells the weather"),
            (WEATHER, f"Is it raining in {where}?", "tells the weather"),
            (WEATHER, f"How warm is it in {where}?", "tells the temperature"),
            (CURRENCY, f"How many {currency(chance, but=source)} are {said(chance, amount(chance), source)}?",
             "converts money"),
            (CLOCK, f"What time is it in {where}?", "tells the time"),
            (None, f"Book me a flight to {where}.", "books flights"),
            (None, f"Send an email to {who}.", "sends mail"),
            (None, f"Order a {thing} for me.", "orders things"),
            (None, f"Play some music by {pick(chance, ('ABBA', 'Bach', 'Sibelius', 'Queen'))}.", "plays music"),
            (None, f"Call {who} for me.", "makes calls"),
            (None, f"Reserve a table in {where} for tonight.", "reserves tables"),
            (None, "Delete all my files.", "deletes files"),
            (None, f"Turn off the lights in {where}.", "switches lights"),
            (None, "Open my calendar and add a meeting.", "changes a calendar"),
            (None, f"Transfer 100 EUR to {who}.", "transfers money"),
            (None, "What is the stock price of Nokia?", "knows stock prices"),
        ),
    )  # fmt: skip
    rest = [tool for tool in FOUR if tool is not missing]
    tools = chance.sample(rest, chance.randrange(1, len(rest) + 1))
    answer = pick(
        chance, (f"I cannot do that: I have no tool that {what}.", f"I have no tool that {what}, so I cannot help.")
    )
    return Episode("no fitting tool", dressed(chance, asked), tuple(tools), (), f"No tool here {what}.", answer)


def bare(chance: random.Random) -> Episode:
    """No tools at all."""
    done = pick(chance, (small_talk, in_the_question, common_knowledge))(chance)
    return Episode(done.family, done.task, (), (), done.thought, done.answer)


def one_of_two_fails(chance: random.Random) -> Episode:
    """Two questions of which one cannot be answered."""
    where = city(chance)
    source = currency(chance)
    target, value = currency(chance, but=source), amount(chance)
    have, want = said(chance, value, source), called(chance, target)
    first = failed(looked(chance, where), WEATHER, {"city": where}, outage(chance, pick(chance, HOSTS[WEATHER.name])))
    paid = convert(
        chance, value, source, target, f"The weather is not known. Now I convert {value} {source} to {target}."
    )
    asked = f"What is the weather in {where}, and how many {want} are {have}?"
    answer = f"{paid.sentence}, but I could not find out the weather in {where}."
    needed = [WEATHER, CURRENCY]
    return episode(chance, "failure", asked, needed, [first, paid.step], "One is known, the other failed.", answer)


TROUBLE: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (0.9, weather_is_down),
    (0.7, bet_without_weather),
    (0.4, tried_again),
    (0.6, no_such_city),
    (0.5, corrected_city),
    (0.4, corrected_zone),
    (0.2, by_zero),
    (1.5, no_such_money),
    (0.3, conversion_is_down),
    (0.6, small_talk),
    (0.2, abilities),
    (1.0, in_the_question),
    (0.4, common_knowledge),
    (1.0, no_fitting_tool),
    (0.4, bare),
    (0.3, one_of_two_fails),
)
"""Each with its share."""
