"""Whether a call may run: the rules of the run, where its arguments come from, and what a person said before.

Owns the order in which they count, and what a run remembers for it. The first rule that matches decides; without one,
the tool's own permission. What was allowed is asked about all the same once the run has read text of others, unless
every value of the call was said by somebody whose word counts. A person's *always* is bound to the call or
to the tool.

Whose word counts: the task, the instructions, results of tools whose output is trusted as long as nobody else can have
steered them, and what a person typed.
"""

from hashlib import blake2b

from msgspec import Raw, Struct, field
from msgspec.json import encode

from loopwright.core.events import ApprovalGiven, CallEnded, RunStarted
from loopwright.core.limits import SHOWN_BYTES, shortened
from loopwright.core.messages import Call, Permission, ToolSpec
from loopwright.core.origins import Origins, Trace, said_in
from loopwright.core.progress import signature
from loopwright.core.rules import Rule


class Verdict(Struct, frozen=True):
    """What a call may do, and why."""

    permission: Permission
    by: str = ""
    """What decided: a rule by its number, or the default."""
    why: str = ""
    """Why a person is asked, or why the call is denied, in words for both."""
    tainted: bool = False
    """Whether the model had read text of others when it made the call."""
    stray: str = ""
    """The first argument with a value that nobody trusted has said; looked for behind text of others only."""
    traced: bool = True
    """Whether everything that the call does was said by somebody trusted; before text of others that is so."""


class Always(Struct, frozen=True):
    """A person's leave for all calls of a tool."""

    by: str
    knowing: bool
    """Whether the person knew of text of others."""


