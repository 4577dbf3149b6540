"""Reads calls whose tag is the tool's own name: ``<read_file><path>a.txt</path></read_file>``, ``<bash>ls</bash>``.

Owns this form only. The tag counts at the beginning of a line and for tools that exist, because any word can be a tag.
"""

import re
from collections.abc import Sequence

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.leaks.found import MARKS, UNCLOSED, Found, Specs, made, refused, rejected
from loopwright.protocols.leaks.values import Pair, own_lines, typed_arguments
from loopwright.protocols.repair import Arguments, fit_schema, read_arguments
from loopwright.protocols.schemas import properties, required, shape

_ELEMENTS = frozenset(
    {
        "a",
        "b",
        "i",
        "p",
        "q",
        "s",
        "u",
        "code",
        "pre",
        "data",
        "time",
        "table",
        "form",
        "input",
        "output",
        "button",
        "select",
        "option",
        "label",
        "link",
        "map",
        "mark",
        "menu",
        "meter",
        "object",
        "progress",
        "script",
        "style",
        "template",
        "section",
        "source",
        "summary",
        "details",
        "dialog",
        "title",
        "body",
        "head",
        "html",
        "img",
        "image",
        "video",
        "audio",
        "svg",
        "text",
        "track",
        "var",
        "address",
        "article",
    }
)
"""Elements of HTML: such a tag is a call only where parameters stand in it."""
_ANY_TAGS = re.compile(r"\s*+<([\w.-]+)>.*</\1>\s*", re.DOTALL)


def tag_pattern(names: Sequence[str]) -> str:
    """The pattern of an opening tag of one of these tools, which begins a line."""
    written = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return rf"<(?P<tool>{written})(?P<empty>\s*+/)?>"


def read_tag(text: str, tag: re.Match[str], specs: Specs) -> Found | None:
    """The call that begins with an opening tag; None if the tag is one of HTML."""
    spec = specs[tag["tool"]]
    if tag["empty"]:
        return Found(tag.end(), (made(spec.name, Arguments({}, "strict", ""), ""),), closed=True)
    parts = list(properties(spec.parameters))
    parameters = _opening(parts).match(text, tag.end()) is not None
    if not parameters and spec.name in _ELEMENTS:
        return None
    close = _close(spec.name).search(text, tag.end())
    body = text[tag.end() : close.start() if close else None]
    if close is None:
        return Found(len(text), (refused(spec.name, body.strip(), UNCLOSED),), closed=True)
    call = _with_parameters(body, parts, spec) if parameters else _without(body, spec)
    return Found(close.end(), (call,), closed=True)


def _close(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{re.escape(name)}>(?=[ \t]*+(?:\r?\n|<|\Z))")


def _opening(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\s*+<(?P<name>{'|'.join(re.escape(name) for name in names) or '(?!)'})>")


def _with_parameters(body: str, names: Sequence[str], spec: ToolSpec) -> Call:
    opening = _opening(names)
    pairs: list[Pair] = []
    position = 0
    while (begin := opening.match(body, position)) is not None:
        end = re.compile(rf"</{re.escape(begin['name'])}>(?={opening.pattern}|\s*\Z)").search(body, begin.end())
        if end is None:
            return refused(spec.name, body.strip(), UNCLOSED)
        value = body[begin.end() : end.start()]
        if opening.search(value) or f"<{spec.name}>" in value:
            return refused(spec.name, body.strip(), MARKS)
        pairs.append(Pair(begin["name"], own_lines(value)))
        position = end.end()
    return made(spec.name, typed_arguments(pairs, spec), body.strip())


def _without(body: str, spec: ToolSpec) -> Call:
    """The call whose tag holds no tags of parameters: nothing, an object, or the one value that the tool needs."""
    names = properties(spec.parameters)
    needed = list(names) if len(names) == 1 else required(spec.parameters)
    bare = body.strip()
    if not bare:
        return made(spec.name, Arguments({}, "strict", ""), "")
    if bare.startswith("{"):
        read = read_arguments(bare)
        if read.arguments is not None and set(read.arguments) <= set(names):
            return made(spec.name, fit_schema(read, spec.parameters), bare)
    if len(needed) != 1 or _ANY_TAGS.fullmatch(body):
        wanted = ENGLISH.problems.expected.format(shape=shape(spec.parameters))
        return made(spec.name, rejected(wanted), bare)
    return made(spec.name, typed_arguments([Pair(needed[0], own_lines(body))], spec), bare)
