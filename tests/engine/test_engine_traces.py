"""Spans by OpenTelemetry's conventions: what they hold, who is below whom, and what becomes of those left open."""

import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from loopwright import Agent, MemoryJournal, Settings, tool
from loopwright.core.errors import MissingExtra
from loopwright.core.events import (
    CallEnded,
    CallStarted,
    Event,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    RunEnded,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
)
from loopwright.core.messages import Call, Outcome, Price, Result, Turn, Usage
from loopwright.engine import traces as module
from loopwright.engine.ports import TextArrived
from loopwright.engine.spans import OTHER_PROVIDER, PROVIDERS, Spans, named, spans_of
from loopwright.engine.trace_ids import RunIds
from loopwright.engine.traces import Traces
from loopwright.models import providers
from loopwright.testing.clock import FrozenClock
from loopwright.testing.scripted import ScriptedModel, answers, calls, fails, says
from loopwright.testing.strategies import event_lists, starts

CLOCK = FrozenClock()


@tool
async def look(at: str) -> str:
    """Looks at something.

    Args:
        at: what
    """
    CLOCK.advance(2)
    if at == "nothing":
        raise ValueError("there is nothing called plum")
    return f"seen {at}"


@tool(effect="pay")
def pay(amount: int) -> str:
    """Pays.

    Args:
        amount: euros
    """
    return f"paid {amount}"


class Sent:
    """What a provider was given."""

    def __init__(self, *, ids: RunIds | None = None) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(id_generator=ids)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def context(span: ReadableSpan) -> trace.SpanContext:
    found = span.context
    assert found is not None
    return found


def links(span: ReadableSpan) -> list[tuple[int, int]]:
    return [(link.context.trace_id, link.context.span_id) for link in span.links]


def ids(span: ReadableSpan) -> tuple[int, int]:
    return context(span).trace_id, context(span).span_id


async def run(replies: list[Any], sent: Sent, *, journal: MemoryJournal | None = None, **options: Any) -> Traces:
    traces = Traces(sent.provider, content=options.pop("content", False), agent=options.pop("agent", ""))
    agent = Agent(
        ScriptedModel(replies=replies, spec="openai:gpt-4.1-mini"),
        tools=[look, pay],
        journal=journal or MemoryJournal(),
        observers=[traces],
        clock=CLOCK,
        **options,
    )
    await agent.run("Which plums are there?", run_id="r1")
    return traces


async def test_a_run_is_a_span_with_its_questions_and_calls_below_it() -> None:
    sent = Sent()
    began = CLOCK.now()
    settings = Settings(temperature=0.5, top_p=0.9, max_tokens=100, seed=7, stop=("END",))
    await run([calls("look", at="plum").using(30, 5), answers("ripe").using(40, 6)], sent, settings=settings)
    chat, look_at, second, whole = sent.spans
    assert [span.name for span in sent.spans] == [
        "chat gpt-4.1-mini",
        "execute_tool look",
        "chat gpt-4.1-mini",
        "invoke_agent",
    ]
    assert [span.kind for span in sent.spans] == [
        *(SpanKind.CLIENT, SpanKind.INTERNAL, SpanKind.CLIENT),
        SpanKind.INTERNAL,
    ]
    assert whole.parent is None
    assert {span.parent.span_id for span in sent.spans[:3] if span.parent} == {context(whole).span_id}
    assert attributes(chat) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4.1-mini",
        "gen_ai.conversation.id": "r1",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.seed": 7,
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.stop_sequences": ("END",),
        "gen_ai.response.finish_reasons": ("tool_calls",),
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 5,
    }
    assert attributes(look_at) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.description": "Looks at something.",
        "gen_ai.tool.call.id": "call_1_1",
        "gen_ai.tool.type": "function",
        "loopwright.call.id": "1.1",
        "loopwright.result.status": "ok",
    }
    assert attributes(whole) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4.1-mini",
        "gen_ai.conversation.id": "r1",
        "loopwright.run.id": "r1",
        "gen_ai.usage.input_tokens": 70,
        "gen_ai.usage.output_tokens": 11,
        "loopwright.outcome": "answered",
    }
    assert {span.status.status_code for span in sent.spans} == {StatusCode.UNSET}
    assert (look_at.start_time, look_at.end_time) == (round(began * 1e9), round((began + 2) * 1e9))
    assert (whole.start_time, whole.end_time) == (look_at.start_time, second.end_time)


