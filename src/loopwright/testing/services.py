"""Local stand-ins for the services of the toolbox, on loopback, in their documented formats.

Owns Open-Meteo geocoding and forecast (open-meteo.com/en/docs), Frankfurter v1 (frankfurter.dev/v1) and the MediaWiki
API (mediawiki.org/wiki/API:Query), as far as the toolbox asks for them. What they say is fixed by the test that starts
them.
"""

import unicodedata
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from difflib import get_close_matches
from typing import Any

from aiohttp import web

from loopwright.toolbox.settings import EXCHANGE, FORECAST, GEOCODING, WIKIPEDIA

RATES = {"USD": 1.085, "GBP": 0.855, "JPY": 163.2, "CHF": 0.945, "SEK": 11.42}
"""Units of each currency for one euro, where a test gives none."""
DAY = "2026-11-30"
PATHS = {"geocoding": "/v1/search", "forecast": "/v1/forecast", "exchange": "/v1/latest", "wikipedia": "/w/api.php"}


class Services:
    """Running stand-ins. `calls` and `down` may be read and changed while they run."""

    def __init__(
        self,
        rain: Mapping[str, float],
        temperatures: Mapping[str, float],
        rates: Mapping[str, float],
        countries: Mapping[str, str] | None = None,
    ) -> None:
        self._rain = dict(rain)
        self._temperatures = dict(temperatures)
        self._cities = list(dict.fromkeys([*rain, *temperatures]))
        self._countries = dict(countries or {})
        self._rates = {"EUR": 1.0, **rates}
        self.articles: dict[str, str] = {}
        """Pages of Wikipedia: the text of each by its title."""
        self.redirects: dict[str, str] = {}
        """Other names of these pages."""
        self.ambiguous: set[str] = set()
        """Titles of those that only tell the meanings of a word."""
        self.agents: list[str] = []
        """Who asked, for each request."""
        self.environ: dict[str, str] = {}
        """The settings that lead to the stand-ins."""
        self.calls: list[tuple[str, dict[str, str]]] = []
        """Each request: service (geocoding, forecast, exchange or wikipedia) and its query."""
        self.down: set[str] = set()
        """Services that answer with status 503."""

    def application(self) -> web.Application:
        """The web application; `services` runs it."""
        application = web.Application()
        for service, answer in (
            ("geocoding", self._geocoding),
            ("forecast", self._forecast),
            ("exchange", self._exchange),
            ("wikipedia", self._wikipedia),
        ):
            application.router.add_get(PATHS[service], self._recorded(service, answer))
        return application

    def _recorded(self, service: str, answer: Any) -> Any:
        async def handle(request: web.Request) -> web.Response:
            query = dict(request.query)
            self.calls.append((service, query))
            self.agents.append(request.headers.get("User-Agent", ""))
            if service in self.down:
                return web.json_response({"error": True, "reason": "Service unavailable"}, status=503)
            body, status = answer(query)
            return web.json_response(body, status=status)

        return handle

    def _geocoding(self, query: Mapping[str, str]) -> tuple[dict[str, Any], int]:
        if "name" not in query:
            return {"error": True, "reason": "Parameter 'name' and 'count' must be set"}, 400
        wanted = _plain(query["name"])
        found = [
            {
                "id": 1000 + place,
                "name": city,
                "latitude": float(place),
                "longitude": float(place),
                "elevation": 70.0,
                "feature_code": "PPLC",
                "country_code": "XX",
                "timezone": "UTC",
                "country": self._countries.get(city, "Testland"),
                "admin1": "Testshire",
            }
            for place, city in enumerate(self._cities)
            if _plain(city) == wanted
        ]
        return ({"results": found} if found else {}) | {"generationtime_ms": 0.5}, 200

    def _forecast(self, query: Mapping[str, str]) -> tuple[dict[str, Any], int]:
        try:
            city = self._cities[int(float(query["latitude"]))]
        except (KeyError, ValueError, IndexError):
            return {"error": True, "reason": "Parameter 'latitude' and 'longitude' must have the same number"}, 400
        celsius = self._temperatures.get(city, 17.4)
        fahrenheit = query.get("temperature_unit") == "fahrenheit"
        return {
            "latitude": float(query["latitude"]),
            "longitude": float(query.get("longitude", "0")),
            "generationtime_ms": 0.1,
            "utc_offset_seconds": 0,
            "timezone": "GMT",
            "timezone_abbreviation": "GMT",
            "elevation": 70.0,
            "current_units": {"time": "iso8601", "interval": "seconds", "temperature_2m": "°F" if fahrenheit else "°C"},
            "current": {
                "time": f"{DAY}T12:00",
                "interval": 900,
                "temperature_2m": round(celsius * 9 / 5 + 32, 1) if fahrenheit else celsius,
            },
            "daily_units": {"time": "iso8601", "precipitation_sum": "mm"},
            "daily": {"time": [DAY], "precipitation_sum": [self._rain.get(city, 0.0)]},
        }, 200

    def _exchange(self, query: Mapping[str, str]) -> tuple[dict[str, Any], int]:
        base = query.get("base", "EUR")
        symbols = [one for one in query.get("symbols", "").split(",") if one] or [
            code for code in self._rates if code != base
        ]
        if base not in self._rates or not any(code in self._rates for code in symbols):
            return {"message": "not found"}, 404
        rates = {code: round(self._rates[code] / self._rates[base], 5) for code in symbols if code in self._rates}
        return {"amount": 1.0, "base": base, "date": DAY, "rates": rates}, 200

    def _wikipedia(self, query: Mapping[str, str]) -> tuple[dict[str, Any], int]:
        if query.get("action") != "query" or query.get("format") != "json" or query.get("formatversion") != "2":
            return {"error": {"code": "badvalue", "info": "Unrecognized value for parameter.", "docref": ""}}, 200
        if query.get("list") == "search":
            return self._hits(query)
        return {"batchcomplete": True, "query": self._named(query["titles"])}, 200

    def _named(self, asked: str) -> dict[str, Any]:
        title = asked.replace("_", " ")
        title = title[:1].upper() + title[1:]
        normalized = [{"fromencoded": False, "from": asked, "to": title}] if title != asked else []
        found = self.redirects.get(title, title)
        redirects = [{"from": title, "to": found}] if found != title else []
        page: dict[str, Any] = {"ns": 0, "title": found}
        if found not in self.articles:
            page["missing"] = True
        else:
            address = f"https://en.wikipedia.org/wiki/{found.replace(' ', '_')}"
            page |= {
                "pageid": 1 + list(self.articles).index(found),
                "extract": self.articles[found],
                "fullurl": address,
            }
            page |= {"pageprops": {"disambiguation": ""}} if found in self.ambiguous else {}
        lists = {"normalized": normalized, "redirects": redirects}
        return {**{name: entries for name, entries in lists.items() if entries}, "pages": [page]}

    def _hits(self, query: Mapping[str, str]) -> tuple[dict[str, Any], int]:
        words = query["srsearch"].casefold().split()
        count = {title: sum(map(f"{title} {text}".casefold().count, words)) for title, text in self.articles.items()}
        titles = sorted((title for title in count if count[title]), key=lambda title: -count[title])
        near = get_close_matches(query["srsearch"], self.articles, n=1)
        about = {"suggestion": near[0].lower(), "suggestionsnippet": near[0].lower()} if near and not titles else {}
        hits = [{"ns": 0, "title": title, "pageid": 1} for title in titles[: int(query["srlimit"])]]
        return {"batchcomplete": True, "query": {"searchinfo": about, "search": hits}}, 200


