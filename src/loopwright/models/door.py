"""The one door to a socket for models: every connection of a transport is made by a session from here.

Owns the switch that forbids the network (``LOOPWRIGHT_OFFLINE=1``) and the choice of a proxy. The switch is checked
twice, for the host that is asked for and for the address that a socket is made for. No provider, no retries, no text
of a reply. Importing this module loads no HTTP library.
"""

import base64
import ipaddress
import os
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from msgspec import Struct

from loopwright.core.errors import ModelError, UsageError

if TYPE_CHECKING:
    import aiohttp

SWITCH = "LOOPWRIGHT_OFFLINE"
_OFF = ("", "0", "false", "no", "off")


class Proxy(Struct, frozen=True):
    """A proxy between us and a provider."""

    url: str
    """Without credentials."""
    headers: dict[str, str] | None
    """Credentials, where the proxy wants them. Not to be shown."""


class Forbidden(PermissionError):
    """A socket was wanted for an address that the switch forbids."""


def offline() -> bool:
    """Whether the switch allows nothing but this machine."""
    return os.environ.get(SWITCH, "").strip().lower() not in _OFF


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def check(url: str) -> None:
    """Refuse an address that the switch forbids.

    Raises:
        ModelError: the network is off and the host is not this machine
    """
    host = urlsplit(url).hostname or ""
    if offline() and not is_loopback(host):
        raise ModelError(
            "network",
            f"{SWITCH} is set, so nothing is sent to {host}; unset it, or use a model on this machine",
        )


def open_session(*, connect_seconds: float, read_seconds: float, traces: "list[aiohttp.TraceConfig]") -> Any:
    """A client session whose sockets the switch is asked for. Must be called inside a running event loop.

    Returns:
        an ``aiohttp.ClientSession`` without a limit on connections: how many runs there are is decided elsewhere
    """
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30, socket_factory=_socket),
        timeout=aiohttp.ClientTimeout(connect=connect_seconds, sock_read=read_seconds),
        cookie_jar=aiohttp.DummyCookieJar(),
        trace_configs=traces,
        auto_decompress=True,
    )


def proxy_for(url: str) -> Proxy | None:
    """The proxy that the environment names for an address; none for this machine.

    Raises:
        UsageError: the proxy is of a kind that cannot be used
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies_environment()
    address = proxies.get(parts.scheme) or proxies.get("all")
    return _proxy(address) if address else None


def _proxy(address: str) -> Proxy:
    parts = urlsplit(address if "://" in address else "http://" + address)
    if parts.scheme not in ("http", "https"):
        raise UsageError(
            f"the proxy in the environment is of kind {parts.scheme}; only http and https proxies can be used. "
            "Set HTTPS_PROXY to one of those, or name the model's host in NO_PROXY"
        )
    url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    if parts.username is None:
        return Proxy(url, None)
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return Proxy(url, {"Proxy-Authorization": "Basic " + base64.b64encode(credentials).decode()})


def _socket(address: tuple[int, int, int, str, tuple[Any, ...]]) -> socket.socket:
    family, kind, protocol, _, place = address
    if offline() and not is_loopback(str(place[0])):
        raise Forbidden(f"{SWITCH} is set, so no socket is made for {place[0]}")
    return socket.socket(family=family, type=kind, proto=protocol)
