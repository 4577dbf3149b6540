"""Tasks of two steps and more with the toolbox, where a step depends on what the one before it found, or does not."""

from typing import Literal

from loopwright.toolbox.arithmetic import calculate
from training.evaluation.answers import Amount, Chooses, Figure, Never, No, Rain, Says, Text, Yes
from training.evaluation.calls import AnyOf, InZone, Wanted
from training.evaluation.single import changed, looked, reckoned
from training.evaluation.task import DOCUMENTS, FOUR, Task
from training.evaluation.world import World, converted

Sky = Literal["rain", "dry"]
Warmth = Literal["warmer", "colder"]


def bet(number: int, city: str, rain: float, sum_: tuple[float, str, str], on: Sky, question: str) -> Task:
    """Amount is converted only if the bet was won."""
    amount, source, target = sum_
    won = (rain > 0) == (on == "rain")
    paid: tuple[Says, ...] = (Amount(converted(amount, source, target), target),)
    return Task(
        id=f"bet-{number:02}",
        group="two steps",
        kind="bet won" if won else "bet lost",
        question=question,
        tools=FOUR if number % 2 else ("convert_currency", "get_current_weather"),
        world=World({city: rain}, {city: 8.0 + number}),
        calls=(looked(city), changed(amount, source, target)) if won else (looked(city),),
        never=() if won else ("convert_currency",),
        says=paid if won else (Rain(on == "dry"),),
        or_says=() if won else (Text(_LOST),),
    )


def bought(number: int, expression: str, single: float, pair: tuple[str, str], question: str) -> Task:
    """Several things are bought, and the sum is wanted in another currency."""
    total, (source, target) = float(calculate(expression)), pair
    whole = converted(total, source, target)
    one_by_one = round(converted(single, source, target) * total / single, 2)
    return Task(
        id=f"purchase-{number:02}",
        group="two steps",
        kind="purchase",
        question=question,
        calls=(changed(total, source, target),),
        or_calls=((changed(single, source, target),),),
        says=(Amount(whole, target),),
        or_says=(Amount(one_by_one, target),),
    )


def warmer(number: int, first: tuple[str, float], second: tuple[str, float], wanted: Warmth, question: str) -> Task:
    """Two cities are compared by their temperatures."""
    (high, low) = (first, second) if first[1] > second[1] else (second, first)
    winner, loser = (low, high) if wanted == "colder" else (high, low)
    warm, cold = r"warm|hot|higher", r"cold|cool|chill|lower"
    return Task(
        id=f"compare-{number:02}",
        group="two steps",
        kind="compare",
        question=question,
        world=World({first[0]: 1.0, second[0]: 0.0}, dict((first, second))),
        calls=(looked(first[0]), looked(second[0])),
        says=(Chooses(winner[0], loser[0], *((cold, warm) if wanted == "colder" else (warm, cold))),),
    )


def wetter(number: int, first: tuple[str, float], second: tuple[str, float], question: str) -> Task:
    """Two cities are compared by their rain."""
    winner, loser = (first, second) if first[1] > second[1] else (second, first)
    return Task(
        id=f"wetter-{number:02}",
        group="two steps",
        kind="compare",
        question=question,
        world=World(dict((first, second)), {first[0]: 11.0, second[0]: 12.0}),
        calls=(looked(first[0]), looked(second[0])),
        says=(Chooses(winner[0], loser[0], r"more|rain|wet", r"less|dr(?:y|ier)"),),
    )


def threshold(number: int, city: str, celsius: float, limit: float, question: str, *, above: bool) -> Task:
    """A temperature is held against a limit."""
    return Task(
        id=f"threshold-{number:02}",
        group="two steps",
        kind="threshold",
        question=question,
        world=World({city: 0.4}, {city: celsius}),
        calls=(looked(city),),
        says=(held(celsius, limit, above=above),),
    )


def under(number: int, amount: float, pair: tuple[str, str], limit: float, question: str, *, above: bool) -> Task:
    """A converted amount is held against a limit."""
    return Task(
        id=f"limit-{number:02}",
        group="two steps",
        kind="threshold",
        question=question,
        calls=(changed(amount, *pair),),
        says=(held(converted(amount, *pair), limit, above=above),),
    )


