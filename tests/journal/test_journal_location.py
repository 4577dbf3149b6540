"""Where the journal lies when nobody says where."""

from pathlib import Path

import pytest

from loopwright.core.errors import UsageError
from loopwright.journal.location import Address, default_path, default_place, place_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".loopwright").mkdir()
    return tmp_path


def test_the_variable_comes_first(project: Path) -> None:
    environment = {"LOOPWRIGHT_JOURNAL": "/facts/mine.db", "XDG_DATA_HOME": "/data", "HOME": "/home/me"}
    assert default_path(environment, project) == Path("/facts/mine.db")


def test_a_relative_variable_starts_from_the_working_folder(tmp_path: Path) -> None:
    assert default_path({"LOOPWRIGHT_JOURNAL": "mine.db"}, tmp_path) == tmp_path / "mine.db"


def test_then_the_folder_of_the_project(project: Path) -> None:
    environment = {"LOOPWRIGHT_JOURNAL": "", "XDG_DATA_HOME": "/data"}
    assert default_path(environment, project) == project / ".loopwright" / "journal.db"


def test_then_the_data_folder_of_the_user(tmp_path: Path) -> None:
    environment = {"XDG_DATA_HOME": "/data", "HOME": "/home/me"}
    assert default_path(environment, tmp_path) == Path("/data/loopwright/journal.db")


@pytest.mark.parametrize("folder", [{}, {"XDG_DATA_HOME": ""}, {"XDG_DATA_HOME": "relative/is/ignored"}])
def test_or_its_usual_place(tmp_path: Path, folder: dict[str, str]) -> None:
    expected = Path("/home/me/.local/share/loopwright/journal.db")
    assert default_path({**folder, "HOME": "/home/me"}, tmp_path) == expected


def test_a_file_named_like_the_folder_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / ".loopwright").touch()
    assert default_path({"XDG_DATA_HOME": "/data"}, tmp_path) == Path("/data/loopwright/journal.db")


def test_the_process_is_asked_when_nothing_is_given(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    monkeypatch.delenv("LOOPWRIGHT_JOURNAL", raising=False)
    assert default_path() == project / ".loopwright" / "journal.db"
    monkeypatch.setenv("LOOPWRIGHT_JOURNAL", "/facts/mine.db")
    assert default_path() == Path("/facts/mine.db")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:secret@db.example.org:5433/facts", "postgresql://me@db.example.org:5433/facts"),
        ("postgres://me:se%40cret@one:1,two:2/facts", "postgresql://me@one:1,two:2/facts"),
        ("POSTGRESQL://me:se#cret@[::1]/facts", "postgresql://me@[::1]/facts"),
        ("postgresql://a%20b:secret@%2Frun%2Fpg/facts", "postgresql://a%20b@%2Frun%2Fpg/facts"),
        ("postgresql:///facts?host=/run/pg&password=secret&sslmode=require", None),
        ("postgresql://me@here/facts?options=-csecret%3Dsecret", "postgresql://me@here/facts"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str | None) -> None:
    place = place_of(address)
    assert isinstance(place, Address)
    assert str(place) == (shown or "postgresql:///facts?host=/run/pg&sslmode=require")
    assert "secret" not in f"{place!r} {place}"
    assert place.secret.partition("://")[2] == address.partition("://")[2]
    assert place.secret.startswith(("postgresql://", "postgres://"))


@pytest.mark.parametrize(
    "address",
    [
        *(
            "postgresql://me:se@cret@here/facts",
            "postgresql://me:se/cret@here/facts",
            "postgres://me:1/cret@here/facts",
        ),
        *("postgresql://me:se?cret@here", "postgresql://me:12?cret@here/facts", "postgresql://here:port/facts"),
    ],
)
def test_a_password_that_breaks_its_address_is_not_shown(address: str) -> None:
    with pytest.raises(UsageError, match="written as %3A") as said:
        place_of(address)
    assert not any(part in str(said.value) for part in ("cret", "me:", "facts"))


@pytest.mark.parametrize("path", ["journal.db", "postgresql:/x", "./postgresql://x", "folder/postgresql.db"])
def test_anything_else_is_a_path(path: str) -> None:
    assert place_of(path) == Path(path)


def test_the_variable_may_be_an_address(project: Path) -> None:
    environment = {"LOOPWRIGHT_JOURNAL": "postgresql://me@here/facts", "XDG_DATA_HOME": "/data"}
    assert default_place(environment, project) == Address("postgresql://me@here/facts")
    assert default_path(environment, project) == project / ".loopwright" / "journal.db"
    assert default_place({**environment, "LOOPWRIGHT_JOURNAL": "/mine.db"}, project) == Path("/mine.db")


def test_addresses_are_equal_by_all_that_they_hold() -> None:
    one, other = Address("postgresql://me:a@here/facts"), Address("postgresql://me:b@here/facts")
    assert str(one) == str(other)
    assert one != other
    assert len({one, other, Address("postgresql://me:a@here/facts")}) == 2
