"""Whole runs over local servers that speak Anthropic's and Gemini's formats, natively and as text."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any, Literal

import pytest
from aiohttp import web

from loopwright import Agent
from loopwright.core.events import CallEnded, ModelReplied
from loopwright.core.messages import Settings
from loopwright.journal.memory import MemoryJournal

KEY = "sk-ant-0123456789abcdef"
JSON = dict[str, Any]
Provider = Literal["anthropic", "gemini"]
Call = tuple[str, JSON]


class Server:
    """Answers with calls, turn by turn, then with an answer; in native form with opaque parts beside them."""

    def __init__(self, provider: Provider, turns: list[list[Call]], answer: str) -> None:
        self.provider = provider
        self.turns = turns
        self.answer = answer
        self.requests: list[tuple[web.BaseRequest, JSON, bytes]] = []
        self.base_url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body: JSON = json.loads(raw)
        self.requests.append((request, body, raw))
        number = len(self.requests)
        calls = self.turns[number - 1] if number <= len(self.turns) else []
        native = "tools" in body
        said = "" if calls else self.answer
        if not native:
            made = "\n".join(f"Action: {name} {json.dumps(arguments)}" for name, arguments in calls)
            said, calls = f"Thought: On it.\n{made or f'Final Answer: {said}'}", []
        if self.provider == "anthropic":
            streams = bool(body.get("stream"))
            events = _anthropic_stream(said, calls, number) if streams else [_anthropic_body(said, calls, number)]
        else:
            streams = request.path.endswith(":streamGenerateContent")
            events = (
                _gemini_stream(said, calls, number) if streams else [_gemini_body(_gemini_parts(said, calls, number))]
            )
        if not streams:
            return web.json_response(events[0])
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            name = f"event: {event['type']}\r\n" if "type" in event else ""
            await response.write(f"{name}data: {json.dumps(event)}\r\n\r\n".encode())
        return response


def _anthropic_blocks(said: str, calls: list[Call], number: int) -> list[JSON]:
    thinking: list[JSON] = [{"type": "thinking", "thinking": "Hm.", "signature": f"sig{number}=="}] if calls else []
    text: list[JSON] = [{"type": "text", "text": said}] if said else []
    made: list[JSON] = [
        {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": arguments}
        for place, (name, arguments) in enumerate(calls)
    ]
    return [*thinking, *text, *made]


def _anthropic_body(said: str, calls: list[Call], number: int) -> JSON:
    return {
        "type": "message",
        "role": "assistant",
        "content": _anthropic_blocks(said, calls, number),
        "stop_reason": "tool_use" if calls else "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def _anthropic_stream(said: str, calls: list[Call], number: int) -> list[JSON]:
    start: JSON = {"role": "assistant", "content": [], "usage": {"input_tokens": 10, "output_tokens": 1}}
    events: list[JSON] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(_anthropic_blocks(said, calls, number)):
        kind = block["type"]
        deltas: list[JSON]
        empty: JSON
        if kind == "thinking":
            deltas = [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
            empty = {"type": "thinking", "thinking": "", "signature": ""}
        elif kind == "text":
            deltas = [{"type": "text_delta", "text": piece} for piece in block["text"].partition(" ")]
            empty = {"type": "text", "text": ""}
        else:
            text = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", text[:5], text[5:])]
            empty = {**block, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    reason = "tool_use" if calls else "end_turn"
    return [
        *events,
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def _gemini_parts(said: str, calls: list[Call], number: int) -> list[JSON]:
    made: list[JSON] = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    if made:
        made[0]["thoughtSignature"] = f"sig{number}=="
    return [*([{"text": said}] if said else []), *made]


def _gemini_body(parts: list[JSON], finish: str | None = "STOP") -> JSON:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], "usageMetadata": usage}


def _gemini_stream(said: str, calls: list[Call], number: int) -> list[JSON]:
    pieces = [{"text": piece} for piece in said.partition(" ")] if said else []
    parts: list[JSON] = [*pieces, *_gemini_parts("", calls, number)]
    return [*(_gemini_body([part], None) for part in parts), _gemini_body([{"text": ""}])]


@asynccontextmanager
async def serving(provider: Provider, turns: list[list[Call]], answer: str) -> AsyncGenerator[Server, None]:
    server = Server(provider, turns, answer)
    application = web.Application()
    application.router.add_post("/{path:.*}", server.handle)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield server
    finally:
        await runner.cleanup()


def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: the first
        b: the second
    """
    return a + b


