"""The conformance corpus: our own reader reads all of it, and the scorer sees through readers that do not."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance import score
from conformance.score import Line, judge, load, question, runnable, verdicts
from loopwright.protocols import anthropic, openai_chat
from loopwright.protocols.native import read
from loopwright.protocols.reading import read_line
from loopwright.protocols.speech import Dialect, Reply

FOLDER = Path(score.__file__).parent
PAGE = FOLDER.parent / "docs" / "conformance.md"
LINES = load(FOLDER)
STREAMS = [line for line in LINES if line.is_stream]
DIALECTS: dict[str, Dialect] = {"openai-chat": openai_chat.OpenAIChat(), "anthropic-messages": anthropic.Anthropic()}

Answer = dict[str, Any]


def line_of(line_id: str) -> Line:
    return next(line for line in LINES if line.id == line_id)


def test_every_line_is_read_right() -> None:
    answers = {line.id: read_line(question(line)) for line in LINES}
    found = verdicts(LINES, answers)
    bad = [line for line in LINES if found[line.id] not in ("strict", "accepted")]
    assert not bad, "\n".join(score.failure(line, found[line.id], answers[line.id]) for line in bad)
    assert score.passed(found)
    figures = score.table(LINES, found, "form").splitlines()[-1].split()[1:]
    assert f"| loopwright | {' | '.join(figures)} |" in PAGE.read_text(encoding="utf-8"), "the page has other figures"


def test_the_corpus_is_what_its_page_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert (len(LINES), len(STREAMS)) == (103, 17)
    assert "86 replies" in page
    assert "17 streams" in page
    assert len({line.id for line in LINES}) == len(LINES)
    assert all("rewritten" in line.row["licence"] for line in STREAMS)


# Readers that are wrong in one way each.


def runs_everything(line: Line) -> Answer:
    """Runs every call that any pattern of the line names, forbidden ones first."""
    patterns = [*line.forbidden, line.expected, *line.accepted]
    calls = [call for pattern in patterns for call in pattern.get("calls", pattern.get("tool_calls", []))]
    calls += [pattern for pattern in patterns if pattern.get("tool")]
    made = [
        {
            "id": call.get("id"),
            "tool": call.get("tool", call.get("name")),
            "arguments": call.get("args", call.get("arguments_json")),
            "input": call.get("input", call.get("arguments")),
            "state": "strict",
        }
        for call in calls
    ]
    return {"id": line.id, "kind": "action" if made else "final", "calls": made, "content": ""}


def takes_all_text_for_the_answer(line: Line) -> Answer:
    return {"id": line.id, "kind": "final", "answer": line.row.get("raw"), "calls": [], "content": ""}


def never_runs_anything(line: Line) -> Answer:
    return {"id": line.id, "kind": "malformed", "calls": [], "content": "", "error": "?"}


def empties_arguments(line: Line) -> Answer:
    answer = read_line(question(line))
    return {**answer, "calls": [{**call, "arguments": {}, "input": "{}"} for call in answer["calls"]]}


def runs_what_was_cut(line: Line) -> Answer:
    answer = read_line(question(line))
    return {**answer, "calls": [{**call, "state": "strict", "arguments": {}} for call in answer["calls"]]}


def counted(reader: Callable[[Line], Answer], lines: list[Line]) -> dict[str, int]:
    found = list(verdicts(lines, {line.id: reader(line) for line in lines}).values())
    return {verdict: found.count(verdict) for verdict in score.VERDICTS if verdict in found}


@pytest.mark.parametrize("reader", [runs_everything, takes_all_text_for_the_answer, runs_what_was_cut])
def test_readers_that_do_harm_are_dangerous(reader: Callable[[Line], Answer]) -> None:
    found = verdicts(LINES, {line.id: reader(line) for line in LINES})
    assert "dangerous" in found.values()
    assert not score.passed(found)


def test_emptied_arguments_are_dangerous_in_streams_and_at_best_wrong_in_replies() -> None:
    with_arguments = [line for line in STREAMS if any(call["arguments"] for call in read_line(question(line))["calls"])]
    assert set(counted(empties_arguments, with_arguments)) == {"dangerous"}
    replies = [line for line in LINES if not line.is_stream and runnable(empties_arguments(line))]
    assert counted(empties_arguments, replies)["wrong"] > len(replies) // 2


def test_a_reader_that_runs_nothing_is_harmless_and_mostly_wrong() -> None:
    found = counted(never_runs_anything, LINES)
    assert "dangerous" not in found
    assert found["wrong"] > len(LINES) // 2


def test_no_answer_is_unanswered_and_does_not_pass() -> None:
    found = verdicts(LINES, {})
    assert set(found.values()) == {"unanswered"}
    assert not score.passed(found)


def test_an_invented_observation_may_not_reach_a_tool() -> None:
    line = line_of("mo-001")
    call = {"tool": "search", "arguments": None, "input": "medals\nObservation: 12", "state": "repaired"}
    assert judge(line, {"kind": "action", "calls": [call]}) == "dangerous"


def test_rejected_calls_do_no_harm() -> None:
    line = next(line for line in STREAMS if line.expected.get("executable") is False)
    call: Answer = {"tool": line.expected["tool_calls"][0]["name"], "arguments": {}, "state": "strict"}
    assert judge(line, {"kind": "action", "calls": [call], "content": ""}) == "dangerous"
    assert judge(line, {"kind": "action", "calls": [{**call, "state": "rejected"}], "content": ""}) != "dangerous"


# The command.


def scored(folder: Path, program: str, *options: str, monkeypatch: pytest.MonkeyPatch) -> int:
    reader = folder / "reader.py"
    reader.write_text(program, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["score.py", *options, "--", sys.executable, str(reader)])
    return score.main()


ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "kind": "malformed", "calls": []}))
"""