def held(value: float, limit: float, *, above: bool) -> Says:
    """Yes or no to whether a value is above (or below) a limit."""
    so, contrary = (_MORE, _LESS) if above else (_LESS, _MORE)
    return Yes((so,), (contrary,)) if (value > limit) == above else No((contrary,), (so,))


def conditional(number: int, city: str, rain: float, expression: str, on: Sky, otherwise: str, question: str) -> Task:
    """Something is calculated only if it rains, or only if it does not."""
    holds, value = (rain > 0) == (on == "rain"), float(calculate(expression))
    return Task(
        id=f"conditional-{number:02}",
        group="two steps",
        kind="conditional",
        question=question,
        world=World({city: rain}, {city: 6.0 + number}),
        calls=(looked(city), reckoned(value)) if holds else (looked(city),),
        never=() if holds else ("calculator",),
        says=(Figure(value),) if holds else (Rain(rain > 0), Never((f"{value:g}",))),
        or_says=() if holds else (Text((otherwise,)), Never((f"{value:g}",))),
    )


def both(number: int, question: str, calls: tuple[Wanted, ...], says: tuple[Says, ...], world: World) -> Task:
    """Two questions that have nothing to do with each other."""
    return Task(
        id=f"both-{number:02}",
        group="two steps",
        kind="two questions",
        question=question,
        tools=(*FOUR, *DOCUMENTS) if world.shelf else FOUR,
        world=world,
        calls=calls,
        says=says,
    )


def read_then(number: int, shelf: str, question: str, then: tuple[Wanted, ...], *says: Says) -> Task:
    """A figure is read in a document, and something is done with it."""
    return Task(
        id=f"read-then-{number:02}",
        group="two steps",
        kind="document, then a step",
        question=question,
        tools=(*FOUR, *DOCUMENTS),
        world=World(shelf=shelf),
        calls=(Wanted("search"), *then),
        says=says,
    )


_BETS: tuple[tuple[str, float, tuple[float, str, str], Sky, str], ...] = (
    (
        "Cork",
        5.3,
        (60, "EUR", "USD"),
        "rain",
        "Tom bet me 60 euros that Cork stays dry today, I said it'd rain. If I won, how many US dollars is that?",
    ),
    (
        "Seville",
        0.0,
        (200, "EUR", "GBP"),
        "rain",
        "I wagered 200 EUR that it rains in Seville today. If I was right, what do I get in GBP?",
    ),
    (
        "Bergen",
        0.0,
        (80, "GBP", "NOK"),
        "dry",
        "My bet: no rain in Bergen today, stake 80 pounds. If I win, how much is it in Norwegian kroner?",
    ),
    (
        "Turku",
        2.6,
        (35, "CHF", "EUR"),
        "rain",
        "We bet 35 Swiss francs on rain in Turku today, I was for rain. Did I win, and how many euros would that be?",
    ),
    (
        "Hobart",
        1.2,
        (150, "AUD", "USD"),
        "dry",
        "I put 150 AUD on a dry day in Hobart. In case I won, tell me the amount in USD.",
    ),
    (
        "Medellin",
        9.9,
        (40, "USD", "EUR"),
        "rain",
        "bet 40 usd on rain in Medellin today. if it rained, how many eur do i get",
    ),
    (
        "Durban",
        0.0,
        (500, "ZAR", "EUR"),
        "rain",
        "If it has rained in Durban today my uncle owes me 500 rand. How many euros is that, should he have to pay?",
    ),
    (
        "Nantes",
        0.0,
        (25, "EUR", "CHF"),
        "rain",
        "25 euros say that it rained today in Nantes! That was my bet. If I won it, convert it to CHF.",
    ),
    (
        "Sapporo",
        6.8,
        (7000, "JPY", "EUR"),
        "rain",
        "A friend in Sapporo pays me 7000 yen if it rains there today. If so, how many euros will I have?",
    ),
    (
        "Kazan",
        3.4,
        (90, "EUR", "SEK"),
        "rain",
        "Was I lucky? I bet 90 EUR on rain in Kazan. If I was, say how many Swedish kronor it makes.",
    ),
    (
        "Winnipeg",
        0.0,
        (120, "CAD", "GBP"),
        "rain",
        "120 Canadian dollars on rain in Winnipeg - if I've won that, what is it in British pounds?",
    ),
    (
        "Split",
        0.0,
        (45, "EUR", "PLN"),
        "dry",
        "I bet my brother 45 EUR that Split gets no rain today. If I'm right, how many zloty does he owe me?",
    ),
    (
        "Ghent",
        7.7,
        (66, "USD", "JPY"),
        "rain",
        "If it rained today in Ghent I get 66 US dollars from Ann. How much would that be in yen?",
    ),
    (
        "Porto",
        4.1,
        (30, "GBP", "USD"),
        "dry",
        "Porto stays dry, I said, and bet 30 GBP on it. If I won, what is it worth in USD?",
    ),
)

