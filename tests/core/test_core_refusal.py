"""Why a call does not run, and what the model is told."""

import pytest
from core_runs import DENY, LENIENT, READ, TOOLS

from loopwright.core.limits import REMARK_BYTES, Ledger
from loopwright.core.messages import Call, Limits, Result
from loopwright.core.permission import Verdict
from loopwright.core.progress import Guard
from loopwright.core.refusal import Refusal, closed, refuse, unanswered

ALLOW = Verdict("allow")
SPECS = {tool.name: tool for tool in TOOLS}


def ledger(limits: Limits | None = None) -> Ledger:
    return Ledger(limits or Limits(), None, None, 0)


def refused(call: Call, limits: Limits | None = None, guard: Guard | None = None) -> Refusal:
    verdict = Verdict("deny") if call.tool == DENY.name else ALLOW
    found = refuse(call, SPECS, guard or Guard(), ledger(limits), verdict)
    assert found is not None
    assert found.result.status == "error"
    return found


def repeated(call: Call) -> Guard:
    guard = Guard()
    for _ in range(2):
        guard.ended(call, Result(), pollable=False, withheld=False)
        guard.turn_over()
    return guard


def test_a_strict_call_of_a_tool_that_is_allowed_runs() -> None:
    assert refuse(Call("read"), SPECS, Guard(), ledger(), ALLOW) is None


def test_an_unknown_tool_is_answered_with_the_list() -> None:
    found = refused(Call("web", {}))
    assert found == Refusal(
        "refused",
        Result(
            "error",
            error="UnknownTool: there is no tool 'web'; the tools are: read, once, pay, deny, lenient",
        ),
    )
    none = refuse(Call("web"), {}, Guard(), ledger(), ALLOW)
    assert none is not None
    assert none.result.error.endswith("the tools are: none")


def test_marks_that_cannot_be_printed_are_shown_escaped_and_short() -> None:
    error = refused(Call("\x00\ud800" * 100)).result.error
    assert "\\x00\\ud800" in error
    assert error.isascii() is False
    assert "…; the tools are: " in error


def test_arguments_that_were_rejected_never_run_whoever_opts_in() -> None:
    for tool in (READ, LENIENT):
        found = refused(Call(tool.name, state="rejected", reason="the reply was cut"))
        assert (found.how, found.result.error) == ("refused", "InvalidArguments: the reply was cut")


def test_repaired_arguments_run_only_where_the_tool_opts_in() -> None:
    call = Call("read", {"q": 1}, state="repaired", reason="a comma was removed")
    error = refused(call).result.error
    assert error == "InvalidArguments: a comma was removed; send the call again with valid arguments"
    assert refuse(Call("lenient", {"q": 1}, state="repaired"), SPECS, Guard(), ledger(), ALLOW) is None


def test_a_tool_that_the_policy_denies() -> None:
    found = refused(Call(DENY.name))
    assert (found.how, found.result.error) == ("denied", "Denied: the policy does not allow 'deny'")


def test_why_the_policy_denies_is_told() -> None:
    found = refuse(Call("read"), SPECS, Guard(), ledger(), Verdict("deny", why="use the sandbox"))
    assert found is not None
    assert found.result.error == "Denied: the policy does not allow 'read': use the sandbox"


def test_a_call_that_proved_useless_is_withheld() -> None:
    call = Call("read", {"q": 1})
    found = refused(call, guard=repeated(call))
    assert (found.how, found.limit) == ("withheld", "")
    assert refuse(Call("read", {"q": 2}), SPECS, repeated(call), ledger(), ALLOW) is None


@pytest.mark.parametrize(("limits", "name"), [(Limits(tool_calls=0), "tool_calls"), (Limits(steps=0), "steps")])
def test_a_limit_names_itself_and_closes_the_run(limits: Limits, name: str) -> None:
    found = refused(Call("read"), limits)
    assert (found.how, found.limit) == ("refused", name)
    assert found.result.error == f"Limit: no more calls run, the limit of {name} is reached"


def test_what_is_wrong_with_the_call_itself_comes_before_the_limit() -> None:
    assert refused(Call("read", state="rejected", reason="cut"), Limits(steps=0)).limit == ""


def test_a_long_reason_is_cut_at_what_the_budget_allows_and_says_so() -> None:
    call = Call("read", state="rejected", reason="x" * 9000)
    assert len(refused(call).result.error) == len("InvalidArguments: ") + REMARK_BYTES - 2
    assert refused(call).result.error.endswith("x…")
    assert len(refused(call, Limits(tokens=1)).result.error) == len("InvalidArguments: ") + 60 - 2


def test_a_call_in_the_closing_reply() -> None:
    assert closed(Call("read")).result.error == "Closing: 'read' did not run, this was the last question"


def test_what_a_person_said_is_passed_on() -> None:
    call = Call("pay", id="1.1")
    said = unanswered(call, ledger(), doubtful=False, asked=True, said="too dear")
    assert (said.call_id, said.how) == ("1.1", "denied")
    assert said.result.error == "Denied: the call did not run, a person said no: too dear"
    alone = unanswered(call, ledger(), doubtful=False, asked=False, said="")
    assert alone.result.error == "Denied: the call did not run, it needs an approval and nobody is there to ask"
    why = unanswered(call, ledger(), doubtful=False, asked=False, said="no rule allows it (pay)")
    assert why.result.error == f"{alone.result.error}: no rule allows it (pay)"


def test_a_doubtful_call_is_never_called_denied() -> None:
    for asked in (True, False):
        end = unanswered(Call("pay", id="1.1"), ledger(), doubtful=True, asked=asked, said="")
        assert end.how == "unknown"
        assert end.result.error.endswith("it may have happened or not")


def test_why_a_call_in_doubt_would_have_been_asked_about_is_no_part_of_its_outcome() -> None:
    call = Call("pay", id="1.1")
    alone = unanswered(call, ledger(), doubtful=True, asked=False, said="no rule allows it (pay)")
    assert alone.result.error.endswith("it may have happened or not")
    said = unanswered(call, ledger(), doubtful=True, asked=True, said="look at the bank")
    assert said.result.error.endswith("it may have happened or not: look at the bank")
