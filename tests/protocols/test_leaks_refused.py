"""What is not complete, not clear or not the model's own never runs, and the model is told why."""

import pytest
from test_leaks_forms import OBJECT, TOOLS, tool

from loopwright.protocols.leaks import find_leaks

CUT = {
    "hermes": '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "abc',
    "hermes, complete but not closed": '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "b"}}',
    "hermes, bracket missing": '<tool_call>{"name": "write_file", "arguments": {"path": "a"}</tool_call>',
    "hermes, open fence": '<tool_call>```json\n{"name": "write_file", "arguments": {}}</tool_call>',
    "qwen value": "<tool_call>\n<function=write_file>\n<parameter=path>\na",
    "qwen parameter": "<function=write_file><parameter=path>a</parameter><parameter=content>b</function>",
    "qwen swallows a parameter": "<function=write_file><parameter=path>a<parameter=content>b</parameter></function>",
    "qwen function": "<tool_call><function=write_file><parameter=path>a</parameter></tool_call>",
    "qwen swallows the next call": (
        "<function=write_file><parameter=path>a</parameter></tool_call>\n"
        "<tool_call><function=bash><parameter=command>ls</parameter></function></tool_call>"
    ),
    "qwen, words for parameters": "<function=write_file>the file a</function>",
    "function with an object": '<function=write_file>{"path": "a"}',
    "function with half an object": '<function=write_file>{"path": "a',
    "glm value": "<tool_call>write_file<arg_key>path</arg_key><arg_value>a",
    "glm closing mark": "<tool_call>write_file<arg_key>path</arg_key><arg_value>a</arg_value></tool_cal",
    "glm swallows a pair": (
        "<tool_call>write_file<arg_key>a</arg_key><arg_value>b<arg_key>c</arg_key><arg_value>d</arg_value></tool_call>"
    ),
    "kimi": '<|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>{"path": "a',
    "kimi, no arguments": "<|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>",
    "deepseek": '<｜tool▁call▁begin｜>write_file<｜tool▁sep｜>{"path": "a"}',
    "deepseek fence": '<｜tool▁call▁begin｜>function<｜tool▁sep｜>write_file\n```json\n{"path": "a"}',
    "mistral": '[TOOL_CALLS][{"name": "write_file", "arguments": {"pa',
    "mistral arguments": '[TOOL_CALLS]write_file[ARGS]{"path": "a',
    "harmony": '<|channel|>commentary to=functions.write_file<|message|>{"path": "a',
    "harmony, nothing": "<|channel|>commentary to=functions.write_file<|message|>",
    "harmony, words": "<|channel|>commentary to=functions.write_file<|message|>the file<|call|>",
    "harmony, more behind": '<|channel|>commentary to=functions.write_file<|message|>{"path": "a"} and<|call|>',
    "tag": "<write_file>\n<path>a</path>\n<content>\nabc",
    "tag of a parameter": "<write_file><path>a</write_file>",
    "tag swallows": "<write_file><path>a<content>b</content></path></write_file>",
    "tag, words between": "<write_file><path>a</path> and <b></write_file>",
    "tag, no parameters": "<write_file>a</write_file>",
    "tag, part of an object": '<write_file>{"path": "a", "mode": 1}</write_file>',
    "bare": '{"name": "write_file", "arguments": {"path": "a", "content": "ab',
    "bare, invalid": '{"name": "write_file", "arguments": {"path": "a" "content": "ab"}}',
    "fence": '```json\n{"name": "write_file", "arguments": {"path": "a"}}',
    "fence for calls": '```tool_call\n{"name": "write_file", "arguments": {"path": "a"}}',
    "pythonic": "[write_file(path='a', content='b",
    "pythonic between marks": "<|tool_call_start|>[write_file(path='a'",
    "pythonic, variable": "[write_file(path=path)]",
    "pythonic, spread": "[write_file(**{'path': 'a'})]",
    "pythonic, name twice": "[write_file(path='a', path='b')]",
    "pythonic, positions": "[write_file('a', 'b')]",
    "pythonic, bytes": "write_file(path=b'a')",
    "pythonic, set": "write_file(path={'a'})",
    "pythonic, infinite": "write_file(path=1e999)",
    "pythonic, huge": f"write_file(path={2**70})",
    "pythonic, odd key": "write_file(path={1: 'a'})",
    "pythonic, unhashable": "write_file(path={[]: 'a'})",
    "pythonic, half a character": "write_file(path='\\ud800')",
    "pythonic, octal": "write_file(path='\\777')",
    "pythonic, too long": f"write_file(path='{'a' * 20_001}')",
    "arguments are text": '{"name": "write_file", "arguments": "none given"}',
    "arguments are a list": '<tool_call>{"name": "write_file", "arguments": ["a"]}</tool_call>',
    "arguments twice": '{"name": "write_file", "arguments": {}, "parameters": {"path": "a"}}',
    "arguments with one name twice": '{"name": "write_file", "arguments": {"path": "a", "path": "b"}}',
    "parameter twice": "<function=write_file><parameter=path>a</parameter><parameter=path>b</parameter></function>",
    "schema": (
        '{"type": "function", "function": {"name": "write_file", "parameters": {"type": "object", "properties": '
        '{"path": {"type": "string"}}}}}'
    ),
}


