"""What a provider's refusal means: from status, headers and body to a `ModelError` that says what to do.

Owns the wordings by which providers are told apart, as data, and the masking of keys in them. Pure: nothing is sent or
repeated here.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import quote

import msgspec
from msgspec import Struct

from loopwright.core.errors import ModelError
from loopwright.core.events import Failure
from loopwright.models.providers import Endpoint
from loopwright.protocols.keys import MASK, without_keys
from loopwright.protocols.refusals import refuses_tools

SHOWN = 400
"""Characters of a provider's message that are shown."""
MATCHED = 2000
"""Characters of a provider's message in which wordings are looked for."""

REPEATED = frozenset({408, 409, 425, 429, 500, 502, 503, 520, 521, 522, 523, 529})
"""Statuses after which the same request may be sent again: the provider did not do the work, or does not charge it."""
GATEWAY_TIMEOUT = frozenset({504, 524})
"""Something between us and the model gave up waiting; the model may have done the work."""

CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|tokens_limit_reached|string_above_max_length|request_too_large"
    r"|(maximum|available|model'?s|the) context (length|size|window)"
    r"|context (length|size|window|limit) (is|of|exceeded|overflow)|context overflow|exceeds? (the )?context"
    r"|maximum (model|prompt) length|max_model_len|too large for model with \d+ maximum"
    r"|prompt (is )?too long|input is too long|too many (input |prompt )?tokens"
    r"|reduce the length of the (messages|prompt|input)"
    r"|input (token count|length).{0,80}exceeds?|exceeded model token limit|max_new_tokens.{0,20}must be <="
    r"|tokens to keep from the initial prompt",
    re.IGNORECASE | re.DOTALL,
)
"""A full context, as OpenAI, vLLM, llama.cpp, Mistral, Groq, xAI, Gemini, LM Studio, Kimi, TGI and others put it."""

CONSTRAINT_REFUSED = re.compile(r"response_format|json_schema|structured[ _]outputs?|guided[ _]|grammar", re.IGNORECASE)
"""Whatever an endpoint says against what keeps replies to a form, it names the field or the form."""

MODEL_UNKNOWN = re.compile(
    r"model_not_found|model_decommissioned|invalid_model|model not exist"
    r"|model ['\"`]?.{0,120}?['\"`]? ?(does not exist|not found|is not found|was not found|has been decommissioned"
    r"|is not available|doesn't exist)"
    r"|invalid model|unknown model|not a valid model|no endpoints found for|no such model|model .{0,120} not loaded"
    r"|not_found_error model:|models/\S{1,120} is not found",
    re.IGNORECASE | re.DOTALL,
)

NO_MONEY = re.compile(
    r"insufficient_quota|billing_hard_limit_reached|insufficient[ _]balance|billing_not_active"
    r"|credit balance is too low",
    re.IGNORECASE,
)

KEY_REFUSED = re.compile(r"api key not valid|api key expired|api_key_invalid", re.IGNORECASE)
"""A wrong key, as Gemini puts it under status 400."""


class Refusal(Struct, frozen=True):
    """A response that is not a reply."""

    error: ModelError
    repeat: bool
    """Whether sending the same request again may help and does no harm."""
    wait: float | None = None
    """Seconds that the provider asks to wait."""


class Said(Struct, frozen=True):
    """What an error body says."""

    message: str = ""
    code: str = ""

    @property
    def all(self) -> str:
        """Code and message, for looking for wordings."""
        return f"{self.code} {self.message[:MATCHED]}"


def refusal(
    endpoint: Endpoint,
    key: str,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tools: bool,
    constrained: bool = False,
) -> Refusal:
    """Understand a response whose status is not a success.

    Args:
        endpoint: where the request went
        key: the key that was sent, so that it can be masked; empty for none
        status: the HTTP status
        headers: the response's headers, read without regard to case
        body: the beginning of the response's body
        tools: whether the request offered tools; otherwise nobody can have refused them
        constrained: whether the request kept the reply to a form; otherwise nobody can have refused that
    """
    said = understood(body)
    failure, text, lost = _classified(endpoint, status, headers, said, tools=tools, constrained=constrained)
    quoted = shortened(masked(said.message, key))  # masked first: half a key is a key
    told = f'; it says: "{quoted}"' if quoted else ""
    text = _without(text, key)  # a redirect may name it
    error = ModelError(failure, f"{text} (HTTP {status}{told})", lost=lost)
    return Refusal(error, _may_repeat(failure, status, headers), retry_after(headers))


