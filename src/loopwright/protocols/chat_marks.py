"""Marks of chat templates in what is sent: written so that no server can take them for the real ones.

Owns which texts are such marks. Servers that put a request into a chat template and split the whole of it into tokens
(llama.cpp, vLLM, Ollama and others) make a real mark of ``<|im_start|>`` wherever it stands: in a result, it would end
the message and begin one of the system. With a blank behind the bracket, ``< |im_start|>``, it is plain text. Whoever
takes one blank away from each has the text back.

It works on encoded messages: a blank needs no escape however deep the text lies in JSON.
"""

import re
from collections.abc import Sequence

from loopwright.core.messages import ToolSpec
from loopwright.protocols.speech import Dialect, Message, Options, ReplyReader

_OPENING = rb"(?:<|\\u003[cC])"
_END = rb"(?:>|\\{1,8}u003[eE])"
_BAR = rb"(?:\||\xef\xbd\x9c|\\{1,8}u(?:ff5c|FF5C|007[cC]))"
_NAME = rb"(?:[\w.:/-]|\xe2\x96\x81|\\{1,8}u2581|\\{0,4}\"){1,64}"
_TURNS = rb"bos|eos|s|unk|pad|start_of_turn|end_of_turn|start_of_image|end_of_image|start_of_role|end_of_role"
_CALLS = rb"tool_calls?|tool_response|tool_result|tools|function_calls?|functions"
_SECTIONS = rb"INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|ARGS|CALL_ID|IMG"

_MARK = re.compile(
    rb"(?P<opening>" + _OPENING + rb"|\[)(?P<rest>"
    rb"(?<=[<cC])\ *(?:" + _BAR + _NAME + _BAR + rb"?|" + _NAME + _BAR + rb")" + _END + rb"|"
    rb"(?<=[<cC])\ */?(?:" + _TURNS + rb")" + _END + rb"|"
    rb"(?P<call>(?<=[<cC])\ */?(?:" + _CALLS + rb")" + _END + rb")|"
    rb"(?<=<)\ *<\ */?SYS>>|"
    rb"(?<=\[)\ */?(?:" + _SECTIONS + rb")\])"
)


def defused(message: bytes, *, own: bool = False) -> bytes:
    """An encoded message or list of tools without such marks.

    Args:
        message: JSON in UTF-8
        own: whether the model itself said it: then the marks of calls stay, which it is used to
    """
    if b"<" not in message and b"[" not in message and b"u003" not in message:
        return message

    def apart(found: re.Match[bytes]) -> bytes:
        if own and found["call"]:
            return found[0]
        return found["opening"] + b" " + found["rest"]

    return _MARK.sub(apart, message)


class MarksApart:
    """A dialect for endpoints that may take marks of chat templates in a message for real ones."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.name: str = dialect.name

    def message(self, message: Message) -> bytes:
        """As the dialect encodes it, with the marks written apart."""
        return defused(self._dialect.message(message), own=message.role == "assistant")

    def tools(self, tools: Sequence[ToolSpec]) -> bytes:
        """As the dialect encodes them, with the marks written apart."""
        return defused(self._dialect.tools(tools))

    def body(self, model: str, messages: Sequence[bytes], options: Options, *, stream: bool) -> bytes:
        """As the dialect joins it."""
        return self._dialect.body(model, messages, options, stream=stream)

    def reader(self, *, stream: bool) -> ReplyReader:
        """As the dialect has it."""
        return self._dialect.reader(stream=stream)
