"""Requests as Gemini takes them."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn
from loopwright.protocols.gemini import Gemini, read_message
from loopwright.protocols.native import Native, read
from loopwright.protocols.openai_chat import UNREADABLE_KEY
from loopwright.protocols.speech import Message, Options

JSON = dict[str, Any]
DIALECT = Gemini()
PLAIN = Options(settings=Settings())


def request(*messages: Message, options: Options = PLAIN) -> JSON:
    return json.loads(DIALECT.body("m", [DIALECT.message(message) for message in messages], options, stream=True))


def text(said: str) -> JSON:
    return {"text": said}


def user(*parts: JSON) -> JSON:
    return {"role": "user", "parts": list(parts)}


def model(*parts: JSON) -> JSON:
    return {"role": "model", "parts": list(parts)}


def call(name: str = "get", args: Any = None, **fields: Any) -> JSON:
    return {"functionCall": {"name": name, "args": {"a": 1.50} if args is None else args, **fields}}


def test_the_systems_text_stands_outside_of_the_contents_and_the_model_in_the_address() -> None:
    sent = request(Message("system", "Be brief"), Message("system", "Be kind"), Message("user", "Grüße \ud800"))
    assert sent == {
        "systemInstruction": {"parts": [text("Be brief"), text("Be kind")]},
        "contents": [user(text("Grüße \ufffd"))],
    }


def test_a_later_message_of_the_system_stays_in_its_place() -> None:
    sent = request(Message("user", "Hi"), Message("assistant", "Action: x"), Message("system", "Observation: 1"))
    assert sent == {"contents": [user(text("Hi")), model(text("Action: x")), user(text("Observation: 1"))]}


def test_what_says_nothing_is_left_out() -> None:
    sent = request(Message("system", " "), Message("user", "Hi"), Message("assistant", "\n"), Message("user", "Well?"))
    assert sent == {"contents": [user(text("Hi"), text("Well?"))]}


def test_a_role_without_its_own_form_is_said_by_the_user() -> None:
    assert request(Message("tool", "Observation: 1"))["contents"] == [user(text("Observation: 1"))]


CALLS = (
    Call("get", {"a": 1}, id="1.1", text='{ "a": 1 }', provider_id="f1"),
    Call("get", {"a": 2}, id="1.2", text="{'a': 2}", state="repaired"),
    Call("", id="1.3", text='{"a": "cut', state="rejected", provider_id="f1"),
)
ANSWERED = [(CALLS[0], Result()), (CALLS[1], Result("error", error="X: y")), (CALLS[2], Result("not_found"))]


def test_calls_and_their_results_in_one_content_each_with_the_ids_that_the_provider_gave() -> None:
    speech = Native()
    turn = Turn(thought="Look", text="Look", calls=CALLS)
    notes = (Message("user", "Do not repeat yourself."), Message("user", "Answer."))
    sent = request(Message("user", "Go"), speech.turn(turn), *speech.results(ANSWERED), *notes)
    assert sent["contents"][1:] == [
        model(
            text("Look"),
            call("get", {"a": 1}, id="f1"),
            call("get", {"a": 2}),
            call("unnamed", {UNREADABLE_KEY: '{"a": "cut'}),
        ),
        user(
            {"functionResponse": {"id": "f1", "name": "get", "response": {"status": "ok", "data": None}}},
            {"functionResponse": {"name": "get", "response": {"status": "error", "error": "X: y"}}},
            {"functionResponse": {"name": "unnamed", "response": {"status": "not_found"}}},
        ),
        user(text("Do not repeat yourself."), text("Answer.")),
    ]


def test_a_result_that_is_no_object_is_put_into_one() -> None:
    sent = request(Message("tool", "42", call=Call("get")))["contents"]
    assert sent == [user({"functionResponse": {"name": "get", "response": {"output": "42"}}})]


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
        assert after.startswith(before.removesuffix(b"]}]}"))


# The provider's own content

THOUGHT: JSON = {"text": "Hm", "thought": True}
SIGNED: JSON = {**call(), "thoughtSignature": "S=="}


def spoken(*parts: JSON) -> tuple[bytes, bytes]:
    """What goes back for a reply, and what the reply keeps of itself."""
    found = read_message({"candidates": [{"content": model(*parts), "finishReason": "STOP"}]})
    turn = read(found, []).numbered(1, 9)
    return DIALECT.message(Native().turn(turn)), found.opaque


def test_opaque_parts_go_back_unchanged_and_in_place() -> None:
    parts = [THOUGHT, text("Look"), SIGNED, call(), {**text(""), "thoughtSignature": "T=="}, call(id="f1")]
    sent, opaque = spoken(*parts)
    assert sent == opaque
    assert json.loads(sent) == model(*parts)


def test_only_what_would_be_refused_is_replaced() -> None:
    sent, _ = spoken(
        *(SIGNED, text(""), call(id="f1"), call(args={"b": 2}, id="f1", extra=1)),
        *(call(args="{'a': 2}"), call(name=""), {"functionCall": {"name": "now"}, "thoughtSignature": "S"}),
    )
    assert json.loads(sent)["parts"] == [
        SIGNED,
        call(id="f1"),
        call(args={"b": 2}, extra=1),
        call(args={"a": 2}),
        call(name="unnamed"),
        {"functionCall": {"name": "now"}, "thoughtSignature": "S"},
    ]


def test_calls_that_the_turn_does_not_have_are_left_out_and_others_put_in() -> None:
    opaque = json.dumps(model(THOUGHT, text("Look"), SIGNED)).encode()
    turn = Turn(text="Look", opaque=opaque)
    assert json.loads(DIALECT.message(Message("assistant", "Look", turn=turn))) == model(THOUGHT, text("Look"))
    calls = tuple(Call("get", {"a": number}) for number in (1, 2))
    turn = Turn(text="Look", opaque=opaque, calls=calls)
    sent = json.loads(DIALECT.message(Message("assistant", "Look", turn=turn)))
    assert sent == model(THOUGHT, text("Look"), call(args={"a": 1}), call(args={"a": 2}))
    nothing = Turn(opaque=json.dumps(model(text(""))).encode())
    assert DIALECT.message(Message("assistant", "", turn=nothing)) == b""


def test_the_message_of_another_provider_is_put_together_anew() -> None:
    turn = Turn(text="Hi", opaque=b'{"role":"assistant","content":[]}')
    assert json.loads(DIALECT.message(Message("assistant", "Hi", turn=turn))) == model(text("Hi"))


# Options


def test_tools() -> None:
    schema: JSON = {"type": "object", "properties": {"a": {"type": "integer"}}}
    tools = DIALECT.tools([ToolSpec("get", "Get it", schema)])
    sent = request(Message("user", "Hi"), options=Options(Settings(), tools=tools, tool_choice="none"))
    declared = [{"name": "get", "description": "Get it", "parametersJsonSchema": schema}]
    assert sent["tools"] == [{"functionDeclarations": declared}]
    assert sent["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}
    assert DIALECT.tools([]) == b""


def test_settings_have_the_names_of_the_provider() -> None:
    thinking = {"thinkingConfig": {"thinkingBudget": 0}}
    settings = Settings(
        *(0.5, 0.9, 100, 7, ("END",)), extra={"generationConfig": thinking, "cachedContent": "cachedContents/x"}
    )
    sent = request(options=Options(settings, max_tokens=50, stop=("END", "\nObservation:")))
    assert sent == {
        "contents": [],
        "cachedContent": "cachedContents/x",
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "seed": 7,
            "maxOutputTokens": 50,
            "stopSequences": ["END", "\nObservation:"],
            **thinking,
        },
    }


def test_extra_fields_may_replace_the_tools() -> None:
    extra: JSON = {"tools": [{"googleSearch": {}}]}
    assert request(options=Options(Settings(extra=extra)))["tools"] == extra["tools"]


@pytest.mark.parametrize("name", ["contents", "systemInstruction"])
def test_extra_fields_may_not_replace_what_the_run_says(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        request(options=Options(Settings(extra={name: []})))


@given(st.text(), st.text(), st.text())
def test_any_text_can_be_sent(name: str, arguments: str, said: str) -> None:
    made = Call(name, text=arguments, state="rejected", provider_id=name)
    sent = request(Message("user", said), Message("assistant", said, turn=Turn(calls=(made,))))
    assert sent["contents"][-1]["role"] == "model"
