"""Examples and the role of observations from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Done, loopwright

from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import Line, answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}
PLAIN: dict[str, Any] = {
    "task": "2*3?",
    "steps": [{"tool": "calculator", "arguments": "2*3", "observation": 6}],
    "answer": "6",
}
CLAIMS = """Determine if there is Observation that SUPPORTS or REFUTES a Claim.
Claim: Stranger Things is set in Bloomington, Indiana.
Action 1: Search[Stranger Things]
Observation 1: It is set in Hawkins.
Action 2: Finish[REFUTES]
"""
QUESTION = "Question: a?\nAnswer: b\n"


def asked(folder: Path, *more: str, replies: list[Line] | None = None) -> tuple[Done, list[list[dict[str, Any]]]]:
    """What `ask` did, and the messages of its requests."""
    with ChatServer(replies or [answers("so")]) as server:
        done = loopwright(
            "ask", "t", "--model", "openai:any", "--base-url", server.base_url, *more, folder=folder, settings=KEY
        )
        return done, [request.messages for request in server.requests]


def texts(messages: list[dict[str, Any]]) -> list[str]:
    return [str(message["content"]) for message in messages if message["role"] != "system"]


def test_a_run_of_the_journal_is_an_example(tmp_path: Path) -> None:
    asked(tmp_path, replies=[calls("calculator", expression="2*3"), answers("6")])
    done, requests = asked(tmp_path, "--example", "last", "--protocol", "text")
    assert done.code == 0, done.err
    assert texts(requests[0]) == [
        "t", 'Action: calculator {"expression": "2*3"}', "Observation: 6", "Final Answer: 6", "t",
    ]  # fmt: skip
    again, requests = asked(tmp_path, "--example", "last", "--example", "last", "--protocol", "native")
    assert again.code == 0
    assert texts(requests[0]) == ["t", "so", "t", "so", "t"]


def test_examples_of_a_file_with_json_lines(tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").write_text(f"{json.dumps(PLAIN)}\n\n{json.dumps(PLAIN)}\n")
    done, requests = asked(tmp_path, "--example-file", "examples.jsonl", "--protocol", "text")
    assert (done.code, "tools that this run does not have" in done.err) == (0, False)
    assert len(requests[0]) == 1 + 2 * 4 + 1
    assert requests[0][2]["content"] == 'Action: calculator {"expression": "2*3"}'


@pytest.mark.parametrize("text", [json.dumps(PLAIN, indent=1), json.dumps([PLAIN])], ids=["one object", "a list"])
def test_examples_of_a_file_with_one_json_value(text: str, tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(text)
    done, requests = asked(tmp_path, "--example-file", "examples.json", "--protocol", "native")
    assert (done.code, texts(requests[0])[0]) == (0, "2*3?")


def test_a_prompt_of_the_paper_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "fever.json").write_text(json.dumps({"webact": CLAIMS, "webqa": QUESTION}))
    file = ("--example-file", "fever.json", "--protocol", "text")
    done, requests = asked(tmp_path, *file, "--example-key", "webact")
    assert done.code == 0, done.err
    assert "instructions: Determine if there is" in done.err
    assert "examples: they use tools that this run does not have: Search" in done.err
    assert requests[0][0]["content"].startswith("Determine if there is")
    assert texts(requests[0])[:2] == [
        "Claim: Stranger Things is set in Bloomington, Indiana.",
        'Action: Search {"input": "Stranger Things"}',
    ]
    done, requests = asked(tmp_path, *file, *("--example-key", "webqa", "--example-key", "webact", "-i", "Be brief."))
    assert "left out, because --instructions are given" in done.err
    assert requests[0][0]["content"].startswith("Be brief.")
    assert len(texts(requests[0])) == 2 + 4 + 1


def test_a_prompt_of_the_paper_alone(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text(QUESTION)
    (tmp_path / "one.json").write_text(json.dumps({"only": QUESTION}))
    for name in ("prompt.txt", "one.json"):
        done, requests = asked(tmp_path, "--example-file", name, "--protocol", "native")
        assert done.code == 0
        assert texts(requests[0]) == ["a?", "b", "t"]


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_the_role_of_observations(role: str, tmp_path: Path) -> None:
    done, requests = asked(
        tmp_path,
        *("--protocol", "text", "--observation-role", role),
        replies=[calls("calculator", expression="2*3"), answers("6")],
    )
    assert done.code == 0
    assert requests[1][-1] == {"role": role, "content": "Observation: 6"}


def test_a_tool_says_the_observations(tmp_path: Path) -> None:
    with ChatServer([calls("calculator", expression="2*3"), answers("6")], way="text") as server:
        done = loopwright(
            *("ask", "t", "--model", "openai:any", "--base-url", server.base_url),
            *("--protocol", "text", "--observation-role", "tool"),
            folder=tmp_path,
            settings=KEY,
        )
        *_, turn, answer = server.requests[1].messages
    assert done.code == 0
    assert answer == {"role": "tool", "tool_call_id": turn["tool_calls"][0]["id"], "content": "Observation: 6"}


FILES = {
    "empty.jsonl": " \n",
    "broken.jsonl": '{"task": "t", "answer": "a"}\n{oh\n',
    "short.jsonl": json.dumps({"task": "t"}),
    "step.jsonl": json.dumps({**PLAIN, "steps": [{"tool": "calculator"}]}),
    "two.json": json.dumps({"a": QUESTION, "b": QUESTION}),
    "numbers.json": json.dumps({"a": 5}),
    "half.json": json.dumps({"a": "Question: x?\nThought: hm"}),
    "prose.txt": "Hello.",
}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--example", "last"), "no runs yet"),
        (("--example-file", "nowhere"), "nowhere cannot be read"),
        (("--example-file", "latin.txt"), "not UTF-8"),
        (("--example-file", "empty.jsonl"), "the file is empty"),
        (("--example-file", "broken.jsonl"), "broken.jsonl, line 2 is not JSON"),
        (("--example-file", "short.jsonl"), "`answer`"),
        (("--example-file", "step.jsonl"), "step 1, has no observation"),
        (("--example-file", "two.json"), "pick with --example-key from a, b"),
        (("--example-file", "two.json", "--example-key", "c"), "no prompt 'c': pick from a, b"),
        (("--example-file", "numbers.json"), "'a' of numbers.json is no prompt"),
        (("--example-file", "half.json"), "half.json, a: example 1 of the prompt"),
        (("--example-file", "prose.txt"), "no line of the prompt begins with"),
        (("--example-file", "short.jsonl", "--example-key", "a"), "a JSON object of prompts"),
        (("--example-key", "a"), "give both"),
        (("--observation-role", "nobody"), "use user, assistant, system or tool"),
        (("--observation-role", "tool"), "needs protocol text"),
        (("--model", "local", "--observation-role", "assistant"), "two messages of the assistant in a row"),
        (("--model", "llamacpp", "--observation-role", "assistant"), "two messages of the assistant in a row"),
    ],
)
def test_a_wrong_use_says_what_to_do(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.txt").write_bytes(b"Question: \xff")
    done = loopwright("ask", "t", "--model", "ollama:x", *options, folder=tmp_path)
    assert done.code == 2, done
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_the_embedded_model_does_not_know_examples(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(PLAIN))
    words = "the embedded model was not trained with examples"
    task = ("ask", "2*3?", "--model", "local", "--max-tokens", "1", "--max-model-calls", "1")
    assert words in loopwright(*task, "--example-file", "one.json", folder=tmp_path).err
    assert words not in loopwright(*task, folder=tmp_path).err


def test_a_run_without_an_answer_is_no_example(tmp_path: Path) -> None:
    with ChatServer([]) as server:
        loopwright("ask", "t", "--model", "openai:any", "--base-url", server.base_url, folder=tmp_path, settings=KEY)
    done = loopwright("ask", "t", "--model", "ollama:x", "--example", "last", folder=tmp_path)
    assert (done.code, "cannot be an example" in done.err) == (2, True)
