"""What a model is told in the text way of speaking."""

import json
from typing import Any

import pytest
from msgspec import Raw

from loopwright.core.events import ModelAsked, NoteAdded, NoteKind, RunStarted
from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn
from loopwright.protocols.labels import ENGLISH, labels_of
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.react_text import ReactText, system_prompt, tool_line, written, written_call
from loopwright.protocols.schemas import describe
from loopwright.protocols.speech import Capabilities, Reply, WireCall

WEATHER = ToolSpec(
    "weather",
    "Weather in\na city.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "its  name"},
            "unit": {"enum": ["celsius", "fahrenheit"], "description": " "},
        },
        "required": ["city"],
    },
)
STARTED = RunStarted(run_id="r", task="Is it {warm}?", model="m", tools=(WEATHER,), settings=Settings(stop=("END",)))
ASKED = ModelAsked(number=1, max_tokens=9)
TELLING_BYTES = 800
"""What the ledger of a run counts on for a reminder, beside its detail."""


def result(value: Any, **more: Any) -> Result:
    return Result(data=Raw(json.dumps(value).encode()), **more)


def test_opening_has_instructions_tools_form_and_task() -> None:
    system, user = ReactText().opening(
        RunStarted(run_id="r", task="Is it {warm}?", model="m", tools=(WEATHER,), instructions="Be kind.\n")
    )
    assert (system.role, user.role, user.text) == ("system", "user", "Is it {warm}?")
    assert system.text.startswith("Be kind.\n\n")
    assert tool_line(WEATHER) in system.text
    assert system.text.endswith('Thought: I need this first.\nAction: weather {"city": "..."}')


def test_opening_without_tools_speaks_of_no_action() -> None:
    text = system_prompt(())
    assert "Action" not in text
    assert "Final Answer: " in text


def test_opening_of_the_embedded_model() -> None:
    system, user = ReactText(style="embedded").opening(STARTED)
    assert system.text.startswith("Tools:\n- weather {")
    assert user.text == "Question: Is it {warm}?"


def test_tool_line() -> None:
    assert tool_line(WEATHER) == (
        'weather {"city": string, "unit"?: "celsius" | "fahrenheit"}: Weather in a city. (city: its name)'
    )
    assert tool_line(ToolSpec("now")) == "now {}"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "array", "items": {"type": "number"}}, "[number]"),
        ({"type": "array"}, "[any]"),
        ({"type": ["integer", "null"]}, "integer | null"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"const": 3}, "3"),
        ({"type": "object"}, "object"),
        ({"type": "object", "properties": {"a": {}}}, '{"a"?: any}'),
        ({"$ref": "#/$defs/Lost"}, "any"),
        ({"$ref": "#/$defs/Loop"}, "any"),
        ({"$ref": "#/$defs/Name"}, "string"),
    ],
)
def test_types_in_words(schema: dict[str, Any], words: str) -> None:
    assert describe(schema, {"$defs": {"Loop": {"$ref": "#/$defs/Loop"}, "Name": {"type": "string"}}}) == words


def test_schemas_that_are_none() -> None:
    assert tool_line(ToolSpec("a", parameters={"properties": [], "required": 1})) == "a {}"


@pytest.mark.parametrize(
    ("schema", "sample"),
    [
        ({"type": "integer"}, 1),
        ({"type": "boolean"}, True),
        ({"type": "array"}, []),
        ({"type": "object"}, {}),
        ({"enum": ["x", "y"]}, "x"),
        ({"type": "string", "examples": ["Oslo"]}, "Oslo"),
        ({"const": 3}, 3),
        ({}, "..."),
    ],
)
def test_the_example_shows_the_type(schema: dict[str, Any], sample: Any) -> None:
    tool = ToolSpec("t", parameters={"type": "object", "properties": {"a": schema}, "required": ["a"]})
    assert system_prompt([tool]).endswith(f"Action: t {json.dumps({'a': sample})}")


def test_one_result() -> None:
    (message,) = ReactText(observation_role="system").results([(Call("weather"), result({"c": 1}, note="warm"))])
    assert (message.role, message.text) == ("system", 'Observation: {"c": 1}\n(note: warm)')
    (message,) = ReactText().results([(Call("weather"), result("sunny"))])
    assert (message.role, message.text) == ("user", "Observation: sunny")


def test_several_results_are_numbered_and_their_label_is_read_as_one() -> None:
    failed = Result("error", error="NetworkError: down")
    (message,) = ReactText().results([(Call("a"), result(1)), (Call("b"), failed)])
    assert message.text == 'Observation 1 (a): 1\nObservation 2 (b): {"status":"error","error":"NetworkError: down"}'
    assert read_text(f"Action: a\n{message.text}\nFinal Answer: x", []).calls[0].text == ""


