"""Whole runs in other languages: told, answered and reminded in the language of the task."""

from typing import Any, cast

import pytest

from loopwright import Agent
from loopwright.core.errors import UsageError
from loopwright.core.events import Event, NoteAdded, RunStarted
from loopwright.core.messages import Limits
from loopwright.protocols.labels import LANGUAGES, labels_of
from loopwright.testing.scripted import Asked, Entry, ScriptedModel, answers, calls, says
from loopwright.tools.declare import tool


@tool(effect="read")
def wetter(stadt: str) -> dict[str, Any]:
    """Das Wetter in einer Stadt."""
    return {"stadt": stadt, "grad": 4}


@tool(effect="read")
def tenki(toshi: str) -> str:
    """都市の天気。"""
    return f"{toshi}は晴れ、21度"


def agent_of(
    replies: list[Entry], *tools: Any, way: str = "text", **more: Any
) -> tuple[Agent, ScriptedModel, list[Event]]:
    """An agent over a script, and the events that happen in its runs."""
    spoken = cast("Any", way)
    model, happened = ScriptedModel(replies=tuple(replies), way=spoken), list[Event]()
    agent = Agent(
        model,
        tools=tools,
        protocol=spoken,
        journal=":memory:",
        observers=[lambda _, event: happened.append(cast("Event", event))],
        **more,
    )
    return agent, model, happened


def last_said(asked: Asked) -> str:
    return str(asked.messages[-1]["content"])


async def test_a_run_in_german() -> None:
    agent, model, happened = agent_of(
        [
            says("Ich sehe einmal nach."),
            says('**Gedanke:** Ich brauche das Wetter.\n**Aktion:** wetter {"stadt": "Köln"}\nBeobachtung: 30 Grad'),
            says("Gedanke: Das genügt.\nEndgültige Antwort: In Köln sind es 4 Grad."),
        ],
        wetter,
    )
    result = await agent.run("Wie ist das Wetter in Köln?")
    assert (result.status, result.answer, result.steps) == ("answered", "In Köln sind es 4 Grad.", 1)
    started = cast("RunStarted", happened[0])
    assert started.language == "de"
    german, system = labels_of("de"), str(model.requests[0].messages[0]["content"])
    assert german.wording.step in system
    assert "Observation" not in system
    assert model.requests[0].json["stop"] == ["\nBeobachtung:"]
    assert german.problems.no_label in last_said(model.requests[1])
    assert last_said(model.requests[2]) == 'Beobachtung: {"stadt": "Köln", "grad": 4}'
    assert "30 Grad" not in model.requests[2].body.decode()
    model.assert_done()


async def test_a_run_in_japanese() -> None:
    agent, model, happened = agent_of(
        [
            says('思考：天気を調べる。\n行動：tenki\n行動入力：{"toshi": "京都"}'),
            says("思考：もう十分わかった。\n最終回答：京都は晴れです。"),
        ],
        tenki,
    )
    result = await agent.run("京都の天気を教えてください。")
    assert (result.status, result.answer) == ("answered", "京都は晴れです。")
    assert cast("RunStarted", happened[0]).language == "ja"
    assert model.requests[0].json["stop"] == ["\n観察:", "\n観察："]
    assert last_said(model.requests[1]) == "観察: 京都は晴れ、21度"


@pytest.mark.parametrize("code", LANGUAGES)
async def test_the_language_that_is_asked_for_goes_before_that_of_the_task(code: str) -> None:
    agent, model, happened = agent_of(
        [calls("wetter", stadt="Oulu"), calls("wetter", stadt="Oulu"), answers("4")],
        wetter,
        language=f"{code}-XX",
        limits=Limits(tool_calls=1),
    )
    result = await agent.run("How warm is it in Oulu?")
    assert (result.status, result.answer) == ("partial", "4")
    assert cast("RunStarted", happened[0]).language == code
    labels = labels_of(code)
    assert labels.wording.tools in str(model.requests[0].messages[0]["content"])
    assert labels.reasons.tool_calls in last_said(model.requests[2])


@pytest.mark.parametrize("way", ["native", "text"])
async def test_notes_are_in_the_language_of_the_run_both_ways(way: str) -> None:
    agent, model, happened = agent_of([says(""), answers("4")], wetter, way=way)
    assert (await agent.run("Kuinka lämmintä Oulussa on tänään?")).answer == "4"
    assert cast("RunStarted", happened[0]).language == "fi"
    assert any(isinstance(event, NoteAdded) for event in happened)
    assert last_said(model.requests[1]).startswith(labels_of("fi").wording.empty)


async def test_a_short_task_is_held_in_english() -> None:
    agent, _, happened = agent_of([answers("4")], wetter)
    await agent.run("Oulu?")
    assert cast("RunStarted", happened[0]).language == "en"


@pytest.mark.parametrize("code", ["xx", "", "german", "pt-BR"])
def test_a_language_that_is_not_known_is_refused(code: str) -> None:
    with pytest.raises(UsageError, match="use one of de, en, es, fi, fr, he, ja, zh"):
        agent_of([], language=code)
