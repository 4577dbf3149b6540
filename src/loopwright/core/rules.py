"""Rules: what is permitted to which calls, as data, and whether a rule is about a call.

Owns the words of a policy and how patterns match. In which order rules count, and what else decides, is
`core.permission`'s.

Arguments are written by a model, so a pattern may be evaded. Therefore a rule that allows is read *narrowly*: every
value must match, upper and lower case count, ``*`` stops at the end of a line, and a path that climbs (``..``) matches
no ``*``. A rule that asks or denies is read *broadly*: one value that matches is enough, in any case, over
lines, and a text that is a number counts as one.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, cast, get_args

from msgspec import Struct, field

from loopwright.core.messages import Effect, Permission, ToolSpec

EVERY = "*"
"""Name of an argument in a rule: it stands for all of them."""
LONGEST = 10_000
"""Characters of a text that patterns are tried on; a longer one is too much for a rule that allows to say yes to."""
LARGEST = 1 << 1024
"""A whole number from here on is too large to be written out or compared."""

_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What may end a line for some tool."""

Leaf = str | int | float | bool | None


class Match(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an argument must be like; all that is given must hold.

    Raises:
        ValueError: nothing is given, the expression is none, or the range is empty
    """

    glob: str | None = None
    """The whole text, with ``*`` for any characters and ``?`` for one."""
    regex: str | None = None
    """A regular expression of Python for the whole text."""
    least: float | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        if self.glob is None and self.regex is None and self.least is None and self.most is None:
            raise ValueError("a pattern is empty; give glob, regex, least or most")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"no number is at least {self.least:g} and at most {self.most:g}")
        try:
            re.compile(self.regex or "")
        except re.error as error:
            raise ValueError(f"regex {self.regex!r} is none: {error}") from None

    def fits(self, leaf: Leaf, *, broad: bool) -> bool:
        """Whether one value is like this."""
        if isinstance(leaf, int) and abs(leaf) >= LARGEST:
            return broad
        return self._text_fits(written(leaf), broad=broad) and self._number_fits(leaf, broad=broad)

    def _text_fits(self, text: str, *, broad: bool) -> bool:
        if self.glob is None and self.regex is None:
            return True
        if len(text) > LONGEST:
            return broad
        if self.glob is not None and not (_pattern(_from_glob(self.glob), broad=broad).fullmatch(text)):
            return False
        if self.glob is not None and not broad and (_BREAK.search(text) or (climbs(text) and not climbs(self.glob))):
            return False
        return self.regex is None or _pattern(self.regex, broad=broad).fullmatch(text) is not None

    def _number_fits(self, leaf: Leaf, *, broad: bool) -> bool:
        if self.least is None and self.most is None:
            return True
        number = _number(leaf, broad=broad)
        if number is None:
            return False
        return (self.least is None or number >= self.least) and (self.most is None or number <= self.most)


class Rule(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One rule: what is permitted to the calls that it is about. It is about those for which all that it names holds.

    ``Rule("deny", effect="pay")``, ``Rule("allow", tool="send_*", arguments={"to": "*@example.com"})``.

    Raises:
        ValueError: a word is none of those that are known, or a part contradicts another
    """

    permission: Permission
    tool: str | None = None
    """Name of a tool, with ``*`` and ``?`` as in a glob."""
    effect: Effect | None = None
    arguments: dict[str, str | Match] = field(default_factory=dict[str, "str | Match"])
    """Patterns by the name of an argument, or ``*`` for all; a text is a glob."""
    tainted: Literal["", "ask", "allow"] = ""
    """What holds behind text of others. ``allow``: the same, wherever the arguments come from. ``ask``: also what only
    reads asks, because an address or a query can carry out what was read. Without it, all but what only reads asks."""
    reason: str = ""
    """Why, for whoever is asked, and for the model whose call is denied."""
    source: str = ""
    """Where the rule is written, for people."""

    def __post_init__(self) -> None:
        if self.permission not in get_args(Permission):
            raise ValueError(f"permission {self.permission!r}; it is one of {', '.join(get_args(Permission))}")
        if self.effect is not None and self.effect not in get_args(Effect):
            raise ValueError(f"effect {self.effect!r}; it is one of {', '.join(get_args(Effect))}")
        if self.tainted not in ("", "ask", "allow"):
            raise ValueError(f"tainted {self.tainted!r}; it is one of ask, allow")
        if self.tainted and self.permission != "allow":
            raise ValueError(f"tainted makes no sense in a rule that says {self.permission}")

    def concerns(self, tool: ToolSpec) -> bool:
        """Whether the rule is about this tool, as far as that depends on the tool."""
        named = self.tool is None or _pattern(_from_glob(self.tool), broad=False).fullmatch(tool.name) is not None
        return named and self.effect in (None, tool.effect)

    def matches(self, tool: ToolSpec, arguments: dict[str, Any]) -> bool:
        """Whether the rule is about a call of this tool with these arguments."""
        return self.concerns(tool) and all(
            self._holds(_matching(pattern), _valued(name, tool, arguments)) for name, pattern in self.arguments.items()
        )

    def _holds(self, pattern: Match, value: object) -> bool:
        broad = self.permission != "allow"
        found = [pattern.fits(leaf, broad=broad) for leaf in leaves(value)]
        return any(found) if broad else bool(found) and all(found)

    @property
    def subject(self) -> str:
        """What the rule is about, in words."""
        effect = f"what can {self.effect}" if self.effect else ""
        about = ", ".join(part for part in (self.tool or "", effect) if part) or "every tool"
        trust = {"": "", "ask": ", unless others wrote what", "allow": ", whatever others wrote"}[self.tainted]
        return f"{about}{f' where {self.condition}' if self.arguments else ''}{trust}"

    @property
    def condition(self) -> str:
        """What the arguments must be like, in words; empty where they do not matter."""
        return " and ".join(f"{name} {_said(_matching(pattern))}" for name, pattern in self.arguments.items())

    def __str__(self) -> str:
        """The rule in a line."""
        return f"{self.permission} {self.subject}"


_MISSING: dict[str, Any] = {}
"""What an argument is that neither the call nor the schema gives: no value at all."""


def leaves(value: object) -> Iterator[Leaf]:
    """The single values within a value; the keys of tables are values too."""
    if isinstance(value, dict):
        for name, item in cast("dict[str, object]", value).items():
            yield name
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from leaves(item)
    else:
        yield cast("Leaf", value)


def written(leaf: Leaf) -> str:
    """A single value as a pattern sees it: a text as it is, anything else as in JSON."""
    match leaf:
        case str():
            return leaf
        case None:
            return "null"
        case bool():
            return "true" if leaf else "false"
        case _:
            return str(leaf)


def climbs(path: str) -> bool:
    """Whether a path has a part ``..``."""
    return ".." in re.split(r"[/\\]", path)


def _valued(name: str, tool: ToolSpec, arguments: dict[str, Any]) -> object:
    """The values that a pattern is tried on; where the call leaves an argument out, the schema's default."""
    if name == EVERY:
        return list(arguments.values())
    if name in arguments:
        return arguments[name]
    schemas = tool.parameters.get("properties")  # others may have written it
    schema = cast("dict[str, Any]", schemas).get(name) if isinstance(schemas, dict) else None
    return cast("dict[str, Any]", schema).get("default", _MISSING) if isinstance(schema, dict) else _MISSING


def _matching(pattern: str | Match) -> Match:
    return Match(glob=pattern) if isinstance(pattern, str) else pattern


def _said(pattern: Match) -> str:
    parts = [f"is {pattern.glob}" if pattern.glob is not None else ""]
    parts.append(f"matches {pattern.regex}" if pattern.regex is not None else "")
    parts.append(f"is at least {pattern.least:g}" if pattern.least is not None else "")
    parts.append(f"is at most {pattern.most:g}" if pattern.most is not None else "")
    return " and ".join(part for part in parts if part)


def _from_glob(glob: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(sign) or re.escape(sign) for sign in glob)


@lru_cache(maxsize=1024)
def _pattern(regex: str, *, broad: bool) -> re.Pattern[str]:
    return re.compile(regex, re.DOTALL | re.IGNORECASE if broad else 0)


def _number(leaf: Leaf, *, broad: bool) -> float | None:
    if isinstance(leaf, bool) or leaf is None:
        return None
    if not isinstance(leaf, str):
        return leaf
    try:
        number = float(leaf) if broad else None
    except ValueError:
        return None
    return number if number is not None and isfinite(number) else None
