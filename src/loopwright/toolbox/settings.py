"""Where the services of the toolbox are, and how long they are waited for.

Owns the addresses. They are read from the environment when a tool runs, so that a local server can stand in.
"""

import os

GEOCODING = "LOOPWRIGHT_GEOCODING_URL"
FORECAST = "LOOPWRIGHT_FORECAST_URL"
EXCHANGE = "LOOPWRIGHT_EXCHANGE_URL"
OFFLINE = "LOOPWRIGHT_OFFLINE"

DEFAULTS = {
    GEOCODING: "https://geocoding-api.open-meteo.com/v1/search",
    FORECAST: "https://api.open-meteo.com/v1/forecast",
    EXCHANGE: "https://api.frankfurter.dev/v1/latest",
}
"""The documented public endpoints (open-meteo.com/en/docs, frankfurter.dev); a setting replaces the full endpoint."""


def address(setting: str) -> str:
    """The full endpoint of a service."""
    return os.environ.get(setting, "").strip() or DEFAULTS[setting]


def offline() -> bool:
    """Whether only this machine may be reached: LOOPWRIGHT_OFFLINE is set to anything but 0, false, no or off."""
    return os.environ.get(OFFLINE, "").strip().lower() not in ("", "0", "false", "no", "off")
