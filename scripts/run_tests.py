"""Runs all tests, in two halves side by side: `make test`.

Most of the time goes into processes that are started and waited for, so two cores do it in little more than half.
Each half keeps its own coverage data, which is put together at the end. What the first half says is shown as it comes,
the second one's behind it.
"""

import subprocess
import sys
import tempfile

FIRST = ("tests/cli", "tests/docs", "tests/models")
"""About half of the time; the rest is the other half."""


def main(options: list[str]) -> int:
    """Run both; 0 where both passed."""
    pytest = [sys.executable, "-m", "coverage", "run", "--parallel-mode", "-m", "pytest", *options]
    subprocess.run([sys.executable, "-m", "coverage", "erase"], check=True)
    with tempfile.TemporaryFile() as said:
        second = subprocess.Popen(
            [*pytest, *(f"--ignore={folder}" for folder in FIRST)], stdout=said, stderr=subprocess.STDOUT
        )
        try:
            first = subprocess.run([*pytest, *FIRST], check=False).returncode
            ended = second.wait()
        except KeyboardInterrupt:
            second.wait()
            return 130
        said.seek(0)
        sys.stdout.write(said.read().decode(errors="replace"))
    subprocess.run([sys.executable, "-m", "coverage", "combine", "--quiet"], check=True)
    return first or ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
