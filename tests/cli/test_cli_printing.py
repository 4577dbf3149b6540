"""How a result is written in a terminal."""

import asyncio
import shlex
from pathlib import Path

import pytest
from command import loopwright
from msgspec import Raw
from msgspec.json import encode

from loopwright.cli.printing import chat_behind, verb
from loopwright.core.events import RunStarted
from loopwright.core.messages import Result
from loopwright.engine.telling import observed, visible
from loopwright.journal.sqlite import SqliteJournal
from loopwright.protocols.envelope import observation


def result(data: object, note: str = "") -> Result:
    return Result(data=Raw(encode(data)), note=note)


def test_what_a_command_printed_is_shown_as_lines_behind_the_rest() -> None:
    told = observed(result({"exit_code": 1, "output": "one\ntwo \x1b[2J", "seconds": 0.5}, "thrown away"))
    assert told == '{"exit_code":1,"seconds":0.5}\n(note: thrown away)\noutput:\none\ntwo \x1b[2J'
    assert "\x1b" not in visible(told)
    assert observed(result({"output": "one\ntwo"})) == "output:\none\ntwo"


def test_every_other_result_is_shown_as_the_model_sees_it() -> None:
    for each in (
        result({"output": "one"}),
        result({"names": ["a\nb"]}),
        result({"path": "a\\new"}),
        result(["one\ntwo"]),
        result("one\ntwo", "cut"),
        Result("error", error="ToolError: {\n}"),
    ):
        assert observed(each) == observation(each)


ODD = ("x; touch pwned", "a b", "y $(touch pwned)", "it's", "-x", "--help", "-x; touch pwned")


def test_a_command_to_copy_has_quotes_and_dashes_where_a_shell_needs_them(tmp_path: Path) -> None:
    place = tmp_path / "my runs.db"
    assert verb("show", "r1", None) == "loopwright show r1"
    assert verb("show", "r1", place, options="--full") == f"loopwright show r1 --journal '{place}' --full"
    assert verb("show", "x; touch pwned", None) == "loopwright show 'x; touch pwned'"
    assert verb("show", "-x", place, options="--full") == f"loopwright show --journal '{place}' --full -- -x"
    assert verb("approve", "a b", None, "1.1") == "loopwright approve 'a b' 1.1"
    assert verb("approve", "-x", None, "1.1; ls") == "loopwright approve -- -x '1.1; ls'"
    assert verb("show", "\x1b[2J", None) == "loopwright show '\\x1b[2J'"
    assert chat_behind("r1", None) == "loopwright chat --continue r1"
    assert chat_behind("a b", place) == f"loopwright chat --continue 'a b' --journal '{place}'"
    assert chat_behind("-x", None) == "loopwright chat --continue=-x"


@pytest.mark.parametrize("run_id", ODD)
def test_a_command_that_was_printed_can_be_run(run_id: str, tmp_path: Path) -> None:
    async def begin() -> None:
        journal = SqliteJournal(tmp_path / "my runs.db")
        await journal.append(run_id, 1, [RunStarted(run_id=run_id, task="The task.", model="m")])
        await journal.close()

    asyncio.run(begin())
    shown = loopwright("show", "--journal", "my runs.db", folder=tmp_path)
    hint = shown.out.rstrip().rpartition(" · ")[2]
    assert shlex.split(hint)[:2] == ["loopwright", "resume"]
    for name in ("show", "audit", "export"):
        _, _, *arguments = shlex.split(hint)
        done = loopwright(name, *arguments, folder=tmp_path)
        assert done.code == 0, done.err
        assert "The task." in done.out or f"run {run_id}: 0 calls" in done.out
    assert [path.name for path in tmp_path.iterdir()] == ["my runs.db"]
