"""Words that questions are made of: places, money, people, things. Data, and how an amount or a question is written."""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

CITIES: dict[str, str] = {
    "Athens": "Europe/Athens",
    "Rome": "Europe/Rome",
    "Milan": "Europe/Rome",
    "Naples": "Europe/Rome",
    "Turin": "Europe/Rome",
    "Florence": "Europe/Rome",
    "Venice": "Europe/Rome",
    "Palermo": "Europe/Rome",
    "Madrid": "Europe/Madrid",
    "Barcelona": "Europe/Madrid",
    "Valencia": "Europe/Madrid",
    "Bilbao": "Europe/Madrid",
    "Malaga": "Europe/Madrid",
    "Lisbon": "Europe/Lisbon",
    "Porto": "Europe/Lisbon",
    "Paris": "Europe/Paris",
    "Lyon": "Europe/Paris",
    "Marseille": "Europe/Paris",
    "Nice": "Europe/Paris",
    "Toulouse": "Europe/Paris",
    "Strasbourg": "Europe/Paris",
    "London": "Europe/London",
    "Manchester": "Europe/London",
    "Liverpool": "Europe/London",
    "Edinburgh": "Europe/London",
    "Glasgow": "Europe/London",
    "Cardiff": "Europe/London",
    "Belfast": "Europe/Belfast",
    "Leeds": "Europe/London",
    "York": "Europe/London",
    "Dublin": "Europe/Dublin",
    "Cork": "Europe/Dublin",
    "Galway": "Europe/Dublin",
    "Berlin": "Europe/Berlin",
    "Munich": "Europe/Berlin",
    "Hamburg": "Europe/Berlin",
    "Cologne": "Europe/Berlin",
    "Frankfurt": "Europe/Berlin",
    "Dresden": "Europe/Berlin",
    "Leipzig": "Europe/Berlin",
    "Stuttgart": "Europe/Berlin",
    "Bremen": "Europe/Berlin",
    "Vienna": "Europe/Vienna",
    "Graz": "Europe/Vienna",
    "Salzburg": "Europe/Vienna",
    "Innsbruck": "Europe/Vienna",
    "Zurich": "Europe/Zurich",
    "Geneva": "Europe/Zurich",
    "Basel": "Europe/Zurich",
    "Bern": "Europe/Zurich",
    "Amsterdam": "Europe/Amsterdam",
    "Rotterdam": "Europe/Amsterdam",
    "Utrecht": "Europe/Amsterdam",
    "Brussels": "Europe/Brussels",
    "Antwerp": "Europe/Brussels",
    "Ghent": "Europe/Brussels",
    "Copenhagen": "Europe/Copenhagen",
    "Aarhus": "Europe/Copenhagen",
    "Oslo": "Europe/Oslo",
    "Bergen": "Europe/Oslo",
    "Trondheim": "Europe/Oslo",
    "Stockholm": "Europe/Stockholm",
    "Gothenburg": "Europe/Stockholm",
    "Malmo": "Europe/Stockholm",
    "Uppsala": "Europe/Stockholm",
    "Helsinki": "Europe/Helsinki",
    "Tampere": "Europe/Helsinki",
    "Turku": "Europe/Helsinki",
    "Oulu": "Europe/Helsinki",
    "Tallinn": "Europe/Tallinn",
    "Tartu": "Europe/Tallinn",
    "Riga": "Europe/Riga",
    "Vilnius": "Europe/Vilnius",
    "Kaunas": "Europe/Vilnius",
    "Warsaw": "Europe/Warsaw",
    "Krakow": "Europe/Warsaw",
    "Gdansk": "Europe/Warsaw",
    "Wroclaw": "Europe/Warsaw",
    "Prague": "Europe/Prague",
    "Brno": "Europe/Prague",
    "Bratislava": "Europe/Bratislava",
    "Budapest": "Europe/Budapest",
    "Debrecen": "Europe/Budapest",
    "Bucharest": "Europe/Bucharest",
    "Cluj-Napoca": "Europe/Bucharest",
    "Sofia": "Europe/Sofia",
    "Plovdiv": "Europe/Sofia",
    "Zagreb": "Europe/Zagreb",
    "Split": "Europe/Zagreb",
    "Ljubljana": "Europe/Ljubljana",
    "Belgrade": "Europe/Belgrade",
    "Sarajevo": "Europe/Sarajevo",
    "Skopje": "Europe/Skopje",
    "Tirana": "Europe/Tirane",
    "Thessaloniki": "Europe/Athens",
    "Patras": "Europe/Athens",
    "Istanbul": "Europe/Istanbul",
    "Ankara": "Europe/Istanbul",
    "Izmir": "Europe/Istanbul",
    "Kyiv": "Europe/Kyiv",
    "Lviv": "Europe/Kyiv",
    "Reykjavik": "Atlantic/Reykjavik",
    "Valletta": "Europe/Malta",
    "Nicosia": "Asia/Nicosia",
    "Luxembourg": "Europe/Luxembourg",
    "Monaco": "Europe/Monaco",
    "New York": "America/New_York",
    "Boston": "America/New_York",
    "Miami": "America/New_York",
    "Atlanta": "America/New_York",
    "Philadelphia": "America/New_York",
    "Washington": "America/New_York",
    "Orlando": "America/New_York",
    "Detroit": "America/Detroit",
    "Chicago": "America/Chicago",
    "Houston": "America/Chicago",
    "Dallas": "America/Chicago",
    "Austin": "America/Chicago",
    "New Orleans": "America/Chicago",
    "Minneapolis": "America/Chicago",
    "Denver": "America/Denver",
    "Salt Lake City": "America/Denver",
    "Phoenix": "America/Phoenix",
    "Los Angeles": "America/Los_Angeles",
    "San Francisco": "America/Los_Angeles",
    "San Diego": "America/Los_Angeles",
    "Seattle": "America/Los_Angeles",
    "Portland": "America/Los_Angeles",
    "Las Vegas": "America/Los_Angeles",
    "Anchorage": "America/Anchorage",
    "Honolulu": "Pacific/Honolulu",
    "Toronto": "America/Toronto",
    "Montreal": "America/Toronto",
    "Ottawa": "America/Toronto",
    "Vancouver": "America/Vancouver",
    "Calgary": "America/Edmonton",
    "Halifax": "America/Halifax",
    "Mexico City": "America/Mexico_City",
    "Guadalajara": "America/Mexico_City",
    "Cancun": "America/Cancun",
    "Havana": "America/Havana",
    "Panama City": "America/Panama",
    "Bogota": "America/Bogota",
    "Medellin": "America/Bogota",
    "Lima": "America/Lima",
    "Cusco": "America/Lima",
    "Quito": "America/Guayaquil",
    "Caracas": "America/Caracas",
    "La Paz": "America/La_Paz",
    "Santiago": "America/Santiago",
    "Buenos Aires": "America/Argentina/Buenos_Aires",
    "Montevideo": "America/Montevideo",
    "Sao Paulo": "America/Sao_Paulo",
    "Rio de Janeiro": "America/Sao_Paulo",
    "Brasilia": "America/Sao_Paulo",
    "Tokyo": "Asia/Tokyo",
    "Osaka": "Asia/Tokyo",
    "Kyoto": "Asia/Tokyo",
    "Sapporo": "Asia/Tokyo",
    "Seoul": "Asia/Seoul",
    "Busan": "Asia/Seoul",
    "Beijing": "Asia/Shanghai",
    "Shanghai": "Asia/Shanghai",
    "Shenzhen": "Asia/Shanghai",
    "Hong Kong": "Asia/Hong_Kong",
    "Taipei": "Asia/Taipei",
    "Singapore": "Asia/Singapore",
    "Kuala Lumpur": "Asia/Kuala_Lumpur",
    "Bangkok": "Asia/Bangkok",
    "Hanoi": "Asia/Ho_Chi_Minh",
    "Jakarta": "Asia/Jakarta",
    "Manila": "Asia/Manila",
    "Mumbai": "Asia/Kolkata",
    "Delhi": "Asia/Kolkata",
    "Bangalore": "Asia/Kolkata",
    "Chennai": "Asia/Kolkata",
    "Kolkata": "Asia/Kolkata",
    "Colombo": "Asia/Colombo",
    "Kathmandu": "Asia/Kathmandu",
    "Dhaka": "Asia/Dhaka",
    "Karachi": "Asia/Karachi",
    "Lahore": "Asia/Karachi",
    "Tashkent": "Asia/Tashkent",
    "Almaty": "Asia/Almaty",
    "Tbilisi": "Asia/Tbilisi",
    "Yerevan": "Asia/Yerevan",
    "Baku": "Asia/Baku",
    "Tehran": "Asia/Tehran",
    "Baghdad": "Asia/Baghdad",
    "Dubai": "Asia/Dubai",
    "Abu Dhabi": "Asia/Dubai",
    "Doha": "Asia/Qatar",
    "Riyadh": "Asia/Riyadh",
    "Jerusalem": "Asia/Jerusalem",
    "Tel Aviv": "Asia/Tel_Aviv",
    "Haifa": "Asia/Jerusalem",
    "Beirut": "Asia/Beirut",
    "Amman": "Asia/Amman",
    "Cairo": "Africa/Cairo",
    "Alexandria": "Africa/Cairo",
    "Casablanca": "Africa/Casablanca",
    "Marrakesh": "Africa/Casablanca",
    "Tunis": "Africa/Tunis",
    "Algiers": "Africa/Algiers",
    "Lagos": "Africa/Lagos",
    "Accra": "Africa/Accra",
    "Dakar": "Africa/Dakar",
    "Nairobi": "Africa/Nairobi",
    "Kampala": "Africa/Kampala",
    "Addis Ababa": "Africa/Addis_Ababa",
    "Johannesburg": "Africa/Johannesburg",
    "Cape Town": "Africa/Johannesburg",
    "Durban": "Africa/Johannesburg",
    "Sydney": "Australia/Sydney",
    "Melbourne": "Australia/Melbourne",
    "Brisbane": "Australia/Brisbane",
    "Perth": "Australia/Perth",
    "Adelaide": "Australia/Adelaide",
    "Darwin": "Australia/Darwin",
    "Canberra": "Australia/Canberra",
    "Auckland": "Pacific/Auckland",
    "Wellington": "Pacific/Auckland",
    "Christchurch": "Pacific/Auckland",
    "Suva": "Pacific/Fiji",
}
"""Cities and the time zone they lie in."""

