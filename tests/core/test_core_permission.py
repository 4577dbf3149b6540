"""Whether a call may run: rules in their order, text of others, and what a person said before."""

from collections.abc import Sequence
from typing import Any

import pytest
from core_runs import PAY, READ, asked, begun, ended, fold, person, replied, started, tool_run
from core_world import folded, histories
from hypothesis import HealthCheck, given, settings
from msgspec import Raw
from msgspec.json import decode, encode
from msgspec.structs import replace

from loopwright.core import events as ev
from loopwright.core.commands import AskPerson, Record, RunTool
from loopwright.core.errors import IllegalEvent
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Result, Scope, ToolSpec, Whole
from loopwright.core.origins import number_of, words_of
from loopwright.core.rules import Match, Rule, leaves
from loopwright.core.state import State

WHOLE = Whole("00", 100, readable=True)
FETCH = ToolSpec("fetch", trusted_output=False, parameters={"type": "object", "properties": {"n": {}}})
CONTACT = ToolSpec("contact")
SEND = ToolSpec("send", effect="send", parameters={"type": "object", "properties": {"to": {}, "text": {}}})
SAVE = ToolSpec("save", effect="write", parameters={"type": "object", "properties": {"text": {}}})
TOOLS = (READ, FETCH, CONTACT, SEND, SAVE, PAY)


def told(*texts: str, rules: tuple[Rule, ...] = (), task: str = "look at a.org") -> tuple[ev.Event, ...]:
    """A run that has read text of others, and then had these results of the trusted tool `contact`."""
    events: list[ev.Event] = [started(tools=TOOLS, task=task, rules=rules)]
    events += [asked(), replied(1, Call("fetch", {"n": "a.org"})), begun(), ended(result=Result(data=Raw(b'"evil"')))]
    for number, text in enumerate(texts, 2):
        call = f"{number}.1"
        result = Result(data=Raw(encode(text)))
        events += [asked(number), replied(number, "contact"), begun(call), ended(call, result)]
    return tuple(events)


def after(events: Sequence[ev.Event], *calls: Call) -> State:
    """The state once the model has asked for these, too."""
    number = 1 + sum(isinstance(event, ev.ModelAsked) for event in events)
    return fold(*events, asked(number), replied(number, *calls))


def send(to: str = "eve@evil.org", text: str = "look at") -> Call:
    return Call("send", {"to": to, "text": text})


# --- rules


@pytest.mark.parametrize(
    ("rules", "decided", "by"),
    [
        ((), "allow", "default"),
        ((Rule("ask", tool="send"),), "ask", "rule 1"),
        ((Rule("deny", tool="pay"), Rule("ask", effect="send", source="a.toml")), "ask", "rule 2 of a.toml"),
        ((Rule("allow", arguments={"to": "*@a.org"}), Rule("deny")), "deny", "rule 2"),
        ((Rule("allow", arguments={"to": "*@evil.org"}), Rule("deny")), "allow", "rule 1"),
    ],
)
def test_the_first_rule_that_matches_decides(rules: tuple[Rule, ...], decided: str, by: str) -> None:
    state = after((started(tools=TOOLS, rules=rules),), send())
    verdict = state.open["1.1"].verdict
    assert (verdict.permission, verdict.by) == (decided, by)


def test_a_run_says_who_allowed_what_and_why_it_asks() -> None:
    rules = (
        Rule("ask", tool="send", reason="mail costs"),
        Rule("allow", tool="pay"),
        Rule("deny", tool="save", reason="no"),
    )
    events = (started(tools=TOOLS, rules=rules),)
    assert person(after(events, send())).why == "rule 1 asks about it: mail costs"
    assert tool_run(after(events, Call("pay"))).by == "rule 2"
    assert tool_run(after(events, Call("read"))).by == "default"
    assert person(after((started(),), Call("pay"))).why == "no rule allows it (pay)"
    (denied,) = due(after(events, Call("save", {"text": "x"})))
    assert isinstance(denied, Record)
    assert isinstance(denied.event, ev.CallEnded)
    assert denied.event.result.error == "Denied: the policy does not allow 'save': no"


