"""The audit: every call with who decided, when, and what came of it, whether it ran or not."""

import shutil
from pathlib import Path
from typing import Any

from loopwright import Agent, Approval, Limits, MemoryJournal, tool
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    ModelReplied,
    NoteAdded,
    RunResumed,
    RunStarted,
)
from loopwright.core.messages import Call, Result, ToolSpec, Turn, Whole
from loopwright.engine.audit import GUARD, LOOP, NOBODY, POLICY, Audited, Decided, audited
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing.clock import FrozenClock
from loopwright.testing.scripted import ScriptedModel, answers, calls, calls_with
from loopwright.tools.policy import Policy, Rule

SAMPLE = Path(__file__).parents[1] / "journal" / "samples" / "format-1.db"


@tool
def look(at: str) -> str:
    """Looks.

    Args:
        at: what
    """
    return f"seen {at}"


@tool(effect="pay")
def pay(amount: int) -> str:
    """Pays.

    Args:
        amount: euros
    """
    return f"paid {amount}"


@tool(effect="delete")
def delete(name: str) -> str:
    """Deletes.

    Args:
        name: of a file
    """
    return name


async def calls_of(replies: list[Any], **options: Any) -> dict[str, Audited]:
    journal = MemoryJournal()
    agent = Agent(
        ScriptedModel(replies=[*replies, answers("done")]),
        tools=[look, pay, delete],
        journal=journal,
        clock=FrozenClock(now=100.0),
        protocol="native",
        **options,
    )
    result = await agent.run("Go.")
    return {call.id: call for call in audited(await journal.read(result.run_id))}


def decided(call: Audited) -> tuple[str, str, Any]:
    return call.permission, call.by, call.how


async def test_every_way_a_call_can_go_is_told_with_who_decided() -> None:
    def approve(call: Call, spec: ToolSpec) -> Approval:
        del spec
        return Approval(call.arguments["amount"] < 10, by="anna", reason="by the book")

    found = await calls_of(
        [
            calls("look", at="x") + calls("pay", amount=3) + calls("pay", amount=30) + calls("delete", name="a"),
            calls("missing") + calls_with("look", '{"at": '),
        ],
        approve=approve,
        policy=Policy((Rule("deny", effect="delete"),)),
    )
    assert list(found) == ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2"]
    assert found["1.1"].permission == "allowed"
    assert found["1.1"].by not in ("", "anna")
    assert decided(found["1.2"]) == ("allowed", "anna", "ran")
    assert decided(found["1.3"]) == ("denied", "anna", "denied")
    assert decided(found["1.4"]) == ("denied", POLICY, "denied")
    assert decided(found["2.1"]) == ("refused", LOOP, "refused")
    assert decided(found["2.2"]) == ("refused", LOOP, "refused")
    assert (found["1.2"].why, found["1.2"].asked_at, found["1.2"].decided_at) == ("by the book", 100.0, 100.0)
    assert (found["1.1"].started_at, found["1.1"].ended_at, found["1.1"].seconds) == ((100.0,), 100.0, 0.0)
    assert (found["1.3"].started_at, found["1.3"].seconds) == ((), None)
    assert (found["2.1"].effect, found["1.2"].effect) == (None, "pay")
    assert (found["2.2"].text, found["2.2"].arguments, found["2.2"].state) == ('{"at": ', {}, "rejected")
    result = found["1.2"].result
    assert result is not None
    assert bytes(result.data) == b'"paid 3"'


async def test_with_nobody_to_ask_and_with_a_call_that_is_withheld() -> None:
    again = calls("look", at="x")
    found = await calls_of([calls("pay", amount=3), again, again, again, again], limits=Limits(steps=9))
    assert decided(found["1.1"]) == ("denied", NOBODY, "denied")
    assert ("refused", GUARD, "withheld") in [decided(call) for call in found.values()]


