"""A transcript grows by what happens: each message once, each call answered, nothing said twice."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from loopwright.core.events import (
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.messages import Call, Outcome, Result, ToolSpec, Turn
from loopwright.protocols.conversation import Conversation
from loopwright.protocols.native import Native
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.speech import Capabilities

JSON = dict[str, Any]
STARTED = RunStarted(
    run_id="r", task="Weather?", model="openai:gpt-4.1", instructions="Be brief", tools=(ToolSpec("get"),)
)


def conversation(*events: Event, started: RunStarted = STARTED, tools: bool = True) -> Conversation:
    made = Conversation(started, OpenAIChat(), Native(), Capabilities(tools=tools))
    for event in events:
        made.add(event)
    return made


def body(made: Conversation, number: int = 9, closing: str = "") -> JSON:
    return json.loads(made.request(ModelAsked(number=number, closing=closing), stream=False))


def roles(made: Conversation) -> list[str]:
    return [message["role"] for message in body(made)["messages"]]


def replied(number: int, *arguments: str, text: str = "", **fields: Any) -> ModelReplied:
    calls = tuple(
        Call("get", {}, id=f"{number}.{n}", text=value, provider_id=f"p{number}{n}")
        for n, value in enumerate(arguments, 1)
    )
    return ModelReplied(turn=Turn(text=text, calls=calls, **fields))


def ended(call_id: str, data: bytes = b"1") -> CallEnded:
    return CallEnded(call_id=call_id, result=Result(data=Raw(data)))


def test_the_first_request_is_known_before_it_is_sent() -> None:
    made = conversation()
    first = made.request(ModelAsked(number=1), stream=True)
    assert made.opening_bytes == len(first)
    assert json.loads(first)["model"] == "gpt-4.1"
    assert [message["content"] for message in json.loads(first)["messages"]] == ["Be brief", "Weather?"]
    made.add(replied(1, text="Sunny", answer="Sunny"))
    assert made.opening_bytes == len(first)


def test_the_model_is_named_as_its_provider_calls_it() -> None:
    for model, name in (("ollama:qwen3:8b", "qwen3:8b"), ("local", "local")):
        started = RunStarted(run_id="r", task="t", model=model)
        assert body(conversation(started=started))["model"] == name
    assert body(Conversation(STARTED, OpenAIChat(), Native(), Capabilities(), model="other"))["model"] == "other"


def test_tools_are_left_out_where_the_endpoint_takes_none() -> None:
    assert "tools" in body(conversation())
    assert "tools" not in body(conversation(tools=False))


def test_results_are_told_together_in_the_order_asked() -> None:
    made = conversation(replied(1, "{}", "{}"), CallStarted(call_id="1.1"), ended("1.2", b"2"))
    assert roles(made)[2:] == ["assistant"]
    made.add(ended("1.1", b"1"))
    tools = body(made)["messages"][3:]
    assert [(message["tool_call_id"], json.loads(message["content"])["data"]) for message in tools] == [
        ("p11", 1),
        ("p12", 2),
    ]


def test_a_turn_with_a_problem_goes_back_as_text_and_the_note_follows() -> None:
    opaque = b'{"role":"assistant","tool_calls":[1]}'
    made = conversation(
        replied(1, text="Actually", problem="too many calls", opaque=opaque),
        NoteAdded(kind="unreadable", detail="too many calls"),
    )
    told = body(made)["messages"][2:]
    assert told[0] == {"role": "assistant", "content": "Actually"}
    assert "too many calls" in told[1]["content"]


def test_an_empty_turn_adds_nothing_but_its_note() -> None:
    made = conversation(replied(1), NoteAdded(kind="empty"), replied(2, problem="cut"), NoteAdded(kind="empty"))
    assert roles(made)[2:] == ["user", "user"]


def test_the_closing_question_is_put_once_even_if_it_was_lost() -> None:
    closing = ModelAsked(number=3, closing="steps")
    lost = ModelFailed(failure="network", message="gone", lost=True)
    made = conversation(ModelAsked(number=1), replied(1, text="a", problem="b"), closing, lost, closing)
    assert roles(made)[2:] == ["assistant", "user"]
    sent = json.loads(made.request(closing, stream=False))
    assert (sent["tool_choice"], len(sent["tools"])) == ("none", 1)


def test_what_the_model_need_not_know_says_nothing() -> None:
    before = body(conversation())
    silent: list[Event] = [
        STARTED,
        RunResumed(),
        RunPaused(),
        CallStarted(call_id="1.1"),
        ModelFailed(failure="network", message="gone"),
        RunEnded(outcome=Outcome("failed")),
    ]
    assert body(conversation(*silent)) == before


def test_turns_of_the_text_way_become_calls() -> None:
    started = RunStarted(run_id="r", task="t", model="m", way="text", tools=STARTED.tools)
    call = Call("get", {"city": "Paris"}, id="1.1", text="Paris", provider_id="")
    turn = Turn("I look", (call,), text="Thought: I look\nAction: get[Paris]")
    said = [ModelReplied(turn=turn), ended("1.1"), ModelReplied(turn=Turn(thought="Hm", text="Thought: Hm"))]
    switched = WaySwitched(way="native", reason="calls can be made")
    told = body(conversation(*said, switched, replied(2, "{}", text="Now"), ended("2.1"), started=started))["messages"]
    function = {"name": "get", "arguments": '{"city":"Paris"}'}
    assert told[1:] == [
        {
            "role": "assistant",
            "content": "I look",
            "tool_calls": [{"id": "c00001001", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c00001001", "content": '{"status":"ok","data":1}'},
        {"role": "assistant", "content": "Hm"},
        {
            "role": "assistant",
            "content": "Now",
            "tool_calls": [{"id": "p21", "type": "function", "function": {"name": "get", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "p21", "content": '{"status":"ok","data":1}'},
    ]


def test_turns_of_the_native_way_become_text() -> None:
    call = Call("get", {"city": "Paris"}, id="1.1", text='{"city":"Paris"}', provider_id="p11")
    turn = Turn("I look", (call,), text="I look", opaque=b'{"role":"assistant","tool_calls":[]}')
    made = Conversation(STARTED, OpenAIChat(), ReactText(), Capabilities())
    for event in (
        ModelReplied(turn=turn),
        ended("1.1", b'"Sunny"'),
        WaySwitched(way="text", reason="no tools"),
        ModelReplied(turn=Turn("Now", (Call("get", id="2.1"),), text="Thought: Now\nAction: get {}")),
        ended("2.1", b'"Rain"'),
    ):
        made.add(event)
    sent = body(made)
    assert "tools" not in sent
    assert sent["messages"][2:] == [
        {"role": "assistant", "content": 'Thought: I look\nAction: get {"city": "Paris"}'},
        {"role": "user", "content": "Observation: Sunny"},
        {"role": "assistant", "content": "Thought: Now\nAction: get {}"},
        {"role": "user", "content": "Observation: Rain"},
    ]


def test_replies_are_read_with_the_tools_of_the_run() -> None:
    made = conversation()
    reader = made.reader(stream=True)
    reader.feed(b'{"choices":[{"message":{"content":"Sunny"},"finish_reason":"length"}]}')
    reply = reader.close()
    assert made.read(reply, closing=False).answer is None
    assert made.read(reply, closing=True).answer == "Sunny"


turns = st.lists(
    st.tuples(st.text(max_size=5), st.lists(st.sampled_from(["{}", '{"a":1}', "{'a'", ""]), max_size=3)),
    max_size=6,
)


@given(turns, st.booleans(), st.randoms(use_true_random=False))
def test_a_request_repeats_the_one_before_it_and_every_call_is_answered(
    said: list[tuple[str, list[str]]],
    same_ids: bool,
    order: Any,
) -> None:
    made = conversation()
    before = made.request(ModelAsked(number=1), stream=True)
    for number, (text, arguments) in enumerate(said, 1):
        calls = tuple(
            Call(
                "get",
                id=f"{number}.{n}",
                text=value,
                state="rejected",
                provider_id="x" if same_ids else f"{number}-{n}",
            )
            for n, value in enumerate(arguments, 1)
        )
        made.add(ModelReplied(turn=Turn(text=text, calls=calls, answer=None if calls else text)))
        for call in order.sample(calls, len(calls)):
            made.add(ended(call.id))
        after = made.request(ModelAsked(number=number + 1), stream=True)
        kept = before.rindex(b'],"stream"')
        assert after[:kept] == before[:kept]
        assert after[kept:].startswith((b",{", b"]"))
        before = after
    asked: list[str] = []
    for message in json.loads(before)["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == asked.pop(0)
        else:
            assert asked == []
        asked += [call["id"] for call in message.get("tool_calls", [])]
        assert len(set(asked)) == len(asked)
        assert all(
            isinstance(json.loads(call["function"]["arguments"]), dict) for call in message.get("tool_calls", [])
        )
    assert asked == []
