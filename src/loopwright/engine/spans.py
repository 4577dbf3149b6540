"""The spans of a run: what took how long and belonged to what, as a fold over its events.

Names, attributes and kinds are those of OpenTelemetry's semantic conventions for generative AI; what has no name there
begins with ``loopwright.``. Owns what becomes a span and when it ends. No OpenTelemetry, no clock: `traces` makes real
spans of these. Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai, in November 2026; the
conventions are in development and have no version yet.
"""

from collections.abc import Sequence
from pathlib import PurePath

from msgspec import Struct, field
from msgspec.structs import replace

from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    ContextCondensed,
    ContextLost,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    PersonSaid,
    RunEnded,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.messages import Call, ToolSpec, Usage
from loopwright.engine import span_texts

Value = str | bool | int | float | tuple[str, ...]
Attributes = dict[str, Value]

PROVIDERS = {
    **{name: name for name in ("openai", "anthropic", "cohere", "deepseek", "groq", "openrouter", "ollama")},
    **{name: name for name in ("lmstudio", "vllm", "llamacpp", "local")},
    "openai-responses": "openai",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
}
"""What the conventions call the providers that a model may be named with; some have no name there."""
OTHER_PROVIDER = "compatible"
"""Of a model at an address of its own."""
OTHER_ERROR = "_OTHER"
INTERRUPTED, CANCELLED, ABANDONED = "interrupted", "cancelled", "abandoned"
"""How a span ends of which nobody saw the end: the driver stopped, a person wanted the end, nothing came any more."""
_WORK = (ModelAsked, CallStarted, RunPaused, RunEnded)
"""What only a driver does. A person who makes a fork may also give a reply or a result in it."""
RUN = "run"
"""The id of the span that is the parent of all others of its invocation."""


class Mark(Struct, frozen=True):
    """Something that happened at one moment of a run."""

    name: str
    at: float
    """Unix time in seconds."""
    attributes: Attributes


class Opened(Struct, frozen=True, kw_only=True):
    """A span began."""

    id: str
    """Unique among the open spans of the run: ``run``, ``chat``, or ``tool`` and the id of the call."""
    name: str
    at: float
    """Unix time in seconds."""
    client: bool = False
    """Whether it waits for another process, as a question to a model on another machine does."""
    attributes: Attributes = field(default_factory=dict[str, Value])
    invocation: int = 1
    """Which driver of the run it belongs to: 1 for the one that began it, 0 where nobody knows."""
    after: str = ""
    """The run that is gone on with here: the same one, or where it is a fork, its parent."""


class Marked(Struct, frozen=True):
    """Something happened while the run was worked on."""

    mark: Mark


class Closed(Struct, frozen=True, kw_only=True):
    """A span ended."""

    opened: Opened
    at: float
    attributes: Attributes = field(default_factory=dict[str, Value])
    """Those that are known only now."""
    error: str = ""
    """The class of what went wrong; empty where nothing did."""
    message: str = ""


Step = Opened | Marked | Closed


class Span(Struct, frozen=True, kw_only=True):
    """A span as a whole."""

    id: str
    name: str
    parent: str
    """``run``, or empty for that one itself."""
    began: float
    """Unix time in seconds."""
    ended: float | None
    """None while it goes on, or where the driver was killed and nobody went on with the run."""
    client: bool
    invocation: int
    after: str
    attributes: Attributes
    marks: tuple[Mark, ...] = ()
    error: str = ""
    message: str = ""


