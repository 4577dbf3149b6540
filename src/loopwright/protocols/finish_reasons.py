"""Why a reply ended: the words of all providers and servers, as data.

Owns which of them mean that the reply is whole, that it was cut, or that it broke. They are compared without regard to
case, because servers that imitate a format write them as they like. What follows from it is decided by the readers.
"""

from collections.abc import Sequence
from typing import Literal

Ending = Literal["whole", "cut", "broken", "unknown"]

_WHOLE = frozenset(
    (
        *("", "stop", "stop_sequence", "stop_token", "stopped", "end", "end_turn", "end_of_turn", "eos", "eos_token"),
        *("complete", "completed", "done", "finish", "finished", "success", "normal"),
        *("tool_call", "tool_calls", "tool_use", "function_call", "function_calls"),
    )
)
_CUT = frozenset(
    (
        *("length", "max_length", "max_tokens", "max_token", "max_output_tokens", "max_completion_tokens"),
        *("max_new_tokens", "token_limit", "limit", "model_length", "context_length", "context_length_exceeded"),
        *("model_context_window_exceeded", "incomplete", "truncated"),
    )
)
_BROKEN = frozenset(
    (
        *("abort", "aborted", "cancel", "canceled", "cancelled", "disconnect", "expired", "interrupted", "pause_turn"),
        *("exception", "failed", "failure", "network_error", "server_error", "insufficient_system_resource", "timeout"),
        *("blocklist", "content_filter", "content_filtered", "content_filter_results", "guardrail_intervened"),
        *("filter", "image_safety", "language", "malformed_function_call", "malformed_tool_call", "no_image", "other"),
        *("prohibited_content", "recitation", "refusal", "safety", "sensitive", "spii", "unexpected_tool_call"),
        *("too_many_tool_calls", "user_cancelled"),
    )
)
_BROKEN_BEGINNINGS = ("error", "timeout")
"""Words with these beginnings are many: ``ERROR_TOXIC``, ``error: out of memory``."""


def ending_of(reason: str) -> Ending:
    """What a finish reason means; ``unknown`` where nobody has told us."""
    word = reason.strip().lower().replace("-", "_").replace(" ", "_")
    if word in _WHOLE:
        return "whole"
    if word in _CUT:
        return "cut"
    return "broken" if word in _BROKEN or word.startswith(_BROKEN_BEGINNINGS) else "unknown"


def told(reasons: Sequence[str]) -> str:
    """The one finish reason of a reply that gives several: that it was cut, or else the first that says most.

    ``length`` stands for all words that say that a limit was reached.
    """
    if any(ending_of(reason) == "cut" for reason in reasons):
        return "length"
    doubtful = (reason for reason in reasons if ending_of(reason) != "whole")
    return next(doubtful, reasons[0] if reasons else "")
