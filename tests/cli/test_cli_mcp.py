"""MCP servers on the command line: a real one from the package index, and what a folder may not start by itself."""

import json
import shlex
import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import Done, loopwright, start
from terminal import Terminal

from loopwright.cli.project import Project
from loopwright.cli.servers import checked_servers
from loopwright.cli.setup import Recipe
from loopwright.cli.trust import consequences, project_consequences
from loopwright.core.errors import UsageError
from loopwright.core.messages import Way
from loopwright.testing.chat_server import ChatServer, wrong_key
from loopwright.testing.scripted import answers, calls
from loopwright.toolbox.mcp_settings import McpServer

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
TIME = f"{sys.executable} -m mcp_server_time"
STAND_IN = Path(__file__).parent.parent / "toolbox" / "mcp_stand_in.py"
TOKYO = calls("time_get_current_time", timezone="Asia/Tokyo")


def stand_in(mode: str = "plain", *folder: Path) -> str:
    return shlex.join([sys.executable, str(STAND_IN), mode, *map(str, folder)])


def settings_of(mode: str = "plain", *more: str) -> str:
    arguments = json.dumps([str(STAND_IN), mode])
    return "\n".join([f'[mcp.own]\ncommand = "{sys.executable}"\nargs = {arguments}', *more])


def model(server: ChatServer) -> list[str]:
    return ["--model", "openai:any", "--base-url", server.base_url, "--tools", "none", "--protocol", "native"]


def ask(server: ChatServer, folder: Path, *options: str, **settings: str) -> Done:
    return loopwright("ask", "Go!", *model(server), *options, folder=folder, settings={**KEY, **settings})


def observed(server: ChatServer) -> str:
    """What the model was told last."""
    return json.dumps(server.requests[-1].messages[-1])


@contextmanager
def at_a_terminal(server: ChatServer, folder: Path, *options: str) -> Generator[Terminal]:
    settings = {**KEY, "XDG_DATA_HOME": str(folder / "data")}
    terminal = Terminal(["ask", "Go!", *model(server), *options], folder, settings)
    try:
        yield terminal
    finally:
        terminal.close()


@pytest.mark.parametrize("way", ["native", "text"])
def test_a_real_server_from_the_package_index_answers_a_question(way: Way, tmp_path: Path) -> None:
    with ChatServer([TOKYO, answers("It is late in Tokyo.")], way=way) as server:
        done = ask(server, tmp_path, "--mcp", TIME, "--mcp-hints", "--protocol", way)
        told = observed(server)
    assert (done.code, done.err) == (0, "model: openai:any (as asked)\n")
    assert 'Act 1: time_get_current_time {"timezone":"Asia/Tokyo"}' in done.out
    assert 'Observe 1: {"timezone": "Asia/Tokyo", "datetime": "' in done.out
    assert "Answer\nIt is late in Tokyo." in done.out
    assert "Asia/Tokyo" in told
    started = loopwright("show", "last", "--json", folder=tmp_path).events[0]
    assert [tool["name"] for tool in started["tools"]] == ["time_get_current_time", "time_convert_time"]
    assert all(tool["trusted_output"] is False for tool in started["tools"])


def test_a_server_that_is_not_believed_asks_and_without_anybody_to_ask_is_denied(tmp_path: Path) -> None:
    with ChatServer([TOKYO, answers("I may not.")]) as server:
        done = ask(server, tmp_path, "--mcp", TIME)
        told = observed(server)
    assert done.code == 0
    assert "Asia/Tokyo" not in told
    assert "denied" in told.lower()


def test_a_yes_at_the_terminal_lets_it_run_and_progress_is_shown(tmp_path: Path) -> None:
    replies = [calls("stand_in_progress", text="x"), answers("over")]
    with ChatServer(replies) as server, at_a_terminal(server, tmp_path, "--mcp", stand_in()) as terminal:
        terminal.wait_to_see("Run it? ")
        terminal.type(b"y\n")
        assert terminal.end() == 0
    assert b"half[2J way" in terminal.shown
    assert b"\x1b[2J" not in terminal.shown


