"""The run that the README shows is what the embedded model does."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from loopwright.testing.services import services

README = Path(__file__).parents[2] / "README.md"
QUESTION = "I buy 3 books for 25 EUR each. How many USD is that?"
FIGURES = re.compile(r"\d[\d,]* tokens|[\d.]+ s |\d{6}-\d{6}-[0-9a-f]{6}|\d{4}-\d\d-\d\d")


async def test_the_run_in_the_readme_is_what_happens(tmp_path: Path) -> None:
    """All but tokens, seconds, the run's id and dates; where this fails, put what was printed into the README."""
    async with services(rates={"USD": 1.1172}) as served:
        environment = {
            **served.environ,
            "LOOPWRIGHT_OFFLINE": "1",
            "LOOPWRIGHT_JOURNAL": str(tmp_path / "journal.db"),
            "LANG": "C.UTF-8",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "loopwright", "ask", QUESTION, "--model", "local",
            cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        out, _ = await asyncio.wait_for(process.communicate(), 100)
    happened = f'$ .venv/bin/loopwright ask "{QUESTION}" --model local\n{out.decode()}'
    assert process.returncode == 0, happened
    found = re.search(r"<!-- demo -->\n+```console\n(.*?)```\n+<!-- end -->", README.read_text(), re.DOTALL)
    assert found, happened
    assert FIGURES.sub("…", found[1]) == FIGURES.sub("…", happened), happened
