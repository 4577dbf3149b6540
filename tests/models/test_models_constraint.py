"""Which requests keep replies to a form: what is known of the endpoint, and what the user wants; over a real server."""

import json
from typing import Any

import pytest

from loopwright import Agent, RunResult, Settings, UsageError, tool
from loopwright.core.events import CallEnded, ModelReplied
from loopwright.journal.memory import MemoryJournal
from loopwright.models.catalog import known, resolve, rule_for
from loopwright.models.providers import OPENAI, PROVIDERS
from loopwright.protocols.json_form import reply_schema
from loopwright.protocols.speech import Capabilities
from loopwright.testing.chat_server import ChatServer, Refusing, refuses
from loopwright.testing.scripted import Line, answers, calls, says

CALL = says('{"thought": "Look.", "step": {"action": "weather", "action_input": {"city": "Oslo", "days": null}}}')
ANSWER = says('{"thought": "Done.", "step": {"final_answer": "It is cold."}}')
JSON = [CALL, ANSWER]
TEXT = [calls("weather", city="Oslo"), answers("It is cold.")]
FIELDS = ("grammar", "structured_outputs", "response_format")


@tool
def weather(city: str, days: int = 1) -> str:
    """Weather in a city.

    Args:
        city: its name
        days: how many
    """
    return f"cold in {city} for {days}"


async def run_of(
    server: ChatServer, model: str, *, journal: MemoryJournal | None = None, protocol: Any = "text", **options: Any
) -> RunResult:
    agent = Agent(
        model,
        tools=[weather],
        base_url=server.base_url,
        api_key="k",
        protocol=protocol,
        journal=journal or MemoryJournal(),
        **options,
    )
    return await agent.run("Is it cold in Oslo?")


def carried(server: ChatServer, number: int = 0) -> list[str]:
    return [name for name in FIELDS if name in server.requests[number].json]


@pytest.mark.parametrize(
    ("model", "field", "replies", "wanted"),
    [
        ("llamacpp", "grammar", TEXT, None),
        ("vllm:x", "structured_outputs", JSON, None),
        ("ollama:x", "response_format", JSON, None),
        ("lmstudio:x", "response_format", JSON, None),
        ("x", "response_format", JSON, True),
        ("openai:x", "response_format", JSON, True),
    ],
)
async def test_a_run_under_each_constraint(model: str, field: str, replies: list[Line], wanted: bool | None) -> None:
    journal = MemoryJournal()
    async with ChatServer(replies) as server:
        result = await run_of(server, model, journal=journal, constrain=wanted)
    assert (result.status, result.answer, result.steps) == ("answered", "It is cold.", 1)
    assert carried(server) == carried(server, 1) == [field]
    events = await journal.read(result.run_id)
    (ended,) = [event for event in events if isinstance(event, CallEnded)]
    assert bytes(ended.result.data) == b'"cold in Oslo for 1"'
    turn = next(event.turn for event in events if isinstance(event, ModelReplied))
    assert server.requests[1].messages[-2] == {"role": "assistant", "content": turn.text}


async def test_what_the_fields_hold() -> None:
    schema = reply_schema([weather.spec]).schema
    async with ChatServer(JSON) as server:
        await run_of(server, "vllm:x")
    assert server.requests[0].json["structured_outputs"] == {"json": schema}
    async with ChatServer(JSON) as server:
        await run_of(server, "ollama:x")
    described = {"name": "step", "strict": True, "schema": schema}
    assert server.requests[0].json["response_format"] == {"type": "json_schema", "json_schema": described}
    async with ChatServer(TEXT) as server:
        await run_of(server, "llamacpp")
    assert 'tool-0 ::= "weather "' in server.requests[0].json["grammar"]


async def test_a_server_that_ignores_the_field_is_read_as_text() -> None:
    said = [says('Thought: a\nAction: weather {"city": "Oslo"}'), says("Thought: b\nFinal Answer: It is cold.")]
    async with ChatServer(said) as server:
        result = await run_of(server, "vllm:x")
    assert (result.answer, result.steps) == ("It is cold.", 1)


@pytest.mark.parametrize("model", ["openai:gpt-4.1", "mistral:x", "x"])
async def test_nothing_is_asked_where_nothing_is_known(model: str) -> None:
    async with ChatServer(TEXT) as server:
        result = await run_of(server, model)
    assert result.answer == "It is cold."
    assert carried(server) == []


@pytest.mark.parametrize("model", ["llamacpp", "vllm:x", "ollama:x"])
async def test_it_can_be_turned_off(model: str) -> None:
    async with ChatServer(TEXT) as server:
        result = await run_of(server, model, constrain=False)
    assert result.answer == "It is cold."
    assert carried(server) == carried(server, 1) == []
    assert "Action:" in str(server.requests[0].messages[0]["content"])


async def test_native_requests_carry_none() -> None:
    async with ChatServer(TEXT) as server:
        await run_of(server, "vllm:x", protocol="native")
    assert carried(server) == []
    assert server.requests[0].tools == ["weather"]


async def test_a_form_of_the_users_own_takes_its_place() -> None:
    own = {"response_format": {"type": "text"}}
    async with ChatServer(TEXT) as server:
        await run_of(server, "ollama:x", settings=Settings(extra=own))
        assert server.requests[0].json["response_format"] == {"type": "text"}
        assert "Action:" in str(server.requests[0].messages[0]["content"])
        with pytest.raises(UsageError, match=r"response_format.*leave constrain out"):
            await run_of(server, "ollama:x", settings=Settings(extra=own), constrain=True)


