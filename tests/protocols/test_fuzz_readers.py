"""Readers on what nobody meant them for: replies spliced from real fragments, streams with pieces changed, any JSON.

What was found by fuzzing with coverage (`scripts/fuzz_readers.py`) has a named case here.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_laws import PROTOCOLS, keeps_json_form, keeps_leaks, keeps_line, keeps_text, keeps_wire, runnable
from test_anthropic_stream import RICH as ANTHROPIC
from test_cohere_stream import CALL_STREAMS as COHERE
from test_gemini_stream import RICH as GEMINI
from test_leaks_forms import TWO, WEATHER
from test_openai_responses_stream import CALL_STREAMS as RESPONSES

from conformance.score import load
from loopwright.protocols.labels import LANGUAGES
from loopwright.protocols.native import Native, read
from loopwright.protocols.openai_responses import OpenAIResponses
from loopwright.protocols.python_literals import parsed
from loopwright.protocols.responses_reply import MOST_ITEMS

LINES = load(Path(__file__).resolve().parents[2] / "conformance")
REPLIES = [*(line.row["raw"] for line in LINES if "raw" in line.row), *WEATHER.values(), *TWO.values()]

BORDER = re.compile(r"(?<=\n)|(?<=[>\]}:])|(?=[<\[{`\"])")
"""Where a reply is taken apart: behind lines, labels and tags, before brackets, fences and strings."""
FRAGMENTS = sorted({part for reply in REPLIES for part in BORDER.split(reply) if 0 < len(part) <= 60})
MARKS = (
    *("Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:", "**Action:**", "### Thought\n", "Obs"),
    *("search", "bash", "get_weather", "write_file", "Ask a coworker", "now", "finish", "query", "command", "lines"),
    *("search[", "bash {", "get_weather(", "now()", ']"', "</s>", "<|im_end|>", "<think>", "</think>", "[/THINK]"),
    *("```\n", "```json\n", "~~~\n", "```tool_code\n", "`", "> ", "For example: ", "<tool_call>", "</tool_call>"),
    *("<function=bash>", "</function>", "<parameter=command>", "</parameter>", '<invoke name="bash">', "</invoke>"),
    *("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>"),
    *("<|channel|>", "<|message|>", "<|start|>assistant", "<|call|>", "commentary to=functions.bash"),
    *("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<bash>", "</bash>", "<command>", "</command>"),
    *('{"name": "bash", "arguments": ', '{"action": "search", "action_input": ', '{"command": "ls -l"}', '"query": '),
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        '"',
        "'",
        "\\",
        "\\n",
        "\\u00e9",
        "\\ud800",
        ",",
        ":",
        "=",
        "\n",
        "\r\n",
        " ",
        "\t",
    ),
    *("null", "true", "None", "3", "-0", "1e999", "9" * 30, "é", "漢字", "\u200f", "\x0c", "\x00", "\x85", "\u2028"),
)
SPLICED = st.lists(st.sampled_from(MARKS) | st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=24).map("".join)
CUT_UP = st.tuples(st.sampled_from(REPLIES), st.integers(0, 400), st.integers(0, 400), SPLICED).map(
    lambda made: made[0][: made[1]] + made[3] + made[0][made[2] :]
)
TEXTS = SPLICED | CUT_UP | st.text(max_size=100)

VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(MARKS)
JSON = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def payloads(streams: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Streams as the texts of their chunks, whatever a test module keeps them as."""
    return [[chunk if isinstance(chunk, str) else json.dumps(chunk) for chunk in stream] for stream in streams]


STREAMS: dict[str, list[list[str]]] = {
    "openai-chat": [line.row["chunks"] for line in LINES if line.is_stream and line.form == "openai-chat"],
    "anthropic": payloads([ANTHROPIC]),
    "gemini": payloads([GEMINI]),
    "cohere-v2": payloads([chunks for chunks, _ in COHERE.values()]),
    "openai-responses": payloads([chunks for chunks, _ in RESPONSES.values()]),
}


