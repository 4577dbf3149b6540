"""Examples of the command line: runs of the journal, and files of trajectories or of prompts of the ReAct paper.

Owns how a file is recognised. What an example must look like is said by `engine.examples` and `protocols.paper`.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from loopwright.cli.setup import find_run, found_journal
from loopwright.core.errors import UsageError
from loopwright.core.messages import Example
from loopwright.engine.examples import trajectory
from loopwright.engine.history import example_of
from loopwright.journal.location import Place
from loopwright.protocols.paper import paper_instructions, read_paper_prompt


class Shown(Struct, frozen=True):
    """What the model is shown before the task."""

    examples: list[Example]
    instructions: str = ""
    """What the prompts say before their examples."""


def shown_examples(runs: Sequence[str], file: Path | None, keys: Sequence[str], journal: Place | None) -> Shown:
    """The examples of these runs, then those of the file.

    Raises:
        UsageError: there is no such run or file, or one of them holds no example; the text says which
    """
    if keys and file is None:
        raise UsageError("--example-key picks from the file that --example-file names; give both")
    found = asyncio.run(_from_runs(runs, journal)) if runs else []
    if file is None:
        return Shown(found)
    more = _from_file(file, keys)
    return Shown([*found, *more.examples], more.instructions)


async def _from_runs(runs: Sequence[str], journal: Place | None) -> list[Example]:
    store = found_journal(journal)
    try:
        return [example_of(await store.read(await find_run(store, run))) for run in runs]
    finally:
        await store.close()


def _from_file(file: Path, keys: Sequence[str]) -> Shown:
    text = _text_of(file)
    whole: object = _decoded(text)
    if isinstance(whole, dict) and "task" not in whole:
        return _prompts(_picked(cast("dict[str, object]", whole), keys, file), file)
    if keys:
        raise UsageError(f"--example-key picks from a JSON object of prompts; {file} is none")
    if whole is None and not text.lstrip().startswith("{"):
        return _prompts({"": text}, file)
    items = cast("list[object]", whole if isinstance(whole, list) else [whole])
    if whole is not None:
        return Shown([trajectory(item, f"{file}, example {number}") for number, item in enumerate(items, 1)])
    lines = enumerate(text.splitlines(), 1)
    return Shown([_line(line, f"{file}, line {number}") for number, line in lines if line.strip()])


def _text_of(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"--example-file {file} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--example-file {file} is not UTF-8 text") from None
    if not text.strip():
        raise UsageError(f"--example-file {file}: the file is empty")
    return text


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _line(line: str, where: str) -> Example:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON: {error}") from None
    return trajectory(value, where)


def _picked(prompts: dict[str, object], keys: Sequence[str], file: Path) -> dict[str, str]:
    """The prompts of these names; without names the only one."""
    names = ", ".join(prompts)
    if not keys and len(prompts) != 1:
        raise UsageError(f"{file} holds {len(prompts)} prompts: pick with --example-key from {names}")
    found: dict[str, str] = {}
    for key in keys or prompts:
        if key not in prompts:
            raise UsageError(f"{file} holds no prompt {key!r}: pick from {names}")
        prompt = prompts[key]
        if not isinstance(prompt, str):
            raise UsageError(f"{key!r} of {file} is no prompt but of type {type(prompt).__name__}")
        found[key] = prompt
    return found


def _prompts(prompts: dict[str, str], file: Path) -> Shown:
    examples: list[Example] = []
    for key, prompt in prompts.items():
        try:
            examples += read_paper_prompt(prompt)
        except UsageError as error:
            raise UsageError(f"{file}{f', {key}' if key else ''}: {error}") from None
    said = (paper_instructions(prompt) for prompt in prompts.values())
    return Shown(examples, "\n\n".join(dict.fromkeys(text for text in said if text)))
