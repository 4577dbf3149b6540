"""How a run looks in a terminal: its steps under Reason, Act and Observe, then the answer and the figures.

Colour, and a line that says what is being waited for, only on a terminal. What a model or a tool wrote is shown with
its control characters made visible: it must not be able to command the terminal.
"""

from msgspec.structs import replace
from rich.console import Console
from rich.status import Status
from rich.text import Text

from loopwright.core.events import (
    ApprovalGiven,
    CallEnded,
    CallStarted,
    ContextLost,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.messages import Call, Turn
from loopwright.engine.history import RunResult
from loopwright.engine.ports import TextArrived
from loopwright.protocols.envelope import observation

FOLD = 600
"""Characters of one part that are shown unless all is asked for."""

_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def visible(text: str) -> str:
    """The text with its control characters written out."""
    return text.translate(_VISIBLE)


def fold(text: str, most: int | None) -> str:
    """The text up to `most` characters, and how much is left."""
    if most is None or len(text) <= most:
        return text
    return f"{text[:most].rstrip()} … ({len(text) - most:,} more characters)"


def console() -> Console:
    """Standard output: as wide as the terminal, and without end where nobody has to fit it on a screen."""
    made = Console(highlight=False, emoji=False)
    return made if made.is_terminal else Console(highlight=False, emoji=False, width=10_000)


class Printer:
    """An observer that prints a run as it happens, or as it happened."""

    def __init__(self, console: Console, *, full: bool = False) -> None:
        self.run_id = ""
        self._console = console
        self._most = None if full else FOLD
        self._question = 0
        self._several = False
        self._waiting: Status | None = None

    def __call__(self, run_id: str, event: Event | TextArrived) -> None:
        """Print one event."""
        self.run_id = run_id
        match event:
            case ModelAsked():
                self._question = event.number
                if event.closing:
                    self._part("Close", f"the run is closing ({event.closing}); asking for what is known")
                self._wait("thinking")
            case ModelReplied():
                self.rest()
                self._replied(event.turn)
            case CallStarted():
                self._wait("working")
            case CallEnded():
                self.rest()
                self._part(f"Observe {self._number(event.call_id)}", observation(event.result))
            case _:
                self._aside(event)

    def rest(self) -> None:
        """Take away the line that says what is being waited for."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None

    def figures(self, result: RunResult) -> None:
        """The answer, and one line of figures."""
        self.rest()
        if result.answer is not None:
            self._console.print(Text("\nAnswer", style="bold green"))
            self._console.print(Text(visible(result.answer)), soft_wrap=True)
        self._console.print(Text("\n" + figures(result), style="dim"), soft_wrap=True)

    def _replied(self, turn: Turn) -> None:
        thought = turn.thought or turn.reasoning
        if thought:
            self._part(f"Reason {self._question}", thought)
        self._several = len(turn.calls) > 1
        for call in turn.calls:
            self._part(f"Act {self._number(call.id)}", written(call))
        if turn.problem:
            self._part(f"Unreadable {self._question}", f"{turn.problem}: {turn.text}" if turn.text else turn.problem)

    def _aside(self, event: Event | TextArrived) -> None:
        match event:
            case ModelFailed():
                self.rest()
                self._part("Failed", event.message)
            case NoteAdded():
                self._part("Note", f"{event.kind}{': ' if event.detail else ''}{event.detail}")
            case WaySwitched():
                form = "in text form" if event.way == "text" else "natively"
                self._part("Switch", f"going on {form}: {event.reason}")
            case ContextLost():
                self._part("Warning", lost_context(event))
            case ApprovalGiven():
                self._part("Approval", f"{'yes' if event.allowed else 'no'}, by {event.by} {event.reason}".rstrip())
            case RunResumed():
                self._part("Resume", "the run goes on")
            case RunPaused():
                self.rest()
                self._part("Pause", event.reason)
            case _:
                pass

    def _part(self, heading: str, text: str) -> None:
        style = {"Reason": "cyan", "Act": "yellow", "Observe": "magenta"}.get(heading.partition(" ")[0], "red")
        line = Text(f"{heading}: ", style=f"bold {style}")
        line.append(Text(visible(fold(text.strip(), self._most)), style="default not bold"))
        self._console.print(line, soft_wrap=True)

    def _number(self, call_id: str) -> str:
        """The number of the question; with several calls in a turn, the call's own."""
        return call_id if self._several else call_id.partition(".")[0]

    def _wait(self, what: str) -> None:
        if self._console.is_terminal:
            self.rest()
            self._waiting = self._console.status(f"{what} …")
            self._waiting.start()


def written(call: Call) -> str:
    """A call in one line: the tool and its arguments."""
    from msgspec.json import encode

    arguments = call.text if call.state == "rejected" else encode(call.arguments).decode()
    state = "" if call.state == "strict" else f"  ({call.state}: {call.reason})"
    return f"{call.tool} {arguments}{state}"


def figures(result: RunResult) -> str:
    """One line: how the run ended, what it took, and how to see it or go on with it."""
    usage = result.usage
    parts = [
        result.status + (f" ({result.reason})" if result.reason else ""),
        counted(result.steps, "step"),
        counted(result.calls, "call"),
        ("about " if usage.estimated else "") + f"{usage.tokens:,} tokens",
        f"${result.cost:.4f}" if result.cost else "no cost",
        f"{result.seconds:.1f} s",
        f"loopwright {'resume' if result.status == 'failed' else 'show'} {result.run_id}",
    ]
    return " · ".join(parts)


def lost_context(event: ContextLost) -> str:
    """What the server's count says about what it kept."""
    return (
        f"the server counted {event.counted:,} tokens where at least {event.expected:,} were sent: "
        "it dropped a part of the transcript"
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def as_line(run_id: str, seq: int, event: Event) -> str:
    """An event as a JSON line, without the provider's raw bytes."""
    from msgspec.json import encode

    slim = replace(event, raw=b"") if isinstance(event, ModelReplied) else event
    return f'{{"run_id":{encode(run_id).decode()},"seq":{seq},{encode(slim).decode()[1:]}'


def header(started: RunStarted) -> str:
    """What a run was asked, and with what."""
    names = ", ".join(tool.name for tool in started.tools) or "none"
    return f"Task: {started.task}\nModel: {started.model} ({started.way})   Tools: {names}"
