"""What is said on resume of an agent that is not the one that began the run."""

from typing import Any

import pytest
from msgspec.structs import replace

from loopwright import Limits, Settings, ToolSpec
from loopwright.core.events import RunStarted
from loopwright.engine.given import changes

LOOK = ToolSpec("look", "Look.", {"type": "object", "required": ["where"]})
RULES = RunStarted(run_id="r", task="Go!", model="openai:one", instructions="Be kind.", tools=(LOOK,))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({}, ()),
        ({"model": "openai:two"}, ("the model (openai:two, before openai:one)",)),
        ({"instructions": "Be brief."}, ("the instructions",)),
        ({"tools": (replace(LOOK, description="Look there."),)}, ("the description of look",)),
        ({"tools": (replace(LOOK, parameters={"type": "object"}),)}, ("the parameters of look",)),
        ({"tools": (replace(LOOK, parameters={"type": "object", "required": ("where",)}),)}, ()),
        ({"tools": (replace(LOOK, timeout=3.0),)}, ("the settings of look",)),
        ({"tools": (replace(LOOK, permission="ask"),)}, ()),
        ({"tools": (LOOK, ToolSpec("smell"))}, ("the new tool smell, which the run is not offered",)),
        ({"settings": Settings(temperature=0)}, ("the settings",)),
        ({"limits": Limits(steps=3)}, ("the limits",)),
        (
            {"model": "local", "tools": (replace(LOOK, description="", max_chars=9),), "limits": Limits(steps=3)},
            ("the model (local, before openai:one)", "the description of look", "the settings of look", "the limits"),
        ),
    ],
)
def test_what_changed_is_said_in_words(now: dict[str, Any], told: tuple[str, ...]) -> None:
    assert changes(RULES, replace(RULES, **now)) == told


def test_a_tool_that_is_gone_is_refused_elsewhere() -> None:
    assert changes(RULES, replace(RULES, tools=())) == ()
