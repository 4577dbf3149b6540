"""`loopwright audit` and what `loopwright show` hands out: artifacts and whole results."""

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from command import loopwright
from msgspec import structs

from loopwright import Agent, Approval, tool
from loopwright.cli.contents import open_image, write_out
from loopwright.core.errors import UsageError
from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    ModelAsked,
    ModelReplied,
    RunEnded,
    RunResumed,
    RunStarted,
)
from loopwright.core.messages import Call, Content, Outcome, Result, ToolSpec, Turn
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing.scripted import ScriptedModel, answers, calls
from loopwright.tools.artifact import Artifact

PNG = b"\x89PNG\r\n\x1a\n\x1b[31m" + bytes(range(64))
CSV = b"\x00\x01a,b\n"


@tool(effect="write")
def draw(name: str) -> dict[str, Any]:
    """Draws.

    Args:
        name: of the plot
    """
    return {"plot": Artifact(PNG, caption="Sales \x1b[2J", name=f"../{name}.png"), "rows": CSV}


@tool(max_chars=300)
def rows() -> list[str]:
    """Rows."""
    return [f"row {number} \x1b[31m" for number in range(100)]


def approve(call: Call, spec: ToolSpec) -> Approval:
    return Approval(call.tool == spec.name, by="anna")


def made(folder: Path) -> str:
    """A run with artifacts and a result that was cut."""
    journal = SqliteJournal(folder / "journal.db")
    model = ScriptedModel(replies=[calls("draw", name="sales") + calls("rows"), answers("done")])
    agent = Agent(model, tools=[draw, rows], journal=journal, approve=approve)
    asyncio.run(_closed(agent, journal))
    return "r1"


async def _closed(agent: Agent, journal: SqliteJournal) -> None:
    await agent.run("Draw.", run_id="r1")
    await journal.close()


def references(folder: Path) -> dict[str, str]:
    with closing(sqlite3.connect(folder / "journal.db")) as connection:
        hashes = [row[0].hex() for row in connection.execute("SELECT hash FROM bodies WHERE content = ?", (PNG,))]
        others = [row[0].hex() for row in connection.execute("SELECT hash FROM bodies WHERE content = ?", (CSV,))]
    return {"png": hashes[0], "csv": others[0]}


def test_the_audit_prints_every_call_and_vouches_for_the_journal(tmp_path: Path) -> None:
    made(tmp_path)
    done = loopwright("audit", folder=tmp_path)
    assert done.code == 0, done.err
    assert '1.1  draw {"name":"sales"}' in done.out
    assert "write: allowed by anna" in done.out
    assert "read: allowed by" in done.out
    assert "kept: the whole result" in done.out
    assert f"kept: {references(tmp_path)['png'][:12]} image/png, {len(PNG)} bytes" in done.out
    assert "events, all as they were written; the chain ends in " in done.out
    assert "\x1b" not in done.out
    lines = loopwright("audit", "r1", "--json", folder=tmp_path).events
    assert [line.get("tool") for line in lines] == ["draw", "rows", None]
    assert (lines[0]["by"], lines[0]["permission"], lines[0]["how"]) == ("anna", "allowed", "ran")
    assert lines[0]["result"]["artifacts"][0]["digest"] == references(tmp_path)["png"]
    assert (lines[2]["damage"], len(lines[2]["head"])) == (None, 64)
    assert lines[2]["head"] in done.out


@pytest.mark.parametrize("place", ["row", "content", "first row"])
def test_a_change_is_found_and_its_first_place_is_named(place: str, tmp_path: Path) -> None:
    made(tmp_path)
    with closing(sqlite3.connect(tmp_path / "journal.db")) as connection, connection:
        if place == "content":
            connection.execute("UPDATE bodies SET content = ? WHERE content = ?", (PNG + b"!", PNG))
        else:
            seq = 1 if place == "first row" else 4
            changed = "x'7b'" if seq == 1 else "CAST(replace(CAST(row AS TEXT), 'anna', 'otto') AS BLOB)"
            connection.execute(f"UPDATE events SET row = {changed} WHERE seq >= ? AND seq < ?", (seq, seq + 6))
    done = loopwright("audit", "r1", folder=tmp_path)
    assert done.code == 1
    wanted = {"row": "is not as it was written", "content": "its content", "first row": "DAMAGED at event 1: it is not"}
    assert "journal: DAMAGED at event " in done.out
    assert wanted[place] in done.out
    assert ("the calls cannot be read" in done.out) == (place == "first row")
    line = loopwright("audit", "r1", "--json", folder=tmp_path).events[-1]
    assert line["damage"]["seq"] >= 1
    assert f"DAMAGED at event {line['damage']['seq']}: {line['damage']['what']}" in done.out