_PURCHASES = (
    ("4 * 18.5", 18.5, ("EUR", "USD"), "I'm ordering 4 mugs at 18.50 euros apiece. What's the total in US dollars?"),
    ("6 * 240", 240, ("SEK", "EUR"), "Six train tickets, 240 SEK each. How many euros altogether?"),
    ("12 * 35", 35, ("CHF", "GBP"), "what do 12 chairs at 35 francs (CHF) each cost in GBP"),
    ("3 * 1999", 1999, ("CZK", "EUR"), "3 pairs of shoes for 1999 CZK a pair, in EUR please"),
    ("7 * 65", 65, ("GBP", "JPY"), "A night costs 65 pounds and we stay 7 nights. What is that in yen?"),
    ("25 * 14", 14, ("USD", "CAD"), "Our club buys 25 caps. One is 14 USD. Tell me the sum in Canadian dollars."),
    ("8 * 120", 120, ("THB", "USD"), "I had 8 bowls of noodles at 120 baht. In USD, how much did I spend?"),
    (
        "5 * 89.9",
        89.9,
        ("EUR", "CHF"),
        "Five monitors arms for 89.90 EUR each; our accountant wants to know it in CHF.",
    ),
    ("15 * 42", 42, ("PLN", "EUR"), "How many euros are 15 posters if each costs 42 zloty?"),
    ("20 * 3.25", 3.25, ("GBP", "EUR"), "20 bus rides at 3.25 GBP. Convert the total to EUR."),
    ("9 * 550", 550, ("INR", "EUR"), "nine scarves, 550 rupees each -> euros?"),
    (
        "2 * 1480",
        1480,
        ("NOK", "DKK"),
        "Two ski passes are 1480 Norwegian kroner each, what's that together in Danish kroner?",
    ),
    (
        "11 * 27",
        27,
        ("AUD", "EUR"),
        "My daughter sold 11 drawings for 27 Australian dollars each. How many euros did she make?",
    ),
    ("6 * 75", 75, ("USD", "MXN"), "I work 6 hours for 75 USD an hour. What will I earn in Mexican pesos?"),
)

_WARMER: tuple[tuple[tuple[str, float], tuple[str, float], Warmth, str], ...] = (
    (("Porto", 17.2), ("Gdansk", 6.9), "warmer", "Where is it warmer at the moment, Porto or Gdansk?"),
    (("Tampere", -4.4), ("Kazan", -11.0), "colder", "Which of the two is colder now: Tampere or Kazan?"),
    (("Adelaide", 21.5), ("Darwin", 32.6), "warmer", "Adelaide or Darwin - which has the higher temperature?"),
    (("Graz", 8.8), ("Bologna", 13.1), "warmer", "is it warmer in graz or in bologna"),
    (("Quito", 15.9), ("Medellin", 23.4), "colder", "I prefer it cool. Quito or Medellin, where is it colder today?"),
    (
        ("Calgary", -9.7),
        ("Reykjavik", 1.8),
        "warmer",
        "Compare Calgary with Reykjavik. Where would I freeze less, I mean where is it warmer?",
    ),
    (("Izmir", 19.0), ("Seville", 18.3), "warmer", "Tell me which city is hotter right now, Izmir or Seville."),
    (("Leipzig", 3.3), ("Brno", 1.1), "colder", "Leipzig vs Brno: which one's colder?"),
    (("Daegu", 10.6), ("Fukuoka", 14.4), "warmer", "Between Daegu and Fukuoka, which is the warmer place today?"),
    (("Cardiff", 9.2), ("Aberdeen", 5.5), "colder", "Who has it colder, people in Cardiff or people in Aberdeen?"),
)

