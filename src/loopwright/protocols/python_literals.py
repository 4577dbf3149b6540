"""Python's literals as JSON values: the one place where source that a model wrote as Python is parsed.

Owns which source is parsed, and which values of it JSON has. Nothing is evaluated but literals. What a call looks like
is known to whoever asks.
"""

import ast
import math
import re
from itertools import pairwise
from token import COMMENT, DEDENT, INDENT, NEWLINE, NL, STRING
from tokenize import TokenError, generate_tokens
from typing import Any, cast

LONGEST = 20_000
"""Characters of Python that are read; longer calls are asked for as JSON."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_KNOWN_ESCAPES = "\n\\'\"abfnrtv01234567xNuU"
_STRING = re.compile(r"\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'", re.DOTALL)
_REFUSED = re.compile(r"\b[rRbBuUfF]{1,2}\"|[\d.](?:and|else|for|if|in|is|not|or)\b")
"""Outside of strings: prefixes of strings, and numbers that run into a word, of which Python itself warns."""
_OCTAL = re.compile(r"\\[4-7][0-7][0-7]")
_QUOTES = re.compile(r"[\"']\s*[\"']")
_NOTHING = frozenset((COMMENT, NL, NEWLINE, INDENT, DEDENT))
_NUMBER_BITS = 63
_TRIES = 3


class NoValue(ValueError):
    """An argument has no JSON form; says why, in words for the model, or nothing where it is no literal at all."""


def escaped(source: str) -> str:
    """The source with escapes doubled that Python does not know, which is what it takes them for."""
    return _ESCAPE.sub(lambda found: found[0] if found[1] in _KNOWN_ESCAPES else f"\\{found[0]}", source)


def parsed(source: str) -> ast.Module | None:
    """The syntax tree, if there is one."""
    if len(source) > LONGEST or _OCTAL.search(source) or _REFUSED.search(_STRING.sub('""', source)):
        return None
    source = escaped(source)
    for _ in range(_TRIES):
        try:
            return None if _joins(source) else ast.parse(source)
        except SystemError:  # Python 3.11 mixes up parsers that run in two threads, such as that of a calculator
            continue
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            break
    return None


def _joins(source: str) -> bool:
    """Whether two strings stand side by side. Python makes one of them; as likely, a quote inside of one was doubled.

    Raises:
        SyntaxError: no Python
    """
    if not _QUOTES.search(source):
        return False
    lines = iter(source.splitlines(keepends=True))
    try:
        kinds = [token.type for token in generate_tokens(lambda: next(lines, "")) if token.type not in _NOTHING]
    except TokenError as error:
        raise SyntaxError from error
    return any(before == after == STRING for before, after in pairwise(kinds))


def named_values(call: ast.Call) -> dict[str, Any]:
    """The named arguments of a call.

    Raises:
        NoValue: a name that is spread out or given twice, or a value that JSON has not
    """
    found: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise NoValue
        if keyword.arg in found:
            raise NoValue(_twice(keyword.arg))
        found[keyword.arg] = value_of(keyword.value)
    return found


def value_of(node: ast.expr) -> Any:
    """The value of a literal, if JSON has it.

    Raises:
        NoValue: no literal, one that JSON has not, or one in which a name is given twice
    """
    try:
        value: Any = ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError) as error:
        raise NoValue from error
    if not isinstance(node, ast.Constant):
        _refuse_repeated(node)
    _refuse_foreign(value)
    return value


def _refuse_repeated(node: ast.expr) -> None:
    """Python takes the last of two values that a name has; which one was meant is not ours to choose."""
    for part in ast.walk(node):
        if not isinstance(part, ast.Dict):
            continue
        names: set[object] = set()
        for key in part.keys:
            name = ast.literal_eval(key) if key else None
            if name in names:
                raise NoValue(_twice(str(name)))
            names.add(name)


def _twice(name: str) -> str:
    return f"the name {name!r} occurs twice"


def _refuse_foreign(value: Any) -> None:
    """Refuse what JSON has not: bytes, sets, tuples, numbers without an end, halves of characters."""
    match value:
        case dict():
            for key, inner in cast("dict[object, object]", value).items():
                if not isinstance(key, str):
                    raise NoValue
                _refuse_foreign(key)
                _refuse_foreign(inner)
        case list():
            for item in cast("list[object]", value):
                _refuse_foreign(item)
        case str():
            if any("\ud800" <= character <= "\udfff" for character in value):
                raise NoValue("a text holds half of a character (a lone surrogate)")
        case bool() | None:
            return
        case int() | float():
            if not math.isfinite(value) or (isinstance(value, int) and value.bit_length() > _NUMBER_BITS):
                raise NoValue("a number is too large")
        case _:
            raise NoValue
