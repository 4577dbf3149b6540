"""The transport against a real server on the loopback interface."""

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import msgspec
import pytest

from loopwright.core.errors import ModelError, UsageError
from loopwright.engine.ports import Feed
from loopwright.models.openai_compatible import Delivery, OpenAICompatible
from loopwright.models.providers import Endpoint
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.speech import Reply, ReplyReader
from loopwright.testing.chat_server import (
    ChatServer,
    Refusing,
    Response,
    after,
    context_full,
    drops,
    no_tools,
    rate_limited,
    refuses,
    unavailable,
    unknown_model,
    wrong_key,
)
from loopwright.testing.scripted import answers, calls, says

KEY = "sk-test-0123456789abcdef"
EAGER = Delivery(first_wait=0.001)


def transport_to(base_url: str, *, key: str = "", delivery: Delivery = EAGER) -> OpenAICompatible:
    endpoint = Endpoint(
        label="Ollama",
        base_url=base_url,
        model="small",
        key_variable="OLLAMA_API_KEY",
        listing="`ollama list` shows what is installed",
        starting="start it with `ollama serve`",
    )
    return OpenAICompatible(endpoint, key=key, delivery=delivery)


def body(*, stream: bool = False, tools: bool = False, text: str = "hello") -> bytes:
    request: dict[str, Any] = {"model": "small", "messages": [{"role": "user", "content": text}], "stream": stream}
    return msgspec.json.encode(request | ({"tools": [{"function": {"name": "f"}}]} if tools else {}))


def into(reader: ReplyReader) -> Feed:
    def feed(data: bytes) -> None:
        reader.feed(data)

    return feed


async def reply_from(
    transport: OpenAICompatible, *, stream: bool = False, timeout: float | None = 20, tools: bool = False
) -> Reply:
    reader = OpenAIChat().reader(stream=stream)
    await transport.send(body(stream=stream, tools=tools), into(reader), stream=stream, timeout=timeout)
    return reader.close()


async def failure_of(*replies: Response, tools: bool = False, key: str = "") -> tuple[ModelError, int]:
    """The error that these replies lead to, and how many requests it took."""
    async with ChatServer(replies) as server:
        transport = transport_to(server.base_url, key=key)
        with pytest.raises(ModelError) as caught:
            await reply_from(transport, tools=tools)
        await transport.close()
    return caught.value, len(server.requests)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_reply_arrives_whole(stream: bool) -> None:
    async with ChatServer([calls("weather", city="Jyväskylä").thinking("Look it up.")]) as server:
        transport = transport_to(server.base_url)
        reply = await reply_from(transport, stream=stream)
        await transport.close()
    assert reply.complete
    assert reply.text == "Look it up."
    assert [(call.name, call.arguments) for call in reply.calls] == [("weather", '{"city":"Jyväskylä"}')]
    server.assert_done()


@pytest.mark.parametrize("stream", [False, True])
async def test_characters_that_are_split_between_pieces_arrive(stream: bool) -> None:
    text = "Grüße aus 東京, שלום, \N{SLICE OF PIZZA}"
    async with ChatServer([answers(text)], piece=1, pause=0.0001) as server:
        transport = transport_to(server.base_url)
        reply = await reply_from(transport, stream=stream)
        await transport.close()
    assert reply.text == text


async def test_the_body_is_sent_as_it_is_and_the_key_goes_along() -> None:
    async with ChatServer(["yes"], key=KEY) as server:
        transport = transport_to(server.base_url, key=f" {KEY}\n")
        await reply_from(transport)
        await transport.close()
    assert server.requests[0].body == body()
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_without_a_key_none_is_sent() -> None:
    async with ChatServer(["yes"]) as server:
        transport = transport_to(server.base_url)
        await reply_from(transport)
        await transport.close()
    assert "authorization" not in server.requests[0].headers