_WETTER = (
    (("Bergen", 14.2), ("Odense", 3.1), "Which city gets more rain today, Bergen or Odense?"),
    (("Surat", 0.6), ("Kumasi", 7.5), "Where does it rain more today: Surat or Kumasi?"),
    (("Curitiba", 12.0), ("Valparaiso", 0.2), "curitiba or valparaiso, which one is wetter today?"),
    (("Ghent", 5.5), ("Antwerp", 8.1), "In which of these did more rain fall today, Ghent or Antwerp?"),
)

_LESS = r"\b(?:below|under|less|lower|cheaper|colder|cooler|freez\w*|frost|within|afford|fewer|enough)"
_MORE = r"\b(?:above|over|more|higher|warmer|hotter|exceed\w*|too expensive)"

_THRESHOLDS = (
    ("Tartu", -3.8, 0, False, "Is it freezing in Tartu right now (below 0 degrees)?"),
    ("Montevideo", 26.3, 25, True, "Is it warmer than 25 degrees in Montevideo?"),
    ("Turku", 4.6, 10, True, "Has Turku got more than 10 degrees at the moment?"),
    ("Innsbruck", 2.2, 0, False, "My pipes burst when it's below zero. Is it below zero in Innsbruck now?"),
    (
        "San Antonio",
        36.1,
        30,
        True,
        "We only go swimming if it's above 30. Is it above 30 degrees Celsius in San Antonio?",
    ),
    ("Bordeaux", 15.5, 20, True, "over 20 degrees in bordeaux now?"),
    ("Kaunas", -12.4, -10, False, "Is the temperature in Kaunas lower than -10?"),
    ("Malmö", 7.9, 8, False, "Can you tell me if Malmö is below 8 degrees?"),
)

_LIMITS = (
    (70, ("GBP", "EUR"), 80, False, "I have 80 euros. Is a jacket for 70 GBP cheaper than that?"),
    (
        12000,
        ("JPY", "USD"),
        100,
        False,
        "My limit is 100 US dollars a night. A room is 12000 yen. Is it within the limit?",
    ),
    (400, ("PLN", "EUR"), 100, False, "Are 400 zloty less than 100 euros?"),
    (250, ("USD", "EUR"), 230, True, "Do I get more than 230 EUR for 250 USD?"),
    (1500, ("SEK", "EUR"), 120, True, "Is 1500 SEK more than 120 EUR?"),
    (55, ("CHF", "USD"), 60, True, "would 55 swiss francs come to more than 60 us dollars"),
)

_LOST = ("lost", "did not win", "didn't win", "not win", "won nothing", "win nothing")

_CONDITIONS: tuple[tuple[str, float, str, Sky, str, str], ...] = (
    (
        "Cardiff",
        3.9,
        "14 * 6",
        "rain",
        "no ponchos",
        "If it rains in Cardiff today I have to buy ponchos for 14 children at 6 each. What would that cost me, if so?",
    ),
    (
        "Cardiff",
        0.0,
        "14 * 6",
        "rain",
        "no ponchos",
        "If it rains in Cardiff today I have to buy ponchos for 14 children at 6 each. What would that cost me, if so?",
    ),
    (
        "Graz",
        0.0,
        "320 / 5",
        "dry",
        "stay at home",
        "If Graz is dry today 5 of us share a van for 320. What does each pay? If it rains we stay at home.",
    ),
    (
        "Graz",
        4.4,
        "320 / 5",
        "dry",
        "stay at home",
        "If Graz is dry today 5 of us share a van for 320. What does each pay? If it rains we stay at home.",
    ),
    (
        "Pittsburgh",
        10.5,
        "45 * 12",
        "rain",
        "no refund",
        "The stadium in Pittsburgh refunds 45 to each of us 12 if it rains today. How much comes back, if so?",
    ),
    (
        "Odense",
        0.0,
        "250 - 85",
        "rain",
        "250",
        "When it rains in Odense the market takes 85 off my fee of 250. Check it; if it does rain, what's my fee?",
    ),
)

