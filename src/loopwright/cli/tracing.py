"""`--trace`: the spans of a run go by OTLP over HTTP to where the environment says.

Owns the checks before, and what the person is told of spans that did not arrive. The address is taken from the
environment alone, never from a file of some folder. What spans there are is decided in `engine.spans`.
"""

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loopwright.core.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from loopwright.cli.driving import Show
    from loopwright.engine.traces import Traces

ENDPOINT, TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
PROTOCOL, TRACES_PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")


@contextmanager
def watched(show: "Show", *, trace: bool, content: bool) -> Generator[None, None, None]:
    """Let spans be sent until the end of the block, where they are wanted; see `traced`.

    Args:
        show: of the run
        trace: whether they are wanted
        content: whether they are wanted with what people, models and tools said
    """
    if not (trace or content):
        yield
        return
    from loopwright.cli.driving import complain

    with traced(complain, content=content) as traces:
        show.watchers.append(traces)
        yield


@contextmanager
def traced(
    say: Callable[[str], None], *, content: bool = False, environ: Mapping[str, str] = os.environ
) -> "Generator[Traces, None, None]":
    """An observer whose spans are sent until the end of the block; it is said how many could not be.

    Args:
        say: tells the person
        content: whether spans hold what people, models and tools said
        environ: where the address is looked up

    Raises:
        MissingExtra: the packages are not installed
        UsageError: no address is set, or spans cannot go there
    """
    where = _where(environ)
    try:
        from loopwright.cli.sending import Sending, provider_of
        from loopwright.engine.traces import Traces
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "opentelemetry":
            raise
        raise MissingExtra("--trace needs packages of OpenTelemetry: pip install 'loopwright[traces]'") from None
    try:
        sending = Sending(patient=any(environ.get(name) for name in TIMEOUTS))
    except ValueError as error:
        raise UsageError(f"a setting OTEL_EXPORTER_OTLP_… cannot be used: {error}") from None
    provider = provider_of(sending)
    traces = Traces(provider, content=content)
    try:
        yield traces
    finally:
        traces.close()
        provider.shutdown()
        if sending.unsent:
            say(f"traces: {sending.unsent} of {sending.unsent + sending.sent} spans could not be sent to {where}")


def _where(environ: Mapping[str, str]) -> str:
    """The address in words, without what may be secret in it."""
    from loopwright.models.door import SWITCH, is_loopback, offline

    address = environ.get(TRACES_ENDPOINT, "").strip() or environ.get(ENDPOINT, "").strip()
    if not address:
        raise UsageError(
            f"--trace sends spans to the address in {ENDPOINT}, and none is set: "
            f"for a collector on this machine, set it to http://localhost:4318"
        )
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{ENDPOINT} is no address like http://localhost:4318")
    protocol = environ.get(TRACES_PROTOCOL, "").strip() or environ.get(PROTOCOL, "").strip()
    if protocol not in ("", "http/protobuf"):
        raise UsageError(
            f"--trace sends spans by http/protobuf, and {PROTOCOL} says {protocol}: "
            f"set {TRACES_PROTOCOL}=http/protobuf, and {TRACES_ENDPOINT} to an address that takes it"
        )
    if offline() and not is_loopback(host):
        raise UsageError(f"spans are not sent to {host}, because {SWITCH} is set")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
