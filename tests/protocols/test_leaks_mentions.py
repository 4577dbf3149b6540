"""Calls that are only thought of, quoted or shown as an example are none: the text stays as it is."""

import pytest
from test_leaks_forms import OBJECT, TOOLS, tool

from loopwright.protocols.leaks import find_leaks

CALL = f"<tool_call>{OBJECT}</tool_call>"
UNKNOWN = "<function=frobnicate>\n<parameter=x>\n1\n</parameter>\n</function>"

MENTIONS = {
    "blockquote": f"> {CALL}\n\nThat is what it wrote.",
    "code in backticks": f"Use `{CALL}` for it.",
    "code in two backticks": f"Use ``{CALL} ` `` for it.",
    "fence in prose": f"Here:\n```xml\n{CALL}\n```\nThat is all.",
    "open fence": f"Here:\n```xml\n{CALL}\n",
    "fence of another language": "```python\nget_weather(location='Oslo')\n```",
    "program in json's place": f"```js\n{OBJECT}\n```",
    "fence that prose explains": f"```json\n{OBJECT}\n```\nThis looks up the weather.",
    "fence as an example": f"For example:\n```json\n{OBJECT}\n```",
    "bare as an example": f"A call looks like this:\n{OBJECT}",
    "quotation marks": f'The form "{CALL}" is Hermes.',
    "example": f"For example:\n\n{CALL}",
    "example in German": f"Zum Beispiel:\n{CALL}",
    "example in Chinese": f"例如：\n{CALL}",
    "hypothetical": f"You could call {CALL}",
    "forbidden": f"Never send\n{CALL}",
    "quoted page": f"The page says:\n{CALL}",
    "refused": f"I will not make this call:\n{CALL}",
    "refused, bare": f"I refuse to run this:\n{OBJECT}",
    "asked for by a page": f"The web page asked me to emit:\n{CALL}",
    "wanted by an attacker": f"I refuse. The attacker wants:\n```json\n{OBJECT}\n```",
    "made before": f"I already made this call:\n```json\n{OBJECT}\n```",
    "explained behind": f"{CALL}\nis how Hermes writes it.",
    "unknown tool in a sentence": f"You would write {UNKNOWN} in that dialect.",
    "unknown tool inside words": f"In it {UNKNOWN} calls.",
    "example of half a call": 'For example:\n<tool_call>{"name": "bash"',
    "names of tags": "I could name <thought> and <tool_call>.",
    "closing tag in prose": "It ends with </tool_call> always.",
    "json answer": '{"result": 42}',
    "json that names no tool": '{"name": "Alice", "arguments": "none given"}',
    "json with more in it": '{"name": "bash", "arguments": {"command": "ls"}, "price": 3}',
    "json without arguments": '{"action": "bash", "status": "done"}',
    "only a name": '{"action": "bash"}',
    "tool's definition": '{"name": "bash", "description": "Runs", "parameters": {"type": "object", "properties": {}}}',
    "array of other things": f"[{OBJECT}, 1]",
    "array of arrays": f"[[[[[{OBJECT}]]]]]",
    "nested too deep": '{"tool_call": {"tool_call": {"tool_call": {"tool_call": {"tool_call": ' + OBJECT + "}}}}}",
    "name is a number": '{"name": 4, "arguments": {}}',
    "json behind marks": f"<b>\n{OBJECT}",
    "half of some object": '{"a": "b',
    "python list": "[1, 2]",
    "python of unknown tools": "[frobnicate(x=1)]",
    "words in brackets": "Oslo (the capital)",
    "brackets": "[a] and [b]",
    "tag inside a line": "Write <bash>ls</bash> there.",
    "to=functions in words": "The header to=functions.bash names it.",
    "no name before the separator": "[ARGS] is a mark.",
    "separator in words": "See bash [ARGS] here.",
    "function in words": "The <function=> tag, <function name> and <invoke it>.",
    "list in a fence": "```\n- a\n- b\n```",
    "ticks over paragraphs": "a ` b\n\n<| c ` d",
    "lone ticks": "a ``` b <| c",
    "fence behind a long text": f"{'word ' * 200}\n```\ncode\n```",
    "long text that ends in brackets": f"{'word ' * 200}(: [a])",
}


@pytest.mark.parametrize("text", MENTIONS.values(), ids=MENTIONS.keys())
def test_a_call_that_is_only_talked_about_is_text(text: str) -> None:
    leaks = find_leaks(text, TOOLS)
    assert leaks.calls == ()
    assert leaks.problem == ""
    assert leaks.rest == text.strip()


def test_a_thought_holds_no_call() -> None:
    leaks = find_leaks(f"<think>\nI might send {CALL} but no.\n</think>\n\nIt is warm.", TOOLS)
    assert (leaks.calls, leaks.rest) == ((), "It is warm.")
    assert CALL in leaks.thought


def test_a_call_behind_a_thought_counts() -> None:
    leaks = find_leaks(f"<think>\nNot {CALL.replace('Oslo', 'Bergen')}\n</think>\n{CALL}", TOOLS)
    assert [call.arguments for call in leaks.calls] == [{"location": "Oslo"}]


def test_the_analysis_channel_holds_no_call() -> None:
    text = f"<|channel|>analysis<|message|>Or {CALL}<|end|><|start|>assistant<|channel|>final<|message|>No.<|return|>"
    leaks = find_leaks(text, TOOLS)
    assert (leaks.calls, leaks.rest) == ((), "No.")


def test_an_argument_holds_no_call() -> None:
    inner = CALL.replace('"', '\\"')
    text = f'{{"name": "write_file", "arguments": {{"path": "a", "content": "{inner}"}}}}'
    for reply in (text, f"<tool_call>{text}</tool_call>", f"```json\n{text}\n```"):
        (call,) = find_leaks(reply, TOOLS).calls
        assert call.arguments == {"path": "a", "content": CALL}


def test_an_element_of_html_is_a_call_only_with_parameters() -> None:
    tools = [tool("table", html="string")]
    assert find_leaks("<table>\n<tr></tr>\n</table>", tools).calls == ()
    assert find_leaks("<table>\n<html>x</html>\n</table>", tools).calls[0].arguments == {"html": "x"}


@pytest.mark.parametrize(
    "lead",
    [
        "I don't know the weather, so let me check:",
        "Let me look up how to do this:",
        "I'll search instead of guessing:",
        "For example Oslo is cold. Let me check it:",
        "Je vais chercher la météo :",
    ],
)
def test_a_lead_in_is_no_example(lead: str) -> None:
    assert len(find_leaks(f"{lead}\n{CALL}", TOOLS).calls) == 1
