"""One MCP server while it is used: connected, listed, called, started again when it died, and left.

Owns the connection and what became of it. What its tools are called and may do, and what an answer means, is decided
beside it. The SDK's contexts must be left in the task that entered them, so a task of its own holds them.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
from mcp.client import Client, IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    InputRequiredResult,
    ToolListChangedNotification,
)
from pydantic import TypeAdapter, ValidationError

from loopwright.core.errors import UsageError
from loopwright.core.messages import Result
from loopwright.toolbox.fetch import is_this_machine
from loopwright.toolbox.foreign import plain
from loopwright.toolbox.mcp_listing import Listed
from loopwright.toolbox.mcp_process import LARGEST, Story, started
from loopwright.toolbox.mcp_progress import Progress
from loopwright.toolbox.mcp_result import MASK, result_from, without
from loopwright.toolbox.mcp_settings import McpServer, given
from loopwright.toolbox.settings import offline
from loopwright.tools.result import error

PAGES, TOOLS = 100, 2_000
"""Pages, and tools in all, of the list of one server that are read."""
RESTARTS = 3
"""How often a server that died is started again while it is used; at most once for one call."""
SECRET = 8
"""Characters from which on the value of a variable is taken for a secret; a shorter one stands in too much else."""
_ANSWERS: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)
"""What a call is answered with. Not by `Client.call_tool`, which runs the patterns of the server's schema of its
answers: one that is made for it keeps Python busy for ever."""
_CLOSED = "Connection closed"
"""The SDK's own words; servers use the same number for errors of theirs."""
CLOSING = 10.0
"""Seconds that leaving a server may take before it is broken off."""


Notice = Callable[[str], None]
Watch = Callable[[Progress], None]


