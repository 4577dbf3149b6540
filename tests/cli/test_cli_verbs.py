"""The verbs of the command line, each run as a process."""

import json
import signal
import time
from pathlib import Path

import pytest
from command import loopwright, start

from loopwright.testing.chat_server import ChatServer, Refusing, Replies, after, unknown_model, wrong_key
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def model(server: ChatServer) -> tuple[str, ...]:
    return ("--model", "openai:any", "--base-url", server.base_url)


def asked(replies: Replies, folder: Path, *more: str, stdin: str = "", task: str = "2*3?"):
    with ChatServer(replies) as server:
        return loopwright("ask", task, *model(server), *more, folder=folder, stdin=stdin, settings=KEY)


def test_an_answer_is_exit_code_0_and_quiet_prints_only_it(tmp_path: Path) -> None:
    done = asked([calls("calculator", expression="2*3"), answers("6")], tmp_path, "--quiet")
    assert (done.code, done.out, done.err) == (0, "6\n", "")


def test_a_limit_is_exit_code_3(tmp_path: Path) -> None:
    done = asked([answers("no idea")], tmp_path, "--max-model-calls", "1")
    assert done.code == 3
    assert "partial (model_calls)" in done.out


@pytest.mark.parametrize(
    ("reply", "words"),
    [(wrong_key("sk-test-0123456789"), "OPENAI_API_KEY"), (unknown_model("any"), "any")],
    ids=["wrong key", "unknown model"],
)
def test_a_failure_is_exit_code_1_and_says_what_to_do(reply: Refusing, words: str, tmp_path: Path) -> None:
    done = asked([reply], tmp_path)
    assert done.code == 1
    assert words in done.out
    assert "0123456789" not in done.out + done.err
    assert "loopwright resume " in done.out


def test_no_server_is_a_clear_failure(tmp_path: Path) -> None:
    done = loopwright("ask", "hi", "--model", "ollama:llama3", "--base-url", "http://127.0.0.1:9/v1", folder=tmp_path)
    assert done.code == 1
    assert "127.0.0.1:9" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ask", "hi", "--model", "nobody:x"), "nobody"),
        (("ask", "hi", "--model", "openai:x"), "OPENAI_API_KEY"),
        (("ask", "", "--model", "ollama:x"), "empty"),
        (("ask", "hi", "--model", "ollama:x", "--tools", "wether"), "weather"),
        (("ask", "hi", "--model", "ollama:x", "--protocol", "morse"), "morse"),
        (("ask", "hi", "--model", "ollama:x", "--max-steps", "-1"), "steps"),
        (("ask", "hi", "--model", "ollama:x", "--extra", "{"), "--extra"),
        (("ask", "hi", "--model", "ollama:x", "--docs", "nowhere"), "nowhere"),
        (("ask", "hi", "--model", "x", "--base-url", "http://127.0.0.1:9/v1", "--budget-cost", "1"), "--budget-tokens"),
        (("show", "nope"), "no run 'nope'"),
        (("resume", "nope"), "no run 'nope'"),
        (("show", "last"), "no runs yet"),
        (("ask",), "TASK"),
        (("sing",), "sing"),
    ],
)
def test_a_wrong_use_is_exit_code_2_and_one_clear_text(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = loopwright(*arguments, folder=tmp_path)
    assert done.code == 2, done
    assert words in done.err
    assert "Traceback" not in done.err


def test_json_prints_the_events_as_lines(tmp_path: Path) -> None:
    done = asked([calls("calculator", expression="2*3"), answers("6")], tmp_path, "--json")
    assert [event["type"] for event in done.events] == [
        "run_started", "model_asked", "model_replied", "call_started", "call_ended", "model_asked", "model_replied",
        "run_ended",
    ]  # fmt: skip
    assert [event["seq"] for event in done.events] == list(range(1, 9))
    shown = loopwright("show", done.events[0]["run_id"], "--json", folder=tmp_path)
    assert shown.events == done.events


def test_the_task_can_come_from_standard_input(tmp_path: Path) -> None:
    with ChatServer([answers("6")]) as server:
        done = loopwright("ask", "-", *model(server), folder=tmp_path, stdin="What is\n2*3?\n", settings=KEY)
        assert server.requests[0].messages[-1]["content"] == "What is\n2*3?\n"
    assert done.code == 0


def test_runs_and_show_tell_what_happened(tmp_path: Path) -> None:
    assert "no runs yet" in loopwright("runs", folder=tmp_path).out
    for arguments in (["show"], ["show", "last"], ["resume", "last"]):
        done = loopwright(*arguments, folder=tmp_path)
        assert (done.code, "no runs yet" in done.err) == (2, True)
    asked([calls("calculator", expression="2*3").thinking("I multiply."), answers("6")], tmp_path, task="2*3?")
    asked([answers("hello")], tmp_path, task="Say hello")
    listed = loopwright("runs", folder=tmp_path)
    assert listed.out.index("Say hello") < listed.out.index("2*3?")
    assert listed.out.count("answered") == 2
    lines = loopwright("runs", "--json", folder=tmp_path).events
    shown = loopwright("show", lines[1]["run_id"][:-1], folder=tmp_path)
    for part in (
        "Task: 2*3?",
        "Reason 1: I multiply.",
        'Act 1: calculator {"expression":"2*3"}',
        "Observe 1: 6",
        "Answer\n6",
    ):
        assert part in shown.out
    assert "hello" in loopwright("show", folder=tmp_path).out


def test_no_line_of_json_has_a_key_twice(tmp_path: Path) -> None:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), names
        return dict(pairs)

    done = asked([calls("calculator", expression="2*3"), answers("6")], tmp_path, "--json")
    shown = loopwright("show", "--json", folder=tmp_path)
    audited = loopwright("audit", "--json", folder=tmp_path)
    lines = [
        json.loads(line, object_pairs_hook=unique) for out in (done, shown, audited) for line in out.out.splitlines()
    ]
    assert len(lines) > 10
    assert {line["run_id"] for line in lines} == {lines[0]["run_id"]}
    assert [line["seq"] for line in lines if line.get("type") == "run_started"] == [1, 1]


