"""Wikipedia: a page by its name or by what it is about, and the next passage of it that contains a text.

Owns what is asked of the MediaWiki API and how its answers read. Everybody can write there, so nothing of it is
trusted.

Source: https://www.mediawiki.org/wiki/API:Query, with list=search and prop=extracts (extension TextExtracts). Search
and lookup are those of Yao et al., ReAct (2022), section 3.1.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, cast

from msgspec import Struct
from pydantic import Field

from loopwright.core.messages import Result
from loopwright.toolbox.fetch import ServiceError, fetch_json
from loopwright.toolbox.passages import Opened, passages
from loopwright.toolbox.settings import user_agent, wikipedia_address
from loopwright.toolbox.shelf import Shelf, ShelfTool
from loopwright.tools.declare import tool
from loopwright.tools.result import error, not_found, ok

SECONDS = 10.0
"""Each request is waited for this long."""
SHOWN = 3
"""Passages of the beginning of a page that a search shows."""
MEANINGS = 40
"""Lines of a page that only tells the meanings of a word."""
OTHERS = 4
"""Titles of other pages that are named beside the one that was found."""

_HEADING = re.compile(r"^(={2,6})[ \t]*(.+?)[ \t]*\1[ \t]*$", re.MULTILINE)

Query = Annotated[
    str, Field(min_length=1, max_length=300, description="name of a page, such as Ada Lovelace, or what it is about")
]
Text = Annotated[
    str, Field(min_length=1, max_length=300, description="a word or a few words, exactly as they stand on the page")
]


class Page(Struct, frozen=True):
    """A page as the API gives it."""

    title: str
    text: str
    url: str = ""
    ambiguous: bool = False
    """Whether it only tells which pages a word may mean."""
    redirected: str = ""
    """The name that led to it, where that is another one."""


class Hits(Struct, frozen=True):
    """What a search in the texts found."""

    titles: tuple[str, ...]
    suggestion: str = ""


class Visit:
    """One run's reading: which page is open, and where lookup is in it."""

    def __init__(self, language: str = "") -> None:
        self._language = language
        self._open: Opened | None = None

    @tool(effect="read", timeout=40, trusted_output=False)
    async def wikipedia_search(self, query: Query) -> Result:
        """Find a page of Wikipedia; shows its beginning and opens it for wikipedia_lookup."""
        wanted = " ".join(query.split())
        page = await self._page(wanted) if wanted.strip("#<>[]|{}_ ") else None
        if page is not None:
            return self._shown(page)
        hits = await self._hits(wanted)
        best = await self._page(hits.titles[0]) if hits.titles else None
        if best is None:
            hint = f"; did you mean {hits.suggestion!r}?" if hits.suggestion else "; try other words"
            return not_found(f"Wikipedia has no page about {query!r}{hint}")
        others = ", ".join(hits.titles[1 : OTHERS + 1])
        return self._shown(
            best, f"no page is called {query!r}; this is the best match", f"also: {others}" * bool(others)
        )

    @tool(effect="read", trusted_output=False)
    async def wikipedia_lookup(self, text: Text) -> Result:
        """Show the next passage that contains a text, on the page that wikipedia_search opened."""
        if self._open is None:
            return error("NothingOpen: use wikipedia_search first; wikipedia_lookup reads on in what it found")
        return self._open.look_up(text)

    def _shown(self, page: Page, *notes: str) -> Result:
        found = list(passages(_HEADING.sub(lambda heading: f"# {heading[2]}", page.text)))
        self._open = Opened(page.title, found)
        if page.ambiguous:
            lines = [line for line in page.text.splitlines() if line.strip()]
            more = f"; {len(lines) - MEANINGS} more are left out" if len(lines) > MEANINGS else ""
            said = f"{page.title} has several meanings; search again with the name of one{more}"
            return ok("\n".join(lines[:MEANINGS]), "; ".join(note for note in (*notes, said, page.url) if note))
        came = f"{page.redirected!r} leads here" if page.redirected else ""
        shown = "\n\n".join((f"{page.title} ({len(found)} passages)", *found[:SHOWN]))
        more = "\n\n[…]" if len(found) > SHOWN else ""
        return ok(f"{shown}{more}", "; ".join(note for note in (*notes, came, page.url) if note))

    async def _page(self, title: str) -> Page | None:
        """The page of this name, or the one that the name leads to; None where there is none, or none with text."""
        answer = await self._asked(
            {
                "prop": "extracts|pageprops|info",
                "titles": title.replace("|", " "),
                "redirects": "1",
                "explaintext": "1",
                "exsectionformat": "wiki",
                "ppprop": "disambiguation",
                "inprop": "url",
            }
        )
        for page in _dicts(answer.get("pages")):
            text = str(page.get("extract") or "").strip()
            if page.get("missing") or page.get("invalid") or not text:
                continue
            led = any(_dicts(answer.get("redirects")))
            return Page(
                title=str(page.get("title") or title),
                text=text,
                url=str(page.get("fullurl") or ""),
                ambiguous="disambiguation" in cast("dict[str, Any]", page.get("pageprops") or {}),
                redirected=title if led else "",
            )
        return None

    async def _hits(self, query: str) -> Hits:
        answer = await self._asked(
            {"list": "search", "srsearch": query, "srlimit": str(OTHERS + 1), "srprop": "", "srinfo": "suggestion"}
        )
        about = cast("dict[str, Any]", answer.get("searchinfo") or {})
        titles = tuple(str(hit["title"]) for hit in _dicts(answer.get("search")) if hit.get("title"))
        return Hits(titles, str(about.get("suggestion") or ""))

    async def _asked(self, query: Mapping[str, str]) -> dict[str, Any]:
        """The field ``query`` of an answer.

        Raises:
            NetworkError, ServiceError: no answer, another one than documented, or an error of the API
        """
        fields = {"action": "query", "format": "json", "formatversion": "2", **query}
        headers = {"User-Agent": user_agent()}
        answer = await fetch_json(wikipedia_address(self._language), fields, seconds=SECONDS, headers=headers)
        if not isinstance(answer, dict):
            raise ServiceError("Wikipedia answered in an unknown format", 200)
        body = cast("dict[str, Any]", answer)
        if failed := body.get("error"):
            raise ServiceError(f"Wikipedia refused: {_told(failed)}", 200)
        found = body.get("query")
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def wikipedia(language: str = "") -> list[ShelfTool[Visit]]:
    """The tools wikipedia_search and wikipedia_lookup.

    Args:
        language: the code of a Wikipedia, such as ``de``; otherwise LOOPWRIGHT_WIKIPEDIA_LANGUAGE, or ``en``
    """
    return Shelf(lambda: Visit(language)).tools("wikipedia_search", "wikipedia_lookup")


TOOLS = wikipedia()


def _dicts(value: object) -> list[dict[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _told(failed: object) -> str:
    if not isinstance(failed, dict):
        return str(failed)[:200]
    fields = cast("dict[str, Any]", failed)
    return str(fields.get("info") or fields.get("code") or "an error without a text")[:200]