@pytest.mark.parametrize(
    ("model", "protocol", "words"), [("anthropic:x", "text", "without constraints"), ("vllm:x", "native", "text or")]
)
async def test_what_cannot_be_is_said_at_once(model: str, protocol: str, words: str) -> None:
    async with ChatServer([]) as server:
        with pytest.raises(UsageError, match=words):
            await run_of(server, model, protocol=protocol, constrain=True)


@pytest.mark.parametrize(
    "refusal",
    [
        refuses(400, "This model does not support response format `json_schema`."),
        refuses(400, "Invalid schema for response_format 'step': In context=(), 'x' is not permitted.", code="bad"),
        Refusing(422, json.dumps({"detail": [{"loc": ["body", "response_format"], "msg": "extra"}]}).encode()),
    ],
)
async def test_a_refused_constraint_says_what_to_do(refusal: Refusing) -> None:
    async with ChatServer([refusal]) as server:
        result = await run_of(server, "ollama:x")
    assert result.status == "failed"
    assert "--no-constrain" in result.reason
    assert "constrain=False" in result.reason
    server.assert_done()


async def test_other_refusals_do_not_speak_of_it() -> None:
    async with ChatServer([refuses(400, "seed must be positive"), refuses(400, "no response_format")]) as server:
        first = await run_of(server, "ollama:x")
        second = await run_of(server, "ollama:x", constrain=False)
    assert "constrain" not in first.reason
    assert "constrain" not in second.reason


def capabilities(spec: str) -> Capabilities:
    return resolve(spec, api_key="k", environ={}).capabilities


@pytest.mark.parametrize(
    ("spec", "tools", "stop", "constraint", "images"),
    [
        ("openai:gpt-4o-mini", True, True, "json_schema", True),
        ("openai:gpt-4o-2024-05-13", True, True, "", False),
        ("openai:gpt-4.1-mini", True, True, "json_schema", True),
        ("openai:gpt-6", True, True, "json_schema", False),
        ("openai:gpt-5-mini", True, False, "json_schema", True),
        ("openai:gpt-5-chat-latest", True, True, "", True),
        ("openai:o1-mini", False, False, "", False),
        ("openai:o1-preview-2024-09-12", False, False, "", False),
        ("openai:o3-mini", True, False, "json_schema", False),
        ("openai:o3", True, False, "json_schema", True),
        ("openai:chatgpt-4o-latest", False, True, "", True),
        ("openai:gpt-4", True, True, "", False),
        ("openai:gpt-4-turbo-2024-04-09", True, True, "", True),
        ("openai:gpt-4-turbo-preview", True, True, "", False),
        ("openai:gpt-3.5-turbo", True, True, "", False),
        ("openai-responses:gpt-5", True, False, "", True),
        ("anthropic:claude-sonnet-4-5", True, True, "", True),
        ("anthropic:claude-2.1", False, True, "", False),
        ("gemini:gemini-2.5-flash", True, True, "", True),
        ("gemini:gemma-3-27b-it", False, True, "", False),
        ("deepseek:deepseek-reasoner", True, True, "", False),
        ("groq:groq/compound-mini", False, True, "", False),
        ("groq:openai/gpt-oss-20b", True, True, "", False),
        ("mistral:mistral-small-latest", True, True, "json_schema", True),
        ("mistral:codestral-mamba-latest", True, True, "", False),
        ("openrouter:anything/at-all", True, True, "", False),
        ("ollama:gemma:2b", False, True, "json_schema", False),
        ("ollama:Gemma2", False, True, "json_schema", False),
        ("ollama:gemma3:12b", False, True, "json_schema", True),
        ("ollama:gemma3:1b", False, True, "json_schema", False),
        ("ollama:llama3", False, True, "json_schema", False),
        ("ollama:llama3.1:8b", True, True, "json_schema", False),
        ("ollama:llama3.2-vision:11b", False, True, "json_schema", True),
        ("ollama:phi4", False, True, "json_schema", False),
        ("ollama:phi4-mini", True, True, "json_schema", False),
        ("ollama:qwen3:8b", True, True, "json_schema", False),
        ("vllm:anything", True, True, "structured_outputs", False),
        ("llamacpp", True, True, "grammar", False),
        ("lmstudio:anything", True, True, "json_schema", False),
    ],
)
def test_what_is_known_of_models(spec: str, tools: bool, stop: bool, constraint: str, images: bool) -> None:
    found = capabilities(spec)
    assert (found.tools, found.stop, found.constraint, found.images) == (tools, stop, constraint, images)


@pytest.mark.parametrize(
    ("model", "address", "field"),
    [
        ("gpt-4.1", OPENAI.base_url, "max_completion_tokens"),
        ("gpt-3.5-turbo", OPENAI.base_url, "max_completion_tokens"),
        ("gpt-4.1", "http://gateway/v1", "max_tokens"),
        ("o3", "http://gateway/v1", "max_completion_tokens"),
    ],
)
def test_how_tokens_are_limited(model: str, address: str, field: str) -> None:
    assert rule_for(OPENAI, model, address).limit_field == field


def test_auto_takes_the_text_form_for_a_model_without_tools() -> None:
    agent = Agent("ollama:gemma:2b", tools=[weather], base_url="http://127.0.0.1:1/v1", journal=MemoryJournal())
    assert not agent.model.capabilities.tools
    with pytest.raises(UsageError, match="has no tool calling"):
        Agent("ollama:gemma:2b", protocol="native", journal=MemoryJournal())


def test_what_is_known_can_be_listed() -> None:
    found = {model.name: model for model in known({})}
    assert found["local"].capabilities.constraint == "grammar"
    assert found["ollama"].rules == PROVIDERS["ollama"].rules
    assert any(rule.pattern == "gemma:*" and not rule.capabilities.tools for rule in found["ollama"].rules)
