"""Requests as providers take them, and replies that come in one piece."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Settings, ToolSpec, Turn, Usage
from loopwright.protocols.openai_chat import UNREADABLE_KEY, OpenAIChat, Reader, read_error, read_message
from loopwright.protocols.speech import Message, Options, Reply, WireCall

JSON = dict[str, Any]
DIALECT = OpenAIChat()


def encode(message: Message) -> JSON:
    return json.loads(DIALECT.message(message))


def body(options: Options, *, stream: bool = False, dialect: OpenAIChat = DIALECT) -> JSON:
    return json.loads(dialect.body("m", [b'{"role":"user","content":"hi"}'], options, stream=stream))


def wired(call_id: str, arguments: Any, **fields: Any) -> JSON:
    return {"id": call_id, "type": "function", "function": {"name": "get", "arguments": arguments}, **fields}


def test_messages_of_every_role() -> None:
    assert encode(Message("system", "Be brief")) == {"role": "system", "content": "Be brief"}
    assert encode(Message("user", "Grüße \ud800")) == {"role": "user", "content": "Grüße \ufffd"}
    assert encode(Message("assistant", "ok")) == {"role": "assistant", "content": "ok"}
    assert encode(Message("tool", "{}", call=Call("get", provider_id="c1"))) == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "{}",
    }
    assert encode(Message("tool", "no call")) == {"role": "tool", "content": "no call"}


ARGUMENTS = [
    (Call("get", {"a": 1}, text='{ "a": 1 }'), '{ "a": 1 }'),
    (Call("get", {"a": 1}, text="{'a': 1}", state="repaired"), '{"a":1}'),
    (Call("get", {"q": '{"a": 1}'}, text='{"a": 1}'), '{"q":"{\\"a\\": 1}"}'),
    (Call("get", {"city": "Paris"}, text="Paris"), '{"city":"Paris"}'),
    (Call("get", text=""), "{}"),
    (Call("get", text='{"a":1,"a":2}', state="rejected"), '{"a":1,"a":2}'),
    (
        Call("get", text='{"a": "cut', state="rejected"),
        json.dumps({UNREADABLE_KEY: '{"a": "cut'}, separators=(",", ":")),
    ),
]


@pytest.mark.parametrize(("call", "arguments"), ARGUMENTS)
def test_calls_go_back_with_arguments_that_are_json(call: Call, arguments: str) -> None:
    sent = encode(Message("assistant", "", turn=Turn(calls=(call,))))
    assert sent["content"] is None
    assert sent["tool_calls"][0]["function"] == {"name": "get", "arguments": arguments}


def own(message: JSON, *calls: Call, text: str = "") -> bytes:
    turn = Turn(text=text, calls=calls, opaque=json.dumps(message, indent=1).encode())
    return DIALECT.message(Message("assistant", text, turn=turn))


def test_the_providers_own_message_goes_back_byte_for_byte() -> None:
    message = {"role": "assistant", "content": None, "signature": "é", "tool_calls": [wired("c1", '{"a": 1}')]}
    call = Call("get", {"a": 1}, text='{"a": 1}', provider_id="c1")
    assert own(message, call) == json.dumps(message, indent=1).encode()
    final = {"role": "assistant", "content": "Done", "reasoning_content": "hm"}
    assert own(final, text="Done") == json.dumps(final, indent=1).encode()


def test_only_what_would_be_refused_is_replaced_in_the_providers_message() -> None:
    message = {
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [
            wired("x", '{"a": "cut', signature="s"),
            wired("x", '{"b": 1}'),
            wired("y", {"c": 1}),
            {"id": "z"},
        ],
    }
    sent = json.loads(
        own(
            message,
            Call("get", text='{"a": "cut', state="rejected", provider_id="x"),
            Call("get", {"b": 1}, text='{"b": 1}', provider_id="c00001002"),
            Call("get", {"c": 1}, text='{"c":1}', provider_id="y"),
            Call("", text="", state="rejected", provider_id="z"),
        )
    )
    assert (sent["role"], sent["reasoning_content"]) == ("assistant", "hm")
    assert sent["tool_calls"] == [
        wired("x", '{"INVALID_JSON":"{\\"a\\": \\"cut"}', signature="s"),
        wired("c00001002", '{"b": 1}'),
        wired("y", '{"c":1}'),
        {"id": "z", "function": {"arguments": '{"INVALID_JSON":""}'}},
    ]


def test_calls_that_do_not_fit_the_providers_message_are_written_anew() -> None:
    message = {"role": "assistant", "content": [], "extra": 1, "tool_calls": [wired("x", "{}")]}
    assert json.loads(own(message, text="Enough")) == {"role": "assistant", "content": "Enough", "extra": 1}
    anthropic: JSON = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "get", "input": {}}]}
    sent = json.loads(own(anthropic, Call("get", text="{}", provider_id="t")))
    assert sent == {"role": "assistant", "content": None, "tool_calls": [wired("t", "{}")]}


def test_tools_are_listed_with_their_schema() -> None:
    spec = ToolSpec("get", "Gets", {"type": "object", "properties": {"a": {"type": "integer"}}})
    function = {"name": "get", "description": "Gets", "parameters": spec.parameters}
    assert json.loads(DIALECT.tools([spec])) == [{"type": "function", "function": function}]
    assert DIALECT.tools([]) == b""


def test_a_body_holds_what_was_asked_for_and_nothing_else() -> None:
    plain = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    assert body(Options(Settings())) == plain
    assert body(Options(Settings()), stream=True) == {
        **plain,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    settings = Settings(
        temperature=0.0, top_p=0.5, max_tokens=9, seed=1, stop=("a",), extra={"user": "u", "model": "n"}
    )
    options = Options(settings, tools=b"[1]", tool_choice="none", stop=("b", "a"), grammar="root", extra={"top_k": 3})
    assert body(options) == {
        **plain,
        "model": "n",
        "tools": [1],
        "tool_choice": "none",
        "temperature": 0.0,
        "top_p": 0.5,
        "max_tokens": 9,
        "seed": 1,
        "stop": ["a", "b"],
        "grammar": "root",
        "user": "u",
        "top_k": 3,
    }
    assert body(Options(Settings(extra={"tools": [2]}), tools=b"[1]"))["tools"] == [2]
    assert "tool_choice" not in body(Options(Settings(), tool_choice="none"))


def test_the_smaller_token_limit_counts_under_the_name_that_the_model_wants() -> None:
    new = OpenAIChat(limit_field="max_completion_tokens")
    assert body(Options(Settings(max_tokens=9), max_tokens=5), dialect=new)["max_completion_tokens"] == 5
    assert body(Options(Settings(max_tokens=5), max_tokens=9))["max_tokens"] == 5


def test_messages_cannot_be_given_as_an_extra_field() -> None:
    with pytest.raises(UsageError, match="messages"):
        body(Options(Settings(extra={"messages": []})))


def reply_of(message: JSON, **choice: Any) -> JSON:
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}], "usage": usage}


def read(data: bytes, size: int = 1) -> Reply:
    reader = DIALECT.reader(stream=False)
    for position in range(0, len(data), size):
        assert reader.feed(data[position : position + size]) == ""
    return reader.close()


def test_a_whole_body_is_read_however_it_arrives() -> None:
    message: JSON = {"role": "assistant", "content": "Hi", "refusal": None, "annotations": []}
    data = json.dumps(reply_of(message), indent=2).encode()
    wanted = Reply(text="Hi", finish="stop", usage=Usage(7, 2))
    assert read(data) == wanted
    assert read(b"\xef\xbb\xbf \n" + data, 7) == wanted
    assert read_message(data) == read_message(json.loads(data)) == wanted
    for end in range(len(data)):
        assert read(data[:end], 50).complete is False


def test_calls_of_one_message_stay_apart_even_without_ids() -> None:
    message = {"content": None, "tool_calls": [wired("", "{}"), wired("", "{}"), wired("x", '{"a":1}')]}
    reply = read_message(reply_of(message))
    assert reply.calls == (WireCall("", "get", "{}"), WireCall("", "get", "{}"), WireCall("x", "get", '{"a":1}'))
    assert reply.opaque == b""


def test_the_message_is_kept_as_sent_where_it_holds_more() -> None:
    message = '{"role":"assistant",  "content":"Hi","reasoning_details":[{"n":1.50}]}'
    data = '{"choices":[{"message":' + message + "}]}"
    assert read(data.encode()).opaque == message.encode()
    broken = read(data.replace("Hi", "\udcff").encode("utf-8", "surrogateescape"))
    assert (broken.text, json.loads(broken.opaque)["content"]) == ("\ufffd", "\ufffd")
    second = '{"choices":[{"index":1,"message":{"content":"no","odd":1}},{"index":0,"message":' + message + "}]}"
    assert read(second.encode()).opaque == message.encode()


def test_a_message_with_what_json_does_not_know_goes_back_without_it() -> None:
    reader = OpenAIChat().reader(stream=False)
    reader.feed(
        b'{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi","odd":NaN},"finish_reason":"stop"}]}'
    )
    reply = reader.close()
    assert (reply.text, reply.error) == ("Hi", "")
    assert json.loads(reply.opaque) == {"role": "assistant", "content": "Hi", "odd": None}


def test_a_message_alone_is_read() -> None:
    assert read_message({"role": "assistant", "content": "Hi", "finish_reason": "length"}).finish == "length"
    assert read_message({"content": [], "stop_reason": "end_turn"}).text == ""
    assert read_message({"error": "gone"}).error == "gone"
    parts = [{"type": "text", "text": "Checking."}, {"type": "tool_use", "id": "t", "name": "get", "input": {"id": 1}}]
    reply = read_message({"role": "assistant", "content": parts})
    assert (reply.text, reply.calls) == ("Checking.", (WireCall("t", "get", '{"id":1}'),))
    assert json.loads(reply.opaque)["content"] == parts


ERRORS = [
    (b'{"error": {"message": "no such model", "type": "not_found"}}', "no such model (not_found)"),
    (b'{"detail": "Not Found"}', "Not Found"),
    (b'{"choices": []}', '{"choices":[]}'),
    (b"<html>\n <h1>502</h1>", "<html>\n <h1>502</h1>"),
]


@pytest.mark.parametrize(("data", "error"), ERRORS)
def test_bodies_without_a_reply_are_errors(data: bytes, error: str) -> None:
    reply = read(data)
    assert error in reply.error
    assert reply.complete is False


def test_json_lines_are_read_as_a_stream() -> None:
    lines = [
        json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": end}]}) for text, end in ("a ", "b.")
    ]
    assert read("\n".join(lines).encode()).text == "ab"


def test_a_server_that_streams_or_does_not_is_understood_either_way() -> None:
    reader = DIALECT.reader(stream=False)
    assert reader.feed(b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n') == "a"
    assert reader.close().complete
    whole = DIALECT.reader(stream=True)
    whole.feed(json.dumps(reply_of({"content": "b"})).encode())
    assert whole.close().text == "b"


READ_ERRORS = [
    (b'{"error": {"message": "bad key", "code": "invalid_api_key"}}', "bad key (invalid_api_key)"),
    (b'{"message": "slow down"}', "slow down"),
    (b"<html>\n  bad\ngateway", "<html> bad gateway"),
    (b"", ""),
]


@pytest.mark.parametrize(("data", "text"), READ_ERRORS)
def test_the_body_of_a_failed_response_in_one_line(data: bytes, text: str) -> None:
    assert read_error(data) == text


def test_nesting_without_end_is_no_exception() -> None:
    for data in (b'{"choices":' + b"[" * 100_000, b'{"choices":' * 100_000, b"[" * 100_000):
        assert read(data, 4096).complete is False


def test_a_choice_that_is_not_first_or_odd_is_no_exception() -> None:
    late = '{"choices":[3,{"message":{"content":"x","odd":1},"index":"0"}]}'
    assert read(late.encode()).text == ""


json_text = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "id", "function", "type", "text"]), inner)
    ),
    max_leaves=12,
)


@given(json_text)
def test_any_message_is_read_and_goes_back_as_json(value: Any) -> None:
    reply = read_message({"role": "assistant", "content": value, "tool_calls": value, "odd": value})
    calls = tuple(Call(call.name, text=call.arguments, state="rejected", provider_id=call.id) for call in reply.calls)
    turn = Turn(text=reply.text, calls=calls, opaque=reply.opaque)
    assert encode(Message("assistant", reply.text, turn=turn))["role"] == "assistant"


@given(st.dictionaries(st.text(), st.text(st.characters()) | st.lists(st.text(st.characters()) | st.integers())))
def test_any_extra_field_is_sent_as_json(extra: JSON) -> None:
    extra.pop("messages", None)
    assert UNSET not in body(Options(Settings(), extra=extra)).values()
    assert Reader().close().complete is False
