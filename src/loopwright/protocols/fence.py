"""What tools returned, as a model is told it: text that others wrote stands in a fence, and labels are no labels.

Owns the fence, its mark, and how lines that begin with a label are shown. Every result keeps its plain form in the
journal; this is made anew from it, always the same, because the mark depends on the run and the call alone. Who is told
what else belongs to the speeches.

No reader ever looks at what a tool returned. The fence is for the model, which could take it for somebody's words, and
for what a model repeats of it: that must not become a call either.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from hashlib import sha256
from typing import cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from loopwright.core.messages import Call, Result, ToolSpec
from loopwright.protocols.envelope import observation
from loopwright.protocols.fence_sentences import sentence_of
from loopwright.protocols.json_values import decoded
from loopwright.protocols.labels import LANGUAGES, beside
from loopwright.protocols.react_lines import Patterns, patterns
from loopwright.protocols.speech import Message

NAME = "untrusted"
MARK = 12
"""Hexadecimal digits of the mark in a fence."""

_FENCED = re.compile(rf"<{NAME}-([0-9a-f]{{{MARK}}})>")
_BREAK = re.compile("[\n\r\v\f\x1c-\x1e]")
"""What ends a line, for a model if not for the reader of replies."""
_LABELLING = re.compile("[:：﹕#*_`]")
"""No label is without one of these."""
_HOLDS_TEXT = (b'"', b"[", b"{")
"""How data begins that can hold words."""
_NEARBY = 60
"""Characters between the name of a tool and its arguments, at most, where text quotes a call; blanks do not count."""

_APART = "\0" * 128
"""Between texts, so that a name at the end of one is not near to what begins the next."""


class Fence(Struct, frozen=True):
    """How the results of one run are shown in one way of speaking. The usual one changes nothing."""

    run_id: str = ""
    untrusted: frozenset[str] = frozenset()
    """Names of the tools whose results hold text that others wrote."""
    language: str = "en"
    as_text: bool = False
    """Whether the run is spoken in text form, where a line that begins with a label could be taken for one."""

    def told(self, opening: list[Message]) -> list[Message]:
        """The messages before the task, with what the fence means where there is one."""
        if not self.untrusted:
            return opening
        sentence = sentence_of(self.language, as_text=self.as_text)
        match opening:
            case [Message(role="system") as system, *rest]:
                return [replace(system, text=f"{system.text}\n\n{sentence}"), *rest]
            case _:
                return [Message("system", sentence), *opening]

    def around(self, call: Call, result: Result) -> Result:
        """The result of a call that ran, as it is told."""
        if call.tool not in self.untrusted:
            return _unlabelled(result) if self.as_text else result
        tag = f"{NAME}-{mark(self.run_id, call.id, _written(result))}"
        if self.as_text:
            return _of_text(result, _between(tag, without_labels(observation(result))))
        return replace(
            result,
            data=_fenced_data(tag, bytes(result.data)),
            error=_between(tag, result.error) if result.error else "",
            note=_between(tag, result.note) if result.note else "",
        )


def fence_of(run_id: str, tools: Iterable[ToolSpec], *, language: str, as_text: bool) -> Fence:
    """The fence of a run with these tools."""
    untrusted = frozenset(tool.name for tool in tools if not tool.trusted_output)
    return Fence(run_id, untrusted, language, as_text)


def mark(run_id: str, call_id: str, text: str) -> str:
    """The mark of a call's fence: `MARK` hexadecimal digits that do not stand in the text, whoever wrote it."""
    number, lower = 0, text.lower()
    while True:
        seed = f"{run_id}\0{call_id}\0{number}".encode("utf-8", "replace")
        found = sha256(seed).hexdigest()[:MARK]
        if found not in lower:
            return found
        number += 1


def unfenced(text: str) -> str:
    """A reply without what it repeats inside of a fence; a fence that is never closed goes on to the end."""
    parts, position = list[str](), 0
    for opening in _FENCED.finditer(text):
        if opening.start() < position:
            continue
        parts.append(text[position : opening.start()])
        closing = f"</{NAME}-{opening[1]}>"
        end = text.find(closing, opening.end())
        position = len(text) if end < 0 else end + len(closing)
    return "".join((*parts, text[position:])) if parts else text


def without_labels(text: str) -> str:
    """The text with a backslash before each line that begins with a label of any language, or with one behind some.

    Taking one backslash away from each of these lines gives the text back.
    """
    if not _LABELLING.search(text):
        return text
    found, parts, position = _every_label(), list[str](), 0
    for start in (0, *(line.end() for line in _BREAK.finditer(text))):
        behind = start
        while text.startswith("\\", behind):
            behind += 1
        if found.line.match(text, behind):
            parts += [text[position:start], "\\"]
            position = start
    return "".join((*parts, text[position:])) if parts else text


def acts(text: str) -> bool:
    """Whether a line of a reply begins with the label of an action, in any language."""
    found = _every_label()
    labels = (found.line.match(text, start) for start in (0, *(line.end() for line in _BREAK.finditer(text))))
    return any(found.kind_of(label) == "action" for label in labels if label)


def words_of(result: Result) -> str:
    """All texts in a result, and its data as it is written, without blanks: what `quotes` looks into."""
    texts = (observation(result), result.error, result.note, *_texts(decoded(bytes(result.data))))
    return _APART.join("".join(text.split()) for text in texts)


def quotes(results: Iterable[str], call: Call) -> bool:
    """Whether the words of a result hold a call: the arguments as written, and close by the tool's name."""
    wanted = "".join(call.text.split())
    return bool(wanted) and any(_stands_in(words, call.tool, wanted) for words in results)


def _stands_in(words: str, tool: str, arguments: str) -> bool:
    position = words.find(arguments)
    while position >= 0:
        end, most = position + len(arguments), _NEARBY + len(tool)
        if tool in words[max(0, position - most) : position] or tool in words[end : end + most]:
            return True
        position = words.find(arguments, position + 1)
    return False


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in cast("list[object]", value):
                yield from _texts(item)
        case dict():
            for name, item in cast("dict[str, object]", value).items():
                yield name
                yield from _texts(item)
        case _:
            pass


@lru_cache
def _every_label() -> Patterns:
    """The labels of all languages."""
    return patterns(reduce(beside, LANGUAGES.values()))


def _written(result: Result) -> str:
    """All that is shown of a result, in both forms that its data may take."""
    return f"{bytes(result.data).decode('utf-8', 'replace')}{observation(result)}{result.error}{result.note}"


def _unlabelled(result: Result) -> Result:
    shown = observation(result)
    told = without_labels(shown)
    return result if told == shown else _of_text(result, told)


def _of_text(result: Result, text: str) -> Result:
    return replace(result, status="ok", data=Raw(msgspec.json.encode(text)), error="", note="")


def _between(tag: str, text: str) -> str:
    return f"<{tag}>\n{text}\n</{tag}>"


def _fenced_data(tag: str, data: bytes) -> Raw:
    """The data between the two marks: a text as a text, a list or object as the middle one of three in a list."""
    if not data.startswith(_HOLDS_TEXT):
        return Raw(data)
    if data.startswith(b'"'):
        try:
            return Raw(msgspec.json.encode(_between(tag, msgspec.json.decode(data, type=str))))
        except msgspec.DecodeError:  # half of a surrogate pair
            pass
    return Raw(b'["<%b>",%b,"</%b>"]' % (tag.encode(), data, tag.encode()))
