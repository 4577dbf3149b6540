"""Which Python runs a project's tests, and which folders of it the sandbox must show.

Owns the search and what is believed of a project: its environment is only followed to an installation of Python that
lies outside of the project, and of that only programs and libraries are shown, so that a folder cannot name others.
"""

import os
import stat
import sys
from pathlib import Path

from msgspec import Struct

ENVIRONMENTS = (".venv", "venv")
_PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")
_SYSTEM = Path("/usr")
_MOST_HOPS = 40


class Python(Struct, frozen=True):
    """A Python that can be run in the sandbox."""

    program: str
    shown: tuple[Path, ...]
    """Files and folders that it needs beside the system's own."""


def own_python() -> Python:
    """The Python that this process runs in."""
    return Python(sys.executable, (*_parts(Path(sys.prefix)), *_installation(Path(sys.executable))))


def bare_python() -> Python:
    """The Python below the environment of this process, without installed packages."""
    real = Path(os.path.realpath(sys.executable))
    return Python(str(real), _installation(real))


def project_python(folder: Path) -> Python:
    """The Python of the environment in `folder` (``.venv`` or ``venv``); without one, that of this process."""
    for name in ENVIRONMENTS:
        place = folder / name
        program = place / "bin" / "python"
        if _is_real_folder(place) and program.exists() and _leads_outside(program, folder):
            return Python(str(program), (place, *_installation(program)))
    return own_python()


def _installation(program: Path) -> tuple[Path, ...]:
    """What the links from a program lead to: each place that lies on the way, as it is named there."""
    places = [*_hops(program), Path(os.path.realpath(program))]
    shown = [part for place in places if _is_installation(place) for part in _parts(place.parent.parent)]
    return tuple(dict.fromkeys(shown))


def _hops(program: Path) -> list[Path]:
    """The places that a link leads to, one after the other."""
    hops: list[Path] = []
    hop = program
    while hop.is_symlink() and len(hops) < _MOST_HOPS:
        hop = Path(os.path.normpath(hop.parent / hop.readlink()))
        hops.append(hop)
    return hops


def _parts(prefix: Path) -> list[Path]:
    if prefix in (Path("/"), _SYSTEM) or _SYSTEM in prefix.parents:
        return []
    return [prefix / part for part in _PARTS if (prefix / part).exists()]


def _is_installation(program: Path) -> bool:
    if program.parent.name != "bin" or not program.name.startswith("python"):
        return False
    return any((program.parent.parent / "lib").glob("python3*/os.py"))


def _leads_outside(program: Path, folder: Path) -> bool:
    """Whether a project's Python is one that was installed outside of the project, by way of nothing within it."""
    real = Path(os.path.realpath(program))
    places = [real, *(hop for hop in _hops(program) if hop.parent != program.parent)]
    return _is_installation(real) and not any(folder.resolve() in place.parents for place in places)


def _is_real_folder(place: Path) -> bool:
    try:
        return stat.S_ISDIR(place.lstat().st_mode)
    except OSError:
        return False
