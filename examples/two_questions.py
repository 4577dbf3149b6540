"""Two independent questions: a model that can ask for two tools in one turn gets both answers side by side.

    .venv/bin/python examples/two_questions.py

Shows the events of a run as they happen. It wants a bigger model than the embedded one: name it in LOOPWRIGHT_MODEL, or
set a provider's key.
"""

import asyncio

from loopwright import Agent, tool
from loopwright.core.events import CallEnded, CallStarted, RunEnded

TASK = "What time is it in Helsinki, and how many days are there in 3 weeks?"


@tool
async def get_time(timezone: str) -> str:
    """Current date and time in a time zone.

    Args:
        timezone: IANA name, such as Europe/Helsinki
    """
    await asyncio.sleep(0.1)
    return f"2026-11-30 18:20 {timezone}"


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two whole numbers.

    Args:
        a: first factor
        b: second factor
    """
    return a * b


async def main() -> None:
    """Print when each call starts and ends, then the answer."""
    async with Agent(tools=[get_time, multiply]) as agent:
        async for event in agent.stream(TASK):
            match event:
                case CallStarted() | CallEnded():
                    print(type(event).__name__, event.call_id)
                case RunEnded():
                    print(event.outcome.answer)
                case _:
                    pass


if __name__ == "__main__":
    asyncio.run(main())
