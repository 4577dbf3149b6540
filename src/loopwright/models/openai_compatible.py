"""Carries request bodies to a provider's endpoint over aiohttp: OpenAI's and what is compatible with it, and others.

Owns connections, time limits and repetition. Addresses and headers are data of the endpoint's route. Reads no reply
(the bytes go to `feed` as they come) and builds no body: both are the dialect's. What a refusal means is in `failures`,
who may connect to what is in `door`.
"""

import asyncio
import os
import random
from collections.abc import AsyncGenerator
from typing import Any

import aiohttp
from msgspec import Struct

from loopwright.core.errors import ModelError, UsageError
from loopwright.engine.ports import Feed
from loopwright.models import door
from loopwright.models.failures import Refusal, masked, refusal
from loopwright.models.mask import Mask, is_secret
from loopwright.models.providers import Endpoint

ERROR_BODY = 65_536
"""Bytes of a refusal that are read; what is behind them says nothing more."""
_CONSTRAINTS = (b',"grammar":', b',"response_format":', b',"structured_outputs":')
"""What keeps a reply to a form, in the body of a request."""


class Delivery(Struct, frozen=True, forbid_unknown_fields=True):
    """How patient a transport is."""

    attempts: int = 4
    """How often one request is sent at most."""
    first_wait: float = 0.5
    """Seconds before the second attempt, where the provider does not say; doubled for each one after it."""
    longest_wait: float = 60.0
    """Seconds; where the provider asks for more, the call fails and says so."""
    connect_seconds: float = 10.0
    read_seconds: float = 300.0
    """Longest silence between two pieces of a reply."""

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}; it must not be less than 1")


class _Progress:
    """How far one attempt got; decides what its failure means."""

    def __init__(self) -> None:
        self.sent = False
        """Whether the provider may have begun to work."""
        self.feeding = False
        """Whether the bytes are with the reader; what it raises is not ours."""


class OpenAICompatible:
    """A transport to one endpoint. One may serve many runs at once, and one event loop after the other.

    Each event loop has its own session, which is opened by the first call and closed by `close` or with the loop.
    """

    def __init__(self, endpoint: Endpoint, *, key: str = "", delivery: Delivery | None = None) -> None:
        """Nothing is opened here.

        Args:
            endpoint: where the requests go
            key: the API key; empty to send none
            delivery: time limits and repetition

        Raises:
            UsageError: the key cannot be sent in a header, or the proxy of the environment cannot be used
        """
        self.endpoint = endpoint
        self.delivery = delivery or Delivery()
        self._key = _sendable(key, endpoint)
        route = endpoint.route
        self._headers = {"Content-Type": "application/json", "User-Agent": "loopwright", **dict(route.headers)}
        if self._key:
            self._headers[route.key_header] = route.key_prefix + self._key
        self.secret = self._key if is_secret(self._key) else ""
        """The key, for whoever has to keep it out of what is written down; empty where there is none."""
        self._proxy = door.proxy_for(endpoint.url)
        self._sessions: dict[asyncio.AbstractEventLoop, _Kept] = {}

    def __repr__(self) -> str:
        return f"OpenAICompatible({self.endpoint.url}, model={self.endpoint.model!r})"

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        """Post `body` and feed the reply; see `engine.ports.Transport`.

        Raises:
            ModelError: no reply, or not a whole one
        """
        door.check(self.endpoint.url)
        progress = _Progress()
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                await self._deliver(body, feed, progress, stream=stream, limit=limit)
        except TimeoutError:
            if not limit.expired():
                raise
            text = f"{self._where} did not finish its reply within {timeout:g} seconds"
            raise ModelError("timeout", text, lost=progress.sent) from None

    async def close(self) -> None:
        """Close the connections of all event loops. A later call opens new ones."""
        here = asyncio.get_running_loop()
        while self._sessions:
            loop, kept = self._sessions.popitem()
            if loop is here:
                await kept.keeper.aclose()
            elif loop.is_running():
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(kept.close(), loop))

    @property
    def _where(self) -> str:
        return f"{self.endpoint.label} at {self.endpoint.base_url}"

    async def _deliver(
        self, body: bytes, feed: Feed, progress: _Progress, *, stream: bool, limit: asyncio.Timeout
    ) -> None:
        session = await self._session()
        for attempt in range(1, self.delivery.attempts + 1):
            progress.sent = False
            refused = await self._attempt(session, body, feed, progress, stream=stream)
            if refused is None:
                return
            if not refused.repeat:
                raise refused.error
            if attempt == self.delivery.attempts:
                raise _given_up(refused.error, f"tried {attempt} times") if attempt > 1 else refused.error
            await asyncio.sleep(self._pause(refused, attempt, limit))

    def _pause(self, refused: Refusal, attempt: int, limit: asyncio.Timeout) -> float:
        """Seconds to wait before the next attempt.

        Raises:
            ModelError: the wait is too long for the time that is left, or for anybody
        """
        least = self.delivery.first_wait * 2 ** (attempt - 1) if refused.wait is None else refused.wait
        if least > self.delivery.longest_wait and refused.wait is not None:
            raise _given_up(refused.error, f"it asks to wait {least:.0f} seconds")
        # Never earlier than asked for, and not all at the same moment.
        pause = min(least, self.delivery.longest_wait) * (1 + random.random() / 4)
        until = limit.when()
        if until is not None and asyncio.get_running_loop().time() + pause >= until:
            raise _given_up(refused.error, "no time is left to try again")
        return pause

    async def _attempt(
        self, session: aiohttp.ClientSession, body: bytes, feed: Feed, progress: _Progress, *, stream: bool
    ) -> Refusal | None:
        """Send once. None when the whole reply was fed.

        Raises:
            ModelError: the reply is lost
        """
        accept = "text/event-stream, application/json" if stream else "application/json"
        proxy = self._proxy
        try:
            async with session.post(
                self.endpoint.stream_url if stream else self.endpoint.url,
                data=body,
                headers={**self._headers, "Accept": accept},
                allow_redirects=False,
                proxy=proxy.url if proxy else None,
                proxy_headers=proxy.headers if proxy else None,
                trace_request_ctx=progress,
            ) as response:
                if 200 <= response.status < 300:
                    await self._pass_on(response, feed, progress)
                    return None
                return self._refused(response, await _beginning(response), body)
        except aiohttp.SocketTimeoutError as error:
            if progress.feeding:
                raise
            text = f"{self._where} sent nothing for {self.delivery.read_seconds:g} seconds"
            raise ModelError("timeout", text, lost=True) from error
        except (aiohttp.ClientError, OSError) as error:
            if progress.feeding:
                raise
            return self._not_reached(error, progress)

    def _refused(self, response: aiohttp.ClientResponse, start: bytes, body: bytes) -> Refusal:
        return refusal(
            self.endpoint,
            self._key,
            response.status,
            response.headers,
            start,
            tools=b'"tools"' in body,
            constrained=any(name in body for name in _CONSTRAINTS),
        )

    async def _pass_on(self, response: aiohttp.ClientResponse, feed: Feed, progress: _Progress) -> None:
        if response.content_type == "text/html":
            text = f"{self.endpoint.url} answers with a web page, not with a model's reply: check the base URL"
            raise ModelError("request", text)
        content, mask = response.content, Mask(self._key, feed)
        while data := await content.readany():
            progress.feeding = True
            mask(data)
            progress.feeding = False
        progress.feeding = True
        mask.close()
        progress.feeding = False

    def _not_reached(self, error: Exception, progress: _Progress) -> Refusal:
        """What a broken or missing connection means.

        Raises:
            ModelError: the request had been sent, so that the provider may have done the work
        """
        why = masked(_reason(error), self._key)
        if progress.sent:
            text = f"the connection to {self._where} was lost before the reply was complete: {why}"
            raise ModelError("network", text, lost=True) from error
        cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
        if isinstance(cause, door.Forbidden):
            raise ModelError("network", str(cause)) from error
        repeat = not isinstance(error, aiohttp.ClientSSLError | aiohttp.ClientHttpProxyError)
        return Refusal(ModelError("network", self._unreachable(error, why)), repeat)

    def _unreachable(self, error: Exception, why: str) -> str:
        if isinstance(error, aiohttp.ClientHttpProxyError | aiohttp.ClientProxyConnectionError):
            address = self._proxy.url if self._proxy else "the proxy"
            return f"cannot reach {self._where} through {address}: {why}; check HTTPS_PROXY and NO_PROXY"
        if isinstance(error, aiohttp.ClientSSLError):
            return f"cannot reach {self._where} safely: {why}; check the address, the clock and the certificates"
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return f"cannot find the host of {self._where}: {why}; is there a network, and is the address right?"
        text = f"cannot reach {self._where}: {why}"
        if self.endpoint.starting:
            return f"{text}; is the server running? If not, {self.endpoint.starting}"
        return f"{text}; is there a network, and is the server running?"

    async def _session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        kept = self._sessions.get(loop)
        if kept is None:
            for other in [other for other in self._sessions if other.is_closed()]:
                del self._sessions[other]
            keeper = _kept_open(self.delivery)
            kept = self._sessions[loop] = _Kept(keeper, await anext(keeper))
        return kept.session