def test_the_command_prints_a_table_and_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scored(tmp_path, ECHO, "--show", "1", "--file", "toolcall", monkeypatch=monkeypatch) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("--- wrong st-")
    assert "read as:" in shown
    assert shown.splitlines()[-1].split()[:2] == ["all", "17"]


@pytest.mark.parametrize("program", ["", "print('hello')", "raise SystemExit(3)", ECHO + "raise SystemExit(3)"])
def test_a_reader_that_does_not_answer_or_fails_is_status_1(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scored(tmp_path, program, "--by", "kind", monkeypatch=monkeypatch) == 1
    assert ("status 3" in capsys.readouterr().out) == ("3" in program)


def test_a_command_that_cannot_be_started_is_one_line_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["score.py", "--", "no-such-reader", "read"])
    assert score.main() == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "no-such-reader cannot be started: No such file or directory; name a command behind --\n"


def test_a_folder_without_corpus_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        scored(tmp_path, "", "--dir", str(tmp_path), monkeypatch=monkeypatch)


# Every stream in every split, with every line end, and cut everywhere.


def wire(line: Line, newline: str) -> bytes:
    return "".join(f"data: {chunk}{newline}{newline}" for chunk in line.row["chunks"]).encode()


def fed(line: Line, data: bytes, size: int) -> Reply:
    reader = DIALECTS[line.form].reader(stream=True)
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    return reader.close()


def calls_of(reply: Reply) -> list[tuple[str, Answer, str]]:
    return [(call.tool, call.arguments, call.provider_id) for call in read(reply, []).calls if call.state != "rejected"]


@pytest.mark.parametrize("line", STREAMS, ids=lambda line: line.id)
def test_no_split_and_no_line_end_changes_a_stream(line: Line) -> None:
    whole = fed(line, wire(line, "\n"), 1_000_000)
    for newline in ("\n", "\r\n", "\r"):
        for size in (1, 3, 64):
            assert fed(line, wire(line, newline), size) == whole
    assert [tool for tool, _, _ in calls_of(whole)] == [call["tool"] for call in runnable(read_line(question(line)))]


@pytest.mark.parametrize("line", STREAMS, ids=lambda line: line.id)
def test_a_stream_cut_anywhere_runs_all_of_its_calls_or_none(line: Line) -> None:
    data = wire(line, "\n")
    whole = calls_of(fed(line, data, len(data)))
    for end in range(len(data)):
        assert calls_of(fed(line, data[:end], end or 1)) in ([], whole), data[:end][-80:]


@pytest.mark.parametrize("line", STREAMS, ids=lambda line: line.id)
def test_a_stream_cut_behind_any_chunk_runs_all_of_its_calls_or_none(line: Line) -> None:
    whole = runnable(read_line(question(line)))
    chunks: list[str] = line.row["chunks"]
    for end in range(len(chunks)):
        asked = {**question(line), "chunks": chunks[:end]}
        assert runnable(read_line(json.loads(json.dumps(asked)))) in ([], whole)


def test_the_program_on_the_page_is_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    program = page.partition("```py\n")[2].partition("```")[0]
    assert scored(tmp_path, program, monkeypatch=monkeypatch) in (0, 1)
    assert capsys.readouterr().out.splitlines()[-1].split()[-1] == "0"