COUNTRIES: dict[str, str] = {
    "Athens": "Greece", "Rome": "Italy", "Milan": "Italy", "Madrid": "Spain", "Barcelona": "Spain",
    "Valencia": "Spain", "Lisbon": "Portugal", "Porto": "Portugal", "Paris": "France", "Lyon": "France",
    "London": "United Kingdom", "Dublin": "Ireland", "Berlin": "Germany", "Munich": "Germany", "Vienna": "Austria",
    "Zurich": "Switzerland", "Amsterdam": "Netherlands", "Brussels": "Belgium", "Copenhagen": "Denmark",
    "Oslo": "Norway", "Stockholm": "Sweden", "Helsinki": "Finland", "Warsaw": "Poland", "Prague": "Czechia",
    "Budapest": "Hungary", "New York": "United States", "Boston": "United States", "Portland": "United States",
    "Toronto": "Canada", "Tokyo": "Japan", "Kyoto": "Japan", "Sydney": "Australia", "Perth": "Australia",
    "Cairo": "Egypt", "Lima": "Peru", "Santiago": "Chile", "Dubai": "United Arab Emirates", "Seoul": "South Korea",
}  # fmt: skip
"""Some of them with their country."""

ZONE_LANDS: dict[str, str] = {
    "Japan": "Asia/Tokyo", "Germany": "Europe/Berlin", "France": "Europe/Paris", "Italy": "Europe/Rome",
    "Spain": "Europe/Madrid", "Finland": "Europe/Helsinki", "Sweden": "Europe/Stockholm", "Norway": "Europe/Oslo",
    "Denmark": "Europe/Copenhagen", "Poland": "Europe/Warsaw", "Greece": "Europe/Athens", "Turkey": "Europe/Istanbul",
    "Egypt": "Africa/Cairo", "Kenya": "Africa/Nairobi", "Nigeria": "Africa/Lagos", "India": "Asia/Kolkata",
    "China": "Asia/Shanghai", "South Korea": "Asia/Seoul", "Thailand": "Asia/Bangkok", "Israel": "Asia/Jerusalem",
    "the UK": "Europe/London", "Ireland": "Europe/Dublin", "Portugal": "Europe/Lisbon", "Iceland": "Atlantic/Reykjavik",
    "California": "America/Los_Angeles", "Texas": "America/Chicago", "Florida": "America/New_York",
    "New Zealand": "Pacific/Auckland", "Argentina": "America/Argentina/Buenos_Aires", "Peru": "America/Lima",
    "UTC": "UTC", "GMT": "UTC",
}  # fmt: skip