_TWO = (
    (
        "What is 19 times 23, and how many euros are 50 pounds?",
        (reckoned(437), changed(50, "GBP", "EUR")),
        (Figure(437), Amount(converted(50, "GBP", "EUR"), "EUR")),
        World(),
    ),
    (
        "How warm is Graz? And what's 640 divided by 16?",
        (looked("Graz"), reckoned(40)),
        (Amount(7.7, "degrees"), Figure(40)),
        World({"Graz": 0.0}, {"Graz": 7.7}),
    ),
    (
        "convert 20 eur to usd and also 20 eur to chf",
        (changed(20, "EUR", "USD"), changed(20, "EUR", "CHF")),
        (Amount(converted(20, "EUR", "USD"), "USD"), Amount(converted(20, "EUR", "CHF"), "CHF")),
        World(),
    ),
    (
        "Does it rain in Ghent today? Oh, and how much is 300 DKK in EUR?",
        (looked("Ghent"), changed(300, "DKK", "EUR")),
        (Rain(rains=True), Amount(converted(300, "DKK", "EUR"), "EUR")),
        World({"Ghent": 4.9}, {"Ghent": 9.1}),
    ),
    (
        "Temperature in Wellington and temperature in Hobart please",
        (looked("Wellington"), looked("Hobart")),
        (Amount(13.3, "degrees"), Amount(10.4, "degrees")),
        World({"Wellington": 0.0, "Hobart": 1.0}, {"Wellington": 13.3, "Hobart": 10.4}),
    ),
    (
        "I need two numbers: 15% of 860, and 77 * 31.",
        (reckoned(129), reckoned(2387)),
        (Figure(129), Figure(2387)),
        World(),
    ),
    (
        "What would 1,000 zloty be in euros and in dollars (US)?",
        (changed(1000, "PLN", "EUR"), changed(1000, "PLN", "USD")),
        (Amount(converted(1000, "PLN", "EUR"), "EUR"), Amount(converted(1000, "PLN", "USD"), "USD")),
        World(),
    ),
    (
        "Tell me the weather in Split, then work out 58 * 4.",
        (looked("Split"), reckoned(232)),
        (Amount(20.5, "degrees"), Figure(232)),
        World({"Split": 0.0}, {"Split": 20.5}),
    ),
    (
        "Two things: how cold is Tartu, how many Swedish kronor are 85 euros?",
        (looked("Tartu"), changed(85, "EUR", "SEK")),
        (Amount(-2.7, "degrees"), Amount(converted(85, "EUR", "SEK"), "SEK")),
        World({"Tartu": 0.0}, {"Tartu": -2.7}),
    ),
    (
        "How high is the highest hill of Sandrey, and what is it in metres minus 100?",
        (Wanted("search"), reckoned(187)),
        (Figure(287), Figure(187)),
        World(shelf="island"),
    ),
)

_READ = (
    ("museum", "We are 6 adults. What do the museum tickets cost us altogether?", (reckoned(66),), Figure(66)),
    (
        "museum",
        "A year's pass for the museum is priced in GBP. How much is it in EUR?",
        (changed(38, "GBP", "EUR"),),
        Amount(converted(38, "GBP", "EUR"), "EUR"),
    ),
    ("island", "How much is the ferry to Sandrey for 5 adults?", (reckoned(70),), Figure(70)),
    (
        "island",
        "I want to sleep in the hostel of Sandrey for 4 nights. What will I pay in all?",
        (reckoned(76),),
        Figure(76),
    ),
    (
        "manual",
        "The tank of the Verano 300 was filled 9 times last week. How many litres of water is that?",
        (reckoned(16.2),),
        Amount(16.2, "litres"),
    ),
    (
        "office",
        "I had lunch in the canteen 17 times. What did the company pay for it in total?",
        (reckoned(76.5),),
        Figure(76.5),
    ),
    (
        "office",
        "My trip took 3 long days. How much daily allowance, given in EUR, do I get in USD?",
        (changed(AnyOf((26, 78)), "EUR", "USD"),),
        Amount(converted(78, "EUR", "USD"), "USD"),
    ),
    (
        "island",
        "Of the people on Sandrey 23 are pupils. How many are not? Look up how many live there.",
        (reckoned(389),),
        Figure(389),
    ),
)

