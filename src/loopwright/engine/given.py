"""The door of an agent: what an application gives is looked at before anything is written down or sent.

Owns what is refused there and in which words. A value that gets past this door can be journalled and read back the
same. Nothing here runs, resolves or stores anything.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.events import RunStarted
from loopwright.core.messages import Limits, Settings, ToolSpec, is_text, unwritable

RUN_ID_CHARACTERS = 200
MODEL = "the model"
"""How a change of the model begins, in words."""

_RUN_FILLS: Mapping[str, str] = {
    **dict.fromkeys(("messages", "input", "contents"), "give the task to run(), and instructions to the agent"),
    "model": "name the model as the agent's first argument",
    **dict.fromkeys(
        ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_tokens_to_sample"),
        "use Settings(max_tokens=…)",
    ),
    "stream": "use Agent(stream=…), or --no-stream",
    "n": "a run reads one reply to a question",
    **dict.fromkeys(("tools", "functions"), "give tools to the agent"),
    **dict.fromkeys(("tool_choice", "function_call"), "use require_action, or protocol"),
}
"""Fields of a request that the run itself fills, and how to say what is meant by them."""


def check_options(options: Mapping[str, tuple[object, type | tuple[type, ...], str]]) -> None:
    """Refuse an option that is of another type than it must be.

    Args:
        options: by its name, a value, the types that it may have, and what to pass, in words

    Raises:
        UsageError: one is of another type
    """
    for name, (value, kinds, wanted) in options.items():
        if not isinstance(value, kinds):
            raise UsageError(f"{name} is {_shown(value)}; pass {wanted}")


def limits_of(limits: object) -> Limits:
    """The limits, or the usual ones where none are given.

    Raises:
        UsageError: it is something else
    """
    if limits is None:
        return Limits()
    if not isinstance(limits, Limits):
        raise UsageError(f"limits is {_shown(limits)}; pass Limits(…), like Limits(steps=3)")
    return limits


def settings_of(settings: object) -> Settings:
    """The settings, or none of them where none are given.

    Raises:
        UsageError: it is something else, or its extra fields hold what the run itself fills
    """
    if settings is None:
        return Settings()
    if not isinstance(settings, Settings):
        raise UsageError(f"settings is {_shown(settings)}; pass Settings(…), like Settings(temperature=0)")
    if wrong := unwritable(settings.extra, "extra"):
        raise UsageError(f"{wrong}, which no request can carry: use texts, numbers, booleans, lists and dicts")
    for name in settings.extra:
        if name in _RUN_FILLS:
            raise UsageError(f"settings.extra holds {name!r}, which the run itself fills: {_RUN_FILLS[name]}")
    return settings


def recipe_of(recipe: object) -> dict[str, Any]:
    """The recipe that goes into the first event; an empty one where none is given.

    Raises:
        UsageError: it is no dict, or JSON cannot carry it
    """
    if recipe is None:
        return {}
    if not isinstance(recipe, dict):
        raise UsageError(f"recipe is {_shown(recipe)}; pass a dict")
    if wrong := unwritable(cast("object", recipe), "recipe"):
        raise UsageError(f"{wrong}, which the journal cannot hold: use texts, numbers, booleans, lists and dicts")
    return cast("dict[str, Any]", recipe)


def text_of(text: object, name: str) -> str:
    """A text of the application, such as the task.

    Raises:
        UsageError: it is none
    """
    if not isinstance(text, str):
        raise UsageError(f"{name} is {_shown(text)}; pass a text")
    if not is_text(text):
        raise UsageError(f"{name} holds half of a surrogate pair, which is no text: decode it as UTF-8")
    return text


def task_of(task: object) -> str:
    """The task.

    Raises:
        UsageError: it is no text, or an empty one
    """
    text = text_of(task, "the task")
    if not text.strip():
        raise UsageError("the task is empty")
    return text


def run_id_of(run_id: object) -> str:
    """The name of a run.

    Raises:
        UsageError: it is no text, or one that cannot be a name
    """
    text = text_of(run_id, "run_id")
    if not text or len(text) > RUN_ID_CHARACTERS or not text.isprintable() or text != text.strip():
        raise UsageError(
            f"run_id is {_shown(text)}; it must have 1 to {RUN_ID_CHARACTERS} characters that can be printed, and no "
            "space at its ends"
        )
    return text


def check_tools(tools: object) -> Iterable[Any]:
    """The tools as they can be looked through.

    Raises:
        UsageError: they are no list, or one of them is neither a function nor a tool
    """
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Iterable):
        raise UsageError(f"tools is {_shown(cast('object', tools))}; pass a list of tools, like tools=[get_time]")
    found = list(cast("Iterable[object]", tools))
    for item in found:
        is_tool = isinstance(getattr(item, "spec", None), ToolSpec) and callable(getattr(item, "run", None))
        if not is_tool and (not callable(item) or hasattr(item, "spec")):
            raise UsageError(f"tools holds {_shown(item)}; each must be a function with a docstring, or a tool")
    return found


def check_readable(started: RunStarted) -> None:
    """Refuse a run whose first event would not read back.

    Raises:
        UsageError: a tool, or another part of it, holds a value of the wrong type; the text says where
    """
    wrongs = (unwritable(cast("object", tool.parameters), f"parameters of {tool.name}") for tool in started.tools)
    if wrong := next((wrong for wrong in wrongs if wrong), ""):
        raise UsageError(f"this run could not be read back from a journal: {wrong}")
    try:
        msgspec.json.decode(msgspec.json.encode(started), type=RunStarted)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"this run could not be read back from a journal: {error}") from None


def check_same(started: RunStarted, tools: Iterable[ToolSpec]) -> None:
    """Refuse to go on with a run whose journal says less of a tool than the tool itself: it decides what may run.

    Args:
        started: how the run began, as a journal says that may have come from anywhere
        tools: those that are here

    Raises:
        UsageError: a tool is not here; or it has another effect, may not be repeated, or returns text of others
    """
    known = {tool.name: tool for tool in tools}
    if missing := [tool.name for tool in started.tools if tool.name not in known]:
        raise UsageError(f"run {started.run_id} needs tools that are not here: {', '.join(missing)}")
    pairs = [(tool, known[tool.name]) for tool in started.tools]
    if (reader := started.reader) is not None:  # it shows what any of them returned
        pairs.append((reader, replace(reader, trusted_output=all(tool.trusted_output for tool in started.tools))))
    for begun, here in pairs:
        if wrong := _understated(begun, here):
            raise UsageError(
                f"run {started.run_id} cannot go on: in it {begun.name} {wrong}; begin a new run with these tools"
            )


def changes(started: RunStarted, here: RunStarted) -> tuple[str, ...]:
    """What is harmless, and yet no longer as the run began with it, in words.

    Args:
        started: the rules of the run
        here: the rules of a run that would begin now
    """
    found = [f"{MODEL} ({here.model}, before {started.model})"] if here.model != started.model else []
    if here.instructions != started.instructions:
        found.append("the instructions")
    known, mine = ({tool.name: tool for tool in rules.tools} for rules in (started, here))
    for name, tool in known.items():
        if (now := mine.get(name)) is None:
            continue
        found += [f"the {what} of {name}" for what in _altered(tool, now)]
    found += [f"the new tool {name}, which the run is not offered" for name in mine if name not in known]
    parts = (("settings", here.settings, started.settings), ("limits", here.limits, started.limits))
    found += [f"the {what}" for what, now, then in parts if not _alike(now, then)]
    return tuple(found)


def _altered(begun: ToolSpec, here: ToolSpec) -> list[str]:
    found = ["description"] if begun.description != here.description else []
    found += ["parameters"] if not _alike(begun.parameters, here.parameters) else []
    rest = [replace(tool, description="", parameters={}, permission="ask") for tool in (begun, here)]
    return found + (["settings"] if rest[0] != rest[1] else [])


def _alike(one: object, other: object) -> bool:
    """Whether the journal writes both the same: a tuple reads back as a list."""
    return msgspec.json.encode(one) == msgspec.json.encode(other)


def _understated(begun: ToolSpec, here: ToolSpec) -> str:
    """What a run says of a tool that is less than what it is here; empty where nothing is."""
    if begun.effect != here.effect:
        return f"has the effect {begun.effect}, and here it is {here.effect}"
    if begun.repeatable and not here.repeatable:
        return "may run twice, and here it may not"
    if begun.trusted_output and not here.trusted_output:
        return "returns nothing that others wrote, and here it does"
    if here.open_world and not begun.open_world:
        return "reaches nobody whom the model chooses, and here it does"
    if begun.trusted_description and not here.trusted_description:
        return "is described by the application, and here it is not"
    return ""


def _shown(value: object) -> str:
    """A value of the wrong kind, short, with its type."""
    text = ascii(value)
    return f"{text if len(text) <= 60 else text[:60] + '…'} ({type(value).__name__})"
