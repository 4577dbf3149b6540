"""Runs that wait for a person, and the verbs that write to them from another terminal."""

import asyncio
import json
import sqlite3
import subprocess
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from command import Done, loopwright, start
from terminal import Terminal

from loopwright.testing.chat_server import ChatServer, after
from loopwright.testing.scripted import answers, calls

TOOLS = '''
from pathlib import Path

from loopwright import tool


@tool(effect="pay")
def pay(to: str, amount: int) -> str:
    """Pay.

    Args:
        to: whom
        amount: euros
    """
    with Path(__file__).with_name("paid.txt").open("a") as file:
        file.write(f"{to} {amount}\\n")
    return "paid"
'''
KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


@asynccontextmanager
async def world(folder: Path, *script: Any) -> AsyncGenerator[tuple[ChatServer, list[str]], None]:
    """A model that pays, and how to ask it."""
    (folder / "bank.py").write_text(TOOLS)

    def reply(request: dict[str, Any], number: int) -> Any:
        del request
        return script[number - 1]

    async with ChatServer(reply) as server:
        yield server, ["ask", "Pay.", "--model", "openai:any", "--base-url", server.base_url, "--tools", "bank.py"]


async def run(folder: Path, *arguments: str) -> Done:
    return await asyncio.to_thread(lambda: loopwright(*arguments, folder=folder, settings=KEY))


def paid(folder: Path) -> list[str]:
    file = folder / "paid.txt"
    return file.read_text().splitlines() if file.exists() else []


PAYS = (calls("pay", to="Ada", amount=5), answers("Paid."))


