"""Writes the arguments of a call so that they can be sent back to a provider.

Owns one rule: what the model wrote goes back as it wrote it, unless it is no JSON object, which providers refuse.
"""

import msgspec

from loopwright.core.messages import Call
from loopwright.protocols.json_values import encoded, is_object
from loopwright.protocols.openai_chat import UNREADABLE_KEY


def sendable_arguments(call: Call) -> str:
    """The arguments of a call as one JSON object: as the model wrote them where they are, else as they were read."""
    if is_object(call.text) and (call.state == "rejected" or msgspec.json.decode(call.text) == call.arguments):
        return call.text
    if call.state == "rejected":
        return encoded({UNREADABLE_KEY: call.text}).decode()
    return encoded(call.arguments).decode()
