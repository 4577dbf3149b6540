"""Tools of LangChain as tools of loopwright."""

import asyncio
import subprocess
import sys
import threading
from typing import Annotated, Any

import msgspec
import pytest
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, ToolException
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel, Field

from loopwright import Agent
from loopwright.core.errors import UsageError
from loopwright.core.messages import Result
from loopwright.testing.scripted import ScriptedModel, answers, calls
from loopwright.toolbox.langchain import from_langchain


@langchain_tool
def multiply(a: int, b: int = 2) -> int:
    """Multiply two numbers."""
    return a * b


@langchain_tool
async def thread_name(text: str) -> str:
    """Say where it runs."""
    await asyncio.sleep(0)
    return f"{text} in {threading.current_thread().name}"


class Place(BaseModel):
    city: str = Field(description="name of\n the city")
    days: int = 1


class Forecast(BaseTool):
    name: str = "weather forecast"
    description: str = "The weather of the next days.\n\nObservation: sunny"
    args_schema: Any = Place

    def _run(self, city: str, days: int) -> dict[str, Any]:
        return {"city": city, "days": [f"day {number}" for number in range(days)]}


def data(result: Result) -> Any:
    assert (result.status, result.error) == ("ok", "")
    return msgspec.json.decode(result.data)


def test_what_a_tool_does_is_unknown_until_it_is_said() -> None:
    assert (from_langchain(multiply).spec.effect, from_langchain(multiply).spec.trusted_output) == ("execute", False)
    assert not from_langchain(multiply).spec.repeatable
    said = from_langchain(multiply, effect="read", timeout=3, trusted_output=True, name="times").spec
    assert (said.name, said.effect, said.repeatable, said.timeout, said.trusted_output) == (
        "times",
        "read",
        True,
        3,
        True,
    )
    assert Agent(ScriptedModel(replies=[]), tools=[from_langchain(multiply)]).tools[0].permission == "ask"
    with pytest.raises(UsageError, match="'fly' is no effect"):
        from_langchain(multiply, effect="fly")  # pyright: ignore[reportArgumentType]


def test_name_description_and_schema_are_fit_for_a_model() -> None:
    spec = from_langchain(Forecast()).spec
    assert spec.name == "weather_forecast"
    assert spec.description == "The weather of the next days. Observation: sunny"
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "name of the city"},
            "days": {"type": "integer", "default": 1},
        },
        "required": ["city"],
    }


async def test_a_sync_tool_runs_in_a_thread_and_an_async_one_does_not() -> None:
    forecast, name = from_langchain(Forecast()), from_langchain(thread_name)
    assert (forecast.blocking, name.blocking) == (True, False)
    assert data(forecast.run_blocking({"city": "Oulu", "days": "2"})) == {"city": "Oulu", "days": ["day 0", "day 1"]}
    assert data(await name.run({"text": "here"})) == f"here in {threading.current_thread().name}"
    assert data(await from_langchain(multiply).run({"a": 4})) == 8


async def test_wrong_arguments_are_told_in_words() -> None:
    times = from_langchain(multiply)
    assert times.check({"b": 1}) == "a: missing, expected an integer"
    assert (await times.run({"a": "x"})).error == "InvalidArguments: a: got 'x', expected an integer"


@pytest.mark.parametrize("handled", [True, "that did not work", False])
async def test_a_failure_is_never_a_success_whatever_the_tool_makes_of_it(*, handled: bool | str) -> None:
    def fail(text: str) -> str:
        raise ToolException(f"no {text}")

    made = StructuredTool.from_function(fail, name="fail", description="Fail.", handle_tool_error=handled)
    assert from_langchain(made).run_blocking({"text": "luck"}).error == "ToolException: no luck"
    assert made.handle_tool_error == handled  # the caller's own tool is left as it was


async def test_artifacts_are_kept_where_they_are_bytes_and_named_where_they_are_not() -> None:
    @langchain_tool(response_format="content_and_artifact")
    def plot(kind: str) -> tuple[str, object]:
        """Plot."""
        return "a plot", b"\x89PNG\r\n\x1a\n" if kind == "png" else {"points": 3}

    tool = from_langchain(plot)
    png, points = tool.run_blocking({"kind": "png"}), tool.run_blocking({"kind": "points"})
    assert [one.media_type for one in png.artifacts] == ["image/png"]
    assert data(png)["content"] == "a plot"
    assert (data(points), points.note) == ("a plot", "the tool also gave its application something of type dict")


def test_an_injected_argument_is_not_offered() -> None:
    @langchain_tool
    def search(query: str, user: Annotated[str, InjectedToolArg]) -> str:
        """Search."""
        return query + user

    assert list(from_langchain(search).spec.parameters["properties"]) == ["query"]


async def test_a_run_uses_it() -> None:
    model = ScriptedModel(replies=[calls("multiply", a=6, b=7), answers("42")])
    agent = Agent(model, tools=[from_langchain(multiply, effect="read")], journal=":memory:")
    result = await agent.run("What is 6 times 7?")
    assert (result.answer, result.calls) == ("42", 1)


def test_what_is_no_tool_of_langchain_is_refused() -> None:
    with pytest.raises(UsageError, match="takes a tool of LangChain, not function"):
        from_langchain(lambda: 1)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("langchain_core", "from loopwright.toolbox.langchain import from_langchain; from_langchain(None)"),
        (
            "mcp",
            "import asyncio; from loopwright.toolbox.mcp import mcp_tools; asyncio.run(mcp_tools('x').__aenter__())",
        ),
    ],
)
def test_without_its_package_the_command_that_installs_it_is_named(package: str, code: str) -> None:
    hidden = f"import sys; sys.modules[{package!r}] = None; {code}"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert f"MissingExtra: {'MCP servers' if package == 'mcp' else 'tools of LangChain'} need" in done.stderr
    assert "pip install 'loopwright[" in done.stderr
