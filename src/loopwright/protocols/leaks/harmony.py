"""Reads harmony, the form of the gpt-oss models: messages with a channel and a recipient, and what is left of them.

Owns the headers and what each channel means. Thoughts stand in the channel ``analysis``; a message is a call where its
header names a recipient. Source: the harmony response format, published with gpt-oss.
"""

import re

from loopwright.protocols.leaks.found import UNCLOSED, UNFINISHED, UNREADABLE, Found, Specs, made, refused, tool_name
from loopwright.protocols.leaks.json_calls import read_object
from loopwright.protocols.repair import Arguments

BEGIN = r"<\|(?:channel|start)\|>"
WORDS = r"to=functions\."

_HEADER = re.compile(
    r"(?:<\|start\|>(?P<role>[^<]{0,200}))?(?:<\|channel\|>(?P<channel>[^<]{0,200}))?"
    r"(?:<\|constrain\|>[^<]{0,40})?<\|message\|>\s*+"
)
_RECIPIENT = re.compile(r"\bto=([\w.:-]{1,128})")
_END = re.compile(r"<\|(?:end|return|call)\|>")
_STOP = re.compile(r"<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)|\Z")
_BEHIND = re.compile(r"\s*+(?:<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)|\Z)")
_STRIPPED = re.compile(
    r"to=functions\.(?P<name>[\w.-]{1,128})\s*+(?:<\|channel\|>)?(?:commentary|analysis)?\s*+"
    r"(?:<\|constrain\|>)?(?:json|code)?\s*+(?:<\|message\|>)?\s*+"
)
STRIPPED_BEFORE = re.compile(r"(?:assistant)?(?:commentary|analysis)?[ \t]*+\Z")
"""What is left of a header before its recipient."""


def read_message(text: str, position: int, specs: Specs) -> Found:
    """The message whose header begins at `position`: a call, a thought, or text."""
    header = _HEADER.match(text, position)
    if header is None:
        return Found(len(text), problem=UNREADABLE)
    role, channel = (header["role"] or "").strip(), (header["channel"] or "").strip()
    recipient = _RECIPIENT.search(role) or _RECIPIENT.search(channel)
    if role and not role.startswith("assistant"):
        return Found(len(text), stopped=True)
    if recipient:
        return _call(text, header.end(), tool_name(recipient[1], specs), specs)
    stop = _STOP.search(text, header.end())
    end = stop.start() if stop else len(text)
    content = text[header.end() : end].strip()
    behind = stop.end() if stop else len(text)
    return Found(behind, thought=content) if channel.startswith("analysis") else Found(behind, shown=f"{content}\n")


def _call(text: str, position: int, tool: str, specs: Specs) -> Found:
    if _END.match(text, position):
        return Found(position, (made(tool, Arguments({}, "strict", ""), ""),), closed=True)
    if not text.startswith("{", position):
        reason = UNREADABLE if text[position:].strip() else UNCLOSED
        return Found(len(text), (refused(tool, text[position:], reason),))
    read, source, end = read_object(text, position, specs.get(tool))
    behind = _BEHIND.match(text, end)
    if behind is None:
        return Found(len(text), (refused(tool, text[position:], UNREADABLE),))
    return Found(behind.end(), (made(tool, read, source),), closed=True)


def read_stripped(text: str, position: int, specs: Specs) -> Found | None:
    """A call whose special tokens a server took out: ``commentary to=functions.name json{...}``."""
    header = _STRIPPED.match(text, position)
    if header is None:
        return None
    if header.end() == len(text):
        return Found(len(text), problem=UNFINISHED)
    if text[header.end()] != "{":
        return None
    tool = tool_name(header["name"], specs)
    read, source, end = read_object(text, header.end(), specs.get(tool))
    return Found(end, (made(tool, read, source),), closed=True)