class Spans:
    """One run, as its events come in their order.

    Args:
        content: whether the texts of people, models and tools become attributes
        agent: what the application calls the agent
    """

    def __init__(self, *, content: bool = False, agent: str = "") -> None:
        self._content = content
        self._agent = agent
        self._rules: RunStarted | None = None
        self._forked = ""
        """The parent of a fork that nobody has worked on."""
        self._conversation = ""
        self._open = dict[str, Opened]()
        self._invocations = 0
        self._calls = dict[str, Call]()
        """Those that were made and are not answered."""
        self._told = list[span_texts.Message]()
        """What the model was told since it was last asked."""
        self._usage = Usage()
        """Of this invocation."""
        self._failure = ""
        self._last = 0.0

    def add(self, run_id: str, event: Event) -> list[Step]:
        """What an event means for the spans. Time does not go back, even where the clock did."""
        begins = isinstance(event, RunStarted | RunResumed) or (self._forked and isinstance(event, _WORK))
        if isinstance(event, RunForked):
            self._open.clear()  # they are the parent's
        lost = self.left(INTERRUPTED) if begins else []  # when it was last heard of
        self._last = max(self._last, event.at)
        if isinstance(event, RunStarted | RunForked):
            self._take(event)
        opened = self._begin(run_id) if begins else []
        return [*lost, *opened, *self._inside(event)]

    def left(self, error: str) -> list[Step]:
        """What ends because no event will come any more."""
        return [step for span_id in reversed(list(self._open)) for step in self._close(span_id, error=error)]

    def _inside(self, event: Event) -> list[Step]:
        match event:
            case RunStarted() | RunForked() | RunResumed():
                return []
            case ModelAsked():
                return self._ask(event)
            case ModelReplied():
                return self._replied(event)
            case ModelFailed():
                self._failure = event.failure
                return self._close("chat", error=event.failure, message=event.message)
            case CallStarted():
                return self._call(event)
            case CallEnded():
                return self._ended(event)
            case RunPaused() | RunEnded():
                return self._leave(event)
            case _:
                return self._mark(event)

    def _take(self, event: RunStarted | RunForked) -> None:
        """The rules of a new run. The span of a fork begins when somebody works on it, not when it is made."""
        fork = isinstance(event, RunForked)
        self._rules = event.started if fork else event
        self._forked = event.parent if fork else ""
        self._invocations = 0
        if not (fork and event.fresh):
            self._conversation = self._rules.run_id
        elif not self._conversation:
            self._conversation = event.parent
        if not fork:
            self._told = []
        if text := event.say if fork else event.task:
            self._hear(span_texts.said("user", text))

    def _begin(self, run_id: str) -> list[Step]:
        known = self._rules is not None
        self._invocations += known
        resumed = self._invocations != 1
        opened = Opened(
            id=RUN,
            name=f"invoke_agent {self._agent}".strip(),
            at=self._last,
            attributes=self._invoked(run_id, resumed=resumed),
            invocation=self._invocations,
            after=run_id if resumed else self._forked,
        )
        self._usage, self._failure, self._forked = Usage(), "", ""
        return self._opened(opened)

    def _invoked(self, run_id: str, *, resumed: bool) -> Attributes:
        found = {**self._asked_of("invoke_agent"), "loopwright.run.id": run_id}
        if self._agent:
            found["gen_ai.agent.name"] = self._agent
        if self._forked:
            found["loopwright.run.parent"] = self._forked
        if resumed:
            found["loopwright.resumed"] = True
        if self._content and self._rules is not None:
            if self._rules.instructions:
                found["gen_ai.system_instructions"] = span_texts.instructions(self._rules.instructions)
            found["gen_ai.input.messages"] = span_texts.messages([span_texts.said("user", self._rules.task)])
        return found

    def _asked_of(self, operation: str) -> Attributes:
        """What is asked of whom, which is the same for the run and for each question."""
        found: Attributes = {"gen_ai.operation.name": operation}
        if self._conversation:
            found["gen_ai.conversation.id"] = self._conversation
        if self._rules is not None:
            provider, model = named(self._rules.model)
            found["gen_ai.provider.name"] = provider
            found |= {"gen_ai.request.model": model} if model else {}
        return found

    def _ask(self, event: ModelAsked) -> list[Step]:
        found = self._asked_of("chat")
        if self._rules is not None:
            settings = self._rules.settings
            chosen = {
                "gen_ai.request.temperature": settings.temperature,
                "gen_ai.request.top_p": settings.top_p,
                "gen_ai.request.seed": settings.seed,
                "gen_ai.request.stop_sequences": settings.stop or None,
                "gen_ai.request.max_tokens": event.max_tokens,
                "loopwright.closing": event.closing or None,
            }
            found |= {name: value for name, value in chosen.items() if value is not None}
        if self._content:
            found["gen_ai.input.messages"] = span_texts.messages(self._told)
        self._told = []
        local = found.get("gen_ai.provider.name") == "local"
        name = f"chat {found.get('gen_ai.request.model', '')}".strip()
        return self._opened(Opened(id="chat", name=name, at=self._last, client=not local, attributes=found))

    def _replied(self, event: ModelReplied) -> list[Step]:
        turn, usage = event.turn, event.usage
        self._usage += usage
        self._calls = {call.id: call for call in turn.calls}
        found = self._used(usage)
        if turn.finish:
            found["gen_ai.response.finish_reasons"] = (turn.finish,)
        if turn.problem:
            found["loopwright.unreadable"] = True
        if self._content:
            found["gen_ai.output.messages"] = span_texts.replied(turn)
        return self._close("chat", found)

    def _used(self, usage: Usage) -> Attributes:
        found: Attributes = {
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
        }
        if usage.cached_tokens:
            found["gen_ai.usage.cache_read.input_tokens"] = usage.cached_tokens
        if usage.estimated:
            found["loopwright.usage.estimated"] = True
        if self._rules is not None and self._rules.price is not None:
            found["loopwright.usage.cost"] = usage.cost
        return found

    def _call(self, event: CallStarted) -> list[Step]:
        call = self._calls.get(event.call_id)
        found: Attributes = {"gen_ai.operation.name": "execute_tool", **self._named(event.call_id)}
        found["gen_ai.tool.type"] = "function"
        tool = self._tool(call.tool) if call is not None else None
        if tool is not None and tool.description:
            found["gen_ai.tool.description"] = tool.description
        if self._content and call is not None:
            found["gen_ai.tool.call.arguments"] = span_texts.as_json(call.arguments)
        name = f"execute_tool {call.tool if call is not None else ''}".strip()
        return self._opened(Opened(id=f"tool {event.call_id}", name=name, at=self._last, attributes=found))

    def _tool(self, name: str) -> ToolSpec | None:
        if self._rules is None:
            return None
        return next((tool for tool in (*self._rules.tools, self._rules.reader) if tool and tool.name == name), None)

    def _named(self, call_id: str) -> Attributes:
        """What a call is called."""
        call = self._calls.get(call_id)
        found: Attributes = {"gen_ai.tool.name": call.tool} if call is not None else {}
        return {
            **found,
            "gen_ai.tool.call.id": span_texts.name_of(call, call_id),
            "loopwright.call.id": call_id,
        }

    def _ended(self, event: CallEnded) -> list[Step]:
        result, span_id = event.result, f"tool {event.call_id}"
        if self._content:
            self._told.append(span_texts.returned(event, self._calls.get(event.call_id)))
        if span_id not in self._open:
            named = {**self._named(event.call_id), "loopwright.call.how": event.how}
            steps = self._marked("loopwright.call_answered", named)
        else:
            found: Attributes = {"loopwright.result.status": result.status}
            if event.how != "ran":
                found["loopwright.call.how"] = event.how
            if self._content:
                found["gen_ai.tool.call.result"] = span_texts.result_text(result)
            error = (
                CANCELLED if event.how == "cancelled" else error_of(result.error) if result.status == "error" else ""
            )
            steps = self._close(span_id, found, error=error, message=result.error if self._content else "")
        self._calls.pop(event.call_id, None)
        return steps

    def _leave(self, event: RunPaused | RunEnded) -> list[Step]:
        cancelled = isinstance(event, RunEnded) and event.outcome.status == "cancelled"
        inside = [span_id for span_id in self._open if span_id != RUN]
        why = CANCELLED if cancelled else INTERRUPTED
        steps = [step for span_id in reversed(inside) for step in self._close(span_id, error=why)]
        found = self._used(self._usage)
        if isinstance(event, RunPaused):
            return [*steps, *self._close(RUN, {**found, "loopwright.outcome": "paused"})]
        outcome = event.outcome
        found["loopwright.outcome"] = outcome.status
        failed = outcome.status == "failed"
        if outcome.reason and not failed and (self._content or not cancelled):  # there it is what a person said
            found["loopwright.reason"] = outcome.reason
        if self._content and outcome.answer:
            found["gen_ai.output.messages"] = span_texts.answered(outcome.answer)
        error, message = (self._failure or OTHER_ERROR, outcome.reason) if failed else ("", "")
        return [*steps, *self._close(RUN, found, error=error, message=message)]

    def _mark(self, event: Event) -> list[Step]:
        """What took no time of its own."""
        found: Attributes = {}
        match event:
            case ApprovalAsked():
                found = self._named(event.call_id)
            case ApprovalGiven():
                found = {**self._named(event.call_id), "loopwright.approval.allowed": event.allowed}
                if event.arguments is not None and (call := self._calls.get(event.call_id)) is not None:
                    self._calls[event.call_id] = replace(call, arguments=event.arguments)
            case NoteAdded():
                found = {"loopwright.note.kind": event.kind}
                self._hear(span_texts.noted(event))
            case PersonSaid():
                self._hear(span_texts.said("user", event.text))
            case WaySwitched():
                found = {"loopwright.way": event.way}
            case ContextLost():
                found = {"loopwright.tokens.expected": event.expected, "loopwright.tokens.counted": event.counted}
            case ContextCondensed():
                found = {"loopwright.tokens.before": event.tokens, "loopwright.tokens.left": event.left}
            case _:
                pass
        return self._marked(f"loopwright.{event.__struct_config__.tag}", found)

    def _hear(self, message: span_texts.Message) -> None:
        if self._content:
            self._told.append(message)

    def _marked(self, name: str, attributes: Attributes) -> list[Step]:
        return [Marked(Mark(name, self._last, attributes))] if RUN in self._open else []

    def _opened(self, opened: Opened) -> list[Step]:
        if opened.id != RUN and RUN not in self._open:
            return []
        before = self._close(opened.id, error=INTERRUPTED)
        self._open[opened.id] = opened
        return [*before, opened]

    def _close(
        self, span_id: str, attributes: Attributes | None = None, *, error: str = "", message: str = ""
    ) -> list[Step]:
        opened = self._open.pop(span_id, None)
        if opened is None:
            return []
        return [Closed(opened=opened, at=self._last, attributes=attributes or {}, error=error, message=message)]