def _classified(
    endpoint: Endpoint, status: int, headers: Mapping[str, str], said: Said, *, tools: bool, constrained: bool
) -> tuple[Failure, str, bool]:
    """Class, text and whether the work may have been done. What is said counts more than the status."""
    if status in (401, 403, 407):
        return "auth", _about_the_key(endpoint, status), False
    if status == 400 and KEY_REFUSED.search(said.all):
        return "auth", _about_the_key(endpoint, 401), False
    if status == 402 or NO_MONEY.search(said.all):
        return "auth", f"{endpoint.label} does not work for this account: its quota or balance is used up", False
    if "tool_use_failed" in said.code:
        return "reply", f"the model wrote a call that {endpoint.label} could not read", True
    worded = _by_wording(endpoint, said.all, tools=tools) if _says_why(status) else None
    if worded is None and constrained and status in (400, 422) and CONSTRAINT_REFUSED.search(said.all):
        return "request", _about_the_constraint(endpoint), False
    return (*worded, False) if worded else _by_status(endpoint, status, headers)


def _says_why(status: int) -> bool:
    """Whether the wording of this status may be about the request; llama.cpp says such things with 500."""
    return status in (500, 501) or (400 <= status < 500 and status != 429)


def _by_wording(endpoint: Endpoint, words: str, *, tools: bool) -> tuple[Failure, str] | None:
    if CONTEXT.search(words):
        return "context", f"the request is larger than the context of {endpoint.model!r}"
    if tools and refuses_tools(words):
        return "tools_refused", f"{endpoint.model!r} at {endpoint.base_url} takes no tools"
    if MODEL_UNKNOWN.search(words):
        return "model", _about_the_model(endpoint)
    return None


def _by_status(endpoint: Endpoint, status: int, headers: Mapping[str, str]) -> tuple[Failure, str, bool]:
    where = f"{endpoint.label} at {endpoint.base_url}"
    if status == 413:
        return "context", f"the request is larger than {where} accepts", False
    if status in GATEWAY_TIMEOUT:
        return "timeout", f"{where} did not answer in time; it may have done the work", True
    if status in (404, 405):
        return "request", _about_the_address(endpoint), False
    if 300 <= status < 400:
        return "request", _about_a_redirect(endpoint, headers), False
    if status == 429:
        return "overloaded", f"{where} takes no more requests for now: a rate limit is reached", False
    if status >= 500 or status in REPEATED:
        return "overloaded", f"{where} failed or is overloaded; try again later", False
    return "request", f"{where} refused the request", False


def _about_the_key(endpoint: Endpoint, status: int) -> str:
    if status == 407:
        return "the proxy wants a user name and password: put them into HTTPS_PROXY"
    if status == 403:
        return (
            f"{endpoint.label} at {endpoint.base_url} does not allow this: check what the key in "
            f"{endpoint.key_variable} may do"
        )
    return (
        f"{endpoint.label} at {endpoint.base_url} does not accept the key: set {endpoint.key_variable} to a valid one, "
        "in the environment or in a .env file"
    )


def _about_the_model(endpoint: Endpoint) -> str:
    hint = endpoint.listing or f"{endpoint.at('/models')} lists the names"
    return f"{endpoint.label} at {endpoint.base_url} has no model {endpoint.model!r}; {hint}"


def _about_the_constraint(endpoint: Endpoint) -> str:
    return (
        f"{endpoint.model!r} at {endpoint.base_url} does not take what keeps replies to their form: ask without it "
        "(--no-constrain, or constrain=False)"
    )


