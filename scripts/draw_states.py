"""Draws docs/states.md, the picture of the phases of a run, from the tables in `loopwright.core.state`.

Run it after a change of `LEGAL` or `LEGAL_CALL`; a test fails while the page is out of date. Where an event leads is
not written here either: each is applied to a run that is in the phase, and the arrow points to where the run is then.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

from loopwright.core import events as ev
from loopwright.core.errors import IllegalEvent
from loopwright.core.loop import apply
from loopwright.core.messages import Call, Outcome, Result, ToolSpec, Turn
from loopwright.core.state import LEGAL, LEGAL_CALL, Phase, Stage, State

PAGE = Path(__file__).resolve().parent.parent / "docs" / "states.md"

TOOLS = (
    ToolSpec("read"),
    ToolSpec("pay", effect="pay", permission="ask", repeatable=False),
    ToolSpec("send", effect="send", permission="allow", repeatable=False),
)
STARTED = ev.RunStarted(run_id="r", task="t", model="m", tools=TOOLS, attended=True)
ASKED = ev.ModelAsked(number=1)
FAILED = ev.ModelFailed(failure="auth", message="wrong key")


def _replied(*tools: str) -> ev.ModelReplied:
    return ev.ModelReplied(turn=Turn(calls=tuple(Call(tool, id=f"1.{n}") for n, tool in enumerate(tools, 1))))


def _examples(call_id: str = "1.1") -> tuple[ev.Event, ...]:
    """Events of every type, some in several forms that lead to different places."""
    return (
        STARTED,
        ev.RunPaused(),
        ev.RunResumed(attended=True),
        ASKED,
        _replied("read"),
        ev.ModelReplied(turn=Turn(answer="42")),
        FAILED,
        ev.ApprovalAsked(call_id=call_id),
        ev.ApprovalGiven(call_id=call_id, allowed=True),
        ev.ApprovalGiven(call_id=call_id, allowed=False),
        ev.CallStarted(call_id=call_id),
        ev.CallEnded(call_id=call_id, result=Result(), how="ran"),
        ev.CallEnded(call_id=call_id, result=Result("error", error="Denied: no"), how="denied"),
        ev.NoteAdded(kind="empty"),
        ev.WaySwitched(way="text", reason="tools refused"),
        ev.ContextLost(expected=5000, counted=4096),
        ev.ContextCondensed(covers=("1.1",)),
        ev.PersonSaid(text="hurry"),
        ev.CancelAsked(by="anna"),
        ev.LetterRefused(inbox=1, why="no call waits for it"),
        ev.RunEnded(outcome=Outcome("failed")),
    )


def _state(*events: ev.Event) -> State:
    state = State()
    for event in events:
        apply(state, event)
    return state


def phases() -> dict[Phase, tuple[State, ...]]:
    """Runs in every phase."""
    asking = (STARTED, ASKED)
    return {
        "new": (_state(),),
        "ready": (_state(STARTED),),
        "asking": (_state(*asking),),
        "acting": (
            _state(*asking, _replied("read")),
            _state(*asking, _replied("read", "read")),
            _state(*asking, _replied("pay")),
            _state(*asking, _replied("read"), ev.CallStarted(call_id="1.1")),
            _state(*asking, _replied("pay"), ev.ApprovalAsked(call_id="1.1")),
        ),
        "over": (_state(*asking, FAILED, ev.RunEnded(outcome=Outcome("failed"))),),
    }


def stages() -> dict[Stage, tuple[State, ...]]:
    """Runs whose call 1.1 is at every stage; there is a second call, so that the run goes on acting."""
    free, asks, once = ((STARTED, ASKED, _replied(tool, "read")) for tool in ("read", "pay", "send"))
    started, crashed = ev.CallStarted(call_id="1.1"), ev.RunResumed(attended=True)
    asked, yes = ev.ApprovalAsked(call_id="1.1"), ev.ApprovalGiven(call_id="1.1", allowed=True)
    return {
        "owed": (_state(*free), _state(*asks)),
        "asked": (_state(*asks, asked), _state(*once, started, crashed, asked)),
        "allowed": (_state(*asks, asked, yes),),
        "denied": (_state(*asks, asked, ev.ApprovalGiven(call_id="1.1", allowed=False)),),
        "running": (_state(*free, started),),
        "doubt": (_state(*free, started, crashed), _state(*once, started, crashed)),
    }


def _moves(states: tuple[State, ...], where: Callable[[State], str]) -> Iterator[tuple[str, str]]:
    """Event and destination of all that may happen to these runs."""
    for state in states:
        for event in (*_examples(), ev.RunForked(started=STARTED, parent="r", after=state.events)):
            after = deepcopy(state)
            try:
                apply(after, event)
            except IllegalEvent:
                continue
            yield type(event).__name__, where(after)


def _stage(state: State) -> str:
    return state.open["1.1"].stage if "1.1" in state.open else "[*]"


def _arrows(edges: dict[tuple[str, str], list[str]]) -> list[str]:
    return [f"    {start} --> {end}: {', '.join(names)}" for (start, end), names in edges.items()]


def _collected(moves: Iterator[tuple[str, str, str]]) -> dict[tuple[str, str], list[str]]:
    edges: dict[tuple[str, str], list[str]] = {}
    for start, name, end in moves:
        names = edges.setdefault((start, end), [])
        if name not in names:
            names.append(name)
    return edges


def _diagram(first: str, edges: dict[tuple[str, str], list[str]]) -> list[str]:
    return ["```mermaid", "stateDiagram-v2", f"    [*] --> {first}", *_arrows(edges), "```"]


def run_edges() -> dict[tuple[str, str], list[str]]:
    """The events that lead from phase to phase."""
    return _collected(
        (phase, name, end)
        for phase, states in phases().items()
        for name, end in _moves(states, lambda state: state.phase)
    )


def call_edges() -> dict[tuple[str, str], list[str]]:
    """The events that lead from stage to stage of one call; `[*]` is where it is answered."""
    taken_over = ("RunResumed", "RunForked", "CancelAsked")
    whole = ("RunPaused", "LetterRefused")
    return _collected(
        (stage, name, end)
        for stage, states in stages().items()
        for name, end in _moves(states, _stage)
        if name not in whole and not (name in taken_over and end == stage)
    )


def _table(legal: dict[Phase, tuple[type, ...]] | dict[Stage, tuple[type, ...]], title: str) -> list[str]:
    rows = [f"| {name} | {', '.join(event.__name__ for event in events)} |" for name, events in legal.items()]
    return [f"| {title} | events that may follow |", "|---|---|", *rows]


def page() -> str:
    """The whole page."""
    lines = [
        "# The states of a run",
        "",
        "Drawn by `scripts/draw_states.py` from the tables in `loopwright.core.state`; change those and run it again.",
        "",
        "A run is in one of five phases. An event that is not in the row of the phase is refused before it is written",
        "down. Only a run that failed can be resumed once it is over; every run can be forked.",
        "",
        *_diagram("new", run_edges()),
        "",
        *_table(LEGAL, "phase"),
        "",
        "While a run is acting, each of its calls is at one of six stages. A call leaves the picture when it is",
        "answered; when the last one is, the run is ready again. A call that does not run, because it was refused,",
        "withheld or denied, is answered where it stands. After a crash, a call that was running is in doubt, and a",
        "question to a person is asked again. So it is in a fork, whatever was allowed in its parent. Once somebody",
        "wants the run to end, no call begins any more.",
        "",
        *_diagram("owed", call_edges()),
        "",
        *_table(LEGAL_CALL, "stage"),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
