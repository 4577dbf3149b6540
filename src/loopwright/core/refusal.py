"""Why a call does not run, and what the model is told instead. Decides nothing else.

Every text here is as short as the budget wants it: the ledger counts on `limits.REFUSAL_BYTES` for each.
"""

from collections.abc import Mapping

from msgspec import Struct

from loopwright.core.events import CallEnded, How
from loopwright.core.limits import SHOWN_BYTES, Ledger, shortened
from loopwright.core.messages import Call, Result, ToolSpec
from loopwright.core.permission import Verdict
from loopwright.core.progress import Guard


class Refusal(Struct, frozen=True):
    """The answer to a call that does not run."""

    how: How
    result: Result
    limit: str = ""
    """The limit that refused it; then the run closes."""


def refuse(call: Call, tools: Mapping[str, ToolSpec], guard: Guard, ledger: Ledger, verdict: Verdict) -> Refusal | None:
    """The reason why a call may not run, or None; `verdict` is what the policy says."""
    tool, most = tools.get(call.tool), ledger.remark()
    if tool is None:
        names = shortened(", ".join(tools), most) or "none"
        return _refusal("refused", f"UnknownTool: there is no tool {_named(call)}; the tools are: {names}")
    if call.state == "rejected":
        return _refusal("refused", f"InvalidArguments: {shortened(call.reason, most)}")
    if call.state == "repaired" and not tool.accepts_repaired:
        reason = shortened(call.reason, most)
        return _refusal("refused", f"InvalidArguments: {reason}; send the call again with valid arguments")
    if verdict.permission == "deny":
        return _refusal("denied", f"Denied: the policy does not allow {_named(call)}{_tail(verdict.why, most)}")
    if guard.withholds(call):
        return _refusal("withheld", "Withheld: this call keeps giving the same result; try something else or answer")
    limit = ledger.exhausted()
    if limit:
        return _refusal("refused", f"Limit: no more calls run, the limit of {limit} is reached", limit)
    return None


def closed(call: Call) -> Refusal:
    """The answer to a call in the reply to the closing question."""
    return _refusal("refused", f"Closing: {_named(call)} did not run, this was the last question")


def unanswered(call: Call, ledger: Ledger, *, doubtful: bool, asked: bool, said: str) -> CallEnded:
    """The answer to a call that a person denied, or that nobody could be asked about.

    Args:
        call: the call
        ledger: says how long the answer may be
        doubtful: whether it may have run already
        asked: whether a person was asked
        said: what the person said, else why one would be asked; not why a call may not run that perhaps ran
    """
    tail = _tail(said if asked or not doubtful else "", ledger.remark())
    if doubtful:
        error = f"UnknownOutcome: the work was interrupted while the call ran; it may have happened or not{tail}"
        return CallEnded(call_id=call.id, result=Result("error", error=error), how="unknown")
    why = "a person said no" if asked else "it needs an approval and nobody is there to ask"
    error = f"Denied: the call did not run, {why}{tail}"
    return CallEnded(call_id=call.id, result=Result("error", error=error), how="denied")


def cancelled(call: Call, *, doubtful: bool) -> CallEnded:
    """The answer to a call of a run that somebody wanted to end; `doubtful` where it may have run already."""
    if doubtful:
        error = "UnknownOutcome: the run was cancelled while the call ran; it may have happened or not"
        return CallEnded(call_id=call.id, result=Result("error", error=error), how="unknown")
    error = "Cancelled: the call did not run, the run was cancelled"
    return CallEnded(call_id=call.id, result=Result("error", error=error), how="cancelled")


def _named(call: Call) -> str:
    """The tool's name in quotes; shortened last, because marks that cannot be printed grow when they are quoted."""
    return shortened(repr(call.tool), SHOWN_BYTES)


def _tail(why: str, most: int) -> str:
    return f": {shortened(why, most)}" if why else ""


def _refusal(how: How, error: str, limit: str = "") -> Refusal:
    return Refusal(how, Result("error", error=error), limit)
