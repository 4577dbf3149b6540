"""Notices when a run drifts from what was agreed: replies that miss the format, calls that leak into the text, and a
server that keeps less of the transcript than it is sent.

Counts and compares; what follows is the loop's.
"""

from typing import Literal

from msgspec import Struct

from loopwright.core.messages import Turn, Usage, Way

MISSES = 2
"""Replies in a row that miss the format before the run is spoken in the other way."""
LEAKS = 2
"""Replies whose calls stood in the text before the run is spoken in text form."""
SWITCHES = 2
"""Changes of the way of speaking in one run."""
BYTES_A_TOKEN = 32
"""No transcript has so few tokens that each of them stands for more bytes than this, whatever its language."""
UNCACHED_SHARE = 0.25
"""A count lower than this share says something else: some servers leave out what their cache had."""
SLACK, SLACK_SHARE = 64, 0.15
"""Tokens, and share of them, by which two counts of the same transcript may differ: a router may change tokenizers."""

CONTEXT_LOST = (
    "context_lost: the server drops a part of the transcript without a word; give it a larger context "
    "(such as num_ctx of Ollama, or --ctx-size of llama.cpp), or let the run be shorter"
)

Reason = Literal["", "the replies keep missing the format", "calls keep arriving inside the text"]


class Manner(Struct):
    """How well the model keeps to the way of speaking. Changed in place, by `loop.apply` only."""

    missed: int = 0
    leaked: int = 0
    switches: int = 0

    def heard(self, turn: Turn, way: Way) -> Reason:
        """Take in a reply, and say why it would be better to speak in another way.

        In text form all calls stand in the text: there they leak from nowhere. A thought alone misses the format only
        natively; in text form it is read as one only where it may stand alone.
        """
        rejected = all(call.state == "rejected" for call in turn.calls)
        keeps = turn.kind == "final" or (turn.kind == "thought" and way == "text")
        self.missed = self.missed + 1 if rejected and not keeps else 0
        self.leaked += turn.leaked and way == "native"
        if not self.may_switch:
            return ""
        if self.missed >= MISSES:
            return "the replies keep missing the format"
        return "calls keep arriving inside the text" if self.leaked >= LEAKS else ""

    @property
    def may_switch(self) -> bool:
        """Whether there are changes left."""
        return self.switches < SWITCHES

    def refused(self) -> None:
        """The endpoint takes no tools: the change that follows is the last, there is no way back."""
        self.switches = SWITCHES - 1

    def switched(self) -> None:
        """The run goes on in the other way: begin to count anew."""
        self.missed, self.leaked = 0, 0
        self.switches += 1


class Kept(Struct):
    """How much of the transcript the server has, by its own count. Changed in place, by `loop.apply` only."""

    least: int = 0
    """Tokens that the last request had at least."""
    lost: int = 0
    """Counts in a row that were lower."""

    def counted(self, usage: Usage, grown: int) -> int:
        """Compare the server's count of a request with what it must have been at least.

        Args:
            usage: what the server counted
            grown: bytes of text that were added since the last count

        Returns:
            what it must have been at least when the count is lower; 0 when all is well or cannot be known, as when
            nothing was counted
        """
        if usage.estimated or not usage.input_tokens:
            self.least = 0
            return 0
        least = self.least + grown // BYTES_A_TOKEN
        self.least = max(least, usage.input_tokens)
        if usage.input_tokens >= least * (1 - SLACK_SHARE) - SLACK:
            self.lost = 0
            return 0
        if usage.input_tokens < least * UNCACHED_SHARE:
            self.lost, self.least = 0, 0
            return 0
        self.lost += 1
        return least

    def forget(self) -> None:
        """What the server is sent may have shrunk for good reason: the old count says nothing."""
        self.least = 0
