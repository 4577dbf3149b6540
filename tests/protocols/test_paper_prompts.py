"""The few-shot prompts of the ReAct paper as examples.

The excerpts are shortened from https://github.com/ysymyth/ReAct (MIT licence, Copyright (c) 2023 Shunyu Yao).
"""

import msgspec
import pytest

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Example
from loopwright.protocols.paper import COMMAND, paper_instructions, read_paper_prompt

FEVER = """
Determine if there is Observation that SUPPORTS or REFUTES a Claim, or if there is NOT ENOUGH INFORMATION. 
Claim: Stranger Things is set in Bloomington, Indiana.
Thought 1: I should search for Stranger Things, and see if it is set in Bloomington, Indiana.
Action 1: Search[Stranger Things]
Observation 1: Stranger Things is an American science fiction horror drama television series.
Thought 2: The observation says that it is set in a "fictional town of Hawkins, Indiana".
Action 2: Finish[REFUTES]

Claim: Beautiful reached number two on the Billboard Hot 100 in 2003.?
Thought 1: I need to search the song Beautiful.
Action 1: Search[Beautiful]
Observation 1: Could not find [Beautiful]. Similar: ['Beautiful', 'A Beautiful Mind (film)'].
Thought 2: From suggestions, I should search "Beautiful (Christina Aguilera song)".
Action 2: Search[Beautiful (Christina Aguilera song)]
Observation 2: "Beautiful" is a song recorded by American singer Christina Aguilera.
Action 3: Finish[NOT ENOUGH INFO]
"""  # noqa: W291 - the blank at the end of a line is the paper's

ACTING = """Question: What profession does Nicholas Ray and Elia Kazan have in common?
Action 1: Search[Nicholas Ray]
Observation 1: Nicholas Ray was an American film director.

He also wrote.
Action 2: Lookup[profession]
Observation 2: (Result 1 / 1) film director
Action 3: Finish[director]
"""

REASONING = """
Question: Were Pavel Urysohn and Leonid Levin known for the same type of work?
Thought: Let's think step by step. Pavel Urysohn is a mathematician. So is Leonid Levin.
Answer: Yes
Question: Which magazine was started first Arthur's Magazine or First for Women?
Answer:Arthur's Magazine
"""

GAME = """You are in the middle of a room. Looking quickly around you, you see a cabinet 2, and a toilet 1.
Your task is to: put some spraybottle on toilet.
> think: To solve the task, I need to find and take a spraybottle, then put it on toilet.
OK.
> think: First I need to find a spraybottle.
OK.
>go to cabinet 2
The cabinet 2 is closed.
> open cabinet 2
You open the cabinet 2. In it, you see a spraybottle 2.
> think: Now I find a spraybottle (2). Next, I need to take it.
> take spraybottle 2 from cabinet 2
You pick up the spraybottle 2 from the cabinet 2.
> put spraybottle 2 in/on toilet 1
You put the spraybottle 2 in/on the toilet 1.
"""

JUMBLED = """You are in the middle of a room.
Your task is to: cool some pan.
> take pan 1 from stoveburner 3
> think: Now I find a pan (1). Next, I need to take it.
OK.
You pick up the pan 1 from the stoveburner 3.
"""


def made(example: Example) -> list[tuple[str, str, str]]:
    """Thought, tool and text of the calls."""
    turns = [exchange.turn for exchange in example.exchanges]
    return [(turn.thought, call.tool, call.text) for turn in turns for call in turn.calls]


def seen(example: Example) -> list[str]:
    """What came back."""
    return [msgspec.json.decode(result.data) for exchange in example.exchanges for result in exchange.results]


def test_claims_with_thoughts() -> None:
    first, second = read_paper_prompt(FEVER)
    assert first.task == "Claim: Stranger Things is set in Bloomington, Indiana."
    assert made(first) == [
        ("I should search for Stranger Things, and see if it is set in Bloomington, Indiana.", "Search",
         "Stranger Things"),
    ]  # fmt: skip
    assert first.exchanges[0].turn.calls == (Call("Search", {"input": "Stranger Things"}, text="Stranger Things"),)
    assert seen(first) == ["Stranger Things is an American science fiction horror drama television series."]
    assert first.exchanges[-1].turn.answer == "REFUTES"
    assert first.exchanges[-1].turn.thought.startswith("The observation says")
    assert [text for _, _, text in made(second)] == ["Beautiful", "Beautiful (Christina Aguilera song)"]
    assert (second.exchanges[-1].turn.thought, second.exchanges[-1].turn.answer) == ("", "NOT ENOUGH INFO")


