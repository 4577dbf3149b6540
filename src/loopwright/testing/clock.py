"""A clock that stands still until it is moved, so that two runs of a test give equal events.

Owns nothing else. No waiting: a test moves time by `advance`.
"""


class FrozenClock:
    """Time as the engine asks for it: `now` for people, `elapsed` for limits.

    Args:
        now: Unix time in seconds
        elapsed: seconds of work so far
    """

    def __init__(self, now: float = 1_700_000_000.0, elapsed: float = 0.0) -> None:
        self._now = now
        self._elapsed = elapsed

    def now(self) -> float:
        """Unix time in seconds."""
        return self._now

    def elapsed(self) -> float:
        """Seconds on a clock that does not jump."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Let both go on by `seconds`.

        Raises:
            ValueError: the seconds are negative
        """
        if seconds < 0:
            raise ValueError(f"time cannot go back by {-seconds} seconds")
        self._now += seconds
        self._elapsed += seconds
