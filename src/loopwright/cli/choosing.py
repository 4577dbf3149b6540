"""Which runs of a journal are listed: those that fit what the options say.

Owns what the words of `--status`, `--since` and `--until` mean. Summaries are looked at first; a run is read only where
they do not decide: whether it waits for a person, and which tools were called in it. Prints nothing.
"""

import re
import time
from datetime import date, datetime, timedelta
from fnmatch import fnmatchcase
from math import inf
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from loopwright.cli.letters import ANSWERED_BY_PEOPLE
from loopwright.core.errors import JournalError, LoopwrightError, UsageError
from loopwright.core.events import Event, ModelReplied
from loopwright.core.messages import OutcomeStatus
from loopwright.engine.waiting import waiting
from loopwright.journal.base import Journal, RunSummary

STATUSES = (*get_args(OutcomeStatus), "paused", "unfinished", "waits", "damaged")
"""What a run can be; each is one of them."""
ALL = 2**31
"""More runs than a journal has."""

_AGE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


class Wanted(Struct, frozen=True, kw_only=True):
    """What a run has to be to be listed; all of it, and nothing where a field has its default."""

    statuses: frozenset[str] = frozenset()
    """One of these, as `STATUSES`; empty for any."""
    model: str = ""
    """A pattern of the whole name, in which ``*`` stands for anything; large and small letters are the same."""
    tool: str = ""
    """A tool that the model called in it, whatever came of the call."""
    text: str = ""
    """It stands in the task or the answer; large and small letters are the same."""
    since: float = -inf
    """Unix time before which it did not begin."""
    until: float = inf
    """Unix time before which it began."""

    def __post_init__(self) -> None:
        """Refuse what no run can be.

        Raises:
            UsageError: a status that there is not, or a time that ends before it begins
        """
        if unknown := sorted(self.statuses - set(STATUSES)):
            raise UsageError(f"unknown --status {unknown[0]!r}: use {', '.join(STATUSES[:-1])} or {STATUSES[-1]}")
        if self.since >= self.until:
            raise UsageError("no run can fit: --since is not before --until")

    @property
    def any(self) -> bool:
        """Whether every run fits."""
        return self == Wanted()


class Listed(Struct, frozen=True):
    """A run that fits, and what it is: one of `STATUSES`."""

    summary: RunSummary
    status: str


class Choice(Struct, frozen=True):
    """The runs that fit, the newest first, and the ids of those of which it cannot be said because they are damaged."""

    runs: tuple[Listed, ...]
    unread: tuple[str, ...] = ()


async def chosen_runs(journal: Journal, wanted: Wanted, limit: int) -> Choice:
    """At most `limit` runs that fit, the newest first.

    Raises:
        JournalError: the store refused
    """
    found, unread = list[Listed](), list[str]()
    for summary in await journal.runs(limit if wanted.any else ALL):
        if len(found) == limit:
            break
        try:
            listed = await _judged(journal, summary, wanted)
        except JournalError:
            unread.append(summary.run_id)
        else:
            found.extend([listed] if listed is not None else [])
    return Choice(tuple(found), tuple(unread))


async def _judged(journal: Journal, summary: RunSummary, wanted: Wanted) -> Listed | None:
    """The run, if it fits.

    Raises:
        JournalError: it is damaged, so that this cannot be said
    """
    if summary.damaged:
        if wanted.statuses and "damaged" not in wanted.statuses:
            return None
        if not replace(wanted, statuses=frozenset()).any:
            raise JournalError(summary.damaged)
        return Listed(summary, "damaged")
    return await _looked_into(journal, summary, wanted) if _fits(summary, wanted) else None


def _fits(summary: RunSummary, wanted: Wanted) -> bool:
    """Whether the summary fits, as far as it says anything."""
    over = summary.status
    return (
        (not wanted.statuses or (over in wanted.statuses if over else not wanted.statuses <= _OVER))
        and fnmatchcase(summary.model.casefold(), (wanted.model or "*").casefold())
        and wanted.text.casefold() in f"{summary.task}\0{summary.answer or ''}".casefold()
        and wanted.since <= summary.started_at < wanted.until
    )


_OVER = frozenset({*get_args(OutcomeStatus), "damaged"})
"""What a run that goes on is not."""


async def _looked_into(journal: Journal, summary: RunSummary, wanted: Wanted) -> Listed | None:
    """The run, where what only its events tell fits as well."""
    status = summary.status or await _unfinished(journal, summary)
    if wanted.statuses and status not in wanted.statuses:
        return None
    if wanted.tool and not _calls(await journal.read(summary.run_id), wanted.tool):
        return None
    return Listed(summary, status)


async def _unfinished(journal: Journal, summary: RunSummary) -> str:
    """What a run is that is not over."""
    try:
        waits = bool(waiting(await journal.read(summary.run_id), ANSWERED_BY_PEOPLE))
    except LoopwrightError:  # listed all the same; 'show' and 'audit' say what is wrong
        waits = False
    return "waits" if waits else "paused" if summary.paused else "unfinished"


def _calls(events: list[Event], tool: str) -> bool:
    return any(call.tool == tool for event in events if isinstance(event, ModelReplied) for call in event.turn.calls)


def time_of(option: str, said: str | None, *, end: bool = False) -> float | None:
    """Unix time of a date, a date with a time, or an age; None for none.

    Without a time zone it is that of this machine. A date is its first moment; with `end`, its last.

    Raises:
        UsageError: it is none of them
    """
    if said is None:
        return None
    text = said.strip()
    if (age := _AGE.fullmatch(text)) is not None:
        return time.time() - float(age[1]) * _SECONDS[age[2]]
    try:
        try:
            day = datetime.combine(date.fromisoformat(text), datetime.min.time())
            return (day + timedelta(days=1 if end else 0)).timestamp()
        except ValueError:
            return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{option} {said!r} is no time: use a date like 2026-11-30, a date and time like 2026-11-30T14:05, "
            "or an age like 30m, 2h or 3d"
        ) from None
