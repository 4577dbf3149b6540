"""`loopwright read`: how a saved reply or stream would be read."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from loopwright.core.errors import UsageError
from loopwright.core.messages import ToolSpec

STDIN = Path("-")


def read(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Saved replies; - is standard input. Without any: JSON lines, see below."),
    ] = None,
    *,
    explain: Annotated[bool, typer.Option("--explain", help="Explain the one reply on standard input.")] = False,
    protocol: Annotated[
        str, typer.Option("--protocol", "-p", help="What the files are in, where that is not to be guessed.")
    ] = "",
    tools: Annotated[
        str,
        typer.Option(
            "--tools",
            "-t",
            help="The tools there are: names, or their parameters or schemas as JSON or in a .json file.",
        ),
    ] = "",
    finish: Annotated[str, typer.Option("--finish", help="Name of the action that gives the answer.")] = "",
    language: Annotated[str, typer.Option("--language", help="Language of the labels; else that of the text.")] = "",
    command: Annotated[bool, typer.Option("--command", help="An action is one free line for an environment.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
) -> None:
    """Say how saved replies of models are read, why, and what a run would do next.

    A FILE holds what was saved: the body of a response, an assistant message, a captured event stream, its chunks, or
    the plain text of a reply. What it is need not be said.

    Without a FILE, questions come as JSON lines on standard input and answers go to standard output, one a line.
    In: {"id", "protocol": "react-text" | "auto" | "openai-chat" | "openai-responses" | "anthropic" | "gemini" |
    "cohere-v2", "tools": {name: {parameter: type}}, and one of "reply", "message", "chunks"}. Out: {"id", "kind":
    "action" | "final" | "thought" | "malformed" | "empty", "thought", "answer", "problem", "calls": [{"id", "tool",
    "arguments", "input", "state", "reason"}]}, and for streams also "content", "reasoning", "error", "usage".
    """
    if not files and not explain:
        _lines()
        return
    hints = {"finish": finish, "language": _known(language), "command": command}
    hints = {name: value for name, value in hints.items() if value}
    contents = [(path, _content(path)) for path in files or [STDIN]]
    specs = _tools(tools)
    for number, (path, text) in enumerate(contents):
        _explain(path, text, protocol, hints, specs, as_json=as_json, full=full, first=number == 0)


def _lines() -> None:
    """Answer the questions on standard input, each by itself."""
    from msgspec import DecodeError
    from msgspec.json import decode, encode

    if sys.stdin.isatty():
        print("Waiting for JSON lines; name a FILE to have it explained, or see --help.", file=sys.stderr)
    answer: dict[str, Any]
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            question = decode(line, type=dict[str, Any])
        except (DecodeError, RecursionError) as error:
            answer = unreadable(None, f"the line is not a JSON object: {error}")
        else:
            answer = answered(question)
        sys.stdout.buffer.write(encode(answer) + b"\n")
        sys.stdout.buffer.flush()


def answered(question: dict[str, Any]) -> dict[str, Any]:
    """The answer to one line; what is wrong with the line itself is the problem of that line only."""
    from loopwright.protocols.reading import read_line

    try:
        return read_line(question)
    except UsageError as error:
        return unreadable(question.get("id"), str(error))


def unreadable(line_id: object, problem: str) -> dict[str, Any]:
    """The answer to a line that holds no question."""
    return {"id": line_id, "kind": "malformed", "problem": problem, "calls": []}


def _content(path: Path) -> str:
    """The text of a file.

    Raises:
        UsageError: there is no such file, it cannot be read, there is nothing in it, or it holds no text
    """
    from loopwright.cli.oddities import text_of

    named = "standard input" if path == STDIN else str(path)
    try:
        data = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {named}") from None
    except OSError as error:
        raise UsageError(f"{named} cannot be read: {error.strerror}") from None
    if not data.strip():
        raise UsageError(f"{named} is empty; save the body of a response, a stream or the text of a reply in it")
    return text_of(data, named)


def _explain(
    path: Path,
    text: str,
    protocol: str,
    hints: dict[str, Any],
    given: Sequence[ToolSpec],
    *,
    as_json: bool,
    full: bool,
    first: bool,
) -> None:
    """Print how the replies in a file are read."""
    from msgspec.json import encode

    from loopwright.cli.explain import explained
    from loopwright.cli.saved import recognised
    from loopwright.protocols.reading import tools_of, understand

    try:
        found = recognised(text, protocol=protocol, hints=hints)
    except UsageError as error:
        raise UsageError(f"{path}: {error}" if path != STDIN else str(error)) from None
    for saved in found:
        specs = given or tools_of(saved.question.get("tools"))
        shown = explained(saved, understand(saved.question, specs), specs)
        if as_json:
            print(encode({"file": str(path), **shown.data()}).decode())
            continue
        _print(f"{path}: {saved.what}", [(part.heading, part.text) for part in shown.parts()], full=full, first=first)
        first = False


def _print(title: str, parts: Sequence[tuple[str, str]], *, full: bool, first: bool) -> None:
    from rich.text import Text

    from loopwright.cli.printing import FOLD, console, fold
    from loopwright.engine.telling import visible

    screen = console()
    screen.print(Text(("" if first else "\n") + visible(title), style="bold"), soft_wrap=True)
    for heading, text in parts:
        line = Text(f"{heading + ':':11}", style="bold cyan")
        line.append(Text(visible(fold(text.strip(), None if full else FOLD)), style="default not bold"))
        screen.print(line, soft_wrap=True)


def _known(language: str) -> str:
    """The code of a language that is known; none where none is given.

    Raises:
        UsageError: it is not known
    """
    from loopwright.protocols.labels import LANGUAGES, base_of

    if language and base_of(language) not in LANGUAGES:
        raise UsageError(f"the language {language!r} is not known: use one of {', '.join(sorted(LANGUAGES))}")
    return base_of(language)


def _tools(given: str) -> list[ToolSpec]:
    """The tools that an option names.

    Raises:
        UsageError: a file that is missing or does not hold tools
    """
    from loopwright.cli.saved import tools_in
    from loopwright.protocols.reading import tools_of

    inline = given.lstrip().startswith(("{", "["))
    if not inline and not given.endswith(".json"):
        return tools_of(dict.fromkeys(name for part in given.split(",") if (name := part.strip())))
    found = tools_in(given if inline else _content(Path(given)))
    if not found:
        named = "--tools" if inline else given
        raise UsageError(
            f"{named} holds no tools; write {{name: {{parameter: type}}}}, or the list of tools as a provider takes it"
        )
    return found
