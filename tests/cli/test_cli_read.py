"""`loopwright read`: what a file is taken for, what is said about the reply in it, and the contract of JSON lines."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from command import loopwright

from loopwright.cli.explain import explained
from loopwright.cli.oddities import text_of
from loopwright.cli.read import answered
from loopwright.cli.saved import dialect_of, recognised, tools_in
from loopwright.core.errors import UsageError
from loopwright.core.messages import ToolSpec
from loopwright.protocols.reading import tools_of, understand

JSON = dict[str, Any]

CALL: JSON = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
MESSAGE: JSON = {"role": "assistant", "content": None, "tool_calls": [CALL]}
BODY: JSON = {
    "id": "x",
    "object": "chat.completion",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
}
CHUNKS: list[JSON] = [
    {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **CALL}]}}]},
    {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
]
STREAM = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in CHUNKS) + "data: [DONE]\n\n"
ANTHROPIC: JSON = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}}],
    "stop_reason": "tool_use",
}
GEMINI: JSON = {
    "candidates": [
        {"content": {"parts": [{"functionCall": {"name": "bash", "args": {"command": "ls"}}}]}, "finishReason": "STOP"}
    ]
}
COHERE: JSON = {
    "id": "x",
    "finish_reason": "TOOL_CALL",
    "message": {"role": "assistant", "tool_calls": [CALL]},
}
RESPONSE: JSON = {
    "object": "response",
    "status": "completed",
    "output": [{"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'}],
}
STEP = "Thought: I look.\nAction: bash[ls] and then we see\nObservation: a.txt\nThought: done\nFinal Answer: a.txt"
LEAK = '<think>hm</think>I look.\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
CONTRACT: JSON = {"id": 7, "protocol": "auto", "tools": {"bash": {"command": "string"}}, "reply": LEAK}

FILES: dict[str, tuple[str, str, str]] = {
    "body": (json.dumps(BODY), "openai-chat", "the body of a response"),
    "message": (json.dumps(MESSAGE), "openai-chat", "an assistant message"),
    "conversation": (json.dumps([{"role": "user", "content": "hi"}, MESSAGE]), "openai-chat", "last message"),
    "stream": (STREAM, "openai-chat", "a captured event stream"),
    "stream of Windows": (STREAM.replace("\n", "\r\n"), "openai-chat", "a captured event stream"),
    "stream with comments": (": keep-alive\n\n" + STREAM, "openai-chat", "a captured event stream"),
    "stream behind a head": (f"HTTP/1.1 200 OK\r\ncontent-type: x\r\n\r\n{STREAM}", "openai-chat", "event stream"),
    "byte order mark": ("\ufeff" + json.dumps(BODY), "openai-chat", "the body of a response"),
    "chunks": ("\n".join([*map(json.dumps, CHUNKS), "[DONE]", ""]), "openai-chat", "one a line"),
    "list of chunks": (json.dumps(CHUNKS), "openai-chat", "a list of the chunks"),
    "anthropic": (json.dumps(ANTHROPIC), "anthropic", "body"),
    "gemini": (json.dumps(GEMINI, indent=2), "gemini", "body"),
    "gemini's list": (json.dumps([GEMINI]), "gemini", "a list of the chunks"),
    "cohere": (json.dumps(COHERE), "cohere-v2", "the body of a response"),
    "responses": (json.dumps(RESPONSE), "openai-responses", "body"),
    "text": (STEP, "react-text", "with labels of the text protocol"),
    "German text": ("Gedanke: Ich weiß es.\nAktion: bash[ls]", "react-text", "with labels"),
    "leak": (LEAK, "auto", "without any label"),
    "contract": (json.dumps(CONTRACT), "auto", "line 7 of the reading contract"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_taken_for_what_it_is(name: str) -> None:
    text, protocol, what = FILES[name]
    (saved,) = recognised(text)
    assert saved.question["protocol"] == protocol
    assert what in saved.what
    tools = [ToolSpec("bash", parameters={"type": "object", "properties": {"command": {"type": "string"}}})]
    calls = understand(saved.question, tools).turn.calls
    assert [(call.tool, call.arguments, call.state) for call in calls] == [("bash", {"command": "ls"}, "strict")]


@pytest.mark.parametrize(
    "text",
    [
        "It is warm.",
        '{"temperature": 3}',
        "[1, 2]",
        '{"a": 1}\n{"b": 2}',
        "data from 1911",
        "id: none of these",
        "[]",
        "null",
        '{"protocol": "auto"}',
        '{"action": "bash", "action_input": {"command": "ls',
        "* one\n* two\n> a quotation",
        ": a colon\nand words",
    ],
)
def test_what_is_nothing_else_is_the_text_of_a_reply(text: str) -> None:
    (saved,) = recognised(text)
    assert (saved.question["protocol"], saved.question["reply"]) == ("auto", text)


METER = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
    "\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
    "\r100  1.2k    0  1.2k  100    99   3456   1000 --:--:--  0:00:01 --:--:--  4k"
)
TRACE = (
    "* Connected to api.example.com (127.0.0.1) port 443\n> POST /v1/chat HTTP/1.1\n> Host: x\n>\n"
    "} [99 bytes data]\n< HTTP/1.1 200 OK\n< content-type: text/event-stream\n<\n{ [5 bytes data]\n"
)
END = "\n* Connection #0 to host api.example.com left intact\n"
OLLAMA_CALL: JSON = {"function": {"name": "bash", "arguments": {"command": "ls"}}}
OLLAMA: JSON = {
    "model": "llama3",
    "created_at": "2024-07-22T20:33:28Z",
    "message": {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [OLLAMA_CALL]},
    "done_reason": "stop",
    "done": True,
    "prompt_eval_count": 3,
    "eval_count": 4,
}
OLLAMA_STREAM = [{"message": {**OLLAMA["message"]}, "done": False}, {**OLLAMA, "message": {"content": ""}}]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (TRACE + STREAM + END, "a captured event stream, in the format openai-chat, without what curl says"),
        (METER + STREAM, "a captured event stream, in the format openai-chat, without what curl says"),
        (METER + "\n" + TRACE + json.dumps(BODY, indent=1) + END, "the body of a response, in the format openai-chat"),
        (json.dumps(OLLAMA), "the body of a response, in Ollama's own format"),
        ("\n".join(map(json.dumps, OLLAMA_STREAM)), "the lines of a stream, in Ollama's own format"),
    ],
)
def test_captures_with_noise_and_other_formats_are_read(text: str, what: str) -> None:
    (saved,) = recognised(text)
    assert saved.what.startswith(what)
    calls = understand(saved.question, BASH).turn.calls
    assert [(call.tool, call.arguments, call.state) for call in calls] == [("bash", {"command": "ls"}, "strict")]


def test_ollamas_answers_are_answers_and_its_cut_streams_run_nothing() -> None:
    assert said(json.dumps({"response": "It is warm.", "done": True, "done_reason": "stop"}))["Answer"] == [
        "It is warm."
    ]
    assert "does not run" in said(json.dumps(OLLAMA_STREAM[0]), BASH)["Next"][0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (": OPENROUTER PROCESSING\n\n" * 3, "no event of it has any data"),
        ("event: ping\n\n: hm\n\ndata: [DONE]\n\n", "no event of it has any data"),
        (json.dumps(BODY)[:-30], "the body of a response, or messages, but it is not whole"),
        (json.dumps(ANTHROPIC, indent=2)[:-9], "the body of a response, or messages, but it is not whole"),
        (json.dumps(BODY) + "\nreal 0m1s", "the body of a response, or messages, but it is not whole"),
        (json.dumps(MESSAGE)[:-3], "the body of a response, or messages, but it is not whole"),
        (
            json.dumps([{"role": "user", "content": "hi"}, MESSAGE])[:-3],
            "the body of a response, or messages, but it is not whole",
        ),
        (json.dumps(OLLAMA)[:70], "the body of a response, or messages, but it is not whole"),
        ('data: {"foo": 1}\n\n', "its events are in no format that is known"),
        (METER, "nothing in it but what curl says"),
        (json.dumps(CONTRACT) + '\n{"id": 8, "protocol": "auto"}', "line 2 is no JSON object with any of reply, mess"),
        (json.dumps(CONTRACT) + '\n{"id": 8, "reply": "x"}', 'line 2 is no JSON object with "protocol"'),
        (json.dumps(CONTRACT) + "\nx", 'line 2 is no JSON object with "protocol" and any of'),
    ],
)
def test_parts_of_replies_are_no_answers(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        recognised(text)


def test_bodies_one_behind_the_other_are_read_one_by_one() -> None:
    bodies = [json.dumps(BODY, indent=1), json.dumps(ANTHROPIC), json.dumps(COHERE), json.dumps(RESPONSE)]
    found = recognised("\n".join(bodies))
    assert [saved.question["protocol"] for saved in found] == [
        "openai-chat",
        "anthropic",
        "cohere-v2",
        "openai-responses",
    ]
    assert found[1].what == "the body of a response, in the format anthropic, number 2 in this file"


@pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig"])
def test_other_encodings_with_a_mark_are_read(codec: str) -> None:
    (saved,) = recognised(text_of(json.dumps(BODY).encode(codec), "x"))
    assert saved.question["protocol"] == "openai-chat"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(b"It is warm."), "compressed with gzip"),
        ("It is warm.".encode("utf-16-le"), "zero bytes"),
        (bytes(range(128, 256)), "no text in UTF-8"),
    ],
)
def test_bytes_that_are_no_text_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        text_of(data, "x")


def test_several_lines_of_the_contract_are_several_replies() -> None:
    found = recognised("\n".join(json.dumps({**CONTRACT, "id": number}) for number in range(3)))
    assert [saved.question["id"] for saved in found] == [0, 1, 2]


@pytest.mark.parametrize(
    ("event", "dialect"),
    [
        ({"type": "message_start", "message": {}}, "anthropic"),
        ({"type": "response.created", "response": {}}, "openai-responses"),
        ({"type": "content-delta", "delta": {}}, "cohere-v2"),
        ({"usageMetadata": {}}, "gemini"),
        ({"error": {"message": "no"}}, "openai-chat"),
        ({"type": 3}, ""),
        ({"role": "user"}, ""),
    ],
)
def test_the_format_of_an_event_is_seen_by_its_fields(event: JSON, dialect: str) -> None:
    assert dialect_of(event) == dialect


def test_what_is_said_counts_more_than_what_is_seen() -> None:
    (saved,) = recognised(json.dumps(BODY), protocol="react-text")
    assert saved.question["protocol"] == "react-text"
    (saved,) = recognised(json.dumps({"content": "x"}), protocol="anthropic-messages")
    assert saved.question["protocol"] == "anthropic"
    (saved,) = recognised("go to desk 1", hints={"command": True})
    assert saved.question == {"protocol": "react-text", "reply": "go to desk 1", "command": True}
    with pytest.raises(UsageError, match="neither a body"):
        recognised("It is warm.", protocol="gemini")
    with pytest.raises(UsageError, match="morse"):
        recognised("It is warm.", protocol="morse")


@pytest.mark.parametrize(
    "value",
    [
        {"bash": {"command": "string"}},
        [
            {
                "type": "function",
                "function": {"name": "bash", "parameters": {"properties": {"command": {"type": "string"}}}},
            }
        ],
        [{"name": "bash", "input_schema": {"properties": {"command": {"type": "string"}}}}],
        [{"functionDeclarations": [{"name": "bash", "parameters": {"properties": {"command": {"type": "string"}}}}]}],
        {"model": "x", "tools": [{"name": "bash", "parameters": {"properties": {"command": {"type": "string"}}}}]},
    ],
)
def test_tools_are_taken_as_providers_take_them(value: object) -> None:
    (tool,) = tools_in(json.dumps(value))
    assert tool.name == "bash"
    assert tool.parameters["properties"] == {"command": {"type": "string"}}


def said(text: str, tools: list[ToolSpec] | None = None, protocol: str = "", **hints: Any) -> dict[str, list[str]]:
    """What is said about a reply, by heading."""
    (saved,) = recognised(text, protocol=protocol, hints=hints)
    shown = explained(saved, understand(saved.question, tools or []), tools or [])
    json.dumps(shown.data())
    parts: dict[str, list[str]] = {}
    for part in shown.parts():
        parts.setdefault(part.heading, []).append(part.text)
    return parts


BASH = tools_of({"bash": {"command": "string"}})


def test_a_step_in_text_is_explained() -> None:
    parts = said(STEP, BASH)
    assert parts["Read as"] == ["a step: a call of a tool"]
    assert parts["Thought"] == ["I look."]
    assert parts["Call"] == ['bash {"command":"ls"}']
    assert parts["State"] == ["strict: the arguments are taken as they were written"]
    assert [text.partition(":")[0] for text in parts["Dropped"]] == [
        "an observation that the model wrote itself, and all behind it",
        "the words behind the call",
    ]
    assert "before any observation" in parts["Why"][0]
    assert parts["Next"] == ['bash runs with {"command":"ls"}']


def test_a_leaked_call_is_explained() -> None:
    parts = said(LEAK, BASH)
    assert parts["Reasoning"] == ["hm"]
    assert "fields for calls are empty" in parts["Why"][0]


def test_without_tools_those_that_are_called_are_taken_to_exist() -> None:
    assert said("Action: search[medals]")["Next"] == ["search runs with medals"]
    assert said("Action: search[medals]", BASH)["Next"][0].startswith(
        "search (call 1) does not run; the model is told: Unk"
    )


def test_repaired_and_rejected_calls_say_what_the_model_is_told() -> None:
    parts = said("Action: bash\nAction Input: {'command': 'ls'}", BASH)
    assert parts["State"][0].startswith("repaired: quotes")
    assert "does not run; the model is told: InvalidArguments: quotes" in parts["Next"][0]
    parts = said(json.dumps({**BODY, "choices": [{**BODY["choices"][0], "finish_reason": "length"}]}), BASH)
    assert parts["Call"] == ['bash {"command": "ls"}   (id c1)']
    assert parts["State"][0].startswith("rejected: ")
    assert "cut off at its token limit" in parts["Why"][0]
    assert "does not run" in parts["Next"][0]


SEARCH = tools_in(
    json.dumps(
        [
            {
                "name": "search",
                "input_schema": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}, "limit": {"type": ["integer", "null"]}, "least": {}},
                    "required": ["query"],
                },
            }
        ]
    )
)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"query": "x"}, ""),
        ({"query": "x", "limit": "3", "least": [1]}, ""),
        ({"query": "x", "limit": 3.0}, ""),
        ({"query": "x", "limit": None}, ""),
        ({}, "query: missing, expected string"),
        ({"q": "x"}, "query: missing, expected string; q: there is no such parameter. The parameters are: query, lim"),
        ({"query": 3}, "query: got 3, expected string"),
        ({"query": "x", "limit": "1.5"}, 'limit: got "1.5", expected integer | null'),
        ({"query": "x", "limit": True}, "limit: got true, expected integer | null"),
        ({"query": ["y" * 90]}, "… (94 characters), expected string"),
    ],
)
def test_arguments_are_held_against_the_schemas_that_are_given(arguments: JSON, told: str) -> None:
    (step,) = said(f"Action: search {json.dumps(arguments)}", SEARCH)["Next"]
    assert told in step
    assert step.startswith(
        "search (call 1) does not run; the model is told: InvalidArguments" if told else "search run"
    )


def test_arguments_fit_where_more_are_allowed_or_none_are_known() -> None:
    more = [ToolSpec("search", parameters={"properties": {"n": {"type": "number"}}, "additionalProperties": True})]
    assert said('Action: search {"q": 1, "n": 2}', more)["Next"] == ['search runs with {"q":1,"n":2}']
    assert said('Action: search {"q": 1}', tools_of({"search": {}}))["Next"] == ['search runs with {"q":1}']


def test_several_calls_are_numbered() -> None:
    parts = said("Action: bash[a]\nAction: bash[b]", BASH)
    assert parts["Read as"] == ["a step: 2 calls of tools"]
    assert (len(parts["Call 1"]), len(parts["Call 2"]), len(parts["Next"])) == (1, 1, 2)


def test_answers_thoughts_and_nothing() -> None:
    assert said("Final Answer: 12")["Next"] == ["The run ends with this answer."]
    assert said("It is warm.")["Answer"] == ["It is warm."]
    parts = said("Thought: I only think")
    assert parts["Read as"] == ["nothing that can be used"]
    assert "neither an Action nor a Final Answer" in parts["Why"][0]
    assert "Write either" in parts["Next"][0]
    parts = said("<think>hm</think>")
    assert parts["Read as"] == ["an empty reply"]
    assert "reasoning alone" in parts["Why"][0]


def test_a_broken_stream_and_an_error_are_said() -> None:
    parts = said(STREAM[: STREAM.index("}]}") + 1] + "\n\n")
    assert "broke off" in parts["Why"][0]
    parts = said('data: {"error": {"message": "overloaded"}}\n\n')
    assert parts["Error"] == ["overloaded"]
    assert parts.keys() == {"Error", "Next"}
    assert "asked again" in parts["Next"][0]


def test_observations_repeated_at_the_beginning_are_dropped() -> None:
    parts = said("Observation: 12\nThought: so\nAction: bash[ls]", BASH)
    assert parts["Dropped"] == ["what stands before it: Observation: 12"]


# The command.


def test_files_are_explained_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(STEP, encoding="utf-8")
    (tmp_path / "b.txt").write_text(STREAM, encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps({"bash": {"command": "string"}}), encoding="utf-8")
    done = loopwright("read", "a.txt", "b.txt", "--tools", "tools.json", folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    first, _, second = done.out.partition("\n\n")
    assert first.startswith("a.txt: the text of a reply")
    assert second.startswith("b.txt: a captured event stream, in the format openai-chat")
    assert done.out.count('bash runs with {"command":"ls"}') == 2


def test_the_machine_form_is_one_json_line_a_reply(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(STEP, encoding="utf-8")
    done = loopwright("read", "a.txt", "--json", "--tools", "bash,search", folder=tmp_path)
    (line,) = done.events
    assert (line["file"], line["kind"], line["calls"][0]["input"]) == ("a.txt", "action", "ls")
    assert line["next"] == ["bash runs with ls"]
    inline = json.dumps({"bash": {"command": "string"}})
    (line,) = loopwright("read", "a.txt", "--json", "--tools", inline, folder=tmp_path).events
    assert line["next"] == ['bash runs with {"command":"ls"}']


@pytest.mark.parametrize("arguments", [("-",), ("--explain",)])
def test_standard_input_is_explained_when_asked(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = loopwright("read", *arguments, "--finish", "Done", folder=tmp_path, stdin="Action: Done[12]")
    assert done.code == 0
    assert "Answer:    12" in done.out


def test_long_parts_are_folded_and_control_characters_shown(tmp_path: Path) -> None:
    text = "\x1b[2J" + "word " * 400
    done = loopwright("read", "-", folder=tmp_path, stdin=text)
    assert "\\x1b[2J" in done.out
    assert "more characters)" in done.out
    assert "more characters)" not in loopwright("read", "-", "--full", folder=tmp_path, stdin=text).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.txt",), "there is no file nowhere.txt"),
        (("empty.txt",), "empty.txt is empty"),
        ((".",), "cannot be read"),
        (("-",), "standard input is empty"),
        (("reply.txt", "--protocol", "morse"), "morse"),
        (("reply.txt", "--protocol", "gemini"), "neither a body"),
        (("reply.txt", "--tools", "none.json"), "there is no file none.json"),
        (("reply.txt", "--tools", "list.json"), "list.json holds no tools"),
        (("reply.txt", "--tools", "{}"), "--tools holds no tools"),
        (("reply.txt", "--language", "tlh"), "the language 'tlh' is not known: use one of de, en"),
        (("comments.txt",), "comments.txt: this seems to be a captured event stream"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    (tmp_path / "reply.txt").write_text("It is warm.", encoding="utf-8")
    (tmp_path / "comments.txt").write_text(": hm\n\n", encoding="utf-8")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")
    done = loopwright("read", *arguments, folder=tmp_path)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_json_lines_are_answered_one_by_one(tmp_path: Path) -> None:
    asked = [
        json.dumps(CONTRACT),
        "",
        "no json",
        "[" * 5000,
        json.dumps({"id": 8, "protocol": "morse"}),
        json.dumps({"id": 9, "protocol": "auto", "reply": 3}),
        json.dumps({"id": 10, "protocol": "openai-chat", "chunks": [json.dumps(chunk) for chunk in CHUNKS]}),
    ]
    done = loopwright("read", folder=tmp_path, stdin="\n".join(asked))
    assert [event["id"] for event in done.events] == [7, None, None, 8, 9, 10]
    assert [event["kind"] for event in done.events] == ["action", *["malformed"] * 4, "action"]
    assert "morse" in done.events[3]["problem"]
    assert done.events[-1]["usage"] == {"input_tokens": 0, "output_tokens": 0}
    assert answered(CONTRACT)["calls"][0]["arguments"] == {"command": "ls"}
