"""Puts a reply in Anthropic's messages format together from its blocks: those of a whole body, or of a stream's deltas.

Owns what the events of https://docs.anthropic.com/en/api/messages-streaming mean and how far servers that imitate them
may be from it: blocks without or with contradictory indices, input that comes in the start of a block, ends that are
missing. Whether a call may run is not decided here, only whether the reply came to its end.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from loopwright.core.messages import Usage
from loopwright.protocols.finish_reasons import ending_of, told
from loopwright.protocols.json_values import (
    argument_text,
    as_count,
    as_object,
    as_text,
    decoded,
    encoded,
    is_object,
    objects,
)
from loopwright.protocols.openai_reply import CallPieces, explained, fragment
from loopwright.protocols.reply_bytes import Arrived
from loopwright.protocols.speech import Reply, WireCall

CALL = "tool_use"
"""The type of a block that calls one of our tools, and the stop reason of a reply that holds one."""
START = b'{"role":"assistant","content":['
"""What an assistant's message, as it goes back to the provider, begins with."""

_PAUSED = "pause_turn"
"""The stop reason of a reply that the provider would go on with, if it were asked to."""
_PLAIN = {"text": frozenset(("type", "text")), CALL: frozenset(("type", "id", "name", "input"))}
_HOME = {
    "text_delta": "text",
    "citations_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
    "input_json_delta": CALL,
}
"""The type of the blocks that a delta of a type belongs to."""
_BEGINS = frozenset(("text_delta", "thinking_delta"))
"""Deltas that are a block of their own where their block is missing."""
_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


class _Content(Struct):
    content: list[Raw]


class Block:
    """One block of a reply while its pieces arrive."""

    def __init__(self, index: str, fields: dict[str, Any], *, after_text: bool) -> None:
        self.index = index
        self.kind = as_text(fields.get("type")) or (CALL if "name" in fields else "text")
        self.fields = {"type": self.kind, **fields}
        self.after_text = after_text
        """Whether the block before this one, if any, holds text too."""
        self.stopped = False
        self._texts: dict[str, list[str]] = {}
        self._json = CallPieces(index)

    def takes(self, delta_kind: str) -> bool:
        """Whether a delta of this type can belong to the block."""
        home = _HOME.get(delta_kind, self.kind)
        return not self.stopped and (self.kind == home or (home == CALL and self.kind.endswith(CALL)))

    def take(self, delta: dict[str, Any]) -> None:
        """Add what a delta says: texts are joined, citations listed, anything else replaces what was there."""
        for key, value in delta.items():
            if key == "partial_json":
                self._json.take(None, "", "", fragment(value))
            elif key == "citation":
                self.fields["citations"] = [*(self.fields.get("citations") or []), value]
            elif key == "signature":
                self.fields[key] = value or self.fields.get(key)
            elif isinstance(value, str) and key != "type":
                self._texts.setdefault(key, [as_text(self.fields.get(key))]).append(value)
            elif key != "type":
                self.fields[key] = value

    def text(self, key: str) -> str:
        """A field that is text, as far as it arrived."""
        pieces = self._texts.get(key)
        return "".join(pieces) if pieces else as_text(self.fields.get(key))

    def arguments(self) -> str:
        """The input of a call as JSON text, from its deltas or, without any, from the start of the block."""
        text = self._json.arguments()
        given = self.fields.get("input")
        if text.strip():
            return text
        return given if given and isinstance(given, str) else argument_text(given)

    def doubtful(self) -> bool:
        """Whether the input of a call may not be what the model wrote, though it can be read."""
        given, text = self.fields.get("input"), self._json.arguments()
        if not text.strip():
            return not given and not self.stopped
        return bool(given) and decoded(text.encode("utf-8", "replace")) != given

    def wire(self) -> WireCall:
        """The call, as far as it arrived."""
        return WireCall(as_text(self.fields.get("id")), as_text(self.fields.get("name")), self.arguments())

    def plain(self) -> bool:
        """Whether the block is text or a call and holds nothing beside."""
        known = _PLAIN.get(self.kind)
        return known is not None and all(key in known or value in (None, [], {}) for key, value in self.fields.items())

    def whole(self) -> dict[str, Any]:
        """The block as if it had come in one piece."""
        block = {**self.fields, **{key: "".join(pieces) for key, pieces in self._texts.items()}}
        if self.kind.endswith(CALL):
            text = self.arguments()
            block["input"] = Raw(text.encode()) if is_object(text) else text
        return block


