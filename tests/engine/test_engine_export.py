"""Runs as files, and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from msgspec import Raw
from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.events import CallEnded, Event
from loopwright.engine.export.arriving import arrive
from loopwright.engine.export.from_messages import from_messages
from loopwright.engine.export.lines import Carried, from_lines, line_of, to_lines
from loopwright.engine.export.messages import to_messages
from loopwright.journal.memory import MemoryJournal
from loopwright.testing.strategies import CONTENTS, event_lists

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be good"},
    {"role": "user", "content": "1+1?"},
    {"role": "assistant", "content": "I add", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "2\n```\n<script>"},
    {"role": "assistant", "content": "2"},
]


def talk() -> tuple[Event, ...]:
    return from_messages(TALK, "r1", 1.0).events


@given(event_lists())
def test_every_event_is_one_line(events: list[Event]) -> None:
    lines = list(to_lines("run", events, CONTENTS))
    assert all("\n" not in line and "\x9b" not in line for line in lines)
    assert [json.loads(line)["seq"] for line in lines if '"type":"content"' not in line[:20]] == list(
        range(1, len(events) + 1)
    )


@pytest.mark.parametrize("data", [b'{"a":\n1}', b"no json \xff", b' "x" ', '"\u202e"'.encode()])
async def test_a_run_comes_back_byte_for_byte(data: bytes) -> None:
    events = [
        replace(event, result=replace(event.result, data=Raw(data))) if isinstance(event, CallEnded) else event
        for event in talk()
    ]
    carried = from_lines(line.encode() for line in to_lines("r1", events, {}))
    assert list(carried.events) == events
    one, two = MemoryJournal(), MemoryJournal()
    await one.append("r1", 1, events)
    assert (await arrive(two, carried)).run_id == "r1"
    assert await one.rows("r1") == await two.rows("r1")
    with pytest.raises(UsageError, match="--as"):
        await arrive(two, carried)
    assert (await arrive(two, carried, "r2")).run_id == "r2"


def test_damage_is_named_by_its_line() -> None:
    lines = [line_of("r1", seq, event).encode() for seq, event in enumerate(talk(), 1)]
    for broken, words in (
        ([*lines[:2], *lines[3:]], "line 3 is event 4"),
        ([*lines[:3], lines[3][:-5]], "line 4 cannot be read"),
        ([lines[0], lines[1].replace(b'"number"', b'"nomber"')], "line 2"),
        ([], "no event"),
    ):
        with pytest.raises(UsageError, match=words):
            from_lines(broken)


def test_a_conversation_comes_back_as_it_was() -> None:
    told = to_messages(talk())
    assert to_messages(from_messages(json.loads(told.text), "r1", 1.0).events) == told
    messages = json.loads(told.text)["messages"]
    assert [message["role"] for message in messages] == [message["role"] for message in TALK]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        (TALK[:3], "c1"),
        ([*TALK[:3], TALK[4]], r"messages\[3\] comes before the results"),
        ([*TALK, TALK[4]], r"messages\[5\] comes behind the answer"),
        ([TALK[1], {"role": "tool", "tool_call_id": "x", "content": ""}], r"messages\[1\] answers the call 'x'"),
        ([TALK[1], {"role": "assistant", "content": "x", "weight": 1}], r"messages\[1\] does not fit"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], r"messages\[0\] holds a part"),
    ],
)
def test_what_does_not_fit_is_named(messages: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        from_messages(messages, "r1", 1.0)


async def test_each_turn_of_a_chat_is_a_run() -> None:
    chat = from_messages([*TALK, {"role": "user", "content": "more"}, TALK[4]], "r1", 1.0)
    assert from_lines(line.encode() for line in to_lines("r1", chat.events, {})) == Carried(chat.events)
