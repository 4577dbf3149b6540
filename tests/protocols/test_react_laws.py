"""Laws of the text reader, on generated replies and calls."""

import json
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.arguments import read_input, read_python
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.react_text import written_call

PIECES = (
    "Thought: ",
    "Action: ",
    "Action Input: ",
    "Observation: ",
    "Final Answer: ",
    "Answer: ",
    "**Action:** ",
    "### Thought",
    "search",
    "finish",
    "None",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    '"',
    "'",
    "\\",
    ",",
    ":",
    "\n",
    "```\n",
    "```json\n",
    "<think>",
    "</think>",
    '{"action": "search", "action_input": ',
    '"query"',
    "=",
    " ",
    "\u200e",
    "\ud800",
    "é",
    "Obs",
    "[[ ## next_thought ## ]]",
)
REPLIES = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=25).map("".join) | st.text(max_size=200)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
SEARCH = ToolSpec(
    "search", parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
)
FREE = ToolSpec(
    "Ask a coworker", parameters={"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}
)
TOOLS = [SEARCH, FREE]


@given(REPLIES, st.booleans(), st.booleans(), st.booleans())
@example('Action: search[{"', False, False, False)
def test_reads_anything(text: str, command: bool, cut: bool, closing: bool) -> None:
    turn = read_text(text, TOOLS, command=command, cut=cut, closing=closing)
    assert turn.answer is None or not turn.calls
    assert turn.answer != ""
    if cut:
        assert all(call.state == "rejected" for call in turn.calls)
    if turn.problem:
        assert not turn.calls
        assert turn.answer is None


@given(REPLIES, st.sampled_from(["\n", "  ", "\t\n\n", " \r\n"]))
def test_blanks_at_the_end_mean_nothing(text: str, blanks: str) -> None:
    assert read_text(text + blanks, TOOLS) == read_text(text.rstrip(), TOOLS)


@given(REPLIES)
@example("</think></think>Action: 0")
def test_what_goes_back_means_the_same(text: str) -> None:
    turn = read_text(text, TOOLS)
    again = read_text(turn.text, TOOLS)
    assume(all(call.reason != ENGLISH.problems.label_inside for call in turn.calls))  # thinking is left out by then
    assert again.calls == turn.calls
    if turn.calls:
        assert again.thought == turn.thought


@given(REPLIES, REPLIES)
def test_nothing_after_an_observation_counts(before: str, after: str) -> None:
    rest = f"{before}\n{after}".replace("</think>", "")  # that would make thinking of all before it
    turn = read_text(f"Thought: a\nAction: search[b]\nObservation: {rest}", TOOLS)
    assert [(call.tool, call.arguments) for call in turn.calls] == [("search", {"query": "b"})]
    assert turn.answer is None


def calls() -> st.SearchStrategy[Call]:
    search = TEXTS.map(lambda query: Call("search", {"query": query}))
    free = st.tuples(JSON, JSON).map(lambda values: Call("Ask a coworker", {"a": values[0], "b": values[1]}))
    return search | free


def plain(call: Call) -> tuple[str, dict[str, Any], str]:
    return call.tool, call.arguments, call.state


@example([Call("search", {"query": "the name of the tool"})], "a")
@given(st.lists(calls(), min_size=1, max_size=4), st.text("abc déf漢", min_size=1))
def test_calls_as_the_prompt_asks_for_them_read_back(asked: list[Call], thought: str) -> None:
    text = "\n".join((f"Thought: {thought}", *(written_call(call) for call in asked)))
    turn = read_text(text, TOOLS)
    assert [plain(call) for call in turn.calls] == [plain(call) for call in asked]


@given(st.lists(calls(), min_size=1, max_size=4))
def test_labelled_calls_read_back(asked: list[Call]) -> None:
    text = "\n".join(f"Action: {call.tool}\nAction Input: {json.dumps(call.arguments)}" for call in asked)
    assert [plain(call) for call in read_text(text, TOOLS).calls] == [plain(call) for call in asked]


@given(st.lists(st.text("abc ÄÖ漢(),.!?", min_size=1).filter(str.strip), min_size=1, max_size=4))
def test_bracketed_calls_read_back(queries: list[str]) -> None:
    text = "Action: " + ", ".join(f"search[{query}]" for query in queries)
    found = read_text(text, TOOLS).calls
    assert [call.arguments for call in found] == [{"query": query.strip()} for query in queries]


@pytest.mark.parametrize(
    "unit", ["Action: search[a]\n", "search[{]", "<think>\n", "</think>\n", "```\n", "Action: x {\n", "</s>"]
)
def test_long_replies_are_read(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert read_text(text, TOOLS).text in text or read_text(text, TOOLS).text == ""


def test_python_arguments() -> None:
    problems = ENGLISH.problems
    assert read_python("a=1, b=[True, None, {'x': 'y'}]", FREE, problems).arguments == {
        "a": 1,
        "b": [True, None, {"x": "y"}],
    }
    for text in (
        "a=(1, 2)",
        "a=b'x'",
        "a={1: 2}",
        "a=1, **b",
        "a=1, a=2",
        "a=f(1)",
        "a=1+",
        "a=" + "9" * 30_000,
        "a=[{2}]",
    ):
        read = read_python(text, FREE, problems)
        assert (read.state, read.arguments) == ("rejected", None), text
    assert read_python("a=f(1)", None, problems).reason == problems.expected.format(shape="{...}")
    assert read_python("a=1, a=2", None, problems).reason == "the name 'a' occurs twice"


def test_text_for_a_tool() -> None:
    problems = ENGLISH.problems

    def one(schema: dict[str, Any], text: str, *, required: bool = True) -> Any:
        parameters = {"type": "object", "properties": {"v": schema}, "required": ["v"] if required else []}
        return read_input(text, ToolSpec("t", parameters=parameters), problems).arguments

    assert one({"type": "integer"}, "3") == {"v": 3}
    assert one({"type": "integer"}, "three") is None
    assert one({"enum": ["a", "b"]}, "a") == {"v": "a"}
    assert one({"enum": [1, 2]}, "1") == {"v": 1}
    assert one({"type": "array"}, "[1]") == {"v": [1]}
    assert one({"type": "string"}, "[1]") == {"v": "[1]"}
    assert one({"type": "array"}, '{"v": "[1]"}') == {"v": [1]}
    assert one({}, "“Oslo”") == {"v": "Oslo"}
    assert one({}, '"a" or "b"') == {"v": '"a" or "b"'}
    assert one({}, '"\\ud800"') == {"v": "\\ud800"}
    assert one({}, "3", required=False) == {"v": "3"}
    assert one({}, "{1, 2}") == {"v": "{1, 2}"}
    assert one({}, '{"v": 1') is None
    two: dict[str, Any] = {"type": "object", "properties": {"a": {}, "b": {}}}
    assert read_input("none", ToolSpec("t", parameters=two), problems).arguments == {}
    assert read_input("x", ToolSpec("t", parameters=two), problems).state == "rejected"
    assert read_input("{x", ToolSpec("t", parameters=two), problems).state == "rejected"
