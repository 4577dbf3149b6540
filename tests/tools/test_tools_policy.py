"""Which rule counts."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import Effect, Permission, ToolSpec
from loopwright.tools.policy import Policy, Rule

EFFECTS: tuple[Effect, ...] = ("read", "write", "delete", "send", "pay", "execute")


def test_without_rules_reading_is_allowed_and_everything_else_asks() -> None:
    permissions = [Policy().permission(ToolSpec(name="any", effect=effect)) for effect in EFFECTS]
    assert permissions == ["allow", "ask", "ask", "ask", "ask", "ask"]


@pytest.mark.parametrize(
    ("rules", "permission"),
    [
        ((Rule("allow", effect="send"),), "allow"),
        ((Rule("allow"), Rule("deny", effect="send")), "deny"),
        ((Rule("deny", effect="send"), Rule("allow", tool="mail")), "allow"),
        ((Rule("allow", tool="mail"), Rule("deny", tool="mail")), "deny"),
        ((Rule("deny", tool="mail", effect="pay"),), "ask"),
        ((Rule("allow", tool="mail"), Rule("ask", tool="mail", effect="send")), "ask"),
        ((Rule("deny", tool="other"),), "ask"),
    ],
)
def test_the_most_particular_rule_counts_then_the_strictest(rules: tuple[Rule, ...], permission: Permission) -> None:
    for order in itertools.permutations(rules):
        spec = Policy(order).applied(ToolSpec(name="mail", effect="send"))
        assert spec.permission == permission


rules = st.builds(
    Rule,
    st.sampled_from(["allow", "ask", "deny"]),
    tool=st.sampled_from([None, "mail", "other"]),
    effect=st.none() | st.sampled_from(EFFECTS),
)


@given(st.lists(rules, max_size=5), st.sampled_from(EFFECTS), st.randoms())
def test_order_never_matters(given_rules: list[Rule], effect: Effect, random: object) -> None:
    spec = ToolSpec(name="mail", effect=effect)
    assert Policy(tuple(given_rules)).permission(spec) == Policy(tuple(reversed(given_rules))).permission(spec)


def test_a_misspelled_permission_is_refused() -> None:
    with pytest.raises(ValueError, match="one of allow, ask, deny"):
        Rule("never")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
