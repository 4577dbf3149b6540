"""What replies in the text protocol mean: one named case for each habit of a model."""

from typing import Any

import pytest

from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.react_reply import read_text

PROBLEMS = ENGLISH.problems


def tool(name: str, **parameters: str) -> ToolSpec:
    properties = {key: {"type": kind} for key, kind in parameters.items()}
    return ToolSpec(name, parameters={"type": "object", "properties": properties, "required": list(parameters)})


TOOLS = [
    tool("search", query="string"),
    tool("Lookup", text="string"),
    tool("convert", amount="number", to="string"),
    tool("get_time"),
    tool("Ask a coworker", question="string", coworker="string"),
    tool("pages", names="array"),
]


def read(text: str, **options: Any) -> Turn:
    return read_text(text, TOOLS, **options)


def calls(text: str, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    """The calls that would run."""
    return [(call.tool, call.arguments) for call in read(text, **options).calls if call.state == "strict"]


SEARCH_OSLO = [("search", {"query": "Oslo"})]

RUNS: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "bracket": ("Thought: a\nAction: search[Oslo]", SEARCH_OSLO),
    "json": ('Thought: a\nAction: search {"query": "Oslo"}', SEARCH_OSLO),
    "labelled text": ("Thought: a\nAction: search\nAction Input: Oslo", SEARCH_OSLO),
    "labelled json": ('Action: search\nAction Input: {"query": "Oslo"}', SEARCH_OSLO),
    "labelled quoted": ('Action: search\nAction Input: "Oslo"', SEARCH_OSLO),
    "labelled in backticks": ("Action: `search`\nAction Input: `Oslo`", SEARCH_OSLO),
    "labelled fenced": ('Action: search\nAction Input:\n```json\n{"query": "Oslo"}\n```', SEARCH_OSLO),
    "object in a fence that never closes": ('Action: search\nAction Input:\n```json\n{"query": "Oslo"}', SEARCH_OSLO),
    "input on the same line": ('Action: search Action Input: {"query": "Oslo"}', SEARCH_OSLO),
    "text on the line of a fence": ("Action: ```search[Oslo]```", SEARCH_OSLO),
    "fence on one line": ("Action: search\nAction Input: ```Oslo```", SEARCH_OSLO),
    "name in a fence": ("Action:\n```\nsearch\n```\nAction Input: Oslo", SEARCH_OSLO),
    "json in brackets": ('Action: search[{"query": "Oslo"}]', SEARCH_OSLO),
    "json in round brackets": ('Action: search({"query": "Oslo"})', SEARCH_OSLO),
    "python keyword": ("Action: search(query='Oslo')", SEARCH_OSLO),
    "python value": ('Action: search("Oslo")', SEARCH_OSLO),
    "numbered": ("Thought 1: a\nAction 1: search[Oslo]", SEARCH_OSLO),
    "bold label": ("**Thought:** a\n**Action:** `search[Oslo]`", SEARCH_OSLO),
    "bold with the colon outside": ("**Thought**: a\n**Action**: search[Oslo]", SEARCH_OSLO),
    "bold line": ("**Thought: a**\n**Action: search**\n**Action Input:** Oslo", SEARCH_OSLO),
    "heading": ("## Thought\na\n## Action\nsearch\n## Action Input\nOslo", SEARCH_OSLO),
    "heading with a colon": ("### Action: search[Oslo]", SEARCH_OSLO),
    "bold line of its own": ("**Action**\nsearch[Oslo]", SEARCH_OSLO),
    "full-width colon": ("Thought：a\nAction：search[Oslo]", SEARCH_OSLO),
    "other case": ("thought: a\nACTION: Search[Oslo]", SEARCH_OSLO),
    "underscore": ("Action: search\nAction_Input: Oslo", SEARCH_OSLO),
    "section markers": (
        "[[ ## next_thought ## ]]\na\n[[ ## next_tool_name ## ]]\nsearch\n"
        '[[ ## next_tool_args ## ]]\n{"query": "Oslo"}\n[[ ## completed ## ]]',
        SEARCH_OSLO,
    ),
    "unknown section is text": ("[[ ## note ## ]]\na\nAction: search[Oslo]", SEARCH_OSLO),
    "direction marks": ("Action: \u200esearch\u200e\nAction Input: Oslo", SEARCH_OSLO),
    "name in quotes with a point": ('Action: "search".\nAction Input: Oslo', SEARCH_OSLO),
    "name in square brackets": ("Action: [search]\nAction Input: Oslo", SEARCH_OSLO),
    "blank lines": ("Thought: a\n\nAction:\n\nsearch[Oslo]", SEARCH_OSLO),
    "empty action line": ("Action:\nAction: search[Oslo]", SEARCH_OSLO),
    "windows line ends": ("Thought: a\r\nAction: search\r\nAction Input: Oslo\r\n", SEARCH_OSLO),
    "end mark": ("Action: search[Oslo]<|im_end|> </s>", SEARCH_OSLO),
    "words after the bracket": ("Action: search[Oslo] on another site", SEARCH_OSLO),
    "words after the object": ('Action: search\nAction Input: {"query": "Oslo"}\n\n[waiting]', SEARCH_OSLO),
    "empty input label": ("Action: search[Oslo]\nAction Input:", SEARCH_OSLO),
    "the same input twice": ("Action: search[Oslo]\nAction Input: Oslo", SEARCH_OSLO),
    "thinking is no action": ("<think>\nAction: search[wrong]\n</think>\nAction: search[Oslo]", SEARCH_OSLO),
    "thinking that began in the prompt": ("Action: search[wrong]\n</think>\n\nAction: search[Oslo]", SEARCH_OSLO),
    "object below the name": ('Action: search\n{"query": "Oslo"}', SEARCH_OSLO),
    "fence below the name": ("Action: search\n```\nOslo\n```", SEARCH_OSLO),
    "another label below the name": ("Action: search\nInput: Oslo", SEARCH_OSLO),
    "bold label below the name": ("**Action:** search\n**Arguments:** Oslo", SEARCH_OSLO),
    "an input that says none": ("Action: search[Oslo]\nAction Input: None", SEARCH_OSLO),
    "label twice": ("Action: Action: search[Oslo]", SEARCH_OSLO),
    "action behind an empty thought": ("Thought: Action: search[Oslo]", SEARCH_OSLO),
    "keyword under a label": ('Action: search\nAction Input: query="Oslo"', SEARCH_OSLO),
    "talk below a tool without parameters": ("Action: get_time\n\n(I wait.)", [("get_time", {})]),
    "closing fence below the name": ("```\nAction: get_time\n```", [("get_time", {})]),
    "whole reply fenced": ("```\nThought: a\nAction: search\nAction Input: Oslo\n```", SEARCH_OSLO),
    "fence after the thought": ("Thought: a\n```\nAction: search[Oslo]\n```", SEARCH_OSLO),
    "balanced brackets": ("Action: Lookup[items[0]]", [("Lookup", {"text": "items[0]"})]),
    "half-open interval": ("Action: Lookup[interval [0, 1)]", [("Lookup", {"text": "interval [0, 1)"})]),
    "half-open at the left": ("Action: Lookup[interval (0, 1]]", [("Lookup", {"text": "interval (0, 1]"})]),
    "set in brackets": ("Action: Lookup[{1, 2} and more]", [("Lookup", {"text": "{1, 2} and more"})]),
    "brace in a string": (
        'Action: search\nAction Input: {"query": "sum({\'a\': 1})"}',
        [("search", {"query": "sum({'a': 1})"})],
    ),
    "apostrophe": ("Action: search[it's (here]", [("search", {"query": "it's (here"})]),
    "label inside a string": (
        'Action: search\nAction Input: {"query": "a\\nb"}',
        [("search", {"query": "a\nb"})],
    ),
    "json array for an array": ('Action: pages["a", "b"]', []),
    "array": ('Action: pages\nAction Input: ["a", "b"]', [("pages", {"names": ["a", "b"]})]),
    "no input": ("Thought: a\nAction: get_time", [("get_time", {})]),
    "empty object": ("Action: get_time\nAction Input: {}", [("get_time", {})]),
    "input that says none": ("Action: get_time\nAction Input: None", [("get_time", {})]),
    "empty round brackets": ("Action: get_time()", [("get_time", {})]),
    "round brackets and a label": ("Action: get_time()\nAction Input: {}", [("get_time", {})]),
    "blanks in the name": (
        'Action: Ask a coworker {"question": "a", "coworker": "b"}',
        [("Ask a coworker", {"question": "a", "coworker": "b"})],
    ),
    "several on a line": (
        "Action: search[a], search[b] and Lookup[c]",
        [("search", {"query": "a"}), ("search", {"query": "b"}), ("Lookup", {"text": "c"})],
    ),
    "several lines": (
        'Action: search {"query": "a"}\nAction: Lookup\nAction Input: b',
        [("search", {"query": "a"}), ("Lookup", {"text": "b"})],
    ),
    "line without a label goes on": (
        "Action: search[a]\nLookup[b]",
        [("search", {"query": "a"}), ("Lookup", {"text": "b"})],
    ),
    "what is no tool ends the line": ("Action: search[a], see[b]", [("search", {"query": "a"})]),
    "second thought ends the step": ("Action: search[a]\nThought: b\nAction: search[c]", [("search", {"query": "a"})]),
    "finish beside others waits": ("Action: search[a], finish[b]", [("search", {"query": "a"})]),
    "invented observation": (
        "Action: search[a]\nObservation: b\nAction: search[c]\nFinal Answer: d",
        [("search", {"query": "a"})],
    ),
    "answer without observation": ("Action: search[a]\nFinal Answer: b", [("search", {"query": "a"})]),
    "half a stop mark": ("Action: search\nAction Input: Oslo\nObserv", SEARCH_OSLO),
    "observation on the line of the input": ("Action: search\nAction Input: Oslo Observation: b", SEARCH_OSLO),
    "numbered observation with a name": (
        "Action: search[Oslo]\nObservation 1 (search): b\nFinal Answer: c",
        SEARCH_OSLO,
    ),
    "echo of the observation": ("Observation: a\n\nThought: b\nAction: search[Oslo]", SEARCH_OSLO),
    "action object": ('Action: {"action": "search", "action_input": "Oslo"}', SEARCH_OSLO),
    "fenced action object": (
        'Action:\n```json\n{"action": "search", "action_input": {"query": "Oslo"}}\n```',
        SEARCH_OSLO,
    ),
    "wrapped action object": (
        'Action: {"tool_call": {"action": "search", "action_input": {"query": "Oslo"}}}',
        SEARCH_OSLO,
    ),
    "action object without its label": (
        'Thought: a\n{"action": "search", "action_input": {"query": "Oslo"}}',
        SEARCH_OSLO,
    ),
    "name and arguments": ('{"name": "search", "arguments": {"query": "Oslo"}}', SEARCH_OSLO),
    "action object without an input": ('Action: {"action": "get_time"}', [("get_time", {})]),
    "action object with a null input": ('Action: {"action": "get_time", "action_input": null}', [("get_time", {})]),
    "action object with an array": (
        'Action: {"action": "pages", "action_input": ["a"]}',
        [("pages", {"names": ["a"]})],
    ),
    "list of actions": (
        'Action:\n[{"action": "search", "action_input": "a"}, 1, {"action": "search", "action_input": "b"}]',
        [("search", {"query": "a"}), ("search", {"query": "b"})],
    ),
    "objects in a row": (
        '{"action": "search", "action_input": "a"}\n{"action": "search", "action_input": "b"}',
        [("search", {"query": "a"}), ("search", {"query": "b"})],
    ),
    "object in a row that is cut": (
        'Action: {"action": "search", "action_input": "a"}\n{"action',
        [("search", {"query": "a"})],
    ),
    "object in a row that is none": (
        'Action: {"action": "search", "action_input": "a"}\n{b c}',
        [("search", {"query": "a"})],
    ),
    "unknown tool": ("Action: reflect[a]", [("reflect", {"input": "a"})]),
    "unknown tool with an object": ('Action: reflect {"a": 1}', [("reflect", {"a": 1})]),
    "unknown tool with braces": ("Action: reflect\nAction Input: {a", []),
    "unknown tool in a sentence": (
        "Action: Use the library (3.1)\nAction Input:\na",
        [("Use the library (3.1)", {"input": "a"})],
    ),
    "none is a tool if it is called so": ("Action: None of them", [("None of them", {})]),
}