CURRENCIES: dict[str, tuple[str, ...]] = {
    "EUR": ("euros", "euro", "Euros"),
    "USD": ("US dollars", "dollars", "American dollars", "bucks", "U.S. dollars"),
    "GBP": ("British pounds", "pounds", "pounds sterling", "quid", "sterling"),
    "JPY": ("Japanese yen", "yen"),
    "CHF": ("Swiss francs", "francs"),
    "SEK": ("Swedish kronor", "Swedish crowns", "kronor"),
    "NOK": ("Norwegian kroner", "Norwegian crowns"),
    "DKK": ("Danish kroner", "Danish crowns"),
    "PLN": ("Polish zloty", "zloty", "zlotys"),
    "CZK": ("Czech koruna", "Czech crowns"),
    "HUF": ("Hungarian forints", "forints"),
    "RON": ("Romanian lei", "lei"),
    "BGN": ("Bulgarian leva", "leva"),
    "ISK": ("Icelandic kronur", "Icelandic krona"),
    "TRY": ("Turkish lira", "lira"),
    "AUD": ("Australian dollars", "Aussie dollars"),
    "CAD": ("Canadian dollars",),
    "NZD": ("New Zealand dollars", "Kiwi dollars"),
    "SGD": ("Singapore dollars",),
    "HKD": ("Hong Kong dollars",),
    "CNY": ("Chinese yuan", "yuan", "renminbi"),
    "INR": ("Indian rupees", "rupees"),
    "KRW": ("South Korean won", "Korean won", "won"),
    "THB": ("Thai baht", "baht"),
    "MYR": ("Malaysian ringgit", "ringgit"),
    "IDR": ("Indonesian rupiah", "rupiah"),
    "PHP": ("Philippine pesos",),
    "MXN": ("Mexican pesos", "Mexican peso"),
    "BRL": ("Brazilian reais", "Brazilian real", "reais"),
    "ZAR": ("South African rand", "rand"),
    "ILS": ("Israeli shekels", "shekels", "new shekels"),
}
"""The currencies that have a rate, and what people call them."""

SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}

UNITS_FOR_EURO: dict[str, float] = {
    "EUR": 1.0, "USD": 1.1, "GBP": 0.86, "JPY": 162.0, "CHF": 0.95, "SEK": 11.3, "NOK": 11.7, "DKK": 7.46, "PLN": 4.3,
    "CZK": 25.1, "HUF": 398.0, "RON": 5.0, "BGN": 1.956, "ISK": 148.0, "TRY": 38.0, "AUD": 1.68, "CAD": 1.5,
    "NZD": 1.82, "SGD": 1.45, "HKD": 8.5, "CNY": 7.8, "INR": 93.0, "KRW": 1490.0, "THB": 38.5, "MYR": 4.9,
    "IDR": 17600.0, "PHP": 63.0, "MXN": 20.5, "BRL": 6.1, "ZAR": 19.8, "ILS": 3.95,
}  # fmt: skip
"""About what a euro is worth; the generator moves them about."""

PEOPLE = (
    "my friend", "my brother", "my sister", "a colleague", "my boss", "Anna", "Tom", "Lea", "my neighbour", "Marco",
    "my dad", "my wife", "my husband", "a friend", "Yusuf", "Priya", "Kenji", "Sofia", "my flatmate", "Oleg",
)  # fmt: skip

THINGS = (
    "book", "ticket", "chair", "lamp", "shirt", "notebook", "bottle of wine", "bag of coffee", "mug", "plate", "poster",
    "jacket", "pair of socks", "pencil", "battery", "cable", "plant", "candle", "towel", "pillow", "cushion", "vase",
    "toy", "puzzle", "ball", "helmet", "tyre", "brush", "bucket", "spoon", "T-shirt", "cake", "pizza", "sandwich",
    "bus pass", "museum ticket", "postcard", "stamp", "charger", "keyboard", "mouse", "monitor", "headset", "folder",
)  # fmt: skip

