"""What of a run waits for a person, read from its events.

Owns which calls wait and what a letter about one of them has to name. Sending letters is `sending`'s.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct

from loopwright.core.errors import UsageError
from loopwright.core.events import ApprovalAsked, Event, RunPaused
from loopwright.core.state import Open
from loopwright.engine.history import fold


class Waiting(Struct, frozen=True):
    """A call that waits for a person."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    about: Literal["approval", "doubt", "answer"]
    """Whether it may run; whether it may run again, although it may have run already; or what the tool is to give."""
    why: str = ""
    """Why it does not run without asking."""
    digest: str = ""
    """Of the run, the tool and the arguments that were asked about; an approval that names it holds for these only."""


def waiting(history: Sequence[Event], answered_by_people: Collection[str] = ()) -> tuple[Waiting, ...]:
    """The calls of a run that wait for a person, in the order in which they were made.

    Args:
        history: the events of the run
        answered_by_people: names of tools without code; of other tools it is known only once the run was paused

    Raises:
        IllegalEvent: they are no history of a run
    """
    state = fold(history)
    asked = {event.call_id: event for event in history if isinstance(event, ApprovalAsked)}
    paused = paused_for(history)
    found = list[Waiting]()
    for call_id, item in state.open.items():
        if item.stage == "asked" and call_id in asked:
            found.append(_asked(item, asked[call_id]))
        elif call_id in paused or (item.stage == "running" and item.call.tool in answered_by_people):
            found.append(Waiting(call_id, item.call.tool, item.allowed.arguments, "answer"))
    return tuple(found)


def chosen(calls: Iterable[Waiting], call_id: str | None, about: Collection[str], run_id: str) -> Waiting:
    """The call that is meant: the one of this id, or without one the only one that waits.

    Args:
        calls: those that wait
        call_id: the one that is meant; None for the only one
        about: what it is to wait for
        run_id: of the run, for the text

    Raises:
        UsageError: none of them is meant, or it is not clear which; the text names those that wait
    """
    fitting = [call for call in calls if call.about in about]
    named = [call for call in fitting if call_id in (None, call.call_id)]
    if len(named) == 1:
        return named[0]
    wanted = "an answer" if "answer" in about else "an approval"
    if not fitting:
        raise UsageError(f"nothing in run {run_id} waits for {wanted}")
    those = ", ".join(f"{call.call_id} ({call.tool})" for call in fitting)
    if call_id is None:
        raise UsageError(f"several calls of run {run_id} wait for {wanted}, name one of them: {those}")
    raise UsageError(f"call {call_id} of run {run_id} does not wait for {wanted}; these do: {those}")


def again(why: str) -> str:
    """Why a person is asked about a call that may have run already; `why` is what else there is to ask about."""
    return f"{AGAIN}; {why}" if why else AGAIN


def _asked(item: Open, event: ApprovalAsked) -> Waiting:
    about, why = ("doubt" if item.doubtful else "approval"), event.why
    if item.doubtful and not why.startswith(AGAIN):  # an older version did not write it down
        why = again(why)
    return Waiting(event.call_id, item.call.tool, item.allowed.arguments, about, why, event.digest)


def paused_for(history: Sequence[Event]) -> set[str]:
    """The calls for which the run was paused; empty where it goes on."""
    last = history[-1] if history else None
    if not isinstance(last, RunPaused) or not last.reason.startswith(WAITS):
        return set()
    return {name.strip() for name in last.reason.removeprefix(WAITS).split(",")}


WAITS = "waits for a person: "
"""How the reason of a pause begins for want of a person; the ids of the calls follow."""
AGAIN = "it may have run already, before the run was interrupted, and would run again"
"""How the reason begins for a question about doubt."""
