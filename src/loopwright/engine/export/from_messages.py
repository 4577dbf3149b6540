"""A run made of messages of OpenAI's chat format, such as `messages` writes and many other programs.

Owns what of them fits a run, and says of everything else where it stands. It decides nothing of its own: each message
becomes the events that say so, and whether they may follow one another the loop says.

The first message may be of the system: the instructions. Then comes the task. What a user says later is a person's word
to the model, or behind an answer the next turn of a chat, which is a run that goes on from the one before. The tools
ran elsewhere: their results are taken as they are.
"""

from collections.abc import Sequence
from typing import Any, Literal, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from loopwright.core.commands import Record, RunTool
from loopwright.core.errors import IllegalEvent, UsageError
from loopwright.core.events import (
    CallEnded,
    CallStarted,
    Event,
    How,
    ModelAsked,
    ModelReplied,
    PersonSaid,
    RunEnded,
    RunForked,
    RunPaused,
    RunStarted,
)
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Limits, Result, ResultStatus, Settings, ToolSpec, Turn
from loopwright.core.state import State, ledger_of, started_of
from loopwright.engine.export.arriving import renamed
from loopwright.engine.export.lines import Carried
from loopwright.protocols.envelope import envelope
from loopwright.protocols.json_values import objects

JSON = dict[str, Any]

IMPORTED = "imported"
"""What stands where a run has the name of a model, and who let a call run."""
RECIPE: JSON = {"imported": "openai-messages"}
_FIELDS = {"temperature": "temperature", "top_p": "top_p", "seed": "seed"}
_LIMITS = ("max_tokens", "max_completion_tokens")


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    type: Literal["text"]
    text: str


