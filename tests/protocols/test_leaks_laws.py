"""Laws of leaked calls: any text is read without an exception, and no part of a call runs."""

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_leaks_forms import OBJECT, TOOLS, WEATHER

from loopwright.protocols.leaks import find_leaks

PIECES = (
    *("<tool_call>", "</tool_call>", "<tool_calls>", "<|tool_call|>", "<|tool_call_start|>", "<|tool_call_end|>"),
    *(
        "<function=bash>",
        "<function=bash",
        "</function>",
        "<parameter=command>",
        "</parameter>",
        "<invoke name='bash'>",
    ),
    *(
        "</invoke>",
        "<arg_key>",
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
        "bash",
        "command",
        "<｜tool▁call▁begin｜>",
    ),
    *("<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "function", "<|tool_call_argument_begin|>", "[TOOL_CALLS]", "[ARGS]"),
    *(
        "<|python_tag|>",
        "functools[",
        "<|channel|>",
        "<|message|>",
        "<|start|>",
        "<|end|>",
        "<|call|>",
        "<|constrain|>",
    ),
    *("commentary to=functions.bash json", "analysis", "final", "assistant", "```json\n", "```tool_code\n", "```", "`"),
    *("<bash>", "</bash>", "<command>", "</command>", "<bash/>", "<think>", "</think>", "<tool_response>", "> "),
    *('{"name": "bash", "arguments": ', '{"command": "ls"}', "}", "{", "[", "]", "(", ")", "bash(command='ls')", ","),
    *(OBJECT, "\n", " ", '"', "'", "\\", ":", "For example", "text", "\ud800", "\x00", "é", "<|im_end|>"),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("{'a': " * 900 + "1" + "}" * 900)
@example("print(" * 900)
@example("[" * 5_000)
@example('{"tool_call": ' * 2_000)
@example("<tool_call>" + '{"a":' * 3_000)
def test_any_text_is_read(text: str) -> None:
    leaks = find_leaks(text, TOOLS)
    assert not (leaks.problem and leaks.calls)
    for call in leaks.calls:
        assert call.id == ""
        assert bool(call.reason) == (call.state != "strict")
        assert call.state != "rejected" or not call.arguments
        msgspec.json.encode(call.arguments)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_characters_are_read(text: str) -> None:
    assert find_leaks(text, TOOLS).calls == ()


def test_no_beginning_of_a_call_runs_with_other_arguments() -> None:
    for text in WEATHER.values():
        for end in range(len(text)):
            for call in find_leaks(text[:end], TOOLS).calls:
                assert call.state == "rejected" or call.arguments == {"location": "Oslo"}, text[:end]


def test_the_reading_of_thousands_of_calls_is_complete() -> None:
    assert len(find_leaks(f"<tool_call>{OBJECT}</tool_call>\n" * 3_000, TOOLS).calls) == 3_000
