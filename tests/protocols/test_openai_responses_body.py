"""Requests in OpenAI's responses format, whole bodies, and what goes back to the provider."""

import json
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn
from loopwright.protocols.native import Native, read
from loopwright.protocols.openai_chat import UNREADABLE_KEY
from loopwright.protocols.openai_responses import OpenAIResponses, read_message
from loopwright.protocols.speech import Message, Options, WireCall

JSON = dict[str, Any]
SCHEMA: JSON = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = ToolSpec("weather", "Weather of a city", SCHEMA)
PERTH = '{"city":"Perth"}'
THOUGHT: JSON = {"id": "rs_1", "type": "reasoning", "encrypted_content": "gAAA", "summary": []}
CALLED: JSON = {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "weather", "arguments": PERTH}


def items(message: Message) -> list[JSON]:
    return json.loads(b"[" + OpenAIResponses().message(message) + b"]")


def request(options: Options, *, reasons: bool = False, stream: bool = False) -> JSON:
    dialect = OpenAIResponses(reasons=reasons)
    messages = [dialect.message(Message("user", "Hello")), b"", dialect.message(Message("assistant", "Hi"))]
    return json.loads(dialect.body("gpt-5", messages, options, stream=stream))


def response(*output: JSON, status: str = "completed", **fields: Any) -> JSON:
    return {"object": "response", "status": status, "error": None, "output": list(output), **fields}


def sent_back(turn: Turn) -> list[JSON]:
    return items(Native().turn(turn))


def test_a_request_holds_nothing_that_was_not_asked_for() -> None:
    assert request(Options(Settings())) == {
        "model": "gpt-5",
        "input": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
        "store": False,
    }


def test_settings_and_limits() -> None:
    settings = Settings(temperature=0.5, top_p=0.9, max_tokens=200, extra={"reasoning": {"effort": "low"}})
    options = Options(settings, max_tokens=100, tools=OpenAIResponses().tools([WEATHER]), tool_choice="none")
    made = request(replace(options, grammar="root ::= x"), reasons=True, stream=True)
    assert {key: value for key, value in made.items() if key not in ("input", "model", "tools")} == {
        "temperature": 0.5,
        "top_p": 0.9,
        "max_output_tokens": 100,
        "tool_choice": "none",
        "grammar": "root ::= x",
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "stream": True,
        "reasoning": {"effort": "low"},
    }
    assert made["tools"] == [
        {
            "type": "function",
            "name": "weather",
            "description": "Weather of a city",
            "parameters": SCHEMA,
            "strict": False,
        }
    ]


def test_what_the_server_keeps_need_not_come_back() -> None:
    made = request(Options(Settings(extra={"store": True, "model": "other", "tools": []})), reasons=True)
    assert (made["store"], made["model"], made["tools"]) == (True, "other", [])
    assert "include" not in made
    assert "tool_choice" not in request(Options(Settings(), tool_choice="none"))
    assert OpenAIResponses().tools([]) == b""


@pytest.mark.parametrize(
    "settings",
    [
        Settings(stop=("x",)),
        Settings(seed=0),
        *(Settings(extra={name: 1}) for name in ("input", "previous_response_id", "conversation")),
    ],
)
def test_what_cannot_be_sent_is_refused(settings: Settings) -> None:
    with pytest.raises(UsageError):
        request(Options(settings))


def test_stop_marks_of_a_speech_are_left_out() -> None:
    assert "stop" not in request(Options(Settings(), stop=("Observation:",)))


def test_requests_of_a_run_begin_alike() -> None:
    dialect = OpenAIResponses()
    messages = [dialect.message(Message("user", "Hello"))]
    first = dialect.body("m", messages, Options(Settings()), stream=True)
    messages += [dialect.message(Message("assistant", "Hi"))]
    closing = Options(Settings(), max_tokens=5, tool_choice="none")
    assert dialect.body("m", messages, closing, stream=True).startswith(first[: first.index(b"]")])