_THREE = (
    Task(
        id="three-01",
        group="two steps",
        kind="three steps",
        question="Add up the temperatures of Graz, and Brno, in degrees. What is the sum?",
        world=World({"Graz": 0.0, "Brno": 0.0}, {"Graz": 12.5, "Brno": 9.0}),
        calls=(looked("Graz"), looked("Brno")),
        says=(Amount(21.5, "degrees"),),
    ),
    Task(
        id="three-02",
        group="two steps",
        kind="three steps",
        question="How many degrees warmer is Izmir than Turku?",
        world=World({"Izmir": 0.0, "Turku": 0.0}, {"Izmir": 18.6, "Turku": 2.9}),
        calls=(looked("Izmir"), looked("Turku")),
        says=(Amount(15.7, "degrees"),),
    ),
    Task(
        id="three-03",
        group="two steps",
        kind="three steps",
        question="Three of us each bet 20 EUR on rain in Aberdeen. If it did rain, what is our whole win in GBP?",
        world=World({"Aberdeen": 8.8}, {"Aberdeen": 6.1}),
        calls=(looked("Aberdeen"), changed(AnyOf((60, 20)), "EUR", "GBP")),
        says=(Amount(converted(60, "EUR", "GBP"), "GBP"),),
    ),
    Task(
        id="three-04",
        group="two steps",
        kind="three steps",
        question="Change 100 EUR to USD, take 15 USD off for the fee, and tell me what is left.",
        calls=(changed(100, "EUR", "USD"),),
        says=(Amount(97.4, "USD"),),
    ),
    Task(
        id="three-05",
        group="two steps",
        kind="three steps",
        question="I buy 5 lamps at 40 EUR each and get 10% off the total. How many USD do I pay?",
        calls=(changed(180, "EUR", "USD"),),
        or_calls=((changed(200, "EUR", "USD"),), (changed(36, "EUR", "USD"),)),
        says=(Amount(converted(180, "EUR", "USD"), "USD"),),
    ),
    Task(
        id="three-06",
        group="two steps",
        kind="three steps",
        question="How many mm of rain do Cork and Porto get today, taken together?",
        world=World({"Cork": 12.4, "Porto": 3.9}, {"Cork": 10.0, "Porto": 16.0}),
        calls=(looked("Cork"), looked("Porto")),
        says=(Amount(16.3, "mm"),),
    ),
    Task(
        id="three-07",
        group="two steps",
        kind="three steps",
        question="What's the temperature in Darwin in Fahrenheit?",
        world=World({"Darwin": 0.0}, {"Darwin": 30.0}),
        calls=(looked("Darwin"),),
        says=(Amount(86, "fahrenheit"),),
    ),
    Task(
        id="three-08",
        group="two steps",
        kind="three steps",
        question="If it's colder than 5 degrees in Brno, convert 70 EUR for a coat into CZK, otherwise don't bother.",
        world=World({"Brno": 0.0}, {"Brno": 1.5}),
        calls=(looked("Brno"), changed(70, "EUR", "CZK")),
        says=(Amount(converted(70, "EUR", "CZK"), "CZK"),),
    ),
    Task(
        id="three-09",
        group="two steps",
        kind="three steps",
        question="If it's colder than 5 degrees in Brno, convert 70 EUR for a coat into CZK, otherwise don't bother.",
        world=World({"Brno": 0.0}, {"Brno": 14.5}),
        calls=(looked("Brno"),),
        never=("convert_currency",),
        says=(Figure(14.5),),
        or_says=(Text(("not colder", "isn't colder", "not below", "warmer than 5", "above 5", "no need", "not cold")),),
    ),
    Task(
        id="three-10",
        group="two steps",
        kind="three steps",
        question="What time is it in Riga, and how warm is it in Tartu?",
        world=World({"Tartu": 0.0}, {"Tartu": 3.5}),
        calls=(Wanted("get_time", {"timezone": InZone("Europe/Riga")}), looked("Tartu")),
        says=(Amount(3.5, "degrees"),),
        tells="time",
    ),
)

TASKS: tuple[Task, ...] = (
    *(bet(number, *row) for number, row in enumerate(_BETS, 1)),
    *(bought(number, *row) for number, row in enumerate(_PURCHASES, 1)),
    *(warmer(number, *row) for number, row in enumerate(_WARMER, 1)),
    *(wetter(number, *row) for number, row in enumerate(_WETTER, 1)),
    *(
        threshold(number, city, celsius, limit, question, above=above)
        for number, (city, celsius, limit, above, question) in enumerate(_THRESHOLDS, 1)
    ),
    *(
        under(number, amount, pair, limit, question, above=above)
        for number, (amount, pair, limit, above, question) in enumerate(_LIMITS, 1)
    ),
    *(conditional(number, *row) for number, row in enumerate(_CONDITIONS, 1)),
    *(both(number, *row) for number, row in enumerate(_TWO, 1)),
    *(read_then(number, *row) for number, row in enumerate(_READ, 1)),
    *_THREE,
)