class Connection:
    """A server, from `open` to `close`. Both belong into one task; calls may come from any of the same event loop.

    Args:
        name: of the server, for people and the names of its tools
        server: its settings
        variables: where the values of its secrets are
        notice: is told what a person should know
        watch: is told how far calls are
    """

    def __init__(
        self,
        name: str,
        server: McpServer,
        variables: Mapping[str, str],
        *,
        notice: Notice,
        watch: Watch,
    ) -> None:
        self.name = name
        self.server = server
        self._env, self._headers = given(server, variables, name)
        values = (variables[variable].strip() for variable in server.variables)
        self._secrets = tuple(value for value in values if len(value) >= SECRET)
        self._notice, self._watch = notice, watch
        self._client: Client | None = None
        self._story = Story()
        self._leave = asyncio.Event()
        self._holder: asyncio.Task[None] | None = None
        self._door = asyncio.Lock()
        self._restarts = RESTARTS
        self._over = False
        self._changed = False
        if server.url and offline() and not is_this_machine(urlsplit(server.url).hostname or ""):
            raise UsageError(f"MCP server {name} at {server.url} is not reached, because LOOPWRIGHT_OFFLINE is set")

    async def open(self) -> list[Listed]:
        """Connect, and ask for the list of tools.

        Raises:
            UsageError: it cannot be started or reached, does not answer in time, or answers with something else
        """
        seconds = self.server.start_seconds
        try:
            async with asyncio.timeout(seconds):
                return await _listed(await self._connected(), self.name)
        except TimeoutError:
            raise await self._left(f"did not say what its tools are within {seconds:g} s") from None
        except (MCPError, ValidationError) as raised:
            raise await self._left(f"did not say what its tools are ({_reason(raised)})") from None
        except BaseException:
            await self.close()
            raise

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        """Call a tool by the server's own name for it. A server that died before is started again, once.

        Whatever goes wrong is the result; only CancelledError passes, and then the server is told to stop. A secret
        that the server was given, and repeats, is taken out.
        """
        return without(await self._called(tool, arguments), self._secrets)

    async def _called(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        try:
            client = await self._living()
        except UsageError as failed:
            self._notice(str(failed))
            how = "was left" if self._over else "died before"
            return error(f"ServerGone: MCP server {self.name} {how}, and cannot be used any more")

        async def watch(progress: float, total: float | None, message: str | None) -> None:
            self._watch(Progress(self.name, plain(tool, 80), progress, total, plain(message or "", 200)))

        try:
            answer = await client.session.send_request(
                CallToolRequest(params=CallToolRequestParams(name=tool, arguments=dict(arguments))),
                _ANSWERS,
                progress_callback=watch,
            )
        except MCPError as raised:
            if (raised.code, raised.message) == (CONNECTION_CLOSED, _CLOSED):
                return await self._lost(client, "")
            return error(f"ServerError: {raised.message or 'the server refused the call and did not say why'}")
        except ValidationError as raised:
            return error(f"ProtocolError: the tool may have run, but its answer cannot be used ({_reason(raised)})")
        except Exception as raised:  # noqa: BLE001 - of the transport: whatever it is, the call has no answer
            return await self._lost(client, _reason(raised))
        if isinstance(answer, InputRequiredResult):
            return error("InputRequired: the server asks for more than arguments before it answers; that is not given")
        return result_from(answer)

    async def close(self) -> None:
        """Leave the server for good; a process is ended with all that it started."""
        self._over = True
        await self._leave_it()

    async def _leave_it(self) -> None:
        holder, connected = self._holder, self._client is not None
        self._holder = self._client = None
        if holder is None:
            return
        self._leave.set()
        if not connected:
            holder.cancel()
        try:
            await asyncio.wait([holder], timeout=CLOSING)
        finally:
            holder.cancel()

    async def _connected(self) -> Client:
        """Start or reach it, and agree on the protocol."""
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # else its warnings go to a terminal as they are
        ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        ready.add_done_callback(lambda done: done.cancelled() or done.exception())  # also where nobody waits any more
        self._story, self._leave = Story(), asyncio.Event()
        self._holder = asyncio.create_task(self._hold(ready), name=f"MCP server {self.name}")
        await asyncio.wait([ready, self._holder], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            raise UsageError(self._failed("ended before it was connected"))
        self._client = ready.result()
        return self._client

    async def _hold(self, ready: "asyncio.Future[Client]") -> None:
        """Enter the connection, wait until it is not wanted any more, and leave it."""
        try:
            async with Client(
                self._transport(),
                client_info=Implementation(name="loopwright", version=version("loopwright")),
                message_handler=self._hear,
                cache=None,
            ) as client:
                ready.set_result(client)
                await self._leave.wait()
        except Exception as raised:  # noqa: BLE001 - a server may fail in any way; whoever waits is told
            if not ready.done():
                failed = _first(raised)
                text = self._failed(f"cannot be connected to ({_reason(failed)})")
                ready.set_exception(failed if isinstance(failed, UsageError) else UsageError(text))

    def _transport(self) -> AbstractAsyncContextManager[Any]:
        if self.server.command:
            return started(self.server, self._env, self._story)
        return _reached(self.server.url, self._headers, self._story)

    async def _living(self) -> Client:
        """The client of a server that lives, as far as is known.

        Raises:
            UsageError: it died, and cannot be started again
        """
        async with self._door:
            if self._over:
                raise UsageError(f"MCP server {self.name} was left; use its tools while `mcp_tools` is open")
            if self._client is not None:
                return self._client
            if self._restarts <= 0:
                raise UsageError(f"MCP server {self.name} died {RESTARTS + 1} times and is not started again")
            self._restarts -= 1
            self._notice(f"MCP server {self.name} is {'connected to' if self.server.url else 'started'} again")
            try:
                async with asyncio.timeout(self.server.start_seconds):
                    return await self._connected()
            except TimeoutError:
                raise await self._left("was started again and does not answer") from None
            except BaseException:
                await self._leave_it()
                raise

    async def _lost(self, client: Client, reason: str) -> Result:
        """The connection is over: the next call makes a new one, unless another has made it already."""
        async with self._door:
            if self._client is client:
                await self._leave_it()
                self._notice(self._failed("was lost"))
        why = "; ".join(part for part in (reason, self._story.over) if part)
        because = f" ({why})" if why else ""
        return error(f"ServerGone: the server was lost before it answered, so the call may have taken effect{because}")

    async def _hear(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification) and not self._changed:
            self._changed = True
            self._notice(f"MCP server {self.name} changed its list of tools; the run keeps those that it began with")

    async def _left(self, what: str) -> UsageError:
        """Leave a server that failed; what it said itself is told, not what leaving did to it."""
        text = self._failed(what)
        await self._leave_it()
        return UsageError(text)

    def _failed(self, what: str) -> str:
        why = self._story.told
        for secret in self._secrets:
            why = why.replace(secret, MASK)
        return f"MCP server {self.name} ({plain(self.server.place, 200)}) {what}{f': {why}' if why else ''}"


async def _listed(client: Client, name: str) -> list[Listed]:
    """All pages of the list."""
    found, cursor = list[Listed](), None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor)
        found += [
            Listed(tool.name, tool.description or tool.title or "", tool.input_schema, tool.annotations)
            for tool in page.tools
        ]
        cursor = page.next_cursor
        if len(found) > TOOLS:
            break
        if not cursor:
            return found
    raise UsageError(f"MCP server {name} lists more than {TOOLS} tools, or on more than {PAGES} pages")


@asynccontextmanager
async def _reached(url: str, headers: Mapping[str, str], story: Story) -> AsyncGenerator[Any, None]:
    """The streams to a server behind an address."""
    here = is_this_machine(urlsplit(url).hostname or "")
    timeout = httpx2.Timeout(30.0, read=None)  # how long a call may take is the tool's limit

    async def heard(response: httpx2.Response) -> None:
        refused = response.status_code >= 400 and response.request.method == "POST"
        story.why = f"it answered with status {response.status_code}" if refused else ""
        if not response.headers.get("content-type", "").startswith("text/event-stream"):  # there each event is bounded
            response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream), story)

    async with (
        httpx2.AsyncClient(
            headers=dict(headers), timeout=timeout, trust_env=not here, event_hooks={"response": [heard]}
        ) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=LARGEST) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer, which breaks off where it becomes larger than a message may be."""

    def __init__(self, stream: httpx2.AsyncByteStream, story: Story) -> None:
        self._stream, self._story = stream, story

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = LARGEST
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                self._story.why = f"it sent a message of more than {LARGEST >> 20} MiB"
                raise httpx2.DecodingError(self._story.why)
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def _first(raised: BaseException) -> BaseException:
    """The exception that a group was made for."""
    while isinstance(raised, BaseExceptionGroup):
        raised = cast("BaseExceptionGroup[BaseException]", raised).exceptions[0]
    return raised


def _reason(raised: BaseException) -> str:
    """What went wrong in one line, for a person or a model."""
    if isinstance(raised, ValidationError):
        return f"{raised.error_count()} parts of the answer are not as the protocol has them"
    text = plain(str(raised), 300)
    return text if isinstance(raised, MCPError) and text else f"{type(raised).__name__}: {text}"
