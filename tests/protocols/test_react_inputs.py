"""Inputs that are cut, or given twice: nobody knows what was meant, so none of them runs. One named case for each."""

from typing import Any

import pytest

from loopwright.core.messages import ToolSpec
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.react_reply import read_text

PROBLEMS = ENGLISH.problems


def tool(name: str, parameter: str, kind: str) -> ToolSpec:
    return ToolSpec(name, parameters={"type": "object", "properties": {parameter: {"type": kind}}, "required": []})


TOOLS = [tool("search", "q", "string"), tool("add", "a", "integer")]

RUNS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "bracket in quotes": ('Action: search["a ] b"]', [{"q": "a ] b"}]),
    "bracket in single quotes": ("Action: search['a ] b']", [{"q": "a ] b"}]),
    "bracket in curly quotes": ("Action: search[“a ] b”]", [{"q": "a ] b"}]),
    "escaped quote": (r'Action: search["a \" ] b"]', [{"q": 'a " ] b'}]),
    "two inputs in quotes": ('Action: search["a"] and search["b ] c"]', [{"q": "a"}, {"q": "b ] c"}]),
    "sign of inches": ('Action: search[5" pipe]', [{"q": '5" pipe'}]),
    "half-open interval": ("Action: search[[0, 1)]", [{"q": "[0, 1)"}]),
    "fence that closes": ("Action: search\nAction Input:\n```\nSELECT a\n```", [{"q": "SELECT a"}]),
    "whole object in an open fence": ('Action: add\nAction Input:\n```json\n{"a": 1}', [{"a": 1}]),
    "the same input twice": ('Action: add\nAction Input: {"a": 1}\nAction Input: {"a": 1}', [{"a": 1}]),
    "talk with braces behind it": ('Action: add\nAction Input: {"a": 1}\nI put {x} into it.', [{"a": 1}]),
    "another tool named behind it": ('Action: add({"a": 1}), then add({"a": 2})', [{"a": 1}]),
    "several actions in one line": ('Action: add {"a": 1} add {"a": 2}', [{"a": 1}, {"a": 2}]),
    "an invented observation in a list": ("Action: search\nAction Input: x\n- Observation: y", [{"q": "x"}]),
}

REFUSED = {
    "quotes that never close": ('Action: search["a ] b]', PROBLEMS.not_closed),
    "quotes behind other words": ('Action: search[say "a ] b"]', PROBLEMS.not_closed),
    "bracket that never closes": ("Action: search[array[0]", PROBLEMS.not_closed),
    "two brackets that never close": ("Action: search[a[0] b[1]", PROBLEMS.not_closed),
    "fence that never closes": ("Action: search\nAction Input:\n```\nSELECT a\nFROM b WHERE", PROBLEMS.not_closed),
    "two labels": ('Action: add\nAction Input: {"a": 1}\nAction Input: {"a": 2}', PROBLEMS.contradictory),
    "text under two labels": ("Action: search\nAction Input: a\nAction Input: b", PROBLEMS.contradictory),
    "second thoughts": ('Action: add\nAction Input: {"a": 1} no wait, {"a": 2}', PROBLEMS.contradictory),
    "second thoughts without a label": ('Action: add {"a": 1} no wait, {"a": 2}', PROBLEMS.contradictory),
    "second thoughts behind brackets": ('Action: add[{"a": 1}] or {"a": 2}', PROBLEMS.contradictory),
    "two fences": (
        'Action: add\nAction Input:\n```json\n{"a": 1}\n```\nno\n```json\n{"a": 2}\n```',
        PROBLEMS.contradictory,
    ),
}


@pytest.mark.parametrize("case", RUNS)
def test_a_clear_input_is_taken_whole(case: str) -> None:
    text, arguments = RUNS[case]
    calls = read_text(text, TOOLS).calls
    assert [(call.arguments, call.state) for call in calls] == [(given, "strict") for given in arguments]


@pytest.mark.parametrize("case", REFUSED)
def test_an_input_that_is_not_clear_is_refused(case: str) -> None:
    text, reason = REFUSED[case]
    assert [(call.state, call.reason) for call in read_text(text, TOOLS).calls] == [("rejected", reason)]
