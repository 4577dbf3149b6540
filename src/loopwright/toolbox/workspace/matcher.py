"""A process of its own that looks for a regular expression, so that one that never ends can be ended.

Started by `matching` as a script, without the rest of the package: JSON on standard input, JSON on standard output. It
opens nothing, and what it may use of time and memory is limited from the outside and, where the system can, by itself.
"""

import json
import re
import sys
from typing import Any

MEMORY = 1_000_000_000
"""Bytes that the process may use."""
SECONDS = 60
"""Of computing; whoever asked ends the process earlier, unless it died itself."""


def found(pattern: str, *, fold: bool, texts: list[str], most: int) -> dict[str, Any]:
    """Number of the text, number of the line and place in it, of at most `most` matches; or what is wrong."""
    try:
        compiled = re.compile(pattern, re.IGNORECASE if fold else 0)
    except (re.error, OverflowError, RecursionError) as raised:
        return {"error": str(raised)}
    places: list[tuple[int, int, int]] = []
    for number, text in enumerate(texts):
        for line, content in enumerate(text.split("\n"), 1):
            match = compiled.search(content)
            if match is None:
                continue
            places.append((number, line, match.start()))
            if len(places) >= most:
                return {"places": places}
    return {"places": places}


def main() -> None:
    """Answer the one question on standard input."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # another system; the time limit stands
        pass
    asked = json.load(sys.stdin)
    json.dump(found(asked["pattern"], fold=asked["fold"], texts=asked["texts"], most=asked["most"]), sys.stdout)


if __name__ == "__main__":
    main()
