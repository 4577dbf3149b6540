"""How a run looks in a terminal: its steps under Reason, Act and Observe, then the answer and the figures.

Colour, and a line that says what is being waited for, only on a terminal. What a model, a tool, a journal, a file or a
server wrote is shown with its control characters made visible: it must not be able to command the terminal, nor to
turn round the order of what is read.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from shlex import quote
from typing import TextIO

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.status import Status
from rich.text import Text

from loopwright.core.events import (
    ApprovalAsked,
    CallEnded,
    CallStarted,
    CancelAsked,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    RunPaused,
    RunStarted,
)
from loopwright.core.messages import Price
from loopwright.engine.history import RunResult
from loopwright.engine.ports import TextArrived
from loopwright.engine.telling import Teller, escaped, took, visible, visible_json, written_out
from loopwright.journal.location import Place

FOLD = 600
"""Characters of one part that are shown unless all is asked for."""

TAIL = 60
"""Characters of a reply that are shown while it arrives."""

PAUSING = "--approvals pause"
"""The option for a run that is paused to wait for letters."""

_EMPTY = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""What shows nothing although it counts as a letter or a mark."""


def exact(text: str) -> str:
    """As `visible`, with every other sign that shows nothing written out too: for what somebody agrees to.

    Some scripts and pictures are written with such signs, so elsewhere they stay.
    """
    seen = visible(text)
    return seen if seen.isascii() else "".join(written_out(sign) if _shows_nothing(sign) else sign for sign in seen)


