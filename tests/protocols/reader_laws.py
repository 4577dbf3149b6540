"""What every reader keeps to on any input: the laws that the fuzz tests and `scripts/fuzz_readers.py` check.

A law takes an input and fails with an AssertionError that says what was broken. Nothing here is random.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn
from loopwright.protocols import json_form
from loopwright.protocols.anthropic import Anthropic
from loopwright.protocols.cohere import CohereChat
from loopwright.protocols.gemini import Gemini
from loopwright.protocols.labels import labels_of
from loopwright.protocols.native import Native, read
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.openai_responses import OpenAIResponses
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.reading import read_line
from loopwright.protocols.speech import Dialect, Options, Reply


def _tool(name: str, *required: str, **properties: object) -> ToolSpec:
    schema = {key: {"type": kind} if isinstance(kind, str) else kind for key, kind in properties.items()}
    return ToolSpec(name, parameters={"type": "object", "properties": schema, "required": list(required)})


TOOLS = [
    _tool("search", "query", query="string"),
    _tool("bash", "command", command="string", timeout="integer"),
    _tool("get_weather", "location", location="string", days="integer", unit={"enum": ["c", "f"]}),
    _tool("write_file", "path", path="string", lines={"type": "array", "items": {"type": "string"}}, mode="object"),
    _tool("Ask a coworker", "a", "b", a={}, b={}),
    _tool("now"),
]

DIALECTS: dict[str, Dialect] = {
    "openai-chat": OpenAIChat(),
    "openai-responses": OpenAIResponses(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
    "cohere-v2": CohereChat(),
}

PROTOCOLS = ("react-text", "auto", *DIALECTS)

_NOTHING = ("", "{}", "null", "none", "n/a", "no input", "no arguments")
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[^\n])", re.DOTALL)
_NONE_GIVEN = re.compile(r"\{\s*\}|null|</|/>|\(\s*\)|^\W*(?:name|tool|function|action)\W+\w+\W*$", re.IGNORECASE)
"""How a call without arguments is written."""
_SHORT = dict(zip("ntrbfav0\"'\\/", "\n\t\r\b\f\a\v\0\"'\\/", strict=True))
_BLANK = re.compile(r"\s+")


def keeps_text(
    text: str,
    *,
    command: bool = False,
    cut: bool = False,
    closing: bool = False,
    primed: str = "",
    language: str = "en",
) -> Turn:
    """The text protocol on any reply."""
    labels = labels_of(language)
    turn = read_text(text, TOOLS, labels=labels, command=command, cut=cut, closing=closing, primed=primed)
    _keeps_turn(turn, primed + text, cut=cut)
    assert turn.answer is None or not turn.calls, "an answer beside calls"
    assert turn.answer != "", "an empty answer"
    assert not turn.problem or (not turn.calls and turn.answer is None), "a problem beside calls or an answer"
    return turn


def keeps_json_form(text: str, *, cut: bool = False, closing: bool = False, language: str = "en") -> Turn | None:
    """The text protocol's form of one JSON object, on any reply."""
    turn = json_form.read(text, TOOLS, labels=labels_of(language), cut=cut, closing=closing)
    if turn is not None:
        _keeps_turn(turn, text, cut=cut)
        assert turn.answer is None or not turn.calls, "an answer beside calls"
        assert not turn.problem or not turn.calls, "a problem beside calls"
    return turn


def keeps_leaks(text: str, *, cut: bool = False) -> Turn:
    """The native speech on any text that may hold calls."""
    turn = read(Reply(text=text, finish="length" if cut else ""), TOOLS)
    _keeps_turn(turn, text, cut=cut)
    assert not turn.problem or not turn.calls, "a problem beside calls"
    return turn