async def test_nothing_that_was_said_is_in_a_span_unless_it_is_asked_for() -> None:
    for content in (False, True):
        sent = Sent()
        replies = [calls("look", at="plum").thinking("Plums?"), calls("look", at="nothing"), answers("ripe plums")]
        await run(replies, sent, content=content, instructions="Count plums.")
        written = " ".join(span.to_json() for span in sent.spans).lower()
        assert ("plum" in written) == content


async def test_what_was_said_has_the_form_of_the_conventions() -> None:
    sent = Sent()
    replies = [calls("look", at="plum").thinking("Where?"), answers("ripe")]
    await run(replies, sent, content=True, instructions="Be short.", agent="Fruit desk")
    chat, look_at, second, whole = sent.spans
    question = [{"role": "user", "parts": [{"type": "text", "content": "Which plums are there?"}]}]
    call = {"type": "tool_call", "id": "call_1_1", "name": "look", "arguments": {"at": "plum"}}
    assert whole.name == "invoke_agent Fruit desk"
    assert attributes(whole)["gen_ai.agent.name"] == "Fruit desk"
    assert json.loads(attributes(whole)["gen_ai.system_instructions"]) == [{"type": "text", "content": "Be short."}]
    assert json.loads(attributes(whole)["gen_ai.input.messages"]) == question
    assert json.loads(attributes(whole)["gen_ai.output.messages"]) == [
        {"role": "assistant", "parts": [{"type": "text", "content": "ripe"}], "finish_reason": "stop"}
    ]
    assert json.loads(attributes(chat)["gen_ai.input.messages"]) == question
    (replied,) = json.loads(attributes(chat)["gen_ai.output.messages"])
    assert (replied["role"], replied["finish_reason"]) == ("assistant", "tool_calls")
    assert replied["parts"][-1] == call
    assert json.loads(attributes(look_at)["gen_ai.tool.call.arguments"]) == {"at": "plum"}
    assert json.loads(attributes(look_at)["gen_ai.tool.call.result"]) == "seen plum"
    response = {"type": "tool_call_response", "id": "call_1_1", "response": "seen plum"}
    assert json.loads(attributes(second)["gen_ai.input.messages"]) == [{"role": "tool", "parts": [response]}]


async def test_calls_side_by_side_are_spans_side_by_side() -> None:
    gates = {"a": asyncio.Event(), "b": asyncio.Event()}

    @tool
    async def wait(gate: str) -> str:
        """Waits.

        Args:
            gate: a or b
        """
        await gates[gate].wait()
        CLOCK.advance(1)
        gates["a"].set()
        return gate

    sent, began = Sent(), CLOCK.now()
    replies = [calls("wait", gate="a") + calls("wait", gate="b"), answers("both")]
    agent = Agent(
        ScriptedModel(replies=replies),
        tools=[wait],
        journal=MemoryJournal(),
        observers=[Traces(sent.provider)],
        clock=CLOCK,
    )
    gates["b"].set()
    await agent.run("Wait")
    (whole,) = sent.named("invoke_agent")
    found = sent.named("execute_tool wait")
    assert [attributes(span)["loopwright.call.id"] for span in found] == ["1.2", "1.1"]
    assert [(span.start_time, span.end_time) for span in found] == [
        (round(began * 1e9), round((began + 1) * 1e9)),
        (round(began * 1e9), round((began + 2) * 1e9)),
    ]
    assert [span.parent and span.parent.span_id for span in found] == [context(whole).span_id] * 2


async def test_what_went_wrong_has_its_class_and_the_status_error() -> None:
    sent = Sent()
    replies = [calls("look", at="nothing"), calls("pay", amount=3), fails("auth", "the key was refused")]
    await run(replies, sent)
    assert [(span.name, attributes(span).get("error.type"), span.status.description) for span in sent.spans] == [
        ("chat gpt-4.1-mini", None, None),
        ("execute_tool look", "ValueError", None),
        ("chat gpt-4.1-mini", None, None),
        ("chat gpt-4.1-mini", "auth", "the key was refused"),
        ("invoke_agent", "auth", "the key was refused"),
    ]
    wrong = [span.name for span in sent.spans if span.status.status_code is StatusCode.ERROR]
    assert wrong == ["execute_tool look", "chat gpt-4.1-mini", "invoke_agent"]
    (denied,) = [event for event in sent.spans[-1].events if event.name == "loopwright.call_answered"]
    assert dict(denied.attributes or {}) == {
        "gen_ai.tool.name": "pay",
        "gen_ai.tool.call.id": "call_2_1",
        "loopwright.call.id": "2.1",
        "loopwright.call.how": "denied",
    }


