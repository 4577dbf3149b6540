"""`loopwright approve`, `deny`, `answer`, `say` and `cancel`: what a person sends to a run from another terminal."""

import getpass
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.ask import JournalOption

if TYPE_CHECKING:
    from loopwright.core.events import Event
    from loopwright.core.inbox import Letter
    from loopwright.engine.sending import Cancelled
    from loopwright.engine.waiting import Waiting
    from loopwright.journal.base import Journal

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, its beginning, or last.")]
CallArgument = Annotated[
    str | None, typer.Argument(metavar="[CALL]", help="Which call, such as 3.1; without it, the one that waits.")
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; the model is told, or the journal.")]
ByOption = Annotated[str | None, typer.Option("--by", help="Who says so [default: your user name]")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print what was sent as a JSON line.")]

ANSWERED_BY_PEOPLE = ("ask_person",)
"""The tools of the toolbox that a person answers."""


def approve(
    run: RunArgument,
    call: CallArgument = None,
    *,
    always: Annotated[
        str | None, typer.Option("--always", help="call: this exact call always in this run; tool: this tool.")
    ] = None,
    arguments: Annotated[
        str | None, typer.Option("--arguments", metavar="JSON", help="Other arguments, with which it is allowed.")
    ] = None,
    by: ByOption = None,
    journal: JournalOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say yes to a call that waits. What is said yes to is shown, and the yes holds for just that.

    Exit status: 0 sent, 2 where nothing waits for it.
    """
    from loopwright.core.errors import UsageError
    from loopwright.core.inbox import Approve

    if always not in (None, "call", "tool"):
        raise UsageError(f"unknown --always {always!r}: use call or tool")
    changed = None if arguments is None else _arguments(arguments)

    def letter(waits: "Waiting") -> "Letter":
        return Approve(
            call_id=waits.call_id,
            allowed=True,
            by=_by(by),
            scope="call" if always == "call" else "tool" if always == "tool" else "once",
            arguments=changed,
            digest=waits.digest,
        )

    _send_about(run, call, ("approval", "doubt"), letter, "allowed", journal, as_json=as_json)


def deny(
    run: RunArgument,
    call: CallArgument = None,
    *,
    reason: ReasonOption = "",
    by: ByOption = None,
    journal: JournalOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say no to a call that waits; the model is told, with the reason.

    Exit status: 0 sent, 2 where nothing waits for it.
    """
    from loopwright.core.inbox import Approve

    def letter(waits: "Waiting") -> "Letter":
        return Approve(call_id=waits.call_id, allowed=False, by=_by(by), reason=reason, digest=waits.digest)

    _send_about(run, call, ("approval", "doubt"), letter, "denied", journal, as_json=as_json)


def answer(
    run: RunArgument,
    call: Annotated[str, typer.Argument(metavar="CALL", help="Which call, such as 3.1.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The answer, as it would be typed at the question.")],
    *,
    by: ByOption = None,
    journal: JournalOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a call that a person answers, such as ask_person.

    Exit status: 0 sent, 2 where nothing waits for it.
    """
    from loopwright.core.inbox import Answer

    def letter(waits: "Waiting") -> "Letter":
        return Answer(call_id=waits.call_id, value=value, by=_by(by))

    _send_about(run, call, ("answer",), letter, "answered", journal, as_json=as_json)


def say(
    run: RunArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the model is told.")],
    *,
    by: ByOption = None,
    journal: JournalOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell the model something while it works; it hears it before it is asked the next time.

    Exit status: 0 sent, 2 where the run is over.
    """
    from loopwright.core.errors import UsageError
    from loopwright.core.inbox import Say
    from loopwright.engine.sending import send

    if not text.strip():
        raise UsageError("say what? TEXT is empty")

    async def write(store: "Journal", run_id: str, history: "list[Event]") -> "tuple[int, Letter, str]":
        del history
        letter = Say(text=text, by=_by(by))
        return await send(store, run_id, letter), letter, ""

    _deliver(run, write, "the model will be told", journal, as_json=as_json)


def cancel(
    run: RunArgument,
    *,
    reason: ReasonOption = "",
    by: ByOption = None,
    journal: JournalOption = None,
    as_json: JsonOption = False,
) -> None:
    """End a run at once. A call that is running is given up: it may have happened or not.

    Exit status: 0, 2 where the run is over.
    """
    from loopwright.core.inbox import Cancel
    from loopwright.engine.clock import SystemClock
    from loopwright.engine.sending import cancel as ended

    async def write(store: "Journal", run_id: str, history: "list[Event]") -> "tuple[int, Letter, str]":
        del history
        letter = Cancel(by=_by(by), reason=reason)
        done = await ended(store, SystemClock(), run_id, letter)
        return done.number, letter, _came_of(done)

    _deliver(run, write, "", journal, as_json=as_json)


def _came_of(done: "Cancelled") -> str:
    """What came of a cancellation, in words."""
    if done.outcome is None:
        return "whoever works on the run ends it now"
    if done.outcome.status == "cancelled":
        return "the run is cancelled"
    return f"the run was about to end already, and is over now: {done.outcome.status}"


Written = Callable[["Journal", str, "list[Event]"], Coroutine[Any, Any, "tuple[int, Letter, str]"]]
"""Sends a letter to a run with this history; gives its number, itself, and what came of it at once."""


def _send_about(
    run: str,
    call: str | None,
    about: Collection[str],
    letter_of: "Callable[[Waiting], Letter]",
    done: str,
    journal: Any,
    *,
    as_json: bool,
) -> None:
    """Send a letter about a call that waits."""
    from msgspec.structs import replace

    from loopwright.core.inbox import Approve
    from loopwright.engine.sending import send
    from loopwright.engine.telling import visible
    from loopwright.engine.waiting import chosen, waiting

    async def write(store: "Journal", run_id: str, history: "list[Event]") -> "tuple[int, Letter, str]":
        waits = chosen(waiting(history, ANSWERED_BY_PEOPLE), call, about, run_id)
        letter = letter_of(waits)
        before = await _unread(store, run_id, history, waits.call_id)
        number = await send(store, run_id, letter)
        if isinstance(letter, Approve) and letter.arguments is not None:
            waits = replace(waits, arguments=letter.arguments)
        first = f" (letter {before} about it is there already, and counts first)" if before else ""
        return number, letter, f"{done}: {visible(shown(waits))}{first}"

    _deliver(run, write, "", journal, as_json=as_json)


async def _unread(store: "Journal", run_id: str, history: "list[Event]", call_id: str) -> int:
    """The number of the first letter about a call that the run has not taken; 0 where there is none."""
    from loopwright.engine.history import fold
    from loopwright.journal.base import Inbox

    taken = fold(history).taken
    letters = await store.inbox(run_id) if isinstance(store, Inbox) else []
    waiting = (one.number for one in letters if getattr(one.letter, "call_id", None) == call_id)
    return next((number for number in waiting if number not in taken), 0)


def _deliver(run: str, write: Written, done: str, journal: Any, *, as_json: bool) -> None:
    """Find the run, send, and say what was sent and who will find it."""
    import asyncio

    from loopwright.cli.printing import json_line
    from loopwright.cli.setup import find_run, found_journal
    from loopwright.core.events import RunEnded

    async def work() -> "tuple[str, int, Letter, str, list[Event], bool]":
        store = found_journal(journal)
        run_id = await find_run(store, run)
        number, letter, told = await write(store, run_id, await store.read(run_id))
        history = await store.read(run_id)
        over = isinstance(history[-1], RunEnded)
        return run_id, number, letter, told, history, over or await _is_worked_on(store, run_id)

    run_id, number, letter, told, history, attended = asyncio.run(work())
    if as_json:
        over = isinstance(history[-1], RunEnded)
        print(json_line({"run_id": run_id, "number": number, "letter": letter, "over": over, "attended": attended}))
        return
    print(told or done)
    if not attended:
        print(f"nobody works on the run now; go on with: {going_on(run_id, history, journal)}")


def going_on(run_id: str, history: "Sequence[Event]", journal: Any) -> str:
    """The command that goes on with a run; one that was paused to wait for letters may be so again."""
    from loopwright.cli.printing import PAUSING, verb
    from loopwright.engine.waiting import paused_for

    return verb("resume", run_id, journal, options=PAUSING if paused_for(history) else "")


async def _is_worked_on(store: "Journal", run_id: str) -> bool:
    """Whether somebody holds the run; to see that, it is held for a moment."""
    from loopwright.core.errors import Conflict
    from loopwright.engine.lease import held
    from loopwright.journal.base import Leases

    if not isinstance(store, Leases):
        return False
    try:
        async with held(store, run_id, 1.0):
            return False
    except Conflict:
        return True


def shown(waits: "Waiting") -> str:
    """A call that waits, in a line."""
    from msgspec.json import encode

    why = f"  ({waits.why})" if waits.why else ""
    return f"{waits.call_id} {waits.tool} {encode(waits.arguments).decode()}{why}"


def _arguments(text: str) -> dict[str, Any]:
    from loopwright.cli.person import arguments_in
    from loopwright.core.errors import UsageError

    arguments, wrong = arguments_in(text)
    if wrong:
        raise UsageError(f"--arguments: {wrong}")
    return arguments


def _by(by: str | None) -> str:
    """Who sends it."""
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # no name belongs to this user's number
        return "somebody"