def _about_the_address(endpoint: Endpoint) -> str:
    path = endpoint.base_url.partition("?")[0].rstrip("/")
    end = endpoint.route.base_end
    hint = "" if path.endswith(end) else f"; most base URLs end in {end}"
    return f"there is no chat endpoint at {endpoint.url}: check the base URL{hint}"


def _about_a_redirect(endpoint: Endpoint, headers: Mapping[str, str]) -> str:
    target = headers.get("Location", "another address").partition("?")[0]
    return f"{endpoint.url} points to {target}; redirects are not followed, so give the right base URL"


def _may_repeat(failure: Failure, status: int, headers: Mapping[str, str]) -> bool:
    if failure != "overloaded":
        return False
    advice = headers.get("x-should-retry", "")  # sent by OpenAI
    return status in REPEATED if advice not in ("true", "false") else advice == "true"


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a response asks to wait: ``retry-after-ms``, or ``Retry-After`` as seconds or as an HTTP date.

    Source: RFC 9110, section 10.2.3. None when nothing is said or it cannot be read.
    """
    for name, factor in (("retry-after-ms", 0.001), ("Retry-After", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
            return float(value) * factor
    try:
        date = parsedate_to_datetime(headers.get("Retry-After", ""))
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def understood(body: bytes) -> Said:
    """What an error body says, in any of the shapes that providers use."""
    try:
        decoded: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Said(_plain(body.decode("utf-8", "replace")))
    if isinstance(decoded, list) and decoded:  # Gemini wraps its error in a list
        decoded = cast("list[Any]", decoded)[0]
    if not isinstance(decoded, dict):
        return Said(shortened(str(cast("object", decoded))))
    outer = cast("dict[str, Any]", decoded)
    inner = outer.get("error")
    if isinstance(inner, dict):
        return _from_error(cast("dict[str, Any]", inner))
    message = inner if isinstance(inner, str) else _message(outer)
    return Said(message, _codes(outer))


def _from_error(error: dict[str, Any]) -> Said:
    message = _message(error)
    metadata = error.get("metadata")
    raw = cast("dict[str, Any]", metadata).get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str) and raw and raw != message:  # OpenRouter: what the provider behind it said
        message = f"{message}: {understood(raw.encode()).message}"
    return Said(message, _codes(error))


def _message(holder: dict[str, Any]) -> str:
    for name in ("message", "detail", "error_message", "msg"):
        value = holder.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, dict):
            return _message(cast("dict[str, Any]", value))
        if isinstance(value, list):
            return "; ".join(_complaint(entry) for entry in cast("list[Any]", value))
    return ""


def _complaint(entry: object) -> str:
    """One entry of a validation error as FastAPI servers send them: the place, then what is wrong with it."""
    if not isinstance(entry, dict):
        return str(entry)
    fields = cast("dict[str, Any]", entry)
    place: object = fields.get("loc")
    path = ".".join(str(step) for step in cast("list[Any]", place)) if isinstance(place, list) else ""
    text = str(fields.get("msg", fields.get("message", "")))
    return f"{path}: {text}" if path else text


def _codes(holder: dict[str, Any]) -> str:
    found = [holder.get(name) for name in ("code", "type", "param")]
    return " ".join(str(value) for value in found if isinstance(value, str | int))


def _plain(text: str) -> str:
    """Text of a body that is not JSON; of a web page only the title."""
    if re.match(r"\s*<", text):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return title.group(1).strip() if title else "a web page"
    return text.strip()


def shortened(text: str) -> str:
    """A message on one line, cut to `SHOWN` characters with a mark where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN].rstrip() + " …"


def masked(text: str, key: str) -> str:
    """The text without the key, and without anything that looks like one."""
    return without_keys(_without(text, key))


def _without(text: str, key: str) -> str:
    for secret in {key, quote(key, safe="")} - {""}:
        pattern = re.escape(secret) if len(secret) >= 8 else rf"(?<!\w){re.escape(secret)}(?!\w)"
        text = re.sub(pattern, MASK, text)
    return text
