"""Episodes with invented tools: nothing in them is made up, and all of it can be learnt from what is shown."""

import datetime as dt
import json
import random
import re
from functools import cache
from typing import Any, cast

import msgspec
import pytest

from training.invented import KINDS, distractors, episode
from training.invented_phrases import NUMBERS
from training.invented_reading import concepts
from training.trajectories import Episode, faults, messages

MANY = 3000


@cache
def many() -> list[Episode]:
    return [episode(random.Random(seed)) for seed in range(MANY)]


def seen(one: Episode, steps: int) -> str:
    """All that the model has read before a step."""
    results = [f"{bytes(step.result.data).decode()} {step.result.error}" for step in one.steps[:steps]]
    return "\n".join((one.task, *(text.replace('\\"', '"') for text in results)))


def enumerated(one: Episode, tool: str, name: str) -> bool:
    spec = next(spec for spec in one.tools if spec.name == tool)
    part: dict[str, Any] = spec.parameters["properties"][name]
    return "enum" in part or part["type"] == "boolean"


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text)))


def leaves(given: Any) -> list[Any]:
    return cast("list[Any]", given) if isinstance(given, list) else [given]


def test_no_episode_has_a_fault() -> None:
    assert [(one.task, faults(one, 300)) for one in many() if faults(one, 300)] == []


def test_arguments_are_read_from_the_question_or_from_an_earlier_result() -> None:
    for one in many():
        for place, step in enumerate(one.steps):
            text = seen(one, place)
            for name, given in step.arguments.items():
                if enumerated(one, step.tool, name):
                    continue
                for leaf in leaves(given):
                    if isinstance(leaf, str) and re.fullmatch(r"20\d\d-\d\d-\d\d", leaf) and leaf not in text:
                        year, month, day = (int(part) for part in leaf.split("-"))
                        spoken = f"{dt.date(year, month, day):%B}"
                        assert {str(year), str(day)} <= numbers(text), (one.task, leaf)
                        assert spoken in text
                    elif isinstance(leaf, str):
                        assert leaf.lower() in text.lower(), (one.task, name, leaf)
                    else:
                        in_words = isinstance(leaf, int) and 2 <= leaf <= 12 and NUMBERS[leaf - 2] in text
                        assert in_words or numbers(str(leaf)) <= numbers(text), (one.task, leaf)


def test_answers_hold_no_number_that_was_not_read() -> None:
    for one in many():
        if one.steps:
            assert numbers(one.answer) <= numbers(seen(one, len(one.steps))), (one.task, one.answer)


def test_optional_parameters_are_given_only_where_the_question_asks() -> None:
    optional = given = 0
    for one in many():
        for step in one.steps:
            spec = next(spec for spec in one.tools if spec.name == step.tool)
            free = set(spec.parameters["properties"]) - set(spec.parameters.get("required", ()))
            optional += len(free)
            given += len(free & set(step.arguments))
    assert 0.05 < given / optional < 0.6


def test_no_tool_is_offered_twice() -> None:
    for one in many():
        assert len({spec.name for spec in one.tools}) == len(one.tools) <= 5


def test_episodes_are_distinct() -> None:
    tasks = {one.task for one in many()}
    chats = {msgspec.json.encode([said.content for said in messages(one)]) for one in many()}
    assert len(chats) > 0.99 * MANY
    assert len(tasks) > 0.95 * MANY


def test_an_episode_follows_from_the_seed() -> None:
    assert episode(random.Random(7)) == episode(random.Random(7))
    assert distractors(random.Random(7), 4) == distractors(random.Random(7), 4)


def test_all_that_has_to_be_learnt_occurs() -> None:
    statuses = {step.result.status for one in many() for step in one.steps}
    assert statuses == {"ok", "not_found", "error"}
    failed = sum(any(step.result.status != "ok" for step in one.steps) for one in many()) / MANY
    calls = [len(one.steps) for one in many()]
    assert 0.06 < failed < 0.2
    assert 0.04 < calls.count(0) / MANY < 0.15
    assert 0.15 < calls.count(2) / MANY < 0.45
    assert len({step.tool for one in many() for step in one.steps}) > 1000


def test_lines_are_short() -> None:
    lengths = [sum(len(said.content) for said in messages(one)) for one in many()]
    assert sum(lengths) / MANY < 900


def test_distractors_have_names_of_their_own() -> None:
    for seed in range(50):
        specs = distractors(random.Random(seed), 5)
        assert len({spec.name for spec in specs}) == 5


@pytest.mark.parametrize("key", sorted(concepts()))
def test_a_tool_can_be_told_in_several_ways(key: str) -> None:
    concept = concepts()[key]
    fields = {part.slot for part in concept.gives}
    slots = {part.slot for part in concept.takes}
    assert len(concept.names) >= 2
    assert len(concept.about) >= 2
    assert fields
    assert not fields & slots
    assert set(re.findall(r"\{(\w+)\}", concept.lost)) <= concept.needed
    assert concept.aims
    for aim in concept.aims:
        assert aim.needs
        assert aim.facts
        assert not aim.number or aim.number in fields
        for ask in (*aim.asks, *aim.needs):
            assert concept.needed <= set(re.findall(r"\{(\w+)\}", ask)) <= slots, ask
        assert set(re.findall(r"\{(\w+)\}", aim.needs[0])) == concept.needed
        for fact in aim.facts:
            assert set(re.findall(r"\{(\w+)\}", fact)) <= concept.needed | fields, fact


def test_what_one_tool_finds_another_takes() -> None:
    chains = [(concept, pair) for concept in concepts().values() for pair in concept.then]
    assert chains
    for concept, (key, slot) in chains:
        target = next(part for part in concepts()[key].takes if part.slot == slot)
        assert target.source == concept.gives[0].source, (concept.key, key)


def test_what_a_fact_names_goes_into_another_tool() -> None:
    pipes = [(concept, aim, aim.into) for concept in concepts().values() for aim in concept.aims if aim.into]
    assert len(pipes) > 10
    for concept, aim, (key, slot, template) in pipes:
        target = concepts()[key]
        assert slot in target.needed
        assert slot in set(re.findall(r"\{(\w+)\}", target.aims[0].facts[0])) | {slot}
        assert set(re.findall(r"\{(\w+)\}", template)) == (target.needed - {slot}) | {"need"}, (concept.key, aim.needs)


def test_the_tools_that_must_not_lie_together_exist() -> None:
    for concept in concepts().values():
        assert set(concept.apart) <= set(concepts())


def test_every_kind_is_made() -> None:
    assert len(KINDS) >= 10
    assert json.dumps(sorted({one.family for one in many()})) == '["invented"]'