async def test_connections_are_used_again() -> None:
    async with ChatServer(["a", "b", "c"]) as server:
        transport = transport_to(server.base_url)
        for _ in range(3):
            await reply_from(transport)
        await transport.close()
    assert server.connections == 1


async def test_after_close_a_new_connection_is_made() -> None:
    async with ChatServer(["a", "b"]) as server:
        transport = transport_to(server.base_url)
        for _ in range(2):
            await reply_from(transport)
            await transport.close()
    assert server.connections == 2


@pytest.mark.parametrize(
    "busy",
    [
        rate_limited("0"),
        rate_limited("0.01"),
        rate_limited(format_datetime(datetime.now(UTC) - timedelta(seconds=5), usegmt=True)),
        rate_limited("next week"),
        unavailable(500),
        unavailable(502),
        unavailable(503),
        unavailable(529),
        refuses(409, "Lock timeout."),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_busy_server_is_asked_again(busy: Refusing, stream: bool) -> None:
    async with ChatServer([busy, busy, answers("42")]) as server:
        transport = transport_to(server.base_url)
        reply = await reply_from(transport, stream=stream)
        await transport.close()
    assert reply.text == "42"
    server.assert_done()


async def test_attempts_are_bounded() -> None:
    error, requests = await failure_of(*[unavailable()] * 9)
    assert requests == 4
    assert error.failure == "overloaded"
    assert not error.lost
    assert "tried 4 times" in error.message


async def test_a_provider_that_says_not_to_repeat_is_not_asked_again() -> None:
    error, requests = await failure_of(refuses(503, "Down for good.", x_should_retry="false"))
    assert (error.failure, requests) == ("overloaded", 1)


async def test_a_wait_that_is_too_long_is_not_waited() -> None:
    error, requests = await failure_of(rate_limited("86400"))
    assert (error.failure, requests) == ("overloaded", 1)
    assert "it asks to wait 86400 seconds" in error.message


async def test_no_wait_goes_beyond_the_time_limit() -> None:
    async with ChatServer([rate_limited("30")]) as server:
        transport = transport_to(server.base_url)
        with pytest.raises(ModelError, match="no time is left to try again") as caught:
            await reply_from(transport, timeout=10)
        await transport.close()
    assert (caught.value.failure, caught.value.lost) == ("overloaded", False)


async def test_a_wrong_key_names_the_variable_and_never_the_key() -> None:
    error, requests = await failure_of(wrong_key(KEY), key=KEY)
    assert (error.failure, requests) == ("auth", 1)
    assert "OLLAMA_API_KEY" in error.message
    assert KEY not in str(error)


async def test_a_wrong_model_is_named_with_where_to_look() -> None:
    error, requests = await failure_of(unknown_model("small"))
    assert (error.failure, requests) == ("model", 1)
    assert "no model 'small'" in error.message
    assert "ollama list" in error.message


async def test_a_full_context() -> None:
    error, requests = await failure_of(context_full())
    assert (error.failure, requests) == ("context", 1)


async def test_refused_tools() -> None:
    error, requests = await failure_of(no_tools(), tools=True)
    assert (error.failure, requests) == ("tools_refused", 1)


async def test_tools_cannot_be_refused_when_none_were_offered() -> None:
    error, _ = await failure_of(no_tools())
    assert error.failure == "request"


async def test_a_gateway_that_gave_up_may_have_done_the_work() -> None:
    error, requests = await failure_of(unavailable(504))
    assert (error.failure, error.lost, requests) == ("timeout", True, 1)


async def test_a_wrong_address_says_so() -> None:
    async with ChatServer(["never"]) as server:
        transport = transport_to(server.base_url + "/nothing")
        with pytest.raises(ModelError, match="check the base URL; most base URLs end in /v1") as caught:
            await reply_from(transport)
        await transport.close()
    assert caught.value.failure == "request"


async def test_a_web_page_is_no_reply() -> None:
    error, _ = await failure_of(Refusing(200, b"<html>Welcome</html>", content_type="text/html"))
    assert error.failure == "request"
    assert "web page" in error.message


async def test_redirects_are_not_followed() -> None:
    error, _ = await failure_of(refuses(307, "Moved.", Location="https://elsewhere.example/v1?token=abc"))
    assert error.failure == "request"
    assert "https://elsewhere.example/v1" in error.message
    assert "abc" not in error.message


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("cut", [says("one two three four five").cut(), drops()])
async def test_a_lost_connection_is_not_repeated(cut: Response, stream: bool) -> None:
    async with ChatServer([cut, answers("never")]) as server:
        transport = transport_to(server.base_url)
        with pytest.raises(ModelError) as caught:
            await reply_from(transport, stream=stream)
        await transport.close()
    assert (caught.value.failure, caught.value.lost) == ("network", True)
    assert len(server.requests) == 1


async def test_what_arrived_before_the_loss_was_fed() -> None:
    reader = OpenAIChat().reader(stream=True)
    async with ChatServer([says("one two three four five").cut()]) as server:
        transport = transport_to(server.base_url)
        with pytest.raises(ModelError):
            await transport.send(body(stream=True), into(reader), stream=True, timeout=None)
        await transport.close()
    reply = reader.close()
    assert "one two three four five".startswith(reply.text)
    assert reply.text
    assert not reply.complete


async def test_a_time_limit_after_the_request_was_sent_is_a_loss() -> None:
    async with ChatServer([after(30, "late")]) as server:
        transport = transport_to(server.base_url)
        with pytest.raises(ModelError, match=r"within 0.2 seconds") as caught:
            await reply_from(transport, timeout=0.2)
        await transport.close()
    assert (caught.value.failure, caught.value.lost) == ("timeout", True)
    assert len(server.requests) == 1


async def test_a_long_silence_is_a_loss() -> None:
    async with ChatServer([after(30, "late")]) as server:
        transport = transport_to(server.base_url, delivery=Delivery(read_seconds=0.2))
        with pytest.raises(ModelError, match=r"sent nothing for 0.2 seconds") as caught:
            await reply_from(transport, timeout=None)
        await transport.close()
    assert (caught.value.failure, caught.value.lost) == ("timeout", True)
    assert len(server.requests) == 1


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


async def test_a_refused_connection_asks_whether_the_server_runs() -> None:
    transport = transport_to(f"http://127.0.0.1:{closed_port()}/v1")
    with pytest.raises(ModelError, match=r"connection refused; is the server running.*ollama serve") as caught:
        await reply_from(transport)
    await transport.close()
    assert (caught.value.failure, caught.value.lost) == ("network", False)
    assert "127.0.0.1" in caught.value.message


async def test_a_server_that_comes_up_late_is_reached() -> None:
    port = closed_port()
    transport = transport_to(f"http://127.0.0.1:{port}/v1", delivery=Delivery(first_wait=0.2, attempts=8))
    waiting = asyncio.create_task(reply_from(transport))
    await asyncio.sleep(0.1)
    async with ChatServer([answers("42")], port=port):
        assert (await waiting).text == "42"
        await transport.close()


async def test_one_transport_serves_many_runs_at_once() -> None:
    def echo(request: dict[str, Any], _number: int) -> Response:
        return says(request["messages"][0]["content"])

    async def ask(number: int) -> str:
        reader = OpenAIChat().reader(stream=True)
        request = body(stream=True, text=f"run {number}")
        await transport.send(request, into(reader), stream=True, timeout=30)
        return reader.close().text

    async with ChatServer(echo) as server:
        transport = transport_to(server.base_url)
        replies = await asyncio.gather(*(ask(number) for number in range(150)))
        await transport.close()
    assert replies == [f"run {number}" for number in range(150)]


def test_one_transport_serves_one_event_loop_after_the_other() -> None:
    with ChatServer(["one", "two"]) as server:
        transport = transport_to(server.base_url)
        texts = [asyncio.run(reply_from(transport)).text for _ in range(2)]
    assert texts == ["one", "two"]
    server.assert_done()


def test_close_reaches_connections_of_a_loop_in_another_thread() -> None:
    with ChatServer(["one"]) as server:
        transport = transport_to(server.base_url)

        async def elsewhere() -> None:
            await reply_from(transport)
            await asyncio.to_thread(asyncio.run, transport.close())

        asyncio.run(elsewhere())
    server.assert_done()


async def test_what_the_reader_raises_is_not_taken_for_a_network_failure() -> None:
    def closed_pipe(_data: bytes) -> None:
        raise BrokenPipeError("nobody reads the terminal")

    async with ChatServer(["yes"]) as server:
        transport = transport_to(server.base_url)
        with pytest.raises(BrokenPipeError):
            await transport.send(body(), closed_pipe, stream=False, timeout=None)
        await transport.close()


async def test_cancelling_ends_the_request() -> None:
    arrived = asyncio.Event()

    def late(_request: dict[str, Any], _number: int) -> Response:
        arrived.set()
        return after(30, "late")

    async with ChatServer(late) as server:
        transport = transport_to(server.base_url)
        asking = asyncio.create_task(reply_from(transport))
        await arrived.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await transport.close()


async def test_the_environment_proxy_is_not_used_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with ChatServer(["yes"]) as server:
        transport = transport_to(server.base_url)
        assert (await reply_from(transport)).text == "yes"
        await transport.close()


async def test_no_model_elsewhere_is_reached_while_the_network_is_off() -> None:
    with pytest.raises(ModelError, match=r"LOOPWRIGHT_OFFLINE is set.*api.openai.com") as caught:
        await reply_from(transport_to("https://api.openai.com/v1"))
    assert (caught.value.failure, caught.value.lost) == ("network", False)


def test_the_key_is_in_no_representation() -> None:
    assert KEY not in repr(transport_to("http://127.0.0.1:1/v1", key=KEY))


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match="OLLAMA_API_KEY") as caught:
        transport_to("http://127.0.0.1:1/v1", key=key)
    assert key not in str(caught.value)


def test_attempts_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="attempts"):
        Delivery(attempts=0)


