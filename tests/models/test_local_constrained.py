"""The embedded model under constraints made from tools that it never saw: each of its replies can be read.

The same library reads JSON Schemas, so it shows as well that ours are schemas that an engine takes.
"""

import re
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from loopwright.core.events import ModelAsked, RunStarted
from loopwright.core.messages import ToolSpec, Turn
from loopwright.engine.ports import Model
from loopwright.models.local import local_model
from loopwright.protocols.conversation import Conversation
from loopwright.protocols.react_text import ReactText
from loopwright.protocols.speech import Capabilities, Constraint

TOOLS = (
    ToolSpec(
        "book_table",
        "Book a table in a restaurant.",
        {
            "type": "object",
            "properties": {
                "restaurant": {"type": "string", "description": "its name"},
                "guests": {"type": "integer"},
                "seating": {"enum": ["inside", "outside"]},
                "contact": {"$ref": "#/$defs/Contact"},
                "wishes": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["restaurant", "guests"],
            "$defs": {
                "Contact": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "phone": {"type": ["string", "null"]}},
                    "required": ["name"],
                }
            },
        },
    ),
    ToolSpec("list restaurants", "Restaurants that are open."),
    ToolSpec("note", "Write something down.", {"type": "object", "properties": {"anything": {}}}),
)
TASKS = ("Book a table for 4 at Savoy.", "Which restaurants are open?")
MOST = 200
BEGINNINGS = ("Thought: ", '{"thought":')


@pytest.fixture
async def model() -> AsyncGenerator[Model]:
    made = local_model()
    yield made
    await made.transport.close()


async def turn_of(model: Model, constraint: Constraint, task: str, *, closing: str = "", **extra: Any) -> Turn:
    capabilities = Capabilities(constraint=constraint)
    started = RunStarted(run_id="r", task=task, model="local", way="text", tools=TOOLS)
    conversation = Conversation(
        started, model.dialect, ReactText(capabilities=capabilities), capabilities, model=model.name
    )
    asked = ModelAsked(number=1, max_tokens=MOST, closing=closing)
    conversation.add(started)
    conversation.add(asked)
    reader = conversation.reader(stream=False)
    body = conversation.request(asked, stream=False)

    def feed(data: bytes) -> None:
        reader.feed(data)

    await model.transport.send(body, feed, stream=False, timeout=60.0)
    reply = reader.close()
    assert not reply.error
    assert re.sub(r"^\{\s+", "{", reply.text).startswith(BEGINNINGS)
    turn = conversation.read(reply, closing=bool(closing))
    if reply.finish == "length":  # a small model may write on and on; then nothing of it may run
        assert all(call.state == "rejected" for call in turn.calls)
        return turn
    assert not turn.problem, reply.text
    assert turn.calls or turn.answer, reply.text
    assert all(call.state == "strict" for call in turn.calls), turn.calls
    assert {call.tool for call in turn.calls} <= {tool.name for tool in TOOLS}
    return turn


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("constraint", ["grammar", "json_schema"])
async def test_every_constrained_reply_can_be_read(model: Model, constraint: Constraint, task: str) -> None:
    await turn_of(model, constraint, task)


@pytest.mark.parametrize("constraint", ["grammar", "json_schema"])
async def test_the_last_reply_has_no_calls(model: Model, constraint: Constraint) -> None:
    turn = await turn_of(model, constraint, TASKS[0], closing="steps")
    assert not turn.calls
