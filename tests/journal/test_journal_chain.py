"""The hash chain: every change of what was written shows, at its first event."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from loopwright.journal import chain
from loopwright.journal.base import Link
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.journal_process import tell


def _links(rows: list[bytes], run_id: str = "a") -> list[Link]:
    digest, links = chain.start(run_id), list[Link]()
    for seq, row in enumerate(rows, start=1):
        digest = chain.follow(digest, row)
        links.append(Link(run_id, seq, digest, row, ()))
    return links


ROWS = st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=6)


@given(ROWS)
def test_what_was_written_is_well(rows: list[bytes]) -> None:
    assert chain.verify(_links(rows)) is None


@settings(max_examples=50)
@given(ROWS, st.data())
def test_a_changed_row_is_found(rows: list[bytes], data: st.DataObject) -> None:
    links = _links(rows)
    place = data.draw(st.integers(0, len(rows) - 1))
    links[place] = replace(links[place], row=links[place].row + b"!")
    assert chain.verify(links) == place + 1


@settings(max_examples=50)
@given(ROWS, st.data())
def test_a_changed_row_with_a_digest_to_match_is_found_at_the_next(rows: list[bytes], data: st.DataObject) -> None:
    links = _links([*rows, b"last"])
    place = data.draw(st.integers(0, len(rows) - 1))
    before = links[place - 1].digest if place else chain.start("a")
    links[place] = replace(links[place], row=b"forged!", digest=chain.follow(before, b"forged!"))
    assert chain.verify(links) == place + 2


def test_a_missing_row_is_found() -> None:
    links = _links([b"1", b"2", b"3"])
    assert chain.verify(links[1:]) == 1
    assert chain.verify([links[0], links[2]]) == 2


def test_rows_in_another_order_are_found() -> None:
    first, second, third = _links([b"1", b"2", b"3"])
    assert chain.verify([first, third, second]) == 2


def test_the_rows_of_another_run_are_found() -> None:
    assert chain.verify([replace(link, run_id="b") for link in _links([b"1", b"2"])]) == 1


def test_no_rows_are_well() -> None:
    assert chain.verify([]) is None


async def test_a_changed_or_lost_body_is_found() -> None:
    journal = MemoryJournal()
    await tell(journal, "a")
    links = await journal.rows("a")
    assert await journal.verify("a") is None
    named = [link.seq for link in links if link.bodies]
    assert named == [3, 5, 7]
    assert chain.verify(links, lambda name: None) == 3
    assert chain.verify(links, lambda name: b"something else") == 3
