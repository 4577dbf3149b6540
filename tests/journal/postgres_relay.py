"""A relay before a Postgres server that loses connections at a chosen moment."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Literal

Moment = Literal["never", "before", "after"]


class Relay:
    """Passes bytes on between its port of loopback and a server's, and cuts off a connection where it is told to."""

    def __init__(self, to: int, mark: bytes = b"chained") -> None:
        self.port = 0
        self.cut: Moment = "never"
        """When to cut the next statement off that has the mark, an append: before the server hears of it, or after it
        did what it says."""
        self.cuts = 0
        self.lost = asyncio.Event()
        """Set at the first cut."""
        self.deaf = False
        """Whether new connections are refused."""
        self._to = to
        self._mark = mark
        self._serving: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Relay"]:
        server = await asyncio.start_server(self._begin, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(asyncio.ensure_future(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.deaf:
            writer.close()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        answering = asyncio.Event()
        to_server = asyncio.ensure_future(self._ask(reader, far_writer, answering))
        to_client = asyncio.ensure_future(self._answer(far_reader, writer, answering))
        with suppress(asyncio.CancelledError):
            await asyncio.wait((to_server, to_client), return_when=asyncio.FIRST_COMPLETED)
        for task in (to_server, to_client):
            task.cancel()
        await asyncio.gather(to_server, to_client, return_exceptions=True)
        for one in (far_writer, writer):
            one.close()
            with suppress(OSError):
                await one.wait_closed()

    async def _ask(
        self, reader: asyncio.StreamReader, far_writer: asyncio.StreamWriter, answering: asyncio.Event
    ) -> None:
        while data := await reader.read(1 << 16):
            if self.cut != "never" and self._mark in data:
                if self.cut == "before":
                    self._cut_off()
                    return
                answering.set()
            far_writer.write(data)
            await far_writer.drain()

    async def _answer(
        self, far_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answering: asyncio.Event
    ) -> None:
        while data := await far_reader.read(1 << 16):
            if answering.is_set():
                self._cut_off()
                return
            writer.write(data)
            await writer.drain()

    def _cut_off(self) -> None:
        self.cut = "never"
        self.cuts += 1
        self.lost.set()
