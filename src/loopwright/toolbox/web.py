"""Fetches a page of the web and gives its text.

Owns the request: what is sent (nothing of the run), how much and how long is read, which kinds of content are text, and
the way from one page to the next that it leads to. Which hosts may be reached is `web_door`, what of a page is text
`page_text`. Others wrote the page, so nothing of it is trusted.
"""

import asyncio
import json
import os
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from pydantic import Field

from loopwright.core.errors import MissingExtra
from loopwright.core.messages import Result
from loopwright.toolbox import page_text
from loopwright.toolbox.fetch import NetworkError
from loopwright.toolbox.settings import user_agent
from loopwright.toolbox.web_door import Refused, checked_url, place_of, session_to
from loopwright.tools.declare import tool
from loopwright.tools.result import error, not_found, ok

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL

LARGEST = 3_000_000
"""Bytes of a page that are read, unpacked; the rest is left out, and that is said."""
SECONDS = 20.0
"""For everything together."""
APART = 8.0
"""Seconds in which the text of a page is found."""
REDIRECTS = 5
LIBRARY = "selectolax"

HTML = ("text/html", "application/xhtml+xml")
TEXTS = ("application/json", "application/xml", "application/x-ndjson", "application/yaml", "application/javascript")
ENDS = ("+json", "+xml")

_ACCEPTED = "text/html,application/xhtml+xml,text/plain,application/json,application/xml;q=0.9,*/*;q=0.1"
_ELSEWHERE = (301, 302, 303, 307, 308)

Address = Annotated[str, Field(min_length=1, max_length=4_000, description="address, such as https://example.org/page")]
Links = Annotated[bool, Field(description="whether to give the addresses of the links on the page")]


class Page(Struct, frozen=True):
    """What came back."""

    url: str
    kind: str
    """The media type, lower case."""
    charset: str
    body: bytes
    cut: bool
    """Whether it went on."""


class BadPage(Exception):
    """The server gave no page that can be read; the text says what it gave instead."""


class Gone(Exception):
    """There is no such page."""


@tool(effect="read", timeout=SECONDS + APART + 5, trusted_output=False, open_world=True)
async def fetch_page(url: Address, links: Links = False) -> Result:  # noqa: FBT002 - a parameter of the model's
    """Fetch a public page of the web and give its text; it cannot log in, send forms or run the page's scripts."""
    try:
        async with asyncio.timeout(SECONDS):
            page, hops = await _followed(url)
    except TimeoutError:
        return error(f"NetworkError: no whole answer within {SECONDS:g} s")
    except Gone as gone:
        return not_found(str(gone))
    title, text = await _read(page, links=links)
    notes = [
        f"{url} leads to {page.url}" if hops else "",
        f"only the first {LARGEST} bytes were read" if page.cut else "",
        "" if text else "the page has no text; perhaps a script makes it",
    ]
    head = "\n".join(part for part in (title, page.url) if part)
    return ok(f"{head}\n\n{text}", "; ".join(note for note in notes if note))


async def _followed(text: str) -> tuple[Page, int]:
    """The page at an address, or the one that it leads to; each address on the way is checked like the first.

    Raises:
        Refused, BadPage, Gone, NetworkError, OSError, TimeoutError
    """
    url = checked_url(text)
    for hops in range(REDIRECTS + 1):
        found = await _got(url)
        if isinstance(found, Page):
            return found, hops
        url = checked_url(found)
    raise BadPage(f"it leads to another page more than {REDIRECTS} times")


async def _got(url: "URL") -> Page | str:
    """The page at one address, or the address that it leads to."""
    import aiohttp

    try:
        place = await place_of(url)
    except OSError as raised:
        raise NetworkError(f"{url.host} cannot be reached ({raised.strerror or raised})") from None
    headers = {"User-Agent": user_agent(), "Accept": _ACCEPTED, "Accept-Encoding": "gzip, deflate"}
    try:
        async with (
            session_to(place, seconds=SECONDS) as session,
            session.get(url, headers=headers, allow_redirects=False) as response,
        ):
            if response.status in _ELSEWHERE and (there := response.headers.get("Location", "").strip()):
                return _joined(url, there)
            return await _page(url, response)
    except (aiohttp.ClientError, ValueError) as raised:
        cause = getattr(raised, "os_error", None)
        reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else type(raised).__name__
        raise BadPage(f"{place.host} cannot be reached or does not speak HTTP ({reason})") from None


def _joined(url: "URL", there: str) -> str:
    from yarl import URL

    try:
        return str(url.join(URL(there)))
    except ValueError as raised:
        raise BadPage(f"it leads to something that is no URL ({raised})") from None


async def _page(url: "URL", response: "aiohttp.ClientResponse") -> Page:
    if response.status in (404, 410):
        raise Gone(f"there is no page at {url} (status {response.status})")
    if response.status != 200:
        raise BadPage(f"{url.host} answered with status {response.status}")
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not _is_text(kind):
        size = response.headers.get("Content-Length", "")
        raise BadPage(f"it is no text but {kind or 'of no kind that the server names'}{f', {size} bytes' * bool(size)}")
    body, cut = await _body(response)
    return Page(str(url), kind, response.charset or "", body, cut)


def _is_text(kind: str) -> bool:
    return kind.startswith("text/") or kind in HTML or kind in TEXTS or kind.endswith(ENDS)


async def _body(response: "aiohttp.ClientResponse") -> tuple[bytes, bool]:
    """At most `LARGEST` bytes, unpacked; and whether there were more. No more than these are ever unpacked."""
    packed = response.headers.get("Content-Encoding", "identity").strip().lower()
    if packed not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise BadPage(f"it is packed as {packed}, which was not asked for")
    unpacker = None if packed in ("", "identity") else zlib.decompressobj(wbits=47)
    parts, left, came = list[bytes](), LARGEST + 1, 0
    async for part in response.content.iter_any():
        came += len(part)
        try:
            plain = part[:left] if unpacker is None else unpacker.decompress(part, left)
        except zlib.error:
            raise BadPage(f"it says that it is packed as {packed} and is not") from None
        parts.append(plain)
        left -= len(plain)
        if left <= 0 or came > LARGEST:
            break
    body = b"".join(parts)
    return body[:LARGEST], left <= 0 or came > LARGEST


async def _read(page: Page, *, links: bool) -> tuple[str, str]:
    """Title and text."""
    if page.kind not in HTML:
        return "", page_text.decoded(page.body, page.charset).strip()
    if find_spec(LIBRARY) is None:
        raise MissingExtra("reading pages needs selectolax: pip install 'loopwright[web]'")
    asked = json.dumps({"charset": page.charset, "address": page.url, "links": links}).encode()
    found = await _apart(asked + b"\n" + page.body)
    return found["title"], found["text"]


async def _apart(given: bytes) -> dict[str, Any]:
    """What `page_text` says of a page, from a process of its own that is ended when it takes too long."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", str(Path(page_text.__file__))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=kept,
    )
    try:
        async with asyncio.timeout(APART):
            out, _ = await process.communicate(given)
    except TimeoutError:
        raise BadPage(f"its HTML could not be taken apart within {APART:g} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise BadPage("its HTML could not be taken apart")
    return json.loads(out)


__all__ = ["BadPage", "Refused", "fetch_page"]