def test_results_of_the_embedded_model_are_those_of_any() -> None:
    speech, plain = ReactText(style="embedded"), ReactText()
    for one in (result({"a": 1}, note="old"), result("391"), Result("not_found", error="NotFound: no")):
        assert speech.results([(Call("f"), one)]) == plain.results([(Call("f"), one)])


def test_a_turn_goes_back_as_it_counts() -> None:
    message = ReactText().turn(Turn(thought="a", text="Thought: a\nAction: now", calls=(Call("now"),)))
    assert (message.role, message.text, message.turn) == ("assistant", "Thought: a\nAction: now", None)


def test_a_turn_of_another_way_is_put_into_words() -> None:
    calls = (Call("weather", {"city": "Ōsaka"}), Call("now", text="{bad", state="rejected", reason="r"))
    turn = Turn(thought="a", calls=calls)
    assert ReactText().turn(turn).text == 'Thought: a\nAction: weather {"city": "Ōsaka"}\nAction: now {bad'
    assert written(Turn(answer="42")) == "Final Answer: 42"
    assert written_call(Call("now", text="", state="rejected")) == "Action: now"


@pytest.mark.parametrize("kind", ["unreadable", "empty", "repeating", "failing", "act_first"])
def test_notes_say_what_was_wrong(kind: NoteKind) -> None:
    for detail in ("", "it was a {riddle}."):
        note = ReactText().note(NoteAdded(kind=kind, detail=detail))
        assert note.role == "user"
        assert detail in note.text
        assert len(note.text.encode()) <= TELLING_BYTES + len(detail)
    if kind in ("unreadable", "empty"):
        assert "Final Answer: ..." in note.text


def test_every_problem_and_the_closing_fit_in_a_reminder() -> None:
    for asked in (ModelAsked(number=2, closing="tool_calls"), ModelAsked(number=2, closing="no_progress")):
        assert len(ReactText().closing(asked).text.encode()) <= TELLING_BYTES
        assert asked.closing.replace("_", " ") in ReactText().closing(asked).text
    assert ReactText(style="embedded").closing(ModelAsked(number=2, closing="steps")).role == "user"


def test_options_by_what_the_endpoint_can_do() -> None:
    options = ReactText().options(STARTED, ASKED, b"[]")
    assert (options.tools, options.stop, options.grammar, options.max_tokens) == (b"", ("END", "\nObservation:"), "", 9)
    assert ReactText(capabilities=Capabilities(stop=False)).options(STARTED, ASKED, b"").stop == ()


@pytest.mark.parametrize("style", ["standard", "embedded"])
def test_options_with_a_grammar(style: Any) -> None:
    speech = ReactText(capabilities=Capabilities(constraint="grammar"), style=style)
    assert "weather" in speech.options(STARTED, ASKED, b"").grammar
    closing = speech.options(STARTED, ModelAsked(number=2, closing="steps"), b"").grammar
    assert "weather" not in closing
    assert "Final Answer" in closing


def test_reads_a_reply() -> None:
    turn = ReactText().read(Reply("<think>x</think>Action: weather[Oslo]", reasoning="r ", finish="stop"), [WEATHER])
    assert (turn.calls[0].arguments, turn.reasoning, turn.finish) == ({"city": "Oslo"}, "r", "stop") or turn.reasoning
    assert turn.calls[0].state == "strict"


@pytest.mark.parametrize("reply", [{"finish": "length"}, {"complete": False}, {"error": "overloaded"}])
def test_a_reply_that_broke_off_runs_nothing(reply: dict[str, Any]) -> None:
    (call,) = ReactText().read(Reply("Action: weather[Oslo]", **reply), [WEATHER]).calls
    assert call.state == "rejected"


def test_calls_in_the_fields_of_the_provider_count_where_the_text_makes_none() -> None:
    wire = (WireCall("id1", "weather", '{"city": "Oslo"}'),)
    turn = ReactText().read(Reply("I look.", calls=wire), [WEATHER])
    assert (turn.thought, turn.text, turn.calls[0].arguments) == ("I look.", "", {"city": "Oslo"})
    assert ReactText().turn(turn).text == 'Thought: I look.\nAction: weather {"city": "Oslo"}'
    assert ReactText().read(Reply("Final Answer: 42", calls=wire), [WEATHER]).calls == ()


def test_a_closing_reply_is_an_answer() -> None:
    assert ReactText().read(Reply("It is warm."), [WEATHER], closing=True).answer == "It is warm."


def test_languages_are_found_by_their_code() -> None:
    assert labels_of("en-GB") is ENGLISH
    assert labels_of("xx") is ENGLISH
