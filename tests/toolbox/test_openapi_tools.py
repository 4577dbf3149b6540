"""The operations of an HTTP API as tools, against a small library's API that really answers."""

import asyncio
import copy
import json
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from loopwright import Agent
from loopwright.core.errors import MissingExtra, UsageError
from loopwright.core.messages import Result
from loopwright.testing.scripted import ScriptedModel, answers, calls
from loopwright.toolbox.openapi import OpenApiTool, openapi_tools

FILE = Path(__file__).with_name("library.json")
DOCUMENT: dict[str, Any] = json.loads(FILE.read_text())
KEYS = {"LIBRARY_TOKEN": "token-0123456789", "LIBRARY_KEY": "key/0123456789"}
PIXEL = b"\x89PNG\r\n\x1a\n\x00\x00"


class Library:
    """The API; keeps what it was sent."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.address = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.text()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.append({"method": request.method, "path": request.raw_path, "headers": headers, "body": body})
        match request.path.removeprefix("/v1"):
            case "/books" if request.method == "POST":
                return web.json_response({"id": "7", **json.loads(body)}, status=201)
            case "/books":
                return web.json_response([{"id": "1", "title": "Sinuhe"}])
            case "/books/1/cover":
                return web.Response(body=PIXEL, content_type="image/png")
            case "/moved":
                raise web.HTTPFound("http://127.0.0.1:9/stolen")
            case "/echo":
                told = {"authorization": headers.get("authorization"), "path": request.raw_path}
                return web.json_response(told)
            case path:
                return await self.failure(path, request)

    async def failure(self, path: str, request: web.Request) -> web.StreamResponse:
        match path:
            case "/lost":
                assert request.transport is not None
                request.transport.close()
                return web.Response()
            case "/slow":
                await asyncio.sleep(60)
                return web.Response()
            case "/large":
                return web.Response(text="x" * 5_000)
            case "/books/404":
                return web.json_response({"detail": "no such book"}, status=404)
            case "/books/gone":
                return web.Response(status=204)
            case "/books/bad":
                return web.Response(status=500, text="broken\x1b[31m by " + request.headers.get("Authorization", ""))
            case _:
                return web.Response(text=f"{request.method} {path}")


@pytest.fixture
async def library() -> AsyncIterator[Library]:
    api = Library()
    app = web.Application()

    async def document(_: web.Request) -> web.Response:
        return web.json_response(DOCUMENT)

    app.router.add_get("/openapi.json", document)
    app.router.add_route("*", "/{path:.*}", api.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    api.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield api
    await runner.cleanup()


def tools_of(library: Library, **settings: Any) -> dict[str, OpenApiTool]:
    given: dict[str, Any] = {
        "base_url": f"{library.address}/v1",
        "bearer_from": "LIBRARY_TOKEN",
        "query_from": {"api_key": "LIBRARY_KEY"},
        "variables": KEYS,
        "notice": list[str]().append,
        **settings,
    }
    return {tool.operation.id: tool for tool in openapi_tools(DOCUMENT, **given)}


def data(result: Result) -> Any:
    assert (result.status, result.error) == ("ok", "")
    return msgspec.json.decode(result.data)


# What is offered


def test_methods_say_what_an_operation_does_and_settings_say_it_better() -> None:
    tools = {
        tool.operation.id: tool.spec for tool in openapi_tools(FILE, base_url="http://x/", notice=list[str]().append)
    }
    found = {name: tools[name].effect for name in ("listBooks", "addBook", "removeBook", "noteOnBook", "search")}
    assert found == {
        "listBooks": "read",
        "addBook": "write",
        "removeBook": "delete",
        "noteOnBook": "write",
        "search": "write",
    }
    assert (tools["listBooks"].repeatable, tools["addBook"].repeatable) == (True, False)
    assert not tools["listBooks"].trusted_output
    chosen = openapi_tools(
        DOCUMENT,
        base_url="http://x",
        operations=["search", "GET /books/{bookId}"],
        effects={"POST /search": "read"},
        prefix="library",
    )
    assert [(tool.spec.name, tool.spec.effect) for tool in chosen] == [
        ("library_search", "read"),
        ("library_getBook", "read"),
    ]


def test_parameters_and_bodies_become_one_schema() -> None:
    tools = {
        tool.operation.id: tool.spec for tool in openapi_tools(FILE, base_url="http://x", notice=list[str]().append)
    }
    books = tools["listBooks"]
    assert books.description == "List books. Newest first"
    assert list(books.parameters["properties"]) == ["limit", "tag", "year", "filter", "X-Request-Id", "api_key"]
    assert books.parameters["properties"]["limit"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "description": "At most so many",
    }
    added = tools["addBook"].parameters
    assert added["required"] == ["body"]
    body = added["properties"]["body"]
    assert (list(body["properties"]), body["required"]) == (["title", "subtitle", "sequels"], ["title"])
    assert body["properties"]["subtitle"] == {"type": ["string", "null"]}
    assert body["properties"]["sequels"] == {"type": "array", "items": {}}


def test_what_cannot_be_offered_is_said_and_refused_when_it_is_asked_for() -> None:
    with pytest.warns(UserWarning, match="left out") as warned:
        openapi_tools(DOCUMENT, base_url="http://x")
    assert [str(one.message) for one in warned] == [
        "the operation PUT /books/{bookId}/cover is left out, because its body is multipart/form-data; only JSON, "
        "forms and plain text can be sent",
        "the operation GET /elsewhere is left out, because it refers to 'http://127.0.0.1:9/parameter.json', which is "
        "outside of the document",
    ]
    with pytest.raises(UsageError, match=r"PUT /books/\{bookId\}/cover cannot be offered, because its body"):
        openapi_tools(DOCUMENT, base_url="http://x", operations=["PUT /books/{bookId}/cover"])


@pytest.mark.parametrize(
    ("document", "settings", "told"),
    [
        ({"swagger": "2.0"}, {}, "no OpenAPI document of version 2; convert it to version 3"),
        ({"openapi": "3.1.0", "paths": {}}, {}, "describes no operations"),
        ("no-such-file.json", {}, "cannot read the OpenAPI document no-such-file.json: No such file"),
        (DOCUMENT, {}, "does not say where the API is"),
        (DOCUMENT, {"base_url": "ftp://x"}, "does not say where the API is"),
        (DOCUMENT, {"base_url": "https://u:p@x/"}, "without user, query and fragment"),
        (DOCUMENT, {"base_url": "http://x", "query_from": {"api_key": "X"}}, "a secret is not sent over http"),
        (DOCUMENT, {"base_url": "http://x", "operations": ["listBoks"]}, "did you mean 'listBooks'"),
        (DOCUMENT, {"base_url": "http://x", "effects": {"listBooks": "fly"}}, "'fly' is no effect"),
        (
            {**DOCUMENT, "servers": [{"url": "https://evil"}]},
            {"bearer_from": "X"},
            "name the API's address with base_url",
        ),
        ("https://api.example.org/openapi.json", {}, "LOOPWRIGHT_OFFLINE is set"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    document: Any, settings: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPWRIGHT_OFFLINE", "1")
    with pytest.raises(UsageError) as refused:
        openapi_tools(document, **settings, notice=list[str]().append)
    assert told in str(refused.value)


def test_a_document_of_too_many_operations_asks_for_a_choice() -> None:
    paths = {f"/{number}": {"get": {"operationId": f"get{number}"}} for number in range(200)}
    document = {"openapi": "3.1.0", "paths": paths}
    with pytest.raises(UsageError, match="200 operations, and models take at most 128"):
        openapi_tools(document, base_url="http://x")
    assert len(openapi_tools(document, base_url="http://x", operations=["get1", "get199"])) == 2


def test_a_document_may_be_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "api.yaml"
    file.write_text("openapi: 3.1.0\nservers: [{url: 'http://x/api'}]\npaths:\n  /a: {get: {summary: A}}\n")
    tool = openapi_tools(file)[0]
    assert (tool.spec.name, tool.base_url) == ("GET_a", "http://x/api")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtra, match="pip install pyyaml"):
        openapi_tools(file)


def test_a_schema_that_is_made_to_grow_is_left_out() -> None:
    document = copy.deepcopy(DOCUMENT)
    schemas = {f"s{n}": {"anyOf": [{"$ref": f"#/components/schemas/s{n + 1}"}] * 8} for n in range(20)}
    document["components"]["schemas"] = {**schemas, "s20": {"type": "string"}, "Book": schemas["s0"]}
    told: list[str] = []
    openapi_tools(document, base_url="http://x", notice=told.append)
    assert "the operation POST /books is left out, because its schema is too large" in told


async def test_a_document_is_fetched_from_where_the_api_is(library: Library) -> None:
    found: list[OpenApiTool] = []
    address = f"{library.address}/openapi.json"
    worker = threading.Thread(target=lambda: found.extend(openapi_tools(address, operations=["getBook"])))
    worker.start()
    await asyncio.to_thread(worker.join)
    assert found[0].base_url == f"{library.address}/v1"
    assert data(await found[0].run({"bookId": "1"})) == "GET /books/1"


# What is sent


async def test_arguments_go_where_the_document_says(library: Library) -> None:
    tools = tools_of(library)
    arguments = {
        "limit": "5",
        "tag": ["a b", "c&d"],
        "year": [1945, 1950],
        "filter": {"author": "Waltari"},
        "X-Request-Id": "r1",
    }
    assert data(await tools["listBooks"].run(arguments)) == [{"id": "1", "title": "Sinuhe"}]
    sent = library.seen[-1]
    assert sent["path"] == (
        "/v1/books?limit=5&tag=a%20b&tag=c%26d&year=1945%2C1950&filter%5Bauthor%5D=Waltari&api_key=key%2F0123456789"
    )
    assert sent["headers"]["x-request-id"] == "r1"
    assert sent["headers"]["authorization"] == "Bearer token-0123456789"


@pytest.mark.parametrize(
    ("operation", "arguments", "body", "media"),
    [
        ("addBook", {"body": {"title": "Äiti"}}, '{"title": "Äiti"}', "application/json"),
        ("noteOnBook", {"bookId": "1", "body": "good"}, "good", "text/plain; charset=utf-8"),
        ("search", {"body": {"text": "a&b"}}, "text=a%26b", "application/x-www-form-urlencoded"),
        ("removeBook", {"bookId": "1"}, "", None),
    ],
)
async def test_bodies_are_written_in_their_media_type(
    library: Library, operation: str, arguments: dict[str, Any], body: str, media: str | None
) -> None:
    result = await tools_of(library)[operation].run(arguments)
    assert result.status == "ok"
    assert (library.seen[-1]["body"], library.seen[-1]["headers"].get("content-type")) == (body, media)


@pytest.mark.parametrize("value", ["a/b", "../admin", "a?b=c#d", "%2e%2e", "ü {x}", "a;b"])
async def test_a_part_of_a_path_stays_one_part(library: Library, value: str) -> None:
    await tools_of(library)["getBook"].run({"bookId": value})
    path = library.seen[-1]["path"].partition("?api_key")[0]
    assert path.startswith("/v1/books/")
    assert path.count("/") == 3
    assert "?" not in path


@pytest.mark.parametrize(
    ("operation", "arguments", "told"),
    [
        ("getBook", {"bookId": ".."}, "would lead to another address"),
        ("getBook", {"bookId": ""}, "must not be empty"),
        ("getBook", {}, "bookId: missing, expected a string"),
        ("listBooks", {"X-Request-Id": "a\r\nX-Admin: yes"}, "must be ASCII in one line"),
        ("listBooks", {"limit": 99}, "limit: got 99, expected at most 50"),
        ("listBooks", {"api_key": "mine"}, "api_key: there is no such parameter"),
        ("addBook", {"body": {"subtitle": None}}, "body.title: missing"),
    ],
)
async def test_what_does_not_fit_is_not_sent(
    library: Library, operation: str, arguments: dict[str, Any], told: str
) -> None:
    tool = tools_of(library)[operation]
    assert told in tool.check(arguments)
    assert told in (await tool.run(arguments)).error
    assert library.seen == []


async def test_what_is_null_is_left_out(library: Library) -> None:
    assert (await tools_of(library)["listBooks"].run({"limit": None})).status == "ok"
    assert "limit" not in library.seen[-1]["path"]


# What comes back


async def test_answers_are_results(library: Library) -> None:
    tools = tools_of(library, max_bytes=4_000, timeout=0.5)
    added = await tools["addBook"].run({"body": {"title": "x"}})
    assert (data(added), added.note) == ({"id": "7", "title": "x"}, "status 201")
    gone = await tools["removeBook"].run({"bookId": "gone"})
    assert (data(gone), gone.note) == (None, "status 204")
    assert [one.media_type for one in (await tools["cover"].run({"bookId": "1"})).artifacts] == ["image/png"]
    missing = await tools["getBook"].run({"bookId": "404"})
    assert (missing.status, missing.error) == (
        "not_found",
        'NotFound: GET /books/{bookId} answered with status 404: {"detail": "no such book"}',
    )
    large = await tools["large"].run({})
    assert large.error == "ServiceError: GET /large answered with more than 4000 bytes, status 200"
    assert (await tools["slow"].run({})).error == "NetworkError: 127.0.0.1 did not answer within 0.5 s"


async def test_a_lost_connection_says_that_the_call_may_have_taken_effect(library: Library) -> None:
    lost = await tools_of(library)["lost"].run({})
    assert lost.error.startswith("NetworkError: 127.0.0.1 cannot be reached")
    assert lost.error.endswith("; the call may have taken effect")


async def test_no_redirect_takes_the_secret_elsewhere(library: Library) -> None:
    moved = await tools_of(library)["GET /moved"].run({})
    assert moved.error == (
        "ServiceError: GET /moved answered with status 302 and leads to http://127.0.0.1:9/stolen, "
        "which is not followed"
    )


async def test_a_secret_that_the_api_repeats_is_taken_out(library: Library) -> None:
    tools = tools_of(library)
    echoed = await tools["echo"].run({})
    assert data(echoed) == {"authorization": "Bearer [key]", "path": "/v1/echo?api_key=[key]"}
    broken = await tools["getBook"].run({"bookId": "bad"})
    assert broken.error.endswith("answered with status 500: broken[31m by Bearer [key]")
    assert "0123456789" not in repr((tools["echo"], tools["echo"].secrets, tools["echo"].spec))


async def test_a_secret_that_is_not_set_is_named(library: Library) -> None:
    result = await tools_of(library, variables={"LIBRARY_KEY": "x"})["getBook"].run({"bookId": "1"})
    assert result.error.startswith("NotConfigured: the environment variable LIBRARY_TOKEN is not set")
    assert library.seen == []


async def test_a_run_uses_an_operation(library: Library) -> None:
    model = ScriptedModel(replies=[calls("listBooks", limit=1), answers("Sinuhe")])
    tools = list(tools_of(library).values())
    agent = Agent(model, tools=tools, journal=":memory:")
    assert {tool.name: tool.permission for tool in agent.tools}["addBook"] == "ask"
    result = await agent.run("Which book is new?")
    assert (result.answer, result.calls) == ("Sinuhe", 1)
