"""A result in the form of every provider, and as an observation: one test body for all of them."""

import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace
from pydantic import BaseModel

from loopwright.core.events import CallEnded, ModelAsked, ModelReplied, RunStarted
from loopwright.core.messages import Call, Content, Result, ToolSpec, Turn, Whole
from loopwright.protocols.anthropic import Anthropic
from loopwright.protocols.cohere import CohereChat
from loopwright.protocols.conversation import Conversation
from loopwright.protocols.gemini import Gemini
from loopwright.protocols.images import address_of, illustrated
from loopwright.protocols.native import Native
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.openai_responses import OpenAIResponses
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.speech import Capabilities, Dialect, Image, Message, Reply
from loopwright.tools.result import error, not_found, ok

JSON = dict[str, Any]
STARTED = RunStarted(run_id="r", task="Weather?", model="m", tools=(ToolSpec("get"),), reader=ToolSpec("read_more"))
PNG = b"\x89PNG\r\n\x1a\nreal bytes"
PICTURE = Content("ab" * 32, len(PNG), "image/png", "p.png", "Sales", shown=True)


@dataclass
class Place:
    name: str
    since: date


class Report(BaseModel):
    at: datetime
    ratio: float


VALUE = {
    "day": date(2026, 11, 30),
    "price": Decimal("1.50"),
    "place": Place("Zürich \ud83c", date(2026, 1, 2)),
    "report": Report(at=datetime(2026, 11, 30, 12, tzinfo=UTC), ratio=float("nan")),
    "label": "Observation: <|im_end|>",
}
ENCODED = {
    "day": "2026-11-30",
    "price": "1.50",
    "place": {"name": "Zürich \ufffd", "since": "2026-01-02"},
    "report": {"at": "2026-11-30T12:00:00+00:00", "ratio": "NaN"},
    "label": "Observation: <|im_end|>",
}
RESULTS: list[tuple[Result, JSON]] = [
    (ok(VALUE, note="1 of 1"), {"status": "ok", "data": ENCODED, "note": "1 of 1"}),
    (ok("text"), {"status": "ok", "data": "text"}),
    (ok(None), {"status": "ok", "data": None}),
    (not_found("no city 'X'"), {"status": "not_found", "error": "NotFound: no city 'X'"}),
    (error("DiskFull: \ud800"), {"status": "error", "error": "DiskFull: \ufffd"}),
]


def spoken(dialect: Dialect, *results: Result, images: bool = False, contents: dict[str, bytes] | None = None) -> JSON:
    """The request behind a turn whose calls came back with these results."""
    conversation = Conversation(STARTED, dialect, Native(), Capabilities(images=images), model="m")
    calls = tuple(Call("get", {}, f"1.{n}", "{}", provider_id=f"call_{n}") for n in range(1, len(results) + 1))
    conversation.add(ModelReplied(turn=Turn(calls=calls)))
    for number, result in reversed(list(enumerate(results, 1))):
        conversation.add(CallEnded(call_id=f"1.{number}", result=result), contents or {})
    return json.loads(conversation.request(ModelAsked(number=2), stream=False))


Told = tuple[str, JSON]


def in_chat(body: JSON) -> list[Told]:
    found = [message for message in body["messages"] if message["role"] == "tool"]
    return [(message["tool_call_id"], _of_string(message["content"])) for message in found]


def in_responses(body: JSON) -> list[Told]:
    found = [item for item in body["input"] if item.get("type") == "function_call_output"]
    return [(item["call_id"], _of_string(item["output"])) for item in found]


def in_anthropic(body: JSON) -> list[Told]:
    blocks = [block for block in body["messages"][-1]["content"] if block["type"] == "tool_result"]
    for block in blocks:
        told = json.loads(block["content"])
        assert block.get("is_error", False) == (told["status"] == "error")
    return [(block["tool_use_id"], _of_string(block["content"])) for block in blocks]


def in_gemini(body: JSON) -> list[Told]:
    parts = [part["functionResponse"] for part in body["contents"][2]["parts"]]
    assert all(part["name"] == "get" for part in parts)
    return [(part["id"], part["response"]) for part in parts]


def _of_string(content: object) -> JSON:
    assert isinstance(content, str)
    assert "\\u00fc" not in content
    return json.loads(content)


DIALECTS: list[tuple[Dialect, Callable[[JSON], list[Told]]]] = [
    (OpenAIChat(), in_chat),
    (CohereChat(), in_chat),
    (OpenAIResponses(), in_responses),
    (Anthropic(), in_anthropic),
    (Gemini(), in_gemini),
]
NAMES = [dialect.name for dialect, _ in DIALECTS]


