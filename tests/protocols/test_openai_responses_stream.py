"""Streams in OpenAI's responses format, as servers really send them: the reply that was meant, or no call that runs."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import Usage
from loopwright.protocols import native
from loopwright.protocols.json_values import as_object
from loopwright.protocols.openai_responses import OpenAIResponses, read_chunks
from loopwright.protocols.speech import Reply, WireCall

JSON = dict[str, Any]
PERTH = '{"city":"Perth"}'


def event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": f"response.{kind}", **fields})


def call(arguments: Any = "", *, id: str = "fc_1", call_id: str = "c1", name: str = "weather", **more: Any) -> JSON:  # noqa: A002
    """A call item; what is empty is left out, but for the arguments."""
    named = {key: value for key, value in (("id", id), ("call_id", call_id), ("name", name)) if value}
    return {"type": "function_call", **named, "arguments": arguments, **more}


def added(item: JSON, index: Any = 0) -> str:
    return event("output_item.added", item=item, output_index=index)


def closed(item: JSON, index: Any = 0) -> str:
    return event("output_item.done", item=item, output_index=index)


def delta(text: Any, *, index: Any = 0, id: Any = "fc_1", **more: Any) -> str:  # noqa: A002
    return event("function_call_arguments.delta", delta=text, output_index=index, item_id=id, **more)


def told(arguments: Any, *, index: Any = 0, id: Any = "fc_1", **more: Any) -> str:  # noqa: A002
    return event("function_call_arguments.done", arguments=arguments, output_index=index, item_id=id, **more)


def says(text: str, *, index: Any = 0, id: str = "msg_1", part: Any = 0) -> str:  # noqa: A002
    return event("output_text.delta", delta=text, output_index=index, item_id=id, content_index=part)


def message(*texts: str, id: str = "msg_1") -> JSON:  # noqa: A002
    parts: list[JSON] = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "id": id, "role": "assistant", "status": "completed", "content": parts}


def end(*output: JSON, status: str = "completed", **fields: Any) -> str:
    return event(status, response={"object": "response", "status": status, "output": list(output), **fields})


def stream(*payloads: str, line: str = "\n") -> bytes:
    named = [f"event: {json.loads(payload).get('type')}{line}data: {payload}{line}{line}" for payload in payloads]
    return f": begin{line}{line}{''.join(named)}".encode()


def read(data: bytes, cuts: list[int] | None = None) -> tuple[Reply, str]:
    reader, shown, position = OpenAIResponses().reader(stream=True), "", 0
    for cut in [*sorted(cuts or []), len(data)]:
        shown += reader.feed(data[position:cut])
        position = max(position, cut)
    return reader.close(), shown


def runs(reply: Reply) -> list[tuple[str, JSON]]:
    """The calls that would run."""
    return [(call.tool, call.arguments) for call in native.read(reply, []).calls if call.state != "rejected"]


ONE = [("weather", {"city": "Perth"})]
TWO = [("weather", {"city": "Perth"}), ("clock", {"zone": "UTC"})]
CLOCK = {"id": "fc_2", "call_id": "c2", "name": "clock"}
UTC = '{"zone":"UTC"}'
CREATED = event("created", response={"object": "response", "status": "in_progress", "output": []})

CALL_STREAMS: dict[str, tuple[tuple[str, ...], list[tuple[str, JSON]]]] = {
    "as documented": (
        (
            CREATED,
            added(call()),
            delta('{"city":'),
            delta('"Perth"}'),
            told(PERTH),
            closed(call(PERTH)),
            end(call(PERTH)),
        ),
        ONE,
    ),
    "two calls": (
        (
            added(call()),
            delta(PERTH),
            told(PERTH),
            closed(call(PERTH)),
            added(call(**CLOCK), 1),
            delta(UTC, index=1, id="fc_2"),
            closed(call(UTC, **CLOCK), 1),
            end(call(PERTH), call(UTC, **CLOCK)),
        ),
        TWO,
    ),
    "two calls whose pieces alternate": (
        (
            added(call()),
            added(call(**CLOCK), 1),
            delta('{"city":'),
            delta('{"zone":', index=1, id="fc_2"),
            delta('"Perth"}'),
            delta('"UTC"}', index=1, id="fc_2"),
            end(),
        ),
        TWO,
    ),
    "only the final response": ((CREATED, end(call(PERTH))), ONE),
    "only the end of the item": ((closed(call(PERTH)), end()), ONE),
    "arguments only in done": ((added(call()), told(PERTH), end()), ONE),
    "arguments as an object": ((added(call()), told({"city": "Perth"}), end()), ONE),
    "arguments whole at the beginning": ((added(call(PERTH)), end()), ONE),
    "arguments as a growing whole": ((added(call()), delta('{"ci'), delta('{"city":"P'), delta(PERTH), end()), ONE),
    "arguments whole and again whole": ((added(call()), delta(PERTH), delta(PERTH), end()), ONE),
    "null deltas": ((added(call()), delta(None), delta(PERTH), delta(None), told(None), end()), ONE),
    "no arguments": ((added(call()), told("{}"), closed(call("{}")), end(call("{}"))), [("weather", {})]),
    "spaces in one telling": ((added(call()), delta('{"city": "Perth"}'), told(PERTH), end()), ONE),
    "an empty object tells less than the pieces": ((added(call("{}")), delta(PERTH), told("{}"), end()), ONE),
    "two empty objects": ((added(call()), delta("{}"), told("{ }"), end()), [("weather", {})]),
    "pieces encrypted, whole readable": (
        (added(call()), delta("gAAAA", id="x"), told(PERTH, id="y"), end(call(PERTH, id="z"))),
        ONE,
    ),
    "another item id with each event": (
        (
            added(call(id="a")),
            delta('{"city":', id="b"),
            delta('"Perth"}', id="c"),
            told(PERTH, id="d"),
            closed(call(PERTH, id="e")),
            end(call(PERTH, id="f")),
        ),
        ONE,
    ),
    "another call id at the end of the item": (
        (added(call()), told(PERTH), closed(call(PERTH, call_id="c9", id="e")), end()),
        ONE,
    ),
    "no index": (
        (added(call(), None), delta(PERTH, index=None), closed(call(PERTH), None), end(call(PERTH))),
        ONE,
    ),
    "no item id": ((added(call(id="")), delta(PERTH, id=None), closed(call(PERTH, id="")), end()), ONE),
    "neither index nor ids": (
        (
            added(call(id="", call_id=""), None),
            delta(PERTH, index=None, id=None),
            closed(call(PERTH, id="", call_id=""), None),
            end(message(), call(PERTH, id="", call_id="")),
        ),
        ONE,
    ),
    "index only in the pieces": ((added(call(), None), delta(PERTH, id="x"), end()), ONE),
    "the same index for all": (
        (
            added(call(id="")),
            delta(PERTH, id=None),
            closed(call(PERTH, id="")),
            added(call(**{**CLOCK, "id": ""})),
            delta(UTC, id=None),
            closed(call(UTC, **{**CLOCK, "id": ""})),
            end(),
        ),
        TWO,
    ),
    "the same index for all, and right ids": (
        (added(call()), added(call(**CLOCK)), delta(PERTH), delta(UTC, id="fc_2"), end()),
        TWO,
    ),
    "ids that contradict the indices": (
        (
            added(call()),
            added(call(**CLOCK), 1),
            delta(PERTH, id="fc_2"),
            delta(UTC, index=1, id="fc_1"),
            end(call(PERTH), call(UTC, **CLOCK)),
        ),
        TWO,
    ),
    "one call id for two calls": (
        (
            added(call(id="")),
            told(PERTH, id=""),
            closed(call(PERTH, id="")),
            added(call(id="", name="clock"), 1),
            told(UTC, id="", index=1),
            closed(call(UTC, id="", name="clock"), 1),
            end(call(PERTH, id=""), call(UTC, id="", name="clock")),
        ),
        TWO,
    ),
    "the item announced again": ((added(call()), delta(PERTH), added(call()), closed(call(PERTH)), end()), ONE),
    "the item closed again": ((added(call()), closed(call(PERTH)), closed(call(PERTH)), end(call(PERTH))), ONE),
    "another name for the kind of end": ((added(call()), delta(PERTH), event("done", response={})), ONE),
    "call id and name only at the end": (
        (added(call(call_id="", name="")), delta(PERTH), end(call(PERTH))),
        ONE,
    ),
    "call id and name beside the arguments": (
        (told(PERTH, call_id="c1", name="weather"), told(PERTH, call_id="c1"), closed(call(PERTH, id="x"), 5), end()),
        ONE,
    ),
    "pieces without a call, but their call in the end": (
        (delta(PERTH, index=3, id="?"), end(call(PERTH))),
        ONE,
    ),
    "pieces of nothing that the call has too": (
        (added(call()), delta(PERTH, index=7, id="?"), end(call(PERTH))),
        ONE,
    ),
    "an end without a place closes what is open": (
        (added(call(call_id="")), closed(call(PERTH, id="z"), None), end()),
        ONE,
    ),
    # What must not run.
    "pieces without a call": ((added(call("")), delta(PERTH, index=7, id="?"), told("", index=0), end()), []),
    "pieces that could be of two calls": (
        (added(call(), None), added(call(**CLOCK), None), delta(PERTH, index=None, id="?"), end()),
        [],
    ),
    "two whole tellings that differ": ((added(call()), delta(PERTH), told('{"city":"Rome"}'), end()), []),
    "the final response differs": ((added(call()), told(PERTH), end(call('{"city":"Rome"}'))), []),
    "arguments emptied": ((added(call()), delta('{"city":"Pe'), told("{}"), end()), []),
    "arguments cut in the end": ((added(call()), delta(PERTH), told('{"city":"Pe'), end()), []),
    "arguments never told": ((added(call()), end()), []),
    "a place holder alone": ((added(call("{}")), end()), []),
    "pieces of a finished call": ((added(call()), told(PERTH), delta(UTC), end()), []),
    "the name changed": ((added(call(call_id="")), told(PERTH), end(call(PERTH, call_id="", name="clock"))), []),
    "an item that is not whole": ((added(call()), closed(call(PERTH, status="incomplete")), end()), []),
    "content filter": (
        (closed(call(PERTH)), end(status="incomplete", incomplete_details={"reason": "content_filter"})),
        [],
    ),
    "no reason": ((closed(call(PERTH)), end(status="incomplete")), []),
    "cancelled": ((closed(call(PERTH)), end(status="cancelled")), []),
    "completed, and then not": ((closed(call(PERTH)), event("completed", response={"status": "failed"})), []),
    "token limit": (
        (closed(call(PERTH)), end(status="incomplete", incomplete_details={"reason": "max_output_tokens"})),
        [],
    ),
    "no end": ((added(call()), closed(call(PERTH))), []),
    "still waiting": ((closed(call(PERTH)), json.dumps({"object": "response", "status": "queued"})), []),
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


def test_two_calls_of_which_the_end_lists_only_one_do_not_run() -> None:
    reply = read_chunks([closed(call(PERTH)), closed(call(UTC, **CLOCK), 1), end(call(PERTH))])
    assert not reply.complete
    assert len(reply.calls) == 2


def test_ids_and_names_are_the_calls_not_the_items() -> None:
    reply = read_chunks([added(call()), delta(PERTH), end(call(PERTH))])
    assert reply.calls == (WireCall("c1", "weather", PERTH),)
    assert reply.finish == "completed"
    assert reply.opaque == b""


TEXTS: dict[str, tuple[tuple[str, ...], str]] = {
    "pieces": ((says("Hel"), says("lo"), end(message("Hello"))), "Hello"),
    "pieces without places": (
        (event("output_text.delta", delta="a"), event("output_text.delta", delta="b"), end()),
        "ab",
    ),
    "whole text only": ((event("output_text.done", text="Hello"), end()), "Hello"),
    "the rest in the whole text": (
        (says("Hel"), event("output_text.done", text="Hello", item_id="msg_1"), end()),
        "Hello",
    ),
    "whole item only": ((closed(message("Hel", "lo")), end()), "Hello"),
    "final response only": ((end(message("Hello")),), "Hello"),
    "a text in place of parts": ((end({"type": "message", "content": "Hello"}),), "Hello"),
    "two parts without their places": (
        (says("Hel", part=None), says("lo", part=None), closed(message("Hel", "lo")), end(message("Hel", "lo"))),
        "Hello",
    ),
    "two messages": (
        (says("a"), says("b", index=1, id="msg_2"), end(message("a"), message("b", id="msg_2"))),
        "ab",
    ),
    "trimmed in the end": ((says("Hello "), end(message("Hello"))), "Hello "),
    "refusal": ((event("refusal.delta", delta="I can"), event("refusal.done", refusal="I cannot"), end()), "I cannot"),
    "refusal in the end": ((end({"type": "message", "content": [{"type": "refusal", "refusal": "No"}]}),), "No"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str) -> None:
    payloads, wanted = TEXTS[name]
    reply, shown = read(stream(*payloads))
    assert (reply.text, shown, reply.complete) == (wanted, wanted, True)


def reasoning(**fields: Any) -> JSON:
    return {"type": "reasoning", "id": "rs_1", "summary": [], **fields}


REASONINGS: dict[str, tuple[str, ...]] = {
    "pieces": (
        event("reasoning_summary_text.delta", delta="fir", summary_index=0),
        event("reasoning_summary_text.delta", delta="st", summary_index=0),
        event("reasoning_summary_text.done", text="first", summary_index=0),
        event("reasoning_summary_text.delta", delta="second", summary_index=1),
        closed(reasoning(summary=[{"text": "first"}, {"text": "second"}])),
    ),
    "raw": (
        event("reasoning_text.delta", delta="first", content_index=0),
        event("reasoning_text.delta", delta="second", content_index=1),
    ),
    "whole": (closed(reasoning(summary=[{"type": "summary_text", "text": "first"}], content=[{"text": "second"}])),),
    "older names": (
        event("reasoning.delta", delta="first"),
        event("reasoning_summary.delta", delta="second"),
        event("reasoning_summary.delta", delta={}),
    ),
}


@pytest.mark.parametrize("name", REASONINGS)
def test_reasoning(name: str) -> None:
    assert read_chunks([*REASONINGS[name], end()]).reasoning == "first\n\nsecond"


def test_items_that_hold_more_are_kept_as_sent() -> None:
    thought = reasoning(encrypted_content="gAAA", odd=[1])
    reply = read_chunks([closed(reasoning(encrypted_content="gBBB")), end(thought, call(PERTH, status="completed"))])
    assert json.loads(reply.opaque) == [thought, call(PERTH, status="completed")]
    from_items = read_chunks([closed(thought), closed(call(PERTH), 1), end()])
    assert json.loads(from_items.opaque) == [thought, call(PERTH)]
    phased = {**message("x"), "phase": "commentary"}
    assert json.loads(read_chunks([end(phased)]).opaque) == [phased]
    cited = {"type": "message", "content": [{"type": "output_text", "text": "x", "odd": 1}]}
    assert json.loads(read_chunks([end(cited)]).opaque) == [cited]
    assert read_chunks([end(thought, status="incomplete", incomplete_details={"reason": "max_tokens"})]).opaque == b""


def test_the_token_limit_is_no_broken_reply() -> None:
    cut = call('{"ci', status="incomplete")
    limit = {"reason": "max_output_tokens"}
    reply = read_chunks([added(call()), delta('{"ci'), end(cut, status="incomplete", incomplete_details=limit)])
    assert (reply.finish, reply.complete) == ("length", True)
    assert read_chunks([end(status="incomplete", incomplete_details=limit), end()]).finish == "length"


def test_usage() -> None:
    counts = {"input_tokens": 20, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 8}}
    assert read_chunks([end(usage=counts)]).usage == Usage(20, 5, 8)
    assert read_chunks([end()]).usage is None


ERRORS = [
    (event("failed", response={"status": "failed", "error": {"code": "server_error", "message": "down"}}), "down"),
    (event("failed", error={"message": "down"}), "down"),
    (event("failed"), "failed"),
    (
        json.dumps({"type": "error", "code": "rate_limit", "message": "slow down", "param": None}),
        "slow down (rate_limit)",
    ),
    (json.dumps({"type": "error", "error": {"message": "bad"}}), "bad"),
    (json.dumps({"error": {"message": "bad", "code": 400}}), "bad (400)"),
    (json.dumps({"type": "error"}), "does not say which"),
]


@pytest.mark.parametrize(("payload", "error"), ERRORS)
def test_errors_inside_a_stream(payload: str, error: str) -> None:
    reply = read_chunks([closed(call(PERTH)), payload, end(call(PERTH))])
    assert error in reply.error
    assert not reply.complete


def test_an_error_by_the_name_of_its_event() -> None:
    reply = read(stream(closed(call(PERTH))) + b'event: error\ndata: {"message":"late"}\n\n')[0]
    assert reply.error == "late"
    assert read(b"<html>Bad gateway</html>")[0].error.endswith("<html>Bad gateway</html>")


def test_responses_that_are_sent_without_their_event() -> None:
    response = {"object": "response", "status": "completed", "output": [call(PERTH)]}
    waiting: JSON = {"object": "response", "status": "in_progress", "output": []}
    assert runs(read_chunks([json.dumps(waiting), json.dumps(response)])) == ONE
    named: dict[str, JSON] = {"response.created": waiting, "response.completed": response}
    sent = "".join(f"event: {name}\ndata: {json.dumps(body)}\n\n" for name, body in named.items())
    assert runs(read(sent.encode())[0]) == ONE


def test_what_means_nothing_changes_nothing() -> None:
    noise = ["{}", event("web_search_call.searching"), event("output_item.added"), event("output_item.added", item=5)]
    reply = read_chunks([says("a"), *[payload for payload in noise if payload != "{}"], end(message("a"))])
    assert (reply.text, reply.complete) == ("a", True)


# Laws

FIELDS = """
    type response output item delta text arguments name id call_id item_id output_index content_index summary_index
    content summary status error message code usage input_tokens incomplete_details reason refusal object
