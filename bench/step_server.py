"""A local server that speaks OpenAI's chat format and keeps a run going for a given number of steps.

Run by `bench/step_cost.py` in a process of its own, so that its cost is not counted. Prints its port.
"""

import json
import sys
from typing import Any

from aiohttp import web


def reply(body: dict[str, Any], steps: int) -> dict[str, Any]:
    """A call of the tool while there are fewer results than steps, then the answer."""
    done = sum(1 for message in body["messages"] if message["role"] == "tool")
    if done >= steps:
        message: dict[str, Any] = {"role": "assistant", "content": f"{done} results are in."}
    else:
        call = {
            "id": f"call_{done:06}",
            "type": "function",
            "function": {"name": "measure", "arguments": json.dumps({"point": done, "unit": "celsius"})},
        }
        message = {"role": "assistant", "content": f"I need the value at point {done}.", "tool_calls": [call]}
    finish = "stop" if done >= steps else "tool_calls"
    return {
        "id": f"chatcmpl-{done}",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "bench",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 100 + 60 * done, "completion_tokens": 30, "total_tokens": 130 + 60 * done},
    }


def pieces(whole: dict[str, Any]) -> list[bytes]:
    """The same reply as an event stream, a few characters a delta."""
    message = whole["choices"][0]["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    text = message["content"]
    deltas += [{"content": text[n : n + 6]} for n in range(0, len(text), 6)]
    for index, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        head = {"index": index, "id": call["id"], "type": "function"}
        deltas.append({"tool_calls": [{**head, "function": {"name": function["name"], "arguments": ""}}]})
        arguments = function["arguments"]
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": arguments[n : n + 6]}}]}
            for n in range(0, len(arguments), 6)
        ]
    head = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1700000000, "model": "bench"}
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    finish = whole["choices"][0]["finish_reason"]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({**head, "choices": [], "usage": whole["usage"]})
    return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [b"data: [DONE]\n\n"]


async def answer(request: web.Request) -> web.StreamResponse:
    """One chat completion."""
    body = await request.json()
    whole = reply(body, int(request.match_info["steps"]))
    if not body.get("stream"):
        return web.json_response(whole)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(b"".join(pieces(whole)))
    await response.write_eof()
    return response


async def application() -> web.Application:
    """The server; the number of steps is the first part of the path."""
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/{steps}/chat/completions", answer)
    return app


async def serve() -> None:
    """Listen on a free port of the loopback until the standard input closes."""
    import asyncio

    runner = web.AppRunner(await application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    import asyncio

    asyncio.run(serve())
