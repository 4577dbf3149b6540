"""OpenAI's responses and Cohere: addresses, what is known of models, and whole runs over a local server."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any, Literal

import pytest
from aiohttp import web

from loopwright import Agent
from loopwright.core.events import CallEnded, ModelReplied
from loopwright.core.messages import Limits, Settings
from loopwright.journal.memory import MemoryJournal
from loopwright.models.catalog import default_spec, resolve
from loopwright.models.openai_compatible import OpenAICompatible
from loopwright.models.providers import Endpoint

KEY = "sk-test-0123456789abcdef"
JSON = dict[str, Any]
Name = Literal["openai-responses", "cohere"]
NAMES: list[Name] = ["openai-responses", "cohere"]


def endpoint_of(spec: str, **environ: str) -> Endpoint:
    transport = resolve(spec, environ=environ).transport
    assert isinstance(transport, OpenAICompatible)
    return transport.endpoint


@pytest.mark.parametrize("written", ["http://box/v1", "http://box/v1/", "http://box/v1/responses"])
def test_the_address_of_responses(written: str) -> None:
    assert endpoint_of("openai-responses:m", OPENAI_API_KEY=KEY).url == "https://api.openai.com/v1/responses"
    endpoint = endpoint_of("openai-responses:m", OPENAI_API_KEY=KEY, OPENAI_BASE_URL=written)
    assert endpoint.url == endpoint.stream_url == "http://box/v1/responses"


@pytest.mark.parametrize("variable", ["COHERE_API_KEY", "CO_API_KEY"])
def test_cohere_takes_its_key_from_either_variable(variable: str) -> None:
    endpoint = endpoint_of("cohere:command-a-03-2025", **{variable: KEY})
    assert endpoint.url == endpoint.stream_url == "https://api.cohere.com/v2/chat"
    assert endpoint.key_variable == variable
    spec, why = default_spec({variable: KEY})
    assert spec.startswith("cohere:")
    assert variable in why
    assert endpoint_of("cohere:m", CO_API_KEY=KEY, COHERE_BASE_URL="http://box/v2/chat").url == "http://box/v2/chat"


@pytest.mark.parametrize(
    ("model", "asked"), [("gpt-5-mini", True), ("o3", True), ("gpt-5-chat-latest", False), ("gpt-4.1", False)]
)
def test_only_models_that_think_are_asked_for_their_thoughts(model: str, *, asked: bool) -> None:
    found = resolve(f"openai-responses:{model}", environ={"OPENAI_API_KEY": KEY})
    options = _options()
    assert (b"encrypted_content" in found.dialect.body(model, [], options, stream=False)) == asked
    assert not found.capabilities.stop
    assert found.price is not None


def _options() -> Any:
    from loopwright.protocols.speech import Options

    return Options(Settings())


class Server:
    """Answers with one call a turn, then with an answer; in native form with what has to come back in its place."""

    def __init__(self, name: Name, calls: list[JSON], answer: str) -> None:
        self.name = name
        self.calls = calls
        self.answer = answer
        self.requests: list[tuple[web.BaseRequest, JSON, bytes]] = []
        self.base_url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body: JSON = json.loads(raw)
        self.requests.append((request, body, raw))
        number = len(self.requests)
        call = self.calls[number - 1] if number <= len(self.calls) else None
        said = "" if call else self.answer
        if "tools" not in body:
            said = (
                f"Thought: On it.\nAction: add {json.dumps(call)}" if call else f"Thought: Done.\nFinal Answer: {said}"
            )
            call = None
        arguments = json.dumps(call) if call else ""
        make = responses_events if self.name == "openai-responses" else cohere_events
        events, whole = make(said, arguments, number)
        if not body.get("stream"):
            return web.json_response(whole)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            await response.write(f"event: {event['type']}\r\ndata: {json.dumps(event)}\r\n\r\n".encode())
        return response


def responses_events(said: str, arguments: str, number: int) -> tuple[list[JSON], JSON]:
    output = responses_output(said, arguments, number)
    usage = {"input_tokens": 10, "output_tokens": 5}
    whole: JSON = {"object": "response", "status": "completed", "output": output, "usage": usage}
    events: list[JSON] = [{"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}]
    for index, item in enumerate(output):
        place = {"output_index": index, "item_id": item["id"]}
        empty: JSON = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": index, "item": empty})
        text = said if item["type"] == "message" else arguments if item["type"] == "function_call" else ""
        kind = "output_text" if item["type"] == "message" else "function_call_arguments"
        events += [
            {"type": f"response.{kind}.delta", "delta": piece, **place} for piece in text.partition(" ") if piece
        ]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    return [*events, {"type": "response.completed", "response": whole}], whole


def responses_output(said: str, arguments: str, number: int) -> list[JSON]:
    thought: JSON = {"id": f"rs_{number}", "type": "reasoning", "summary": [], "encrypted_content": f"gAAA{number}"}
    call: JSON = {
        "id": f"fc_{number}",
        "type": "function_call",
        "status": "completed",
        "call_id": f"call_{number}",
        "name": "add",
        "arguments": arguments,
    }
    content: list[JSON] = [{"type": "output_text", "text": said, "annotations": []}]
    message: JSON = {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": content}
    return [thought, call] if arguments else [message]


def cohere_events(said: str, arguments: str, number: int) -> tuple[list[JSON], JSON]:
    message = cohere_message(said, arguments, number)
    usage = {
        "billed_units": {"input_tokens": 1, "output_tokens": 1},
        "tokens": {"input_tokens": 10, "output_tokens": 5},
    }
    finish = "TOOL_CALL" if arguments else "COMPLETE"
    events: list[JSON] = [{"type": "message-start", "delta": {"message": {"role": "assistant", "content": []}}}]

    def happens(kind: str, **delta: Any) -> None:
        events.append({"type": kind, "index": 0, "delta": {"message": delta}})

    if arguments:
        happens("tool-plan-delta", tool_plan=message["tool_plan"])
        called = message["tool_calls"][0]
        happens("tool-call-start", tool_calls={**called, "function": {"name": "add", "arguments": ""}})
        for piece in arguments.partition(" "):
            happens("tool-call-delta", tool_calls={"function": {"arguments": piece}})
        events.append({"type": "tool-call-end", "index": 0})
    for piece in said.partition(" "):
        happens("content-delta", content={"text": piece})
    events.append({"type": "message-end", "delta": {"finish_reason": finish, "usage": usage}})
    return events, {"id": "x", "finish_reason": finish, "message": message, "usage": usage}


def cohere_message(said: str, arguments: str, number: int) -> JSON:
    function = {"name": "add", "arguments": arguments}
    calls = [{"id": f"add_{number}", "type": "function", "function": function}]
    if arguments:
        return {"role": "assistant", "tool_plan": "I add.", "tool_calls": calls}
    return {"role": "assistant", "content": [{"type": "text", "text": said}]}


@asynccontextmanager
async def serving(name: Name, calls: list[JSON]) -> AsyncGenerator[Server, None]:
    server = Server(name, calls, "It is seven.")
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


CALLS: list[JSON] = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
FIELDS = {"openai-responses": b'"input":[', "cohere": b'"messages":['}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("protocol", ["native", "text"])
@pytest.mark.parametrize("name", NAMES)
async def test_a_run_of_two_calls(name: Name, protocol: Literal["native", "text"], *, stream: bool) -> None:
    journal = MemoryJournal()
    async with serving(name, CALLS) as server:
        agent = Agent(
            f"{name}:gpt-5",
            tools=[add],
            instructions="Be exact.",
            base_url=server.base_url,
            api_key=KEY,
            protocol=protocol,
            settings=Settings(temperature=0.5, top_p=0.9, max_tokens=100),
            journal=journal,
            stream=stream,
        )
        result = await agent.run("What is 3 + 4?")
    assert (result.status, result.answer) == ("answered", "It is seven.")
    history = await journal.read(result.run_id)
    assert [bytes(event.result.data) for event in history if isinstance(event, CallEnded)] == [b"3", b"7"]
    assert [event.usage.tokens for event in history if isinstance(event, ModelReplied)] == [15, 15, 15]
    path = "/responses" if name == "openai-responses" else "/chat"
    for request, _, _ in server.requests:
        assert (request.path, request.headers["Authorization"]) == (path, f"Bearer {KEY}")
    for before, after in pairwise([raw for _, _, raw in server.requests]):
        assert after.startswith(before[: _end_of_list(before, FIELDS[name])])


def _end_of_list(body: bytes, field: bytes) -> int:
    """Where the list of a field ends, its bracket left out."""
    start = body.index(field) + len(field) - 1
    _, length = json.JSONDecoder().raw_decode(body[start:].decode())
    return start + len(body[start:].decode()[: length - 1].encode())


@pytest.mark.parametrize("stream", [True, False])
async def test_encrypted_reasoning_goes_back_in_its_place(*, stream: bool) -> None:
    async with serving("openai-responses", CALLS) as server:
        agent = Agent(
            "openai-responses:gpt-5",
            tools=[add],
            base_url=server.base_url,
            api_key=KEY,
            journal=":memory:",
            stream=stream,
        )
        await agent.run("Add.")
    body = server.requests[2][1]
    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])
    assert body["input"] == [
        {"role": "user", "content": "Add."},
        *responses_output("", json.dumps(CALLS[0]), 1),
        {"type": "function_call_output", "call_id": "call_1", "output": '{"status":"ok","data":3}'},
        *responses_output("", json.dumps(CALLS[1]), 2),
        {"type": "function_call_output", "call_id": "call_2", "output": '{"status":"ok","data":7}'},
    ]


@pytest.mark.parametrize("stream", [True, False])
async def test_coheres_plan_goes_back_in_its_place(*, stream: bool) -> None:
    async with serving("cohere", CALLS) as server:
        agent = Agent("cohere:m", tools=[add], base_url=server.base_url, api_key=KEY, journal=":memory:", stream=stream)
        await agent.run("Add.")
    assert server.requests[2][1]["messages"] == [
        {"role": "user", "content": "Add."},
        cohere_message("", json.dumps(CALLS[0]), 1),
        {"role": "tool", "tool_call_id": "add_1", "content": '{"status":"ok","data":3}'},
        cohere_message("", json.dumps(CALLS[1]), 2),
        {"role": "tool", "tool_call_id": "add_2", "content": '{"status":"ok","data":7}'},
    ]


@pytest.mark.parametrize("name", NAMES)
async def test_the_closing_question_allows_no_call(name: Name) -> None:
    async with serving(name, CALLS) as server:
        agent = Agent(
            f"{name}:m",
            tools=[add],
            base_url=server.base_url,
            api_key=KEY,
            journal=":memory:",
            limits=Limits(steps=1),
        )
        result = await agent.run("Add.")
    assert result.answer == "It is seven."
    assert len(server.requests) == 3
    assert server.requests[-1][1]["tool_choice"].lower() == "none"
    assert server.requests[-1][1]["tools"]
