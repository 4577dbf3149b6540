"""What the fence around untrusted results takes is set aside and counted."""

from core_runs import TOOLS
from msgspec import Raw
from msgspec.structs import replace

from loopwright.core.commands import RunTool
from loopwright.core.events import CallEnded, CallStarted, Event, ModelAsked, ModelReplied, RunStarted
from loopwright.core.limits import FENCE_BYTES, Ledger
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Limits, Result, Turn
from loopwright.core.state import State, ledger_of

READ = replace(TOOLS[0], name="read", permission="allow", effect="read")
RESULT = Result(data=Raw(b'"0123456789"'))


def after(*, trusted: bool, ended: bool) -> State:
    started = RunStarted(
        run_id="r",
        task="t",
        model="m",
        tools=(replace(READ, trusted_output=trusted),),
        limits=Limits(tokens=100_000),
        opening_bytes=100,
    )
    events: list[Event] = [started, ModelAsked(number=1), ModelReplied(turn=Turn(calls=(Call("read", id="1.1"),)))]
    events += [CallStarted(call_id="1.1"), CallEnded(call_id="1.1", result=RESULT)] if ended else []
    state = State()
    for event in events:
        state = apply(state, event)
    return state


def room(state: State) -> int:
    (command,) = due(state)
    assert isinstance(command, RunTool)
    return command.room


def test_a_result_in_a_fence_has_less_room() -> None:
    assert room(after(trusted=True, ended=False)) - room(after(trusted=False, ended=False)) == FENCE_BYTES


def test_a_result_in_a_fence_counts_with_the_fence() -> None:
    books: list[Ledger] = [ledger_of(after(trusted=trusted, ended=True)) for trusted in (True, False)]
    assert books[1].context - books[0].context == FENCE_BYTES
    assert books[1].grown == books[0].grown