def _plain(name: str) -> str:
    """A name as the service compares it: Malmo is Malmö."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@asynccontextmanager
async def services(
    rain: Mapping[str, float] | None = None,
    rates: Mapping[str, float] | None = None,
    temperatures: Mapping[str, float] | None = None,
    articles: Mapping[str, str] | None = None,
    countries: Mapping[str, str] | None = None,
) -> AsyncGenerator[Services]:
    """Run the stand-ins on a free port of 127.0.0.1.

    ``async with services(rain={"Athens": 3.2}) as running:`` and then `running.environ` for the environment.

    Args:
        rain: millimetres of precipitation today by city; a city that stands nowhere cannot be found
        rates: units of each currency for one euro; otherwise `RATES`
        temperatures: degrees Celsius now by city; 17.4 for a city that is only in `rain`
        articles: pages of Wikipedia, the text of each by its title
        countries: the country of a city; Testland for the others
    """
    rain, rates = {"Athens": 3.2} if rain is None else rain, RATES if rates is None else rates
    running = Services(rain, temperatures or {}, rates, countries)
    running.articles = dict(articles or {})
    runner = web.AppRunner(running.application(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port: int = runner.addresses[0][1]
        address = f"http://127.0.0.1:{port}"
        running.environ = {
            GEOCODING: address + PATHS["geocoding"],
            FORECAST: address + PATHS["forecast"],
            EXCHANGE: address + PATHS["exchange"],
            WIKIPEDIA: address + PATHS["wikipedia"],
        }
        yield running
    finally:
        await runner.cleanup()