@pytest.mark.parametrize("text", CUT.values(), ids=CUT.keys())
def test_an_incomplete_or_unclear_call_is_rejected(text: str) -> None:
    leaks = find_leaks(text, TOOLS)
    assert [call.tool for call in leaks.calls] == ["write_file"]
    assert leaks.calls[0].state == "rejected"
    assert leaks.calls[0].reason
    assert not leaks.calls[0].arguments


UNREADABLE = {
    "text before the closing mark": f"<tool_call>{OBJECT} so</tool_call>",
    "nothing behind the mark": "<tool_call>",
    "words behind the mark": "<tool_call>get the weather in Oslo</tool_call>",
    "object without a name": '<tool_call>{"location": "Oslo"}</tool_call>',
    "half an object without a name": '<tool_call>{"location": "Os',
    "no object": "<tool_call>[1, 2]</tool_call>",
    "empty list": "[TOOL_CALLS][]",
    "program": "```tool_code\nday = current_day()\nprint(day)\n```",
    "data in a fence for calls": "```tool_call\n[1, 2]\n```",
    "a call, and one that is begun": f"<tool_call>{OBJECT}</tool_call>\n<tool_call>",
    "a call, and one that cannot be read": f"<tool_call>{OBJECT}</tool_call>\n<tool_call>the other</tool_call>",
    "glm without its first key": "<tool_call>get_weather location</arg_key><arg_value>Oslo</arg_value></tool_call>",
    "name, and arguments behind the end": '<tool_call>get_weather</tool_call>{"location": "Oslo"}',
    "deepseek without its beginning": 'function<｜tool▁sep｜>bash\n```json\n{"command": "a"}\n```<｜tool▁call▁end｜>',
    "closing marks of nothing": '"command">ls</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>',
    "closing tag of nothing": "The weather.\n</tool_call>",
    "call before lost one": f"<tool_call>{OBJECT}</tool_call>\nls\n</parameter>\n</function>",
    "harmony header": "<|channel|>commentary to=functions.bash",
    "harmony words, cut": "commentary to=functions.get_weather json",
    "inside a sentence": f"I call <tool_call>{OBJECT}</tool_call> and wait.",
    "behind a long text": f"{'word ' * 200}\n```json\n{OBJECT}\n```",
    "behind a long text, bare": f"{'a: {b}' * 100}\n{OBJECT}",
    "made up result": "<tool_response>3 degrees</tool_response>\nIt is 3 degrees.",
    "thinking inside an argument": "<function=bash><parameter=command>\n<think>rm</think>\nls</parameter></function>",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_is_meant_as_a_call_and_cannot_be_read_is_a_problem(text: str) -> None:
    leaks = find_leaks(text, TOOLS)
    assert leaks.problem
    assert leaks.calls == ()
    assert leaks.rest


def test_a_tag_that_was_not_closed_is_repaired_where_the_object_is_complete() -> None:
    (call,) = find_leaks('<function=bash{"command": "ls"}</function>', TOOLS).calls
    assert (call.arguments, call.state) == ({"command": "ls"}, "repaired")


def test_a_repair_keeps_what_was_written() -> None:
    source = "{'name': 'bash', 'arguments': {'command': \"it's\"}}"
    (call,) = find_leaks(f"<tool_call>{source}</tool_call>", TOOLS).calls
    assert (call.arguments, call.state, call.text) == ({"command": "it's"}, "repaired", source)


def test_two_repairs_are_both_told() -> None:
    source = "{'name': 'plan', 'arguments': {'steps': '[1]', 'deep': True}}"
    (call,) = find_leaks(f"<tool_call>{source}</tool_call>", TOOLS).calls
    assert call.arguments == {"steps": [1], "deep": True}
    assert "rewritten" in call.reason
    assert "decoded in: steps" in call.reason


@pytest.mark.parametrize("source", ["print('a', 'b')", "[a(b)(c)]", "[f()(x=1)]", "f(x=1)\n2"])
def test_python_that_is_no_list_of_calls_does_not_run(source: str) -> None:
    leaks = find_leaks(f"```tool_code\n{source}\n```", TOOLS)
    assert leaks.problem or leaks.calls[0].state == "rejected"


def test_a_tool_without_required_parameters_takes_no_lone_value() -> None:
    (call,) = find_leaks("<current_day>today</current_day>", [tool("current_day")]).calls
    assert call.state == "rejected"
