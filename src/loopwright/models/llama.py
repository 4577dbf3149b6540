"""A GGUF file loaded into this process by llama.cpp, and the one thread that works with it.

Owns loading, the queue of requests and their cancellation. May not hold: what a request or a reply means, and which
file is the default.

llama.cpp blocks, so a thread of its own does the requests of a model one after another, and the event loops of any
number of runs stay free. One at a time is also what keeps a reply the same whoever else is asking. What was evaluated
for one run is kept and found again, so that a later step only evaluates what is new in it.

llama.cpp computes on all cores but one. Its threads wait for each other many times a token, spinning: with a thread on
every core and one busy neighbour, a reply of 45 tokens took 43 seconds on 2 cores instead of 1; with a core to spare,
1.7 seconds with the neighbour and without.
"""

import asyncio
import atexit
import importlib
import os
import queue
import secrets
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from msgspec import Struct

from loopwright.core.errors import ModelError

BATCH = 256
"""Tokens evaluated at a time; between two batches a request can be given up."""
CACHE_MIB = 256
"""Memory for the evaluated prompts of runs that take turns."""
SOCKET_PATH_LIMIT = 100
"""A little below what the address of a Unix socket can hold."""
SILENT = -1
CLOSING_SECONDS = 60.0


class Files(Struct, frozen=True):
    """What is loaded, and how: two equal values share one loaded model."""

    name: str
    model: Path
    adapter: Path | None = None
    context: int = 8192
    """Tokens of the prompt and the reply together, at most; a model trained on less takes less."""
    temperature: float | None = None
    """Where the request says nothing; None is llama.cpp's default."""


class _Server(Protocol):
    """The part of `xllamacpp.Server` in use."""

    def handle_chat_completions(self, prompt: bytes, callback: Callable[[bytes], bool]) -> None:
        """Answer a request; the callback gets each event's JSON, and stops the reply by returning True."""
        ...


class _Job:
    """One request: its body, and the way back to the event loop that waits for the reply."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.given_up = False
        self._loop = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[bytes | ModelError | None] = asyncio.Queue()

    def put(self, item: bytes | ModelError | None) -> None:
        """From the worker: the next part of the reply, what went wrong, or None for the end."""
        try:
            self._loop.call_soon_threadsafe(self._arrived.put_nowait, item)
        except RuntimeError:  # the loop is closed, so nobody waits
            self.given_up = True

    async def next(self) -> bytes | ModelError | None:
        """What the worker put, in its order."""
        return await self._arrived.get()


class Llama:
    """One model in memory. It is loaded at the first request and stays until the process ends."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closing = False
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None

    async def ask(self, body: bytes) -> AsyncGenerator[bytes, None]:
        """The JSON of each event of a streamed chat completion.

        Closing the iterator gives the request up: llama.cpp stops at the next token or batch.

        Raises:
            ModelError: the file could not be loaded, or llama.cpp refused the request
        """
        job = _Job(body)
        self._start()
        self._jobs.put(job)
        try:
            while (item := await job.next()) is not None:
                if isinstance(item, ModelError):
                    raise item
                yield item
        finally:
            job.given_up = True

    def _start(self) -> None:
        with self._lock:
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name=f"loopwright {self._files.name}", daemon=True)
                self._worker.start()
                atexit.register(self._close)

    def _close(self) -> None:
        """Stop before the interpreter goes: a thread of llama.cpp that outlives it ends in a crash."""
        self._closing = True
        self._jobs.put(None)
        if self._worker is not None:
            self._worker.join(CLOSING_SECONDS)

    def _work(self) -> None:
        server: _Server | None = None
        while (job := self._jobs.get()) is not None:
            if job.given_up or self._closing:
                continue
            try:
                server = server or _load(self._files)
                self._answer(server, job)
            except Exception as problem:  # noqa: BLE001  whatever it is, the asker must hear of it and the thread go on
                job.put(problem if isinstance(problem, ModelError) else ModelError("request", f"llama.cpp: {problem}"))

    def _answer(self, server: _Server, job: _Job) -> None:
        def take(part: bytes) -> bool:
            if not (stopped := job.given_up or self._closing):
                job.put(part)
            return stopped

        if not job.given_up:
            server.handle_chat_completions(job.body, take)
        job.put(None)


@cache
def _shared(files: Files, process: int) -> Llama:
    del process  # a forked child has no worker thread, so it loads its own
    return Llama(files)


_sharing = threading.Lock()


def shared(files: Files) -> Llama:
    """The one loaded model of these files in this process."""
    with _sharing:
        return _shared(files, os.getpid())


def _load(files: Files) -> _Server:
    library = cast("Any", importlib.import_module("xllamacpp"))
    parameters = _parameters(library, files)
    with tempfile.TemporaryDirectory(prefix="loopwright-", ignore_cleanup_errors=True) as folder:
        _shut_door(parameters, folder)
        try:
            return library.Server(parameters)
        except RuntimeError:
            raise ModelError(
                "model",
                f"llama.cpp could not load {files.model}: the file is damaged or no chat model, of a kind that "
                f"xllamacpp {library.__version__} does not know, or too large for the memory",
            ) from None


def _parameters(library: Any, files: Files) -> Any:
    threads = max(1, _cores() - 1)
    parameters = library.CommonParams()
    parameters.verbosity = SILENT
    parameters.model.path = str(files.model)
    parameters.model_alias = {files.name}
    if files.adapter is not None:
        parameters.lora_adapters = [library.CommonAdapterLoraInfo(str(files.adapter), 1.0)]
    parameters.n_ctx = files.context
    parameters.n_batch = BATCH
    parameters.n_parallel = 1
    parameters.cache_ram_mib = CACHE_MIB
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.warmup = False
    if files.temperature is not None:
        parameters.sampling.temp = files.temperature
    return parameters


def _shut_door(parameters: Any, folder: str) -> None:
    """Leave the HTTP server that comes with llama.cpp unreachable: only this process asks.

    It listens on a socket whose file is gone as soon as the model is loaded. Where there are no such sockets it
    listens on loopback, and asks for a key that nobody has.
    """
    parameters.ui = False
    parameters.n_threads_http = 1
    parameters.api_keys = [secrets.token_urlsafe(32)]
    address = str(Path(folder) / "closed.sock")
    if os.name == "posix" and len(address) < SOCKET_PATH_LIMIT:
        parameters.hostnames = [address]


def _cores() -> int:
    """How many cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