def keeps_wire(name: str, data: bytes, size: int = 1) -> Reply:
    """A dialect on any bytes: the split does not matter, and the reply can be understood and written down."""
    shown, reply = _fed(DIALECTS[name], data, len(data))
    again, same = _fed(DIALECTS[name], data, size)
    assert reply == same, "the reply depends on how its bytes were split"
    assert shown == again, "the text that is shown depends on how the bytes were split"
    turn = read(reply, TOOLS)
    msgspec.json.encode(turn)
    assert reply.complete or not runnable(turn), "a call of a reply that broke off would run"
    assert reply.finish != "length" or not runnable(turn), "a call of a reply that was cut would run"
    for call in runnable(turn):
        _keeps_arguments(call)
        if call.state == "strict" and not turn.leaked:
            assert msgspec.json.decode(call.text.strip() or "{}") == call.arguments, (
                "strict arguments are not what was written"
            )
    for sent in DIALECTS:
        _goes_back(DIALECTS[sent], turn)
    return reply


def _goes_back(dialect: Dialect, turn: Turn) -> None:
    """What was read can be sent back, in its own format and in every other, where a run goes on with another model."""
    turn = turn.numbered(1, len(turn.calls))
    results = [(call, Result(data=msgspec.Raw(b"1"))) for call in turn.calls]
    rows = [dialect.message(message) for message in (Native().turn(turn), *Native().results(results))]
    body = json.loads(dialect.body("model", [row for row in rows if row], Options(Settings()), stream=False))
    json.dumps(body, allow_nan=False).encode()


def keeps_line(question: dict[str, Any]) -> dict[str, Any]:
    """`read_line` on any question: an answer that can be written, or a complaint about the question."""
    try:
        answer = read_line(question)
    except UsageError:
        return {}
    msgspec.json.encode(answer)
    assert answer["id"] is question.get("id")  # NaN, which JSON can bring, equals nothing
    assert answer["kind"] in ("action", "final", "thought", "malformed", "empty")
    return answer


def runnable(turn: Turn) -> list[Call]:
    """The calls that would run."""
    return [call for call in turn.calls if call.state != "rejected"]


def _fed(dialect: Dialect, data: bytes, size: int) -> tuple[str, Reply]:
    reader = dialect.reader(stream=True)
    shown = "".join([reader.feed(data[start : start + size]) for start in range(0, len(data), size or 1)])
    return shown, reader.close()


def _keeps_turn(turn: Turn, reply: str, *, cut: bool) -> None:
    if not any("\ud800" <= character <= "\udfff" for character in reply):
        msgspec.json.encode(turn)
    for call in turn.calls:
        assert bool(call.reason) == (call.state != "strict"), "a state without its reason, or a reason without it"
        assert call.state != "rejected" or not call.arguments, "a rejected call with arguments"
    assert not (cut and runnable(turn)), "a call of a reply that was cut would run"
    written = list(_readings(reply)) if runnable(turn) else []
    for call in runnable(turn):
        _keeps_arguments(call)
        for value in _texts(call.arguments):
            found = any(_BLANK.sub("", value) in reading for reading in written)
            assert found, f"{value!r} was not written by the model"


def _keeps_arguments(call: Call) -> None:
    """Arguments are never emptied."""
    bare = call.text.strip("\"'`.() \t\r\n").lower()
    emptied = not call.arguments and bare not in _NOTHING and not _NONE_GIVEN.search(call.text)
    takes_some = {tool.name for tool in TOOLS if tool.parameters["properties"]}
    assert not (emptied and call.tool in takes_some), f"the arguments {call.text!r} were emptied"


def _readings(reply: str) -> Iterator[str]:
    """What a reply says, without blanks: as it stands, and with one to three layers of escapes taken off."""
    for _ in range(5):
        yield _BLANK.sub("", reply)
        reply = _ESCAPED.sub(_unescaped, reply)


def _unescaped(match: re.Match[str]) -> str:
    sequence = match[0][1:]
    if len(sequence) > 1:
        code = int(sequence[1:], 16)
        return chr(code) if code <= 0x10FFFF else match[0]
    return _SHORT.get(sequence, match[0])


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, names too; a text that may be JSON written anew is looked into."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _texts(inner)
            del key
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _texts(inner)
    elif isinstance(value, str):
        try:
            inner = json.loads(value) if value[:1] in ("{", "[") else None
        except (ValueError, RecursionError):
            inner = None
        yield from _texts(inner) if isinstance(inner, dict | list) else [value]
