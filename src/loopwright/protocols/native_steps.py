"""Reads a step of the text protocol that a model wrote in a native run, where its calls have fields of their own.

Owns when a text counts as such a step: its labels begin lines, and its action names a tool that exists, with an input.
What the labels mean is read by `react_reply`; any other text stays what it is.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from loopwright.core.messages import ToolSpec, Turn
from loopwright.protocols.labels import ENGLISH, Labels
from loopwright.protocols.leaks.quotations import is_example
from loopwright.protocols.react_lines import Piece, scan
from loopwright.protocols.react_reply import read_text
from loopwright.protocols.thinking import without_thinking

_NAME = re.compile(r"[\s*_`\"']*+(?P<name>[\w.-]{1,128})")
_EDGES = " \t\r\n*_`\"'"


def find_step(text: str, tools: Sequence[ToolSpec], labels: Labels = ENGLISH, *, cut: bool = False) -> Turn | None:
    """The step that a reply without native calls is, as a turn whose calls leaked; None if it is none. Never raises.

    An answer under its label counts where nothing but a thought stands before it. One that rests on an observation that
    the model wrote itself is a problem.
    """
    if ":" not in text and "：" not in text and "##" not in text:
        return None
    shown = without_thinking(text)[0].replace("\r\n", "\n").rstrip()
    pieces = [piece for piece in scan(shown, labels) if piece.kind != "text" or shown[: piece.end].strip()]
    decided = next((number for number, piece in enumerate(pieces) if piece.kind in ("action", "final")), -1)
    observed = next((number for number, piece in enumerate(pieces) if piece.kind == "observation"), -1)
    if decided < 0 or is_example(shown[: pieces[0].end if pieces[0].kind == "text" else 0]):
        return None
    if pieces[decided].kind == "final":
        invented = bool(tools) and 0 <= observed < decided
        own = all(piece.kind == "thought" for piece in pieces[:decided])
        counts = invented or own
    else:
        counts = _acts(shown, pieces, decided, frozenset(tool.name for tool in tools))
        invented = counts and 0 <= observed < decided
    if not counts:
        return None
    if invented:
        return Turn(problem=labels.problems.invented, text=shown)
    turn = read_text(text, tools, labels=labels, cut=cut)
    return replace(turn, text=turn.thought, leaked=True) if turn.calls else turn


def _acts(shown: str, pieces: list[Piece], number: int, tools: frozenset[str]) -> bool:
    """Whether an action names a tool that exists and gives it an input, and is no quotation."""
    piece = pieces[number]
    body = shown[piece.body : piece.end]
    name = _NAME.match(body)
    if piece.quoted or name is None or name["name"].rstrip(".") not in tools:
        return False
    below = pieces[number + 1 : number + 2]
    return bool(body[name.end() :].strip(_EDGES)) or any(after.kind == "input" for after in below)
