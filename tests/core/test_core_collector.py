"""The collector of cycles passes by what a run has many of: else a process with many runs stops now and then."""

import gc
from typing import Any, get_args

import msgspec
import pytest

from loopwright.core.events import CallEnded, Event, ModelReplied
from loopwright.core.messages import Call, Content, Result, Turn, Usage, Whole


@pytest.mark.parametrize(
    "word", [*get_args(Event), Call, Content, Result, Turn, Usage, Whole], ids=lambda word: word.__name__
)
def test_words_that_a_run_has_many_of_are_not_collected(word: Any) -> None:
    assert not word.__struct_config__.gc


def test_a_step_that_was_read_leaves_next_to_nothing_to_collect() -> None:
    turn = Turn(calls=(Call("look", {"at": "x"}, id="1.1"),))
    rows = [
        msgspec.json.encode(event) for event in (ModelReplied(turn=turn), CallEnded(call_id="1.1", result=Result()))
    ]
    reply, ended = (msgspec.json.decode(row, type=ModelReplied | CallEnded) for row in rows)
    assert isinstance(reply, ModelReplied)
    assert isinstance(ended, CallEnded)
    kept = (reply, reply.turn, reply.turn.calls[0], reply.usage, ended, ended.result)
    assert [type(word).__name__ for word in kept if gc.is_tracked(word)] == []
