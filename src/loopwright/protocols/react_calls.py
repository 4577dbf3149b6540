"""Reads what stands under the label Action: which tools are asked for, and with what text.

Owns the three written forms, ``tool[text]``, ``tool {json}`` and a name with an Action Input, and the JSON object that
some prompts ask for, ``{"action": ..., "action_input": ...}``. What the text means to the tool is `arguments`.
"""

import re
from functools import lru_cache
from itertools import takewhile
from typing import Any, cast

import msgspec
from msgspec import Struct

from loopwright.core.messages import Call, ToolSpec
from loopwright.protocols.arguments import read_input, read_python
from loopwright.protocols.balance import bracket_end, value_end
from loopwright.protocols.labels import Labels
from loopwright.protocols.react_lines import FENCE, INVISIBLE, patterns
from loopwright.protocols.react_names import Names, bare
from loopwright.protocols.repair import Arguments, fit_schema, read_value
from loopwright.protocols.schemas import properties

_OPENING = re.compile(r"[\[{(\n]")
_IDENTIFIER = re.compile(r"[\w.:/-]+")
_ANOTHER = re.compile(r"[\])]\s*[,;&，；、]?\s*(?:[^\W\d_]{1,4}\s+)?[\w.-]+\s*\[")
_SPACED = re.compile(r"[a-zäå\u05d0-\u05ea]")
"""Letters of languages that write blanks between words."""
_BLANK = re.compile(r"\s*")
_BETWEEN = re.compile(r"[ \t\n,]*")

_QUOTED = re.compile(
    r"(?P<text>\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'"
    r"|“[^“”\n]*+”|„[^„“”\n]*+[“”]|«[^«»\n]*+»|「[^「」\n]*+」)[ \t]*+\]"
)
"""An input in quotes, up to the bracket behind it."""
_DRESS = re.compile(r"\n[ \t>*|(\[#•-]+\Z")
"""What stands before a label in a line of its own, such as the sign of a list."""
_OBJECTS_TRIED = 3
"""How many brackets behind an input may begin another one."""

_NAME_KEYS = ("action", "tool", "tool_name", "name", "function")
_INPUT_KEYS = ("action_input", "input", "tool_input", "arguments", "args", "parameters", "params", "tool_args")
_THOUGHT_KEYS = ("thought", "reasoning", "thoughts", "id", "type")
_WRAPPERS = 3
"""How many objects with one key may lie around the one that names the action."""


class Request(Struct, frozen=True):
    """A tool that is asked for, before its schema is looked at."""

    tool: str
    text: str = ""
    closed: bool = True
    """Whether the input is complete."""
    python: bool = False
    """Whether the text stood in round brackets."""
    given: Arguments | None = None
    """The arguments, where they came decoded."""
    stray: bool = False
    """Whether the text has no label: it may be the input, or talk."""
    repair: str = ""
    """What had to be repaired around the text."""
    reason: str = ""
    """Why the call is rejected whatever its input."""


def call_of(request: Request, specs: dict[str, ToolSpec], labels: Labels) -> Call:
    """The call that a request makes, its arguments read by the tool's schema."""
    problems, spec = labels.problems, specs.get(request.tool)
    if request.stray and spec is not None and not properties(spec.parameters):
        return Call(request.tool, text=request.text)
    if request.reason or not request.closed:
        reason = request.reason or problems.not_closed
        return Call(request.tool, text=request.text, state="rejected", reason=reason)
    if request.given is not None:
        read = fit_schema(request.given, spec.parameters) if spec else request.given
    elif request.python:
        read = read_python(request.text, spec, problems)
    else:
        read = read_input(request.text, spec, problems)
    if request.repair and read.state == "strict":
        read = Arguments(read.arguments, "repaired", request.repair)
    return Call(request.tool, read.arguments or {}, text=request.text, state=read.state, reason=read.reason)


def requests_under(body: str, given: str | None, names: Names, labels: Labels) -> list[Request]:
    """The tools that a text under Action asks for, in order; `given` is the text under Action Input, if there is one.

    Nothing is asked for by an empty text.
    """
    body = undressed(body)
    if body[:1] in ("{", "["):
        found, _ = requests_in_json(body, names)
        if found:
            return found
    line = body.partition("\n")[0]
    if given is None:
        inline = patterns(labels).inline_input.search(line)
        if inline is not None:
            line, given = line[: inline.start()], body[inline.end() :]
    found = [] if given is not None else _inline(body, names, labels)
    if len(found) == 1 and _is_contradicted(line, found[0].text) and not _names_another(line, found[0].text, names):
        return [_contradictory(found[0], labels)]
    if found or not bare(line):
        return found
    return [
        _named(line, body.partition("\n")[2], names, labels) if given is None else _labelled(line, given, names, labels)
    ]


