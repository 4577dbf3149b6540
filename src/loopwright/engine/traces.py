"""OpenTelemetry spans of runs, made by an observer while they happen, or of a run that a journal holds.

Owns how the spans of `spans` are opened, linked and ended by a tracer. Needs the package `opentelemetry-api`, which is
imported when the first `Traces` is made. Nothing here decides what is a span, or where spans are sent.
"""

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from loopwright.core.errors import MissingExtra
from loopwright.core.events import Event, RunEnded, RunForked, RunPaused
from loopwright.engine.history import rules_of
from loopwright.engine.ports import TextArrived
from loopwright.engine.spans import ABANDONED, INTERRUPTED, RUN, Closed, Marked, Opened, Spans, Step

if TYPE_CHECKING:
    from opentelemetry.trace import Link, Span, SpanContext, TracerProvider

MOST = 10_000
"""Runs that are followed at once, and runs whose first span is known for a link; of more, the oldest are let go."""

_log = logging.getLogger("loopwright.traces")


@runtime_checkable
class _KnownIds(Protocol):
    """What `trace_ids.RunIds` can do."""

    def of(self, run_id: str, invocation: int) -> "SpanContext": ...

    def due(self, context: "SpanContext") -> AbstractContextManager[None]: ...


class _Followed:
    """A run whose events come: what is known of it, and its open spans."""

    def __init__(self, fold: Spans) -> None:
        self.fold = fold
        self.spans: dict[str, Span] = {}


