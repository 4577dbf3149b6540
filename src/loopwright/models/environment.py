"""The environment with the nearest ``.env`` file beneath it. Owns where a setting came from.

Reads, never writes: values of the file do not enter ``os.environ``, so that tools and child processes do not inherit
keys. No value is ever logged, shown or put into an error.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from loopwright.core.errors import UsageError


class Environment(Mapping[str, str]):
    """Environment variables, and those of a ``.env`` file which the environment does not set itself."""

    def __init__(self, values: Mapping[str, str], from_file: Mapping[str, str], file: Path | None) -> None:
        self._values = dict(values)
        self._from_file = {name: value for name, value in from_file.items() if name not in values}
        self.file = file
        """The file that was read; None when there was none."""

    def __getitem__(self, name: str) -> str:
        return self._values[name] if name in self._values else self._from_file[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._values
        yield from self._from_file

    def __len__(self) -> int:
        return len(self._values) + len(self._from_file)

    def __repr__(self) -> str:
        return f"Environment({len(self)} variables, file={self.file})"

    def is_from_file(self, name: str) -> bool:
        """Whether the ``.env`` file set this variable."""
        return name in self._from_file


def read(folder: Path | None = None, environ: Mapping[str, str] | None = None) -> Environment:
    """The environment, completed by the first ``.env`` found from `folder` upwards.

    Args:
        folder: where to begin; the working directory when None
        environ: what counts before the file; ``os.environ`` when None

    Raises:
        UsageError: the file is there but cannot be read
    """
    values = os.environ if environ is None else environ
    file = find(folder or Path.cwd())
    return Environment(values, {} if file is None else _parsed(file), file)


def find(folder: Path) -> Path | None:
    """The nearest ``.env`` file in `folder` or above it."""
    start = folder.absolute()
    for place in (start, *start.parents):
        file = place / ".env"
        if file.is_file():
            return file
    return None


def _parsed(file: Path) -> dict[str, str]:
    # Imported here: most runs find no file, and the package costs time to load.
    from dotenv import dotenv_values

    try:
        # A value that named a variable of the environment would take keys with it to wherever the value goes.
        parsed = dotenv_values(file, encoding="utf-8-sig", interpolate=False)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}; make it readable or remove it") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read {file}: it is not UTF-8 text; save it as UTF-8") from None
    found = {name: value for name, value in parsed.items() if value is not None}
    if broken := next((name for name, value in found.items() if "\0" in name + value), None):
        raise UsageError(f"cannot read {file}: {broken!r} holds a NUL byte; write it again") from None
    return found
