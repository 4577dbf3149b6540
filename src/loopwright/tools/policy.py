"""Which tools may run, as data: the rules of an agent, in their order.

Owns what holds where no rule does. What a rule says and when it matches is `core.rules`'; a call is judged by it in
`core.permission`. Whom to ask, and what an approval is bound to, is the engine's part.
"""

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.messages import Permission, ToolSpec
from loopwright.core.rules import Match, Rule

__all__ = ["Match", "Policy", "Rule"]


class Policy(Struct, frozen=True, forbid_unknown_fields=True):
    """Rules, of which the first that matches a call decides. Without one, reading is allowed and everything else asks.

    ``Policy((Rule("deny", effect="pay"), Rule("allow", tool="send_mail", arguments={"to": "*@example.com"})))``
    """

    rules: tuple[Rule, ...] = ()

    def decider(self, spec: ToolSpec) -> Rule | None:
        """The first rule about this tool that does not depend on arguments; None where only the default holds."""
        return next((rule for rule in self.rules if rule.concerns(spec) and not rule.arguments), None)

    def conditions(self, spec: ToolSpec) -> tuple[Rule, ...]:
        """The rules that come before that one, and decide about calls of this tool with certain arguments."""
        found = list[Rule]()
        for rule in self.rules:
            if rule.concerns(spec) and not rule.arguments:
                break
            if rule.concerns(spec):
                found.append(rule)
        return tuple(found)

    def permission(self, spec: ToolSpec) -> Permission:
        """What this tool may do where no rule about its arguments says otherwise."""
        rule = self.decider(spec)
        if rule is not None:
            return rule.permission
        return "allow" if spec.effect == "read" else "ask"

    def applied(self, spec: ToolSpec) -> ToolSpec:
        """The tool with its permission, as the journal holds it."""
        return replace(spec, permission=self.permission(spec))
