"""Replies whose labels are in another language than the run, or than their few words seem to be."""

import pytest

from loopwright.core.messages import Turn
from loopwright.protocols.labels import ENGLISH, LANGUAGES, labels_of
from loopwright.protocols.react_languages import heard, language_in
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.reading import read_line, tools_of
from loopwright.protocols.speech import Capabilities, Reply

TOOLS = tools_of({"search": {"query": "string"}})
INPUT = '{"query": "phare"}'
STEPS = {
    "de": f"Gedanke: Ich muss suchen.\nAktion: search\nAktionseingabe: {INPUT}",
    "fr": "Réflexion : …\nAction : search\nEntrée : phare",
    "es": f"Pensamiento: hm\nAcción: search {INPUT}",
    "fi": f"**Ajatus:** hm\n**Toiminto:** search {INPUT}",
    "ja": f"思考: hm\n行動: search\n行動入力: {INPUT}",
}


def turn_of(text: str, language: str = "en", **how: str) -> Turn:
    return ReactText(labels=labels_of(language), **how).read(Reply(text=text, finish="stop"), TOOLS)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", sorted(STEPS))
def test_a_saved_reply_is_read_by_its_labels(language: str) -> None:
    assert language_in(STEPS[language]) == language
    asked = {"protocol": "react-text", "tools": {"search": {"query": "string"}}, "reply": STEPS[language]}
    (call,) = read_line(asked)["calls"]
    assert (call["tool"], call["state"]) == ("search", "strict")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Pensée : hm\nAction : search", "fr"),
        ("Thought: hm\nAction: search", "en"),
        ("Thought: Ich weiß nicht, was das ist\nAction: search", "de"),
        ("Gedanke: hm\nPensée: hm", "en"),
        ("Reflexion: hm\nAction: search", "fr"),
        ("Wetter: Aktion", "en"),
    ],
)
def test_labels_count_more_than_words_where_one_language_has_them(text: str, language: str) -> None:
    assert language_in(text) == language


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
@pytest.mark.parametrize("run", ["en", "de", "ja"])
def test_a_run_understands_the_labels_of_every_language(run: str, language: str) -> None:
    other = labels_of(language)
    step = f"{other.thought[0]}: hm\n{other.action[0]}: search {INPUT}"
    turn = turn_of(step, run)
    assert [(call.tool, call.arguments, call.state) for call in turn.calls] == [
        ("search", {"query": "phare"}, "strict")
    ]
    assert turn.thought == "hm"
    assert turn_of(f"{other.thought[0]}: hm\n{other.final[0]}: 42", run).answer == "42"


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_what_the_model_invents_does_not_count_in_any_language(language: str) -> None:
    other = labels_of(language)
    invented = f"{other.thought[0]}: hm\n{other.observation[0]}: 3\n{other.final[0]}: 3"
    assert turn_of(invented).answer is None
    step = f"{other.action[0]}: search {INPUT}\n{other.observation[0]}: 3\n{other.final[0]}: 3"
    turn = turn_of(step)
    assert (turn.answer, len(turn.calls)) == (None, 1)
    assert "3" not in turn.text


def test_what_is_wrong_is_said_in_the_language_of_the_run() -> None:
    turn = turn_of("Gedanke: hm\nAktion: keine")
    assert turn.problem == ENGLISH.problems.no_answer


@pytest.mark.parametrize(
    "text",
    [
        "Thought: hm\nAction: x\nAktion: search {}",
        "plan\nAction: x\nAktion: y",
        "Gedanke: hm\nPensée: hm",
        "I only talk.",
        "<think>Aktion: x</think>hm",
        "",
    ],
)
def test_the_labels_of_the_run_stay_where_it_has_some_or_it_is_not_clear(text: str) -> None:
    assert heard(text, ENGLISH) is ENGLISH


def test_labels_that_are_mixed_are_read_together() -> None:
    assert turn_of("Thought: hm\nAktion: search {}").calls[0].tool == "search"
    assert turn_of("Pensée : hm\nAction : search\nEntrée : phare").calls[0].arguments == {"query": "phare"}


def test_labels_in_thinking_are_not_those_of_the_reply() -> None:
    assert turn_of(f"<think>Thought: so\nAction: x</think>{STEPS['de']}").calls[0].tool == "search"


def test_replies_kept_to_a_form_are_understood_too() -> None:
    speech = ReactText(capabilities=Capabilities(constraint="json_schema"))
    assert speech.read(Reply(text=STEPS["de"], finish="stop"), TOOLS).calls[0].tool == "search"