async def test_what_the_loop_said_is_an_event_of_the_run() -> None:
    sent = Sent()
    await run([says(""), answers("ripe")], sent)
    (whole,) = sent.named("invoke_agent")
    assert [(event.name, dict(event.attributes or {})) for event in whole.events] == [
        ("loopwright.note_added", {"loopwright.note.kind": "empty"})
    ]


async def test_the_current_span_is_above_the_run() -> None:
    sent = Sent()
    with sent.provider.get_tracer("app").start_as_current_span("request") as around:
        await run([answers("ripe")], sent)
    (whole,) = sent.named("invoke_agent")
    assert whole.parent is not None
    assert whole.parent.span_id == around.get_span_context().span_id


@tool
async def sleep() -> str:
    """Sleeps."""
    await asyncio.sleep(60)
    return "awake"


async def interrupted(sent: Sent, journal: MemoryJournal, traces: Traces) -> None:
    agent = Agent(ScriptedModel(replies=[calls("sleep")]), tools=[sleep], journal=journal, observers=[traces])
    running = asyncio.create_task(agent.run("Sleep", run_id="r1"))
    while not any(isinstance(event, CallStarted) for event in await stored(journal)):  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    running.cancel()
    await asyncio.wait([running])


async def stored(journal: MemoryJournal) -> list[Event]:
    return await journal.read("r1") if await journal.runs() else []


async def resumed(journal: MemoryJournal, traces: Traces) -> None:
    model = ScriptedModel(replies=[answers("rested")], spec="anthropic:claude")

    @tool(name="sleep")
    def slept() -> str:
        """Sleeps."""
        return "awake"

    await Agent(model, tools=[slept], journal=journal, observers=[traces]).resume("r1")


async def test_a_run_that_is_resumed_is_a_new_span_that_points_to_the_first() -> None:
    sent, journal = Sent(), MemoryJournal()
    traces = Traces(sent.provider)
    await interrupted(sent, journal, traces)
    first = sent.spans
    assert [(span.name, attributes(span).get("error.type")) for span in first] == [
        ("chat scripted", None),
        ("execute_tool sleep", "interrupted"),
        ("invoke_agent", None),
    ]
    assert attributes(first[-1])["loopwright.outcome"] == "paused"
    await resumed(journal, traces)
    called, asked, whole = sent.spans[3:]
    assert (whole.name, links(whole), attributes(whole)["loopwright.resumed"]) == (
        "invoke_agent",
        [ids(first[-1])],
        True,
    )
    assert called.name == "execute_tool sleep"
    assert attributes(asked)["gen_ai.request.model"] == "scripted"
    assert ids(whole)[0] != ids(first[-1])[0]


async def test_another_process_points_to_the_first_span_by_ids_that_follow_from_the_run() -> None:
    one, two, journal = Sent(ids=RunIds()), Sent(ids=RunIds()), MemoryJournal()
    await interrupted(one, journal, Traces(one.provider))
    await resumed(journal, Traces(two.provider))
    (first,), (second,) = one.named("invoke_agent"), two.named("invoke_agent")
    assert links(second) == [ids(first)]
    assert ids(first) != ids(second)
    assert {ids(span)[0] for span in two.spans} == {ids(second)[0]}


async def test_the_span_of_a_killed_process_is_sent_by_whoever_goes_on() -> None:
    one, two, journal, whole = Sent(ids=RunIds()), Sent(ids=RunIds()), MemoryJournal(), MemoryJournal()
    await interrupted(one, whole, Traces(one.provider))
    history = await whole.read("r1")
    assert isinstance(history[-1], RunPaused)
    await journal.append("r1", 1, history[:-1])
    await resumed(journal, Traces(two.provider))
    lost, second = two.named("invoke_agent")
    assert ids(lost) == ids(one.named("invoke_agent")[0])
    assert (attributes(lost)["error.type"], lost.end_time) == ("interrupted", round(history[-2].at * 1e6) * 1000)
    assert links(second) == [ids(lost)]


