"""Observations that a model makes up, in every dress: no answer rests on one. One named case for each dress."""

import pytest

from loopwright.core.messages import ToolSpec, Turn
from loopwright.protocols import json_form
from loopwright.protocols.labels import ENGLISH, LANGUAGES
from loopwright.protocols.react_reply import read_text

TOOLS = [
    ToolSpec("search", parameters={"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}),
]
INVENTED = ENGLISH.problems.invented

DRESSES = {
    "behind a sentence": "Thought: ok. Observation: 99.",
    "in the middle of a line": "Thought: a Observation: y",
    "small letters behind a sentence": "Thought: ok. observation: 99",
    "in a list": "Thought: ok\n- Observation: 99",
    "in a numbered list": "Thought: ok\n1. **Observation**: 99",
    "in a quotation": "Thought: ok\n> Observation: 99",
    "in round brackets": "(Observation: y)",
    "in a table": "| Observation | y |",
    "label in square brackets": "[Observation] y",
    "bold without a colon": "**Observation** y",
    "with a dash": "Thought: ok\nObservation - 99",
    "with an equals sign": "Thought: ok\nObservation = 99",
    "alone in its line": "Thought: ok\nObservation\n99",
    "numbered": "Thought: ok\nObservation 1. 99",
    "as a key": 'Thought: ok\n"Observation": 99',
    "as a tag": "<observation>99</observation>",
    "tags of a tool's response": "<tool_response>99</tool_response>",
    "mark of another's turn": "Thought: ok\n<|im_start|>user\n99",
    "label of another language": "Gedanke: a\nAktion: search[x]\nBeobachtung: y",
    "label of another language in a list": "Thought: a\n- Beobachtung: y",
}
ENDS = {"label": "Final Answer: 99", "finishing action": "Action: finish[99]"}

PROSE = {
    "small letters in a sentence": "Thought: my observation: it is so",
    "no colon": "Thought: Observation shows that it is so",
    "no label at all": "Observation of birds is fun.\nThought: a",
    "a number without a colon": "Thought: I know. Observation 2 says so",
    "a tag in backticks": "Thought: `<tool_response>` is a tag",
    "nothing behind it": "Thought: a\n- Observation:",
    "mark of its own turn": "<|im_start|>assistant\nThought: a",
}


def read(text: str, *, closing: bool = False) -> Turn:
    return read_text(text, TOOLS, closing=closing)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("dress", DRESSES)
def test_no_answer_rests_on_an_invented_observation(dress: str, end: str) -> None:
    turn = read(f"{DRESSES[dress]}\n{ENDS[end]}")
    assert (turn.answer, turn.calls, turn.problem) == (None, (), INVENTED)


@pytest.mark.parametrize("prose", PROSE)
def test_the_word_in_prose_is_no_observation(prose: str) -> None:
    assert read(f"{PROSE[prose]}\nFinal Answer: 99").answer == "99"


@pytest.mark.parametrize("language", LANGUAGES)
def test_own_labels_are_known_in_every_dress(language: str) -> None:
    labels = LANGUAGES[language]
    for word in labels.observation:
        for made in (f"{labels.thought[0]}: ok. {word}: 99.", f"- {word}: 99", f"| {word} | 99 |"):
            turn = read_text(f"{made}\n{labels.final[0]}: 99", TOOLS, labels=labels)
            assert (turn.answer, turn.problem) == (None, labels.problems.invented)


def test_neither_in_the_last_reply() -> None:
    assert read("Thought: a\n- Observation: 99\nFinal Answer: 99", closing=True).problem == INVENTED
    assert read("Action: none\n- Observation: 99\nFinal Answer: 99", closing=True).problem == INVENTED


def test_neither_before_an_answer_in_the_line_of_the_thought() -> None:
    assert read("[Observation] 99\nI know it. Final Answer: 99").problem == INVENTED


def test_an_action_before_it_runs() -> None:
    turn = read("Action: search[x]\n- Observation: 99\nFinal Answer: 99")
    assert [call.arguments for call in turn.calls] == [{"q": "x"}]


COMMANDS = {
    "behind a thought": ("think: ok. Observation: 99.\nFinal Answer: 99", INVENTED),
    "in a list": ("- Observation: 99\nFinal Answer: 99", ENGLISH.problems.command),
    "tags": ("<tool_response>99</tool_response>\nFinal Answer: 99", ENGLISH.problems.command),
    "behind a thought, before a command": ("think: x\n(Observation: y)\n> go", ""),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_command_mode_keeps_to_it(case: str) -> None:
    text, problem = COMMANDS[case]
    turn = read_text(text, TOOLS, command=True)
    assert (turn.answer, turn.calls, turn.problem) == (None, (), problem)


OBJECTS = {
    "beside the answer": '{"thought": "a", "observation": "x", "final_answer": "4"}',
    "beside the step": '{"observation": "x", "thought": "a", "step": {"final_answer": "4"}}',
    "in the step": '{"thought": "a", "step": {"Observations": ["x"], "final_answer": "4"}}',
    "in the thought": '{"thought": "ok. Observation: 4", "step": {"final_answer": "4"}}',
}


@pytest.mark.parametrize("case", OBJECTS)
def test_json_form_keeps_to_it(case: str) -> None:
    turn = json_form.read(OBJECTS[case], TOOLS)
    assert turn is not None
    assert (turn.answer, turn.problem) == (None, INVENTED)


def test_an_empty_observation_in_json_is_none() -> None:
    turn = json_form.read('{"observation": null, "thought": "a", "step": {"final_answer": "4"}}', TOOLS)
    assert turn is not None
    assert turn.answer == "4"
