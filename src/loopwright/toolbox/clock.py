"""The clock tool: date and time in a time zone.

Owns which names of time zones are understood.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field

from loopwright.core.messages import Result
from loopwright.tools.declare import tool
from loopwright.tools.result import not_found, ok

_OFFSET = re.compile(r"(?:UTC|GMT)?\s*([+-−])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_ZONE = "IANA name such as Europe/Helsinki, a city with a time zone of its own such as Helsinki, UTC, or UTC+2"
_COMMON = "UTC, Europe/London, Europe/Helsinki, America/New_York, Asia/Tokyo"


@tool(effect="read", pollable=True, timeout=5)
async def get_time(timezone: Annotated[str, Field(min_length=1, max_length=60, description=_ZONE)]) -> Result:
    """Current date and time, as YYYY-MM-DD HH:MM and the zone."""
    found = zone(timezone)
    if found is None:
        near = nearest(timezone)
        hint = f"did you mean {' or '.join(near)}?" if near else f"give an IANA name, such as {_COMMON}"
        return not_found(f"there is no time zone {timezone!r}; {hint}")
    return ok(f"{datetime.now(found):%Y-%m-%d %H:%M %Z}")


def zone(name: str) -> tzinfo | None:
    """A time zone by its IANA name, by the last part of one, or by its offset from UTC; None for anything else."""
    wanted = name.strip()
    if wanted.upper() in ("UTC", "GMT", "Z"):
        return UTC
    offset = _OFFSET.fullmatch(wanted)
    if offset:
        return _fixed(*offset.groups())
    key = _by_name().get(_key(wanted))
    return ZoneInfo(key) if key else None


def nearest(name: str) -> list[str]:
    """IANA names that are spelled alike."""
    known = _by_name()
    return list(dict.fromkeys(known[key] for key in get_close_matches(_key(name), known, n=3, cutoff=0.7)))


def _fixed(sign: str, hours: str, minutes: str | None) -> tzinfo | None:
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > timedelta(hours=14):
        return None
    return timezone(offset if sign == "+" else -offset)


def _key(name: str) -> str:
    return "_".join(name.strip().casefold().replace("_", " ").split())


@cache
def _by_name() -> dict[str, str]:
    """IANA names by their whole lower-case form and by their last part, where only one place has it."""
    names = sorted(available_timezones())
    by_last: dict[str, set[str]] = {}
    for name in names:
        if "/" in name and not name.startswith(("Etc/", "SystemV/", "posix/", "right/")):
            by_last.setdefault(_key(name.rpartition("/")[2]), set()).add(name)
    cities = {key: min(found, key=_preference) for key, found in by_last.items()}
    return cities | {_key(name): name for name in names}


def _preference(name: str) -> tuple[int, str]:
    """Old names of the same place, such as US/Hawaii, come last."""
    return (name.count("/") != 1 or name.startswith(("US/", "Canada/", "Mexico/", "Brazil/", "Chile/")), name)
