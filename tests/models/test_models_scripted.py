"""The scripted model and the chat server are part of the product, so they are held to their word."""

from typing import Any

import msgspec
import pytest

from loopwright.core.errors import ModelError
from loopwright.protocols.speech import Reply
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import (
    Asked,
    Entry,
    Line,
    ScriptedModel,
    answers,
    calls,
    calls_with,
    fails,
    says,
    way_of,
)

NATIVE: dict[str, Any] = {"messages": [{"role": "user", "content": "x"}], "tools": [{"function": {"name": "f"}}]}
TEXT: dict[str, Any] = {"messages": [{"role": "system", "content": "Write Action: … or end with Final Answer: …"}]}


async def reply_of(model: ScriptedModel, request: dict[str, Any], *, stream: bool = False) -> Reply:
    reader = model.dialect.reader(stream=stream)
    body = {**request, "stream": stream, "stream_options": {"include_usage": True}}

    def feed(data: bytes) -> None:
        reader.feed(data)

    await model.transport.send(msgspec.json.encode(body), feed, stream=stream, timeout=None)
    return reader.close()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("piece", [0, 1])
async def test_natively_a_call_is_a_call(stream: bool, piece: int) -> None:
    model = ScriptedModel(replies=[calls("f", city="Zürich") + calls_with("g", "{broken")], piece=piece)
    reply = await reply_of(model, NATIVE, stream=stream)
    assert [(call.id, call.name, call.arguments) for call in reply.calls] == [
        ("call_1_1", "f", '{"city":"Zürich"}'),
        ("call_1_2", "g", "{broken"),
    ]
    assert reply.finish == "tool_calls"
    assert reply.usage is not None
    model.assert_done()


@pytest.mark.parametrize("stream", [False, True])
async def test_as_text_a_call_is_written(stream: bool) -> None:
    model = ScriptedModel(replies=[calls("f", a=1).thinking("Hm."), answers("42").thinking("Done.")])
    assert (await reply_of(model, TEXT, stream=stream)).text == 'Thought: Hm.\nAction: f {"a":1}'
    assert (await reply_of(model, TEXT, stream=stream)).text == "Thought: Done.\nFinal Answer: 42"


@pytest.mark.parametrize("stream", [False, True])
async def test_natively_an_answer_is_plain_content(stream: bool) -> None:
    model = ScriptedModel(replies=[answers("42").thinking("Easy.")])
    reply = await reply_of(model, NATIVE, stream=stream)
    assert (reply.text, reply.reasoning, reply.finish) == ("42", "Easy.", "stop")


@pytest.mark.parametrize("stream", [False, True])
async def test_details_of_a_reply(stream: bool) -> None:
    model = ScriptedModel(
        replies=[says("  a\n b  ").finished("length").using(7, 3).reasoned("why"), says("b").without_usage()]
    )
    reply = await reply_of(model, NATIVE, stream=stream)
    assert (reply.text, reply.finish, reply.reasoning) == ("  a\n b  ", "length", "why")
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 3)
    assert (await reply_of(model, NATIVE, stream=stream)).usage is None


async def test_the_way_is_seen_from_the_request_or_set() -> None:
    assert way_of(NATIVE) == "native"
    assert way_of(TEXT) == "text"
    assert way_of({"messages": [*TEXT["messages"], {"role": "tool", "content": "x"}]}) == "text"
    model = ScriptedModel(replies=[answers("42")], way="text")
    assert (await reply_of(model, NATIVE)).text == "Final Answer: 42"


async def test_requests_are_kept() -> None:
    model = ScriptedModel(replies=["a"])
    await reply_of(model, NATIVE)
    assert [asked.tools for asked in model.requests] == [["f"]]
    assert model.requests[0].messages == NATIVE["messages"]


async def test_a_function_answers_when_its_turn_comes() -> None:
    def echo(asked: Asked) -> Entry:
        return says(f"request {asked.number}")

    model = ScriptedModel(replies=[echo, echo])
    assert [(await reply_of(model, NATIVE)).text for _ in range(2)] == ["request 1", "request 2"]


async def test_a_failure_of_the_script() -> None:
    model = ScriptedModel(replies=[fails("timeout", "too slow", lost=True)])
    with pytest.raises(ModelError, match="too slow") as caught:
        await reply_of(model, NATIVE)
    assert (caught.value.failure, caught.value.lost) == ("timeout", True)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("line", [says("one two three"), calls("f", a="one two three"), says("")])
async def test_a_cut_reply_is_never_complete(line: Line, stream: bool) -> None:
    model = ScriptedModel(replies=[line.cut()])
    reader = model.dialect.reader(stream=stream)

    def feed(data: bytes) -> None:
        reader.feed(data)

    with pytest.raises(ModelError) as caught:
        await model.transport.send(msgspec.json.encode({**NATIVE, "stream": stream}), feed, stream=stream, timeout=None)
    assert (caught.value.failure, caught.value.lost) == ("network", True)
    assert not reader.close().complete


async def test_a_script_that_runs_out_complains() -> None:
    model = ScriptedModel(replies=[])
    with pytest.raises(AssertionError, match="0 replies and is asked for one more"):
        await reply_of(model, NATIVE)


async def test_a_script_that_is_not_used_up_complains() -> None:
    model = ScriptedModel(replies=["a", "b"])
    await reply_of(model, NATIVE)
    with pytest.raises(AssertionError, match="1 of 2 replies"):
        model.assert_done()


def test_two_models_share_nothing() -> None:
    first, second = ScriptedModel(replies=["a"]), ScriptedModel(replies=["b"])
    assert first.transport is not second.transport


async def test_a_server_whose_script_is_not_used_up_complains() -> None:
    async with ChatServer(["a"]) as server:
        pass
    with pytest.raises(AssertionError, match="1 replies, but 0 requests"):
        server.assert_done()