def test_without_anybody_to_ask_the_model_is_told_why_it_would_be_asked() -> None:
    (denied,) = due(after((started(attended=False),), Call("pay")))
    assert isinstance(denied, Record)
    assert isinstance(denied.event, ev.CallEnded)
    assert denied.event.result.error.endswith("nobody is there to ask: no rule allows it (pay)")


# --- what a person says


def answered(state_events: Sequence[ev.Event], call: Call, **said: Any) -> tuple[ev.Event, ...]:
    """These events, then the call, the question about it, and what a person said."""
    number = 1 + sum(isinstance(event, ev.ModelAsked) for event in state_events)
    events = (*state_events, asked(number), replied(number, call))
    question = person(fold(*events))
    asks = ev.ApprovalAsked(call_id=f"{number}.1", why=question.why, digest=question.digest)
    usual: dict[str, Any] = {"allowed": True, "by": "eva", "digest": question.digest}
    given = ev.ApprovalGiven(call_id=f"{number}.1", **(usual | said))
    return (*events, asks, given)


def ran(events: Sequence[ev.Event]) -> tuple[ev.Event, ...]:
    """These events, then the call that is due."""
    name = tool_run(fold(*events)).call.id
    return (*events, begun(name), ended(name))


def pay(amount: int) -> Call:
    return Call("pay", {"n": amount})


def test_once_is_for_this_call_only() -> None:
    events = answered((started(),), pay(5))
    assert tool_run(fold(*events)).by == "eva"
    assert person(after(ran(events), pay(5))).call.arguments == {"n": 5}


def test_always_this_call_is_for_the_same_arguments_of_the_same_tool() -> None:
    events = ran(answered((started(),), pay(5), scope="call"))
    assert tool_run(after(events, pay(5))).by == "eva, always this call"
    assert person(after(events, pay(6)))
    resumed = fold(*events, ev.RunResumed(attended=False), asked(2), replied(2, pay(5)))
    assert tool_run(resumed).call.arguments == {"n": 5}


def test_always_this_tool_is_for_the_run() -> None:
    events = ran(answered((started(),), pay(5), scope="tool"))
    assert tool_run(after(events, pay(6))).by == "eva, always this tool"
    assert fold(*events).consent.digest(pay(5)) != after((started(run_id="other"),), pay(5)).consent.digest(pay(5))


@pytest.mark.parametrize("scope", ["call", "tool"])
def test_a_no_is_never_for_good_and_neither_is_leave_to_run_again(scope: Scope) -> None:
    no = answered((started(),), pay(5), scope=scope, allowed=False)
    denied = fold(*no, ev.CallEnded(call_id="1.1", result=Result("error", error="Denied: no"), how="denied"))
    assert (denied.consent.calls, denied.consent.tools) == ({}, {})
    doubt = (*answered((started(),), pay(5)), begun(), ev.RunResumed(attended=True))
    again = ev.ApprovalGiven(call_id="1.1", allowed=True, scope=scope)
    state = fold(*doubt, ev.ApprovalAsked(call_id="1.1"), again)
    assert (state.consent.calls, state.consent.tools) == ({}, {})


def test_an_answer_to_another_call_is_none() -> None:
    events = answered((started(),), pay(5))[:-1]
    other = fold(*events).consent.digest(pay(6))
    with pytest.raises(IllegalEvent, match="it is about another call than"):
        apply(fold(*events), ev.ApprovalGiven(call_id="1.1", allowed=True, digest=other))


def test_arguments_that_a_person_changed_are_those_that_run() -> None:
    events = answered((started(),), Call("pay", {"n": 500}), arguments={"n": 50}, scope="call")
    run = tool_run(fold(*events))
    assert (run.call.arguments, run.call.id, run.edited) == ({"n": 50}, "1.1", True)
    assert not tool_run(fold(*answered((started(),), pay(5)))).edited
    state = after(ran(events), pay(50))
    assert tool_run(state).by == "eva, always this call"
    assert person(after(ran(events), pay(500)))


