"""One output item of OpenAI's responses format while its events arrive.

Owns what is known of an item, whether an event can belong to it, and which of several tellings of its arguments counts.
Where two tellings contradict each other, both are given as one text that is no JSON, so that the call cannot run.
"""

from typing import Any

import msgspec

from loopwright.protocols.json_values import as_text, is_object, objects
from loopwright.protocols.openai_reply import CallPieces, fragment

_PLAIN_FIELDS: dict[str, frozenset[str]] = {
    "message": frozenset(("type", "id", "status", "role", "content")),
    "function_call": frozenset(("type", "id", "status", "call_id", "name", "arguments")),
}
_PLAIN_PARTS = frozenset(("type", "text", "annotations", "logprobs"))


class Item:
    """An item; for calls, `call` holds id, name and pieces of the arguments."""

    def __init__(self, kind: str, item_id: str, index: str | None) -> None:
        self.kind = kind
        self.id = item_id
        self.index = index
        self.call = CallPieces(index)
        self.parts: dict[str, list[str]] = {}
        """Pieces of text so far, by part."""
        self.told: list[str] = []
        """The arguments each time that they were told whole."""
        self.finished = False
        """Whether its arguments were told whole."""
        self.closed = False
        """Whether it was said to be over."""
        self.sent: dict[str, Any] = {}
        """The finished item as sent."""

    def is_at(self, kind: str, item_id: str, index: str | None) -> bool:
        """Whether an event names this very item."""
        return self.kind == kind and self.id == item_id != "" and self.index == index is not None

    def fits(self, item_id: str, call_id: str, index: str | None, *, closing: bool) -> bool:
        """Whether an announcement, or with `closing` the end of an item, can be of this one."""
        same_id, same_place = bool(item_id) and item_id == self.id, index is not None and index == self.index
        moved = index is not None and self.index is not None and not same_place
        if self.is_called(call_id):
            return not (self.closed and moved)
        other = bool(call_id and self.call.id) and not closing
        return not other and ((same_id and not moved) or (same_place and not self.closed))

    def is_final(self, found: dict[str, Any], call_ids: set[str]) -> bool:
        """Whether an item of the final response, whose calls have these ids, is this one."""
        if self.kind != "function_call" or self.is_called(as_text(found.get("call_id"))):
            return True
        claimed = bool(self.call.id) and self.call.id in call_ids
        return not claimed and self.call.name in ("", as_text(found.get("name")))

    def is_called(self, call_id: str) -> bool:
        """Whether this is the call of that id."""
        return bool(call_id) and call_id == self.call.id

    def news(self, part: str, text: str, *, whole: bool) -> str:
        """What of a text is new: all of a piece; of a whole text what goes on from the pieces that came before."""
        if not whole:
            return text
        return _after("".join(self.parts.get(part, ())), text)

    def rest(self, text: str) -> str:
        """What of the text of the whole item is new."""
        return _after("".join(["".join(pieces) for pieces in self.parts.values()]), text)

    def take_arguments(self, call_id: str, name: str, arguments: str, step: str) -> None:
        """Take a piece of the arguments, or with the step ``done`` all of them."""
        self.call.take(self.index, call_id, name, arguments if step == "delta" else "")
        if step == "done":
            self.finished = True
            self._tell(arguments)

    def take_call(self, found: dict[str, Any], *, closing: bool) -> None:
        """Take what a call says of itself when it begins or ends."""
        arguments = fragment(found.get("arguments"))
        self.call.take(self.index, as_text(found.get("call_id")), as_text(found.get("name")), "")
        if closing:
            self._tell(arguments)
        elif arguments not in ("", "{}"):  # an empty object when a call begins only holds the place
            self.call.pieces.append(arguments)

    def _tell(self, arguments: str) -> None:
        if arguments:
            self.told.append(arguments)

    def is_unfinished(self) -> bool:
        """Whether nobody ever said what the arguments are, not even that there are none."""
        return self.kind == "function_call" and not self.finished and not self.call.pieces

    def arguments(self) -> str:
        """The arguments, by all that was told of them; what contradicts itself comes as a text that is no JSON."""
        streamed = self.call.arguments()
        tellings = self.told + ([streamed] if streamed else [])
        tellings = list(dict.fromkeys(tellings))
        values = {telling: msgspec.json.decode(telling) for telling in tellings if is_object(telling)}
        full = [telling for telling, value in values.items() if value]
        if not full and len(values) == len(tellings):
            return "".join(tellings[:1])
        agreed = all(values[telling] == values[full[0]] for telling in full)
        if full and agreed and all(telling in values for telling in self.told):
            return full[0]
        return "\n".join(tellings)


def _after(before: str, text: str) -> str:
    return text[len(before) :] if text.startswith(before) else ""


def is_plain(found: dict[str, Any]) -> bool:
    """Whether an item holds no more than plain text or one call."""
    fields = _PLAIN_FIELDS.get(as_text(found.get("type")))
    if fields is None or any(value and key not in fields for key, value in found.items()):
        return False
    return all(
        part.get("type") == "output_text" and not any(value and key not in _PLAIN_PARTS for key, value in part.items())
        for part in objects(found.get("content"))
    )
