"""Who says the observations in text form, as it goes out in OpenAI's chat format."""

import json
from typing import Any

import pytest
from msgspec import Raw

from loopwright.core.events import CallEnded, ModelAsked, ModelReplied, RunStarted
from loopwright.core.messages import Call, Example, Exchange, ObservationRole, Result, ToolSpec, Turn
from loopwright.protocols.command_text import CommandText
from loopwright.protocols.conversation import Conversation
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.speech import Capabilities, Reply

TOOL = ToolSpec("add", parameters={"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
OK = Result(data=Raw(b"3"))


def body(*replies: str, role: ObservationRole, examples: tuple[Example, ...] = ()) -> list[dict[str, Any]]:
    """The messages behind the task, after these replies and a result to each of their calls."""
    speech = ReactText(observation_role=role)
    started = RunStarted(run_id="r", task="t", model="m:m", way="text", tools=(TOOL,), examples=examples)
    conversation = Conversation(started, OpenAIChat(), speech, Capabilities())
    for number, text in enumerate(replies, 1):
        turn = speech.read(Reply(text=text, finish="stop"), (TOOL,)).numbered(number, 9)
        conversation.add(ModelAsked(number=number))
        conversation.add(ModelReplied(turn=turn))
        for call in turn.calls:
            conversation.add(CallEnded(call_id=call.id, result=OK))
    sent = json.loads(conversation.request(ModelAsked(number=9), stream=False))
    assert "tools" not in sent
    return sent["messages"][1:] if examples else sent["messages"][2:]


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_a_role_says_the_observation(role: ObservationRole) -> None:
    said = "Thought: so\nAction: add[2]"
    assert body(said, role=role) == [
        {"role": "assistant", "content": said},
        {"role": role, "content": "Observation: 3"},
    ]


def test_a_tool_answers_the_call_that_the_turn_makes_in_its_fields() -> None:
    said = 'Thought: so\nAction: add[2]\nAction: add {"a": 3}'
    turn, *answers = body(said, role="tool")
    assert (turn["role"], turn["content"]) == ("assistant", said)
    assert [(call["function"]["name"], call["function"]["arguments"]) for call in turn["tool_calls"]] == [
        ("add", '{"a":2}'),
        ("add", '{"a": 3}'),
    ]
    ids = [call["id"] for call in turn["tool_calls"]]
    assert answers == [{"role": "tool", "tool_call_id": made, "content": "Observation: 3"} for made in ids]
    assert len(set(ids)) == 2


def test_ids_of_a_tool_are_unique_in_the_run_and_its_examples() -> None:
    shown = Example("u", (Exchange(Turn(calls=(Call("add", {"a": 1}),)), (OK,)), Exchange(Turn(answer="1"))))
    messages = body("Action: add[2]", "Action: add[2]", role="tool", examples=(shown, shown))
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    made = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert answered == made
    assert len(set(made)) == 4


def test_a_call_whose_name_no_provider_takes_is_answered_by_the_user() -> None:
    said = "Action: Ask a coworker[now]"
    assert body(said, role="tool") == [
        {"role": "assistant", "content": said},
        {"role": "user", "content": "Observation: 3"},
    ]
    two = body("Action: add[2]\nAction: Ask a coworker[now]", role="tool")
    assert [message["role"] for message in two] == ["assistant", "user"]
    assert two[1]["content"].startswith("Observation 1 (add): 3\nObservation 2")


def test_a_tool_says_what_an_environment_says_without_a_label() -> None:
    (message,) = CommandText(observation_role="tool").results([(Call("act", {"command": "look"}, id="1.1"), OK)])
    assert (message.role, message.text) == ("tool", "3")
    assert message.call is not None
    assert message.call.provider_id
