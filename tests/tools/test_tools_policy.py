"""Which rule counts for a tool."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import Effect, Permission, ToolSpec
from loopwright.tools.policy import Policy, Rule

EFFECTS: tuple[Effect, ...] = ("read", "write", "delete", "send", "pay", "execute")
MAIL = ToolSpec(name="mail", effect="send")


def test_without_rules_reading_is_allowed_and_everything_else_asks() -> None:
    permissions = [Policy().permission(ToolSpec(name="any", effect=effect)) for effect in EFFECTS]
    assert permissions == ["allow", "ask", "ask", "ask", "ask", "ask"]


@pytest.mark.parametrize(
    ("rules", "permission"),
    [
        ((Rule("allow", effect="send"),), "allow"),
        ((Rule("deny", effect="send"), Rule("allow")), "deny"),
        ((Rule("allow"), Rule("deny", effect="send")), "allow"),
        ((Rule("allow", tool="mail"), Rule("deny", effect="send")), "allow"),
        ((Rule("deny", tool="m*"), Rule("allow", tool="mail")), "deny"),
        ((Rule("deny", tool="mail", effect="pay"),), "ask"),
        ((Rule("deny", tool="other"),), "ask"),
        ((Rule("allow", arguments={"to": "*@example.com"}),), "ask"),
        ((Rule("allow", arguments={"to": "*@example.com"}), Rule("deny")), "deny"),
    ],
)
def test_the_first_rule_about_the_tool_counts(rules: tuple[Rule, ...], permission: Permission) -> None:
    assert Policy(rules).permission(MAIL) == permission
    assert Policy(rules).applied(MAIL).permission == permission


def test_rules_about_arguments_count_as_far_as_they_come_before_it() -> None:
    first, last = Rule("allow", arguments={"to": "a"}), Rule("allow", arguments={"to": "b"})
    policy = Policy((Rule("deny", effect="pay"), first, Rule("deny", tool="mail"), last))
    assert policy.conditions(MAIL) == (first,)
    assert policy.decider(MAIL) == Rule("deny", tool="mail")
    assert Policy((first, last)).conditions(MAIL) == (first, last)
    assert Policy((first, last)).decider(MAIL) is None


rules = st.builds(
    Rule,
    st.sampled_from(["allow", "ask", "deny"]),
    tool=st.sampled_from([None, "mail", "other", "m*"]),
    effect=st.none() | st.sampled_from(EFFECTS),
)


@given(st.lists(rules, max_size=5), rules, st.sampled_from(EFFECTS))
def test_a_rule_behind_one_that_matches_changes_nothing(before: list[Rule], more: Rule, effect: Effect) -> None:
    spec = ToolSpec(name="mail", effect=effect)
    decided = Policy(tuple(before)).decider(spec)
    if decided is not None:
        assert Policy((*before, more)).decider(spec) == decided
    else:
        assert Policy((*before, more)).decider(spec) in (None, more)


def test_a_misspelled_permission_is_refused() -> None:
    with pytest.raises(ValueError, match="one of allow, ask, deny"):
        Rule("never")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
