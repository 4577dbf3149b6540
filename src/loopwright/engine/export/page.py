"""A run as one HTML file that needs nothing else: no script, no font, no server (HTML Living Standard).

Owns how it looks. Everything in it is text of others: it is escaped, without exception, and a policy in the head of the
page (Content Security Policy Level 3) forbids scripts, forms and anything that would be fetched, so that even what got
through could do nothing. It follows the light or dark colours of the system. Long parts are folded, and open by a click
or with the keyboard. Images that tools made are in the page where their bytes say that they are images of a common
kind.
"""

from collections.abc import Mapping, Sequence
from html import escape

from loopwright.core.events import Event
from loopwright.core.messages import Content
from loopwright.engine.export.story import Part, Story, about, story_of
from loopwright.engine.telling import visible
from loopwright.journal.base import NONE
from loopwright.protocols.images import KINDS, address_of
from loopwright.protocols.speech import Image
from loopwright.tools.artifact import media_type_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""What the page may do: show itself, with the style and the images that are in it."""

FOLD = 1200
"""Characters of a part from which on it is folded."""
LINES = 25
"""Lines after which it is folded too."""
FIRST = 120
"""Characters of its first line that are shown of a folded part."""

STYLE = """
:root { color-scheme: light dark; --text: #1d1f23; --dim: #5a6070; --page: #ffffff; --part: #f4f5f8; --line: #d5d8e0;
  --reason: #0b6477; --act: #7a4d00; --observe: #6b2a86; --aside: #a02334; --answer: #17652f; --link: #1a4fb4; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ee; --dim: #a2a9b8; --page: #15171c; --part: #1e2129;
  --line: #363b47; --reason: #6fcbe0; --act: #e5b567; --observe: #cf9be6; --aside: #ff8a97; --answer: #7fd497;
  --link: #8db4ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; color: var(--text); background: var(--page);
  font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; display: inline-block; }
section h2 { font-size: 1rem; margin: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt, .at { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
.at { font-size: .8rem; }
pre { margin: .4rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .9rem/1.5 ui-monospace, monospace; }
section { margin: .6rem 0; padding: .6rem .9rem; background: var(--part);
  border-left: 4px solid var(--line); border-radius: 4px; }
section.reason { border-color: var(--reason); } section.reason h3 { color: var(--reason); }
section.act { border-color: var(--act); } section.act h3 { color: var(--act); }
section.observe { border-color: var(--observe); } section.observe h3 { color: var(--observe); }
section.aside { border-color: var(--aside); } section.aside h3 { color: var(--aside); }
section.answer { border-color: var(--answer); } section.answer h3 { color: var(--answer); }
summary { cursor: pointer; overflow-wrap: anywhere; }
img { display: block; max-width: 100%; margin: .6rem 0; background: #ffffff; }
figure { margin: .6rem 0; } figcaption { color: var(--dim); font-size: .9rem; overflow-wrap: anywhere; }
@media print { body { max-width: none; } }
"""
_COLOURED = {"Reason": "reason", "Act": "act", "Observe": "observe", "Answer": "answer", "Task": "task"}


def to_page(events: Sequence[Event], contents: Mapping[str, bytes] = NONE) -> str:
    """The page.

    Args:
        events: all that happened in the run, from the first on
        contents: the artifacts that it kept, as far as they are there, by the SHA-256 in hexadecimal

    Raises:
        IllegalEvent: they are no history of a run
    """
    story = story_of(events)
    answer = [] if story.answer is None else [_section("answer", "Answer", story.answer)]
    body = [
        '<a class="skip" href="#steps">Skip to the steps</a>',
        f"<header><h1>Run {_shown(story.run_id)}</h1>{_facts(story)}{_links(story)}</header>",
        "<main>",
        _section("task", "Task", story.task),
        *([_section("instructions", "Instructions", story.instructions)] if story.instructions else []),
        '<h2 id="steps" tabindex="-1">Steps</h2>',
        *(_part(number, part, contents) for number, part in enumerate(story.parts, 1)),
        *answer,
        "</main>",
    ]
    return "\n".join((*_head(story), *body, "</body>", "</html>", ""))


def _head(story: Story) -> tuple[str, ...]:
    return (
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>Run {_shown(story.run_id)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
    )


def _shown(text: str) -> str:
    """A text as it may stand in an element or in a quoted attribute."""
    return escape(visible(text))


def _facts(story: Story) -> str:
    rows = "".join(f"<dt>{_shown(name)}</dt><dd>{_shown(text)}</dd>" for name, text in story.facts)
    return f"<dl>{rows}</dl>"


def _links(story: Story) -> str:
    """Where the page can be entered: what was asked, each call, and the answer."""
    calls = [
        (f"part-{number}", part.told.heading) for number, part in enumerate(story.parts, 1) if _kind(part) == "act"
    ]
    ends = [("answer", "Answer")] if story.answer is not None else []
    places = [("task", "Task"), *calls, *ends]
    links = " · ".join(f'<a href="#{place}">{_shown(name)}</a>' for place, name in places)
    return f'<nav aria-label="Parts of the run">{links}</nav>'


def _kind(part: Part) -> str:
    """The class of a part, which gives it its colour."""
    return _COLOURED.get(part.told.heading.partition(" ")[0], "aside")


def _section(name: str, heading: str, text: str) -> str:
    return f'<section class="{name}" aria-labelledby="{name}"><h2 id="{name}">{heading}</h2>{_text(text)}</section>'


def _part(number: int, part: Part, contents: Mapping[str, bytes]) -> str:
    place, at = f"part-{number}", f' <span class="at">event {part.seq}{f", {part.at}" if part.at else ""}</span>'
    heading = f'<h3 id="{place}">{_shown(part.told.heading)}</h3>{at}'
    kept = "".join(_kept(content, contents) for content in part.kept)
    below = f"{_text(part.told.text.strip())}{kept}"
    return f'<section class="{_kind(part)}" aria-labelledby="{place}">{heading}{below}</section>'


def _text(text: str) -> str:
    """A text as it stands, folded where it is long. The direction of each line is that of what it holds."""
    whole = f'<pre dir="auto">\n{_shown(text)}</pre>'  # a first line end is none of the text
    if len(text) <= FOLD and text.count("\n") <= LINES:
        return whole
    first = " ".join(text[: 4 * FIRST].split())[:FIRST]
    return f"<details><summary>{_shown(first)} … ({len(text):,} characters)</summary>{whole}</details>"


def _kept(content: Content, contents: Mapping[str, bytes]) -> str:
    """What a tool made: an image, or a line about it."""
    line, data = _shown(about(content)), contents.get(content.digest, b"")
    kind = media_type_of(data)
    if kind not in KINDS:
        return f"<p>Kept: {line}</p>"
    address = address_of(Image(content.reference, kind, data))
    return f'<figure><img src="{address}" alt="{line}"><figcaption>{line}</figcaption></figure>'
