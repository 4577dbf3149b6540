"""What a tool gives back: any Python value, folded into the one shape `Result`.

Owns the encoding of values to JSON text, once, the references that stand there for artifacts, and the words of
failures. Nothing here runs a tool, cuts a result or writes for a particular protocol.
"""

import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, cast
from uuid import UUID

import msgspec
from msgspec import Raw, Struct

from loopwright.core.messages import Content, Result
from loopwright.tools.artifact import Artifact, artifact_of, kept

DEPTH = 64
"""Levels of nesting in a value that are shown."""


class Unshowable(TypeError):
    """A value holds something that has no JSON form. The fault of the tool; becomes an error result."""


class Produced(Result, frozen=True):
    """A result on its way from the tool to the journal: with the bytes of its artifacts."""

    contents: Mapping[str, bytes] = MappingProxyType({})
    """By their SHA-256 in hexadecimal."""


Kept = dict[str, tuple[Content, bytes]]
"""Artifacts by their digest."""


def ok(data: Any, note: str = "") -> Result:
    """A success: `data` is any value that `result_of` takes, `note` a hint for the model."""
    result = result_of(data)
    if note and result.status == "ok":
        return msgspec.structs.replace(result, note=_clean(note))
    return result


def not_found(what: str) -> Result:
    """The tool worked, and what was asked for does not exist; `what` says what, and what does exist."""
    return Result(status="not_found", error=f"NotFound: {_clean(what)}")


def error(text: str) -> Result:
    """A failure in words; ``ToolError:`` is put before a text that does not begin with a class of error.

    A class is one capitalised identifier before a colon and a space, such as ``NetworkError: ``.
    """
    text = _clean(text)
    return Result(status="error", error=text if _names_a_class(text) else f"ToolError: {text}")


def failure(raised: BaseException) -> Result:
    """An exception as a result: ``ClassName: message``, with its notes and what a group holds. Never raises."""
    return Result(status="error", error=_clean(_told(raised)))


def result_of(value: Any) -> Result:
    """Fold what a tool returned into a result. Never raises.

    A `Result` stays as it is. Dates are ISO 8601, decimals and UUIDs strings, sets and tuples lists, NaN and the
    infinities the strings "NaN", "Infinity" and "-Infinity", bytes their text where they are UTF-8; arrays of numpy are
    lists, and data frames of pandas and polars lists of rows. Where there is an
    artifact, or bytes that are no text, the data holds a reference to it: ``{"artifact": "1b2c…", "media_type", "size",
    "name", "caption"}``. A value that has no such form gives an error result that names its type.
    """
    if isinstance(value, Result):
        return value
    found = Kept()
    try:
        data = encoded(value, found)
        if not found:
            return Result(data=data)
        artifacts = tuple(content for content, _ in found.values())
        return Produced(data=data, artifacts=artifacts, contents={name: each for name, (_, each) in found.items()})
    except Unshowable as raised:
        return Result(status="error", error=f"UnshowableResult: {raised}")
    except Exception as raised:  # noqa: BLE001 - properties and reprs of foreign values may raise anything
        return failure(raised)


def encoded(value: Any, found: Kept | None = None) -> Raw:
    """A value as JSON text in UTF-8, not escaped, with lone surrogates replaced by U+FFFD.

    Artifacts are put into `found`; without it there may be none.

    Raises:
        Unshowable: the value holds something that has no JSON form
    """
    if isinstance(value, Raw):
        msgspec.json.decode(value)
        return value
    return Raw(_clean(json.dumps(_plain(value, (), "the result", found), ensure_ascii=False)).encode())


def _plain(value: Any, above: tuple[int, ...], where: str, found: Kept | None) -> Any:
    """`value` in the types that JSON has; `above` are the containers it lies in."""
    if value is None or isinstance(value, bool) or type(value) is str or type(value) is int:
        return value
    if isinstance(value, float):
        return _number(value)
    artifact = artifact_of(value) if found is not None else None
    if artifact is not None and found is not None:
        return _reference(artifact, found)
    simple = _simple(value)
    if simple is not None:
        return simple
    if id(value) in above:
        raise Unshowable(f"{where} contains itself")
    if len(above) >= DEPTH:
        raise Unshowable(f"{where} is nested deeper than {DEPTH} levels")
    within = (*above, id(value))
    fields = _fields(value)
    if fields is not None:
        return _object(fields, within, where, found)
    items = _items(value)
    if items is not None:
        return [_plain(item, within, f"{where}[{number}]", found) for number, item in enumerate(items)]
    held = _held(value)
    if held is not value:
        return _plain(held, within, where, found)
    raise Unshowable(f"{where} is of type {_type_name(value)}; return text, numbers, lists, dicts or dataclasses")