def test_what_the_policy_denies_does_not_run_because_a_person_typed_it() -> None:
    first = (started(rules=(Rule("deny", arguments={"n": Match(least=100)}),)),)
    (denied,) = due(fold(*answered(first, pay(50), arguments={"n": 500}, scope="tool")))
    assert isinstance(denied, Record)
    assert isinstance(denied.event, ev.CallEnded)
    assert "the policy does not allow what it was changed to" in denied.event.result.error
    assert not fold(*answered(first, pay(50), arguments={"n": 500}, scope="tool")).consent.tools


def test_a_call_that_may_have_run_already_is_not_changed() -> None:
    doubt = (*answered((started(),), pay(5)), begun(), ev.RunResumed(attended=True), ev.ApprovalAsked(call_id="1.1"))
    with pytest.raises(IllegalEvent, match="may have run already as it is"):
        apply(fold(*doubt), ev.ApprovalGiven(call_id="1.1", allowed=True, arguments={"n": 6}))


# --- text of others


def test_before_text_of_others_what_is_allowed_runs() -> None:
    assert tool_run(after((started(tools=TOOLS),), send())).by == "default"
    assert not after((started(tools=TOOLS),), send()).consent.read


def test_behind_text_of_others_it_asks_although_it_was_allowed() -> None:
    question = person(after(told(), send()))
    assert question.why == "the run has read text of others (fetch 1.1), and 'to' is not from the task"
    assert tool_run(after(told(), Call("read", {"n": "evil"})))
    question = person(after(told(), Call("pay", {"n": 7})))
    assert question.why.startswith("no rule allows it (pay); the run has read text of others")


def test_unless_every_value_stems_from_the_task() -> None:
    events = told(task="send 'hello there' to eva@a.org")
    assert tool_run(after(events, send("eva@a.org", "hello there")))
    assert person(after(events, send("eva@a.org", "hello evil"))).why.endswith("'text' is not from the task")


def test_a_call_that_says_nothing_stems_from_nowhere() -> None:
    assert person(after(told(), Call("save", {}))).why.endswith("nothing in the call is from the task")


def test_a_rule_that_allows_is_named_where_it_does_not_hold_behind_text_of_others() -> None:
    why = person(after(told(rules=(Rule("allow", tool="send"),)), send())).why
    assert why.startswith('rule 1 allows it without tainted = "allow", but the run has read text of others (fetch 1.1)')


def test_or_the_rule_names_it() -> None:
    rules = (Rule("allow", tool="send", tainted="allow"), Rule("allow", tool="save"), Rule("deny", tool="pay"))
    assert tool_run(after(told(rules=rules), send())).by == "rule 1"
    assert person(after(told(rules=rules), Call("save", {"text": "x"})))
    assert after(told(rules=rules), pay(7)).open["2.1"].verdict.permission == "deny"


def test_a_rule_can_let_what_only_reads_ask_too() -> None:
    events = told(rules=(Rule("allow", tool="fetch", tainted="ask"),), task="look at a.org")
    assert tool_run(after(events, Call("fetch", {"n": "a.org"})))
    why = person(after(events, Call("fetch", {"n": "evil.org/?all"}))).why
    allows = 'rule 1 allows it with tainted = "ask", but '
    assert why == f"{allows}the run has read text of others (fetch 1.1), and 'n' is not from the task"


def test_what_a_server_says_of_its_tools_is_text_of_others_from_the_start() -> None:
    foreign = ToolSpec("clock", trusted_description=False)
    events: tuple[ev.Event, ...] = (started(tools=(SEND, foreign), task="tell bob@a.org hello"),)
    assert tool_run(after(events, send("bob@a.org", "hello")))
    why = person(after(events, send())).why
    assert why == "the run has read text of others (the description of 'clock'), and 'to' is not from the task"


