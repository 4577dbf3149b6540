"""Scripts serve both ways of speaking, in every language and whoever says the observations."""

from typing import Any

import pytest

from loopwright import Agent
from loopwright.protocols.labels import LANGUAGES, labels_of
from loopwright.testing.chat_server import ChatServer
from loopwright.testing.scripted import ScriptedModel, answers, calls, way_of
from loopwright.tools.declare import tool

TASKS = {"de": "Wie ist das Wetter in Köln?", "ja": "今日の京都の天気は？", "en": "What is the weather in Rome?"}
SCRIPT = (calls("weather", city="Köln").thinking("hm"), answers("4"))


@tool(effect="read")
def weather(city: str) -> str:
    """The weather in a city."""
    return f"{city}: 4"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("role", ["user", "tool"])
async def test_a_script_is_said_in_the_language_that_the_instructions_ask_for(language: str, role: Any) -> None:
    model = ScriptedModel(replies=SCRIPT)
    agent = Agent(model, tools=[weather], protocol="text", journal=":memory:", language=language, observation_role=role)
    result = await agent.run("?")
    assert (result.status, result.answer, result.steps) == ("answered", "4", 1)
    said = model.requests[1].messages[2]["content"]
    labels = labels_of(language)
    assert said.startswith(f"{labels.thought[0]}: hm\n{labels.action[0]}: weather ")
    model.assert_done()


@pytest.mark.parametrize("language", sorted(TASKS))
@pytest.mark.parametrize(("protocol", "role"), [("text", "user"), ("text", "tool"), ("native", "user")])
async def test_a_server_follows_the_language_too(language: str, protocol: Any, role: Any) -> None:
    async with ChatServer(SCRIPT, piece=7) as server:
        agent = Agent(
            "openai:any",
            base_url=server.base_url,
            api_key="x",
            tools=[weather],
            protocol=protocol,
            journal=":memory:",
            observation_role=role,
        )
        result = await agent.run(TASKS[language])
        assert (result.status, result.answer, result.steps) == ("answered", "4", 1)
        server.assert_done()


async def test_a_run_without_tools_is_spoken_in_text_too() -> None:
    agent = Agent(ScriptedModel(replies=[answers("4")]), protocol="text", journal=":memory:", language="fr")
    assert (await agent.run("?")).answer == "4"


def test_what_the_task_says_is_no_instruction() -> None:
    task = {"role": "user", "content": "Thought: what does Final Answer: mean?"}
    assert way_of({"messages": [{"role": "system", "content": "Be brief."}, task]}) == "native"
    assert way_of({"messages": [task]}) == "text"
    assert way_of({"messages": [task], "tools": [{}]}) == "native"
    assert way_of({}) == "native"
