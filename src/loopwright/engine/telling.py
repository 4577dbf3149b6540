"""What happened in a run, in words for a person: the same in a terminal, in a document and on a page.

Owns the words, and which signs of a text are written out because they command a terminal or turn round what is read.
How it looks belongs to those who show it; what a model is told, to the speeches.
"""

import re

from msgspec import DecodeError, Raw, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    CancelAsked,
    ContextCondensed,
    ContextLost,
    Event,
    LetterRefused,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    NoteKind,
    PersonSaid,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.messages import Call, Price, Result
from loopwright.engine.history import RunResult
from loopwright.protocols.envelope import observation

NOTES: dict[NoteKind, str] = {
    "unreadable": "the reply could not be read; the model is told why",
    "empty": "the reply was empty; the model is asked to go on",
    "thinking": "the reply holds a thought only; the model is asked to go on",
    "repeating": "the same call gave the same result again; the model is told so",
    "failing": "the calls fail in the same way again and again; the model is told so",
    "act_first": "the answer came before any tool was used; the model is asked to use one first",
}
"""What the model is told beside results, in words for a person."""

_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSEEN = re.compile(f"[\0-\x08\x0b-\x1f\x7f-\x9f{_DIRECTIONS}\ud800-\udfff]")
_UNSEEN_IN_JSON = re.compile(f"[\x7f-\x9f{_DIRECTIONS}]")


def visible(text: str) -> str:
    """The text with control characters, marks of direction and halves of surrogate pairs written out.

    Newlines and tabs stay, and the two signs of a Windows line end become one newline.
    """
    return _UNSEEN.sub(lambda found: written_out(found[0]), text.replace("\r\n", "\n"))


def written_out(sign: str) -> str:
    """The sign by its number."""
    number = ord(sign)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65_536 else f"\\U{number:08x}"


def visible_json(text: str) -> str:
    """JSON text in one line, with the same signs written as JSON writes them: it reads back the same."""
    return _UNSEEN_IN_JSON.sub(escaped, text.replace("\r", " ").replace("\n", " "))


def escaped(found: "re.Match[str]") -> str:
    """What was found, as JSON strings escape it."""
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


class Told(Struct, frozen=True):
    """One part of what happened: a heading, and what stands below it."""

    heading: str
    """Begins with a word that says what it is: Reason, Act, Observe, …"""
    text: str


class Teller:
    """Tells a run event by event. The turns that call tools are numbered, and so are their calls and results."""

    def __init__(self) -> None:
        self.price: Price | None = None
        """Of the model, where it is known."""
        self.doubtful = 0
        """Calls that began, and nobody knows what came of them."""
        self.failed = ""
        """Why the last question that was told failed."""
        self._turns = 0
        self._labels: dict[str, str] = {}
        self._problem = ""

    def note(self, event: Event) -> None:
        """Take note of an event that is not told, so that what follows is numbered on."""
        match event:
            case RunStarted():
                self.price = event.price
            case RunForked():
                self.price = event.started.price
            case ModelReplied() if event.turn.calls:
                self._turns += 1
                several = len(event.turn.calls) > 1
                for number, call in enumerate(event.turn.calls, 1):
                    self._labels[call.id] = f"{self._turns}.{number}" if several else str(self._turns)
            case CallEnded() if event.how == "unknown":
                self.doubtful += 1
            case _:
                pass

    def tell(self, event: Event) -> list[Told]:
        """The parts that an event adds: none for one that says nothing to a person."""
        self.note(event)
        match event:
            case ModelAsked():
                closing = f"the run is closing ({event.closing}); asking for what is known"
                return [Told("Close", closing)] if event.closing else []
            case ModelReplied():
                return self._replied(event)
            case CallStarted():
                told = event.by.startswith("rule ") or "always" in event.by
                return [Told(f"Allowed {self._label(event)}", event.by)] if told else []
            case CallEnded():
                return [Told(f"Observe {self._label(event)}{whose(event)}", observed(event.result))]
            case NoteAdded():
                said = event.detail if event.detail != self._problem else ""
                return [Told("Note", f"{NOTES[event.kind]}{': ' if said else ''}{said}")]
            case ApprovalAsked():
                return [Told("Ask", event.why)] if event.why else []
            case _:
                self.failed = event.message if isinstance(event, ModelFailed) else self.failed
                found = aside(event)
                return [] if found is None else [Told(*found)]

    def _label(self, event: CallStarted | CallEnded) -> str:
        return self._labels.get(event.call_id, event.call_id)

    def _replied(self, event: ModelReplied) -> list[Told]:
        turn, by = event.turn, whose(event)
        number = self._turns if turn.calls else self._turns + 1
        thought = turn.thought or turn.reasoning
        unread = bool(turn.problem) and not turn.calls and thought.strip() in turn.text
        told = list[Told]()
        if thought and not unread:  # it is a part of what could not be read, which follows
            told.append(Told(f"Reason {number}{by}", thought))
        told += [Told(f"Act {self._labels[call.id]}{by}", written(call)) for call in turn.calls]
        self._problem = turn.problem
        if turn.problem:
            said = f"{turn.problem}: {turn.text}" if turn.text else turn.problem
            told.append(Told(f"Unreadable {number}{by}", said))
        return told


