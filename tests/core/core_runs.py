"""Short names for the events of small runs, for tests that name one case each."""

from typing import Any

from loopwright.core import events as ev
from loopwright.core.commands import AskModel, AskPerson, Record, RunTool
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Limits, Outcome, Result, ToolSpec, Turn, Usage
from loopwright.core.state import State

READ = ToolSpec("read")
ONCE = ToolSpec("once", effect="write", repeatable=False)
PAY = ToolSpec("pay", effect="pay", repeatable=False, permission="ask")
DENY = ToolSpec("deny", permission="deny")
LENIENT = ToolSpec("lenient", accepts_repaired=True)
TOOLS = (READ, ONCE, PAY, DENY, LENIENT)


def started(limits: Limits | None = None, **fields: Any) -> ev.RunStarted:
    usual: dict[str, Any] = {
        "model": "m",
        "run_id": "r",
        "task": "t",
        "tools": TOOLS,
        "limits": limits or Limits(),
        "attended": True,
    }
    return ev.RunStarted(**(usual | fields))


def asked(number: int = 1, closing: str = "", **fields: Any) -> ev.ModelAsked:
    return ev.ModelAsked(number=number, closing=closing, **fields)


def replied(number: int = 1, *calls: Call | str, usage: Usage | None = None) -> ev.ModelReplied:
    """A reply with these calls; a name stands for a call of that tool with arguments of its own."""
    made = [Call(call, {"n": f"{number}.{i}"}) if isinstance(call, str) else call for i, call in enumerate(calls)]
    return ev.ModelReplied(turn=Turn(calls=tuple(made)).numbered(number, 32), usage=usage or Usage())


def answered(answer: str = "42") -> ev.ModelReplied:
    return ev.ModelReplied(turn=Turn(answer=answer, text=answer))


def unread(problem: str = "no call and no answer", text: str = "hm", usage: Usage | None = None) -> ev.ModelReplied:
    return ev.ModelReplied(turn=Turn(problem=problem, text=text), usage=usage or Usage())


def begun(call_id: str = "1.1") -> ev.CallStarted:
    return ev.CallStarted(call_id=call_id)


def ended(call_id: str = "1.1", result: Result | None = None, how: ev.How = "ran") -> ev.CallEnded:
    return ev.CallEnded(call_id=call_id, result=result or Result(), how=how)


def fold(*events: ev.Event) -> State:
    state = State()
    for event in events:
        apply(state, event)
    return state


def question(state: State) -> ev.ModelAsked:
    """The question that is all that is due."""
    (command,) = due(state)
    assert isinstance(command, AskModel)
    return command.asked


def record(state: State) -> ev.Event:
    """The fact that is all that is due."""
    (command,) = due(state)
    assert isinstance(command, Record)
    return command.event


def outcome(state: State) -> Outcome:
    """How the run ends, which is all that is due."""
    event = record(state)
    assert isinstance(event, ev.RunEnded)
    return event.outcome


def tool_run(state: State) -> RunTool:
    """The call that is all that is due."""
    (command,) = due(state)
    assert isinstance(command, RunTool)
    return command


def person(state: State) -> AskPerson:
    """The question to a person that is all that is due."""
    (command,) = due(state)
    assert isinstance(command, AskPerson)
    return command
