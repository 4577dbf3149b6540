"""Marks of chat templates are written apart where a server could take them for real ones."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn
from loopwright.models.catalog import resolve
from loopwright.protocols.anthropic import Anthropic
from loopwright.protocols.chat_marks import MarksApart, defused
from loopwright.protocols.cohere import CohereChat
from loopwright.protocols.gemini import Gemini
from loopwright.protocols.native import Native
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.openai_responses import OpenAIResponses
from loopwright.protocols.speech import Dialect, Message, Options

DIALECTS: list[Dialect] = [OpenAIChat(), OpenAIResponses(), Anthropic(), Gemini(), CohereChat()]

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


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_a_dialect_writes_them_apart_where_it_is_told_to(dialect: Dialect) -> None:
    call = Call("f", {"a": "<|im_start|>"}, text='{"a": "<|im_start|>"}', provider_id="c")
    messages = [
        Message("user", "<|im_start|>"),
        Native().turn(Turn(text="<|im_start|>", calls=(call,))),
        *Native().results([(call, Result("error", error="<|im_start|>"))]),
    ]
    specs = [ToolSpec("f", description="<|im_start|>")]
    apart = MarksApart(dialect)
    assert apart.name == dialect.name
    for one, shown in ((dialect, "<|im_start|>"), (apart, "< |im_start|>")):
        written = [*(one.message(message) for message in messages), one.tools(specs)]
        assert [data.decode().count(shown) for data in written] == [1, 2, 1, 1]
    options = Options(settings=Settings())
    assert apart.body("m", [apart.message(messages[0])], options, stream=False) == dialect.body(
        "m", [apart.message(messages[0])], options, stream=False
    )
    assert type(apart.reader(stream=True)) is type(dialect.reader(stream=True))


@pytest.mark.parametrize(
    ("spec", "environ", "apart"),
    [
        ("openai:m", {}, False),
        ("openai-responses:m", {}, False),
        ("anthropic:m", {}, False),
        ("gemini:m", {}, False),
        ("cohere:m", {}, False),
        ("openai:m", {"OPENAI_BASE_URL": "http://box/v1"}, True),
        ("openai-responses:m", {"OPENAI_BASE_URL": "http://box/v1"}, True),
        ("anthropic:m", {"ANTHROPIC_BASE_URL": "http://box"}, True),
        ("ollama:m", {}, True),
        ("groq:m", {}, True),
        ("openrouter:m", {}, True),
    ],
)
def test_only_the_own_addresses_of_some_take_all_as_text(spec: str, environ: dict[str, str], *, apart: bool) -> None:
    key = spec.partition(":")[0].upper().replace("-RESPONSES", "") + "_API_KEY"
    dialect = resolve(spec, environ={key: "sk-0123456789abcdef", **environ}).dialect
    assert isinstance(dialect, MarksApart) == apart
