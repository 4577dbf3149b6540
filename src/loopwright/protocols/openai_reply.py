"""Puts a reply in OpenAI's chat format together from its pieces: deltas of a stream, or the message of a whole body.

Owns what a delta means and how far real servers are from https://platform.openai.com/docs/api-reference/chat-streaming:
which call a delta belongs to, arguments that come again or as a growing whole, finish reasons, usage, errors. Whether a
call may run is not decided here, only whether the reply came to its end.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Any, Literal

from msgspec import Struct

from loopwright.core.messages import Usage
from loopwright.protocols.cleaning import cleaned
from loopwright.protocols.envelope import writable
from loopwright.protocols.finish_reasons import ending_of, told
from loopwright.protocols.json_values import (
    MOST,
    argument_text,
    as_count,
    as_list,
    as_object,
    as_text,
    chosen,
    encoded,
    is_object,
    objects,
)
from loopwright.protocols.speech import Reply, WireCall

_DEPTH = 16
_NONE = "null"
"""The arguments of a call that came without any."""
_PLAIN = frozenset(("role", "content", "tool_calls", "function_call", "refusal", "index"))
_PLAIN_CALL = frozenset(("index", "id", "type", "function"))
_RUNNING = frozenset(("text", "thinking", "content", "reasoning", "reasoning_content", "summary"))
"""Fields whose pieces are joined even where two of them are the same."""
_FIXED = frozenset(("id", "type", "name", "role", "format"))
"""Fields that are said once and may only be repeated."""


class PlainFunction(Struct, forbid_unknown_fields=True):
    """A piece of a call's arguments."""

    arguments: str
    name: None = None


class PlainCall(Struct, forbid_unknown_fields=True):
    """A delta of a call that has begun."""

    index: int
    function: PlainFunction
    id: None = None
    type: str | None = None


class PlainDelta(Struct, forbid_unknown_fields=True):
    """A delta that holds text, reasoning or arguments and nothing else."""

    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[PlainCall] | None = None
    role: str | None = None
    refusal: None = None


class PlainChoice(Struct):
    """The one choice of a plain chunk."""

    delta: PlainDelta
    index: Literal[0] = 0
    finish_reason: None = None
    message: None = None
    usage: None = None
    error: None = None


class PlainChunk(Struct):
    """A chunk as nearly all of a stream are. Decoding it takes a third of the time that any JSON value takes."""

    choices: tuple[PlainChoice]
    usage: None = None
    error: None = None
    x_groq: None = None


class CallPieces:
    """One call while its pieces arrive."""

    def __init__(self, index: object, place: int = 0) -> None:
        self.index = index
        self.place = place
        """How many calls of the reply began before it."""
        self.id = ""
        self.name = ""
        self.given = False
        """Whether arguments were given at all, be they empty; in a stream they may always come."""
        self.pieces: list[str] = []
        self.extras: dict[str, list[Any]] = {}

    def take(self, index: object, call_id: str, name: str, piece: str) -> None:
        """Add what one delta says. The first id stays, a name may come whole again or in parts."""
        self.index = index if self.index is None else self.index
        self.id = self.id or call_id
        if not name.startswith(self.name):
            name = self.name if self.name.startswith(name) else self.name + name
        self.name = name or self.name
        if piece:
            self.pieces.append(piece)

    def arguments(self) -> str:
        """The arguments: the pieces joined, unless they are whole texts that came more than once or grew."""
        joined = "".join(self.pieces)
        if len(self.pieces) < 2 or is_object(joined):
            return joined
        if self._grows() and is_object(self.pieces[-1]):
            return self.pieces[-1]
        if self.pieces[-1] == joined[: -len(self.pieces[-1])]:
            return self.pieces[-1]
        rest = joined[len(self.pieces[0]) :]
        return rest if is_object(self.pieces[0]) and self.pieces[0] == "{}" and is_object(rest) else joined

    def _grows(self) -> bool:
        return all(after.startswith(before) for before, after in zip(self.pieces, self.pieces[1:], strict=False))

    def whole(self) -> bool:
        """Whether what has arrived is a whole JSON object."""
        return is_object("".join(self.pieces))

    def wire(self) -> WireCall:
        """The call, as far as it arrived."""
        return WireCall(writable(self.id), writable(self.name), self.arguments() if self.given else _NONE)


