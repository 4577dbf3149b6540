"""What the values of options may be, said in the words of the options."""

import math
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec

from loopwright.core.errors import UsageError

Made = TypeVar("Made")
Number = TypeVar("Number", int, float)

DEPTH = 32
"""Levels of lists and objects in --extra."""


def checked(make: Callable[[], Made]) -> Made:
    """What is made of the values of options.

    Raises:
        UsageError: it does not take one of them
    """
    try:
        return make()
    except ValueError as error:
        raise UsageError(str(error)) from None


def within(option: str, value: Number | None, least: float, most: float = math.inf) -> Number | None:
    """The value, a number between these; None is none.

    Raises:
        UsageError: it is outside, infinite, or no number
    """
    if value is not None and not (least <= value <= most and value < math.inf):
        allowed = f"from {least:g} to {most:g}" if math.isfinite(most) else f"from {least:g} on"
        raise UsageError(f"{option} is {value}; it must be a number {allowed}")
    return value


def checked_text(what: str, text: str) -> str:
    """The text, which can be written down.

    Raises:
        UsageError: it has bytes that are not UTF-8
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8 text") from None
    return text


def argument_text(what: str, argument: str) -> str:
    """What an argument says; in a locale like C, Python does not take UTF-8 for what it is.

    Raises:
        UsageError: it has bytes that are not UTF-8
    """
    try:
        argument.encode()
    except UnicodeEncodeError:
        return _decoded(what, os.fsencode(argument))
    return argument


def task_of(argument: str) -> str:
    """The task itself, or for ``-`` what standard input says.

    Raises:
        UsageError: it is not UTF-8 text
    """
    if argument != "-":
        return argument_text("the task", argument)
    return _decoded("the task", sys.stdin.buffer.read()).replace("\r\n", "\n")


def _decoded(what: str, said: bytes) -> str:
    try:
        return said.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{what} is not UTF-8 text") from None


def extra_fields(text: str | None) -> dict[str, Any]:
    """The JSON object of ``--extra``.

    Raises:
        UsageError: it is none, or holds what JSON or the journal cannot carry
    """
    if not text:
        return {}
    try:
        fields = msgspec.json.decode(checked_text("--extra", text))
        if isinstance(fields, dict):
            msgspec.json.encode(fields)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise UsageError(
            f"--extra is not JSON that can be sent ({error}); without NaN and Infinity, like '{{\"top_k\": 40}}'"
        ) from None
    except RecursionError:
        raise UsageError(_TOO_DEEP) from None
    if not isinstance(fields, dict):
        raise UsageError("--extra must be a JSON object, like '{\"top_k\": 40}'")
    found = cast("dict[str, Any]", fields)
    if _deeper(found, DEPTH):
        raise UsageError(_TOO_DEEP)
    return found


_TOO_DEEP = f"--extra is nested too deeply: at most {DEPTH} levels are allowed"


def _deeper(value: object, levels: int) -> bool:
    """Whether a value has more levels of lists and objects than these."""
    match value:
        case dict():
            inner = list(cast("dict[str, object]", value).values())
        case list():
            inner = cast("list[object]", value)
        case _:
            return False
    return not levels or any(_deeper(one, levels - 1) for one in inner)
