"""`loopwright read`: how a saved reply or stream would be read."""

from typing import Any


def read() -> None:
    """Read JSON lines from standard input, each a reply or a stream of a model, and answer how each would be read.

    In: {"id", "protocol": "react-text" | "openai-chat", "tools": {name: {parameter: type}}, and one of "reply",
    "message", "chunks"}. Out: {"id", "kind": "action" | "final" | "thought" | "malformed" | "empty", "thought",
    "answer", "problem", "calls": [{"id", "tool", "arguments", "input", "state", "reason"}]}, and for streams also
    "content", "reasoning", "error", "usage".
    """
    import sys

    from msgspec import DecodeError
    from msgspec.json import decode, encode

    answer: dict[str, Any]
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            question = decode(line, type=dict[str, Any])
        except DecodeError as error:
            answer = {
                "id": None,
                "kind": "malformed",
                "problem": f"the line is not a JSON object: {error}",
                "calls": [],
            }
        else:
            answer = answered(question)
        sys.stdout.buffer.write(encode(answer) + b"\n")
        sys.stdout.buffer.flush()


def answered(question: dict[str, Any]) -> dict[str, Any]:
    """The answer to one line; what is wrong with the line itself is the problem of that line only."""
    from loopwright.core.errors import UsageError
    from loopwright.protocols.reading import read_line

    try:
        return read_line(question)
    except UsageError as error:
        return unreadable(question.get("id"), str(error))


def unreadable(line_id: object, problem: str) -> dict[str, Any]:
    """The answer to a line that holds no question."""
    return {"id": line_id, "kind": "malformed", "problem": problem, "calls": []}
