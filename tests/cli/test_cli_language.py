"""The language of a run on the command line."""

from pathlib import Path

import pytest
from command import Done, loopwright

NOBODY = ("--model", "ollama:llama3", "--base-url", "http://127.0.0.1:9/v1", "--json")


def ask(task: str, folder: Path, *more: str) -> Done:
    """Ask a server that is not there, so that only the first event matters."""
    return loopwright("ask", task, *NOBODY, *more, folder=folder)


@pytest.mark.parametrize(
    ("task", "more", "language", "asked"),
    [
        ("Wie ist das Wetter in Köln?", (), "de", None),
        ("Wie ist das Wetter in Köln?", ("--language", "fi"), "fi", "fi"),
        ("Oulu?", (), None, None),
    ],
)
def test_the_first_event_holds_it(
    task: str, more: tuple[str, ...], language: str | None, asked: str | None, tmp_path: Path
) -> None:
    started = ask(task, tmp_path, *more).events[0]
    assert (started.get("language"), started["recipe"].get("language")) == (language, asked)


def test_one_that_is_not_known_is_refused_with_the_list(tmp_path: Path) -> None:
    done = ask("Hello?", tmp_path, "--language", "tlh")
    assert done.code == 2
    assert "'tlh'" in done.err
    assert "de, en, es, fi, fr, he, ja, zh" in done.err


def test_help_lists_the_codes(tmp_path: Path) -> None:
    said = " ".join(loopwright("ask", "--help", folder=tmp_path, settings={"COLUMNS": "200"}).out.split())
    assert "de, en, es, fi, fr, he, ja or zh" in said
