"""Runs as files with the real command: out of one journal and into another, and what is refused there."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Mapping
from gzip import compress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from better import TASK, bet
from command import Done, loopwright

from loopwright import Agent, tool
from loopwright.journal.sqlite import SqliteJournal
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import Line, ScriptedModel, answers, calls
from loopwright.testing.services import services
from loopwright.tools.artifact import Artifact

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
PNG = b"\x89PNG\r\n\x1a\n" + b"plot" * 8
CONVERSATION: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "How far is the sea?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"sea"}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"km": 3}'},
        {"role": "assistant", "content": "3 km."},
    ]
}


def other(folder: Path) -> tuple[str, str]:
    return "--journal", str(folder / "other.db")


async def run(folder: Path, *arguments: str, stdin: str = "", settings: Mapping[str, str] = KEY) -> Done:
    return await asyncio.to_thread(lambda: loopwright(*arguments, folder=folder, settings=settings, stdin=stdin))


async def the_bet(folder: Path) -> str:
    """A run that is over, and its id."""
    async with ChatServer(bet) as server, services(rain={"Athens": 3.2}, rates={"USD": 1.085}) as served:
        where = ("--model", "openai:any", "--base-url", server.base_url)
        done = await run(folder, "ask", TASK, *where, "--json", settings={**served.environ, **KEY})
    assert done.code == 0, done
    return done.events[0]["run_id"]


async def a_chat(folder: Path) -> list[str]:
    """A chat of two turns, and the ids of their runs, the last first."""

    def reply(request: dict[str, Any], _number: int) -> Line:
        ask = request["messages"][-1]
        return calls("calculator", expression="6*7") if ask["content"] == "reckon" else answers("It is done.")

    async with ChatServer(reply) as server:
        where = ("--model", "openai:any", "--base-url", server.base_url)
        done = await run(folder, "chat", *where, stdin="hello\nreckon\n")
    assert done.code == 0, done
    return [each["run_id"] for each in (await run(folder, "runs", "--json")).events]


async def test_a_run_is_the_same_in_another_journal(tmp_path: Path) -> None:
    run_id = await the_bet(tmp_path)
    file = tmp_path / "run.jsonl"
    written = await run(tmp_path, "export", run_id, "-o", str(file))
    assert (written.code, written.out.startswith("wrote ")) == (0, True), written
    assert (await run(tmp_path, "export", run_id)).out == file.read_text(encoding="utf-8")
    done = await run(tmp_path, "import", str(file), *other(tmp_path))
    assert done.code == 0, done
    assert f"imported run {run_id}: " in done.out
    shown = await run(tmp_path, "show", run_id, "--json")
    assert (await run(tmp_path, "show", run_id, "--json", *other(tmp_path))).out == shown.out
    here = await run(tmp_path, "audit", run_id, "--json")
    there = await run(tmp_path, "audit", run_id, "--json", *other(tmp_path))
    assert (there.code, there.events) == (0, here.events)  # to the last hash
    assert (await run(tmp_path, "replay", run_id, "--model-replies", *other(tmp_path))).code == 0


@tool
def draw() -> dict[str, Any]:
    """Draws."""
    return {"plot": Artifact(PNG, name="sales.png")}


@tool(max_chars=300)
def rows() -> list[str]:
    """Rows."""
    return [f"row {number} \x1b[31m \u202e" for number in range(100)]


async def test_what_a_run_kept_comes_with_it(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    model = ScriptedModel(replies=[calls("draw") + calls("rows"), answers("done")])
    await Agent(model, tools=[draw, rows], journal=journal).run("Draw.", run_id="r1")
    await journal.close()
    text = (await run(tmp_path, "export", "r1")).out
    assert "\x1b" not in text
    assert (await run(tmp_path, "import", "-", *other(tmp_path), stdin=text)).code == 0
    assert (await run(tmp_path, "audit", "r1", *other(tmp_path))).code == 0
    whole = [await run(tmp_path, "show", "r1", "--result", "1.2", *more) for more in ((), other(tmp_path))]
    assert "row 99 " in whole[0].out
    assert whole[0].out == whole[1].out
    plot = ("--artifact", sha256(PNG).hexdigest(), "--out", "plot.png")
    assert (await run(tmp_path, "show", "r1", *plot, *other(tmp_path))).code == 0
    assert (tmp_path / "plot.png").read_bytes() == PNG
    page = (await run(tmp_path, "export", "r1", "-f", "html")).out
    assert f'<img src="data:image/png;base64,{b64encode(PNG).decode()}"' in page


async def test_a_name_that_is_taken_is_refused_and_another_one_is_given(tmp_path: Path) -> None:
    run_id = await the_bet(tmp_path)
    text = (await run(tmp_path, "export")).out
    taken = await run(tmp_path, "import", "-", stdin=text)
    assert taken.code == 2
    assert "--as NAME" in taken.err
    done = await run(tmp_path, "import", "-", "--as", "bet", "--json", stdin=text)
    assert (done.code, done.events[0]["run_id"]) == (0, "bet"), done
    assert (await run(tmp_path, "audit", "bet")).code == 0
    answers = [(await run(tmp_path, "show", name, "--json")).events[-1]["outcome"] for name in (run_id, "bet")]
    assert answers[0] == answers[1]
    assert (await run(tmp_path, "import", "-", "--as", " x", stdin=text)).code == 2


async def test_a_chat_brings_the_turns_before_it(tmp_path: Path) -> None:
    last, first = await a_chat(tmp_path)
    text = (await run(tmp_path, "export", last)).out
    done = await run(tmp_path, "import", "-", "--json", *other(tmp_path), stdin=text)
    assert done.code == 0, done
    assert done.events[0]["parents"] == [first]
    for name in (first, last):
        assert (await run(tmp_path, "audit", name, *other(tmp_path))).code == 0
        shown = await run(tmp_path, "show", name, "--json")
        assert (await run(tmp_path, "show", name, "--json", *other(tmp_path))).out == shown.out
    again = await run(tmp_path, "import", "-", "--as", "again", *other(tmp_path), stdin=text)
    assert again.code == 0, again
    assert f"had these runs before it already: {first}" in again.out


async def test_a_damaged_line_is_named_and_nothing_is_stored(tmp_path: Path) -> None:
    await the_bet(tmp_path)
    lines = (await run(tmp_path, "export")).out.splitlines(keepends=True)
    for broken, words in (
        ([*lines[:3], lines[3][:-9] + "\n", *lines[4:]], "line 4"),
        ([*lines[:2], *lines[3:]], "line 3"),
        ([lines[0][:-9] + "\n", *lines[1:]], "line 1"),
    ):
        done = await run(tmp_path, "import", "-", *other(tmp_path), stdin="".join(broken))
        assert done.code == 2
        assert words in done.err
        assert "Traceback" not in done.err
    assert (await run(tmp_path, "runs", "--json", *other(tmp_path))).out == ""


async def test_a_conversation_of_another_program_is_a_run_and_comes_out_again(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(CONVERSATION, indent=2), encoding="utf-8")
    done = await run(tmp_path, "import", str(file), "--as", "sea")
    assert done.code == 0, done
    assert "3 km." in (await run(tmp_path, "show", "sea")).out
    assert (await run(tmp_path, "audit", "sea")).code == 0
    told = json.loads((await run(tmp_path, "export", "sea", "--format", "openai")).out)
    assert [each["role"] for each in told["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert json.loads(told["messages"][2]["content"])  # it is in the form that a model is given
    listed = await run(tmp_path, "import", "-", "--json", stdin=json.dumps(told["messages"]))
    assert listed.code == 0, listed
    again = await run(tmp_path, "export", listed.events[0]["run_id"], "-f", "openai")
    assert json.loads(again.out)["messages"] == told["messages"]


async def test_a_run_that_would_start_something_is_not_taken_into_the_own_journal_unasked(tmp_path: Path) -> None:
    await the_bet(tmp_path)
    lines = (await run(tmp_path, "export")).out.splitlines(keepends=True)
    begun = json.loads(lines[0])
    begun["recipe"]["mcp"] = ["touch /tmp/x"]
    text = "".join((json.dumps(begun, separators=(",", ":")) + "\n", *lines[1:]))
    refused = await run(tmp_path, "import", "-", "--as", "strange", stdin=text)
    assert refused.code == 2
    assert "start touch /tmp/x" in refused.err
    assert "--trust" in refused.err
    assert (await run(tmp_path, "show", "strange")).code == 2
    assert (await run(tmp_path, "import", "-", "--as", "strange", *other(tmp_path), stdin=text)).code == 0
    assert (await run(tmp_path, "import", "-", "--as", "strange", "--trust", stdin=text)).code == 0


async def test_a_run_is_a_document_to_read(tmp_path: Path) -> None:
    run_id = await the_bet(tmp_path)
    told = await run(tmp_path, "export", "--format", "markdown")
    assert told.out.startswith(f"# Run `{run_id}`\n"), told
    assert "### Act 1\n\n```text\nget_current_weather" in told.out
    assert "- Outcome: `answered · 2 steps · 2 calls · " in told.out
    file = tmp_path / "run.md"
    assert (await run(tmp_path, "export", "--format", "markdown", "-o", str(file))).code == 0
    assert file.read_text(encoding="utf-8") == told.out
    page = await run(tmp_path, "export", "--format", "html")
    assert page.out.startswith("<!DOCTYPE html>"), page
    assert "It rained, so you won 108.5 USD." in page.out
    assert "<script" not in page.out
    again = await run(tmp_path, "export", "-o", str(file))
    assert (again.code, "is there already" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("hello", "neither a run"),
        ('{"a": 1}', "neither a run"),
        ("[]", "no conversation"),
        ('{"messages": [1]}', "messages[0]"),
        ('{"messages": []}\n{"messages": []}\n', "several conversations"),
        ('{"type": "run_started"}', "line 1"),
        ("7", "neither a run"),
    ],
)
def test_what_is_no_run_is_said(text: str, words: str, tmp_path: Path) -> None:
    done = loopwright("import", "-", folder=tmp_path, stdin=text)
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_file_in_another_encoding_is_read_or_its_damage_named(tmp_path: Path) -> None:
    file, text = tmp_path / "talk.json", json.dumps(CONVERSATION, indent=1).replace("sea", "s\u00e9a")
    for encoding in ("utf-16", "utf-8-sig"):
        file.write_text(text, encoding=encoding)
        assert loopwright("import", str(file), "--as", encoding, folder=tmp_path).code == 0
        assert "s\u00e9a" in loopwright("show", encoding, folder=tmp_path).out
    file.write_text(text, encoding="latin-1")
    damaged = loopwright("import", str(file), folder=tmp_path)
    assert (damaged.code, "line 5 of" in damaged.err) == (2, True), damaged
    file.write_bytes(compress(text.encode()))
    assert "compressed with gzip" in loopwright("import", str(file), folder=tmp_path).err


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    assert "no file" in loopwright("import", "none.jsonl", folder=tmp_path).err
    assert "cannot be read" in loopwright("import", str(tmp_path), folder=tmp_path).err
    assert "unknown --format 'pdf'" in loopwright("export", "--format", "pdf", folder=tmp_path).err
    assert "no runs yet" in loopwright("export", folder=tmp_path).err
