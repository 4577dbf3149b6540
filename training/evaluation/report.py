"""Counts attempts: a table for people, and a JSON document for everything else.

Owns the interval and the columns. May not hold: how a task is run or judged.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import msgspec
from msgspec import Struct

from training.evaluation.run import Attempt

TARGETS = {"single step": 0.95, "two steps": 0.90, "unseen tools": 0.75}
NORMAL_95 = 1.959964


class Row(Struct, frozen=True):
    """A kind, a group, or all, counted."""

    name: str
    n: int
    right: int
    low: float
    """Lower end of the 95 % interval of the share of right ones."""
    high: float
    seconds: float
    """Mean of a task."""
    asks: float
    """Mean number of questions to the model."""
    invented: int

    @property
    def share(self) -> float:
        """Right ones of all."""
        return self.right / self.n if self.n else 0.0


def wilson(right: int, n: int) -> tuple[float, float]:
    """The score interval at 95 % of a share.

    Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927).
    """
    if n == 0:
        return 0.0, 1.0
    share, square = right / n, NORMAL_95**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = NORMAL_95 / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def row(name: str, attempts: Sequence[Attempt]) -> Row:
    """Count some attempts."""
    n, right = len(attempts), sum(one.right for one in attempts)
    low, high = wilson(right, n)
    return Row(
        name,
        n,
        right,
        low,
        high,
        seconds=sum(one.seconds for one in attempts) / max(n, 1),
        asks=sum(one.asks for one in attempts) / max(n, 1),
        invented=sum(one.invented for one in attempts),
    )


def rows(attempts: Sequence[Attempt]) -> list[Row]:
    """Each group with its kinds below it, and all at the end."""
    counted: list[Row] = []
    for group in dict.fromkeys(one.group for one in attempts):
        members = [one for one in attempts if one.group == group]
        counted.append(row(group, members))
        kinds = dict.fromkeys(one.kind for one in members)
        counted += [row(f"  {kind}", [one for one in members if one.kind == kind]) for kind in kinds]
    return [*counted, row("all", attempts)]


def table(attempts: Sequence[Attempt]) -> str:
    """The table, in lines."""
    lines = [f"{'kind':<26}{'n':>5}{'right':>7}{'share':>8}  {'95 % interval':<16}{'s':>6}{'asks':>6}{'invented':>10}"]
    for one in rows(attempts):
        interval = f"{one.low:.1%} – {one.high:.1%}"
        counts = f"{one.name:<26}{one.n:>5}{one.right:>7}{one.share:>8.1%}"
        target = TARGETS.get(one.name)
        goal = "" if target is None else f"  target {target:.0%}: {'met' if one.share >= target else 'missed'}"
        lines.append(f"{counts}  {interval:<16}{one.seconds:>6.1f}{one.asks:>6.1f}{one.invented:>10}{goal}")
    return "\n".join(lines)


def document(attempts: Sequence[Attempt], about: dict[str, Any]) -> bytes:
    """Everything as JSON: what was run, the counts, and each attempt, the wrong ones first."""
    ordered = sorted(attempts, key=lambda one: one.right)
    summary = [{**msgspec.to_builtins(one), "share": round(one.share, 4)} for one in rows(attempts)]
    content = {
        "about": about,
        "summary": summary,
        "failures": [one for one in ordered if not one.right],
        "right": [one for one in ordered if one.right],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1)