def _reference(artifact: Artifact, found: Kept) -> dict[str, Any]:
    """What stands in the data in the place of an artifact."""
    content, data = kept(artifact)
    content = msgspec.structs.replace(content, name=_clean(content.name), caption=_clean(content.caption))
    known = found.setdefault(content.digest, (content, data))[0]
    if content.shown and not known.shown:
        found[content.digest] = (content, data)
    told = {"artifact": content.reference, "media_type": content.media_type, "size": content.size}
    words = {"name": content.name, "caption": content.caption}
    return {**told, **{name: text for name, text in words.items() if text}}


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _simple(value: Any) -> str | int | None:
    """Values that are written as one string or number."""
    if isinstance(value, Enum):
        return None
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta | Decimal | UUID | PurePath):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return _text(bytes(cast("bytes", value)))
    return None


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"({len(value)} bytes that are not UTF-8 text)"


def _fields(value: Any) -> Mapping[Any, Any] | None:
    """The named parts of a value; None where it has none."""
    if isinstance(value, Mapping):
        return cast("Mapping[Any, Any]", value)
    if isinstance(value, type):
        return None
    if isinstance(value, Struct):
        return _struct(value)
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    pydantic = sys.modules.get("pydantic")
    if pydantic is not None and isinstance(value, pydantic.BaseModel) and not _is_root_model(value):
        return cast("dict[str, Any]", value.model_dump())
    if not isinstance(value, tuple):
        return None
    named: Callable[[], dict[str, Any]] | None = getattr(cast("Any", value), "_asdict", None)
    return named() if named is not None else None


def _is_root_model(value: object) -> bool:
    """Whether it is a pydantic model of one value without a name."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(value, pydantic.RootModel)


def _held(value: Any) -> Any:
    """What a value is around: that of an enumeration, an array or a data frame; the value itself where it is none."""
    if isinstance(value, Enum):
        return value.value
    if _is_root_model(value):
        return value.root
    if isinstance(value, type):
        return value
    if callable(getattr(value, "tolist", None)):  # numpy, and columns of pandas
        return value.tolist()
    if callable(getattr(value, "to_dicts", None)):  # polars
        return value.to_dicts()
    framed = hasattr(value, "columns") and callable(getattr(value, "to_dict", None))  # pandas
    return value.to_dict(orient="records") if framed else value


def _struct(value: Struct) -> dict[str, Any]:
    config = value.__struct_config__
    parts: dict[str, Any] = {} if config.tag is None else {str(config.tag_field): config.tag}
    for field in msgspec.structs.fields(value):
        part = getattr(value, field.name)
        if part is not msgspec.UNSET:
            parts[field.encode_name] = part
    return parts


def _items(value: Any) -> Iterable[Any] | None:
    """The parts of a list-like value in a stable order; None where it is not one."""
    if isinstance(value, Set):
        members = cast("Set[Any]", value)
        try:
            return sorted(members)
        except TypeError:
            return sorted(members, key=repr)
    return cast("Sequence[Any]", value) if isinstance(value, Sequence) else None


def _object(fields: Mapping[Any, Any], within: tuple[int, ...], where: str, found: Kept | None) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, part in fields.items():
        name = _key(key, where)
        if name in plain:
            raise Unshowable(f"{where} has two keys that are both written {name!r}")
        plain[name] = _plain(part, within, f"{where}[{name!r}]", found)
    return plain


def _key(key: Any, where: str) -> str:
    plain = key.value if isinstance(key, Enum) else key
    if isinstance(plain, bool) or plain is None:
        return json.dumps(plain)
    if isinstance(plain, float):
        return str(_number(plain))
    simple = _simple(plain)
    if simple is None:
        raise Unshowable(f"{where} has a key of type {_type_name(key)}; keys must be text or numbers")
    return str(simple)


def _type_name(value: Any) -> str:
    kind = cast("type[Any]", type(value))
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _told(raised: BaseException) -> str:
    try:
        message = str(raised).strip()
        notes = [str(note) for note in getattr(raised, "__notes__", ())]
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        message, notes = "the error's own text cannot be read", []
    told = f"{type(raised).__name__}: {message or 'no further details'}"
    if isinstance(raised, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", raised)
        told += "".join(f"; {_told(part)}" for part in group.exceptions)
    return " ".join([told, *(f"({note})" for note in notes)])


def _names_a_class(text: str) -> bool:
    head, colon, _ = text.partition(": ")
    return bool(colon) and head.isidentifier() and head[0].isupper()


def _clean(text: str) -> str:
    """`text` without lone surrogates, which no UTF-8 can carry; pairs that were split are joined."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