class ReplyPieces:
    """One reply while its pieces arrive. Only the first choice counts."""

    def __init__(self) -> None:
        self.error = ""
        self.ended = False
        """Whether the stream said that it is over."""
        self.broken = False
        """Whether something in the reply could not be read."""
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[CallPieces] = []
        self._newest: dict[object, int] = {}
        """The place of the newest call of an index, or of an id behind the word ``id``."""
        self._finishes: list[str] = []
        self._usage: Usage | None = None
        self._extras: dict[str, list[Any]] = {}
        self._message: dict[str, Any] = {}

    def take_plain(self, delta: PlainDelta) -> str | None:
        """Take a plain delta and return its text; None, with nothing taken, if it says more than is plain here."""
        if delta.tool_calls:
            call = delta.tool_calls[0]
            if not self._calls or self._calls[-1].index != str(call.index):
                return None
            if call.function.arguments:
                self._calls[-1].pieces.append(call.function.arguments)
        if delta.reasoning_content:
            self._reasoning.append(delta.reasoning_content)
            self._extras.setdefault("reasoning_content", []).append(delta.reasoning_content)
        if delta.content:
            self._text.append(delta.content)
        return delta.content or ""

    def take(self, body: dict[str, Any], *, whole: bool = False) -> str:
        """Take one chunk, or a whole body, and return the text that is new with it."""
        error = body.get("error") or (body if body.get("object") == "error" else None)
        self.error = self.error or explained(error)
        self._measure(body.get("usage") or as_object(body.get("x_groq")).get("usage"))
        found = chosen(objects(body.get("choices")), lambda choice: choice.get("index"), whole=whole)
        return "".join([self._choice(choice, whole=whole) for choice in found])

    def take_message(self, message: dict[str, Any]) -> str:
        """Take an assistant message that has no body around it."""
        finish = message.get("finish_reason") or message.get("stop_reason")
        return self._choice({"message": message, "finish_reason": finish}, whole=True)

    def end_stream(self) -> None:
        """Take the mark of the end. Without a finish reason it only says that what arrived was all that was sent: that
        may be nothing, or a call whose arguments never came."""
        arrived = self._text or self._reasoning or self._calls or self._message
        self.ended = bool(self._finishes) or (bool(arrived) and all(call.pieces for call in self._calls))

    @property
    def has_extras(self) -> bool:
        """Whether the reply holds more than role, content and plain function calls."""
        return bool(self._extras) or any(call.extras for call in self._calls)

    def close(self, opaque: bytes = b"") -> Reply:
        """The reply; `opaque` is the message as sent, where it came in one piece."""
        if self._message and not (self._text or self._reasoning or self._calls):
            self._delta(self._message, whole=True)
        stopped = any(ending_of(reason) == "broken" for reason in self._finishes)
        whole = bool(self.ended or self._finishes) and not (self.broken or stopped)
        calls = tuple(call.wire() for call in self._calls if call.id or call.name or call.pieces)
        text = writable("".join(self._text))
        return cleaned(
            Reply(
                text=text,
                reasoning="".join(self._reasoning),
                calls=calls,
                finish=told(self._finishes),
                usage=self._usage,
                error=self.error,
                opaque=(opaque or self._assembled(text)) if self.has_extras else b"",
                complete=whole and not self.error,
            )
        )

    def _choice(self, choice: dict[str, Any], *, whole: bool) -> str:
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finishes.append(finish)
        self.broken |= bool(finish) and not isinstance(finish, str)
        self.error = self.error or explained(choice.get("error"))
        self._measure(choice.get("usage"))
        message, delta = as_object(choice.get("message")), as_object(choice.get("delta"))
        if whole:
            return self._delta(message or delta, whole=True)
        self._message = message or self._message
        return self._delta(delta, whole=False)

    def _delta(self, delta: dict[str, Any], *, whole: bool) -> str:
        text = self._content(delta.get("content"))
        if not text:
            text = as_text(delta.get("refusal"))
        if text:
            self._text.append(text)
        reasoning = as_text(delta.get("reasoning_content")) or as_text(delta.get("reasoning"))
        if reasoning:
            self._reasoning.append(reasoning)
        if delta.keys() - _PLAIN:
            _keep(self._extras, delta, _PLAIN)
        calls = as_list(delta.get("tool_calls"))
        older = delta.get("function_call")
        if older and not any(_is_same(older, as_object(call).get("function")) for call in calls):
            calls = [*calls, {"function": older}]
        if calls:
            self._take_calls(map(as_object, calls), whole=whole)
        return text

    def _content(self, content: object) -> str:
        """The text of a content field; parts of other kinds are kept, and calls among them are taken."""
        if isinstance(content, str):
            return content
        parts = objects(content)
        if any(part.get("type") != "text" for part in parts):
            _keep(self._extras, {"content": parts}, frozenset())
        for part in parts:
            thinking = part.get("thinking")
            self._reasoning += [text for text in (as_text(thinking), *_texts(thinking)) if text]
        calls = [
            {"id": part.get("id"), "function": {"name": part.get("name"), "arguments": part.get("input")}}
            for part in parts
            if part.get("type") == "tool_use"
        ]
        self._take_calls(calls, whole=True)
        return "".join(_texts(parts))

    def _take_calls(self, calls: Iterable[dict[str, Any]], *, whole: bool) -> None:
        touched: list[CallPieces] = []
        for call in calls:
            function = as_object(call.get("function")) or call
            index, call_id, name = _index(call), as_text(call.get("id")), as_text(function.get("name"))
            piece = fragment(function.get("arguments"))
            found = None if whole else self._locate(index, call_id, name, piece)
            if found is None or (name and any(found is other for other in touched)):
                found = CallPieces(index, len(self._calls))
                self._calls.append(found)
            found.take(index, call_id, name, piece)
            found.given |= not whole or function.get("arguments") is not None
            self._remember(found)
            if function is not call:
                _keep(found.extras, call, _PLAIN_CALL)
            touched.append(found)

    def _locate(self, index: object, call_id: str, name: str, piece: str) -> CallPieces | None:
        """The call that a delta goes on with, or None if it begins another.

        Ids count most, then the index, then the order. A doubtful delta goes on with the call before it: the joined
        arguments are then no JSON, which is safer than a call that nobody made.
        """
        at = None if index is None else self._newest_of(index)
        last = self._calls[-1] if self._calls else None
        if at is None and last is not None and (index is None or (last.index is None and not name)):
            at = last
        if call_id:
            return self._locate_id(index, call_id, name, at)
        if at is None or not (name and at.name and piece and at.whole()):
            return at
        return at if piece.startswith("".join(at.pieces)) else None

    def _locate_id(self, index: object, call_id: str, name: str, at: CallPieces | None) -> CallPieces | None:
        """The call of this id; ids that come late, or anew with every delta, belong to the call at the place."""
        same = self._newest_of(("id", call_id))
        if same is not None:
            moved = index is not None and same.index is not None and same.index != index
            return None if moved and name else same
        late = at is not None and not at.id and at.name in ("", name)
        renewed = index is not None and not name
        return at if late or renewed else None

    def _remember(self, call: CallPieces) -> None:
        for key in (call.index, ("id", call.id)):
            self._newest[key] = max(call.place, self._newest.get(key, 0))

    def _newest_of(self, key: object) -> CallPieces | None:
        """The newest call of an index or an id."""
        place = self._newest.get(key)
        return None if place is None else self._calls[place]

    def _measure(self, usage: object) -> None:
        counts = as_object(usage)
        if not counts:
            return
        details = as_object(counts.get("prompt_tokens_details"))
        cached = details.get("cached_tokens") or counts.get("prompt_cache_hit_tokens")
        cost = counts.get("cost")
        self._usage = Usage(
            input_tokens=as_count(counts.get("prompt_tokens")),
            output_tokens=as_count(counts.get("completion_tokens")),
            cached_tokens=as_count(cached),
            cost=float(cost) if isinstance(cost, int | float) and 0 <= cost < MOST else 0.0,
        )

    def _assembled(self, text: str) -> bytes:
        """The message that the deltas of a stream make together."""
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        message |= {key: reduce(_joined, pieces) for key, pieces in self._extras.items()}
        if self._calls:
            message["tool_calls"] = [
                {
                    **{key: reduce(_joined, pieces) for key, pieces in call.extras.items()},
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments()},
                }
                for call in self._calls
            ]
        return encoded(message)


