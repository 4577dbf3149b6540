"""Reads calls written as Python: ``[f(a=1), g(b="x")]``, ``print(f(a=1))``, ``f.call(a=1)``.

Owns the step from such source to calls with literal arguments. What a literal is, is known to `python_literals`.
"""

import ast
import re
from typing import Any, cast

from msgspec import Struct

from loopwright.core.messages import Call
from loopwright.protocols.leaks.found import NO_VALUES, Specs, made, refused, rejected, tool_name
from loopwright.protocols.python_literals import NoValue, escaped, named_values, parsed, value_of
from loopwright.protocols.repair import Arguments, fit_schema
from loopwright.protocols.schemas import properties, required

BEGINS = re.compile(r"\[\s*+[^\W\d][\w.]*+\(|\[\s*+\]")
"""A list of calls, as against a JSON array."""

_WRAPPERS = ("print",)


class _Written(Struct, frozen=True):
    name: str
    positional: tuple[Any, ...]
    named: dict[str, Any] | None
    """None where a value is no literal."""
    source: str
    problem: str = ""
    """What is wrong with the arguments, where that can be said."""


def python_calls(source: str, specs: Specs) -> list[Call] | None:
    """The calls of Python source: a list of calls, or one call a line; None if it is anything else."""
    source = source.strip()
    tree = parsed(source)
    if tree is None:
        return None
    nodes: list[ast.expr] = []
    for statement in tree.body:
        if not isinstance(statement, ast.Expr):
            return None
        value = statement.value
        nodes += value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    lines = [line.encode("utf-8", "replace") for line in source.split("\n")] if escaped(source) == source else []
    written = [_written(node, source, lines) for node in nodes]
    found = [item for item in written if item is not None]
    return [_call(item, specs) for item in found] if len(found) == len(written) and found else None


def _between(node: ast.expr, lines: list[bytes]) -> str | None:
    """The source between the brackets of a call; None where the lines are not those that were parsed."""
    last = node.end_lineno or 0
    if last > len(lines):
        return None
    pieces = lines[node.lineno - 1 : last]
    pieces[-1] = pieces[-1][: node.end_col_offset]
    pieces[0] = pieces[0][node.col_offset :]
    return b"\n".join(pieces).decode("utf-8", "replace").partition("(")[2][:-1].strip()


def _written(node: ast.expr, source: str, lines: list[bytes]) -> _Written | None:
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS:
        if len(node.args) != 1 or node.keywords:
            return None
        node = node.args[0]
    name = _dotted(node.func) if isinstance(node, ast.Call) else ""
    if not name:
        return None
    call = cast("ast.Call", node)
    between = _between(call, lines)
    source = source if between is None else between
    try:
        return _Written(name, tuple(map(value_of, call.args)), named_values(call), source)
    except NoValue as error:
        return _Written(name, (), None, source, str(error))


def _dotted(node: ast.expr) -> str:
    """The name of a function: ``f``, or ``module.f``; empty if it is anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""


def _call(written: _Written, specs: Specs) -> Call:
    tool = tool_name(written.name, specs)
    spec = specs.get(tool)
    named = written.named
    if named is not None and written.positional:
        needed = (required(spec.parameters) or list(properties(spec.parameters))) if spec else []
        alone = len(needed) == len(written.positional) == 1 and not named
        named = {needed[0]: written.positional[0]} if alone else None
    if named is None:
        return refused(
            tool, written.source, f"{written.problem}; send the call again" if written.problem else NO_VALUES
        )
    read = Arguments(named, "strict", "")
    return made(tool, fit_schema(read, spec.parameters) if spec else read, written.source)


def unreadable(source: str, specs: Specs) -> list[Call]:
    """A rejected call of the tool that source begins with, where it cannot be read; empty if it begins with none."""
    named = re.match(r"[\[\s]*+([^\W\d][\w.]{0,99})\s*+\(", source)
    return [made(tool_name(named[1], specs), rejected(NO_VALUES), source)] if named else []