def test_results_and_turns_of_another_way() -> None:
    call = Call("weather", {"city": "Perth"}, id="1.1", text=PERTH)
    turn = Turn("I look", (call,))
    made = sent_back(turn)
    assert made[0] == {"role": "assistant", "content": "I look"}
    assert made[1] == {"type": "function_call", "call_id": "c00001001", "name": "weather", "arguments": PERTH}
    [result] = Native().results([(call, Result(data=Raw(b'"Sunny"')))])
    assert items(result) == [
        {"type": "function_call_output", "call_id": "c00001001", "output": '{"status":"ok","data":"Sunny"}'}
    ]
    assert items(Message("system", "Be brief")) == [{"role": "system", "content": "Be brief"}]
    assert items(Message("assistant", "", turn=Turn())) == []


def test_arguments_that_are_no_json_go_back_as_json() -> None:
    rejected = Call("weather", text='{"city', state="rejected", provider_id="c1")
    repaired = Call("weather", {"city": "Perth"}, text="{'city': 'Perth'}", state="repaired", provider_id="c2")
    odd = Call("weather", text='{"city":1}', state="rejected", provider_id="c3")
    assert [item["arguments"] for item in sent_back(Turn(calls=(rejected, repaired, odd)))] == [
        json.dumps({UNREADABLE_KEY: '{"city'}, separators=(",", ":")),
        PERTH,
        '{"city":1}',
    ]


def test_the_providers_own_items_go_back_unchanged_and_in_place() -> None:
    said: JSON = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "a"}],
    }
    reply = read_message(response(THOUGHT, said, CALLED))
    turn = read(reply, [WEATHER]).numbered(1, 8)
    assert turn.opaque
    assert OpenAIResponses().message(Native().turn(turn)) == reply.opaque[1:-1]
    assert sent_back(turn) == [THOUGHT, said, CALLED]


def test_own_items_that_would_be_refused_are_changed_as_little_as_can_be() -> None:
    twice = {**CALLED, "id": "fc_2", "arguments": "{'city': 'Perth'}"}
    turn = read(read_message(response(THOUGHT, CALLED, twice)), [WEATHER]).numbered(1, 8)
    made = sent_back(turn)
    assert made[:2] == [THOUGHT, CALLED]
    assert made[2] == {**twice, "call_id": "c00001002", "arguments": PERTH}


def test_reasoning_that_only_the_server_had_is_left_out_with_its_ids() -> None:
    hollow: JSON = {"id": "rs_1", "type": "reasoning", "summary": []}
    turn = read(read_message(response(hollow, CALLED)), [WEATHER]).numbered(1, 8)
    assert sent_back(turn) == [{key: value for key, value in CALLED.items() if key != "id"}]
    plain = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm"}]}
    assert sent_back(read(read_message(response(plain, CALLED)), []).numbered(1, 8)) == [plain, CALLED]


def test_own_items_that_are_not_the_calls_of_the_turn_do_not_go_back() -> None:
    turn = read(read_message(response(THOUGHT, CALLED)), [WEATHER])
    assert sent_back(replace(turn, calls=(), text="So")) == [{"role": "assistant", "content": "So"}]


def test_whole_bodies() -> None:
    usage = {"input_tokens": 3, "output_tokens": 2}
    reply = read_message(json.dumps(response(CALLED, usage=usage)).encode())
    assert reply.calls == (WireCall("c1", "weather", PERTH),)
    assert reply.complete
    assert reply.usage is not None
    assert read_message({"response": response(CALLED)}).calls == reply.calls
    assert read_message({"output": [{"type": "message", "content": "Hi"}]}).text == "Hi"
    cut = read_message(response(CALLED, status="incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert (cut.finish, cut.complete) == ("length", True)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": {"message": "bad", "code": "x"}}, "bad (x)"),
        ({"message": "not here"}, "not here"),
        (response(status="failed"), "failed"),
    ],
)
def test_errors_in_whole_bodies(body: JSON, error: str) -> None:
    reply = read_message(body)
    assert error in reply.error
    assert not reply.complete


def test_bodies_that_are_not_finished() -> None:
    assert not read_message(response(CALLED, status="in_progress")).complete
    whole = json.dumps(response(CALLED)).encode()
    for length in range(len(whole)):
        assert not read_message(whole[:length]).complete