def spans_of(history: Sequence[Event], *, content: bool = False, agent: str = "") -> list[Span]:
    """The spans of a stored run, in the order in which they began. Those of a run that it was forked from are left out.

    Args:
        history: all its events
        content: whether the texts of people, models and tools become attributes
        agent: what the application calls the agent
    """
    fold, found, current = Spans(content=content, agent=agent), list[Span](), dict[str, int]()
    run_id = ""
    for event in history:
        if isinstance(event, RunStarted):
            run_id = event.run_id
        elif isinstance(event, RunForked):
            run_id, found, current = event.started.run_id, [], {}
        for step in fold.add(run_id, event):
            _put(found, current, step)
    return found


def _put(found: list[Span], current: dict[str, int], step: Step) -> None:
    match step:
        case Opened():
            current[step.id] = len(found)
            found.append(_begun(step))
        case Marked():
            span = found[current[RUN]]
            found[current[RUN]] = replace(span, marks=(*span.marks, step.mark))
        case Closed():
            place = current[step.opened.id]
            attributes = {**found[place].attributes, **step.attributes}
            found[place] = replace(
                found[place], ended=step.at, attributes=attributes, error=step.error, message=step.message
            )


def _begun(step: Opened) -> Span:
    return Span(
        id=step.id,
        name=step.name,
        parent="" if step.id == RUN else RUN,
        began=step.at,
        ended=None,
        client=step.client,
        invocation=step.invocation,
        after=step.after,
        attributes=step.attributes,
    )


def named(spec: str) -> tuple[str, str]:
    """The provider as the conventions call it, and the name of the model; of a file, without its folder."""
    head, _, rest = spec.partition(":")
    if head not in PROVIDERS:
        return OTHER_PROVIDER, spec
    return PROVIDERS[head], PurePath(rest).name if head == "local" else rest


def error_of(text: str) -> str:
    """The class of the error with which a result begins."""
    head, colon, _ = text.partition(": ")
    return head if colon and head.isidentifier() else OTHER_ERROR
