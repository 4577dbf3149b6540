"""Ids of traces and spans that follow from the ids of runs, so that one process can point to what another one sent.

Needs the package `opentelemetry-sdk`; nothing imports this before it is wanted.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256

from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import SpanContext, TraceFlags

_NEXT: ContextVar[SpanContext | None] = ContextVar("next", default=None)


class RunIds(RandomIdGenerator):
    """The `id_generator` of a tracer provider with which each work on a run is a trace of its own, under a known id.

    All other spans get ids by chance. Sampling by the id of the trace works as ever: a digest is as even as chance.
    """

    def generate_span_id(self) -> int:
        """The id that is due, or one by chance."""
        due = _NEXT.get()
        return due.span_id if due is not None else super().generate_span_id()

    def generate_trace_id(self) -> int:
        """The id that is due, or one by chance."""
        due = _NEXT.get()
        return due.trace_id if due is not None else super().generate_trace_id()

    def of(self, run_id: str, invocation: int) -> SpanContext:
        """The ids of the work on a run.

        Args:
            run_id: of the run
            invocation: 1 for what began it, one more for each time that it was resumed
        """
        digest = sha256(f"loopwright {invocation} {run_id}".encode()).digest()
        trace_id, span_id = int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])
        return SpanContext(trace_id or 1, span_id or 1, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))

    @contextmanager
    def due(self, context: SpanContext) -> Generator[None, None, None]:
        """Give the next span these ids."""
        token = _NEXT.set(context)
        try:
            yield
        finally:
            _NEXT.reset(token)
