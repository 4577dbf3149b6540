#!/usr/bin/env python3
"""Score a reader of model replies against the conformance corpus. Needs Python 3.11 and nothing else.

    python conformance/score.py [--show N] [--by form|kind] [--file BEGINNING] -- loopwright read

The command gets one JSON object a line on standard input and answers one a line, in any order.

In:   {"id", "protocol", "tools": {name: {parameter: type}}, and one of
         "reply": text (with "primed": the label already in the prompt, "finish": the finishing action's name)
         "message": an assistant message or response body
         "chunks": the payloads of a stream in order, as text}
      "command": true says that the action is one free-form command (its text is the input, tool "")
      protocol: react-text, openai-chat, openai-responses, anthropic, gemini, or auto (text that may hold a leaked call)
Out:  {"id", "kind": "action" | "final" | "thought" | "malformed" | "empty", "thought", "answer", "problem",
       "calls": [{"id", "tool", "arguments": object or null, "input": text or null,
                  "state": "strict" | "repaired" | "rejected", "reason"}],
       and for streams also "content", "reasoning", "error", "usage": {"input_tokens", "output_tokens"}}

A line is strict when it is as expected, accepted when it is as expected or one of the accepted readings, dangerous when
it is one of the readings that must not be, wrong when it is none of these. Exit status 0 when nothing is dangerous and
every line was answered, 2 when the command cannot be started.

Owns the comparison of an answer with what is written down; docs/conformance.md says what is right, and why.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

JSON = dict[str, Any]
"""A JSON object: a line of the corpus, an answer, or a pattern in one of them."""

Verdict = Literal["strict", "accepted", "wrong", "dangerous", "unanswered"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

FILES = ("malformed_outputs", "toolcall_streams")
DIALECTS = {"anthropic-messages": "anthropic", "gemini-generate-content": "gemini"}
TEXT_FORMS = ("react-labelled", "react-bracket", "react-json", "alfworld", "other")
SHOWN = 400


@dataclass(frozen=True)
class Line:
    """One line of the corpus."""

    row: JSON

    @property
    def id(self) -> str:
        """What an answer names it by."""
        return self.row["id"]

    @property
    def is_stream(self) -> bool:
        """Whether it holds the chunks of a stream, and not a whole reply."""
        return "chunks" in self.row

    @property
    def form(self) -> str:
        """The form of the reply, or the wire format of the stream."""
        return self.row["dialect"] if self.is_stream else self.row["protocol"]

    @property
    def kinds(self) -> list[str]:
        """What is odd about it."""
        return self.row["flags"] if self.is_stream else self.row["kinds"]

    @property
    def expected(self) -> JSON:
        """The right reading."""
        return self.row["expected"]

    @property
    def accepted(self) -> list[JSON]:
        """Other readings that will do."""
        return self.row.get("also_ok") or []

    @property
    def forbidden(self) -> list[JSON]:
        """Readings that do harm."""
        return self.row.get("must_not") or []

    @property
    def invents(self) -> bool:
        """Whether the model wrote an observation of its own."""
        return "hallucinated_observation" in self.kinds


def load(folder: Path, beginning: str = "") -> list[Line]:
    """The lines of the corpus in `folder`, from the files whose names begin so."""
    files = [file for stem in FILES if stem.startswith(beginning) for file in sorted(folder.glob(f"{stem}*.jsonl"))]
    return [Line(json.loads(line)) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def question(line: Line) -> JSON:
    """What the reader is asked about a line."""
    row = line.row
    asked: JSON = {"id": line.id, "tools": row.get("tools", {})}
    if line.is_stream:
        return {**asked, "protocol": DIALECTS.get(line.form, line.form), "chunks": row["chunks"], "tools": {}}
    if "raw_message" in row:
        return {**asked, "protocol": "openai-chat", "message": row["raw_message"]}
    asked |= {"finish": "finish"} if line.form == "react-bracket" else {}
    asked |= {"command": True} if line.form == "alfworld" else {}
    return {**asked, "protocol": "react-text" if line.form in TEXT_FORMS else "auto", "reply": row["raw"]}


def judge(line: Line, answer: JSON | None) -> Verdict:
    """What an answer to a line is worth; harm counts before anything else."""
    if answer is None:
        return "unanswered"
    harms, fits, passes = (
        (_stream_harms, _stream_fits, _stream_passes) if line.is_stream else (_reply_harms, _fits, _fits)
    )
    if harms(line, answer):
        return "dangerous"
    if fits(line.expected, answer):
        return "strict"
    return "accepted" if any(passes(pattern, answer) for pattern in line.accepted) else "wrong"


def runnable(answer: JSON) -> list[JSON]:
    """The calls that would run."""
    return [call for call in _objects(answer.get("calls")) if call.get("state") != "rejected"]


# Whole replies: a pattern fits an answer when each key that it has does.


def _fits(pattern: JSON, answer: JSON) -> bool:
    wanted, calls = _wanted(pattern), runnable(answer)
    if not _says(pattern, answer):
        return False
    return not wanted or (len(wanted) == len(calls) and all(map(_same_call, wanted, calls)))


def _says(pattern: JSON, answer: JSON) -> bool:
    """Whether kind, thought and answer are those of the pattern, as far as it has them. Blanks around do not count."""
    kind = answer.get("kind")
    if kind == "action" and not runnable(answer):
        kind = "malformed"  # nothing would run, so the model has to be told
    if pattern.get("kind") not in (None, "", kind):
        return False
    keys = ["answer"] if "thought_any" in pattern else ["answer", "thought"]
    return all(_bare(pattern[key]) == _bare(answer.get(key)) for key in keys if pattern.get(key) is not None)


def _reply_harms(line: Line, answer: JSON) -> bool:
    """Whether the answer is a forbidden reading, or hands an invented observation to a tool.

    One forbidden call among those that would run is enough; a call that is also expected forbids nothing.
    """
    if line.invents and any("Observation:" in _written(call) for call in runnable(answer)):
        return True
    return any(_is_forbidden(pattern, _wanted(line.expected), answer) for pattern in line.forbidden)


def _is_forbidden(pattern: JSON, expected: list[JSON], answer: JSON) -> bool:
    calls = _wanted(pattern)
    left = [call for call in calls if call not in expected]
    if not _says(pattern, answer) or (calls and not left):
        return False
    return not left or any(_same_call(want, call) for want in left for call in runnable(answer))


def _wanted(pattern: JSON) -> list[JSON]:
    """The calls of a pattern."""
    single = pattern.get("kind") == "action" and pattern.get("tool")
    return pattern.get("calls") or ([pattern] if single else [])


def _same_call(want: JSON, call: JSON) -> bool:
    return want["tool"] == call.get("tool") and _same_input(want, call)


def _same_input(want: JSON, call: JSON) -> bool:
    """Whether a call has the input of a pattern: as an object where it gives one, else as a text."""
    arguments, text = call.get("arguments"), call.get("input")
    if "args" in want or "input_json" in want:
        wanted = want["args"] if "args" in want else want["input_json"]
        return arguments == wanted or _decoded(text) == wanted
    if "input" not in want:
        return True
    if not want["input"] and not arguments and not text:
        return True
    if text is None and isinstance(arguments, dict):
        values = list(cast("JSON", arguments).values())
        text = values[0] if len(values) == 1 else None
    return _bare(text if isinstance(text, str) else json.dumps(text)) == _bare(want["input"] or "")


# Streams: the calls that they assemble to.


def _stream_fits(want: JSON, answer: JSON) -> bool:
    failed, calls = bool(want.get("error")), runnable(answer)
    good = [] if want.get("executable") is False else [call for call in want["tool_calls"] if not _is_broken(call)]
    if failed and not answer.get("error"):
        return False
    if failed and not calls:
        good = []  # a stream that failed need not run anything
    if len(calls) != len(good) or not all(map(_same_stream_call, good, calls)):
        return False
    if not failed and _bare(want.get("content") or "") != _bare(answer.get("content") or ""):
        return False
    return not want.get("empty") or answer.get("kind") == "empty"


def _same_stream_call(want: JSON, call: JSON) -> bool:
    same = want["name"] == call.get("tool") and want["arguments_json"] == call.get("arguments")
    return same and (not want.get("id") or want["id"] == call.get("id"))


def _is_broken(want: JSON) -> bool:
    """Whether an expected call is one that must not run."""
    return bool(want.get("arguments_invalid") or want.get("unusable"))


def _stream_passes(pattern: JSON, answer: JSON) -> bool:
    wanted, calls = _objects(pattern.get("tool_calls")), _objects(answer.get("calls"))
    if pattern.get("nothing") or any(call.get("arguments_invalid") for call in wanted):
        return not runnable(answer)
    return [call.get("name") for call in wanted] == [call.get("tool") for call in calls]


def _stream_harms(line: Line, answer: JSON) -> bool:
    """Whether a call would run that must not, or one of the tools with other arguments than the stream gives it."""
    calls, wanted = runnable(answer), line.expected["tool_calls"]
    if any(_runs(pattern, calls) for pattern in line.forbidden):
        return True
    names = {want.get("name") for want in wanted}
    known = [want.get("arguments_json") for want in wanted]
    if any(call.get("tool") in names and call.get("arguments") not in known for call in calls):
        return True
    broken = sum(map(_is_broken, wanted))
    if line.expected.get("executable") is False:
        return bool(calls)
    return bool(broken) and len(calls) > len(wanted) - broken


def _runs(pattern: JSON, calls: list[JSON]) -> bool:
    """Whether a forbidden call of a stream is among those that would run."""
    executed = pattern.get("executed")
    if executed and any(executed is True or call.get("id") == executed for call in calls):
        return True
    named = [want for want in _objects(pattern.get("tool_calls")) if "name" in want or "arguments" in want]
    return any(_is_like(want, call) for want in named for call in calls)


def _is_like(want: JSON, call: JSON) -> bool:
    text = call.get("input")
    text = json.dumps(call.get("arguments")) if text is None else text
    return want.get("name", call.get("tool")) == call.get("tool") and want.get("arguments", text) == text


# Values.


def _objects(value: object) -> list[JSON]:
    """The objects in a list; none where it is no list."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("JSON", item) for item in items if isinstance(item, dict)]


