"""Requests as Anthropic takes them."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import UsageError
from loopwright.core.events import RunStarted
from loopwright.core.messages import Call, Limits, Result, Settings, ToolSpec, Turn
from loopwright.protocols.anthropic import MAX_TOKENS, Anthropic, read_message
from loopwright.protocols.native import Native, read
from loopwright.protocols.openai_chat import UNREADABLE_KEY
from loopwright.protocols.speech import Message, Options

JSON = dict[str, Any]
DIALECT = Anthropic()
PLAIN = Options(settings=Settings())


def request(*messages: Message, options: Options = PLAIN, stream: bool = False) -> JSON:
    return json.loads(DIALECT.body("m", [DIALECT.message(message) for message in messages], options, stream=stream))


def text(said: str) -> JSON:
    return {"type": "text", "text": said}


def user(*content: JSON) -> JSON:
    return {"role": "user", "content": list(content)}


def assistant(*content: JSON) -> JSON:
    return {"role": "assistant", "content": list(content)}


def test_the_systems_text_stands_outside_of_the_messages() -> None:
    sent = request(Message("system", "Be brief"), Message("system", "Be kind"), Message("user", "Grüße \ud800"))
    assert sent["system"] == [text("Be brief"), text("Be kind")]
    assert sent["messages"] == [user(text("Grüße \ufffd"))]
    assert "system" not in request(Message("user", "Hi"))


def test_a_later_message_of_the_system_stays_in_its_place() -> None:
    sent = request(Message("user", "Hi"), Message("assistant", "Action: x"), Message("system", "Observation: 1"))
    assert "system" not in sent
    assert sent["messages"][2] == user(text("Observation: 1"))


def test_what_says_nothing_is_left_out() -> None:
    sent = request(Message("system", " "), Message("user", "Hi"), Message("assistant", "\n"), Message("user", "Well?"))
    assert sent["messages"] == [user(text("Hi"), text("Well?"))]


def test_a_role_without_its_own_form_is_said_by_the_user() -> None:
    assert request(Message("tool", "Observation: 1"))["messages"] == [user(text("Observation: 1"))]


CALLS = (
    Call("get", {"a": 1}, id="1.1", text='{ "a": 1 }', provider_id="t1"),
    Call("get", {"a": 2}, id="1.2", text="{'a': 2}", state="repaired", provider_id="t1"),
    Call("", id="1.3", text='{"a": "cut', state="rejected", provider_id=""),
)
ANSWERED = [(CALLS[0], Result()), (CALLS[1], Result("error", error="X: y")), (CALLS[2], Result("not_found"))]


def test_calls_and_their_results_in_one_message_each_with_ids_of_their_own() -> None:
    speech = Native()
    turn = Turn(thought="Look", text="Look", calls=CALLS)
    note = Message("user", "Do not repeat yourself.")
    sent = request(Message("user", "Go"), speech.turn(turn), *speech.results(ANSWERED), note)
    _, said, told = sent["messages"]
    made = [block["id"] for block in said["content"][1:]]
    assert said == assistant(
        text("Look"),
        {"type": "tool_use", "id": "t1", "name": "get", "input": {"a": 1}},
        {"type": "tool_use", "id": made[1], "name": "get", "input": {"a": 2}},
        {"type": "tool_use", "id": made[2], "name": "unnamed", "input": {UNREADABLE_KEY: '{"a": "cut'}},
    )
    assert len(set(made)) == 3
    assert told == user(
        {"type": "tool_result", "tool_use_id": "t1", "content": '{"status":"ok","data":null}'},
        {
            "type": "tool_result",
            "tool_use_id": made[1],
            "content": '{"status":"error","error":"X: y"}',
            "is_error": True,
        },
        {"type": "tool_result", "tool_use_id": made[2], "content": '{"status":"not_found"}'},
        text("Do not repeat yourself."),
    )


def test_each_request_begins_as_the_one_before() -> None:
    speech = Native()
    rounds = [
        [Message("system", "S"), Message("user", "Go")],
        [speech.turn(Turn(text="One", calls=CALLS)), *speech.results(ANSWERED)],
        [Message("user", "A note"), Message("user", "and another")],
        [Message("assistant", "Two"), Message("user", "Closing")],
    ]
    messages: list[bytes] = []
    bodies: list[bytes] = []
    for added in rounds:
        messages += [DIALECT.message(message) for message in added]
        bodies.append(DIALECT.body("m", messages, PLAIN, stream=True))
    for before, after in pairwise(bodies):
        shared = before[: before.rindex(b']}],"max_tokens"')]
        assert after.startswith(shared)


# The provider's own message

THINKING: JSON = {"type": "thinking", "thinking": "Hm", "signature": "S=="}


def spoken(reply: JSON, **fields: Any) -> tuple[bytes, bytes]:
    """What goes back for a reply, and what the reply keeps of itself."""
    found = read_message({"type": "message", "role": "assistant", **reply})
    turn = read(found, []).numbered(1, 9)
    return DIALECT.message(Native().turn(turn)), found.opaque


def tool(call_id: str, **fields: Any) -> JSON:
    return {"type": "tool_use", "id": call_id, "name": "get", "input": {"a": 1.50}, **fields}


def test_opaque_blocks_go_back_unchanged_and_in_place() -> None:
    content = [THINKING, {"type": "redacted_thinking", "data": "ENC"}, text("Look"), tool("t1"), THINKING, tool("t2")]
    sent, opaque = spoken({"content": content, "stop_reason": "tool_use"})
    assert sent == opaque
    assert json.loads(sent) == assistant(*content)


def test_only_what_would_be_refused_is_replaced() -> None:
    content = [
        *(THINKING, text("\n\n"), tool("t1"), tool("t1"), tool("t3", input='{"a": 1')),
        *(tool("t4", name=""), tool("t5", input="{'a': 2}")),
    ]
    said = json.loads(spoken({"content": content, "stop_reason": "tool_use"})[0])["content"]
    assert said[:2] == [THINKING, tool("t1")]
    assert said[2] == tool("c00001002")
    assert said[3] == tool("t3", input={UNREADABLE_KEY: '{"a": 1'})
    assert said[4] == tool("t4", name="unnamed")
    assert said[5] == tool("t5", input={"a": 2})


def test_what_the_token_limit_cut_off_is_left_out() -> None:
    server: JSON = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found: JSON = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    unsigned = {"type": "thinking", "thinking": "Hm", "signature": ""}
    content = [THINKING, server, found, tool("t1"), {**server, "id": "s2"}, unsigned]
    cut = json.loads(spoken({"content": content, "stop_reason": "max_tokens"})[0])["content"]
    assert cut == [THINKING, server, found, tool("t1")]
    whole = json.loads(spoken({"content": content, "stop_reason": "tool_use"})[0])["content"]
    assert whole == content


def test_calls_that_the_turn_does_not_have_are_left_out_and_others_put_in() -> None:
    opaque = json.dumps(assistant(THINKING, text("Look"), tool("t1"))).encode()
    turn = Turn(text="Look", opaque=opaque)
    assert json.loads(DIALECT.message(Message("assistant", "Look", turn=turn))) == assistant(THINKING, text("Look"))
    calls = tuple(Call("get", {"a": number}, provider_id=f"x{number}") for number in (1, 2))
    turn = Turn(text="Look", opaque=opaque, calls=calls)
    sent = json.loads(DIALECT.message(Message("assistant", "Look", turn=turn)))["content"]
    assert [block.get("id") for block in sent] == [None, None, "x1", "x2"]
    nothing = Turn(opaque=json.dumps(assistant(text(" "))).encode())
    assert DIALECT.message(Message("assistant", "", turn=nothing)) == b""


@pytest.mark.parametrize(
    "opaque", [b'{"role":"assistant","content":null,"tool_calls":[]}', b'{"role":"model","parts":[]}']
)
def test_the_message_of_another_provider_is_put_together_anew(opaque: bytes) -> None:
    turn = Turn(text="Hi", opaque=opaque)
    assert json.loads(DIALECT.message(Message("assistant", "Hi", turn=turn))) == assistant(text("Hi"))


# Options


def test_tools() -> None:
    schema: JSON = {"type": "object", "properties": {"a": {"type": "integer"}}}
    tools = [ToolSpec("get", "Get it", schema), ToolSpec("bare")]
    sent = request(Message("user", "Hi"), options=Options(Settings(), tools=DIALECT.tools(tools), tool_choice="none"))
    assert sent["tools"] == [
        {"name": "get", "description": "Get it", "input_schema": schema},
        {"name": "bare", "input_schema": {"type": "object", "properties": {}}},
    ]
    assert sent["tool_choice"] == {"type": "none"}
    assert DIALECT.tools([]) == b""


def test_settings_have_the_names_of_the_provider() -> None:
    settings = Settings(
        temperature=0.5, top_p=0.9, max_tokens=100, stop=("END",), extra={"thinking": {"type": "disabled"}}
    )
    options = Options(settings, max_tokens=50, stop=("END", "\nObservation:"))
    sent = request(Message("user", "Hi"), options=options, stream=True)
    del sent["messages"]
    assert sent == {
        "model": "m",
        "max_tokens": 50,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop_sequences": ["END", "\nObservation:"],
        "stream": True,
        "thinking": {"type": "disabled"},
    }


def test_a_limit_of_tokens_is_always_sent() -> None:
    assert request(Message("user", "Hi")) == {
        "model": "m",
        "messages": [user(text("Hi"))],
        "max_tokens": MAX_TOKENS,
    }
    body = Anthropic(max_tokens=9).body("m", [], PLAIN, stream=False)
    assert json.loads(body)["max_tokens"] == 9


def test_extra_fields_may_replace_the_model_and_the_tools() -> None:
    extra: JSON = {"model": "other", "tools": [{"type": "web_search_20250305", "name": "web_search"}]}
    sent = request(Message("user", "Hi"), options=Options(Settings(extra=extra)))
    assert (sent["model"], sent["tools"]) == ("other", extra["tools"])


@pytest.mark.parametrize("name", ["messages", "system"])
def test_extra_fields_may_not_replace_what_the_run_says(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        request(options=Options(Settings(extra={name: []})))


def test_a_seed_is_refused_because_it_would_do_nothing() -> None:
    with pytest.raises(UsageError, match="no seed"):
        request(options=Options(Settings(seed=1)))


@given(st.text(), st.text(), st.text())
def test_any_text_can_be_sent(name: str, arguments: str, said: str) -> None:
    call = Call(name, text=arguments, state="rejected", provider_id=name)
    sent = request(Message("user", said), Message("assistant", said, turn=Turn(calls=(call,))))
    assert sent["messages"][-1]["role"] == "assistant"


def test_opening_of_a_run() -> None:
    started = RunStarted(
        run_id="r", task="T", model="anthropic:m", way="native", instructions="I", tools=(), limits=Limits()
    )
    assert request(*Native().opening(started))["system"] == [text("I")]
