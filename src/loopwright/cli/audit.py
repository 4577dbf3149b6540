"""`loopwright audit`: every call of a run, who allowed it and when, and whether the journal is as it was written."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.engine.audit import Audited, Decided
    from loopwright.journal.base import Damage

FOLDED = 300
"""Characters of arguments and of a result that are shown unless all is asked for."""


def audit(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")] = "last",
    *,
    journal: JournalOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON lines: one a call, and one on the journal.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Do not fold long parts.")] = False,
) -> None:
    """Print every call of a run: arguments, result, who allowed it, when, and how long it took.

    Then check the hash chain over all events, and all that they refer to. Exit status: 0 when everything is as it was
    written; 1 when not, with the first event that is not, and when the run cannot be read.
    """
    import asyncio

    from loopwright.cli.setup import found_journal

    run_id, calls, seal = asyncio.run(_look(found_journal(journal), run))
    if as_json:
        _as_lines(run_id, calls, seal)
    else:
        _as_text(run_id, calls, seal, full=full)
    if not seal.is_well:
        raise typer.Exit(1)


class _Seal:
    """What the check of a run found."""

    def __init__(self, events: int, head: str, damage: "Damage | None", unread: str) -> None:
        self.events, self.head, self.damage, self.unread = events, head, damage, unread

    @property
    def is_well(self) -> bool:
        """Whether the run can be read, and is as it was written."""
        return self.damage is None and not self.unread

    def __str__(self) -> str:
        if self.damage is not None:
            return f"journal: DAMAGED at event {self.damage.seq}: {self.damage.what}"
        if self.unread:
            return f"journal: {self.events} events, which cannot be read; the chain ends in {self.head}"
        return f"journal: {self.events} events, all as they were written; the chain ends in {self.head}"


async def _look(store: Any, run: str) -> "tuple[str, list[Audited], _Seal]":
    """The calls of a run, as far as they can be read, and what its check found."""
    from loopwright.cli.setup import find_run
    from loopwright.core.errors import JournalError, LoopwrightError
    from loopwright.engine.audit import audited

    try:
        run_id = await find_run(store, run)
    except JournalError:  # its first event is damaged; which run is meant has to be said in full then
        run_id = run
    damage = await store.damage(run_id)
    links = await store.rows(run_id)
    try:
        calls, unread = audited(await store.read(run_id)), ""
    except LoopwrightError as error:
        calls, unread = [], str(error)
    return run_id, calls, _Seal(len(links), links[-1].digest.hex(), damage, unread)


def _as_lines(run_id: str, calls: "list[Audited]", seal: _Seal) -> None:
    from loopwright.cli.printing import json_line, safe_json

    for call in calls:
        print(safe_json(f'{{"run_id":{_json(run_id)},{_json(call)[1:]}'))
    whole = {"run_id": run_id, "events": seal.events, "head": seal.head, "damage": seal.damage}
    print(json_line({**whole, "unread": seal.unread} if seal.unread else whole))


def _as_text(run_id: str, calls: "list[Audited]", seal: _Seal, *, full: bool) -> None:
    from rich.text import Text

    from loopwright.cli.printing import console
    from loopwright.engine.telling import counted, visible

    screen = console()
    screen.print(Text(visible(f"run {run_id}: {counted(len(calls), 'call')}"), style="bold"), soft_wrap=True)
    for call in calls:
        heading, *rest = _lines(call, None if full else FOLDED)
        screen.print(Text(visible(f"\n{heading}"), style="yellow"), soft_wrap=True)
        for line in rest:
            screen.print(Text(visible(f"  {line}")), soft_wrap=True)
    if seal.unread:
        screen.print(Text(visible(f"\nthe calls cannot be read: {seal.unread}"), style="red"), soft_wrap=True)
    style = "green" if seal.is_well else "red"
    screen.print(Text(visible(f"\n{seal}"), style=style), soft_wrap=True)


def _lines(call: "Audited", most: int | None) -> list[str]:
    """A call in a few lines."""
    from loopwright.cli.printing import fold
    from loopwright.protocols.envelope import observation

    what = fold(call.text if call.state == "rejected" else _json(call.arguments), most)
    state = "" if call.state == "strict" else f"  ({call.state})"
    changed = "changed by a person from " + fold(call.text, most) if call.changed else ""
    result = fold(" ".join(observation(call.result).split()), most) if call.result is not None else "none yet"
    kept = [f"kept: {each.reference} {each.media_type}, {each.size:,} bytes" for each in call.artifacts]
    whole = [f"kept: the whole result, {call.whole.size:,} bytes"] if call.whole is not None else []
    before = [_before(each) for each in call.before]
    lines = (
        changed,
        *before,
        f"{_decision(call)}",
        _times(call),
        f"{call.how or 'not answered'}: {result}",
        *whole,
        *kept,
    )
    return [f"{call.id}  {call.tool} {what}{state}", *filter(None, lines)]


def _decision(call: "Audited") -> str:
    by = f" by {call.by}" if call.by else ""
    why = f" ({call.why})" if call.why else ""
    return f"{call.effect or 'no such tool'}: {call.permission}{by}{why}"


def _before(decided: "Decided") -> str:
    """An earlier question to a person about the same call."""
    by = f" by {decided.by}" if decided.by else ""
    why = f" ({decided.why})" if decided.why else ""
    told = [f"asked {_when(decided.asked_at)}"] if decided.asked_at is not None else []
    told += [f"decided {_when(decided.decided_at)}"] if decided.decided_at is not None else ["no answer came"]
    what = f"{decided.permission}{by}" if decided.decided_at is not None else "not decided"
    return f"before: {what}{why}, {', '.join(told)}"


def _times(call: "Audited") -> str:
    from loopwright.engine.telling import counted

    told = [f"made {_when(call.made_at)}"]
    told += [f"asked {_when(call.asked_at)}"] if call.asked_at is not None else []
    told += [f"decided {_when(call.decided_at)}"] if call.decided_at is not None else []
    told += [f"started {_when(at)}" for at in call.started_at]
    told += [f"ended {_when(call.ended_at)}"] if call.ended_at is not None else []
    told += [f"took {call.seconds:.3f} s"] if call.seconds is not None else []
    again = len(call.started_at) - 1
    return ", ".join([*told, *([f"ran again {counted(again, 'time')} after an interruption"] if again > 0 else [])])


def _when(at: float) -> str:
    """A time as the clock on the wall shows it, to the second; the number itself where no clock does."""
    from datetime import datetime

    try:
        return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return str(at)


def _json(value: object) -> str:
    from msgspec.json import encode

    return encode(value).decode()
