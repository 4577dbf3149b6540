"""Folds over a run's events: where it stands, and how it ended. Reads, never writes."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from loopwright.core.errors import IllegalEvent, UsageError
from loopwright.core.events import CallEnded, Event, ModelReplied, RunForked, RunStarted
from loopwright.core.loop import apply
from loopwright.core.messages import Call, Example, Exchange, OutcomeStatus, Result, Turn, Usage
from loopwright.core.state import State, ledger_of, started_of


class RunResult(Struct, frozen=True):
    """How a run ended, and what it took."""

    run_id: str
    status: OutcomeStatus
    """answered; partial (an answer, but a limit or a cause cut the work short); stopped (no answer); failed."""
    answer: str | None
    reason: str
    """The limit or the cause where the status is not answered: steps, model_calls, tool_calls, tokens, cost, seconds,
    unreadable, no_progress, context_lost with what to do about it, or what went wrong."""
    steps: int
    """Turns whose calls ran."""
    calls: int
    """Calls that ran."""
    model_calls: int
    usage: Usage
    seconds: float
    """Time that the run was worked on."""

    @property
    def cost(self) -> float:
        """US dollars; 0.0 where no price is known."""
        return self.usage.cost


def fold(events: Iterable[Event]) -> State:
    """The state after these events.

    Raises:
        IllegalEvent: they are no history of a run
    """
    state = State()
    for event in events:
        state = apply(state, event)
    return state


def rules_of(history: Sequence[Event]) -> RunStarted:
    """The rules that a run goes on under: those that it began with, or those of its last fork.

    Raises:
        IllegalEvent: it does not begin with its start
    """
    for event in reversed(history):
        if isinstance(event, RunForked):
            return event.started
        if isinstance(event, RunStarted):
            return event
    raise IllegalEvent("the run has not started")


def result_of(state: State) -> RunResult:
    """The result of a run that is over.

    Raises:
        ValueError: it is not over
    """
    outcome, ledger = state.outcome, ledger_of(state)
    if state.phase != "over" or outcome is None:
        raise ValueError("the run is not over")
    return RunResult(
        run_id=started_of(state).run_id,
        status=outcome.status,
        answer=outcome.answer,
        reason=outcome.reason,
        steps=ledger.steps,
        calls=ledger.ran,
        model_calls=ledger.asks,
        usage=ledger.spent,
        seconds=ledger.elapsed,
    )


def example_of(events: Iterable[Event]) -> Example:
    """A finished run as an example: its task, its turns with the calls that ran and their results, and its answer.

    Calls that did not run, replies that could not be read and what the loop said to the model are left out; what the
    model thought before a reply without a call goes with the next one.

    Raises:
        IllegalEvent: the events are no history of a run
        UsageError: the run is not over, or has no answer
    """
    history = list(events)
    state = fold(history)
    run_id, outcome = started_of(state).run_id, state.outcome
    if state.phase != "over" or outcome is None or not outcome.answer:
        raise UsageError(f"run {run_id} cannot be an example: it is not over, or ended without an answer")
    ran = {event.call_id: event.result for event in history if isinstance(event, CallEnded) and event.how == "ran"}
    replies = [event.turn for event in history if isinstance(event, ModelReplied)]
    last = next(number for number, turn in reversed(list(enumerate(replies))) if turn.answer == outcome.answer)
    exchanges, thoughts = _exchanges(replies[:last], ran)
    thought = "\n".join(part for part in (*thoughts, replies[last].thought) if part)
    return Example(started_of(state).task, (*exchanges, Exchange(Turn(thought, answer=outcome.answer))))


def _exchanges(turns: Sequence[Turn], ran: dict[str, Result]) -> tuple[list[Exchange], list[str]]:
    """The turns whose calls ran, and the thoughts that no such turn follows."""
    found, thoughts = list[Exchange](), list[str]()
    for turn in turns:
        made = [call for call in turn.calls if call.id in ran]
        if turn.kind == "thought":
            thoughts.append(turn.thought)
        elif made:
            thought = "\n".join(part for part in (*thoughts, turn.thought) if part)
            calls = tuple(Call(call.tool, call.arguments, text=call.text) for call in made)
            found.append(Exchange(Turn(thought, calls), tuple(ran[call.id] for call in made)))
            thoughts = []
    return found, thoughts
