"""Replays: a run goes through again as it was, and what would be another today is found, with both sides."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from loopwright import Agent, Limits, MemoryJournal, Result, Settings, tool
from loopwright.agent import Protocol
from loopwright.core.events import (
    ApprovalAsked,
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelReplied,
    NoteAdded,
    RunEnded,
    RunResumed,
    RunStarted,
)
from loopwright.core.messages import Call, Outcome, ToolSpec, Turn, Usage
from loopwright.engine.difference import difference
from loopwright.engine.replay import replay
from loopwright.journal.sqlite import SqliteJournal
from loopwright.models.catalog import described
from loopwright.testing.crash import Crash, CrashAt
from loopwright.testing.scripted import ScriptedModel, answers, calls, calls_with, fails, says

SAMPLES = Path(__file__).parents[1] / "journal" / "samples"


@tool
def look(where: str) -> str:
    """Look somewhere."""
    return f"seen in {where}"


@tool(effect="write", repeatable=False)
def mail(text: str) -> str:
    """Send mail."""
    return "sent"


def allow(_call: Call, _tool: ToolSpec) -> bool:
    return True


SCRIPT: Sequence[Any] = [
    calls("look", where="a") + calls("mail", text="b") + calls("nope") + calls_with("look", '{"place": 1}'),
    says(""),
    fails("network", lost=True),
    calls("look", where="c").thinking("hm"),
    answers("done"),
]


async def made(protocol: Protocol, script: Sequence[Any] = SCRIPT, **options: Any) -> tuple[Agent, list[Event]]:
    options = {"tools": [look, mail], **options}
    agent = Agent(ScriptedModel(replies=script), journal=MemoryJournal(), protocol=protocol, **options)
    await agent.run("Go!", run_id="r")
    return agent, await agent.journal.read("r")


def place(history: Sequence[Event], kind: type, nth: int = 1) -> int:
    """The index of the event of this kind."""
    return [index for index, event in enumerate(history) if isinstance(event, kind)][nth - 1]


def instead(history: Sequence[Event], index: int, *events: Event) -> list[Event]:
    """The history with other events in the place of one."""
    return [*history[:index], *events, *history[index + 1 :]]


@pytest.mark.parametrize("protocol", ["native", "text"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"limits": Limits(steps=1)},
        {"limits": Limits(tokens=20_000)},
        {"stream": False},
        {"instructions": "Be brief.", "settings": Settings(temperature=0.5, extra={"a": [1]})},
    ],
    ids=str,
)
async def test_a_run_goes_through_again_as_it_was(protocol: Protocol, options: dict[str, Any]) -> None:
    agent, history = await made(protocol, **options)
    found = await agent.replay("r", model_replies=True)
    assert found.same, found
    assert found.events == len(history)
    assert found.skipped == ()
    assert found.requests == sum(isinstance(event, ModelAsked) for event in history)
    assert found.replies == sum(isinstance(event, ModelReplied) for event in history)


async def test_a_run_that_changed_its_way_of_speaking_goes_through_again() -> None:
    script = [fails("tools_refused"), calls("look", where="a"), answers("done")]
    agent, _ = await made("auto", script)
    found = await agent.replay("r", model_replies=True)
    assert found.same, found
    assert found.requests == 3


@pytest.mark.parametrize("protocol", ["native", "text"])
@pytest.mark.parametrize("seq", range(2, 14))
async def test_a_run_that_crashed_and_was_resumed_goes_through_again(protocol: Protocol, seq: int) -> None:
    journal = MemoryJournal()
    script = [calls("look", where="a") + calls("mail", text="b"), calls("look", where="c"), answers("done")]
    model = ScriptedModel(replies=[*script, *script])

    def agent(where: Any) -> Agent:
        return Agent(model, tools=[look, mail], journal=where, protocol=protocol, approve=allow)

    with pytest.raises(Crash):
        await agent(CrashAt(journal, seq)).run("Go!", run_id="r")
    model.requests.clear()
    history = await journal.read("r")
    left = [event for event in history if isinstance(event, ModelReplied)]
    model.transport.script = [*script[len(left) :], *script]  # type: ignore[attr-defined]
    await agent(journal).resume("r")
    found = await agent(journal).replay("r", model_replies=True)
    assert found.same, found
    assert found.events > len(history)


async def test_another_result_makes_another_request() -> None:
    _, history = await made("native")
    index = next(at for at, event in enumerate(history) if isinstance(event, CallEnded) and event.how == "ran")
    ended = history[index]
    assert isinstance(ended, CallEnded)
    other = instead(history, index, replace(ended, result=Result(data=Raw(b'"elsewhere"'))))
    found = replay(other, ScriptedModel(replies=[])).divergence
    assert found is not None
    assert (found.what, found.event) == ("request", place(history, ModelAsked, 2) + 1)
    assert any("elsewhere" in message for message in found.new)
    assert not any("Go!" in message for message in found.new)
    assert json.loads(found.derived)["messages"]
    assert json.loads(found.recorded)["type"] == "model_asked"


async def test_other_rules_make_another_request_from_the_first_on() -> None:
    _, history = await made("native")
    started = history[0]
    assert isinstance(started, RunStarted)
    found = replay([replace(started, instructions="Lie."), *history[1:]], ScriptedModel(replies=[])).divergence
    assert found is not None
    assert (found.event, found.what) == (2, "request")


async def decided(kind: str) -> tuple[list[Event], int]:
    """A history with one event that the loop would not have caused, and its index."""
    _, history = await made("native")
    if kind == "another outcome":
        return instead(history, len(history) - 1, RunEnded(outcome=Outcome("answered", "other"))), len(history) - 1
    if kind == "no note":
        index = place(history, NoteAdded)
        return [*history[:index], *history[index + 1 :]], index
    if kind == "another refusal":
        index = next(
            at for at, event in enumerate(history) if isinstance(event, CallEnded) and event.how not in ("ran",)
        )
        ended = history[index]
        assert isinstance(ended, CallEnded)
        return instead(history, index, replace(ended, result=Result("error", error="Other: x"))), index
    if kind == "a start that is not due":
        index = place(history, ModelReplied)
        return [*history[: index + 1], CallStarted(call_id="1.3"), *history[index + 1 :]], index + 1
    if kind == "an early question":
        index = place(history, ModelReplied)
        return [*history[: index + 1], ModelAsked(number=2), *history[index + 1 :]], index + 1
    index = place(history, ModelAsked)
    asked = history[index]
    assert isinstance(asked, ModelAsked)
    return instead(history, index, replace(asked, max_tokens=7, worst=Usage(1, 1))), index


@pytest.mark.parametrize(
    "kind",
    [
        *("another outcome", "no note", "another refusal", "a start that is not due", "an early question"),
        "another question",
    ],
)
async def test_what_the_loop_would_not_have_done_is_found(kind: str) -> None:
    history, index = await decided(kind)
    found = replay(history, ScriptedModel(replies=[]))
    assert found.divergence is not None
    assert (found.divergence.event, found.divergence.what) == (index + 1, "decision")
    assert found.events == index
    assert found.divergence.recorded != found.divergence.derived
    assert not found.same


async def test_what_cannot_follow_from_outside_is_found() -> None:
    _, history = await made("native")
    found = replay([*history, ModelReplied(turn=Turn(answer="x"))], ScriptedModel(replies=[])).divergence
    assert found is not None
    assert "cannot follow while the run is over" in found.derived


async def test_every_reply_that_is_read_differently_is_listed() -> None:
    _, history = await made("native")
    for nth in (1, 3):
        index = place(history, ModelReplied, nth)
        reply = history[index]
        assert isinstance(reply, ModelReplied)
        history = instead(history, index, replace(reply, turn=replace(reply.turn, finish="other")))
    index = place(history, ModelReplied, 4)
    last = history[index]
    assert isinstance(last, ModelReplied)
    history = instead(history, index, replace(last, raw=b"{"))
    found = replay(history, ScriptedModel(replies=[]), replies=True)
    assert found.divergence is None
    assert [each.event for each in found.reread] == [place(history, ModelReplied, nth) + 1 for nth in (1, 3, 4)]
    assert found.reread[-1].derived.startswith("no reply: ")
    assert not found.same
    assert replay(history, ScriptedModel(replies=[])).same


async def test_what_is_not_known_here_is_said() -> None:
    _, history = await made("native")
    found = replay(history, lambda _rules: None, replies=True)
    assert found.same
    assert found.requests == 0
    assert "it is not known here how that model is asked" in found.skipped[0]
    assert found.skipped[1] == "4 of the replies, whose bytes cannot be read here"


async def test_behind_another_model_requests_are_not_compared() -> None:
    journal = MemoryJournal()
    first = ScriptedModel(replies=[calls("look", where="a"), fails("auth", "gone")])
    failed = await Agent(first, tools=[look], journal=journal).run("Go!", run_id="r")
    assert failed.status == "failed"
    other = ScriptedModel(replies=[answers("done")], name="other", spec="other")
    agent = Agent(other, tools=[look], journal=journal, instructions="New.", limits=Limits(steps=3))
    await agent.resume("r")
    history = await journal.read("r")
    resumed = next(event for event in history if isinstance(event, RunResumed))
    assert resumed.changed == ("the model (other, before scripted)", "the instructions", "the limits")
    found = replay(history, first)
    assert found.same
    assert found.skipped == ("the requests of question 3: it is not known here how that model is asked",)


@pytest.mark.parametrize("name", ["native", "text", "failed", "limited", "crashed"])
async def test_runs_of_earlier_versions_go_through_again(name: str, tmp_path: Path) -> None:
    journal = SqliteJournal(shutil.copy(SAMPLES / "format-1.db", tmp_path / "journal.db"))
    found = replay(await journal.read(name), described("openai:any", environ={}))
    assert found.same, found.divergence
    assert found.requests == 0
    assert "an older version wrote no digest" in found.skipped[0]
    await journal.close()


async def test_what_an_earlier_version_said_in_other_words_is_found(tmp_path: Path) -> None:
    journal = SqliteJournal(shutil.copy(SAMPLES / "format-1.db", tmp_path / "journal.db"))
    found = replay(await journal.read("switched"), described("openai:any", environ={})).divergence
    assert found is not None
    sides = [json.loads(side) for side in (found.recorded, found.derived)]
    assert [side["how"] for side in sides] == ["denied", "denied"]
    assert sides[0]["result"]["error"] != sides[1]["result"]["error"]
    await journal.close()


async def test_calls_that_ask_a_person_are_decided_again() -> None:
    _, history = await made("native", [calls("mail", text="a"), answers("ok")], approve=allow)
    assert replay(history, ScriptedModel(replies=[])).same
    index = place(history, ApprovalAsked)
    asked = history[index]
    assert isinstance(asked, ApprovalAsked)
    found = replay(instead(history, index, replace(asked, why="because")), ScriptedModel(replies=[])).divergence
    assert found is not None
    assert found.event == index + 1


async def test_where_two_runs_part() -> None:
    _, one = await made("native")
    _, other = await made("native", [*SCRIPT[:3], calls("look", where="d").thinking("hm"), answers("other")])
    found = difference(one, other)
    assert found.parting is not None
    assert found.parting.left == place(one, ModelReplied, 3) + 1
    assert not found.kin or found.shared
    assert [(pair.differs, pair.left and pair.left.arguments) for pair in found.calls] == [
        (("arguments", "result"), '{"where":"c"}')
    ]
    assert (found.left.answer, found.right.answer) == ("done", "other")
    assert difference(one, one).same


async def test_a_run_that_is_not_over_has_no_ending() -> None:
    _, history = await made("native")
    found = difference(history, history[:3])
    assert found.parting is not None
    assert found.parting.right_event == ""
    assert found.right.status == ""
    assert [pair.differs for pair in found.calls] == [("result",)] * 4 + [("call",)]
