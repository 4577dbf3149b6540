"""Feeds arbitrary bytes to every reader and checks the laws that they keep to, guided by coverage (libFuzzer, atheris).

    python -m venv /tmp/fuzz && /tmp/fuzz/bin/pip install atheris .
    /tmp/fuzz/bin/python scripts/fuzz_readers.py --seeds FOLDER      # writes seeds and a dictionary, once
    /tmp/fuzz/bin/python scripts/fuzz_readers.py FOLDER -dict=FOLDER.dict -max_total_time=3600 -timeout=10 -max_len=4096

atheris is no dependency of the project: it is wanted here only, and installs into an environment of its own. An input
that breaks a law is written to a file ``crash-...``, one that takes longer than `-timeout` to ``timeout-...``; give the
file as the only argument to see it again, and make a named case of it in ``tests/protocols/test_fuzz_readers.py``.

The first byte of an input chooses the reader, the second its options and the split; the rest is the reply. The laws are
those of ``tests/protocols/reader_laws.py``, which the tests check on generated replies as well.
"""

import ast
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "protocols"))

READERS = (
    *("react-text", "auto", "line", "openai-chat", "openai-responses", "anthropic", "gemini", "cohere-v2"),
    "json-form",
)
LANGUAGES = ("en", "de", "fr", "es", "fi", "he", "zh", "ja")
COMMAND, CUT, CLOSING, PRIMED = 1, 2, 4, 8
CALL = '{"name": "get_weather", "arguments": {"location": "Oslo"}}'
SHORTEST, LONGEST = 12, 800
"""Characters of the texts of tests that are taken as seeds."""
WORDS = (
    *("Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:", "Answer:", "**Action:**", "Input:"),
    *("search", "bash", "get_weather", "write_file", "Ask a coworker", "now", "finish", "None", "query", "command"),
    *("location", "path", "lines", "```", "```json", "~~~", "<think>", "</think>", '{"', '"}', '": "', "\\\\", '\\"'),
    *("<tool_call>", "</tool_call>", "<function=bash>", "</function>", "<parameter=command>", "</parameter>"),
    *("<invoke name=", "</invoke>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "[TOOL_CALLS]", "[ARGS]"),
    *("<|python_tag|>", "<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|call|>", "commentary to=functions."),
    *(
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
        "<|tool_call_begin|>",
        "```tool_code",
        "<bash>",
    ),
    *('"name"', '"arguments"', '"parameters"', '"action"', '"action_input"', '"function"', '"tool_calls"', '"id"'),
    *("data: ", "event: ", "[DONE]", '"choices"', '"delta"', '"content"', '"index"', '"finish_reason"', '"usage"'),
    *('"type"', '"text"', '"input"', '"partial_json"', '"content_block_delta"', '"message_stop"', '"tool_use"'),
    *('"candidates"', '"parts"', '"functionCall"', '"args"', '"response.output_item.done"', '"item"', '"output"'),
    *('"tool-call-delta"', '"message-end"', '"error"', '"message"', '"protocol"', '"reply"', '"chunks"', '"tools"'),
)


def main() -> None:
    """Write seeds, or fuzz."""
    if len(sys.argv) > 2 and sys.argv[1] == "--seeds":
        _write_seeds(Path(sys.argv[2]))
        return
    atheris: Any = import_module("atheris")
    with atheris.instrument_imports(include=["loopwright.protocols"]):
        import_module("loopwright.protocols.reading")
    laws: Any = import_module("reader_laws")

    def check(data: bytes) -> None:
        _check(laws, data)

    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


def _check(laws: Any, data: bytes) -> None:
    if len(data) < 2:
        return
    reader, flags, rest = READERS[data[0] % len(READERS)], data[1], data[2:]
    if reader == "react-text":
        laws.keeps_text(
            rest.decode("utf-8", "replace"),
            command=bool(flags & COMMAND),
            cut=bool(flags & CUT),
            closing=bool(flags & CLOSING),
            primed="Thought 1:" if flags & PRIMED else "",
            language=LANGUAGES[flags // 16 % len(LANGUAGES)],
        )
    elif reader == "json-form":
        language = LANGUAGES[flags // 16 % len(LANGUAGES)]
        laws.keeps_json_form(
            rest.decode("utf-8", "replace"), cut=bool(flags & CUT), closing=bool(flags & CLOSING), language=language
        )
    elif reader == "auto":
        laws.keeps_leaks(rest.decode("utf-8", "replace"), cut=bool(flags & CUT))
    elif reader == "line":
        _check_line(laws, rest)
    else:
        laws.keeps_wire(reader, rest, 1 + flags % 32)


def _check_line(laws: Any, data: bytes) -> None:
    try:
        question: object = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(question, dict):
        laws.keeps_line(question)


def _write_seeds(folder: Path) -> None:
    """The replies of the corpus and the texts of the tests as inputs, and the words of all forms as a dictionary."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (reader, text) in enumerate(_seeds()):
        head = bytes([READERS.index(reader), 0])
        (folder / f"seed-{number:04d}").write_bytes(head + text.encode("utf-8", "replace"))
    entries = ["".join(rf"\x{byte:02x}" for byte in word.encode()) for word in WORDS]
    folder.with_suffix(".dict").write_text("".join(f'"{entry}"\n' for entry in entries), encoding="ascii")


def _seeds() -> list[tuple[str, str]]:
    names = {"anthropic-messages": "anthropic", "gemini-generate-content": "gemini"}
    found: list[tuple[str, str]] = []
    for file in sorted((ROOT / "conformance").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            if "chunks" in row:
                reader = names.get(str(row["dialect"]), str(row["dialect"]))
                found.append((reader, "".join(f"data: {chunk}\n\n" for chunk in row["chunks"])))
            elif "raw" in row:
                found += [("react-text", row["raw"]), ("auto", row["raw"])]
            else:
                found.append(("openai-chat", json.dumps(row["raw_message"])))
            question: dict[str, Any] = {
                "protocol": "auto",
                "tools": row.get("tools") or {},
                "reply": row.get("raw", ""),
            }
            found.append(("line", json.dumps(question)))
    texts = sorted({text for file in (ROOT / "tests" / "protocols").glob("test_*.py") for text in _texts(file)})
    return found + [(reader, text) for text in texts for reader in ("react-text", "auto", "json-form", "line")]


def _texts(file: Path) -> list[str]:
    """The string literals of a module; what is filled in is taken to be a call."""
    found: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        elif isinstance(node, ast.JoinedStr):
            found.append("".join(str(part.value) if isinstance(part, ast.Constant) else CALL for part in node.values))
    return [text for text in found if SHORTEST < len(text) < LONGEST]


if __name__ == "__main__":
    main()