def test_a_call_that_ran_again_after_a_crash_says_so_and_one_in_doubt_too() -> None:
    made = (Call("look", {}, "1.1"), Call("pay", {"amount": 1}, "1.2", '{"amount": 1}'), Call("pay", {}, "1.3"))
    whole = Whole("ab", 9)
    found = audited(
        [
            RunStarted(run_id="r", task="t", model="m", tools=(look.spec, pay.spec)),
            ModelReplied(turn=Turn(calls=made), at=1.0),
            CallStarted(call_id="1.1", at=2.0),
            CallStarted(call_id="1.2", at=2.0, by="rule 1"),
            RunResumed(),
            CallStarted(call_id="1.1", at=5.0),
            CallEnded(call_id="1.1", result=Result(), at=6.0, seconds=0.5, whole=whole),
            CallEnded(call_id="1.2", result=Result("error", error="UnknownOutcome: …"), how="unknown", at=6.0),
            ApprovalAsked(call_id="1.3", at=7.0, why="it pays"),
            NoteAdded(kind="empty"),
        ]
    )
    first, second, third = found
    assert (first.started_at, first.by, first.seconds, first.whole) == ((2.0, 5.0), POLICY, 0.5, whole)
    assert decided(second) == ("allowed", "rule 1", "unknown")
    assert (third.permission, third.how, third.why, third.artifacts) == ("open", None, "it pays", ())


def test_what_was_decided_before_an_interruption_is_kept_beside_what_was_decided_after() -> None:
    (call,) = audited(
        [
            RunStarted(run_id="r", task="t", model="m", tools=(pay.spec,)),
            ModelReplied(turn=Turn(calls=(Call("pay", {}, "1.1"),))),
            ApprovalAsked(call_id="1.1", at=1.0, why="it pays"),
            RunResumed(),
            ApprovalAsked(call_id="1.1", at=2.0, why="it pays"),
            ApprovalGiven(call_id="1.1", allowed=True, by="anna", at=3.0),
            CallStarted(call_id="1.1", at=4.0),
            RunResumed(),
            ApprovalAsked(call_id="1.1", at=5.0, why="it may have happened"),
            ApprovalGiven(call_id="1.1", allowed=True, by="otto", at=6.0, reason="go"),
            CallStarted(call_id="1.1", at=7.0),
        ]
    )
    assert call.before == (
        Decided(asked_at=1.0, decided_at=None, permission="open", by="", why="it pays"),
        Decided(asked_at=2.0, decided_at=3.0, permission="allowed", by="anna", why="it pays"),
    )
    assert (call.asked_at, call.decided_at, call.by, call.why) == (5.0, 6.0, "otto", "go")
    assert call.started_at == (4.0, 7.0)


def test_what_a_person_changed_and_said_for_good_is_told() -> None:
    def ends(given: ApprovalGiven, *more: Any) -> Audited:
        (call,) = audited(
            [
                RunStarted(run_id="r", task="t", model="m", tools=(pay.spec,)),
                ModelReplied(turn=Turn(calls=(Call("pay", {"amount": 9}, "1.1", '{"amount": 9}'),))),
                ApprovalAsked(call_id="1.1"),
                given,
                *more,
            ]
        )
        return call

    yes = ApprovalGiven(call_id="1.1", allowed=True, by="anna", scope="tool", arguments={"amount": 2})
    call = ends(yes, CallStarted(call_id="1.1", by="anna"), CallEnded(call_id="1.1", result=Result()))
    assert (call.arguments, call.text, call.changed) == ({"amount": 2}, '{"amount": 9}', True)
    assert decided(call) == ("allowed", "anna, always this tool", "ran")
    denied = CallEnded(call_id="1.1", result=Result("error", error="Denied: …"), how="denied")
    assert decided(ends(yes, denied)) == ("denied", POLICY, "denied")
    nameless = ApprovalGiven(call_id="1.1", allowed=False)
    assert decided(ends(nameless, denied)) == ("denied", "a person", "denied")


async def test_a_run_of_an_earlier_version_is_audited_as_far_as_it_says(tmp_path: Path) -> None:
    journal = SqliteJournal(shutil.copy(SAMPLE, tmp_path / "journal.db"))
    found = {call.id: call for call in audited(await journal.read("native"))}
    await journal.close()
    assert decided(found["1.1"]) == ("allowed", POLICY, "ran")
    assert decided(found["3.1"]) == ("allowed", "anna", "ran")
    assert decided(found["3.2"]) == ("denied", "anna", "denied")