class _Function(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    arguments: str


class _Made(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    function: _Function
    type: Literal["function"] = "function"


class _Message(Struct, frozen=True, forbid_unknown_fields=True):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[_Part] = ""
    tool_calls: list[_Made] = []
    tool_call_id: str = ""
    name: str = ""
    reasoning_content: str = ""


class _Declared(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    description: str = ""
    parameters: dict[str, Any] = {}
    strict: bool | None = None


class _Tool(Struct, frozen=True, forbid_unknown_fields=True):
    function: _Declared
    type: Literal["function"] = "function"


class _Envelope(Struct, frozen=True, forbid_unknown_fields=True):
    status: ResultStatus
    data: Raw | UnsetType = UNSET
    error: str = ""
    note: str = ""


def from_messages(given: object, run_id: str, at: float) -> Carried:
    """The run in a conversation.

    Args:
        given: decoded JSON, ``{"messages": […], "tools": […], …}`` or the list of messages alone; other fields of a
            request become settings of the run
        run_id: the name of the run; of a chat that of its last turn, those before it are ``name-1``, ``name-2``, …
        at: Unix time in seconds that its events get

    Raises:
        UsageError: something of it does not fit a run; the text says which message, counted from 0
    """
    body = cast("JSON", {"messages": given} if isinstance(given, list) else given)
    items = body.get("messages")
    if not isinstance(items, list) or not items:
        raise UsageError('there is no conversation in it: write {"messages": […]}, or the list of messages alone')
    messages = [_message(item, f"messages[{number}]") for number, item in enumerate(cast("list[object]", items))]
    building = _Building(run_id, at, _rules(body, messages, run_id))
    for number, message in enumerate(messages):
        building.take(message, f"messages[{number}]")
    return building.close()


class _Building:
    """Makes events of messages, one by one."""

    def __init__(self, run_id: str, at: float, rules: RunStarted) -> None:
        self._run_id, self._at, self._rules = run_id, at, rules
        self._events: list[Event] = []
        self._state = State()
        self._turns = 1

    def take(self, message: _Message, where: str) -> None:
        """Add what a message says.

        Raises:
            UsageError: it cannot stand there
        """
        if message.role != "tool" and (waiting := list(self._waiting())):
            raise UsageError(f"{where} comes before the results of the calls {', '.join(waiting)}")
        try:
            match message.role:
                case "system" | "developer":
                    self._instruct(where)
                case "user":
                    self._hear(_text(message), where)
                case "assistant":
                    self._reply(message, where)
                case "tool":
                    self._result(message, where)
        except IllegalEvent as error:
            raise UsageError(f"{where} cannot stand here: {error}") from None

    def close(self) -> Carried:
        """The run, which is over where the conversation ends with an answer, and paused elsewhere."""
        last = f"messages ends, and the calls {', '.join(self._waiting())} have no result"
        if self._state.phase == "acting":
            raise UsageError(last)
        if self._state.phase == "new":
            raise UsageError("no user says in it what is to be done")
        if self._state.phase == "ready":
            end = self._state.outcome
            self._add(RunEnded(outcome=end) if end else RunPaused(reason="the imported conversation ends here"))
        return Carried(renamed(self._events, self._run_id))

    def _waiting(self) -> dict[str, Call]:
        return {item.call.provider_id: item.call for item in self._state.open.values()}

    def _add(self, event: Event) -> None:
        event = msgspec.structs.replace(event, at=self._at)
        self._state = apply(self._state, event)
        self._events.append(event)

    def _instruct(self, where: str) -> None:
        if where != "messages[0]":
            raise UsageError(f"{where} is of the system; only the first message may be, as the instructions")

    def _hear(self, text: str, where: str) -> None:
        if not text.strip():
            raise UsageError(f"{where} is empty")
        if self._state.phase == "new":
            self._rules = msgspec.structs.replace(self._rules, run_id=self._name(), task=text)
            self._add(self._rules)
        elif self._state.phase == "over":
            self._turns += 1
            self._rules = msgspec.structs.replace(self._rules, run_id=self._name(), task=text)
            parent = started_of(self._state).run_id
            self._add(RunForked(started=self._rules, parent=parent, after=len(self._events), say=text, fresh=True))
        else:
            self._add(PersonSaid(text=text, by=IMPORTED))

    def _name(self) -> str:
        return f"{self._run_id}-{self._turns}"

    def _reply(self, message: _Message, where: str) -> None:
        text = _text(message)
        if self._state.phase == "new":
            raise UsageError(f"{where} is of the assistant; a user has to say first what is to be done")
        if self._state.phase == "over":
            raise UsageError(f"{where} comes behind the answer; only a user may go on from there")
        if not text.strip() and not message.tool_calls:
            raise UsageError(f"{where} says nothing and calls nothing")
        if len({call.id for call in message.tool_calls}) < len(message.tool_calls):
            raise UsageError(f"{where} has two calls of the same id")
        number = ledger_of(self._state).number + 1
        self._add(ModelAsked(number=number, closing=self._state.closing))
        calls = tuple(map(_call, message.tool_calls))
        turn = Turn(
            thought=text if calls else "",
            calls=calls,
            answer=None if calls else text,
            text=text,
            reasoning=message.reasoning_content,
            finish="tool_calls" if calls else "stop",
        )
        self._add(ModelReplied(turn=turn.numbered(number, len(calls))))
        if self._state.outcome is not None and not calls:
            self._add(RunEnded(outcome=self._state.outcome))

    def _result(self, message: _Message, where: str) -> None:
        call = self._waiting().get(message.tool_call_id)
        if call is None:
            raise UsageError(f"{where} answers the call {message.tool_call_id!r}, which is not open there")
        if message.name not in ("", call.tool):
            raise UsageError(
                f"{where} is of the tool {message.name!r}, but {message.tool_call_id!r} calls {call.tool!r}"
            )
        self._add(CallEnded(call_id=call.id, result=_found(_text(message)), how=self._begun(call)))

    def _begun(self, call: Call) -> How:
        """Let the call begin where the loop would have; else how it would have refused it."""
        for command in due(self._state):
            if isinstance(command, RunTool) and command.call.id == call.id:
                self._add(CallStarted(call_id=call.id, by=IMPORTED))
                return "ran"
            if isinstance(command, Record) and isinstance(fact := command.event, CallEnded) and fact.call_id == call.id:
                return fact.how
        return "given"


def _message(item: object, where: str) -> _Message:
    """A message with the fields that its role has.

    Raises:
        UsageError: it has others, or holds more than text
    """
    if not isinstance(item, dict):
        raise UsageError(f"{where} is no message: a message is an object")
    said = {name: value for name, value in cast("JSON", item).items() if value not in (None, [])}
    strange = [part["type"] for part in objects(said.get("content")) if part.get("type") not in (None, "text")]
    if strange:
        raise UsageError(f"{where} holds a part of type {strange[0]!r}; only texts can be read")
    try:
        message = msgspec.convert(said, _Message)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where} does not fit: {error}") from None
    only = {"tool_calls": "assistant", "reasoning_content": "assistant", "tool_call_id": "tool", "name": "tool"}
    wrong = [name for name, role in only.items() if name in said and message.role != role]
    if wrong:
        raise UsageError(f"{where} is of the {message.role} and has {', '.join(wrong)}, which has no place there")
    return message


def _text(message: _Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text for part in message.content)


def _call(made: _Made) -> Call:
    """A call as it was made; one whose arguments are no JSON object cannot have run with them."""
    name, text = made.function.name, made.function.arguments
    try:
        arguments = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        reason = "the arguments are no JSON object"
        return Call(name, text=text, state="rejected", reason=reason, provider_id=made.id)
    return Call(name, arguments, text=text, provider_id=made.id)


def _found(text: str) -> Result:
    """The result in the text of a tool's message: JSON as JSON, anything else as text."""
    try:
        read = msgspec.json.decode(text, type=_Envelope)
        data = Raw(b"null") if isinstance(read.data, UnsetType) else read.data.copy()
        result = Result(read.status, data, read.error, read.note)
        if envelope(result) == text:
            return result
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        msgspec.json.decode(text)
        return Result(data=Raw(text.strip().encode()))
    except (msgspec.DecodeError, RecursionError):
        return Result(data=Raw(msgspec.json.encode(text)))


def _rules(body: JSON, messages: Sequence[_Message], run_id: str) -> RunStarted:
    """The rules of a run that goes as the conversation went: without limits, and with tools that just run."""
    declared, recipe = _declared(body.get("tools")), dict(RECIPE)
    if strict := [each.function.name for each in declared if each.function.strict]:
        recipe["strict"] = strict
    called = dict.fromkeys(call.function.name for message in messages for call in message.tool_calls)
    tools = tuple(map(_spec, declared)) or tuple(ToolSpec(name, pollable=True) for name in called)
    most = max((len(message.tool_calls) for message in messages), default=1)
    first = messages[0]
    return RunStarted(
        run_id=run_id,
        task="",
        model=_model(body),
        instructions=_text(first) if first.role in ("system", "developer") else "",
        tools=tools,
        limits=Limits(steps=None, model_calls=None, tool_calls=None, calls_per_turn=max(32, most)),
        settings=_settings(body),
        recipe=recipe,
    )


def _model(body: JSON) -> str:
    model = body.get("model", IMPORTED)
    if not isinstance(model, str):
        raise UsageError(f"model is {model!r}; it must be a text")
    return model


def _declared(value: object) -> list[_Tool]:
    try:
        return msgspec.convert(value or [], list[_Tool])
    except msgspec.ValidationError as error:
        raise UsageError(f"tools does not fit: {error}") from None


def _spec(tool: _Tool) -> ToolSpec:
    declared = tool.function
    schema: JSON = {"type": "object", "properties": {}, **declared.parameters}
    return ToolSpec(declared.name, declared.description, schema, pollable=True)


def _settings(body: JSON) -> Settings:
    """What else a request says, as settings of the run."""
    rest = {name: value for name, value in body.items() if name not in ("messages", "tools", "model")}
    fields: JSON = {ours: rest.pop(theirs) for theirs, ours in _FIELDS.items() if theirs in rest}
    limits = [rest.pop(name) for name in _LIMITS if rest.get(name) is not None]
    if len(limits) > 1:
        raise UsageError(f"it has both {' and '.join(_LIMITS)}")
    stop = rest.pop("stop", None)
    try:
        return Settings(
            **fields,
            max_tokens=limits[0] if limits else None,
            stop=(stop,) if isinstance(stop, str) else tuple(stop or ()),
            extra=rest,
        )
    except (ValueError, TypeError) as error:
        raise UsageError(f"its settings do not fit: {error}") from None
