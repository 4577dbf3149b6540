"""Puts a reply in OpenAI's responses format together: events of a stream, or the output items of a whole body.

Owns what an event means (https://platform.openai.com/docs/api-reference/responses-streaming), which item it belongs to
where ids and indices are missing, change or contradict each other, and which of several tellings of a call's arguments
counts. Whether a call may run is not decided here, only whether the reply came to its end.
"""

from typing import Any

from loopwright.core.messages import Usage
from loopwright.protocols.finish_reasons import ending_of
from loopwright.protocols.json_values import as_count, as_object, as_text, encoded, objects
from loopwright.protocols.openai_reply import explained, fragment
from loopwright.protocols.reply_bytes import Arrived
from loopwright.protocols.responses_items import Item, is_plain
from loopwright.protocols.speech import Reply, WireCall

_ENDINGS = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
"""Events that end a reply, and the status that each one stands for."""
_STOPPED = frozenset(("failed", "cancelled"))
_BAD = _STOPPED | {"incomplete"}
_WAITING = frozenset(("queued", "in_progress"))
_TEXTS = frozenset(("response.output_text", "response.refusal"))
_ARGUMENTS = "response.function_call_arguments"
_SUMMARIES = frozenset(("response.reasoning_summary_text", "response.reasoning_summary"))
_DELTAS = _TEXTS | _SUMMARIES | {_ARGUMENTS, "response.reasoning_text", "response.reasoning"}
"""What is told in pieces, and then whole once more."""

MOST_ITEMS = 1_000
"""Items of a reply; of more no run could make use, and each event is compared with all of them."""
_WORDLESS = "the provider reports an error and does not say which"


