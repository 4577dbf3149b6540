"""The native way of speaking: calls and results in the fields that the provider has for them.

Owns what a reply means when calls come beside the text, and which sentences of the run's language the loop itself says
to a model in this way; they are data in `labels`. How messages and replies look on the wire belongs to the dialects;
whether a call runs, to the loop.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from loopwright.core.events import ModelAsked, NoteAdded, RunStarted
from loopwright.core.messages import Call, Result, ToolSpec, Turn, Way
from loopwright.protocols.cleaning import cleaned
from loopwright.protocols.envelope import envelope
from loopwright.protocols.finish_reasons import Ending, ending_of
from loopwright.protocols.labels import ENGLISH, Labels
from loopwright.protocols.leaks import Leaks, find_leaks
from loopwright.protocols.native_steps import find_step
from loopwright.protocols.repair import CUT, Arguments, fit_schema, read_arguments
from loopwright.protocols.speech import Message, Options, Reply, WireCall
from loopwright.protocols.thinking import without_thinking

_MARKUP = re.compile(r"<\|tool_call[a-z_]*\|>|<[|｜]tool▁|</?arg_(?:key|value)>")
"""Marks of chat templates: inside of arguments they say that the server took the model's text apart wrongly."""

_CLOSED = ("}", "]", ")", "`")
"""What ends an input that is closed, so that it is whole where nothing says why the reply ended."""


class Native:
    """The speech. It has no state but the language of its sentences."""

    way: Way = "native"

    def __init__(self, *, labels: Labels = ENGLISH) -> None:
        self._labels = labels

    def opening(self, started: RunStarted) -> list[Message]:
        """Instructions, if there are any, and the task."""
        system = [Message("system", started.instructions)] if started.instructions else []
        return [*system, self.task(started.task)]

    def task(self, task: str) -> Message:
        """A task, as it stands."""
        return Message("user", task)

    def turn(self, turn: Turn) -> Message:
        """What the model said. A turn without text of its own was made in another way, and is put together again."""
        turn = replace(turn, calls=tuple(identified(turn.calls)))
        said = turn.text or "\n\n".join(part for part in (turn.thought, turn.answer) if part)
        return Message("assistant", said, turn=turn)

    def results(self, answered: Sequence[tuple[Call, Result]]) -> list[Message]:
        """One message a call, under the id that the call has in the message of the turn."""
        calls = identified([call for call, _ in answered])
        return [Message("tool", envelope(result), call=call) for call, (_, result) in zip(calls, answered, strict=True)]

    def note(self, note: NoteAdded) -> Message:
        """A reminder or a warning of the loop, with what was wrong."""
        wording = self._labels.wording
        either = (wording.either,) if note.kind in ("unreadable", "empty") else ()
        because = (wording.because.format(problem=note.detail),) if note.detail else ()
        return Message("user", " ".join((getattr(wording, note.kind), *because, *either)))

    def closing(self, asked: ModelAsked) -> Message:
        """The request for the closing answer."""
        reason = self._labels.reasons.of(asked.closing)
        return Message("user", self._labels.wording.closing.format(reason=reason))

    def options(self, started: RunStarted, asked: ModelAsked, tools: bytes) -> Options:
        """For the closing answer no tool may be called; they stay listed, so that the request goes on as it began."""
        return Options(
            settings=started.settings,
            max_tokens=asked.max_tokens,
            tools=tools,
            tool_choice="none" if asked.closing else "auto",
        )

    def read(self, reply: Reply, tools: Sequence[ToolSpec], *, closing: bool = False) -> Turn:
        """Understand a reply; see the function of the same name."""
        return read(reply, tools, closing=closing, labels=self._labels)


def read(
    reply: Reply,
    tools: Sequence[ToolSpec],
    *,
    closing: bool = False,
    labels: Labels = ENGLISH,
    steps: bool = True,
) -> Turn:
    """Understand a reply: calls before an answer, text without calls as the answer. Never raises.

    Calls that stood in the text count where the fields for them are empty; with `steps`, so do those of a step as
    the text protocol has it. A reply that was cut has calls that are all rejected, or a problem instead of an answer.
    In a closing reply the text is the answer even where it was cut or has calls beside it.
    """
    reply = cleaned(reply)
    ending = ending_of(reply.finish)
    text, thinking, _ = without_thinking(reply.text)
    text = text.strip()
    turn = Turn(
        thought=text if reply.calls else "",
        text=text,
        reasoning="\n".join(part for part in (reply.reasoning.strip(), thinking) if part),
        finish=reply.finish,
        opaque=reply.opaque,
    )
    complete = reply.complete and ending in ("whole", "unknown")
    if not reply.calls:
        turn = with_leaks(turn, find_leaks(reply.text, tools), complete=complete)
        turn = with_step(turn, reply, tools, labels, complete=complete) if steps else turn
    if closing and turn.text and reply.complete:
        return replace(turn, thought="", answer=turn.answer or turn.text, calls=(), problem="", leaked=False)
    if turn.calls or turn.problem or (complete and turn.answer):
        return turn
    if reply.calls:
        specs = {tool.name: tool for tool in tools}
        calls = (_call(wire, specs, complete=complete and _is_said(wire, ending)) for wire in reply.calls)
        return replace(turn, calls=tuple(calls))
    if not reply.complete or ending == "broken":
        return replace(turn, answer=None, problem=labels.problems.broken_off)
    if ending == "cut":
        return replace(turn, answer=None, problem=labels.problems.cut)
    return replace(turn, answer=turn.text or None)


