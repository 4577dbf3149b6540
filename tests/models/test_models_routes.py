"""Addresses, keys and refusals of the providers that do not speak OpenAI's format."""

from typing import Any

import msgspec
import pytest

from loopwright.models.catalog import default_spec, resolve
from loopwright.models.failures import refusal
from loopwright.models.openai_compatible import OpenAICompatible
from loopwright.models.providers import Endpoint

KEY = "sk-ant-0123456789abcdef"


def endpoint_of(spec: str, **environ: str) -> Endpoint:
    transport = resolve(spec, environ=environ).transport
    assert isinstance(transport, OpenAICompatible)
    return transport.endpoint


def test_anthropic_speaks_its_own_dialect_at_its_own_address() -> None:
    model = resolve("anthropic:claude-haiku-4-5", environ={"ANTHROPIC_API_KEY": KEY})
    assert model.dialect.name == "anthropic"
    assert model.price is not None
    endpoint = endpoint_of("anthropic", ANTHROPIC_API_KEY=KEY)
    assert endpoint.url == endpoint.stream_url == "https://api.anthropic.com/v1/messages"


def test_gemini_has_the_model_in_its_address_and_another_address_for_streams() -> None:
    model = resolve("gemini:gemini-2.5-flash", environ={"GOOGLE_API_KEY": KEY})
    assert model.dialect.name == "gemini"
    assert model.price is not None
    endpoint = endpoint_of("gemini:models/gemini-2.5-flash", GEMINI_API_KEY=KEY)
    base = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash"
    assert endpoint.url == f"{base}:generateContent"
    assert endpoint.stream_url == f"{base}:streamGenerateContent?alt=sse"
    assert KEY not in endpoint.stream_url


def test_a_model_cannot_lead_to_another_address() -> None:
    endpoint = endpoint_of("gemini:../../x?y=1#z", GEMINI_API_KEY=KEY)
    assert endpoint.url.endswith("/v1beta/models/..%2F..%2Fx%3Fy%3D1%23z:generateContent")


@pytest.mark.parametrize("written", ["http://box", "http://box/", "http://box/v1", "http://box/v1/messages"])
def test_anthropics_base_url_is_taken_in_all_its_forms(written: str) -> None:
    endpoint = endpoint_of("anthropic:m", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=written)
    assert endpoint.url == "http://box/v1/messages"


def test_a_query_of_the_base_url_is_joined_with_that_of_the_path() -> None:
    endpoint = endpoint_of("gemini:m", GEMINI_API_KEY=KEY, GEMINI_BASE_URL="http://box/v1beta?region=x")
    assert endpoint.stream_url == "http://box/v1beta/models/m:streamGenerateContent?region=x&alt=sse"


@pytest.mark.parametrize(
    ("variable", "spec"),
    [
        ("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-4-5"),
        ("GEMINI_API_KEY", "gemini:gemini-2.5-flash"),
        ("GOOGLE_API_KEY", "gemini:gemini-2.5-flash"),
    ],
)
def test_a_key_in_the_environment_decides_the_default(variable: str, spec: str) -> None:
    assert default_spec({variable: KEY}) == (spec, f"{variable} is set")


def anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def gemini(status: int, kind: str, message: str) -> list[dict[str, Any]]:
    return [{"error": {"code": status, "message": message, "status": kind}}]


REFUSALS: list[tuple[str, int, object, str, bool]] = [
    ("anthropic", 401, anthropic("authentication_error", "invalid x-api-key"), "auth", False),
    ("anthropic", 404, anthropic("not_found_error", "model: claude-0"), "model", False),
    ("anthropic", 400, anthropic("invalid_request_error", "Your credit balance is too low to access"), "auth", False),
    (
        "anthropic",
        400,
        anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
        "context",
        False,
    ),
    ("anthropic", 413, anthropic("request_too_large", "Request exceeds the maximum size"), "context", False),
    ("anthropic", 529, anthropic("overloaded_error", "Overloaded"), "overloaded", True),
    ("anthropic", 404, {"detail": "Not Found"}, "request", False),
    ("gemini", 400, gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "auth", False),
    ("gemini", 404, gemini(404, "NOT_FOUND", "models/g is not found for API version v1beta, or …"), "model", False),
    ("gemini", 429, gemini(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted"), "overloaded", True),
    ("gemini", 400, gemini(400, "INVALID_ARGUMENT", "Function calling is not enabled for g"), "tools_refused", False),
]


@pytest.mark.parametrize(("provider", "status", "body", "failure", "repeat"), REFUSALS)
def test_refusals_in_the_words_of_the_provider(
    provider: str, status: int, body: object, failure: str, *, repeat: bool
) -> None:
    environ = {"ANTHROPIC_API_KEY": KEY, "GEMINI_API_KEY": KEY}
    found = refusal(endpoint_of(f"{provider}:m", **environ), KEY, status, {}, msgspec.json.encode(body), tools=True)
    assert (found.error.failure, found.repeat) == (failure, repeat)


def test_a_wrong_address_is_told_what_base_urls_end_in() -> None:
    endpoint = endpoint_of("gemini:m", GEMINI_API_KEY=KEY, GEMINI_BASE_URL="http://box")
    assert "most base URLs end in /v1beta" in str(refusal(endpoint, KEY, 404, {}, b"", tools=False).error)
    endpoint = endpoint_of("anthropic:m", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL="http://box")
    assert "most base URLs" not in str(refusal(endpoint, KEY, 404, {}, b"", tools=False).error)
