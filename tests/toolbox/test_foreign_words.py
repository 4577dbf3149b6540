"""Names, descriptions and schemas that others wrote, and how servers are called."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import UsageError
from loopwright.toolbox.foreign import NAME, Unfit, plain, plain_schema, tool_name, tool_names
from loopwright.toolbox.mcp import name_of, named_servers
from loopwright.toolbox.mcp_settings import McpServer, server_of


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_plain_text_is_one_line_that_can_be_seen(text: str, most: int) -> None:
    found = plain(text, most)
    assert "\n" not in found
    assert found == found.strip()
    assert found.replace("\u2028", " ").isprintable()
    assert len(found) <= most + 40


@given(st.lists(st.text(max_size=100), unique=True, max_size=5), st.text(max_size=10))
def test_names_are_what_providers_take_and_differ_whatever_their_order(names: list[str], origin: str) -> None:
    found = dict(zip(names, tool_names(origin, names), strict=True))
    assert all(0 < len(name) <= NAME and name.replace("_", "").replace("-", "a").isalnum() for name in found.values())
    assert all(name.isascii() for name in found.values())
    assert len(set(found.values())) == len(names)
    backwards = list(reversed(names))
    assert dict(zip(backwards, tool_names(origin, backwards), strict=True)) == found


def test_a_name_that_is_too_long_stays_the_same_and_differs_from_its_neighbour() -> None:
    one, other = tool_name("x", "a" * 100), tool_name("x", "a" * 101)
    assert (len(one), one == tool_name("x", "a" * 100), one == other) == (64, True, False)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("text", "not described by a JSON Schema"),
        ({"type": "array"}, "of type 'array', not an object"),
        ({"type": "object", "properties": {"a": {"default": float("nan")}}}, "is nan"),
        ({"type": "object", "properties": {"a\n": {}}}, "of the odd name"),
        ({"type": "object", "properties": {"": {}}}, "of the odd name"),
        ({"type": "object", "properties": {"a": {"description": "x" * 50_000}}}, "more than 40000 bytes"),
    ],
)
def test_a_schema_that_no_model_can_use_says_why(schema: Any, why: str) -> None:
    with pytest.raises(Unfit, match=why):
        plain_schema(schema)


def test_a_schema_keeps_what_may_be_sent_as_it_is() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Arguments",
        "properties": {"title": {"type": "string", "title": "Title", "description": "a\nb", "enum": ["x\ny"]}},
    }
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {"title": {"type": "string", "description": "a b", "enum": ["x\ny"]}},
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mcp-server-time", "time"),
        ("npx -y @modelcontextprotocol/server-filesystem /data", "filesystem"),
        ("npx -y tavily-mcp@0.2.1", "tavily"),
        ("uvx mcp-server-git --repository .", "git"),
        ("python3.12 -m mcp_server_fetch", "fetch"),
        ("docker run -i --rm mcp/sqlite", "sqlite"),
        ("node build/index.js", "index"),
        ("./my_server.py --fast", "my"),
        ("python -c 'print()'", "python"),
        ("https://mcp.example.org/mcp", "example"),
        ("http://127.0.0.1:8000/mcp", "server"),
        ("http://localhost:8000/mcp", "localhost"),
    ],
)
def test_a_server_is_called_after_its_program_or_host(text: str, name: str) -> None:
    assert name_of(server_of(text)) == name


def test_servers_that_are_called_alike_are_numbered() -> None:
    found = named_servers(["a-mcp", "b/a-mcp"], {"a": McpServer(command="c")}, {})
    assert {name: server.command for name, server in found.items()} == {"a": "c", "a_2": "a-mcp", "a_3": "b/a-mcp"}


def test_a_setting_that_is_not_known_is_refused() -> None:
    with pytest.raises(UsageError, match="trust_hint"):
        named_servers(["a"], {}, {"trust_hint": True})