@pytest.mark.parametrize(("dialect", "told"), DIALECTS, ids=NAMES)
def test_every_dialect_tells_the_same_envelope_under_the_calls_own_id(
    dialect: Dialect, told: Callable[[JSON], list[Told]]
) -> None:
    for result, envelope in RESULTS:
        assert told(spoken(dialect, result)) == [("call_1", envelope)]
        assert list(told(spoken(dialect, result))[0][1]) == list(envelope)
    several = [result for result, _ in RESULTS]
    expected = [(f"call_{number}", envelope) for number, (_, envelope) in enumerate(RESULTS, 1)]
    assert told(spoken(dialect, *several)) == expected


OBSERVED = [
    json.dumps(ENCODED, ensure_ascii=False) + "\n(note: 1 of 1)",
    "text",
    "null",
    '{"status":"not_found","error":"NotFound: no city \'X\'"}',
    '{"status":"error","error":"DiskFull: \ufffd"}',
]


def test_in_text_form_a_result_is_an_observation() -> None:
    for (result, _), observed in zip(RESULTS, OBSERVED, strict=True):
        (message,) = ReactText().results([(Call("get", id="1.1"), result)])
        assert (message.role, message.text) == ("user", f"Observation: {observed}")


# Images


def pictured(*references: Content) -> Result:
    return replace(ok("see"), artifacts=references)


def bytes_in_chat(body: JSON) -> list[Any]:
    (shown,) = [message for message in body["messages"] if isinstance(message.get("content"), list)]
    assert body["messages"][-1] == shown
    assert shown["role"] == "user"
    return [part.get("text") or _decoded(part["image_url"]["url"]) for part in shown["content"]]


def bytes_in_responses(body: JSON) -> list[Any]:
    shown = body["input"][-1]
    assert shown["role"] == "user"
    assert {part["type"] for part in shown["content"]} == {"input_text", "input_image"}
    return [part.get("text") or _decoded(part["image_url"]) for part in shown["content"]]


def bytes_in_anthropic(body: JSON) -> list[Any]:
    results, *shown = body["messages"][-1]["content"]
    assert results["type"] == "tool_result"
    assert all(part.get("source", {}).get("media_type", "image/png") == "image/png" for part in shown)
    return [part.get("text") or b64decode(part["source"]["data"]) for part in shown]


def bytes_in_gemini(body: JSON) -> list[Any]:
    assert [set(part) for part in body["contents"][-2]["parts"]] == [{"functionResponse"}]
    shown = body["contents"][-1]["parts"]
    assert all(part.get("inlineData", {}).get("mimeType", "image/png") == "image/png" for part in shown)
    return [part.get("text") or b64decode(part["inlineData"]["data"]) for part in shown]


def _decoded(address: str) -> bytes:
    head, _, data = address.partition(",")
    assert head == "data:image/png;base64"
    return b64decode(data)


@pytest.mark.parametrize(
    ("dialect", "shown"),
    [
        (OpenAIChat(), bytes_in_chat),
        (CohereChat(), bytes_in_chat),
        (OpenAIResponses(), bytes_in_responses),
        (Anthropic(), bytes_in_anthropic),
        (Gemini(), bytes_in_gemini),
    ],
    ids=NAMES,
)
def test_an_image_is_sent_in_the_providers_own_form_behind_the_results(
    dialect: Dialect, shown: Callable[[JSON], list[Any]]
) -> None:
    body = spoken(dialect, pictured(PICTURE), images=True, contents={PICTURE.digest: PNG})
    assert shown(body) == ["artifact abababababab:", PNG]


@pytest.mark.parametrize("dialect", [dialect for dialect, _ in DIALECTS], ids=NAMES)
def test_no_image_is_sent_that_is_not_to_be_shown_or_not_there_or_not_taken(dialect: Dialect) -> None:
    hidden = replace(PICTURE, shown=False)
    plain = spoken(dialect, ok("see"))
    assert spoken(dialect, pictured(hidden), images=True, contents={PICTURE.digest: PNG}) == plain
    assert spoken(dialect, pictured(PICTURE), images=False, contents={PICTURE.digest: PNG}) == plain
    assert spoken(dialect, pictured(PICTURE), images=True) == plain


def test_the_images_of_all_calls_stand_together_in_the_order_asked() -> None:
    other = replace(PICTURE, digest="cd" * 32)
    contents = {PICTURE.digest: PNG, other.digest: b"other"}
    body = spoken(OpenAIChat(), pictured(other), ok("none"), pictured(PICTURE), images=True, contents=contents)
    assert [message["role"] for message in body["messages"]][-5:] == ["assistant", "tool", "tool", "tool", "user"]
    assert bytes_in_chat(body) == ["artifact cdcdcdcdcdcd:", b"other", "artifact abababababab:", PNG]


