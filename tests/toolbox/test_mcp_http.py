"""MCP servers behind an address: streamable HTTP, with a token out of the environment."""

import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from loopwright.core.errors import UsageError
from loopwright.toolbox.mcp import McpTool, mcp_tools
from loopwright.toolbox.mcp_progress import Progress
from loopwright.toolbox.mcp_settings import McpServer

SERVER = Path(__file__).with_name("mcp_http_server.py")
TOKEN = {"TOKEN": "let-me-in"}


@contextmanager
def serving(folder: Path, *form: str) -> Generator[str]:
    """The address of a server in a process."""
    command = [sys.executable, str(SERVER), str(folder), *form]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


@pytest.fixture(scope="module", params=["events", "json"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, request.param) as address:
        yield address, folder


def remote(address: str, **settings: Any) -> dict[str, McpServer]:
    return {"r": McpServer(url=address, bearer_from="TOKEN", headers={"X-Team": "a"}, **settings)}


def named(tools: list[McpTool]) -> dict[str, McpTool]:
    return {tool.name: tool for tool in tools}


async def test_a_server_behind_an_address_is_called_with_its_token(server: tuple[str, Path]) -> None:
    address, folder = server
    seen: list[Progress] = []
    async with mcp_tools(named=remote(address), variables=TOKEN, watch=seen.append) as tools:
        assert [tool.spec.name for tool in tools] == ["r_count", "r_leave", "r_flood"]
        result = await named(tools)["count"].run({"words": ["one", "two"]})
        assert msgspec.json.decode(result.data) == {"result": 2}
    headers = set((folder / "headers").read_text().splitlines())
    assert headers == {"Bearer let-me-in a"}
    assert [one.message for one in seen] in (["one", "two"], [])  # an answer in JSON has no room for them


async def test_a_wrong_token_is_said_without_the_token(server: tuple[str, Path]) -> None:
    with pytest.raises(UsageError, match="it answered with status 401") as refused:
        async with mcp_tools(named=remote(server[0]), variables={"TOKEN": "wrong-token"}):
            pass
    assert "wrong-token" not in str(refused.value)


async def test_a_server_that_goes_away_is_an_error(tmp_path: Path) -> None:
    with serving(tmp_path) as address:
        async with mcp_tools(named=remote(address, start_seconds=20.0), variables=TOKEN) as tools:
            flood = await named(tools)["flood"].run({})
            count = await named(tools)["count"].run({"words": ["one"]})
            lost = await named(tools)["leave"].run({})
            gone = await named(tools)["count"].run({"words": ["one"]})
    assert flood.error.startswith("ServerGone: ")
    assert msgspec.json.decode(count.data) == {"result": 1}
    assert lost.error.startswith("ServerGone: the server was lost before it answered")
    assert gone.error == "ServerGone: MCP server r died before, and cannot be used any more"


async def test_nobody_behind_an_address_is_said() -> None:
    with pytest.raises(UsageError, match=r"MCP server r .* cannot be connected to"):
        async with mcp_tools(named=remote("http://127.0.0.1:9/mcp", start_seconds=10.0), variables=TOKEN):
            pass


async def test_no_address_beyond_this_machine_is_reached_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPWRIGHT_OFFLINE", "1")
    with pytest.raises(UsageError, match="is not reached, because LOOPWRIGHT_OFFLINE is set"):
        async with mcp_tools("https://mcp.example.org/mcp"):
            pass


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"command": "x", "bearer_from": "TOKEN"}, "headers, headers_from and bearer_from are for a server with a url"),
        ({"url": "http://x/", "args": ("y",)}, "args, env, env_from and cwd are for a server with a command"),
        ({"url": "https://x/", "bearer_from": "NOT A NAME"}, "is no name of an environment variable"),
        ({"url": "http://mcp.example.org/", "bearer_from": "TOKEN"}, "a secret is not sent over http"),
        ({}, "either a command or a url"),
        ({"command": "x", "timeout": 0.0}, "timeout is 0.0; it must be above 0"),
        ({"command": "x\0"}, "NUL byte"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        McpServer(**settings)


async def test_a_token_that_cannot_be_a_header_is_refused_without_being_shown() -> None:
    with pytest.raises(UsageError, match="the header 'Authorization' cannot be sent") as refused:
        async with mcp_tools(named=remote("http://127.0.0.1:9/"), variables={"TOKEN": "one\r\ntwo: hidden"}):
            pass
    assert "hidden" not in str(refused.value)