OPENINGS = (
    "Hi! ", "Hello, ", "Hey, ", "Quick question: ", "Please tell me: ", "Good morning! ", "One more thing: ", "Hi there. ",
    "I have a question. ", "Sorry to bother you. ", "Just curious: ", "Help me out here. ", "Dear assistant, ",
    "I need your help. ", "Ok so, ", "Question for you: ",
)  # fmt: skip
ENDINGS = (" Thanks!", " Thank you.", " Please.", " Cheers", " Thanks in advance.", " I need it quickly.")


def pick(chance: random.Random, options: Sequence[T]) -> T:
    """One of them."""
    return options[chance.randrange(len(options))]


def city(chance: random.Random) -> str:
    """A city."""
    return pick(chance, tuple(CITIES))


def cities(chance: random.Random, count: int) -> list[str]:
    """Different cities."""
    return chance.sample(tuple(CITIES), count)


def currency(chance: random.Random, but: str = "") -> str:
    """A currency code, the large ones more often, never `but`."""
    while True:
        code = pick(chance, ("EUR", "USD", "GBP")) if chance.random() < 0.25 else pick(chance, tuple(CURRENCIES))
        if code != but:
            return code


def amount(chance: random.Random) -> float | int:
    """An amount of money, of any size that people ask about."""
    kind = chance.random()
    if kind < 0.35:
        return pick(chance, (5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200, 250, 300, 400, 500, 750))
    if kind < 0.55:
        return chance.randrange(1, 1000)
    if kind < 0.75:
        return chance.randrange(1000, 100_000)
    if kind < 0.82:
        return chance.randrange(1, 100) * 1000
    return round(chance.uniform(1, 5000), pick(chance, (1, 2, 2)))


def said(chance: random.Random, value: float, code: str) -> str:
    """An amount as somebody writes it: 1500 EUR, 1,500 euros, €1,500."""
    number = grouped(chance, value)
    kind = chance.random()
    if kind < 0.12 and code in SYMBOLS:
        return f"{SYMBOLS[code]}{number}"
    if kind < 0.65:
        return f"{number} {pick(chance, CURRENCIES[code])}"
    return f"{number} {code}"


def called(chance: random.Random, code: str) -> str:
    """A currency as somebody names it."""
    return pick(chance, CURRENCIES[code]) if chance.random() < 0.6 else code


def grouped(chance: random.Random, value: float) -> str:
    """A number as somebody writes it, with commas between the thousands or without."""
    whole = isinstance(value, int)
    if value >= 1000 and chance.random() < 0.55:
        return f"{value:,}" if whole else f"{value:,.2f}"
    return str(value) if whole or chance.random() < 0.6 else f"{value:.2f}"


def dressed(chance: random.Random, question: str) -> str:
    """A question as different people type it: with a greeting, a thank-you, without a mark, all in lower case."""
    if chance.random() < 0.1:
        question = pick(chance, OPENINGS) + question
    if chance.random() < 0.06:
        question += pick(chance, ENDINGS)
    if chance.random() < 0.08:
        question = question.rstrip("?.!")
    if chance.random() < 0.06:
        question = question[0].lower() + question[1:]
    if chance.random() < 0.03:
        question = question.lower()
    return question
