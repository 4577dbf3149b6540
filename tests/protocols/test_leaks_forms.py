"""Calls inside the text of a reply: every form that is complete is read, with its arguments as they were written."""

from typing import Any

import pytest

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.leaks import find_leaks


def tool(name: str, **parameters: str) -> ToolSpec:
    parts = {key: {"type": kind} for key, kind in parameters.items()}
    return ToolSpec(name, parameters={"type": "object", "properties": parts, "required": list(parts)})


TOOLS = [
    tool("get_weather", location="string"),
    tool("edit", text="string", line="integer"),
    tool("bash", command="string"),
    tool("current_day"),
    tool("write_file", path="string", content="string"),
    tool("plan", steps="array", deep="boolean"),
]
OSLO: dict[str, Any] = {"location": "Oslo"}
OBJECT = '{"name": "get_weather", "arguments": {"location": "Oslo"}}'
FENCED = f"```json\n{OBJECT}\n```"

WEATHER = {
    "hermes": f"<tool_call>\n{OBJECT}\n</tool_call>",
    "hermes behind text": f"I look.\n<tool_call>{OBJECT}</tool_call>",
    "hermes with prose behind": f"<tool_call>{OBJECT}</tool_call>\n\nLet me see.",
    "hermes, fenced inside": f"<tool_call>\n{FENCED}\n</tool_call>",
    "hermes, opening mark for the closing one": f"<tool_call>\n{OBJECT}\n<tool_call>",
    "hermes, closing mark twice": f"<tool_call>{OBJECT}</tool_call>\n</tool_call>",
    "hermes in a whole fence": f"```xml\n<tool_call>{OBJECT}</tool_call>\n```",
    "qwen": "<tool_call>\n<function=get_weather>\n<parameter=location>\nOslo\n</parameter>\n</function>\n</tool_call>",
    "qwen, outer mark lost": "<function=get_weather><parameter=location>Oslo</parameter></function>\n</tool_call>",
    "seed": "<seed:tool_call><function=get_weather><parameter=location>Oslo</parameter></function></seed:tool_call>",
    "glm": "<tool_call>get_weather\n<arg_key>location</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
    "name and object": '<tool_call>get_weather\n{"location": "Oslo"}\n</tool_call>',
    "name and fence": (
        '<tool_calls>\n<tool_call>get_weather\n```json\n{"location": "Oslo"}\n```\n</tool_call>\n</tool_calls>'
    ),
    "python between marks": "<tool_call>get_weather(location='Oslo')</tool_call>",
    "deepseek v3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        '{"location": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>'
    ),
    "deepseek v3.1": (
        "I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
        '{"location": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
    "dsml": (
        '<｜DSML｜function_calls><｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="location" string="true">'
        "Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    ),
    "mistral list": f"[TOOL_CALLS][{OBJECT}]",
    "mistral list, marker twice": f"[TOOL_CALLS][TOOL_CALLS][{OBJECT}]</s>",
    "mistral arguments": '[TOOL_CALLS]get_weather[ARGS]{"location": "Oslo"}\n\nI look.',
    "mistral without its first mark": 'get_weather[ARGS]{"location": "Oslo"}',
    "mistral without separator": '[TOOL_CALLS]get_weather{"location": "Oslo"}',
    "llama": '<|python_tag|>{"name": "get_weather", "parameters": {"location": "Oslo"}}<|eom_id|>',
    "llama call": '<|python_tag|>get_weather.call(location="Oslo")',
    "llama function": '<function=get_weather>{"location": "Oslo"}</function>',
    "granite": f"<|tool_call|>[{OBJECT}]",
    "granite 3": f"<tool_call>[{OBJECT}]",
    "lfm": "<|tool_call_start|>[get_weather(location='Oslo')]<|tool_call_end|>",
    "nemotron": f"<TOOLCALL>[{OBJECT}]</TOOLCALL>",
    "phi": f"functools[{OBJECT}]",
    "command r": '<|START_ACTION|>[{"tool_name": "get_weather", "parameters": {"location": "Oslo"}}]<|END_ACTION|>',
    "gemma": "```tool_code\nprint(get_weather(location='Oslo'))\n```",
    "gemma with a module": "```tool_code\ndefault_api.get_weather(location='Oslo')\n```",
    "gemma json": f"I look.\n```tool_call\n{OBJECT}\n```\nDone.",
    "invoke": (
        'I look.\n<function_calls>\n<invoke name="get_weather">\n<parameter name="location">Oslo</parameter>\n'
        "</invoke>\n</function_calls>"
    ),
    "harmony": (
        "<|channel|>analysis<|message|>Weather.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather "
        '<|constrain|>json<|message|>{"location": "Oslo"}<|call|>'
    ),
    "harmony, recipient in the role": (
        '<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"location": "Oslo"}'
    ),
    "harmony without tokens": 'commentary to=functions.get_weather json{"location": "Oslo"}',
    "harmony run together": 'analysisNeed it.assistantcommentary to=functions.get_weather json{"location": "Oslo"}',
    "tag of the tool": "<get_weather>\n<location>Oslo</location>\n</get_weather>",
    "tag of the tool, value only": "I look.\n<get_weather>Oslo</get_weather>",
    "tag of the tool, object": '<get_weather>{"location": "Oslo"}</get_weather>',
    "bare": OBJECT,
    "bare behind text": f"I look.\n{OBJECT}",
    "bare behind a colon": f"The call: {OBJECT}",
    "bare, end of turn left in": f"{OBJECT}<|im_end|>",
    "fenced": FENCED,
    "fenced behind text": f"I look.\n\n{FENCED}",
    "fenced in one line": f"```json {OBJECT} ```",
    "pythonic": "[get_weather(location='Oslo')]",
    "pythonic without brackets": "get_weather(location='Oslo')",
    "pythonic, sole value": "[get_weather('Oslo')]",
    "parameters": '{"type": "function", "name": "get_weather", "parameters": {"location": "Oslo"}}',
    "tool_input": '{"tool": "get_weather", "tool_input": {"location": "Oslo"}}',
    "action": '{"thought": "look", "action": "get_weather", "action_input": "Oslo"}',
    "function": '{"function": {"name": "get_weather", "arguments": "{\\"location\\": \\"Oslo\\"}"}}',
    "tool_calls": f'{{"tool_calls": [{{"type": "function", "function": {OBJECT}}}]}}',
    "parallel wrapper": (
        '{"name": "multi_tool_use.parallel", "arguments": {"tool_uses": [{"recipient_name": "functions.get_weather", '
        '"parameters": {"location": "Oslo"}}]}}'
    ),
    "kimi id that a server rewrote": (
        '<|tool_call_begin|>functions_get_weather_1<|tool_call_argument_begin|>{"location": "Oslo"}<|tool_call_end|>'
    ),
}


@pytest.mark.parametrize("text", WEATHER.values(), ids=WEATHER.keys())
def test_a_complete_call_is_read(text: str) -> None:
    leaks = find_leaks(text, TOOLS)
    assert not leaks.problem
    assert [(call.tool, call.arguments, call.state, call.id) for call in leaks.calls] == [
        ("get_weather", OSLO, "strict", "")
    ]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f"I look.\n<tool_call>{OBJECT}</tool_call>\nDone.", "I look.\n\nDone."),
        (f"I look.\n{OBJECT}", "I look."),
        ('[TOOL_CALLS]bash[ARGS]{"command": "ls"}\n\nI list.', "I list."),
        ('analysisHm.assistantcommentary to=functions.bash json{"command": "ls"}', "analysisHm."),
        (f"<tool_call>{OBJECT}</tool_call>\n<tool_response>3 degrees</tool_response>\nIt is 3 degrees.", ""),
    ],
)
def test_the_rest_is_the_text_without_the_calls(text: str, rest: str) -> None:
    leaks = find_leaks(text, TOOLS)
    assert (len(leaks.calls), leaks.rest) == (1, rest)


