"""An MCP server of the official SDK behind an address, with a token. Run as a process by the tests.

    python mcp_http_server.py FOLDER

It says its port in the first line of its output, and leaves the headers that it got in FOLDER.
"""

import os
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations

FOLDER = Path(sys.argv[1])
server = MCPServer("remote")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def count(words: list[str], context: Context[Any, Any]) -> int:
    """Count words."""
    for number, word in enumerate(words):
        await context.report_progress(number, len(words), word)
    return len(words)


@server.tool()
def leave() -> str:
    """End the server in the middle of a call."""
    os._exit(0)


@server.tool()
def flood() -> str:
    """Give a lot."""
    return "x" * (17 << 20)


def main() -> None:
    app = server.streamable_http_app(json_response="json" in sys.argv)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "http":
            with (FOLDER / "headers").open("ab") as seen:
                seen.write(headers.get(b"authorization", b"none") + b" " + headers.get(b"x-team", b"none") + b"\n")
        if scope["type"] == "http" and headers.get(b"authorization") != b"Bearer let-me-in":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"no"})
            return
        await app(scope, receive, send)

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(guarded, log_level="error", lifespan="on")).run(sockets=[listening])


main()
