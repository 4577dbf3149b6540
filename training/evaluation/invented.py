"""Tools that no model was trained on: invented names, parameters and descriptions over small data in memory.

Owns the tools and what they know. They stand for what a user brings along, and are as well and as badly described as
such tools are. May not hold: tools of the toolbox, any question.
"""

from collections.abc import Mapping
from typing import Any, Literal

from loopwright import Result, tool
from loopwright.tools.result import not_found


def _of(known: Mapping[str, Any], key: str, what: str) -> Any:
    """An entry, found without regard to case, outer spaces and a leading *the*."""
    wanted = key.strip().casefold().removeprefix("the ")
    for name, value in known.items():
        if name.casefold().removeprefix("the ") == wanted:
            return value
    return not_found(f"there is no {what} {key!r}")


_TIDES = {
    "Saltmouth": {"high_water": "06:42", "low_water": "12:55"},
    "Greyhaven": {"high_water": "09:18", "low_water": "15:31"},
}


@tool
def tide_table(harbour: str) -> Any:
    """High and low water of today in a harbour."""
    return _of(_TIDES, harbour, "harbour")


@tool
def next_tram(stop: str, line: int) -> Any:
    """Minutes until the next tram of a line leaves from a stop."""
    found = _of({"Mill Lane": {4: 7, 9: 12}, "Opera": {4: 3, 11: 18}}, stop, "stop")
    return found if isinstance(found, Result) else found.get(line) or not_found(f"line {line} does not stop at {stop}")


@tool
def stock_level(article_number: str) -> Any:
    """How many pieces of an article are in the warehouse."""
    return _of({"KX-410": 63, "KX-415": 0, "TR-88": 1240, "BOLT-M6": 8800}, article_number, "article")


@tool
def find_part(part: str) -> Any:
    """Tells the article number of a part by its name."""
    return _of({"gasket": "KX-415", "drive belt": "KX-410", "tripod": "TR-88"}, part, "part")


@tool
def allotment_owner(plot: int) -> Result | str:
    """Name of the person who rents a plot in the garden colony."""
    owners = {12: "Wilma Sandoval", 31: "Hank Obuya", 47: "the Pereira family"}
    return owners.get(plot) or not_found(f"plot {plot} is not rented")


@tool
def pollen_count(plant: Literal["birch", "grass", "ragweed"], region: str) -> Any:
    """Pollen in the air, in grains per cubic metre.

    Args:
        plant: whose pollen
        region: name of a region
    """
    counts = {
        "Northvale": {"birch": 210, "grass": 35, "ragweed": 0},
        "Lower Esk": {"birch": 12, "grass": 88, "ragweed": 4},
    }
    found = _of(counts, region, "region")
    return found if isinstance(found, Result) else {"plant": plant, "region": region, "grains_per_m3": found[plant]}


@tool
def free_parking(garage: str) -> Any:
    """Number of free parking spaces in a car park."""
    return _of({"Castle Square": 148, "Riverside": 6, "Central Station": 0}, garage, "car park")


@tool
def due_back(card: str) -> Any:
    """When the book that is borrowed on a library card must be back.

    Args:
        card: number of the library card, letters and digits
    """
    return _of(
        {
            "B7731": {"title": "The Glass Orchard", "due": "14 December"},
            "B9020": {"title": "Tidewrack", "due": "2 January"},
        },
        card,
        "card",
    )


@tool
def parcel_price(kilograms: float, zone: Literal["home", "union", "world"]) -> dict[str, Any]:
    """Postage of a parcel in EUR, by weight and zone."""
    base = {"home": 4.9, "union": 11.5, "world": 24.0}[zone]
    return {"zone": zone, "price_eur": round(base + 1.2 * kilograms, 2)}


@tool
def paint_litres(square_metres: float, coats: int) -> float:
    """Litres of wall paint that an area takes."""
    return round(square_metres * coats / 8, 2)


@tool
def phone_extension(surname: str) -> Any:
    """Internal phone number of a colleague."""
    return _of({"Tanaka": 4417, "Oyelaran": 4023, "Brandt": 4390}, surname, "colleague")


@tool
def concert_tickets(band: str) -> Any:
    """Price in USD and the number of tickets that are left for a concert."""
    return _of(
        {"Velvet Antlers": {"price_usd": 48, "left": 210}, "The Mumbling Few": {"price_usd": 72.5, "left": 0}},
        band,
        "concert of",
    )


@tool
def ski_run(name: str) -> Any:
    """Whether a ski run is open, and how deep the snow is there in cm."""
    return _of({"Eagle": {"open": True, "snow_cm": 85}, "Bear Gully": {"open": False, "snow_cm": 20}}, name, "ski run")


@tool
def watering_interval(plant: str) -> Any:
    """After how many days a house plant wants water again."""
    return _of({"fern": 3, "aloe": 21, "peace lily": 6, "cactus": 30}, plant, "plant")


@tool
def particulates(town: str) -> Any:
    """Fine dust in the air: PM2.5 in micrograms per cubic metre."""
    return _of({"Ashford": 31.5, "Lakehurst": 6.2}, town, "measuring station in")


@tool
def gate_of(flight: str) -> Any:
    """Gate and boarding time of a flight.

    Args:
        flight: flight number such as ZQ 118
    """
    gates = {"ZQ 118": {"gate": "C14", "boarding": "17:25"}, "ZQ 552": {"gate": "A3", "boarding": "08:05"}}
    return _of({name.replace(" ", ""): one for name, one in gates.items()}, flight.replace(" ", ""), "flight")