TWO = {
    "hermes": "<tool_call>{A}</tool_call>\n<tool_call>{B}</tool_call>",
    "hermes in one": "<tool_call>{A}\n{B}</tool_call>",
    "hermes, closing mark forgotten between": "<tool_call>{A}\n<tool_call>{B}</tool_call>",
    "array": "[{A}, {B}]",
    "lines": "{A}\n{B}",
    "fences": "```json\n{A}\n```\n```json\n{B}\n```",
    "llama": "<|python_tag|>{A}; {B}",
    "gemma": "```tool_call\n{A}\n{B}\n```",
}


@pytest.mark.parametrize("form", TWO.values(), ids=TWO.keys())
def test_several_calls_keep_their_order(form: str) -> None:
    text = form.replace("{A}", OBJECT).replace("{B}", OBJECT.replace("Oslo", "Bergen"))
    assert [call.arguments["location"] for call in find_leaks(text, TOOLS).calls] == ["Oslo", "Bergen"]


def test_calls_in_tags_may_follow_each_other_on_one_line() -> None:
    text = 'So: <function=bash>{"command": "a"}</function><function=bash>{"command": "b"}</function>'
    assert [call.arguments for call in find_leaks(text, TOOLS).calls] == [{"command": "a"}, {"command": "b"}]


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
            '{"location": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
            "functions.get_weather:0",
        ),
        ('[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]{"location": "Oslo"}', "abcdefghi"),
        ('[TOOL_CALLS][{"name": "get_weather", "arguments": {"location": "Oslo"}, "id": "abcdefghi"}]', "abcdefghi"),
        ('{"id": "call_1", "function": {"name": "get_weather", "arguments": {"location": "Oslo"}}}', "call_1"),
    ],
)
def test_the_id_in_the_form_is_kept_as_the_provider_s(text: str, identity: str) -> None:
    (call,) = find_leaks(text, TOOLS).calls
    assert call == Call("get_weather", OSLO, text='{"location": "Oslo"}', provider_id=identity)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>current_day\n</tool_call>",
        "<function=current_day>\n</function>",
        '<invoke name="current_day"/>',
        "<current_day/>",
        "<current_day></current_day>",
        "[current_day()]",
        '<tool_call>{"name": "current_day"}</tool_call>',
        "<|tool_call_begin|>functions.current_day:0<|tool_call_argument_begin|><|tool_call_end|>",
        "<|channel|>commentary to=functions.current_day<|message|><|call|>",
    ],
)
def test_a_call_may_have_no_arguments(text: str) -> None:
    (call,) = find_leaks(text, TOOLS).calls
    assert (call.tool, call.arguments, call.state) == ("current_day", {}, "strict")


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "frobnicate", "arguments": {"x": "1"}}</tool_call>',
        "<function=frobnicate><parameter=x>1</parameter></function>",
        "<tool_call>frobnicate<arg_key>x</arg_key><arg_value>1</arg_value></tool_call>",
        '[TOOL_CALLS]frobnicate[ARGS]{"x": "1"}',
        "<|tool_call_start|>[frobnicate(x='1')]<|tool_call_end|>",
    ],
)
def test_an_unknown_tool_between_marks_is_a_call(text: str) -> None:
    (call,) = find_leaks(text, TOOLS).calls
    assert (call.tool, call.arguments) == ("frobnicate", {"x": "1"})


