"""A world for the core: whatever a driver, a model, its tools, people and crashes can do, as histories of events.

Owns the play: it asks what is `due`, picks one thing that may happen next and writes it down, in any order that a
driver which keeps its promises could bring about. What the core promises in return is stated in `test_core_laws`.
A driver promises: results within `RunTool.room`, nothing later than `until`, replies through `Turn.numbered`.
A provider promises: no more output than `max_tokens`, no more input tokens than bytes sent, no higher price than known.
An honest one counts all that it is sent; it may leave out tools when no tool may be called, and what the model thought
before a user spoke.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from loopwright.core import events as ev
from loopwright.core.commands import AskModel, AskPerson, Command, Record, RunTool
from loopwright.core.drift import BYTES_A_TOKEN
from loopwright.core.limits import IMAGE_TOKENS, MESSAGE_BYTES, OFFER_BYTES, TELLING_BYTES, size
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Content, Limits, Price, Result, Settings, ToolSpec, Turn, Usage, Whole
from loopwright.core.outside import unheard
from loopwright.core.rules import Match, Rule
from loopwright.core.state import State

One = TypeVar("One")

TOOLS = (
    ToolSpec("look"),
    ToolSpec("poll", pollable=True),
    ToolSpec("write", effect="write", repeatable=False),
    ToolSpec("pay", effect="pay", repeatable=False, permission="ask"),
    ToolSpec("send", effect="send", permission="ask"),
    ToolSpec("delete", effect="delete", permission="deny"),
    ToolSpec("lenient", accepts_repaired=True),
    ToolSpec("fetch", trusted_output=False),
    ToolSpec("mail", effect="send", repeatable=False, trusted_output=False),
)
RULES = (
    Rule("deny", effect="send", arguments={"n": Match(least=15)}),
    Rule("allow", tool="pay", arguments={"n": Match(most=5)}, tainted="allow"),
    Rule("allow", tool="se*"),
    Rule("ask", tool="look", arguments={"n": "1?"}),
    Rule("deny", tool="write", arguments={"n": "7"}, reason="r" * 300),
)
READER = ToolSpec("read_more")
UNKNOWN = ("read_more", "x", "no such tool", "\x00" * 60, "\ud800" * 60, "名" * 200, "'\"\\" * 40)
REASONS = ("", "it was cut", "the name 'a' occurs twice ", "é" * 1500)
FAILURES: tuple[ev.Failure, ...] = ("auth", "model", "context", "tools_refused", "network", "timeout", "overloaded")


class Play(Struct):
    """A run while it is played. Never reads the ledger: it does its own sums."""

    chance: Random
    state: State
    events: list[ev.Event] = field(default_factory=list[ev.Event])
    bound: int = 0
    """Tokens that the next request may really have, at most."""
    until: dict[str, float | None] = field(default_factory=dict[str, float | None])
    """Of everything in flight, when it must be given up; the question is called ''."""
    rooms: dict[str, int] = field(default_factory=dict[str, int])
    now: float = 0.0
    trouble: bool = True
    """Whether crashes and pauses happen."""
    greedy: bool = False
    """Whether all that may be used is used."""
    variety: int = 20
    """How many different calls the model thinks of for one tool; with 0 it goes round in circles."""
    clumsy: bool = False
    """Whether the model mostly misses the format."""
    honest: bool = True
    """Whether the server always counts all that it is sent; otherwise it often does not."""
    sent: int = 0
    """Tokens that the next request has at least, by an honest count, beside what was added since the last."""
    added: int = 0
    """Tokens that were added since the last count, at least."""
    letters: int = 0
    """Letters that came."""
    forks: int = 0
    closing: bool = False
    """Whether the request for the closing answer stands in the transcript, and nobody has counted it."""

    def write(self, event: ev.Event) -> None:
        """Write a fact down."""
        apply(self.state, event)
        self.events.append(event)

    def pick(self, choices: Sequence[One]) -> One:
        """One of them."""
        return self.chance.choice(choices)

    def number(self, least: int, most: int) -> int:
        """A whole number."""
        return self.chance.randint(least, max(least, most))

    def rarely(self) -> bool:
        """Mostly not."""
        return self.chance.randint(1, 10) == 10

    def letter(self) -> int:
        """The number of a letter that came just now."""
        self.letters += 1
        return self.letters

    def told(self, bytes_: int) -> None:
        """The model is told something that no tool said."""
        self.bound += TELLING_BYTES + bytes_
        self.sent = 0

    def wait(self, name: str) -> float:
        """Let time pass for something in flight, but not beyond its limit."""
        until, passed = self.until.pop(name, None), self.pick((0.0, 0.5, 8.0, 1000.0))
        self.now = self.now + passed if until is None else max(self.now, min(until, self.now + passed))
        return self.now


def limits(chance: Random) -> Limits:
    """One or two limits that may be met soon, and none of the others."""
    tight: dict[str, float] = {
        "steps": chance.randint(0, 4),
        "model_calls": chance.randint(1, 8),
        "tool_calls": chance.randint(0, 8),
        "tokens": chance.randint(1, chance.choice((4_000, 20_000, 80_000, 400_000))),
        "cost": chance.randint(1, chance.choice((64, 1 << 10, 1 << 14))) / 1024,
        "seconds": chance.choice((0.5, 9.0, 200.0)),
    }
    chosen = {chance.choice(sorted(tight)) for _ in range(chance.randint(0, 2))}
    few: dict[str, Any] = {name: tight[name] if name in chosen else None for name in tight}
    few["context"] = chance.choice((None, None, 1, 5_000))
    return Limits(**few, calls_per_turn=chance.choice((32, 4, 2, 1)), unreadable=chance.randint(1, 4))


def beginning(chance: Random, most: Limits) -> ev.RunStarted:
    """How a run may begin. Prices are fractions that floating point holds exactly, so that sums are exact too."""
    prices = [chance.choice((0, 1, 3, 64)) / (1 << 20) for _ in range(2)]
    return ev.RunStarted(
        run_id="r",
        task=chance.choice(("t", "t 3 and 4", " ".join(map(str, range(21))))),
        model="m",
        way=chance.choice(("native", "native", "text")),
        may_switch=chance.choice((True, False)),
        may_return=chance.choice((True, False)),
        require_action=chance.choice((True, False)),
        tools=TOOLS,
        limits=most,
        settings=Settings(max_tokens=chance.choice((None, None, 9000, 500, 100, 1))),
        price=Price(*prices) if chance.choice((True, True, False)) else None,
        opening_bytes=chance.randint(0, 2000),
        attended=chance.choice((True, False)),
        rules=tuple(chance.sample(RULES, chance.randint(0, len(RULES)))),
        reader=chance.choice((READER, None)),
    )


def chances() -> st.SearchStrategy[Random]:
    """Half of them evenly spread, half of them such that a failing history shrinks."""
    return st.integers(0, 2**64).map(Random) | st.randoms()


def histories(most: int = 60, *, honest: bool = False) -> st.SearchStrategy[tuple[ev.Event, ...]]:
    """The events of a run so far, over or not."""
    return chances().map(lambda chance: played(chance, beginning(chance, limits(chance)), most, honest=honest))


def played(
    chance: Random, started: ev.RunStarted, most: int, *, trouble: bool = True, honest: bool = False
) -> tuple[ev.Event, ...]:
    """What happens after `started`, at most `most` events; without `trouble` nobody interrupts the run."""
    play = Play(chance, State(), bound=started.opening_bytes, trouble=trouble)
    play.greedy, play.variety = chance.choice((False, False, True)), chance.choice((20, 1, 0))
    play.clumsy, play.honest = chance.choice((False, False, False, True)), honest or chance.choice((True, False))
    play.write(started)
    while len(play.events) < most and _step(play):
        pass
    return tuple(play.events)


def _step(play: Play) -> bool:
    """Let one thing happen. False once nothing does."""
    state = play.state
    if play.trouble and state.phase == "over":
        return _over(play)
    if play.trouble and play.rarely():
        _meddle(play)
        return True
    flying: list[Command | str] = [name for name, item in state.open.items() if item.stage in ("running", "asked")]
    chances = [*due(state), *flying, *([""] if state.phase == "asking" else [])]
    if not chances:
        return False
    chance = play.pick(chances)
    match chance:
        case "":
            _answer(play)
        case str():
            _end(play, chance)
        case _:
            _perform(play, chance)
    return True


def _over(play: Play) -> bool:
    outcome = play.state.outcome
    if play.rarely() or play.rarely():
        _fork(play)
        return True
    if outcome is None or outcome.status != "failed" or play.rarely():
        return False
    play.write(_resumed(play))
    return True


def _meddle(play: Play) -> None:
    """What comes from outside: another driver, a pause, a letter, a fork."""
    match play.pick(("resume", "resume", "pause", "pause", "say", "say", "cancel", "fork", "letter")):
        case "resume":
            play.write(_resumed(play))
        case "pause":
            play.write(ev.RunPaused(elapsed=play.now))
        case "say":
            _say(play)
        case "cancel" if play.state.outcome is None:
            play.until.clear()
            by, reason = play.pick(("", "anna")), play.pick(REASONS)
            play.write(ev.CancelAsked(by=by, reason=reason, inbox=play.letter(), elapsed=play.now))
        case "fork":
            _fork(play)
        case _:
            play.write(ev.LetterRefused(inbox=play.letter(), why="it fits nothing", elapsed=play.now))


def _say(play: Play) -> None:
    """A person tells the model something, as much as the limits leave room for; else the letter is refused."""
    text = play.pick(("stop", "3 and 4", "é" * 500, "w" * play.number(0, 20_000)))
    if play.state.phase != "ready" or unheard(play.state, text):
        play.write(ev.LetterRefused(inbox=play.letter(), why="not now", elapsed=play.now))
        return
    play.write(ev.PersonSaid(text=text, by="anna", inbox=play.letter(), elapsed=play.now))
    play.told(size(text))


def _fork(play: Play) -> None:
    """Another run goes on from here, under the same rules or under others."""
    before, settled = play.state.started, play.state.phase in ("ready", "over")
    assert before is not None
    play.forks += 1
    fresh, say = settled and play.pick((True, False)), settled and play.pick((True, False))
    rules = before if play.pick((True, False)) else _other_rules(play, before)
    rules = replace(rules, run_id=f"f{play.forks}", attended=play.pick((True, False)))
    play.bound += max(0, rules.opening_bytes - before.opening_bytes)
    play.bound += rules.opening_bytes if rules.way != play.state.way else 0
    play.bound += TELLING_BYTES if play.closing else 0
    play.bound *= 1 if rules.model == before.model else 4
    play.closing, play.sent, play.now = False, 0, 0.0 if fresh else play.now
    play.until = dict.fromkeys((*play.state.open, ""), play.now)
    said = play.pick(("and now?", "w" * 300)) if say else ""
    fork = ev.RunForked(
        started=rules,
        parent=before.run_id,
        after=len(play.events),
        say=said,
        fresh=fresh,
        context_bytes=play.bound,
        elapsed=play.now,
    )
    play.write(fork)
    if said:
        play.told(size(said))
    if play.state.phase == "asking" or (not settled and play.pick((True, True, False))):
        play.write(_resumed(play))


def _other_rules(play: Play, before: ev.RunStarted) -> ev.RunStarted:
    """Other limits, tools, rules, words: all but the price, so that sums stay exact."""
    other = beginning(play.chance, limits(play.chance))
    tools = tuple(play.chance.sample(TOOLS, play.number(1, len(TOOLS)))) if play.rarely() else TOOLS
    same_price = replace(other, price=before.price, tools=tools, model=play.pick(("m", "other")))
    return replace(same_price, limits=play.pick((before.limits, other.limits)))


def _resumed(play: Play) -> ev.RunResumed:
    play.until.clear()
    return ev.RunResumed(attended=play.pick((True, False)), elapsed=play.now)


def _perform(play: Play, command: Command) -> None:
    match command:
        case AskModel(asked, until):
            play.until[""], play.closing = until, play.closing or bool(asked.closing)
            play.write(replace(asked, elapsed=play.now))
        case RunTool(call, _, room, until):
            play.until[call.id], play.rooms[call.id] = until, room
            play.write(ev.CallStarted(call_id=call.id, elapsed=play.now))
        case AskPerson(call, _, _, until, why, digest):
            play.until[call.id] = until
            play.write(ev.ApprovalAsked(call_id=call.id, why=why, digest=digest, elapsed=play.now))
        case Record(event):
            play.write(replace(event, elapsed=play.now))
            if isinstance(event, ev.CallEnded):
                _observed(play, event.result)
            elif isinstance(event, ev.NoteAdded):
                play.told(size(event.detail))
            elif isinstance(event, ev.WaySwitched) and play.state.started is not None:
                play.bound += play.state.started.opening_bytes
                play.sent = 0


def _observed(play: Play, result: Result) -> None:
    written = len(bytes(result.data)) + size(result.error) + size(result.note)
    play.bound += MESSAGE_BYTES + written + IMAGE_TOKENS * sum(content.shown for content in result.artifacts)
    play.added += written // BYTES_A_TOKEN + (written % BYTES_A_TOKEN > 0)


def _end(play: Play, name: str) -> None:
    """Something that was in flight for a call arrives."""
    item = play.state.open[name]
    if item.stage == "asked":
        play.write(_said(play, name))
        return
    result, whole = _result(play, play.rooms[name]), _whole(play, play.rooms[name])
    if whole is not None and whole.readable and READER.name not in play.state.tools:
        play.bound += OFFER_BYTES
    ended = ev.CallEnded(call_id=name, result=result, elapsed=play.wait(name), whole=whole)
    if play.rarely():
        ended = replace(ended, by="anna", inbox=play.letter())
    play.write(replace(ended, how="given") if play.forks and play.rarely() else ended)
    _observed(play, result)


def _said(play: Play, name: str) -> ev.ApprovalGiven:
    """What a person says: mostly yes or no, sometimes for good, sometimes with other arguments."""
    item = play.state.open[name]
    changed = {"n": play.number(0, play.variety)} if play.rarely() and not item.doubtful else None
    return ev.ApprovalGiven(
        call_id=name,
        allowed=play.pick((True, False)),
        reason=play.pick(REASONS),
        scope=play.pick(("once", "once", "call", "tool")),
        arguments=changed,
        digest=play.state.consent.digest(item.allowed),
        inbox=play.letter() if play.rarely() else 0,
        elapsed=play.wait(name),
    )


def _whole(play: Play, room: int) -> Whole | None:
    """What a result was before it was cut; the model is told how to read on where there is room and a tool for that."""
    if not play.rarely():
        return None
    reader = play.state.started.reader if play.state.started else None
    return Whole("00", 100, readable=reader is not None and room > 0)


def _result(play: Play, room: int) -> Result:
    """A result of any size that the room allows."""
    bytes_ = min(room, 100_000 if play.greedy else play.pick((0, 20, 20, 100_000)))
    if bytes_ < len("null") + len("Failed: "):
        return Result(data=Raw(b"1" * min(1, bytes_)))
    if play.rarely():
        return Result("error", error="Failed: " + "e" * (bytes_ - len("nullFailed: ")))
    if play.rarely():
        return Result(data=Raw(b"%d" % play.number(0, play.variety)))
    if play.rarely() and room > IMAGE_TOKENS:
        pictures = tuple(Content("00", 9, "image/png", shown=shown) for shown in (True, False))
        return Result(data=Raw(b"1"), artifacts=pictures)
    return Result(data=Raw(b'"%s"' % (b"d" * (bytes_ - 2))))


def _answer(play: Play) -> None:
    """A reply arrives, or none."""
    asked = play.state.asked
    assert asked is not None
    elapsed = play.wait("")
    if play.rarely():
        failure = play.pick(FAILURES)
        lost = failure != "tools_refused" and play.pick((True, True, False))
        play.write(ev.ModelFailed(failure=failure, message=play.pick(REASONS), lost=lost, elapsed=elapsed))
        return
    sent = play.bound + (TELLING_BYTES if asked.closing else 0)
    most = 3000 if asked.max_tokens is None else asked.max_tokens
    output = most if play.greedy else play.pick((min(most, 100), most, play.number(0, most)))
    turn = _turn(play, output)
    usage = Usage(_counted(play, asked, sent), output, estimated=play.rarely())
    if usage.estimated:
        play.bound = sent + min(output, _written(turn))
    else:
        play.bound, play.sent = usage.tokens, usage.input_tokens
    play.added, play.closing = 0, False
    play.write(ev.ModelReplied(turn=turn, usage=_priced(play, usage), elapsed=elapsed))


def _counted(play: Play, asked: ev.ModelAsked, sent: int) -> int:
    """Input tokens by the server's count, at most one for every byte sent."""
    if play.greedy:
        return sent
    whole = play.honest or play.pick((True, False))
    return play.number(play.sent + play.added if whole and not asked.closing else 0, sent)


