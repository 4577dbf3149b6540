"""A collector of spans on this machine: it takes OTLP over HTTP, and decodes what comes."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

OK, ERROR = 1, 2


class Collected(Struct, frozen=True):
    """A span that came."""

    trace_id: str
    span_id: str
    parent: str
    name: str
    began: int
    """Nanoseconds of Unix time."""
    ended: int
    attributes: dict[str, Any]
    service: str
    links: tuple[str, ...]
    """Ids of spans."""
    wrong: bool


class Collector:
    """What came so far."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.spans = list[Collected]()
        self.paths = list[str]()

    def take(self, path: str, body: bytes) -> None:
        """Decode a request."""
        self.paths.append(path)
        request: Any = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            about = {pair.key: _value(pair.value) for pair in resource.resource.attributes}
            for scope in resource.scope_spans:
                assert scope.scope.name == "loopwright"
                self.spans += [_collected(span, about) for span in scope.spans]


def _collected(span: Any, about: dict[str, Any]) -> Collected:
    return Collected(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        name=span.name,
        began=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
        attributes={pair.key: _value(pair.value) for pair in span.attributes},
        service=about["service.name"],
        links=tuple(link.span_id.hex() for link in span.links),
        wrong=span.status.code == ERROR,
    )


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, kind)


@contextmanager
def collector(status: int = 200) -> Generator[Collector, None, None]:
    """A collector that answers with this status."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if status == 200:
                found.take(self.path, body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name is that of the base)
            del format, args  # standard error is the test's

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Collector(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
