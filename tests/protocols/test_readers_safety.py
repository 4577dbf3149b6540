"""What a provider or a model may write and what must never come of it: values that no journal can hold, guessed
arguments, calls of replies that may have been cut."""

import ast
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_laws import DIALECTS

from loopwright.core.events import ModelReplied
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.journal.wire import pack, unpack
from loopwright.protocols import anthropic, gemini
from loopwright.protocols.finish_reasons import ending_of
from loopwright.protocols.leaks import find_leaks
from loopwright.protocols.native import Native, read
from loopwright.protocols.openai_chat import read_chunks, read_error, read_message
from loopwright.protocols.python_literals import parsed
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.repair import read_arguments
from loopwright.protocols.speech import Message, Reply, Speech, WireCall

ANY: dict[str, Any] = {"type": "object", "properties": {"x": {}, "n": {"type": "integer"}}}
TOOLS = [ToolSpec("anyv", parameters=ANY)]
SPEECHES: list[Speech] = [Native(), ReactText()]
EVERY = sorted(DIALECTS)


def kept(turn: Turn, reply: Reply) -> None:
    """The turn can be written into the journal, and is the same when it is read from there."""
    event = ModelReplied(turn=turn, usage=reply.usage) if reply.usage else ModelReplied(turn=turn)
    (packed,) = pack("run", 2, [event])
    assert unpack(packed.row, packed.bodies.__getitem__) == event
    for text in (reply.text, reply.reasoning, reply.finish, reply.error):
        text.encode()


def goes_back(name: str, turn: Turn) -> None:
    """What goes back to the provider is JSON in UTF-8."""
    sent = DIALECTS[name].message(Message("assistant", turn.text, turn=turn))
    json.loads(b"[" + sent + b"]")


def understood(name: str, data: bytes) -> None:
    reader = DIALECTS[name].reader(stream=True)
    reader.feed(data)
    reply = reader.close()
    for speech in SPEECHES:
        for closing in (False, True):
            turn = speech.read(reply, TOOLS, closing=closing)
            kept(turn, reply)
    goes_back(name, read(reply, TOOLS))


ODD = st.sampled_from(
    ("\ud800", "a\udfff", "stop", "LENGTH", '{"x":"\\ud800"}', '{"x":1e999}', "Action: anyv(x=1e999)", "anyv", "NaN")
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | ODD
KEYS = st.sampled_from(
    (
        *("choices", "delta", "message", "content", "tool_calls", "function", "name", "arguments", "id", "index"),
        *("finish_reason", "error", "usage", "prompt_tokens", "cost", "reasoning_content", "type", "text", "parts"),
        *("candidates", "functionCall", "args", "finishReason", "stop_reason", "input", "output", "call_id", "status"),
        *("thinking", "signature", "tool_plan", "item", "response", "incomplete_details", "reason", "\ud800"),
    )
)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5))

