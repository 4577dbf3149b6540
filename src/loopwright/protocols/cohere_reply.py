"""Puts a reply in Cohere's chat format (version 2) together: events of a stream, or a whole body.

Owns what an event means (https://docs.cohere.com/reference/chat-stream) and where a call begins and ends. How pieces of
one call fit together, where they repeat, grow or contradict each other, is as in `openai_reply`, whose calls have the
same shape. The plan that a model writes before its calls is reasoning, like its thinking. Citations are left out.
"""

from typing import Any

from msgspec.structs import replace

from loopwright.core.messages import Usage
from loopwright.protocols.finish_reasons import ending_of, told
from loopwright.protocols.json_values import as_count, as_list, as_object, as_text, encoded, objects
from loopwright.protocols.openai_reply import PlainCall, PlainDelta, PlainFunction, ReplyPieces, explained, fragment
from loopwright.protocols.reply_bytes import Arrived
from loopwright.protocols.speech import Reply

_STARTS = ("tool-call-start", "message-start")


class CoherePieces:
    """One reply while its events arrive."""

    def __init__(self) -> None:
        self.error = ""
        self.ended = False
        self.broken = False
        self._pieces = ReplyPieces()
        self._finish = ""
        self._usage: Usage | None = None
        self._plan: list[str] = []
        self._thinking: list[str] = []
        self._places: dict[str, int] = {}
        """The place of the call that an index or an id last stood for."""
        self._begun: list[bool] = []
        """For each call whether anything was said of its arguments, at least that they end."""
        self._open = False
        """Whether the last call goes on."""
        self._message: dict[str, Any] = {}
        """The message of a whole body."""

    def take(self, arrived: Arrived) -> str:
        """Take one event, or a whole response body, and return the text that is new with it."""
        body = arrived.value
        if arrived.body:
            return self._whole(body)
        if not body.get("type") and not arrived.event and isinstance(body.get("message"), dict):
            return self._whole(body)  # a server that does not stream, whatever was asked for
        kind, delta = as_text(body.get("type")) or arrived.event, as_object(body.get("delta"))
        if "error" in (kind, arrived.event) or body.get("error") or (not kind and "message" in body):
            self.error = self.error or explained(body.get("error") or {**body, "type": None})
        if kind == "tool-call-end":
            self._end_call(body)
        if kind == "message-end" or delta.get("finish_reason"):
            self._conclude(delta or body)
            return ""
        return self._take_message(as_object(delta.get("message")), body, kind)

    def close(self, problem: str, *, broken: bool) -> Reply:
        """The reply; `problem` and `broken` say what is wrong with the bytes that it came in."""
        error = problem or self.error
        whole = all(self._begun) or self._finish == "length"
        complete = self.ended and whole and not (self.broken or broken or error)
        self._pieces.ended = True
        reply = replace(self._pieces.close(), finish=self._finish, usage=self._usage, error=error, complete=complete)
        return replace(reply, opaque=self._opaque(reply) if complete and self._finish != "length" else b"")

    def _whole(self, body: dict[str, Any]) -> str:
        message = as_object(body.get("message"))
        self._conclude(body)
        if not message and not self.error:
            self.error = explained(body)
        self._message = message
        text = self._take_message({**message, "tool_calls": None}, {}, "")
        for call in as_list(message.get("tool_calls")):
            self._begin(as_object(call), {}, text="{}")
        return text

    def _take_message(self, message: dict[str, Any], event: dict[str, Any], kind: str) -> str:
        """A message, or the part of one that an event brings."""
        text, thinking = _content(message["content"]) if message.get("content") else ("", "")
        plan = as_text(message["tool_plan"]) if "tool_plan" in message else ""
        if plan:
            self._plan.append(plan)
        if thinking:
            self._thinking.append(thinking)
        if text or thinking or plan:
            self._pieces.take_plain(PlainDelta(content=text, reasoning_content=thinking + plan))
        if message.get("tool_calls"):
            for call in objects(message["tool_calls"]):
                self._take_call(call, event, starting=kind in _STARTS)
        return text

    def _take_call(self, call: dict[str, Any], event: dict[str, Any], *, starting: bool) -> None:
        """A call that begins, or a piece of one; a piece that belongs to none breaks the reply."""
        index, call_id = _index(event), as_text(call.get("id"))
        place = self._places.get(f"id {call_id}") if call_id else None
        again = place is not None and (self._open or not index or self._places.get(index) == place)
        if starting and not again:
            self._begin(call, event, text="")
            return
        if place is None and index:
            place = self._places.get(index)
        if place is None and self._open and not (index and self._indexed()):
            place = len(self._begun) - 1
        if place is None:
            self.broken = True
            return
        self._piece(place, call)

    def _indexed(self) -> bool:
        """Whether the last call has an index."""
        return len(self._begun) - 1 in [place for key, place in self._places.items() if not key.startswith("id ")]

    def _begin(self, call: dict[str, Any], event: dict[str, Any], *, text: str) -> None:
        """A new call. `text` is what its arguments are when nothing is said of them."""
        place = len(self._begun)
        self._begun.append(bool(text))
        self._open = True
        index, call_id = _index(event), as_text(call.get("id"))
        if index:
            self._places[index] = place
        if call_id:
            self._places[f"id {call_id}"] = place
        self._piece(place, call)

    def _piece(self, place: int, call: dict[str, Any]) -> None:
        """Hand a piece of the call at this place on, in the form that OpenAI has for it."""
        function = as_object(call.get("function")) or call
        name, arguments = as_text(function.get("name")), fragment(function.get("arguments"))
        self._begun[place] |= bool(arguments)
        if not name and not call.get("id"):
            plain = PlainDelta(tool_calls=(PlainCall(place, PlainFunction(arguments)),))
            if self._pieces.take_plain(plain) is not None:
                return
        wired = {"index": place, "id": as_text(call.get("id")), "function": {"name": name, "arguments": arguments}}
        self._pieces.take({"choices": [{"delta": {"tool_calls": [wired]}}]})

    def _end_call(self, event: dict[str, Any]) -> None:
        place = self._places.get(_index(event), len(self._begun) - 1)
        if self._begun:
            self._begun[place] = True
            self._open = self._open and place != len(self._begun) - 1

    def _conclude(self, ending: dict[str, Any]) -> None:
        """The end of a message: why it ended and what it took."""
        self.ended = True
        reason = as_text(ending.get("finish_reason"))
        self.error = self.error or explained(ending.get("error"))
        self._finish = told([reason or self._finish, self._finish])
        self.broken |= ending_of(reason) == "broken"
        usage = as_object(ending.get("usage"))
        counts = as_object(usage.get("tokens"))
        if counts:
            self._usage = Usage(
                input_tokens=as_count(counts.get("input_tokens")),
                output_tokens=as_count(counts.get("output_tokens")),
                cached_tokens=as_count(usage.get("cached_tokens")),
            )

    def _opaque(self, reply: Reply) -> bytes:
        """The message, where it holds more than text and calls: as sent, or as the events make it together."""
        if not self._plan and not self._thinking:
            return b""
        if self._message:
            return encoded({"role": "assistant", **self._message})
        thinking = [{"type": "thinking", "thinking": "".join(self._thinking)}] if self._thinking else []
        parts = [*thinking, *([{"type": "text", "text": reply.text}] if reply.text else [])]
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
        fields = {"content": parts, "tool_plan": "".join(self._plan), "tool_calls": calls}
        return encoded({"role": "assistant", **{name: value for name, value in fields.items() if value}})


def _index(event: dict[str, Any]) -> str:
    index: object = event.get("index")
    return str(index) if isinstance(index, int | str) else ""


def _content(content: object) -> tuple[str, str]:
    """The text and the thinking in a content field: a text, a part, or a list of parts."""
    if isinstance(content, str):
        return content, ""
    texts = [as_text(part.get("text")) for part in objects(content)]
    thoughts = [as_text(part["thinking"]) for part in objects(content) if "thinking" in part]
    return "".join(texts), "".join(thoughts)
