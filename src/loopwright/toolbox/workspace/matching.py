"""Looking for a text or a regular expression in texts, in a bounded time; and patterns of file names.

Owns the bounds. A plain text is looked for here; a regular expression in a process that is ended when its time is over,
because Python's own can take for ever and let nothing else run meanwhile.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct

BATCH = 4_000_000
"""Characters of texts that are handed to the process at once."""


class PatternRefused(Exception):
    """The pattern cannot be used, or takes too long. The model's fault; the text tells it what to send instead."""


class Pattern(Struct, frozen=True):
    """What is looked for."""

    text: str
    regex: bool = False
    fold: bool = False
    """Whether upper and lower case are the same."""


class Place(Struct, frozen=True):
    """A line that matches."""

    text: int
    """Number of the text it is in."""
    line: int
    column: int
    """Characters before the match in the line."""


def places(pattern: Pattern, texts: Sequence[str], most: int, until: float) -> list[Place]:
    """The lines of some texts that match, at most `most`.

    Args:
        pattern: what is looked for
        texts: of files; their lines end with a line feed
        most: places that are wanted
        until: when to give up, on `time.monotonic`

    Raises:
        PatternRefused: it is no regular expression, or the time is over
    """
    if pattern.regex:
        return _in_process(pattern, texts, most, until)
    found: list[Place] = []
    wanted = pattern.text.casefold() if pattern.fold else pattern.text
    for number, text in enumerate(texts):
        if wanted not in (text.casefold() if pattern.fold else text):
            continue
        for line, content in enumerate(text.split("\n"), 1):
            column = (content.casefold() if pattern.fold else content).find(wanted)
            if column >= 0:
                found.append(Place(number, line, column))
        if len(found) >= most:
            return found[:most]
    return found


def _in_process(pattern: Pattern, texts: Sequence[str], most: int, until: float) -> list[Place]:
    asked = {"pattern": pattern.text, "fold": pattern.fold, "texts": list(texts), "most": most}
    try:
        done = subprocess.run(  # noqa: S603 - our own script, and nothing of the question stands in the command
            [sys.executable, "-I", "-S", "-W", "ignore", str(Path(__file__).with_name("matcher.py"))],
            input=json.dumps(asked).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            timeout=max(0.1, until - time.monotonic()),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PatternRefused(
            "the regular expression takes too long on these texts; make it simpler (no repetition inside a "
            "repetition), or look for a plain text"
        ) from None
    if done.returncode != 0:
        raise PatternRefused("the regular expression needs too much memory; make it simpler, or look for a plain text")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise PatternRefused(
            f"the regular expression cannot be read: {answer['error']}; without regex=true the text "
            "is looked for as it stands"
        )
    return [Place(*place) for place in answer["places"]]


def glob_matches(pattern: str, parts: Sequence[str]) -> bool:
    """Whether a path fits a pattern: ``*.py`` fits the name in every folder, ``src/**/test_*.py`` the whole path.

    ``*``, ``?`` and ``[…]`` stand for characters of one name, ``**`` for any number of folders.
    """
    wanted = pattern.strip("/").split("/")
    if len(wanted) == 1 and wanted != ["**"]:
        return fnmatchcase(parts[-1], wanted[0])
    reached = {0}
    for one in wanted:
        if one == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], one)}
    return len(parts) in reached
