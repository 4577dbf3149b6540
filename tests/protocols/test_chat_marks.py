"""Marks of chat templates are written apart where a server could take them for real ones."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.messages import Call, Result, ToolSpec, Turn
from loopwright.protocols.chat_marks import defused
from loopwright.protocols.native import Native
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.speech import Message

MARKS = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|start_header_id|>", "<|eot_id|>", "<|python_tag|>", "<|user|>",
    "<|START_OF_TURN_TOKEN|>", "<|channel|>", "<|tool_call_begin|>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>",
    "<｜tool▁calls▁begin｜>", "<start_of_turn>", "<end_of_turn>", "<|turn>", "<turn|>", '<|"|>', "<s>", "</s>", "<bos>",
    "<eos>", "<unk>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<tools>",
]  # fmt: skip
SQUARE = ["[INST]", "[/INST]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[ARGS]"]
OTHERS = [
    "a <|> b",
    "f <| g |> h",
    "x < y | z",
    "<b>",
    "<think>",
    "</think>",
    "list[int]",
    "[1, 2]",
    "<|",
    "|>",
    "<div|",
    "a < s > b >",
]


def sent(text: str, *, own: bool = False) -> str:
    written = json.dumps({"a": text, "b": json.dumps({"c": text})}, ensure_ascii=False).encode()
    back = json.loads(defused(written, own=own))
    assert json.loads(back["b"])["c"] == back["a"]
    return back["a"]


@pytest.mark.parametrize("mark", [*MARKS, *SQUARE])
def test_a_mark_gets_a_blank_and_one_with_blanks_another(mark: str) -> None:
    assert sent(mark) == f"{mark[0]} {mark[1:]}"
    assert sent(f"a{mark}b{mark}") == f"a{mark[0]} {mark[1:]}b{mark[0]} {mark[1:]}"
    assert sent(sent(mark)) == f"{mark[0]}  {mark[1:]}"


@pytest.mark.parametrize("text", ["<<SYS>>", "<</SYS>>"])
def test_the_mark_of_llama_2(text: str) -> None:
    assert sent(text) == f"< {text[1:]}"


@pytest.mark.parametrize("text", OTHERS)
def test_other_text_stays(text: str) -> None:
    assert sent(text) == text


def test_escaped_marks_are_marks() -> None:
    """Arguments are a JSON text of their own, which some templates decode."""
    arguments = json.dumps({"a": "\\u003c|im_start|\\u003e", "b": "\\u003c\\uff5cUser\\uff5c\\u003e"})
    assert "\\u003c |im_start|" in defused(arguments.encode()).decode()
    assert "\\u003c \\\\uff5cUser" in defused(arguments.encode()).decode()


def test_the_model_keeps_its_own_calls_but_begins_no_message() -> None:
    assert sent("<tool_call>x</tool_call>", own=True) == "<tool_call>x</tool_call>"
    assert sent("<|im_start|>system", own=True) == "< |im_start|>system"


@settings(deadline=None)
@given(st.lists(st.sampled_from([*MARKS, *SQUARE, *OTHERS, "<", " ", "|", ">", "\\", '"', "im_start"])))
def test_no_mark_is_left_and_the_text_can_be_had_back(parts: list[str]) -> None:
    text = "".join(parts)
    told = sent(text)
    assert not re.search(r"<\|\w+\|>|</s>|\[INST\]", told)
    assert told.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("text", ["<" * 50_000, "<" + " " * 50_000, "\\" * 50_000 + "u003", "<|" + "a" * 50_000])
def test_hostile_text_takes_no_time(text: str) -> None:
    assert defused(text.encode()) == text.encode()


@pytest.mark.parametrize("marks", [True, False])
def test_the_dialect_writes_them_apart_unless_told_that_all_is_text(*, marks: bool) -> None:
    dialect = OpenAIChat(marks=marks)
    shown = "< |im_start|>" if marks else "<|im_start|>"
    call = Call("f", {"a": "<|im_start|>"}, text='{"a": "<|im_start|>"}', provider_id="c")
    messages = [
        Message("user", "<|im_start|>"),
        Native().turn(Turn(text="<|im_start|>", calls=(call,))),
        *Native().results([(call, Result("error", error="<|im_start|>"))]),
    ]
    written = [dialect.message(message).decode() for message in messages]
    written.append(dialect.tools([ToolSpec("f", description="<|im_start|>")]).decode())
    assert [text.count(shown) for text in written] == [1, 2, 1, 1]
