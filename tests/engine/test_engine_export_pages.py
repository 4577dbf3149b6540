"""Runs as documents that people read: all is there, and nothing that others wrote comes alive in it."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import encode

from loopwright.core.events import Event
from loopwright.engine.export.from_messages import from_messages
from loopwright.engine.export.markdown import block, span, to_markdown
from loopwright.engine.export.story import moment, story_of

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</pre></section></main><h1 onclick='x'>",
    "```\n# not a heading\n[x](javascript:alert(1))\n`````\n<b>",
    "-->\n<!-- ]]> &lt;i&gt; &#60;u&#62;",
    "\x1b[2J\u202egnp\x00\r\n    indented",
    "' autofocus onfocus=alert(1) x='",
]


def talk(text: str) -> tuple[Event, ...]:
    """A run, and the next turn of it, in which everything says this."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": encode({"at": text}).decode()}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": f"instructions {text}"},
        {"role": "user", "content": f"task {text}"},
        {"role": "assistant", "content": f"thought {text}", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"result {text}"},
        {"role": "user", "content": f"word {text}"},
        {"role": "assistant", "content": f"answer {text}"},
        {"role": "user", "content": f"next {text}"},
        {"role": "assistant", "content": f"end {text}"},
    ]
    return from_messages({"messages": messages, "model": f"model {text}"}, "r1", 1.0).events


PARTS = ("instructions ", "task ", "thought ", "result ", "word ", "answer ", "next ", "end ", "model ")


def outside(document: str) -> list[str]:
    """The lines of a document that stand in no fence, without code spans (CommonMark 0.31.2, 4.5 and 6.1)."""
    left, fence = list[str](), ""
    for line in document.split("\n"):
        if fence:
            fence = "" if re.fullmatch(f"{fence}`*", line.strip()) else fence
        elif opened := re.match("(`{3,})text$", line):
            fence = opened[1]
        else:
            left.append(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert not fence
    return left


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_leaves_its_fence_in_a_document(text: str) -> None:
    document = to_markdown(talk(text))
    assert all(part in document for part in PARTS)
    for line in outside(document):
        assert re.fullmatch(r"|#{1,3} \w+( [0-9.]*)?|- \w+: ", line), line
    assert "\x1b" not in document
    assert "\u202e" not in document


@given(st.text("`\n~ a"))
def test_no_text_closes_its_own_fence_or_span(text: str) -> None:
    assert outside(block(text)) == []
    assert outside(span(text)) == [""]


def test_a_story_tells_the_turns_before_and_what_people_did() -> None:
    story = story_of(talk("x"))
    headings = [part.told.heading for part in story.parts]
    assert headings == ["Task", "Reason 1", "Act 1", "Observe 1", "Say", "Answer", "Fork"]
    assert (story.task, story.answer) == ("next x", "end x")
    assert ("Forked", "from r1-1, behind event 9") in story.facts
    assert dict(story.facts)["Outcome"].startswith("answered · ")


def test_a_run_that_is_not_over_says_so() -> None:
    story = story_of(talk("x")[:4])
    assert (story.answer, dict(story.facts)["Outcome"]) == (None, "not over yet")


def test_a_time_that_no_calendar_has_is_left_out() -> None:
    assert (moment(0.0), moment(1e300), moment(1.0)) == ("", "", "1970-01-01 00:00:01 UTC")
