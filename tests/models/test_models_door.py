"""The one door to a socket."""

import os
import socket

import pytest

from loopwright.core.errors import ModelError, UsageError
from loopwright.models import door
from loopwright.models.openai_compatible import Delivery, OpenAICompatible
from loopwright.models.providers import Endpoint
from loopwright.testing.network import forbid_network


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1"]
)
def test_this_machine(host: str) -> None:
    assert door.is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "example.com", "localhost.example.com", "10.0.0.1", "0.0.0.0", "::", "127.0.0.1.example.com"]
)
def test_other_machines(host: str) -> None:
    assert not door.is_loopback(host)


@pytest.mark.parametrize(("value", "off"), [("1", True), ("true", True), ("0", False), ("", False), ("No", False)])
def test_the_switch(value: str, off: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(door.SWITCH, value)
    assert door.offline() is off


def test_forbidding_ends_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(door.SWITCH)
    with forbid_network():
        with pytest.raises(ModelError, match=r"nothing is sent to example\.com"):
            door.check("https://example.com/v1")
        door.check("http://localhost:1/v1")
        with forbid_network():
            pass
        assert door.offline()
    assert door.SWITCH not in os.environ
    door.check("https://example.com/v1")


async def test_a_name_of_this_machine_that_leads_elsewhere_gets_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """The resolver is outside our hands: here it is made to answer with another machine."""
    elsewhere = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]

    def lying(*_arguments: object, **_options: object) -> object:
        return elsewhere

    monkeypatch.setattr(socket, "getaddrinfo", lying)
    endpoint = Endpoint("a server", "http://model.localhost/v1", "m", "KEY")
    transport = OpenAICompatible(endpoint, delivery=Delivery(attempts=1))
    with pytest.raises(ModelError, match=r"no socket is made for 192\.0\.2\.1") as caught:
        await transport.send(b"{}", print, stream=False, timeout=5)
    await transport.close()
    assert not caught.value.lost


def proxies(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    proxies(monkeypatch, HTTPS_PROXY="http://me:p%40ss@proxy:3128", NO_PROXY="inside.example")
    proxy = door.proxy_for("https://api.example/v1")
    assert proxy is not None
    assert proxy.url == "http://proxy:3128"
    assert proxy.headers == {"Proxy-Authorization": "Basic bWU6cEBzcw=="}
    assert door.proxy_for("https://inside.example/v1") is None
    assert door.proxy_for("https://localhost/v1") is None
    assert door.proxy_for("http://api.example/v1") is None


def test_a_proxy_without_a_scheme_is_http(monkeypatch: pytest.MonkeyPatch) -> None:
    proxies(monkeypatch, ALL_PROXY="proxy:3128")
    proxy = door.proxy_for("https://api.example/v1")
    assert proxy is not None
    assert (proxy.url, proxy.headers) == ("http://proxy:3128", None)


def test_a_proxy_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    proxies(monkeypatch, ALL_PROXY="socks5://proxy:1080")
    with pytest.raises(UsageError, match="socks5"):
        door.proxy_for("https://api.example/v1")