def _shows_nothing(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cf", "Zl", "Zp") or _EMPTY.match(sign) is not None


def one_line(text: str, most: int) -> str:
    """The text in one line of at most so many columns, with … where something is left out."""
    line = " ".join(visible(text).split())
    return line if cell_len(line) <= most else f"{set_cell_size(line, most - 1).rstrip()}…"


def json_line(value: object) -> str:
    """A value as JSON in one line, without signs that command a terminal or that standard output cannot carry."""
    from msgspec.json import encode

    return safe_json(encode(value).decode())


def safe_json(text: str, output: TextIO | None = None) -> str:
    """JSON text in one line for `output`, else standard output, with the same signs written as JSON writes them."""
    line = visible_json(text)
    if (getattr(output or sys.stdout, "encoding", None) or "utf-8").lower().replace("_", "-") not in ("utf-8", "utf8"):
        line = re.sub(r"[^\0-\x7f]", escaped, line)
    return line


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines, each column as wide as its widest cell and the last as long as it is."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def fold(text: str, most: int | None) -> str:
    """The text up to `most` characters, and how much is left."""
    if most is None or len(text) <= most:
        return text
    return f"{text[:most].rstrip()} … ({len(text) - most:,} more characters)"


class Screen(Console):
    """A console that leaves it to the command what a closed standard output means."""

    def on_broken_pipe(self) -> None:
        """Raise what rich has caught."""
        raise BrokenPipeError


def console(output: TextIO | None = None) -> Console:
    """On `output`, else standard output: as wide as the terminal, and without end where nobody fits it on a screen."""
    made = Screen(file=output, highlight=False, emoji=False, markup=False)
    return made if made.is_terminal else Screen(file=output, highlight=False, emoji=False, markup=False, width=10_000)


class Printer:
    """An observer that prints a run as it happens, or as it happened."""

    def __init__(self, console: Console, *, full: bool = False, journal: Place | None = None) -> None:
        self.run_id = ""
        self.journal = journal
        self.asked_elsewhere = False
        """Whether a person at this terminal is asked, with all that belongs to the question."""
        self.folded = 0
        """Parts that were not shown in full."""
        self._console = console
        self._most = None if full else FOLD
        self._teller = Teller()
        self._waiting: Status | None = None
        self._arriving = ""

    def recall(self, history: Iterable[Event]) -> None:
        """Take note of what happened before, so that what follows is numbered on."""
        for event in history:
            self._teller.note(event)

    def __call__(self, run_id: str, event: Event | TextArrived) -> None:
        """Print one event."""
        self.run_id = run_id
        if isinstance(event, TextArrived):
            self._arrive(event.text)
            return
        if isinstance(event, ModelReplied | ModelFailed | CallEnded | CancelAsked | RunPaused):
            self.rest()
        if not (isinstance(event, ApprovalAsked) and self.asked_elsewhere):
            for told in self._teller.tell(event):
                self._part(told.heading, told.text)
        if isinstance(event, ModelAsked | CallStarted):
            self._wait("thinking" if isinstance(event, ModelAsked) else "working")

    def rest(self) -> None:
        """Take away the line that says what is being waited for."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None

    def progress(self, text: str) -> None:
        """Say in the line that says what is being waited for how far it is."""
        if self._waiting is not None:
            self._waiting.update(Text(one_line(text, max(1, self._console.width - 4)), style="dim", no_wrap=True))

    def figures(self, result: RunResult) -> None:
        """The answer, and one line of figures."""
        self.rest()
        if result.answer is not None:
            self._console.print(Text("\nAnswer", style="bold green"))
            self._console.print(Text(visible(result.answer)), soft_wrap=True)
        if result.status == "failed" and self._teller.failed == result.reason:
            result = replace(result, reason="")
        told = figures(result, self._teller.price, self.journal, self._teller.doubtful)
        self._console.print(Text("\n" + visible(told), style="dim"), soft_wrap=True)

    def _part(self, heading: str, text: str) -> None:
        style = {"Reason": "cyan", "Act": "yellow", "Observe": "magenta"}.get(heading.partition(" ")[0], "red")
        line = Text(f"{heading}: ", style=f"bold {style}")
        said = text.strip()
        self.folded += self._most is not None and len(said) > self._most
        line.append(Text(visible(fold(said, self._most)), style="default not bold"))
        self._console.print(line, soft_wrap=True)

    def _wait(self, what: str) -> None:
        if self._console.is_terminal:
            self.rest()
            self._arriving = ""
            wide = self._console.encoding.startswith("utf")
            self._waiting = self._console.status(f"{what} …", spinner="dots" if wide else "line")
            self._waiting.start()

    def _arrive(self, text: str) -> None:
        """Show the end of a reply while it arrives."""
        if self._waiting is not None:
            self._arriving = (self._arriving + text)[-4 * TAIL :]
            line = " ".join(visible(self._arriving).split())
            most = max(1, min(TAIL, self._console.width - 4))
            while cell_len(line) > most:
                line = line[1:]
            self._waiting.update(Text(line or "thinking …", style="dim", no_wrap=True))


def verb(name: str, run_id: str, journal: Place | None, call_id: str = "", options: str = "") -> str:
    """The command that does something with a run of this journal, or one call of it, as a shell takes it.

    An id may be any text: what a shell would not take as one word is quoted, and what it would take as an option stands
    behind the last of them. The `options` are taken as they are.
    """
    words = [run_id, call_id] if call_id else [run_id]
    told = " ".join(map(quote, words))
    more = f"{f' --journal {quote(str(journal))}' if journal else ''}{f' {options}' if options else ''}"
    is_option = any(word.startswith("-") for word in words)
    return visible(f"loopwright {name}{more} -- {told}" if is_option else f"loopwright {name} {told}{more}")


def chat_behind(run_id: str, journal: Place | None) -> str:
    """The command that goes on with a conversation, as a shell takes it."""
    place = f" --journal {quote(str(journal))}" if journal else ""
    joint = "=" if run_id.startswith("-") else " "
    return visible(f"loopwright chat --continue{joint}{quote(run_id)}{place}")


def figures(result: RunResult, price: Price | None, journal: Place | None = None, doubtful: int = 0) -> str:
    """One line: how the run ended, what it took at that price, and how to see it or go on with it.

    `doubtful` calls began, and nobody knows what came of them; they are not among those that ran.
    """
    go_on = verb("resume" if result.status == "failed" else "show", result.run_id, journal)
    return " · ".join((*took(result, price, doubtful), go_on))


def as_line(run_id: str, seq: int, event: Event, output: TextIO | None = None) -> str:
    """An event as a JSON line, without the provider's raw bytes."""
    from msgspec.json import encode

    slim = replace(event, raw=b"") if isinstance(event, ModelReplied) else event
    named = "" if isinstance(event, RunStarted) else f'"run_id":{encode(run_id).decode()},'  # that one names it itself
    return safe_json(f'{{{named}"seq":{seq},{encode(slim).decode()[1:]}', output)


def header(started: RunStarted) -> str:
    """What a run was asked, and with what."""
    names = ", ".join(tool.name for tool in started.tools) or "none"
    return f"Task: {started.task}\nModel: {started.model} ({started.way})   Tools: {names}"
