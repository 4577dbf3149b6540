"""Streams as servers really send them: every one gives the reply that was meant, or no call that could run."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import Usage
from loopwright.protocols import native
from loopwright.protocols.openai_chat import OpenAIChat, Reader, read_chunks
from loopwright.protocols.speech import Reply, WireCall

JSON = dict[str, Any]
DONE = "[DONE]"


def chunk(delta: JSON | None = None, finish: str | None = None, **fields: Any) -> str:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return json.dumps({"object": "chat.completion.chunk", "choices": [choice], **fields})


def part(arguments: Any = None, *, index: Any = 0, id: Any = None, name: Any = None, **fields: Any) -> JSON:  # noqa: A002
    """One tool call of a delta; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    call = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return {**call, "type": "function", "function": function, **fields}


def calls(*parts: JSON) -> str:
    return chunk({"tool_calls": list(parts)})


def stream(*payloads: str, end: str = "\n") -> bytes:
    return "".join(f"data: {payload}{end}{end}" for payload in payloads).encode()


def read(data: bytes, cuts: list[int] | None = None) -> tuple[Reply, str]:
    reader, shown, position = OpenAIChat().reader(stream=True), "", 0
    for cut in [*sorted(cuts or []), len(data)]:
        shown += reader.feed(data[position:cut])
        position = max(position, cut)
    return reader.close(), shown


END = (chunk(finish="tool_calls"), DONE)
PERTH = WireCall("c1", "weather", '{"city":"Perth"}')

