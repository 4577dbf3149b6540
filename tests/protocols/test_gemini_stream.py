"""Replies of Gemini, whole and in pieces."""

import json
from typing import Any

import pytest
from fed_streams import JSON, cut_everywhere, fed, on_the_wire, runnable, same_in_every_split
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import Usage
from loopwright.protocols.gemini import Gemini, read_chunks, read_message
from loopwright.protocols.native import read
from loopwright.protocols.speech import Reply, WireCall

DIALECT = Gemini()


def chunk(*parts: JSON, finish: str | None = None, **fields: Any) -> JSON:
    candidate: JSON = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], **fields}


def call(name: str = "get", args: Any = None, **fields: Any) -> JSON:
    return {"functionCall": {"name": name, "args": {} if args is None else args, **fields}}


def reply_of(*chunks: JSON) -> Reply:
    return read_chunks([json.dumps(found) for found in chunks])


SIGNED: JSON = {**call("get", {"x": 1.5}), "thoughtSignature": "SIG=="}
RICH: list[JSON] = [
    chunk({"text": "Let me ", "thought": True}, usageMetadata={"promptTokenCount": 9}),
    chunk({"text": "see — é", "thought": True}),
    chunk({"text": "I will "}),
    chunk({"text": "look."}),
    chunk(SIGNED, call("get", {"x": 2})),
    chunk(
        {"text": ""},
        finish="STOP",
        usageMetadata={
            "promptTokenCount": 9,
            "cachedContentTokenCount": 4,
            "toolUsePromptTokenCount": 1,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 7,
            "totalTokenCount": 22,
        },
    ),
]


def test_a_stream_is_the_same_in_every_split() -> None:
    reply = same_in_every_split(DIALECT, RICH)
    assert reply.text == "I will look."
    assert reply.reasoning == "Let me see — é"
    assert reply.calls == (WireCall("", "get", '{"x":1.5}'), WireCall("", "get", '{"x":2}'))
    assert (reply.finish, reply.complete, reply.error) == ("STOP", True, "")
    assert reply.usage == Usage(input_tokens=10, output_tokens=12, cached_tokens=4)
    thought = {"text": "Let me see — é", "thought": True}
    assert json.loads(reply.opaque) == {
        "role": "model",
        "parts": [thought, {"text": "I will look."}, SIGNED, call("get", {"x": 2})],
    }


def test_no_call_runs_of_a_stream_that_was_cut_before_its_end() -> None:
    whole = runnable(reply_of(*RICH))
    assert len(whole) == 2
    for reply in cut_everywhere(DIALECT, RICH):
        assert runnable(reply) == (whole if reply.complete else [])


@given(st.binary() | st.lists(st.sampled_from(RICH), max_size=6).map(on_the_wire), st.integers(1, 9))
def test_nothing_that_arrives_raises_and_the_split_never_matters(data: bytes, size: int) -> None:
    shown, reply = fed(DIALECT, data)
    assert fed(DIALECT, data, size) == (shown, reply)
    read(reply, [])


# Parts


def test_a_signed_text_stays_a_part_of_its_own() -> None:
    signed = {"text": "", "thoughtSignature": "S=="}
    reply = reply_of(chunk({"text": "It is "}), chunk({"text": "42."}), chunk(signed, finish="STOP"))
    assert reply.text == "It is 42."
    assert json.loads(reply.opaque)["parts"] == [{"text": "It is 42."}, signed]


def test_text_and_calls_alone_need_no_copy() -> None:
    reply = reply_of(chunk({"text": "Hm", "thought": False}), chunk(call(id="f1"), call(), finish="STOP"))
    assert reply.opaque == b""
    assert reply.calls == (WireCall("f1", "get", "{}"), WireCall("", "get", "{}"))


def test_parts_of_other_kinds_are_kept() -> None:
    code: JSON = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
    reply = reply_of(chunk(code, {"text": "1"}, finish="STOP"))
    assert (reply.text, json.loads(reply.opaque)["parts"][0]) == ("1", code)


def test_only_the_first_candidate_counts() -> None:
    other = {"content": {"parts": [call("write")]}, "index": 1, "finishReason": "STOP"}
    first = chunk(call("get"), finish="STOP")
    assert [found.name for found in reply_of({"candidates": [*first["candidates"], other]}).calls] == ["get"]


# Calls


def test_the_very_same_call_with_an_id_is_one_call_and_without_an_id_two() -> None:
    named = call("get", {"x": 1}, id="f1")
    reply = reply_of(
        chunk(named), chunk(named, call("get"), call("get"), call("get", {"x": 2}, id="f1"), finish="STOP")
    )
    assert [found.arguments for found in reply.calls] == ['{"x":1}', "{}", "{}", '{"x":2}']


def test_arguments_that_are_left_out_are_none() -> None:
    reply = reply_of(chunk({"functionCall": {"name": "now"}}, finish="STOP"))
    assert [(found.arguments, found.state) for found in read(reply, []).calls] == [({}, "strict")]


def test_arguments_as_text() -> None:
    assert runnable(reply_of(chunk(call("get", '{"x": 1}'), finish="STOP"))) == [("get", {"x": 1})]