def test_a_tool_whose_name_ends_in_a_number_is_not_another_tool() -> None:
    (call,) = find_leaks("<tool_call>current_day_2</tool_call>", TOOLS).calls
    assert call.tool == "current_day_2"


def test_deepseek_s_word_for_the_type_may_be_the_name_of_a_tool() -> None:
    text = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
    assert find_leaks(text, [tool("function")]).calls[0].tool == "function"
    assert find_leaks(text, TOOLS).problem


def test_harmony_separates_thought_answer_and_call() -> None:
    text = (
        "<|channel|>analysis<|message|>Simple.<|end|><|start|>assistant<|channel|>final<|message|>It is 42.<|return|>"
    )
    leaks = find_leaks(text, TOOLS)
    assert (leaks.calls, leaks.rest, leaks.thought, leaks.problem) == ((), "It is 42.", "Simple.", "")


def test_harmony_stops_at_the_turn_of_a_tool() -> None:
    call = '<|channel|>commentary to=functions.bash<|message|>{"command": "ls"}<|call|>'
    made_up = "<|start|>functions.bash to=assistant<|channel|>commentary<|message|>a.txt<|end|>It is a.txt."
    assert [item.tool for item in find_leaks(call + made_up, TOOLS).calls] == ["bash"]
    assert find_leaks(call + made_up, TOOLS).rest == ""
    assert "no tool gave" in find_leaks(made_up, TOOLS).problem