async def test_a_run_is_paused_until_a_letter_says_yes_and_is_resumed(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (server, ask):
        first = await run(tmp_path, *ask, "--approvals", "pause")
        assert first.code == 4, first
        assert "waits for a person: 1.1" in first.err
        assert "loopwright approve" in first.err
        assert paid(tmp_path) == []
        listed, seen = await run(tmp_path, "runs"), await run(tmp_path, "show", "last")
        assert "waits for a person" in listed.out
        assert 'waits for a person: 1.1 pay {"to":"Ada","amount":5}  (no rule allows it (pay))' in seen.out
        assert json.loads((await run(tmp_path, "runs", "--json")).out)["waits"] is True
        sent = await run(tmp_path, "approve", "last", "--by", "Eve")
        assert (sent.code, "allowed: 1.1 pay" in sent.out, "loopwright resume" in sent.out) == (0, True, True), sent
        done = await run(tmp_path, "resume", "last", "--approvals", "pause", "--json")
        assert done.code == 0, done
        given = next(event for event in done.events if event["type"] == "approval_given")
        assert (given["by"], given["inbox"]) == ("Eve", 1)
        assert paid(tmp_path) == ["Ada 5"]
        assert len(server.requests) == 2
        late = await run(tmp_path, "approve", "last")
        assert (late.code, "nothing in run" in late.err) == (2, True), late


async def test_a_letter_counts_in_a_resume_without_a_terminal(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (_, ask):
        first = await run(tmp_path, *ask, "--approvals", "pause")
        waits = await run(tmp_path, "resume", "last")
        assert (first.code, waits.code) == (4, 4), waits
        assert "--approvals pause" in first.err
        seen, sent = await run(tmp_path, "show", "last"), await run(tmp_path, "approve", "last")
        hint = sent.out.partition("go on with: loopwright ")[2].split()
        assert (hint[0], hint[-2:]) == ("resume", ["--approvals", "pause"]), sent
        assert " ".join(hint) in seen.out
        done = await run(tmp_path, "resume", "last")
        assert (done.code, paid(tmp_path)) == (0, ["Ada 5"]), done


async def test_with_deny_a_resume_asks_nobody(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (_, ask):
        await run(tmp_path, *ask, "--approvals", "pause")
        done = await run(tmp_path, "resume", "last", "--approvals", "deny")
        assert (done.code, paid(tmp_path)) == (0, []), done


async def test_who_approves_is_told_that_the_call_may_have_run_already(tmp_path: Path) -> None:
    journal = ["--journal", str(tmp_path / "j.db")]
    async with world(tmp_path, *PAYS, answers("Paid again.")) as (_, ask):
        await run(tmp_path, *ask, "--approvals", "pause", *journal)
        await run(tmp_path, "approve", "last", *journal)
        done = await run(tmp_path, "resume", "last", "--json", "--trust", *journal)
        begun = next(event["seq"] for event in done.events if event["type"] == "call_started")
        with closing(sqlite3.connect(journal[1])) as store, store:  # as if it had been killed while the call ran
            store.execute("DELETE FROM events WHERE seq > ?", [begun])
        waits = await run(tmp_path, "resume", "last", "--approvals", "pause", "--quiet", "--trust", *journal)
        assert (waits.code, "1.1 may have run already" in waits.err) == (4, True), waits
        told = "(it may have run already, before the run was interrupted, and would run again; no rule allows it (pay))"
        assert told in (await run(tmp_path, "show", "last", *journal)).out
        assert told in (await run(tmp_path, "approve", "last", *journal)).out
        again = await run(tmp_path, "resume", "last", "--trust", *journal)
        assert (again.code, told[1:-1] in again.out, paid(tmp_path)) == (0, True, ["Ada 5", "Ada 5"]), again
        replayed = await run(tmp_path, "replay", "last", *journal)
        assert replayed.code == 0, replayed


async def test_a_no_with_its_reason_reaches_the_model(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (server, ask):
        await run(tmp_path, *ask, "--approvals", "pause")
        wrong = await run(tmp_path, "deny", "last", "7.7")
        assert (wrong.code, "these do: 1.1 (pay)" in wrong.err) == (2, True), wrong
        sent = await run(tmp_path, "deny", "last", "1.1", "--reason", "too dear", "--json")
        assert json.loads(sent.out)["letter"]["allowed"] is False
        assert json.loads(sent.out)["attended"] is False
        done = await run(tmp_path, "resume", "last", "--approvals", "pause")
        assert done.code == 0, done
        assert "too dear" in str(server.requests[-1].json)
    assert paid(tmp_path) == []


async def test_other_arguments_by_letter(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (_, ask):
        await run(tmp_path, *ask, "--approvals", "pause")
        wrong = await run(tmp_path, "approve", "last", "--arguments", "[5]")
        assert (wrong.code, "--arguments" in wrong.err) == (2, True), wrong
        await run(tmp_path, "approve", "last", "--arguments", '{"to": "Ada", "amount": 4}', "--always", "call")
        done = await run(tmp_path, "resume", "last", "--approvals", "pause")
        assert done.code == 0, done
    assert paid(tmp_path) == ["Ada 4"]


async def test_a_paused_run_that_nobody_works_on_is_cancelled_at_once(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (_, ask):
        await run(tmp_path, *ask, "--approvals", "pause")
        done = await run(tmp_path, "cancel", "last", "--reason", "no need", "--by", "Eve")
        assert (done.code, done.out) == (0, "the run is cancelled\n"), done
        again = await run(tmp_path, "cancel", "last")
        assert (again.code, "is over (cancelled)" in again.err) == (2, True), again
        over = await run(tmp_path, "resume", "last")
        assert over.code == 3, over
        said = await run(tmp_path, "say", "last", "Hello?")
        assert (said.code, "is over" in said.err) == (2, True), said
    assert paid(tmp_path) == []


async def test_a_cancellation_that_comes_too_late_says_how_the_run_ended(tmp_path: Path) -> None:
    async with world(tmp_path, answers("Paid.")) as (_, ask):
        journal = tmp_path / "j.db"
        await run(tmp_path, *ask, "--journal", str(journal))
        with closing(sqlite3.connect(journal)) as store, store:  # as if it had been killed right before its end
            store.execute("DELETE FROM events WHERE rowid = (SELECT max(rowid) FROM events)")
        late = await run(tmp_path, "cancel", "last", "--journal", str(journal))
        assert (late.code, late.out) == (0, "the run was about to end already, and is over now: answered\n"), late
        seen = await run(tmp_path, "show", "last", "--journal", str(journal))
        assert "Paid." in seen.out


async def until(process: "subprocess.Popen[str]", condition: Callable[[], bool]) -> None:
    """Wait until something is so, while the process lives."""
    deadline = time.monotonic() + 60
    while not await asyncio.to_thread(condition):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def test_a_run_that_waits_at_its_inbox_goes_on_by_itself(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (server, ask):
        process = start([*ask, "--approvals", "inbox"], tmp_path, KEY)
        try:
            await until(process, lambda: "waits for a person" in loopwright("runs", folder=tmp_path).out)
            said = await run(tmp_path, "say", "last", "Ada is a friend.")
            assert (said.code, said.out) == (0, "the model will be told\n"), said
            sent = await run(tmp_path, "approve", "last")
            assert (sent.code, "resume" in sent.out) == (0, False), sent
            out, err = await asyncio.to_thread(process.communicate, timeout=60)
        finally:
            process.kill()
        assert process.returncode == 0, (out, err)
        assert "loopwright approve" in out + err
        assert "Ada is a friend." in str(server.requests[-1].json)
    assert paid(tmp_path) == ["Ada 5"]


async def test_a_run_is_cancelled_while_it_asks_the_model(tmp_path: Path) -> None:
    async with world(tmp_path, after(50.0, answers("Too late."))) as (server, ask):
        process = start(ask, tmp_path, KEY)
        try:
            await until(process, lambda: bool(server.requests))
            sent = await run(tmp_path, "cancel", "last")
            assert (sent.code, sent.out) == (0, "whoever works on the run ends it now\n"), sent
            out, err = await asyncio.to_thread(process.communicate, timeout=30)
        finally:
            process.kill()
    assert process.returncode == 3, (out, err)
    assert "cancelled" in out


async def test_a_question_of_the_model_is_answered_by_letter(tmp_path: Path) -> None:
    async with world(tmp_path, calls("ask_person", question="How much?"), answers("Five.")) as (server, ask):
        ask = [*ask[:-1], "ask_person"]
        first = await run(tmp_path, *ask, "--approvals", "pause")
        assert first.code == 4, first
        sent = await run(tmp_path, "answer", "last", "1.1", "five euros")
        assert sent.code == 0, sent
        done = await run(tmp_path, "resume", "last", "--approvals", "pause")
        assert done.code == 0, done
        assert "five euros" in str(server.requests[-1].json)


async def test_with_deny_nobody_is_asked(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (_, ask):
        assert (await run(tmp_path, *ask, "--approvals", "deny")).code == 0
        wrong = await run(tmp_path, *ask, "--approvals", "perhaps")
        assert (wrong.code, "terminal, inbox, pause or deny" in wrong.err) == (2, True), wrong
    assert paid(tmp_path) == []


def test_a_letter_answers_a_question_at_a_terminal_and_the_next_line_is_for_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "bank.py").write_text(TOOLS)
    script = (calls("pay", to="Ada", amount=5), calls("pay", to="Bob", amount=6), answers("Paid."))
    with ChatServer(lambda _request, number: script[number - 1]) as server:
        ask = ["ask", "Pay.", "--model", "openai:any", "--base-url", server.base_url, "--tools", "bank.py"]
        terminal = Terminal(ask, tmp_path, KEY)
        try:
            terminal.wait_to_see("Run it?")
            sent = loopwright("approve", "last", "--by", "Eve", folder=tmp_path)
            assert sent.code == 0, sent
            terminal.wait_for(lambda: terminal.shown.count(b"Run it?") == 2)
            terminal.type(b"y\n")
            assert terminal.end() == 0
        finally:
            terminal.close()
    assert paid(tmp_path) == ["Ada 5", "Bob 6"]


async def test_what_is_allowed_is_shown_and_that_a_letter_is_there_already(tmp_path: Path) -> None:
    async with world(tmp_path, *PAYS) as (_, ask):
        await run(tmp_path, *ask, "--approvals", "pause")
        first = await run(tmp_path, "approve", "last", "--arguments", '{"to": "Bob", "amount": 2}')
        second = await run(tmp_path, "deny", "last")
        assert 'allowed: 1.1 pay {"to":"Bob","amount":2}' in first.out, first
        assert "is there already, and counts first" in second.out, second
        done = await run(tmp_path, "resume", "last")
    assert done.code == 0, done
    assert paid(tmp_path) == ["Bob 2"]
