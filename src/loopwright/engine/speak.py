"""Puts a conversation together: which speech a way of speaking is, over the model's dialect."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from loopwright.core.events import ContextCondensed, Event, RunForked, RunStarted
from loopwright.core.messages import Way
from loopwright.engine.ports import Model
from loopwright.protocols.conversation import NONE, OPEN, Conversation
from loopwright.protocols.fence import fence_of
from loopwright.protocols.labels import base_of, labels_of
from loopwright.protocols.native import Native
from loopwright.protocols.speech import Speech


def conversation_of(
    started: RunStarted,
    way: Way,
    model: Model,
    history: Iterable[Event] = (),
    contents: Mapping[str, bytes] = NONE,
) -> Conversation:
    """The transcript of a run so far, as `model` is told it in this way of speaking.

    Args:
        started: the rules of the run; those of a fork hold for what came before it as well, but for the task
        way: how it is spoken
        model: who is told it
        history: what happened so far
        contents: the images that the model was shown, by their digests
    """
    events = list(history)
    if events and isinstance(first := events[0], RunStarted):
        started = replace(started, task=first.task)
    speech = speech_of(way, model, started)
    fence = OPEN
    if not model.embedded:  # that one knows nothing but the prompt that it was trained on
        tools = (*started.tools, started.reader) if started.reader else started.tools
        # What tools of others said before a fork is fenced in it, even where the fork has no such tools.
        before = (_rules(event) for event in events)
        tools = (*tools, *(tool for rules in before if rules is not None for tool in rules.tools))
        fence = fence_of(started.run_id, tools, language=base_of(started.language), as_text=way == "text")
    condensed = [call_id for event in events if isinstance(event, ContextCondensed) for call_id in event.covers]
    conversation = Conversation(
        started, model.dialect, speech, model.capabilities, model=model.name, fence=fence, condensed=condensed
    )
    for event in events:
        conversation.add(event, contents)
    return conversation


def _rules(event: Event) -> RunStarted | None:
    match event:
        case RunStarted():
            return event
        case RunForked(started=rules):
            return rules
        case _:
            return None


def speech_of(way: Way, model: Model, started: RunStarted) -> Speech:
    """The speech that this model is spoken to in, with the sentences of the run's language.

    Observations are the user's where another model than the run began with would refuse them from anybody else.
    """
    labels, role = labels_of(started.language), started.observation_role
    if model.dialect.name != "openai-chat" or (role == "tool" and not model.capabilities.tools):
        role = "user"
    if way == "native":
        return Native(labels=labels)
    # Only runs in text form load the readers of text.
    from loopwright.protocols.command_text import CommandText, is_free_form
    from loopwright.protocols.react_text import ReactText

    if is_free_form(started.tools) and not model.embedded:
        return CommandText(capabilities=model.capabilities, labels=labels, observation_role=role)
    style = "embedded" if model.embedded else "standard"
    return ReactText(capabilities=model.capabilities, labels=labels, style=style, observation_role=role)
