"""Tasks of one step with the toolbox: weather, money, arithmetic, time, documents."""

from loopwright.toolbox.arithmetic import calculate
from training.evaluation.answers import Amount, Figure, Rain, Says, Text
from training.evaluation.calls import Calculates, InZone, Wanted
from training.evaluation.task import DOCUMENTS, FOUR, Task
from training.evaluation.world import World, converted


def looked(city: str) -> Wanted:
    """The weather of a city was asked for."""
    return Wanted("get_current_weather", {"city": city})


def changed(amount: object, source: object, target: object) -> Wanted:
    """Amount was converted."""
    return Wanted("convert_currency", {"amount": amount, "from_currency": source, "to_currency": target})


def reckoned(value: float) -> Wanted:
    """Something of this value was calculated."""
    return Wanted("calculator", {"expression": Calculates(value)})


def degrees(number: int, city: str, celsius: float, question: str) -> Task:
    """How warm it is."""
    return Task(
        id=f"temperature-{number:02}",
        group="single step",
        kind="temperature",
        question=question,
        world=World({city: float(number % 3)}, {city: celsius}),
        calls=(looked(city),),
        says=(Amount(celsius, "degrees"),),
    )


def wet(number: int, city: str, millimetres: float, question: str) -> Task:
    """Whether it rains."""
    return Task(
        id=f"rain-{number:02}",
        group="single step",
        kind="rain",
        question=question,
        world=World({city: millimetres}, {city: 9.0 + number}),
        calls=(looked(city),),
        says=(Rain(millimetres > 0),),
    )


def money(number: int, amount: float, source: str, target: str, question: str) -> Task:
    """One conversion."""
    return Task(
        id=f"currency-{number:02}",
        group="single step",
        kind="currency",
        question=question,
        calls=(changed(amount, source, target),),
        says=(Amount(converted(amount, source, target), target),),
    )


def arithmetic(number: int, expression: str, question: str) -> Task:
    """One calculation."""
    value = float(calculate(expression))
    return Task(
        id=f"calculator-{number:02}",
        group="single step",
        kind="calculator",
        question=question,
        calls=(reckoned(value),),
        says=(Figure(value),),
    )


def clock(number: int, place: str, question: str, tools: tuple[str, ...] = FOUR) -> Task:
    """What time it is; that the answer says what the clock said is checked against the run."""
    return Task(
        id=f"clock-{number:02}",
        group="single step",
        kind="clock",
        question=question,
        tools=tools,
        calls=(Wanted("get_time", {"timezone": InZone(place)}),),
        tells="time",
    )


def fact(number: int, shelf: str, question: str, *says: Says) -> Task:
    """Something that stands in a document."""
    return Task(
        id=f"documents-{number:02}",
        group="single step",
        kind="documents",
        question=question,
        tools=DOCUMENTS if number % 2 else (*FOUR, *DOCUMENTS),
        world=World(shelf=shelf),
        calls=(Wanted("search"),),
        says=says,
    )


_DEGREES = (
    ("Porto", 14.6, "how warm is it in Porto right now?"),
    ("Tampere", -7.2, "What's the temperature in Tampere at the moment?"),
    ("Seville", 31.4, "Is Seville hot today? Give me the degrees please."),
    ("Bratislava", 4.8, "temperature Bratislava"),
    ("Casablanca", 22.3, "My sister is flying to Casablanca. How many degrees do they have there?"),
    ("Winnipeg", -18.5, "Tell me how cold Winnipeg is."),
    ("Wellington", 12.9, "Could you check the current temperature in Wellington for me?"),
    ("New Orleans", 27.7, "hey, what are the temps like in New Orleans"),
    ("Gdansk", 2.1, "I'm packing for Gdansk - what does the thermometer show there now?"),
    ("La Paz", 9.3, "What is the weather like in La Paz?"),
    ("Surat", 33.8, "Please look up the weather in Surat, I only care about the temperature."),
    ("Cork", 11.5, "Weather report for Cork please"),
    ("Sapporo", -1.6, "How chilly is Sapporo just now?"),
    ("Adelaide", 24.2, "I would like to know the outdoor temperature in Adelaide, Australia."),
)