PROVIDERS: list[Provider] = ["anthropic", "gemini"]
TURNS: list[list[Call]] = [[("add", {"a": 1, "b": 2})], [("add", {"a": 3, "b": 4})]]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("protocol", ["native", "text"])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_run_of_two_calls(provider: Provider, protocol: Literal["native", "text"], *, stream: bool) -> None:
    journal = MemoryJournal()
    async with serving(provider, TURNS, "It is seven.") as server:
        agent = Agent(
            f"{provider}:some-model",
            tools=[add],
            instructions="Be exact.",
            base_url=server.base_url,
            api_key=KEY,
            protocol=protocol,
            settings=Settings(temperature=0.5, top_p=0.9, max_tokens=100, stop=("END",)),
            journal=journal,
            stream=stream,
        )
        result = await agent.run("What is 3 + 4?")
        await agent.model.transport.close()
    assert (result.status, result.answer) == ("answered", "It is seven.")
    history = await journal.read(result.run_id)
    results = [event.result.data for event in history if isinstance(event, CallEnded)]
    assert [bytes(data) for data in results] == [b"3", b"7"]
    assert [event.usage.tokens for event in history if isinstance(event, ModelReplied)] == [15, 15, 15]
    assert len(server.requests) == 3
    for request, _, _ in server.requests:
        check_address(provider, request, stream=stream)
    check_growth(provider, [raw for _, _, raw in server.requests])


def check_address(provider: Provider, request: web.BaseRequest, *, stream: bool) -> None:
    """Where the requests went, and that the key is in its header only."""
    assert KEY not in str(request.rel_url)
    assert "Authorization" not in request.headers
    if provider == "anthropic":
        assert request.path == "/v1/messages"
        assert (request.headers["x-api-key"], request.headers["anthropic-version"]) == (KEY, "2023-06-01")
    else:
        verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
        assert str(request.rel_url) == f"/models/some-model:{verb}"
        assert request.headers["x-goog-api-key"] == KEY


def check_growth(provider: Provider, bodies: list[bytes]) -> None:
    """Each request begins as the one before, up to the end of its messages."""
    field = b'"messages":[' if provider == "anthropic" else b'"contents":['
    for before, after in pairwise(bodies):
        start = before.index(field)
        depth, end = 0, start + len(field) - 1
        text = before.decode()
        for end in range(start + len(field) - 1, len(text)):
            depth += {"[": 1, "]": -1}.get(text[end], 0)
            if not depth:
                break
        assert after.startswith(before[:end])


@pytest.mark.parametrize("stream", [True, False])
async def test_anthropics_thinking_and_results_go_back_in_place(*, stream: bool) -> None:
    turns: list[list[Call]] = [[("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": "x"})]]
    async with serving("anthropic", turns, "Done.") as server:
        agent = Agent(
            "anthropic:m", tools=[add], base_url=server.base_url, api_key=KEY, journal=":memory:", stream=stream
        )
        result = await agent.run("Add.")
        await agent.model.transport.close()
    assert result.answer == "Done."
    body = server.requests[1][1]
    task, assistant, results = body["messages"]
    assert task == {"role": "user", "content": [{"type": "text", "text": "Add."}]}
    assert assistant["content"] == _anthropic_blocks("", turns[0], 1)
    assert results["role"] == "user"
    first, second = results["content"]
    assert first == {"type": "tool_result", "tool_use_id": "toolu_1_0", "content": '{"status":"ok","data":3}'}
    assert (second["tool_use_id"], second["is_error"]) == ("toolu_1_1", True)


@pytest.mark.parametrize("stream", [True, False])
async def test_geminis_signature_and_results_go_back_in_place(*, stream: bool) -> None:
    turns: list[list[Call]] = [[("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})]]
    async with serving("gemini", turns, "Done.") as server:
        agent = Agent("gemini:m", tools=[add], base_url=server.base_url, api_key=KEY, journal=":memory:", stream=stream)
        result = await agent.run("Add.")
        await agent.model.transport.close()
    assert result.answer == "Done."
    body = server.requests[1][1]
    task, model, results = body["contents"]
    assert task == {"role": "user", "parts": [{"text": "Add."}]}
    assert model == {"role": "model", "parts": _gemini_parts("", turns[0], 1)}
    assert results["parts"] == [
        {"functionResponse": {"name": "add", "response": {"status": "ok", "data": number}}} for number in (3, 7)
    ]