def _bare(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _decoded(text: object) -> object:
    """The value of a JSON text; a value of its own where it is none, so that it equals nothing."""
    try:
        return json.loads(text) if isinstance(text, str) else object()
    except (ValueError, RecursionError):
        return object()


def _written(call: JSON) -> str:
    return json.dumps([call.get("input"), call.get("arguments")], ensure_ascii=False)


# Asking and reporting.


def ask(command: Sequence[str], lines: Iterable[Line]) -> tuple[dict[str, JSON], str]:
    """The answers of a command by the lines' ids, and what it said when it failed. What is no answer is skipped."""
    asked = "".join(f"{json.dumps(question(line), ensure_ascii=False)}\n" for line in lines)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, encoding="utf-8", check=False)
    found = _objects([_decoded(line) for line in done.stdout.splitlines()])
    failed = f"the command ended with status {done.returncode}: {done.stderr.strip()[-SHOWN:]}"
    return {answer["id"]: answer for answer in found if isinstance(answer.get("id"), str)}, failed * bool(
        done.returncode
    )


def verdicts(lines: Iterable[Line], answers: Mapping[str, JSON]) -> dict[str, Verdict]:
    """The verdict on each line by its id."""
    return {line.id: judge(line, answers.get(line.id)) for line in lines}


def table(lines: Sequence[Line], found: Mapping[str, Verdict], by: Literal["form", "kind"]) -> str:
    """The verdicts counted: a row a form, or a row a kind, where a line counts once for each of its kinds; and all."""
    groups: dict[str, Counter[str]] = {}
    for line in lines:
        for name in [line.form] if by == "form" else line.kinds:
            groups.setdefault(name, Counter())[found[line.id]] += 1
    rows = [*sorted(groups.items()), ("all", Counter[str](found.values()))]
    width = max(len(name) for name, _ in rows)
    heads = "".join(f"{name:>12}" for name in ("lines", *VERDICTS))
    return "\n".join([f"{by:{width}}{heads}", *(f"{name:{width}}{_counts(count)}" for name, count in rows)])


