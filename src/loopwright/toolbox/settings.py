"""Where the services of the toolbox are, and how long they are waited for.

Owns the addresses. They are read from the environment when a tool runs, so that a local server can stand in.
"""

import os
import re

from loopwright.core.errors import UsageError

GEOCODING = "LOOPWRIGHT_GEOCODING_URL"
FORECAST = "LOOPWRIGHT_FORECAST_URL"
EXCHANGE = "LOOPWRIGHT_EXCHANGE_URL"
WIKIPEDIA = "LOOPWRIGHT_WIKIPEDIA_URL"
WIKIPEDIA_LANGUAGE = "LOOPWRIGHT_WIKIPEDIA_LANGUAGE"
USER_AGENT = "LOOPWRIGHT_USER_AGENT"
OFFLINE = "LOOPWRIGHT_OFFLINE"

DEFAULTS = {
    GEOCODING: "https://geocoding-api.open-meteo.com/v1/search",
    FORECAST: "https://api.open-meteo.com/v1/forecast",
    EXCHANGE: "https://api.frankfurter.dev/v1/latest",
}
"""The documented public endpoints (open-meteo.com/en/docs, frankfurter.dev); a setting replaces the full endpoint."""


AGENT = "loopwright (a library for agents that read with tools)"
"""Who asks, for services that want to know; whoever asks much gives an address of their own, as Wikimedia wants it
(https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy)."""

_LANGUAGE = re.compile("[a-z]{2,12}(?:-[a-z]{1,12}){0,3}")


def address(setting: str) -> str:
    """The full endpoint of a service."""
    return os.environ.get(setting, "").strip() or DEFAULTS[setting]


def offline() -> bool:
    """Whether only this machine may be reached: LOOPWRIGHT_OFFLINE is set to anything but 0, false, no or off."""
    return os.environ.get(OFFLINE, "").strip().lower() not in ("", "0", "false", "no", "off")


def user_agent() -> str:
    """The name that services are told."""
    given = " ".join(os.environ.get(USER_AGENT, "").split())
    return given if given.isascii() and given else AGENT


def wikipedia_address(language: str = "") -> str:
    """The full endpoint of a Wikipedia's API.

    Args:
        language: the code in its address, such as ``de``; otherwise the setting, or ``en``

    Raises:
        UsageError: there is no such code
    """
    if given := os.environ.get(WIKIPEDIA, "").strip():
        return given
    code = language or os.environ.get(WIKIPEDIA_LANGUAGE, "").strip() or "en"
    if not _LANGUAGE.fullmatch(code):
        raise UsageError(f"{code!r} is no code of a Wikipedia; use one like en, de or zh-yue")
    return f"https://{code}.wikipedia.org/w/api.php"
