"""A local server that speaks OpenAI's chat completions format, whole and streamed, for tests over real HTTP.

Owns what a provider does on the wire: replies, refusals in the words of real providers, delays and lost connections.
It listens on 127.0.0.1 on a free port and says the lines of `scripted`. It decides nothing about runs.

    async with ChatServer([calls("calculator", expression="6*7"), answers("42")]) as server:
        outcome = await Agent("openai:any", base_url=server.base_url, …).run("What is 6*7?")
    server.assert_done()

It is a plain context manager as well; then it serves from a thread of its own.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from aiohttp import web
from msgspec import Struct, field

from loopwright.core.messages import Way
from loopwright.testing.scripted import Asked, Line, says, wire


class Received(Asked, frozen=True, kw_only=True):
    """A request that the server got."""

    headers: dict[str, str] = field(default_factory=dict[str, str])
    """Names in lower case."""


class Refusing(Struct, frozen=True):
    """A response with another status than 200."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict[str, str])
    content_type: str = "application/json"


class Delayed(Struct, frozen=True):
    """A response that is begun only after some time."""

    seconds: float
    response: "Line | Refusing | Dropped | str"


class Dropped(Struct, frozen=True):
    """No response: the connection is closed."""


Response = Line | Refusing | Delayed | Dropped | str
Replies = Sequence[Response] | Callable[[dict[str, Any], int], Response]


def refuses(
    status: int, message: str, *, code: str | None = None, kind: str = "invalid_request_error", **headers: str
) -> Refusing:
    """A refusal as OpenAI writes it; underscores in names of headers become hyphens."""
    error = {"message": message, "type": kind, "param": None, "code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Refusing(status, msgspec.json.encode({"error": error}), named)


def wrong_key(key: str = "") -> Refusing:
    """401, with the key in the message as careless servers do."""
    return refuses(401, f"Incorrect API key provided: {key}.", code="invalid_api_key")


def unknown_model(name: str) -> Refusing:
    """404 for a model that is not there."""
    return refuses(404, f"The model `{name}` does not exist or you do not have access to it.", code="model_not_found")


def context_full(tokens: int = 8192) -> Refusing:
    """400 for a request that is too long."""
    return refuses(400, f"This model's maximum context length is {tokens} tokens.", code="context_length_exceeded")


def no_tools(model: str = "gemma:2b") -> Refusing:
    """400 from a server whose model takes no tools, as Ollama says it."""
    return refuses(400, f"registry.ollama.ai/library/{model} does not support tools", kind="api_error")


def rate_limited(retry_after: str = "0") -> Refusing:
    """429 with a `Retry-After`: seconds, or an HTTP date."""
    return refuses(429, "Rate limit reached.", code="rate_limit_exceeded", Retry_After=retry_after)


def unavailable(status: int = 503) -> Refusing:
    """A server that cannot work for now."""
    return refuses(status, "The server is overloaded or not ready yet.", kind="server_error")


def after(seconds: float, response: Line | Refusing | Dropped | str) -> Delayed:
    """The response, begun only after some time."""
    return Delayed(seconds, response)


def drops() -> Dropped:
    """The connection is closed without a response."""
    return Dropped()


class ChatServer:
    """The server; see the head of this module.

    A sequence of replies is used up in order, each request taking the next; a callable gets the decoded request and
    its number, which begins at 1. A request beyond the end of a sequence is refused with status 400.
    """

    def __init__(
        self,
        replies: Replies,
        *,
        key: str | None = None,
        way: Way | None = None,
        piece: int = 0,
        pause: float = 0.0,
        port: int = 0,
    ) -> None:
        """Nothing is opened here.

        Args:
            replies: what is answered
            key: the key that requests must carry; None takes any request
            way: how calls and answers are written; None to see it from each request
            piece: bytes of a reply that are written at a time; 0 for one event at a time
            pause: seconds between two pieces
            port: where to listen; 0 for a free one
        """
        self.replies = replies
        self.key = key
        self.way: Way | None = way
        self.piece = piece
        self.pause = pause
        self.requests: list[Received] = []
        """What came, in order, refused requests included."""
        self._seen: set[Any] = set()
        self._runner: web.AppRunner | None = None
        self._thread: _Thread | None = None
        self._port = port

    @property
    def base_url(self) -> str:
        """What to give as the base URL; ends in ``/v1``."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def connections(self) -> int:
        """How many connections brought requests."""
        return len(self._seen)

    def assert_done(self) -> None:
        """Complain if replies were left, or if more was asked for than there was.

        Raises:
            AssertionError: the number of requests is not the number of replies
        """
        if not callable(self.replies) and len(self.requests) != len(self.replies):
            raise AssertionError(f"{len(self.replies)} replies, but {len(self.requests)} requests")

    async def __aenter__(self) -> "ChatServer":
        application = web.Application(client_max_size=1 << 30)
        application.router.add_post("/v1/chat/completions", self._chat)
        application.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def __enter__(self) -> "ChatServer":
        self._thread = _Thread()
        self._thread.run(self.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._thread.run(self.__aexit__())
            self._thread.stop()

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self._count(request)
        decoded = msgspec.json.decode(body, type=dict[str, Any])
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(
            number=len(self.requests) + 1, body=body, stream=bool(decoded.get("stream")), headers=headers
        )
        self.requests.append(received)
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            return _refused(wrong_key(headers.get("authorization", "").removeprefix("Bearer ")))
        response = self._next(decoded, received.number)
        if isinstance(response, Delayed):
            await asyncio.sleep(response.seconds)
            response = response.response
        if isinstance(response, Refusing):
            return _refused(response)
        if isinstance(response, Dropped):
            return _cut(request)
        return await self._say(request, says(response) if isinstance(response, str) else response, received)

    def _count(self, request: web.Request) -> None:
        if request.transport is not None:
            self._seen.add(request.transport.get_extra_info("peername"))

    def _next(self, decoded: dict[str, Any], number: int) -> Response:
        if callable(self.replies):
            return self.replies(decoded, number)
        if number > len(self.replies):
            return refuses(400, f"the script has {len(self.replies)} replies and is asked for one more")
        return self.replies[number - 1]

    async def _say(self, request: web.Request, line: Line, received: Received) -> web.StreamResponse:
        kind = "text/event-stream" if received.stream else "application/json"
        response = web.StreamResponse(headers={"Content-Type": kind})
        response.enable_chunked_encoding()
        await response.prepare(request)
        for data in self._pieces(wire(line, received, self.way)):
            await response.write(data)
            if self.pause:
                await asyncio.sleep(self.pause)
        if line.broken:
            return _cut(request, response)
        await response.write_eof()
        return response

    def _pieces(self, data: list[bytes]) -> list[bytes]:
        if not self.piece:
            return data
        joined = b"".join(data)
        return [joined[start : start + self.piece] for start in range(0, len(joined), self.piece)]


class _Thread:
    """An event loop in a thread, for callers that have none."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="chat-server", daemon=True)
        self.thread.start()

    def run(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


def _refused(refusing: Refusing) -> web.Response:
    return web.Response(
        status=refusing.status, body=refusing.body, headers=refusing.headers, content_type=refusing.content_type
    )


def _cut(request: web.Request, begun: web.StreamResponse | None = None) -> web.StreamResponse:
    """Close the connection as it is; what was written before still arrives."""
    if request.transport is not None:
        request.transport.close()
    return begun or web.Response(status=500)
