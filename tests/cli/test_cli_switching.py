"""The command where a server does not keep to what was agreed: what is printed, and what the options do."""

import json
from collections.abc import Sequence
from pathlib import Path

from command import Done, loopwright

from loopwright.testing.chat_server import ChatServer, Response, no_tools, refuses
from loopwright.testing.scripted import answers, calls, says

CALL, ANSWER = calls("calculator", expression="1+2"), answers("3")


def ask(replies: Sequence[Response], folder: Path, *options: str, model: str = "x") -> tuple[Done, ChatServer]:
    with ChatServer(replies) as server:
        done = loopwright(
            "ask", "What is 1+2?", "--model", model, "--base-url", server.base_url, *options, folder=folder
        )
    return done, server


def test_a_switch_is_printed_with_its_reason(tmp_path: Path) -> None:
    done, _ = ask([no_tools("tiny"), CALL, ANSWER], tmp_path)
    assert (done.code, "\nAnswer\n3\n" in done.out) == (0, True)
    assert "Switch: going on in text form: " in done.out
    assert "does not support tools" in done.out


def test_lost_context_is_printed_as_a_warning(tmp_path: Path) -> None:
    said = (("1+2", 2_000), ("1+3", 1_000), ("1+4", 500))
    replies = [calls("calculator", expression=expression).using(count, 9) for expression, count in said]
    done, _ = ask(replies, tmp_path)
    assert done.code == 3
    assert "Warning: the server counted 1,000 tokens where at least 2,0" in done.out
    assert "num_ctx" in done.out


def test_require_action(tmp_path: Path) -> None:
    done, server = ask([answers("4"), CALL, ANSWER], tmp_path, "--require-action")
    assert done.code == 0
    assert "Note: the answer came before any tool was used; the model is asked to use one first" in done.out
    assert len(server.requests) == 3


def test_the_options_are_kept_for_resume(tmp_path: Path) -> None:
    done, _ = ask([refuses(500, "no")] * 4, tmp_path, "--switch-back", "--require-action", "--no-constrain", "--json")
    assert done.code == 1
    started = done.events[0]
    assert (started["may_switch"], started["may_return"], started["require_action"]) == (True, True, True)
    assert {name: started["recipe"][name] for name in ("switch_back", "require_action", "constrain")} == {
        "switch_back": True,
        "require_action": True,
        "constrain": False,
    }


def test_constraints_by_default_and_by_option(tmp_path: Path) -> None:
    call = says('{"thought": "", "step": {"action": "calculator", "action_input": {"expression": "1+2"}}}')
    answer = says('{"thought": "", "step": {"final_answer": "3"}}')
    for options, model, field in (
        ((), "vllm:x", "structured_outputs"),
        (("--constrain",), "x", "response_format"),
    ):
        done, server = ask([call, answer], tmp_path, "--protocol", "text", *options, model=model)
        assert done.code == 0
        assert all(field in request.json for request in server.requests)
    done, server = ask([CALL, ANSWER], tmp_path, "--protocol", "text", "--no-constrain", model="vllm:x")
    assert done.code == 0
    assert "structured_outputs" not in server.requests[0].json


def test_wrong_uses(tmp_path: Path) -> None:
    for options, words in (
        (("--constrain", "--protocol", "native"), "text or auto"),
        (("--switch-back", "--protocol", "text"), "needs protocol auto"),
    ):
        done, _ = ask([], tmp_path, *options)
        assert (done.code, words in done.err) == (2, True)


def test_models_lists_what_is_known(tmp_path: Path) -> None:
    done = loopwright("models", "--json", folder=tmp_path)
    found = {line["name"]: line for line in map(json.loads, done.out.splitlines())}
    assert found["vllm"]["capabilities"]["constraint"] == "structured_outputs"
    gemma = next(rule for rule in found["ollama"]["rules"] if rule["pattern"] == "gemma:*")
    assert gemma["capabilities"]["tools"] is False