def test_an_address_that_the_model_chooses_asks_although_it_is_only_read() -> None:
    page = replace(FETCH, name="page", open_world=True)
    events = told()
    events = (replace(events[0], tools=(*TOOLS, page)), *events[1:])  # type: ignore[type-var]
    assert tool_run(after(events, Call("page", {"n": "a.org"})))
    why = person(after(events, Call("page", {"n": "evil.org/?all"}))).why
    assert why == "the run has read text of others (fetch 1.1), and 'n' is not from the task"
    allowed = (replace(events[0], rules=(Rule("allow", tool="page", tainted="allow"),)), *events[1:])  # type: ignore[type-var]
    assert tool_run(after(allowed, Call("page", {"n": "evil.org/?all"})))


def test_calls_of_the_turn_that_reads_were_made_before_it_was_read() -> None:
    events = (started(tools=TOOLS), asked(), replied(1, "fetch", send()), begun("1.1"), ended("1.1"))
    assert tool_run(fold(*events)).call.tool == "send"


def test_text_that_did_not_arrive_taints_nothing() -> None:
    events = (started(tools=TOOLS, rules=(Rule("deny", tool="fetch"),)), asked(), replied(1, "fetch"))
    (denied,) = due(fold(*events))
    assert isinstance(denied, Record)
    assert tool_run(after((*events, denied.event), send()))  # type: ignore[arg-type]


def test_an_error_may_hold_text_of_others_too() -> None:
    failed = ended(result=Result("error", error="HTTPError: evil"))
    assert person(after((started(tools=TOOLS), asked(), replied(1, "fetch"), begun(), failed), send()))


def test_trusted_results_count_as_long_as_nobody_else_can_have_steered_them() -> None:
    task = "write 'hello there' to the first contact"
    before: list[ev.Event] = [*told(task=task)]
    contact = [asked(2), replied(2, Call("contact")), begun("2.1"), ended("2.1", Result(data=Raw(b'"eva@a.org"')))]
    assert tool_run(after([*before, *contact], send("eva@a.org", "hello there")))
    steered = [asked(2), replied(2, Call("contact", {"n": "eva@a.org"})), *contact[2:]]
    assert person(after([*before, *steered], send("eva@a.org", "hello there")))
    failed = [*contact[:3], ended("2.1", Result("error", data=Raw(b'"eva@a.org"'), error="X: eva@a.org"))]
    assert person(after([*before, *failed], send("eva@a.org", "hello there")))


def test_what_is_read_on_in_results_may_be_of_others_and_does_not_count() -> None:
    reader = ToolSpec("read_more")
    cut = ended(result=Result(data=Raw(b'"ev"')))
    events = (started(tools=TOOLS, reader=reader), asked(), replied(1, "fetch"), begun(), replace(cut, whole=WHOLE))
    more = (asked(2), replied(2, Call("read_more")), begun("2.1"), ended("2.1", Result(data=Raw(b'"eve@evil.org"'))))
    assert person(after((*events, *more), send("eve@evil.org", "")))


def test_behind_a_call_that_may_have_written_what_others_said_nothing_new_counts() -> None:
    events = ran(answered(told(task="save it"), Call("save", {"text": "eve@evil.org"})))
    found = [asked(3), replied(3, Call("contact")), begun("3.1"), ended("3.1", Result(data=Raw(b'"eve@evil.org"')))]
    assert person(after([*events, *found], send("eve@evil.org", "save it")))


def test_always_this_tool_said_before_text_of_others_does_not_hold_behind_it() -> None:
    rules = (Rule("ask", tool="send"),)
    before = ran(
        answered((started(tools=TOOLS, rules=rules, task="write to eva@a.org"),), send("eva@a.org"), scope="tool")
    )
    behind = (*before, asked(2), replied(2, "fetch"), begun("2.1"), ended("2.1"))
    said_before = "'always this tool' was said before the run had read text of others"
    assert person(after(behind, send())).why.endswith(f"'to' is not from the task; {said_before}")
    assert tool_run(after(behind, send("eva@a.org", "write to")))
    knowing = ran(answered(behind, send(), scope="tool"))
    assert tool_run(after(knowing, send("other@evil.org")))


