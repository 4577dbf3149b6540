"""The embedded model at its job: tasks end to end, with real tools and local services."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from loopwright import Agent, MemoryJournal, Tool, tool
from loopwright.core.events import CallEnded, ModelReplied
from loopwright.testing.services import Services, services
from loopwright.toolbox.arithmetic import calculator
from loopwright.toolbox.clock import get_time
from loopwright.toolbox.currency import convert_currency
from loopwright.toolbox.folder import documents
from loopwright.toolbox.weather import get_current_weather

FOUR: tuple[Tool, ...] = (get_current_weather, convert_currency, calculator, get_time)
BET = "I bet my friend 100 EUR that it would rain in {} today. If I won, how many USD is that?"


@pytest.fixture
async def served(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Services]:
    temperatures = {"Oslo": -4.5, "Rome": 15.1}
    async with services(rain={"Athens": 3.2, "Madrid": 0.0}, temperatures=temperatures) as running:
        for name, value in {**running.environ, "LOOPWRIGHT_OFFLINE": "1"}.items():
            monkeypatch.setenv(name, value)
        yield running


@tool
def shelf_of(item_code: str) -> str:
    """Locate an article in the warehouse."""
    return {"KX-204": "aisle 7, shelf C"}.get(item_code, "unknown article")


async def asked(question: str, *tools: Tool) -> tuple[str, list[tuple[str, dict[str, Any], Any]]]:
    """The answer, and each call with its arguments and what it brought."""
    journal = MemoryJournal()
    result = await Agent("local", tools=tools or FOUR, journal=journal).run(question, run_id="r")
    history = await journal.read("r")
    calls = {call.id: call for event in history if isinstance(event, ModelReplied) for call in event.turn.calls}
    ended = [(calls[event.call_id], event.result) for event in history if isinstance(event, CallEnded)]
    assert result.status == "answered"
    return result.answer or "", [(call.tool, call.arguments, _brought(one)) for call, one in ended]


def _brought(result: Any) -> Any:
    return msgspec.json.decode(result.data) if result.status == "ok" else result.error


async def test_a_bet_that_the_rain_wins_is_converted(served: Services) -> None:
    answer, calls = await asked(BET.format("Athens"))
    wanted = {"amount": 100, "from_currency": "EUR", "to_currency": "USD"}
    assert [(name, arguments) for name, arguments, _ in calls] == [
        ("get_current_weather", {"city": "Athens"}),
        ("convert_currency", wanted),
    ]
    assert "108.5" in answer


async def test_a_bet_that_is_lost_is_not(served: Services) -> None:
    answer, calls = await asked(BET.format("Madrid"))
    assert [name for name, _, _ in calls] == ["get_current_weather"]
    assert "not" in answer
    assert "USD" not in answer


async def test_two_cities_are_compared(served: Services) -> None:
    answer, calls = await asked("Is Oslo colder than Rome right now?")
    assert [arguments for _, arguments, _ in calls] == [{"city": "Oslo"}, {"city": "Rome"}]
    assert answer.startswith("Oslo is colder")


async def test_a_city_that_is_not_there_has_no_weather(served: Services) -> None:
    answer, calls = await asked("What is the weather in Brackwater?")
    assert {name for name, _, _ in calls} == {"get_current_weather"}
    assert calls[0][1] == {"city": "Brackwater"}
    assert "no city named" in answer
    assert "°" not in answer


async def test_a_service_that_is_down_is_said_to_be(served: Services) -> None:
    served.down.add("forecast")
    answer, _ = await asked("How warm is it in Oslo?")
    assert "-4.5" not in answer
    assert "°" not in answer


async def test_a_tool_that_it_never_saw_is_read_off_the_list(served: Services) -> None:
    answer, calls = await asked("Where do I find article KX-204?", shelf_of, calculator)
    assert calls == [("shelf_of", {"item_code": "KX-204"}, "aisle 7, shelf C")]
    assert "aisle 7" in answer


async def test_documents_are_searched(tmp_path: Path) -> None:
    (tmp_path / "tower.md").write_text("# Brackwater Tower\n\nThe Brackwater Tower was built in 1764 by Ulla Wend.\n")
    answer, calls = await asked("Who built the Brackwater Tower?", *documents(tmp_path))
    assert calls[0][0] == "search"
    assert "Ulla Wend" in answer
