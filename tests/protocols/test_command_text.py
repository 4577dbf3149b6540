"""How a model is spoken to that sends free commands to an environment, and how its replies are read."""

from typing import Any

import pytest
from msgspec import Raw

from loopwright.core.events import ModelAsked, NoteAdded, RunStarted
from loopwright.core.messages import Call, ObservationRole, Result, ToolSpec, Turn
from loopwright.protocols.command_sentences import SENTENCES
from loopwright.protocols.command_text import CommandText, command_of, command_prompt, is_free_form
from loopwright.protocols.labels import ENGLISH, LANGUAGES, labels_of
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.speech import Capabilities, Reply, WireCall

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"command": {"type": "string", "description": "such as: go to desk 1"}},
    "required": ["command"],
}
ACT = ToolSpec("act", "Go, take, open.", parameters=PARAMETERS, free_form=True)
STARTED = RunStarted(run_id="r", task="Find a pen.", model="m", tools=(ACT,), instructions="Be quick.")
PROBLEMS = ENGLISH.problems


def go(command: str, **more: Any) -> Call:
    return Call("act", {"command": command}, text=command, **more)


def read(text: str, **more: Any) -> Turn:
    return CommandText().read(Reply(text=text, finish="stop"), (ACT,), **more)


def test_the_opening_tells_the_form_of_a_command_and_nothing_of_actions() -> None:
    system, task = CommandText().opening(STARTED)
    assert system.text.startswith("Be quick.\n\nYou act in an environment")
    assert "Go, take, open.\nsuch as: go to desk 1" in system.text
    assert "> think:" in system.text
    assert "Final Answer: " in system.text
    assert "Action" not in system.text + task.text
    assert task.text == "Find a pen."
    assert command_prompt(ToolSpec("act", parameters={})).count("\n\n") == 5


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_its_sentences_and_reads_what_they_ask_for(code: str) -> None:
    labels, sentences = labels_of(code), SENTENCES[code]
    assert command_prompt(ACT, labels).endswith(f"{labels.final[0]}: {sentences.answer}")
    assert read_text(f"> think: a\n{labels.final[0]}: b", [ACT], labels=labels, command=True).answer == "b"


def test_a_turn_goes_back_as_it_was_said_and_another_as_commands() -> None:
    speech = CommandText()
    assert speech.turn(Turn(calls=(go("look"),), text="look")).text == "look"
    told = speech.turn(Turn(thought="I see\nnothing.", calls=(go("go to\ndesk 1"),)))
    assert told.text == "> think: I see nothing.\n> go to desk 1"
    assert speech.turn(Turn(thought="It is done.", answer="Done.")).text == "> think: It is done.\nFinal Answer: Done."


def test_the_command_of_a_call_that_has_no_argument_for_it_is_its_text() -> None:
    assert command_of(Call("act", text="look", state="rejected")) == "look"


def test_the_environment_speaks_without_a_label() -> None:
    (message,) = CommandText().results([(go("look"), Result(data=Raw(b'"A desk 1."')))])
    assert (message.role, message.text) == ("user", "A desk 1.")


@pytest.mark.parametrize(("role", "says"), [("user", "user"), ("system", "system"), ("tool", "user")])
def test_a_thought_is_answered_as_an_environment_does(role: ObservationRole, says: str) -> None:
    message = CommandText(observation_role=role).note(NoteAdded(kind="thinking"))
    assert message.role == says
    assert message.text == "OK.\nWrite one of these:\n> ...\nFinal Answer: ..."


def test_reminders_show_the_forms_of_a_command() -> None:
    speech = CommandText()
    unread, empty = speech.note(NoteAdded(kind="unreadable")).text, speech.note(NoteAdded(kind="empty")).text
    assert PROBLEMS.command in unread
    for text in (unread, empty):
        assert text.endswith("\n> ...\nFinal Answer: ...")
        assert "Action" not in text
    assert speech.closing(ModelAsked(number=2, closing="steps")).text.endswith("\nFinal Answer: ...")


