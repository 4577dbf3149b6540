"""Forks, replays and differences with the real command: above all the bet, forked from dry to rain."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from better import TASK, bet
from command import Done, loopwright

from loopwright.cli.trust import permissions
from loopwright.core.events import RunForked, RunStarted
from loopwright.core.messages import ToolSpec
from loopwright.core.rules import Rule
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import Line, answers, calls
from loopwright.testing.services import services

RAIN = '{"city": "Athens", "temperature": 14.0, "precipitation_mm": 3.2}'
SETTINGS = {"OPENAI_API_KEY": "sk-test-0123456789"}


@asynccontextmanager
async def world() -> AsyncGenerator[tuple[ChatServer, dict[str, str]]]:
    """A day without rain, and a model that plays the bet."""
    async with ChatServer(bet) as server, services(rain={"Athens": 0.0}, rates={"USD": 1.085}) as served:
        yield server, {**served.environ, **SETTINGS}


async def run(folder: Path, settings: dict[str, str], *arguments: str, stdin: str = "") -> Done:
    return await asyncio.to_thread(lambda: loopwright(*arguments, folder=folder, settings=settings, stdin=stdin))


async def begin(server: ChatServer, settings: dict[str, str], folder: Path, protocol: str = "native") -> str:
    """A run that is over, and its id."""
    where = ("--model", "openai:any", "--base-url", server.base_url)
    done = await run(folder, settings, "ask", TASK, *where, "--protocol", protocol, "--json")
    assert done.code == 0, done
    return done.events[0]["run_id"]


@pytest.mark.parametrize("protocol", ["native", "text"])
@pytest.mark.parametrize("given", ["--observation", "--result"])
async def test_the_bet_forked_from_dry_to_rain_converts_the_money(protocol: str, given: str, tmp_path: Path) -> None:
    async with world() as (server, settings):
        run_id = await begin(server, settings, tmp_path, protocol)
        assert len(server.requests) == 2
        done = await run(tmp_path, settings, "fork", run_id, "--at", "1.1", given, RAIN)
        assert done.code == 0, done
        assert "Observe 1 (given by a person at the command line): " in done.out
        assert "Act 2: convert_currency" in done.out
        assert "It rained, so you won 108.5 USD." in done.out
        assert len(server.requests) == 4  # the first question was not asked again
        dry = await run(tmp_path, settings, "show", run_id)
        assert "It did not rain" in dry.out
        for name in (run_id, "last"):
            again = await run(tmp_path, settings, "replay", name, "--model-replies")
            assert again.code == 0, again
            assert "decided and asked as they are today" in again.out
        apart = await run(tmp_path, settings, "diff", run_id, "last")
        assert apart.code == 1
        assert "shared, then they part" in apart.out
        assert "calls: result" in apart.out
        assert "calls: call" in apart.out
        assert "It did not rain, so you did not win." in apart.out
        assert "It rained, so you won 108.5 USD." in apart.out
        audit = await run(tmp_path, settings, "audit", "last")
        assert audit.code == 0, audit


async def test_the_number_of_an_event_is_a_place_too(tmp_path: Path) -> None:
    async with world() as (server, settings):
        run_id = await begin(server, settings, tmp_path)
        shown = await run(tmp_path, settings, "show", run_id, "--json")
        seq = next(event["seq"] for event in shown.events if event["type"] == "call_ended")
        done = await run(tmp_path, settings, "fork", run_id, "--at", str(seq), "--result", RAIN, "--json")
    assert done.code == 0, done
    assert [event["type"] for event in done.events[:3]] == ["run_forked", "call_ended", "run_resumed"]
    assert [event["seq"] for event in done.events[:2]] == [seq, seq + 1]
    assert done.events[0]["parent"] == run_id
    assert done.events[1]["how"] == "given"


async def test_other_arguments_run_the_call_with_them(tmp_path: Path) -> None:
    async with world() as (server, settings):
        run_id = await begin(server, settings, tmp_path)
        done = await run(tmp_path, settings, "fork", run_id, "--at", "1.1", "--arguments", '{"city": "Nowhere at all"}')
    assert 'Act 1 (given by a person at the command line): get_current_weather {"city":"Nowhere at all"}' in done.out


async def test_another_model_and_other_limits_hold_from_there_on(tmp_path: Path) -> None:
    async with world() as (server, settings):
        run_id = await begin(server, settings, tmp_path)
        where = ("--model", "openai:other", "--base-url", server.base_url, "--max-steps", "1")
        done = await run(tmp_path, settings, "fork", run_id, "--at", "1.1", "--result", RAIN, *where)
        assert done.code == 3, done
        assert server.requests[-1].json["model"] == "other"
        assert "partial (steps)" in done.out or "stopped (steps)" in done.out
        again = await run(tmp_path, settings, "replay", "last")
        assert again.code == 0, again


WRITER = """
from loopwright import tool


