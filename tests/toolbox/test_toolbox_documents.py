"""Search and lookup over a folder."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json

from loopwright.core.errors import UsageError
from loopwright.core.messages import Result
from loopwright.toolbox import folder as module
from loopwright.toolbox.folder import documents
from loopwright.toolbox.passages import PASSAGE
from loopwright.toolbox.shelf import ShelfTool

COFFEE = """# The coffee machine

The machine in the kitchen is a Gaggia Classic. It was bought in 2019.

## Descaling

Descale it every two months with citric acid. The kitchen smells afterwards.

## Beans

Beans are ordered from Helsinki on Mondays.

The grinder stands beside the machine.
"""
TEA = "Tea is kept in the red tin.\n\nGreen tea needs 80 degrees.\n"


def test_what_the_files_say_is_text_of_others(folder: Path) -> None:
    assert [tool.spec.trusted_output for tool in documents(folder)] == [False, False]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "coffee_machine.md").write_text(COFFEE)
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen" / "tea.txt").write_text(TEA)
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.md").write_text("secret tea")
    return tmp_path


def shown(result: Result) -> str:
    assert result.status == "ok", result.error
    return json.decode(result.data)


async def ask(tool: ShelfTool[Any], **arguments: Any) -> Result:
    return await tool.run(arguments)


async def test_search_shows_the_best_passages_of_the_best_document(folder: Path) -> None:
    search, _ = documents(folder)
    result = await ask(search, query="How often to descale the machine?")
    text = shown(result)
    assert text.startswith("coffee_machine.md (4 passages)")
    assert "## Descaling\nDescale it every two months" in text
    assert "Green tea" not in text


async def test_search_finds_by_file_name_and_names_other_documents(folder: Path) -> None:
    search, _ = documents(folder)
    result = await ask(search, query="tea kitchen")
    assert shown(result).startswith("kitchen/tea.txt (2 passages)")
    assert result.note == "also in coffee_machine.md"


async def test_lookup_goes_on_from_passage_to_passage(folder: Path) -> None:
    search, lookup = documents(folder)
    await ask(search, query="coffee machine")
    assert shown(await ask(lookup, text="MACHINE")).startswith("(Result 1 / 2) # The coffee machine\nThe machine")
    assert shown(await ask(lookup, text="machine")) == "(Result 2 / 2) The grinder stands beside the machine."
    last = await ask(lookup, text="machine")
    assert (last.status, last.error) == (
        "not_found",
        "NotFound: no more results; coffee_machine.md contains 'machine' in 2 passages",
    )
    assert shown(await ask(lookup, text="Helsinki")).startswith("(Result 1 / 1) ## Beans")
    assert shown(await ask(lookup, text="machine")).startswith("(Result 1 / 2)")


async def test_a_new_search_begins_lookup_anew(folder: Path) -> None:
    search, lookup = documents(folder)
    await ask(search, query="coffee")
    await ask(lookup, text="machine")
    await ask(search, query="coffee")
    assert shown(await ask(lookup, text="machine")).startswith("(Result 1 / 2)")
    await ask(search, query="green tea")
    assert (await ask(lookup, text="machine")).error.startswith("NotFound: kitchen/tea.txt does not contain 'machine'")


async def test_lookup_needs_a_search(folder: Path) -> None:
    _, lookup = documents(folder)
    assert (await ask(lookup, text="tea")).error.startswith("NothingOpen: search")


async def test_nothing_found_names_what_there_is(folder: Path) -> None:
    search, _ = documents(folder)
    result = await ask(search, query="submarine")
    assert (result.status, result.error) == (
        "not_found",
        "NotFound: no document mentions 'submarine'; there are coffee_machine.md, kitchen/tea.txt",
    )
    assert (await ask(search, query="?!")).status == "not_found"


async def test_runs_do_not_share_what_is_open(folder: Path) -> None:
    tools = documents(folder)
    (search_a, lookup_a), (search_b, lookup_b) = ([tool.fresh() for tool in tools] for _ in range(2))
    await ask(search_a, query="coffee")
    assert (await ask(lookup_b, text="tea")).error.startswith("NothingOpen")
    await ask(search_b, query="green tea")
    assert shown(await ask(lookup_a, text="Gaggia")).startswith("(Result 1 / 1)")
    assert shown(await ask(lookup_b, text="80")).startswith("(Result 1 / 1)")
    assert (await ask(tools[1], text="tea")).error.startswith("NothingOpen"), "the tools it was made from are untouched"


async def test_languages_without_spaces_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("咖啡机在厨房里。")
    (tmp_path / "b.txt").write_text("茶在红罐子里。")
    search, lookup = documents(tmp_path)
    assert shown(await ask(search, query="厨房")).startswith("a.txt")
    assert shown(await ask(lookup, text="厨房")).startswith("(Result 1 / 1)")


async def test_accents_and_endings_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Cafés in Zürich were closing.")
    (tmp_path / "b.txt").write_text("Nothing.")
    search, _ = documents(tmp_path)
    assert shown(await ask(search, query="zurich cafe closed")).startswith("a.txt")


async def test_what_could_not_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILE_BYTES", 200)
    (tmp_path / "good.txt").write_text("Good words.")
    (tmp_path / "latin.txt").write_bytes("Café words.".encode("latin-1"))
    (tmp_path / "utf16.txt").write_bytes("Wide words.".encode("utf-16"))
    (tmp_path / "big.txt").write_text("word " * 100)
    (tmp_path / "empty.txt").write_text(" \n\n ")
    (tmp_path / "zero.txt").write_bytes(b"a\0b")
    search, _ = documents(tmp_path)
    note = (await ask(search, query="good")).note
    assert note == (
        "files with problems: big.txt (500 bytes, at most 200 are read); empty.txt (empty); "
        "latin.txt (not UTF-8; unreadable characters are shown as \ufffd) and 1 more"
    )
    assert "Wide words." in shown(await ask(search, query="wide"))


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "own.txt").write_text("own")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "up").symlink_to(tmp_path)
    library = module.Library(inside)
    assert [document.name for document in library.documents] == ["own.txt"]
    assert library.skipped == ["link.txt (a link that leads out of the folder)"]


def test_long_paragraphs_become_several_passages(tmp_path: Path) -> None:
    text = " ".join(f"Sentence number {number} is here." for number in range(300))
    (tmp_path / "long.txt").write_text(text)
    passages = module.Library(tmp_path).documents[0].passages
    assert " ".join(passages) == text
    assert all(passage.endswith(".") and len(passage) <= PASSAGE for passage in passages)


@pytest.mark.parametrize("made", ["missing", "empty", "file"])
def test_a_folder_without_documents_is_a_mistake(tmp_path: Path, made: str) -> None:
    place = tmp_path / made
    if made == "empty":
        place.mkdir()
    if made == "file":
        place.write_text("text")
    with pytest.raises(UsageError):
        documents(place)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(query=st.text(min_size=1, max_size=40) | st.sampled_from(['" OR 1', "tea AND (", "NEAR(a b)", "text:tea", "*"]))
async def test_no_query_breaks_the_index(folder: Path, query: str) -> None:
    search, lookup = documents(folder)
    assert not (await ask(search, query=query)).error.startswith("OperationalError")
    assert (await ask(search, query=query)).status in ("ok", "not_found")
    assert (await ask(lookup, text=query)).status in ("ok", "not_found", "error")