class AnthropicPieces:
    """One reply while its events arrive, or a whole one."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._newest: dict[str, Block] = {}
        """The newest block of each index."""
        self._text: list[str] = []
        self._speaking: Block | None = None
        self._finishes: list[str] = []
        self._counts: dict[str, Any] = {}
        self._error = ""
        self._ended = False
        self._broken = False
        self._body = b""

    def take(self, arrived: Arrived) -> str:
        """Take one event, or a whole body, and return the text that is new with it."""
        value = arrived.value
        match value.get("type") or arrived.event:
            case "content_block_delta":
                return self._delta(value.get("index"), as_object(value.get("delta")))
            case "content_block_start":
                return self._start(value.get("index"), as_object(value.get("content_block")))
            case "content_block_stop":
                self._stop(value.get("index"))
            case "message_start":
                self._broken |= bool(self._blocks)  # a second reply in the same stream, such as a proxy's new attempt
                return self._message(as_object(value.get("message")))
            case "message_delta":
                self._finish(as_object(value.get("delta")))
                self._measure(value.get("usage"))
            case "message_stop":
                self._ended = True
            case "error":
                self._fail(value.get("error") or value)
            case _ if arrived.body and "content" in value:
                self._body, self._ended = arrived.body, True
                return self._message(value)
            case _:
                self._fail(value.get("error") or (value if arrived.body else None))
        return ""

    def close(self, problem: str, *, broken: bool) -> Reply:
        """The reply; calls come in the order of their blocks."""
        calls = [block for block in self._blocks if block.kind == CALL]
        finish = told(self._finishes)
        withheld = next((_withheld(reason) for reason in self._finishes if ending_of(reason) == "broken"), "")
        if CALL in self._finishes and not calls and finish != "length":
            withheld = withheld or "the reply says that it calls a tool, but no call arrived with it"
        error = self._error or problem or withheld
        broken = broken or self._broken or any(block.doubtful() for block in calls)
        thinking = [block.text("thinking") for block in self._blocks if block.kind == "thinking"]
        return Reply(
            text="".join(self._text),
            reasoning="\n".join(text for text in thinking if text),
            calls=tuple(block.wire() for block in calls),
            finish=finish,
            usage=self._usage(),
            error=error,
            opaque=b"" if self._is_plain() else self._opaque(),
            complete=bool(self._ended or self._finishes) and not (broken or error),
        )

    def _message(self, message: dict[str, Any]) -> str:
        """Take a message: its blocks are whole where it has any, as only bodies do."""
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
        texts: list[str] = []
        for block in blocks:
            index = str(len(self._blocks))
            texts.append(self._start(index, block))
            self._stop(index)
        self._finish(message)
        self._measure(message.get("usage"))
        return "".join(texts)

    def _start(self, index: object, fields: dict[str, Any]) -> str:
        before = self._at(index)
        same = before is not None and not before.stopped and before.kind == CALL and before.fields == fields
        if same:  # sent a second time
            return ""
        after_text = not self._blocks or self._blocks[-1].kind == "text"
        block = Block("" if index is None else str(index), fields, after_text=after_text)
        self._blocks.append(block)
        self._newest[block.index] = block
        return self._say(block, block.text("text")) if block.kind == "text" else ""

    def _delta(self, index: object, delta: dict[str, Any]) -> str:
        kind = as_text(delta.get("type")) or _kind_of(delta)
        block = self._at(index)
        if block is None or not block.takes(kind):
            if kind not in _BEGINS:
                self._broken = True  # whose piece this is cannot be known
                return ""
            self._start(index, {"type": _HOME[kind]})
            block = self._blocks[-1]
        block.take(delta)
        return self._say(block, as_text(delta.get("text"))) if kind == "text_delta" else ""

    def _stop(self, index: object) -> None:
        block = self._at(index)
        if block is not None:
            block.stopped = True

    def _at(self, index: object) -> Block | None:
        """The newest block of an index; the newest of all where either has none."""
        if not self._blocks:
            return None
        last = self._blocks[-1]
        wanted = "" if index is None else str(index)
        if not wanted or last.index in ("", wanted):
            return last
        return self._newest.get(wanted)

    def _say(self, block: Block, text: str) -> str:
        """Add text; behind blocks of other kinds it begins a new paragraph."""
        if not text:
            return ""
        if block is not self._speaking:
            text = text if block.after_text or not self._text else f"\n\n{text}"
            self._speaking = block
        self._text.append(text)
        return text

    def _finish(self, delta: dict[str, Any]) -> None:
        reason = delta.get("stop_reason")
        if reason and isinstance(reason, str):
            self._finishes.append(reason)

    def _fail(self, error: object) -> None:
        self._error = self._error or explained(error)

    def _measure(self, usage: object) -> None:
        """Add counts; a later one replaces an earlier one, because they grow."""
        self._counts |= {key: count for key, count in as_object(usage).items() if count or key not in self._counts}

    def _usage(self) -> Usage | None:
        counts = [as_count(self._counts.get(key)) for key in _COUNTS]
        if not self._counts:
            return None
        return Usage(input_tokens=sum(counts[:3]), output_tokens=counts[3], cached_tokens=counts[2])

    def _is_plain(self) -> bool:
        """Whether the reply is text and then calls, so that nothing is lost when it is written anew."""
        rest = self._blocks[1:] if self._blocks and self._blocks[0].kind == "text" else self._blocks
        return all(block.plain() for block in self._blocks) and all(block.kind == CALL for block in rest)

    def _opaque(self) -> bytes:
        """The message that goes back: the content as sent, or the one that the deltas of a stream make together."""
        if self._body:
            try:
                msgspec.json.decode(self._body)  # raw parts alone are not looked into
                return own(msgspec.json.decode(self._body, type=_Content).content)
            except msgspec.DecodeError:
                pass
        return own([Raw(encoded(block.whole())) for block in self._blocks])


def _withheld(reason: str) -> str:
    if reason.lower() == _PAUSED:
        return f"the provider paused the reply ({reason}), and it cannot be taken up again here"
    return f"the provider stopped the reply ({reason})"


def own(blocks: list[Raw]) -> bytes:
    """An assistant's message of these blocks, which are JSON already."""
    return b"".join([START, b",".join([bytes(block) for block in blocks]), b"]}"])


def _kind_of(delta: dict[str, Any]) -> str:
    """The type of a delta that does not say it."""
    if "partial_json" in delta:
        return "input_json_delta"
    return "text_delta" if "text" in delta else "thinking_delta" if "thinking" in delta else ""