def _named(line: str, below: str, names: Names, labels: Labels) -> Request:
    """A name on its line, with an input below it if what stands there looks like one."""
    label = patterns(labels).below.match(below)
    if label is not None:
        return _labelled(line, below[label.end() :], names, labels)
    if below.lstrip().startswith(("{", "```", "~~~")) and input_text(below, labels)[0]:
        return _labelled(line, below, names, labels)
    stray = below.strip(INVISIBLE + " \t\n`*~")
    reason = labels.problems.unlabelled if stray else ""
    return Request(names.name(line), stray, stray=bool(stray), reason=reason)


def undressed(body: str) -> str:
    """A text without blanks, invisible marks, an opening fence, backticks or bold marks before it."""
    body = body.lstrip(INVISIBLE + " \t\n")
    if body.startswith(("```", "~~~")):
        line, _, rest = body.partition("\n")
        body = rest if FENCE.match(line) else line.lstrip("`~") + "\n" + rest
    return body.lstrip(INVISIBLE + " \t\n`*")


def _labelled(line: str, given: str, names: Names, labels: Labels) -> Request:
    """A name on its line, and an input under a label of its own."""
    tool = names.find(line)
    inline: list[Request] = []
    if not tool:
        inline = _inline(line, names, labels)
        known = len(inline) == 1 and names.knows(inline[0].tool)
        tool = inline[0].tool if known else bare(line)
        inline = inline if known else []
    text, closed = input_text(given, labels)
    before = inline[0].text if inline else ""
    if before and (not text or names.is_none(text)):
        return inline[0]
    if before and before != text:
        return Request(tool, text, reason=labels.problems.expected.format(shape="{...}"))
    request = Request(tool, text, closed)
    return _contradictory(request, labels) if _is_contradicted(given, text) else request


def _contradictory(request: Request, labels: Labels) -> Request:
    return Request(request.tool, request.text, reason=labels.problems.contradictory)


def _names_another(line: str, text: str, names: Names) -> bool:
    """Whether a tool is named behind an input, so that what follows is the input of that."""
    return any(names.knows(word) for word in _IDENTIFIER.findall(line.partition(text)[2]))


def _is_contradicted(given: str, text: str) -> bool:
    """Whether another JSON object stands behind the one that is the input."""
    position = given.find(text) + len(text) if text.startswith("{") else -1
    for _ in range(_OBJECTS_TRIED):
        position = given.find("{", position) if position >= 0 else -1
        end = value_end(given, position) if position >= 0 else -1
        if end > 0 and given[position:end] != text and read_value(given[position:end]).value:
            return True
        position = end
    return False


def input_text(given: str, labels: Labels) -> tuple[str, bool]:
    """The input in what stands under its label, and whether it is complete.

    An object ends with its last bracket and a fenced text with its fence; any other text goes on to the next label.
    """
    text, closed = _unfenced(given.strip(INVISIBLE + " \t\n"))
    if text.startswith("{"):
        end = value_end(text, 0)
        if end < 0:
            return text, False
        rest = text[end:].lstrip("` \t\n")
        if not rest.startswith("{") and (not rest or read_value(text[:end]).state != "rejected"):
            return text[:end], True
    inline = patterns(labels).inline_observation.search(text)
    if inline is not None:
        text = _DRESS.sub("", text[: inline.start()]).rstrip()
    if len(text) > 1 and text[0] == text[-1] == "`":
        text = text.strip("`").strip()
    return text, closed


def _unfenced(text: str) -> tuple[str, bool]:
    """The text in a code fence at its beginning, or the text without the fence that closes the whole reply."""
    if text.startswith(("```", "~~~")):
        opening, _, rest = text.partition("\n")
        if FENCE.match(opening):
            lines = rest.split("\n")
            inside = list(takewhile(lambda line: not FENCE.match(line), lines))
            return "\n".join(inside).strip(), len(inside) < len(lines)
    lines = text.split("\n")
    while len(lines) > 1 and FENCE.match(lines[-1]):
        lines.pop()
    return "\n".join(lines).rstrip(), True


def _inline(body: str, names: Names, labels: Labels) -> list[Request]:
    """The calls at the beginning of a text, one after the other, as long as they do not need each other's results."""
    joiner = _joiner(labels.joiners)
    found: list[Request] = []
    position = 0
    while (step := _one(body, position, names, first=not found)) is not None:
        request, position = step
        found.append(request)
        if not request.closed or names.ends(request.tool):
            break
        position = _skip(joiner, body, position)
    return found


@lru_cache
def _joiner(joiners: tuple[str, ...]) -> re.Pattern[str]:
    """What may stand between two calls on one line."""
    words = "|".join(re.escape(word) + (r"\s+" if _SPACED.search(word) else "") for word in joiners)
    return re.compile(rf"[\s,;&，；、`*]*(?:{words})?[`*]*")


