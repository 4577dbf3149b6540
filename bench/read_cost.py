"""What it costs to read a reply: text, streams of every wire format, and inputs made to be slow.

    python bench/read_cost.py [--repeat 7] [--quick]

CPU time of this process, the least of the repeats, beside `json.loads` of the same bytes, which every reader of a
stream has to do at the least: the ratio says more than the milliseconds, because it does not depend on the machine. The
last tables read texts of growing length that are made of the beginnings of calls, labels and quotations: what matters
there is that the time for a kilobyte stays the same.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from loopwright.core.messages import ToolSpec
from loopwright.protocols import anthropic, cohere, gemini, openai_chat, openai_responses
from loopwright.protocols.native import read
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.speech import Dialect, Reply

JSON = dict[str, Any]

DELTAS = 1_000
PIECES = 16_384
"""Bytes that a network hands over at once."""
LEAST_KILOBYTE = 1.0
"""Microseconds below which growth means nothing."""
SIZES = (16_000, 64_000, 256_000, 1_000_000)

TOOLS = [
    ToolSpec(name, parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]})
    for name in ("search", "lookup", "bash", "get_weather")
]

SENTENCE = "The harbour office keeps its records by the year, and the one of 1911 is among those that were lost. "
STEP = f'Thought: {SENTENCE * 18}\nAction: search {{"query": "harbour records 1911"}}'
ANSWER = f"Thought: {SENTENCE * 9}\nFinal Answer: {SENTENCE * 10}"
PLAIN = "\n".join([SENTENCE * 2] * 10)
MARKDOWN = "\n".join(
    ["### What is known", "", f"- {SENTENCE}", f"1. **{SENTENCE[:40]}**: {SENTENCE}", "", "`a` and `b`"] * 7
)
WRITTEN = json.dumps({"name": "bash", "arguments": {"query": SENTENCE * 16}})
LEAK = f"{SENTENCE * 2}\n<tool_call>\n{WRITTEN}\n</tool_call>"

SLOW: dict[str, str] = {
    "words": SENTENCE,
    "labels": "Thought: a\nAction: search[b]\n",
    "observations": "Action: search[b]\nObservation: c\n",
    "open objects": 'Action: search {"query": "a\n',
    "open brackets": "Action: search[[\n",
    "[": "[",
    "{": "{",
    '{"a":': '{"a":',
    "backslashes": "\\",
    "quotes": "'\"",
    "fences": "```\n",
    "backticks": "`a",
    "blanks": " ",
    "lines": "\n",
    "think": "<think>\n",
    "tool_call": "<tool_call>",
    "tool_call {": '<tool_call>{"name": "bash", ',
    "function=": "<function=bash><parameter=query>",
    "invoke": '<invoke name="bash">',
    "harmony": "<|start|>assistant<|channel|>commentary to=functions.bash<|message|>",
    "[TOOL_CALLS]": "[TOOL_CALLS]bash",
    "deepseek": "<｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n",
    "arg_key": "<tool_call>bash<arg_key>query</arg_key>",
    "tags": "<bash><query>",
    "less-than": "<",
    "closing marks": "</tool_call>",
    "closing tokens": "<|tool_call_end|>",
    "closing lines": "</function_calls>\n",
    "closing list": "</tool_call>, ",
    "closing tags": "</bash>",
    "empty tags": "<bash/>",
    "asides": "<details>\n</details>",
    "python": "bash(query='",
    "quoted": '> "<tool_call>',
    "calls": '<tool_call>{"name": "bash", "arguments": {"query": "a"}}</tool_call>\n',
}


def chat_events() -> list[JSON]:
    """A thousand deltas of a chat completion: text, and then the arguments of a call."""
    base: JSON = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "demo"}

    def delta(found: JSON, finish: str | None = None) -> JSON:
        return {**base, "choices": [{"index": 0, "delta": found, "finish_reason": finish}]}

    def call(piece: str, **more: str) -> JSON:
        return delta({"tool_calls": [{"index": 0, **more, "function": {"arguments": piece}}]})

    text = [delta({"content": "word "}) for _ in range(DELTAS // 2)]
    begin = delta(
        {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "bash", "arguments": ""}}]}
    )
    return [
        *text,
        begin,
        call('{"query": "'),
        *(call("word ") for _ in range(DELTAS // 2)),
        call('"}'),
        delta({}, "tool_calls"),
    ]


def responses_events() -> list[JSON]:
    """The same in OpenAI's responses format."""
    message: JSON = {"type": "message", "id": "m1", "role": "assistant", "status": "in_progress", "content": []}
    call: JSON = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "bash", "arguments": ""}
    arguments = f'{{"query": "{"word " * (DELTAS // 2)}"}}'
    words = "word " * (DELTAS // 2)
    done: JSON = {
        **message,
        "status": "completed",
        "content": [{"type": "output_text", "text": words, "annotations": []}],
    }
    part: JSON = {"item_id": "m1", "output_index": 0, "content_index": 0}
    own: JSON = {"item_id": "f1", "output_index": 1}
    pieces = ['{"query": "', *["word "] * (DELTAS // 2), '"}']
    events: list[JSON] = [
        {"type": "response.created", "response": {"id": "r1", "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": message},
        *({"type": "response.output_text.delta", **part, "delta": "word "} for _ in range(DELTAS // 2)),
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.output_item.added", "output_index": 1, "item": call},
        *({"type": "response.function_call_arguments.delta", **own, "delta": piece} for piece in pieces),
        {"type": "response.function_call_arguments.done", **own, "arguments": arguments},
        {"type": "response.output_item.done", "output_index": 1, "item": {**call, "arguments": arguments}},
    ]
    output = [done, {**call, "arguments": arguments}]
    return [*events, {"type": "response.completed", "response": {"id": "r1", "status": "completed", "output": output}}]


def anthropic_events() -> list[JSON]:
    """The same in Anthropic's messages format."""

    def delta(index: int, **found: str) -> JSON:
        return {"type": "content_block_delta", "index": index, "delta": found}

    call: JSON = {"type": "tool_use", "id": "c1", "name": "bash", "input": {}}
    pieces = ['{"query": "', *["word "] * (DELTAS // 2), '"}']
    return [
        {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 9}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(delta(0, type="text_delta", text="word ") for _ in range(DELTAS // 2)),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": call},
        *(delta(1, type="input_json_delta", partial_json=piece) for piece in pieces),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


def gemini_events() -> list[JSON]:
    """A thousand chunks of text, and a call, which always comes whole here."""

    def chunk(part: JSON, **more: str) -> JSON:
        found: JSON = {"content": {"parts": [part], "role": "model"}, "index": 0, **more}
        return {"candidates": [found], "usageMetadata": {"promptTokenCount": 9}, "modelVersion": "demo"}

    call: JSON = {"functionCall": {"name": "bash", "args": {"query": "word"}}}
    return [*(chunk({"text": "word "}) for _ in range(DELTAS)), chunk(call, finishReason="STOP")]


def cohere_events() -> list[JSON]:
    """The same as for chat completions in Cohere's format."""

    def call(kind: str, **found: Any) -> JSON:
        return {"type": f"tool-call-{kind}", "index": 0, "delta": {"message": {"tool_calls": found}}}

    pieces = ['{"query": "', *["word "] * (DELTAS // 2), '"}']
    words: JSON = {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "word "}}}}
    return [
        {"type": "message-start", "delta": {"message": {"role": "assistant"}}},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        *[words] * (DELTAS // 2),
        {"type": "content-end", "index": 0},
        call("start", id="c1", type="function", function={"name": "bash", "arguments": ""}),
        *(call("delta", function={"arguments": piece}) for piece in pieces),
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]


STREAMS: dict[str, tuple[Dialect, Callable[[], list[JSON]]]] = {
    "openai-chat": (openai_chat.OpenAIChat(), chat_events),
    "openai-responses": (openai_responses.OpenAIResponses(), responses_events),
    "anthropic": (anthropic.Anthropic(), anthropic_events),
    "gemini": (gemini.Gemini(), gemini_events),
    "cohere-v2": (cohere.CohereChat(), cohere_events),
}


def least(work: Callable[[], object], repeat: int, least_seconds: float = 0.02) -> float:
    """CPU seconds of one call: the least of the repeats, each of as many calls as take long enough to be measured."""
    number = 1
    while (spent := _seconds(work, number)) < least_seconds:
        number = max(2 * number, int(number * least_seconds / max(spent, 1e-6)))
    return min(spent, *(_seconds(work, number) for _ in range(repeat - 1))) / number


def _seconds(work: Callable[[], object], number: int) -> float:
    begun = time.process_time()
    for _ in range(number):
        work()
    return time.process_time() - begun


def through_the_wire(dialect: Dialect, pieces: Sequence[bytes]) -> Reply:
    reader = dialect.reader(stream=True)
    for piece in pieces:
        reader.feed(piece)
    return reader.close()


def texts(repeat: int) -> None:
    print(f"{'a reply in text':38}{'bytes':>9}{'time':>12}{'json.loads':>14}{'ratio':>9}")
    cases: dict[str, tuple[str, Callable[[str], object]]] = {
        "text protocol: step": (STEP, lambda text: read_text(text, TOOLS)),
        "text protocol: answer": (ANSWER, lambda text: read_text(text, TOOLS)),
        "native: plain answer": (PLAIN, lambda text: read(Reply(text=text), TOOLS)),
        "native: answer in Markdown": (MARKDOWN, lambda text: read(Reply(text=text), TOOLS)),
        "native: leaked call": (LEAK, lambda text: read(Reply(text=text), TOOLS)),
    }
    for name, (text, reader) in cases.items():
        taken = least(lambda text=text, reader=reader: reader(text), repeat)
        row(name, len(text.encode()), taken, loads([text], repeat))


def streams(repeat: int) -> None:
    print(f"\n{f'a stream of {DELTAS:,} deltas':38}{'bytes':>9}{'time':>12}{'json.loads':>14}{'ratio':>9}")
    for name, (dialect, events) in STREAMS.items():
        payloads = [json.dumps(event) for event in events()]
        sent = "".join(f"data: {payload}\n\n" for payload in payloads).encode()
        for how, size in (("", PIECES), (", a delta at a time", 0)):
            pieces = (
                [sent[start : start + size] for start in range(0, len(sent), size)]
                if size
                else [f"data: {payload}\n\n".encode() for payload in payloads]
            )
            turn = read(through_the_wire(dialect, pieces), TOOLS)
            assert [call.state for call in turn.calls] == ["strict"], (name, turn)
            taken = least(lambda dialect=dialect, pieces=pieces: read(through_the_wire(dialect, pieces), TOOLS), repeat)
            row(name + how, len(sent), taken, loads(payloads, repeat))


def loads(parts: Sequence[str], repeat: int) -> float:
    """Seconds of `json.loads` of the same text: of each payload, or of a text as a JSON string."""
    encoded = [part if part[:1] == "{" else json.dumps(part) for part in parts]
    return least(lambda: [json.loads(part) for part in encoded], repeat)


def row(name: str, size: int, taken: float, beside: float) -> None:
    print(f"{name:38}{size:9,}{shown(taken):>12}{shown(beside):>14}{taken / beside:9.1f}")


def shown(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs" if seconds < 0.001 else f"{seconds * 1e3:.2f} ms"


def growth() -> None:
    """How the time grows with the length of inputs that are made to be slow."""
    readers: dict[str, Callable[[str], object]] = {
        "text protocol": lambda text: read_text(text, TOOLS),
        "native, leaks": lambda text: read(Reply(text=text), TOOLS),
    }
    heads = "".join(f"{f'{size // 1000:,} kB':>10}" for size in SIZES)
    worst = 0.0
    for how, reader in readers.items():
        print(f"\n{f'{how}: µs a kB':34}{heads}{'growth':>9}{'ratio':>9}")
        for name, unit in SLOW.items():
            each = [_per_kilobyte(reader, unit, size) for size in SIZES]
            grown = each[-1] / max(each[0], LEAST_KILOBYTE)
            worst = max(worst, grown)
            beside = _per_kilobyte(lambda text: json.loads(json.dumps(text)), unit, SIZES[-1])
            print(f"{name:34}{''.join(f'{figure:10.1f}' for figure in each)}{grown:9.1f}{each[-1] / beside:9.0f}")
    print(f"\nat most a kB of {SIZES[-1]:,} bytes costs {worst:.1f} times what one of {SIZES[0]:,} bytes costs")


def _per_kilobyte(reader: Callable[[str], object], unit: str, size: int) -> float:
    text = unit * (size // len(unit))
    return min(_seconds(lambda: reader(text), 1) for _ in range(3)) * 1e6 / (len(text) / 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="leave the slow inputs out")
    options = parser.parse_args()
    texts(options.repeat)
    streams(options.repeat)
    if not options.quick:
        growth()


if __name__ == "__main__":
    main()
