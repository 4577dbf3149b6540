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

    from loopwright.protocols.reading import read_line

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
            answer = read_line(question)
        sys.stdout.buffer.write(encode(answer) + b"\n")
        sys.stdout.buffer.flush()
