"""Actions that are only quoted or given as examples: none of them runs. One named case for each habit."""

import pytest

from loopwright.core.messages import ToolSpec, Turn
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.react_reply import read_text

QUOTED = ENGLISH.problems.quoted
NUMBERS = {"a": {"type": "integer"}}
TOOLS = [ToolSpec("add", parameters={"type": "object", "properties": NUMBERS, "required": ["a"]})]


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
