"""Makes what came from others fit to be written down: no half of a surrogate pair in any text of a reply.

Owns that one step, for the end of every reader. JSON in the journal and in the next request cannot carry such texts. In
arguments a half is written as an escape of JSON, for which the call is rejected.
"""

from msgspec.structs import replace

from loopwright.protocols.envelope import writable
from loopwright.protocols.json_values import with_halves
from loopwright.protocols.speech import Reply, WireCall


def cleaned(reply: Reply) -> Reply:
    """The reply with every text of it writable; the very same one where all of them are."""
    texts = (reply.text, reply.reasoning, reply.finish, reply.error)
    calls = (text for call in reply.calls for text in (call.id, call.name, call.arguments))
    if all(text.isascii() for text in (*texts, *calls)):
        return reply
    return replace(
        reply,
        text=writable(reply.text),
        reasoning=writable(reply.reasoning),
        finish=writable(reply.finish),
        error=writable(reply.error),
        calls=tuple(
            WireCall(writable(call.id), writable(call.name), with_halves(call.arguments)) for call in reply.calls
        ),
    )
