"""What a reply means when calls come beside the text, and what the loop says to the model."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from loopwright.core.events import ModelAsked, NoteAdded, NoteKind, RunStarted
from loopwright.core.messages import Call, Result, Settings, ToolSpec, Turn, Usage
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.native import Native, identified, read
from loopwright.protocols.repair import CUT
from loopwright.protocols.speech import Message, Options, Reply, WireCall

VIEW = ToolSpec(
    "view",
    parameters={"type": "object", "properties": {"path": {"type": "string"}, "range": {"type": "array"}}},
)
WHOLE = WireCall("c1", "view", '{"path":"a"}')


def call(arguments: str, name: str = "view", **fields: Any) -> Call:
    (found,) = read(Reply(calls=(WireCall("c1", name, arguments),), **fields), [VIEW]).calls
    return found


def test_text_without_calls_is_the_answer() -> None:
    turn = read(Reply(text=" It is 4. \n", finish="stop", usage=Usage(1, 1)), [VIEW])
    assert turn == Turn(answer="It is 4.", text="It is 4.", finish="stop")


def test_text_beside_calls_is_the_thought() -> None:
    turn = read(Reply(text="Let me look.", reasoning="hm", calls=(WHOLE,), finish="stop", opaque=b"{}"), [VIEW])
    wanted = Call("view", {"path": "a"}, text='{"path":"a"}', provider_id="c1")
    assert turn == Turn("Let me look.", (wanted,), text="Let me look.", reasoning="hm", finish="stop", opaque=b"{}")


@pytest.mark.parametrize(
    "reply", [Reply(), Reply(text=" \n"), Reply(reasoning="I have it."), Reply(text="<think>x</think>")]
)
def test_nothing_but_reasoning_is_an_empty_turn(reply: Reply) -> None:
    turn = read(reply, [])
    assert (turn.kind, turn.answer, turn.problem) == ("empty", None, "")


def test_think_blocks_are_reasoning_and_no_text() -> None:
    turn = read(Reply(text="<think>\nOne or two?\n</think>\n\nTwo.", reasoning="first"), [])
    assert (turn.answer, turn.text, turn.reasoning) == ("Two.", "Two.", "first\nOne or two?")


ARGUMENTS: list[tuple[str, dict[str, Any], str]] = [
    ('{"path": "[3, 40]"}', {"path": "[3, 40]"}, "strict"),
    ('{"path": "a", "range": "[3, 40]"}', {"path": "a", "range": [3, 40]}, "repaired"),
    ("{'path': 'a'}", {"path": "a"}, "repaired"),
    ("", {}, "strict"),
    ('{"path": "a', {}, "rejected"),
    ('{"path<arg_key": "page</arg_key><arg_value>5"}', {}, "rejected"),
    ('{"path": "a <|tool_call_argument_begin|> {"}', {}, "rejected"),
]


@pytest.mark.parametrize(("text", "arguments", "state"), ARGUMENTS)
def test_arguments_are_read_by_the_schema_and_kept_as_text(text: str, arguments: dict[str, Any], state: str) -> None:
    found = call(text)
    assert (found.arguments, found.state, found.text) == (arguments, state, text)
    assert bool(found.reason) == (state != "strict")


def test_unknown_tools_are_still_calls_and_nameless_ones_are_rejected() -> None:
    assert call('{"range": "[1]"}', name="other").arguments == {"range": "[1]"}
    assert call("{}", name=" ").reason == "the call names no tool"


def test_cut_replies_run_nothing() -> None:
    assert call('{"path":"a"}', finish="length").reason == CUT
    assert call('{"path":"a"}', complete=False).state == "rejected"
    cut = read(Reply(text="The answer is", finish="length"), [])
    assert (cut.answer, cut.problem, cut.kind) == (None, ENGLISH.problems.cut, "malformed")
    assert read(Reply(text="The answer is", complete=False), []).problem == ENGLISH.problems.broken_off


def test_a_closing_reply_answers_with_the_text_it_has() -> None:
    assert read(Reply(text="Nearly", finish="length"), [], closing=True).answer == "Nearly"
    both = read(Reply(text="So far: 3", calls=(WHOLE,)), [VIEW], closing=True)
    assert (both.answer, both.calls, both.kind) == ("So far: 3", (), "final")
    assert read(Reply(calls=(WHOLE,)), [VIEW], closing=True).kind == "action"
    assert Native().read(Reply(text="Nearly", complete=False), [], closing=True).problem == ENGLISH.problems.broken_off


@given(st.text(), st.text(), st.lists(st.builds(WireCall, st.text(), st.text(), st.text())), st.booleans())
def test_any_reply_is_read(text: str, finish: str, wires: list[WireCall], complete: bool) -> None:
    turn = read(Reply(text=text, calls=tuple(wires), finish=finish, complete=complete), [VIEW])
    assert len(turn.calls) == len(wires)
    if finish == "length" or not complete:
        assert turn.answer is None
        assert all(found.state == "rejected" for found in turn.calls)


@given(st.lists(st.sampled_from(["", "a", "b", "c00003001", "d00003001", "d000030010"]), max_size=6))
def test_calls_of_a_turn_get_ids_of_their_own_and_keep_those_they_have(given_ids: list[str]) -> None:
    calls = [Call("f", id=f"3.{n}", provider_id=given_id) for n, given_id in enumerate(given_ids, 1)]
    found = [made.provider_id for made in identified(calls)]
    assert "" not in found
    assert len(set(found)) == len(found)
    for number, given_id in enumerate(given_ids):
        if given_id and given_id not in given_ids[:number]:
            assert found[number] == given_id
    assert identified(identified(calls)) == identified(calls)


def test_a_made_id_avoids_those_that_are_there() -> None:
    taken = [Call("f", id="3.1"), Call("f", provider_id="c00003001"), Call("f", provider_id="d00003001")]
    assert identified(taken)[0].provider_id == "d000030010"


def test_made_ids_are_nine_letters_and_digits() -> None:
    calls = [Call("f", id="12.3"), Call("f"), Call("f", id="odd.one")]
    assert [made.provider_id for made in identified(calls)] == ["c00012003", "c00000002", "c00000003"]


SPEECH = Native()


def test_the_opening_is_instructions_and_task() -> None:
    started = RunStarted(run_id="r", task="Do", model="m", instructions="Be brief")
    assert SPEECH.opening(started) == [Message("system", "Be brief"), Message("user", "Do")]
    assert SPEECH.opening(RunStarted(run_id="r", task="Do", model="m")) == [Message("user", "Do")]


def test_results_answer_under_the_ids_of_their_turn() -> None:
    calls = (Call("f", id="1.1", provider_id="x"), Call("f", id="1.2", provider_id="x"))
    said = SPEECH.turn(Turn(text="hm", calls=calls))
    results = SPEECH.results([(calls[0], Result(data=Raw(b"1"))), (calls[1], Result("error", error="E: no"))])
    assert said.turn is not None
    assert [made.provider_id for made in said.turn.calls] == ["x", "c00001002"]
    assert [message.call.provider_id for message in results if message.call] == ["x", "c00001002"]
    assert [json.loads(message.text)["status"] for message in results] == ["ok", "error"]


def test_turns_without_text_of_their_own_are_put_together() -> None:
    assert SPEECH.turn(Turn(thought="Look first")).text == "Look first"
    assert SPEECH.turn(Turn(answer="4")).text == "4"
    assert SPEECH.turn(Turn()).text == ""


@pytest.mark.parametrize("kind", ["unreadable", "empty", "repeating", "failing", "act_first"])
def test_notes_say_what_to_do_and_what_was_wrong(kind: NoteKind) -> None:
    assert SPEECH.note(NoteAdded(kind=kind)).role == "user"
    assert "What was wrong: two names." in SPEECH.note(NoteAdded(kind=kind, detail="two names.")).text


def test_the_closing_question_keeps_the_tools_but_allows_none() -> None:
    started = RunStarted(run_id="r", task="Do", model="m", settings=Settings(seed=1))
    asked = ModelAsked(number=2, closing="no_progress", max_tokens=9)
    assert "(no progress)" in SPEECH.closing(asked).text
    assert SPEECH.options(started, asked, b"[]") == Options(Settings(seed=1), 9, b"[]", "none")
    assert SPEECH.options(started, ModelAsked(number=1), b"[]").tool_choice == "auto"
