"""Takes the channels of harmony, the form of the gpt-oss models, out of a reply in the text protocol.

Owns which message is a thought and which one is the reply. How a message is built is `leaks.harmony`; a call that
names its recipient stays in the text, for whoever reads calls of that form.
"""

import re

from loopwright.protocols.leaks.harmony import BEGIN, read_message
from loopwright.protocols.thinking import Apart

_HEADER = re.compile(rf"(?:^[ \t]*+|(?<=\|>))({BEGIN})", re.MULTILINE)
"""The header of a message, at the beginning of a line or behind another mark."""
_MESSAGE = "<|message|>"


def channels_apart(text: str) -> Apart:
    """The text without headers and without the messages of the channel for analysis, and what stood in those.

    A message of anybody but the model ends the text.
    """
    shown: list[str] = []
    thinking: list[str] = []
    places: list[int] = []
    position, length, closed = 0, 0, True
    if _MESSAGE not in text:
        return Apart(text, "")
    while (header := _HEADER.search(text, position)) is not None:
        found = read_message(text, header.start(1), {})
        if found.calls or found.problem:
            break
        part = text[position : header.start()] + found.shown
        shown.append(part)
        length += len(part)
        position = found.end
        closed = not found.thought or text.endswith("|>", 0, position)
        if found.thought:
            thinking.append(found.thought)
            places.append(length)
    return Apart("".join((*shown, text[position:])), "\n".join(thinking), closed, tuple(places))
