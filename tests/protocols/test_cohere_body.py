"""Requests in Cohere's chat format, whole bodies, and what goes back to the provider."""

import json
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn, Usage
from loopwright.protocols.cohere import CohereChat, read_message
from loopwright.protocols.native import Native, read
from loopwright.protocols.speech import Message, Options, WireCall

JSON = dict[str, Any]
SCHEMA: JSON = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("weather", "Weather of a city", SCHEMA)
PERTH = '{"city":"Perth"}'
CALLED: JSON = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": PERTH}}
PLANNED: JSON = {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALLED]}


def encoded(message: Message) -> JSON:
    return json.loads(CohereChat().message(message))


def request(options: Options, *, stream: bool = False) -> JSON:
    dialect = CohereChat()
    messages = [dialect.message(Message("system", "Be brief")), dialect.message(Message("user", "Hello"))]
    return json.loads(dialect.body("command-a", messages, options, stream=stream))


def response(message: JSON, finish: str = "TOOL_CALL", **fields: Any) -> JSON:
    return {"id": "x", "finish_reason": finish, "message": message, **fields}


def sent_back(turn: Turn) -> JSON:
    return encoded(Native().turn(turn))


def test_a_request_holds_nothing_that_was_not_asked_for() -> None:
    assert request(Options(Settings())) == {
        "model": "command-a",
        "messages": [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Hello"}],
        "stream": False,
    }


def test_settings_and_limits() -> None:
    settings = Settings(temperature=0.5, top_p=0.9, max_tokens=200, seed=3, stop=("A",), extra={"safety_mode": "OFF"})
    tools = CohereChat().tools([WEATHER])
    made = request(Options(settings, max_tokens=100, tools=tools, tool_choice="none", stop=("A", "B")), stream=True)
    assert {key: value for key, value in made.items() if key not in ("messages", "model", "tools")} == {
        "temperature": 0.5,
        "p": 0.9,
        "seed": 3,
        "max_tokens": 100,
        "stop_sequences": ["A", "B"],
        "tool_choice": "NONE",
        "safety_mode": "OFF",
        "stream": True,
    }
    function = {"name": "weather", "description": "Weather of a city", "parameters": SCHEMA}
    assert made["tools"] == [{"type": "function", "function": function}]
    assert CohereChat().tools([]) == b""


def test_extra_fields() -> None:
    made = request(Options(Settings(extra={"model": "other", "tools": []}), tool_choice="none"))
    assert (made["model"], made["tools"]) == ("other", [])
    assert "tool_choice" not in made
    with pytest.raises(UsageError, match="messages"):
        request(Options(Settings(extra={"messages": []})))


def test_requests_of_a_run_begin_alike() -> None:
    dialect = CohereChat()
    messages = [dialect.message(Message("user", "Hello"))]
    first = dialect.body("m", messages, Options(Settings()), stream=True)
    messages += [dialect.message(Message("assistant", "Hi"))]
    assert dialect.body("m", messages, Options(Settings(), 5), stream=True).startswith(first[: first.index(b"]")])


def test_results_and_turns_of_another_way() -> None:
    call = Call("weather", {"city": "Perth"}, id="1.1", text="{'city': 'Perth'}", state="repaired")
    wired = {**CALLED, "id": "c00001001"}
    assert sent_back(Turn("I look", (call,))) == {"role": "assistant", "tool_plan": "I look", "tool_calls": [wired]}
    assert sent_back(Turn(calls=(call,))) == {"role": "assistant", "tool_calls": [wired]}
    [result] = Native().results([(call, Result(data=Raw(b'"Sunny"')))])
    assert encoded(result) == {"role": "tool", "tool_call_id": "c00001001", "content": '{"status":"ok","data":"Sunny"}'}


def test_the_providers_own_message_goes_back_unchanged() -> None:
    reply = read_message(response({**PLANNED, "citations": []}))
    turn = read(reply, [WEATHER]).numbered(1, 8)
    assert turn.reasoning == "I look."
    assert CohereChat().message(Native().turn(turn)) == turn.opaque
    assert sent_back(turn) == {**PLANNED, "citations": []}


def test_own_calls_that_would_be_refused_are_written_anew() -> None:
    nameless = {**CALLED, "id": ""}
    turn = read(read_message(response({**PLANNED, "tool_calls": [CALLED, nameless]})), [WEATHER]).numbered(1, 8)
    assert sent_back(turn) == {**PLANNED, "tool_calls": [CALLED, {**CALLED, "id": "c00001002"}]}
    without = replace(turn, calls=(), text="So")
    assert sent_back(without) == {"role": "assistant", "tool_plan": "I look."}
    unsaid = replace(turn, opaque=json.dumps({"tool_calls": [CALLED, CALLED]}).encode(), calls=turn.calls[:1])
    assert sent_back(unsaid) == {"role": "assistant", "tool_calls": [CALLED]}
    roleless = replace(unsaid, opaque=json.dumps({"tool_calls": [CALLED]}).encode())
    assert sent_back(roleless) == {"role": "assistant", "tool_calls": [CALLED]}


def test_whole_bodies() -> None:
    usage = {"tokens": {"input_tokens": 20, "output_tokens": 5}}
    reply = read_message(json.dumps(response(PLANNED, usage=usage)).encode())
    assert reply.calls == (WireCall("c1", "weather", PERTH),)
    assert (reply.complete, reply.finish, reply.usage) == (True, "TOOL_CALL", Usage(20, 5))
    parts = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Hi"}]
    said = read_message(response({"role": "assistant", "content": parts}, "COMPLETE"))
    assert (said.text, said.reasoning) == ("Hi", "Hm.")
    assert json.loads(said.opaque) == {"role": "assistant", "content": parts}
    assert read_message(response({"content": "Hi"}, "COMPLETE")).opaque == b""
    assert read_message(response(PLANNED, "MAX_TOKENS")).finish == "length"
    assert read_message(response({"tool_calls": [{**CALLED, "function": {"name": "clock"}}]})).complete


@pytest.mark.parametrize(
    ("body", "error"),
    [({"message": "invalid api token"}, "invalid api token"), ({"error": {"message": "bad"}, "message": {}}, "bad")],
)
def test_errors_in_whole_bodies(body: JSON, error: str) -> None:
    reply = read_message(body)
    assert (reply.error, reply.complete) == (error, False)


def test_bodies_that_are_not_finished() -> None:
    assert not read_message(response(PLANNED, "ERROR")).complete
    whole = json.dumps(response(PLANNED)).encode()
    for length in range(len(whole)):
        assert not read_message(whole[:length]).complete
