"""What the training data says is true: comparisons, verdicts, figures, and the sentence of a document that answers."""

import random
import re

import pytest

from training.drills import DRILLS
from training.evaluation.tasks import TASKS
from training.generate import LONGEST, episodes
from training.held_out import sounds_like
from training.names import SMALL
from training.pairs import TWOS
from training.shelves import SHELVES, keywords
from training.things import THINGS, things
from training.toolbox_money import MONEY
from training.toolbox_sums import SUMS
from training.trajectories import Episode, faults, messages

_COMPARED = re.compile(r"(?<![\w.-])(-?\d+(?:\.\d+)?) is (more|less) than (-?\d+(?:\.\d+)?)(?!\d|[.,]\d)")
_VERDICT = re.compile(r"Is it (more|less) than (-?\d+(?:\.\d+)?)\? (-?\d+(?:\.\d+)?) is [^?]*, so (yes|no)\.")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
MADE = ("things", "documents", "read then", "purchase", "conversion", "bet", "threshold", "condition", "compare", "two")


@pytest.fixture(scope="module")
def some() -> list[Episode]:
    return list(episodes(2500, seed=8))


def thoughts(one: Episode) -> list[str]:
    return [*(step.thought for step in one.steps), one.thought]


def test_every_comparison_in_a_thought_is_true(some: list[Episode]) -> None:
    found = [match for one in some for thought in thoughts(one) for match in _COMPARED.findall(thought)]
    assert len(found) > 300
    for left, order, right in found:
        assert (float(left) > float(right)) == (order == "more"), (left, order, right)
        assert float(left) != float(right)


def test_every_verdict_follows_from_its_numbers(some: list[Episode]) -> None:
    verdicts = [(one, *match) for one in some for thought in thoughts(one) for match in _VERDICT.findall(thought)]
    assert len(verdicts) > 150
    for one, order, limit, value, yes in verdicts:
        holds = float(value) > float(limit) if order == "more" else float(value) < float(limit)
        assert holds == (yes == "yes"), one
        if one.family == "threshold":
            assert one.answer.lower().startswith(yes), one


def test_no_figure_of_an_answer_comes_from_nowhere(some: list[Episode]) -> None:
    def figures(text: str) -> set[float]:
        return {float(found.replace(",", "")) for found in _NUMBER.findall(text)}

    for one in some:
        if one.family in MADE:
            seen = " ".join(message.content for message in messages(one) if message.role == "user")
            words = {float(number) for number, word in enumerate(SMALL, 2) if word in seen.lower()}
            assert figures(one.answer) <= figures(seen) | words, (one.task, one.answer)


def test_won_and_met_follow_from_the_rain(some: list[Episode]) -> None:
    pattern = re.compile(r"(rains in|does not rain in).*The (?:bet was on|condition is) (rain|no rain), so it is (\w+)")
    found = [match for one in some for thought in thoughts(one) for match in pattern.findall(thought)]
    assert len(found) > 50
    for rain, wanted, verdict in found:
        assert (verdict in ("won", "met")) == ((rain == "rains in") == (wanted == "rain")), (rain, wanted, verdict)


def test_the_sentence_that_answers_stands_in_what_was_read() -> None:
    chance = random.Random(5)
    places = list[int]()
    read = next(maker for _, maker in SHELVES if maker.__name__ == "read")
    for _ in range(200):
        one = read(chance)
        shown = bytes(one.steps[-1].result.data).decode()
        assert one.answer in shown
        places.append(shown.count(". ", 0, shown.index(one.answer)))
    assert sum(place > 1 for place in places) > 60, "the answer must not always be the first sentence"


def test_keywords_are_what_a_question_is_about() -> None:
    assert keywords("How many beds does the Norby mill have?") == ["beds", "Norby", "mill"]
    assert keywords("Who is it?") == []


def test_all_makers_make_what_is_well_formed() -> None:
    chance = random.Random(2)
    for _, maker in (*DRILLS, *SHELVES, *THINGS, *TWOS, *MONEY, *SUMS):
        for _ in range(40):
            one = maker(chance)
            assert not faults(one, LONGEST), (maker.__name__, one)
    assert len(things()) > 50


def test_a_question_put_as_in_the_evaluation_is_noticed() -> None:
    long = [task.question for task in TASKS if len(task.question.split()) > 12]
    assert long
    for question in long:
        assert sounds_like(question)
        assert sounds_like(re.sub(r"\d+", "77", question))
    assert not sounds_like("What is the price of a bed in the hut above the lake, and is it open on Sundays?")
