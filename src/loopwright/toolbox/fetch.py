"""One door to the network for the toolbox.

Owns the request, its time limit and the words of what went wrong. Which service is asked what is the tool's part.
"""

import asyncio
import ipaddress
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from loopwright.toolbox.settings import offline

LARGEST = 1_000_000
"""Bytes of an answer that are read."""


class NetworkError(Exception):
    """The service cannot be reached, or is not reached in time."""


class ServiceError(Exception):
    """The service answered with something else than what was asked for."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status; 200 where only the content was wrong."""


async def fetch_json(
    url: str, query: Mapping[str, str], *, seconds: float, headers: Mapping[str, str] | None = None
) -> Any:
    """GET `url` with `query` and decode its JSON, within `seconds`; `headers` go beside the usual ones.

    Raises:
        NetworkError: no connection, or no whole answer in time
        ServiceError: another status than 200, an answer that is too large or not JSON
    """
    host = _allowed(url)
    here = is_this_machine(host)
    import aiohttp

    timeout, sent = aiohttp.ClientTimeout(total=seconds), {"Accept": "application/json", **(headers or {})}
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=not here) as session,
            session.get(url, params=dict(query), headers=sent, allow_redirects=not here) as response,
        ):
            body = await _body(response.content)
            status = response.status
    except TimeoutError:
        raise NetworkError(f"{host} did not answer within {seconds:g} s") from None
    except (aiohttp.ClientError, OSError, ValueError) as raised:
        raise NetworkError(f"{host} cannot be reached ({_reason(raised)})") from None
    if status != 200:
        raise ServiceError(f"{host} answered with status {status}: {body[:200].decode('utf-8', 'replace')}", status)
    if len(body) > LARGEST:
        raise ServiceError(f"{host} answered with more than {LARGEST} bytes", status)
    try:
        return json.loads(body)
    except ValueError:
        raise ServiceError(f"{host} answered with something that is not JSON", status) from None


async def _body(content: Any) -> bytes:
    parts: list[bytes] = []
    length = 0
    async for part in content.iter_any():
        parts.append(part)
        length += len(part)
        if length > LARGEST:
            break
    return b"".join(parts)


def _allowed(url: str) -> str:
    """The host of an address that may be reached."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NetworkError(f"{url!r} is no address; it must begin with http:// or https://")
    if offline() and not is_this_machine(parts.hostname):
        raise NetworkError(f"{parts.hostname} is not reached, because LOOPWRIGHT_OFFLINE is set")
    return parts.hostname


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine by its name or address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _reason(raised: BaseException) -> str:
    if isinstance(raised, asyncio.IncompleteReadError):
        return "the connection broke"
    cause = getattr(raised, "os_error", None)  # aiohttp's own text repeats the host
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(raised) or type(raised).__name__