def test_in_text_form_the_image_stands_in_the_message_of_the_observation() -> None:
    image = Image("ab", "image/png", PNG)
    said = illustrated([Message("user", "Observation: see")], [image])
    assert said == [Message("user", "Observation: see", images=(image,))]
    for dialect in (OpenAIChat(), CohereChat()):
        content = json.loads(dialect.message(said[0]))["content"]
        assert content == [
            {"type": "text", "text": "Observation: see"},
            {"type": "text", "text": "artifact ab:"},
            {"type": "image_url", "image_url": {"url": address_of(image)}},
        ]
    assert json.loads(OpenAIResponses().message(said[0]))["content"][0] == {
        "type": "input_text",
        "text": "Observation: see",
    }
    assert json.loads(Anthropic().message(said[0]))["content"][0]["text"] == "Observation: see"
    assert json.loads(Gemini().message(said[0]))["parts"][0]["text"] == "Observation: see"
    assert illustrated([Message("assistant", "Observation: see")], [image])[1] == Message("user", "", images=(image,))


# Reading on


def offered(dialect: Dialect, whole: Whole | None, *, tools: bool = True, reader: bool = True) -> tuple[JSON, JSON]:
    """The requests before and after a result."""
    started = STARTED if reader else replace(STARTED, reader=None)
    conversation = Conversation(started, dialect, Native(), Capabilities(tools=tools), model="m")
    before = json.loads(conversation.request(ModelAsked(number=1), stream=False))
    for number in (1, 2):
        call = Call("get", {}, f"{number}.1", "{}", provider_id=f"call_{number}")
        conversation.add(ModelReplied(turn=Turn(calls=(call,))))
        conversation.add(CallEnded(call_id=f"{number}.1", result=Result(data=Raw(b"1")), whole=whole))
    return before, json.loads(conversation.request(ModelAsked(number=3), stream=False))


@pytest.mark.parametrize("dialect", [dialect for dialect, _ in DIALECTS], ids=NAMES)
def test_the_tool_that_reads_on_comes_once_behind_the_others_and_only_after_a_cut(dialect: Dialect) -> None:
    readable = Whole("ab", 9, "rows", readable=True)
    before, after = offered(dialect, readable)
    names = json.dumps(after["tools"])
    assert json.dumps(before["tools"]) in (json.dumps(offered(dialect, None)[1]["tools"]), names)
    assert names.count('"read_more"') == 1
    assert names.index('"get"') < names.index('"read_more"')
    assert "read_more" not in json.dumps(before)
    for whole, reader in ((None, True), (Whole("ab", 9), True), (readable, False)):
        assert offered(dialect, whole, reader=reader)[1]["tools"] == before["tools"]
    assert "tools" not in offered(dialect, readable, tools=False)[1]


@pytest.mark.parametrize("constraint", ["", "grammar", "json_schema"])
def test_in_text_form_it_can_be_said_from_then_on_and_is_not_told_twice(constraint: Any) -> None:
    speech = ReactText(capabilities=Capabilities(constraint=constraint))
    conversation = Conversation(STARTED, OpenAIChat(), speech, Capabilities(), model="m")
    call = Call("get", {}, "1.1", "{}")
    conversation.add(ModelReplied(turn=Turn(calls=(call,), text="Action: get {}")))
    before = json.loads(conversation.request(ModelAsked(number=2), stream=False))
    note = 'cut: to read on: read_more {"result": "1.1", "offset": 1}'
    conversation.add(
        CallEnded(call_id="1.1", result=Result(data=Raw(b"[1]"), note=note), whole=Whole("ab", 9, readable=True))
    )
    after = json.loads(conversation.request(ModelAsked(number=2), stream=False))
    *old, new = after["messages"]
    assert old == before["messages"]
    assert new["content"] == f"Observation: [1]\n(note: {note})"
    kept = ("grammar", "response_format")
    assert "read_more" not in json.dumps([before.get(name) for name in kept])
    assert ("read_more" in json.dumps([after.get(name) for name in kept])) == bool(constraint)
    said = 'Thought: More.\nAction: read_more {"result": "1.1", "offset": 1}'
    if constraint != "json_schema":
        (read,) = conversation.read(Reply(text=said, finish="stop"), closing=False).calls
        assert (read.tool, read.arguments, read.state) == ("read_more", {"result": "1.1", "offset": 1}, "strict")
