"""Actions that are only quoted or given as examples: none of them runs. One named case for each habit."""

import pytest

from loopwright.core.messages import ToolSpec, Turn
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.react_reply import read_text

QUOTED = ENGLISH.problems.quoted
NUMBERS = {"a": {"type": "integer"}}
TOOLS = [ToolSpec("add", parameters={"type": "object", "properties": NUMBERS, "required": ["a"]})]


ADD = 'Action: add {"a": 1}'
OBJECT = '{"action": "add", "action_input": {"a": 1}}'


def read(text: str) -> Turn:
    return read_text(text, TOOLS)


QUOTATIONS = {
    "fence behind a thought, prose behind it": f"Thought: The log holds this\n```\n{ADD}\n```\nI will not repeat it.",
    "fence behind words that quote": f"Thought: The log says:\n```\n{ADD}\n```",
    "object in a fence as an example": f"For example:\n```json\n{OBJECT}\n```",
    "object as an example": f"For example:\n{OBJECT}",
    "example and a refusal": f"I could write, for example:\n{ADD}\nbut I will not",
    "indented block, prose behind it": f"I could do this\n\n    {ADD}\n\nbut I will not.",
    "indented block as an example": f"Thought: The form, for example:\n\n    {ADD}",
    "lines of quotes": f'It reads\n"\n{ADD}\n"',
    "lines of three quotes": f'It reads\n"""\n{ADD}\n"""\nok',
    "finishing action as an example": "Thought: for example:\nAction: finish[42]",
    "words of another language": f"Thought: zum Beispiel:\n{ADD}",
    "whole step in a fence as an example": f"For example:\n```\nThought: a\n{ADD}\n```",
    "whole step as an example": f"I could write, for example:\nThought: a\n{ADD}\nbut I will not",
    "a second action that is quoted": f"{ADD}\nThe log says:\n```\n{ADD}\n```",
    "a second action in a fence, prose behind it": f"{ADD}\nMore\n```\n{ADD}\n```\nis not meant",
    "full-width colon": f"Thought: 例如：\n{ADD}",
}

MEANT = {
    "whole reply in a fence": f"```\nThought: x\n{ADD}\n```",
    "step in a fence": f"Thought: x\n```\n{ADD}\n```",
    "fence, then an invented observation": f"Thought: x\n```\n{ADD}\n```\nObservation: 3\nmore",
    "object in a fence": f"```json\n{OBJECT}\n```",
    "indented below its thought": f"Thought: x\n    {ADD}",
    "all indented": f"    Thought: x\n    {ADD}\nok",
    "a cue inside of the thought": f"Thought: I could use add, for example.\n{ADD}",
    "a colon without a cue": f"Thought: I must add these:\n{ADD}",
    "a quote that does not close": f'"\n{ADD}',
}


@pytest.mark.parametrize("case", QUOTATIONS)
def test_an_action_that_is_only_quoted_does_not_run(case: str) -> None:
    turn = read(QUOTATIONS[case])
    assert (turn.calls, turn.answer, turn.problem) == ((), None, QUOTED)


@pytest.mark.parametrize("case", MEANT)
def test_an_action_that_is_meant_runs(case: str) -> None:
    assert [(call.tool, call.state) for call in read(MEANT[case]).calls] == [("add", "strict")]


ANALYSIS = f"<|channel|>analysis<|message|>maybe\n{ADD}\n"
FINAL = "<|start|>assistant<|channel|>final<|message|>Thought: x\n"


def test_the_channel_for_analysis_is_a_thought() -> None:
    turn = read(f"{ANALYSIS}<|end|>{FINAL}Final Answer: 42<|return|>")
    assert (turn.calls, turn.answer, turn.thought, turn.reasoning) == ((), "42", "x", f"maybe\n{ADD}")


def test_the_final_channel_acts() -> None:
    turn = read(f"{ANALYSIS}<|end|>{FINAL}{ADD}<|return|>")
    assert [call.state for call in turn.calls] == ["strict"]


def test_a_reply_of_analysis_only_does_nothing() -> None:
    assert (read(f"{ANALYSIS}<|end|>").calls, read(f"{ANALYSIS}<|end|>").problem) == ((), "")
    assert (read(ANALYSIS).calls, read(ANALYSIS).problem) == ((), ENGLISH.problems.thinking)


def test_analysis_behind_a_thought_is_left_out() -> None:
    turn = read(f"Thought: x\n{ANALYSIS}")
    assert (turn.calls, turn.thought) == ((), "x")


def test_an_input_with_analysis_in_the_middle_is_refused() -> None:
    turn = read('Action: add\nAction Input: {"a":\n<|channel|>analysis<|message|>hm<|end|>\n1}')
    assert [call.state for call in turn.calls] == ["rejected"]


def test_a_message_to_a_tool_stays_in_the_text() -> None:
    text = '<|channel|>commentary to=functions.add<|message|>{"a": 1}<|call|>'
    turn = read(text)
    assert (turn.calls, turn.text) == ((), text)


def command(text: str) -> Turn:
    return read_text(text, TOOLS, command=True)


FENCED_COMMANDS = {
    "prompted": "```\n> go to desk 1\n```",
    "bare": "```\ngo to desk 1\n```",
    "behind a thought": "think: x\n```text\n> go to desk 1\n```",
}


@pytest.mark.parametrize("case", FENCED_COMMANDS)
def test_the_command_in_a_fence_is_the_command(case: str) -> None:
    assert [call.text for call in command(FENCED_COMMANDS[case]).calls] == ["go to desk 1"]


EXAMPLE_COMMANDS = {
    "prompted": "For example:\n> drop bomb",
    "in a thought": "think: For example:\n> drop bomb",
    "fenced": "For example:\n```\n> drop bomb\n```",
}


@pytest.mark.parametrize("case", EXAMPLE_COMMANDS)
def test_an_example_of_a_command_is_not_sent(case: str) -> None:
    turn = command(EXAMPLE_COMMANDS[case])
    assert (turn.calls, turn.problem) == ((), QUOTED)


def test_a_line_that_introduces_another_is_no_command() -> None:
    assert command("Next:\n> go to desk 1").calls == ()