CALL_STREAMS: dict[str, tuple[tuple[str, ...], tuple[WireCall, ...]]] = {
    "as documented": (
        (calls(part("", id="c1", name="weather")), calls(part('{"city":')), calls(part('"Perth"}')), *END),
        (PERTH,),
    ),
    "whole call in one delta": ((calls(part('{"city":"Perth"}', id="c1", name="weather")), *END), (PERTH,)),
    "null for everything unsaid": (
        (
            calls(part(id="c1", name="weather", index=None)),
            chunk({"role": None, "content": None, "tool_calls": [{"index": 0, "id": None, "function": None}]}),
            chunk(
                {"tool_calls": [{"index": 0, "id": None, "function": {"name": None, "arguments": '{"city":"Perth"}'}}]}
            ),
            chunk({"tool_calls": None}),
            *END,
        ),
        (PERTH,),
    ),
    "empty id and name on continuations": (
        (calls(part("", id="c1", name="weather")), calls(part('{"city":"Perth"}', id="", name="")), *END),
        (PERTH,),
    ),
    "no index anywhere": (
        (calls(part('{"city"', index=None, id="c1", name="weather")), calls(part(':"Perth"}', index=None)), *END),
        (PERTH,),
    ),
    "index comes later": (
        (calls(part('{"city"', index=None, id="c1", name="weather")), calls(part(':"Perth"}', index=0)), *END),
        (PERTH,),
    ),
    "id comes later": (
        (calls(part('{"city"', name="weather")), calls(part(':"Perth"}', id="c1")), *END),
        (PERTH,),
    ),
    "name comes later": (
        (calls(part("", id="c1")), calls(part('{"city":"Perth"}', id="c1", name="weather")), *END),
        (PERTH,),
    ),
    "id and name repeated with each delta": (
        (
            calls(part('{"city"', id="c1", name="weather")),
            calls(part(':"Perth"}', id="c1", name="weather")),
            *END,
        ),
        (PERTH,),
    ),
    "a new id with each delta": (
        (calls(part('{"city"', id="c1", name="weather")), calls(part(':"Perth"}', id="c2")), *END),
        (PERTH,),
    ),
    "name in parts and as a growing whole": (
        (
            calls(part("", id="c1", name="wea")),
            calls(part("", id="c1", name="ther")),
            calls(part('{"city":"Perth"}', id="c1", name="weather")),
            *END,
        ),
        (PERTH,),
    ),
    "arguments as a growing whole": (
        (
            calls(part('{"ci', id="c1", name="weather")),
            calls(part('{"city":"Pe', id="c1")),
            calls(part('{"city":"Perth"}', id="c1")),
            *END,
        ),
        (PERTH,),
    ),
    "arguments in parts, then whole again": (
        (
            calls(part('{"ci', id="c1", name="weather")),
            calls(part('ty":"Perth"}')),
            calls(part('{"city":"Perth"}', id="c1")),
            *END,
        ),
        (PERTH,),
    ),
    "the same call sent again": (
        (
            calls(part('{"city":"Perth"}', id="c1", name="weather")),
            calls(part('{"city":"Perth"}', id="c1", name="weather")),
            *END,
        ),
        (PERTH,),
    ),
    "an empty object before the arguments": (
        (calls(part("{}", id="c1", name="weather")), calls(part('{"city":')), calls(part('"Perth"}')), *END),
        (PERTH,),
    ),
    "arguments as an object": (
        (calls(part({"city": "Perth"}, id="c1", name="weather")), *END),
        (PERTH,),
    ),
    "function call of the old kind": (
        (
            chunk({"function_call": {"name": "weather", "arguments": '{"city":'}}),
            chunk({"function_call": {"arguments": '"Perth"}'}}, finish="function_call"),
        ),
        (WireCall("", "weather", '{"city":"Perth"}'),),
    ),
    "name and arguments beside the id": (
        (chunk({"tool_calls": [{"id": "c1", "name": "weather", "arguments": '{"city":"Perth"}'}]}), *END),
        (PERTH,),
    ),
    "one call instead of a list": (
        (chunk({"tool_calls": part('{"city":"Perth"}', id="c1", name="weather")}), *END),
        (PERTH,),
    ),
    "message beside each delta": (
        tuple(
            json.dumps({"choices": [{"delta": {"tool_calls": [delta]}, "message": {"tool_calls": [delta]}}]})
            for delta in (part("", id="c1", name="weather"), part('{"city":"Perth"}'))
        ),
        (PERTH,),
    ),
    "parallel, interleaved": (
        (
            calls(part('{"a"', index=0, id="c1", name="get"), part('{"a"', index=1, id="c2", name="get")),
            calls(part(":2}", index=1)),
            calls(part(":1}", index=0)),
            *END,
        ),
        (WireCall("c1", "get", '{"a":1}'), WireCall("c2", "get", '{"a":2}')),
    ),
    "parallel under one index": (
        (calls(part('{"a":1}', id="c1", name="get")), calls(part('{"a":2}', id="c2", name="get")), *END),
        (WireCall("c1", "get", '{"a":1}'), WireCall("c2", "get", '{"a":2}')),
    ),
    "parallel under one index, without ids": (
        (calls(part('{"a":1}', name="get")), calls(part('{"a":2}', name="get")), *END),
        (WireCall("", "get", '{"a":1}'), WireCall("", "get", '{"a":2}')),
    ),
    "parallel under one id": (
        (calls(part('{"a":1}', id="x", name="get")), calls(part('{"a":2}', index=1, id="x", name="get")), *END),
        (WireCall("x", "get", '{"a":1}'), WireCall("x", "get", '{"a":2}')),
    ),
    "the same call twice in one delta": (
        (calls(part("{}", index=None, name="roll"), part("{}", index=None, name="roll")), *END),
        (WireCall("", "roll", "{}"), WireCall("", "roll", "{}")),
    ),
    "an empty call": ((chunk({"tool_calls": [{}]}), *END), ()),
    "a number for an id": ((calls(part("{}", index="0", id=7, name="roll")), *END), (WireCall("7", "roll", "{}"),)),
    "no arguments at all": ((calls(part(id="c1", name="time")), *END), (WireCall("c1", "time", ""),)),
}


@pytest.mark.parametrize("case", CALL_STREAMS)
def test_calls_are_put_together(case: str) -> None:
    payloads, wanted = CALL_STREAMS[case]
    payloads = (*payloads, *END)
    reply = read_chunks(payloads)
    assert (reply.calls, reply.complete) == (wanted, True)
    data = stream(*payloads)
    assert read(data)[0] == reply
    assert read(data, list(range(len(data))))[0] == reply
    assert read(stream(*payloads, end="\r\n"), list(range(len(data))))[0] == reply


@pytest.mark.parametrize("case", CALL_STREAMS)
def test_a_stream_cut_anywhere_runs_nothing(case: str) -> None:
    payloads, wanted = CALL_STREAMS[case]
    data = stream(*payloads)
    for end in range(len(data)):
        reply = read(data[:end])[0]
        run = [call for call in native.read(reply, []).calls if call.state != "rejected"]
        assert not run or reply.calls == wanted