def with_leaks(turn: Turn, leaks: Leaks, *, complete: bool) -> Turn:
    """The turn with the calls that stood in its text; they go back to the model as the calls that they are."""
    if leaks.problem:
        return replace(turn, problem=leaks.problem)
    rest = leaks.rest.strip()
    if not leaks.calls:
        return turn if rest == turn.text else replace(turn, thought=leaks.thought, text=rest, opaque=b"")
    calls = leaks.calls if complete else tuple(cut_off(call) for call in leaks.calls)
    return replace(turn, thought=rest, text=rest, calls=calls, opaque=b"", leaked=True)


def with_step(turn: Turn, reply: Reply, tools: Sequence[ToolSpec], labels: Labels, *, complete: bool) -> Turn:
    """The turn as the step of the text protocol that its text is, unless calls of another form stood there."""
    step = None if turn.calls or turn.problem else find_step(reply.text, tools, labels, cut=not complete)
    if step is None or not (step.calls or step.problem or step.answer):
        return turn
    if step.answer:
        return replace(turn, thought=step.thought, answer=step.answer)
    if step.problem:
        return replace(turn, problem=step.problem)
    sure = ending_of(reply.finish) != "unknown" or reply.text.rstrip().endswith(_CLOSED)
    calls = step.calls if sure else tuple(cut_off(call) for call in step.calls)
    return replace(turn, thought=step.thought, text=step.text, calls=calls, opaque=b"", leaked=True)


def cut_off(call: Call) -> Call:
    """The call of a reply that was cut, or may have been: it must not run."""
    return replace(call, arguments={}, state="rejected", reason=CUT)


def identified(calls: Sequence[Call]) -> list[Call]:
    """The calls of one turn, each with an id of its own: the provider's where there is one that no other has.

    Ids are made from `Call.id`, nine letters and digits long: some providers take no others.
    """
    given = [call.provider_id for call in calls]
    taken = set(given)
    found: list[Call] = []
    for number, call in enumerate(calls, 1):
        if not call.provider_id or call.provider_id in given[: number - 1]:
            call = replace(call, provider_id=_made_id(call, number, taken))
            taken.add(call.provider_id)
        found.append(call)
    return found


def _made_id(call: Call, number: int, taken: set[str]) -> str:
    example, _, own = call.id.rpartition("-")
    asked, _, place = own.partition(".")
    turn = int(asked) if asked.isdecimal() else 0
    position = int(place) if place.isdecimal() else number
    made = f"e{int(example[1:]):02d}{turn:03d}{position:03d}" if example else f"c{turn:05d}{position:03d}"
    while made in taken:
        made = f"d{made[1:]}" if made[0] == "c" else f"{made}0"
    return made


def _is_said(wire: WireCall, ending: Ending) -> bool:
    """Whether a call says of itself that it is complete, where the reason for which the reply ended says nothing."""
    return ending == "whole" or wire.arguments.strip() not in ("", "null")


def _call(wire: WireCall, specs: dict[str, ToolSpec], *, complete: bool) -> Call:
    """One call of a reply; the schema decides where JSON text is read as JSON."""
    name = wire.name.strip()
    read = read_arguments(wire.arguments, complete=complete)
    if name in specs:
        read = fit_schema(read, specs[name].parameters)
    if read.arguments is not None and _MARKUP.search(wire.arguments):
        read = Arguments(None, "rejected", "the arguments hold marks of the chat template; send the call again")
    if not name:
        read = Arguments(None, "rejected", "the call names no tool")
    return Call(
        tool=name,
        arguments=read.arguments or {},
        text=wire.arguments,
        state=read.state,
        reason=read.reason,
        provider_id=wire.id,
    )
