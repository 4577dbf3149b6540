"""Who may import whom, what the pure folders may not touch, and how large the heart may get: read from the source."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src"
PACKAGE = SOURCE / "loopwright"

WORDS = frozenset(f"loopwright.core.{name}" for name in ("messages", "rules", "events", "inbox", "commands", "errors"))
SEAMS = {"loopwright.journal.base": "journal.base", "loopwright.engine.ports": "engine.ports"}
EVERYTHING = frozenset({"*"})

MAY_IMPORT: dict[str, frozenset[str]] = {
    "words": frozenset({"words"}),
    "core": frozenset({"words", "core"}),
    "protocols": frozenset({"words", "protocols"}),
    "tools": frozenset({"words", "tools"}),
    "journal.base": frozenset({"words"}),
    "journal": frozenset({"words", "journal.base", "journal"}),
    "engine.ports": frozenset({"words", "protocols"}),
    "models": frozenset({"words", "protocols", "engine.ports", "models"}),
    "engine": frozenset({"words", "core", "protocols", "tools", "journal.base", "engine.ports", "engine"}),
    "agent": frozenset(
        {"words", "core", "protocols", "tools", "journal.base", "journal", "models", "engine.ports", "engine"}
    ),
    "toolbox": frozenset({"words", "tools", "toolbox"}),
    "testing": EVERYTHING,
    "cli": EVERYTHING,
    "loopwright": EVERYTHING,
    "__main__": EVERYTHING,
}
"""What each part of the package may import of the package. `words` are the six modules of core that all speak in."""

MAY_IMPORT_CLI = frozenset({"cli", "__main__", "testing"})

PURE = ("core", "protocols", "tools")
IMPURE_MODULES = frozenset(
    {
        *("aiohttp", "asyncio", "concurrent", "multiprocessing", "queue", "selectors", "signal", "socket", "ssl"),
        *("datetime", "random", "secrets", "time", "uuid"),
        *("dotenv", "fcntl", "glob", "importlib", "io", "os", "pathlib", "shutil", "sqlite3", "subprocess", "tempfile"),
        *("http", "logging", "requests", "select", "threading", "urllib", "zoneinfo"),
    }
)
PURE_NAMES = {
    "io": frozenset({"BytesIO"}),
    "datetime": frozenset({"UTC", "date", "datetime", "time", "timedelta", "timezone"}),
    "pathlib": frozenset({"PurePath", "PurePosixPath"}),
    "uuid": frozenset({"UUID"}),
}
"""Plain values out of modules that also hold clocks, files and chance."""
IMPURE_METHODS = frozenset({"now", "utcnow", "today"})
IMPURE_CALLS = frozenset({"open", "print", "input", "eval", "exec", "breakpoint", "__import__"})

LOOP = PACKAGE / "core" / "loop.py"
LOOP_LINES = 350
LOOP_NEVER_SAYS = (
    *("stream", "delta", "chunk", "retry", "http", "json", "prompt"),
    *("openai", "gpt", "anthropic", "claude", "gemini", "google", "mistral", "groq", "deepseek", "qwen", "llama"),
    *("openrouter", "lm studio", "lmstudio", "vllm", "azure", "bedrock"),
)

SMALL = ("core", "protocols")
FUNCTION_LINES = 45
NESTING = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(*folders: str) -> list[Path]:
    roots = [PACKAGE / folder for folder in folders] or [PACKAGE]
    return sorted(file for root in roots for file in root.rglob("*.py"))


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


def module_of(file: Path) -> str:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """The key of `MAY_IMPORT` that a module of the package falls under."""
    if module in WORDS:
        return "words"
    if module in SEAMS:
        return SEAMS[module]
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def exists(module: str) -> bool:
    path = SOURCE.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def imports(tree: ast.Module, module: str, *, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that is imported, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, module, is_package=is_package)
            for alias in node.names:
                member = f"{base}.{alias.name}"
                yield node.lineno, member if member.startswith("loopwright.") and exists(member) else base


def _base(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    """The module that names are imported from; a leading dot is the package that the importing module stands in."""
    if node.level == 0:
        return node.module or ""
    package = module.split(".") if is_package else module.split(".")[:-1]
    above = package[: len(package) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def wrong_imports(file: Path, tree: ast.Module) -> Iterator[str]:
    module = module_of(file)
    part = part_of(module)
    for line, target in imports(tree, module, is_package=file.name == "__init__.py"):
        if not f"{target}.".startswith("loopwright."):
            continue
        wanted = part_of(target)
        allowed = MAY_IMPORT[part]
        if wanted == "cli" and part not in MAY_IMPORT_CLI:
            yield f"{module}:{line} imports {target}; only the command line imports the command line"
        elif allowed is not EVERYTHING and wanted not in allowed and target != "loopwright.core":
            yield f"{module}:{line} imports {target}; {part} may import {', '.join(sorted(allowed))}"


def impure(file: Path, tree: ast.Module) -> Iterator[str]:
    module = module_of(file)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                bad = [alias.name for alias in names if alias.name.split(".")[0] in IMPURE_MODULES]
            case ast.ImportFrom(module=str(source), names=names, level=0) if source.split(".")[0] in IMPURE_MODULES:
                plain = PURE_NAMES.get(source, frozenset[str]())
                bad = [f"{source}.{alias.name}" for alias in names if alias.name not in plain]
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                bad = [f"{name}()"]
            case ast.Call(func=ast.Attribute(attr=name)) if name in IMPURE_METHODS:
                bad = [f".{name}()"]
            case _:
                bad = []
        yield from (f"{module} uses {name}" for name in bad)


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def depth(statements: list[ast.stmt]) -> int:
    """How deep blocks stand in each other; an `elif` is no deeper than its `if`, and an inner function begins anew."""
    return max((_depth_of(statement) for statement in statements), default=0)


def _depth_of(statement: ast.stmt) -> int:
    match statement:
        case ast.If(body=body, orelse=[ast.If() as other]):
            return max(1 + depth(body), _depth_of(other))
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
            return 1 + depth([*statement.body, *statement.orelse])
        case ast.With() | ast.AsyncWith():
            return 1 + depth(statement.body)
        case ast.Try() | ast.TryStar():
            handled = [inner for handler in statement.handlers for inner in handler.body]
            return 1 + depth([*statement.body, *handled, *statement.orelse, *statement.finalbody])
        case ast.Match():
            return 1 + depth([inner for case in statement.cases for inner in case.body])
        case _:
            return 0


def overgrown(file: Path, tree: ast.Module) -> Iterator[str]:
    for function in functions(tree):
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        where = f"{module_of(file)}:{function.lineno} {function.name}"
        if lines > FUNCTION_LINES:
            yield f"{where} has {lines} lines; at most {FUNCTION_LINES}"
        if (nesting := depth(function.body)) > NESTING:
            yield f"{where} nests {nesting} deep; at most {NESTING}"


def complain(wrongs: Iterable[str]) -> None:
    if found := "\n".join(wrongs):
        pytest.fail(found, pytrace=False)


def test_every_part_of_the_package_has_a_place_in_the_order() -> None:
    assert {part_of(module_of(file)) for file in modules()} <= set(MAY_IMPORT)


def test_imports_point_one_way() -> None:
    complain(wrong for file in modules() for wrong in wrong_imports(file, parsed(file)))


def test_pure_folders_touch_nothing_outside() -> None:
    complain(wrong for file in modules(*PURE) for wrong in impure(file, parsed(file)))


def test_the_loop_knows_no_provider_and_no_transport() -> None:
    text = LOOP.read_text(encoding="utf-8").lower()
    assert [word for word in LOOP_NEVER_SAYS if word in text] == []


def test_the_loop_is_short() -> None:
    assert len(LOOP.read_text(encoding="utf-8").splitlines()) < LOOP_LINES


def test_functions_of_core_and_protocols_are_small_and_flat() -> None:
    complain(wrong for file in modules(*SMALL) for wrong in overgrown(file, parsed(file)))


@pytest.mark.parametrize(
    ("file", "source", "complaint"),
    [
        ("core/loop.py", "from loopwright.engine import drive", "core may import core, words"),
        ("core/messages.py", "from loopwright.core.loop import due", "words may import words"),
        ("protocols/native.py", "from loopwright.core.loop import due", "protocols may import"),
        ("protocols/native.py", "from ..tools import result", "imports loopwright.tools.result"),
        ("tools/result.py", "def f():\n    import loopwright.protocols.native", "result:2 imports"),
        ("models/local.py", "from loopwright.engine.drive import Driver", "models may import"),
        ("engine/drive.py", "from loopwright.journal.sqlite import SqliteJournal", "engine may import"),
        ("engine/drive.py", "from loopwright.models import local", "imports loopwright.models.local"),
        ("toolbox/weather.py", "from loopwright.engine.ports import Tool", "toolbox may import"),
        ("agent.py", "from loopwright.cli import main", "only the command line"),
        ("testing/crash.py", "from loopwright.agent import Agent", ""),
        ("engine/ports.py", "from loopwright.protocols.speech import Dialect", ""),
        ("engine/drive.py", "from loopwright.journal.base import Journal", ""),
        ("protocols/native.py", "from loopwright.core import messages", ""),
        ("protocols/__init__.py", "from .speech import Reply\nfrom . import native", ""),
    ],
)
def test_the_order_is_read_right(file: str, source: str, complaint: str) -> None:
    found = "\n".join(wrong_imports(PACKAGE / file, ast.parse(source)))
    assert complaint in found
    assert bool(found) == bool(complaint)


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from datetime import datetime\nx = datetime.now()",
        "from pathlib import Path",
        "import os.path",
        "def f():\n    from random import choice",
        "open('x')",
    ],
)
def test_impurity_is_seen_wherever_it_stands(source: str) -> None:
    assert list(impure(PACKAGE / "core" / "loop.py", ast.parse(source)))


def test_plain_values_of_impure_modules_are_pure() -> None:
    source = "from datetime import date, datetime\nfrom pathlib import PurePath\nfrom uuid import UUID"
    assert list(impure(PACKAGE / "tools" / "result.py", ast.parse(source))) == []


@pytest.mark.parametrize(
    ("source", "nesting"),
    [
        ("x = 1", 0),
        ("if a:\n    pass\nelif b:\n    pass\nelse:\n    pass", 1),
        ("for a in b:\n    with c:\n        if d:\n            pass", 3),
        ("if a:\n    pass\nelse:\n    if b:\n        pass\n    c()", 2),
        ("try:\n    pass\nexcept A:\n    while b:\n        pass", 2),
        ("match a:\n    case 1:\n        if b:\n            pass", 2),
        ("if a:\n    def f():\n        if b:\n            pass", 1),
    ],
)
def test_nesting_is_counted_as_a_reader_counts_it(source: str, nesting: int) -> None:
    assert depth(ast.parse(source).body) == nesting
