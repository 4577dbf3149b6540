"""Says in words how a reply is read, why, and what a run would do next.

Owns these words only. What happens next is not written here either: the reply is given to the loop itself, and what the
loop then owes is told.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.json import encode

from loopwright.cli.misfits import misfit
from loopwright.cli.saved import Saved
from loopwright.core.commands import AskModel, AskPerson, Command, Record, RunTool
from loopwright.core.events import CallEnded, ModelAsked, ModelReplied, NoteAdded, RunStarted
from loopwright.core.loop import due
from loopwright.core.messages import Call, Kind, Limits, ToolSpec, Turn
from loopwright.engine.history import fold
from loopwright.protocols.labels import labels_of
from loopwright.protocols.native import Native
from loopwright.protocols.react_lines import INVISIBLE, scan
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.reading import OPEN, Understood, answer, language_of

_KINDS: dict[Kind, str] = {
    "action": "a step",
    "final": "the answer",
    "thought": "a thought with no step",
    "malformed": "nothing that can be used",
    "empty": "an empty reply",
}
_STATES = {
    "strict": "strict: the arguments are taken as they were written",
    "repaired": "repaired: {reason}",
    "rejected": "rejected: {reason}",
}
_CLOSERS = "])}`\"'*~ \t\n" + INVISIBLE


class Part(Struct, frozen=True):
    """A heading and what stands under it."""

    heading: str
    text: str


class Explained(Struct, frozen=True):
    """A reply, and what there is to say about it."""

    saved: Saved
    found: Understood
    tools: tuple[ToolSpec, ...]
    dropped: tuple[str, ...]
    why: tuple[str, ...]
    next: tuple[str, ...]

    def parts(self) -> list[Part]:
        """All of it for a person, in the order to read it."""
        turn, reply = self.found.turn, self.found.reply
        said = [
            Part("Error", reply.error),
            Part("Read as", "" if reply.error and turn.kind in ("empty", "malformed") else _read_as(turn)),
            Part("Reasoning", turn.reasoning),
            Part("Thought", turn.thought),
            *(part for number, call in enumerate(turn.calls, 1) for part in _call_parts(call, number, turn)),
            Part("Answer", turn.answer or ""),
            *(Part("Dropped", text) for text in self.dropped),
            *(Part("Why", text) for text in self.why),
            *(Part("Next", text) for text in self.next),
        ]
        return [part for part in said if part.text]

    def data(self) -> dict[str, Any]:
        """All of it for a program."""
        protocol = self.saved.question["protocol"]
        told = {"dropped": self.dropped, "why": self.why, "next": self.next}
        return {"what": self.saved.what, "protocol": protocol, **answer(self.found, self.tools), **told}


def explained(saved: Saved, found: Understood, tools: Sequence[ToolSpec]) -> Explained:
    """What there is to say about a reply. Where no tools are known, those that are called are taken to exist."""
    text = saved.question["protocol"] == "react-text"
    known = tuple(tools) or tuple(ToolSpec(name) for name in dict.fromkeys(call.tool for call in found.turn.calls))
    speech = ReactText(labels=labels_of(language_of(saved.question))) if text else Native()
    steps = ["The provider's error is reported, and the model is asked again where that can help."]
    if not found.reply.error:
        given = {tool.name: tool for tool in tools}
        steps = [_step(command, found.turn, speech, given) for command in _owed(found.turn, known, text=text)]
    dropped = _dropped(found, saved.question) if text else ()
    return Explained(saved, found, tuple(tools), tuple(dropped), tuple(_why(found, text=text)), tuple(steps))


def _read_as(turn: Turn) -> str:
    number = len(turn.calls)
    calls = f": {number} calls of tools" if number > 1 else ": a call of a tool" if number else ""
    return f"{_KINDS[turn.kind]}{calls}"


def _call_parts(call: Call, number: int, turn: Turn) -> list[Part]:
    """A call as it would run, or as it was written where it would not; and its state."""
    heading = f"Call {number}" if len(turn.calls) > 1 else "Call"
    arguments = call.text if call.state == "rejected" else _arguments(call)
    identity = f"   (id {call.provider_id})" if call.provider_id else ""
    return [
        Part(heading, f"{call.tool or '(no name)'} {arguments}{identity}"),
        Part("State", _STATES[call.state].format(reason=call.reason)),
    ]


def _arguments(call: Call) -> str:
    """The arguments of a call; the text alone, where it is not known which parameter it is for."""
    return call.text if call.arguments == {OPEN: call.text} else encode(call.arguments).decode()


def _why(found: Understood, *, text: bool) -> list[str]:
    """The rules that decided."""
    turn, reply = found.turn, found.reply
    if reply.error:
        return []
    why = [] if reply.complete else ["The reply broke off before its end, so no call of it may run."]
    if reply.finish == "length":
        why.append("The reply was cut off at its token limit, so no call of it may run.")
    if turn.calls and text:
        why.append("The first action before any observation or answer that the model wrote itself is the step.")
    elif turn.calls and turn.leaked:
        why.append("The fields for calls are empty, and the text holds a call in a form that models use for calls.")
    elif turn.calls:
        why.append("The calls stand in the fields that the format has for them.")
    elif turn.answer is not None and text:
        why.append("It is given as the answer, and no action comes before it.")
    elif turn.answer is not None:
        why.append("The reply holds no call, so its text is the answer.")
    elif turn.problem:
        why.append(f"What is wrong: {turn.problem}")
    elif turn.kind == "empty":
        why.append("There is neither text nor a call in it; reasoning alone does not count.")
    return why


def _dropped(found: Understood, question: dict[str, Any]) -> list[str]:
    """What of a reply in text does not count."""
    reply, kept = found.reply.text.replace("\r\n", "\n"), found.turn.text
    place = reply.rfind(kept) if kept else -1
    if place < 0:
        return []
    before, behind = reply[:place].strip(), reply[place + len(kept) :].strip()
    dropped = [f"what stands before it: {before}"] if before and not found.turn.reasoning else []
    if behind:
        first = next(
            (piece.kind for piece in scan(behind, labels_of(language_of(question))) if piece.kind != "text"), ""
        )
        own = (
            "an observation that the model wrote itself, and all behind it"
            if first == "observation"
            else "what follows"
        )
        dropped.append(f"{own}: {behind}")
    if len(found.turn.calls) == 1:
        call = found.turn.calls[0]
        words = (
            kept[kept.rfind(call.text) + len(call.text) :].lstrip(_CLOSERS) if call.text in kept and call.text else ""
        )
        dropped += [f"the words behind the call: {words}"] if words else []
    return dropped


def _owed(turn: Turn, tools: tuple[ToolSpec, ...], *, text: bool) -> tuple[Command, ...]:
    """What the loop owes after this reply, in a run without limits that matter."""
    started = RunStarted(run_id="read", task="-", model="-", way="text" if text else "native", tools=tools)
    numbered = turn.numbered(1, Limits().calls_per_turn)
    return due(fold([started, ModelAsked(number=1), ModelReplied(turn=numbered)]))


def _step(command: Command, turn: Turn, speech: ReactText | Native, tools: Mapping[str, ToolSpec]) -> str:
    match command:
        case RunTool() | AskPerson() if wrong := misfit(command.call, tools):
            return f"{_named(command.call.id, turn)} does not run; the model is told: InvalidArguments: {wrong}"
        case RunTool():
            return f"{command.call.tool} runs with {_arguments(command.call)}"
        case AskPerson():
            return f"A person is asked whether {command.call.tool} may run."
        case AskModel():
            return "The model is asked again."
        case Record(event=CallEnded() as ended):
            return f"{_named(ended.call_id, turn)} does not run; the model is told: {ended.result.error}"
        case Record(event=NoteAdded() as note):
            return f"Nothing runs; the model is told: {speech.note(note).text}"
        case Record():
            return "The run ends with this answer."


def _named(call_id: str, turn: Turn) -> str:
    number = int(call_id.partition(".")[2])
    return f"{turn.calls[number - 1].tool or 'The call'} (call {number})"
