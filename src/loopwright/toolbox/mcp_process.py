"""A server as a process of its own: started without a shell, spoken to in lines, ended with all that it started.

Owns the process and its pipes, as a transport for the official SDK. The SDK's own transport keeps a line of any length
and leaves what a server started itself when the server goes by itself; this one does neither. A line that is no message
is passed over, as the protocol has it, and told when the server is at fault. Nothing here knows tools.
"""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from loopwright.core.errors import UsageError
from loopwright.toolbox.foreign import plain
from loopwright.toolbox.mcp_settings import McpServer

LARGEST = 16 << 20
"""Bytes of one message."""
TAIL = 2_000
"""Bytes of what a server wrote last that are kept for whoever has to find its fault."""
LEAVE, TERMINATE = 1.0, 1.0
"""Seconds that a server has to go by itself once its input is closed, and once it was told to."""
_PIECE, _POLL, _LOOK = 1 << 16, 0.01, 0.2

Pipe = TypeVar("Pipe", asyncio.StreamReader, asyncio.StreamWriter)
Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


class Story:
    """What became of a process, for whoever has to find its fault."""

    def __init__(self) -> None:
        self.why = ""
        """Why the connection is over, in words."""
        self._errors = b""
        self._strange = b""
        self._process: asyncio.subprocess.Process | None = None

    def began(self, process: asyncio.subprocess.Process) -> None:
        """The process is there."""
        self._process = process

    def complained(self, data: bytes) -> None:
        """The process wrote to its standard error."""
        self._errors = (self._errors + data)[-TAIL:]

    def strange(self, line: bytes) -> None:
        """The process wrote a line to its standard output that is no message."""
        self._strange = line[:TAIL]

    @property
    def over(self) -> str:
        """Why nothing comes any more, as far as we know it ourselves; empty where it may live."""
        code = None if self._process is None else self._process.returncode
        return self.why or ("" if code is None else f"it ended with exit code {code}")

    @property
    def told(self) -> str:
        """What is known, with what the process said itself, for a person: that may hold anything, also secrets."""
        parts = [self.over] if self.over else []
        if last := plain(self._errors.decode("utf-8", "replace"), 300):
            parts.append(f"it said: {last}")
        elif self._strange:
            parts.append(f"it wrote what is no message: {plain(self._strange.decode('utf-8', 'replace'), 200)}")
        return "; ".join(parts)


@asynccontextmanager
async def started(server: McpServer, env: Mapping[str, str], story: Story) -> AsyncGenerator[Streams, None]:
    """Start the server and give the streams to speak to it; it is ended, with all that it started, afterwards.

    Raises:
        UsageError: there is no such program or folder
    """
    process = await _begun(server, env)
    story.began(process)
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with incoming, read, write, outgoing, anyio.create_task_group() as group:
            group.start_soon(_listen, process, _pipe(process.stdout), incoming, story)
            group.start_soon(_speak, _pipe(process.stdin), outgoing, incoming)
            group.start_soon(_overhear, _pipe(process.stderr), story)
            group.start_soon(_notice_the_end, process, incoming)
            try:
                yield read, write
            finally:
                group.cancel_scope.cancel()
    finally:
        await _end(process)


async def _begun(server: McpServer, env: Mapping[str, str]) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            server.command,
            *server.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**get_default_environment(), **env},
            cwd=server.cwd or None,
            start_new_session=True,
        )
    except OSError as error:
        where = f" in {server.cwd}" if server.cwd else ""
        hint = "; is it installed and on PATH?" if isinstance(error, FileNotFoundError) else ""
        said = f"the MCP server {server.command!r} cannot be started{where}: {error.strerror}{hint}"
        raise UsageError(said) from None


def _pipe(pipe: Pipe | None) -> Pipe:
    """One of the pipes that the process was started with."""
    if pipe is None:
        raise RuntimeError("a process that was started with pipes has none")
    return pipe


async def _listen(
    process: asyncio.subprocess.Process, output: asyncio.StreamReader, incoming: Incoming, story: Story
) -> None:
    """Hand on each line that is a message; a line that is too long ends the connection."""
    pending = bytearray()
    async with incoming:
        while data := await _piece(output):
            seen = len(pending)
            pending += data
            end = pending.find(b"\n", seen)
            while end >= 0:
                await _hand_on(bytes(pending[:end]), incoming, story)
                del pending[: end + 1]
                end = pending.find(b"\n")
            if len(pending) > LARGEST:
                story.why = f"it sent a message of more than {LARGEST >> 20} MiB"
                return
        if not await _is_over(process, LEAVE):  # one that is about to end tells more by its exit code
            story.why = "it closed its output"


async def _hand_on(line: bytes, incoming: Incoming, story: Story) -> None:
    if not line.strip():
        return
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        story.strange(line)
        return
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        await incoming.send(SessionMessage(message))


async def _speak(
    input_: asyncio.StreamWriter, outgoing: MemoryObjectReceiveStream[SessionMessage], incoming: Incoming
) -> None:
    """Write each message as a line; where the server reads no more, the connection is over."""
    try:
        async with outgoing:
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                input_.write(text.encode() + b"\n")
                await input_.drain()
    except (OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        await incoming.aclose()


async def _overhear(errors: asyncio.StreamReader, story: Story) -> None:
    """Take what the server says beside the protocol, so that it never waits for a reader."""
    while data := await _piece(errors):
        story.complained(data)


async def _notice_the_end(process: asyncio.subprocess.Process, incoming: Incoming) -> None:
    """Nothing comes any more of a server that is gone, also where a child of it holds its output open."""
    while not await _is_over(process, 60.0, every=_LOOK):
        pass
    await asyncio.sleep(_LOOK)  # for what is still in the pipe
    await incoming.aclose()


async def _piece(pipe: asyncio.StreamReader) -> bytes:
    try:
        return await pipe.read(_PIECE)
    except OSError:
        return b""


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input, wait, and end all of its group that is left. Whatever interrupts this, nothing of it stays."""
    try:
        if process.stdin is not None:
            process.stdin.close()
        if not await _is_over(process, LEAVE):
            _signal(process, "SIGTERM")
            await _is_over(process, TERMINATE)
    finally:
        _signal(process, "SIGKILL")
        _let_go(process)


async def _is_over(process: asyncio.subprocess.Process, seconds: float, *, every: float = _POLL) -> bool:
    """Whether it ends in time. By polling: `wait` also waits for pipes, which a child of it may hold open."""
    deadline = asyncio.get_running_loop().time() + seconds
    while process.returncode is None and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(every)
    return process.returncode is not None


def _signal(process: asyncio.subprocess.Process, name: str) -> None:
    """To its whole group: it leads one of its own. Where there are no groups, to itself."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, getattr(signal, name))
        else:
            process.kill()


def _let_go(process: asyncio.subprocess.Process) -> None:
    """Close our ends of the pipes, which asyncio otherwise keeps while a child of the server holds the others."""
    transport: asyncio.SubprocessTransport | None = getattr(process, "_transport", None)
    if transport is not None:
        with suppress(ProcessLookupError, PermissionError):
            transport.close()