class _Kept:
    """A session and what closes it."""

    def __init__(self, keeper: AsyncGenerator[aiohttp.ClientSession], session: aiohttp.ClientSession) -> None:
        self.keeper = keeper
        self.session = session

    async def close(self) -> None:
        await self.keeper.aclose()


async def _kept_open(delivery: Delivery) -> AsyncGenerator[aiohttp.ClientSession]:
    """A session that is closed when the generator is.

    An event loop closes the generators that it started before it ends (`asyncio.run` does), so a session never
    outlives its loop, even where nobody calls `close`.
    """
    trace = aiohttp.TraceConfig()
    trace.on_request_headers_sent.append(_headers_sent)
    session: aiohttp.ClientSession = door.open_session(
        connect_seconds=delivery.connect_seconds, read_seconds=delivery.read_seconds, traces=[trace]
    )
    try:
        yield session
    finally:
        await session.close()


async def _headers_sent(_session: aiohttp.ClientSession, context: Any, _parameters: Any) -> None:
    context.trace_request_ctx.sent = True


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while size < ERROR_BODY and (data := await response.content.readany()):
        pieces.append(data)
        size += len(data)
    return b"".join(pieces)


def _given_up(error: ModelError, why: str) -> ModelError:
    return ModelError(error.failure, f"{error.message}; {why}", lost=error.lost)


def _reason(error: Exception) -> str:
    """The cause in a few words, without the library's own wrapping."""
    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error
        plain = cause.errno is not None and cause.errno > 0  # negative for failed look-ups of a name
        return os.strerror(cause.errno or 0).lower() if plain else cause.strerror or str(cause)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "no connection in time"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"the proxy refused with status {error.status}"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "the response ended early"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the server closed the connection"
    return str(error) or type(error).__name__


def _sendable(key: str, endpoint: Endpoint) -> str:
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        raise UsageError(
            f"the key for {endpoint.label} holds a line break or a letter that no key has; "
            f"copy it again, into {endpoint.key_variable}"
        )
    return key
