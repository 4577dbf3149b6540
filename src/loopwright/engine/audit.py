"""The audit of a run: every call that the model made, who let it run or did not, when, and what came of it.

A fold over the events. Whether these are as they were written, the journal says.
"""

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    Event,
    How,
    ModelReplied,
    RunForked,
    RunStarted,
)
from loopwright.core.messages import ArgumentState, Call, Content, Effect, Result, ToolSpec, Whole

Permission = Literal["allowed", "denied", "refused", "open"]
"""Whether it was let run; refused is what could not run at all, open what is not decided."""

POLICY, NOBODY, GUARD, LOOP = "the policy", "nobody was there to ask", "the progress guard", "loopwright"
"""Who decided, where it was no person."""
CANCELLED, GIVEN = "whoever cancelled the run", "the result was given in a fork; the call did not run"
BY_POLICY = "Denied: the policy"
"""How the answer to a call begins that no person was to be asked about."""


class Decided(Struct, frozen=True, kw_only=True):
    """What a person was asked and answered before the work was interrupted and they were asked again."""

    asked_at: float | None
    decided_at: float | None
    """None where no answer came."""
    permission: Permission
    by: str
    why: str


class Audited(Struct, frozen=True, kw_only=True):
    """One call, from the reply that made it to its answer. Times are Unix time in seconds."""

    id: str
    tool: str
    arguments: dict[str, Any]
    """What it ran with, or would have."""
    text: str
    """The arguments as the model wrote them."""
    state: ArgumentState
    effect: Effect | None
    """None for a tool that there is not."""
    permission: Permission = "open"
    by: str = ""
    """Who or what allowed or denied it."""
    why: str = ""
    """Why a person was asked, or what the person said."""
    changed: bool = False
    """Whether a person changed the arguments."""
    made_at: float = 0.0
    asked_at: float | None = None
    decided_at: float | None = None
    started_at: tuple[float, ...] = ()
    """More than one where it ran again after an interruption."""
    ended_at: float | None = None
    seconds: float | None = None
    """How long it ran the last time."""
    how: How | None = None
    """None while it is not answered."""
    result: Result | None = None
    whole: Whole | None = None
    before: tuple[Decided, ...] = ()
    """Earlier questions to a person about the same call, and what they answered."""

    @property
    def artifacts(self) -> tuple[Content, ...]:
        """What it gave that the journal keeps."""
        return self.result.artifacts if self.result is not None else ()


def audited(events: Iterable[Event]) -> list[Audited]:
    """Every call of a run, in the order in which they were made: those that ran, and those that did not."""
    found, tools = dict[str, Audited](), dict[str, ToolSpec]()
    for event in events:
        match event:
            case RunStarted() | RunForked():
                rules = event if isinstance(event, RunStarted) else event.started
                known = (*rules.tools, rules.reader) if rules.reader is not None else rules.tools
                tools = {tool.name: tool for tool in known}
            case ModelReplied():
                made = (_made(call, tools.get(call.tool), event.at) for call in event.turn.calls)
                found.update((call.id, call) for call in made)
            case ApprovalAsked() | ApprovalGiven() | CallStarted() | CallEnded() if event.call_id in found:
                found[event.call_id] = _next(found[event.call_id], event)
            case _:
                pass
    return list(found.values())


def _made(call: Call, tool: ToolSpec | None, at: float) -> Audited:
    return Audited(
        id=call.id,
        tool=call.tool,
        arguments=call.arguments,
        text=call.text,
        state=call.state,
        effect=tool.effect if tool is not None else None,
        made_at=at,
    )


def _next(call: Audited, event: ApprovalAsked | ApprovalGiven | CallStarted | CallEnded) -> Audited:
    match event:
        case ApprovalAsked():
            before = call.before if call.asked_at is None else (*call.before, _before(call))
            return replace(call, asked_at=event.at, decided_at=None, why=event.why, before=before)
        case ApprovalGiven():
            call = replace(call, decided_at=event.at, by=_scoped(event), why=event.reason or call.why)
            call = replace(call, permission="allowed" if event.allowed else "denied")
            return call if event.arguments is None else replace(call, arguments=event.arguments, changed=True)
        case CallStarted():
            by = call.by or event.by or POLICY
            return replace(call, permission="allowed", by=by, started_at=(*call.started_at, event.at))
        case CallEnded():
            ran = event.seconds if call.started_at else None
            call = replace(call, ended_at=event.at, seconds=ran, how=event.how, result=event.result, whole=event.whole)
            if call.permission == "allowed" and event.how == "denied":  # a person changed it to what no rule allows
                return replace(call, permission="denied", by=POLICY)
            return call if call.permission != "open" else _decided(call, event)


def _before(call: Audited) -> Decided:
    return Decided(
        asked_at=call.asked_at,
        decided_at=call.decided_at,
        permission=call.permission if call.decided_at is not None else "open",
        by=call.by if call.decided_at is not None else "",
        why=call.why,
    )


def _scoped(event: ApprovalGiven) -> str:
    by = event.by or "a person"
    return by if event.scope == "once" else f"{by}, always this {event.scope}"


def _decided(call: Audited, event: CallEnded) -> Audited:
    """A call that was answered before anybody was asked and before it began."""
    match event.how:
        case "denied":
            by = POLICY if event.result.error.startswith(BY_POLICY) else NOBODY
            return replace(call, permission="denied", by=by)
        case "withheld":
            return replace(call, permission="refused", by=GUARD)
        case "refused" | "unknown" | "ran":
            return replace(call, permission="refused", by=LOOP)
        case "cancelled":
            return replace(call, permission="refused", by=CANCELLED)
        case "given":
            return replace(call, permission="refused", by=event.by or "a person", why=GIVEN)