class Consent(Struct):
    """What a run remembers to judge its calls. Changed in place, by `loop.apply` only."""

    run_id: str = ""
    rules: tuple[Rule, ...] = ()
    origins: Origins = field(default_factory=Origins)
    reader: str = ""
    """The tool that reads on in results, of whomever they were."""
    watching: bool = False
    """Whether a tool of the run returns text of others."""
    read: str = ""
    """What brought the first text of others: a call, by its tool and id, or a tool's description."""
    spoiled: bool = False
    """Whether a call that was not traced may have written somewhere, so that what tools find may be its doing."""
    calls: dict[str, str] = field(default_factory=dict[str, str])
    """Who allowed a call for good, by the call's digest."""
    tools: dict[str, Always] = field(default_factory=dict[str, Always])

    def begin(self, started: RunStarted) -> None:
        """Take in the rules, and what the task and the instructions say."""
        self.run_id, self.rules = started.run_id, started.rules
        self.reader = started.reader.name if started.reader is not None else ""
        # Once watched, always watched: a fork without such tools knows what they said in its parent.
        self.watching |= any(not (tool.trusted_output and tool.trusted_description) for tool in started.tools)
        foreign = next((tool.name for tool in started.tools if not tool.trusted_description), "")
        self.read = f"the description of {_quoted(foreign)}" if foreign else ""
        self._hear(started.task)
        self._hear(started.instructions)

    def fork(self, started: RunStarted, said: str) -> None:
        """Go on under the rules of a fork: what a person allowed for good was allowed in another run."""
        read = self.read
        self.begin(started)
        self.read = read or self.read
        self.calls, self.tools = {}, {}
        self._hear(said)

    def heard(self, text: str) -> None:
        """Take in what a person says to the model."""
        self._hear(text)

    def judge(self, call: Call, tool: ToolSpec) -> Verdict:
        """What a call may do that the model has just made."""
        found = next(((number, rule) for number, rule in self._numbered() if rule.matches(tool, call.arguments)), None)
        verdict = _by_rule(*found, tool) if found is not None else _by_default(tool)
        if not self.read:
            return verdict
        trace = self.origins.trace(call.arguments, tool.parameters)
        return self._doubted(verdict, tool, trace, found[1].tainted if found is not None else "")

    def digest(self, call: Call) -> str:
        """What an approval is bound to: the run, the tool and the arguments."""
        return blake2b(self.run_id.encode("utf-8", "replace") + b"\0" + signature(call), digest_size=16).hexdigest()

    def always(self, call: Call, verdict: Verdict) -> str:
        """Who allowed the call for good; empty if nobody did."""
        if by := self.calls.get(self.digest(call)):
            return f"{by}, always this call"
        leave = self.tools.get(call.tool)
        if leave is None or not (leave.knowing or verdict.traced):
            return ""
        return f"{leave.by}, always this tool"

    def said(self, event: ApprovalGiven, made: Call, allowed: Call, verdict: Verdict) -> None:
        """A person said yes; `made` is the call of the model, `allowed` the one with what the person changed."""
        if event.scope == "call":
            self.calls[self.digest(allowed)] = event.by or "a person"
        if event.scope == "tool":
            self.tools[allowed.tool] = Always(event.by or "a person", verdict.tainted)
        if event.arguments is not None and self.watching:
            before = [leaf for _, leaf in said_in(made.arguments, {})]
            typed = [leaf for _, leaf in said_in(event.arguments, {}) if leaf not in before]
            self.origins.add(Raw(encode(typed)))

    def ended(self, event: CallEnded, call: Call, tool: ToolSpec, verdict: Verdict) -> None:
        """A call is answered: note what text came with it, and from whom."""
        if event.how in ("ran", "unknown") and tool.effect != "read" and verdict.stray:
            self.spoiled = True
        if event.how not in ("ran", "given") or call.tool == self.reader:
            return
        if not tool.trusted_output:
            self.read = self.read or f"{call.tool} {call.id}"
        elif self.watching and event.result.status == "ok" and not self.spoiled and not verdict.stray:
            self.origins.add(event.result.data)

    def _hear(self, text: str) -> None:
        if self.watching:
            self.origins.add(text)

    def _numbered(self) -> enumerate[Rule]:
        return enumerate(self.rules, 1)

    def _doubted(self, verdict: Verdict, tool: ToolSpec, trace: Trace, tainted: str) -> Verdict:
        """The verdict behind text of others; `tainted` is what the rule says of that."""
        traced = trace.linked and not trace.stray
        permission, why = verdict.permission, verdict.why
        matters = tainted == "ask" or (tainted != "allow" and (tool.effect != "read" or tool.open_world))
        if matters and not traced and permission != "deny":
            source = (
                f"{_quoted(trace.stray)} is not from the task"
                if trace.stray
                else "nothing in the call is from the task"
            )
            doubt = f"the run has read text of others ({self.read}), and {source}"
            if permission == "allow" and verdict.by != "default":
                doubt = f"{verdict.by} allows it {_without(tainted)}, but {doubt}"
            permission, why = "ask", f"{why}; {doubt}" if why else doubt
        leave = self.tools.get(tool.name)
        if permission == "ask" and not traced and leave is not None and not leave.knowing:
            why = f"{why}; 'always this tool' was said before the run had read text of others"
        return Verdict(permission, verdict.by, why, tainted=True, stray=trace.stray, traced=traced)


def _by_rule(number: int, rule: Rule, tool: ToolSpec) -> Verdict:
    name = f"rule {number}{f' of {rule.source}' if rule.source else ''}"
    if rule.permission == "ask":
        return Verdict("ask", name, f"{name} asks about it{_tail(rule.reason)}")
    return Verdict(rule.permission, name, rule.reason if rule.permission == "deny" else "")


def _by_default(tool: ToolSpec) -> Verdict:
    asks = f"no rule allows it ({tool.effect})" if tool.permission == "ask" else ""
    return Verdict(tool.permission, "default", asks)


def _tail(reason: str) -> str:
    return f": {reason}" if reason else ""


def _without(tainted: str) -> str:
    """What a rule that allows says of text of others; it holds behind it only where it says ``allow``."""
    return f'with tainted = "{tainted}"' if tainted else 'without tainted = "allow"'


def _quoted(name: str) -> str:
    """The name of an argument, which a model may have made up."""
    return shortened(repr(name), SHOWN_BYTES)
