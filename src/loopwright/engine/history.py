"""Folds over a run's events: where it stands, and how it ended. Reads, never writes."""

from collections.abc import Iterable

from msgspec import Struct

from loopwright.core.events import Event
from loopwright.core.loop import apply
from loopwright.core.messages import OutcomeStatus, Usage
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
