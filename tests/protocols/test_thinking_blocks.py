"""What a model thinks in its text, or writes aside, is no step and no call, in words and in native form."""

import pytest

from loopwright.core.messages import ToolSpec, Turn
from loopwright.protocols.native import read
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.speech import Reply
from loopwright.protocols.thinking import without_thinking

TOOLS = [ToolSpec("add", parameters={"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})]
STEP = 'Action: add {"a": 1}'
LEAK = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'

PLACES = {
    "a block": "<{0}>\n{1}\n</{0}>\nFinal Answer: ok",
    "behind a label": "Thought: <{0}>\n{1}\n</{0}>Final Answer: ok",
    "behind words": "Thought: hm <{0}>\n{1}\nno</{0}> Final Answer: ok",
    "nested": "<{0}>a\n<{0}>\nb</{0}>\n{1}\n</{0}>\nFinal Answer: ok",
    "with blanks before": "  <{0}>\n{1}\n  </{0}>\nFinal Answer: ok",
    "capitals": "<{0}>\n{1}\n</{0}>\nFinal Answer: ok",
}
NAMES = (
    *("think", "thinking", "thought", "reasoning", "seed:think", "THINK"),
    *("scratchpad", "analysis", "reflection", "example", "examples", "details", "Details"),
)
OTHERS = {
    "thinking of Kimi": "◁think▷\n{1}\n◁/think▷Final Answer: ok",
    "thinking of Magistral": "[THINK]\n{1}[/THINK]\nFinal Answer: ok",
    "comment": "<!-- not yet\n{1}\n-->\nFinal Answer: ok",
    "with attributes": "<details open>\n{1}\n</details>\nFinal Answer: ok",
    "nested in a line": "<think>a<think>b</think>{1}</think>Final Answer: ok",
    "words behind": "Thought: hm <think> maybe\n{1}\nno</think> Final Answer: ok",
}
BLOCKS = {f"{name}, {place}": form.format(name, "{1}") for place, form in PLACES.items() for name in NAMES} | OTHERS


def turns(text: str) -> tuple[Turn, Turn]:
    return read_text(text, TOOLS), read(Reply(text=text, finish="stop"), TOOLS)


@pytest.mark.parametrize("form", BLOCKS.values(), ids=BLOCKS.keys())
@pytest.mark.parametrize("inside", [STEP, LEAK], ids=["step", "leak"])
def test_nothing_inside_counts(form: str, inside: str) -> None:
    said, native = turns(form.replace("{1}", inside))
    assert (said.calls, native.calls) == ((), ())
    assert said.answer == "ok"
    assert native.answer is not None
    assert native.answer.endswith("ok")


@pytest.mark.parametrize("form", BLOCKS.values(), ids=BLOCKS.keys())
def test_what_follows_counts(form: str) -> None:
    said, native = turns(form.replace("{1}", "hm").replace("Final Answer: ok", f"\n{STEP}"))
    assert [call.arguments for call in (*said.calls, *native.calls)] == [{"a": 1}, {"a": 1}]


OPEN = {
    **{f"{name} at the start": f"<{name}>\n{{0}}" for name in NAMES},
    **{f"{name} behind words": f"Thought: hm <{name}>\n{{0}}" for name in NAMES},
    "an inner block": "<think>a\n<think>b\n<think>c\n</think>\n{0}",
    "comment": "<!-- not yet\n{0}",
    "thinking of Kimi": "◁think▷\n{0}",
}


@pytest.mark.parametrize("form", OPEN.values(), ids=OPEN.keys())
@pytest.mark.parametrize(
    "inside", [STEP, LEAK, '{"action": "add", "action_input": {"a": 1}}'], ids=["step", "leak", "object"]
)
def test_behind_a_block_that_is_not_closed_there_is_no_step(form: str, inside: str) -> None:
    assert [turn.calls for turn in turns(form.format(inside))] == [(), ()]


WORDS = {
    "a pair in one line": "The tag <think> opens and </think> closes.",
    "backticks": "Use `<think>` and\n`</think>` always.",
    "quotation marks": 'Use "<think>" and\n"</think>" always.',
    "never closed": "The tag <think> opens it.",
    "aside in a sentence": "Put it into <details> tags.",
    "aside in backticks": "Put it into `<details>`\ntags.",
    "closed without an opening": "So </analysis>\nends it.",
}


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS.keys())
def test_words_about_tags_stay(text: str) -> None:
    turn = read(Reply(text=f"{text}", finish="stop"), TOOLS)
    assert turn.answer == text


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS.keys())
def test_words_about_tags_hide_no_step(text: str) -> None:
    said, native = turns(f"Thought: {text}\n{STEP}")
    assert [call.arguments for call in (*said.calls, *native.calls)] == [{"a": 1}, {"a": 1}]


def test_a_tag_in_the_middle_of_a_thought_opens_nothing_that_is_not_closed() -> None:
    assert without_thinking("<think>\nIs <think> a tag?\n</think>\nYes.") == ("\nYes.", "Is <think> a tag?", True)


def test_a_tag_right_behind_the_one_of_the_prompt_opens_nothing_more() -> None:
    assert without_thinking("<think>\n<think>\nhm\n</think>\nYes.") == ("\nYes.", "<think>\nhm", True)


def test_an_aside_in_an_input_belongs_to_the_input() -> None:
    write = ToolSpec("write", parameters={"type": "object", "properties": {"text": {"type": "string"}}})
    turn = read_text("Action: write\nAction Input: <!-- a\nObservation: done\nFinal Answer: b", [write])
    assert [call.tool for call in turn.calls] == ["write"]
    leak = "<function=write><parameter=text>\n<details>\na\n</parameter></function>"
    native = read(Reply(text=f"{leak}\n{leak}", finish="stop"), [write])
    assert [call.state for call in native.calls] == ["strict", "strict"]
