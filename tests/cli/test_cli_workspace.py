"""A folder to work in, from the command line."""

import json
from pathlib import Path

import pytest
from command import loopwright

from loopwright.testing.chat_server import ChatServer, wrong_key
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "none"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "adder.py").write_text("def add(a, b):\n    return a - b\n")
    (tmp_path / "project" / ".env").write_text("KEY=secret")
    return tmp_path / "project"


def model(server: ChatServer) -> tuple[str, ...]:
    return ("--model", "openai:any", "--base-url", server.base_url)


def offered(server: ChatServer) -> list[str]:
    return [tool["function"]["name"] for tool in json.loads(server.requests[-1].body)["tools"]]


def test_files_are_read_and_nothing_is_changed_without_a_person(project: Path, tmp_path: Path) -> None:
    replies = [
        calls("list_files") + calls("read_file", path="adder.py") + calls("read_file", path=".env"),
        calls("edit_file", path="adder.py", old="a - b", new="a + b"),
        answers("It subtracts."),
    ]
    with ChatServer(replies) as server:
        more = ("--workspace", "project", "--tools", "none", "--json")
        done = loopwright("ask", "Why?", *model(server), *more, folder=tmp_path, settings=KEY)
        files = ["list_files", "read_file", "search_files", "write_file", "edit_file"]
        assert offered(server) == [*files, "run_tests"]
    assert done.code == 0, done.err
    ended = [event for event in done.events if event["type"] == "call_ended"]
    assert sum("'.env' may hold keys" in event["result"].get("error", "") for event in ended) == 1
    assert "KEY=secret" not in done.out
    assert (project / "adder.py").read_text() == "def add(a, b):\n    return a - b\n"


def test_a_run_that_is_resumed_works_in_the_same_folder(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    replies = [wrong_key("none"), calls("read_file", path="adder.py"), answers("It subtracts.")]
    with ChatServer(replies) as server:
        more = ("--workspace", "project", "--tools", "read_file")
        failed = loopwright("ask", "Why?", *model(server), *more, folder=tmp_path, settings=KEY)
        assert (failed.code, offered(server)) == (1, ["read_file"])
        here = {**KEY, "LOOPWRIGHT_JOURNAL": str(tmp_path / "journal.db")}
        done = loopwright("resume", "last", "--json", folder=tmp_path / "elsewhere", settings=here)
        server.assert_done()
    assert done.code == 0, done.err
    (ended,) = [event for event in done.events if event["type"] == "call_ended"]
    assert ended["result"]["data"] == "def add(a, b):\n    return a - b"


def test_a_folder_that_is_none_is_wrong_use(tmp_path: Path) -> None:
    done = loopwright("ask", "hi", "--model", "local", "--workspace", "nowhere", folder=tmp_path)
    assert done.code == 2
    assert "is no folder to work in" in done.err
    listed = loopwright("tools", "--workspace", ".", "--tools", "none", folder=tmp_path)
    assert "edit_file(path: string, old: string, new: string)" in listed.out
    assert "write, asks first" in listed.out
