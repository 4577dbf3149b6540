"""A model that plays the bet as a sensible one would: it looks at the weather, and converts only if it rained.

It decides from the transcript alone, so it can be asked again at any point.
"""

import json
import re
from typing import Any

from loopwright.testing.scripted import Line, answers, calls

TASK = "I bet my friend 100 EUR that it would rain in Athens today. If I won, how many USD is that?"


def bet(request: dict[str, Any], _number: int) -> Line:
    """The next reply."""
    said = json.dumps(request["messages"][-4:]).replace("\\", "")
    converted = re.search(r'"converted_amount": ?([0-9.]+)', said)
    if converted:
        return answers(f"It rained, so you won {converted[1]} USD.")
    rain = re.search(r'"precipitation_mm": ?([0-9.]+)', said)
    if rain is None:
        return calls("get_current_weather", city="Athens").thinking("First I need to know whether it rained.")
    if float(rain[1]) > 0:
        thought = f"It rained ({rain[1]} mm), so the money has to be converted."
        return calls("convert_currency", amount=100, from_currency="EUR", to_currency="USD").thinking(thought)
    return answers("It did not rain, so you did not win.")
