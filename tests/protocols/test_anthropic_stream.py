"""Replies of Anthropic and of those who imitate it, whole and in pieces."""

import json
from typing import Any

import pytest
from fed_streams import JSON, cut_everywhere, fed, on_the_wire, runnable, same_in_every_split
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import Usage
from loopwright.protocols.anthropic import Anthropic, read_chunks, read_message
from loopwright.protocols.native import read
from loopwright.protocols.speech import Reply, WireCall

DIALECT = Anthropic()
STOP: JSON = {"type": "message_stop"}


def begin(**usage: int) -> JSON:
    return {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": usage}}


def start(index: int | None, **block: Any) -> JSON:
    return {"type": "content_block_start", "index": index, "content_block": block}


def tool(index: int | None, call_id: str = "t1", name: str = "get", **fields: Any) -> JSON:
    return start(index, type="tool_use", id=call_id, name=name, **{"input": {}, **fields})


def delta(index: int | None, kind: str, **fields: Any) -> JSON:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def text(index: int | None, said: str) -> JSON:
    return delta(index, "text_delta", text=said)


def piece(index: int | None, said: Any) -> JSON:
    return delta(index, "input_json_delta", partial_json=said)


def stop(index: int | None) -> JSON:
    return {"type": "content_block_stop", "index": index}


def finish(reason: str | None, **usage: int) -> JSON:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


def reply_of(*events: JSON) -> Reply:
    return read_chunks([json.dumps(event) for event in events])


RICH: list[JSON] = [
    begin(input_tokens=5, cache_creation_input_tokens=7, cache_read_input_tokens=11, output_tokens=1),
    start(0, type="thinking", thinking="", signature=""),
    delta(0, "thinking_delta", thinking="Let me "),
    {"type": "ping"},
    delta(0, "thinking_delta", thinking="see — é"),
    delta(0, "signature_delta", signature="SIG=="),
    stop(0),
    start(1, type="redacted_thinking", data="ENC"),
    stop(1),
    start(2, type="text", text=""),
    text(2, "I will "),
    text(2, "look."),
    stop(2),
    tool(3),
    piece(3, ""),
    piece(3, '{"city": "Pa'),
    piece(3, 'ris", "n": 1.50}'),
    stop(3),
    tool(4, "t2", "now"),
    stop(4),
    finish("tool_use", output_tokens=42),
    STOP,
]


def test_a_stream_is_the_same_in_every_split() -> None:
    reply = same_in_every_split(DIALECT, RICH)
    assert reply.text == "I will look."
    assert reply.reasoning == "Let me see — é"
    assert reply.calls == (
        WireCall("t1", "get", '{"city": "Paris", "n": 1.50}'),
        WireCall("t2", "now", "{}"),
    )
    assert (reply.finish, reply.complete, reply.error) == ("tool_use", True, "")
    assert reply.usage == Usage(input_tokens=23, output_tokens=42, cached_tokens=11)
    assert (
        reply.opaque
        == (
            '{"role":"assistant","content":[{"type":"thinking","thinking":"Let me see — é","signature":"SIG=="},'
            '{"type":"redacted_thinking","data":"ENC"},{"type":"text","text":"I will look."},'
            '{"type":"tool_use","id":"t1","name":"get","input":{"city": "Paris", "n": 1.50}},'
            '{"type":"tool_use","id":"t2","name":"now","input":{}}]}'
        ).encode()
    )


def test_no_call_runs_of_a_stream_that_was_cut_before_its_end() -> None:
    whole = runnable(reply_of(*RICH))
    assert len(whole) == 2
    for reply in cut_everywhere(DIALECT, RICH):
        assert runnable(reply) == (whole if reply.complete else [])


@pytest.mark.parametrize("events", [RICH[:-1], [*RICH[:-2], STOP]])
def test_the_stop_reason_or_the_stop_ends_a_reply(events: list[JSON]) -> None:
    assert reply_of(*events).complete
    assert not reply_of(*RICH[:-2]).complete


@given(st.binary() | st.lists(st.sampled_from(RICH), max_size=8).map(on_the_wire), st.integers(1, 9))
def test_nothing_that_arrives_raises_and_the_split_never_matters(data: bytes, size: int) -> None:
    shown, reply = fed(DIALECT, data)
    assert fed(DIALECT, data, size) == (shown, reply)
    read(reply, [])


# Blocks and their indices


def test_deltas_of_blocks_that_are_open_at_once_go_by_their_index() -> None:
    reply = reply_of(tool(0, "a"), tool(1, "b"), piece(0, '{"x":1}'), piece(1, '{"x":2}'), stop(0), stop(1), STOP)
    assert runnable(reply) == [("get", {"x": 1}), ("get", {"x": 2})]


@pytest.mark.parametrize("index", [None, 0])
def test_blocks_without_or_with_the_same_index_follow_each_other(index: int | None) -> None:
    reply = reply_of(
        *(start(index, type="text", text=""), text(index, "Hm."), stop(index)),
        *(tool(index, "a"), piece(index, '{"x":1}'), stop(index)),
        *(tool(index, "b"), piece(index, '{"x":2}'), stop(index), STOP),
    )
    assert reply.text == "Hm."
    assert runnable(reply) == [("get", {"x": 1}), ("get", {"x": 2})]


def test_a_start_that_is_sent_again_begins_no_second_call() -> None:
    assert len(reply_of(tool(0), tool(0), piece(0, "{}"), stop(0), STOP).calls) == 1


BROKEN: dict[str, list[JSON]] = {
    "a piece of a call that never began": [piece(0, '{"x":1}')],
    "a piece behind the end of its call": [tool(0), stop(0), piece(0, '{"x":1}')],
    "all pieces under the index of the second call": [tool(0, "a"), tool(1, "b"), piece(1, "{}"), stop(1)],
    "a piece under an index that is not there": [tool(0), piece(3, '{"x":1}'), stop(0)],
    "a piece of a call for a text": [start(0, type="text", text=""), piece(0, "{}"), tool(1), stop(1)],
    "a call that neither ended nor has input": [tool(0)],
    "input in the start that the pieces contradict": [tool(0, input={"x": 1}), piece(0, '{"x":2}'), stop(0)],
    "a reply that begins again": [begin(), tool(0), stop(0), begin(), tool(0), stop(0)],
    "a signature of nothing": [delta(0, "signature_delta", signature="s"), tool(1), stop(1)],
    "an event that is no JSON object": [tool(0), stop(0), "{cut"],  # type: ignore[list-item]
}


@pytest.mark.parametrize("events", BROKEN.values(), ids=BROKEN)
def test_no_call_runs_where_it_is_not_sure_whose_a_piece_is(events: list[JSON]) -> None:
    payloads = [event if isinstance(event, str) else json.dumps(event) for event in (*events, finish("tool_use"), STOP)]
    reply = read_chunks(payloads)
    assert not reply.complete
    assert runnable(reply) == []


# Input


@pytest.mark.parametrize(
    ("block", "pieces", "arguments"),
    [
        ({"input": {"x": 1}}, [], {"x": 1}),
        ({"input": {"x": 1}}, ["", None], {"x": 1}),
        ({"input": {"x": 1}}, ['{"x"', ": 1}"], {"x": 1}),
        ({"input": '{"x": 1}'}, [], {"x": 1}),
        ({"input": ""}, ['{"x": 1}'], {"x": 1}),
        ({"input": None}, [{"x": 1}], {"x": 1}),
        ({"input": {}}, [], {}),
    ],
)
def test_input_comes_in_the_start_or_in_pieces(block: JSON, pieces: list[Any], arguments: JSON) -> None:
    reply = reply_of(tool(0, **block), *(piece(0, part) for part in pieces), stop(0), STOP)
    assert [(call.arguments, call.state) for call in read(reply, []).calls] == [(arguments, "strict")]


@pytest.mark.parametrize("block", [{"input": None}, {"input": ""}, {"input": "code"}, {"input": [1]}])
def test_input_that_is_no_object_is_never_taken_as_strict(block: JSON) -> None:
    assert all(call.state != "strict" for call in read(reply_of(tool(0, **block), stop(0), STOP), []).calls)


def test_a_call_whose_first_piece_was_lost_does_not_run() -> None:
    reply = reply_of(tool(0), piece(0, 'code": "uptime"}'), stop(0), STOP)
    assert reply.complete
    assert runnable(reply) == []
    assert reply.calls[0].arguments == 'code": "uptime"}'


# Text


def test_texts_on_both_sides_of_another_block_are_paragraphs() -> None:
    shown, reply = fed(
        DIALECT,
        on_the_wire(
            [
                *(start(0, type="text", text="I "), text(0, "search."), stop(0)),
                *(start(1, type="text", text=""), text(1, " Now."), stop(1)),
                start(2, type="server_tool_use", id="s1", name="web_search", input={}),
                *(piece(2, '{"query": "x"}'), stop(2)),
                *(start(3, type="web_search_tool_result", tool_use_id="s1", content=[{"url": "u"}]), stop(3)),
                start(4, type="text", text="", citations=[]),
                delta(4, "citations_delta", citation={"url": "u"}),
                *(text(4, "Found"), text(4, "."), stop(4), finish("end_turn"), STOP),
            ]
        ),
    )
    assert shown == reply.text == "I search. Now.\n\nFound."
    assert reply.calls == ()
    content = json.loads(reply.opaque)["content"]
    assert [block["type"] for block in content] == [
        *("text", "text", "server_tool_use", "web_search_tool_result", "text")
    ]
    assert content[2]["input"] == {"query": "x"}
    assert content[4] == {"type": "text", "text": "Found.", "citations": [{"url": "u"}]}


def test_text_and_thoughts_whose_block_never_began_are_kept() -> None:
    reply = reply_of(
        *(delta(0, "thinking_delta", thinking="Hm"), text(1, "Hel"), text(1, "lo"), stop(1)),
        *({"type": "content_block_delta", "delta": {"text": "!"}}, finish("end_turn")),
    )
    assert (reply.reasoning, reply.text, reply.complete) == ("Hm", "Hello!", True)


def test_deltas_without_a_type_are_known_by_their_fields() -> None:
    reply = reply_of(
        {"type": "content_block_delta", "index": 0, "delta": {"thinking": "Hm"}},
        {"type": "content_block_start", "index": 1, "content_block": {"name": "get", "id": "t1", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '{"x":1}'}},
        *(stop(1), STOP),
    )
    assert reply.reasoning == "Hm"
    assert runnable(reply) == [("get", {"x": 1})]


def test_blocks_and_deltas_of_types_to_come_are_kept() -> None:
    reply = reply_of(
        start(0, type="compaction", content=None),
        *(delta(0, "compaction_delta", content="short", level=2), delta(0, "compaction_delta", content="er")),
        *(stop(0), start(1, type="text", text="Hi"), stop(1), {"type": "weather_report"}, STOP),
    )
    assert (reply.text, reply.complete) == ("Hi", True)
    assert json.loads(reply.opaque)["content"][0] == {"type": "compaction", "content": "shorter", "level": 2}


def test_a_call_with_more_than_the_usual_fields_goes_back_with_them() -> None:
    assert not reply_of(tool(0, cache_control=None), stop(0), STOP).opaque
    reply = reply_of(tool(0, caller={"type": "direct"}), piece(0, "not json"), stop(0), STOP)
    assert json.loads(reply.opaque)["content"][0]["caller"] == {"type": "direct"}
    assert json.loads(reply.opaque)["content"][0]["input"] == "not json"


# Ends


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_a_reply_that_reached_a_limit_runs_nothing(reason: str) -> None:
    reply = reply_of(tool(0), piece(0, '{"x":1}'), stop(0), finish(reason), STOP)
    assert reply.finish == "length"
    assert runnable(reply) == []


@pytest.mark.parametrize("reason", ["refusal", "pause_turn"])
def test_a_reply_that_was_withheld_is_an_error(reason: str) -> None:
    reply = reply_of(start(0, type="text", text="I"), tool(1), stop(1), finish(reason), STOP)
    assert reason in reply.error
    assert not reply.complete


def test_a_call_that_is_announced_but_not_there_is_an_error_and_no_answer() -> None:
    reply = reply_of(start(0, type="text", text="I will write the file."), stop(0), finish("tool_use"), STOP)
    assert "no call arrived" in reply.error
    assert read(reply, []).answer is None


def test_the_stop_reason_does_not_decide_whether_there_are_calls() -> None:
    assert runnable(reply_of(tool(0), stop(0), finish("end_turn"), STOP)) == [("get", {})]
    assert reply_of(tool(0), stop(0), finish(None), finish("end_turn"), finish("tool_use")).finish == "end_turn"


ERRORS: list[tuple[bytes, str]] = [
    (
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
        "Overloaded",
    ),
    (b"event: error\ndata: upstream is gone\n\n", "upstream is gone"),
    (b'data: {"error": {"message": "quota"}}\n\n', "quota"),
    (b'data: {"type": "error", "message": "no words"}\n\n', "no words"),
    (b'{"type":"error","error":{"type":"api_error","message":"Internal"}}', "Internal"),
    (b'{"detail": "Not Found"}', "Not Found"),
    (b"<html>Bad gateway</html>", "neither JSON nor an event stream: <html>"),
]


@pytest.mark.parametrize(("data", "said"), ERRORS)
def test_errors_inside_of_a_success(data: bytes, said: str) -> None:
    begun = on_the_wire([tool(0), stop(0)]) if data.startswith((b"event", b"data")) else b""
    for size in (0, 1):
        reply = fed(DIALECT, begun + data, size)[1]
        assert said in reply.error
        assert not reply.complete
        assert runnable(reply) == []


@pytest.mark.parametrize("data", [b"", b" \r\n", b": ping\n\n", b"event: ping\ndata: {}\n\n"])
def test_nothing_is_no_reply(data: bytes) -> None:
    reply = fed(DIALECT, data)[1]
    assert (reply.complete, reply.text, reply.usage) == (False, "", None)


def test_a_later_count_of_tokens_replaces_an_earlier_one_unless_it_is_none() -> None:
    reply = reply_of(begin(input_tokens=9, output_tokens=1), finish("end_turn", input_tokens=0, output_tokens=8), STOP)
    assert reply.usage == Usage(input_tokens=9, output_tokens=8)


# Whole bodies


def body_of(*content: JSON, **fields: Any) -> JSON:
    usage = {"input_tokens": 3, "output_tokens": 4}
    return {"type": "message", "role": "assistant", "content": list(content), "usage": usage, **fields}


def test_a_whole_body() -> None:
    body = body_of(
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t1", "name": "get", "input": {"x": 1.0}},
        stop_reason="tool_use",
    )
    reply = read_message(body)
    assert reply == Reply(
        text="Let me look.",
        calls=(WireCall("t1", "get", '{"x":1.0}'),),
        finish="tool_use",
        usage=Usage(3, 4),
    )
    assert fed(DIALECT, json.dumps(body).encode(), 1)[1] == reply


def test_a_whole_bodys_content_goes_back_byte_for_byte() -> None:
    content = (
        b'[ {"type":"thinking", "thinking":"", "signature":"S/"},{"type":"tool_use","id":"t","name":"n","input":{}}]'
    )
    reply = read_message(b'{"type":"message","content":' + content + b',"stop_reason":"tool_use"}')
    assert reply.opaque == b'{"role":"assistant","content":[' + content[2:] + b"}"
    broken = read_message(b'{"content":' + content.replace(b"S/", b"\xff") + b"}")
    assert json.loads(broken.opaque)["content"][0]["signature"] == "\ufffd"


def test_a_message_alone_and_content_that_is_text() -> None:
    assert read_message({"role": "assistant", "content": "Hello"}) == Reply(text="Hello")
    assert read_message({"role": "assistant", "content": []}) == Reply()


@pytest.mark.parametrize("end", range(1, 90, 7))
def test_a_body_that_was_cut_runs_nothing(end: int) -> None:
    data = json.dumps(body_of({"type": "tool_use", "id": "t1", "name": "get", "input": {}})).encode()
    reply = fed(DIALECT, data[:end])[1]
    assert not reply.complete
    assert runnable(reply) == []


def test_events_without_an_empty_line_between_them() -> None:
    data = b"\n".join(b"data: " + json.dumps(event).encode() for event in RICH)
    assert fed(DIALECT, data)[1] == reply_of(*RICH)


def test_events_as_lines_of_json() -> None:
    data = b"\n".join(json.dumps(event).encode() for event in RICH)
    assert fed(DIALECT, data)[1].calls == reply_of(*RICH).calls


def test_input_that_is_missing_in_a_whole_body_is_not_taken_as_none() -> None:
    turn = read(read_message(body_of({"type": "tool_use", "id": "t1", "name": "write"}, stop_reason="tool_use")), [])
    assert [call.state for call in turn.calls] == ["repaired"]
