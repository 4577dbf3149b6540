"""A step of the text protocol in a native run: its call counts, its label is no part of the answer."""

import pytest

from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.labels import ENGLISH, labels_of
from loopwright.protocols.native import read
from loopwright.protocols.repair import CUT
from loopwright.protocols.speech import Reply

NUMBERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
TOOLS = [ToolSpec("add", parameters=NUMBERS)]
STEP = 'Thought: two numbers\nAction: add\nAction Input: {"a": 1, "b": 2}'


def turn_of(text: str, finish: str = "stop", *, closing: bool = False) -> Turn:
    return read(Reply(text=text, finish=finish), TOOLS, closing=closing)


STEPS = {
    "alone": STEP,
    "in one line": 'Thought: two numbers\nAction: add {"a": 1, "b": 2}',
    "bold labels": '**Thought:** two numbers\n**Action:** add\n**Action Input:** {"a": 1, "b": 2}',
    "invented observation": f"{STEP}\nObservation: 99",
    "whole transcript": f"{STEP}\nObservation: 99\nThought: done\nFinal Answer: 99",
    "behind think block": f"<think>\nhm\n</think>\n{STEP}",
    "prose before": 'two numbers\n\nAction: add\nAction Input: {"a": 1, "b": 2}',
}


@pytest.mark.parametrize("text", STEPS.values(), ids=STEPS.keys())
def test_a_step_in_words_is_a_leaked_call(text: str) -> None:
    turn = turn_of(text)
    assert turn.calls == (Call("add", {"a": 1, "b": 2}, text='{"a": 1, "b": 2}'),)
    assert (turn.leaked, turn.answer, turn.thought, turn.text) == (True, None, "two numbers", "two numbers")


ANSWERS = {
    "final answer alone": ("Final Answer: 5", "5"),
    "final answer behind a thought": ("Thought: easy\nFinal Answer: 5", "5"),
    "bold final answer": ("**Final Answer:** 5", "5"),
    "final answer behind prose": ("It is easy.\nFinal Answer: 5", "It is easy.\nFinal Answer: 5"),
    "an action that is no tool": ('Action: run {"a": 1}', 'Action: run {"a": 1}'),
    "an action without an input": ("Action: add\n", "Action: add"),
    "an action without a name": ("Action:\n", "Action:"),
    "no labels but a colon": ("Note: it is five", "Note: it is five"),
    "an example": (f"For example:\n{STEP}", f"For example:\n{STEP}"),
    "a quotation": (f"They wrote\n```\n{STEP}\n```", f"They wrote\n```\n{STEP}\n```"),
}


@pytest.mark.parametrize(("text", "answer"), ANSWERS.values(), ids=ANSWERS.keys())
def test_anything_else_is_the_answer(text: str, answer: str) -> None:
    turn = turn_of(text)
    assert (turn.answer, turn.calls, turn.problem) == (answer, (), "")


@pytest.mark.parametrize(
    "text",
    ["Observation: 99\nFinal Answer: 99", "Thought: a\nObservation: 99\nFinal Answer: 99", f"Observation: 1\n{STEP}"],
)
def test_what_rests_on_an_invented_observation_is_a_problem(text: str) -> None:
    turn = turn_of(text)
    assert (turn.answer, turn.calls, turn.problem) == (None, (), ENGLISH.problems.invented)


def test_without_tools_an_observation_is_no_invented_result() -> None:
    text = "Thought: a\nObservation: 9\nFinal Answer: 9"
    assert read(Reply(text=text), []).answer == text


@pytest.mark.parametrize(("text", "finish"), [(STEP, "length"), ("Action: add one and two", "odd reason")])
def test_a_step_that_may_have_been_cut_does_not_run(text: str, finish: str) -> None:
    (call,) = turn_of(text, finish).calls
    assert (call.state, call.reason) == ("rejected", CUT)


def test_a_step_that_is_closed_runs_whatever_the_reason_was_called() -> None:
    (call,) = turn_of(STEP, "odd reason").calls
    assert call.state == "strict"


def test_a_cut_answer_is_none() -> None:
    turn = turn_of("Thought: a\nFinal Answer: 5", "length")
    assert (turn.answer, turn.problem) == (None, ENGLISH.problems.cut)


def test_a_closing_answer_goes_without_its_label() -> None:
    assert turn_of("Thought: a\nFinal Answer: 5", closing=True).answer == "5"


def test_a_step_is_read_in_the_language_of_the_run() -> None:
    text = 'Gedanke: zwei Zahlen\nAktion: add {"a": 1, "b": 2}\nBeobachtung: 9\nAntwort: 9'
    (call,) = read(Reply(text=text), TOOLS, labels=labels_of("de")).calls
    assert call.arguments == {"a": 1, "b": 2}
