"""`--trace`: spans arrive at a collector, and what hinders them is said and hinders nothing else."""

import signal
import sys
from pathlib import Path

import pytest
from collector import Collector, collector
from command import loopwright, start

from loopwright.cli.tracing import ENDPOINT, TRACES_ENDPOINT, TRACES_PROTOCOL, traced
from loopwright.core.errors import MissingExtra, UsageError
from loopwright.testing.chat_server import ChatServer, after
from loopwright.testing.scripted import answers, calls

KEY = {"OPENAI_API_KEY": "sk-test-0123456789"}


def settings(found: Collector, **more: str) -> dict[str, str]:
    return {**KEY, ENDPOINT: found.address, **more}


def arguments(server: ChatServer) -> list[str]:
    return ["ask", "2*3?", "--model", "openai:any", "--base-url", server.base_url]


def test_the_spans_of_a_run_arrive(tmp_path: Path) -> None:
    step = calls("calculator", expression="2*3").thinking("I multiply.")
    with ChatServer([step, answers("6")]) as server, collector() as found:
        done = loopwright(*arguments(server), "--trace", folder=tmp_path, settings=settings(found))
    assert (done.code, "Answer\n6" in done.out, "traces" in done.err) == (0, True, False)
    assert set(found.paths) == {"/v1/traces"}
    chat, called, second, whole = found.spans
    assert [span.name for span in found.spans] == [
        *("chat any", "execute_tool calculator", "chat any", "invoke_agent"),
    ]
    assert {span.parent for span in (chat, called, second)} == {whole.span_id}
    assert {span.trace_id for span in found.spans} == {whole.trace_id}
    assert {span.service for span in found.spans} == {"loopwright"}
    assert chat.attributes["gen_ai.usage.input_tokens"] > 0
    assert chat.attributes["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert whole.began <= chat.began < chat.ended <= called.began <= called.ended <= second.began <= whole.ended
    assert not any("2*3" in str(span.attributes) for span in found.spans)


def test_what_was_said_is_sent_only_when_it_is_asked_for(tmp_path: Path) -> None:
    with ChatServer([calls("calculator", expression="2*3"), answers("6")]) as server, collector() as found:
        more = {"OTEL_SERVICE_NAME": "desk"}
        loopwright(*arguments(server), "--trace-content", "-q", folder=tmp_path, settings=settings(found, **more))
    assert found.spans[1].attributes["gen_ai.tool.call.arguments"] == '{"expression":"2*3"}'
    assert {span.service for span in found.spans} == {"desk"}


def test_a_run_that_was_interrupted_and_resumed_is_two_spans_with_a_link(tmp_path: Path) -> None:
    replies = [calls("calculator", expression="2*3"), after(30, answers("never")), answers("6")]
    with ChatServer(replies) as server, collector() as found:
        process = start([*arguments(server), "--trace", "--json"], tmp_path, settings(found))
        assert process.stdout is not None
        while '"number":2' not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert (process.returncode, "go on with: loopwright resume" in err) == (130, True)
        asked, first = found.spans[-2:]
        assert (first.name, asked.attributes["error.type"], asked.wrong) == ("invoke_agent", "interrupted", True)
        done = loopwright("resume", "last", "--trace", folder=tmp_path, settings=settings(found))
    assert done.code == 0
    chat, second = found.spans[4:]
    assert (chat.name, chat.parent) == ("chat any", second.span_id)
    assert second.links == (first.span_id,)
    assert second.trace_id != first.trace_id


@pytest.mark.parametrize("status", [400, 503])
def test_spans_that_could_not_be_sent_are_said_and_change_nothing(status: int, tmp_path: Path) -> None:
    with ChatServer([answers("6")]) as server, collector(status) as found:
        more = {"OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
        done = loopwright(*arguments(server), "--trace", "-q", folder=tmp_path, settings=settings(found, **more))
    assert (done.code, done.out) == (0, "6\n")
    assert done.err == f"traces: 2 of 2 spans could not be sent to {found.address}\n"


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "none is set: for a collector on this machine, set it to http://localhost:4318"),
        ({ENDPOINT: "localhost:4317"}, "is no address like http://localhost:4318"),
        ({ENDPOINT: "http://localhost:4317", TRACES_PROTOCOL: "grpc"}, "sends spans by http/protobuf"),
        ({ENDPOINT: "http://localhost", TRACES_ENDPOINT: "https://traces.example"}, "LOOPWRIGHT_OFFLINE is set"),
    ],
    ids=["no address", "no scheme", "another protocol", "without a network"],
)
def test_where_spans_cannot_go_is_said_before_anything_runs(environ: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said), traced(print, environ=environ):
        pass


def test_a_run_is_not_begun_where_spans_cannot_go(tmp_path: Path) -> None:
    with ChatServer([]) as server:
        done = loopwright(*arguments(server), "--trace", folder=tmp_path, settings=KEY)
    assert (done.code, "OTEL_EXPORTER_OTLP_ENDPOINT" in done.err, server.requests) == (2, True, [])
    assert loopwright("runs", "--json", folder=tmp_path).out == ""


def test_without_the_packages_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    monkeypatch.delitem(sys.modules, "loopwright.cli.sending", raising=False)
    with (
        pytest.raises(MissingExtra, match=r"pip install 'loopwright\[traces\]'"),
        traced(print, environ={ENDPOINT: "http://localhost:4318"}),
    ):
        pass
