"""The form of a saved reply and of its reading."""

from typing import Any

import pytest

from loopwright.core.errors import UsageError
from loopwright.protocols.reading import read_line, tools_of


def ask(**question: Any) -> dict[str, Any]:
    return read_line({"id": "x", "protocol": "react-text", **question})


def test_a_call_with_known_parameters() -> None:
    answer = ask(tools={"search": {"query": "string"}}, reply="Thought: a\nAction: search[Oslo]")
    assert answer == {
        "id": "x",
        "kind": "action",
        "thought": "a",
        "answer": None,
        "problem": "",
        "calls": [
            {
                "id": "",
                "tool": "search",
                "arguments": {"query": "Oslo"},
                "input": "Oslo",
                "state": "strict",
                "reason": "",
            }
        ],
    }


@pytest.mark.parametrize(
    ("reply", "tools", "arguments", "text"),
    [
        ("Action: search[Oslo]", {"search": {}}, None, "Oslo"),
        ('Action: search {"a": 1}', {"search": {}}, {"a": 1}, '{"a": 1}'),
        ("Action: search[Oslo]", {}, None, "Oslo"),
        ("Action: search[Oslo]", None, None, "Oslo"),
        ("Action: search", {"search": {}}, {}, ""),
        ("Action: search[Oslo", {"search": {"query": "string"}}, None, "Oslo"),
        ("Action: search[Oslo]", {"search": {"query": 1}}, {"query": "Oslo"}, "Oslo"),
    ],
)
def test_arguments_are_those_that_were_named(reply: str, tools: Any, arguments: Any, text: str) -> None:
    (call,) = ask(tools=tools, reply=reply)["calls"]
    assert (call["tool"], call["input"]) == ("search", text)
    assert call["arguments"] == arguments or (tools == {"search": {"query": 1}} and call["arguments"] is None)


def test_the_options_of_the_text_protocol() -> None:
    assert ask(reply=" a\nAction 2: Done[42]", primed="Thought 2:", finish="done")["answer"] == "42"
    assert ask(reply="Action: finish[42]", finish=None)["answer"] == "42"
    (call,) = ask(reply="go to desk 1", command=True, tools={"(command)": {}})["calls"]
    assert (call["tool"], call["input"]) == ("(command)", "go to desk 1")


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("思考：もう十分わかった。\n最終回答：42", None),
        ("Gedanke: Ich habe genug Angaben.\nEndgültige Antwort: 42", None),
        ("Ajatus: x\nLopullinen vastaus: 42", "fi"),
        ("Thought: x\nFinal Answer: 42", "he"),
    ],
)
def test_a_reply_is_read_in_its_language_or_the_one_that_is_named(reply: str, language: str | None) -> None:
    assert ask(reply=reply, language=language)["answer"] == "42"


def test_a_chat_message() -> None:
    calls = [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "Oslo"}'}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    answer = ask(protocol="openai-chat", tools={"search": {"query": "string"}}, message=message)
    (call,) = answer["calls"]
    assert (call["id"], call["arguments"], answer["kind"]) == ("c1", {"query": "Oslo"}, "action")


def test_a_chat_stream() -> None:
    chunk = '{"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}'
    answer = ask(protocol="openai-chat", chunks=[chunk, "[DONE]"])
    assert (answer["kind"], answer["content"], answer["error"], answer["reasoning"]) == ("final", "Hi", "", "")
    assert answer["usage"] == {"input_tokens": 0, "output_tokens": 0}


@pytest.mark.parametrize(
    "question",
    [{"protocol": "morse", "reply": "a"}, {"message": {}}, {"protocol": "openai-chat", "reply": "a"}],
)
def test_what_cannot_be_read_says_so(question: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ask(**question)


def test_tools_that_are_none() -> None:
    assert tools_of(["search"]) == []
    assert tools_of({"search": None})[0].name == "search"


@pytest.mark.parametrize(
    ("reply", "arguments"),
    [
        ("<tool_call><function=open><parameter=path>a</parameter></function></tool_call>", {"path": "a"}),
        ("<tool_call><function=open><parameter=input>a</parameter></function></tool_call>", {"input": "a"}),
        ("[open(path='a')]", {"path": "a"}),
        ('{"name": "open", "arguments": {"input": "a"}}', {"input": "a"}),
    ],
)
def test_names_that_were_written_are_shown_for_tools_of_unknown_parameters(
    reply: str, arguments: dict[str, str]
) -> None:
    (call,) = read_line({"protocol": "auto", "tools": {"open": {}}, "reply": reply})["calls"]
    assert call["arguments"] == arguments


def test_a_name_that_nobody_wrote_is_not_shown() -> None:
    (call,) = read_line({"protocol": "react-text", "tools": {"open": {}}, "reply": "Action: open[a]"})["calls"]
    assert (call["arguments"], call["input"]) == (None, "a")
