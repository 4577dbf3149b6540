"""Which tools may run, as data.

Owns the rules and how they rank. Whom to ask, and what an approval is bound to, is the engine's part.
"""

import msgspec
from msgspec import Struct

from loopwright.core.messages import Effect, Permission, ToolSpec

_STRICTNESS: dict[Permission, int] = {"allow": 0, "ask": 1, "deny": 2}


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """One rule: what is permitted to a tool, to an effect, or to a tool with that effect.

    ``Rule("deny", effect="pay")``, ``Rule("allow", tool="send_report")``. A rule that names neither is for all tools.
    """

    permission: Permission
    tool: str | None = None
    effect: Effect | None = None

    def __post_init__(self) -> None:
        if self.permission not in _STRICTNESS:
            raise ValueError(f"permission {self.permission!r}; it is one of allow, ask, deny")

    def matches(self, spec: ToolSpec) -> bool:
        """Whether the rule is about this tool."""
        return self.tool in (None, spec.name) and self.effect in (None, spec.effect)

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Order of rules: one that names the tool, one that names the effect, then the stricter one."""
        return (self.tool is not None, self.effect is not None, _STRICTNESS[self.permission])


class Policy(Struct, frozen=True, forbid_unknown_fields=True):
    """Rules. Without any, reading is allowed and everything else asks.

    The order of the rules does not matter: the most particular one counts, and of equally particular ones the
    strictest.
    """

    rules: tuple[Rule, ...] = ()

    def permission(self, spec: ToolSpec) -> Permission:
        """What this tool may do."""
        matching = [rule for rule in self.rules if rule.matches(spec)]
        if matching:
            return max(matching, key=lambda rule: rule.rank).permission
        return "allow" if spec.effect == "read" else "ask"

    def applied(self, spec: ToolSpec) -> ToolSpec:
        """The tool with its permission, as the journal holds it."""
        return msgspec.structs.replace(spec, permission=self.permission(spec))
