"""What a language brings to the text protocol: its labels, and the sentences that a model reads.

Owns the shape only. The words themselves are data, one file a language; how they are looked for is `react_lines`.
"""

from msgspec import Struct


class Wording(Struct, frozen=True):
    """Sentences for the model. Braces are filled with `str.format`."""

    tools: str
    """Introduces the list of tools."""
    no_tools: str
    step: str
    """The form of a step with an action."""
    several: str
    """That actions may be written together."""
    last: str
    """The form of the last step."""
    example: str
    """Introduces the one step that is shown; takes `step`."""
    thought: str
    """The thought of that step."""
    unreadable: str
    """Takes `problem`."""
    empty: str
    repeating: str
    failing: str
    closing: str
    """Takes `reason`."""
    reminder: str
    """The form of both kinds of step in a few lines, behind `unreadable` and `empty`."""


class Problems(Struct, frozen=True):
    """Why a reply could not be read, in words for the model."""

    no_label: str
    no_tool: str
    no_answer: str
    empty_answer: str
    placeholder: str
    fenced: str
    inline: str
    invented: str
    cut: str
    thinking: str
    command: str
    no_arguments: str
    not_closed: str
    label_inside: str
    unlabelled: str
    expected: str
    """Takes `shape`, the JSON object that the tool wants."""


class Labels(Struct, frozen=True):
    """The labels of one language. The first of each is the one that is written; all of them are read, in any case."""

    language: str
    thought: tuple[str, ...]
    action: tuple[str, ...]
    input: tuple[str, ...]
    observation: tuple[str, ...]
    final: tuple[str, ...]
    answer: tuple[str, ...]
    """Weak labels of an answer: they count only where there is neither an action nor a label of `final`."""
    below: tuple[str, ...]
    """Labels of an input that count only directly below the line with the tool's name."""
    none: tuple[str, ...]
    """What stands in the place of a tool's name when there is no action."""
    placeholders: tuple[str, ...]
    """Parts of format instructions that a model copies where a tool's name belongs; lower case."""
    joiners: tuple[str, ...]
    """Words between two calls on one line that do not depend on each other."""
    wording: Wording
    problems: Problems