DOUBTFUL: dict[str, tuple[str, ...]] = {
    "objects one behind the other": (
        calls(part('{"query": "test"}', id="c1", name="search")),
        calls(part(', "limit": 10}', id="c1")),
    ),
    "two names under one id": (
        calls(part('{"a":1}', id="c1", name="search")),
        calls(part('{"a":2}', id="c1", name="lookup")),
    ),
    "a name without an id after a whole call": (calls(part("{}", name="search")), calls(part("", name="lookup"))),
    "a new id without a name or a place": (
        calls(part('{"a":', index=None, id="c1", name="search")),
        calls(part("1}", index=None, id="c2")),
    ),
    "arguments that are no object": (calls(part([1], id="c1", name="search")),),
}


@pytest.mark.parametrize("case", DOUBTFUL)
def test_doubtful_calls_do_not_run(case: str) -> None:
    turn = native.read(read_chunks((*DOUBTFUL[case], *END)), [])
    assert turn.kind == "action"
    assert all(call.state == "rejected" or call.tool == "searchlookup" for call in turn.calls)


def test_text_arrives_as_it_comes_and_is_whole_in_the_reply() -> None:
    reply, shown = read(stream(chunk({"role": "assistant", "content": "Hel"}), chunk({"content": "lo"}, "stop")))
    assert (reply.text, shown, reply.finish, reply.complete) == ("Hello", "Hello", "stop", True)


def test_reasoning_of_every_name_is_kept_and_goes_back() -> None:
    for field in ("reasoning_content", "reasoning"):
        reply = read_chunks([chunk({field: "a a"}), chunk({field: " a"}), chunk({"content": "x"}, "stop")])
        assert (reply.reasoning, reply.text) == ("a a a", "x")
        assert json.loads(reply.opaque) == {"role": "assistant", "content": "x", field: "a a a"}


def test_content_parts_are_text_and_thinking() -> None:
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]
    more = [{"type": "thinking", "thinking": [{"type": "text", "text": " so"}]}, {"type": "text", "text": "Yes"}]
    reply = read_chunks([chunk({"content": thinking}), chunk({"content": more}), chunk(finish="stop")])
    assert (reply.text, reply.reasoning) == ("Yes", "hm so")
    assert json.loads(reply.opaque)["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm so"}]},
        {"type": "text", "text": "Yes"},
    ]


def test_signatures_beside_a_call_are_kept() -> None:
    extra = {"google": {"thought_signature": "<A>"}}
    first = calls(part("", id="c1", name="weather", extra_content=extra))
    reply = read_chunks([first, calls(part('{"city":"Perth"}', extra_content=extra)), *END])
    call = json.loads(reply.opaque)["tool_calls"][0]
    assert call["extra_content"] == extra
    assert call["function"] == {"name": "weather", "arguments": '{"city":"Perth"}'}


def test_unknown_fields_are_joined_by_their_shape() -> None:
    def details(text: str, **fields: Any) -> str:
        return chunk({"reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0, **fields}]})

    reply = read_chunks(
        [
            details("a"),
            details("a", id="r1", format="f", deep={"n": 1, "s": "x"}),
            details("b", id="r2", format="f", deep={"n": 2, "s": "y"}),
            chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "zz"}]}),
            chunk({"note": "same", "count": 1, "empty": {"a": None, "b": []}}),
            chunk({"note": "same", "count": 2}),
            chunk({"refusal": "No."}, "stop"),
        ]
    )
    assert json.loads(reply.opaque) == {
        "role": "assistant",
        "content": "No.",
        "reasoning_details": [
            {
                "type": "reasoning.text",
                "text": "aab",
                "index": 0,
                "id": "r1",
                "format": "f",
                "deep": {"n": 2, "s": "xy"},
            },
            {"type": "reasoning.encrypted", "data": "zz"},
        ],
        "note": "same",
        "count": 2,
    }


def test_deeply_nested_fields_are_kept_without_an_exception() -> None:
    deep = '{"choices":[{"delta":{"odd":' + '{"a":' * 400 + "1" + "}" * 400 + "}}]}"
    reply = read_chunks([deep, deep, chunk({"content": "x"}, "stop")])
    assert json.loads(reply.opaque)["odd"]
    assert read_chunks(['{"choices":[{"delta":{"odd":' + "[" * 100_000, DONE]).complete is False


FINISHES = [
    (("stop",), "stop", True),
    (("tool_calls", "stop"), "tool_calls", True),
    (("stop", "length"), "length", True),
    (("max_tokens",), "length", True),
    (("content_filter",), "content_filter", False),
    ((), "", False),
]


