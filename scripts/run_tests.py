"""Runs all tests, in groups, two side by side: `make test`.

Most of the time goes into processes that are started and waited for, so two cores do it in little more than half. A
group is a folder of tests, the largest in parts, and the longest begin first. Each keeps its own coverage data, which
is put together at the end. What a group says is shown when it ends.
"""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

TESTS = Path("tests")
AT_ONCE = 2
PARTS = {"cli": 4, "engine": 2}
"""Into how many groups the tests of a folder are dealt."""
LONGEST = ("cli", "engine", "core", "journal", "toolbox")
"""Folders that begin first; the others follow by name."""


def groups() -> list[list[str]]:
    """Every file of tests, once."""
    folders = sorted({file.parent for file in TESTS.rglob("test_*.py")}, key=_order)
    found = list[list[str]]()
    for folder in folders:
        files = sorted(str(file) for file in folder.glob("test_*.py"))
        parts = PARTS.get(folder.name, 1)
        found += [files[part::parts] for part in range(parts)]
    return found


def _order(folder: Path) -> tuple[int, str]:
    name = folder.name
    return (LONGEST.index(name) if name in LONGEST else len(LONGEST), str(folder))


def run(files: list[str], options: list[str]) -> tuple[int, str]:
    """Run one group; its status, and what it said."""
    began = time.monotonic()
    command = [sys.executable, "-m", "coverage", "run", "--parallel-mode", "-m", "pytest", *options, *files]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    where = f"{files[0]} and {len(files) - 1} more" if len(files) > 1 else files[0]
    seconds = time.monotonic() - began
    return done.returncode, f"[test] {where}: {seconds:.0f} s\n{done.stdout}{done.stderr}"


def main(options: list[str]) -> int:
    """Run all; 0 where all passed, and 5, for no test at all, counts as that."""
    subprocess.run([sys.executable, "-m", "coverage", "erase"], check=True)
    status = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for future in as_completed([pool.submit(run, files, options) for files in groups()]):
                code, said = future.result()
                status = status or (code if code != NOTHING else 0)
                print(said, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            return 130
    subprocess.run([sys.executable, "-m", "coverage", "combine", "--quiet"], check=True)
    return status


NOTHING = 5
"""pytest's status where no test was chosen."""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
