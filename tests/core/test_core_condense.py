"""When results leave the transcript: which, when, and that nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.json import encode

from loopwright.core import events as ev
from loopwright.core.commands import AskModel, Record, RunTool
from loopwright.core.condense import KEPT_TURNS, LEAST_BYTES, LOW, Weight
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Limits, Result, ToolSpec, Turn, Usage
from loopwright.core.state import State

READER = ToolSpec("read_more")


def result(size: int) -> Result:
    return Result(data=Raw(encode("x" * (size - 2))))


def begun(context: int | None, *, reader: ToolSpec | None = READER) -> State:
    started = ev.RunStarted(
        run_id="r",
        task="t",
        model="m",
        tools=(ToolSpec("look"),),
        limits=Limits(steps=None, model_calls=None, tool_calls=None, context=context),
        opening_bytes=1000,
        reader=reader,
    )
    return apply(State(), started)


def step(state: State, size: int, *, counted: int = 0) -> list[ev.ContextCondensed]:
    """One turn with a call whose result has so many bytes; what was left out before it was asked for."""
    left_out = list[ev.ContextCondensed]()
    (command,) = due(state)
    while isinstance(command, Record):
        assert isinstance(command.event, ev.ContextCondensed)
        left_out.append(command.event)
        apply(state, command.event)
        (command,) = due(state)
    assert isinstance(command, AskModel)
    weight = state.weight
    old = [one for one in weight.seen if one.turn <= weight.turn - KEPT_TURNS]
    assert weight.limit is None or weight.tokens <= weight.limit or not old
    apply(state, command.asked)
    turn = Turn(calls=(Call("look", {"at": command.asked.number}, id=f"{command.asked.number}.1"),))
    usage = Usage(counted, 5) if counted else Usage(1, 1, estimated=True)
    apply(state, ev.ModelReplied(turn=turn, usage=usage))
    (command,) = due(state)
    assert isinstance(command, RunTool)
    apply(state, ev.CallStarted(call_id=command.call.id))
    apply(state, ev.CallEnded(call_id=command.call.id, result=result(size)))
    return left_out


def test_without_a_limit_nothing_is_left_out_and_nothing_is_remembered() -> None:
    state = begun(None)
    assert [step(state, 50_000) for _ in range(8)] == [[]] * 8
    assert state.weight.seen == []


def test_the_oldest_leave_first_and_the_last_turns_stay() -> None:
    state = begun(2500)  # 10,000 bytes
    gone = [[event.covers for event in step(state, 2000)] for _ in range(8)]
    covered = [name for step_ in gone for covers in step_ for name in covers]
    assert covered == [f"{number}.1" for number in range(1, len(covered) + 1)]
    assert 3 <= len(covered) <= 8 - KEPT_TURNS
    assert [one.call_id for one in state.weight.seen] == [f"{number}.1" for number in range(len(covered) + 1, 9)]


def test_it_comes_down_to_a_share_of_the_limit_so_that_it_does_not_happen_at_every_step() -> None:
    state = begun(5000)
    events = [event for _ in range(20) for event in step(state, 2000)]
    assert 2 <= len(events) <= 6
    assert all(event.tokens > 5000 for event in events)
    assert all(event.left <= 5000 * LOW for event in events)


def test_small_results_stay() -> None:
    state = begun(300)
    assert [step(state, LEAST_BYTES - 1) for _ in range(6)] == [[]] * 6


def test_what_the_provider_counted_is_what_tokens_are_estimated_by() -> None:
    many, few = begun(2500), begun(2500)
    for _ in range(3):
        step(many, 2000, counted=many.weight.bytes)
        step(few, 2000, counted=few.weight.bytes // 10)
    assert many.weight.tokens > 2500 > few.weight.tokens
    assert step(many, 10)
    assert not step(few, 10)


def test_the_tool_that_reads_on_is_offered_then() -> None:
    state = begun(2500)
    assert "read_more" not in state.tools
    while not step(state, 3000):
        pass
    assert "read_more" in state.tools


def test_without_such_a_tool_they_leave_all_the_same() -> None:
    state = begun(2500, reader=None)
    while not step(state, 3000):
        pass
    assert list(state.tools) == ["look"]


def test_a_limit_that_nothing_can_keep_does_not_stop_the_run() -> None:
    state = begun(1)
    gone = [[event.covers for event in step(state, 2000)] for _ in range(6)]
    assert gone == [[], [], [], [("1.1",)], [("2.1",)], [("3.1",)]]


@given(st.lists(st.integers(2, 5000), min_size=1, max_size=30), st.integers(1, 4000))
def test_behind_it_the_transcript_is_as_short_as_it_can_be(sizes: list[int], limit: int) -> None:
    state = begun(limit)
    for size in sizes:
        for event in step(state, size):
            assert event.covers
            assert event.left < event.tokens
        assert state.weight.bytes > 0


def test_nothing_is_owed_while_the_transcript_is_short_enough() -> None:
    assert Weight(limit=None).owed() is None
    assert Weight(limit=100, bytes=300).owed() is None


@pytest.mark.parametrize("context", [0, -1, 1.5, True])
def test_a_limit_is_a_whole_number_of_at_least_one(context: object) -> None:
    with pytest.raises(ValueError, match="context"):
        Limits(context=context)  # type: ignore[arg-type]
