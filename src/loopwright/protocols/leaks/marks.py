"""The marks between which models write calls, as data: what opens a call, closes it, stands inside it, or ends a turn.

Owns the patterns of all families that put calls between marks. What stands between them is read by the other modules.

The forms are those of the chat templates of Hermes and Qwen, Granite, GLM, DeepSeek (V3, V3.1, and DSML of V3.2), Kimi,
Mistral, Llama, LFM2, Jamba, MiniMax, Seed-OSS, Nemotron, InternLM, Command R, Functionary, Phi and Claude.
"""

import re

_BAR = "[|｜]"
_DSML = rf"{_BAR}+DSML{_BAR}+"
PREFIX = rf"(?:{_DSML}|[a-z]+:)?"
"""What stands before the name of a tag in some dialects: ``antml:``, or DSML between bars."""

_WORDS = "(?:tool_?calls?|TOOLCALLS?|function_calls?|functioncalls?)"
_WEAK_OPEN = rf"<{PREFIX}{_WORDS}>"
_STRONG_OPEN = "|".join(
    (
        r"<\|tool_calls?\|?>",
        r"<\|tool_call_start\|>",
        rf"<{_BAR}tool[▁_]calls?[▁_](?:section[▁_])?begin{_BAR}>",
        r"<\|START_ACTION\|>",
        r"<\|action_start\|>\s*+<\|plugin\|>",
        "<start_function_call>",
    )
)
_ENDLESS_OPEN = "|".join((r"\[TOOL_CALLS\]", r"<\|python_tag\|>", r"functools(?=\[)"))
_CLOSE = "|".join(
    (
        rf"</{PREFIX}{_WORDS}>",
        r"<\|?/tool_calls?\|?>|</\|tool_calls?\|>",
        r"<\|tool_call_end\|>",
        rf"<{_BAR}tool[▁_]calls?[▁_](?:section[▁_])?end{_BAR}>",
        r"<\|END_ACTION\|>",
        r"<\|action_end\|>",
        r"<end_function_call>|<tool_call\|>",
        r"\[/TOOL_CALLS\]",
    )
)
_TURN_END = "|".join(
    (
        r"<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|return|call|END_RESPONSE)\|>",
        "</s>|<end_of_turn>|<turn\\|>|<eos>",
        "<｜end▁of▁sentence｜>",
    )
)

_ENDING = re.compile(rf"(?:(?:{_TURN_END})\s*+)+\Z")
_ENDING_LENGTH = 400


MARK = re.compile(
    rf"(?P<weak>{_WEAK_OPEN})|(?P<strong>{_STRONG_OPEN})|(?P<endless>{_ENDLESS_OPEN})|(?P<close>{_CLOSE})", re.MULTILINE
)
"""``weak`` is a plain word between angle brackets, which may stand in prose; ``endless`` calls end with the turn."""

SEPARATOR = re.compile(
    rf"<{_BAR}tool[▁_]sep{_BAR}>|(?P<kimi><\|tool_call_argument_begin\|>)|(?:\[CALL_ID\](?P<id>[\w-]+))?\[ARGS\]"
)
"""Stands between the name and the arguments."""

ORPHAN = re.compile(
    rf"{_CLOSE}|</{PREFIX}(?:parameter|invoke|function|tool_call)>|</?arg_(?:key|value)>|"
    rf"<{_BAR}tool[▁_]sep{_BAR}>|<\|tool_call_argument_begin\|>|<\|constrain\|>|</?{_DSML}"
)
"""Marks of a call without the beginning of one."""

INVENTED = re.compile(
    r"<\|?/?(?:tool_response|tool_result|function_results?|tool_output)\|?>|\[TOOL_RESULTS\]|"
    rf"<{_BAR}tool[▁_]outputs?[▁_]begin{_BAR}>|<\|start_header_id\|>|<\|im_start\|>|<start_of_turn>"
)
"""The result of a call, or the turn of somebody else: a model that writes it makes it up."""

_CLOSINGS = re.compile(rf"(?:(?:{_CLOSE})[\s,;]*+)*+")


def closings_end(text: str, position: int) -> int:
    """The end of the closing marks that follow each other from a position on."""
    closings = _CLOSINGS.match(text, position)
    return closings.end() if closings else position


def without_ending(text: str) -> str:
    """The text without the marks with which a model ends its turn, where a server left them, and end blanks."""
    text = text.rstrip()
    if not text.endswith(">"):
        return text
    ending = _ENDING.search(text, max(0, len(text) - _ENDING_LENGTH))
    return text[: ending.start()].rstrip() if ending else text