@pytest.mark.parametrize("statement", ["UPDATE runs SET after = 1", "UPDATE runs SET after = 99"])
def test_a_run_that_cannot_be_read_is_not_well(statement: str, tmp_path: Path) -> None:
    made(tmp_path)
    with closing(sqlite3.connect(tmp_path / "journal.db")) as connection, connection:
        connection.execute(statement)
    done = loopwright("audit", "r1", folder=tmp_path)
    assert done.code == 1
    assert "the calls cannot be read" in done.out
    assert "DAMAGED at event 1: it begins run r1 elsewhere than the list of runs says" in done.out
    assert loopwright("audit", "r1", "--json", folder=tmp_path).events[-1]["damage"]["seq"] == 1


def test_a_run_as_it_was_written_that_this_version_cannot_read_is_not_well(tmp_path: Path) -> None:
    made(tmp_path)
    with closing(sqlite3.connect(tmp_path / "journal.db")) as connection, connection:
        [(row,)] = connection.execute("SELECT row FROM events WHERE seq = 1").fetchall()
        newer = re.sub(rb'"format":[0-9]+', b'"format":999', row)
        connection.execute("UPDATE events SET row = ? WHERE seq = 1", (newer,))
        digest = sha256(b"r1").digest()
        for seq, row in connection.execute("SELECT seq, row FROM events ORDER BY seq").fetchall():
            digest = sha256(digest + row).digest()
            connection.execute("UPDATE events SET digest = ? WHERE seq = ?", (digest, seq))
    done = loopwright("audit", "r1", folder=tmp_path)
    assert done.code == 1
    assert "events, which cannot be read; the chain ends in " in done.out
    assert loopwright("audit", "r1", "--json", folder=tmp_path).events[-1]["damage"] is None


def test_show_warns_where_a_run_is_not_as_it_was_written(tmp_path: Path) -> None:
    made(tmp_path)
    assert loopwright("show", "r1", folder=tmp_path).err == ""
    with closing(sqlite3.connect(tmp_path / "journal.db")) as connection, connection:
        changed = "CAST(replace(CAST(row AS TEXT), 'anna', 'otto') AS BLOB)"
        connection.execute(f"UPDATE events SET row = {changed} WHERE seq > 1")
    shown = loopwright("show", "r1", folder=tmp_path)
    assert "by otto" in shown.out
    assert shown.err.startswith("warning: the journal is damaged at event ")
    assert shown.err.endswith("loopwright audit r1\n")
    assert shown.err.count("\n") == 1


