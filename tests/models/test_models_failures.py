"""What refusals mean, in the words that providers use."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.models.failures import masked, refusal, retry_after, shortened, understood
from loopwright.models.providers import Endpoint

ENDPOINT = Endpoint(label="Groq", base_url="https://api.groq.com/openai/v1", model="small", key_variable="GROQ_API_KEY")


def failure_of(status: int, body: object, *, tools: bool = True) -> str:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return refusal(ENDPOINT, "", status, {}, raw, tools=tools).error.failure


def openai(message: str, code: Any = None, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


FULL = [
    (400, openai("This model's maximum context length is 8192 tokens. However, you requested 9000.", None)),
    (400, openai("Your input exceeds the context window of this model.", "context_length_exceeded")),
    (400, {"object": "error", "message": "The prompt is longer than the maximum model length of 4096", "code": 400}),
    (400, {"error": {"code": 400, "message": "the request exceeds the available context size. try increasing it",
                     "type": "exceed_context_size_error", "n_ctx": 4096}}),
    (500, {"error": {"code": 500, "message": "the request exceeds the available context size"}}),
    (400, openai("Please reduce the length of the messages or completion.", "context_length_exceeded")),
    (400, {"object": "error", "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with "
           "32768 maximum context length", "type": "invalid_request_error", "code": "3051"}),
    (400, openai("This endpoint's maximum context length is 16385 tokens.", 400)),
    (400, {"error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded "
           "with context length of only 4096 tokens, which is not enough."}),
    (400, {"error": {"code": "400", "message": "This model's maximum prompt length is 131072 but the request contains "
                     "200000 tokens."}}),
    (400, [{"error": {"code": 400, "message": "The input token count (1200000) exceeds the maximum number of tokens "
                      "allowed (1048576).", "status": "INVALID_ARGUMENT"}}]),
    (400, openai("Invalid request: Your request exceeded model token limit: 8192")),
    (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097"}),
    (400, openai("prompt is too long: 210000 tokens > 200000 maximum")),
    (413, openai("Request body too large", "tokens_limit_reached")),
    (413, b"<html><head><title>413 Request Entity Too Large</title></head></html>"),
]  # fmt: skip

NO_TOOLS = [
    (400, {"error": {"message": "registry.ollama.ai/library/gemma:2b does not support tools", "type": "api_error"}}),
    (404, {"error": {"message": "No endpoints found that support tool use. To learn more, see docs.", "code": 404}}),
    (400, {"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice and '
           "--tool-call-parser to be set", "code": 400}),
    (500, {"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"}}),
    (500, {"error": {"code": 500, "message": "tool_choice param requires --jinja flag", "type": "server_error"}}),
    (400, openai("`tool calling` is not supported with this model")),
    (400, openai("deepseek-reasoner does not support Function Calling")),
    (400, {"object": "error", "message": "Function calling is not enabled for this model", "code": 3000}),
    (400, openai("'tools' is not supported with this model.", "unsupported_parameter")),
    (400, openai("Unsupported parameter: 'tools' is not supported with this model.")),
    (400, openai("Unrecognized request argument supplied: tools")),
    (400, openai("tool_choice is not supported")),
    (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted",
                       "input": []}]}),
    (501, {"error": "tools is not supported"}),
    (400, {"error": "Tool use has not been enabled, because it is unsupported by this model"}),
]  # fmt: skip

NO_MODEL = [
    (404, openai("The model `small` does not exist or you do not have access to it.", "model_not_found")),
    (404, {"error": {"message": "model 'small' not found, try pulling it first", "type": "api_error"}}),
    (404, {"error": "model \"small\" not found, try pulling it first"}),
    (400, {"object": "error", "message": "Invalid model: small", "type": "invalid_model", "code": "1500"}),
    (400, openai("Model Not Exist")),
    (400, openai("The model `small` has been decommissioned and is no longer supported.", "model_decommissioned")),
    (400, {"error": {"message": "small is not a valid model ID", "code": 400}}),
    (404, {"error": {"message": "No endpoints found for small.", "code": 404}}),
]  # fmt: skip

OTHER = [
    (401, openai("Incorrect API key provided", "invalid_api_key"), "auth"),
    (403, openai("Country, region, or territory not supported", "unsupported_country_region_territory"), "auth"),
    (402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}, "auth"),
    (429, openai("You exceeded your current quota.", "insufficient_quota", "insufficient_quota"), "auth"),
    (429, openai("Rate limit reached for small: the context length counts too", "rate_limit_exceeded"), "overloaded"),
    (400, openai("Failed to call a function. See 'failed_generation'.", "tool_use_failed"), "reply"),
    (400, openai("Invalid schema for function 'f': schema must be type 'object'"), "request"),
    (400, openai("tool_choice is only allowed when 'tools' are specified."), "request"),
    (400, openai("An assistant message with 'tool_calls' must be followed by tool messages"), "request"),
    (404, {"detail": "Not Found"}, "request"),
    (404, b"404 page not found", "request"),
    (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, "overloaded"),
    (500, b"", "overloaded"),
    (418, b"\xff\xfe", "request"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), FULL)
def test_a_full_context_is_known_by_its_wording(status: int, body: object) -> None:
    assert failure_of(status, body) == "context"


@pytest.mark.parametrize(("status", "body"), NO_TOOLS)
def test_refused_tools_are_known_by_their_wording(status: int, body: object) -> None:
    assert failure_of(status, body) == "tools_refused"


@pytest.mark.parametrize(("status", "body"), NO_MODEL)
def test_a_wrong_model_is_known_by_its_wording(status: int, body: object) -> None:
    assert failure_of(status, body) == "model"


@pytest.mark.parametrize(("status", "body", "failure"), OTHER)
def test_other_refusals(status: int, body: object, failure: str) -> None:
    assert failure_of(status, body) == failure


def test_a_used_up_quota_is_not_asked_again() -> None:
    body = msgspec.json.encode(openai("You exceeded your current quota.", "insufficient_quota"))
    refused = refusal(ENDPOINT, "", 429, {"Retry-After": "1"}, body, tools=False)
    assert not refused.repeat
    assert "quota or balance is used up" in refused.error.message


def test_a_call_that_the_provider_could_not_read_may_be_asked_again() -> None:
    body = msgspec.json.encode(openai("Failed to call a function.", "tool_use_failed"))
    assert refusal(ENDPOINT, "", 400, {}, body, tools=True).error.lost


def test_what_a_provider_behind_the_provider_said_is_shown() -> None:
    raw = '{"error":{"message":"temperature must be below 1"}}'
    body = {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}}
    refused = refusal(ENDPOINT, "", 400, {}, msgspec.json.encode(body), tools=False)
    assert "Provider returned error: temperature must be below 1" in refused.error.message


KEY = "gsk_abcdefghijklmnop"


@pytest.mark.parametrize(
    "message",
    [
        f"Incorrect API key provided: {KEY}.",
        f"Authorization: Bearer {KEY}",
        "x" * 390 + KEY,
        "wrong key gsk_abcd****mnop here",
        "wrong key sk-proj-abc*************xyz here",
    ],
)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_no_part_of_a_key_is_shown(message: str, status: int) -> None:
    refused = refusal(ENDPOINT, KEY, status, {}, msgspec.json.encode(openai(message)), tools=False)
    shown = str(refused.error)
    assert "abc" not in shown
    assert "nop" not in shown
    assert "xyz" not in shown


def test_a_short_key_is_masked_without_spoiling_words() -> None:
    assert masked("the key no was sent to nobody", "no") == "the key [key] was sent to nobody"


@given(st.text(min_size=8), st.text(), st.text())
def test_a_key_is_masked_wherever_it_stands(key: str, before: str, behind: str) -> None:
    stripped = key.strip()
    if len(stripped) >= 8 and stripped not in "[key][key]":
        assert stripped not in masked(before + stripped + behind, stripped)


@given(st.binary(max_size=300))
def test_any_body_is_understood(body: bytes) -> None:
    refused = refusal(ENDPOINT, "", 400, {}, body, tools=True)
    assert refused.error.message


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["error", "message", "detail", "loc", "msg", "code", "metadata", "raw"]), inner
            )
        ),
        max_leaves=8,
    )
)
def test_any_json_is_understood(body: object) -> None:
    understood(msgspec.json.encode(body))


def test_a_long_message_is_cut_and_says_so() -> None:
    assert shortened("word " * 500).endswith(" …")
    assert len(shortened("word " * 500)) <= 402


NOW = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": " 0.5 "}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "Tue, 01 Jan 2030 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Tue, 01 Jan 2030 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "99999999999999999999"}, None),
    ],
)
def test_the_wait_that_is_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