async def test_a_proxy_of_the_environment_carries_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOPWRIGHT_OFFLINE")  # the proxy stands on this machine, so nothing leaves it
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    async with ChatServer(["through the proxy"]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1"))
        transport = transport_to("http://model.invalid/v1", key=KEY)
        reply = await reply_from(transport)
        await transport.close()
    assert reply.text == "through the proxy"
    assert proxy.requests[0].headers["host"] == "model.invalid"


async def test_a_proxy_that_is_not_there_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOPWRIGHT_OFFLINE")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", f"http://me:hunter2@127.0.0.1:{closed_port()}")
    transport = transport_to("http://model.invalid/v1")
    with pytest.raises(ModelError, match=r"through http://127\.0\.0\.1:\d+.*NO_PROXY") as caught:
        await reply_from(transport)
    await transport.close()
    assert not caught.value.lost
    assert "hunter2" not in str(caught.value)


async def test_a_server_without_tls_is_not_reached_over_https() -> None:
    async with ChatServer(["never"]) as server:
        transport = transport_to(server.base_url.replace("http://", "https://"))
        with pytest.raises(ModelError, match=r"cannot reach .* safely") as caught:
            await reply_from(transport)
        await transport.close()
    assert (caught.value.failure, caught.value.lost) == ("network", False)
    assert not server.requests


async def test_a_name_that_nobody_knows_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_arguments: object, **_options: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    transport = transport_to("http://nowhere.localhost/v1")
    with pytest.raises(ModelError, match=r"cannot find the host .*nowhere\.localhost") as caught:
        await reply_from(transport)
    await transport.close()
    assert (caught.value.failure, caught.value.lost) == ("network", False)
