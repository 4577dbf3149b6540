"""Where settings and keys come from."""

import os
from pathlib import Path

import pytest

from loopwright.core.errors import UsageError
from loopwright.models import environment


def test_the_nearest_file_above_completes_the_environment(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / ".env").write_text("OPENAI_API_KEY=far\n")
    (tmp_path / "a" / ".env").write_text('OPENAI_API_KEY="near"  # comment\nexport OTHER=x\n')
    found = environment.read(deep, {"HOME": "/"})
    assert dict(found) == {"HOME": "/", "OPENAI_API_KEY": "near", "OTHER": "x"}
    assert found.file == tmp_path / "a" / ".env"


def test_the_environment_counts_before_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SET=file\nEMPTY=file\n")
    found = environment.read(tmp_path, {"SET": "environment", "EMPTY": ""})
    assert (found["SET"], found["EMPTY"]) == ("environment", "")
    assert not found.is_from_file("SET")


def test_reading_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LOOPWRIGHT_TEST_ONLY=1\n")
    assert environment.read(tmp_path)["LOOPWRIGHT_TEST_ONLY"] == "1"
    assert "LOOPWRIGHT_TEST_ONLY" not in os.environ


def test_no_file_is_no_problem(tmp_path: Path) -> None:
    found = environment.read(tmp_path / "nowhere", {"A": "b"})
    assert found["A"] == "b"
    assert found.get("missing") is None


def test_a_folder_of_that_name_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    assert environment.find(tmp_path) != tmp_path / ".env"


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfA=1\r\nB=2\r\n")
    assert dict(environment.read(tmp_path, {})) == {"A": "1", "B": "2"}


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("KEY=schlüssel".encode("utf-16"))
    with pytest.raises(UsageError, match="not UTF-8"):
        environment.read(tmp_path, {})


def test_no_value_is_in_the_representation(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=hunter2\n")
    assert "hunter2" not in repr(environment.read(tmp_path, {"OTHER": "hunter2"}))


def test_a_value_takes_nothing_of_the_environment_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (tmp_path / ".env").write_text("OTHER=x\nOPENAI_BASE_URL=http://elsewhere/${OPENAI_API_KEY}/$OTHER/v1\n")
    assert environment.read(tmp_path, {})["OPENAI_BASE_URL"] == "http://elsewhere/${OPENAI_API_KEY}/$OTHER/v1"


def test_a_value_with_a_nul_byte_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=1\nLOOPWRIGHT_MODEL=a\0b\n")
    with pytest.raises(UsageError, match="'LOOPWRIGHT_MODEL' holds a NUL byte"):
        environment.read(tmp_path, {})
