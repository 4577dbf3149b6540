"""What options may be, and what is said where they may not."""

import sys
from pathlib import Path

import pytest
from command import loopwright

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
DEEP = '{"a":' * 200 + "1" + "}" * 200
DEEPEST = '{"a":' + "[" * 30_000 + "]" * 30_000 + "}"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--budget-seconds", "inf"), "--budget-seconds is inf; it must be a number from 0 on"),
        (("--budget-seconds", "nan"), "--budget-seconds is nan; it must be a number from 0 on"),
        (("--budget-seconds", "0"), "seconds"),
        (("--budget-cost", "nan"), "--budget-cost is nan"),
        (("--temperature", "nan"), "--temperature is nan; it must be a number from 0 on"),
        (("--temperature", "-0.5"), "--temperature is -0.5; it must be a number from 0 on"),
        (("--top-p", "1.5"), "--top-p is 1.5; it must be a number from 0 to 1"),
        (("--top-p", "nan"), "--top-p is nan; it must be a number from 0 to 1"),
        (("--max-tokens", f"-{10**400}"), "it must be a number from 1 on"),
        (("--max-tokens", "0"), "--max-tokens is 0; it must be a number from 1 on"),
        (("--extra", '{"x": NaN}'), "--extra"),
        (("--extra", '{"x": 1e999}'), "--extra"),
        (("--extra", "[1]"), "must be a JSON object"),
        (("--extra", DEEP), "at most 32 levels"),
        (("--extra", DEEPEST), "at most 32 levels"),
        (("--json", "--quiet"), "not both"),
    ],
)
def test_a_value_that_is_not_allowed(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = loopwright("ask", "hi", "--model", "ollama:x", *options, folder=tmp_path)
    assert done.code == 2, done
    assert words in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


def test_an_address_alone_names_no_model(tmp_path: Path) -> None:
    done = loopwright("ask", "hi", "--base-url", "http://127.0.0.1:9/v1", folder=tmp_path, settings=KEY)
    assert (done.code, "name the model with --model NAME" in done.err) == (2, True)
    settings = {"LOOPWRIGHT_MODEL": "named"}
    done = loopwright("ask", "hi", "--base-url", "http://127.0.0.1:9/v1", folder=tmp_path, settings=settings)
    assert (done.code, "model: named" in done.err) == (1, True)


def test_the_cost_is_free_unknown_or_a_sum(tmp_path: Path) -> None:
    with ChatServer(lambda _request, _number: answers("6")) as server:
        for model, words in (
            (("ollama:x",), " · free · "),
            (("any",), " · cost unknown · "),
            (("openai:gpt-4.1-mini",), " · $0.0"),
        ):
            where = ("--base-url", server.base_url)
            done = loopwright("ask", "2*3?", "--model", *model, *where, folder=tmp_path, settings=KEY)
            assert done.code == 0
            assert words in done.out
            assert words in loopwright("show", folder=tmp_path).out
            assert words in loopwright("resume", "last", folder=tmp_path, settings=KEY).out


@pytest.mark.parametrize(
    "line", ["import sys; sys.exit()", "raise SystemExit(7)", "raise GeneratorExit('no')"], ids=["exit", "7", "other"]
)
@pytest.mark.parametrize("name", ["mine_leaving.py", "mine_leaving:tool"])
def test_tools_that_leave_are_a_wrong_use(line: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "mine_leaving.py").write_text(f"{line}\n")
    for verb in (("ask", "hi", "--model", "ollama:x"), ("tools",)):
        done = loopwright(*verb, "--tools", name, folder=tmp_path)
        assert (done.code, "mine_leaving" in done.err, "Traceback" in done.err) == (2, True, False)


def test_a_run_finds_its_file_of_tools_from_another_folder(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "mine.py").write_text(
        'from loopwright import tool\n\n@tool\ndef one() -> int:\n    """One."""\n    return 1\n'
    )
    settings = {**KEY, "LOOPWRIGHT_JOURNAL": str(tmp_path / "journal.db")}
    replies = [calls("one"), answers("1")]
    with ChatServer(lambda _request, number: replies[number - 1] if number < 3 else answers("1")) as server:
        where = ("--model", "openai:any", "--base-url", server.base_url)
        for name in ("mine.py", "mine.py:one"):
            done = loopwright("ask", "1?", *where, "--tools", name, folder=here, settings=settings)
            assert done.code == 0, done
            assert loopwright("resume", "last", folder=there, settings=settings).code == 0
            started = loopwright("show", "--json", folder=there, settings=settings).events[0]
            assert started["recipe"]["tools"] == [str(here / "mine.py") + name.removeprefix("mine.py")]


def test_tools_are_told_in_full(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        '''from typing import Literal

from loopwright import tool


@tool(effect="send")
def send(to: str, how: Literal["post", "mail"] = "mail") -> str:
    """Send a letter.

    Args:
        to: name of the person
        how: which way
    """
    return to
'''
    )
    told = loopwright("tools", "-t", "mine.py", folder=tmp_path).out
    assert "to: name of the person" in told
    assert "how: which way; one of post, mail" in told
    assert "send, asks first" in told
    (one,) = loopwright("tools", "-t", "mine.py", "--json", folder=tmp_path).events
    assert (one["effect"], one["permission"], one["repeatable"]) == ("send", "ask", False)
    (one,) = loopwright("tools", "-t", "clock", "--json", folder=tmp_path).events
    assert (one["effect"], one["permission"], one["repeatable"]) == ("read", "allow", True)
    assert loopwright("tools", "-t", "none", folder=tmp_path).out == "no tools\n"
    assert loopwright("tools", "-t", "none", "--json", folder=tmp_path).out == ""


def test_models_on_this_machine_may_not_be_running_and_addresses_are_whole(tmp_path: Path) -> None:
    long = f"http://127.0.0.1:9/{'long/' * 40}v1"
    done = loopwright("models", folder=tmp_path, settings={"OLLAMA_BASE_URL": long, "COLUMNS": "40", **KEY})
    rows = {line.split(":")[0].split(" ")[0]: line for line in done.out.splitlines()}
    assert "if running" in rows["ollama"]
    assert rows["ollama"].endswith(long)
    assert "if running" not in rows["openai"]
    assert sys.maxsize > max(map(len, done.out.splitlines()))


def test_the_local_model_is_announced_as_what_it_is(tmp_path: Path) -> None:
    assert "local, a small demonstration model (no model is named" in loopwright("models", folder=tmp_path).out
