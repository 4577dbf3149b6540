"""Calls that came broken, twice or unmeant: none runs with a character that nobody wrote, and none runs twice."""

import json
from typing import Any

import pytest

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.anthropic import Anthropic
from loopwright.protocols.gemini import Gemini
from loopwright.protocols.native import read
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.speech import Dialect, Reply

TOOLS = [ToolSpec("add", parameters={"type": "object", "properties": {"a": {"type": "string"}}})]


def reply_of(dialect: Dialect, *data: bytes) -> Reply:
    reader = dialect.reader(stream=len(data) > 1)
    for part in data:
        reader.feed(part).encode()  # what is shown to whoever watches can always be written
    return reader.close()


def calls_of(dialect: Dialect, *data: bytes) -> tuple[Call, ...]:
    return read(reply_of(dialect, *data), TOOLS).calls


def chat(function: dict[str, Any], **fields: Any) -> bytes:
    called = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [called], **fields}
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode()


CHAT = chat({"name": "add", "arguments": '{"a": "x@"}'})
CHAT_OBJECT = chat({"name": "add", "arguments": {"a": "x@"}})
CLAUDE = json.dumps(
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "add", "input": {"a": "x@"}}],
        "stop_reason": "tool_use",
    }
).encode()
GOOGLE = json.dumps(
    {"candidates": [{"content": {"parts": [{"functionCall": {"name": "add", "args": {"a": "x@"}}}]}}]}
).encode()
WIRES = {
    "chat": (OpenAIChat(), CHAT),
    "chat with an object": (OpenAIChat(), CHAT_OBJECT),
    "messages": (Anthropic(), CLAUDE),
    "gemini": (Gemini(), GOOGLE),
}
BROKEN = {"cut character": b"\xe2\x82", "no character": b"\xff", "half of a pair": b"\\ud83d"}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("written", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_character_in_arguments_is_not_guessed(wire: str, written: bytes) -> None:
    dialect, data = WIRES[wire]
    (call,) = calls_of(dialect, data.replace(b"@", written))
    assert (call.state, call.arguments) == ("rejected", {})
    assert "half of a character" in call.reason
    call.text.encode()


@pytest.mark.parametrize("wire", WIRES)
def test_a_whole_pair_is_one_character(wire: str) -> None:
    dialect, data = WIRES[wire]
    (call,) = calls_of(dialect, data.replace(b"@", b"\\ud83d\\ude00"))
    assert (call.state, call.arguments) == ("strict", {"a": "x\U0001f600"})


def test_a_mark_that_the_model_wrote_itself_is_a_character_as_any() -> None:
    (call,) = calls_of(OpenAIChat(), CHAT.replace(b"@", "\ufffd".encode()))
    assert (call.state, call.arguments) == ("strict", {"a": "x\ufffd"})


def test_a_character_that_is_cut_in_two_by_events_is_not_guessed() -> None:
    head = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":'
    end = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
    first = head + b'{"name":"add","arguments":"{\\"a\\": \\"\xe2"}}]}}]}\n\n'
    second = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\x82\xac\\"}"}}]'
    (call,) = calls_of(OpenAIChat(), first, second + b"}}]}\n\n", end)
    assert call.state == "rejected"


def test_text_keeps_a_mark_for_what_is_no_character() -> None:
    data = b'data: {"choices":[{"index":0,"delta":{"content":"a\xff"}}]}\n\n'
    assert reply_of(OpenAIChat(), data, b"data: [DONE]\n\n").text == "a\ufffd"


def test_a_call_that_an_older_field_mirrors_is_made_once() -> None:
    function = {"name": "add", "arguments": '{"a": "x"}'}
    assert len(calls_of(OpenAIChat(), chat(function, function_call=function))) == 1
    other = {"name": "add", "arguments": '{"a": "y"}'}
    assert len(calls_of(OpenAIChat(), chat(function, function_call=other))) == 2


def test_a_stream_may_mirror_its_calls_too() -> None:
    function = '{"name":"add","arguments":"{}"}'
    delta = f'"tool_calls":[{{"index":0,"id":"c1","function":{function}}}],"function_call":{function}'
    data = f'data: {{"choices":[{{"index":0,"delta":{{{delta}}},"finish_reason":"tool_calls"}}]}}\n\n'
    assert [call.state for call in calls_of(OpenAIChat(), data.encode(), b"data: [DONE]\n\n")] == ["strict"]


@pytest.mark.parametrize("function", [{"name": "add"}, {"name": "add", "arguments": None}], ids=["missing", "null"])
def test_arguments_that_are_not_there_were_none_by_a_repair(function: dict[str, Any]) -> None:
    (call,) = calls_of(OpenAIChat(), chat(function))
    assert (call.state, call.arguments) == ("repaired", {})


def test_a_call_inside_a_thought_of_gemini_is_not_meant() -> None:
    part = {"thought": True, "functionCall": {"name": "add", "args": {"a": "x"}}}
    data = json.dumps({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}).encode()
    assert [call.state for call in calls_of(Gemini(), data)] == ["rejected"]


def test_an_error_of_a_choice_is_the_error_of_the_reply() -> None:
    choice = '{"index":0,"error":{"message":"overloaded"},"delta":{"content":"hi"}}'
    streamed = reply_of(OpenAIChat(), f'data: {{"choices":[{choice}]}}\n\n'.encode(), b"data: [DONE]\n\n")
    whole = reply_of(OpenAIChat(), f'{{"choices":[{choice.replace("delta", "message")}]}}'.encode())
    assert [(reply.error, reply.complete) for reply in (streamed, whole)] == [("overloaded", False)] * 2