def explained(error: object) -> str:
    """An error object of a provider in one line; empty for none."""
    if isinstance(error, str):
        return writable(error)
    if not error:
        return ""
    found = as_object(error)
    message = found.get("message") or found.get("detail")
    text = message if isinstance(message, str) else encoded(error).decode()
    kind = found.get("code") or found.get("type")
    return writable(f"{text} ({kind})" if kind and str(kind) not in text else text)


def fragment(arguments: object) -> str:
    """The arguments of a call, or a piece of them, as text; some servers send the object itself."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return argument_text(arguments)


def _is_same(older: object, function: object) -> bool:
    """Whether the older field for one call, which some servers fill too, mirrors a call."""
    fields = ("name", "arguments")
    return all(as_object(older).get(field) == as_object(function).get(field) for field in fields)


def _texts(parts: object) -> list[str]:
    return [as_text(part.get("text")) for part in objects(parts)]


def _index(call: dict[str, Any]) -> object:
    index = call.get("index")
    return str(index) if isinstance(index, int | str) and index != "" else None


def _keep(extras: dict[str, list[Any]], found: dict[str, Any], plain: frozenset[str]) -> None:
    """Keep the fields that are not plain and hold anything."""
    for key, value in found.items():
        if key not in plain and not _hollow(value):
            extras.setdefault(key, []).append(value)


def _hollow(value: object, depth: int = 0) -> bool:
    """Whether a value holds nothing at any depth; what is nested very deeply counts as something."""
    inside = as_object(value)
    if inside and depth < _DEPTH:
        return all(_hollow(item, depth + 1) for item in inside.values())
    return value in (None, "", [], {})


def _joined(before: Any, after: Any, key: str = "", depth: int = 0) -> Any:
    """Two pieces of a field that this module does not know, as one value."""
    if isinstance(before, str) and isinstance(after, str):
        return before if key in _FIXED or (before == after and key not in _RUNNING) else before + after
    first, second = as_object(before), as_object(after)
    if first and second and depth < _DEPTH:
        both = {name: _joined(first[name], second[name], name, depth + 1) for name in first if name in second}
        return {**first, **second, **both}
    if as_list(before) and as_list(after):
        return _joined_lists(as_list(before), as_list(after), depth)
    return before if _hollow(after) else after


def _joined_lists(before: list[Any], after: list[Any], depth: int) -> list[Any]:
    """The lists one behind the other; where the same part goes on, it is one part."""
    last, first = objects(before[-1:]), objects(after[:1])
    if last and first and last[0].get("type"):
        same = all(last[0].get(name) == first[0].get(name) for name in ("type", "index"))
        if same:
            return [*before[:-1], _joined(last[0], first[0], depth=depth + 1), *after[1:]]
    return [*before, *after]
