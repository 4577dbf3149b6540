"""What a language brings to the protocols: its labels, and the sentences that a model reads.

Owns the shape, and that one language's labels can be read beside another's. The words themselves are data, one file a
language; how they are looked for is `react_lines`.
"""

from msgspec import Struct
from msgspec.structs import replace


class Wording(Struct, frozen=True, cache_hash=True):
    """Sentences for the model. Braces are filled with `str.format`.

    Those from `unreadable` on are said natively too, so they name no labels; `reminder` and `form` are not.
    """

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
    because: str
    """Takes `problem`."""
    empty: str
    thinking: str
    """To a reply that only thought."""
    repeating: str
    failing: str
    act_first: str
    """To an answer that came before any tool was used."""
    either: str
    """What to do instead, natively."""
    closing: str
    """Takes `reason`."""
    reminder: str
    """The form of both kinds of step in a few lines, behind `unreadable` and `empty`."""
    form: str
    """The form of the last step in a few lines, behind `closing`."""


class Reasons(Struct, frozen=True, cache_hash=True):
    """Why a run closes, by the names of limits and causes; each fills `Wording.closing`."""

    steps: str
    model_calls: str
    tool_calls: str
    tokens: str
    cost: str
    seconds: str
    unreadable: str
    no_progress: str

    def of(self, cause: str) -> str:
        """The words for a limit or a cause; its name where there are none."""
        return str(getattr(self, cause)) if cause in self.__struct_fields__ else cause.replace("_", " ")


class Problems(Struct, frozen=True, cache_hash=True):
    """Why a reply could not be read, in words for the model."""

    no_label: str
    no_tool: str
    no_answer: str
    empty_answer: str
    placeholder: str
    fenced: str
    quoted: str
    contradictory: str
    inline: str
    invented: str
    cut: str
    broken_off: str
    thinking: str
    command: str
    no_arguments: str
    not_closed: str
    label_inside: str
    unlabelled: str
    expected: str
    """Takes `shape`, the JSON object that the tool wants."""


class Labels(Struct, frozen=True, cache_hash=True):
    """The labels of one language. The first of each is the one that is written; all of them are read, in any case."""

    language: str
    """Its code (ISO 639-1)."""
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
    reasons: Reasons
    problems: Problems
    frequent: str = ""
    """Words, with blanks between, by which a text is told to be of this language; lower case. Empty where its script
    tells it."""
    traces: tuple[str, ...] = ()
    """Letters and endings that do the same, a little."""
    colons: tuple[str, ...] = (":",)
    """What a model writes between a label and its text, where a stop mark must match it."""


def beside(own: Labels, other: Labels) -> Labels:
    """The labels of a language, with those of another one read too; sentences and written labels stay its own."""
    read = {name: both(getattr(own, name), getattr(other, name)) for name in _READ}
    return replace(own, **read)


def both(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """All words of two lists, each once."""
    return tuple(dict.fromkeys((*first, *second)))


_READ = ("thought", "action", "input", "observation", "final", "answer", "below", "none", "placeholders", "joiners")