async def test_ids_by_chance_remain_for_all_else() -> None:
    sent = Sent(ids=RunIds())
    tracer = sent.provider.get_tracer("app")
    with tracer.start_as_current_span("request") as around:
        await run([answers("ripe")], sent)
    (whole,) = sent.named("invoke_agent")
    assert whole.parent is None
    assert links(whole) == [ids(sent.named("request")[0])]
    tracer.start_span("other").end()
    assert len({ids(span)[0] for span in sent.spans}) == 3
    assert around.get_span_context().trace_id == ids(sent.named("request")[0])[0]


def history(*events: Event, at: float = 100.0) -> list[Event]:
    from msgspec.structs import replace

    return [replace(event, at=at + number) for number, event in enumerate(events)]


BEGUN = RunStarted(run_id="p", task="t", model="openai:a")
MADE = Turn(calls=(Call("look", {"at": "x"}, id="1.1"),), finish="tool_calls")
END = RunEnded(outcome=Outcome("answered", "yes"))


def forked(run_id: str = "f", *, fresh: bool = False, after: int = 4, parent: str = "p") -> RunForked:
    rules = RunStarted(run_id=run_id, task="t", model="mistral:b")
    return RunForked(started=rules, parent=parent, after=after, fresh=fresh)


PARENT: tuple[Event, ...] = (BEGUN, ModelAsked(number=1), ModelReplied(turn=MADE), CallStarted(call_id="1.1"))


@pytest.mark.parametrize("resumed", [True, False], ids=["watched", "stored"])
@pytest.mark.parametrize("known", [True, False], ids=["same process", "another process"])
def test_a_fork_points_to_its_parent_and_leaves_the_spans_of_the_parent_to_it(known: bool, resumed: bool) -> None:
    sent = Sent(ids=None if known else RunIds())
    traces = Traces(sent.provider)
    if known:
        traces.replay(history(*PARENT))
        sent.exporter.clear()
    given = CallEnded(call_id="1.1", result=Result(), how="given", by="me")
    made, work = (*PARENT, forked(), given), (ModelAsked(number=2), ModelReplied(turn=Turn(answer="y")), END)
    if resumed:
        traces.recall("f", history(*made))
        for event in history(RunResumed(), *work, at=200.0):
            traces("f", event)
    else:
        traces.replay(history(*made, *work))
    asked, whole = sent.spans
    assert (asked.name, whole.name) == ("chat b", "invoke_agent")
    assert "loopwright.resumed" not in attributes(whole)
    assert attributes(whole)["gen_ai.provider.name"] == "mistral_ai"
    assert attributes(whole)["loopwright.run.parent"] == "p"
    assert attributes(whole)["gen_ai.conversation.id"] == "f"
    assert len(links(whole)) == 1
    assert known or links(whole) == [(RunIds().of("p", 1).trace_id, RunIds().of("p", 1).span_id)]


def test_the_turns_of_a_conversation_share_its_id() -> None:
    sent = Sent()
    second, third = forked("q", fresh=True), forked("r", fresh=True, parent="q")
    Traces(sent.provider).replay(history(*PARENT, END, second, END, third, END))
    Traces(sent.provider).replay(history(third, END))
    known, guessed = map(attributes, sent.spans)
    assert (known["gen_ai.conversation.id"], known["loopwright.run.id"]) == ("p", "r")
    assert guessed["gen_ai.conversation.id"] == "q"