def test_a_run_that_was_over_is_said_to_be_and_answers_again(tmp_path: Path) -> None:
    asked([answers("hello")], tmp_path, task="Say hello")
    done = loopwright("resume", "last", folder=tmp_path, settings=KEY)
    assert (done.code, "Answer\nhello" in done.out) == (0, True)
    assert "the run was over already" in done.err
    quiet = loopwright("resume", "last", "--quiet", folder=tmp_path, settings=KEY)
    assert (quiet.code, quiet.out, quiet.err) == (0, "hello\n", "")


def test_ctrl_c_pauses_the_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    with ChatServer([after(30, answers("late")), answers("6")]) as server:
        process = start(["ask", "2*3?", *model(server)], tmp_path, KEY)
        try:
            deadline = time.monotonic() + 30
            while not server.requests and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
        finally:
            process.kill()
            process.communicate()
        assert process.returncode == 130
        assert "loopwright resume " in err
        assert "Traceback" not in err
        assert "paused" in loopwright("runs", folder=tmp_path).out
        done = loopwright("resume", "last", folder=tmp_path, settings=KEY)
    assert done.code == 0
    assert "Answer\n6" in done.out


def test_resuming_a_finished_run_gives_its_answer_again(tmp_path: Path) -> None:
    asked([answers("6")], tmp_path)
    done = loopwright("resume", "last", folder=tmp_path, settings=KEY)
    assert done.code == 0
    assert "6" in done.out


def test_own_tools_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        '''from loopwright import tool

@tool
def shout(text: str) -> str:
    """Say it loudly.

    Args:
        text: what
    """
    return text.upper()
'''
    )
    done = asked([calls("shout", text="hello"), answers("done")], tmp_path, "--tools", "mine.py,calculator")
    assert done.code == 0
    assert "Observe 1: HELLO" in done.out


def test_documents_are_searched(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "tower.md").write_text("# Tower\n\nThe tower was built in 1874.\n")
    done = asked([calls("search", query="tower built"), answers("1874")], tmp_path, "--docs", "docs")
    assert done.code == 0
    assert "built in 1874" in done.out


def test_what_a_model_writes_cannot_command_the_terminal(tmp_path: Path) -> None:
    done = asked([answers("red \x1b[31m alert \x07")], tmp_path)
    assert "\x1b" not in done.out
    assert "\\x1b[31m" in done.out


def test_tools_and_models_say_what_is_there(tmp_path: Path) -> None:
    listed = loopwright("tools", folder=tmp_path).out
    assert "get_current_weather(city: string, unit?: string)" in listed
    assert "read, runs without asking" in listed
    names = [event["name"] for event in loopwright("tools", "--json", folder=tmp_path).events]
    assert names == ["get_current_weather", "convert_currency", "calculator", "get_time"]
    found = loopwright("models", folder=tmp_path, settings=KEY)
    assert "OPENAI_API_KEY set" in found.out
    assert "0123456789" not in found.out
    assert {"local", "openai", "ollama"} <= {
        event["name"] for event in loopwright("models", "--json", folder=tmp_path).events
    }


def test_the_model_is_chosen_and_named(tmp_path: Path) -> None:
    settings = {"LOOPWRIGHT_MODEL": "ollama:llama3", "OLLAMA_BASE_URL": "http://127.0.0.1:9/v1"}
    done = loopwright("ask", "hi", folder=tmp_path, settings=settings)
    assert "model: ollama:llama3 (LOOPWRIGHT_MODEL is set)" in done.err


def test_read_answers_each_line(tmp_path: Path) -> None:
    reply = 'Thought: go\nAction: add\nAction Input: {"a": 1, "b": 2}'
    tools = {"add": {"a": "integer", "b": "integer"}}
    lines = [
        {"id": "a", "protocol": "react-text", "tools": tools, "reply": reply},
        {"id": "b", "protocol": "openai-chat", "tools": {}, "message": {"role": "assistant", "content": "hello"}},
    ]
    text = "\n".join(map(json.dumps, lines)) + "\nnonsense\n"
    done = loopwright("read", folder=tmp_path, stdin=text)
    first, second, third = done.events
    assert first["calls"][0]["arguments"] == {"a": 1, "b": 2}
    assert (second["id"], second["kind"], second["answer"]) == ("b", "final", "hello")
    assert (third["kind"], done.code) == ("malformed", 0)


def test_help_says_what_the_exit_codes_mean(tmp_path: Path) -> None:
    done = loopwright("ask", "--help", folder=tmp_path)
    assert "130 interrupted" in " ".join(done.out.split())
    assert loopwright("--version", folder=tmp_path).out.startswith("loopwright 0.")
