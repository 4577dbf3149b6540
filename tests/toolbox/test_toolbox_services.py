"""Weather and currency against stand-ins, and without any network."""

import asyncio
import socket
from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from msgspec import json

from loopwright.core.messages import Result
from loopwright.testing.services import Services, services
from loopwright.toolbox import currency
from loopwright.toolbox.currency import carried_rates, convert_currency
from loopwright.toolbox.fetch import NetworkError, ServiceError, fetch_json
from loopwright.toolbox.settings import EXCHANGE, FORECAST, GEOCODING, address
from loopwright.toolbox.weather import get_current_weather


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPWRIGHT_OFFLINE", "1")
    for setting in (GEOCODING, FORECAST, EXCHANGE):
        monkeypatch.delenv(setting, raising=False)


def use(running: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in running.environ.items():
        monkeypatch.setenv(name, value)


def shown(result: Result) -> dict[str, Any]:
    assert result.status == "ok", result.error
    return json.decode(result.data)


async def test_weather_has_temperature_and_todays_precipitation(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services(rain={"Athens": 3.2}) as running:
        use(running, monkeypatch)
        weather = shown(await get_current_weather.run({"city": " athens "}))
    assert list(weather)[:4] == ["city", "temperature", "precipitation_mm", "unit"]
    assert weather == {
        "city": "Athens",
        "temperature": 17.4,
        "precipitation_mm": 3.2,
        "unit": "celsius",
        "country": "Testland",
        "time": "2026-11-30T12:00",
    }
    assert [service for service, _ in running.calls] == ["geocoding", "forecast"]
    assert running.calls[1][1]["daily"] == "precipitation_sum"


async def test_weather_in_fahrenheit(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services(temperatures={"Oslo": -5.0}) as running:
        use(running, monkeypatch)
        weather = shown(await get_current_weather.run({"city": "Oslo", "unit": "fahrenheit"}))
    assert (weather["temperature"], weather["unit"]) == (23.0, "fahrenheit")


async def test_an_unknown_city_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services() as running:
        use(running, monkeypatch)
        result = await get_current_weather.run({"city": "Atlantis"})
    assert (result.status, result.error) == (
        "not_found",
        "NotFound: there is no city named 'Atlantis'; check the spelling",
    )


async def test_a_country_after_the_city_must_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services() as running:
        use(running, monkeypatch)
        assert shown(await get_current_weather.run({"city": "Athens, Testland"}))["city"] == "Athens"
        other = await get_current_weather.run({"city": "Athens, Georgia"})
    assert other.status == "not_found"
    assert "there is Athens, Testshire, Testland" in other.error


async def test_a_service_that_is_down_is_an_error_and_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services() as running:
        use(running, monkeypatch)
        running.down.add("forecast")
        result = await get_current_weather.run({"city": "Athens"})
    assert result.status == "error"
    assert result.error.startswith("ServiceError: 127.0.0.1 answered with status 503")


async def test_a_dead_network_is_an_error() -> None:
    result = await get_current_weather.run({"city": "Athens"})
    assert result.status == "error"
    assert result.error.startswith("NetworkError: geocoding-api.open-meteo.com is not reached")


async def test_a_closed_port_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv(GEOCODING, f"http://127.0.0.1:{free.getsockname()[1]}/v1/search")
        result = await get_current_weather.run({"city": "Athens"})
    assert result.error.startswith("NetworkError: 127.0.0.1 cannot be reached")


async def test_currency_by_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services(rates={"USD": 1.085, "GBP": 0.855}) as running:
        use(running, monkeypatch)
        result = await convert_currency.run({"amount": 100, "from_currency": "eur", "to_currency": "USD"})
        cross = shown(await convert_currency.run({"amount": 10, "from_currency": "GBP", "to_currency": "USD"}))
    assert shown(result) == {
        "amount": 100,
        "from_currency": "EUR",
        "to_currency": "USD",
        "converted_amount": 108.5,
        "rate": 1.085,
        "date": "2026-11-30",
    }
    assert list(shown(result)) == ["amount", "from_currency", "to_currency", "converted_amount", "rate", "date"]
    assert result.note == ""
    assert cross["converted_amount"] == 12.69


async def test_currency_offline_says_so_and_how_old_the_rate_is() -> None:
    result = await convert_currency.run({"amount": 100, "from_currency": "EUR", "to_currency": "USD"})
    conversion = shown(result)
    carried = carried_rates()
    assert conversion["rate"] == carried.rates["USD"]
    assert conversion["date"] == carried.date.isoformat()
    assert result.note.startswith(f"offline: the rate is of {carried.date}, ")
    assert "days ago" in result.note


async def test_carried_rates_cross_and_reverse() -> None:
    there = shown(await convert_currency.run({"amount": 1000, "from_currency": "USD", "to_currency": "GBP"}))
    back = shown(await convert_currency.run({"amount": 1000, "from_currency": "GBP", "to_currency": "USD"}))
    assert there["rate"] * back["rate"] == pytest.approx(1, rel=1e-6)
    assert date.fromisoformat(there["date"]).year >= 2026


async def test_a_service_that_is_down_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services() as running:
        use(running, monkeypatch)
        running.down.add("exchange")
        result = await convert_currency.run({"amount": 1, "from_currency": "EUR", "to_currency": "USD"})
    assert shown(result)["rate"] == carried_rates().rates["USD"]
    assert "status 503" in result.note


async def test_a_service_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    release = asyncio.Event()

    async def hang(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    monkeypatch.setenv(EXCHANGE, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/latest")
    monkeypatch.setattr(currency, "SECONDS", 0.05)
    result = await convert_currency.run({"amount": 1, "from_currency": "EUR", "to_currency": "USD"})
    release.set()
    server.close()
    assert shown(result)["rate"] == carried_rates().rates["USD"]
    assert "did not answer within 0.05 s" in result.note


async def test_an_unknown_currency_is_not_found_with_those_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for online in (False, True):
        async with services() as running:
            if online:
                use(running, monkeypatch)
            result = await convert_currency.run({"amount": 1, "from_currency": "XXX", "to_currency": "USD"})
        assert result.status == "not_found"
        assert result.error.startswith("NotFound: no rate for XXX; known are AUD")


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"amount": -1}, "amount: got -1, but it should be greater than or equal to 0"),
        ({"amount": float("nan")}, "amount: got NaN"),
        ({"amount": "a hundred"}, "amount: got 'a hundred', expected a number"),
        ({"amount": 1, "to_currency": "dollars"}, "'DOLLARS' is no currency code; give three letters"),
    ],
)
async def test_amounts_and_codes_are_checked(sent: dict[str, Any], told: str) -> None:
    result = await convert_currency.run({"from_currency": "EUR", "to_currency": "USD", **sent})
    assert result.status == "error"
    assert told in result.error


async def test_the_same_currency_is_itself() -> None:
    conversion = shown(await convert_currency.run({"amount": 2.5, "from_currency": "SEK", "to_currency": "sek"}))
    assert (conversion["converted_amount"], conversion["rate"]) == (2.5, 1.0)


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1/x", "https://example.com/", "http://[2001:db8::1]/", "ftp://a/b", ""]
)
async def test_nothing_but_this_machine_is_reached_while_offline(url: str) -> None:
    with pytest.raises(NetworkError):
        await fetch_json(url, {}, seconds=1)


async def test_what_is_not_json_is_the_services_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    async with services() as running:
        use(running, monkeypatch)
        with pytest.raises(ServiceError, match="status 404"):
            await fetch_json(address(EXCHANGE).replace("latest", "nowhere"), {}, seconds=5)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"<html>", "something that is not JSON"),
        (b"[1]", "in an unknown format"),
        (b'{"results": [{"name": "X"}]}', "in an unknown format"),
        (b" " * 1_000_001, "more than 1000000 bytes"),
    ],
)
async def test_an_odd_answer_is_the_services_fault(monkeypatch: pytest.MonkeyPatch, body: bytes, told: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
        with suppress(ConnectionError):
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address_here = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    monkeypatch.setenv(GEOCODING, address_here)
    monkeypatch.setenv(EXCHANGE, address_here)
    weather = await get_current_weather.run({"city": "X"})
    converted = await convert_currency.run({"amount": 1, "from_currency": "EUR", "to_currency": "USD"})
    server.close()
    assert weather.error.startswith("ServiceError: ")
    assert told in weather.error
    assert converted.note.startswith("offline: ")