def test_what_a_prompt_says_first() -> None:
    assert paper_instructions(FEVER) == (
        "Determine if there is Observation that SUPPORTS or REFUTES a Claim, or if there is NOT ENOUGH INFORMATION."
    )
    assert paper_instructions(REASONING) == ""
    assert paper_instructions(GAME) == ""


def test_questions_with_actions_alone_and_observations_of_several_lines() -> None:
    (example,) = read_paper_prompt(ACTING)
    assert example.task == "What profession does Nicholas Ray and Elia Kazan have in common?"
    assert made(example) == [("", "Search", "Nicholas Ray"), ("", "Lookup", "profession")]
    assert seen(example)[0] == "Nicholas Ray was an American film director.\n\nHe also wrote."


def test_questions_that_are_only_thought_about_or_only_answered() -> None:
    first, second = read_paper_prompt(REASONING)
    assert first.exchanges[0].turn.thought.startswith("Let's think step by step.")
    assert [example.exchanges[0].turn.answer for example in (first, second)] == ["Yes", "Arthur's Magazine"]


def test_a_game() -> None:
    (example,) = read_paper_prompt(GAME)
    assert example.task.splitlines()[1] == "Your task is to: put some spraybottle on toilet."
    assert [(tool, text) for _, tool, text in made(example)] == [
        (COMMAND, "go to cabinet 2"),
        (COMMAND, "open cabinet 2"),
        (COMMAND, "take spraybottle 2 from cabinet 2"),
        (COMMAND, "put spraybottle 2 in/on toilet 1"),
    ]
    assert made(example)[0][0] == (
        "To solve the task, I need to find and take a spraybottle, then put it on toilet.\n"
        "First I need to find a spraybottle."
    )
    assert made(example)[2][0] == "Now I find a spraybottle (2). Next, I need to take it."
    assert "OK." not in seen(example)
    assert example.exchanges[-1].turn.answer == "You put the spraybottle 2 in/on the toilet 1."


def test_several_games_in_one_prompt() -> None:
    assert len(read_paper_prompt(f"{GAME}\n{GAME}")) == 2


def test_a_thought_between_a_command_and_what_the_environment_says_to_it() -> None:
    (example,) = read_paper_prompt(JUMBLED)
    assert made(example) == [
        ("Now I find a pan (1). Next, I need to take it.", COMMAND, "take pan 1 from stoveburner 3")
    ]
    assert seen(example) == ["You pick up the pan 1 from the stoveburner 3."]


QUESTION = "Question: a\n"
WRONG: dict[str, tuple[str, str]] = {
    "empty": ("", "no line of the prompt begins with"),
    "prose": ("Hello.", "no line of the prompt begins with"),
    "no answer": (QUESTION + "Thought 1: hm", "example 1 .* no answer"),
    "the second": (QUESTION + "Answer: b\n" + QUESTION, "example 2 .* no answer"),
    "no form": (QUESTION + "Action 1: search for b", "has not the form"),
    "no observation": (QUESTION + "Action 1: Search[b]\nAction 2: Search[c]", "'c' follows an action without"),
    "no observation at the end": (QUESTION + "Action 1: Search[b]\nAction 2: Finish[c]", "without an observation"),
    "no action": (QUESTION + "Observation 1: b", "no action comes before"),
    "two answers": (QUESTION + "Answer: b\nAnswer: c", "not the only one"),
    "action behind the answer": (QUESTION + "Answer: b\nAction 1: Search[c]", "or the answer"),
    "empty answer": (QUESTION + "Action 1: Finish[]", "empty"),
    "game without a beginning": ("> look\nA room.", "begins with a command"),
    "game without a command": ("A room.\n> think: hm\nOK.", "no command is given"),
    "silent": ("A room.\n> look\n> go", "'go' follows an action without"),
    "silent at the end": ("A room.\n> go\nA hall.\n> look", "says nothing to the last one"),
    "talk to a thought": ("A room.\n> think: hm\nYou see a pen.", "no action comes before"),
}


@pytest.mark.parametrize(("text", "words"), WRONG.values(), ids=WRONG)
def test_what_is_not_whole_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_paper_prompt(text)


def test_what_stands_before_the_first_task_is_no_part_of_it() -> None:
    (example,) = read_paper_prompt("Thought: of the instructions\nQuestion: a\nAnswer: b")
    assert example.exchanges[0].turn.thought == ""
