"""Types in tags come from the schema; a string keeps its text to the character."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_leaks_forms import tool

from loopwright.core.messages import ToolSpec
from loopwright.protocols.leaks import find_leaks

PARTS: dict[str, Any] = {
    "text": {"type": "string"},
    "maybe": {"type": ["string", "null"]},
    "count": {"type": "integer"},
    "share": {"type": "number"},
    "deep": {"type": "boolean"},
    "steps": {"type": "array"},
    "options": {"type": "object"},
    "none": {"type": ["integer", "null"]},
    "level": {"enum": [1, 2]},
    "word": {"enum": ["1", "2"]},
    "free": {},
}
TOOLS = [ToolSpec("set", parameters={"type": "object", "properties": PARTS})]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("text", "4", "4"),
        ("text", "true", "true"),
        ("text", ' {"a": 1} ', ' {"a": 1} '),
        ("text", "a &lt; b &amp; c", "a &lt; b &amp; c"),
        ("text", "\n  a\n b\n\n", "  a\n b\n"),
        ("text", "\r\na\r\n", "a"),
        ("text", "a\n", "a\n"),
        ("text", "\n", ""),
        ("text", "\n\n", ""),
        ("text", "use </parameter> here", "use </parameter> here"),
        ("maybe", "null", "null"),
        ("count", "4", 4),
        ("count", " 4 ", 4),
        ("count", "four", "four"),
        ("count", "4.5", "4.5"),
        ("count", "null", "null"),
        ("share", "4", 4),
        ("share", "4.5", 4.5),
        ("deep", "true", True),
        ("deep", "False", False),
        ("deep", "1", "1"),
        ("steps", '["a", 1]', ["a", 1]),
        ("steps", "a, b", "a, b"),
        ("options", '{"a": null}', {"a": None}),
        ("none", "None", None),
        ("level", "2", 2),
        ("level", "two", "two"),
        ("word", "2", "2"),
        ("free", "2", "2"),
        ("unknown", "2", "2"),
    ],
)
def test_the_schema_decides_the_type(name: str, text: str, value: object) -> None:
    (call,) = find_leaks(f"<function=set><parameter={name}>{text}</parameter></function>", TOOLS).calls
    assert (call.arguments, call.state) == ({name: value}, "strict")


def test_a_repaired_value_makes_a_repaired_call() -> None:
    (call,) = find_leaks("<function=set><parameter=steps>['a']</parameter></function>", TOOLS).calls
    assert (call.arguments, call.state) == ({"steps": ["a"]}, "repaired")


def test_the_form_decides_where_the_schema_says_nothing() -> None:
    form = '<invoke name="set"><parameter name="free" string="{}">4</parameter></invoke>'
    assert find_leaks(form.replace("{}", "true"), TOOLS).calls[0].arguments == {"free": "4"}
    assert find_leaks(form.replace("{}", "false"), TOOLS).calls[0].arguments == {"free": 4}
    assert find_leaks(form.replace("{}", "false").replace("4", "a b"), TOOLS).calls[0].arguments == {"free": "a b"}


def test_a_marker_in_a_glm_value_is_text() -> None:
    text = (
        "<tool_call>edit\n<arg_key>text</arg_key>\n<arg_value>use </arg_value> in docs</arg_value>\n"
        "<arg_key>line</arg_key>\n<arg_value>4</arg_value>\n</tool_call>"
    )
    (call,) = find_leaks(text, [tool("edit", text="string", line="integer")]).calls
    assert call.arguments == {"text": "use </arg_value> in docs", "line": 4}


def test_python_values_keep_their_text() -> None:
    source = r"""[set(text='it\'s a "b"', count=-4, steps=["\d", {'a': None}], deep=True)]"""
    (call,) = find_leaks(source, TOOLS).calls
    assert call.arguments == {"text": 'it\'s a "b"', "count": -4, "steps": ["\\d", {"a": None}], "deep": True}


def test_the_text_of_a_python_call_is_what_stands_between_its_brackets() -> None:
    calls = find_leaks("[set(text='ä',\n count=4), set(deep=False)]", TOOLS).calls
    assert [call.text for call in calls] == ["text='ä',\n count=4", "deep=False"]


VALUES = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@given(VALUES.filter(lambda text: "<" not in text and "think" not in text.lower()))
def test_any_string_comes_through_tags_unchanged(value: str) -> None:
    tools = [tool("write", content="string")]
    for form in (
        "<function=write>\n<parameter=content>\n{}\n</parameter>\n</function>",
        "<tool_call>write\n<arg_key>content</arg_key>\n<arg_value>{}</arg_value>\n</tool_call>",
        '<invoke name="write">\n<parameter name="content">\n{}\n</parameter>\n</invoke>',
        "<write>\n<content>\n{}\n</content>\n</write>",
    ):
        (call,) = find_leaks(form.replace("{}", value), tools).calls
        assert (call.arguments, call.state) == ({"content": value}, "strict")