def test_no_constraint_keeps_a_free_command_to_a_form() -> None:
    speech = CommandText(capabilities=Capabilities(constraint="json_schema"))
    options = speech.options(STARTED, ModelAsked(number=1), b"")
    assert (options.grammar, options.extra) == ("", {})


READ: dict[str, tuple[str, Turn]] = {
    "command": ("> go to desk 1", Turn(calls=(go("go to desk 1"),), text="> go to desk 1")),
    "thought and command": (
        "> think: A pen.\n> look\nYou see a pen.\n> take pen 1",
        Turn(thought="A pen.", calls=(go("look"),), text="> think: A pen.\n> look"),
    ),
    "thought": ("think: A pen.", Turn(thought="A pen.", text="think: A pen.")),
    "acknowledged by itself": (
        "> think: A pen.\nOK.\n> look",
        Turn(thought="A pen.", text="> think: A pen."),
    ),
    "label alone": ("Action:\nlook", Turn(calls=(go("look"),), text="Action:\nlook")),
    "invented": ("> think: A pen.\nObservation: a pen\n> take pen 1", Turn(thought="A pen.", text="> think: A pen.")),
    "invented at once": (
        "Observation: a pen\n> take pen 1",
        Turn(text="Observation: a pen\n> take pen 1", problem=PROBLEMS.command),
    ),
    "answer": (
        "> think: It lies there.\nFinal Answer: It is\n\n- on desk 1",
        Turn(
            thought="It lies there.",
            answer="It is\n\n- on desk 1",
            text="> think: It lies there.\nFinal Answer: It is\n\n- on desk 1",
        ),
    ),
    "weak answer": ("Answer: no", Turn(answer="no", text="Answer: no")),
    "no answer": ("Final Answer:", Turn(text="Final Answer:", problem=PROBLEMS.empty_answer)),
    "leak": (
        '<tool_call>{"name": "act", "arguments": {"command": "look"}}</tool_call>',
        Turn(calls=(Call("act", {"command": "look"}, text='{"command": "look"}'),)),
    ),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=READ)
def test_replies(text: str, expected: Turn) -> None:
    turn = read(text)
    assert (turn.thought, turn.answer, turn.problem, turn.text) == (
        expected.thought, expected.answer, expected.problem, expected.text,
    )  # fmt: skip
    assert [(call.tool, call.arguments) for call in turn.calls] == [
        (call.tool, call.arguments) for call in expected.calls
    ]


def test_calls_in_the_fields_of_the_provider_count_beside_talk() -> None:
    reply = Reply(
        text="I will look around.", calls=(WireCall("c1", "act", '{"command": "look"}'),), finish="tool_calls"
    )
    assert [call.arguments for call in CommandText().read(reply, (ACT,)).calls] == [{"command": "look"}]


CLOSED: dict[str, tuple[str, str | None, int]] = {
    "labelled": ("Final Answer: On desk 1.", "On desk 1.", 0),
    "plain": ("On desk 1.", "On desk 1.", 0),
    "a few words": ("on desk 1", "on desk 1", 0),
    "thought": ("think: I never found it.", "I never found it.", 0),
    "command": ("> look", None, 1),
    "labelled command": ("Action: look", None, 1),
}


@pytest.mark.parametrize(("text", "answer", "made"), CLOSED.values(), ids=CLOSED)
def test_the_closing_reply(text: str, answer: str | None, made: int) -> None:
    turn = read(text, closing=True)
    assert (turn.answer, len(turn.calls)) == (answer, made)


def test_what_was_cut_is_neither_a_command_nor_an_answer() -> None:
    speech = CommandText()
    assert speech.read(Reply(text="> go to de", finish="length"), (ACT,)).calls[0].state == "rejected"
    assert speech.read(Reply(text="Final Answer: on de", finish="length"), (ACT,)).problem == PROBLEMS.cut
    last = speech.read(Reply(text="Final Answer: on de", finish="length"), (ACT,), closing=True)
    assert last.answer == "on de"


def test_commands_are_all_that_can_be_said_where_the_only_tool_takes_them() -> None:
    assert is_free_form((ACT,))
    assert not is_free_form((ACT, ToolSpec("look")))
    assert not is_free_form((ToolSpec("look"),))
    assert not is_free_form(())