@st.composite
def changed(draw: st.DrawFn, chunks: Sequence[str]) -> list[str]:
    """A stream with chunks left out, repeated, exchanged, or with another value somewhere in them."""
    left = list(chunks)
    for change in draw(st.lists(st.sampled_from(("drop", "repeat", "swap", "value", "text", "cut")), max_size=4)):
        if not left:
            break
        here, there = draw(st.integers(0, len(left) - 1)), draw(st.integers(0, len(left) - 1))
        if change == "drop":
            del left[here]
        elif change == "repeat":
            left.insert(there, left[here])
        elif change == "swap":
            left[here], left[there] = left[there], left[here]
        elif change == "value":
            left[here] = json.dumps(_replaced(draw, json.loads(left[here]) if _is_json(left[here]) else {}))
        elif change == "text":
            left[here] = draw(SPLICED)
        else:
            left[here] = left[here][: draw(st.integers(0, len(left[here])))]
    return left


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _replaced(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value with one value in it replaced, taken away, or given another name."""
    if isinstance(value, dict) and value and draw(st.integers(0, 9)):
        known = cast("dict[str, Any]", value)
        key = draw(st.sampled_from(sorted(known)))
        if not draw(st.integers(0, 5)):
            return {name: inner for name, inner in known.items() if name != key}
        return {**known, key: _replaced(draw, known[key])}
    if isinstance(value, list) and value and draw(st.integers(0, 9)):
        items = cast("list[Any]", value)
        place = draw(st.integers(0, len(items) - 1))
        return [*items[:place], _replaced(draw, items[place]), *items[place + draw(st.integers(0, 1)) :]]
    return draw(JSON)


EVENTS = st.sampled_from(sorted(STREAMS)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from(STREAMS[name]).flatmap(changed))
)
LINE_ENDS = st.sampled_from(("\n", "\r\n", "\r"))


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.booleans(), st.booleans(), st.booleans(), st.sampled_from(("", "Thought 1:", "Action 1: ")))
def test_the_text_protocol_on_spliced_replies(text: str, command: bool, cut: bool, closing: bool, primed: str) -> None:
    keeps_text(text, command=command, cut=cut, closing=closing, primed=primed)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(sorted(LANGUAGES)))
def test_the_text_protocol_in_every_language(text: str, language: str) -> None:
    for english, names in (("Thought", "thought"), ("Action", "action"), ("Observation", "observation")):
        text = text.replace(english, getattr(LANGUAGES[language], names)[0])
    keeps_text(text, language=language)


STEPS = st.sampled_from(
    (
        '{"thought": "a", "step": {"action": "search", "action_input": {"query": "b"}}}',
        '{"thought": "a", "step": {"final_answer": "b"}}',
        '{"thought": "a", "action": "bash", "action_input": {"command": "ls"}}',
    )
)


@settings(max_examples=200, deadline=None)
@given(STEPS, st.integers(0, 90), SPLICED, st.integers(0, 9), st.booleans(), st.booleans())
def test_the_form_of_one_object(step: str, place: int, between: str, left: int, cut: bool, closing: bool) -> None:
    keeps_json_form(step[:place] + between + step[place + left :], cut=cut, closing=closing)


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.booleans())
def test_leaked_calls_in_spliced_replies(text: str, cut: bool) -> None:
    keeps_leaks(text, cut=cut)


@settings(max_examples=400, deadline=None)
@given(EVENTS, LINE_ENDS, st.integers(1, 40))
def test_streams_with_pieces_changed(made: tuple[str, list[str]], end: str, size: int) -> None:
    name, chunks = made
    keeps_wire(name, "".join(f"data: {chunk}{end}{end}" for chunk in chunks).encode("utf-8", "replace"), size)


@settings(max_examples=200, deadline=None)
@given(EVENTS, st.data())
def test_streams_with_bytes_changed(made: tuple[str, list[str]], data: st.DataObject) -> None:
    name, chunks = made
    sent = bytearray("".join(f"data: {chunk}\n\n" for chunk in chunks).encode("utf-8", "replace"))
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(sent)))
        sent[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    keeps_wire(name, bytes(sent), data.draw(st.integers(1, 40)))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PROTOCOLS[2:]), JSON | EVENTS.map(lambda made: [json.loads(c) for c in made[1] if _is_json(c)]))
def test_whole_bodies_of_any_json(name: str, body: Any) -> None:
    keeps_wire(name, json.dumps(body).encode(), 7)


QUESTIONS = st.fixed_dictionaries(
    {"id": JSON, "protocol": st.sampled_from(PROTOCOLS) | JSON},
    optional={
        "tools": st.dictionaries(st.sampled_from(MARKS), JSON | st.dictionaries(st.text(max_size=4), JSON)) | JSON,
        "reply": TEXTS | JSON,
        "message": st.dictionaries(st.text(max_size=5), JSON) | JSON,
        "chunks": st.lists(TEXTS | JSON, max_size=4) | EVENTS.map(lambda made: made[1]) | JSON,
        "primed": st.sampled_from(MARKS) | JSON,
        "finish": st.sampled_from(MARKS) | JSON,
        "command": st.booleans() | JSON,
        "language": st.sampled_from(("de", "ja", "he", "xx", "")) | JSON,
        "cut": st.booleans() | JSON,
    },
)


@settings(max_examples=400, deadline=None)
@given(QUESTIONS)
def test_any_question_is_answered_or_refused(question: dict[str, Any]) -> None:
    keeps_line(question)


# What fuzzing found.


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "bash", "arguments": {\x0c"command": "ls"}}',
        '<tool_call>{"name": "bash",\x0b "arguments": {"command": "ls"}}</tool_call>',
        '{"name": "bash", "arguments":\u2028{"command": "ls"}}',
    ],
)
def test_blanks_that_json_does_not_know_are_a_repair(text: str) -> None:
    (call,) = keeps_leaks(text).calls
    assert (call.arguments, call.state) == ({"command": "ls"}, "repaired")
    assert "blanks" in call.reason


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize(
    "sent", [b"page not found\n\n]", b"\n\n  " + b"x" * 400, b" " * 400 + b"no", b"<html>\r\n" * 60]
)
def test_what_is_said_about_bytes_that_are_no_stream_does_not_depend_on_their_split(name: str, sent: bytes) -> None:
    reply = keeps_wire(name, sent)
    assert "neither JSON nor an event stream" in reply.error
    assert not runnable(read(reply, []))


@pytest.mark.parametrize("value", ["'it''s'", "'Gdynia'\"input\"", "'a' 'b'", "'a'\n  'b'", '"""a""" "b"'])
def test_strings_side_by_side_are_not_joined(value: str) -> None:
    for text in (
        f"<|tool_call_start|>[get_weather(location={value})]<|tool_call_end|>",
        f"get_weather(location={value})",
    ):
        assert runnable(keeps_leaks(text)) == []
    assert runnable(keeps_text(f"Action: get_weather(location={value})")) == []


@pytest.mark.parametrize("value", ["'it\\'s'", '"it\'s"', "'''it's'''", "''", '""'])
def test_one_string_is_one_string(value: str) -> None:
    (call,) = runnable(keeps_leaks(f"<|tool_call_start|>[get_weather(location={value})]<|tool_call_end|>"))
    assert call.arguments["location"] in ("it's", "")


def test_python_that_does_not_end_is_no_python() -> None:
    assert parsed('f("" (') is None
    assert parsed('f("", "")') is not None


def test_feedback_on_a_prompt_that_was_not_blocked_means_nothing() -> None:
    answer: dict[str, Any] = {"candidates": [{"content": {"parts": [{"text": "12"}]}, "finishReason": "STOP"}]}
    sent = 'data: {"promptFeedback": {"safetyRatings": []}}\n\n' + f"data: {json.dumps(answer)}\n\n"
    reply = keeps_wire("gemini", sent.encode())
    assert (reply.text, reply.error, reply.complete) == ("12", "", True)


def test_what_another_provider_sent_does_not_stop_a_request() -> None:
    sent = "".join(f"data: {chunk}\n\n" for chunk in STREAMS["anthropic"][0]).encode()
    turn = read(keeps_wire("anthropic", sent), []).numbered(1, 9)
    assert turn.opaque
    items = json.loads(b"[" + OpenAIResponses().message(Native().turn(turn)) + b"]")
    assert [item["name"] for item in items if item.get("type") == "function_call"] == [call.tool for call in turn.calls]


JSONObject = dict[str, Any]


def begun(name: str, number: int) -> list[Any]:
    """The events that bring one whole call of a dialect; ids repeat where the dialect goes by places."""
    function = {"name": "bash", "arguments": "{}"}
    wired = {"index": number, "id": f"c{number}", "type": "function", "function": function}
    match name:
        case "openai-chat":
            return [{"choices": [{"index": 0, "delta": {"tool_calls": [wired]}}]}]
        case "anthropic":
            block: JSONObject = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {}}
            started: JSONObject = {"type": "content_block_start", "index": number, "content_block": block}
            return [started, {"type": "content_block_stop", "index": number}]
        case "gemini":
            call: JSONObject = {"functionCall": {"id": f"c{number}", "name": "bash", "args": {}}}
            return [{"candidates": [{"content": {"parts": [call, call]}}]}]
        case _:
            item = {"type": "function_call", "call_id": f"c{number}", **function}
            return [{"type": "response.output_item.done", "output_index": number, "item": item}]


ENDS: dict[str, list[Any]] = {
    "openai-chat": [{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}],
    "anthropic": [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}],
    "gemini": [{"candidates": [{"finishReason": "STOP"}]}],
    "openai-responses": [{"type": "response.completed", "response": {"status": "completed", "output": []}}],
}


@pytest.mark.parametrize(("name", "number"), [*((name, 900) for name in ENDS), ("openai-responses", 1_002)])
def test_hundreds_of_calls_are_read_and_thousands_of_items_are_refused(name: str, number: int) -> None:
    events = [event for place in range(number) for event in begun(name, place)] + ENDS[name]
    reply = keeps_wire(name, "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode(), 999)
    calls = runnable(read(reply, []))
    if number > MOST_ITEMS:
        assert (calls, reply.error) == ([], "the reply holds more than 1,000 items")
    else:
        assert [call.provider_id for call in calls] == [f"c{place}" for place in range(number)]


@pytest.mark.parametrize(
    "text",
    [
        "Action: bash\nAction Input: echo a\n<think>or b</think>\nls",
        "Action: bash[echo a\n<think>or b</think>\nls]",
        'Action: bash {"command": "a\n<think>b</think>\nc"}',
        '{"action": "bash", "action_input": "ls\n<think>a</think>\nb"}',
    ],
)
def test_an_input_out_of_which_thinking_was_taken_does_not_run(text: str) -> None:
    assert [call.state for call in keeps_text(text).calls] == ["rejected"]


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think>\nAction: bash[ls]",
        "Thought: a\n<think>b</think>\nAction: bash[ls]",
        "Action: bash\n<think>b</think>\nAction Input: ls",
        "Action: bash\nAction Input:\n<think>b</think>\nls",
        "Action: bash[ls]\n<think>b</think>\nObservation: c",
        '<think>a</think>{"action": "bash", "action_input": "ls"}',
    ],
)
def test_thinking_around_an_input_does_no_harm(text: str) -> None:
    assert [(call.arguments, call.state) for call in keeps_text(text).calls] == [({"command": "ls"}, "strict")]
