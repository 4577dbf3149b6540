"""Finds the tool that a model means by what it wrote in the place of a name. Invents none."""

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from loopwright.protocols.react_lines import INVISIBLE

_DECORATION = INVISIBLE + " \t\r\n*`\"'“”„«»「」״"
_LOOSE = re.compile(r"[\s_-]+")
_SENTENCE_END = ".:,;。：，；"


class Names(Struct, frozen=True):
    """The tools of a run by name, and by name without case, blanks and dashes where that is unambiguous."""

    exact: frozenset[str]
    loose: dict[str, str]
    finish: frozenset[str]
    """Names of actions that end the run, as `loosely` writes them."""
    none: frozenset[str]
    """Words for no action."""
    placeholders: tuple[str, ...]

    @classmethod
    def of(
        cls,
        tools: Iterable[str],
        finish: Iterable[str],
        none: Iterable[str] = (),
        placeholders: tuple[str, ...] = (),
    ) -> "Names":
        """The names of `tools`; a finishing name that is also a tool is a tool."""
        return _names(tuple(tools), tuple(finish), tuple(none), placeholders)

    def find(self, written: str) -> str:
        """The tool of that name; empty when there is none."""
        name = bare(written)
        inner = name.strip(_DECORATION + _SENTENCE_END + "[]<>")
        for candidate in (written, name, inner):
            if candidate in self.exact:
                return candidate
        return self.loose.get(loosely(inner), "")

    def name(self, written: str) -> str:
        """The tool of that name, or else the name as it was written, without decoration."""
        return self.find(written) or bare(written)

    def ends(self, name: str) -> bool:
        """Whether the action of that name gives the final answer."""
        return name not in self.exact and loosely(name) in self.finish

    def knows(self, written: str) -> bool:
        """Whether a tool or the finishing action is called so."""
        return bool(self.find(written)) or self.ends(bare(written))

    def is_none(self, written: str) -> bool:
        """Whether this says that there is no action."""
        name = bare(written).rstrip(".!。！").strip("()[]（）【】").lower()
        return not self.find(written) and name in self.none

    def is_placeholder(self, written: str) -> bool:
        """Whether this is a part of the instructions, copied."""
        name = written.lower()
        return not self.find(written) and any(part in name for part in self.placeholders)


@lru_cache(maxsize=64)
def _names(
    tools: tuple[str, ...], finish: tuple[str, ...], none: tuple[str, ...], placeholders: tuple[str, ...]
) -> Names:
    """The names of a run, which are asked for with every reply."""
    exact, loose = frozenset(tools), dict[str, str]()
    for name in exact:
        loose[loosely(name)] = "" if loosely(name) in loose else name
    loose = {key: name for key, name in loose.items() if name}
    ending = frozenset(loosely(name) for name in finish if name not in exact)
    return Names(exact, loose, ending, frozenset(none), placeholders)


def bare(written: str) -> str:
    """A name without quotes, backticks, bold marks and characters that cannot be seen."""
    return written.strip(_DECORATION)


def loosely(name: str) -> str:
    """A name without what models change in it."""
    return _LOOSE.sub("", name).casefold()
