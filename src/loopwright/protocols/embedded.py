"""The short prompt that the embedded model was trained on, word for word.

Owns what that model is told: the list of tools and the sentence about the form. It is repeated in every example of the
training data, which `training/` writes through this module, so nothing here may be reworded without training again.
Observations and replies have the form that every model's have.
"""

import re
from collections.abc import Sequence

from loopwright.core.messages import ToolSpec
from loopwright.protocols.schemas import shape

ASKED_TO = "Reply with Thought and Action, or Thought and Final Answer."
CLOSING = "Reply with Thought and Final Answer."
ABOUT = 60
"""Characters of a tool's description that are shown, at most: its first sentence, or as many clauses or words of it."""

_SENTENCE = re.compile(r"(?<=[.!?])\s")
_CLAUSES = re.compile(r"[,;:](?=\s)")


def system_prompt(tools: Sequence[ToolSpec]) -> str:
    """The tools, one a line, and the one sentence about the form."""
    if not tools:
        return CLOSING
    return "\n".join(("Tools:", *(tool_line(tool) for tool in tools), ASKED_TO))


def tool_line(tool: ToolSpec) -> str:
    """A tool in one line: name, arguments with their types, and the first sentence about it."""
    about = described(tool.description)
    line = f"- {tool.name} {shape(tool.parameters)}"
    return f"{line}: {about}" if about else line


def described(description: str) -> str:
    """The first sentence of a description without its full stop; of a long one the clauses or words that fit."""
    first = _SENTENCE.split(" ".join(description.split()), maxsplit=1)[0].rstrip(".")
    if len(first) <= ABOUT:
        return first
    clauses = [found.start() for found in _CLAUSES.finditer(first, 0, ABOUT + 1)]
    return first[: clauses[-1] if clauses else max(first.rfind(" ", 0, ABOUT + 1), 0) or ABOUT]


def question(task: str) -> str:
    """The task as the user's message."""
    return f"Question: {task}"