@pytest.mark.parametrize(("text", "expected"), RUNS.values(), ids=RUNS)
def test_runs(text: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    assert calls(text) == expected


ANSWERS = {
    "label": ("Thought: a\nFinal Answer: It is 42.", "It is 42."),
    "several lines": ("Final Answer:\n\n1. a\n2. b", "1. a\n2. b"),
    "bold": ("**Final Answer:** **42**", "**42**"),
    "bold line": ("**Final Answer: 42**", "42"),
    "heading": ("### Final Answer\n42", "42"),
    "fenced": ("```\nThought: a\nFinal Answer: 8\n```", "8"),
    "fence that opens before it": ("Final Answer: 8\n```", "8"),
    "code in the answer": ("Final Answer:\n```python\nx = 1\n```", "```python\nx = 1\n```"),
    "half a fence at the top": ("Final Answer:\n```\n8", "8"),
    "half a fence in the middle": ("Final Answer: 8\n```\n9", "8\n```\n9"),
    "finish": ("Thought: a\nAction: Finish[42]", "42"),
    "finish with an object": ('Action: finish {"answer": "42"}', "42"),
    "finish with any one key": ('Action: finish\nAction Input: {"value": "42"}', "42"),
    "finish with several keys": ('Action: finish {"answer": "42", "sure": true}', "42"),
    "finish with an object for an answer": ('Action: finish {"a": 1, "b": 2}', '{"a": 1, "b": 2}'),
    "finish in an action object": ('{"action": "Final Answer", "action_input": "42"}', "42"),
    "finish in an action object with an object": (
        'Action: {"action": "finish", "action_input": {"answer": "42"}}',
        "42",
    ),
    "finish with braces that are no object": ("Action: finish[{a b}]", "{a b}"),
    "finish before other calls": ("Action: finish[42], search[a]", "42"),
    "no action": ("Thought: a\nAction: N/A\nFinal Answer: 42", "42"),
    "no action with a point": ("Action: None.\nAction Input: None\nFinal Answer: 42", "42"),
    "llamaindex": ("Thought: I can answer without tools.\nAnswer: 42", "42"),
    "behind the thought": ("Thought: I know it. Final Answer: 42", "42"),
    "answer again": ("Final Answer: a\n\nFinal Answer: b", "a\n\nFinal Answer: b"),
    "loop that goes on": ("Final Answer: 42\nThought: more\nAction: search[a]", "42"),
    "observation after it": ("Final Answer: 42\nObservation: done", "42"),
    "headings in a report": (
        "Final Answer: a\n\n**Action:** do b\n### Observation\nc",
        "a\n\n**Action:** do b\n### Observation\nc",
    ),
    "weak label in a report": ("Final Answer: a\nAnswer: b", "a\nAnswer: b"),
    "action in a quoted example": ("Final Answer: write\n```\nAction: x\n```", "write\n```\nAction: x\n```"),
}


@pytest.mark.parametrize(("text", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_answers(text: str, expected: str) -> None:
    turn = read(text)
    assert (turn.answer, turn.calls, turn.problem) == (expected, (), "")


REFUSED = {
    "thought only": ("Thought: I will look it up.", PROBLEMS.no_label),
    "text only": ("The answer is 42.", PROBLEMS.no_label),
    "input without an action": ('Action Input: {"query": "a"}', PROBLEMS.no_tool),
    "input after an empty action": ("Action:\nAction Input: a", PROBLEMS.no_tool),
    "no action and no answer": ("Thought: a\nAction: None", PROBLEMS.no_answer),
    "empty answer": ("Thought: a\nFinal Answer:", PROBLEMS.empty_answer),
    "empty finish": ("Action: finish[]", PROBLEMS.empty_answer),
    "open finish": ("Action: finish[a", PROBLEMS.not_closed),
    "answer after an invented observation": ("Observation: a\nFinal Answer: b", PROBLEMS.invented),
    "finish after an invented observation": ("Observation: a\nAction: finish[b]", PROBLEMS.invented),
    "thought and an observation": ("Thought: a\nObservation: b\nFinal Answer: c", PROBLEMS.no_label),
    "copied instructions": (
        "Action: the action to take, should be one of [search]\nAction Input: a",
        PROBLEMS.placeholder,
    ),
    "action and answer in one line": ("Thought: a. Action: search[b]. Final Answer: c", PROBLEMS.inline),
    "empty answer in one line": ("Thought: I know it. Final Answer:", PROBLEMS.no_label),
    "labels in one line": ("Thought: a. Action: search[b]", PROBLEMS.inline),
    "invented step in one line": ("Thought: a. Action: search[b] Observation: c\nFinal Answer: d", PROBLEMS.inline),
    "invented step before an action": (
        "Thought: a. Action: search[b] Observation: c\nAction: search[d]",
        PROBLEMS.inline,
    ),
    "quoted example and an action": ("Thought: as in\n```\nAction: search[a]\n```\nAction: search[b]", PROBLEMS.fenced),
    "quoted action and an answer": ("Thought: a\n```\nAction: search[a]\n```\nFinal Answer: b", PROBLEMS.fenced),
    "action object in the middle": (
        'Thought: as {"a": 1}\n{"action": "search", "action_input": "a"}\nor so',
        PROBLEMS.no_label,
    ),
    "object that names no action": ('{"thought": "a"}', PROBLEMS.no_label),
    "object in too many others": ('{"action": {"a": {"a": {"a": {"action": "search"}}}}}', PROBLEMS.no_label),
    "object with more in it": ('{"action": "search", "action_input": "a", "cost": 1, "x": 2}', PROBLEMS.no_label),
    "object of an unknown name": ('{"name": "Alice", "arguments": "none"}', PROBLEMS.no_label),
    "object with a number for a name": ('{"action": 1, "action_input": "a"}', PROBLEMS.no_label),
    "unknown action without an input": ('{"action": "Alice"}', PROBLEMS.no_label),
    "cut text": ("Thought: I", PROBLEMS.no_label),
}


@pytest.mark.parametrize(("text", "problem"), REFUSED.values(), ids=REFUSED)
def test_refuses(text: str, problem: str) -> None:
    turn = read(text)
    assert (turn.calls, turn.answer, turn.problem) == ((), None, problem)
    assert turn.kind == "malformed"


REJECTED = {
    "open bracket": ("Action: search[Oslo", PROBLEMS.not_closed),
    "open bracket with another call": ("Action: search[interval [0, 1), search[b]", PROBLEMS.not_closed),
    "open object": ('Action: search {"query": "Oslo"', PROBLEMS.not_closed),
    "open string under a label": ('Action: search\nAction Input: {"query": "Oslo', PROBLEMS.not_closed),
    "text for several parameters": ("Action: convert[100 EUR]", "this tool needs its arguments as one JSON object"),
    "text for a number": ("Action: Ask a coworker[me]", "this tool needs its arguments as one JSON object"),
    "text for no parameters": ("Action: get_time[now]", PROBLEMS.no_arguments),
    "python without names": ("Action: convert(100, to=EUR)", "this tool needs its arguments as one JSON object"),
    "python that is none": ("Action: convert(amount=)", "this tool needs its arguments as one JSON object"),
    "two objects": ('Action: search\nAction Input: {"query": "a"}{"query": "b"}', "the arguments are not valid JSON"),
    "two inputs": (
        'Action: search[a]\nAction Input: {"query": "b"}',
        "this tool needs its arguments as one JSON object",
    ),
    "label in a fenced text": ("Action: search\nAction Input:\n```\na\nThought: b\n```", PROBLEMS.label_inside),
    "lines without a label": ("Action: search\nOslo", PROBLEMS.unlabelled),
    "keyword without quotes": ("Action: search[query=Oslo]", "this tool needs its arguments as one JSON object"),
    "words for an array": ("Action: pages[a]", "this tool needs its arguments as one JSON object"),
}


@pytest.mark.parametrize(("text", "reason"), REJECTED.values(), ids=REJECTED)
def test_rejects_the_call(text: str, reason: str) -> None:
    turn = read(text)
    assert [call.state for call in turn.calls] == ["rejected"]
    assert turn.calls[0].reason.startswith(reason)
    assert turn.calls[0].arguments == {}
    assert turn.answer is None


def test_repaired_arguments_say_so() -> None:
    (escaped,) = read('Action: search {\\"query\\": \\"Oslo\\"}').calls
    assert (escaped.state, escaped.arguments) == ("repaired", {"query": "Oslo"})
    (single,) = read("Action: search {'query': 'Oslo'}").calls
    assert (single.state, single.arguments, bool(single.reason)) == ("repaired", {"query": "Oslo"}, True)
    (around,) = read("Action: {'action': 'search', 'action_input': 'Oslo'}").calls
    assert (around.state, around.arguments, bool(around.reason)) == ("repaired", {"query": "Oslo"}, True)
    (given,) = read("Action: {'action': 'convert', 'action_input': {'amount': 1, 'to': 'USD'}}").calls
    assert (given.state, given.arguments) == ("repaired", {"amount": 1, "to": "USD"})


def test_a_label_inside_a_json_string_does_not_end_the_input() -> None:
    text = 'Action: search {"query": "a\nObservation: b"}\nObservation: c'
    (call,) = read(text).calls
    assert (call.state, call.arguments) == ("repaired", {"query": "a\nObservation: b"})
    assert read(text).text == 'Action: search {"query": "a\nObservation: b"}'


def test_an_open_string_does_not_swallow_the_observation() -> None:
    (call,) = read('Action: search\nAction Input: {"query": "a\nObservation: {"b": "c"}').calls
    assert call.state == "rejected"
    assert "Observation" not in call.text


def test_a_cut_reply_runs_nothing() -> None:
    for text in ("Action: search[Oslo]", 'Action: search {"query": "Os', "Action: search"):
        turn = read(text, cut=True)
        assert [call.state for call in turn.calls] == ["rejected"]
    assert read("Thought: a\nFinal Answer: It is", cut=True).problem == PROBLEMS.cut
    assert read("Thought: I need", cut=True).problem == PROBLEMS.cut
    assert read("Action: finish[It is", cut=True).problem == PROBLEMS.cut


def test_a_cut_after_a_finished_answer_loses_nothing() -> None:
    assert read("Final Answer: 42\nThought: and", cut=True).answer == "42"
    assert read("Action: finish[42]\nThought: and", cut=True).answer == "42"


def test_what_counts_of_the_text() -> None:
    assert read("Thought: a\nAction: search[b]\n\nObservation: c").text == "Thought: a\nAction: search[b]"
    assert read("Observation: a\nThought: b\nAction: search[c]").text == "Thought: b\nAction: search[c]"
    assert read("<think>x</think>\nAction: search[c]\nThought: d").text == "Action: search[c]"
    assert read(" b\nAction: search[c]", primed="Thought:").text == "b\nAction: search[c]"


def test_thoughts() -> None:
    assert read("Thought: a\n\nb\n\nAction: get_time").thought == "a\n\nb"
    assert read("First a.\n\nAction: get_time").thought == "First a."
    assert read("Sure.\nThought: a\nThought: b\nAction: get_time").thought == "a\n\nb"
    assert read("```\nThought: a\n```\n```\nAction: get_time\n```").thought == "a"
    assert read(" a\nAction 2: get_time", primed="Thought 2:").thought == "a"
    assert read(" get_time", primed="Thought 2: a\nAction 2:").thought == "a"
    assert read('Thought: a\n{"action": "get_time"}').thought == "a"
    assert read("Thought: a. Final Answer: b").thought == "a."
    assert read("<think>x</think>\n<thinking>y</thinking>\nThought: a").reasoning == "x\ny"


def test_empty_replies() -> None:
    assert read("").kind == "empty"
    assert read(" \n\u200e").kind == "empty"
    assert read("Observation: a").kind == "empty"
    turn = read("<think>I need")
    assert (turn.kind, turn.reasoning, turn.problem) == ("empty", "I need", PROBLEMS.thinking)


def test_words_about_thinking_stay() -> None:
    text = "<think>They ask for <think> and </think>\nFinal Answer: `<think>` and </think> tags"
    assert read(text).answer == "`<think>` and </think> tags"
    assert read("Final Answer: a </think> b").answer == "a </think> b"


def test_the_last_reply_takes_any_answer() -> None:
    assert read("It is 42.", closing=True).answer == "It is 42."
    assert read("Thought: It is 42.", closing=True).answer == "It is 42."
    assert read("Thought: a\nAction: search[b]\nFinal Answer: 42", closing=True).answer == "42"
    assert read("Thought: so Action: none.\nFinal Answer: 42", closing=True).answer == "42"
    assert read("Final Answer: It is", closing=True, cut=True).answer == "It is"
    assert read("Well. Final Answer: 42", closing=True).answer == "42"
    assert read("Thought:", closing=True).problem == PROBLEMS.empty_answer
    assert read("Action: search[a]\nObservation: b\nFinal Answer: c", closing=True).answer is None
    assert read("Observation: b\nIt is c.", closing=True).answer is None


def test_other_names_for_finishing() -> None:
    assert read("Action: Done[42]", finish=("done",)).answer == "42"
    assert read("Action: finish[42]", finish=("done",)).calls == (Call("finish", {"input": "42"}, text="42"),)
    assert read_text("Action: finish[42]", [tool("finish", value="string")]).calls[0].arguments == {"value": "42"}


def test_names_that_differ_in_case_only_are_not_guessed() -> None:
    tools = [tool("get", a="string"), tool("Get", b="string")]
    assert read_text("Action: Get[x]", tools).calls[0].arguments == {"b": "x"}
    assert read_text("Action: GET[x]", tools).calls[0].tool == "GET"


COMMANDS: dict[str, tuple[str, str, list[str]]] = {
    "command": ("go to desk 1", "", ["go to desk 1"]),
    "point at the end": ("take mug 1.", "", ["take mug 1."]),
    "sentence": ("There is no mug.", "There is no mug.", []),
    "prompt sign": ("> go to desk 1", "", ["go to desk 1"]),
    "label": ("Action: take mug 1.", "", ["take mug 1."]),
    "thought": ("think: I take it.", "I take it.", []),
    "thought in brackets": ("think[I take it.]", "I take it.", []),
    "labelled thought": ("Thought: go on", "go on", []),
    "thought and command": ("think: I take it.\ntake mug 1", "I take it.", ["take mug 1"]),
    "prose": ("I need a mug. It is on a desk.\nI will look.", "I need a mug. It is on a desk.\nI will look.", []),
    "thought and prose": ("think: a\nI will look at it.\ngo", "a\nI will look at it.", []),
    "many words": (" ".join(["go"] * 20), " ".join(["go"] * 20), []),
    "invented game": ("go to desk 1\nOn it you see a pen.\n> take pen 1", "", ["go to desk 1"]),
}


@pytest.mark.parametrize(("text", "thought", "expected"), COMMANDS.values(), ids=COMMANDS)
def test_free_commands(text: str, thought: str, expected: list[str]) -> None:
    turn = read_text(text, [], command=True)
    assert turn.thought == thought
    assert [call.text for call in turn.calls] == expected
    assert turn.kind == ("action" if expected else "thought")


def test_free_commands_at_the_edges() -> None:
    assert read_text(">", [], command=True).problem == PROBLEMS.command
    assert read_text("go", [ToolSpec("(command)")], command=True).calls[0].tool == "(command)"
    assert read_text("go", [], command=True, cut=True).calls[0].state == "rejected"
    assert read_text("go to desk 1\nYou see", [], command=True).text == "go to desk 1"
    assert read_text(" go", [], command=True, primed=">").text == "go"
    assert read_text("sk 1", [], command=True, primed="> go to de").text == "sk 1"
