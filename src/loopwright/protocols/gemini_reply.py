"""Puts a reply in Gemini's generateContent format together from its parts: of a whole body, or of a stream's chunks.

Owns what the candidates, parts and finish reasons of https://ai.google.dev/api/generate-content mean. A call comes in
one part and is never in pieces. Whether it may run is not decided here, only whether the reply came to its end.
"""

from itertools import groupby
from typing import Any

import msgspec
from msgspec import Raw, Struct

from loopwright.core.messages import Usage
from loopwright.protocols.finish_reasons import ending_of, told
from loopwright.protocols.json_values import argument_text, as_count, as_object, as_text, chosen, encoded, objects
from loopwright.protocols.openai_reply import explained
from loopwright.protocols.reply_bytes import Arrived
from loopwright.protocols.speech import Reply, WireCall

CALL = "functionCall"
"""The field of a part that calls a function."""
START = b'{"role":"model","parts":['
"""What the model's content, as it goes back to the provider, begins with."""

_UNFINISHED = ("partialArgs", "willContinue")
"""Fields of a call whose arguments come in pieces, which is only done on request."""
_TEXT = frozenset(("text", "thought"))
_PLAIN_CALL = frozenset(("id", "name", "args"))


class _Content(Struct):
    parts: list[Raw]


class _Candidate(Struct):
    content: _Content
    index: Any = None


class _Body(Struct):
    """A response body, or the model's content alone."""

    candidates: list[_Candidate] = []
    parts: list[Raw] = []


class GeminiPieces:
    """One reply while its chunks arrive, or a whole one. Only the first candidate counts."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._named: dict[str, list[dict[str, Any]]] = {}
        """The calls by their ids."""
        self._finishes: list[str] = []
        self._counts: dict[str, Any] = {}
        self._error = ""
        self._ended = False
        self._broken = False
        self._body = b""

    def take(self, arrived: Arrived) -> str:
        """Take one chunk, or a whole body, and return the text that is new with it."""
        value = arrived.value
        self._body = arrived.body
        if "error" in value or arrived.event == "error":
            self._fail(explained(value.get("error") or (value if arrived.event == "error" else None)))
        if "promptFeedback" in value:
            self._feedback(as_object(value["promptFeedback"]))
        if "usageMetadata" in value:
            self._counts |= as_object(value["usageMetadata"])
        candidates = [{"content": value}] if "parts" in value else objects(value.get("candidates"))
        if arrived.body:
            self._ended = bool(candidates)
            self._fail("" if candidates else "the provider's reply holds no candidate")
        if len(candidates) == 1 and candidates[0].get("index") in (0, None):
            return self._candidate(candidates[0])
        found = chosen(candidates, lambda candidate: candidate.get("index"), whole=bool(arrived.body))
        return "".join([self._candidate(candidate) for candidate in found])

    def close(self, problem: str, *, broken: bool) -> Reply:
        """The reply; it is whole when it says why it ended."""
        error = self._error or problem
        parts = _merged(self._parts)
        return Reply(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            calls=tuple(_wire(call) for call in self._calls),
            finish=told(self._finishes),
            usage=self._usage(),
            error=error,
            opaque=b"" if _plain(parts) else self._opaque(parts),
            complete=bool(self._ended or self._finishes) and not (broken or self._broken or error),
        )

    def _feedback(self, feedback: dict[str, Any]) -> None:
        if feedback.get("blockReason"):
            self._fail(_told("the provider blocked the prompt", feedback, "blockReason", "blockReasonMessage"))

    def _candidate(self, candidate: dict[str, Any]) -> str:
        reason = candidate.get("finishReason")
        if isinstance(reason, str) and reason:
            self._finishes.append(reason)
            if ending_of(reason) not in ("whole", "cut"):  # something was withheld or misread
                self._fail(_told("the provider ended the reply", candidate, "finishReason", "finishMessage"))
        parts = objects(as_object(candidate.get("content")).get("parts"))
        return self._part(parts[0]) if len(parts) == 1 else "".join([self._part(part) for part in parts])

    def _part(self, part: dict[str, Any]) -> str:
        call, text = part.get(CALL), as_text(part.get("text"))
        if call is not None:
            self._call(part, as_object(call))
            return ""
        self._parts.append(part)
        if part.get("thought") is True:
            self._reasoning.append(text)
            return ""
        self._text.append(text)
        return text

    def _call(self, part: dict[str, Any], call: dict[str, Any]) -> None:
        """Take a call; the very same one, by its id, is only taken once. One that is marked as thought is not meant."""
        same = self._named.setdefault(str(call["id"]), []) if call.get("id") else []
        if call in same:
            return
        same.append(call)
        self._broken |= any(call.get(field) for field in _UNFINISHED) or part.get("thought") is True
        self._calls.append(call)
        self._parts.append(part)

    def _fail(self, error: str) -> None:
        self._error = self._error or error

    def _usage(self) -> Usage | None:
        if not self._counts:
            return None
        counts = {key: as_count(value) for key, value in self._counts.items()}
        return Usage(
            input_tokens=counts.get("promptTokenCount", 0) + counts.get("toolUsePromptTokenCount", 0),
            output_tokens=counts.get("candidatesTokenCount", 0) + counts.get("thoughtsTokenCount", 0),
            cached_tokens=counts.get("cachedContentTokenCount", 0),
        )

    def _opaque(self, parts: list[dict[str, Any]]) -> bytes:
        """The content that goes back: the parts as sent, or those that the chunks of a stream make together."""
        try:
            msgspec.json.decode(self._body)  # raw parts alone are not looked into
            body = msgspec.json.decode(self._body, type=_Body)
        except msgspec.DecodeError:
            body = _Body()
        found = chosen(body.candidates, lambda candidate: candidate.index, whole=True)
        sent = body.parts or [part for candidate in found for part in candidate.content.parts]
        return own(sent or [Raw(encoded(part)) for part in parts])


def own(parts: list[Raw]) -> bytes:
    """The model's content of these parts, which are JSON already."""
    return b"".join([START, b",".join([bytes(part) for part in parts]), b"]}"])


def _wire(call: dict[str, Any]) -> WireCall:
    """A call; arguments that are left out are none."""
    arguments = call.get("args", {})
    text = arguments if arguments and isinstance(arguments, str) else argument_text(arguments)
    return WireCall(as_text(call.get("id")), as_text(call.get("name")), text)


def _merged(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts with texts that follow each other as one, as they would have come in a whole body.

    A part with anything beside its text, such as a signature, stays as it is: the provider wants it back in its place.
    """
    merged: list[dict[str, Any]] = []
    for bare, group in groupby(parts, key=lambda part: bool(part.get("thought")) if part.keys() <= _TEXT else None):
        run = list(group)
        if bare is None:
            merged += run
            continue
        text = "".join([as_text(part.get("text")) for part in run])
        if text:
            merged.append({**run[0], "text": text})
    return merged


def _plain(parts: list[dict[str, Any]]) -> bool:
    """Whether the parts are one text and then calls, so that nothing is lost when they are written anew."""
    rest = parts[1:] if parts and parts[0].keys() <= _TEXT and not parts[0].get("thought") else parts
    return all(part.keys() == {CALL} and as_object(part[CALL]).keys() <= _PLAIN_CALL for part in rest)


def _told(what: str, holder: dict[str, Any], reason: str, message: str) -> str:
    """What happened, with the provider's reason and, where it gives one, its message."""
    about = as_text(holder.get(message))
    return f"{what} ({holder[reason]}): {about}" if about else f"{what} ({holder[reason]})"
