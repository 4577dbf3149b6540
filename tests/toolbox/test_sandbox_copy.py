"""What goes into the copy of a folder, and what is kept of an output."""

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.toolbox.sandbox import python as pythons
from loopwright.toolbox.sandbox.filter import filter_of
from loopwright.toolbox.sandbox.launcher import unpack
from loopwright.toolbox.sandbox.output import Output
from loopwright.toolbox.sandbox.snapshot import Snapshot


def copied(folder: Path, into: Path) -> tuple[list[str], tuple[str, ...]]:
    """The files of the copy, and what was left out."""
    snapshot = Snapshot(folder, most_bytes=10_000_000, most_files=1_000)
    stream = io.BytesIO()
    snapshot.write(stream)
    stream.seek(0)
    into.mkdir()
    unpack(stream, str(into))
    return sorted(str(path.relative_to(into)) for path in into.rglob("*")), snapshot.left_out


def test_files_folders_and_links_are_copied_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "src" / "empty").mkdir(parents=True)
    (folder / "src" / "ä ö.py").write_text("print()")
    (folder / "run.sh").write_text("#!/bin/sh")
    (folder / "run.sh").chmod(0o4755)
    (folder / "link").symlink_to("src")
    os.utime(folder / "run.sh", ns=(1_000, 1_234_567_890))
    found, left_out = copied(folder, tmp_path / "copy")
    assert found == ["link", "run.sh", "src", "src/empty", "src/ä ö.py"]
    assert left_out == ()
    assert (tmp_path / "copy" / "link").readlink() == Path("src")
    assert (tmp_path / "copy" / "run.sh").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "copy" / "run.sh").stat().st_mtime_ns == 1_234_567_890


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".env", "hidden"),
        (".git", "hidden"),
        (".ssh", "hidden"),
        ("prod.env", "may hold keys"),
        ("tls.key", "may hold keys"),
        ("tls.PEM", "may hold keys"),
        ("id_rsa", "may hold keys"),
        ("id_ed25519.bak", "may hold keys"),
        ("credentials", "may hold keys"),
        ("secrets.yaml", "may hold keys"),
        ("service-account-prod.json", "may hold keys"),
        ("node_modules", "installed packages"),
    ],
)
def test_what_is_left_out_is_named(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / name).write_text("secret")
    assert copied(tmp_path / "project", tmp_path / "copy") == ([], (f"{name} ({reason})",))


def test_a_private_key_is_left_out_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    key = "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB\n"
    (tmp_path / "project" / "notes.txt").write_text(key)
    (tmp_path / "project" / "about.txt").write_text("where a PRIVATE KEY lies")
    assert copied(tmp_path / "project", tmp_path / "copy") == (["about.txt"], ("notes.txt (holds a private key)",))


def test_a_file_with_a_second_name_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside").write_text("the-secret")
    (tmp_path / "project" / "inside").hardlink_to(tmp_path / "outside")
    left_out = ("inside (has a second name, perhaps outside)",)
    assert copied(tmp_path / "project", tmp_path / "copy") == ([], left_out)


def test_names_that_only_look_like_keys_are_copied(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    names = ["credentials.py", "environment.py", "keyboard.txt", "secrets_test.py", "test_key.py"]
    for name in names:
        (tmp_path / "project" / name).write_text("x")
    assert copied(tmp_path / "project", tmp_path / "copy") == (names, ())


def test_pipes_sockets_and_environments_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "env" / "lib").mkdir(parents=True)
    (folder / "env" / "pyvenv.cfg").write_text("home = /usr")
    os.mkfifo(folder / "pipe")
    found, left_out = copied(folder, tmp_path / "copy")
    assert found == []
    assert left_out == ("env (a Python environment)", "pipe (no plain file)")


def test_only_a_few_of_those_left_out_are_named(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    for number in range(12):
        (tmp_path / "project" / f".{number:02}").write_text("x")
    assert copied(tmp_path / "project", tmp_path / "copy")[1][-2:] == (".07 (hidden)", "and 4 more")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_link_that_takes_the_place_of_what_was_looked_at_is_not_followed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody puts a link there after it was seen that it is a folder, or a file, and before it is opened."""
    folder, secret = tmp_path / "project", tmp_path / "secret"
    place = folder / "place"
    for made, text in ((place, "harmless"), (secret, "the-secret")):
        if kind == "folder":
            made.mkdir(parents=True)
        else:
            made.parent.mkdir(exist_ok=True)
        (made / "file.txt" if kind == "folder" else made).write_text(text)
    look = os.stat

    def look_and_swap(name: str, **how: Any) -> os.stat_result:
        found = look(name, **how)
        if name == "place":
            place.rename(tmp_path / "aside")
            place.symlink_to(secret)
        return found

    monkeypatch.setattr(os, "stat", look_and_swap)
    stream = io.BytesIO()
    snapshot = Snapshot(folder, most_bytes=10_000, most_files=100)
    snapshot.write(stream)
    assert place.is_symlink()
    assert b"the-secret" not in stream.getvalue()
    assert [reason.partition(" ")[0] for reason in snapshot.left_out] == ["place"]


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(20, 200))
def test_an_output_is_whole_or_says_what_is_missing(pieces: list[bytes], characters: int) -> None:
    output = Output(characters)
    for piece in pieces:
        output.add(piece)
    text = output.text()
    assert output.printed == sum(map(len, pieces))
    if output.printed <= characters:
        assert "left out" not in text
    if "left out" in text:
        assert f"{output.printed:,} bytes were printed in all" in text
        assert len(text) <= characters + 80
    assert all(sign == "\n" or sign == "\t" or sign >= " " for sign in text)


def test_the_end_of_a_long_output_is_kept() -> None:
    output = Output(400)
    for number in range(10_000):
        output.add(f"line {number}\n".encode())
    text = output.text()
    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 9998\nline 9999\n")
    assert "\n[the middle is left out; 98,890 bytes were printed in all]\nline 99" in text


def test_the_filter_knows_two_kinds_of_processor() -> None:
    programs = [filter_of("x86_64"), filter_of("aarch64")]
    assert all(program and len(program) % 8 == 0 and len(program) < 4096 for program in programs)
    assert filter_of("sparc64") is None


def test_a_python_of_the_project_is_believed_only_if_it_lies_outside(tmp_path: Path) -> None:
    real = Path(os.path.realpath(sys.executable))
    project = tmp_path / "project"
    (project / ".venv" / "bin").mkdir(parents=True)
    program = project / ".venv" / "bin" / "python"
    program.symlink_to(real)
    assert pythons.project_python(project).program == str(program)
    assert project / ".venv" in pythons.project_python(project).shown
    program.unlink()
    for inside in ("bin/python3.11", "lib/python3.11/os.py"):
        (project / "fake" / inside).parent.mkdir(parents=True)
        (project / "fake" / inside).write_text("#!/bin/sh")
    program.symlink_to(project / "fake" / "bin" / "python3.11")
    assert pythons.project_python(project) == pythons.own_python()
    program.unlink()
    (project / "fake" / "bin" / "python3").symlink_to(real)
    program.symlink_to(project / "fake" / "bin" / "python3")
    assert pythons.project_python(project) == pythons.own_python()
    program.unlink()
    program.symlink_to("/bin/sh")
    assert pythons.project_python(project) == pythons.own_python()


def test_an_environment_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other" / "bin").mkdir(parents=True)
    (tmp_path / "other" / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".venv").symlink_to(tmp_path / "other")
    assert pythons.project_python(tmp_path / "project") == pythons.own_python()