_RAIN = (
    ("Bergen", 11.8, "Is it raining in Bergen?"),
    ("Antwerp", 0.0, "Do I need an umbrella in Antwerp today?"),
    ("Kumasi", 4.4, "any rain in Kumasi today?"),
    ("Guadalajara", 0.0, "Will I get wet if I walk around Guadalajara today?"),
    ("Cardiff", 6.1, "We're off to Cardiff this afternoon. Should we take raincoats?"),
    ("Izmir", 0.0, "Did it rain in Izmir today, yes or no?"),
    ("Ghent", 0.7, "Rain in Ghent today?"),
    ("Split", 0.0, "My laundry hangs outside in Split. Is there any rain today?"),
    ("Nantes", 2.9, "Has there been rain in Nantes today?"),
    ("Calgary", 0.0, "Tell me whether Calgary stays dry today."),
    ("Fukuoka", 8.3, "I'm in Fukuoka later today, umbrella or no umbrella?"),
    ("Medellin", 15.2, "Is Medellin having a rainy day?"),
    ("Almaty", 0.0, "is it gonna rain in Almaty today"),
    ("Ljubljana", 1.3, "Can you see if rain is falling on Ljubljana today?"),
)

_MONEY = (
    (340, "EUR", "USD", "How many US dollars do I get for 340 euros?"),
    (75, "GBP", "EUR", "convert 75 GBP to EUR"),
    (1250, "USD", "JPY", "What's 1,250 USD in Japanese yen?"),
    (62.5, "CHF", "EUR", "I've got 62.50 Swiss francs left over, how much is that in euros?"),
    (18400, "JPY", "GBP", "A hotel in Kyoto wants 18,400 yen a night. What is that in pounds?"),
    (999, "SEK", "NOK", "999 SEK in NOK?"),
    (45, "EUR", "PLN", "how much is 45 euro in zloty"),
    (2300, "NOK", "EUR", "Our cabin costs 2300 Norwegian kroner. Please tell me the price in EUR."),
    (12.99, "USD", "GBP", "An app is $12.99. How many British pounds would that be?"),
    (5600, "INR", "USD", "what would 5,600 Indian rupees be in US dollars"),
    (150, "AUD", "NZD", "Please change 150 Australian dollars into New Zealand dollars."),
    (88, "CAD", "USD", "88 Canadian dollars to USD"),
    (20000, "HUF", "EUR", "I found a 20,000 forint note in an old coat. Is that a lot? How many euros?"),
    (310, "DKK", "SEK", "310 danish kroner -> swedish kronor"),
    (7.4, "EUR", "CZK", "7.4 EUR in CZK please"),
    (1000000, "KRW", "USD", "If someone gives me 1,000,000 South Korean won, how many USD do I have?"),
    (415, "THB", "EUR", "The taxi driver asked for 415 baht. In euros that's..?"),
    (64, "SGD", "MYR", "Change 64 SGD into MYR"),
    (2750, "MXN", "USD", "Rent for the surfboard is 2,750 Mexican pesos, what's that in dollars (US)?"),
    (530, "ZAR", "GBP", "How many pounds sterling are 530 South African rand?"),
    (36, "EUR", "TRY", "I want to swap 36 EUR for Turkish lira. How many do I get?"),
    (260, "BRL", "EUR", "260 Brazilian reais to euros"),
    (94.2, "GBP", "CHF", "94.20 GBP to CHF"),
    (480, "ILS", "USD", "a ticket costs 480 shekels, how many USD is it"),
)

_ARITHMETIC = (
    ("48 * 37", "What is 48 times 37?"),
    ("9126 / 26", "9126 divided by 26?"),
    ("18% of 2350", "what's 18% of 2350"),
    ("1204 - 687", "Take 687 away from 1204."),
    ("56.8 + 17.45 + 203.9", "Add up 56.8, 17.45 and 203.9 for me"),
    ("2 ** 14", "2 to the power of 14"),
    ("sqrt(1764)", "What is the square root of 1764?"),
    ("(35 + 19) * 8", "compute (35 + 19) * 8"),
    ("14 * 12", "A crate holds 12 bottles. How many bottles are in 14 crates?"),
    ("260 / 8", "We were 8 people and dinner came to 260. What does each of us pay if we split it evenly?"),
    ("7.5% of 640", "Sales tax here is 7.5%. How much tax is on something that costs 640?"),
    ("365 * 24", "how many hours are there in 365 days?"),
    ("89 * 0.7", "A jacket of 89 is reduced by 30 percent. What's the new price?"),
    ("1250 * 1.04", "My salary of 1250 goes up by 4%. What will it be then?"),
    ("6372 - 1998 - 2450", "From a budget of 6372 we spent 1998 and then 2450. What's left?"),
    ("144 / 9 + 31", "144 / 9 + 31 = ?"),
    ("3.2 * 4.5", "The room measures 3.2 by 4.5 metres. What is its area?"),
    ("17 ** 2", "seventeen squared please (17^2)"),
    ("45 * 6 + 30", "The plumber takes 45 an hour plus 30 for coming. He worked 6 hours. What do I owe him?"),
    ("5400 / 60", "5400 seconds is how many minutes?"),
    ("12 * 19.9", "I pay 19.90 a month for my phone. What does it cost me in a year?"),
    ("(78 + 85 + 91 + 66) / 4", "My marks are 78, 85, 91 and 66. What's the average?"),
    ("1.5 * 230", "The recipe needs 230 grams of flour, I'm making one and a half times as much. How many grams?"),
    ("10000 / 3.5", "Divide 10000 by 3.5"),
)

