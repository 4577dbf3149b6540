"""Sends spans by OTLP over HTTP and counts what arrived. Needs the packages of the extra ``traces``.

Nothing else imports this before it is wanted. Where spans go is decided in `tracing`.
"""

import logging
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from loopwright import __version__
from loopwright.engine.trace_ids import RunIds

PATIENCE = 3.0
"""Seconds for one request with all its repetitions, where the environment sets none: somebody waits for the end."""


class Sending(SpanExporter):
    """An exporter that counts.

    Args:
        patient: whether the environment says how long a request may take

    Raises:
        ValueError: a setting of the environment makes no sense
    """

    def __init__(self, *, patient: bool) -> None:
        self._exporter = OTLPSpanExporter(timeout=None if patient else PATIENCE)
        self.sent = 0
        self.unsent = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send these."""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.sent += len(spans)
        else:
            self.unsent += len(spans)
        return result

    def shutdown(self) -> None:
        """Release the connection."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing is kept here."""
        return True


def provider_of(sending: Sending) -> TracerProvider:
    """A provider of tracers for one command, with ids that another command can link to.

    `OTEL_SERVICE_NAME` and the other settings of the SDK hold.
    """
    log = logging.getLogger("opentelemetry")
    log.addHandler(logging.NullHandler())
    log.propagate = False  # what could not be sent is said once, at the end
    resource = Resource.create()
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "loopwright", "service.version": __version__}))
    provider = TracerProvider(resource=resource, id_generator=RunIds(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(sending))
    return provider