@tool(effect="write", repeatable=False)
def mail(text: str) -> str:
    \"\"\"Send mail.\"\"\"
    with open("sent.txt", "a") as file:
        file.write(text)
    return "sent"
"""


@pytest.mark.parametrize(("approvals", "code"), [("deny", 0), ("pause", 4)])
async def test_an_effect_in_flight_is_not_done_again(approvals: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(WRITER)
    (tmp_path / "loopwright.toml").write_text('[[policy]]\npermission = "allow"\ntool = "mail"\n')

    def reply(request: dict[str, Any], _number: int) -> Line:
        return answers("Done.") if request["messages"][-1]["role"] == "tool" else calls("mail", text="hi")

    async with ChatServer(reply) as server:
        where = ("--model", "openai:any", "--base-url", server.base_url, "--tools", "mine.py", "--trust")
        done = await run(tmp_path, SETTINGS, "ask", "Mail!", *where)
        assert done.code == 0, done
        assert (tmp_path / "sent.txt").read_text() == "hi"
        done = await run(tmp_path, SETTINGS, "fork", "last", "--at", "1.1", "--approvals", approvals)
    assert done.code == code, done
    assert (tmp_path / "sent.txt").read_text() == "hi"
    shown = await run(tmp_path, SETTINGS, "show", "last", "--json")
    assert [event["type"] for event in shown.events].count("call_started") == 1


async def test_what_is_said_behind_the_end_goes_on(tmp_path: Path) -> None:
    async with world() as (server, settings):
        run_id = await begin(server, settings, tmp_path)
        done = await run(tmp_path, settings, "fork", run_id, "--say", "And where does it always rain?")
        assert done.code == 0, done
        assert "It did not rain" in done.out
        said = server.requests[-1].json["messages"]
        assert said[-1] == {"role": "user", "content": "And where does it always rain?"}
        assert said[-2]["role"] == "assistant"
        again = await run(tmp_path, settings, "replay", "last", "--json")
    assert again.code == 0, again
    assert json.loads(again.out)["same"] is True


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "say where the fork begins"),
        (("--at", "9.9", "--observation", "x"), "is neither the number of an event nor a call of the run"),
        (("--at", "3", "--observation", "x"), "the results of calls are 5"),
        (("--at", "1", "--say", "x"), "give a number from 2 to"),
        (("--at", "5", "--say", "x"), "nothing can be said at event 5, while calls are open; it can at"),
        (("--at", "5", "--result", "{"), "--result is no JSON that can be used"),
        (("--at", "5", "--result", "1", "--observation", "x"), "not both"),
        (("--at", "5", "--protocol", "loud"), "unknown protocol 'loud'"),
        (("--at", "3", "--arguments", '{"7.1": {}}'), "the reply has no call 7.1; its calls are 1.1"),
    ],
)
async def test_what_cannot_be_is_refused_with_what_could(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    async with world() as (server, settings):
        run_id = await begin(server, settings, tmp_path)
        done = await run(tmp_path, settings, "fork", run_id, *arguments)
    assert done.code == 2
    assert told in done.err


async def test_a_run_that_was_changed_diverges_with_both_sides(tmp_path: Path) -> None:
    async with world() as (server, settings):
        run_id = await begin(server, settings, tmp_path)
    change(tmp_path / "journal.db", b"precipitation_mm", b"precipitation_km")
    done = await run(tmp_path, {}, "replay", run_id)
    assert done.code == 1
    assert "goes differently today: at event 6, another request" in done.out
    assert "recorded:" in done.out
    assert '"request":' in done.out
    assert "derived:" in done.out
    assert "new in the request:" in done.out
    assert "precipitation_km" in done.out
    found = json.loads((await run(tmp_path, {}, "replay", run_id, "--json")).out)
    assert found["divergence"]["event"] == 6
    assert found["divergence"]["what"] == "request"
    assert len(found["divergence"]["new"]) == 2


async def test_a_replay_needs_no_key_and_loads_no_tools(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'from loopwright import tool\n\n\n@tool\ndef lucky() -> int:\n    """A number."""\n    return 7\n'
    )
    async with ChatServer(lambda _request, _number: answers("7")) as server:
        where = ("--model", "openai:any", "--base-url", server.base_url, "--tools", "mine.py")
        done = await run(tmp_path, SETTINGS, "ask", "A number?", *where)
        assert done.code == 0, done
    (tmp_path / "mine.py").write_text("raise SystemExit('loaded')\n")
    done = await run(tmp_path, {}, "replay", "last", "--journal", str(tmp_path / "journal.db"))
    assert done.code == 0, done
    assert "1 request the same" in done.out


async def test_two_runs_that_go_the_same_way_do_not_differ(tmp_path: Path) -> None:
    async with world() as (server, settings):
        one = await begin(server, settings, tmp_path)
        other = await begin(server, settings, tmp_path)
        done = await run(tmp_path, settings, "diff", one, other)
        assert done.code == 0, done
        assert "the same" in done.out
        forked = await run(tmp_path, settings, "fork", one, "--at", "3", "--json")
        assert forked.code == 0, forked
        done = await run(tmp_path, settings, "diff", one, "last", "--json")
    assert done.code == 0, done
    found: dict[str, Any] = json.loads(done.out)
    assert found["same"] is True
    assert found["kin"] is True
    assert found["shared"] == 1


async def test_resume_says_what_changed(tmp_path: Path) -> None:
    source = 'from loopwright import tool\n\n\n@tool\ndef lucky() -> int:\n    """{}"""\n    return 7\n'
    (tmp_path / "mine.py").write_text(source.format("A number."))
    async with ChatServer(lambda _request, _number: answers("7")) as server:
        where = ("--model", "openai:any", "--base-url", server.base_url, "--tools", "mine.py")
        done = await run(tmp_path, SETTINGS, "ask", "A number?", *where, "--budget-tokens", "1")
        assert done.code == 3, done
        cut(tmp_path / "journal.db")
        (tmp_path / "mine.py").write_text(source.format("Another number."))
        done = await run(tmp_path, SETTINGS, "resume", "last")
    assert "no longer as it began: the description of lucky" in done.out


def test_what_a_fork_of_a_strange_journal_would_allow_is_asked_about() -> None:
    free = ToolSpec("mail", effect="write", permission="allow")
    begun = RunStarted(run_id="p", task="x", model="m")
    rules = RunStarted(run_id="f", task="x", model="m", tools=(free,), rules=(Rule("allow", tool="shell"),))
    forked = RunForked(started=rules, parent="p", after=1)
    assert permissions([begun]) == []
    assert permissions([begun, forked]) == ["let run without asking mail", "let run without asking shell"]


async def test_a_fork_of_a_strange_journal_loads_nothing_before_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'from loopwright import tool\n\n\n@tool\ndef lucky() -> int:\n    """A number."""\n    return 7\n'
    )
    strange = ("--journal", str(tmp_path / "strange.db"))
    async with ChatServer(lambda _request, _number: answers("7")) as server:
        where = ("--model", "openai:any", "--base-url", server.base_url, "--tools", "mine.py")
        done = await run(tmp_path, SETTINGS, "ask", "A number?", *where, *strange)
        assert done.code == 0, done
        refused = await run(tmp_path, SETTINGS, "fork", "last", "--at", "2", *strange)
        assert refused.code == 2
        assert "may not be your own" in refused.err
        assert "run the code of " in refused.err
        for more in (("--trust",), ("--tools", "none")):
            done = await run(tmp_path, SETTINGS, "fork", "last", "--at", "2", *strange, *more)
            assert done.code == 0, done


def change(path: Path, old: bytes, new: bytes) -> None:
    """Change the text of a result in a journal, as somebody might who has the file."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("select run_id, seq, row from events").fetchall()
        for run_id, seq, row in rows:
            if old in row and b"call_ended" in row:
                changed = row.replace(old, new)
                connection.execute("update events set row = ? where run_id = ? and seq = ?", (changed, run_id, seq))
    connection.close()


def cut(path: Path) -> None:
    """Take the end of the run away, as if it had been killed before it."""
    with sqlite3.connect(path) as connection:
        connection.execute("delete from events where seq > 1")
    connection.close()