@tool
def track_order(order_id: str) -> Any:
    """State of a customer's order."""
    return _of(
        {"88-1207": "shipped on Tuesday", "88-1311": "waiting for payment", "90-0004": "delivered"}, order_id, "order"
    )


@tool
def electricity_reading(flat: int) -> Result | dict[str, Any]:
    """Meter reading of a flat, in kWh."""
    known = {3: 10482, 7: 20977}
    return {"flat": flat, "kwh": known[flat]} if flat in known else not_found(f"flat {flat} has no meter")


@tool
def last_match(team: str) -> Any:
    """Result of the last match of a team."""
    return _of(
        {
            "Harrowgate Rovers": {"opponent": "Elmstead", "score": "3:1", "won": True},
            "Elmstead": {"opponent": "Harrowgate Rovers", "score": "1:3", "won": False},
        },
        team,
        "team",
    )


@tool
def canteen_menu(weekday: str) -> Any:
    """The dish of the day in the canteen."""
    return _of(
        {
            "Monday": "lentil stew",
            "Tuesday": "fish pie",
            "Wednesday": "mushroom risotto",
            "Thursday": "goulash",
            "Friday": "pancakes",
        },
        weekday,
        "menu for",
    )


@tool
def star_distance(star: str) -> Any:
    """Distance of a star in light years."""
    return _of({"Vantar": 41.7, "Ophelis": 212.0, "Kelu": 9.9}, star, "star")


@tool
def lake_temperature(lake: str) -> Any:
    """Temperature of the water of a lake in degrees Celsius."""
    return _of({"Lake Mirren": 18.4, "Stone Tarn": 9.1}, lake, "lake")


@tool
def monthly_rate(loan: float, yearly_percent: float, years: int) -> float:
    """What a loan costs each month until it is paid back."""
    monthly, months = yearly_percent / 1200, years * 12
    return round(loan * monthly / (1 - (1 + monthly) ** -months), 2)


@tool
def to_roman(number: int) -> str:
    """Writes a whole number in Roman numerals."""
    signs = (
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    )
    written = ""
    for value, sign in signs:
        written += sign * (number // value)
        number %= value
    return written


@tool
def count_letters(text: str) -> int:
    """Counts the letters in a text, without spaces and signs."""
    return sum(character.isalpha() for character in text)


@tool
def is_prime(number: int) -> bool:
    """Whether a number is prime."""
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


@tool
def exhibit_floor(exhibit: str) -> Any:
    """On which floor of the museum an exhibit stands."""
    return _of({"steam engine": 2, "star map": 4, "mammoth": 0}, exhibit, "exhibit")


@tool
def medals(country: str, games: str) -> Any:
    """Gold, silver and bronze medals of a country.

    Args:
        country: name of the country
        games: the games, such as Calvary 2031
    """
    table = {"Norland": {"gold": 9, "silver": 4, "bronze": 11}, "Estia": {"gold": 2, "silver": 8, "bronze": 5}}
    found = _of(table, country, "country")
    return found if isinstance(found, Result) else {"games": games, **found}


@tool
def dose_for(medicine: str, body_weight_kg: float) -> Any:
    """Daily dose of a medicine for an animal, in mg, by its weight."""
    per_kilogram = _of({"Verminol": 5.0, "Calmavet": 0.4}, medicine, "medicine")
    return per_kilogram if isinstance(per_kilogram, Result) else round(per_kilogram * body_weight_kg, 2)


@tool
def queue_length(office: str) -> Any:
    """How many people are waiting at a public office now."""
    return _of({"passport office": 27, "vehicle registration": 4, "registry": 0}, office, "office")


@tool
def translate_term(term: str, into: Literal["Vellish", "Ostric"]) -> Any:
    """Translates a word into one of two old languages."""
    words = {"water": {"Vellish": "mirra", "Ostric": "hoth"}, "bread": {"Vellish": "pelan", "Ostric": "skarn"}}
    found = _of(words, term, "word")
    return found if isinstance(found, Result) else found[into]


@tool
def sort_weights(grams: list[float]) -> list[float]:
    """Sorts weights from light to heavy."""
    return sorted(grams)


@tool
def hotel_price(hotel: str, nights: int) -> Any:
    """Price of a stay in a hotel in GBP."""
    nightly = _of({"The Gilded Heron": 140, "Harbour Inn": 72}, hotel, "hotel")
    return nightly if isinstance(nightly, Result) else {"hotel": hotel, "nights": nights, "total_gbp": nightly * nights}


@tool
def printer_toner(printer: str) -> Any:
    """Toner that is left in a printer, in percent."""
    return _of({"Copper": 12, "Silver": 74, "Tin": 3}, printer, "printer")


@tool
def road_closed(road: str) -> Any:
    """Whether a road is closed, and until when."""
    return _of({"B17": {"closed": True, "until": "Friday evening"}, "A40": {"closed": False}}, road, "road")


INVENTED = {
    one.spec.name: one
    for one in (
        tide_table,
        next_tram,
        stock_level,
        find_part,
        allotment_owner,
        pollen_count,
        free_parking,
        due_back,
        parcel_price,
        paint_litres,
        phone_extension,
        concert_tickets,
        ski_run,
        watering_interval,
        particulates,
        gate_of,
        track_order,
        electricity_reading,
        last_match,
        canteen_menu,
        star_distance,
        lake_temperature,
        monthly_rate,
        to_roman,
        count_letters,
        is_prime,
        exhibit_floor,
        medals,
        dose_for,
        queue_length,
        translate_term,
        sort_weights,
        hotel_price,
        printer_toner,
        road_closed,
    )
}
"""By name."""
