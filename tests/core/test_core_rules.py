"""Which calls a rule is about: by tool, by effect, and by what the arguments are like."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.messages import ToolSpec
from loopwright.core.rules import LONGEST, Match, Rule, leaves

SEND = ToolSpec(
    "send_mail",
    effect="send",
    parameters={"type": "object", "properties": {"to": {}, "cc": {"default": "archive@example.com"}, "odd": True}},
)


def about(rule: Rule, **arguments: Any) -> bool:
    return rule.matches(SEND, arguments)


@pytest.mark.parametrize(
    ("tool", "effect", "matches"),
    [
        (None, None, True),
        ("send_mail", None, True),
        ("send_*", None, True),
        ("send_mai?", None, True),
        ("send_", None, False),
        ("SEND_MAIL", None, False),
        ("send.mail", None, False),
        (None, "send", True),
        (None, "pay", False),
        ("send_*", "pay", False),
    ],
)
def test_a_rule_names_a_tool_an_effect_or_both(tool: str | None, effect: Any, matches: bool) -> None:
    assert about(Rule("ask", tool=tool, effect=effect)) == matches
    assert Rule("ask", tool=tool, effect=effect).concerns(SEND) == matches


def test_every_pattern_of_a_rule_must_hold() -> None:
    rule = Rule("allow", arguments={"to": "*@example.com", "size": Match(most=10)})
    assert about(rule, to="eva@example.com", size=10)
    assert not about(rule, to="eva@example.com", size=11)
    assert not about(rule, to="eva@example.org", size=1)
    assert not about(rule, to="eva@example.com")


@pytest.mark.parametrize(
    ("pattern", "value", "allows", "denies"),
    [
        ("*@example.com", "eva@example.com", True, True),
        ("*@example.com", "EVA@EXAMPLE.COM", False, True),
        ("*@example.com", "x\n@example.com", False, True),
        ("*@example.com", "eva@example.com.evil.org", False, False),
        *(("ls *", f"ls a{end}rm b", False, True) for end in "\n\r\v\f\x1c\x85\u2028\u2029"),
        ("*@example.com", ["a@example.com", "b@example.com"], True, True),
        ("*@example.com", ["a@example.com", "b@evil.org"], False, True),
        ("*@example.com", [], False, False),
        ("*@example.com", {"to": "a@example.com"}, False, True),
        ("docs/*", "docs/a.md", True, True),
        ("docs/*", "docs/../secret", False, True),
        ("docs?*", "docs\\..\\secret", False, True),
        ("docs/../*", "docs/../secret", True, True),
        ("a.c", "abc", False, False),
        ("*", None, True, True),
        ("null", None, True, True),
        ("true", True, True, True),
        ("false", False, True, True),
        ("13", 13, True, True),
        ("1.5", 1.5, True, True),
        ("*", "x" * (LONGEST + 1), False, True),
        ("*", 1 << 1024, False, True),
        (Match(regex="rm .*"), "rm -r x", True, True),
        (Match(regex="rm .*"), "rm -r x\nls", False, True),
        (Match(regex="rm .*"), "now rm -r x", False, False),
        (Match(glob="a*", regex=".*z"), "a to z", True, True),
        (Match(glob="a*", regex=".*z"), "a to y", False, False),
        (Match(most=100), 100, True, True),
        (Match(most=100), 100.5, False, False),
        (Match(least=100), 100, True, True),
        (Match(least=100), 99, False, False),
        (Match(least=100), "1e3", False, True),
        (Match(least=100), "inf", False, False),
        (Match(least=100), "much", False, False),
        (Match(least=0), True, False, False),
        (Match(least=0), None, False, False),
    ],
)
def test_a_rule_that_allows_is_read_narrowly_and_one_that_denies_broadly(
    pattern: str | Match, value: Any, allows: bool, denies: bool
) -> None:
    assert about(Rule("allow", arguments={"to": pattern}), to=value) == allows
    assert about(Rule("deny", arguments={"to": pattern}), to=value) == denies
    assert about(Rule("ask", arguments={"to": pattern}), to=value) == denies


def test_an_argument_that_is_left_out_has_its_default() -> None:
    assert about(Rule("deny", arguments={"cc": "archive@*"}), to="x")
    assert not about(Rule("deny", arguments={"cc": "archive@*"}), to="x", cc="eva")
    assert not about(Rule("deny", arguments={"odd": "*"}), to="x")
    assert not about(Rule("deny", arguments={"no_such": "*"}), to="x")


@pytest.mark.parametrize("odd", [None, 5, [], "to", {"to": 5}, {"to": None}, {"to": ["default"]}])
def test_a_schema_that_is_none_gives_no_default(odd: Any) -> None:
    tool = ToolSpec("odd", parameters={"type": "object", "properties": odd})
    assert not Rule("deny", arguments={"to": "*"}).matches(tool, {})
    assert Rule("deny", arguments={"to": "*"}).matches(tool, {"to": 1})


def test_a_star_stands_for_all_arguments() -> None:
    assert about(Rule("deny", arguments={"*": "*secret*"}), to="x", text="my Secret")
    assert not about(Rule("allow", arguments={"*": "safe*"}), to="safe", text="not safe")
    assert about(Rule("allow", arguments={"*": "safe*"}), to="safe", text="safe too")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Rule(cast("Any", "never")), "one of allow, ask, deny"),
        (lambda: Rule("ask", effect=cast("Any", "read_all")), "one of read, write"),
        (lambda: Rule("allow", tainted=cast("Any", "yes")), "one of ask, allow"),
        (lambda: Rule("deny", tainted="allow"), "makes no sense"),
        (lambda: Match(), "empty"),
        (lambda: Match(regex="("), "is none"),
        (lambda: Match(least=2, most=1), "at least 2 and at most 1"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(wrong: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        wrong()


def test_a_rule_says_what_it_is() -> None:
    assert str(Rule("allow", tool="x", tainted="ask")) == "allow x, unless others wrote what"
    assert str(Rule("ask")) == "ask every tool"
    assert str(Rule("deny", effect="pay")) == "deny what can pay"
    assert Rule("deny", tool="x").condition == ""
    rule = Rule("allow", "send_*", "send", {"to": "*@x.org", "n": Match(regex="a", least=1, most=2)}, "allow")
    where = "to is *@x.org and n matches a and is at least 1 and is at most 2"
    assert rule.condition == where
    assert str(rule) == f"allow send_*, what can send where {where}, whatever others wrote"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PATTERNS = st.sampled_from(["*", "a*", "*a", "?", "", Match(regex="[a-c]*"), Match(least=0), Match(most=0, glob="*")])


@given(VALUES, PATTERNS)
def test_what_a_rule_allows_it_would_also_deny(value: Any, pattern: str | Match) -> None:
    """So a deny rule with the same pattern in front of an allow rule leaves nothing of it."""
    if about(Rule("allow", arguments={"to": pattern}), to=value):
        assert about(Rule("deny", arguments={"to": pattern}), to=value)
        assert list(leaves(value))
