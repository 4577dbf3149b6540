"""What is true while a task runs: the weather, the rates, the documents, and which services are down.

Owns the figures that the local stand-ins serve, and the arithmetic of what a conversion must come to. May not hold: any
question, and anything of the training data.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

SHELVES = Path(__file__).parent / "shelves"
"""One folder of documents each."""

RATES: Mapping[str, float] = {
    "USD": 1.1240,
    "GBP": 0.8412,
    "JPY": 171.35,
    "CHF": 0.9318,
    "SEK": 11.073,
    "NOK": 11.624,
    "DKK": 7.4608,
    "PLN": 4.2715,
    "CZK": 24.86,
    "HUF": 398.4,
    "RON": 5.0742,
    "TRY": 47.93,
    "CAD": 1.5527,
    "AUD": 1.7382,
    "NZD": 1.9115,
    "SGD": 1.4976,
    "HKD": 8.7745,
    "CNY": 8.0390,
    "KRW": 1587.2,
    "INR": 99.14,
    "THB": 37.28,
    "IDR": 18640.0,
    "MYR": 4.7521,
    "PHP": 65.83,
    "ZAR": 20.147,
    "BRL": 6.1903,
    "MXN": 21.058,
    "ILS": 3.7864,
    "ISK": 141.6,
}
"""Units of each currency for one euro: invented, but within reason."""

COUNTRIES: Mapping[str, str] = {
    "Aberdeen": "United Kingdom",
    "Adelaide": "Australia",
    "Almaty": "Kazakhstan",
    "Antwerp": "Belgium",
    "Bergen": "Norway",
    "Bologna": "Italy",
    "Bordeaux": "France",
    "Bratislava": "Slovakia",
    "Brno": "Czechia",
    "Calgary": "Canada",
    "Cardiff": "United Kingdom",
    "Casablanca": "Morocco",
    "Cork": "Ireland",
    "Curitiba": "Brazil",
    "Daegu": "South Korea",
    "Darwin": "Australia",
    "Durban": "South Africa",
    "Fukuoka": "Japan",
    "Gdansk": "Poland",
    "Ghent": "Belgium",
    "Graz": "Austria",
    "Guadalajara": "Mexico",
    "Hobart": "Australia",
    "Innsbruck": "Austria",
    "Izmir": "Turkey",
    "Kaunas": "Lithuania",
    "Kazan": "Russia",
    "Kumasi": "Ghana",
    "La Paz": "Bolivia",
    "Leipzig": "Germany",
    "Ljubljana": "Slovenia",
    "Malmö": "Sweden",
    "Medellin": "Colombia",
    "Montevideo": "Uruguay",
    "Nantes": "France",
    "New Orleans": "United States",
    "Odense": "Denmark",
    "Pittsburgh": "United States",
    "Porto": "Portugal",
    "Quito": "Ecuador",
    "Reykjavik": "Iceland",
    "San Antonio": "United States",
    "Sapporo": "Japan",
    "Seville": "Spain",
    "Split": "Croatia",
    "St. John's": "Canada",
    "Surat": "India",
    "Tampere": "Finland",
    "Tartu": "Estonia",
    "Turku": "Finland",
    "Valparaiso": "Chile",
    "Wellington": "New Zealand",
    "Winnipeg": "Canada",
}


class World(Struct, frozen=True):
    """The facts of one task."""

    rain: dict[str, float] = field(default_factory=dict[str, float])
    """Millimetres today, by city."""
    temperatures: dict[str, float] = field(default_factory=dict[str, float])
    """Degrees Celsius now, by city."""
    shelf: str = ""
    """The folder of documents below `SHELVES`; empty where the task has none."""
    down: tuple[str, ...] = ()
    """Services that answer with status 503: geocoding, forecast, exchange."""
    unreachable: bool = False
    """Whether no service can be reached at all."""

    @property
    def countries(self) -> dict[str, str]:
        """The countries of the cities."""
        return {city: COUNTRIES[city] for city in (*self.rain, *self.temperatures)}


def converted(amount: float, source: str, target: str) -> float:
    """What the tool must say: Frankfurter gives rates with five decimals, the tool rounds the sum."""
    rates = {"EUR": 1.0, **RATES}
    total = amount * round(rates[target] / rates[source], 5)
    return round(total, 2 if total >= 1 else 6)