def aside(event: Event) -> tuple[str, str] | None:
    """A heading and what to say, for an event that is neither a step of the model nor a question to a person.

    None where there is nothing to say, or not in words that are the same everywhere.
    """
    match event:
        case ModelFailed():
            return "Failed", event.message
        case WaySwitched():
            form = "in text form" if event.way == "text" else "natively"
            return "Switch", f"going on {form}: {event.reason}"
        case ContextLost():
            return "Warning", lost_context(event)
        case ContextCondensed():
            return "Condense", condensed(event)
        case ApprovalGiven():
            return "Approval", answered(event)
        case RunPaused():
            return "Pause", event.reason
        case RunResumed():
            changed = f"; no longer as it began: {'; '.join(event.changed)}" if event.changed else ""
            return "Resume", f"the run goes on{changed}"
        case RunForked() | PersonSaid() | CancelAsked() | LetterRefused():
            return _from_outside(event)
        case _:
            return None


def _from_outside(event: RunForked | PersonSaid | CancelAsked | LetterRefused) -> tuple[str, str]:
    match event:
        case RunForked():
            said = f", and the model is told: {event.say}" if event.say else ""
            return "Fork", f"run {event.started.run_id} goes on here, from event {event.after} of {event.parent}{said}"
        case PersonSaid():
            return "Say", f"{event.text}{f'  (by {event.by})' if event.by else ''}"
        case CancelAsked():
            return "Cancel", f"by {event.by or 'somebody'}{f': {event.reason}' if event.reason else ''}"
        case LetterRefused():
            return "Letter", f"number {event.inbox} came from outside and was not used: {event.why}"


def whose(event: ModelReplied | CallEnded) -> str:
    """What stands behind the heading of a reply or a result that is not what the model said or the tool gave."""
    if isinstance(event, ModelReplied):
        return f" (given by {event.by})" if event.by else ""
    match event.how:
        case "given":
            return f" (given by {event.by})" if event.by else " (given)"
        case "cancelled":
            return " (cancelled)"
        case _:
            return ""


def answered(event: ApprovalGiven) -> str:
    """What a person answered."""
    far = {"once": "", "call": ", this exact call always", "tool": ", this tool always in this run"}[event.scope]
    if event.arguments is not None:
        far += f", with the arguments {encode(event.arguments).decode()}"
    why = f": {event.reason}" if event.reason else ""
    return f"{'yes' if event.allowed else 'no'}{far}, by {event.by}{why}"


def written(call: Call) -> str:
    """A call in one line: the tool and its arguments."""
    arguments = call.text if call.state == "rejected" else encode(call.arguments).decode()
    state = "" if call.state == "strict" else f"  ({call.state}: {call.reason})"
    return f"{call.tool} {arguments}{state}"


def observed(result: Result) -> str:
    """A result as the model sees it, but with texts of several lines, such as what a command printed, as lines."""
    data = bytes(result.data)
    if result.status != "ok" or not data.startswith(b"{") or rb"\n" not in data:
        return observation(result)
    try:
        fields = decode(data, type=dict[str, Raw])
        texts = {
            name: decode(value, type=str)
            for name, value in fields.items()
            if rb"\n" in (text := bytes(value)) and text[:1] == b'"'
        }
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return observation(result)
    texts = {name: text for name, text in texts.items() if "\n" in text.strip()}
    rest = {name: value for name, value in fields.items() if name not in texts}
    told = [observation(replace(result, data=Raw(encode(rest))))] if rest or result.note else []
    return "\n".join([*told, *(f"{name}:\n{text}" for name, text in texts.items())])


def took(result: RunResult, price: Price | None, doubtful: int = 0) -> list[str]:
    """How a run ended and what it took at that price, in a few words each.

    `doubtful` calls began, and nobody knows what came of them; they are not among those that ran.
    """
    usage = result.usage
    return [
        result.status + (f" ({result.reason})" if result.reason else ""),
        counted(result.steps, "step"),
        counted(result.calls, "call") + (f" ({doubtful} in doubt)" if doubtful else ""),
        ("about " if usage.estimated else "") + f"{usage.tokens:,} tokens",
        cost(result.cost, price),
        f"{result.seconds:.1f} s",
    ]


def cost(dollars: float, price: Price | None) -> str:
    """What a run cost, as far as it is known."""
    if price is None:
        return "cost unknown"
    if not price.input and not price.output:
        return "free"
    return f"${dollars:.4f}" if dollars >= 0.0001 or not dollars else "less than $0.0001"


def condensed(event: ContextCondensed) -> str:
    """What was left out of the transcript, and what that saves."""
    which = counted(len(event.covers), "older result")
    return f"{which} left out of what the model is told: about {event.tokens:,} tokens become {event.left:,}"


def lost_context(event: ContextLost) -> str:
    """What the server's count says about what it kept."""
    return (
        f"the server counted {event.counted:,} tokens where at least {event.expected:,} were sent: "
        "it dropped a part of the transcript"
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
