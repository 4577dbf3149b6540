"""Who may be reached when a model names the address: nobody but public hosts, at exactly the address that was checked.

Owns which addresses are public, what an URL may look like, and the connection. A name is resolved once; every address
that it has is checked; the socket is made for one of these and no other, so a name that changes its address between two
look-ups leads nowhere else. What a page says is not read here.

Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890), RFC 6598 (shared addresses of
carriers), RFC 6052 (IPv4 addresses inside of IPv6 ones).
"""

import asyncio
import os
import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from loopwright.toolbox.settings import offline

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL

ALLOWED = "LOOPWRIGHT_FETCH_ALLOW"
"""Hosts that may be reached though they are not public, ``host`` or ``host:port`` with commas between. Read from the
environment alone: neither a model nor a file of a folder can set it."""
PORTS = {"http": 80, "https": 443}
LONGEST = 2_000
"""Characters of an URL."""

_SPECIAL_4 = tuple(
    ip_network(block)
    for block in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
        "168.63.129.16/32",
    )
)
"""The registry, and the one address of its own range at which a cloud (Azure) answers its machines about themselves."""
_GLOBAL_6 = ip_network("2000::/3")
_SPECIAL_6 = tuple(
    ip_network(block) for block in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)
_HOLDS_IPV4 = (ip_network("::ffff:0:0/96"), ip_network("64:ff9b::/96"))
"""IPv6 addresses whose last four bytes are the IPv4 address that is reached."""


_NAMED = re.compile("[^/?#]*//[^/?#]*@")
"""An URL with something before the host; even nothing but the sign."""


class Refused(Exception):
    """The address may not be reached; the text says why. The model's fault, or that of a page that leads there."""


class Place(Struct, frozen=True):
    """Where to connect: a host, its port, and the addresses that were checked."""

    host: str
    port: int
    addresses: tuple[str, ...]


def special(address: str) -> str:
    """Why an address is not public, in words; empty where it is."""
    if "%" in address:
        return "an address of this network"
    try:
        found = ip_address(address)
    except ValueError:
        return "no address"
    if isinstance(found, IPv6Address) and any(found in block for block in _HOLDS_IPV4):
        found = IPv4Address(int(found) & 0xFFFFFFFF)
    if isinstance(found, IPv4Address):
        inside = any(found in block for block in _SPECIAL_4)
    else:
        inside = found not in _GLOBAL_6 or any(found in block for block in _SPECIAL_6)
    return "a private or reserved address" if inside else ""


def checked_url(text: str) -> "URL":
    """An URL that may be looked at, without its fragment.

    Raises:
        Refused: it is none, or holds what it must not
    """
    from yarl import URL

    if len(text) > LONGEST:
        raise Refused(f"the URL is longer than {LONGEST} characters")
    if "\\" in text or any(character <= " " or character == "\x7f" for character in text):
        raise Refused("the URL holds a blank, a backslash or a control character; write it as %20, %5C and so on")
    try:
        url = URL(text)
        host, port = url.raw_host, url.port
    except ValueError as raised:
        raise Refused(f"this is no URL ({raised})") from None
    if url.scheme not in PORTS or not host:
        raise Refused("only http:// and https:// can be fetched")
    if _NAMED.match(text):
        raise Refused("an URL with a name or password before the host is not fetched")
    if port != PORTS[url.scheme] and not _is_allowed(host, port or 0):
        raise Refused(f"only the ports 80 and 443 are reached, not {port}")
    return url.with_fragment(None)


async def place_of(url: "URL") -> Place:
    """Resolve the host of a checked URL, once.

    Raises:
        Refused: one of its addresses is not public
        OSError: it has none
    """
    host, port = url.raw_host or "", url.port or PORTS[url.scheme]
    allowed = _is_allowed(host, port)
    if offline() and not allowed:
        raise Refused(f"{host} is not reached, because LOOPWRIGHT_OFFLINE is set")
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    addresses = tuple(dict.fromkeys(str(place[0]) for *_, place in found))
    for address in addresses:
        if not allowed and (why := special(address)):
            raise Refused(f"{host} is {why}; only public pages are fetched")
    return Place(host, port, addresses)


def session_to(place: Place, *, seconds: float) -> "aiohttp.ClientSession":
    """A session that connects to this place and nowhere else: without cookies, proxies and redirects of its own."""
    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult

    class Pinned(AbstractResolver):
        """Knows one host."""

        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            return [
                ResolveResult(
                    hostname=host,
                    host=address,
                    port=port,
                    family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                    proto=socket.IPPROTO_TCP,
                    flags=socket.AI_NUMERICHOST,
                )
                for address in place.addresses
            ]

        async def close(self) -> None:
            """Nothing to release."""

    def checked(address: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, where = address
        if str(where[0]) not in place.addresses or where[1] != place.port:
            raise OSError(f"{where[0]} is not the address that was checked")
        return socket.socket(family=family, type=kind, proto=protocol)

    connector = aiohttp.TCPConnector(
        resolver=Pinned(), use_dns_cache=False, force_close=True, limit=1, socket_factory=checked
    )
    return aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=seconds),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        auto_decompress=False,
        max_line_size=8_190,
        max_field_size=8_190,
    )


def _is_allowed(host: str, port: int) -> bool:
    named = {entry.strip().lower() for entry in os.environ.get(ALLOWED, "").split(",") if entry.strip()}
    written = f"[{host}]" if ":" in host else host
    return bool(named & {written.lower(), f"{written.lower()}:{port}"})