def test_a_run_that_waits_for_a_person_is_no_error() -> None:
    sent = Sent()
    Traces(sent.provider).replay(history(BEGUN, RunPaused(reason="waits for a person: 1.1")))
    (whole,) = sent.spans
    assert (attributes(whole)["loopwright.outcome"], whole.status.status_code) == ("paused", StatusCode.UNSET)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome("partial", "some", "steps"), {"loopwright.outcome": "partial", "loopwright.reason": "steps"}),
        (Outcome("cancelled", None, "by me"), {"loopwright.outcome": "cancelled"}),
        (Outcome("failed", None, "broken"), {"loopwright.outcome": "failed", "error.type": "_OTHER"}),
    ],
    ids=lambda value: value.status if isinstance(value, Outcome) else "",
)
def test_the_end_of_a_run_says_how(outcome: Outcome, expected: dict[str, str]) -> None:
    sent = Sent()
    Traces(sent.provider).replay(history(*PARENT, RunEnded(outcome=outcome)))
    called, whole = sent.spans[1:]
    names = ("loopwright.outcome", "loopwright.reason", "error.type")
    assert {name: value for name, value in attributes(whole).items() if name in names} == expected
    assert attributes(called)["error.type"] == ("cancelled" if outcome.status == "cancelled" else "interrupted")


def test_cost_and_what_was_cached_or_guessed_are_told() -> None:
    sent = Sent()
    usage = Usage(10, 5, 4, 0.25, estimated=True)
    begun = RunStarted(run_id="p", task="t", model="openai:a", price=Price(0.01, 0.02))
    Traces(sent.provider).replay(
        history(
            begun, ModelAsked(number=1, closing="steps"), ModelReplied(turn=Turn(problem="what?"), usage=usage), END
        )
    )
    chat, whole = sent.spans
    shared = {
        "gen_ai.usage.cache_read.input_tokens": 4,
        "loopwright.usage.estimated": True,
        "loopwright.usage.cost": 0.25,
    }
    assert shared.items() <= attributes(chat).items()
    assert shared.items() <= attributes(whole).items()
    assert (attributes(chat)["loopwright.closing"], attributes(chat)["loopwright.unreadable"]) == ("steps", True)


def test_a_clock_that_went_back_turns_no_span_around() -> None:
    sent = Sent()
    back = [BEGUN, ModelAsked(number=1), ModelReplied(turn=Turn(answer="y")), END]
    from msgspec.structs import replace

    Traces(sent.provider).replay([replace(event, at=100.0 - number) for number, event in enumerate(back)])
    assert [(span.start_time, span.end_time) for span in sent.spans] == [(100_000_000_000, 100_000_000_000)] * 2


def test_nothing_is_kept_of_runs_that_are_over_and_little_of_those_that_never_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST", 10)
    sent = Sent()
    traces = Traces(sent.provider)
    for number in range(500):
        for event in history(*PARENT, END if number % 2 else RunPaused()):
            traces(f"r{number}", event)
    assert (traces.following, len(vars(traces)["_begun"])) == (0, 10)
    sent.exporter.clear()
    for number in range(30):
        for event in history(*PARENT):
            traces(f"open{number}", event)
    assert traces.following == 10
    gone = sent.named("invoke_agent")
    assert [attributes(span)["error.type"] for span in gone] == ["abandoned"] * 20
    traces("open0", END)  # of which nothing is known any more
    traces.close()
    assert (traces.following, len(sent.named("invoke_agent")), len(sent.named("execute_tool look"))) == (0, 30, 30)


def test_events_without_a_beginning_are_no_spans(caplog: pytest.LogCaptureFixture) -> None:
    sent = Sent()
    traces = Traces(sent.provider)
    for event in history(*PARENT[1:]):
        traces("p", event)
    traces("p", TextArrived("p", "Hel"))
    traces("p", history(RunResumed())[0])
    traces("p", history(ModelAsked(number=2))[0])
    traces("p", history(END)[0])
    chat, whole = sent.spans
    assert (chat.name, whole.name, caplog.records) == ("chat", "invoke_agent", [])


