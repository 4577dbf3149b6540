"""Streams in Cohere's chat format, and what may be wrong in them: the reply that was meant, or no call that runs."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import Usage
from loopwright.protocols import native
from loopwright.protocols.cohere import CohereChat, read_chunks
from loopwright.protocols.json_values import as_object
from loopwright.protocols.speech import Reply, WireCall

JSON = dict[str, Any]
PERTH, UTC = '{"city":"Perth"}', '{"zone":"UTC"}'


def event(kind: str, index: Any = None, **message: Any) -> str:
    placed = {} if index is None else {"index": index}
    return json.dumps({"type": kind, **placed, **({"delta": {"message": message}} if message else {})})


def called(arguments: Any, id: str = "", name: str = "") -> JSON:  # noqa: A002
    named = {"id": id, "type": "function"} if id else {}
    return {**named, "function": {"arguments": arguments, **({"name": name} if name else {})}}


def begins(index: Any = 0, id: str = "c1", name: str = "weather", arguments: Any = "") -> str:  # noqa: A002
    return event("tool-call-start", index, tool_calls=called(arguments, id, name))


def goes_on(arguments: Any, index: Any = 0, id: str = "", name: str = "") -> str:  # noqa: A002
    return event("tool-call-delta", index, tool_calls=called(arguments, id, name))


def stops(index: Any = 0) -> str:
    return event("tool-call-end", index)


def ends(reason: Any = "TOOL_CALL", **fields: Any) -> str:
    return json.dumps({"type": "message-end", "delta": {"finish_reason": reason, **fields}})


def says(text: Any, index: int = 0) -> str:
    return event("content-delta", index, content={"text": text})


START = event("message-start", role="assistant", content=[], tool_plan="", tool_calls=[], citations=[])
END = ends()


def stream(*payloads: str, line: str = "\n") -> bytes:
    named = [f"event: {json.loads(payload).get('type')}{line}data: {payload}{line}{line}" for payload in payloads]
    return f": begin{line}{line}{''.join(named)}".encode()


def read(data: bytes, cuts: list[int] | None = None) -> tuple[Reply, str]:
    reader, shown, position = CohereChat().reader(stream=True), "", 0
    for cut in [*sorted(cuts or []), len(data)]:
        shown += reader.feed(data[position:cut])
        position = max(position, cut)
    return reader.close(), shown


def runs(reply: Reply) -> list[tuple[str, JSON]]:
    """The calls that would run."""
    return [(call.tool, call.arguments) for call in native.read(reply, []).calls if call.state != "rejected"]


ONE = [("weather", {"city": "Perth"})]
TWO = [*ONE, ("clock", {"zone": "UTC"})]

CALL_STREAMS: dict[str, tuple[tuple[str, ...], list[tuple[str, JSON]]]] = {
    "as documented": ((START, begins(), goes_on('{"city":'), goes_on('"Perth"}'), stops(), END), ONE),
    "two calls": (
        (begins(), goes_on(PERTH), stops(), begins(1, "c2", "clock"), goes_on(UTC, 1), stops(1), END),
        TWO,
    ),
    "two calls whose pieces alternate": (
        (
            begins(),
            begins(1, "c2", "clock"),
            goes_on(PERTH[:5]),
            goes_on(UTC, 1),
            goes_on(PERTH[5:]),
            stops(),
            stops(1),
            END,
        ),
        TWO,
    ),
    "no arguments": ((begins(), stops(), END), [("weather", {})]),
    "whole call at the beginning": ((begins(arguments=PERTH), END), ONE),
    "arguments as an object": ((begins(), goes_on({"city": "Perth"}), stops(), END), ONE),
    "arguments as a growing whole": ((begins(), goes_on('{"ci'), goes_on('{"city":"P'), goes_on(PERTH), END), ONE),
    "null pieces": ((begins(arguments=None), goes_on(None), goes_on(PERTH), goes_on(None), stops(), END), ONE),
    "calls in a list": (
        (event("tool-call-start", 0, tool_calls=[called("", "c1", "weather")]), goes_on(PERTH), END),
        ONE,
    ),
    "calls in the start of the message": (
        (event("message-start", tool_calls=[called(PERTH, "c1", "weather")]), END),
        ONE,
    ),
    "no index": (
        (
            begins(None),
            goes_on(PERTH, None),
            stops(None),
            begins(None, "c2", "clock"),
            goes_on(UTC, None),
            stops(None),
            END,
        ),
        TWO,
    ),
    "index only in the pieces": ((begins(None), goes_on(PERTH, 4), stops(4), END), ONE),
    "the same index for all": (
        (begins(), goes_on(PERTH), stops(), begins(0, "c2", "clock"), goes_on(UTC), stops(), END),
        TWO,
    ),
    "the same id for all": (
        (begins(), goes_on(PERTH), stops(), begins(1, "c1", "clock"), goes_on(UTC, 1), stops(1), END),
        TWO,
    ),
    "neither index nor id": (
        (begins(None, ""), goes_on(PERTH, None), stops(None), begins(None, "", "clock"), goes_on(UTC, None), END),
        TWO,
    ),
    "id and name with each piece": (
        (begins(), goes_on(PERTH[:4], None, "c1", "weather"), goes_on(PERTH[4:], None, "c1", "weather"), END),
        ONE,
    ),
    "another id with each piece": ((begins(), goes_on(PERTH[:4], 0, "x"), goes_on(PERTH[4:], 0, "y"), END), ONE),
    "begun again": ((begins(), begins(), goes_on(PERTH), stops(), END), ONE),
    "no end of the call": ((begins(), goes_on(PERTH), END), ONE),
    "an end of no call": ((stops(), begins(), goes_on(PERTH), END), ONE),
    # What must not run.
    "pieces without a call": ((goes_on(PERTH), END), []),
    "pieces of another call": ((begins(), goes_on(PERTH, 7), END), []),
    "pieces behind the end of a call": ((begins(), stops(), goes_on(PERTH, None), END), []),
    "arguments never told": ((begins(), END), []),
    "arguments cut": ((begins(), goes_on('{"city":"Pe'), stops(), END), []),
    "two whole arguments": ((begins(), goes_on(PERTH), goes_on(UTC), stops(), END), []),
    "error": ((begins(), goes_on(PERTH), stops(), ends("ERROR")), []),
    "toxic": ((begins(), goes_on(PERTH), stops(), ends("ERROR_TOXIC")), []),
    "timeout": ((begins(), goes_on(PERTH), stops(), ends("TIMEOUT")), []),
    "token limit": ((begins(), goes_on(PERTH), stops(), ends("MAX_TOKENS")), []),
    "token limit, and then another end": ((begins(), goes_on(PERTH), stops(), ends("MAX_TOKENS"), END), []),
    "no end": ((begins(), goes_on(PERTH), stops()), []),
}


@pytest.mark.parametrize("name", CALL_STREAMS)
def test_calls(name: str) -> None:
    payloads, wanted = CALL_STREAMS[name]
    reply = read(stream(*payloads))[0]
    assert runs(reply) == wanted
    assert read_chunks(payloads) == reply


@pytest.mark.parametrize("name", CALL_STREAMS)
def test_every_split_and_every_prefix(name: str) -> None:
    payloads, wanted = CALL_STREAMS[name]
    for line in ("\n", "\r\n"):
        data = stream(*payloads, line=line)
        assert read(data, list(range(len(data))))[0] == read(data)[0]
    data = stream(*payloads)
    for length in range(len(data)):
        assert runs(read(data[:length])[0]) in ([], wanted)


def test_text_thinking_and_citations() -> None:
    reply, shown = read(
        stream(
            START,
            event("content-start", 0, content={"type": "thinking", "thinking": ""}),
            event("content-delta", 0, content={"thinking": "Hm."}),
            event("content-end", 0),
            event("content-start", 1, content={"type": "text", "text": "It "}),
            says("rains", 1),
            event("citation-start", 0, citations={"start": 0, "end": 2, "text": "It"}),
            event("citation-end", 0),
            event("content-delta", 1, content="."),
            ends("COMPLETE"),
        )
    )
    assert (reply.text, shown, reply.reasoning, reply.finish) == ("It rains.", "It rains.", "Hm.", "COMPLETE")
    assert json.loads(reply.opaque) == {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "It rains."}],
    }
    assert read_chunks([says("It"), ends("COMPLETE")]) == Reply(text="It", finish="COMPLETE")


def test_the_plan_is_reasoning_and_goes_back() -> None:
    plan = [event("tool-plan-delta", tool_plan=piece) for piece in ("I ", "look.")]
    reply, shown = read(stream(START, *plan, begins(), goes_on(PERTH), stops(), END))
    assert (reply.text, shown, reply.reasoning) == ("", "", "I look.")
    assert reply.calls == (WireCall("c1", "weather", PERTH),)
    assert json.loads(reply.opaque) == {
        "role": "assistant",
        "tool_plan": "I look.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": PERTH}}],
    }
    assert read_chunks([*plan, ends("MAX_TOKENS")]).opaque == b""


def test_usage_counts_the_tokens_not_the_bill() -> None:
    usage = {
        "billed_units": {"input_tokens": 4, "output_tokens": 1},
        "tokens": {"input_tokens": 20, "output_tokens": 5},
    }
    assert read_chunks([ends(usage={**usage, "cached_tokens": 8})]).usage == Usage(20, 5, 8)
    assert read_chunks([ends(usage={"billed_units": {"input_tokens": 4}})]).usage is None


def test_the_token_limit_is_no_broken_reply() -> None:
    reply = read_chunks([begins(), ends("MAX_TOKENS")])
    assert (reply.finish, reply.complete) == ("length", True)


ERRORS = [
    (ends("ERROR", error="model overloaded"), "model overloaded"),
    (json.dumps({"type": "error", "message": "bad"}), "bad"),
    (json.dumps({"error": {"message": "bad", "code": 5}}), "bad (5)"),
    (json.dumps({"message": "invalid api token", "id": "x"}), "invalid api token"),
]


@pytest.mark.parametrize(("payload", "error"), ERRORS)
def test_errors_inside_a_stream(payload: str, error: str) -> None:
    reply = read_chunks([begins(), goes_on(PERTH), payload, END])
    assert reply.error.startswith(error)
    assert not reply.complete


def test_an_error_by_the_name_of_its_event() -> None:
    reply = read(stream(says("a")) + b'event: error\ndata: {"message":"late"}\n\n')[0]
    assert reply.error == "late"


def test_a_whole_body_in_an_event() -> None:
    body = {"finish_reason": "TOOL_CALL", "message": {"tool_calls": [called(PERTH, "c1", "weather")]}}
    assert runs(read(f"data: {json.dumps(body)}\n\n".encode())[0]) == ONE


FIELDS = """
    type index delta message content text thinking tool_plan tool_calls id function name arguments finish_reason usage
    tokens input_tokens error
""".split()  # noqa: SIM905
KINDS = ["message-start", "content-delta", "tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end"]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from([*KINDS, "{}", '{"a":1}', "ERROR"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=15,
)


@given(st.lists(values, max_size=5))
def test_any_json_is_read_without_an_exception(bodies: list[Any]) -> None:
    events: list[JSON] = [
        {**as_object(body), "type": kind, "delta": {"message": body}} for kind in KINDS for body in bodies
    ]
    reply = read_chunks([json.dumps(body) for body in (*bodies, *events)])
    assert reply.complete is False or not reply.error


@given(st.binary() | st.text(alphabet='data: {}[]"\n\r\\ec').map(str.encode), st.data())
def test_any_bytes_are_read_without_an_exception(sent: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=5))
    assert read(sent, cuts)[0] == read(sent)[0]


def test_a_call_begun_again_behind_its_end_is_the_same_call() -> None:
    reply = read_chunks([begins(), goes_on(PERTH), stops(), begins(), begins(None), END])
    assert reply.calls == (WireCall("c1", "weather", PERTH),)