""".split()  # noqa: SIM905
KINDS = [
    *("message", "function_call", "reasoning", "response", "completed", "incomplete", "error", "{}", '{"a":1}', "0"),
    *(f"response.{kind}" for kind in ("completed", "failed", "output_item.added", "output_item.done")),
    *("response.output_text.delta", "response.output_text.done", "response.reasoning_text.done"),
    *("response.function_call_arguments.delta", "response.function_call_arguments.done"),
]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(KINDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=15,
)


@given(st.lists(values, max_size=5))
def test_any_json_is_read_without_an_exception(bodies: list[Any]) -> None:
    events: list[JSON] = [{"type": kind, **as_object(body)} for kind in KINDS if "." in kind for body in bodies]
    reply = read_chunks([json.dumps(body) for body in (*bodies, *events)])
    assert reply.complete is False or not reply.error


@given(st.binary() | st.text(alphabet='data: {}[]"\n\r\\ec').map(str.encode), st.data())
def test_any_bytes_are_read_without_an_exception(sent: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=5))
    assert read(sent, cuts)[0] == read(sent)[0]


@st.composite
def replies(draw: st.DrawFn) -> tuple[list[str], str, list[tuple[str, JSON]]]:
    """A stream as documented, its text and its calls."""
    text = draw(st.text(max_size=12))
    payloads, output, made = (
        [says(text[i : i + 3]) for i in range(0, len(text), 3)],
        list[JSON](),
        list[tuple[str, JSON]](),
    )
    output += [message(text)] if text else []
    for number in range(1, draw(st.integers(0, 3)) + 1):
        name, values = draw(st.sampled_from(["get", "put"])), draw(st.dictionaries(st.text(max_size=3), st.integers()))
        written = json.dumps(values)
        names = {"id": f"fc_{number}", "call_id": f"c{number}", "name": name}
        cut = draw(st.integers(0, len(written)))
        payloads.append(added(call(**names), number))
        payloads += [delta(piece, index=number, id=f"fc_{number}") for piece in (written[:cut], written[cut:])]
        payloads.append(told(written, index=number, id=f"fc_{number}"))
        payloads.append(closed(call(written, **names), number))
        output.append(call(written, **names))
        made.append((name, values))
    return [*payloads, end(*output)], text, made


@given(replies(), st.sampled_from(["\n", "\r\n"]), st.data())
def test_any_split_gives_the_reply_that_was_meant(
    made: tuple[list[str], str, list[tuple[str, JSON]]], line: str, data: st.DataObject
) -> None:
    payloads, text, calls = made
    sent = stream(*payloads, line=line)
    reply, shown = read(sent, data.draw(st.lists(st.integers(0, len(sent)), max_size=20)))
    assert (reply.text, shown, reply.complete) == (text, text, True)
    assert runs(reply) == calls
    prefix = read(sent[: data.draw(st.integers(0, len(sent.rstrip()) - 1))])[0]
    assert runs(prefix) == []
