"""What every language must bring, and that replies in it are read as those in English are."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, get_args

import pytest
from msgspec.structs import asdict

from loopwright.core.events import ModelAsked, NoteAdded, NoteKind, RunStarted
from loopwright.core.limits import TELLING_BYTES
from loopwright.core.messages import Call, ToolSpec, Turn
from loopwright.protocols.labels import ENGLISH, LANGUAGES, Labels, base_of, labels_of
from loopwright.protocols.native import Native
from loopwright.protocols.react_lines import patterns
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.react_text import ReactText, system_prompt, written
from loopwright.protocols.speech import Capabilities, Reply

WEATHER = ToolSpec("weather", "…", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
PLACE = {"city": "Oulu"}
INPUT = json.dumps(PLACE)
CODES = ["de", "en", "es", "fi", "fr", "he", "ja", "zh"]
KINDS = ("thought", "action", "input", "observation", "final", "answer")
every = pytest.mark.parametrize("labels", LANGUAGES.values(), ids=LANGUAGES)
foreign = pytest.mark.parametrize(
    "labels",
    [labels for labels in LANGUAGES.values() if labels is not ENGLISH],
    ids=[c for c in LANGUAGES if c != "en"],
)
ENGLISH_WORDS = re.compile(
    r"(?:the|and|your?|with|what|write|tools?|answer|thought|reply|call|of|it|is|must|than|limit|used)", re.IGNORECASE
)


def read(text: str, labels: Labels) -> Turn:
    return read_text(text, [WEATHER], labels=labels)


def sentences(labels: Labels) -> Iterator[tuple[str, str]]:
    """All sentences of a language by their names."""
    for part in (labels.wording, labels.reasons, labels.problems):
        for name, text in asdict(part).items():
            yield f"{type(part).__name__}.{name}", text


def calls_in(turn: Turn) -> list[tuple[str, dict[str, Any], str]]:
    return [(call.tool, call.arguments, call.state) for call in turn.calls]


def test_the_languages() -> None:
    assert sorted(LANGUAGES) == CODES
    assert all(labels.language == code for code, labels in LANGUAGES.items())
    assert labels_of("zh-Hant").language == "zh"
    assert labels_of("DE_at").language == "de"
    assert base_of("pt-BR") == "pt"


@every
def test_nothing_is_left_empty(labels: Labels) -> None:
    for name, text in sentences(labels):
        assert text.strip() == text, name
        assert text, name
    for name in (*KINDS, "below", "none", "placeholders", "joiners"):
        assert all(word and word == word.strip() for word in getattr(labels, name)), name
        assert getattr(labels, name), name
    assert all(word == word.lower() for word in (*labels.none, *labels.placeholders)), "none and placeholders"


@every
def test_sentences_take_what_english_sentences_take(labels: Labels) -> None:
    wanted = dict(sentences(ENGLISH))
    for name, text in sentences(labels):
        assert sorted(re.findall(r"\{\w*\}", text)) == sorted(re.findall(r"\{\w*\}", wanted[name])), name


@foreign
def test_no_sentence_is_left_in_english(labels: Labels) -> None:
    for (name, text), (_, english) in zip(sentences(labels), sentences(ENGLISH), strict=True):
        assert text != english, name
        assert not ENGLISH_WORDS.search(text), name


@every
def test_no_label_means_two_things(labels: Labels) -> None:
    words = {kind: {re.sub("[ _-]", "", word).casefold() for word in getattr(labels, kind)} for kind in KINDS}
    for one, other in combinations(KINDS, 2):
        assert not words[one] & words[other], (one, other)
    for kind in ("thought", "action", "observation", "final", "answer"):
        assert not words[kind] & {word.casefold() for word in labels.below}, kind


@every
def test_all_labels_are_read_as_what_they_are(labels: Labels) -> None:
    found = patterns(labels)
    for kind in KINDS:
        for word in getattr(labels, kind):
            for written_so in (f"{word}: x", f"**{word}:** x", f"{word.upper()} 2：x", f"## {word}"):
                match = found.line.match(written_so)
                assert match is not None, written_so
                assert found.kind_of(match) == kind, written_so


@foreign
def test_own_labels_stand_before_the_english_ones(labels: Labels) -> None:
    for kind in KINDS:
        assert set(getattr(ENGLISH, kind)) <= set(getattr(labels, kind)), kind
        own = labels.language == "fr" and kind in ("action", "observation")
        assert own or getattr(labels, kind)[0] != getattr(ENGLISH, kind)[0], kind


@every
def test_the_example_of_the_prompt_reads_back(labels: Labels) -> None:
    prompt = system_prompt([WEATHER], labels)
    example = prompt[prompt.rindex(f"\n{labels.thought[0]}: ") + 1 :]
    turn = read(example, labels)
    assert calls_in(turn) == [("weather", {"city": "..."}, "strict")]
    assert (turn.thought, turn.text) == (labels.wording.thought, example)


@every
def test_instructions_that_are_copied_are_no_step(labels: Labels) -> None:
    form = labels.wording.step.split("\n\n")[1]
    assert read(form, labels).problem == labels.problems.placeholder


@every
def test_the_prompt_names_the_labels(labels: Labels) -> None:
    prompt = system_prompt([WEATHER], labels)
    for kind in ("thought", "action", "final"):
        assert f"\n{getattr(labels, kind)[0]}: " in prompt, kind
    assert labels.observation[0] in prompt
    assert labels.action[0] + ":" not in system_prompt([], labels)


FORMS = {
    "plain": "{t}: {x}\n{a}: weather {j}",
    "with an input of its own": "{t}: {x}\n{a}: weather\n{i}: {j}",
    "bold": "**{t}:** {x}\n**{a}:** weather\n**{i}:** {j}",
    "bold without the colon": "**{t}**: {x}\n**{a}**: weather {j}",
    "numbered": "{t} 1: {x}\n{a} 1: weather\n{i} 1: {j}",
    "headings": "### {t}\n{x}\n\n### {a}\nweather\n\n### {i}\n{j}",
    "fenced": "```\n{t}: {x}\n{a}: weather\n{i}: {j}\n```",
    "full-width colons": "{t}：{x}\n{a}：weather\n{i}：{j}",
    "blanks before the colon": "{t} : {x}\n{a}\u00a0: weather\n{i}\u202f: {j}",
    "direction marks": "\u200f{t}\u200f: {x}\n\u200f{a}\u200f: \u200eweather\u200e\n\u200f{i}:\u200f {j}",
    "square brackets": "{t}: {x}\n{a}: weather[Oulu]",
    "backticks": "{t}: {x}\n{a}: `weather` {j}",
    "fenced input": "{t}: {x}\n{a}: weather\n{i}:\n```json\n{j}\n```",
    "input below the name": "{t}: {x}\n{a}: weather\n{b}: {j}",
    "input in the same line": "{t}: {x}\n{a}: weather {i}: {j}",
}


@every
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_step_is_read_in_every_form(labels: Labels, form: str) -> None:
    x = labels.wording.thought
    for names in (labels, ENGLISH):
        reply = form.format(t=names.thought[0], a=names.action[0], i=names.input[0], b=names.below[0], x=x, j=INPUT)
        turn = read(reply, labels)
        assert (calls_in(turn), turn.thought, turn.problem) == ([("weather", PLACE, "strict")], x, ""), reply


FINALS = {
    "plain": "{t}: {x}\n{f}: 42",
    "bold": "**{t}:** {x}\n\n**{f}:** 42",
    "heading": "## {t}\n{x}\n## {f}\n42",
    "full-width colon": "{t}：{x}\n{f}：42",
    "fenced": "```\n{t}: {x}\n{f}: 42\n```",
    "behind the thought": "{t}: {x} {f}: 42",
    "weak": "{t}: {x}\n{w}: 42",
    "as a tool": "{t}: {x}\n{a}: {f}\n{i}: 42",
}


@every
@pytest.mark.parametrize("form", FINALS.values(), ids=FINALS)
def test_an_answer_is_read_in_every_form(labels: Labels, form: str) -> None:
    for names in (labels, ENGLISH):
        reply = form.format(
            t=names.thought[0],
            f=names.final[0],
            w=names.answer[0],
            a=names.action[0],
            i=names.input[0],
            x=labels.wording.thought,
        )
        turn = read(reply, labels)
        assert (turn.answer, turn.calls) == ("42", ()), reply


@pytest.mark.parametrize("reply", ["思考：足够了。最终答案：42", "思考：もう十分。最終回答：42"])
def test_an_answer_behind_a_full_stop_needs_no_blank(reply: str) -> None:
    assert read(reply, labels_of("ja" if "もう" in reply else "zh")).answer == "42"


@every
def test_reminders_and_the_closing_form_read_back(labels: Labels) -> None:
    label = f"{labels.thought[0]}: "
    step, last = (label + form for form in labels.wording.reminder.split(label)[1:])
    (call,) = read(step.rpartition("\n")[0], labels).calls
    assert len(call.arguments) == 1
    for form in (last, label + labels.wording.form.split(label)[1]):
        assert read(form, labels).answer == "..."


@every
def test_an_invented_observation_is_cut_off(labels: Labels) -> None:
    step = written(Turn(thought="x", calls=(Call("weather", PLACE),)), labels)
    for word in labels.observation:
        for made_up in (f"{word}: 21", f"**{word}:** 21", f"{word}：21", f"{word} 1: 21", f"## {word}\n21"):
            turn = read(f"{step}\n{made_up}\n{labels.thought[0]}: y\n{labels.final[0]}: 21", labels)
            assert (calls_in(turn), turn.answer) == ([("weather", PLACE, "strict")], None), made_up
            assert turn.text == step, made_up
    invented = read(f"{labels.observation[0]}: 21\n{labels.final[0]}: 21", labels)
    assert (invented.answer, invented.problem) == (None, labels.problems.invented)


@every
def test_what_a_stop_mark_leaves_is_no_part_of_an_input(labels: Labels) -> None:
    word = labels.observation[0]
    for rest in (word, word[: max(3, len(word) // 2)], f"\u200f{word}"):
        (call,) = read(f"{labels.action[0]}: weather\n{labels.input[0]}: Oulu\n{rest}", labels).calls
        assert (call.arguments, call.text) == (PLACE, "Oulu"), rest


@every
def test_words_for_no_action(labels: Labels) -> None:
    for word in labels.none:
        for said in (word, f"{word.capitalize()}.", f"({word})", f"{word}。"):
            step = f"{labels.thought[0]}: x\n{labels.action[0]}: {said}"
            assert read(step, labels).problem == labels.problems.no_answer, said
            assert read(f"{step}\n{labels.final[0]}: 42", labels).answer == "42", said


@every
def test_two_calls_on_a_line(labels: Labels) -> None:
    for word in labels.joiners:
        spaced = "" if labels.language in ("zh", "ja") and not word.isascii() else " "
        line = f"{labels.action[0]}: weather[Oulu]{spaced}{word}{spaced}weather[Turku]"
        assert calls_in(read(line, labels)) == [("weather", {"city": c}, "strict") for c in ("Oulu", "Turku")], line


@pytest.mark.parametrize(
    ("written_so", "city"),
    [
        ("「大阪」", "大阪"),
        ("『大阪』", "大阪"),
        ("״אילת״", "אילת"),
        ("ארה״ב", "ארה״ב"),
        ("„Köln“", "Köln"),
        ("«Cádiz»", "Cádiz"),
    ],
)
def test_quotes_around_an_input(written_so: str, city: str) -> None:
    assert read(f"Action: weather\nAction Input: {written_so}", ENGLISH).calls[0].arguments == {"city": city}


def test_letters_that_only_look_like_those_of_a_label_are_no_label() -> None:
    assert read("Act\u0131on: weather[Oulu]", ENGLISH).problem == ENGLISH.problems.no_label
    assert read("Final An\u017fwer: 42", ENGLISH).answer == "42"


@every
@pytest.mark.parametrize("kind", get_args(NoteKind))
def test_every_note_keeps_to_what_the_ledger_sets_aside(labels: Labels, kind: NoteKind) -> None:
    for speech in (ReactText(labels=labels), Native(labels=labels)):
        for detail in ("", *asdict(labels.problems).values()):
            text = speech.note(NoteAdded(kind=kind, detail=detail)).text
            assert detail in text
            assert len(text.encode()) - len(detail.encode()) < TELLING_BYTES, (speech, detail)


@every
def test_the_request_for_the_closing_answer_keeps_to_it_too(labels: Labels) -> None:
    for speech in (ReactText(labels=labels), Native(labels=labels)):
        for cause, words in {**asdict(labels.reasons), "other_cause": "other cause"}.items():
            text = speech.closing(ModelAsked(number=2, closing=cause)).text
            assert words in text
            assert len(text.encode()) < TELLING_BYTES


@every
def test_notes_name_labels_in_text_form_only(labels: Labels) -> None:
    native, text = Native(labels=labels), ReactText(labels=labels)
    for kind in get_args(NoteKind):
        said = native.note(NoteAdded(kind=kind)).text
        assert f"{labels.final[0]}:" not in said, kind
        assert (f"{labels.final[0]}: ..." in text.note(NoteAdded(kind=kind)).text) == (kind in ("unreadable", "empty"))
    assert f"\n{labels.final[0]}: ..." in text.closing(ModelAsked(number=2, closing="steps")).text


@every
def test_problems_of_native_replies_are_in_the_language(labels: Labels) -> None:
    speech = Native(labels=labels)
    assert speech.read(Reply("x", finish="length"), []).problem == labels.problems.cut
    assert speech.read(Reply("x", complete=False), []).problem == labels.problems.broken_off


@every
def test_stop_marks_and_grammar_are_of_the_language(labels: Labels) -> None:
    started = RunStarted(run_id="r", task="?", model="m", tools=(WEATHER,))
    stop = ReactText(labels=labels).options(started, ModelAsked(number=1), b"").stop
    assert stop[0] == f"\n{labels.observation[0]}:"
    assert len(stop) == len(labels.colons) < 4
    assert (
        ReactText(labels=labels, capabilities=Capabilities(stop=False)).options(started, ModelAsked(number=1), b"").stop
        == ()
    )
