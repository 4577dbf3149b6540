"""The text protocol as JSON: the schema, what a reply means, and how a turn goes back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.events import ModelAsked, NoteAdded, RunStarted
from loopwright.core.messages import Call, Settings, ToolSpec, Turn
from loopwright.protocols.json_form import fields, read, reply_schema, without_nulls, written
from loopwright.protocols.json_sentences import ENGLISH, SENTENCES, sentences_of
from loopwright.protocols.labels import labels_of
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.speech import Capabilities, Constraint, Reply, WireCall

JSON = dict[str, Any]


def tool(name: str, parts: JSON, needed: list[str] | None = None, **more: Any) -> ToolSpec:
    wanted = list(parts) if needed is None else needed
    return ToolSpec(name, "", {"type": "object", "properties": parts, "required": wanted, **more})


WEATHER = tool(
    "weather",
    {"city": {"type": "string", "description": "its name"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
    ["city"],
)
NOW = ToolSpec("now")
TOOLS = [WEATHER, NOW]
STARTED = RunStarted(run_id="r", task="t", model="m", tools=(WEATHER, NOW), settings=Settings())


def closed(parts: JSON) -> JSON:
    return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}


ANSWER = closed({"final_answer": {"type": "string"}})


def arguments_schema(part: JSON, root: JSON | None = None) -> tuple[JSON, bool]:
    """What the one argument of a tool becomes in the schema, and whether the whole is strict."""
    made = reply_schema([tool("t", {"a": part}, **(root or {}))])
    call = made.schema["properties"]["step"]["anyOf"][0]
    return call["properties"]["action_input"]["properties"]["a"], made.strict


def test_the_schema_offers_each_tool_and_the_answer() -> None:
    made = reply_schema(TOOLS)
    city = {"type": "string", "description": "its name"}
    unit = {"anyOf": [{"type": "string", "enum": ["celsius", "fahrenheit"]}, {"type": "null"}]}
    weather = {"action": {"type": "string", "enum": ["weather"]}, "action_input": closed({"city": city, "unit": unit})}
    now = {"action": {"type": "string", "enum": ["now"]}, "action_input": closed({})}
    step = {"anyOf": [closed(weather), closed(now), ANSWER]}
    assert made.schema == closed({"thought": {"type": "string"}, "step": step})
    assert made.strict


@pytest.mark.parametrize("made", [reply_schema(TOOLS, closing=True), reply_schema([])])
def test_the_last_reply_is_an_answer(made: Any) -> None:
    assert made.schema == closed({"thought": {"type": "string"}, "step": ANSWER})


@pytest.mark.parametrize(
    ("part", "made"),
    [
        ({"type": "integer", "minimum": 3, "default": 4}, {"type": "integer"}),
        ({"const": 3}, {"type": "integer", "enum": [3]}),
        ({"enum": ["a", 1, None]}, {"anyOf": [{"type": k, "enum": [v]} for k, v in
                                              (("string", "a"), ("integer", 1), ("null", None))]}),
        ({"enum": [True, 2.5]}, {"anyOf": [{"type": "boolean", "enum": [True]}, {"type": "number", "enum": [2.5]}]}),
        ({"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, {"anyOf": [{"type": "number"}, {"type": "null"}]}),
        ({"type": "array", "items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "object", "additionalProperties": False}, closed({})),
        ({"$ref": "#/$defs/Place"}, closed({"x": {"type": "number"}})),
    ],
)  # fmt: skip
def test_values_that_strict_modes_take(part: JSON, made: JSON) -> None:
    place = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}
    assert arguments_schema(part, {"$defs": {"Place": place}}) == (made, True)


@pytest.mark.parametrize(
    ("part", "made"),
    [
        ({}, {}),
        ({"type": "object"}, {"type": "object"}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object"}),
        ({"type": "object", "properties": {"x": {}}, "additionalProperties": True}, {"type": "object"}),
        ({"type": "array"}, {"type": "array"}),
        ({"enum": [[1], 2]}, {"enum": [[1], 2]}),
    ],
)
def test_values_that_they_do_not_take_make_the_schema_a_wish(part: JSON, made: JSON) -> None:
    assert arguments_schema(part) == (made, False)


def test_a_schema_that_holds_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "required": ["next"]}
    made, strict = arguments_schema({"$ref": "#/$defs/Node"}, {"$defs": {"Node": node}})
    assert not strict
    assert json.dumps(made).count('"next"') == 2 * 5


@pytest.mark.parametrize(
    ("constraint", "name"), [("structured_outputs", "structured_outputs"), ("json_schema", "response_format")]
)
def test_fields_of_the_request(constraint: Constraint, name: str) -> None:
    made = reply_schema(TOOLS)
    described = {"name": "step", "strict": True, "schema": made.schema}
    wanted: JSON = {
        "structured_outputs": {"json": made.schema},
        "response_format": {"type": "json_schema", "json_schema": described},
    }
    assert fields(constraint, TOOLS) == {name: wanted[name]}
    assert fields("grammar", TOOLS) == fields("", TOOLS) == {}


def reply(**step: Any) -> str:
    return json.dumps({"thought": " Look. ", "step": step})


def call_of(text: str, tools: list[ToolSpec] = TOOLS) -> Call:
    turn = read(text, tools)
    assert turn is not None
    (call,) = turn.calls
    return call


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "Look.", "step": {"action": "weather", "action_input": {"city": "Oslo", "unit": null}}}',
        '{"thought": "Look.", "action": "weather", "action_input": {"city": "Oslo"}}',
        '{"thought": "Look.", "action": " weather ", "action_input": {"city": "Oslo"}, "final_answer": null}',
        '```json\n{"thought": "Look.", "step": {"action": "weather", "action_input": {"city": "Oslo"}}}\n```',
        '<think>Hm.</think>\n{"thought": "Look.", "action": "weather", "action_input": "{\\"city\\": \\"Oslo\\"}"}',
        '{"thought": "Look.", "step": {"action": "weather", "action_input": {"city": "Oslo"}}}\nObservation: 5',
    ],
)
def test_a_call(text: str) -> None:
    turn = read(text, TOOLS)
    assert turn is not None
    assert (turn.thought, turn.answer, turn.problem) == ("Look.", None, "")
    assert [(call.tool, call.arguments) for call in turn.calls] == [("weather", {"city": "Oslo"})]
    assert "Observation" not in turn.text
    assert turn.text.startswith("{")


def test_arguments_keep_their_text_and_their_state() -> None:
    assert call_of(reply(action="weather", action_input={"city": "Oslo"})).state == "strict"
    assert call_of(reply(action="now")).arguments == {}
    assert call_of(reply(action="now", action_input=None)).state == "strict"
    wrong = call_of(reply(action="weather", action_input="Oslo"))
    assert (wrong.state, wrong.arguments, wrong.text) == ("rejected", {}, '"Oslo"')
    twice = call_of('{"thought": "", "step": {"action": "weather", "action_input": {"city": "a", "city": "b"}}}')
    assert (twice.state, "twice" in twice.reason) == ("rejected", True)


def test_a_call_of_what_is_no_tool_is_a_call() -> None:
    assert call_of(reply(action="wether", action_input={"city": "Oslo"})).tool == "wether"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (reply(final_answer=" It is 5. "), "It is 5."),
        (reply(final_answer=5), "5"),
        (reply(final_answer="a", action=None, action_input=None), "a"),
        ('{"final_answer": "a"}', "a"),
    ],
)
def test_an_answer(text: str, answer: str) -> None:
    turn = read(text, TOOLS)
    assert turn is not None
    assert (turn.answer, turn.calls) == (answer, ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (reply(action="now", final_answer="a"), ENGLISH.both),
        (reply(final_answer=" "), "nothing stands after Final Answer."),
        (reply(final_answer=None), "nothing stands after Final Answer."),
        (reply(action=None, action_input={}), labels_of("en").problems.no_tool),
    ],
)
def test_what_cannot_be_used_says_why(text: str, problem: str) -> None:
    turn = read(text, TOOLS)
    assert turn is not None
    assert (turn.problem, turn.calls, turn.answer) == (problem, (), None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Thought: a\nAction: now {}",
        "[1]",
        '{"a": 1}',
        '{"thought": "a"}',
        '{"step": 3}',
        '{"step": {"a": 1}}',
        '{"step": {"final_answer": "a"}, "step": {"final_answer": "b"}}',
        '{"step": {"final_answer": "a"}} and more',
        '{"action": "Final Answer", "action_input": "a"}',
        '<think>{"final_answer": "a"}',
        "[" * 10_000,
        '{"thought": "\ud83d", "step": {"final',
    ],
)
def test_what_is_not_of_this_form_is_left_to_the_reader_of_text(text: str) -> None:
    assert read(text, TOOLS) is None


def test_a_cut_reply_is_never_a_call() -> None:
    assert read(reply(action="now", action_input={}), TOOLS, cut=True) is None
    turn = ReactText(capabilities=Capabilities(constraint="json_schema")).read(
        Reply(reply(action="now", action_input={}), finish="length"), TOOLS
    )
    assert all(call.state == "rejected" for call in turn.calls)
    assert turn.answer is None


@pytest.mark.parametrize(
    ("end", "answer"),
    [("It is", "It is"), ('It \\"is', 'It "is'), ("a\\ud83d\\ude", "a"), ("a\\u00e", "a"), ("a\\", "a"), ("a\\n", "a")],
)
def test_the_last_answer_counts_as_far_as_it_goes(end: str, answer: str) -> None:
    text = f'{{"thought": "a", "step": {{"final_answer": "{end}'
    turn = read(text, TOOLS, cut=True, closing=True)
    assert turn is not None
    assert (turn.answer, turn.text) == (answer, text)
    assert read(text, TOOLS, cut=True) is None


@pytest.mark.parametrize("text", ["Final Answer: a", '{"thought": "a', '{"final_answer": "'])
def test_a_last_reply_without_an_answer_is_left_to_the_reader_of_text(text: str) -> None:
    assert read(text, TOOLS, cut=True, closing=True) is None


def test_nulls_that_mean_left_out_are_taken_out() -> None:
    inner = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x"]}
    schema: JSON = {
        "type": "object",
        "properties": {
            "needed": {"type": "string"},
            "optional": {"type": "string"},
            "nullable": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "many": {"type": "array", "items": inner},
            "maybe": {"anyOf": [inner, {"type": "null"}]},
            "either": {"anyOf": [inner, inner]},
            "choice": {"enum": ["a", None]},
            "any": {},
        },
        "required": ["needed", "many", "maybe", "either"],
    }
    point = {"x": 1, "y": None}
    given = {
        "needed": None,
        "optional": None,
        "nullable": None,
        "many": [point],
        "maybe": point,
        "either": point,
        "choice": None,
        "any": None,
    }
    kept = {
        "needed": None,
        "nullable": None,
        "many": [{"x": 1}],
        "maybe": {"x": 1},
        "either": point,
        "choice": None,
        "any": None,
    }
    assert without_nulls({**given, "other": None}, schema) == {**kept, "other": None}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(), st.dictionaries(st.text(), values, max_size=4))
def test_a_call_that_is_written_is_read_again(thought: str, arguments: JSON) -> None:
    anything = ToolSpec("anything")
    turn = read(written(Turn(thought=thought, calls=(Call("anything", arguments),))), [anything])
    assert turn is not None
    assert turn.thought == thought.strip()
    assert turn.calls[0].arguments == arguments
    assert turn.calls[0].state == "strict"


@given(st.text().filter(lambda text: bool(text.strip())))
def test_an_answer_that_is_written_is_read_again(answer: str) -> None:
    turn = read(written(Turn(answer=answer)), TOOLS)
    assert turn is not None
    assert turn.answer == answer.strip()


@given(st.text() | values.map(json.dumps))
def test_reading_never_raises(text: str) -> None:
    for closing in (False, True):
        turn = read(text, TOOLS, closing=closing, cut=closing)
        assert turn is None or turn.calls or turn.answer or turn.problem


def test_turns_of_other_ways_are_put_into_this_form() -> None:
    two = Turn(thought="a", calls=(Call("now"), Call("weather", text="[", state="rejected")))
    first, second = written(two).split("\n")
    assert json.loads(first) == {"thought": "a", "step": {"action": "now", "action_input": {}}}
    assert json.loads(second) == {"thought": "", "step": {"action": "weather", "action_input": "["}}
    assert written(Turn(thought="only")) == "only"


def speech(constraint: Constraint = "json_schema") -> ReactText:
    return ReactText(capabilities=Capabilities(constraint=constraint))


def test_the_prompt_asks_for_json_and_shows_it() -> None:
    system, _ = speech().opening(STARTED)
    example = system.text.rpartition("\n\n")[2]
    assert json.loads(example)["step"] == {"action": "weather", "action_input": {"city": "..."}}
    assert ENGLISH.step in system.text
    assert "Action:" not in system.text
    alone, _ = speech().opening(RunStarted(run_id="r", task="t", model="m"))
    assert alone.text.endswith(ENGLISH.last)


def test_reminders_and_the_closing_show_the_form() -> None:
    note = speech().note(NoteAdded(kind="unreadable", detail="no."))
    assert note.text.count('"step"') == 2
    assert "Action:" not in note.text
    closing = speech().closing(ModelAsked(number=2, closing="steps"))
    assert closing.text.endswith('{"thought": "...", "step": {"final_answer": "..."}}')
    assert speech("grammar").note(NoteAdded(kind="empty")).text.count('"step"') == 0


def test_turns_go_back_as_they_were_said_or_in_this_form() -> None:
    assert speech().turn(Turn(text='{"a": 1}')).text == '{"a": 1}'
    assert json.loads(speech().turn(Turn(calls=(Call("now"),))).text)["step"]["action"] == "now"


def test_what_a_request_carries() -> None:
    asked, closing = ModelAsked(number=1), ModelAsked(number=2, closing="steps")
    options = speech().options(STARTED, asked, b"")
    assert (options.extra, options.grammar) == (fields("json_schema", TOOLS), "")
    assert speech().options(STARTED, closing, b"").extra == fields("json_schema", TOOLS, closing=True)
    assert speech("structured_outputs").options(STARTED, asked, b"").extra == fields("structured_outputs", TOOLS)
    assert speech("grammar").options(STARTED, asked, b"").extra == {}
    assert speech("grammar").options(STARTED, asked, b"").grammar


def test_a_reply_that_ignores_the_form_is_read_all_the_same() -> None:
    plain = speech().read(Reply('Thought: a\nAction: weather {"city": "Oslo"}'), TOOLS)
    assert plain.calls[0].arguments == {"city": "Oslo"}
    native = speech().read(Reply("", calls=(WireCall("1", "now", "{}"),)), TOOLS)
    assert native.calls[0].tool == "now"
    answered = speech().read(Reply(reply(final_answer="a"), reasoning="r", finish="stop"), TOOLS)
    assert (answered.answer, answered.reasoning, answered.finish) == ("a", "r", "stop")


@pytest.mark.parametrize("language", SENTENCES)
def test_every_language_names_the_fields(language: str) -> None:
    own = sentences_of(language)
    assert all(name in own.step for name in ('"thought"', '"step"', '"action"', '"action_input"'))
    assert '"final_answer"' in own.last
    assert own.either
    assert '"action"' in own.both
    assert sentences_of("xx") is ENGLISH
