"""What keys look like, so that none is shown or kept that a server or a tool repeats.

Owns the shapes. Which key is in use is known to the transport alone, which takes it out of the bytes before they are
read.
"""

import re

MASK = "[key]"

_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|fw|csk|pplx|tgp)[-_][\w*.-]{4,}"  # keys as providers issue them, also half masked
    r"|\bAIza[\w*-]{8,}"
    r"|[\w.-]*\*{3,}[\w.-]*"  # what a provider masked itself
    r"|(?<=[Bb]earer )[\w.~+/=*-]+"
)


def without_keys(text: str) -> str:
    """The text with a mark in place of everything that looks like a key."""
    return _SHAPES.sub(MASK, text)
