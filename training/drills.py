"""Short questions that no tool is needed for: which number is larger, who won, what stands in the question, everyday talk.

Owns them. Comparisons are trained here apart from the long episodes that need them, because they cost few words this way.
"""

import random
from collections.abc import Callable, Sequence

from training.names import BARE, made
from training.shelves import BEASTS, FOODS, HOUSES, MADE_OF, MONTHS
from training.toolbox_tasks import compared, episode, verdict
from training.trajectories import Episode
from training.words import CURRENCIES, PEOPLE, THINGS, dressed, pick

NAMES = ("Ada", "Bo", "Cem", "Dora", "Edgar", "Fay", "Gil", "Hedda", "Ivo", "Jule", "Kai", "Lotte", "Milo", "Nele", "Otis", "Pia", "Quinn", "Rune",
         "Suri", "Tilda", "Uwe", "Vito", "Wanda", "Xaver", "Yuki", "Zoe", "Amir", "Birte", "Carlo", "Dunja", "Emil", "Frieda")  # fmt: skip
COLOURS = (
    "red",
    "green",
    "blue",
    "yellow",
    "black",
    "white",
    "brown",
    "orange",
    "purple",
    "grey",
    "pink",
    "silver",
    "golden",
    "violet",
)
HOLDERS = (
    "drawer",
    "bag",
    "crate",
    "jar",
    "suitcase",
    "cupboard",
    "basket",
    "tin",
    "envelope",
    "chest",
    "bucket",
    "folder",
    "shelf",
    "pocket",
)
ROOMS = (
    "Alder",
    "Elm",
    "Juniper",
    "Spruce",
    "D14",
    "K2",
    "R305",
    "Lovelace",
    "Noether",
    "Fermat",
    "Orion",
    "Lyra",
    "Basement 1",
    "West 3",
    "the attic",
)
MEETINGS = (
    "rehearsal",
    "interview",
    "seminar",
    "wedding",
    "briefing",
    "auction",
    "workshop",
    "reading",
    "viva",
    "fitting",
    "check-up",
    "match",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MORE = (
    ("older", "younger"),
    ("taller", "shorter"),
    ("faster", "slower"),
    ("stronger", "weaker"),
    ("richer", "poorer"),
    ("heavier", "lighter"),
    ("louder", "quieter"),
)
TALK: Sequence[tuple[tuple[str, ...], str]] = (
    (("Good afternoon!", "Good day", "Good afternoon, anybody there?"), "Good afternoon! How can I help you?"),
    (("Hello there, how is it going?", "Hi! How's your day?", "Are you well today?", "How do you do?", "How are things?", "Hey, all good?"), "I am fine, thank you. How can I help you?"),
    (("Thanks a lot, bye.", "Great, thanks!", "Perfect, thank you so much.", "Cheers, you helped me.", "That's all for today, thanks."), "You are welcome!"),
    (("Good night!", "I'm off, good night."), "Good night!"),
    (("See you next week.", "Talk to you later!", "Farewell!"), "Goodbye!"),
    (("What are you?", "Are you human?", "Am I talking to a machine?", "What kind of thing are you?"), "I am a small language model that uses tools to answer questions."),
    (("You're great!", "Well done!", "Good job."), "Thank you!"),
    (("I had a bad day.", "I am sad.", "Nothing works today."), "I am sorry to hear that. Can I help you with something?"),
    (("It's my birthday!", "I turn thirty today!"), "Happy birthday!"),
    (("I passed my exam!", "I got the job!"), "Congratulations!"),
    (("Sorry, wrong window.", "Never mind.", "Oh, forget it."), "No problem."),
)  # fmt: skip
KNOWN: Sequence[tuple[tuple[str, ...], str]] = (
    (("How many hours does a day have?", "A day has how many hours?"), "A day has 24 hours."),
    (("How many minutes are in one hour?",), "An hour has 60 minutes."),
    (("What comes after Tuesday?", "Which day follows Tuesday?"), "Wednesday comes after Tuesday."),
    (("Which month comes before May?",), "April comes before May."),
    (("What is the opposite of early?", "early - what's the opposite?"), "The opposite of early is late."),
    (("What is the opposite of full?",), "The opposite of full is empty."),
    (("Which animal says meow?", "What animal meows?"), "A cat says meow."),
    (("How many wheels does a bicycle have?",), "A bicycle has 2 wheels."),
    (("How many legs does a cow have?", "A cow has how many legs?"), "A cow has 4 legs."),
    (("Is ice cold or hot?",), "Ice is cold."),
    (("What colour is grass?", "Which colour does grass have?"), "Grass is green."),
    (("What do bees make?",), "Bees make honey."),
    (("What is frozen water called?",), "Frozen water is called ice."),
    (("In which season does snow fall?",), "Snow falls in winter."),
    (("What language do people speak in Italy?",), "People speak Italian in Italy."),
    (("Which is the largest planet of our solar system?",), "The largest planet is Jupiter."),
    (("Which letter comes after C?",), "D comes after C."),
    (("How do you say thank you in French?",), "Thank you is merci in French."),
)  # fmt: skip


def plainly(chance: random.Random, asked: str, thought: str, answer: str) -> Episode:
    """An answer without a call; tools lie about, or there are none."""
    if chance.random() < 0.3:
        return Episode("no tool", dressed(chance, asked), (), (), thought, answer)
    return episode(chance, "no tool", asked, [], [], thought, answer)


def numbers(chance: random.Random) -> tuple[float, float]:
    """Two numbers that are not the same, near each other or not, of the same length or not."""
    kind = chance.randrange(4)
    if kind == 0:
        a: float = round(chance.gauss(12, 15), 1)
        b: float = pick(chance, (round(a + chance.uniform(-3, 3), 1), round(chance.gauss(12, 15), 1), round(a)))
    elif kind == 1:
        a, b = chance.randrange(1, 10 ** chance.randrange(1, 6)), chance.randrange(1, 10 ** chance.randrange(1, 6))
    elif kind == 2:
        a = round(chance.uniform(1, 10 ** chance.randrange(1, 5)), 2)
        b = round(a * chance.uniform(0.7, 1.4))
    else:
        a, b = round(chance.uniform(0, 20), 1), round(chance.uniform(0, 20), 1)
    return (a, b) if a != b else (a, b + 1)


def which_number(chance: random.Random) -> Episode:
    """Which of two is larger, or of two things that have them."""
    a, b = numbers(chance)
    more = chance.random() < 0.5
    order, best = "more" if a > b else "less", a if (a > b) == more else b
    if chance.random() < 0.4:
        word = pick(chance, ("larger", "bigger", "higher") if more else ("smaller", "lower"))
        asked = pick(
            chance,
            (
                f"Which is {word}, {a} or {b}?",
                f"{a} or {b}, which number is {word}?",
                f"Which of {a} and {b} is {word}?",
            ),
        )
        return plainly(chance, asked, f"{a} is {order} than {b}, so {best} is {word}.", f"{best} is {word}.")
    one, two = made(chance), made(chance)
    words, what = pick(
        chance,
        (
            (("warmer", "colder"), "degrees"),
            (("wetter", "drier"), "mm of rain"),
            (("heavier", "lighter"), "kg"),
            (("longer", "shorter"), "metres"),
            (("dearer", "cheaper"), "euros"),
            (("deeper", "shallower"), "metres of depth"),
        ),
    )
    word = words[0] if more else words[1]
    if one == two:
        two = f"{two} East"
    asked = pick(
        chance,
        (
            f"{one} has {a} {what} and {two} has {b}. Which is {word}?",
            f"{one}: {a} {what}. {two}: {b} {what}. Which one is {word}?",
            f"Is {one} with {a} {what} {word} than {two} with {b}, or the other way round?",
        ),
    )
    winner = one if best == a else two
    thought = f"{one} has {a} and {two} {b}. {a} is {order} than {b}, so {winner} is {word}."
    return plainly(chance, asked, thought, f"{winner} is {word}.")


def yes_or_no(chance: random.Random) -> Episode:
    """A number against a limit."""
    a, b = numbers(chance)
    above = chance.random() < 0.5
    word = pick(
        chance,
        ("more than", "above", "over", "larger than") if above else ("less than", "below", "under", "smaller than"),
    )
    asked = pick(chance, (f"Is {a} {word} {b}?", f"I have {a} and need to know if that is {word} {b}.", f"{a} - {word} {b} or not?",
                          f"The value is {a}. Is it {word} {b}?"))  # fmt: skip
    yes = a > b if above else a < b
    return plainly(chance, asked, verdict(a, b, above=above, yes=yes), f"{'Yes' if yes else 'No'}, {compared(a, b)}")


def who_won(chance: random.Random) -> Episode:
    """A bet whose end is told."""
    wet, rain = chance.random() < 0.5, chance.random() < 0.5
    who = pick(chance, PEOPLE)
    said = pick(chance, ("rain", "a wet day", "it to rain") if wet else ("no rain", "a dry day", "it to stay dry"))
    told = (
        pick(chance, ("It rained", "There was rain", "It was wet"))
        if rain
        else pick(chance, ("It did not rain", "It stayed dry", "Not a drop fell"))
    )
    asked = pick(
        chance,
        (
            f"I bet on {said}. {told}. Did I win?",
            f"{told} today. I had guessed {said}. Was I right?",
            f"{who.capitalize()} and I made a bet, and I was for {said}. {told}. Have I won?",
        ),
    )
    won = wet == rain
    thought = f"{'It rained' if rain else 'It did not rain'}. The bet was on {'rain' if wet else 'no rain'}, so it is {'won' if won else 'lost'}."
    return plainly(chance, asked, thought, "Yes, you won." if won else "No, you lost.")


def code_of_money(chance: random.Random) -> Episode:
    """A currency's code, or its name."""
    code = pick(chance, tuple(CURRENCIES))
    name = (
        pick(chance, CURRENCIES[code])
        if code not in BARE or chance.random() < 0.6
        else CURRENCIES[code][0].rsplit(" ", 1)[0] + f" {BARE[code]}"
        if " " in CURRENCIES[code][0]
        else BARE[code]
    )
    asked = pick(
        chance,
        (
            f"What is the code of the {name}?",
            f"Which three letters stand for {name}?",
            f"currency code for {name}",
            f"What's the ISO code of {name}?",
        ),
    )
    return plainly(chance, asked, f"{name.capitalize()} is {code}.", f"The code is {code}.")


def in_it(chance: random.Random) -> Episode:
    """The answer stands in the question."""
    a, b, d = chance.sample(NAMES, 3)
    one, two = chance.sample(COLOURS, 2)
    box, thing, other = pick(chance, HOLDERS), *chance.sample(THINGS, 2)
    more, less = pick(chance, MORE)
    meeting, day, room, hour = (
        pick(chance, MEETINGS),
        pick(chance, DAYS),
        pick(chance, ROOMS),
        f"{chance.randrange(7, 22)}:{pick(chance, ('00', '15', '30', '45'))}",
    )
    town, far, beast, pet = (
        made(chance),
        made(chance),
        pick(chance, BEASTS),
        pick(chance, ("cat", "dog", "parrot", "pony", "hamster", "tortoise")),
    )
    food, dish, house, stuff, month = (
        *chance.sample(FOODS, 2),
        pick(chance, HOUSES),
        pick(chance, MADE_OF),
        pick(chance, MONTHS),
    )
    n = chance.randrange(2, 99)
    asked, answer = pick(
        chance,
        (
            (f"I am called {a}. How am I called?", f"You are called {a}."),
            (f"Hi, {a} here. Who am I?", f"You are {a}."),
            (f"I'm {a} and my friend is {b}. What is my friend's name?", f"Your friend's name is {b}."),
            (f"My {pet} is named {a}. What is the {pet} named?", f"The {pet} is named {a}."),
            (f"The {thing} lies in the {one} {box} and the {other} in the {two} {box}. In which {box} is the {other}?", f"The {other} is in the {two} {box}."),
            (f"There is a {thing} in the {one} {box}; the {two} {box} is empty. Which {box} is empty?", f"The {two} {box} is empty."),
            (f"We keep the {thing} in the {box} and the {other} in the cellar. What is in the cellar?", f"The {other} is in the cellar."),
            (f"{a} is {more} than {b}. Which of them is the {more} one?", f"{a} is {more}."),
            (f"{a} is {more} than {b}. Who is {less}?", f"{b} is {less}."),
            (f"{a} is {less} than {b}, so who is {more}?", f"{b} is {more}."),
            (f"The {meeting} takes place in {room} at {hour}. Where is it?", f"It is in {room}."),
            (f"The {meeting} takes place in {room} at {hour}. When does it begin?", f"It begins at {hour}."),
            (f"On {day} there is a {meeting} with {a}. Who is there?", f"{a} is there."),
            (f"On {day} there is a {meeting} with {a}. What day is that?", f"It is on {day}."),
            (f"{a} comes from {town} and {b} from {far}. Where does {a} come from?", f"{a} comes from {town}."),
            (f"{a} comes from {town}, {b} from {far}. Who comes from {far}?", f"{b} comes from {far}."),
            (f"{a} eats {food}, {b} eats {dish}. Who eats {dish}?", f"{b} eats {dish}."),
            (f"For lunch there is {food}, for dinner {dish}. What is there for dinner?", f"For dinner there is {dish}."),
            (f"The {house} is built of {stuff}. What is it built of?", f"It is built of {stuff}."),
            (f"{a} saw {n} {beast} in {month}. In which month was it?", f"It was in {month}."),
            (f"{a} saw {n} {beast}. How many {beast} did {a} see?", f"{a} saw {n} {beast}."),
            (f"{a} is married to {b}, and {d} is their child. Whose child is {d}?", f"{d} is the child of {a} and {b}."),
            (f"{a} gave {b} a {thing}. Who has the {thing} now?", f"{b} has the {thing}."),
            (f"First comes {a}, then {b}, last {d}. Who comes last?", f"{d} comes last."),
            (f"Platform {n} is for {town}, platform {n + 1} for {far}. Which platform is for {far}?", f"Platform {n + 1} is for {far}."),
            (f"The password for today is {stuff}. What is the password?", f"The password is {stuff}."),
            (f"Please write the word {stuff} in capitals.", f"{stuff.upper()}"),
            (f"Repeat: {a} likes {food}.", f"{a} likes {food}."),
            (f"Spell the name {a} letter by letter.", f"{'-'.join(a.upper())}"),
            (f"Complete: {a} has a {one} {thing}, {b} has a {two} ...", f"{thing}."),
            (f"{a} and {b} go to {town}, {d} stays at home. Who stays at home?", f"{d} stays at home."),
        ),
    )  # fmt: skip
    return plainly(
        chance, asked, pick(chance, ("The question says it.", "No tool is needed: the question says it.")), answer
    )


def talk(chance: random.Random) -> Episode:
    """Greetings, thanks, and what everybody knows."""
    questions, answer = pick(chance, TALK if chance.random() < 0.6 else KNOWN)
    return plainly(
        chance,
        pick(chance, questions),
        pick(chance, ("No tool is needed.", "I can answer this without a tool.")),
        answer,
    )


DRILLS: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = (
    (1.6, which_number), (1.6, yes_or_no), (0.6, who_won), (0.9, code_of_money), (1.7, in_it), (1.0, talk),
)  # fmt: skip
"""Each with its share."""