_CLOCK = (
    ("Asia/Tokyo", "What time is it in Tokyo?"),
    ("America/Lima", "current time in Lima please"),
    ("Europe/Lisbon", "How late is it in Lisbon right now?"),
    ("UTC", "What's the UTC time?"),
    ("Asia/Dubai", "I need to call someone in Dubai, what time do they have there?"),
    ("America/Chicago", "time in Chicago?"),
    ("Pacific/Auckland", "What does the clock say in Auckland?"),
    ("Africa/Nairobi", "Please tell me the local time of Nairobi."),
    ("Europe/Warsaw", "is it late in Warsaw already? what time is it"),
    ("America/Denver", "What's the time in Denver, Colorado?"),
    ("Asia/Kathmandu", "do you know the time in Kathmandu"),
    ("Australia/Perth", "My cousin lives in Perth. What time is it for her?"),
    ("America/Bogota", "Time now, Bogota"),
    ("Europe/Riga", "Give me the exact time in Riga."),
)

_FACTS = (
    ("museum", "When does the museum open on Saturdays?", Text(("10:30", "10.30"))),
    ("museum", "How much is a locker in the cloakroom?", Figure(2)),
    ("museum", "How long is the whale skeleton in the museum?", Amount(17.5, "metres")),
    ("museum", "Who founded the Brackwater museum?", Text(("Ottilie Marsh",))),
    ("museum", "are dogs allowed in the museum", Text(("guide dogs", "assistance dogs"))),
    ("museum", "What does the soup in the cafe cost?", Figure(6.4)),
    ("manual", "How often should I descale the Verano 300?", Text(("three months", "3 months"))),
    ("manual", "How much water fits into the tank of the Verano 300?", Amount(1.8, "litres")),
    ("manual", "My Verano machine shows E4. What does that mean?", Text(("grounds", "drawer", "tray"))),
    ("manual", "How long is the warranty on the coffee machine?", Text(("30 months",))),
    ("manual", "what pressure does the verano pump make", Amount(15, "bar")),
    ("manual", "How many kilograms does the Verano 300 weigh?", Amount(7.9, "kg")),
    ("island", "How long does the ferry to Sandrey take?", Text(("50 minutes", "50 min", "50-minute"))),
    ("island", "How many inhabitants does the island of Sandrey have?", Figure(412)),
    ("island", "In which year was the lighthouse of Sandrey lit for the first time?", Figure(1883)),
    ("island", "What is the highest hill on Sandrey called?", Text(("Corrag",))),
    ("island", "which day is the doctor on the island?", Text(("Wednesday", "Wednesdays"))),
    ("island", "How many pupils does the island school have?", Figure(23)),
    ("office", "How many days of holiday do we get a year?", Amount(28, "days")),
    ("office", "what's the name of the guest wifi", Text(("Lindenhall-Guest", "Lindenhall Guest"))),
    ("office", "Who do I talk to about parental leave?", Text(("Meera Castellan", "Castellan"))),
    ("office", "By when must travel expenses be handed in?", Text(("15th", "fifteenth", "15"))),
    ("office", "Where do we meet when the fire alarm goes off?", Text(("bicycle shed", "bike shed", "bicycle sheds"))),
    ("office", "How much does the company pay towards lunch?", Figure(4.5)),
    ("office", "How many days a week may I work from home?", Figure(2)),
    ("museum", "What's the entry price for students at the museum?", Figure(5)),
    ("island", "what does a bed in the hostel on Sandrey cost per night?", Figure(19)),
    ("manual", "After how many minutes should the milk hose be rinsed?", Amount(10, "minutes")),
)

TASKS: tuple[Task, ...] = (
    *(degrees(number, *row) for number, row in enumerate(_DEGREES, 1)),
    *(wet(number, *row) for number, row in enumerate(_RAIN, 1)),
    *(money(number, *row) for number, row in enumerate(_MONEY, 1)),
    *(arithmetic(number, *row) for number, row in enumerate(_ARITHMETIC, 1)),
    *(clock(number, *row) for number, row in enumerate(_CLOCK, 1)),
    *(fact(number, *row) for number, row in enumerate(_FACTS, 1)),
)
