"""What a command in the sandbox may use, and how it ended: plain values, no code that runs anything."""

from typing import Literal

from msgspec import Struct

MEGABYTE = 1024 * 1024

LimitName = Literal["seconds", "cpu_seconds", "memory", "processes", "disk", "files", "output"]


class Bounds(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Limits of one command with everything that it starts. Each counts for all its processes together."""

    seconds: float = 120.0
    """Wall time, the copying of the folder included."""
    cpu_seconds: float = 240.0
    """Processor time."""
    memory_mb: int = 2048
    """Main memory. The files of the copy lie in memory too, and are counted by `disk_mb`."""
    processes: int = 128
    """Processes and threads at a time."""
    disk_mb: int = 512
    """The copy of the folder with what is written into it; half as much again may be written to /tmp."""
    files: int = 100_000
    """Files and folders in the copy and in /tmp."""
    output_mb: int = 20
    """What may be printed before the command is stopped."""
    output_chars: int = 12_000
    """Characters of what was printed that are kept: the end of it, and a little of the beginning."""
    copied_files: int = 20_000
    """Files and folders that are copied; a folder with more is not run in."""

    def __post_init__(self) -> None:
        wrong = next((name for name in Bounds.__struct_fields__ if not getattr(self, name) > 0), None)
        if wrong is not None:
            raise ValueError(f"{wrong} is {getattr(self, wrong):g}; it must be above 0")


class Hit(Struct, frozen=True):
    """A limit that was reached."""

    limit: LimitName
    detail: str
    """What was allowed, in words."""
    ended_it: bool
    """Whether the command was ended for it; otherwise it was refused more and went on."""


class Ending(Struct, frozen=True):
    """How a command ended. Nothing of it is left running by then, and its copy of the folder is gone."""

    exit_code: int | None
    """None where it was ended for a limit; 128 and the signal where a signal ended it."""
    hits: tuple[Hit, ...]
    output: str
    """What it printed, to both streams, as text without control characters; cut where it says so."""
    printed: int
    """Bytes that it printed in all."""
    seconds: float
    left_out: tuple[str, ...] = ()
    """Files and folders that were not copied, each with the reason; at most a few, the last says how many more."""
