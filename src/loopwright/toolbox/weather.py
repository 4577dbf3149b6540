"""The weather tool, over Open-Meteo.

Owns what is asked of the two services and how their answers read.
"""

from typing import Annotated, Any, Literal, cast

from msgspec import Struct
from pydantic import Field

from loopwright.core.messages import Result
from loopwright.toolbox.fetch import ServiceError, fetch_json
from loopwright.toolbox.settings import FORECAST, GEOCODING, address
from loopwright.tools.declare import tool
from loopwright.tools.result import not_found

_REGIONS = ("country", "country_code", "admin1", "admin2", "admin3")
_CITY = "name of the city, such as Athens; a country may follow, as in Athens, Greece"
SECONDS = 8.0
"""Each of the two services is waited for this long."""


class Weather(Struct, frozen=True):
    """Weather of a place, now and today."""

    city: str
    temperature: float
    """Now, in `unit`."""
    precipitation_mm: float
    """Rain and melted snow of the whole day, local time: measured so far and forecast for the rest."""
    unit: str
    country: str = ""
    time: str = ""
    """Local time of the temperature, ISO 8601."""


@tool(effect="read", timeout=20)
async def get_current_weather(
    city: Annotated[str, Field(min_length=1, max_length=100, description=_CITY)],
    unit: Annotated[Literal["celsius", "fahrenheit"], Field(description="unit of the temperature")] = "celsius",
) -> Weather | Result:
    """Weather in a city: temperature now, and today's precipitation in mm (more than 0 means that it rains today)."""
    places = await _places(city.partition(",")[0].strip())
    place = _chosen(places, city.partition(",")[2])
    if place is None:
        others = [_name(other) for other in places[:5]]
        hint = f"; there is {' and '.join(others)}" if others else "; check the spelling"
        return not_found(f"there is no city named {city!r}{hint}")
    query = {
        "latitude": str(place["latitude"]),
        "longitude": str(place["longitude"]),
        "current": "temperature_2m",
        "daily": "precipitation_sum",
        "temperature_unit": unit,
        "timezone": "auto",
        "forecast_days": "1",
    }
    forecast = await fetch_json(address(FORECAST), query, seconds=SECONDS)
    return _weather(place, forecast, unit)


async def _places(name: str) -> list[dict[str, Any]]:
    """The best matches of a name, as Open-Meteo's geocoding describes them: name, latitude, longitude, country."""
    query = {"name": name, "count": "10", "language": "en", "format": "json"}
    answer = await fetch_json(address(GEOCODING), query, seconds=SECONDS)
    try:
        found = cast("list[dict[str, Any]]", answer.get("results") or [])
        return [
            {**place, "latitude": float(place["latitude"]), "longitude": float(place["longitude"])} for place in found
        ]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ServiceError("the geocoding service answered in an unknown format", 200) from None


def _chosen(places: list[dict[str, Any]], region: str) -> dict[str, Any] | None:
    """The best match, in the country or region that was named with the city, if one was."""
    wanted = {part.strip().casefold() for part in region.split(",") if part.strip()}
    for place in places:
        names = {str(place.get(key) or "").casefold() for key in _REGIONS}
        if wanted <= names:
            return place
    return None


def _name(place: dict[str, Any]) -> str:
    return ", ".join(str(place[key]) for key in ("name", "admin1", "country") if place.get(key))


def _weather(place: dict[str, Any], forecast: Any, unit: str) -> Weather:
    try:
        return Weather(
            city=str(place["name"]),
            temperature=float(forecast["current"]["temperature_2m"]),
            precipitation_mm=float(forecast["daily"]["precipitation_sum"][0]),
            unit=unit,
            country=str(place.get("country") or ""),
            time=str(forecast["current"].get("time") or ""),
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise ServiceError("the forecast service answered without a temperature or a precipitation", 200) from None