@pytest.mark.parametrize(("finishes", "finish", "complete"), FINISHES)
def test_finish_reasons(finishes: tuple[str, ...], finish: str, *, complete: bool) -> None:
    reply = read_chunks([chunk({"content": "x"}), *(chunk(finish=reason) for reason in finishes)])
    assert (reply.finish, reply.complete) == (finish, complete)


def test_done_alone_ends_a_reply() -> None:
    assert read_chunks([chunk({"content": "x"}), DONE]).complete
    assert not read_chunks([chunk({"content": "x"})]).complete


USAGES: list[tuple[JSON, Usage]] = [
    (
        {"usage": {"prompt_tokens": 20, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 8}}},
        Usage(20, 5, 8),
    ),
    ({"usage": {"prompt_tokens": 20, "completion_tokens": 5, "prompt_cache_hit_tokens": 8}}, Usage(20, 5, 8)),
    ({"x_groq": {"usage": {"prompt_tokens": 20, "completion_tokens": 5}}}, Usage(20, 5)),
    ({"usage": {"prompt_tokens": 20, "completion_tokens": 5, "cost": 0.5}}, Usage(20, 5, cost=0.5)),
    ({"usage": {"prompt_tokens": None, "completion_tokens": -1, "cost": "?"}}, Usage()),
]


@pytest.mark.parametrize(("fields", "usage"), USAGES)
def test_usage_of_the_chunk_without_choices(fields: JSON, usage: Usage) -> None:
    last = json.dumps({"choices": [], **fields})
    assert read_chunks([chunk({"content": "x"}, "stop"), last, DONE]).usage == usage


def test_usage_beside_the_finish_reason_and_none_at_all() -> None:
    choice = {"delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
    assert read_chunks([json.dumps({"choices": [choice]})]).usage == Usage(3, 1)
    assert read_chunks([chunk({"content": "x"}, "stop")]).usage is None


ERRORS = [
    (b'data: {"error":{"message":"bad request","code":400}}\n\n', "bad request (400)"),
    (b'data: {"error":{"message":"tool_use_failed","code":"tool_use_failed"}}\n\n', "tool_use_failed"),
    (b'data: {"error":"overloaded"}\n\n', "overloaded"),
    (b'data: {"error":{"odd":1}}\n\n', '{"odd":1}'),
    (b'event: error\ndata: {"message":"late"}\n\n', "late"),
    (b"event: error\ndata: just words\n\n", "just words"),
    (b'data: {"object":"error","message":"not here","type":"NotFound"}\n\n', "not here (NotFound)"),
    (b'error: {"code":500,"message":"slot"}\n\n', "slot (500)"),
    (b'{"error":{"message":"raw line"}}\n', "raw line"),
    (b"<html><body>Bad gateway</body></html>", "neither JSON nor an event stream: <html>"),
]


@pytest.mark.parametrize(("data", "error"), ERRORS)
def test_errors_inside_a_successful_response(data: bytes, error: str) -> None:
    before = b"" if data.startswith(b"<") else stream(chunk({"content": "I will "}), calls(part("{}", name="f")))
    reply = read(before + data)[0]
    assert error in reply.error
    assert not reply.complete


def test_message_in_place_of_all_deltas() -> None:
    message = {"role": "assistant", "content": "All of it"}
    last = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert read_chunks([chunk(), last]).text == "All of it"
    assert read_chunks([chunk({"content": "By deltas"}), last]).text == "By deltas"


def test_other_choices_do_not_count() -> None:
    other = json.dumps({"choices": [{"index": 1, "delta": {"content": "other"}}]})
    assert read_chunks([chunk({"content": "first"}, "stop"), other]).text == "first"


def test_events_without_an_empty_line_between_them() -> None:
    data = stream(chunk({"content": "a"}), chunk({"content": "b"}, "stop"), DONE).replace(b"\n\n", b"\n")
    reply = read(data)[0]
    assert (reply.text, reply.complete) == ("ab", True)


def test_characters_that_a_server_cut_in_two() -> None:
    halves = ['{"choices":[{"delta":{"content":"\\ud83d"}}]}', '{"choices":[{"delta":{"content":"\\ude00"}}]}']
    assert read_chunks([*halves, chunk(finish="stop")]).text == "😀"
    broken = b'data: {"choices":[{"delta":{"content":"\xc3"},"finish_reason":"stop"}]}\n\n'
    assert read(broken)[0].text == "\ufffd"


def test_a_chunk_that_cannot_be_read_breaks_the_reply() -> None:
    reply = read_chunks([chunk({"content": "a"}), '{"choices": [', chunk({"content": "b"}, "stop"), DONE])
    assert (reply.text, reply.complete) == ("ab", False)


def test_keep_alives_in_any_form_change_nothing() -> None:
    wanted = read_chunks([chunk({"content": "a"}, "stop"), DONE])
    noisy = stream("", chunk({"content": "a"}, "stop"), "ping", "{}", "5", DONE)
    assert read(b"\n: hello\n\n" + noisy)[0] == wanted


def test_an_empty_stream_is_an_incomplete_reply_and_no_exception() -> None:
    assert read(b"")[0] == Reply(complete=False)
    assert read(b" \n\n")[0] == Reply(complete=False)
    assert read(b"\xef\xbb")[0].complete is False
    assert read_chunks([]) == Reply(complete=False)
    assert read(b"\xef\xbb\xbf" + stream(chunk({"content": "a"}, "stop")), [1, 2])[0].text == "a"


# Laws

arguments = st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(), max_size=3)
wanted_calls = st.lists(st.tuples(st.sampled_from(["get", "put", "say"]), arguments), max_size=3)