class Traces:
    """An observer that makes spans of runs by OpenTelemetry's conventions for generative AI.

    Each run is a span ``invoke_agent``, below the current span where there is one, with a span ``chat`` for every
    question to the model and a span ``execute_tool`` for every call that ran below it. A run that is resumed is a span
    of its own, linked to that of its beginning; a fork is linked to its parent. Where the provider's `id_generator` is
    a `trace_ids.RunIds`, such links hold from one process to another, and each of these is a trace of its own.

    A tracer that fails does not stop a run: the failure is logged once, under ``loopwright.traces``.

    Args:
        tracer_provider: where spans go; None for the one that the application has set for the process
        content: whether spans hold what people, models and tools said; leave it out where such texts must not go
        agent: what the application calls the agent

    Raises:
        MissingExtra: the package `opentelemetry-api` is not installed
    """

    def __init__(
        self, tracer_provider: "TracerProvider | None" = None, *, content: bool = False, agent: str = ""
    ) -> None:
        try:
            from opentelemetry import trace
        except ModuleNotFoundError as missing:
            if missing.name is None or missing.name.partition(".")[0] != "opentelemetry":
                raise
            raise MissingExtra("traces need the package opentelemetry-api: pip install 'loopwright[traces]'") from None
        provider = tracer_provider if tracer_provider is not None else trace.get_tracer_provider()
        self._tracer = trace.get_tracer("loopwright", tracer_provider=provider)
        ids: Any = getattr(provider, "id_generator", None)
        self._ids: _KnownIds | None = ids if isinstance(ids, _KnownIds) else None
        self._content = content
        self._agent = agent
        self._runs = dict[str, _Followed]()
        self._begun: dict[str, SpanContext] = {}
        """The first span of each of the last runs."""
        self._failed = False

    def __call__(self, run_id: str, event: "Event | TextArrived") -> None:
        """Take what happened in a run."""
        if isinstance(event, TextArrived):
            return
        try:
            self._follow(run_id, event)
        except Exception:  # noqa: BLE001 - what watches a run must not stop it
            self._fail()

    def recall(self, run_id: str, history: Sequence[Event]) -> None:
        """Learn what happened in a run before it is resumed; no spans are made of it.

        Without it the spans of a run that is resumed lack what was said before: the model, the tools' names.
        """
        followed = _Followed(self._spans())
        for event in history:
            followed.fold.add(run_id, event)
        self._keep(run_id, followed)

    def replay(self, history: Sequence[Event]) -> None:
        """Make the spans of a run that a journal holds, at the times when it happened. What is open ends with it.

        Raises:
            IllegalEvent: the events are no history of a run
        """
        run_id = rules_of(history).run_id
        forks = [number for number, event in enumerate(history) if isinstance(event, RunForked)]
        own = forks[-1] if forks else 0
        self.recall(run_id, history[:own])
        for event in history[own:]:
            self(run_id, event)
        self._let_go(run_id, INTERRUPTED)

    def close(self) -> None:
        """End the spans of all runs of which nothing more will be heard, such as those whose journal refused."""
        for run_id in list(self._runs):
            self._let_go(run_id, ABANDONED)

    @property
    def following(self) -> int:
        """Runs of which more is expected."""
        return len(self._runs)

    def _spans(self) -> Spans:
        return Spans(content=self._content, agent=self._agent)

    def _follow(self, run_id: str, event: Event) -> None:
        followed = self._runs.pop(run_id, None) or _Followed(self._spans())
        self._keep(run_id, followed)  # as the newest
        for step in followed.fold.add(run_id, event):
            self._take(run_id, followed, step)
        if isinstance(event, RunPaused | RunEnded):
            self._runs.pop(run_id, None)

    def _keep(self, run_id: str, followed: _Followed) -> None:
        self._runs[run_id] = followed
        while len(self._runs) > MOST:
            self._let_go(next(iter(self._runs)), ABANDONED)

    def _let_go(self, run_id: str, why: str) -> None:
        followed = self._runs.pop(run_id, None)
        if followed is None or not followed.spans:
            return
        try:
            for step in followed.fold.left(why):
                self._take(run_id, followed, step)
        except Exception:  # noqa: BLE001 - as above
            self._fail()

    def _take(self, run_id: str, followed: _Followed, step: Step) -> None:
        match step:
            case Opened():
                followed.spans[step.id] = self._open(run_id, followed, step)
            case Marked(mark):
                followed.spans[RUN].add_event(mark.name, mark.attributes, _nanoseconds(mark.at))
            case Closed():
                self._close(run_id, followed, step)

    def _open(self, run_id: str, followed: _Followed, step: Opened) -> "Span":
        from opentelemetry.trace import SpanKind, set_span_in_context

        if step.id == RUN:
            span = self._open_run(run_id, step)
            if step.invocation == 1:
                self._remember(run_id, span.get_span_context())
            return span
        return self._tracer.start_span(
            step.name,
            context=set_span_in_context(followed.spans[RUN]),
            kind=SpanKind.CLIENT if step.client else SpanKind.INTERNAL,
            attributes=step.attributes,
            start_time=_nanoseconds(step.at),
        )

    def _open_run(self, run_id: str, step: Opened) -> "Span":
        from opentelemetry.context import Context
        from opentelemetry.trace import Link, get_current_span

        links = [Link(before)] if (before := self._before(step)) is not None else []
        if self._ids is None or not step.invocation:
            return self._start(step, links, None)
        around = get_current_span().get_span_context()
        links += [Link(around)] if around.is_valid else []
        with self._ids.due(self._ids.of(run_id, step.invocation)):
            return self._start(step, links, Context())

    def _start(self, step: Opened, links: "Sequence[Link]", context: Any) -> "Span":
        return self._tracer.start_span(
            step.name,
            context=context,
            attributes=step.attributes,
            links=links,
            start_time=_nanoseconds(step.at),
        )

    def _before(self, step: Opened) -> "SpanContext | None":
        """The first span of the run that is gone on with."""
        if not step.after:
            return None
        known = self._begun.get(step.after)
        return known if known is not None or self._ids is None else self._ids.of(step.after, 1)

    def _remember(self, run_id: str, context: "SpanContext") -> None:
        self._begun.pop(run_id, None)
        self._begun[run_id] = context
        while len(self._begun) > MOST:
            self._begun.pop(next(iter(self._begun)))

    def _close(self, run_id: str, followed: _Followed, step: Closed) -> None:
        from opentelemetry.trace import Status, StatusCode

        span = followed.spans.pop(step.opened.id, None) or self._lost(run_id, step.opened)
        if span is None:
            return
        span.set_attributes(step.attributes)
        if step.error:
            span.set_attribute("error.type", step.error)
            span.set_status(Status(StatusCode.ERROR, step.message or None))
        span.end(_nanoseconds(step.at))

    def _lost(self, run_id: str, opened: Opened) -> "Span | None":
        """The span of a driver that was killed before it could be sent; only where its id is known.

        What it had sent hangs below this one.
        """
        return self._open_run(run_id, opened) if self._ids is not None and opened.id == RUN else None

    def _fail(self) -> None:
        if not self._failed:
            self._failed = True
            _log.exception("spans could not be made; later failures are not said")


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e6) * 1000