def _counts(count: Counter[str]) -> str:
    """The figures of a row; what is strict is accepted, too."""
    both = count["strict"] + count["accepted"]
    shown = (count.total(), count["strict"], both, *(count[name] for name in VERDICTS[2:]))
    return "".join(f"{number:12}" for number in shown)


def failure(line: Line, verdict: Verdict, answer: JSON | None) -> str:
    """A line that did not pass, what is right, why, and how it was read."""
    row = line.row
    reply = next(row[key] for key in ("raw", "raw_message", "chunks") if key in row)
    parts = {"reply": reply, "expected": line.expected, "read as": answer, "why": row.get("note")}
    told = (f"    {name + ':':10}{json.dumps(part, ensure_ascii=False)[:SHOWN]}" for name, part in parts.items())
    return "\n".join([f"--- {verdict} {line.id} ({', '.join(line.kinds)})", *told])


def passed(found: Mapping[str, Verdict]) -> bool:
    """Whether nothing is dangerous and every line was answered."""
    return not {"dangerous", "unanswered"} & set(found.values())


def main() -> int:
    """Score a command; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, default=Path(__file__).parent, help="folder of the corpus")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N lines that did not pass")
    parser.add_argument("--by", choices=("form", "kind"), default="form", help="what a row of the table is")
    parser.add_argument("--file", default="", metavar="BEGINNING", help="only files whose names begin so")
    parser.add_argument("command", nargs="+", help="the reader, behind --")
    options = parser.parse_args()
    lines = load(options.dir, options.file)
    if not lines:
        parser.error(f"{options.dir} holds no line of the corpus")
    try:
        answers, failed = ask(options.command, lines)
    except OSError as error:
        print(f"{options.command[0]} cannot be started: {error.strerror}; name a command behind --", file=sys.stderr)
        return 2
    found = verdicts(lines, answers)
    bad = [line for line in lines if found[line.id] not in ("strict", "accepted")]
    for line in bad[: options.show]:
        print(failure(line, found[line.id], answers.get(line.id)))
    print(table(lines, found, options.by))
    if failed:
        print(failed)
    return 0 if passed(found) and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
