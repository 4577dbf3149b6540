"""Reading on in results that were cut: when the tool for it is one of the run's, and what is set aside for it."""

from typing import Any

from core_runs import READ, asked, begun, fold, question, replied, started, tool_run
from msgspec import Raw

from loopwright.core import events as ev
from loopwright.core.limits import IMAGE_TOKENS, MESSAGE_BYTES, OFFER_BYTES
from loopwright.core.loop import apply, due
from loopwright.core.messages import Call, Content, Limits, Result, ToolSpec, Usage, Whole
from loopwright.core.state import State, ledger_of

READER = ToolSpec("read_more", max_chars=500)
CUT = ev.CallEnded(call_id="1.1", result=Result(data=Raw(b"[1]")), whole=Whole("ab", 90, "rows", readable=True))


def after(ended: ev.CallEnded, **rules: Any) -> State:
    """A run whose first call ended like this and whose second question is asked and answered with a call to read on."""
    events = [started(**rules), asked(), replied(1, "read"), begun("1.1"), ended]
    state = fold(*events)
    apply(state, question(state))
    reading = Call("read_more", {"result": "1.1", "offset": 1})
    return apply(state, replied(2, reading, usage=Usage(1, 1)))


def test_after_a_cut_the_reader_runs_like_any_other_tool_and_counts() -> None:
    state = after(CUT, reader=READER)
    assert (tool_run(state).tool, ledger_of(state).admitted) == (READER, 2)


def test_without_a_cut_or_without_being_told_there_is_no_such_tool() -> None:
    untold = ev.CallEnded(call_id="1.1", result=Result(), whole=Whole("ab", 90))
    for state in (
        after(ev.CallEnded(call_id="1.1", result=Result()), reader=READER),
        after(untold, reader=READER),
        after(CUT),
    ):
        (command,) = due(state)
        assert "UnknownTool: there is no tool 'read_more'" in str(command)


def test_what_the_offer_adds_is_set_aside_until_it_is_part_of_the_requests() -> None:
    limits = Limits(tokens=100_000)
    rooms = [
        tool_run(fold(started(limits, reader=reader), asked(), replied(1, "read"))).room for reader in (None, READER)
    ]
    assert rooms[0] - rooms[1] == OFFER_BYTES
    state = fold(started(limits, reader=READER), asked(), replied(1, "read", "read"), begun("1.1"))
    before = ledger_of(state).context
    apply(state, CUT)
    assert ledger_of(state).context == before + MESSAGE_BYTES + len(b"[1]") + OFFER_BYTES
    apply(state, begun("1.2"))
    apply(state, ev.CallEnded(call_id="1.2", result=Result(data=Raw(b"[1]")), whole=CUT.whole))
    assert ledger_of(state).context == before + 2 * (MESSAGE_BYTES + len(b"[1]")) + OFFER_BYTES


def test_an_image_that_is_shown_counts_as_much_as_any_model_counts_for_one() -> None:
    image, file = Content("ab", 9, "image/png", shown=True), Content("cd", 9)
    grown = list[int]()
    for artifacts in ((), (file,), (image, file), (image, image)):
        state = fold(started(tools=(READ,)), asked(), replied(1, "read"), begun("1.1"))
        before = ledger_of(state).context
        apply(state, ev.CallEnded(call_id="1.1", result=Result(artifacts=artifacts)))
        grown.append(ledger_of(state).context - before - MESSAGE_BYTES - len(b"null"))
    assert grown == [0, 0, IMAGE_TOKENS, 2 * IMAGE_TOKENS]