@pytest.mark.parametrize(
    "part", [{"functionCall": None}, {"functionCall": {"name": "get", "args": None}}, call("g", [1])]
)
def test_arguments_that_are_no_object_are_never_taken_as_strict(part: JSON) -> None:
    assert all(found.state != "strict" for found in read(reply_of(chunk(part, finish="STOP")), []).calls)


@pytest.mark.parametrize("field", [{"willContinue": True}, {"partialArgs": [{"jsonPath": "$.x", "numberValue": 1}]}])
def test_calls_in_pieces_do_not_run(field: JSON) -> None:
    reply = reply_of(chunk({"functionCall": {"name": "write", **field}}), chunk({"functionCall": {}}, finish="STOP"))
    assert not reply.complete
    assert runnable(reply) == []


# Ends


def test_a_reply_that_reached_a_limit_runs_nothing() -> None:
    reply = reply_of(chunk(call(), finish="MAX_TOKENS"))
    assert (reply.finish, reply.error) == ("length", "")
    assert runnable(reply) == []


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "SAFETY", "OTHER"])
def test_a_reply_that_ended_otherwise_is_an_error_and_runs_nothing(reason: str) -> None:
    candidate = {"content": {"parts": [call(), {"text": "I"}]}, "finishReason": reason, "finishMessage": "Bad call: f("}
    reply = reply_of({"candidates": [candidate]})
    assert reply.error == f"the provider ended the reply ({reason}): Bad call: f("
    assert not reply.complete
    assert runnable(reply) == []
    assert reason in reply_of(chunk(finish=reason)).error


def test_several_finish_reasons() -> None:
    assert reply_of(chunk({"text": "a"}, finish="STOP"), chunk({"text": "b"}, finish="STOP")).complete
    assert not reply_of(chunk(call(), finish="STOP"), chunk(finish="SAFETY")).complete
    assert reply_of(chunk({"text": "a"}, finish="STOP"), chunk(finish="MAX_TOKENS")).finish == "length"


def test_an_empty_reply() -> None:
    reply = reply_of({"candidates": [{"finishReason": "STOP", "index": 0}]})
    assert reply == Reply(finish="STOP")
    assert read(reply, []).kind == "empty"


ERRORS: list[tuple[bytes, str]] = [
    (b'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\n\n', "is overloaded"),
    (b'event: error\ndata: {"message": "gone"}\n\n', "gone"),
    (b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\n\n', "blocked the prompt (SAFETY)"),
    (b'{"promptFeedback": {"blockReason": "OTHER", "blockReasonMessage": "No."}}', "blocked the prompt (OTHER): No."),
    (b'{"error":{"code":500,"message":"Internal"}}', "Internal"),
    (b'[{"error":{"code":500,"message":"Internal"}}]', "Internal"),
    (b'{"usageMetadata": {"promptTokenCount": 1}}', "no candidate"),
    (b"Service Unavailable", "neither JSON nor an event stream: Service"),
]


@pytest.mark.parametrize(("data", "said"), ERRORS)
def test_errors_inside_of_a_success(data: bytes, said: str) -> None:
    begun = on_the_wire([chunk(call())]) if data.startswith((b"event", b"data")) else b""
    for size in (0, 1):
        reply = fed(DIALECT, begun + data, size)[1]
        assert said in reply.error
        assert not reply.complete
        assert runnable(reply) == []


@pytest.mark.parametrize("data", [b"", b"\n\n", b": ping\n\n", b"[]", b"[1]", b"data: 1\n\n"])
def test_nothing_is_no_reply(data: bytes) -> None:
    reply = fed(DIALECT, data)[1]
    assert (reply.complete, reply.text, reply.usage) == (False, "", None)


# Whole bodies


def test_a_whole_body() -> None:
    body = chunk({"text": "Let me look."}, call("get", {"x": 1.0}, id="f1"), finish="STOP")
    body["usageMetadata"] = {"promptTokenCount": 3, "candidatesTokenCount": 4}
    reply = read_message(body)
    assert reply == Reply(
        text="Let me look.", calls=(WireCall("f1", "get", '{"x":1.0}'),), finish="STOP", usage=Usage(3, 4)
    )
    assert fed(DIALECT, json.dumps(body).encode(), 1)[1] == reply


def test_a_whole_bodys_parts_go_back_byte_for_byte() -> None:
    part = b'{ "functionCall":{"args":{"x":1e2},"name":"get"}, "thoughtSignature":"S/"}'
    content = b'{"parts":[' + part + b'],"role":"model"}'
    opaque = b'{"role":"model","parts":[' + part + b"]}"
    assert read_message(b'{"candidates":[{"content":' + content + b',"finishReason":"STOP"}]}').opaque == opaque
    assert read_message(content).opaque == opaque
    assert read_message(content).complete
    broken = read_message(content.replace(b"S/", b"\xff"))
    assert json.loads(broken.opaque)["parts"][0]["thoughtSignature"] == "\ufffd"


def test_the_list_of_chunks_that_comes_without_events() -> None:
    data = json.dumps(RICH, indent=1).encode()
    assert fed(DIALECT, data, 5)[1] == reply_of(*RICH)
    for end in range(0, len(data), 50):
        assert runnable(fed(DIALECT, data[:end])[1]) == []
