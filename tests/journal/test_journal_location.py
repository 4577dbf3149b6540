"""Where the journal lies when nobody says where."""

from pathlib import Path

import pytest

from loopwright.journal.location import default_path


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
