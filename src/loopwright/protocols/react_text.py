"""The text way of speaking: Thought, Action, Observation and Final Answer, for models with or without tool calling.

Owns what a model is told: the prompt, the observations, the reminders. Its sentences are data of the language in
`labels`; the embedded model's own prompt is `embedded`; what a reply means is `react_reply`.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Literal, cast

from msgspec.structs import replace

from loopwright.core.events import ModelAsked, NoteAdded, RunStarted
from loopwright.core.messages import Call, ObservationRole, Result, ToolSpec, Turn, Way
from loopwright.protocols import embedded, json_form, native
from loopwright.protocols.cleaning import cleaned
from loopwright.protocols.envelope import observation
from loopwright.protocols.finish_reasons import ending_of
from loopwright.protocols.grammar import grammar_of
from loopwright.protocols.json_sentences import sentences_of
from loopwright.protocols.labels import ENGLISH, Labels
from loopwright.protocols.react_languages import heard
from loopwright.protocols.react_reply import FINISH, read_text
from loopwright.protocols.schemas import Schema, choices, properties, required, shape
from loopwright.protocols.speech import Capabilities, Message, Options, Reply

Style = Literal["standard", "embedded"]
_ANY = Capabilities()
_NO_TEXT = "..."
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_CLOSED = ("}", "]", ")", "`", "~")
"""How a reply ends whose call shows by itself that it is complete."""


class ReactText:
    """The speech. It has no state but how it was set up."""

    way: Way = "text"

    def __init__(
        self,
        *,
        capabilities: Capabilities = _ANY,
        labels: Labels = ENGLISH,
        style: Style = "standard",
        observation_role: ObservationRole = "user",
        finish: tuple[str, ...] = FINISH,
    ) -> None:
        """Set the speech up.

        Args:
            capabilities: whether the endpoint takes stop marks, and what it can keep replies to
            labels: the language of prompt and labels; the embedded model knows English only
            style: ``embedded`` is the short prompt that the embedded model was trained on
            observation_role: who says the observations; a tool's answer to a call, which a turn then makes in the
                provider's fields too
            finish: names of actions that give the final answer
        """
        self._capabilities = capabilities
        self._embedded = style == "embedded"
        self._labels = ENGLISH if self._embedded else labels
        self._json = not self._embedded and capabilities.constraint in ("structured_outputs", "json_schema")
        self._role: ObservationRole = observation_role
        self._finish = finish

    def opening(self, started: RunStarted) -> list[Message]:
        """The instructions, the tools and the form of a step as the system's message; then the task."""
        if self._embedded:
            prompt = embedded.system_prompt(started.tools)
        else:
            prompt = system_prompt(started.tools, self._labels, as_json=self._json)
        system = f"{started.instructions.strip()}\n\n{prompt}" if started.instructions.strip() else prompt
        return [Message("system", system), self.task(started.task)]

    def task(self, task: str) -> Message:
        """A task, in the embedded style behind its label."""
        return Message("user", embedded.question(task) if self._embedded else task)

    def turn(self, turn: Turn) -> Message:
        """What the model said, up to where it counts; a turn that was not said in text is put into words."""
        text = turn.text or self._written(turn)
        if self._role == "tool" and _named(turn.calls):
            calls = tuple(native.identified(turn.calls))
            return Message("assistant", text, turn=replace(turn, calls=calls, opaque=b""))
        return Message("assistant", text)

    def results(self, answered: Sequence[tuple[Call, Result]]) -> list[Message]:
        """One message with all observations of a turn; several are numbered, with the tool's name.

        Where a tool says them, one message a call.
        """
        shown = [observation(result) for _, result in answered]
        calls = [call for call, _ in answered]
        if self._role == "tool" and _named(calls):
            made = zip(native.identified(calls), shown, strict=True)
            return [Message("tool", self._told(text), call=call) for call, text in made]
        role = "user" if self._role == "tool" else self._role
        if len(shown) == 1:
            return [Message(role, self._told(shown[0]))]
        label = self._labels.observation[0]
        lines = (
            f"{label} {number} ({call.tool}): {text}"
            for number, ((call, _), text) in enumerate(zip(answered, shown, strict=True), 1)
        )
        return [Message(role, "\n".join(lines))]

    def note(self, note: NoteAdded) -> Message:
        """A reminder or a warning of the loop, with what was wrong; with the form of a step where that was missed."""
        wording = self._labels.wording
        problem = note.detail or (self._labels.problems.no_label if note.kind == "unreadable" else "")
        because = f" {wording.because.format(problem=problem)}" if problem else ""
        form = f"{sentences_of(self._labels.language).either}\n{json_form.FORMS}" if self._json else wording.reminder
        reminder = f"\n{form}" if note.kind in ("unreadable", "empty") else ""
        return Message("user", f"{getattr(wording, note.kind)}{because}{reminder}")

    def closing(self, asked: ModelAsked) -> Message:
        """The request for the closing answer."""
        if self._embedded:
            return Message("user", embedded.CLOSING)
        wording, reason = self._labels.wording, self._labels.reasons.of(asked.closing)
        return Message(
            "user", f"{wording.closing.format(reason=reason)}\n{json_form.LAST if self._json else wording.form}"
        )

    def options(self, started: RunStarted, asked: ModelAsked, tools: bytes) -> Options:
        """No tools: the model knows them from the prompt. A stop mark where the endpoint takes one, and what keeps the
        reply to its form."""
        del tools
        marks = (f"\n{self._labels.observation[0]}{colon}" for colon in self._labels.colons)
        stop = (*started.settings.stop, *marks) if self._capabilities.stop else ()
        return Options(
            settings=started.settings,
            max_tokens=asked.max_tokens,
            stop=tuple(dict.fromkeys(stop)),
            grammar=self._grammar(started, closing=bool(asked.closing)),
            extra=json_form.fields(self._capabilities.constraint, started.tools, closing=bool(asked.closing)),
        )

    def read(self, reply: Reply, tools: Sequence[ToolSpec], *, closing: bool = False) -> Turn:
        """Understand a reply. Calls in the fields of the provider count where the text makes none. Never raises."""
        reply, ending = cleaned(reply), ending_of(reply.finish)
        cut = ending in ("cut", "broken") or not reply.complete or bool(reply.error)
        turn = self._read(reply.text, tools, cut=cut, closing=closing)
        if ending == "unknown" and not reply.text.rstrip().endswith(_CLOSED):
            turn = replace(turn, calls=tuple(native.cut_off(call) for call in turn.calls))
        if not turn.calls and turn.answer is None and (reply.calls or not cut):
            turn = _otherwise(turn, reply, tools)
        reasoning = "\n".join(part for part in (reply.reasoning.strip(), turn.reasoning) if part)
        return replace(turn, reasoning=reasoning, finish=reply.finish)

    def _read(self, text: str, tools: Sequence[ToolSpec], *, cut: bool, closing: bool) -> Turn:
        found = json_form.read(text, tools, labels=self._labels, cut=cut, closing=closing) if self._json else None
        if found is not None:
            return found
        labels = heard(text, self._labels)
        return read_text(text, tools, labels=labels, finish=self._finish, cut=cut, closing=closing)

    def _written(self, turn: Turn) -> str:
        return json_form.written(turn) if self._json else written(turn, self._labels)

    def _told(self, observed: str) -> str:
        return f"{self._labels.observation[0]}: {observed}"

    def _grammar(self, started: RunStarted, *, closing: bool) -> str:
        if self._capabilities.constraint != "grammar":
            return ""
        return grammar_of(started.tools, self._labels, closing=closing, short=self._embedded)