def _one(body: str, position: int, names: Names, *, first: bool) -> tuple[Request, int] | None:
    """The call at `position` and where it ends; None if there is none. Only the first may be of an unknown tool."""
    opening = _OPENING.search(body, position)
    if opening is None or opening[0] == "\n":
        return None
    start, written = opening.start(), body[position : opening.start()]
    name = bare(written)
    if not name or not (names.knows(written) or (first and (opening[0] == "[" or _IDENTIFIER.fullmatch(name)))):
        return None
    tool = names.name(written)
    if opening[0] == "[":
        return _bracketed(tool, body, start)
    end = value_end(body, start)
    if end < 0:
        return Request(tool, body[start:].strip(), closed=False), len(body)
    if opening[0] == "{":
        return Request(tool, body[start:end]), end
    return Request(tool, body[start + 1 : end - 1].strip(), python=True), end


def _bracketed(tool: str, body: str, start: int) -> tuple[Request, int]:
    """The call whose square bracket opens at `start`: up to the bracket that closes it."""
    value, last = _skip(_BLANK, body, start + 1), False
    if body[value : value + 1] == "{" and (end := value_end(body, value)) > 0:
        closing = _skip(_BLANK, body, end)
        if body[closing : closing + 1] == "]":
            return Request(tool, body[value:end]), closing + 1
        last = True  # what follows is not looked at again, so the time stays in proportion
    quoted = _QUOTED.match(body, value)
    if quoted is not None:
        return Request(tool, quoted["text"]), quoted.end()
    end = bracket_end(body, start)
    if end < 0:
        end = _last_bracket(body, start)
    if end < 0:
        return Request(tool, body[start + 1 :].strip(), closed=False), len(body)
    inside = body[start + 1 : end - 1]
    if _breaks_quotes(inside, body, end):
        return Request(tool, inside.strip(), closed=False), len(body)
    if body[end : end + 1] == "]" and inside.count("(") > inside.count(")"):
        inside, end = body[start + 1 : end], end + 1  # a half-open interval: (0, 1]
    return Request(tool, inside.strip()), len(body) if last else end


def _breaks_quotes(inside: str, body: str, end: int) -> bool:
    """Whether a bracket closes in the middle of quotes, which are open before it and end behind it or never."""
    if inside.count('"') % 2 == 0:
        return False
    stop = body.find("\n", end)
    return inside.lstrip().startswith('"') or body.find('"', end, stop if stop >= 0 else len(body)) >= 0


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    """The position behind what the pattern matches, which may be nothing."""
    match = pattern.match(text, position)
    return match.end() if match else position


def _last_bracket(body: str, start: int) -> int:
    """The position behind the last square bracket of a line that holds half-open intervals, as in ``[0, 1)``; or -1."""
    stop = body.find("\n", start)
    end = body.rfind("]", start, stop if stop >= 0 else len(body))
    inside = body[start + 1 : end + 1] if end > 0 else ""
    missing = inside.count("[") - inside.count("]") + 1
    explained = 0 < missing == inside.count(")") - inside.count("(")
    return end + 1 if explained and not _ANOTHER.search(inside) else -1


def requests_in_json(text: str, names: Names) -> tuple[list[Request], int]:
    """The actions in a text that begins with JSON of the form ``{"action": ..., "action_input": ...}``, and their end.

    An array holds several actions, and so do several objects in a row. Empty where the text is anything else.
    """
    found: list[Request] = []
    position = 0
    while text[position : position + 1] in ("{", "["):
        end = value_end(text, position)
        if end < 0:
            break
        decoded = read_value(text[position:end])
        if decoded.state == "rejected":
            break
        read = Arguments({}, decoded.state, decoded.reason)
        requests = [_request(item, read, names) for item in _items(decoded.value)]
        found += [request for request in requests if request is not None]
        position = _skip(_BETWEEN, text, end)
    return found, position


def _items(value: object) -> list[dict[str, Any]]:
    several = cast("list[object]", value) if isinstance(value, list) else [value]
    return [cast("dict[str, Any]", item) for item in several if isinstance(item, dict)]


def _request(item: dict[str, Any], read: Arguments, names: Names) -> Request | None:
    """The action that an object names; None if it names none."""
    for _ in range(_WRAPPERS):
        inner: object = next(iter(item.values())) if len(item) == 1 else None
        if not isinstance(inner, dict):
            break
        item = cast("dict[str, Any]", inner)
    keys = {key.lower().replace(" ", "_"): key for key in item}
    name_key = next((keys[key] for key in _NAME_KEYS if key in keys), None)
    input_key = next((keys[key] for key in _INPUT_KEYS if key in keys), None)
    if name_key is None or len(item) > 2 + sum(key in keys for key in _THOUGHT_KEYS):
        return None
    name: object = item[name_key]
    value: object = item[input_key] if input_key else {}
    if not isinstance(name, str) or (input_key is None and not names.knows(name)):
        return None
    if name_key != keys.get("action") and not names.knows(name):
        return None
    return _with_value(names.name(name), value, read)


def _with_value(tool: str, value: object, read: Arguments) -> Request:
    if isinstance(value, str):
        return Request(tool, value.strip(), repair=read.reason)
    text = msgspec.json.encode(value).decode()
    if not isinstance(value, dict):
        return Request(tool, "" if value is None else text, repair=read.reason)
    return Request(tool, text, given=Arguments(cast("dict[str, Any]", value), read.state, read.reason))