STREAMS: dict[str, str] = {
    "openai-chat": '{"choices":[{"index":0,"delta":{"content":%0,"reasoning_content":%1,"extra":%2,"tool_calls":['
    '{"index":0,"id":%3,"function":{"name":%4,"arguments":%5}}]},"finish_reason":%6}],"error":%7}',
    "openai-responses": '{"type":"response.completed","response":{"status":%0,"error":%7,"incomplete_details":'
    '{"reason":%6},"output":[{"type":"reasoning","encrypted_content":%1,"summary":[{"text":%2}]},{"type":"function_call",'
    '"call_id":%3,"name":%4,"arguments":%5}]}}',
    "anthropic": '{"type":"message","content":[{"type":"thinking","thinking":%0,"signature":%1},{"type":"text",'
    '"text":%2},{"type":"tool_use","id":%3,"name":%4,"input":%5}],"stop_reason":%6}',
    "gemini": '{"candidates":[{"content":{"parts":[{"text":%0,"thoughtSignature":%1},{"text":%2},{"functionCall":'
    '{"id":%3,"name":%4,"args":%5}}]},"finishReason":%6,"finishMessage":%7}]}',
    "cohere-v2": '{"message":{"tool_plan":%0,"content":[{"type":"text","text":%1},{"type":"thinking","thinking":%2}],'
    '"tool_calls":[{"id":%3,"function":{"name":%4,"arguments":%5}}]},"finish_reason":%6,"error":%7}',
}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(EVERY), st.lists(JSON, min_size=8, max_size=8), st.booleans())
def test_whatever_a_provider_sends_can_be_kept_and_sent_back(name: str, values: list[Any], streamed: bool) -> None:
    body = STREAMS[name]
    for number, value in enumerate(values):
        body = body.replace(f"%{number}", json.dumps(value))
    understood(name, (f"data: {body}\n\ndata: [DONE]\n\n" if streamed else body).encode())


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(EVERY), JSON, st.lists(JSON, max_size=3))
def test_any_json_and_any_stream_can_be_kept(name: str, body: Any, chunks: list[Any]) -> None:
    understood(name, json.dumps(body).encode())
    understood(name, b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks))


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("junk", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x82"])
def test_bytes_that_are_no_utf_8_never_go_back(name: str, junk: bytes) -> None:
    body = STREAMS[name].encode()
    for number in range(8):
        body = body.replace(b"%%%d" % number, b'{"x":"' + junk + b'"}' if number == 5 else b'"' + junk + b'"')
    understood(name, body)
    understood(name, b"data: " + body + b"\n\n")


@pytest.mark.parametrize("name", EVERY)
def test_half_a_character_as_finish_reason(name: str) -> None:
    body = STREAMS[name]
    for number in range(8):
        body = body.replace(f"%{number}", '"\\ud800"' if number in (0, 6) else "null")
    understood(name, body.encode())


def test_an_error_that_holds_half_a_character_can_be_told() -> None:
    assert read_error(b'{"error":{"message":"no \\ud800"}}') == "no \ufffd"


# Arguments.


@pytest.mark.parametrize(
    "written",
    ["x=1e999", "x=-1e999", "x=[1e999]", "x={'a': [1e999]}", "x='\\ud800'", f"x={2**80}", "x=b'a'", "x={1}", "x=1j"],
)
@pytest.mark.parametrize("form", ["Action: anyv({})", "Action: anyv\nAction Input: {}"])
def test_python_that_json_cannot_carry_is_rejected_with_the_reason(written: str, form: str) -> None:
    turn = read_text(form.format(written), TOOLS)
    assert [(call.state, call.arguments) for call in turn.calls] == [("rejected", {})]
    assert turn.calls[0].reason


@pytest.mark.parametrize("written", ["x={'a':1,'a':2}", "x=[{'b':{'a':1,'a':2}}]", "x=1, x=2", "x={'a':1,**{'a':2}}"])
def test_a_name_that_occurs_twice_is_rejected_in_python_as_in_json(written: str) -> None:
    (call,) = read_text(f"Action: anyv({written})", TOOLS).calls
    (leaked,) = find_leaks(f"[anyv({written})]", TOOLS).calls
    assert (call.state, leaked.state) == ("rejected", "rejected")
    if "**" not in written:
        assert "occurs twice" in call.reason
        assert "occurs twice" in leaked.reason


def test_python_that_is_not_one_call_is_rejected() -> None:
    for written in ("x=1)(x=2", "x=1), f(x=2", "x=1)\nf(x=2"):
        assert read_text(f"Action: anyv\nAction Input: {written}", TOOLS).calls[0].state == "rejected"


def test_true_and_one_are_two_values_of_a_name() -> None:
    assert "twice" in read_arguments('{"a": 1, "a": true}').reason
    assert read_arguments('{"a": 1, "a": true}').state == "rejected"
    assert read_arguments('{"a": 1, "a": 1}').state == "repaired"


@pytest.mark.parametrize("text", ['{"a":"\\ud800"}', '{"a":["b\\uDFFF"]}', "{'a':'\\ud800'}", '{"\\ud800":1}'])
def test_half_a_character_is_named_as_the_reason(text: str) -> None:
    read = read_arguments(text)
    assert read.state == "rejected"
    assert "lone surrogate" in read.reason


def test_other_faults_beside_half_a_character_are_named_too() -> None:
    assert "lone surrogate" not in read_arguments('{"a":"\\ud800" "b"}').reason
    assert read_arguments('{"a":"\\ud83d\\ude00"}').arguments == {"a": "\U0001f600"}
    assert "break off" in read_arguments('{"a":"\\ud83d\\ude00').reason


@pytest.mark.parametrize("number", ["1e999", "NaN", "-Infinity"])
def test_arguments_sent_as_an_object_with_an_infinite_number_do_not_run_as_null(number: str) -> None:
    call = '{"functionCall":{"name":"anyv","args":{"x":%s}}}'
    sent = f'{{"candidates":[{{"content":{{"parts":[{call}]}},"finishReason":"STOP"}}]}}'
    blocks = '{"content":[{"type":"tool_use","id":"a","name":"anyv","input":{"x":%s}}],"stop_reason":"tool_use"}'
    for reply in (gemini.read_message((sent % number).encode()), anthropic.read_message((blocks % number).encode())):
        (made,) = read(reply, TOOLS).calls
        assert (made.state, made.arguments) == ("rejected", {})


# Why replies end.

CUT = ("length", "LENGTH", "Length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "token_limit", "model_length")
BROKEN = (
    "network_error",
    "SAFETY",
    "refusal",
    "timeout",
    "cancelled",
    "abort",
    "error",
    "ERROR_TOXIC",
    "content-filter",
)
WHOLE = ("stop", "STOP", "end_turn", "tool_calls", "tool_use", "function_call", "stop_sequence", "completed", "eos")


def chat(reason: object, arguments: str = '{"n":1}') -> Reply:
    call = {"index": 0, "id": "a", "function": {"name": "anyv", "arguments": arguments}}
    return read_chunks(
        [json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": reason}]}), "[DONE]"]
    )


def runnable(reply: Reply) -> list[Call]:
    return [call for call in read(reply, TOOLS).calls if call.state != "rejected"]


@pytest.mark.parametrize("reason", [*CUT, *BROKEN, "incomplete"])
def test_calls_of_a_reply_that_was_cut_or_broke_never_run(reason: str) -> None:
    assert not runnable(chat(reason))
    assert not runnable(Reply(calls=(WireCall("a", "anyv", "{}"),), finish=reason))
    (call,) = ReactText().read(Reply(text="Action: anyv(n=1)", finish=reason), TOOLS).calls
    assert call.state == "rejected"
    assert read(Reply(text="So", finish=reason), TOOLS).problem


@pytest.mark.parametrize("reason", CUT)
def test_all_words_for_a_limit_become_one(reason: str) -> None:
    assert chat(reason).finish == "length"


@pytest.mark.parametrize("reason", BROKEN)
def test_a_reply_that_broke_is_not_complete(reason: str) -> None:
    assert not chat(reason).complete


@pytest.mark.parametrize("reason", WHOLE)
def test_calls_of_a_whole_reply_run_even_without_arguments(reason: str) -> None:
    assert len(runnable(chat(reason))) == 1
    assert len(runnable(chat(reason, ""))) == 1


def test_for_an_unknown_reason_only_calls_run_that_are_complete_by_themselves() -> None:
    assert ending_of("solar_flare") == "unknown"
    assert len(runnable(chat("solar_flare"))) == 1
    assert not runnable(chat("solar_flare", ""))
    assert not runnable(chat("solar_flare", '{"n":'))
    closed, open_ended = "Action: anyv(n=1)", "Action: anyv\nAction Input: n=1"
    for text, state in ((closed, "strict"), (open_ended, "rejected")):
        (call,) = ReactText().read(Reply(text=text, finish="solar_flare"), TOOLS).calls
        assert call.state == state


def test_a_reason_that_is_no_text_says_nothing_good() -> None:
    assert not chat({"reason": "length"}).complete


def test_several_reasons_the_worst_one_counts() -> None:
    ends = [json.dumps({"choices": [{"delta": {}, "finish_reason": reason}]}) for reason in ("stop", "Length")]
    assert read_chunks(ends).finish == "length"
    ends = [json.dumps({"choices": [{"delta": {}, "finish_reason": reason}]}) for reason in ("stop", "solar_flare")]
    assert read_chunks(ends).finish == "solar_flare"


def test_the_mark_of_the_end_alone_is_no_end() -> None:
    assert not read_chunks(["[DONE]"]).complete
    assert not chat(None, "").complete
    assert not runnable(chat(None, ""))
    assert len(runnable(chat(None))) == 1


# One of several answers.


def test_only_the_first_of_several_choices_counts() -> None:
    def body(*choices: dict[str, Any]) -> str:
        return read_message(json.dumps({"choices": choices}).encode()).text

    a, b = {"message": {"content": "a"}}, {"message": {"content": "b"}}
    assert body(a, b) == "a"
    assert body({**a, "index": 1}, {**b, "index": 0}) == "b"
    assert body({**a, "index": 0}, {**b, "index": 0}) == "a"
    assert body({**a, "index": 1}, {**b, "index": 2}) == "a"
    assert body() == ""
    chunk = {"choices": [{"index": 0, "delta": {"content": "a"}}, {"index": 0, "delta": {"content": "b"}}]}
    assert read_chunks([json.dumps(chunk)]).text == "a"


def test_the_message_that_goes_back_is_that_of_the_first_choice() -> None:
    choices = [
        {"index": index, "message": {"role": "assistant", "content": text, "reasoning_content": "hm"}}
        for index, text in ((1, "b"), (0, "a"))
    ]
    assert json.loads(read_message(json.dumps({"choices": choices}).encode()).opaque)["content"] == "a"
    parts = [
        {"index": index, "content": {"parts": [{"text": text, "thoughtSignature": "s"}]}}
        for index, text in ((1, "b"), (0, "a"))
    ]
    assert json.loads(gemini.read_message(json.dumps({"candidates": parts}).encode()).opaque)["parts"][0]["text"] == "a"


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("levels", [150, 300, 600, 985, 991, 995, 20_000])
def test_arguments_nested_too_deeply_break_nothing(name: str, levels: int) -> None:
    deep = f'{{"x":{"[" * levels}null{"]" * levels}}}'
    body = STREAMS[name].replace("%5", deep)
    for number in range(8):
        body = body.replace(f"%{number}", '"a"')
    reader = DIALECTS[name].reader(stream=True)
    reader.feed(body.encode())
    calls = read(reader.close(), TOOLS).calls
    assert all(call.state == "rejected" for call in calls if levels > 200)


@pytest.mark.parametrize(("failures", "found"), [(1, True), (9, False)])
def test_a_parser_that_another_thread_got_in_the_way_of(
    failures: int, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, left = ast.parse, [SystemError("AST constructor recursion depth mismatch")] * failures

    def failing(source: str) -> ast.Module:
        if left:
            raise left.pop()
        return parse(source)

    monkeypatch.setattr(ast, "parse", failing)
    assert (parsed("f(x=1)") is not None) == found


def test_python_with_a_string_that_does_not_end_is_rejected() -> None:
    (call,) = read_text("Action: anyv\nAction Input: x='''a' 'b", TOOLS).calls
    assert call.state == "rejected"


def test_feedback_that_blocks_nothing_changes_nothing() -> None:
    body: dict[str, Any] = {
        "promptFeedback": {"safetyRatings": [1]},
        "candidates": [{"content": {"parts": [{"text": "a"}]}}],
    }
    reply = gemini.read_message(json.dumps(body).encode())
    assert (reply.text, reply.error, reply.complete) == ("a", "", True)
