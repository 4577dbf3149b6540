"""A run as messages of OpenAI's chat format: what its fine-tuning takes, and most other programs.

Owns what stands in the file. How a run is told to a model is the conversation's, how a message looks the dialect's.

The run is told natively, whatever way it was spoken in: what it was asked, what the model said and called, what came
back, what a person said, and what the loop told the model. Results stand as the tools gave them, without the marks that
fence the texts of others, and images are named, not held. Nothing stands there that only this run could read.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from loopwright.core.events import Event, ModelAsked, ModelReplied, RunForked, RunStarted
from loopwright.core.messages import Settings
from loopwright.engine.history import fold, rules_of
from loopwright.protocols.conversation import Conversation
from loopwright.protocols.labels import labels_of
from loopwright.protocols.native import Native
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.speech import Capabilities


class Messages(Struct, frozen=True):
    """The file."""

    text: str
    left_out: int = 0
    """Calls that are not answered yet; the turn that made them is left out, since no message may end with them."""


class _Told(Struct, frozen=True, omit_defaults=True):
    messages: list[Raw]
    tools: list[Raw] = []


def to_messages(events: Sequence[Event]) -> Messages:
    """A run as ``{"messages": […], "tools": […]}`` in one line; without tools where it had none.

    Args:
        events: all that happened in the run, from the first on

    Raises:
        IllegalEvent: they are no history of a run
    """
    waiting = len(fold(events).open)
    last = max((seq for seq, event in enumerate(events) if isinstance(event, ModelReplied)), default=0)
    rules = rules_of(events)
    first = events[0].task if isinstance(events[0], RunStarted) else rules.task
    started = replace(rules, task=first, settings=Settings())
    conversation = Conversation(started, OpenAIChat(), Native(labels=labels_of(rules.language)), Capabilities())
    for event in events[:last] if waiting else events:
        conversation.add(_plain(event))
    body = conversation.request(ModelAsked(number=1), stream=False)
    told = msgspec.json.encode(msgspec.json.decode(body, type=_Told))
    return Messages(told.decode(), waiting)


def _plain(event: Event) -> Event:
    """The event without what only one provider can read, and under rules that add nothing to a request."""
    match event:
        case ModelReplied() if event.turn.opaque:
            return replace(event, turn=replace(event.turn, opaque=b""))
        case RunForked():
            return replace(event, started=replace(event.started, settings=Settings()))
        case _:
            return event