def _named(calls: Sequence[Call]) -> bool:
    """Whether there are calls, and providers take the names in all of them: a model may write any."""
    return bool(calls) and all(_NAME.fullmatch(call.tool) for call in calls)


def _otherwise(turn: Turn, reply: Reply, tools: Sequence[ToolSpec]) -> Turn:
    """A reply that makes no call in the form of the text, but in the provider's fields or in a form of its own."""
    other = native.read(reply, tools, steps=False)
    if not other.calls:
        return turn
    return replace(other, text="", opaque=b"", answer=None, leaked=False)


def system_prompt(tools: Sequence[ToolSpec], labels: Labels = ENGLISH, *, as_json: bool = False) -> str:
    """The tools, one a line, and the form of a step with one short example."""
    wording, form = labels.wording, sentences_of(labels.language)
    if not tools:
        return f"{wording.no_tools}\n\n{form.last if as_json else wording.last}"
    sample = Turn(thought=wording.thought, calls=(_sample_call(tools[0]),))
    example = wording.example.format(step=json_form.written(sample) if as_json else written(sample, labels))
    listed = "\n".join(f"- {tool_line(tool)}" for tool in tools)
    if as_json:
        return "\n\n".join((wording.tools, listed, form.step, form.last, example))
    return "\n\n".join((wording.tools, listed, wording.step, wording.several, wording.last, example))


def tool_line(tool: ToolSpec) -> str:
    """A tool in one line: name, arguments with their types, what it does, and what its arguments mean."""
    about = " ".join(tool.description.split())
    meanings = (
        f"{name}: {' '.join(meaning.split())}"
        for name, part in properties(tool.parameters).items()
        if isinstance(meaning := part.get("description"), str) and meaning.strip()
    )
    explained = "; ".join(meanings)
    line = f"{tool.name} {shape(tool.parameters)}: {about}" if about else f"{tool.name} {shape(tool.parameters)}"
    return f"{line} ({explained})" if explained else line


def written_call(call: Call, labels: Labels = ENGLISH) -> str:
    """A call in the form that the prompt asks for; as the model wrote it where its arguments could not be read."""
    text = call.text if call.state == "rejected" else json.dumps(call.arguments, ensure_ascii=False)
    return f"{labels.action[0]}: {call.tool} {text}".rstrip()


def written(turn: Turn, labels: Labels = ENGLISH) -> str:
    """A turn in words: thought, actions, answer."""
    thought = [f"{labels.thought[0]}: {turn.thought}"] if turn.thought else []
    calls = [written_call(call, labels) for call in turn.calls]
    answer = [f"{labels.final[0]}: {turn.answer}"] if turn.answer else []
    return "\n".join((*thought, *calls, *answer))


def _sample_call(tool: ToolSpec) -> Call:
    parts = properties(tool.parameters)
    return Call(tool.name, {name: _sample(parts[name], tool.parameters) for name in required(tool.parameters)})


def _sample(part: Schema, root: Schema) -> Any:
    """A value that shows the type of a parameter."""
    part = choices(part, root)[0]
    for key in ("examples", "enum"):
        values: object = part.get(key)
        if isinstance(values, list) and values:
            return cast("list[Any]", values)[0]
    samples: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
    return part.get("const", samples.get(str(part.get("type")), _NO_TEXT))
