"""Letters to a run: put into its inbox, and acted upon at once where nobody works on a run that is to end.

Owns what is checked before a letter is sent, and the end of a run without its driver. What a letter does to a run that
somebody works on is `letters`'.
"""

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.commands import Record
from loopwright.core.errors import Conflict, UsageError
from loopwright.core.events import CancelAsked, Event, LetterRefused, RunEnded, RunResumed
from loopwright.core.inbox import Approve, Cancel, Letter
from loopwright.core.loop import apply, due
from loopwright.core.messages import Outcome
from loopwright.engine.history import fold
from loopwright.engine.lease import held
from loopwright.engine.letters import ABOUT_TO_END
from loopwright.engine.ports import Clock
from loopwright.engine.waiting import waiting
from loopwright.journal.base import Inbox, Journal, Leases
from loopwright.protocols.envelope import writable


async def send(journal: Journal, run_id: str, letter: Letter) -> int:
    """Put a letter into the inbox of a run; gives its number. It is durable on return.

    An approval that names no digest is bound to the call as it waits now, where it does.

    Raises:
        UnknownRun: the journal holds no such run
        UsageError: the run is over, or the journal has no inbox
        JournalError: the journal refused, or the letter holds what JSON cannot carry
    """
    if not isinstance(journal, Inbox):
        raise UsageError("the journal takes no letters: use SqliteJournal, PostgresJournal or MemoryJournal")
    history = await journal.read(run_id)
    if isinstance(end := history[-1], RunEnded) and (end.outcome.status != "failed" or isinstance(letter, Cancel)):
        raise UsageError(f"run {run_id} is over ({end.outcome.status})")
    if isinstance(letter, Approve) and not letter.digest:
        asked = {call.call_id: call.digest for call in waiting(history)}
        letter = replace(letter, digest=asked.get(letter.call_id, ""))
    return await journal.send(run_id, letter)


class Cancelled(Struct, frozen=True):
    """What came of a cancellation."""

    number: int
    """Of the letter."""
    outcome: Outcome | None
    """How the run ended, which need not be by this: it may have been about to end. None where it is not over yet, and
    whoever works on it ends it."""


async def cancel(journal: Journal, clock: Clock, run_id: str, letter: Cancel) -> Cancelled:
    """End a run: by a letter to whoever works on it, or right here where nobody does.

    Calls that were running have an outcome that nobody knows.

    Raises:
        UnknownRun: the journal holds no such run
        UsageError: the run is over, or the journal has no inbox
        JournalError: the journal refused
    """
    number = await send(journal, run_id, letter)
    if not isinstance(journal, Leases):
        return Cancelled(number, None)
    try:
        async with held(journal, run_id):
            return Cancelled(number, await _end(journal, clock, run_id, letter, number))
    except Conflict:  # somebody works on it, and finds the letter
        return Cancelled(number, None)


async def _end(journal: Journal, clock: Clock, run_id: str, letter: Cancel, number: int) -> Outcome | None:
    """Write down that the run was cancelled, and what follows of that; gives how it ended."""
    history = await journal.read(run_id)
    state, elapsed = fold(history), history[-1].elapsed
    if state.phase == "over":  # whoever worked on it found the letter, or came to its end
        return state.outcome
    asked = CancelAsked(by=writable(letter.by), reason=writable(letter.reason), inbox=number)
    late = LetterRefused(inbox=number, why=ABOUT_TO_END)
    facts: list[Event] = [RunResumed(), late if state.outcome is not None else asked]
    while facts:
        stamped = [replace(fact, at=clock.now(), elapsed=elapsed) for fact in facts]
        seq = state.events + 1
        for fact in stamped:
            state = apply(state, fact)
        await journal.append(run_id, seq, stamped)
        facts = [command.event for command in due(state) if isinstance(command, Record)]
    return state.outcome