def test_the_tools_of_a_server_are_listed(tmp_path: Path) -> None:
    done = loopwright("tools", "--tools", "none", "--mcp", TIME, folder=tmp_path)
    assert done.code == 0
    assert done.out.startswith("time_get_current_time(timezone: string)\n    Get current time in a specific timezone\n")
    assert done.out.count("write, asks first") == 2
    believed = loopwright("tools", "--tools", "none", "--mcp", TIME, "--mcp-hints", "--json", folder=tmp_path)
    assert [(one["effect"], one["permission"]) for one in believed.events] == [("read", "allow")] * 2


def test_a_run_is_resumed_with_its_servers_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(STAND_IN.read_text())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = f"{sys.executable} server.py"
    with ChatServer([wrong_key(), calls("server_echo", text="found again"), answers("over")]) as server:
        failed = ask(server, tmp_path, "--mcp", command, "--mcp-hints")
        journal = {"LOOPWRIGHT_JOURNAL": str(tmp_path / "journal.db")}
        done = loopwright("resume", "last", folder=elsewhere, settings={**KEY, **journal})
        told = observed(server)
    assert (failed.code, done.code) == (1, 0)
    assert "found again" in told


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked at in /proc")
def test_ctrl_c_cancels_the_call_and_ends_the_server(tmp_path: Path) -> None:
    arguments = json.dumps([str(STAND_IN), "plain", str(tmp_path)])
    (tmp_path / "loopwright.toml").write_text(
        f'[mcp.own]\ncommand = "{sys.executable}"\nargs = {arguments}\neffects = {{sleeps = "read"}}\n'
    )
    with ChatServer([calls("own_sleeps", text="x")]) as server:
        process = start(["ask", "Go!", *model(server), "--trust"], tmp_path, KEY)
        try:
            deadline = time.monotonic() + 60
            while not (tmp_path / "sleeping").exists():
                assert time.monotonic() < deadline
                assert process.poll() is None, process.communicate()
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
    assert process.returncode == 130
    assert "interrupted; go on with: loopwright resume " in err
    assert "Traceback" not in err
    assert (tmp_path / "cancelled").read_text() == (tmp_path / "sleeping").read_text()
    assert not Path(f"/proc/{(tmp_path / 'starts').read_text().strip()}").exists()


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("no-such-program", "the MCP server 'no-such-program' cannot be started"),
        (stand_in("dies_at_start"), "it said: there is no configuration"),
        (stand_in("many"), "lists 500 tools"),
        ("https://mcp.example.org/mcp", "LOOPWRIGHT_OFFLINE is set"),
        ("server --token x", "'--token' on its command line"),
        ("server sk-0123456789abcdef", "holds what looks like a key"),
    ],
)
def test_a_server_that_cannot_be_used_ends_the_command_with_its_reason(option: str, told: str, tmp_path: Path) -> None:
    with ChatServer([]) as server:
        done = ask(server, tmp_path, "--mcp", option)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "journal.db").exists()


# A folder's own file


def test_a_folder_starts_no_server_before_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text(settings_of("plain", "trust_hints = true"))
    with ChatServer([calls("own_echo", text="started"), answers("over"), answers("alone")]) as server:
        refused = ask(server, tmp_path)
        assert (refused.code, server.requests) == (2, [])
        assert f"to follow {tmp_path / 'loopwright.toml'} would start {sys.executable}" in refused.err
        assert "add --trust, or --no-project to go on without the file" in refused.err
        listed = loopwright("tools", "--tools", "none", folder=tmp_path)
        assert "names MCP servers, which are not started: own" in listed.err
        assert ask(server, tmp_path, "--trust").code == 0
        assert "started" in observed(server)
        alone = ask(server, tmp_path, "--no-project")
        assert (alone.code, server.requests[-1].tools) == (0, [])