class ResponsePieces:
    """One reply while its events arrive."""

    def __init__(self) -> None:
        self.error = ""
        self.ended = False
        self.broken = False
        self._items: list[Item] = []
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._reasoned: tuple[Item, str] | None = None
        """The part of reasoning that came last."""
        self._finish = ""
        self._partial = False
        """Whether an item says of itself that it is not whole."""
        self._usage: Usage | None = None
        self._output: list[dict[str, Any]] = []
        """The items of the final response."""

    def take(self, arrived: Arrived) -> str:
        """Take one event, or a whole response body, and return the text that is new with it."""
        body = arrived.value
        if arrived.body:
            return self._whole(body)
        kind = as_text(body.get("type")) or arrived.event
        if len(self._items) > MOST_ITEMS:
            self.error = self.error or f"the reply holds more than {MOST_ITEMS:,} items"
            return ""
        event, _, step = kind.rpartition(".")
        if event in _DELTAS and step in ("delta", "done"):
            return self._told(event, step, body)
        if kind in _ENDINGS or (not event and body.get("object") == "response"):
            return self._end(body, _ENDINGS.get(kind, ""))
        if "error" in (kind, arrived.event) or body.get("error"):
            self.error = self.error or explained(body.get("error") or _without_type(body)) or _WORDLESS
        if event == "response.output_item" and step in ("added", "done"):
            return self._announced(as_object(body.get("item")), body, closing=step == "done")
        return ""

    def close(self, problem: str, *, broken: bool) -> Reply:
        """The reply; `problem` and `broken` say what is wrong with the bytes that it came in."""
        calls = self._calls()
        error = problem or self.error
        partial = self._finish != "length" and (self._partial or any(item.is_unfinished() for item in self._items))
        complete = self.ended and not (self.broken or broken or partial or error)
        return Reply(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            calls=calls,
            finish=self._finish,
            usage=self._usage,
            error=error,
            opaque=self._opaque() if complete and self._finish != "length" else b"",
            complete=complete,
        )

    def _whole(self, body: dict[str, Any]) -> str:
        self.ended = True
        self.broken |= as_text(body.get("status")) in _WAITING
        if not body.keys() & {"output", "response", "error"}:
            self.error = explained(body)
        return self._end(body, "")

    def _told(self, event: str, step: str, body: dict[str, Any]) -> str:
        """A piece or the whole of a text, of arguments or of reasoning."""
        item_id, index = as_text(body.get("item_id")), _index(body)
        told = body.get("delta") if step == "delta" else body.get("text", body.get("refusal", body.get("arguments")))
        if event in _TEXTS:
            item = self._of("message", item_id, index)
            part = str(body.get("content_index") or 0)
            return self._say(item, part, item.news(part, as_text(told), whole=step == "done"))
        if event == _ARGUMENTS:
            call_id, name = as_text(body.get("call_id")), as_text(body.get("name"))
            self._of("function_call", item_id, index, call_id).take_arguments(call_id, name, fragment(told), step)
            return ""
        item = self._of("reasoning", item_id, index)
        place = body.get("summary_index", body.get("content_index"))
        part = f"{'summary' if event in _SUMMARIES else 'content'}{place or 0}"
        self._think(item, part, item.news(part, as_text(told), whole=step == "done"))
        return ""

    def _say(self, item: Item, part: str, text: str) -> str:
        if text:
            item.parts.setdefault(part, []).append(text)
            self._text.append(text)
        return text

    def _think(self, item: Item, part: str, text: str) -> None:
        if not text:
            return
        item.parts.setdefault(part, []).append(text)
        if self._reasoned is not None and self._reasoned != (item, part):
            self._reasoning.append("\n\n")
        self._reasoned = (item, part)
        self._reasoning.append(text)

    def _of(self, kind: str, item_id: str, index: str | None, call_id: str = "") -> Item:
        """The item that an event goes on with; a new one, without a name, where none fits without doubt."""
        last = self._items[-1] if self._items else None
        if last is not None and last.is_at(kind, item_id, index):
            return last
        same = [item for item in self._items if item.kind == kind]
        placed = [item for item in same if index is not None and item.index == index]
        named = [item for item in same if (item_id and item.id == item_id) or (call_id and item.call.id == call_id)]
        both = [item for item in placed if item in named]
        found = both or (placed if len(placed) == 1 else named or placed) or self._open(same, item_id, index)
        return found[-1] if found else self._add(Item(kind, item_id, index))

    def _open(self, same: list[Item], item_id: str, index: str | None) -> list[Item]:
        """The items that may go on although neither id nor index names them: one that says nothing against it."""
        found = [item for item in same if not item.finished and (index is None or item.index is None)]
        if len(found) > 1 and item_id:
            return []
        return found

    def _add(self, item: Item) -> Item:
        self._items.append(item)
        return item

    def _announced(self, found: dict[str, Any], event: dict[str, Any], *, closing: bool) -> str:
        """An item that begins or is finished."""
        kind, index = as_text(found.get("type")), _index(event)
        if not kind:
            return ""
        item_id, call_id = as_text(found.get("id")), as_text(found.get("call_id"))
        same = [item for item in self._items if item.kind == kind]
        item = next((item for item in reversed(same) if item.fits(item_id, call_id, index, closing=closing)), None)
        item = item or self._lone(same, found, index, closing=closing) or self._add(Item(kind, item_id, index))
        if item.index is None:
            item.index = index
        text = self._fill(item, found, closing=closing)
        if closing:
            item.sent = found
        return text

    def _lone(self, same: list[Item], found: dict[str, Any], index: str | None, *, closing: bool) -> Item | None:
        """The only item that is still open, where an end says neither id nor place that is known."""
        open_items = [item for item in same if not item.closed and (index is None or item.index is None)]
        call_id = as_text(found.get("call_id"))
        if not closing or len(open_items) != 1 or (call_id and open_items[0].call.id):
            return None
        return open_items[0]

    def _fill(self, item: Item, found: dict[str, Any], *, closing: bool) -> str:
        """Take what an item says of itself; returns the text that is new with it."""
        item.id = item.id or as_text(found.get("id"))
        if closing:
            item.closed = item.finished = True
            self._partial |= found.get("status") == "incomplete"
        if item.kind == "function_call":
            item.take_call(found, closing=closing)
        if item.kind == "message":
            told = "".join([as_text(part.get("text") or part.get("refusal")) for part in _parts(found, "content")])
            return self._say(item, "", item.rest(told))
        if item.kind == "reasoning" and not item.parts:
            for key in ("summary", "content"):
                for place, part in enumerate(_parts(found, key)):
                    self._think(item, f"{key}{place}", as_text(part.get("text")))
        return ""

    def _end(self, body: dict[str, Any], status: str) -> str:
        """The final response: how it ended, and all its items once more."""
        response = as_object(body.get("response")) or body
        said = as_text(response.get("status")).lower()
        status = said if said in _BAD or not status else status
        self.error = self.error or explained(response.get("error") or body.get("error"))
        self._measure(as_object(response.get("usage")))
        self._output = objects(response.get("output")) or self._output
        text = self._finals(objects(response.get("output")))
        if status in _WAITING:
            return text
        self.ended = True
        self._conclude(status, as_text(as_object(response.get("incomplete_details")).get("reason")))
        return text

    def _conclude(self, status: str, reason: str) -> None:
        if status == "failed" and not self.error:
            self.error = "the provider says that the reply failed, and not why"
        if status not in _STOPPED and ending_of(reason) == "cut":
            self._finish = "length"
        elif status in _BAD or ending_of(status) == "broken":
            self._finish, self.broken = reason or status, True
        elif self._finish != "length":
            self._finish = status

    def _finals(self, output: list[dict[str, Any]]) -> str:
        """Take the items of the final response, each as one that is known already or as a new one."""
        texts: list[str] = []
        known = list(self._items)
        call_ids = {as_text(found.get("call_id")) for found in output}
        for found in output:
            kind = as_text(found.get("type"))
            fitting = [item for item in known if item.kind == kind and item.is_final(found, call_ids)]
            item = next((item for item in fitting if item.is_called(as_text(found.get("call_id")))), None)
            item = item or (fitting or [self._add(Item(kind, "", None))])[0]
            known = [other for other in known if other is not item]
            texts.append(self._fill(item, found, closing=True))
        missed = [item for item in known if item.kind == "function_call" and item.call.name]
        self.broken |= bool(missed) and any(as_text(found.get("type")) == "function_call" for found in output)
        return "".join(texts)

    def _measure(self, counts: dict[str, Any]) -> None:
        if counts:
            cached = as_object(counts.get("input_tokens_details")).get("cached_tokens")
            self._usage = Usage(
                input_tokens=as_count(counts.get("input_tokens")),
                output_tokens=as_count(counts.get("output_tokens")),
                cached_tokens=as_count(cached),
            )

    def _calls(self) -> tuple[WireCall, ...]:
        """The calls. Arguments whose call was never named break the reply, unless a call has them too."""
        items = [item for item in self._items if item.kind == "function_call"]
        named = [item for item in items if item.call.name or item.call.id]
        known = {item.arguments() for item in named}
        strays = [item for item in items if item not in named and item.arguments() not in known]
        self.broken |= bool(strays)
        return tuple(WireCall(item.call.id, item.call.name, item.arguments()) for item in (*named, *strays))

    def _opaque(self) -> bytes:
        """The items as sent, as a JSON list, where they hold more than plain text and calls."""
        sent = self._output or [item.sent for item in self._items if item.sent]
        return b"" if all(map(is_plain, sent)) else encoded(sent)


def _without_type(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if (key, value) != ("type", "error")}


def _index(event: dict[str, Any]) -> str | None:
    index: object = event.get("output_index")
    return str(index) if isinstance(index, int | str) and index != "" else None


def _parts(found: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The parts of an item; some servers write a text in place of a list."""
    parts: object = found.get(key)
    return [{"text": parts}] if isinstance(parts, str) else objects(parts)
