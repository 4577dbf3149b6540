"""How the tests of a project are run: what `[tests]` of `loopwright.toml` may say.

Owns the settings. Nothing here runs anything.
"""

from loopwright.toolbox.sandbox.bounds import Bounds

PATH = "{path}"
"""Stands in a command for the path that the model asked for."""
PYTEST = ("python", "-m", "pytest", "--verbosity=-1", "-rfE", "--tb=short", "--color=no", PATH)


class SuiteSettings(Bounds, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """A command, and what it may use."""

    command: tuple[str, ...] = PYTEST
    """Program and arguments; ``{path}`` stands for the path that the model names. ``python`` is the project's own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.command or not all(self.command):
            raise ValueError("command is empty; give a program and its arguments, such as ['make', 'test']")

    @property
    def above_default(self) -> tuple[str, ...]:
        """What it may use beyond the usual, such as ``memory_mb = 8000``."""
        usual = Bounds()
        names = Bounds.__struct_fields__
        return tuple(
            f"{name} = {getattr(self, name):g}" for name in names if getattr(self, name) > getattr(usual, name)
        )
