"""Names of time zones."""

import re

import pytest
from msgspec import json

from loopwright.toolbox.clock import get_time, zone


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Europe/Helsinki", "Europe/Helsinki"),
        ("helsinki", "Europe/Helsinki"),
        ("New York", "America/New_York"),
        ("new_york", "America/New_York"),
        ("UTC", "UTC"),
        ("gmt", "UTC"),
        ("UTC+5:30", "UTC+05:30"),
        ("utc -3", "UTC-03:00"),
        ("+02:00", "UTC+02:00"),
        ("Indianapolis", "America/Indianapolis"),
        ("Asia/Tokyo", "Asia/Tokyo"),
    ],
)
def test_names_that_are_understood(name: str, key: str) -> None:
    assert str(zone(name)) == key


@pytest.mark.parametrize("name", ["Mars", "UTC+20", "Helsinky", "../etc/passwd", "", "+2:99"])
def test_names_that_are_not(name: str) -> None:
    assert zone(name) is None


async def test_the_time_is_plain_text() -> None:
    shown = json.decode((await get_time.run({"timezone": "UTC"})).data)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", shown)


async def test_a_misspelled_city_is_not_found_with_what_is_near() -> None:
    result = await get_time.run({"timezone": "Helsinky"})
    assert (result.status, result.error) == (
        "not_found",
        "NotFound: there is no time zone 'Helsinky'; did you mean Europe/Helsinki?",
    )
    assert "give an IANA name" in (await get_time.run({"timezone": "Mars"})).error
