"""Where values come from: whole words side by side in one text, and numbers; in time that does not grow."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.json import encode

from loopwright.core import origins
from loopwright.core.origins import Origins, Trace, number_in, number_of, words_of

ANY: dict[str, Any] = {"type": "object", "properties": {}}


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def knowing(*said: str | Raw) -> Origins:
    found = Origins()
    for text in said:
        found.add(text)
    return found


def stems(value: Any, *said: str | Raw) -> bool:
    return knowing(*said).trace({"value": value}, schema(value={})) == Trace("", linked=True)


TASK = (
    'Please pay the bill in "bill-december-2023.txt" ($1,250.50) to Emma Johnson\'s account DE89370400440532013000, '
    "then write to alice@example.com (and bob@work.org) about “Team Lunch” at https://intra.example/menu?week=7."
)


@pytest.mark.parametrize(
    "value",
    [
        *("bill-december-2023.txt", "DE89370400440532013000", "alice@example.com", "bob@work.org", "Team Lunch"),
        *("team lunch", "Emma Johnson", "https://intra.example/menu?week=7", "Team  Lunch!", "the bill in", TASK),
        *(1250.5, ["alice@example.com", "bob@work.org"]),
    ],
)
def test_what_stands_in_the_task_stems_from_it(value: Any) -> None:
    assert stems(value, TASK)


@pytest.mark.parametrize(
    "value",
    [
        *("alice@work.org", "bob@example.com", "example.com", "bill-december-2023", "2023.txt", "DE8937040044"),
        *("Emma Lunch", "Lunch Team", "Alice", "https://intra.example/menu", "intra.example", "evil@example.com"),
        *(["alice@example.com", "eve@evil.org"], 1250, 250, 1, 2023, 7, 1e400, 1 << 1100),
    ],
)
def test_what_is_put_together_from_pieces_does_not(value: Any) -> None:
    assert not stems(value, TASK)


@pytest.mark.parametrize(
    "value", ["a", "to", "the", "in", "and the", "all", "*", "..", "/", "", " ", None, True, False, [], {}]
)
def test_what_says_too_little_links_no_call_to_the_task(value: Any) -> None:
    assert not knowing("all in all, give the * to a man / and the .. rest").trace({"v": value}, schema(v={})).linked


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("info@strasse.example", "info@straße.example"),
        ("the firm", "the ﬁrm"),
        ("the key.txt", "the \u212aey.txt"),
        ("the list.txt", "the li\u017ft.txt"),
    ],
)
def test_letters_that_only_fold_to_the_same_are_others(said: str, value: str) -> None:
    assert not stems(value, said)
    assert stems(said.upper(), said)


RUN = "run cat report.csv notes.txt; then (a.org) and `b.org`"


@pytest.mark.parametrize(
    "value", ["cat report.csv", "report.csv notes.txt;", "(a.org)", "a.org", "b.org", "`b.org`", "RUN Cat"]
)
def test_a_value_may_have_the_marks_that_it_was_said_with_or_none(value: str) -> None:
    assert stems(value, RUN)


@pytest.mark.parametrize(
    "value",
    [
        *("cat report.csv> notes.txt", "cat `report.csv` notes.txt", "cat report.csv; notes.txt", "<cat report.csv"),
        *("cat report.csv\nnotes.txt", "cat\rreport.csv", "(b.org)", "`a.org`", "{a.org}", "[a.org]", "a.org;"),
    ],
)
def test_a_value_has_no_marks_that_steer_and_that_nobody_said(value: str) -> None:
    assert not stems(value, RUN)


def test_capitals_make_no_difference_in_any_script() -> None:
    assert stems("MÜNCHEN Αθήνα", "münchen ΑΘΉΝΑ")


def test_words_behind_each_other_in_two_texts_are_not_side_by_side() -> None:
    assert not stems("Emma Johnson", "Ask Emma", "Johnson is away")
    assert not stems("Emma Johnson", Raw(encode(["Emma", "Johnson"])))
    assert stems("Emma Johnson", "Ask Emma", "Emma Johnson is away")


def test_scripts_without_spaces_are_read_sign_by_sign() -> None:
    task = "请把邮件发给alice@example.com和王小明。"
    assert stems("王小明", task)
    assert stems("alice@example.com", task)
    assert not stems("王明", task)
    assert not stems("王", task)


def test_a_time_stems_from_the_day_that_was_said() -> None:
    task = "one hour with Sarah on 2024-05-19 at 12:00"
    assert all(stems(value, task) for value in ("2024-05-19", "2024-05-19 12:00", "2024-05-19T13:00:00"))
    odd = ("2024-05-20 12:00", "2024-05-19 12:00 evil", "2024-05-19 12:0", "x2024-05-19 12:00", "2024-05-19T12:00+evil")
    assert not any(stems(value, task) for value in odd)
    assert not stems("2024-05-19 12:00", "see 2024-05-19.txt")


def test_a_dot_in_front_and_a_slash_count() -> None:
    assert not stems(".env", "read env now")
    assert not stems("../notes", "read notes now")
    assert stems(".env", "read .env now")


def test_the_data_of_a_result_counts_with_its_keys_and_numbers() -> None:
    data = Raw(encode({"contact": {"mail": "eva@example.com", "age": 41, "rate": 0.5, "known": True}, "rest": None}))
    assert all(stems(value, data) for value in ("eva@example.com", 41, 41.0, 0.5, "contact"))
    assert not stems("eva", data)
    assert not stems(1, data)
    assert not stems("eva@example.com", Raw(b"{broken"))


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("$1,250.50", "1250.50"),
        ("1'000'000", "1000000"),
        ("12,5", "12.5"),
        ("20%", "20"),
        ("3rd", "3"),
        ("-3", "-3"),
        ("+4", "4"),
        ("٣", "3"),
        *((word, None) for word in ("2024-05-15", "10:30", "id9", "x1.5", "GB29", "1.2.3", "3pm", "week=7", "", "$")),
    ],
)
def test_a_word_that_is_a_number(word: str, number: str | None) -> None:
    assert number_in(word) == (None if number is None else Decimal(number))


def test_a_number_is_the_same_however_it_is_written() -> None:
    assert number_of(100) == number_of(100.0) == Decimal("1e2")
    assert number_of(0.1) == Decimal("0.1")
    assert number_of("1") is None
    assert number_of(True) is None


# --- what the schema offers


@pytest.mark.parametrize(
    ("value", "parameter"),
    [
        ("fast", {"enum": ["fast", "slow"]}),
        ("fast", {"const": "fast"}),
        (50, {"default": 50}),
        (["evil"], {"default": ["evil"]}),
        ("fast", {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Speed"}]}),
        (["fast", "slow"], {"items": {"$ref": "#/$defs/Speed"}}),
        ({"speed": "fast"}, {"properties": {"speed": {"enum": ["fast"]}}}),
        ({"speed": "fast"}, {"allOf": [{"properties": {"speed": {"enum": ["fast"]}}}]}),
    ],
)
def test_what_the_schema_offers_needs_nobodys_word_and_links_nothing(value: Any, parameter: Any) -> None:
    parameters = schema(v=parameter) | {"$defs": {"Speed": {"enum": ["fast", "slow"]}}}
    assert Origins().trace({"v": value}, parameters) == Trace("", linked=False)


@pytest.mark.parametrize(
    ("value", "parameter"),
    [
        ("faster", {"enum": ["fast", "slow"]}),
        (1, {"default": True}),
        (1.0, {"default": 1}),
        (["evil"], {"items": {"enum": ["fast"]}}),
        ({"evil": "fast"}, {"additionalProperties": {"enum": ["fast"]}}),
        ({"other": 1}, {"properties": {"speed": {}}}),
        ("fast", {"$ref": "#/$defs/Nothing"}),
        ("fast", {"$ref": "elsewhere"}),
        ("fast", True),
    ],
)
def test_anything_else_does(value: Any, parameter: Any) -> None:
    assert Origins().trace({"v": value}, schema(v=parameter)) == Trace("v", linked=False)


def test_a_schema_that_refers_to_itself_ends() -> None:
    parameters = schema(v={"$ref": "#/$defs/Tree"}) | {"$defs": {"Tree": {"anyOf": [{"$ref": "#/$defs/Tree"}]}}}
    assert Origins().trace({"v": "leaf"}, parameters).stray == "v"


def test_a_schema_whose_circles_multiply_is_read_once() -> None:
    tree: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/Tree"}] * 50, "properties": {"in": {"$ref": "#/$defs/Tree"}}}
    value: Any = "leaf"
    for _ in range(50):
        value = {"in": value}
    assert Origins().trace({"v": value}, schema(v={"$ref": "#/$defs/Tree"}) | {"$defs": {"Tree": tree}}).stray == "v"


@pytest.mark.parametrize("odd", [5, None, "text", [], {}, [5], {"in": 5}, True])
@pytest.mark.parametrize("word", ["anyOf", "enum", "properties", "$ref", "items", "additionalProperties", "$defs"])
def test_a_schema_that_is_none_offers_nothing(word: str, odd: Any) -> None:
    for value in ("leaf", ["leaf"], {"in": "leaf"}):
        parameters = schema(v={word: odd, "allOf": [{"$ref": "#/$defs/Some"}]}) | {word: odd}
        assert Origins().trace({"v": value}, parameters).stray == "v"


def test_the_first_argument_that_nobody_said_is_named() -> None:
    found = knowing("pay Emma Johnson").trace(
        {"to": "Emma Johnson", "iban": "X99", "n": 5}, ANY | {"properties": {"to": {}, "iban": {}}}
    )
    assert found == Trace("iban", linked=True)
    assert Origins().trace({"made up": None}, ANY).stray == "made up"
    assert Origins().trace({}, ANY) == Trace("", linked=False)


# --- laws, against a search that simply looks everywhere

WORDS = st.sampled_from(
    ["emma", "johnson", "emma's", "(emma)", "pay", "50", "a@x.org", "b@x.org", "x", "王", "the", "*"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


def everywhere(value: str, texts: Sequence[str]) -> bool:
    wanted = list(words_of(value))
    spoken = [list(words_of(text)) for text in texts]
    return any(
        words[start : start + len(wanted)] == wanted
        for words in spoken
        for start in range(len(words) - len(wanted) + 1)
    )


@given(TEXTS, st.lists(TEXTS, max_size=5))
def test_a_text_is_known_only_where_its_words_stand_side_by_side_in_one_text(value: str, texts: list[str]) -> None:
    known = knowing(*texts).trace({"v": value}, schema(v={})) == Trace("", linked=True)
    assert not known or everywhere(value, texts)
    telling = sum(len(word) for word in words_of(value)) >= 8
    vague = "(" in value or set(words_of(value)) <= {"the", "x", "*", "50", "王"}
    assert known or not telling or not everywhere(value, texts) or vague


@given(TEXTS, st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4))
def test_what_is_known_stays_known_in_any_order(value: str, first: list[str], more: list[str]) -> None:
    def known(texts: list[str]) -> Trace:
        return knowing(*texts).trace({"v": value}, schema(v={}))

    assert known(first) == known(first[::-1])
    assert known(first + more).linked >= known(first).linked
    assert known(first + more) == knowing(*first, Raw(encode(more))).trace({"v": value}, schema(v={}))


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.lists(st.integers(), max_size=5))
def test_a_number_is_known_only_where_it_was_said(number: float, said: list[int]) -> None:
    for text in (" and ".join(map(str, said)), Raw(encode(said)) if all(abs(one) < 1 << 63 for one in said) else ""):
        if text:
            assert stems(number, text) == (number in said)


@given(st.lists(st.sampled_from(["emma johnson", "emma jones", "a@x.org", "7"]), max_size=300))
def test_asking_early_or_late_makes_no_difference(texts: list[str]) -> None:
    early, late = Origins(), Origins()
    for text in texts:
        early.add(text)
        late.add(text)
        early.trace({"v": "x"}, ANY)
    for value in ("emma johnson", "johnson emma", "a@x.org", 7):
        assert early.trace({"v": value}, schema(v={})) == late.trace({"v": value}, schema(v={}))
    assert early.words == late.words


# --- bounds


def test_the_memory_is_bounded_and_then_nothing_more_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origins, "MOST_WORDS", 10)
    found = knowing("first words", " ".join(f"word{n}" for n in range(50)), Raw(encode(list(range(50)))), "never heard")
    assert found.trace({"v": "first words"}, schema(v={})).linked
    assert not found.trace({"v": "word40"}, schema(v={})).linked
    assert len(found.words) <= 11
    found.add("late words")
    assert not found.trace({"v": "late words"}, schema(v={})).linked
    assert not found.waiting


def test_texts_do_not_wait_for_ever() -> None:
    found = knowing(*(f"text {n}" for n in range(origins.MOST_WAITING)))
    assert not found.waiting
    assert found.words


def test_a_word_that_stands_everywhere_is_looked_for_at_few_places() -> None:
    found = knowing("emma jones " * 1000 + "emma johnson", "johnson emma")
    found.trace({}, ANY)
    assert len(found.places["emma"]) == origins.PLACES
    assert found.trace({"v": "emma johnson"}, schema(v={})).linked
    assert found.trace({"v": "johnson emma"}, schema(v={})).linked
    assert not found.trace({"v": "emma emma"}, schema(v={})).linked