def test_a_call_in_doubt_is_counted_and_both_decisions_are_listed(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    call = Call("draw", {"name": "a"}, "1.1", '{"name":"a"}')
    lost = Result("error", error="UnknownOutcome: …")
    asks = structs.replace(draw.spec, permission="ask")
    events = [
        RunStarted(run_id="r1", task="t", model="m", way="native", tools=(asks,), attended=True),
        ModelAsked(number=1),
        ModelReplied(turn=Turn(calls=(call,))),
        ApprovalAsked(call_id="1.1", at=1.0),
        ApprovalGiven(call_id="1.1", allowed=True, by="anna", at=2.0),
        CallStarted(call_id="1.1", at=3.0),
        RunResumed(attended=True),
        ApprovalAsked(call_id="1.1", at=4.0),
        ApprovalGiven(call_id="1.1", allowed=True, by="otto", at=5.0),
        CallStarted(call_id="1.1", at=6.0),
        RunResumed(attended=False),
        CallEnded(call_id="1.1", result=lost, how="unknown", at=7.0),
        ModelAsked(number=2),
        ModelReplied(turn=Turn(answer="done")),
        RunEnded(outcome=Outcome("answered", "done", "")),
    ]

    async def written() -> None:
        await journal.append("r1", 1, events)
        await journal.close()

    asyncio.run(written())
    assert " · 0 calls (1 in doubt) · " in loopwright("show", "r1", folder=tmp_path).out
    told = loopwright("audit", "r1", folder=tmp_path).out
    assert "before: allowed by anna, asked " in told
    assert "write: allowed by otto" in told
    assert "ran again 1 time after an interruption" in told


def test_an_unknown_run_is_the_users_mistake(tmp_path: Path) -> None:
    made(tmp_path)
    done = loopwright("audit", "nothing", folder=tmp_path)
    assert (done.code, "there is no run 'nothing'" in done.err) == (2, True)


def test_show_names_what_was_kept_and_hands_it_out(tmp_path: Path) -> None:
    made(tmp_path)
    png = references(tmp_path)["png"]
    shown = loopwright("show", folder=tmp_path).out
    assert f"{png[:12]}: image/png, {len(PNG)} bytes, ../sales.png Sales \\x1b[2J  (call 1.1)" in shown
    assert "loopwright show r1 --artifact REF --out FILE" in shown
    told = loopwright("show", "r1", "--artifact", png[:8], folder=tmp_path)
    assert (told.code, "write it to a file with --out FILE" in told.out, "\x1b" in told.out) == (0, True, False)
    written = loopwright("show", "r1", "--artifact", png[:12], "--out", "plot.png", folder=tmp_path)
    assert written.out == f"wrote {len(PNG)} bytes to plot.png\n"
    assert (tmp_path / "plot.png").read_bytes() == PNG
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal.db", "plot.png"]
    again = loopwright("show", "r1", "--artifact", png, "--out", "plot.png", folder=tmp_path)
    assert (again.code, "plot.png is there already" in again.err) == (2, True)


def test_show_gives_the_whole_of_a_result_that_was_cut(tmp_path: Path) -> None:
    made(tmp_path)
    done = loopwright("show", "r1", "--result", "1.2", folder=tmp_path)
    assert "\x1b" not in done.out
    assert len(json.loads(done.out)["data"]) == 100
    loopwright("show", "r1", "--result", "1.2", "--out", "rows.json", folder=tmp_path)
    assert json.loads((tmp_path / "rows.json").read_text())["data"][99] == "row 99 \x1b[31m"
    piped = loopwright("show", "r1", "--result", "1.1", "--out", "-", folder=tmp_path)
    assert json.loads(piped.out)["data"]["plot"]["media_type"] == "image/png"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--artifact", "0123456789"), "this run has no artifact '0123456789'; it has: "),
        (("--artifact", "a"), "this run has no artifact 'a'"),
        (("--result", "9.9"), "no call '9.9' was answered in this run; those that were: 1.2, 1.1"),
        (("--out", "x"), "--out and --open need --artifact or --result"),
        (("--result", "1.1", "--open"), "--open needs --artifact"),
        (("--result", "1.1", "--artifact", "abcd"), "not both"),
        (("--result", "1.1", "--out", "no/such/folder"), "cannot write no/such/folder"),
    ],
)
def test_what_cannot_be_handed_out_is_said(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    made(tmp_path)
    done = loopwright("show", "r1", *arguments, folder=tmp_path)
    assert done.code == 2
    assert said in done.err.replace("1.1, 1.2", "1.2, 1.1")


def test_only_images_are_opened_and_by_their_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened = list[str]()
    monkeypatch.setattr("typer.launch", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    content = Content("ab" * 32, 3, "image/png", "../../evil.desktop")
    assert open_image(content, PNG) == f"opened {opened[0]}"
    assert Path(opened[0]).read_bytes() == PNG
    assert Path(opened[0]).name == "abababababab.png"
    for data in (b"<svg onload='x'/>", b"#!/bin/sh\n", b"%PDF-1.7"):
        with pytest.raises(UsageError, match="is not opened; write it to a file"):
            open_image(content, data)
    assert len(opened) == 1


def test_nothing_is_written_raw_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(UsageError, match="raw to a terminal"):
        write_out(PNG, "-")
