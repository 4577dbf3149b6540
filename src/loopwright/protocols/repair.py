"""Reads the arguments of a call, and says how far they can be trusted: strict, repaired or rejected.

Owns the line between a repair and a guess. A repair rewrites marks (quotes, Python's literals, a comma too many, a code
fence, one encoding too many) and keeps every character of the content. What would need a character to be invented,
dropped or closed up is rejected with the reason. Because the text is rewritten token by token and then read by a strict
decoder, nothing can be lost on the way. No tool is run, checked or named here, and no provider is known.
"""

import json
import re
import sys
from typing import Any, cast

import msgspec
from msgspec import Struct

from loopwright.core.messages import ArgumentState
from loopwright.protocols.json_values import is_deeper
from loopwright.protocols.schemas import properties, types

CUT = "the reply was cut off before it was finished, so the arguments may be incomplete"

DEEPEST, TOO_DEEP = 200, "the JSON is nested too deeply"
"""Levels of nesting; the journal and the encoders have limits of their own, further up."""
_ENCODINGS = 3
"""How often a JSON text may be wrapped in a string again before it is no longer believed."""

_KINDS: dict[type, str] = {list: "an array", str: "a string", int: "a number", float: "a number", bool: "true or false"}

_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<double>"(?:[^"\\]|\\.)*")
    |(?P<single>'(?:[^'\\]|\\.)*')
    |(?P<curly>“[^“”]*”)
    |(?P<mark>[{}\[\],:])
    |(?P<word>[^\s{}\[\],:"'“”]+)""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)|([\"\x00-\x1f])", re.DOTALL)
_HALF = "the arguments hold half of a character (a lone surrogate); write the whole character"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_BLANKS = " \t\r\n"
"""The blanks that JSON knows."""
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_NAME = re.compile(r"[A-Za-z_$][\w$-]*")


class Arguments(Struct, frozen=True):
    """Arguments as read from text."""

    arguments: dict[str, Any] | None
    """None where the state is rejected."""
    state: ArgumentState
    reason: str
    """What was repaired, or why they were rejected, in words for the model; empty where they are strict."""


class Decoded(Struct, frozen=True):
    """Any JSON value as read from text."""

    value: Any
    state: ArgumentState
    reason: str


class _Unreadable(Exception):
    """The text is no JSON, and no repair makes it JSON. Never leaves this module."""


def read_arguments(text: str, *, complete: bool = True) -> Arguments:
    """Read one JSON object, the arguments of a call.

    Nothing at all means no arguments. `complete` is False for a reply that was cut: then nothing is accepted, because
    even arguments that look whole may be those of a call that was not finished. Never raises.
    """
    if not complete:
        return Arguments(None, "rejected", CUT)
    if not text.strip():
        return Arguments({}, "strict", "")
    decoded = read_value(text)
    if decoded.state == "rejected":
        return Arguments(None, "rejected", decoded.reason)
    value: object = decoded.value
    if value is None:
        return Arguments({}, "repaired", "the arguments were null, which was taken as no arguments")
    if not isinstance(value, dict):
        return Arguments(None, "rejected", f"the arguments must be a JSON object, not {_KINDS[type(value)]}")
    return Arguments(cast("dict[str, Any]", value), decoded.state, decoded.reason)


def fit_schema(read: Arguments, schema: dict[str, Any]) -> Arguments:
    """Decode JSON text where the JSON Schema of the arguments wants an array or an object and no string.

    A text that is no JSON of that kind stays as it is: what checks the arguments will refuse it and say so.
    """
    decoded: dict[str, Any] = {}
    for name, value in (read.arguments or {}).items():
        if isinstance(value, str) and value.strip()[:1] in ("{", "["):
            inner = _wanted(value, schema, name)
            if inner is not None:
                decoded[name] = inner
    if not decoded:
        return read
    note = f"JSON text was decoded in: {', '.join(decoded)}"
    return Arguments({**(read.arguments or {}), **decoded}, "repaired", f"{read.reason}; {note}".removeprefix("; "))


def _wanted(text: str, schema: dict[str, Any], name: str) -> object:
    """The array or object in `text`, if the parameter takes that and no string; else None."""
    allowed = types(properties(schema).get(name, {}), schema)
    if "string" in allowed:
        return None
    value: object = read_value(text).value
    found = "array" if isinstance(value, list) else "object" if isinstance(value, dict) else ""
    return cast("object", value) if found in allowed else None


def read_value(text: str) -> Decoded:
    """Read one JSON value; a string that holds an object or an array in JSON is read through. Never raises."""
    notes: list[str] = []
    try:
        value = _read(text, notes)
        for _ in range(_ENCODINGS):
            if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
                break
            notes.append("the JSON was wrapped in a string")
            value = _read(value, notes)
    except _Unreadable as error:
        return Decoded(None, "rejected", str(error))
    except RecursionError:
        return Decoded(None, "rejected", TOO_DEEP)
    if text.count("[") + text.count("{") > DEEPEST and is_deeper(value, DEEPEST):
        return Decoded(None, "rejected", TOO_DEEP)
    return Decoded(value, "repaired" if notes else "strict", "; ".join(dict.fromkeys(notes)))


def _read(text: str, notes: list[str]) -> Any:
    """The value of `text`; what had to be repaired is added to `notes`."""
    try:
        return _strict(text, notes)
    except msgspec.DecodeError as error:
        problem = str(error)
    except UnicodeError:
        problem = "it holds half of a character"
    bare = _without_wrapping(text.strip(), notes)
    translated = _translated(bare, notes)
    try:
        return _strict(translated, notes)
    except (msgspec.DecodeError, UnicodeError) as error:
        half = _holds_half_a_character(translated)
        raise _Unreadable(_HALF if half else _explained(bare, problem)) from error


def _strict(text: str, notes: list[str]) -> Any:
    """The value of a JSON text.

    Raises:
        DecodeError: not JSON
        UnicodeError: half of a surrogate pair in the text
        _Unreadable: a name occurs twice with two values
    """
    value = msgspec.json.decode(text.encode())
    json.loads(text, object_pairs_hook=lambda pairs: _unique(pairs, notes))
    return value


def _unique(pairs: list[tuple[str, Any]], notes: list[str]) -> dict[str, Any]:
    """The object of these pairs: which of two values a repeated name has is not ours to choose."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    for name, value in pairs:
        if repr(found[name]) != repr(value):  # True is 1 to Python, and not to JSON
            raise _Unreadable(f"the name {name!r} occurs twice with different values")
    notes.append("a name occurred twice with the same value")
    return found


def _without_wrapping(text: str, notes: list[str]) -> str:
    """The text without a code fence around it, or quotes that were put around it without escaping what is inside."""
    fenced = _FENCE.fullmatch(text)
    if fenced:
        notes.append("a code fence was removed")
        return fenced[1].strip()
    if text[:2] == '"{' and text[-2:] == '}"':
        notes.append("quotes around the object were removed")
        return text[1:-1]
    if text[:3] == '{\\"':
        try:
            inner = msgspec.json.decode(f'"{text}"'.encode(), type=str)
        except (msgspec.DecodeError, UnicodeError):
            return text
        notes.append("quotes that were escaped without need were unescaped")
        return inner
    return text


def _translated(text: str, notes: list[str]) -> str:
    """The text with each mark that JSON does not know replaced by the one it does, token by token.

    Nothing is added or left out but commas before a closing bracket, so what was cut or jumbled stays unreadable.
    """
    tokens = _tokens(text)
    pieces = [piece for piece in tokens if piece[0] != "space"]
    if any(kind == "space" and piece.strip(_BLANKS) for kind, piece in tokens):
        notes.append("blanks that JSON does not know were replaced")
    written: list[str] = []
    for position, (kind, piece) in enumerate(pieces):
        after = pieces[position + 1][1] if position + 1 < len(pieces) else ""
        if piece == "," and after in ("}", "]") and written and written[-1] not in ("{", "["):
            notes.append("a comma too many was removed")
            continue
        strict = _in_json(kind, piece, after)
        if strict != piece:
            notes.append("quotes, names or literals were rewritten as JSON has them")
        written.append(strict)
    return " ".join(written)


def _tokens(text: str) -> list[tuple[str, str]]:
    """The text in tokens (kind, text); the last may be one that fits nothing, such as an open string."""
    found: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return [*found, ("open", text[position:])]
        found.append((match.lastgroup or "", match[0]))
        position = match.end()
    return found


def _in_json(kind: str, piece: str, after: str) -> str:
    """One token as JSON writes it, or unchanged."""
    if kind in ("double", "single", "curly"):
        return f'"{_ESCAPE.sub(_escape, piece[1:-1])}"'
    if kind == "word":
        if after == ":" and _NAME.fullmatch(piece):
            return f'"{piece}"'
        return _LITERALS.get(piece, piece)
    return piece


def _escape(match: re.Match[str]) -> str:
    """One escape sequence or bare character of a string, as JSON writes it."""
    sequence, bare = match[1], match[2]
    if bare is not None:
        return '\\"' if bare == '"' else f"\\u{ord(bare):04x}"
    if sequence[0] == "x" and len(sequence) == 3:
        return f"\\u00{sequence[1:]}"
    if len(sequence) == 9:
        code = int(sequence[1:], 16)
        return json.dumps(chr(code))[1:-1] if code <= sys.maxunicode else match[0]
    if sequence in '"\\/bfnrtuUx' or len(sequence) == 5:
        return match[0]  # a code without its digits stays as it is, and is refused
    if sequence == "'":
        return "'"
    return f"\\\\{sequence}"


def _holds_half_a_character(text: str) -> bool:
    """Whether an otherwise good JSON text names one half of a surrogate pair, which no text can hold."""
    if _SURROGATE.search(text) is None:
        return False
    try:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        pass
    return False


def _explained(text: str, problem: str) -> str:
    """Why the text is no JSON, in words for the model."""
    tokens = _tokens(text)
    opened = sum((token in ("{", "[")) - (token in ("}", "]")) for _, token in tokens)
    if tokens and tokens[-1][0] == "open" and text[:1] in ("{", "["):
        return "the arguments are not valid JSON: they end, or break off, inside a string"
    if opened > 0 and text[:1] in ("{", "["):
        return "the arguments are not valid JSON: they end before the last bracket is closed"
    if text[:1] not in ("{", "["):
        return "the arguments are not a JSON object"
    return f"the arguments are not valid JSON: {problem.removeprefix('JSON is malformed: ')}"