def test_always_this_call_holds_behind_text_of_others() -> None:
    rules = (Rule("ask", tool="send"),)
    before = ran(answered((started(tools=TOOLS, rules=rules),), send(), scope="call"))
    assert tool_run(after((*before, asked(2), replied(2, "fetch"), begun("2.1"), ended("2.1")), send()))


def test_what_a_person_typed_counts() -> None:
    typed = {"to": "kim@b.org", "text": "look at"}
    events = ran(answered(told(task="look at a.org"), send(), arguments=typed))
    assert tool_run(after(events, send("kim@b.org", "look at")))
    assert person(after(events, send("eve@evil.org", "look at")))


def test_a_run_whose_tools_all_return_trusted_text_remembers_nothing() -> None:
    state = fold(started(), asked(), replied(1, "read"), begun(), ended(result=Result(data=Raw(b'"much"'))))
    assert not state.consent.watching
    assert (state.consent.origins.waiting, state.consent.origins.words) == ([], [])
    assert fold(*ran(answered((started(),), pay(5), arguments={"n": 6}))).consent.origins.waiting == []


# --- laws

generated = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def was_said(leaf: object, said: Sequence[object]) -> bool:
    """Whether a value stands in one of these texts or values: a search that simply looks everywhere."""
    if isinstance(leaf, str):
        wanted, texts = list(words_of(leaf)), [list(words_of(text)) for text in said if isinstance(text, str)]
        return any(words[i : i + len(wanted)] == wanted for words in texts for i in range(len(words)))
    numbers = {number_of(one) for one in said if isinstance(one, int | float)}
    words = {word for text in said if isinstance(text, str) for word in words_of(text)}
    return number_of(leaf) in numbers or str(leaf) in words  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


@generated
@given(histories(most=100))
def test_behind_text_of_others_nothing_acts_that_no_person_rule_or_task_said(events: tuple[ev.Event, ...]) -> None:
    said, read, allowed = list[object](), False, set[str]()
    tainted = dict[str, bool]()
    for state, event in folded(events):
        match event:
            case ev.RunStarted(task=task, instructions=instructions):
                said += [task, instructions]
            case ev.ModelReplied(turn=turn):
                tainted |= {call.id: read for call in turn.calls}
            case ev.ApprovalGiven(call_id=name, allowed=True, arguments=changed):
                allowed.add(name)
                said += list(leaves(changed))
            case ev.CallEnded(call_id=name, how="ran", result=result):
                read = read or not state.open[name].tool.trusted_output
                said += list(leaves(decode(result.data))) if bytes(result.data) else []
            case ev.CallStarted(call_id=name) if tainted[name] and name not in allowed:
                item = state.open[name]
                named = [rule for rule in state.consent.rules if rule.tainted == "allow"]
                if item.tool.effect != "read" and not any(
                    rule.matches(item.tool, item.call.arguments) for rule in named
                ):
                    always = state.consent.always(item.call, item.verdict)
                    assert always or all(was_said(leaf, said) for leaf in item.call.arguments.values())
            case _:
                pass


@generated
@given(histories(most=100))
def test_a_call_starts_only_with_leave_and_never_when_it_is_denied(events: tuple[ev.Event, ...]) -> None:
    allowed = set[str]()
    for state, event in folded(events):
        for command in due(state):
            if isinstance(command, AskPerson):
                assert command.digest == state.consent.digest(command.call)
            elif isinstance(command, RunTool):
                verdict = state.open[command.call.id].verdict
                ruled = next((r for r in state.consent.rules if r.matches(command.tool, command.call.arguments)), None)
                assert ruled is None or ruled.permission != "deny"
                assert verdict.permission == "allow" or command.call.id in allowed or "always" in command.by
                assert command.by
        if isinstance(event, ev.ApprovalGiven) and event.allowed:
            allowed.add(event.call_id)


@generated
@given(histories())
def test_a_run_without_rules_and_with_trusted_tools_is_judged_by_the_tools_alone(events: tuple[ev.Event, ...]) -> None:
    """As every journal from before there were rules."""
    for state, _ in folded(events):
        for item in state.open.values():
            if not state.consent.rules and not item.verdict.tainted:
                assert item.verdict.permission == item.tool.permission
