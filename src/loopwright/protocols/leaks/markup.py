"""Reads calls whose parameters are tags: ``<function=name><parameter=x>…``, ``<invoke name="…"><parameter name="x">…``.

Owns these two forms in their dialects (Qwen's coder models, Functionary and Llama with a JSON object inside, Claude,
MiniMax, DSML of DeepSeek), and the pairs of GLM. A value ends at the closing tag behind which another parameter or the
end of the call comes; where that cannot be told, the call is rejected.
"""

import re

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.leaks.found import MARKS, UNCLOSED, UNREADABLE, Found, Specs, made, refused, tool_name
from loopwright.protocols.leaks.json_calls import read_object
from loopwright.protocols.leaks.marks import PREFIX
from loopwright.protocols.leaks.values import Pair, own_lines, typed_arguments
from loopwright.protocols.repair import Arguments

BEGIN = rf"<function[=(/ ]|<{PREFIX}invoke "
_BEGIN = re.compile(
    r"<function(?:=|\(|/| name=)[\"']?(?P<function>[^\W\d][\w.:/-]{0,127})[\"']?\)?\s*+(?P<bracket>>?)"
    rf"|<{PREFIX}invoke name=[\"']?(?P<invoke>[^\"'<>]{{1,128}})[\"']?\s*+(?P<empty>/?)>"
)
_END = re.compile(rf"\s*+</{PREFIX}(?:function|invoke)>")
_LATER_END = re.compile(rf"</{PREFIX}(?:function|invoke)>")
_PARAMETER = re.compile(
    rf"\s*+<{PREFIX}parameter(?:=| name=)[\"']?(?P<name>[^\"'<>\s]{{1,128}})[\"']?"
    r"(?:\s+string=\"(?P<string>true|false)\")?\s*+>"
)
_VALUE_END = re.compile(rf"</{PREFIX}parameter>(?=\s*+(?:<{PREFIX}parameter[= ]|</{PREFIX}(?:function|invoke)>))")
_MARKS = re.compile(rf"<{PREFIX}(?:parameter[= ]|invoke |function[=(]|tool_call>)")
_JSON = re.compile(r"\s*+,?\s*+(?=\{)")
_UNBRACKETED = "the tag of the function was not closed"

_KEY = re.compile(r"\s*+<arg_key>([^<>]{1,128})</arg_key>\s*+<arg_value>")
_PAIR_END = re.compile(r"</arg_value>(?=\s*+(?:<arg_key>|</tool_call>))")
_PAIR_MARKS = re.compile(r"<(?:arg_key|arg_value|tool_call)>")


def read_markup(text: str, position: int, specs: Specs) -> Found | None:
    """The call that begins at `position`; None if none does. Nothing is read behind a call that does not end."""
    begin = _BEGIN.match(text, position)
    if begin is None:
        return None
    tool = tool_name(begin["function"] or begin["invoke"], specs)
    inside = begin.end()
    if begin["empty"]:
        return Found(inside, (_made(tool, [], "", specs),), closed=True)
    arguments = _JSON.match(text, inside)
    if arguments:
        return _with_object(text, begin, arguments.end(), tool, specs)
    if begin["function"] and not begin["bracket"]:
        return None
    return _with_parameters(text, inside, tool, specs)


def _with_object(text: str, begin: re.Match[str], position: int, tool: str, specs: Specs) -> Found:
    read, source, end = read_object(text, position, specs.get(tool))
    close = _END.match(text, end)
    if close is None:
        reason = read.reason if read.state == "rejected" else UNCLOSED
        return Found(len(text), (refused(tool, source, reason),), closed=True)
    if begin["function"] and not begin["bracket"] and read.state == "strict":
        read = Arguments(read.arguments, "repaired", _UNBRACKETED)
    return Found(close.end(), (made(tool, read, source),), closed=True)


def _with_parameters(text: str, inside: int, tool: str, specs: Specs) -> Found:
    pairs: list[Pair] = []
    position = inside
    while (name := _PARAMETER.match(text, position)) is not None:
        end = _VALUE_END.search(text, name.end())
        if end is None:
            return Found(len(text), (refused(tool, text[inside:].strip(), UNCLOSED),), closed=True)
        value = text[name.end() : end.start()]
        if _MARKS.search(value):
            return Found(len(text), (refused(tool, text[inside : end.end()].strip(), MARKS),), closed=True)
        pairs.append(Pair(name["name"], own_lines(value), {"true": "text", "false": "json"}.get(name["string"], "")))
        position = end.end()
    source = text[inside:position].strip()
    close = _END.match(text, position)
    if close is None:
        reason = UNREADABLE if _LATER_END.search(text, position) else UNCLOSED
        return Found(len(text), (refused(tool, text[inside:].strip(), reason),), closed=True)
    return Found(close.end(), (_made(tool, pairs, source, specs),), closed=True)


def _made(tool: str, pairs: list[Pair], source: str, specs: Specs) -> Call:
    return made(tool, typed_arguments(pairs, specs.get(tool)), source)


def read_pairs(text: str, position: int, tool: str, spec: ToolSpec | None) -> Found | None:
    """The call of `tool` whose pairs of key and value begin at `position`; None if no pair does."""
    pairs: list[Pair] = []
    inside = position
    while (key := _KEY.match(text, position)) is not None:
        end = _PAIR_END.search(text, key.end())
        if end is None:
            return Found(len(text), (refused(tool, text[inside:].strip(), UNCLOSED),))
        value = text[key.end() : end.start()]
        if _PAIR_MARKS.search(value):
            return Found(len(text), (refused(tool, text[inside : end.end()].strip(), MARKS),))
        pairs.append(Pair(key[1].strip(), value))
        position = end.end()
    if not pairs:
        return None
    return Found(position, (made(tool, typed_arguments(pairs, spec), text[inside:position].strip()),))