def _written(turn: Turn) -> int:
    return size(turn.text) + sum(size(call.text) for call in turn.calls)


def _priced(play: Play, usage: Usage) -> Usage:
    started = play.state.started
    if started is None or started.price is None:
        return usage
    cost = usage.input_tokens * started.price.input + usage.output_tokens * started.price.output
    return replace(usage, cost=cost if play.greedy or play.pick((True, False)) else cost / 2)


def _turn(play: Play, output: int) -> Turn:
    kind = play.pick(("calls",) * (4 if play.clumsy else 15) + ("answer", "problem", "thought", "empty"))
    text = "w" * play.number(0, 4 * output) if kind != "empty" else ""
    match kind:
        case "calls":
            limit = play.state.started.limits.calls_per_turn if play.state.started else 1
            few = play.number(1, min(output // 8, limit + 1, 5))
            count = min(output // 8, limit if play.rarely() else few)
            if count < 1:
                return Turn(problem="no room", text=text)
            calls = tuple(_call(play) for _ in range(count))
            question = play.state.asked.number if play.state.asked else 0
            return Turn(calls=calls, text=text, leaked=play.pick((True, False, False))).numbered(question, limit)
        case "answer":
            return Turn(answer="42", text=text)
        case "problem":
            return Turn(problem=play.pick(REASONS), text=text)
        case _:
            return Turn(text=text)


def _call(play: Play) -> Call:
    tool = play.pick(UNKNOWN) if play.rarely() else play.pick(TOOLS).name
    state = play.pick(("strict",) * (1 if play.clumsy else 6) + ("repaired", "rejected"))
    value = {"n": play.number(0, play.variety)}
    if state == "strict":
        return Call(tool, value, text="{}")
    return Call(tool, value if state == "repaired" else {}, text="{}", state=state, reason=play.pick(REASONS))


def folded(events: Sequence[ev.Event]) -> Iterator[tuple[State, ev.Event]]:
    """Every event with the state before it, then nothing more: the state after the last is not given."""
    state = State()
    for event in events:
        yield state, event
        apply(state, event)
