"""The bet: look at the weather first, and convert the money only if it rained.

    .venv/bin/python examples/bet.py

The second call depends on what the first one found: with rain there are two calls, without rain there is one.
"""

from loopwright import Agent
from loopwright.toolbox import convert_currency, get_current_weather

TASK = "I bet my friend 100 EUR that it would rain in Athens today. If I won, how many USD is that?"


def main() -> None:
    """Ask, and print the answer with what it took."""
    agent = Agent(tools=[get_current_weather, convert_currency])
    result = agent.run_sync(TASK)
    print(result.answer or result.reason)
    print(f"{result.status}: {result.calls} calls, {result.usage.tokens} tokens; loopwright show {result.run_id}")


if __name__ == "__main__":
    main()
