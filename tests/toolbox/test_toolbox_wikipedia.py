"""Wikipedia against a stand-in of the MediaWiki API."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from msgspec import json

from loopwright import Agent
from loopwright.core.errors import UsageError
from loopwright.core.events import CallEnded
from loopwright.core.messages import Result
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.scripted import ScriptedModel, answers, calls
from loopwright.testing.services import Services, services
from loopwright.toolbox.load import load_tools
from loopwright.toolbox.settings import AGENT, WIKIPEDIA, user_agent, wikipedia_address
from loopwright.toolbox.wiki import MEANINGS, TOOLS, wikipedia

ADA = """Augusta Ada King, Countess of Lovelace, was an English mathematician.

She worked with Charles Babbage.


== Biography ==

=== Childhood ===
Byron expected a boy.

Her mother taught her mathematics.

== Work ==
Her notes hold the first published algorithm, for computing Bernoulli numbers."""
MERCURY = (
    "Mercury most commonly refers to:\n\nMercury (planet), the closest planet to the Sun\nMercury (element), a metal"
)


@asynccontextmanager
async def serving(monkeypatch: pytest.MonkeyPatch, **articles: str) -> AsyncGenerator[Services]:
    pages = {"Ada Lovelace": ADA, "Mercury": MERCURY, "Charles Babbage": "He built engines.", **articles}
    async with services(articles=pages) as running:
        running.redirects["Lady Lovelace"] = "Ada Lovelace"
        running.ambiguous.add("Mercury")
        for name, value in running.environ.items():
            monkeypatch.setenv(name, value)
        yield running


def shown(result: Result) -> str:
    assert result.status == "ok", result.error
    return json.decode(result.data, type=str)


async def test_a_page_is_found_by_its_name_and_shows_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    search, _ = wikipedia()
    async with serving(monkeypatch) as running:
        result = await search.run({"query": "ada Lovelace"})
    assert shown(result) == (
        "Ada Lovelace (5 passages)\n\nAugusta Ada King, Countess of Lovelace, was an English mathematician.\n\n"
        "She worked with Charles Babbage.\n\n# Biography\n# Childhood\nByron expected a boy.\n\n[…]"
    )
    assert result.note == "https://en.wikipedia.org/wiki/Ada_Lovelace"
    assert running.agents == [AGENT]
    assert [query["titles"] for _, query in running.calls] == ["ada Lovelace"]


async def test_lookup_gives_the_next_passage_of_the_open_page(monkeypatch: pytest.MonkeyPatch) -> None:
    search, lookup = wikipedia()
    async with serving(monkeypatch):
        assert (await lookup.run({"text": "mother"})).error.startswith("NothingOpen: use wikipedia_search first")
        await search.run({"query": "Ada Lovelace"})
        assert shown(await lookup.run({"text": "MATHEMATICS"})) == "(Result 1 / 1) Her mother taught her mathematics."
        assert shown(await lookup.run({"text": "her"})).startswith("(Result 1 / ")
        assert shown(await lookup.run({"text": "her"})).startswith("(Result 2 / ")
        assert (await lookup.run({"text": "xylophone"})).error.startswith("NotFound: Ada Lovelace does not contain")
        await search.run({"query": "Charles Babbage"})
        assert shown(await lookup.run({"text": "engines"})) == "(Result 1 / 1) He built engines."


async def test_another_name_leads_to_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    search, _ = wikipedia()
    async with serving(monkeypatch):
        result = await search.run({"query": "Lady Lovelace"})
    assert shown(result).startswith("Ada Lovelace (")
    assert result.note.startswith("'Lady Lovelace' leads here; ")


async def test_a_word_with_several_meanings_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    search, lookup = wikipedia()
    async with serving(monkeypatch, Long="\n".join(f"Meaning {number}" for number in range(100))) as running:
        result = await search.run({"query": "Mercury"})
        assert "Mercury (planet), the closest planet to the Sun\nMercury (element)" in shown(result)
        assert result.note.startswith("Mercury has several meanings; search again with the name of one; ")
        assert "metal" in shown(await lookup.run({"text": "metal"}))
        running.ambiguous.add("Long")
        result = await search.run({"query": "Long"})
        assert len(shown(result).splitlines()) == MEANINGS
        assert f"{100 - MEANINGS} more are left out" in result.note


async def test_what_is_no_name_is_searched_in_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    search, lookup = wikipedia()
    async with serving(monkeypatch):
        result = await search.run({"query": "first published algorithm Babbage"})
        assert shown(result).startswith("Ada Lovelace (")
        assert "this is the best match; also: Charles Babbage; https://" in result.note
        assert "Bernoulli" in shown(await lookup.run({"text": "bernoulli"}))
        result = await search.run({"query": "engines"})
        assert result.note == (
            "no page is called 'engines'; this is the best match; https://en.wikipedia.org/wiki/Charles_Babbage"
        )


@pytest.mark.parametrize("query", ["Adalovelace", "zzzz", "###", "|", "[[x]]"])
async def test_what_is_nowhere_is_not_found(monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    search, _ = wikipedia()
    async with serving(monkeypatch) as running:
        if query == "Adalovelace":
            running.articles = {"Ada Lovelace": "x"}
        result = await search.run({"query": query})
    assert result.status == "not_found"
    assert result.error.startswith(f"NotFound: Wikipedia has no page about {query!r}; ")
    assert ("did you mean 'ada lovelace'?" in result.error) == (query == "Adalovelace")


async def test_a_service_that_is_down_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    search, _ = wikipedia()
    async with serving(monkeypatch) as running:
        running.down.add("wikipedia")
        assert (await search.run({"query": "x"})).error.startswith("ServiceError: 127.0.0.1 answered with status 503")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ('{"error": {"code": "maxlag", "info": "Waiting for a server"}}', "Wikipedia refused: Waiting for a server"),
        ('{"error": {"code": "maxlag"}}', "Wikipedia refused: maxlag"),
        ('{"error": "no"}', "Wikipedia refused: no"),
        ('{"error": {"a": 1}}', "Wikipedia refused: an error without a text"),
        ("[]", "Wikipedia answered in an unknown format"),
        ("<html>", "127.0.0.1 answered with something that is not JSON"),
        ('{"query": []}', ""),
        ('{"query": {"pages": {"1": {}}, "search": [{"title": ""}, 7]}}', ""),
        ('{"query": {"pages": [{"title": "X", "extract": " "}]}}', ""),
    ],
)
async def test_odd_answers_are_errors_or_nothing(monkeypatch: pytest.MonkeyPatch, body: str, error: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type="application/json")

    application = web.Application()
    application.router.add_get("/", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        monkeypatch.setenv(WIKIPEDIA, f"http://127.0.0.1:{runner.addresses[0][1]}/")
        result = await wikipedia()[0].run({"query": "x"})
    finally:
        await runner.cleanup()
    assert result.error == (
        f"ServiceError: {error}" if error else "NotFound: Wikipedia has no page about 'x'; try other words"
    )


async def test_runs_share_nothing_and_the_tools_of_one_run_do(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(monkeypatch):
        for query, text in (("Ada Lovelace", "Byron"), ("Charles Babbage", "engines")):
            model = ScriptedModel(
                replies=[calls("wikipedia_search", query=query), calls("wikipedia_lookup", text=text), answers("done")]
            )
            journal = MemoryJournal()
            await Agent(model, tools=TOOLS, journal=journal).run("?", run_id="r")
            ended = [event.result for event in await journal.read("r") if isinstance(event, CallEnded)]
            assert [result.status for result in ended] == ["ok", "ok"]
        model = ScriptedModel(replies=[calls("wikipedia_lookup", text="Byron"), answers("done")])
        journal = MemoryJournal()
        await Agent(model, tools=TOOLS, journal=journal).run("?", run_id="r")
        (ended,) = [event for event in await journal.read("r") if isinstance(event, CallEnded)]
        assert ended.result.error.startswith("NothingOpen")


def test_nothing_of_it_is_trusted_and_arguments_are_checked() -> None:
    assert [tool.spec.trusted_output for tool in TOOLS] == [False, False]
    assert [tool.spec.effect for tool in TOOLS] == ["read", "read"]
    assert [bool(tool.check({})) for tool in TOOLS] == [True, True]


@pytest.mark.parametrize(
    ("language", "setting", "address"),
    [
        ("", "", "https://en.wikipedia.org/w/api.php"),
        ("", "fi", "https://fi.wikipedia.org/w/api.php"),
        ("zh-yue", "fi", "https://zh-yue.wikipedia.org/w/api.php"),
    ],
)
def test_the_language_is_a_part_of_the_address(
    monkeypatch: pytest.MonkeyPatch, language: str, setting: str, address: str
) -> None:
    monkeypatch.delenv(WIKIPEDIA, raising=False)
    monkeypatch.setenv("LOOPWRIGHT_WIKIPEDIA_LANGUAGE", setting)
    assert wikipedia_address(language) == address


@pytest.mark.parametrize("language", ["evil.com/", "EN", "e", "en.m", "../x", "en@x"])
async def test_a_language_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.delenv(WIKIPEDIA, raising=False)
    with pytest.raises(UsageError):
        wikipedia_address(language)
    assert (await wikipedia(language)[0].run({"query": "x"})).error.startswith("UsageError: ")


def test_whoever_asks_much_says_who_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, told in (("me (me@example.org)", "me (me@example.org)"), ("a\r\nb", "a b"), ("ä", AGENT), ("", AGENT)):
        monkeypatch.setenv("LOOPWRIGHT_USER_AGENT", given)
        assert user_agent() == told


def test_its_name_on_the_command_line_gives_both() -> None:
    assert [one.spec.name for one in load_tools(["wikipedia"])] == ["wikipedia_search", "wikipedia_lookup"]
