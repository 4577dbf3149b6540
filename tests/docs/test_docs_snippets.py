"""The documentation runs: each Python block is executed, in order, in one namespace a page."""

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import answers

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
async def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("LOOPWRIGHT_JOURNAL", str(tmp_path / "journal.db"))
    namespace: dict[str, Any] = {"__name__": "page"}
    with ChatServer(lambda _request, _number: answers("5")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        for number, block in enumerate(blocks(page), 1):
            await execute(block, f"{page.name}:{number}", namespace)
        assert server.requests


async def execute(block: str, name: str, namespace: dict[str, Any]) -> None:
    """Run a block as a reader would: in a program of its own, or where it awaits, in an event loop."""
    if re.search(r"^(async for|await|async with|\w+ = await)", block, re.MULTILINE):
        code = compile(block, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        running = eval(code, namespace)
        if inspect.isawaitable(running):
            await running
        return
    import asyncio

    await asyncio.to_thread(exec, compile(block, name, "exec"), namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
