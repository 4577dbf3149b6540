"""Single calls of the toolbox with their results, as the real tools would give them.

Owns what is called and what comes back; how it is asked for is `toolbox_tasks`'s. Specs, calculator, time zones and the
shapes of results are the real ones.
"""

import random
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct

from loopwright.core.messages import Result, ToolSpec
from loopwright.toolbox.arithmetic import calculate, calculator, shown
from loopwright.toolbox.clock import get_time, zone
from loopwright.toolbox.currency import Conversion, convert_currency
from loopwright.toolbox.folder import Reader
from loopwright.toolbox.weather import Weather, get_current_weather
from loopwright.tools.result import ok
from training.trajectories import Step
from training.words import CITIES, COUNTRIES, UNITS_FOR_EURO, pick

WEATHER, CURRENCY, CALCULATOR, CLOCK = get_current_weather.spec, convert_currency.spec, calculator.spec, get_time.spec
SEARCH, LOOKUP = Reader.search.spec, Reader.lookup.spec
FOUR = (WEATHER, CURRENCY, CALCULATOR, CLOCK)


class Weathered(Struct, frozen=True):
    """A weather call and what it said."""

    step: Step
    city: str
    temperature: float
    rain: float
    unit: str

    @property
    def degrees(self) -> str:
        """The temperature with its unit, as an answer says it."""
        return f"{self.temperature} °{'F' if self.unit == 'fahrenheit' else 'C'}"


class Converted(Struct, frozen=True):
    """A conversion and what it said."""

    step: Step
    amount: float
    source: str
    target: str
    converted: float
    day: str
    old: bool

    @property
    def sentence(self) -> str:
        """The fact, with the day of the rate where that is old."""
        tail = f" (rate of {self.day})" if self.old else ""
        return f"{self.amount} {self.source} is {self.converted} {self.target}{tail}"


class Timed(Struct, frozen=True):
    """A look at the clock."""

    step: Step
    time: str
    """HH:MM"""
    day: str
    zone: str


def weather(
    chance: random.Random,
    city: str,
    thought: str,
    *,
    rain: float | None = None,
    temperature: float | None = None,
    unit: str = "",
) -> Weathered:
    """Look at the weather of a city, with this much rain or any."""
    if rain is None:
        rain = 0.0 if chance.random() < 0.5 else precipitation(chance)
    shown_unit = unit or "celsius"
    if temperature is None:
        temperature = degrees(chance, shown_unit)
    found = Weather(
        city=city,
        temperature=temperature,
        precipitation_mm=rain,
        unit=shown_unit,
        country=COUNTRIES.get(city) or pick(chance, ("Testland", "Somewhere", "")),
        time=f"{moment(chance):%Y-%m-%dT%H:00}",
    )
    arguments = {"city": city} | ({"unit": unit} if unit else {})
    return Weathered(Step(thought, WEATHER.name, arguments, ok(found)), city, temperature, rain, shown_unit)


def precipitation(chance: random.Random) -> float:
    """Some rain, in mm."""
    return pick(chance, (0.1, 0.2, 0.3, 0.5)) if chance.random() < 0.2 else round(chance.uniform(0.2, 30), 1)


def degrees(chance: random.Random, unit: str = "celsius") -> float:
    """A temperature."""
    celsius = chance.gauss(14, 11)
    return round(celsius * 9 / 5 + 32 if unit == "fahrenheit" else celsius, 1)


def convert(chance: random.Random, amount: float, source: str, target: str, thought: str) -> Converted:
    """Convert an amount at a rate near the real one, sometimes at an old one."""
    rate = UNITS_FOR_EURO[target] / UNITS_FOR_EURO[source] * chance.uniform(0.8, 1.25)
    rate = float(f"{rate:.{pick(chance, (4, 5, 5, 8))}g}")
    converted = amount * rate
    day = (moment(chance)).date()
    found = Conversion(
        amount=int(amount) if float(amount).is_integer() else amount,
        from_currency=source,
        to_currency=target,
        converted_amount=round(converted, 2 if converted >= 1 else 6),
        rate=rate,
        date=day.isoformat(),
    )
    old = chance.random() < 0.15
    arguments = {"amount": found.amount, "from_currency": source, "to_currency": target}
    step = Step(thought, CURRENCY.name, arguments, ok(found, _offline(chance, day) if old else ""))
    return Converted(step, found.amount, source, target, found.converted_amount, found.date, old)


def _offline(chance: random.Random, day: date) -> str:
    why = pick(
        chance,
        (
            "NetworkError: api.frankfurter.dev cannot be reached (Temporary failure in name resolution)",
            "api.frankfurter.dev cannot be reached (Name or service not known)",
            "api.frankfurter.dev did not answer within 3 s",
            "api.frankfurter.dev answered with status 503: Service unavailable",
            '127.0.0.1 answered with status 503: {"error": true, "reason": "Service unavailable"}',
            "api.frankfurter.dev is not reached, because LOOPWRIGHT_OFFLINE is set",
        ),
    )
    age = chance.randrange(1, 400)
    return f"offline: the rate is of {day}, {age} days ago, from the carried reference rates; {why}"


def calculation(expression: str, thought: str) -> tuple[Step, str]:
    """Calculate, exactly; the step and its result."""
    result = shown(calculate(expression))
    return Step(thought, CALCULATOR.name, {"expression": expression}, ok(result)), result


def zone_name(city: str) -> str:
    """What the clock is asked for: the city where it has a zone of its own, else the IANA name."""
    name = CITIES[city]
    return city if name.rpartition("/")[2].replace("_", " ") == city else name


def clock(chance: random.Random, name: str, thought: str, at: datetime | None = None) -> Timed:
    """Look at the clock of a zone."""
    found = zone(name)
    if found is None:
        raise ValueError(f"{name} is no time zone")
    there = (at or moment(chance)).replace(tzinfo=zone("UTC")).astimezone(found)
    step = Step(thought, CLOCK.name, {"timezone": name}, ok(f"{there:%Y-%m-%d %H:%M %Z}"))
    return Timed(step, f"{there:%H:%M}", f"{there:%Y-%m-%d}", f"{there:%Z}")


def moment(chance: random.Random) -> datetime:
    """A time within some years."""
    return datetime(2024, 1, 1) + timedelta(minutes=chance.randrange(0, 5 * 365 * 24 * 60))  # noqa: DTZ001 - any zone


def failed(thought: str, tool: ToolSpec, arguments: Mapping[str, Any], result: Result) -> Step:
    """A call that brought nothing."""
    return Step(thought, tool.name, dict(arguments), result)
