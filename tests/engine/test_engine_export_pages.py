"""Runs as documents that people read: all is there, and nothing that others wrote comes alive in it."""

import re
import shutil
import subprocess
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import encode
from msgspec.structs import replace

from loopwright.core.events import CallEnded, Event
from loopwright.core.messages import Content
from loopwright.engine.export.from_messages import from_messages
from loopwright.engine.export.markdown import block, span, to_markdown
from loopwright.engine.export.page import FOLD, POLICY, to_page
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


VOID = ("meta", "img")
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "href", "id", "aria-label", "aria-labelledby"),
    *("tabindex", "dir", "src", "alt"),
}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


class Page(HTMLParser):
    """What a browser would find in a page: its elements, closed in order, and the texts of its <pre>."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.oddities: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)
        if tag == "pre":
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["pre"]:
            self.texts[-1] += data

    def handle_comment(self, data: str) -> None:
        self.oddities.append(data)

    def handle_pi(self, data: str) -> None:
        self.oddities.append(data)

    def unknown_decl(self, data: str) -> None:
        self.oddities.append(data)


def with_artifact(text: str, data: bytes) -> tuple[list[Event], dict[str, bytes]]:
    """The same run, whose tool also made something of this name."""
    digest = sha256(data).hexdigest()
    made = Content(digest, len(data), f"image/{text}", name=text, caption=text)
    events = [
        replace(event, result=replace(event.result, artifacts=(made,))) if isinstance(event, CallEnded) else event
        for event in talk(text)
    ]
    return events, {digest: data}


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_others_wrote_becomes_a_part_of_the_page(text: str) -> None:
    plain, hostile = (Page(to_page(*with_artifact(said, PNG))) for said in ("plain", text))
    assert hostile.tags == plain.tags
    assert [name for name, _ in hostile.attributes] == [name for name, _ in plain.attributes]
    assert {name for name, _ in hostile.attributes} <= ATTRIBUTES
    changed = [name for (name, a), (_, b) in zip(plain.attributes, hostile.attributes, strict=True) if a != b]
    assert changed == ["alt"]
    assert hostile.oddities == []
    whole = "\n".join(hostile.texts)
    assert all(part in whole for part in PARTS if part != "model ")
    assert "\x1b" not in whole
    assert "\u202e" not in whole


def test_a_page_is_one_file_that_may_fetch_and_run_nothing() -> None:
    page = Page(to_page(*with_artifact("x", PNG)))
    assert ("content", POLICY) in page.attributes
    assert not {"script", "link", "iframe", "form", "object", "base", "svg"} & set(page.tags)
    for name, value in page.attributes:
        assert name not in ("src", "href") or (value or "").startswith(("data:image/png;base64,", "#"))
    places = [value for name, value in page.attributes if name == "id"]
    assert len(set(places)) == len(places)
    assert {f"#{place}" for place in places} >= {value for name, value in page.attributes if name == "href"}
    assert {"header", "nav", "main", "h1", "h2", "h3"} <= set(page.tags)


def test_what_is_no_image_by_its_bytes_is_named_only() -> None:
    page = Page(to_page(*with_artifact("x", b"<svg onload='alert(1)'/>")))
    assert "img" not in page.tags
    assert "figure" not in page.tags


def test_long_parts_are_folded_and_whole() -> None:
    long = "word " * FOLD
    page = Page(to_page(talk(long)))
    assert "details" in page.tags
    assert f"result {long}".strip() in [text.strip() for text in page.texts]
    assert "details" not in Page(to_page(talk("x"))).tags


CHROMIUM = shutil.which("chromium")


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
@pytest.mark.parametrize("text", HOSTILE)
def test_a_browser_finds_what_was_written(text: str, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    file.write_text(to_page(*with_artifact(text, PNG)), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom")
    found = subprocess.run([CHROMIUM or "", *options, file.as_uri()], capture_output=True, timeout=60, check=True)
    page = Page(found.stdout.decode())
    assert page.tags == Page(to_page(*with_artifact(text, PNG))).tags