def test_a_yes_holds_until_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "loopwright.toml"
    file.write_text(settings_of())
    with ChatServer([answers("one"), answers("two")]) as server:
        with at_a_terminal(server, tmp_path) as terminal:
            terminal.wait_to_see("Go on? [y/N] ")
            terminal.type(b"y\n")
            assert terminal.end() == 0
        again = ask(server, tmp_path, XDG_DATA_HOME=str(tmp_path / "data"))
        assert (again.code, "two" in again.out) == (0, True)
        file.write_text(settings_of("plain", "trust_hints = true"))
        changed = ask(server, tmp_path, XDG_DATA_HOME=str(tmp_path / "data"))
    assert (changed.code, "If you trust that, add --trust" in changed.err) == (2, True)


def test_a_no_starts_nothing(tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text(settings_of())
    with ChatServer([]) as server, at_a_terminal(server, tmp_path) as terminal:
        terminal.wait_to_see("Go on? [y/N] ")
        terminal.type(b"\n")
        assert terminal.end() == 2
    assert b"nothing was started, loaded or sent" in terminal.shown


def test_a_secret_reaches_the_server_and_neither_model_nor_journal(tmp_path: Path) -> None:
    more = ('env_from = ["THE_TOKEN"]', "trust_hints = true", 'effects = {"environment" = "read"}')
    (tmp_path / "loopwright.toml").write_text(settings_of("plain", *more))
    (tmp_path / ".env").write_text("THE_TOKEN=hidden-in-the-file\n")
    with ChatServer(
        [calls("own_echo", text="hi"), wrong_key(), calls("own_environment", text=""), answers("x")]
    ) as server:
        assert ask(server, tmp_path, "--trust").code == 1
        assert b"hidden-in-the-file" not in (tmp_path / "journal.db").read_bytes()
        resumed = loopwright("resume", "last", "--trust", folder=tmp_path, settings=KEY)
        told = observed(server)
    assert resumed.code == 0
    assert "THE_TOKEN" in told  # this server tells its environment when it is asked
    assert "[key]" in told
    assert "hidden-in-the-file" not in told
    assert b"hidden-in-the-file" not in (tmp_path / "journal.db").read_bytes()


def test_a_run_of_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    file = tmp_path / "loopwright.toml"
    file.write_text(settings_of())
    with ChatServer([wrong_key()]) as server:
        ask(server, tmp_path, "--trust")
    file.unlink()
    done = loopwright("resume", "last", folder=tmp_path, settings=KEY)
    assert (done.code, "which is not there any more; put it back" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[mpc.x]", "has [mpc], which is not known; did you mean [mcp]?"),
        ('[mcp.x]\ncomand = "y"', "[mcp.x]: Object contains unknown field `comand`"),
        ("[mcp.x]", "[mcp.x]: an MCP server has either a command or a url"),
        ('[mcp.x]\nurl = "https://u:hidden@h/"', "[mcp.x]: the url holds a user or a password"),
        ('[mcp."a b"]\ncommand = "y"', "'a b' cannot be called so"),
        ("[mcp", "is no TOML"),
        ('[[policy]]\npermission = "perhaps"', "loopwright.toml: "),
    ],
)
def test_what_a_file_says_wrongly_is_told(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text(text)
    with ChatServer([]) as server:
        done = ask(server, tmp_path, "--trust")
    assert done.code == 2
    assert told in done.err
    assert "hidden" not in done.err


def test_what_would_be_started_is_shown_in_one_line() -> None:
    server = McpServer(command="x", args=("-y. Go on? [y/N] y\nnothing else\x1b[2K\u202e",))
    assert project_consequences(Project(mcp={"own": server})) == [
        "start x '-y. Go on? [y/N] y nothing else[2K' for the tools of own"
    ]


def test_a_strange_journal_starts_no_server_without_leave() -> None:
    here, there = "http://127.0.0.1:1/mcp", "https://mcp.example.org/mcp"
    assert consequences(Recipe("local", mcp=("npx -y server", here, there))) == [
        "start npx -y server",
        f"send calls to {there}",
    ]


def test_what_looks_like_a_key_is_not_repeated() -> None:
    with pytest.raises(UsageError) as refused:
        checked_servers(["server sk-0123456789abcdef"])
    assert "0123456789" not in str(refused.value)
