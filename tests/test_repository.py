"""What no file of the repository may hold: an address that packages come from, or a folder of some machine."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = re.compile(
    rb"pypi\.org|pythonhosted\.org|npmjs\.org|^\s*--(?:extra-)?index-url|^\s*--(?:find-links|trusted-host)",
    re.MULTILINE,
)
MACHINE = re.compile(rb"(?<![\w.~\]-])/(?:work|root|opt)/\w|/(?:home|Users)/\w+/\w|[A-Z]:\\Users\\")


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    return [ROOT / name for name in listing.decode().split("\0") if name and (ROOT / name).is_file()]


def found(pattern: re.Pattern[bytes], files: list[Path]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}: {match.group().decode(errors='replace')}"
        for file in files
        for match in pattern.finditer(file.read_bytes())
    ]


@pytest.mark.parametrize("pattern", [REGISTRY, MACHINE], ids=["registry", "machine"])
def test_no_file_holds_a_registry_or_a_folder_of_a_machine(pattern: re.Pattern[bytes]) -> None:
    files = tracked()
    assert ROOT / "pyproject.toml" in files
    assert found(pattern, files) == []


@pytest.mark.parametrize(
    "line",
    [b"--index" + b"-url https://example", b"see https://py" + b"pi.org/simple", b"/ro" + b"ot/x", b"/ho" + b"me/me/x"],
)
def test_such_a_line_is_seen(line: bytes) -> None:
    assert REGISTRY.search(line) or MACHINE.search(line)


def test_requirement_files_are_locked_to_versions_and_hashes() -> None:
    for file in sorted((ROOT / "requirements").glob("*.txt")):
        wanted = re.findall(r"^[\w.-]+.*", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert wanted
        assert [line for line in wanted if not re.fullmatch(r"[\w.-]+==[\w.]+ (?:; .+ )?\\", line)] == []
