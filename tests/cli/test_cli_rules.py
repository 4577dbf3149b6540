"""Rules of `loopwright.toml` that are wrong, decide nothing, or are passed over: said in words that help."""

from pathlib import Path

import pytest
from command import loopwright

from loopwright.cli.project import notice_passed_over, void_rules
from loopwright.core.messages import ToolSpec
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import answers, calls
from loopwright.tools.policy import Rule

TOOL = """
from loopwright import tool

@tool(effect="send")
def send(to: str) -> str:
    '''Send it.'''
    return to
"""


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('permission = "alow"', "permission is 'alow'; it is one of allow, ask, deny (rule 2 of loopwright.toml)"),
        ('tool = "x"', "the rule has no permission; it is one of allow, ask, deny"),
        ('permission = "ask"\ntol = "x"', "the rule has 'tol', which is not known; did you mean tool?"),
        ('permission = "ask"\nxyz = "x"', "it may have permission, tool, effect, arguments, tainted, reason"),
        ('permission = "ask"\neffect = "wrte"', "effect is 'wrte'; it is one of read, write"),
        ('permission = "allow"\ntainted = "no"', "tainted is 'no'; it is one of ask, allow"),
        (
            'permission = "ask"\narguments = { n = { leest = 1 } }',
            "the pattern of n has 'leest', which is not known; did",
        ),
        ('permission = "ask"\ntool = 3', "at `tool` (rule 2 of loopwright.toml)"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said_with_what_may_stand_there(rule: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text(f'[[policy]]\npermission = "ask"\n\n[[policy]]\n{rule}\n')
    done = loopwright("tools", folder=tmp_path)
    assert done.code == 2
    assert said in done.err


def test_rules_in_one_table_are_shown_how_to_be_written(tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text('[policy]\npermission = "ask"\n')
    assert "write each rule under a [[policy]] of its own" in loopwright("tools", folder=tmp_path).err


def test_a_rule_about_no_tool_is_named_with_the_tool_that_may_be_meant() -> None:
    tools = (ToolSpec("write_file", effect="write"), ToolSpec("read_file"))
    rules = (Rule("deny", tool="write_fil"), Rule("deny", tool="send_*"), Rule("ask", tool="write_*"), Rule("deny"))
    first, second = void_rules(rules, tools)
    assert first == "rule 1 is about no tool that is here: write_fil; did you mean write_file?"
    assert second == "rule 2 is about no tool that is here: send_*"


def test_ask_and_tools_say_which_rules_decide_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TOOL)
    (tmp_path / "loopwright.toml").write_text('[[policy]]\npermission = "deny"\ntool = "sent"\n')
    said = "rule 1 of loopwright.toml is about no tool that is here: sent; did you mean send?"
    assert said in loopwright("tools", "-t", "mine.py", folder=tmp_path).err
    with ChatServer([answers("over")]) as server:
        arguments = ("ask", "hi", "-m", "openai:any", "--base-url", server.base_url, "-t", "mine.py")
        assert said in loopwright(*arguments, folder=tmp_path, settings={"OPENAI_API_KEY": "sk-test-0123456789"}).err


@pytest.mark.parametrize(
    ("tainted", "said"),
    [
        ("", "runs without asking until the run has read text of others (rule 1 of loopwright.toml)"),
        ('tainted = "ask"\n', "runs without asking until the run has read text of others (rule 1 of loopwright.toml)"),
        ('tainted = "allow"\n', "runs without asking (rule 1 of loopwright.toml)"),
    ],
)
def test_tools_promise_no_more_than_the_rule_gives(tainted: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TOOL)
    (tmp_path / "loopwright.toml").write_text(f'[[policy]]\npermission = "allow"\ntool = "send"\n{tainted}')
    assert f"send, {said}" in loopwright("tools", "-t", "mine.py", "--trust", folder=tmp_path).out


def test_a_file_of_the_workspace_that_is_passed_over_is_named(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    said = list[str]()
    notice_passed_over(work, None, said.append)
    own = work / "loopwright.toml"
    own.write_text('[tests]\ncommand = ["pytest"]\n')
    notice_passed_over(work, None, said.append)
    assert said == []
    own.write_text('[[policy]]\npermission = "deny"\n')
    notice_passed_over(work, own, said.append)
    assert said == []
    notice_passed_over(work, None, said.append)
    (line,) = said
    assert line.startswith(f"{own} is passed over, with its rules: ")
    assert line.endswith(f"to follow it, start in {work}")


def test_without_a_terminal_the_person_is_told_how_to_allow_what_was_denied(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TOOL)
    with ChatServer([calls("send", to="eva"), answers("over")]) as server:
        arguments = ("ask", "hi", "-m", "openai:any", "--base-url", server.base_url, "-t", "mine.py")
        done = loopwright(*arguments, folder=tmp_path, settings={"OPENAI_API_KEY": "sk-test-0123456789"})
        assert "1 call denied, because nobody was there to ask: run it at a terminal, or allow the tool" in done.err
        assert "run it at a terminal" not in str(server.requests[-1])