class Broken(TracerProvider):
    """A provider whose tracers fail."""

    def get_tracer(self, *_: Any, **__: Any) -> Any:
        return self

    def start_span(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no more spans")


async def test_a_tracer_that_fails_stops_no_run_and_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    sent = Sent()
    sent.provider = Broken()
    with caplog.at_level(logging.ERROR):
        await run([calls("look", at="plum"), answers("ripe")], sent)
    (record,) = caplog.records
    assert (record.name, "no more spans" in (record.exc_text or "")) == ("loopwright.traces", True)


@given(starts(), event_lists())
def test_whatever_the_events_the_spans_of_a_run_are_well_formed(start: RunStarted, rest: list[Event]) -> None:
    events = [start, *rest]
    found = spans_of(events, content=True)
    assert not found or found[0].id == "run"
    for span in found:
        assert span.ended is None or span.began <= span.ended
        assert span.parent == ("" if span.id == "run" else "run")
        assert span.ended is not None or span in open_at_the_end(events, found)
    fold = Spans(content=True)
    opened = [step for event in events for step in fold.add("run", event)] + fold.left("gone")
    assert fold.left("again") == []
    assert len(opened) >= 2 * len(found)


def open_at_the_end(events: Sequence[Event], found: Sequence[Any]) -> list[Any]:
    """Spans of the last invocation may be open where the run has not ended."""
    last = max((number for number, span in enumerate(found) if span.id == "run"), default=0)
    return [] if isinstance(events[-1], RunEnded | RunPaused) else list(found[last:])


async def test_a_stored_run_gives_the_same_spans_as_one_that_is_watched() -> None:
    live, later, journal = Sent(), Sent(), MemoryJournal()
    replies = [calls("look", at="a") + calls("pay", amount=1), calls("look", at="nothing"), answers("ripe")]
    await run(replies, live, journal=journal, content=True)
    Traces(later.provider, content=True).replay(await journal.read("r1"))
    assert [seen(span) for span in later.spans] == [seen(span) for span in live.spans]
    whole = [(span.name, span.attributes) for span in spans_of(await journal.read("r1"), content=True)]
    error = [span.attributes or {} for span in live.spans]
    assert sorted(name for name, _ in whole) == sorted(span.name for span in live.spans)
    assert all(any(given.items() <= dict(found).items() for found in error) for _, given in whole)


def seen(span: ReadableSpan) -> tuple[Any, ...]:
    marks = [(event.name, event.timestamp, dict(event.attributes or {})) for event in span.events]
    return span.name, span.start_time, span.end_time, attributes(span), marks, span.status.status_code


def test_the_providers_have_their_names_of_the_conventions() -> None:
    assert set(providers.PROVIDERS) <= set(PROVIDERS)
    assert named("gemini:gemini-2.5-flash") == ("gcp.gemini", "gemini-2.5-flash")
    assert named("ollama:llama3.2:1b") == ("ollama", "llama3.2:1b")
    assert named("local") == ("local", "")
    assert named("local:/models/of/mine.gguf") == ("local", "mine.gguf")
    assert named("some:tag") == (OTHER_PROVIDER, "some:tag")


def test_a_model_in_this_process_is_no_client() -> None:
    sent = Sent()
    begun = RunStarted(run_id="p", task="t", model="local")
    Traces(sent.provider).replay(history(begun, ModelAsked(number=1), ModelFailed(failure="context", message="m"), END))
    assert [(span.name, span.kind) for span in sent.spans] == [
        ("chat", SpanKind.INTERNAL),
        ("invoke_agent", SpanKind.INTERNAL),
    ]


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingExtra, match=r"pip install 'loopwright\[traces\]'"):
        Traces()


async def test_forks_and_turns_that_are_watched_are_runs_with_links() -> None:
    sent, journal = Sent(ids=RunIds()), MemoryJournal()
    traces = await run([calls("look", at="plum"), answers("ripe")], sent, journal=journal)
    model = ScriptedModel(replies=[answers("gone"), answers("none")])
    agent = Agent(model, tools=[look, pay], journal=journal, observers=[traces], clock=CLOCK)
    (ended,) = [number for number, event in enumerate(await journal.read("r1"), 1) if isinstance(event, CallEnded)]
    await agent.fork("r1", at=ended, observation="eaten", new_id="f1")
    await agent.follow_up("r1", "And pears?", new_id="t2")
    first, fork, turn = sent.named("invoke_agent")
    assert (links(first), links(fork), links(turn)) == ([], [ids(first)], [ids(first)])
    assert [attributes(span)["gen_ai.conversation.id"] for span in (first, fork, turn)] == ["r1", "f1", "r1"]
    assert [attributes(span)["loopwright.run.id"] for span in (first, fork, turn)] == ["r1", "f1", "t2"]
    assert {attributes(span).get("loopwright.resumed") for span in (first, fork, turn)} == {None}
    assert len(sent.named("chat scripted")) == 2
    assert traces.following == 0