@st.composite
def deltas(draw: st.DrawFn) -> tuple[list[str], Reply]:
    """A stream in one of the usual styles, and the reply that it means."""
    text, made = draw(st.text(max_size=20)), draw(wanted_calls)
    ids, numbered = draw(st.booleans()), draw(st.booleans())
    payloads = [chunk({"content": text[i : i + 3]}) for i in range(0, len(text), 3)]
    wires: list[WireCall] = []
    for number, (name, values) in enumerate(made):
        written, call_id = json.dumps(values), f"c{number}" if ids else ""
        wires.append(WireCall(call_id, name, written))
        index = number if numbered or not ids else None
        cuts = sorted(draw(st.lists(st.integers(0, len(written)), max_size=4)))
        pieces = [written[a:b] for a, b in zip([0, *cuts], [*cuts, len(written)], strict=True)]
        payloads.append(calls(part(pieces[0], index=index, id=call_id, name=name)))
        payloads += [calls(part(piece, index=index)) for piece in pieces[1:]]
    payloads.append(chunk(finish="stop"))
    return payloads, Reply(text=text, calls=tuple(wires), finish="stop")


@given(deltas(), st.sampled_from(["\n", "\r\n"]), st.data())
def test_any_split_gives_the_reply_that_was_meant(made: tuple[list[str], Reply], end: str, data: st.DataObject) -> None:
    payloads, wanted = made
    sent = stream(*payloads, end=end)
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=20))
    reply, shown = read(sent, cuts)
    assert reply == wanted
    assert shown == wanted.text


@given(deltas(), st.data())
def test_any_prefix_runs_nothing_that_was_not_meant(made: tuple[list[str], Reply], data: st.DataObject) -> None:
    payloads, wanted = made
    sent = stream(*payloads)
    reply = read(sent[: data.draw(st.integers(0, len(sent)))])[0]
    run = [call for call in native.read(reply, []).calls if call.state != "rejected"]
    assert not run or reply.calls == wanted.calls


@given(deltas())
def test_plain_chunks_and_all_others_are_read_alike(made: tuple[list[str], Reply]) -> None:
    payloads, wanted = made
    named = b"".join(b"event: message\n" + stream(payload) for payload in payloads)
    assert read(named)[0] == wanted


FIELDS = """
    choices delta message content tool_calls function arguments name id index type finish_reason usage error thinking
    text reasoning refusal function_call prompt_tokens cost x_groq object odd
""".split()  # noqa: SIM905
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["{", "{}", '{"a":1}', "stop"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=15,
)


@given(st.lists(values, max_size=4))
def test_any_json_is_read_without_an_exception(bodies: list[Any]) -> None:
    wrapped = [json.dumps({"choices": [{"delta": body, "message": body}]}) for body in bodies]
    read_chunks([*map(json.dumps, bodies), *wrapped, DONE])


@given(st.binary() | st.text(alphabet='data: {}[]"\n\r\\ec').map(str.encode), st.data())
def test_any_bytes_are_read_without_an_exception(sent: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=5))
    assert read(sent, cuts)[0] == read(sent)[0]
    assert Reader().close() == Reply(complete=False)
